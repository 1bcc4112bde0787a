//! Playouts: sampled games, played to the end.

use ahu_core::{
    Action, ActionId, ActionSet, BySeat, ChanceRng, Game, GameExt, GameOptions, NoEvents, Seat, Seed, View, Viewer,
};
use rand::Rng;

use super::Search;
use super::tree::Tree;
use crate::bot_seed::{BotRng, BotSeed};
use crate::nets::NetRoom;

/// A game that a viewer could be in, with the chance and the choices of its future. All candidates of a round are tried
/// in the same worlds, so that their results differ by the candidates alone, as far as possible.
pub(super) struct World<G> {
    game: G,
    chance: Seed,
    choices: BotSeed,
}

/// The end of a playout, for the seat that decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The utility, from 0 to 1: see [`utility`].
    pub(super) utility: f64,
    /// The points of the seat.
    pub(super) score: i32,
    /// The rank of the seat, from 1.
    pub(super) rank: u8,
}

impl<G: Game> World<G> {
    /// Samples the `index`-th world of a search.
    pub(super) fn sample(view: &G::View, base: u64, index: u64) -> Self {
        let mut rng = BotRng::child(base, index);
        let chance = Seed(rng.next_u64());
        Self { game: G::resample(view, &mut rng), chance, choices: BotSeed::new(chance, 0) }
    }

    /// Plays the game to the end, after `first` as the action of `seat`: the next decisions of this seat by the tree of
    /// `first`, all others by the guide, as far as it goes, and by the policy.
    pub(super) fn play(
        &self,
        seat: Seat,
        first: ActionId,
        tree: &mut Tree,
        search: &Search<G>,
        room: &mut NetRoom,
    ) -> Outcome {
        let mut game = self.game.clone();
        let mut chance = ChanceRng::new(self.chance);
        let mut legal = ActionSet::of::<G::Action>();
        let mut decisions = BySeat::new(game.options().seats(), 0);
        let mut way = tree.begin();
        game.apply(seat, G::Action::from_id(first).expect("a legal action"), &mut NoEvents);
        loop {
            game.settle_all(&mut chance, &mut NoEvents);
            let Some(next) = game.turn().to_act().first() else { break };
            game.legal_actions(next, &mut legal);
            let action = if legal.len() == 1 {
                legal.actions().next().expect("one action is legal")
            } else {
                decisions[next] += 1;
                let mut rng = self.choices.rng(next, decisions[next]);
                let mut policy = || (search.policy.choose_in)(&game, next, &legal, &mut rng);
                let of = |id| G::Action::from_id(id).expect("a legal action");
                let choice = match &search.guide {
                    Some(guide) if decisions[next] <= guide.decisions => {
                        of(guide.choose(&game, next, &legal, || policy().id(), room))
                    }
                    _ => policy(),
                };
                if next == seat { of(way.choose(&legal, choice.id())) } else { choice }
            };
            game.apply(next, action, &mut NoEvents);
        }
        let end = game.view(Viewer::Public);
        let (scores, ranks) = (end.scores(), end.ranks());
        let utility = utility(seat, &scores, search.scale);
        way.end(utility);
        Outcome { utility, score: scores[seat], rank: ranks[seat] }
    }
}

/// Returns the utility of an end for `seat`: its lead over the best other seat, squashed to a number from 0 to 1, so that a
/// lead of `scale` points is worth 0.75 and more of it matters less. A win alone would tell far less in a playout: in Rappa
/// Nui, the deck game, it takes ten times as many playouts. The arithmetic is exact on every platform.
pub fn utility(seat: Seat, scores: &BySeat<i32>, scale: f64) -> f64 {
    let others = scores.iter().filter(|(other, _)| *other != seat).map(|(_, score)| score);
    let lead = f64::from(scores[seat] - others.max().expect("a game has two seats"));
    0.5 + 0.5 * lead / (scale + lead.abs())
}
