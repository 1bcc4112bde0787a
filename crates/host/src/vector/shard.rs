//! Shards: the division of a batch among several cores.

use std::any::Any;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use ahu_core::{Game, Seed};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::EnvIndices;
use super::env_config::EnvConfig;
use super::environment::Environment;
use super::final_steps::FinalSteps;
use super::rows::{RowMut, RowsMut};
use super::scratch::Scratch;
use super::share::share_out;

/// The number of rows that are worth a core of their own: some hundred microseconds of work, far more than it costs to
/// hand them over.
pub(crate) const SHARD_ROWS: usize = 256;

/// The same number if bots play: a bot that plans takes up to a hundred times as long for a decision.
const SHARD_ROWS_OF_BOTS: usize = 16;

/// Returns the number of rows that are worth a core of their own with these players.
pub(super) fn shard_rows(env_config: &EnvConfig) -> usize {
    match env_config.has_bots() {
        true => SHARD_ROWS_OF_BOTS,
        false => SHARD_ROWS,
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

/// The cores that step a batch.
#[derive(Clone, Debug)]
pub enum Cores {
    /// The core of the caller.
    Callers,
    /// The cores of the rayon pool to which the calling thread belongs; the global pool if it belongs to none.
    CallersPool,
    /// The core of the caller and the cores of this pool. The caller does its share at once, while the pool wakes up.
    CallersAnd(Arc<ThreadPool>),
}

/// The work in some environments: a whole batch, or a shard of it.
pub(super) struct Shard<'a, G, V> {
    /// A slice of the environments that contains all environments of `indices`.
    pub(super) environments: &'a mut [Environment<G>],
    /// The number of the first environment in the slice.
    pub(super) first: u32,
    pub(super) indices: EnvIndices<'a>,
    /// The values, one for each index.
    pub(super) values: &'a [V],
    /// The rows, one for each index.
    pub(super) rows: RowsMut<'a>,
    /// The number of rows that one core works on at most.
    pub(super) max_rows: usize,
}

impl<G: Game, V: Copy + Sync> Shard<'_, G, V> {
    /// Does `work` in each environment, with its number, its value, and its row. Appends the ended episodes to
    /// `final_steps`, in order. A panic names the environment.
    pub(super) fn run<W>(self, cores: &Cores, final_steps: &mut FinalSteps, work: &W) -> Result<(), GamePanic>
    where
        W: Fn(&mut Environment<G>, u32, V, RowMut<'_, '_>, &mut Scratch<'_>) + Sync,
    {
        let run = AssertUnwindSafe(|| match cores {
            Cores::CallersAnd(pool) if self.indices.len() > self.max_rows => {
                let parts = self.parts(pool.current_num_threads() + 1);
                let mut found: Vec<FinalSteps> = parts.iter().map(|_| FinalSteps::default()).collect();
                share_out(pool, parts.into_iter().zip(&mut found), |(part, found)| {
                    Self { max_rows: usize::MAX, ..part }.run_or_unwind(found, work);
                });
                for found in found {
                    final_steps.append(found);
                }
            }
            Cores::Callers => Self { max_rows: usize::MAX, ..self }.run_or_unwind(final_steps, work),
            Cores::CallersPool | Cores::CallersAnd(_) => self.run_or_unwind(final_steps, work),
        });
        panic::catch_unwind(run).map_err(|cause| match cause.downcast() {
            Ok(panic) => *panic,
            // Only the work of a shard can panic, and it names its environment.
            Err(cause) => panic::resume_unwind(cause),
        })
    }

    fn run_or_unwind<W>(self, final_steps: &mut FinalSteps, work: &W)
    where
        W: Fn(&mut Environment<G>, u32, V, RowMut<'_, '_>, &mut Scratch<'_>) + Sync,
    {
        if self.indices.len() > self.max_rows {
            let half = self.indices.len() / 2;
            let (front, back) = self.split_at(half);
            let mut later = FinalSteps::default();
            rayon::join(|| front.run_or_unwind(final_steps, work), || back.run_or_unwind(&mut later, work));
            final_steps.append(later);
            return;
        }
        let Self { environments, first, indices, values, mut rows, .. } = self;
        let mut scratch = Scratch::new(final_steps);
        let mut environment = 0;
        let all = AssertUnwindSafe(|| {
            for (n, (number, &value)) in indices.iter().zip(values).enumerate() {
                environment = number;
                work(&mut environments[(number - first) as usize], number, value, rows.row(n), &mut scratch);
            }
        });
        if let Err(cause) = panic::catch_unwind(all) {
            let broken = &environments[(environment - first) as usize];
            let (seed, ply) = (broken.episode_seed(), broken.plies());
            let message = panic_message(&*cause);
            panic::resume_unwind(Box::new(GamePanic { environment, seed, ply, message }));
        }
    }

    /// Divides the work into parts for this many cores, large ones first, small ones at the end, so that all cores end at about
    /// the same time.
    fn parts(self, cores: usize) -> Vec<Self> {
        let least = self.max_rows.div_ceil(8);
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
            max_rows: self.max_rows,
        };
        (Self { environments, indices, values, rows, ..self }, back)
    }
}

/// Returns the first error that `check` finds in `count` places.
pub(super) fn first_error<E: Send>(
    cores: &Cores,
    count: usize,
    max_rows: usize,
    check: impl Fn(usize) -> Option<E> + Sync,
) -> Option<E> {
    let in_pool = |places: Range<usize>| places.into_par_iter().with_min_len(max_rows).find_map_first(&check);
    match cores {
        Cores::CallersAnd(pool) if count > max_rows => {
            let parts = count.div_ceil(max_rows);
            let mut found: Vec<Option<E>> = (0..parts).map(|_| None).collect();
            share_out(pool, found.iter_mut().enumerate(), |(part, found)| {
                let places = part * max_rows..count.min((part + 1) * max_rows);
                *found = places.into_iter().find_map(&check);
            });
            found.into_iter().flatten().next()
        }
        Cores::CallersPool if count > max_rows => in_pool(0..count),
        Cores::CallersPool | Cores::CallersAnd(_) | Cores::Callers => (0..count).find_map(check),
    }
}

/// Returns the message of a panic.
pub(super) fn panic_message(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|&text| text.to_owned());
    text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
