//! Chunks: the division of a batch among several cores.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

use ahu_core::{Game, Seed};

use super::EnvIndices;
use super::env_config::EnvConfig;
use super::environment::Environment;
use super::final_steps::FinalSteps;
use super::rows::{RowMut, RowsMut};
use crate::Cores;

/// The number of rows that are worth a core of their own: some hundred microseconds of work, far more than it costs to
/// hand them over.
pub(crate) const CHUNK_ROWS: usize = 256;

/// The same number if bots play: a bot that plans takes up to a hundred times as long for a decision.
const CHUNK_ROWS_OF_BOTS: usize = 16;

/// Returns the number of rows that are worth a core of their own with these players.
pub(super) fn chunk_rows(env_config: &EnvConfig) -> usize {
    match env_config.has_bots() {
        true => CHUNK_ROWS_OF_BOTS,
        false => CHUNK_ROWS,
    }
}

/// A panic of a game while an environment was stepped.
#[derive(Debug)]
pub(super) struct GamePanic {
    pub(super) environment: u32,
    pub(super) seed: Seed,
    pub(super) ply: u32,
    pub(super) message: String,
}

impl GamePanic {
    /// Returns the panic with this cause in environment `number`.
    pub(super) fn of<G: Game>(number: u32, environment: &Environment<G>, cause: &(dyn Any + Send)) -> Self {
        let text = cause.downcast_ref::<&str>().map(|&text| text.to_owned());
        let message =
            text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
        Self { environment: number, seed: environment.episode_seed(), ply: environment.plies(), message }
    }
}

/// The work in some environments: a whole batch, or a chunk of it.
pub(super) struct Chunk<'a, G, V> {
    /// A slice of the environments that contains all environments of `indices`.
    pub(super) environments: &'a mut [Environment<G>],
    /// The number of the first environment in the slice.
    pub(super) first: u32,
    pub(super) indices: EnvIndices<'a>,
    /// The values, one for each index.
    pub(super) values: &'a [V],
    /// The rows, one for each index.
    pub(super) rows: RowsMut<'a>,
}

impl<G: Game, V: Copy + Sync> Chunk<'_, G, V> {
    /// Does `work` in each environment, with its number, its value, and its row; `max_rows` rows are worth a core of their own.
    /// Appends the ended episodes to `final_steps`, in order. A panic names the environment.
    pub(super) fn run<W>(
        self,
        cores: &Cores,
        max_rows: usize,
        final_steps: &mut FinalSteps,
        work: &W,
    ) -> Result<(), GamePanic>
    where
        W: Fn(&mut Environment<G>, u32, V, RowMut<'_, '_>, &mut FinalSteps) + Sync,
    {
        if self.indices.len() <= max_rows || cores.count() == 1 {
            return self.on_this_core(final_steps, work);
        }
        let on_a_core = |part: Self| {
            let mut final_steps = FinalSteps::default();
            part.on_this_core(&mut final_steps, work).map(|()| final_steps)
        };
        for found in cores.map(self.parts(cores.count(), max_rows.div_ceil(8)), on_a_core) {
            final_steps.append(found?);
        }
        Ok(())
    }

    fn on_this_core<W>(self, final_steps: &mut FinalSteps, work: &W) -> Result<(), GamePanic>
    where
        W: Fn(&mut Environment<G>, u32, V, RowMut<'_, '_>, &mut FinalSteps) + Sync,
    {
        let Self { environments, first, indices, values, mut rows } = self;
        let mut environment = 0;
        let all = AssertUnwindSafe(|| {
            for (n, (number, &value)) in indices.iter().zip(values).enumerate() {
                environment = number;
                work(&mut environments[(number - first) as usize], number, value, rows.row(n), final_steps);
            }
        });
        panic::catch_unwind(all)
            .map_err(|cause| GamePanic::of(environment, &environments[(environment - first) as usize], &*cause))
    }

    /// Divides the work into parts for this many cores, large ones first, small ones at the end, so that all cores end at about
    /// the same time.
    fn parts(self, cores: usize, least: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut rest = self;
        loop {
            let count = (rest.indices.len() / (2 * cores)).max(least);
            if rest.indices.len() <= count {
                parts.push(rest);
                return parts;
            }
            let (part, others) = rest.split_at(count);
            parts.push(part);
            rest = others;
        }
    }

    /// Divides the work in two: the first `n` environments, and the others. Both parts have at least one.
    fn split_at(self, n: usize) -> (Self, Self) {
        let (indices, back_indices) = self.indices.split_at(n);
        let back_first = back_indices.nth(0);
        let (environments, back_environments) = self.environments.split_at_mut((back_first - self.first) as usize);
        let (values, back_values) = self.values.split_at(n);
        let (rows, back_rows) = self.rows.split_at(n);
        let back = Self {
            environments: back_environments,
            first: back_first,
            indices: back_indices,
            values: back_values,
            rows: back_rows,
        };
        (Self { environments, indices, values, rows, ..self }, back)
    }
}

/// Returns the first error that `check` finds in `count` places.
pub(super) fn first_error<E: Send>(
    cores: &Cores,
    count: usize,
    max_rows: usize,
    check: impl Fn(usize) -> Option<E> + Send + Sync,
) -> Option<E> {
    if count <= max_rows {
        return (0..count).find_map(check);
    }
    let firsts = (0..count).step_by(max_rows).collect();
    let found = cores.map(firsts, |first| (first..count.min(first + max_rows)).find_map(&check));
    found.into_iter().flatten().next()
}
