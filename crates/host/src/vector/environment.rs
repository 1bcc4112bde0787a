//! One environment: a game in progress, its chance, and its players.
//!
//! Seeds are plain, as trainers expect. Environment i has the seed s + i. Its first episode has that seed, and its k-th later
//! episode has the k-th child of the seed. Nothing depends on when other environments are stepped. Bots choose as the bots of
//! a match with that seed. With rotation, player j has seat (j + s + k): a batch has every seating from its first step on,
//! and a single environment with the same seed has the same seating.

use std::num::NonZeroU32;
use std::sync::Arc;

use ahu_core::{
    Action, ActionId, ActionSet, BySeat, ChanceRng, Game, GameExt, GameOptions, NoEvents, Seat, SeatSet, Seed, View,
    Viewer,
};

use super::actions::Actions;
use super::env_config::{EnvConfig, Player};
use super::final_steps::Episode;
use crate::{BotName, BotRng, BotSeed, Position, RewardRule, Rules};

/// The data that all environments of a vector environment share.
#[derive(Debug)]
pub(super) struct VectorSettings<G: Game> {
    pub(super) options: G::Options,
    pub(super) rules: &'static Rules<G>,
    pub(super) env_config: EnvConfig,
}

#[derive(Debug)]
pub(super) struct Environment<G> {
    pub(super) game: G,
    chance: ChanceRng,
    pub(super) state: State,
    /// The seat that has to decide; after an end, the first external seat.
    pub(super) seat: Seat,
    /// The legal actions of the seat; after an end, none.
    pub(super) legal: ActionSet,
    /// The external seats.
    pub(super) external: SeatSet,
    /// The number of the player who has each seat in this episode.
    pub(super) players: BySeat<u8>,
    /// The bot of each seat; None for external seats.
    pub(super) bots: BySeat<Option<BotName>>,
    /// The bot seed of this episode; None if it has no bots.
    bot_seed: Option<BotSeed>,
    /// The decisions of each seat in this episode.
    pub(super) seat_decisions: BySeat<u32>,
    pub(super) decisions: u32,
    /// The actions of this episode so far, of all seats: with the seed they lead to the present position.
    pub(super) actions: Actions,
    /// The position at which the episode began; None: the first of the game.
    pub(super) start: Option<Arc<Position>>,
    /// True if the episode has ended by its number of decisions.
    pub(super) is_truncated: bool,
    /// The plies of this episode so far.
    plies: u32,
    /// The rewards of this episode so far, by seat: see [`RewardRule::gain`].
    paid: BySeat<i32>,
    pub(super) seed: Seed,
    /// The number of episodes begun since the environment was seeded.
    pub(super) episodes: u64,
}

/// The progress of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No episode has begun.
    Idle,
    /// An external seat has to decide.
    Waiting,
    /// The episode has ended.
    Ended,
}

impl<G: Game> Environment<G> {
    pub(super) fn new(shared: &VectorSettings<G>, seed: Seed) -> Self {
        Self {
            game: G::new(&shared.options),
            chance: ChanceRng::new(seed),
            state: State::Idle,
            seat: Seat::default(),
            legal: ActionSet::of::<G::Action>(),
            external: SeatSet::EMPTY,
            players: BySeat::new(shared.options.seats(), 0),
            bots: BySeat::new(shared.options.seats(), None),
            bot_seed: None,
            seat_decisions: BySeat::new(shared.options.seats(), 0),
            decisions: 0,
            actions: Actions::default(),
            start: None,
            is_truncated: false,
            plies: 0,
            paid: BySeat::new(shared.options.seats(), 0),
            seed,
            episodes: 0,
        }
    }

    /// Seeds the environment again. The next episode is the first one of this seed.
    pub(super) fn seed(&mut self, seed: Seed) {
        self.seed = seed;
        self.episodes = 0;
    }

    /// Returns the seed of the last episode that began.
    pub(super) fn episode_seed(&self) -> Seed {
        self.chance.seed()
    }

    /// Returns the number of plies that the episode has had.
    pub(super) fn plies(&self) -> u32 {
        self.plies
    }

    /// Begins the next episode and plays to the first decision of an external seat. Episodes without such a decision
    /// are skipped.
    pub(super) fn begin(&mut self, shared: &VectorSettings<G>) {
        self.begin_at(shared, None);
    }

