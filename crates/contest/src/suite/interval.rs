//! Means of blocks with 95 % intervals, for one training run or several.

use serde::{Deserialize, Serialize};

use crate::ratings::{Bootstrap, draw};
use crate::statistics::{Bounds, Estimate};

/// The number of replicates of the bootstrap behind an interval over several runs or cells.
pub const REPLICATES: u32 = 1000;

/// The difference below which the values of two blocks count as equal. Utilities of ranks have the precision of f32.
const EQUAL: f64 = 1e-6;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean; None if no block has a value.
    pub mean: Option<f64>,
    /// The lower end; None if there are too few values for one.
    pub low: Option<f64>,
    /// The upper end; None if there are too few values for one.
    pub high: Option<f64>,
}

/// The values of one cell, by run and block. All runs have the same blocks.
pub type Values = Vec<Vec<f64>>;

/// The values of an agent, with the sign with which they enter a sum. One side alone is the score of its agent; two sides with
/// opposite signs are the difference of two agents.
pub(super) struct Side {
    pub(super) sign: f64,
    /// The values of each cell.
    pub(super) cells: Vec<Values>,
}

impl Interval {
    /// Returns the mean of the blocks of one cell. `bounds` has the range of a value; None: it has none.
    pub(super) fn of(values: &Values, bounds: Option<Bounds>) -> Self {
        of_sides(&[Side { sign: 1.0, cells: vec![values.clone()] }], bounds.as_ref().map(std::slice::from_ref))
    }

    /// Returns the interval of the values under a rising linear function.
    pub(super) fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self { mean: self.mean.map(&of), low: self.low.map(&of), high: self.high.map(&of) }
    }
}

impl From<Estimate> for Interval {
    fn from(estimate: Estimate) -> Self {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let Estimate { mean, low, high, .. } = estimate;
        Self { mean: finite(mean), low: finite(low), high: finite(high) }
    }
}

/// The weights of a replicate: the number of times that each run of each side and each block of each cell was drawn.
struct Weights {
    runs: Vec<Vec<f64>>,
    blocks: Vec<Vec<f64>>,
}

/// Returns the sum of the sides, where a side is a mean over cells of means over runs and blocks. `bounds` has the range of the
/// sum in each cell; None: it has none.
///
/// With one cell and one run on each side, the interval is the [`Estimate`] over the sums of the blocks, as in all other
/// comparisons. Otherwise it comes from the studentized bootstrap in its symmetric form. A replicate draws the runs of each
/// side, then the blocks of each cell, both with replacement. A block is drawn for all runs and sides at once, since they
/// share its luck. The standard error of a replicate adds the variance of the runs and the variance of the blocks. A cell whose
/// blocks are all equal says nothing about their spread, so it adds the width of [`Estimate::of_bounded`].
///
/// If a cell has fewer than two blocks, the interval reaches from bound to bound.
pub(super) fn of_sides(sides: &[Side], bounds: Option<&[Bounds]>) -> Interval {
    let cells = &sides[0].cells;
    let counts: Vec<usize> = cells.iter().map(|values| values.first().map_or(0, Vec::len)).collect();
    if cells.is_empty() || counts.contains(&0) {
        return Interval { mean: None, low: None, high: None };
    }
    if cells.len() == 1 && sides.iter().all(|side| side.cells[0].len() == 1) {
        let sums = sums(sides, 0);
        return Interval::from(match bounds {
            Some(bounds) => Estimate::of_bounded(&sums, bounds[0]),
            None => Estimate::of(&sums),
        });
    }
    let whole = Weights {
        runs: sides.iter().map(|side| vec![1.0; side.cells[0].len()]).collect(),
        blocks: counts.iter().map(|&count| vec![1.0; count]).collect(),
    };
    let (mean, error) = statistic(sides, &whole);
    let of_all = |end: fn(&Bounds) -> f64| bounds.map(|all| all.iter().map(end).sum::<f64>() / all.len() as f64);
    let (least, greatest) = (of_all(|bounds| bounds.least), of_all(|bounds| bounds.greatest));
    let unbounded = Interval { mean: Some(mean), low: least, high: greatest };
    if counts.contains(&1) {
        return unbounded;
    }
    let bootstrap = Bootstrap { replicates: REPLICATES, ..Bootstrap::default() };
    let mut distances = bootstrap.map(|rng| {
        let runs =
            whole.runs.iter().map(|runs| if runs.len() == 1 { vec![1.0] } else { draw(runs.len(), rng) }).collect();
        let blocks = counts.iter().map(|&count| draw(count, rng)).collect();
        let (replicate, error) = statistic(sides, &Weights { runs, blocks });
        let distance = (replicate - mean).abs();
        // A replicate of equal values has no error of its own.
        if distance < 1e-12 { 0.0 } else { distance / error }
    });
    distances.sort_by(f64::total_cmp);
    let quantile = distances[(distances.len() * 95).div_ceil(100) - 1];
    let margin = if error < 1e-12 { 0.0 } else { quantile * error };
    let (below, above) = unseen(sides, bounds);
    let low = mean - margin.hypot(below);
    let high = mean + margin.hypot(above);
    Interval {
        mean: Some(mean),
        low: if low.is_finite() { Some(least.map_or(low, |least| low.max(least))) } else { least },
        high: if high.is_finite() { Some(greatest.map_or(high, |greatest| high.min(greatest))) } else { greatest },
    }
}

