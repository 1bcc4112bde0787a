//! Means with 95 % intervals.

use std::fmt;

use super::student::{student, two_sided};

/// The range of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least value that a sample can have.
    pub least: f64,
    /// The greatest value that a sample can have.
    pub greatest: f64,
}

impl Bounds {
    /// The range of a share.
    pub const SHARE: Self = Self { least: 0.0, greatest: 1.0 };
}

/// A mean and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the samples.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval. It is not as far from the mean as the lower end where the samples have bounds.
    pub high: f64,
    /// The number of samples.
    pub samples: usize,
}

impl Estimate {
    /// Returns a share of pairs won as a difference in Elo, with its interval: 400 log10(s / (1 - s)) (Elo, 1978). Infinite for
    /// a share of 0 or 1.
    #[must_use]
    pub fn elo(&self) -> Self {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|share| 400.0 * (share / (1.0 - share)).log10());
        Self { mean, low, high, ..*self }
    }

    /// Returns the mean of samples without bounds, such as points, with Student's interval. With fewer than two samples
    /// the interval is infinite; without samples the mean is NaN.
    pub fn of(samples: &[f64]) -> Self {
        let Moments { count, mean, variance, .. } = Moments::of(samples);
        let margin = match samples.len() {
            0 | 1 => f64::INFINITY,
            _ => student(count - 1.0) * (variance / count).sqrt(),
        };
        Self { mean, low: mean - margin, high: mean + margin, samples: samples.len() }
    }

    /// Returns the mean of samples with bounds, with an interval that lies inside the bounds and has a width also where
    /// all samples are equal. With fewer than two samples the interval is all between the bounds; without samples the
    /// mean is NaN.
    ///
    /// The interval is Wilson's score interval with the *effective sample size*, which surveys of clusters use: the
    /// number of single trials with the variance that the mean of the blocks has, and Student's quantile instead of the
    /// normal one (Kott and Carr, "Developing an estimation strategy for a pesticide data program", Journal of Official
    /// Statistics 13, 1997; Franco, Little, Louis, and Slud, "Comparative study of confidence intervals for proportions
    /// in complex sample surveys", Journal of Survey Statistics and Methodology 7, 2019).
    /// The degrees of freedom are Satterthwaite's for a variance that is itself an estimate: a few blocks that differ
    /// from all others say little about the variance (`freedom` below).
    ///
    /// If all samples are equal, the effective sample size is unknown. The interval then holds the means for which a
    /// share of the blocks is at either bound that Wilson's interval does not exclude after none in as many blocks. At
    /// 0 and 1 this is Wilson's interval with one trial for each block.
    ///
    /// `tests/contest/calibration/duels.rs` shows how often the interval holds the truth. It misses more often than it should,
    /// in up to a tenth of all duels, after 10 or 20 blocks in which nine of ten games are ties and the wins of one
    /// player come in whole blocks: such duels seldom show what they may bring.
    pub fn of_bounded(samples: &[f64], bounds: Bounds) -> Self {
        let width = bounds.greatest - bounds.least;
        let scaled: Vec<f64> = samples.iter().map(|sample| (sample - bounds.least) / width).collect();
        let moments = Moments::of(&scaled);
        let (low, high) = match samples.len() {
            0 | 1 => (0.0, 1.0),
            _ if moments.variance < EQUAL => moments.unseen(),
            _ => moments.interval(),
        };
        let of = |scaled: f64| bounds.least + scaled * width;
        Self { mean: of(moments.mean), low: of(low.max(0.0)), high: of(high.min(1.0)), samples: samples.len() }
    }

    /// Returns the p-value of the hypothesis that the mean of samples with bounds is `value`: below 0.05 if and only if
    /// the interval of [`Self::of_bounded`] excludes it. With fewer than two samples the p-value is 1.
    ///
    /// # Panics
    /// If `value` does not lie between the bounds.
    pub fn p_value(samples: &[f64], bounds: Bounds, value: f64) -> f64 {
        let Bounds { least, greatest } = bounds;
        assert!(least < value && value < greatest, "expected a value between {least} and {greatest}, got {value}");
        let scale = |value: f64| (value - least) / (greatest - least);
        let moments = Moments::of(&samples.iter().copied().map(scale).collect::<Vec<_>>());
        match samples.len() {
            0 | 1 => 1.0,
            _ if moments.variance < EQUAL => moments.p_value_unseen(scale(value)),
            _ => moments.p_value(scale(value)),
        }
    }

    /// Returns true if the interval holds `value`.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = f.precision().unwrap_or(3);
        let text = format!("{:.places$} [{:.places$}, {:.places$}]", self.mean, self.low, self.high);
        f.pad_integral(true, "", &text)
    }
}

/// The variance of shares below which samples are equal. Utilities of ranks have the precision of f32, so equal ones differ
/// by up to 1e-7; the results of a million blocks of which one differs have a greater variance.
const EQUAL: f64 = 1e-12;

