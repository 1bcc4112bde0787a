//! The ratings: strengths against an anchor, with intervals and ranks.

use std::ops::RangeInclusive;

use nalgebra::DMatrix;

use super::bootstrap::{Bootstrap, draw};
use super::results::Results;
use super::strengths::{Counted, ELO, Fit};
use crate::statistics::{CONFIDENCE, Estimate, step_down};

/// The normal quantile beside which half of the remaining 5 % lies.
pub(super) const NORMAL: f64 = 1.959_963_984_540_054;

/// The rating of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// The strength above the anchor, in units of the model: the logarithm of the wins for each loss in pairs of
    /// the two. Its samples are the blocks that the agent played. The lower end is -∞ if no result bounds the strength from
    /// below, the upper end ∞ if none does from above.
    pub strength: Estimate,
    /// The place by strength; 1 is first, and equal strengths share a place.
    pub rank: usize,
    /// The places that the agent may have. These ranges hold the true places of all agents together in 95 % of all cups.
    pub ranks: RangeInclusive<usize>,
    /// The number of pairs with other agents.
    pub pairs: f64,
    /// The number of these pairs that the agent won; a tie is a half.
    pub won: f64,
}

impl Rating {
    /// Returns the rating in Elo points above the anchor.
    pub fn elo(&self) -> Estimate {
        let Estimate { mean, low, high, samples } = self.strength;
        Estimate { mean: ELO * mean, low: ELO * low, high: ELO * high, samples }
    }
}

/// The ratings of all agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The agent whose rating is 0.
    pub anchor: usize,
    /// The rating of each agent, by number.
    pub agents: Vec<Rating>,
}

