//! Vector environments: many games of one kind that a trainer steps together.
//!
//! An environment waits for one decision at a time, of an external seat. A batch steps some or all environments and
//! has a row for each: the seat that has to decide, its observation, and its legal actions. Rows are written in their
//! wire format. A batch knows the game's type and allocates nothing for a row. A large batch is divided among the
//! cores.

mod env_config;
mod environment;
mod final_steps;
mod rows;
mod scratch;
mod shard;

use std::fmt;

pub use env_config::{Autoreset, EnvConfig, Player, Rotation};
use environment::{Environment, Shared, State};
pub use final_steps::{Episode, FinalSteps};
use rows::RowMut;
pub use rows::{COLUMNS, Column, RowSize, Rows};
use scratch::Scratch;
pub(super) use shard::SHARD_ROWS;
use shard::Shard;

use super::bots::Bot;
use crate::core::{ActionId, ActionSet, Game, GameOptions, Seat, SeatSet, Seed, View, Viewer};

/// Environments of any game, numbered from 0.
pub trait AnyVectorEnv: fmt::Debug + Send {
    /// Returns the number of environments.
    fn len(&self) -> usize;
    /// Returns true if there is no environment.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the number of bytes of a row in each column.
    fn row_size(&self) -> RowSize;
    /// Returns the seat that has to decide in the environment, and its legal actions; None if no episode is under
    /// way.
    ///
    /// # Panics
    /// If there is no such environment.
    fn waits_for(&self, environment: u32) -> Option<(Seat, &ActionSet)>;
    /// Returns the seed of the last episode that began in the environment.
    ///
    /// # Panics
    /// If there is no such environment.
    fn episode_seed(&self, environment: u32) -> Seed;
    /// Begins an episode in each of these environments, and fills a row for each. `seeds` has a new seed for each;
    /// without it, each goes on to its next episode. A refusal changes nothing.
    fn reset(&mut self, indices: EnvIndices<'_>, seeds: Option<&[Seed]>, rows: &mut Rows) -> Result<(), BatchError>;
    /// Applies one action in each of these environments, fills a row for each, and fills `final_steps` for the
    /// episodes that ended. A refusal changes nothing in any environment.
    fn step(
        &mut self,
        indices: EnvIndices<'_>,
        actions: &[ActionId],
        rows: &mut Rows,
        final_steps: &mut FinalSteps,
    ) -> Result<(), BatchError>;
    /// Returns the table of an environment as text for people. The viewer is the public or an external seat.
    fn render(&self, environment: u32, viewer: Viewer) -> Result<String, BatchError>;
}

/// The numbers of some environments of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvIndices<'a> {
    /// A run of environments: the first number, and the count.
    Run(u32, usize),
    /// The environments with these numbers, in rising order.
    These(&'a [u32]),
}

impl EnvIndices<'_> {
    /// Returns the number of environments.
    pub const fn len(self) -> usize {
        match self {
            Self::Run(_, count) => count,
            Self::These(numbers) => numbers.len(),
        }
    }

    /// Returns true if there is no environment.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the number at place `n`.
    #[inline]
    fn nth(self, n: usize) -> u32 {
        match self {
            Self::Run(first, _) => first + n as u32,
            Self::These(numbers) => numbers[n],
        }
    }

    /// Returns the numbers.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(move |n| self.nth(n))
    }

    fn split_at(self, n: usize) -> (Self, Self) {
        match self {
            Self::Run(first, count) => (Self::Run(first, n), Self::Run(first + n as u32, count - n)),
            Self::These(numbers) => {
                let (front, back) = numbers.split_at(n);
                (Self::These(front), Self::These(back))
            }
        }
    }
}

