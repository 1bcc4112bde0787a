//! The environments of an engine, and the jobs that they carry out, one at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ahu_core::{ActionId, Seed, Turn, Viewer};
use ahu_host::api::{ApiError, convert, save};
use ahu_host::search::Stop;
use ahu_host::{
    AnyView, CatalogVectorEnv, Cores, EnvIndices, Episode, FinalSteps, Look, Position, RolloutMemory, RolloutPlan,
    RowMemory, Setup,
};
use ahu_messages::v1::run_response::{Looked, Restored, Saved};

/// The environments, which one call at a time steps.
pub(crate) struct Engine {
    pub(crate) environments: Mutex<Box<dyn CatalogVectorEnv>>,
    pub(crate) setup: Setup,
}

/// A request to step or reset some environments.
pub(crate) struct Job {
    pub(crate) indices: Indices,
    pub(crate) kind: Kind,
}

/// The kind of a job.
pub(crate) enum Kind {
    Step(Vec<ActionId>),
    /// A reset, to which positions belong if the episodes begin at them.
    Reset(Option<Vec<Seed>>, Option<Vec<Arc<Position>>>),
}

/// The environments that a job names.
pub(crate) enum Indices {
    Run(u32, usize),
    These(Vec<u32>),
}

/// The result of a job, besides its rows.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) final_steps: FinalSteps,
    /// After a reset, the seeds of the episodes that began.
    pub(crate) seeds: Vec<u64>,
    pub(crate) nanoseconds: u64,
}

impl Engine {
    /// Returns the bytes of the block that the rows of a job fill.
    pub(crate) fn block_bytes(&self, job: &Job) -> usize {
        self.setup.row_size().total() * job.indices.as_indices().len()
    }

    /// Carries out a job and writes its rows.
    pub(crate) fn carry_out(&self, job: &Job, block: &mut [u8]) -> Result<Outcome, ApiError> {
        let mut environments = self.environments();
        let start = Instant::now();
        let indices = job.indices.as_indices();
        let rows = RowMemory::Block(block);
        let mut outcome = Outcome::default();
        match &job.kind {
            Kind::Step(actions) => environments.step_into(indices, actions, rows, &mut outcome.final_steps)?,
            Kind::Reset(seeds, positions) => {
                let seeds = seeds.as_deref();
                match positions {
                    None => environments.reset_into(indices, seeds, rows)?,
                    Some(positions) => environments.reset_at(indices, seeds, positions, rows)?,
                }
                outcome.seeds = indices.iter().map(|number| environments.episode_seed(number).0).collect();
            }
        }
        outcome.nanoseconds = start.elapsed().as_nanos() as u64;
        Ok(outcome)
    }

    /// Plays a rollout. Returns the nanoseconds that it took, and the episodes that ended.
    pub(crate) fn roll_out(
        &self,
        plan: RolloutPlan<'_>,
        memory: RolloutMemory<'_>,
    ) -> Result<(u64, Vec<Episode>), ApiError> {
        let mut environments = self.environments();
        let start = Instant::now();
        let episodes = environments.roll_out(plan, memory)?;
        Ok((start.elapsed().as_nanos() as u64, episodes))
    }

    /// Answers a look, also on the cores of `pool`, if there is one.
    pub(crate) fn look(
        &self,
        look: Look,
        indices: &Indices,
        cores: Option<Cores>,
        stop: &Stop,
    ) -> Result<Looked, ApiError> {
        let mut environments = self.environments();
        if let Some(cores) = cores {
            environments.use_cores(cores);
        }
        let start = Instant::now();
        let looked = look.answer(&*self.setup, &mut **environments, indices.as_indices(), stop)?;
        Ok(Looked { server_nanoseconds: start.elapsed().as_nanos() as u64, ..looked })
    }

    /// Returns the progress of all environments.
    pub(crate) fn save(&self) -> Result<Saved, ApiError> {
        save::save(&self.setup, &**self.environments())
    }

    /// Replaces all environments by those of a save.
    pub(crate) fn restore(&self, data: &[u8]) -> Result<Restored, ApiError> {
        save::restore(&self.setup, &mut **self.environments(), data)
    }

    /// Returns the positions of States at which episodes may begin.
    pub(crate) fn starts(&self, positions: Vec<Position>) -> Result<Vec<Arc<Position>>, ApiError> {
        for (n, position) in positions.iter().enumerate() {
            let wrong = |message| Err(ApiError::bad_field("states", message));
            if **position.setup() != *self.setup {
                return wrong(format!(
                    "states[{n}]: expected a State of {:?}, got one of {:?}",
                    self.setup,
                    position.setup()
                ));
            }
            if position.game().turn() == Turn::Over {
                return wrong(format!("states[{n}]: expected a State of a game in progress, got one that is over"));
            }
        }
        Ok(positions.into_iter().map(Arc::new).collect())
    }

    /// Returns what the public is shown of an environment, or a seat that the client plays.
    pub(crate) fn view(&self, environment: u32, seat: Option<u32>) -> Result<Box<dyn AnyView>, ApiError> {
        let viewer = match seat {
            None => Viewer::Public,
            Some(_) => Viewer::Seat(convert::read_seat(seat, self.setup.seats())?),
        };
        Ok(self.environments().view(environment, viewer)?)
    }

    /// A panic of a game leaves the lock in order: the environments say that they are lost.
    pub(crate) fn environments(&self) -> MutexGuard<'_, Box<dyn CatalogVectorEnv>> {
        self.environments.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Indices {
    fn as_indices(&self) -> EnvIndices<'_> {
        match self {
            Self::Run(first, count) => EnvIndices::Run(*first, *count),
            Self::These(numbers) => EnvIndices::These(numbers),
        }
    }
}