impl Ratings {
    /// Returns the ratings after all blocks. They are 0 for the anchor.
    ///
    /// The interval of a rating is the interval of the difference of two strengths by the studentized bootstrap over blocks
    /// (Efron and Tibshirani, "An introduction to the bootstrap", 1993, chapter 12), in its symmetric form (Hall, "On
    /// symmetric bootstrap confidence intervals", Journal of the Royal Statistical Society B 50, 1988): the estimate,
    /// plus and minus its deviation times the quantile of the replicates' t, or the normal quantile if that is greater.
    /// The latter matters where an agent loses so seldom that the prior holds it in many replicates.
    /// All blocks are drawn together, because a cup may have tables that meet in a single block.
    ///
    /// The interval has no upper end if no chain of wins leads from the anchor to the agent, since every greater
    /// strength explains the results as well (Ford, "Solution of a ranking problem from binary comparisons", American
    /// Mathematical Monthly 64, 1957); and no lower end if none leads from the agent to the anchor.
    ///
    /// The ranges of ranks follow from all pairs of agents of which one is shown to be better (Mogstad, Romano, Shaikh,
    /// and Wilhelm, "Inference for ranks with applications to mobility across neighbourhoods and academic achievement
    /// across countries", Review of Economic Studies 91, 2024). The tests of all pairs are one step-down over the same
    /// replicates, so that in 95 % of all cups none of them errs. Agents of equal strength share the better place.
    ///
    /// # Panics
    /// If the cup has no such anchor.
    pub fn of(results: &Results, anchor: usize, bootstrap: Bootstrap) -> Self {
        let agents = results.agents();
        assert!(anchor < agents, "expected an anchor below {agents}, got {anchor}");
        let fit = Fit::of(results);
        let once = vec![1.0; results.blocks()];
        let deviations = deviations(&fit.covariance(&Counted(results, &once)));
        let pairs: Vec<_> = (0..agents).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
        let difference = |fit: &Fit, (one, other): (usize, usize)| fit.strengths[one] - fit.strengths[other];
        // The t of each pair of agents, in each replicate.
        let replicates = bootstrap.map(|rng| {
            let counts = draw(results.blocks(), rng);
            let replicate = fit.of_replicate(results, &counts);
            let deviations = self::deviations(&replicate.covariance(&Counted(results, &counts)));
            let t = |&pair: &(usize, usize)| (difference(&replicate, pair) - difference(&fit, pair)) / deviations[pair];
            pairs.iter().map(t).collect::<Vec<_>>()
        });
        let bounded = chains(results);
        let strength = |agent: usize| {
            let mean = fit.strengths[agent] - fit.strengths[anchor];
            let samples = results.iter().filter(|block| block.agents.contains(&agent)).count();
            if agent == anchor {
                return Estimate { mean, low: mean, high: mean, samples };
            }
            let pair = (agent.max(anchor), agent.min(anchor));
            let index = pairs.iter().position(|&other| other == pair).expect("all pairs are listed");
            let margin = margin(replicates.iter().map(|replicate| replicate[index].abs()).collect()) * deviations[pair];
            let low = if bounded[(agent, anchor)] { mean - margin } else { f64::NEG_INFINITY };
            let high = if bounded[(anchor, agent)] { mean + margin } else { f64::INFINITY };
            Estimate { mean, low, high, samples }
        };
        // One agent may be better than another if a chain of wins says so.
        let claims: Vec<_> = (0..pairs.len())
            .flat_map(|index| [(index, pairs[index], 1.0), (index, (pairs[index].1, pairs[index].0), -1.0)])
            .filter(|&(_, pair, _)| bounded[pair])
            .collect();
        let statistics: Vec<_> = claims.iter().map(|&(_, pair, _)| difference(&fit, pair) / deviations[pair]).collect();
        let of_claims = |t: &Vec<f64>| claims.iter().map(|&(index, _, sign)| sign * t[index]).collect();
        let p_values = step_down(&statistics, &replicates.iter().map(of_claims).collect::<Vec<_>>());
        let mut ranks = vec![(1, agents); agents];
        for (&(_, (better, worse), _), p_value) in claims.iter().zip(p_values) {
            if p_value < 1.0 - CONFIDENCE {
                ranks[worse].0 += 1;
                ranks[better].1 -= 1;
            }
        }
        let rating = |agent: usize| {
            let (pairs, won) = results.pairs_of(agent);
            Rating {
                strength: strength(agent),
                rank: 1 + fit.strengths.iter().filter(|&&other| other > fit.strengths[agent]).count(),
                ranks: ranks[agent].0..=ranks[agent].1,
                pairs,
                won,
            }
        };
        Self { anchor, agents: (0..agents).map(rating).collect() }
    }
}

/// Returns the standard deviations of all differences of two strengths.
fn deviations(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let variance = |one, other| covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)];
    DMatrix::from_fn(covariance.nrows(), covariance.ncols(), |one, other| variance(one, other).sqrt())
}

/// Returns the quantile of the replicates' distances in which 95 % of them lie, or the normal quantile if that is
/// greater; ∞ with too few replicates.
fn margin(mut distances: Vec<f64>) -> f64 {
    distances.sort_by(f64::total_cmp);
    let outside = (distances.len() + 1) / 20;
    distances.get(distances.len() - outside).map_or(f64::INFINITY, |distance| distance.max(NORMAL))
}

/// Returns the agents between which a chain of wins leads: from the first to an agent that it won a pair or a tie
/// against, and so on to the second. A chain bounds the strength of the first agent from below by the
/// strength of the second.
fn chains(results: &Results) -> DMatrix<bool> {
    let agents = results.agents();
    let mut chains = DMatrix::from_element(agents, agents, false);
    for pairs in results.iter().flat_map(|block| &block.pairs) {
        chains[(pairs.one, pairs.other)] |= pairs.won > 0.0;
        chains[(pairs.other, pairs.one)] |= pairs.won < pairs.played;
    }
    // Warshall, 1962.
    for middle in 0..agents {
        for first in 0..agents {
            for last in 0..agents {
                chains[(first, last)] |= chains[(first, middle)] && chains[(middle, last)];
            }
        }
    }
    chains
}