    /// Does what `begin` does, except that the first episode begins at a position of the same game.
    pub(super) fn begin_at(&mut self, shared: &VectorSettings<G>, mut start: Option<(G, Arc<Position>)>) {
        self.state = State::Ended;
        while self.state != State::Waiting {
            self.set_up(shared, start.take());
            self.advance(shared, u32::MAX);
        }
    }

    /// Makes the next episode ready for its first decision.
    pub(super) fn set_up(&mut self, shared: &VectorSettings<G>, start: Option<(G, Arc<Position>)>) {
        let seed = match self.episodes {
            0 => self.seed,
            episode => self.seed.child(episode),
        };
        self.chance = ChanceRng::new(seed);
        (self.game, self.start) = match start {
            Some((game, start)) => (game, Some(start)),
            None => (G::new(&shared.options), None),
        };
        self.actions.clear();
        self.is_truncated = false;
        (self.decisions, self.plies) = (0, 0);
        self.paid = BySeat::new(shared.options.seats(), 0);
        self.seat_players(shared, seed);
        self.episodes += 1;
    }

    fn seat_players(&mut self, shared: &VectorSettings<G>, seed: Seed) {
        let seats = shared.options.seats();
        let config = &shared.env_config;
        let bot_seed = || BotSeed::new(seed, 0);
        self.bot_seed = config.has_bots().then(bot_seed);
        self.seat_decisions = BySeat::new(seats, 0);
        self.players = BySeat::from_fn(seats, |seat| config.player(seat, self.seed, self.episodes));
        self.bots = BySeat::from_fn(seats, |seat| match &config.players[usize::from(self.players[seat])] {
            Player::External => None,
            Player::Bots(bots) => Some(self.bot_seed.unwrap_or_else(bot_seed).rng(seat, 0).weighted(bots)),
        });
        self.external = seats.iter().filter(|&seat| self.bots[seat].is_none()).collect();
    }

    /// Continues from a position, as if nothing had been paid before.
    pub(super) fn go_on_from(&mut self, shared: &VectorSettings<G>, game: G) {
        self.game = game;
        self.paid = BySeat::new(shared.options.seats(), 0);
        self.advance(shared, u32::MAX);
    }

    /// Applies a legal action of the seat that has to decide, and plays on.
    #[inline]
    pub(super) fn act(&mut self, shared: &VectorSettings<G>, id: ActionId) {
        self.apply(self.seat, id);
        self.advance(shared, shared.env_config.max_decisions.map_or(u32::MAX, NonZeroU32::get));
    }

    /// Applies a legal action of a seat.
    #[inline]
    pub(super) fn apply(&mut self, seat: Seat, id: ActionId) {
        let action = G::Action::from_id(id).expect("legal actions have ids of the game");
        self.game.apply(seat, action, &mut NoEvents);
        self.actions.push(id.0);
        self.seat_decisions[seat] += 1;
        self.decisions += 1;
        self.plies += 1;
    }

    /// Returns true if no external seat has decided in this episode.
    pub(super) fn is_first_decision(&self) -> bool {
        self.external.iter().all(|seat| self.seat_decisions[seat] == 0)
    }

    /// Returns the view that `seat` is shown.
    #[inline]
    pub(super) fn shown(&self, seat: Seat) -> G::View {
        self.game.view(Viewer::Seat(seat)).shown()
    }

    /// Returns the reward of the seat that has to decide, by the view that it is shown.
    pub(super) fn gain(&mut self, shown: &G::View) -> f32 {
        RewardRule::gain(&shown.scores(), self.seat, &mut self.paid)
    }

    /// Returns the episode, which has ended, and the rewards of the step that ended it, by seat.
    pub(super) fn ended(&mut self, shared: &VectorSettings<G>, environment: u32) -> (Episode, BySeat<f32>) {
        let truncated = self.is_truncated.then(|| self.truncated_rewards(shared));
        let episode = self.episode(shared, environment);
        let rewards = truncated.unwrap_or_else(|| self.final_rewards(shared, &episode));
        (episode, rewards)
    }

