//! Influence: does an agent score better with another at the table than the ratings let expect?

use super::bootstrap::Bootstrap;
use super::results::Results;
use super::strengths::Fit;
use super::surplus::{Evidence, Side, Surplus, test};
use crate::blocks::MIN_BLOCKS;
use crate::statistics::CONFIDENCE;

/// The results of all agents with each other at the table, against the ratings.
///
/// The test finds results that the ratings do not explain. It does not tell a gift from a style: an agent whose play
/// happens to suit another is found as well. Somebody has to look at the games. Strong gifts also move the ratings, so
/// that more pairs of agents at the same tables are found; the first finding has the most evidence.
///
/// The power of the test in simulated cups at tables of four, whose games have luck of their own. The strengths lie between -1
/// and 1, and the giver changes ranks with the other agent in a share of the games in which it would rank before it
/// (`tests/contest/calibration/influence.rs`):
///
/// | agents | blocks | with both | share of games | is the first finding |
/// |---|---|---|---|---|
/// | 5 | 50 | 30 | all | in 75 % of cups |
/// | 6 | 150 | 60 | half | in 80 % |
/// | 5 | 200 | 120 | half | in 78 % |
/// | 12 | 180 | 16 | 0.7 | in 75 % |
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The findings on each ordered pair of agents that were tested, those with most evidence first.
    pub findings: Vec<Finding>,
    /// The number of ordered pairs of agents that met at tables of three agents or more, but not often enough for a
    /// test, or always: the test needs blocks of the agent with the other at the table and blocks without it, ten of
    /// each.
    pub untested: usize,
}

/// The results of an agent in the blocks with another at the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The agent that may have got gifts.
    pub agent: usize,
    /// The agent that may have made gifts.
    pub giver: usize,
    /// The number of blocks with both at the table.
    pub blocks: usize,
    /// The share of pairs that the agent won in these blocks, against all opponents at the table.
    pub share: f64,
    /// The share that the ratings let expect.
    pub expected: f64,
    /// The surplus of pairs over the expected number, in standard deviations.
    pub deviations: f64,
    /// The p-value, adjusted for all findings.
    pub p_value: f64,
}

impl Finding {
    /// Returns true if the agent scores better with the other at the table. In 5 % of all cups at most one is found
    /// of any agents without cause.
    pub fn is_suspicious(&self) -> bool {
        self.p_value < 1.0 - CONFIDENCE
    }
}

impl Influence {
    /// Tests all blocks at tables of three agents or more.
    pub fn of(results: &Results, bootstrap: Bootstrap) -> Self {
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
                let (one, other) = (pairs.one, pairs.other);
                for &giver in &block.agents {
                    if giver != one {
                        surpluses[one][giver].add(&fit, number, (one, other), pairs.played, pairs.won);
                    }
                    if giver != other {
                        let lost = pairs.played - pairs.won;
                        surpluses[other][giver].add(&fit, number, (other, one), pairs.played, lost);
                    }
                }
            }
        }
        let enough = |blocks: usize| blocks as u64 >= MIN_BLOCKS;
        let (mut tested, mut found, mut untested) = (Vec::new(), Vec::new(), 0);
        for (agent, of_agent) in surpluses.into_iter().enumerate() {
            for (giver, surplus) in of_agent.into_iter().enumerate() {
                match surplus.blocks() {
                    0 => (),
                    with if enough(with) && enough(blocks[agent] - with) => {
                        tested.push((agent, giver));
                        found.push(surplus);
                    }
                    _ => untested += 1,
                }
            }
        }
        let evidence = test(results, &fit, &found, Side::Above, bootstrap);
        let finding = |(((agent, giver), surplus), evidence): (((usize, usize), &Surplus), Evidence)| Finding {
            agent,
            giver,
            blocks: surplus.blocks(),
            share: surplus.won / surplus.pairs,
            expected: surplus.expected / surplus.pairs,
            deviations: evidence.deviations,
            p_value: evidence.p_value,
        };
        let mut findings: Vec<_> = tested.into_iter().zip(&found).zip(evidence).map(finding).collect();
        findings.sort_by(|one, other| other.deviations.total_cmp(&one.deviations));
        Self { findings, untested }
    }

    /// Returns the findings on agents that score better with another at the table.
    pub fn suspicious(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_suspicious())
    }
}
