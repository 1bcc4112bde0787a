//! Statistics over independent samples. In a comparison of players each block is one sample.

mod estimate;
mod multiple;
mod sprt;
mod student;

pub use estimate::{Bounds, Estimate};
pub use multiple::{holm, step_down};
pub use sprt::{Hypotheses, MIN_BLOCKS, Sprt, SprtError, Verdict};
pub use student::CONFIDENCE;
pub(super) use student::quantile;

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
    fn the_median_is_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0, 10.0]) - 2.5).abs() < 1e-12);
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!(median(&[]).is_nan());
    }
}