/// Returns the statistic of a replicate, and its standard error.
fn statistic(sides: &[Side], weights: &Weights) -> (f64, f64) {
    let cells = sides[0].cells.len() as f64;
    let (mut mean, mut variance) = (0.0, 0.0);
    // The contribution of each block to the statistic, over all runs of all sides.
    let mut blocks: Vec<Vec<f64>> = weights.blocks.iter().map(|blocks| vec![0.0; blocks.len()]).collect();
    for (side, runs) in sides.iter().zip(&weights.runs) {
        let drawn: f64 = runs.iter().sum();
        let mut means = vec![0.0; runs.len()];
        for ((values, weights), parts) in side.cells.iter().zip(&weights.blocks).zip(&mut blocks) {
            let count: f64 = weights.iter().sum();
            for ((run, own), weight) in values.iter().zip(&mut means).zip(runs) {
                *own += run.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / count / cells;
                for (part, value) in parts.iter_mut().zip(run) {
                    *part += side.sign * value * weight / drawn;
                }
            }
        }
        let own = weighted_mean(&means, runs);
        mean += side.sign * own;
        if runs.len() > 1 {
            variance += weighted_variance(&means, runs, own) / drawn;
        }
    }
    for (parts, weights) in blocks.iter().zip(&weights.blocks) {
        let own = weighted_mean(parts, weights);
        variance += weighted_variance(parts, weights, own) / weights.len() as f64 / (cells * cells);
    }
    (mean, variance.sqrt())
}

fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / weights.iter().sum::<f64>()
}

fn weighted_variance(values: &[f64], weights: &[f64], mean: f64) -> f64 {
    let count: f64 = weights.iter().sum();
    values.iter().zip(weights).map(|(value, weight)| weight * (value - mean).powi(2)).sum::<f64>() / (count - 1.0)
}

/// Returns the sum of the sides in each block of a cell, where a side is the mean of its runs.
fn sums(sides: &[Side], cell: usize) -> Vec<f64> {
    let of_side = |side: &Side, block: usize| {
        let runs = &side.cells[cell];
        side.sign * runs.iter().map(|run| run[block]).sum::<f64>() / runs.len() as f64
    };
    let blocks = sides[0].cells[cell].first().map_or(0, Vec::len);
    (0..blocks).map(|block| sides.iter().map(|side| of_side(side, block)).sum()).collect()
}

