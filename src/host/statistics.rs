//! Means with 95 % intervals, over independent samples.

use std::fmt;

/// A mean and its margin of error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the samples.
    pub mean: f64,
    /// Half the width of the 95 % interval around the mean; infinite for fewer than two samples.
    pub margin: f64,
}

impl Estimate {
    /// Returns the mean of `samples` with Student's 95 % interval.
    pub fn of(samples: &[f64]) -> Self {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        if samples.len() < 2 {
            return Self { mean, margin: f64::INFINITY };
        }
        let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { mean, margin: student_95(samples.len() - 1) * (variance / count).sqrt() }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = f.precision().unwrap_or(3);
        write!(f, "{:.places$} ± {:.places$}", self.mean, self.margin)
    }
}

/// Returns the 97.5 % quantile of Student's t. The quantile is exact for 1 and 2 degrees of freedom. Above that it is
/// the expansion around the normal quantile (Abramowitz and Stegun, 26.7.5), good to 0.2 % from 3 on.
fn student_95(freedom: usize) -> f64 {
    match freedom {
        1 => return 12.706,
        2 => return 4.303,
        _ => {}
    }
    let freedom = freedom as f64;
    let z: f64 = 1.959_964;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92160.0,
    ];
    terms.iter().enumerate().fold(z, |sum, (n, term)| sum + term / freedom.powi(n as i32 + 1))
}

/// Returns the median of `samples`: the middle one, or the mean of the middle two. Without samples the result is NaN.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count => f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_is_that_of_the_tables() {
        let table = [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)];
        for (freedom, table) in table {
            let ours = student_95(freedom);
            assert!((ours - table).abs() / table < 0.002, "{freedom}: {ours} and {table}");
        }
    }

    #[test]
    fn an_interval_is_the_one_computed_by_hand() {
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0]);
        // Standard deviation 1.29099, standard error 0.64550, times 3.182.
        assert!((estimate.mean - 2.5).abs() < 1e-12);
        assert!((estimate.margin - 2.054).abs() < 0.005, "{}", estimate.margin);
        assert!(Estimate::of(&[1.0]).margin.is_infinite());
        assert!((median(&[3.0, 1.0, 2.0, 10.0]) - 2.5).abs() < 1e-12);
    }
}
