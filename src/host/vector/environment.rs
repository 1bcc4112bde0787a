//! One environment: a game under way, its luck, and who plays it.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::arrangement::{Arrangement, Player, drawn};
use super::ends::Episode;
use crate::core::{
    Action, ActionId, ActionSet, BySeat, Game, GameExt, GameOptions, Luck, NoEvents, Seat, SeatSet, Seed, View, Viewer,
};
use crate::host::{Bot, BotName};

/// What all environments of a vector environment share.
#[derive(Debug)]
pub(super) struct Shared<G: Game> {
    pub(super) options: G::Options,
    pub(super) bots: &'static [Bot<G>],
    pub(super) arrangement: Arrangement,
}

#[derive(Debug)]
pub(super) struct Environment<G> {
    pub(super) game: G,
    luck: Luck,
    pub(super) state: State,
    /// The seat that is asked; after an end, the first that the caller played.
    pub(super) seat: Seat,
    /// What it may do; after an end, nothing.
    pub(super) legal: ActionSet,
    /// The seats that the caller plays.
    pub(super) external: SeatSet,
    /// The bots that play, by seat.
    bots: BySeat<Option<BotName>>,
    bots_rng: ChaCha8Rng,
    decisions: u32,
    seed: Seed,
    /// How many episodes have begun since it was seeded.
    episodes: u64,
}

/// How far an environment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No episode has begun.
    Idle,
    /// A seat of the caller's is asked.
    Waiting,
    /// The episode has ended.
    Ended,
}

impl<G: Game> Environment<G> {
    pub(super) fn new(shared: &Shared<G>, seed: Seed) -> Self {
        Self {
            game: G::new(&shared.options),
            luck: Luck::new(seed),
            state: State::Idle,
            seat: Seat::default(),
            legal: ActionSet::of::<G::Action>(),
            external: SeatSet::EMPTY,
            bots: BySeat::new(shared.options.seats(), None),
            bots_rng: ChaCha8Rng::seed_from_u64(0),
            decisions: 0,
            seed,
            episodes: 0,
        }
    }

    /// Seeds it anew. The next episode is the first one of this seed.
    pub(super) fn seed(&mut self, seed: Seed) {
        self.seed = seed;
        self.episodes = 0;
    }

    /// The seed of the episode that began last.
    pub(super) fn episode_seed(&self) -> Seed {
        self.luck.seed()
    }

    /// Begins the next episode, up to the first decision of the caller's. One in which the caller is never asked is passed over.
    pub(super) fn begin(&mut self, shared: &Shared<G>) {
        self.state = State::Ended;
        while self.state != State::Waiting {
            let seed = match self.episodes {
                0 => self.seed,
                // Number 0 of an episode's own seeds is that of its bots.
                episode => self.seed.child(episode),
            };
            self.luck = Luck::new(seed);
            self.game = G::new(&shared.options);
            self.decisions = 0;
            self.seat_players(shared, seed);
            self.episodes += 1;
            self.go_on(shared);
        }
    }

    fn seat_players(&mut self, shared: &Shared<G>, seed: Seed) {
        let seats = shared.options.seats();
        self.bots = BySeat::from_fn(seats, |seat| match shared.arrangement.player(seat, self.seed, self.episodes) {
            Player::External => None,
            Player::Bots(bots) => Some(drawn(bots, seed, seat)),
        });
        self.external = seats.iter().filter(|&seat| self.bots[seat].is_none()).collect();
        if self.external != seats.all() {
            // As in a match: not the luck of the game, which the choices of bots must not show.
            self.bots_rng = ChaCha8Rng::seed_from_u64(seed.child(0).0);
        }
    }

    /// Takes a legal action for the seat that is asked, and goes on.
    #[inline]
    pub(super) fn act(&mut self, shared: &Shared<G>, id: ActionId) {
        let action = G::Action::from_id(id).expect("legal actions have ids of the game");
        self.game.apply(self.seat, action, &mut NoEvents);
        self.decisions += 1;
        self.go_on(shared);
    }

    /// Lets chance and bots go on, until the caller is asked or the game is over. Of several seats that owe a decision in secret the
    /// caller is asked for one after the other.
    #[inline]
    fn go_on(&mut self, shared: &Shared<G>) {
        loop {
            self.game.settle_all(&mut self.luck, &mut NoEvents);
            let owing = self.game.turn().owing();
            if let Some((seat, bot)) = owing.iter().find_map(|seat| Some((seat, self.bots[seat]?))) {
                self.let_act(bot.of(shared.bots), seat);
                continue;
            }
            if let Some(seat) = owing.first() {
                self.seat = seat;
                self.state = State::Waiting;
                self.game.legal_actions(seat, &mut self.legal);
            } else {
                self.seat = self.external.first().expect("the caller plays a seat");
                self.state = State::Ended;
                self.legal = ActionSet::of::<G::Action>();
            }
            return;
        }
    }

    fn let_act(&mut self, bot: &Bot<G>, seat: Seat) {
        self.game.legal_actions(seat, &mut self.legal);
        let view = self.game.view(Viewer::Seat(seat)).covered();
        let action = (bot.choose)(&view, &self.legal, &mut self.bots_rng);
        self.game.apply(seat, action, &mut NoEvents);
        self.decisions += 1;
    }

    /// The episode, which has ended.
    pub(super) fn episode(&self, shared: &Shared<G>, environment: u32) -> Episode {
        let end = self.game.view(Viewer::Public).covered();
        let (scores, ranks) = (end.scores(), end.ranks());
        Episode {
            environment,
            seed: self.episode_seed(),
            decisions: self.decisions,
            bots: self.bots.map(|bot| bot.map(|bot| bot.of(shared.bots).name)),
            returns: shared.arrangement.rewards.returns(&scores, &ranks),
            scores,
            ranks,
        }
    }
}
