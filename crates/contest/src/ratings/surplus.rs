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

/// The direction in which a surplus is unexpected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// More pairs than expected.
    Above,
    /// More pairs, or fewer.
    Both,
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

/// The evidence that a surplus is no chance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// The surplus in standard deviations, without its sign where both sides count.
    pub(super) deviations: f64,
    /// The p-value, adjusted for all surpluses.
    pub(super) p_value: f64,
}

/// Tests each surplus, with p-values that are adjusted for all of them by a step-down over replicates.
///
/// The strengths are fitted to the same results. To the first order a surplus is the sum over blocks of the surplus of
/// the block, less the change of the expectation that the block brought through the fit. In a replicate each of these
/// values has a random sign: if the ratings are right, they are as often above 0 as below (the score form of the wild
/// bootstrap: Kline and Santos, "A score based approach to wild bootstrap inference", Journal of Econometric Methods 1,
/// 2012). All surpluses of a replicate have the same signs, and so the same dependence.
pub(super) fn test(
    results: &Results,
    fit: &Fit,
    surpluses: &[Surplus],
    side: Side,
    bootstrap: Bootstrap,
) -> Vec<Evidence> {
    let gradients: Vec<_> = results.iter().map(|block| (&block.agents, fit.gradient(block))).collect();
    // The effect of a block's gradient on the expectation, through the fit.
    let effects: Vec<_> = surpluses.iter().map(|surplus| &fit.inverse * &surplus.slope).collect();
    let deviation = |(surplus, effect): (&Surplus, &DVector<f64>)| {
        let mut own = surplus.blocks.iter().copied().peekable();
        let squares = gradients.iter().enumerate().map(|(block, (agents, gradient))| {
            let own = own.next_if(|(other, _)| *other == block).map_or(0.0, |(_, own)| own);
            let through_fit: f64 = agents.iter().zip(gradient).map(|(&agent, value)| effect[agent] * value).sum();
            (own - through_fit).powi(2)
        });
        squares.sum::<f64>().sqrt().max(ROUNDING)
    };
    let deviations: Vec<_> = surpluses.iter().zip(&effects).map(deviation).collect();
    let both_sides = |t: f64| if side == Side::Both { t.abs() } else { t };
    let replicates = bootstrap.map(|rng| {
        let signs: Vec<_> = gradients.iter().map(|_| if rng.next_u32() >> 31 == 0 { 1.0 } else { -1.0 }).collect();
        let mut gradient = DVector::zeros(results.agents());
        for ((agents, values), sign) in gradients.iter().zip(&signs) {
            agents.iter().zip(values).for_each(|(&agent, value)| gradient[agent] += sign * value);
        }
        let t = |((surplus, effect), deviation): ((&Surplus, &DVector<f64>), &f64)| {
            let own: f64 = surplus.blocks.iter().map(|&(block, own)| signs[block] * own).sum();
            both_sides((own - effect.dot(&gradient)) / deviation)
        };
        surpluses.iter().zip(&effects).zip(&deviations).map(t).collect()
    });
    let statistic = |((surplus, effect), deviation): ((&Surplus, &DVector<f64>), &f64)| {
        // The fit takes its part of the variance.
        let independent = surplus.variance - surplus.slope.dot(effect);
        both_sides((surplus.won - surplus.expected) / deviation.max(independent.clamp(0.0, RARE).sqrt()))
    };
    let statistics: Vec<_> = surpluses.iter().zip(&effects).zip(&deviations).map(statistic).collect();
    let p_values = step_down(&statistics, &replicates);
    statistics.into_iter().zip(p_values).map(|(deviations, p_value)| Evidence { deviations, p_value }).collect()
}
