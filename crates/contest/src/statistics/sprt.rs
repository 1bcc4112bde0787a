//! SPRT: the sequential probability ratio test, which stops a comparison as soon as it is decided.

use std::collections::BTreeMap;

use ahu_host::ensure;

/// The number of blocks before which the test is not looked at: fewer do not show the distribution of their results.
pub const MIN_BLOCKS: usize = 20;

/// The weight of the results 0 and 1 that the test adds to the results of the blocks, in blocks. See [`Sprt`]. It is small,
/// as in other test beds: with half a block, a test near 0 errs in 15 % of all cases.
const END_WEIGHT: f64 = 0.001;

/// The two hypotheses of a test, as differences of a share from an even one, and the permitted errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hypotheses {
    mu0: f64,
    mu1: f64,
    alpha: f64,
    beta: f64,
}

impl Hypotheses {
    /// Returns the hypotheses that the share is 0.5 + `mu0` (H0) and 0.5 + `mu1` (H1). The test accepts H1 under H0
    /// with the probability `alpha`, and H0 under H1 with the probability `beta`.
    pub fn new(mu0: f64, mu1: f64, alpha: f64, beta: f64) -> Result<Self, String> {
        for mu in [mu0, mu1] {
            ensure(mu.abs() < 0.5, || {
                format!("expected a difference from an even share above -0.5 and below 0.5, got {mu}")
            })?;
        }
        ensure(mu0 < mu1, || {
            format!("expected two hypotheses of which the first is lower, such as 0,0.05; got {mu0},{mu1}")
        })?;
        for rate in [alpha, beta] {
            ensure(rate > 0.0 && rate < 0.5, || format!("expected an error rate above 0 and below 0.5, got {rate}"))?;
        }
        Ok(Self { mu0, mu1, alpha, beta })
    }

    /// Returns the differences from an even share under H0 and H1.
    pub fn differences(&self) -> (f64, f64) {
        (self.mu0, self.mu1)
    }

    /// Returns the permitted error rates: alpha and beta.
    pub fn rates(&self) -> (f64, f64) {
        (self.alpha, self.beta)
    }

    /// Returns the log-likelihood ratios at which the test accepts H0 and H1 (Wald, 1945).
    pub fn limits(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }
}

/// The end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The test accepts H0: the share is not as high as H1 has it.
    H0,
    /// The test accepts H1: the share is higher than H0 has it.
    H1,
    /// The maximum of blocks came before a decision.
    Inconclusive,
}

/// A test in progress, over the share that each block brought.
///
/// The test is the generalized SPRT in its multinomial form, as the test beds of chess engines have it (Van den Bergh,
/// "A practical introduction to the GSPRT"): the likelihood of a hypothesis is that of the most likely distribution of
/// block results with the mean of the hypothesis. The normal form takes the variance of the results for the truth. It
/// is 0 after twenty blocks that a strong player won, and the normal form then accepts the hypothesis nearer to 1
/// whatever the other is. The multinomial form knows that a result is between 0 and 1: both ends have a weight, so
/// that results that have not been seen stay possible.
#[derive(Clone, Debug)]
pub struct Sprt {
    hypotheses: Hypotheses,
    max_blocks: usize,
    /// The number of blocks with each share; the key has the bits of the share.
    counts: BTreeMap<u64, f64>,
    blocks: usize,
    ratio: f64,
    verdict: Option<Verdict>,
}

impl Sprt {
    /// Creates a test that ends without a decision after `max_blocks` blocks.
    pub fn new(hypotheses: Hypotheses, max_blocks: usize) -> Result<Self, String> {
        ensure(max_blocks >= MIN_BLOCKS, || {
            format!("expected a maximum of at least {MIN_BLOCKS} blocks, got {max_blocks}")
        })?;
        let counts = [0.0, 1.0].map(|end: f64| (end.to_bits(), END_WEIGHT));
        Ok(Self { hypotheses, max_blocks, counts: counts.into(), blocks: 0, ratio: 0.0, verdict: None })
    }

    /// Enters the share that the next block brought, from 0 to 1, and returns the end of the test, if it has come.
    /// After the end nothing changes.
    ///
    /// # Panics
    /// If the share is not from 0 to 1.
    pub fn enter(&mut self, share: f64) -> Option<Verdict> {
        assert!((0.0..=1.0).contains(&share), "expected a share from 0 to 1, got {share}");
        if self.verdict.is_some() {
            return self.verdict;
        }
        *self.counts.entry(share.to_bits()).or_default() += 1.0;
        self.blocks += 1;
        if self.blocks >= MIN_BLOCKS {
            let likelihood = |mu: f64| self.log_likelihood(0.5 + mu);
            self.ratio = likelihood(self.hypotheses.mu1) - likelihood(self.hypotheses.mu0);
            let (lower, upper) = self.hypotheses.limits();
            self.verdict = match () {
                () if self.ratio >= upper => Some(Verdict::H1),
                () if self.ratio <= lower => Some(Verdict::H0),
                () if self.blocks == self.max_blocks => Some(Verdict::Inconclusive),
                () => None,
            };
        }
        self.verdict
    }

    /// Returns the end of the test, if it has come.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// Returns the log-likelihood ratio of H1 to H0; 0 before there are [`MIN_BLOCKS`].
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Returns the number of blocks that the test has entered.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Returns the maximum of blocks.
    pub fn max_blocks(&self) -> usize {
        self.max_blocks
    }

