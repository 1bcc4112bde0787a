//! Student's t, the distribution of a mean whose variance is estimated from the same samples.

use statrs::distribution::{ContinuousCDF as _, StudentsT};
use statrs::function::erf::erfc;

/// The share of intervals that hold the truth.
pub const CONFIDENCE: f64 = 0.95;

/// Returns the quantile of Student's t beside which half of the remaining 5 % lies.
///
/// # Panics
/// If `freedom` is not above 0.
pub(crate) fn student(freedom: f64) -> f64 {
    quantile(f64::midpoint(1.0, CONFIDENCE), freedom)
}

/// Returns the value below which Student's t lies with this probability.
///
/// # Panics
/// If `freedom` is not above 0.
pub(crate) fn quantile(probability: f64, freedom: f64) -> f64 {
    distribution(freedom).inverse_cdf(probability)
}

/// Returns the probability that Student's t is as far from 0 as `t`, to either side.
///
/// # Panics
/// If `freedom` is not above 0.
pub(super) fn two_sided(t: f64, freedom: f64) -> f64 {
    2.0 * distribution(freedom).sf(t.abs())
}

/// Returns the probability that a normal variable is as far from 0 as `z`, to either side.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

fn distribution(freedom: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom).unwrap_or_else(|_| panic!("expected degrees of freedom above 0, got {freedom}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the quantile against `scipy` 1.17.1:
    /// `python3 -c "from scipy.stats import t; print([t.ppf(0.975, f) for f in (1, 1.5, 2, 3, 5.25, 9, 19, 199, 4999)])"`.
    #[test]
    fn the_quantile_is_that_of_scipy() {
        let scipy = [
            (1.0, 12.706_204_736_175),
            (1.5, 6.016_663_104_428),
            (2.0, 4.302_652_729_749),
            (3.0, 3.182_446_305_284),
            (5.25, 2.534_196_800_466),
            (9.0, 2.262_157_162_798),
            (19.0, 2.093_024_054_408),
            (199.0, 1.971_956_544_252),
            (4999.0, 1.960_438_646_662),
        ];
        for (freedom, scipy) in scipy {
            let ours = student(freedom);
            assert!((ours - scipy).abs() / scipy < 1e-9, "{freedom}: {ours} and {scipy}");
            assert!((two_sided(-scipy, freedom) - 0.05).abs() < 1e-9, "{freedom}");
        }
    }
}
