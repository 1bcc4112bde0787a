//! Shards: the division of a batch among several cores.

use super::EnvIndices;
use super::env_config::EnvConfig;
use super::environment::Environment;
use super::final_steps::FinalSteps;
use super::rows::{RowMut, RowsMut};
use super::scratch::Scratch;
use crate::core::Game;

/// The number of rows that justify a core of their own: some hundred microseconds of work, far more than the cost of
/// handing them over.
pub(in crate::host) const SHARD_ROWS: usize = 256;

/// The same number if bots play: a bot that plans takes up to a hundred times as long for a decision.
const SHARD_ROWS_OF_BOTS: usize = 16;

/// Returns the number of rows that justify a core of their own, with these players.
pub(super) fn shard_rows(env_config: &EnvConfig) -> usize {
    match env_config.has_bots() {
        true => SHARD_ROWS_OF_BOTS,
        false => SHARD_ROWS,
    }
}

/// The work in some environments: a whole batch, or a shard of it.
pub(super) struct Shard<'a, G, V> {
    /// A slice of the environments that contains those of `indices`.
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
    /// `final_steps`, in order.
    pub(super) fn run<W>(self, final_steps: &mut FinalSteps, work: &W)
    where
        W: Fn(&mut Environment<G>, u32, V, RowMut<'_, '_>, &mut Scratch<'_>) + Sync,
    {
        if self.indices.len() > self.max_rows {
            let (front, back) = self.halves();
            let mut later = FinalSteps::default();
            rayon::join(|| front.run(final_steps, work), || back.run(&mut later, work));
            final_steps.append(later);
            return;
        }
        let Self { environments, first, indices, values, mut rows, .. } = self;
        let mut scratch = Scratch::new(final_steps);
        for (n, (number, &value)) in indices.iter().zip(values).enumerate() {
            work(&mut environments[(number - first) as usize], number, value, rows.row(n), &mut scratch);
        }
    }

    fn halves(self) -> (Self, Self) {
        let half = self.indices.len() / 2;
        let (indices, back_indices) = self.indices.split_at(half);
        let back_first = back_indices.nth(0);
        let (environments, back_environments) = self.environments.split_at_mut((back_first - self.first) as usize);
        let (values, back_values) = self.values.split_at(half);
        let (rows, back_rows) = self.rows.split_at(half);
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
