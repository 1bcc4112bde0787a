//! The rules that break ties: they order agents of a group with equal shares of pairs. [`super`] says how to add a rule.

use serde::{Deserialize, Serialize};

/// A rule that orders agents with equal shares of pairs. The file names it in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tiebreak {
    /// The share of pairs that each agent won against the others in the tie.
    HeadToHead,
    /// The mean margin of their games.
    Margin,
    /// Extra blocks between the agents. They are played only for a place that decides who advances or wins.
    ExtraBlocks,
}

/// The figures that the rules compare. More is better.
pub(super) trait Figures {
    /// Returns the share of the pairs that the agent won against the others in the tie: in extra blocks, or in all other games.
    fn share(&self, agent: usize, tied: &[usize], extra: bool) -> f64;
    /// Returns the mean margin of the agent in the games of its group.
    fn mean_margin(&self, agent: usize) -> f64;
}

/// The number of an agent in a tie, and the last rule that separated it from others; None if none has.
pub(super) type Ordered = (usize, Option<Tiebreak>);

/// Orders agents with equal shares of pairs: by the first rule, then agents that stay equal by the next rule, and so on.
/// Returns sets of agents that no rule separates, the best set first.
pub(super) fn order(tied: Vec<Ordered>, rules: &[Tiebreak], figures: &impl Figures) -> Vec<Vec<Ordered>> {
    let Some((&rule, rest)) = rules.split_first().filter(|_| tied.len() > 1) else { return vec![tied] };
    let agents: Vec<_> = tied.iter().map(|&(agent, _)| agent).collect();
    let key = |agent| match rule {
        Tiebreak::HeadToHead => figures.share(agent, &agents, false),
        Tiebreak::ExtraBlocks => figures.share(agent, &agents, true),
        Tiebreak::Margin => figures.mean_margin(agent),
    };
    let mut keyed: Vec<(f64, Ordered)> = tied.iter().map(|&ordered| (key(ordered.0), ordered)).collect();
    // The sort is stable: equals stay in the order of their names.
    keyed.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let sets: Vec<_> = keyed.chunk_by(|(one, _), (other, _)| one.total_cmp(other).is_eq()).collect();
    let is_split = sets.len() > 1;
    let of_set = |set: &[(f64, Ordered)]| {
        let decided = |&(_, (agent, by)): &(_, Ordered)| (agent, if is_split { Some(rule) } else { by });
        order(set.iter().map(decided).collect(), rest, figures)
    };
    sets.into_iter().flat_map(of_set).collect()
}
