//! A batch as work for several cores.

use super::Which;
use super::arrangement::{Arrangement, Player};
use super::desk::Desk;
use super::ends::Ends;
use super::environment::Environment;
use super::rows::RowsMut;
use crate::core::Game;

/// How many rows are worth a core of their own: some hundred microseconds of work, far more than handing them over costs.
pub(in crate::host) const SHARD_ROWS: usize = 256;

/// The same where bots play: the decision of a bot that thinks takes up to a hundred times as long.
const SHARD_ROWS_OF_BOTS: usize = 16;

/// How many rows are worth a core of their own, where these play.
pub(super) fn shard_rows(arrangement: &Arrangement) -> usize {
    match arrangement.players.iter().all(|player| *player == Player::External) {
        true => SHARD_ROWS,
        false => SHARD_ROWS_OF_BOTS,
    }
}

/// What is to be done in some environments: all that a batch asks for, or a shard of it.
pub(super) struct Job<'a, G, V> {
    /// Environments, those in question among them.
    pub(super) environments: &'a mut [Environment<G>],
    /// The number of the first of them.
    pub(super) first: u32,
    pub(super) which: Which<'a>,
    /// One for each.
    pub(super) values: &'a [V],
    /// One for each.
    pub(super) rows: RowsMut<'a>,
    /// How many of them are worth a core of their own.
    pub(super) shard_rows: usize,
}

impl<G: Game, V: Copy + Sync> Job<'_, G, V> {
    /// Does `work` in each environment, given its number, its value and its row. What ends is put behind `ends`, in order.
    pub(super) fn run<W>(self, ends: &mut Ends, work: &W)
    where
        W: Fn(&mut Environment<G>, u32, V, RowsMut<'_>, &mut Desk<'_>) + Sync,
    {
        if self.which.len() > self.shard_rows {
            let (front, back) = self.halves();
            let mut later = Ends::default();
            rayon::join(|| front.run(ends, work), || back.run(&mut later, work));
            ends.append(later);
            return;
        }
        let Self { environments, first, which, values, rows, .. } = self;
        let mut desk = Desk::new(ends);
        for ((number, &value), row) in which.iter().zip(values).zip(rows.each()) {
            work(&mut environments[(number - first) as usize], number, value, row, &mut desk);
        }
    }

    fn halves(self) -> (Self, Self) {
        let half = self.which.len() / 2;
        let (which, back_which) = self.which.split_at(half);
        let back_first = back_which.nth(0);
        let (environments, back_environments) = self.environments.split_at_mut((back_first - self.first) as usize);
        let (values, back_values) = self.values.split_at(half);
        let (rows, back_rows) = self.rows.split_at(half);
        let back = Self {
            environments: back_environments,
            first: back_first,
            which: back_which,
            values: back_values,
            rows: back_rows,
            shard_rows: self.shard_rows,
        };
        (Self { environments, which, values, rows, ..self }, back)
    }
}