/// Returns the widths below and above the mean that cells with equal blocks add.
fn unseen(sides: &[Side], bounds: Option<&[Bounds]>) -> (f64, f64) {
    let (mut below, mut above) = (0.0_f64, 0.0_f64);
    for (cell, &bounds) in bounds.into_iter().flatten().enumerate() {
        let sums = sums(sides, cell);
        let first = sums[0];
        if sums.iter().all(|sum| (sum - first).abs() < EQUAL) {
            let equal = vec![first.clamp(bounds.least, bounds.greatest); sums.len()];
            let estimate = Estimate::of_bounded(&equal, bounds);
            let cells = sides[0].cells.len() as f64;
            below += ((estimate.mean - estimate.low) / cells).powi(2);
            above += ((estimate.high - estimate.mean) / cells).powi(2);
        }
    }
    (below.sqrt(), above.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Option<Bounds> = Some(Bounds::SHARE);
    const SHARES: Option<&[Bounds]> = Some(&[Bounds::SHARE; 2]);

    fn width(interval: Interval) -> f64 {
        interval.high.expect("an end") - interval.low.expect("an end")
    }

    #[test]
    fn one_run_has_the_interval_of_all_comparisons() {
        let blocks = vec![0.0, 0.5, 1.0, 0.5, 0.25];
        let expected = Interval::from(Estimate::of_bounded(&blocks, Bounds::SHARE));
        assert_eq!(Interval::of(&vec![blocks], SHARE), expected);
    }

    #[test]
    fn runs_that_differ_widen_the_interval_and_equal_runs_do_not_narrow_it() {
        let blocks: Vec<f64> = (0..20).map(|block| f64::from(block % 5) / 4.0).collect();
        let shifted = |by: f64| blocks.iter().map(|value| 0.5 * value + by).collect::<Vec<_>>();
        let one = Interval::of(&vec![shifted(0.25)], SHARE);
        let equal = Interval::of(&vec![shifted(0.25); 4], SHARE);
        let different = Interval::of(&vec![shifted(0.0), shifted(0.2), shifted(0.3), shifted(0.5)], SHARE);
        assert!((one.mean.expect("a mean") - equal.mean.expect("a mean")).abs() < 1e-12);
        // The runs share the luck of each block, so four equal runs know no more than one.
        assert!(width(equal) > 0.9 * width(one), "{equal:?} {one:?}");
        assert!(width(different) > 1.3 * width(equal), "{different:?} {equal:?}");
    }

    #[test]
    fn a_single_block_says_nothing_about_the_spread() {
        let interval = Interval::of(&vec![vec![0.5], vec![0.75]], SHARE);
        assert_eq!(interval, Interval { mean: Some(0.625), low: Some(0.0), high: Some(1.0) });
        let side = Side { sign: 1.0, cells: vec![vec![vec![0.5]], vec![vec![1.0, 0.0]]] };
        assert_eq!(of_sides(&[side], SHARES), Interval { mean: Some(0.5), low: Some(0.0), high: Some(1.0) });
    }

    #[test]
    fn a_cell_without_spread_leaves_a_width() {
        let constant = Side { sign: 1.0, cells: vec![vec![vec![0.0; 10]], vec![vec![0.0; 10]]] };
        let interval = of_sides(&[constant], SHARES);
        assert_eq!((interval.mean, interval.low), (Some(0.0), Some(0.0)));
        // The interval of one such cell ends at 0.339; that of the mean of two is shorter by the square root of 2.
        assert!((interval.high.expect("an end") - 0.338_51 / 2.0_f64.sqrt()).abs() < 1e-3, "{interval:?}");
    }

    #[test]
    fn two_sides_that_differ_by_the_same_in_all_blocks_leave_a_width() {
        let blocks: Vec<f64> = (0..10).map(|block| f64::from(block % 2)).collect();
        // The precision of utilities leaves a difference.
        let own = |sign: f64| blocks.iter().map(|block| block + sign * block * 1e-8).collect::<Vec<_>>();
        let sides = |cells: usize| [1.0, -1.0].map(|sign| Side { sign, cells: vec![vec![own(sign)]; cells] });
        let range = Bounds { least: -1.0, greatest: 1.0 };
        let one = of_sides(&sides(1), Some(&[range]));
        let equal = Interval::from(Estimate::of_bounded(&[0.0; 10], range));
        assert!((width(one) - width(equal)).abs() < 1e-6, "{one:?} {equal:?}");
        let two = of_sides(&sides(2), Some(&[range; 2]));
        assert!((width(two) - width(one) / 2.0_f64.sqrt()).abs() < 1e-6, "{two:?} {one:?}");
        // A cell with a greater range adds more.
        let wide = of_sides(&sides(2), Some(&[range, Bounds { least: -3.0, greatest: 3.0 }]));
        assert!(width(wide) > 2.0 * width(two), "{wide:?} {two:?}");
    }

    /// Simulates 100 suites of 4 cells with 12 blocks. A block has a luck that all runs share, and each run has an effect.
    #[test]
    fn the_interval_holds_the_truth_about_as_often_as_it_says() {
        use rand::rngs::ChaCha8Rng;
        use rand::{Rng as _, SeedableRng as _};
        for (runs, least) in [(1, 0.88), (4, 0.86)] {
            let mut held = 0;
            for suite in 0..100 {
                let mut rng = ChaCha8Rng::seed_from_u64(suite);
                let mut normal = || (0..12).map(|_| rng.next_u64() as f64 / u64::MAX as f64).sum::<f64>() - 6.0;
                let effects: Vec<f64> = (0..runs).map(|_| if runs > 1 { 0.5 * normal() } else { 0.0 }).collect();
                let cells = (0..4).map(|_| {
                    let luck: Vec<f64> = (0..12).map(|_| normal()).collect();
                    effects.iter().map(|effect| luck.iter().map(|luck| effect + luck + normal()).collect()).collect()
                });
                let interval = of_sides(&[Side { sign: 1.0, cells: cells.collect() }], None);
                held += u32::from(
                    interval.low.is_none_or(|low| low <= 0.0) && interval.high.is_none_or(|high| high >= 0.0),
                );
            }
            assert!(f64::from(held) / 100.0 >= least, "{runs} runs: {held} of 100");
        }
    }
}
