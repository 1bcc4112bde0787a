//! Corrections for many tests at once: the probability that any true hypothesis is rejected stays below the level.

/// Returns the adjusted p-value of each test by Holm's step-down method (Holm, "A simple sequentially rejective multiple
/// test procedure", Scandinavian Journal of Statistics 6, 1979). It asks nothing of the dependence of the tests. The
/// hypotheses with an adjusted p-value below 0.05 are rejected; together they err in 5 % of all cases at most.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut greatest = 0.0f64;
    for (rank, &test) in order.iter().enumerate() {
        greatest = greatest.max(((p_values.len() - rank) as f64 * p_values[test]).min(1.0));
        adjusted[test] = greatest;
    }
    adjusted
}

/// Returns the adjusted p-value of each test by Holm's step-down method over replicates (Romano and Wolf, "Exact and
/// approximate stepdown methods for multiple hypothesis testing", Journal of the American Statistical Association 100,
/// 2005; Westfall and Young, "Resampling-based multiple testing", 1993). A test rejects if its statistic is large, and
/// `replicates` has the statistics of all tests in each replicate as they are under the hypotheses.
///
/// Instead of a sum of p-values, each step takes the greatest statistic of the hypotheses that are left, so that the
/// method knows the dependence of the tests. It needs as many replicates for a thousand tests as for one: Holm's own
/// steps would ask for p-values below a thousandth of 5 %.
pub fn step_down(statistics: &[f64], replicates: &[Vec<f64>]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..statistics.len()).collect();
    order.sort_by(|&one, &other| statistics[other].total_cmp(&statistics[one]));
    // The number of replicates in which the greatest statistic from this step on is as large as the observed one.
    let mut exceeding = vec![0u32; order.len()];
    for replicate in replicates {
        let mut greatest = f64::NEG_INFINITY;
        for (step, &test) in order.iter().enumerate().rev() {
            greatest = greatest.max(replicate[test]);
            exceeding[step] += u32::from(greatest >= statistics[test]);
        }
    }
    let mut adjusted = vec![1.0; statistics.len()];
    let mut greatest = 0.0f64;
    for (&test, exceeding) in order.iter().zip(exceeding) {
        greatest = greatest.max(f64::from(exceeding + 1) / (replicates.len() as f64 + 1.0));
        adjusted[test] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks Holm's method against `statsmodels` 0.15.0:
    /// `multipletests([0.01, 0.04, 0.03, 0.005, 0.5], method="holm")[1]`.
    #[test]
    fn holm_is_that_of_statsmodels() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (ours, theirs) in adjusted.iter().zip([0.04, 0.09, 0.09, 0.025, 0.5]) {
            assert!((ours - theirs).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.9, 0.9]), [1.0, 1.0]);
    }

    #[test]
    fn a_step_compares_with_the_greatest_statistic_that_is_left() {
        // Three replicates. The first test exceeds all; the second is exceeded by its own replicates once, and by those of
        // the first twice, which no longer count.
        let replicates = [vec![2.0, 0.5, 0.1], vec![2.5, 3.0, 0.2], vec![1.0, 0.0, 0.3]];
        assert_eq!(step_down(&[4.0, 1.5, -1.0], &replicates), [0.25, 0.5, 1.0]);
        // A test has no smaller p-value than one with a larger statistic.
        let replicates = [vec![5.0, 0.0], vec![5.0, 0.0], vec![0.0, 0.0]];
        assert_eq!(step_down(&[4.0, 3.0], &replicates), [0.75, 0.75]);
        assert_eq!(step_down(&[9.0], &[]), [1.0]);
    }
}
