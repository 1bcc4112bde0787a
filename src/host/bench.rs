//! How fast the games are played: by random choice, on one core.
//!
//! Two loops are timed in turn, so that noise meets both alike: the *engine* alone (rules, luck,
//! legal actions, the choice), and *observed*, a vector environment that also writes bits, numbers
//! and mask for every decision. A third, the shuffle of 120 cards, is the yardstick: its time tells
//! what the machine was worth in that moment.

use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use super::reward::RewardRule;
use super::statistics::median;
use super::vector::{AnyVectorEnv, Arrangement, Ends, Rows, SHARD_ROWS, VectorEnv, Which};
use crate::core::{Action, ActionId, ActionSet, Game, GameExt, GameOptions, Luck, NoEvents, Seed, Stream};

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Where the seeds come from.
    pub seed: Seed,
    /// How long each loop runs in each round.
    pub slice: Duration,
    /// How many rounds; figures are medians over them.
    pub rounds: usize,
    /// How many environments the vector environment has. No more than what one core does by itself, so that the figures
    /// are those of one.
    pub environments: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self { seed: Seed(0), slice: Duration::from_millis(100), rounds: 7, environments: SHARD_ROWS }
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Games that the engine loop finished.
    pub games: u64,
    /// Decisions in them with more than one legal action.
    pub chosen: u64,
    /// Decisions in them with one legal action.
    pub forced: u64,
    /// Plies in them: decisions and acts of chance.
    pub plies: u64,
    /// Nanoseconds a ply, engine alone.
    pub engine_ply_ns: f64,
    /// Nanoseconds a decision, observed, its acts of chance included.
    pub observed_decision_ns: f64,
    /// Nanoseconds to shuffle 120 cards.
    pub shuffle_ns: f64,
}

impl Measured {
    /// Decisions of both kinds.
    pub fn decisions(&self) -> u64 {
        self.chosen + self.forced
    }

    /// Plies a second, engine alone.
    pub fn plies_per_second(&self) -> f64 {
        1e9 / self.engine_ply_ns
    }

    /// Decisions a second, engine alone.
    pub fn decisions_per_second(&self) -> f64 {
        self.plies_per_second() * self.decisions() as f64 / self.plies as f64
    }

    /// Decisions a second, observed.
    pub fn observed_per_second(&self) -> f64 {
        1e9 / self.observed_decision_ns
    }
}

pub(super) fn measure<G: Game>(options: &G::Options, plan: Plan) -> Measured {
    let mut measured = Measured::default();
    let mut engine = Engine::<G>::new(*options, plan.seed);
    let mut observed = Observed::<G>::new(*options, plan);
    let mut rounds = [const { Vec::new() }; 3];
    for round in 0..=plan.rounds {
        let before = measured.plies;
        let engine_ns = time(plan.slice, || engine.play(&mut measured));
        let plies = measured.plies - before;
        let (mut decisions, mut shuffles) = (0, 0);
        let observed_ns = time(plan.slice, || decisions += observed.step());
        let shuffle_ns = time(plan.slice / 10, || shuffles += shuffle(plan.seed, shuffles));
        // The first round warms up.
        if round > 0 {
            rounds[0].push(engine_ns / plies as f64);
            rounds[1].push(observed_ns / decisions as f64);
            rounds[2].push(shuffle_ns / shuffles as f64);
        }
    }
    let [engine_ply_ns, observed_decision_ns, shuffle_ns] = rounds.map(|round| median(&round));
    Measured { engine_ply_ns, observed_decision_ns, shuffle_ns, ..measured }
}

/// Runs `work` for about `slice`; says for how many nanoseconds.
fn time(slice: Duration, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    while start.elapsed() < slice {
        work();
    }
    start.elapsed().as_nanos() as f64
}

fn shuffle(seed: Seed, index: u64) -> u64 {
    let mut luck = Luck::new(Seed(seed.0 ^ index));
    let order = luck.order(Stream::new(0, 0), 120);
    std::hint::black_box(order);
    1
}

/// Whole games, one after the other.
struct Engine<G: Game> {
    options: G::Options,
    seed: Seed,
    games: u64,
    legal: ActionSet,
    choices: Choices,
}

impl<G: Game> Engine<G> {
    fn new(options: G::Options, seed: Seed) -> Self {
        Self { options, seed, games: 0, legal: ActionSet::of::<G::Action>(), choices: Choices::new(seed) }
    }

    fn play(&mut self, measured: &mut Measured) {
        let mut luck = Luck::new(self.seed.child(self.games));
        self.games += 1;
        let mut game = G::new(&self.options);
        loop {
            measured.plies += game.settle_all(&mut luck, &mut NoEvents) as u64;
            let Some(seat) = game.turn().owing().first() else { break };
            game.legal_actions(seat, &mut self.legal);
            let (id, forced) = self.choices.choose(&self.legal);
            measured.chosen += u64::from(!forced);
            measured.forced += u64::from(forced);
            measured.plies += 1;
            game.apply(seat, G::Action::from_id(id).expect("legal actions have ids"), &mut NoEvents);
        }
        measured.games += 1;
    }
}

/// A vector environment, stepped again and again.
struct Observed<G: Game> {
    environments: VectorEnv<G>,
    rows: Rows,
    ends: Ends,
    actions: Vec<ActionId>,
    choices: Choices,
}

impl<G: Game> Observed<G> {
    fn new(options: G::Options, plan: Plan) -> Self {
        let arrangement = Arrangement::self_play(options.seats(), RewardRule::Rank);
        let mut environments = VectorEnv::new(options, &[], arrangement, plan.seed, plan.environments);
        let mut rows = Rows::default();
        environments.reset(Which::Run(0, plan.environments), None, &mut rows).expect("all are there");
        let actions = vec![ActionId(0); plan.environments];
        Self { environments, rows, ends: Ends::default(), actions, choices: Choices::new(plan.seed) }
    }

    fn step(&mut self) -> u64 {
        for (action, environment) in self.actions.iter_mut().zip(0..) {
            let (_, legal) = self.environments.waits_for(environment).expect("the next episode has begun");
            *action = self.choices.choose(legal).0;
        }
        let all = Which::Run(0, self.actions.len());
        let stepped = self.environments.step(all, &self.actions, &mut self.rows, &mut self.ends);
        stepped.expect("the choices are legal");
        self.actions.len() as u64
    }
}

/// Random choice for the loops that are timed: 16 bits of a keystream a choice, scaled down. Each
/// legal action is as likely as any other to within 1 in 65,536.
struct Choices {
    rng: ChaCha8Rng,
    word: u64,
    left: u8,
}

impl Choices {
    fn new(seed: Seed) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed.0), word: 0, left: 0 }
    }

    /// One of the legal actions, and whether there is no other.
    #[inline]
    fn choose(&mut self, legal: &ActionSet) -> (ActionId, bool) {
        if self.left == 0 {
            self.word = self.rng.next_u64();
            self.left = 4;
        }
        let count = legal.len();
        let n = ((self.word & 0xFFFF) as usize * count) >> 16;
        self.word >>= 16;
        self.left -= 1;
        (legal.nth(n).expect("a seat that owes a decision has a legal action"), count == 1)
    }
}
