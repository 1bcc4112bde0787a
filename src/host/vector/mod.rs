//! Many games of one kind, stepped together: what trainers use.
//!
//! An environment waits for one decision at a time: that of a seat which the caller plays. A batch steps some environments or
//! all of them, and has a row for each: whose decision it waits for, what that seat knows and what it may do. Rows are written
//! in the form in which they travel. Inside a batch the game's type is known; for a row nothing is allocated, and a large
//! batch is divided among the cores.

mod arrangement;
mod desk;
mod ends;
mod environment;
mod job;
mod rows;

use std::fmt;

pub use arrangement::{Arrangement, Autoreset, Player, Rotation};
use desk::Desk;
pub use ends::{Ends, Episode};
use environment::{Environment, Shared, State};
use job::Job;
pub(super) use job::SHARD_ROWS;
use rows::RowsMut;
pub use rows::{RowSize, Rows};

use super::bots::Bot;
use crate::core::{ActionId, ActionSet, Game, GameOptions, Seat, SeatSet, Seed, View, Viewer};

/// Environments of any game, numbered from 0.
pub trait AnyVectorEnv: fmt::Debug + Send {
    /// How many environments there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many bytes a row has.
    fn row_size(&self) -> RowSize;
    /// What the environment waits for: the seat that is asked, and what it may do; nothing, if no episode is under way.
    ///
    /// # Panics
    /// Where there is no such environment.
    fn waits_for(&self, environment: u32) -> Option<(Seat, &ActionSet)>;
    /// The seed of the episode that an environment began last.
    ///
    /// # Panics
    /// Where there is no such environment.
    fn episode_seed(&self, environment: u32) -> Seed;
    /// Begins an episode in each of `which`, and fills a row for each. `seeds`, one for each, seed them anew; without, each goes
    /// on to its next episode. A refusal changes nothing.
    fn reset(&mut self, which: Which<'_>, seeds: Option<&[Seed]>, rows: &mut Rows) -> Result<(), BatchError>;
    /// Takes one action in each of `which`, and fills a row for each, and `ends` with what ended. A refusal changes nothing, in
    /// no environment.
    fn step(
        &mut self,
        which: Which<'_>,
        actions: &[ActionId],
        rows: &mut Rows,
        ends: &mut Ends,
    ) -> Result<(), BatchError>;
    /// The table of an environment as people read it, as the public or a seat that the caller plays may see it.
    fn render(&self, environment: u32, viewer: Viewer) -> Result<String, BatchError>;
}

/// Some environments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// So many, from the first of these numbers on.
    Run(u32, usize),
    /// Those with these numbers, which rise.
    These(&'a [u32]),
}

impl Which<'_> {
    /// How many.
    pub const fn len(self) -> usize {
        match self {
            Self::Run(_, count) => count,
            Self::These(numbers) => numbers.len(),
        }
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The number in place `n`.
    #[inline]
    fn nth(self, n: usize) -> u32 {
        match self {
            Self::Run(first, _) => first + n as u32,
            Self::These(numbers) => numbers[n],
        }
    }

    /// Their numbers.
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

/// What can't be done. No environment has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// There is not one value for each environment that was named.
    Count {
        /// What there is one of for each.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many environments.
        environments: usize,
    },
    /// There is no environment of this number.
    Unknown {
        /// The number.
        environment: u32,
        /// How many environments there are.
        count: usize,
    },
    /// The numbers don't rise: this one stands behind one that is as high, or higher.
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
        /// What would be.
        legal: Box<ActionSet>,
    },
    /// The caller does not play this seat.
    NotExternal {
        /// The environment.
        environment: u32,
        /// The seat.
        seat: Seat,
        /// Those that it plays.
        external: SeatSet,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { what, given, environments } => write!(f, "{given} {what} for {environments} environments"),
            Self::Unknown { environment, count } => {
                write!(f, "there is no environment {environment}: there are {count}, from 0 on")
            }
            Self::NotRising { environment } => {
                write!(
                    f,
                    "environment {environment} is out of order: environments are named in rising order, none twice"
                )
            }
            Self::NoEpisode { environment } => {
                write!(f, "environment {environment} has no episode under way: reset it first")
            }
            Self::Illegal { environment, id, legal } => {
                write!(f, "environment {environment}: action {id} is not legal; legal ids: {}", legal.ranges())
            }
            Self::NotExternal { environment, seat, external } => {
                write!(f, "environment {environment}: seat {seat} is a bot's; you play seat {external}")
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
    /// `count` environments. Environment i is seeded with `seed` plus i. No episode has begun yet.
    ///
    /// # Panics
    /// Where the arrangement has not as many players as there are seats, or none of them is the caller.
    pub fn new(
        options: G::Options,
        bots: &'static [Bot<G>],
        arrangement: Arrangement,
        seed: Seed,
        count: usize,
    ) -> Self {
        assert_eq!(arrangement.players.len(), options.seats().count(), "a player for each seat");
        assert!(arrangement.players.contains(&Player::External), "the caller plays a seat");
        let shared = Shared { options, bots, arrangement };
        let numbers = 0..count as u32;
        let environments = numbers.map(|number| Environment::new(&shared, seed.plus(number))).collect();
        Self { shared, environments }
    }

    fn environment(&self, number: u32) -> Result<&Environment<G>, BatchError> {
        let count = self.environments.len();
        self.environments.get(number as usize).ok_or(BatchError::Unknown { environment: number, count })
    }

    /// Refuses numbers of which there is no environment, or which don't rise, or not as many values.
    fn check(&self, which: Which<'_>, what: &'static str, given: usize) -> Result<(), BatchError> {
        if let Which::These(numbers) = which
            && let Some(pair) = numbers.windows(2).find(|pair| pair[0] >= pair[1])
        {
            return Err(BatchError::NotRising { environment: pair[1] });
        }
        let count = self.environments.len();
        let environment = match which {
            Which::Run(first, len) => {
                (len > 0 && (first as usize).saturating_add(len) > count).then(|| first.max(count as u32))
            }
            Which::These(numbers) => numbers.last().copied().filter(|&last| last as usize >= count),
        };
        if let Some(environment) = environment {
            return Err(BatchError::Unknown { environment, count });
        }
        match given == which.len() {
            true => Ok(()),
            false => Err(BatchError::Count { what, given, environments: which.len() }),
        }
    }

    fn check_action(&self, environment: u32, id: ActionId) -> Result<(), BatchError> {
        let Environment { state, legal, .. } = &self.environments[environment as usize];
        match state {
            State::Waiting if legal.contains(id) => Ok(()),
            State::Waiting => Err(BatchError::Illegal { environment, id, legal: Box::new(*legal) }),
            State::Ended if self.shared.arrangement.autoreset == Autoreset::NextStep => Ok(()),
            State::Ended | State::Idle => Err(BatchError::NoEpisode { environment }),
        }
    }
}

impl<G: Game> Shared<G> {
    /// One step of an environment, and its row.
    #[inline]
    fn step(
        &self,
        environment: &mut Environment<G>,
        number: u32,
        id: ActionId,
        mut row: RowsMut<'_>,
        desk: &mut Desk<'_>,
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
            desk.ends.episodes.push(episode);
            for seat in environment.external.iter() {
                desk.ends.add_row(seat, desk.room.look(&environment.game, seat));
            }
            if self.arrangement.autoreset == Autoreset::SameStep {
                environment.begin(self);
            }
        } else {
            row.report(number, None);
        }
        row.show(&environment.game, environment.seat, &environment.legal, desk);
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

    fn reset(&mut self, which: Which<'_>, seeds: Option<&[Seed]>, rows: &mut Rows) -> Result<(), BatchError> {
        self.check(which, "seeds", seeds.map_or(which.len(), <[Seed]>::len))?;
        if let Some(seeds) = seeds {
            for (number, &seed) in which.iter().zip(seeds) {
                self.environments[number as usize].seed(seed);
            }
        }
        let size = self.row_size();
        rows.resize(size, which.len());
        let shared = &self.shared;
        let job = Job {
            environments: &mut self.environments,
            first: 0,
            which,
            values: &vec![(); which.len()],
            rows: rows.as_mut(size),
            shard_rows: job::shard_rows(&shared.arrangement),
        };
        job.run(&mut Ends::default(), &|environment, number, (), mut row, desk| {
            environment.begin(shared);
            row.report(number, None);
            row.show(&environment.game, environment.seat, &environment.legal, desk);
        });
        Ok(())
    }

    fn step(
        &mut self,
        which: Which<'_>,
        actions: &[ActionId],
        rows: &mut Rows,
        ends: &mut Ends,
    ) -> Result<(), BatchError> {
        self.check(which, "actions", actions.len())?;
        for (environment, &id) in which.iter().zip(actions) {
            self.check_action(environment, id)?;
        }
        ends.clear();
        let size = self.row_size();
        rows.resize(size, which.len());
        let shared = &self.shared;
        let job = Job {
            environments: &mut self.environments,
            first: 0,
            which,
            values: actions,
            rows: rows.as_mut(size),
            shard_rows: job::shard_rows(&shared.arrangement),
        };
        job.run(ends, &|environment, number, id, row, desk| shared.step(environment, number, id, row, desk));
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
            viewer => Ok(game.view(viewer).covered().to_string()),
        }
    }
}