/// The power that lets the loss of degrees of freedom fall faster than the number of rare results rises. It comes from
/// the calibration: with 1, intervals near 0 and 1 hold the truth in 97.6 % after fourteen wins; with 1.25, they hold it
/// in 92.8 % after five that came together.
const RARITY: f64 = 1.15;

/// The number of samples, and their moments.
struct Moments {
    count: f64,
    mean: f64,
    /// The unbiased estimate of the variance.
    variance: f64,
    /// The fourth central moment over the square of the second, less 3, which is that of the normal distribution.
    excess_kurtosis: f64,
}

impl Moments {
    fn of(samples: &[f64]) -> Self {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let sum = |power| samples.iter().map(|sample| (sample - mean).powi(power)).sum::<f64>();
        let squares = sum(2);
        Self {
            count,
            mean,
            variance: squares / (count - 1.0),
            excess_kurtosis: sum(4) * count / (squares * squares) - 3.0,
        }
    }

    /// Returns the degrees of freedom of the variance as Satterthwaite has them, 2 V^2 / Var(V), where the variance of an
    /// estimated variance V is V^2 (2 / (n - 1) + kurtosis / n), with two changes. The kurtosis counts twice, since few
    /// samples show too little of it, and its part has the power [`RARITY`]. If one block differs from all others, the
    /// kurtosis is n, and there is about one degree of freedom; with a few that differ, about as many as these. If all
    /// results are common, the kurtosis is low, and there are Student's n - 1.
    fn freedom(&self) -> f64 {
        1.0 / (1.0 / (self.count - 1.0) + (self.excess_kurtosis.max(0.0) / self.count).powf(RARITY))
    }

    /// Returns Wilson's interval with the effective sample size, as far as it lies inside Wilson's interval with one trial
    /// for each block: no results between the bounds vary more around their mean than those at the bounds do. The second
    /// interval matters where few blocks differ from all others, since nobody knows the variance then.
    fn interval(&self) -> (f64, f64) {
        let (low, high) = self.wilson(self.trials(), student(self.freedom()));
        let (least, greatest) = self.wilson(self.count, student(self.count - 1.0));
        (low.max(least), high.min(greatest))
    }

    /// Returns the p-value of a mean that [`Self::interval`] inverts.
    fn p_value(&self, mean: f64) -> f64 {
        let of = |trials: f64, freedom: f64| {
            two_sided((self.mean - mean) * (trials / (mean * (1.0 - mean))).sqrt(), freedom)
        };
        of(self.trials(), self.freedom()).min(of(self.count, self.count - 1.0))
    }

    /// Returns the effective sample size.
    fn trials(&self) -> f64 {
        self.count * self.mean * (1.0 - self.mean) / self.variance
    }

    /// Returns Wilson's interval for the mean with this number of trials and this quantile.
    fn wilson(&self, trials: f64, quantile: f64) -> (f64, f64) {
        let square = quantile.powi(2);
        let middle = (self.mean + square / (2.0 * trials)) / (1.0 + square / trials);
        let inside = self.mean * (1.0 - self.mean) / trials + square / (4.0 * trials * trials);
        let margin = (square * inside).sqrt() / (1.0 + square / trials);
        (middle - margin, middle + margin)
    }

    /// Returns the interval where all samples are equal.
    fn unseen(&self) -> (f64, f64) {
        let square = student(self.count - 1.0).powi(2);
        let share = square / (self.count + square);
        (self.mean * (1.0 - share), self.mean + (1.0 - self.mean) * share)
    }

    /// Returns the p-value of a mean that [`Self::unseen`] inverts.
    fn p_value_unseen(&self, mean: f64) -> f64 {
        let distance = self.mean - mean;
        let square = self.count * distance.abs() / if distance > 0.0 { mean } else { 1.0 - mean };
        two_sided(square.sqrt(), self.count - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(ours: f64, theirs: f64, tolerance: f64) -> bool {
        (ours - theirs).abs() < tolerance
    }

    /// Checks Student's interval against `scipy` 1.17.1:
    /// `t.interval(0.95, 3, loc=np.mean([1, 2, 3, 4]), scale=sem([1, 2, 3, 4]))`.
    #[test]
    fn an_interval_without_bounds_is_that_of_scipy() {
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]);
        assert!(is_near(estimate.mean, 2.5, 1e-12), "{estimate}");
        assert!(
            is_near(estimate.low, 0.445_739_743_2, 1e-9) && is_near(estimate.high, 4.554_260_256_8, 1e-9),
            "{estimate:?}"
        );
        assert!(Estimate::of(&[1.0]).high.is_infinite());
        assert!(Estimate::of(&[]).mean.is_nan());
    }

    /// Checks blocks of one game each, which are Wilson's own case, against `scipy` 1.17.1:
    /// `binomtest(k, n).proportion_ci(method="wilson")`. With many blocks Student's quantile is the normal one.
    #[test]
    fn with_many_blocks_of_one_game_the_interval_is_that_of_wilson() {
        for (wins, blocks, low, high) in [
            (5000, 10_000, 0.490_202_06, 0.509_797_94),
            (3000, 10_000, 0.291_096_51, 0.309_057_09),
            (7000, 10_000, 0.690_942_91, 0.708_903_49),
        ] {
            let samples: Vec<f64> = (0..blocks).map(|block| f64::from(u8::from(block < wins))).collect();
            let estimate = Estimate::of_bounded(&samples, Bounds::SHARE);
            assert!(is_near(estimate.low, low, 2e-5) && is_near(estimate.high, high, 2e-5), "{estimate:?}");
        }
    }

