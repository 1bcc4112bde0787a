//! Resolution: the difference that a cup can resolve, before it is played.

use super::strengths::ELO;
use crate::statistics::{CONFIDENCE, quantile};

/// The share of cups in which a resolvable difference is shown.
pub const POWER: f64 = 0.8;

/// A cup in which every two agents meet about equally often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// The number of agents; at least as many as seats.
    pub agents: usize,
    /// The number of different agents at a table, at least 2.
    pub seats: usize,
    /// The number of blocks at all tables together.
    pub blocks: usize,
    /// The number of games of a block.
    pub games: usize,
    /// The variance of block means, divided by the variance of the means of as many independent games: 1 if every game has
    /// luck of its own. For shared luck a duel measures it ([`Measure::variance_ratio`] of pairs).
    ///
    /// [`Measure::variance_ratio`]: crate::blocks::Measure::variance_ratio
    pub variance_ratio: f64,
}

impl Resolution {
    /// Returns the smallest difference of two ratings, in Elo points, that the cup can resolve: the 95 % interval of the
    /// difference lies on one side of 0 in 80 % of all cups ([`POWER`]). ∞ if an agent plays fewer than two blocks.
    ///
    /// The agents are taken for equals. Then a seat's pairs in one game have the variance (k² - 1) / 12 at k seats, and
    /// those of two seats the covariance -(k + 1) / 12. If each two of m agents meet in g games, the difference of two
    /// strengths has the variance 8 (k + 1) / (3 g m), times the ratio of variances. The result is its square root times
    /// the sum of Student's quantiles at 0.975 and 0.8, with as many degrees of freedom as an agent has blocks, less 1.
    ///
    /// `tests/contest/calibration/resolution.rs` finds the difference in 75 to 80 % of simulated cups: the results of unequal
    /// agents tell a little less than the results of equals.
    ///
    /// # Panics
    /// If there are fewer than two seats, or more seats than agents.
    pub fn resolvable_difference(&self) -> f64 {
        let Self { agents, seats, blocks, games, variance_ratio } = *self;
        assert!(2 <= seats && seats <= agents, "expected 2 to {agents} seats for as many agents, got {seats}");
        let [agents, seats, blocks, games] = [agents, seats, blocks, games].map(|count| count as f64);
        let freedom = blocks * seats / agents - 1.0;
        if freedom < 1.0 || games == 0.0 {
            return f64::INFINITY;
        }
        let together = blocks * games * seats * (seats - 1.0) / (agents * (agents - 1.0));
        let variance = variance_ratio * 8.0 * (seats + 1.0) / (3.0 * together * agents);
        let quantiles = quantile(f64::midpoint(1.0, CONFIDENCE), freedom) + quantile(POWER, freedom);
        ELO * quantiles * variance.sqrt()
    }
}
