//! Surpluses: the pairs that were won beyond the number that the ratings predict.

use nalgebra::DVector;
use rand::Rng as _;

use super::bootstrap::Bootstrap;
use super::results::Results;
use super::strengths::{Fit, expected};
use crate::statistics::step_down;

/// The variance, in squares of pairs, up to which a surplus is taken to vary at least as much as independent pairs do.
/// Blocks that are all equal because a loss is rare say nothing about the variance: without the rule, no loss where one
/// is expected would be an exception.
const RARE: f64 = 4.0;

/// The deviation below which a surplus is rounding.
const ROUNDING: f64 = 1e-9;

/// Pairs with a common property, of which the ratings say how many one side should have won.
#[derive(Clone, Debug)]
pub(super) struct Surplus {
    /// The number of pairs.
    pub(super) pairs: f64,
    /// The number of pairs won; a tie is a half.
    pub(super) won: f64,
    /// The number of pairs that the strengths let expect.
    pub(super) expected: f64,
    /// The variance of the number of pairs won if all pairs were independent.
    variance: f64,
    /// The surplus in each block that has such pairs.
    blocks: Vec<(usize, f64)>,
    /// The expected number by the strength of each agent: the derivative.
    slope: DVector<f64>,
}

impl Surplus {
    pub(super) fn new(agents: usize) -> Self {
        Self { pairs: 0.0, won: 0.0, expected: 0.0, variance: 0.0, blocks: Vec::new(), slope: DVector::zeros(agents) }
    }

    /// Adds pairs of a block that `one` played against `other`.
    pub(super) fn add(&mut self, fit: &Fit, block: usize, (one, other): (usize, usize), played: f64, won: f64) {
        let share = expected(fit.strengths[one] - fit.strengths[other]);
        self.pairs += played;
        self.won += won;
        self.expected += played * share;
        let weight = played * share * (1.0 - share);
        self.variance += weight;
        self.slope[one] += weight;
        self.slope[other] -= weight;
        match self.blocks.last_mut().filter(|(last, _)| *last == block) {
            Some((_, surplus)) => *surplus += won - played * share,
            None => self.blocks.push((block, won - played * share)),
        }
    }

    /// Returns the number of blocks that have such pairs.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }
}

/// The spread of a surplus over cups with the same ratings.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    /// The effect of each agent's gradient on the expectation, through the fit.
    effect: DVector<f64>,
    /// The standard deviation, from the blocks alone.
    of_blocks: f64,
    /// The standard deviation, for a rare loss from the variance of independent pairs.
    pub(super) deviation: f64,
}

impl Spread {
    /// Returns the spread of each surplus.
    ///
    /// The strengths are fitted to the same results. To the first order a surplus is the sum over blocks of the surplus of
    /// the block, less the change of the expectation that the block brought through the fit.
    pub(super) fn of(results: &Results, fit: &Fit, surpluses: &[Surplus]) -> Vec<Self> {
        let gradients = gradients(results, fit);
        let spread = |surplus: &Surplus| {
            let effect = &fit.inverse * &surplus.slope;
            let mut own = surplus.blocks.iter().copied().peekable();
            let squares = gradients.iter().enumerate().map(|(block, (agents, gradient))| {
                let own = own.next_if(|(other, _)| *other == block).map_or(0.0, |(_, own)| own);
                let through_fit: f64 = agents.iter().zip(gradient).map(|(&agent, value)| effect[agent] * value).sum();
                (own - through_fit).powi(2)
            });
            let of_blocks = squares.sum::<f64>().sqrt().max(ROUNDING);
            // The fit takes its part of the variance.
            let independent = surplus.variance - surplus.slope.dot(&effect);
            Self { effect, of_blocks, deviation: of_blocks.max(independent.clamp(0.0, RARE).sqrt()) }
        };
        surpluses.iter().map(spread).collect()
    }
}

/// Returns the agents of each block with their gradients.
fn gradients<'a>(results: &'a Results, fit: &Fit) -> Vec<(&'a [usize], Vec<f64>)> {
    results.iter().map(|block| (block.agents.as_slice(), fit.gradient(block))).collect()
}

/// Tests each surplus in both directions, and returns p-values that are adjusted for all of them by a step-down over
/// replicates.
///
/// In a replicate the part of each block in a surplus ([`Spread::of`]) has a random sign: if the ratings are right, the part is
/// as often above 0 as below (the score form of the wild bootstrap: Kline and Santos, "A score based approach to wild bootstrap
/// inference", Journal of Econometric Methods 1, 2012). All surpluses of a replicate have the same signs, and so the same
/// dependence.
pub(super) fn test(results: &Results, fit: &Fit, surpluses: &[Surplus], bootstrap: Bootstrap) -> Vec<f64> {
    let (gradients, spreads) = (gradients(results, fit), Spread::of(results, fit, surpluses));
    let replicates = bootstrap.map(|rng| {
        let signs: Vec<_> = gradients.iter().map(|_| if rng.next_u32() >> 31 == 0 { 1.0 } else { -1.0 }).collect();
        let mut gradient = DVector::zeros(results.agents());
        for ((agents, values), sign) in gradients.iter().zip(&signs) {
            agents.iter().zip(values).for_each(|(&agent, value)| gradient[agent] += sign * value);
        }
        let t = |(surplus, spread): (&Surplus, &Spread)| {
            let own: f64 = surplus.blocks.iter().map(|&(block, own)| signs[block] * own).sum();
            ((own - spread.effect.dot(&gradient)) / spread.of_blocks).abs()
        };
        surpluses.iter().zip(&spreads).map(t).collect()
    });
    let statistic =
        |(surplus, spread): (&Surplus, &Spread)| ((surplus.won - surplus.expected) / spread.deviation).abs();
    step_down(&surpluses.iter().zip(&spreads).map(statistic).collect::<Vec<_>>(), &replicates)
}
