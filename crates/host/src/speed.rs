//! Speed measurements: games played by random choice on one core.
//!
//! A measurement times two loops in turn, so that noise affects both alike: the *engine* alone (rules, chance, legal
//! actions, the choice), and *observed*, a vector environment that also writes bits, numbers, and mask for every
//! decision. A third loop, the shuffle of 120 cards, is the reference: its time shows the speed of the machine at
//! that moment.

use std::time::{Duration, Instant};

use ahu_core::{Action, ActionId, ActionSet, ChanceRng, Game, GameExt, GameOptions, NoEvents, Seed, Stream};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use super::vector::CHUNK_ROWS;
use super::{AnyVectorEnv, Cores, EnvConfig, EnvIndices, FinalSteps, RewardRule, Rows, Rules, VectorEnv};

/// The parameters of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct SpeedPlan {
    /// The seed from which the seeds of all games derive.
    pub seed: Seed,
    /// The time for each loop in each round.
    pub slice: Duration,
    /// The number of rounds. Figures are medians over the rounds.
    pub rounds: usize,
    /// The number of environments in the vector environment.
    pub environments: usize,
}

impl Default for SpeedPlan {
    fn default() -> Self {
        Self { seed: Seed(0), slice: Duration::from_millis(100), rounds: 7, environments: CHUNK_ROWS }
    }
}

/// The result of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurement {
    /// The games that the engine loop finished.
    pub games: u64,
    /// The decisions in these games with more than one legal action.
    pub chosen: u64,
    /// The forced decisions in these games.
    pub forced: u64,
    /// The plies in these games: decisions and chance outcomes.
    pub plies: u64,
    /// Nanoseconds for a ply, engine alone.
    pub engine_ply_ns: f64,
    /// Nanoseconds for a decision, observed, with the chance outcomes that it leads to.
    pub observed_decision_ns: f64,
    /// Nanoseconds for a shuffle of 120 cards.
    pub shuffle_ns: f64,
}

impl Measurement {
    /// Returns the number of decisions of both kinds.
    pub fn decisions(&self) -> u64 {
        self.chosen + self.forced
    }

    /// Returns the plies per second, engine alone.
    pub fn plies_per_second(&self) -> f64 {
        1e9 / self.engine_ply_ns
    }

    /// Returns the decisions per second, engine alone.
    pub fn decisions_per_second(&self) -> f64 {
        self.plies_per_second() * self.decisions() as f64 / self.plies as f64
    }

    /// Returns the decisions per second, observed.
    pub fn observed_per_second(&self) -> f64 {
        1e9 / self.observed_decision_ns
    }
}

pub(super) fn measure<G: Game>(options: &G::Options, plan: SpeedPlan) -> Measurement {
    let mut measured = Measurement::default();
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
    Measurement { engine_ply_ns, observed_decision_ns, shuffle_ns, ..measured }
}

/// Runs `work` again and again for about `slice`, and returns the nanoseconds that passed.
fn time(slice: Duration, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    while start.elapsed() < slice {
        work();
    }
    start.elapsed().as_nanos() as f64
}

fn shuffle(seed: Seed, index: u64) -> u64 {
    let mut chance = ChanceRng::new(Seed(seed.0 ^ index));
    let order = chance.order(Stream::new(0, 0), 120);
    std::hint::black_box(order);
    1
}

/// The engine loop: whole games, one after the other.
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

    fn play(&mut self, measured: &mut Measurement) {
        let mut chance = ChanceRng::new(self.seed.child(self.games));
        self.games += 1;
        let mut game = G::new(&self.options);
        loop {
            measured.plies += game.settle_all(&mut chance, &mut NoEvents) as u64;
            let Some(seat) = game.turn().to_act().first() else { break };
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

/// The observed loop: a vector environment that is stepped again and again on one core.
#[derive(Debug)]
pub struct Observed<G: Game> {
    environments: VectorEnv<G>,
    rows: Rows,
    final_steps: FinalSteps,
    actions: Vec<ActionId>,
    choices: Choices,
}

impl<G: Game> Observed<G> {
    /// Begins an episode in each environment of the plan.
    pub fn new(options: G::Options, plan: SpeedPlan) -> Self {
        let env_config = EnvConfig::self_play(options.seats(), RewardRule::Rank);
        let mut environments =
            VectorEnv::new(options, const { &Rules::new(&[]) }, env_config, plan.seed, plan.environments);
        environments.use_cores(Cores::Callers);
        let mut rows = Rows::default();
        environments.reset(EnvIndices::Run(0, plan.environments), None, &mut rows).expect("the environments exist");
        let actions = vec![ActionId(0); plan.environments];
        Self { environments, rows, final_steps: FinalSteps::default(), actions, choices: Choices::new(plan.seed) }
    }

    /// Takes an action in each environment, and returns their number.
    pub fn step(&mut self) -> u64 {
        for (action, environment) in self.actions.iter_mut().zip(0..) {
            let (_, legal) = self.environments.waits_for(environment).expect("the next episode has begun");
            *action = self.choices.choose(legal).0;
        }
        let all = EnvIndices::Run(0, self.actions.len());
        let stepped = self.environments.step(all, &self.actions, &mut self.rows, &mut self.final_steps);
        stepped.expect("the choices are legal");
        self.actions.len() as u64
    }
}

/// The random choices of the timed loops: 16 bits of a keystream for each choice, scaled down. All legal actions are
/// equally likely to within 1 in 65,536.
#[derive(Debug)]
pub struct Choices {
    rng: ChaCha8Rng,
    word: u64,
    left: u8,
}

impl Choices {
    /// Creates the choices of this seed.
    pub fn new(seed: Seed) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed.0), word: 0, left: 0 }
    }

    /// Returns one of the legal actions, and true if there is no other.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn choose(&mut self, legal: &ActionSet) -> (ActionId, bool) {
        if self.left == 0 {
            self.word = self.rng.next_u64();
            self.left = 4;
        }
        let count = legal.len();
        let n = ((self.word & 0xFFFF) as usize * count) >> 16;
        self.word >>= 16;
        self.left -= 1;
        (legal.nth(n).expect("a seat that has to decide has a legal action"), count == 1)
    }
}

/// Returns the median of `samples`: the middle one, or the mean of the middle two. Without samples the result is NaN.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count => f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0, 10.0]) - 2.5).abs() < 1e-12);
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!(median(&[]).is_nan());
    }
}