    /// Returns the hypotheses.
    pub fn hypotheses(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// Returns the logarithm of the likelihood of the results under the most likely distribution with this mean, less
    /// that under the most likely distribution of all.
    ///
    /// The former gives a result x the n-th part of its count over 1 + t (x - mean), where t solves: the sum of
    /// (x - mean) / (1 + t (x - mean)) over all results is 0 (Owen, "Empirical likelihood ratio confidence intervals for
    /// a single functional", 1988). The sum falls as t rises, and the solution lies where all probabilities are
    /// positive.
    fn log_likelihood(&self, mean: f64) -> f64 {
        let results = || self.counts.iter().map(|(&bits, &count)| (f64::from_bits(bits) - mean, count));
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        let mut t = 0.0;
        // Newton's steps find the solution; a step out of the bounds becomes a halving. 100 steps are enough for
        // halvings alone.
        for _ in 0..100 {
            let (mut sum, mut slope) = (0.0, 0.0);
            for (difference, count) in results() {
                let part = difference / (1.0 + t * difference);
                sum += count * part;
                slope -= count * part * part;
            }
            match sum > 0.0 {
                true => low = t,
                false => high = t,
            }
            let step = t - sum / slope;
            let next = if low < step && step < high { step } else { f64::midpoint(low, high) };
            let is_found = (next - t).abs() <= 1e-12 * t.abs().max(1e-3);
            t = next;
            if is_found {
                break;
            }
        }
        -results().map(|(difference, count)| count * (t * difference).ln_1p()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hypotheses() -> Hypotheses {
        Hypotheses::new(0.0, 0.05, 0.05, 0.05).expect("they differ")
    }

    fn sprt(max_blocks: usize) -> Sprt {
        Sprt::new(hypotheses(), max_blocks).expect("a maximum")
    }

    /// Checks the ratio against a solution of the same equation with `scipy` 1.17.1: `brentq` over
    /// `sum(n * (x - mu) / (1 + t * (x - mu)) for x, n in counts)`, with 0.001 added to the counts of 0 and 1.
    #[test]
    fn the_ratio_is_that_of_scipy() {
        let mixed = [(-0.0, 1), (0.25, 2), (0.5, 6), (0.75, 8), (1.0, 3)];
        for (counts, ratio) in [(&mixed[..], 1.170_318_109), (&[(1.0, 20)], 1.906_193_546)] {
            let mut sprt = sprt(5000);
            for (share, count) in counts {
                for _ in 0..*count {
                    sprt.enter(*share);
                }
            }
            assert!((sprt.ratio() - ratio).abs() < 1e-6, "{} and {ratio}", sprt.ratio());
        }
    }

    #[test]
    fn the_test_waits_for_20_blocks_and_ends_at_its_limits_or_its_maximum() {
        let far = Hypotheses::new(0.0, 0.2, 0.05, 0.05).expect("they differ");
        let [mut better, mut equal, mut short] = [5000, 5000, 20].map(|max| Sprt::new(far, max).expect("a maximum"));
        for block in 1..MIN_BLOCKS {
            // Results that are all equal are no proof of their mean: what has not been seen stays possible.
            assert_eq!(better.enter(if block % 2 == 0 { 0.75 } else { 1.0 }), None, "{block}");
            assert_eq!(
                (
                    better.ratio(),
                    equal.enter(if block % 2 == 0 { 0.25 } else { 0.5 }),
                    short.enter(if block % 3 == 0 { 0.0 } else { 1.0 })
                ),
                (0.0, None, None)
            );
        }
        assert_eq!(better.enter(1.0), Some(Verdict::H1));
        assert_eq!(equal.enter(0.25), Some(Verdict::H0));
        assert_eq!(short.enter(0.5), Some(Verdict::Inconclusive));
        assert_eq!((better.max_blocks(), short.max_blocks()), (5000, 20));
        let mut longer = Sprt::new(far, 21).expect("a maximum");
        let verdicts: Vec<_> = (0..21).map(|block| longer.enter(if block % 3 == 0 { 0.0 } else { 1.0 })).collect();
        assert_eq!(verdicts[19..], [None, Some(Verdict::Inconclusive)]);

        assert_eq!(better.enter(0.0), Some(Verdict::H1), "after the end nothing changes");
        assert_eq!(better.blocks(), MIN_BLOCKS);
        let (lower, upper) = hypotheses().limits();
        assert!((upper - 2.944_439).abs() < 1e-6 && (lower + 2.944_439).abs() < 1e-6, "{lower} {upper}");
    }

    #[test]
    fn a_request_that_makes_no_sense_is_refused() {
        let taken = Hypotheses::new(-0.1, 0.2, 0.01, 0.1).expect("they differ");
        assert_eq!((taken.differences(), taken.rates()), ((-0.1, 0.2), (0.01, 0.1)));

        let refused = |mu0, mu1, alpha, beta| Hypotheses::new(mu0, mu1, alpha, beta).expect_err("refused");

        let order = "expected two hypotheses of which the first is lower, such as 0,0.05; got 0.02,0.02";
        assert_eq!(refused(0.02, 0.02, 0.05, 0.05), order);
        assert!(refused(0.05, 0.0, 0.05, 0.05).ends_with("got 0.05,0"));
        let range = "expected a difference from an even share above -0.5 and below 0.5, got 0.5";
        assert_eq!(refused(0.0, 0.5, 0.05, 0.05), range);
        assert!(refused(f64::NAN, 0.1, 0.05, 0.05).ends_with("got NaN"));
        assert_eq!(refused(0.0, 0.1, 0.5, 0.05), "expected an error rate above 0 and below 0.5, got 0.5");
        let few = Sprt::new(hypotheses(), 19).expect_err("refused");
        assert_eq!(few, "expected a maximum of at least 20 blocks, got 19");
    }
}
