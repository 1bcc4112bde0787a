//! Influence: what each agent gained beside another, and the ratings did not expect.

use super::results::Results;
use super::strengths::Fit;
use super::surplus::{Spread, Surplus};
use crate::blocks::MIN_BLOCKS;
use crate::statistics::{Estimate, student};

/// The gain of each agent beside each other agent, at tables of three agents or more.
///
/// A gain says that the ratings do not explain some results, and not why. The errors of a weak agent lift whoever is next
/// to it in strength, and a style may suit another. So gains without any intent are common, and nobody is named for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The gains of each ordered pair of agents that met often enough, by the numbers of agent and other.
    pub pairs: Vec<Beside>,
    /// The number of ordered pairs of agents that met, but have no gain: it needs [`MIN_BLOCKS`] of the agent with the other at
    /// the table, and as many without it.
    pub unmeasured: usize,
}

/// The results of an agent in the blocks with another at the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// The agent.
    pub agent: usize,
    /// The other.
    pub other: usize,
    /// The share of pairs that the agent won in these blocks, against all opponents at the table.
    pub share: f64,
    /// The share that the ratings let expect.
    pub expected: f64,
    /// The share less the expected share, with its interval. The samples are the blocks with both.
    ///
    /// The truth is the gain in an endless cup with the same tables. `tests/contest/calibration/influence.rs` shows how often the
    /// interval holds it.
    pub gained: Estimate,
}

impl Influence {
    /// Measures all blocks at tables of three agents or more.
    pub fn of(results: &Results) -> Self {
        let agents = results.agents();
        let fit = Fit::of(results);
        let mut surpluses: Vec<Vec<Surplus>> = vec![vec![Surplus::new(agents); agents]; agents];
        let mut blocks = vec![0; agents];
        for (number, block) in results.iter().enumerate() {
            block.agents.iter().for_each(|&agent| blocks[agent] += 1);
            if block.agents.len() < 3 {
                continue;
            }
            for pairs in &block.pairs {
                let (one, opponent) = (pairs.one, pairs.other);
                for &other in &block.agents {
                    if other != one {
                        surpluses[one][other].add(&fit, number, (one, opponent), pairs.played, pairs.won);
                    }
                    if other != opponent {
                        let lost = pairs.played - pairs.won;
                        surpluses[opponent][other].add(&fit, number, (opponent, one), pairs.played, lost);
                    }
                }
            }
        }
        let enough = |blocks: usize| blocks as u64 >= MIN_BLOCKS;
        let (mut measured, mut found, mut unmeasured) = (Vec::new(), Vec::new(), 0);
        for (agent, of_agent) in surpluses.into_iter().enumerate() {
            for (other, surplus) in of_agent.into_iter().enumerate() {
                match surplus.blocks() {
                    0 => (),
                    with if enough(with) && enough(blocks[agent] - with) => {
                        measured.push((agent, other));
                        found.push(surplus);
                    }
                    _ => unmeasured += 1,
                }
            }
        }
        let beside = |(((agent, other), surplus), spread): (((usize, usize), &Surplus), Spread)| {
            let [share, expected, deviation] =
                [surplus.won, surplus.expected, spread.deviation].map(|value| value / surplus.pairs);
            let samples = surplus.blocks();
            // The part with fewer blocks says how well the deviation is known.
            let freedom = samples.min(blocks[agent] - samples) as f64 - 1.0;
            let (mean, margin) = (share - expected, student(freedom) * deviation);
            let gained = Estimate { mean, low: mean - margin, high: mean + margin, samples };
            Beside { agent, other, share, expected, gained }
        };
        let spreads = Spread::of(results, &fit, &found);
        Self { pairs: measured.into_iter().zip(&found).zip(spreads).map(beside).collect(), unmeasured }
    }
}
