//! Many games of one kind, stepped together.
//!
//! One row an environment: the decision that it waits for, whose it is, what that seat knows and
//! what it may do. The caller owns the rows; nothing is allocated while stepping.

use std::fmt;

use super::reward::RewardRule;
use crate::core::{
    Action, ActionId, ActionSet, BySeat, Game, GameExt, GameOptions, Luck, NoEvents, SEATS_MAX, Seat, Seed, Tensor,
    Turn, View, Viewer,
};

/// The rows of a batch: row `i` stands for environment `i`. All arrays are as long as `new` makes
/// them; the caller may hand any of the contents on, and need not clear them.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The seat that owes the decision.
    pub seats: Vec<Seat>,
    /// Its observation, bits: `bit_words` words a row.
    pub bits: Vec<u64>,
    /// Its observation, numbers: `number_count` a row.
    pub numbers: Vec<i16>,
    /// What it may do.
    pub legal: Vec<ActionSet>,
    /// What the step brought each seat: zero, but where an episode ended.
    pub rewards: Vec<[f32; SEATS_MAX]>,
    /// Whether the step ended an episode; the row then shows the first decision of the next.
    pub ended: Vec<bool>,
    /// How many words of bits a row has.
    pub bit_words: usize,
    /// How many numbers a row has.
    pub number_count: usize,
}

impl Rows {
    /// Rows for `count` environments of `G`.
    pub fn new<G: Game>(count: usize) -> Self {
        let (bit_words, number_count) = (G::View::BITS.div_ceil(64), G::View::NUMBERS);
        Self {
            seats: vec![Seat::default(); count],
            bits: vec![0; count * bit_words],
            numbers: vec![0; count * number_count],
            legal: vec![ActionSet::of::<G::Action>(); count],
            rewards: vec![[0.0; SEATS_MAX]; count],
            ended: vec![false; count],
            bit_words,
            number_count,
        }
    }
}

/// A batch with an action that can't be taken. No environment has been stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepError {
    /// There is not one action for each environment.
    Count {
        /// How many actions there are.
        actions: usize,
        /// How many environments.
        environments: usize,
    },
    /// The action is not legal in this environment.
    Illegal {
        /// The environment.
        environment: usize,
        /// The action.
        id: ActionId,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { actions, environments } => write!(f, "{actions} actions for {environments} environments"),
            Self::Illegal { environment, id } => write!(f, "environment {environment}: action {id} is not legal"),
        }
    }
}

impl std::error::Error for StepError {}

/// Environments of one game, all seats played by the caller. An episode that ends is followed by
/// the next one in the same step.
#[derive(Debug)]
pub struct VectorEnv<G: Game> {
    options: G::Options,
    rewards: RewardRule,
    seed: Seed,
    /// How many episodes have begun, over all environments: the next one's seed.
    episodes: u64,
    environments: Vec<Environment<G>>,
}

#[derive(Debug)]
struct Environment<G> {
    game: G,
    luck: Luck,
    seat: Seat,
    legal: ActionSet,
}

impl<G: Game> VectorEnv<G> {
    /// `count` environments. Episode `k`, in the order in which they begin, has the `k`-th seed that
    /// follows from `seed`.
    pub fn new(options: G::Options, rewards: RewardRule, seed: Seed, count: usize) -> Self {
        let environment = || Environment {
            game: G::new(&options),
            luck: Luck::new(seed),
            seat: Seat::default(),
            legal: ActionSet::of::<G::Action>(),
        };
        let environments = (0..count).map(|_| environment()).collect();
        Self { options, rewards, seed, episodes: 0, environments }
    }

    /// How many environments there are.
    pub fn len(&self) -> usize {
        self.environments.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.environments.is_empty()
    }

    /// Begins a new episode in every environment and fills all rows.
    pub fn reset(&mut self, rows: &mut Rows) {
        for index in 0..self.environments.len() {
            self.begin(index);
            rows.rewards[index] = [0.0; SEATS_MAX];
            rows.ended[index] = false;
            self.fill(index, rows);
        }
    }

    /// Takes one action in every environment and fills all rows. A batch with an action that is not
    /// legal changes nothing.
    pub fn step(&mut self, actions: &[ActionId], rows: &mut Rows) -> Result<(), StepError> {
        if actions.len() != self.len() {
            return Err(StepError::Count { actions: actions.len(), environments: self.len() });
        }
        for (environment, &id) in actions.iter().enumerate() {
            if !self.environments[environment].legal.contains(id) {
                return Err(StepError::Illegal { environment, id });
            }
        }
        for (index, &id) in actions.iter().enumerate() {
            let Environment { game, luck, seat, .. } = &mut self.environments[index];
            let action = G::Action::from_id(id).expect("legal actions have ids of the game");
            game.apply(*seat, action, &mut NoEvents);
            game.settle_all(luck, &mut NoEvents);
            rows.rewards[index] = [0.0; SEATS_MAX];
            rows.ended[index] = game.turn() == Turn::Over;
            if rows.ended[index] {
                let end = game.view(Viewer::Public).covered();
                let returns: BySeat<f32> = self.rewards.returns(&end.scores(), &end.ranks());
                rows.rewards[index] = returns.from_left(Seat::default(), |reward| reward);
                self.begin(index);
            }
            self.fill(index, rows);
        }
        Ok(())
    }

    fn begin(&mut self, index: usize) {
        let environment = &mut self.environments[index];
        environment.luck = Luck::new(self.seed.child(self.episodes));
        environment.game = G::new(&self.options);
        environment.game.settle_all(&mut environment.luck, &mut NoEvents);
        self.episodes += 1;
    }

    /// Writes the row of the decision that an environment waits for. Secret decisions are asked for
    /// one seat after the other.
    #[inline]
    fn fill(&mut self, index: usize, rows: &mut Rows) {
        let Environment { game, seat, legal, .. } = &mut self.environments[index];
        *seat = game.turn().owing().first().expect("a game that is not over waits for a seat");
        game.legal_actions(*seat, legal);
        rows.seats[index] = *seat;
        rows.legal[index] = *legal;
        let bits = &mut rows.bits[index * rows.bit_words..][..rows.bit_words];
        let numbers = &mut rows.numbers[index * rows.number_count..][..rows.number_count];
        let mut tensor = Tensor::new(bits, numbers);
        game.view(Viewer::Seat(*seat)).covered().write(&mut tensor);
        tensor.finish();
    }

    /// How many play.
    pub fn seats(&self) -> crate::core::Seats {
        self.options.seats()
    }
}
