//! Strengths: the fit of the model of Bradley and Terry.

use nalgebra::{DMatrix, DVector};

use super::results::{BlockPairs, Results};

/// The Elo points of one unit of strength: 400 / ln 10. A difference of 400 points means ten wins for each loss.
pub const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The standard deviation of the prior of a strength: 3 units, or 521 Elo points.
///
/// The prior is normal around 0 and the same for all agents. It holds the rating of an agent that won everything, and
/// those of groups that never met, where the likelihood alone has no maximum. It is weak: it weighs as much as 0.44
/// pairs between equals (the information of a pair is 1/4 at most, that of the prior 1/9), so that 100 pairs of an agent
/// move it by less than a hundredth.
pub const PRIOR_DEVIATION: f64 = 3.0;

/// The information of the prior about one strength.
const PRIOR: f64 = 1.0 / (PRIOR_DEVIATION * PRIOR_DEVIATION);

/// The greatest number of Newton's steps. Five are common.
const MAX_STEPS: usize = 100;

/// The step at which a fit has converged, in units of strength.
const CONVERGED: f64 = 1e-9;

/// The step above which a step is halved until it leads upwards: shorter steps of Newton's always do.
const LONG_STEP: f64 = 0.5;

/// The pairs of each two agents over many blocks.
struct Totals {
    /// Two agents, the pairs that they played, and the pairs that the first won.
    pairs: Vec<(usize, usize, f64, f64)>,
}

impl Totals {
    /// Adds up blocks that count several times.
    fn of<'a>(agents: usize, blocks: impl Iterator<Item = (&'a BlockPairs, f64)>) -> Self {
        let mut sums = vec![(0.0, 0.0); agents * agents];
        for (block, count) in blocks {
            for pairs in &block.pairs {
                let sum = &mut sums[pairs.one * agents + pairs.other];
                *sum = (sum.0 + count * pairs.played, sum.1 + count * pairs.won);
            }
        }
        let met = sums.into_iter().enumerate().filter(|(_, (played, _))| *played > 0.0);
        Self { pairs: met.map(|(index, (played, won))| (index / agents, index % agents, played, won)).collect() }
    }

    /// Returns the logarithm of the posterior of these strengths, but for a constant.
    fn log_posterior(&self, strengths: &DVector<f64>) -> f64 {
        let log_share = |difference: f64| -(-difference).exp().ln_1p();
        let of_pairs = |&(one, other, played, won): &(usize, usize, f64, f64)| {
            let difference = strengths[one] - strengths[other];
            won * log_share(difference) + (played - won) * log_share(-difference)
        };
        self.pairs.iter().map(of_pairs).sum::<f64>() - PRIOR / 2.0 * strengths.norm_squared()
    }
}

/// The strengths of agents that are most likely after the results (maximum a posteriori), and the inverse of the
/// information about them.
///
/// The model: the first agent wins a pair with the probability 1 / (1 + exp(s2 - s1)); a tie is half a win for each.
/// If whole rankings follow the model of Plackett and Luce, pairs of seats follow this one with the same strengths. The
/// pairs of a game are not independent, so that only the estimate uses the likelihood: its spread comes from blocks.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) strengths: DVector<f64>,
    /// The inverse of the information of results and prior.
    pub(super) inverse: DMatrix<f64>,
}

/// Returns the probability that the stronger by `difference` wins.
pub(super) fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

impl Fit {
    /// Fits all blocks of a cup.
    pub(super) fn of(results: &Results) -> Self {
        let totals = Totals::of(results.agents(), results.iter().map(|block| (block, 1.0)));
        Self::of_totals(&totals, DVector::zeros(results.agents()))
    }

    /// Fits blocks that count several times. The fit starts from the fit of all blocks.
    pub(super) fn of_replicate(&self, results: &Results, counts: &[f64]) -> Self {
        let blocks = results.iter().zip(counts.iter().copied()).filter(|&(_, count)| count > 0.0);
        Self::of_totals(&Totals::of(results.agents(), blocks), self.strengths.clone())
    }

    /// Finds the maximum with Newton's method. The logarithm of the posterior is strictly concave, because the prior is.
    fn of_totals(totals: &Totals, mut strengths: DVector<f64>) -> Self {
        let agents = strengths.len();
        let mut information = DMatrix::zeros(agents, agents);
        for _ in 0..MAX_STEPS {
            let mut gradient = &strengths * -PRIOR;
            information.fill(0.0);
            information.fill_diagonal(PRIOR);
            for &(one, other, played, won) in &totals.pairs {
                let share = expected(strengths[one] - strengths[other]);
                let surplus = won - played * share;
                gradient[one] += surplus;
                gradient[other] -= surplus;
                let weight = played * share * (1.0 - share);
                information[(one, one)] += weight;
                information[(other, other)] += weight;
                // Cholesky reads the lower triangle.
                information[(other, one)] -= weight;
            }
            let decomposed = information.clone().cholesky().expect("the prior makes the information positive");
            let mut step = decomposed.solve(&gradient);
            let length = step.amax();
            if length > LONG_STEP {
                let before = totals.log_posterior(&strengths);
                while totals.log_posterior(&(&strengths + &step)) < before {
                    step /= 2.0;
                }
            }
            strengths += step;
            if length < CONVERGED {
                break;
            }
        }
        let information = information.cholesky().expect("the prior makes the information positive");
        Self { strengths, inverse: information.inverse() }
    }

    /// Returns the covariance of the strengths: the "sandwich" of the inverse information around the covariance of
    /// the blocks' gradients, which holds whatever the games of a block have in common (Liang and Zeger, "Longitudinal
    /// data analysis using generalized linear models", Biometrika 73, 1986).
    ///
    /// The prior has a part in the middle: the information that pairs at the maximum have if nothing but the prior holds
    /// it. Without it the variance would be almost 0 for an agent that won everything, since all its blocks are equal.
    pub(super) fn covariance(&self, results: &Results, counts: &[f64]) -> DMatrix<f64> {
        let agents = self.strengths.len();
        let mut middle = DMatrix::zeros(agents, agents);
        for (block, &count) in results.iter().zip(counts).filter(|&(_, &count)| count > 0.0) {
            let gradient = self.gradient(block);
            for (&one, &first) in block.agents.iter().zip(&gradient) {
                for (&other, &second) in block.agents.iter().zip(&gradient) {
                    middle[(one, other)] += count * first * second;
                }
            }
        }
        for agent in 0..agents {
            middle[(agent, agent)] += PRIOR * (1.0 + self.strengths[agent].abs());
        }
        &self.inverse * middle * &self.inverse
    }

    /// Returns the pairs that each agent at the table of a block won beyond the number that the strengths predict.
    pub(super) fn gradient(&self, block: &BlockPairs) -> Vec<f64> {
        let mut gradient = vec![0.0; block.agents.len()];
        let place = |agent| block.agents.iter().position(|&other| other == agent).expect("it is at the table");
        for pairs in &block.pairs {
            let surplus = pairs.won - pairs.played * expected(self.strengths[pairs.one] - self.strengths[pairs.other]);
            gradient[place(pairs.one)] += surplus;
            gradient[place(pairs.other)] -= surplus;
        }
        gradient
    }
}