/// The reason why a batch is refused. No environment has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// The values are not one for each environment of the batch.
    Count {
        /// The name of the values.
        what: &'static str,
        /// The number of values.
        given: usize,
        /// The number of environments in the batch.
        environments: usize,
    },
    /// There is no environment of this number.
    Unknown {
        /// The unknown number.
        environment: u32,
        /// The number of environments.
        count: usize,
    },
    /// The numbers do not rise: this one follows an equal or higher one.
    NotRising {
        /// The number.
        environment: u32,
    },
    /// The environment has no episode under way.
    NoEpisode {
        /// The environment.
        environment: u32,
    },
    /// The action is not legal in this environment.
    Illegal {
        /// The environment.
        environment: u32,
        /// The action.
        id: ActionId,
        /// The legal actions.
        legal: Box<ActionSet>,
    },
    /// The seat is not external.
    NotExternal {
        /// The environment.
        environment: u32,
        /// The seat.
        seat: Seat,
        /// The external seats.
        external: SeatSet,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { what, given, environments } => {
                write!(f, "expected {environments} {what}, one for each environment, got {given}")
            }
            Self::Unknown { environment, count } => {
                write!(f, "expected an environment number below {count}, got {environment}")
            }
            Self::NotRising { environment } => {
                write!(
                    f,
                    "expected environments in rising order, each once, got {environment} after an equal or higher one"
                )
            }
            Self::NoEpisode { environment } => {
                write!(f, "environment {environment} has no episode under way: reset it first")
            }
            Self::Illegal { environment, id, legal } => {
                write!(f, "environment {environment}: action {id} is not legal; legal ids: {}", legal.ranges())
            }
            Self::NotExternal { environment, seat, external } => {
                write!(f, "environment {environment}: expected an external seat ({external}), got seat {seat}")
            }
        }
    }
}

impl std::error::Error for BatchError {}

/// Environments of one game.
#[derive(Debug)]
pub struct VectorEnv<G: Game> {
    shared: Shared<G>,
    environments: Vec<Environment<G>>,
}

impl<G: Game> VectorEnv<G> {
    /// Creates `count` environments. Environment i has the seed `seed` plus i. No episode has begun yet.
    ///
    /// # Panics
    /// If the number of players is not the number of seats, or no player is external.
    pub fn new(options: G::Options, bots: &'static [Bot<G>], env_config: EnvConfig, seed: Seed, count: usize) -> Self {
        assert_eq!(env_config.players.len(), options.seats().count(), "expected a player for each seat");
        assert!(env_config.players.contains(&Player::External), "expected at least one external player");
        let shared = Shared { options, bots, env_config };
        let numbers = 0..count as u32;
        let environments = numbers.map(|number| Environment::new(&shared, seed.plus(number))).collect();
        Self { shared, environments }
    }

    fn environment(&self, number: u32) -> Result<&Environment<G>, BatchError> {
        let count = self.environments.len();
        self.environments.get(number as usize).ok_or(BatchError::Unknown { environment: number, count })
    }

    /// Refuses numbers without an environment, numbers that do not rise, and a wrong number of values.
    fn check(&self, indices: EnvIndices<'_>, what: &'static str, given: usize) -> Result<(), BatchError> {
        if let EnvIndices::These(numbers) = indices
            && let Some(pair) = numbers.windows(2).find(|pair| pair[0] >= pair[1])
        {
            return Err(BatchError::NotRising { environment: pair[1] });
        }
        let count = self.environments.len();
        let environment = match indices {
            EnvIndices::Run(first, len) => {
                (len > 0 && (first as usize).saturating_add(len) > count).then(|| first.max(count as u32))
            }
            EnvIndices::These(numbers) => numbers.last().copied().filter(|&last| last as usize >= count),
        };
        if let Some(environment) = environment {
            return Err(BatchError::Unknown { environment, count });
        }
        match given == indices.len() {
            true => Ok(()),
            false => Err(BatchError::Count { what, given, environments: indices.len() }),
        }
    }

    fn check_action(&self, environment: u32, id: ActionId) -> Result<(), BatchError> {
        let Environment { state, legal, .. } = &self.environments[environment as usize];
        match state {
            State::Waiting if legal.contains(id) => Ok(()),
            State::Waiting => Err(BatchError::Illegal { environment, id, legal: Box::new(*legal) }),
            State::Ended if self.shared.env_config.autoreset == Autoreset::NextStep => Ok(()),
            State::Ended | State::Idle => Err(BatchError::NoEpisode { environment }),
        }
    }
}

