//! The crosstable: the results of each two agents.

use super::bootstrap::Bootstrap;
use super::results::Results;
use super::strengths::Fit;
use super::surplus::{Surplus, test};
use crate::blocks::MIN_BLOCKS;
use crate::statistics::{Bounds, CONFIDENCE, Estimate, holm};

/// The results of each two agents against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosstable {
    /// The pairs of the agent of the row with the agent of the column; None if they never met, and for an agent and itself.
    pub cells: Vec<Vec<Option<CrosstableCell>>>,
    /// The agents whose results do not fit their ratings, such as agents of a cycle in which each beats the next: their
    /// surplus exceeds the greatest surplus of 95 % of all replicates.
    pub intransitive: Vec<Intransitive>,
}

/// The results of one agent against another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrosstableCell {
    /// The share of pairs that the agent of the row won, as a mean over blocks with its interval. A tie is a half.
    pub share: Estimate,
    /// The p-value of equal shares, after Holm's correction for all pairs of agents. Below 0.05 the agents differ; all
    /// such verdicts of a crosstable together err in 5 % of all cups at most. With fewer than [`MIN_BLOCKS`] the p-value
    /// is 1.
    pub p_value: f64,
}

impl CrosstableCell {
    /// Returns true if the agents differ, after Holm's correction.
    pub fn differs(&self) -> bool {
        self.p_value < 1.0 - CONFIDENCE
    }
}

/// Two agents whose results do not fit their ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intransitive {
    /// The agent that won more pairs against the other than its rating lets expect.
    pub agent: usize,
    /// The other agent.
    pub other: usize,
    /// The share of their pairs that the agent won.
    pub share: f64,
    /// The share that the ratings let expect.
    pub expected: f64,
    /// The p-value of the difference, adjusted for all pairs of agents.
    pub p_value: f64,
}

impl Crosstable {
    /// Returns the crosstable of all blocks. Pairs of agents with fewer than [`MIN_BLOCKS`] are not tested.
    pub fn of(results: &Results, bootstrap: Bootstrap) -> Self {
        let agents = results.agents();
        let mut meetings: Vec<_> =
            (0..agents).flat_map(|one| (one + 1..agents).map(move |other| Meeting::new(one, other, agents))).collect();
        let fit = Fit::of(results);
        for (number, block) in results.iter().enumerate() {
            for pairs in &block.pairs {
                let place = |&Meeting { one, other, .. }: &Meeting| (one, other);
                let index = meetings.binary_search_by_key(&(pairs.one, pairs.other), place).expect("all are listed");
                meetings[index].surplus.add(&fit, number, (pairs.one, pairs.other), pairs.played, pairs.won);
                meetings[index].shares.push(pairs.won / pairs.played);
            }
        }
        meetings.retain(|meeting| !meeting.shares.is_empty());

        let mut cells = vec![vec![None; agents]; agents];
        let p_value = |meeting: &Meeting| match meeting.is_tested() {
            true => Estimate::p_value(&meeting.shares, Bounds::SHARE, 0.5),
            false => 1.0,
        };
        let tested: Vec<_> = meetings.iter().filter(|meeting| meeting.is_tested()).map(p_value).collect();
        let mut corrected = holm(&tested).into_iter();
        for meeting in &meetings {
            let p_value = if meeting.is_tested() { corrected.next().unwrap_or(1.0) } else { 1.0 };
            let share = Estimate::of_bounded(&meeting.shares, Bounds::SHARE);
            let mirrored = Estimate { mean: 1.0 - share.mean, low: 1.0 - share.high, high: 1.0 - share.low, ..share };
            cells[meeting.one][meeting.other] = Some(CrosstableCell { share, p_value });
            cells[meeting.other][meeting.one] = Some(CrosstableCell { share: mirrored, p_value });
        }

        meetings.retain(Meeting::is_tested);
        let surpluses: Vec<_> = meetings.iter().map(|meeting| meeting.surplus.clone()).collect();
        let p_values = test(results, &fit, &surpluses, bootstrap);
        let found = meetings.iter().zip(p_values).filter(|&(_, p_value)| p_value < 1.0 - CONFIDENCE);
        Self { cells, intransitive: found.map(|(meeting, p_value)| meeting.intransitive(p_value)).collect() }
    }
}

/// All blocks in which two agents met.
struct Meeting {
    one: usize,
    other: usize,
    /// The share of pairs that `one` won, by block.
    shares: Vec<f64>,
    surplus: Surplus,
}

impl Meeting {
    fn new(one: usize, other: usize, agents: usize) -> Self {
        Self { one, other, shares: Vec::new(), surplus: Surplus::new(agents) }
    }

    fn is_tested(&self) -> bool {
        self.shares.len() as u64 >= MIN_BLOCKS
    }

    fn intransitive(&self, p_value: f64) -> Intransitive {
        let Self { one, other, surplus, .. } = self;
        let [share, expected] = [surplus.won, surplus.expected].map(|won| won / surplus.pairs);
        match share > expected {
            true => Intransitive { agent: *one, other: *other, share, expected, p_value },
            false => Intransitive { agent: *other, other: *one, share: 1.0 - share, expected: 1.0 - expected, p_value },
        }
    }
}