    /// Checks blocks with rare results against `scipy` 1.17.1 and numpy: `var(ddof=1)`, `kurtosis(bias=True)`, and `t.ppf` in
    /// the formulas of [`Moments::interval`].
    #[test]
    fn rare_results_take_degrees_of_freedom_by_their_kurtosis() {
        let few = [[0.5; 9].as_slice(), &[0.25; 2], &[0.75]].concat();
        let one = [[0.5; 19].as_slice(), &[1.0]].concat();
        let some = [[0.5; 9].as_slice(), &[0.45; 8], &[0.6; 3], &[0.9]].concat();
        for (samples, low, high) in [
            (few, 0.393_101_319_4, 0.566_486_730_8),
            (one, 0.344_713_410_4, 0.698_997_000_5),
            (some, 0.437_706_297_2, 0.590_200_190_1),
        ] {
            let estimate = Estimate::of_bounded(&samples, Bounds::SHARE);
            assert!(is_near(estimate.low, low, 1e-8) && is_near(estimate.high, high, 1e-8), "{estimate:?}");
        }
    }

    #[test]
    fn an_interval_has_a_width_at_0_and_1_and_where_all_blocks_are_equal() {
        let of = |value: f64, blocks: usize| Estimate::of_bounded(&vec![value; blocks], Bounds::SHARE);
        // Student's quantile for 9 degrees of freedom is 2.262: 5.118 / 15.118.
        assert!(is_near(of(0.0, 10).high, 0.338_51, 1e-4), "{}", of(0.0, 10));
        assert!(is_near(of(1.0, 10).low, 1.0 - 0.338_51, 1e-4), "{}", of(1.0, 10));
        assert_eq!((of(0.0, 10).low, of(1.0, 10).high), (0.0, 1.0));
        let third = of(1.0 / 3.0, 200);
        assert!(third.low < third.mean && third.mean < third.high && third.high - third.low < 0.03, "{third}");
        assert_eq!((of(1.0, 1).low, of(1.0, 1).high), (0.0, 1.0));
        // The same utility of a rank, as f32 has it in two blocks.
        let bounds = Bounds { least: -1.0, greatest: 1.0 };
        let rounded = Estimate::of_bounded(&[-0.166_666_664_183_139_8, -0.166_666_671_633_720_4], bounds);
        assert!(rounded.high - rounded.low > 1.0, "{rounded}");
    }

    #[test]
    fn an_interval_in_other_bounds_is_the_same_interval_scaled() {
        let shares = [0.1, 0.4, 0.4, 0.8, 0.0];
        let share = Estimate::of_bounded(&shares, Bounds::SHARE);
        let utilities = shares.map(|share| 2.0 * share - 1.0);
        let utility = Estimate::of_bounded(&utilities, Bounds { least: -1.0, greatest: 1.0 });
        for (ours, theirs) in [(utility.low, share.low), (utility.mean, share.mean), (utility.high, share.high)] {
            assert!(is_near(ours, 2.0 * theirs - 1.0, 1e-12), "{utility} {share}");
        }
        assert_eq!(format!("{share:.2}"), format!("{:.2} [{:.2}, {:.2}]", share.mean, share.low, share.high));
    }

    #[test]
    fn a_p_value_is_below_5_percent_where_the_interval_excludes_the_value() {
        let samples: [&[f64]; 6] = [
            &[0.1, 0.4, 0.4, 0.8, 0.0],
            &[1.0, 1.0, 0.5, 1.0, 1.0, 1.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25],
            &[0.0; 12],
            &[1.0; 5],
            &[0.5; 20],
        ];
        for samples in samples {
            let estimate = Estimate::of_bounded(samples, Bounds::SHARE);
            let mut excluded = 0;
            for value in (1..1000).map(|thousandth| f64::from(thousandth) / 1000.0) {
                let p_value = Estimate::p_value(samples, Bounds::SHARE, value);
                assert_eq!(p_value < 0.05, !estimate.holds(value), "{value}: {p_value} and {estimate}");
                excluded += usize::from(p_value < 0.05);
            }
            assert!((100..999).contains(&excluded), "{excluded} of {samples:?}");
        }
        assert!((Estimate::p_value(&[0.7], Bounds::SHARE, 0.5) - 1.0).abs() < 1e-12);
        let scaled = Estimate::p_value(&[-0.5, 1.0, 0.5], Bounds { least: -1.0, greatest: 1.0 }, 0.0);
        assert!(is_near(scaled, Estimate::p_value(&[0.25, 1.0, 0.75], Bounds::SHARE, 0.5), 1e-12), "{scaled}");
    }
}