impl<G: Game> Shared<G> {
    /// Steps one environment and writes its row.
    #[inline]
    fn step(
        &self,
        environment: &mut Environment<G>,
        number: u32,
        id: ActionId,
        mut row: RowMut<'_, '_>,
        scratch: &mut Scratch<'_>,
    ) {
        let ended = match environment.state {
            State::Waiting => {
                environment.act(self, id);
                environment.state == State::Ended
            }
            State::Ended | State::Idle => {
                environment.begin(self);
                false
            }
        };
        if ended {
            let episode = environment.episode(self, number);
            row.report(number, Some(&episode.returns));
            scratch.final_steps.episodes.push(episode);
            for seat in environment.external.iter() {
                scratch.final_steps.add_row(seat, scratch.room.look(&environment.game, seat));
            }
            if self.env_config.autoreset == Autoreset::SameStep {
                environment.begin(self);
            }
        } else {
            row.report(number, None);
        }
        row.show(&environment.game, environment.seat, &environment.legal, scratch);
    }
}

impl<G: Game> AnyVectorEnv for VectorEnv<G> {
    fn len(&self) -> usize {
        self.environments.len()
    }

    fn row_size(&self) -> RowSize {
        RowSize::of::<G>(self.shared.options.seats())
    }

    fn waits_for(&self, environment: u32) -> Option<(Seat, &ActionSet)> {
        let environment = &self.environments[environment as usize];
        (environment.state == State::Waiting).then_some((environment.seat, &environment.legal))
    }

    fn episode_seed(&self, environment: u32) -> Seed {
        self.environments[environment as usize].episode_seed()
    }

    fn reset(&mut self, indices: EnvIndices<'_>, seeds: Option<&[Seed]>, rows: &mut Rows) -> Result<(), BatchError> {
        self.check(indices, "seeds", seeds.map_or(indices.len(), <[Seed]>::len))?;
        if let Some(seeds) = seeds {
            for (number, &seed) in indices.iter().zip(seeds) {
                self.environments[number as usize].seed(seed);
            }
        }
        let size = self.row_size();
        rows.resize(size, indices.len());
        let shared = &self.shared;
        let batch = Shard {
            environments: &mut self.environments,
            first: 0,
            indices,
            values: &vec![(); indices.len()],
            rows: rows.as_mut(size),
            max_rows: shard::shard_rows(&shared.env_config),
        };
        batch.run(&mut FinalSteps::default(), &|environment, number, (), mut row, scratch| {
            environment.begin(shared);
            row.report(number, None);
            row.show(&environment.game, environment.seat, &environment.legal, scratch);
        });
        Ok(())
    }

    fn step(
        &mut self,
        indices: EnvIndices<'_>,
        actions: &[ActionId],
        rows: &mut Rows,
        final_steps: &mut FinalSteps,
    ) -> Result<(), BatchError> {
        self.check(indices, "actions", actions.len())?;
        for (environment, &id) in indices.iter().zip(actions) {
            self.check_action(environment, id)?;
        }
        final_steps.clear();
        let size = self.row_size();
        rows.resize(size, indices.len());
        let shared = &self.shared;
        let batch = Shard {
            environments: &mut self.environments,
            first: 0,
            indices,
            values: actions,
            rows: rows.as_mut(size),
            max_rows: shard::shard_rows(&shared.env_config),
        };
        batch.run(final_steps, &|environment, number, id, row, scratch| {
            shared.step(environment, number, id, row, scratch);
        });
        Ok(())
    }

    fn render(&self, environment: u32, viewer: Viewer) -> Result<String, BatchError> {
        let Environment { game, state, external, .. } = self.environment(environment)?;
        if *state == State::Idle {
            return Err(BatchError::NoEpisode { environment });
        }
        match viewer {
            Viewer::Seat(seat) if !external.contains(seat) => {
                Err(BatchError::NotExternal { environment, seat, external: *external })
            }
            viewer => Ok(game.view(viewer).shown().to_string()),
        }
    }
}