    /// Pays what an episode that is truncated still owes. With `margin_gain`, each external seat gets the change of its
    /// margin since its last decision, by its own last observation; the other rules pay nothing. Returns these rewards.
    fn truncated_rewards(&mut self, shared: &VectorSettings<G>) -> BySeat<f32> {
        let mut rewards = BySeat::new(shared.options.seats(), 0.0);
        if shared.env_config.rewards == RewardRule::MarginGain {
            for seat in self.external.iter() {
                rewards[seat] = RewardRule::gain(&self.shown(seat).scores(), seat, &mut self.paid);
            }
        }
        rewards
    }

    /// Returns the rewards of the step that ended the episode, by seat: the return less the earlier rewards.
    fn final_rewards(&mut self, shared: &VectorSettings<G>, episode: &Episode) -> BySeat<f32> {
        match shared.env_config.rewards {
            RewardRule::MarginGain => {
                let (scores, paid) = (&episode.scores, &mut self.paid);
                BySeat::from_fn(scores.seats(), |seat| RewardRule::gain(scores, seat, paid))
            }
            RewardRule::Rank | RewardRule::Margin | RewardRule::Points => episode.returns,
        }
    }

    /// Plays chance and bots until an external seat has to decide or the game is over. If several external seats have
    /// to decide in secret, the environment waits for one after the other. Truncates the episode where a decision is due after
    /// `most` decisions.
    #[inline]
    fn advance(&mut self, shared: &VectorSettings<G>, most: u32) {
        loop {
            let to_act = self.settle();
            if self.decisions >= most && !to_act.is_empty() {
                self.end();
                self.is_truncated = true;
                return;
            }
            if let Some((seat, bot)) = to_act.iter().find_map(|seat| Some((seat, self.bots[seat]?))) {
                self.play_bot(shared, bot, seat);
                continue;
            }
            if let Some(seat) = to_act.first() {
                self.wait_for(seat);
            } else {
                self.end();
            }
            return;
        }
    }

    /// Settles all due chance events, and returns the seats that have to decide then.
    #[inline]
    pub(super) fn settle(&mut self) -> SeatSet {
        self.plies += self.game.settle_all(&mut self.chance, &mut NoEvents) as u32;
        self.game.turn().to_act()
    }

    /// Waits for the decision of an external seat.
    #[inline]
    pub(super) fn wait_for(&mut self, seat: Seat) {
        self.seat = seat;
        self.state = State::Waiting;
        self.game.legal_actions(seat, &mut self.legal);
    }

    /// Ends the episode.
    pub(super) fn end(&mut self) {
        self.seat = self.external.first().expect("the configuration has an external player");
        self.state = State::Ended;
        self.legal = ActionSet::of::<G::Action>();
    }

    /// Returns the generator of a bot for the next decision of `seat`, as in a match of the same seed.
    #[inline]
    pub(super) fn bot_rng(&self, seat: Seat) -> BotRng {
        let bot_seed = self.bot_seed.unwrap_or_else(|| BotSeed::new(self.episode_seed(), 0));
        bot_seed.rng(seat, self.seat_decisions[seat] + 1)
    }

    fn play_bot(&mut self, shared: &VectorSettings<G>, name: BotName, seat: Seat) {
        self.game.legal_actions(seat, &mut self.legal);
        let id = self.choice(shared, name, seat);
        self.apply(seat, id);
    }

    /// Returns the choice of a bot for `seat`, which has to decide between the legal actions of the environment.
    #[inline]
    pub(super) fn choice(&self, shared: &VectorSettings<G>, name: BotName, seat: Seat) -> ActionId {
        let mut rng = self.bot_rng(seat);
        name.of(shared.rules.bots).choose(&self.game, seat, &self.legal, &mut rng)
    }

    /// Returns the episode, which has ended. If it was truncated, the returns are those that were paid.
    fn episode(&self, shared: &VectorSettings<G>, environment: u32) -> Episode {
        let end = self.game.view(Viewer::Public).shown();
        let (scores, ranks) = (end.scores(), end.ranks());
        let returns = match self.is_truncated {
            true => BySeat::from_fn(scores.seats(), |seat| RewardRule::paid(seat, &self.paid)),
            false => shared.env_config.rewards.returns(&scores, &ranks),
        };
        Episode {
            environment,
            seed: self.episode_seed(),
            decisions: self.decisions,
            bots: self.bots,
            returns,
            is_truncated: self.is_truncated,
            scores,
            ranks,
        }
    }
}
