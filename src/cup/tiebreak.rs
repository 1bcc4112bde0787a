//! The rules that break ties: they order agents of a group with equal shares of pairs. [`super`] says how to add a rule.

use serde::{Deserialize, Serialize};

use super::standings::{Standing, share};
use super::state::{State, TableState};

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

/// Orders agents with equal shares of pairs: by the first rule, then agents that stay equal by the next rule, and so on.
/// Returns sets of agents that no rule separates, the best set first. `tables` returns the tables of the group: the extra ones
/// for true, and the others for false.
pub(super) fn order<'a>(
    state: &State,
    equals: Vec<Standing>,
    rules: &[Tiebreak],
    tables: &dyn Fn(bool) -> Vec<&'a TableState>,
) -> Vec<Vec<Standing>> {
    let Some((&rule, rest)) = rules.split_first().filter(|_| equals.len() > 1) else { return vec![equals] };
    let agents: Vec<_> = equals.iter().map(|row| row.agent).collect();
    let share = |row: &Standing, extra: bool| share(pairs_among(state, row.agent, &agents, &tables(extra)));
    // The greater number is better.
    let key = |row: &Standing| match rule {
        Tiebreak::HeadToHead => share(row, false),
        Tiebreak::ExtraBlocks => share(row, true),
        Tiebreak::Margin => row.mean_margin(),
    };
    let mut keyed: Vec<(f64, Standing)> = equals.into_iter().map(|row| (key(&row), row)).collect();
    // The sort is stable: equals stay in the order of their names.
    keyed.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let sets: Vec<_> = keyed.chunk_by(|(one, _), (other, _)| one.total_cmp(other).is_eq()).collect();
    let is_split = sets.len() > 1;
    let of_set = |set: &[(f64, Standing)]| {
        let decided_by = |row: &Standing| if is_split { Some(rule) } else { row.decided_by };
        let rows = set.iter().map(|(_, row)| Standing { decided_by: decided_by(row), ..row.clone() }).collect();
        order(state, rows, rest, tables)
    };
    sets.into_iter().flat_map(of_set).collect()
}

/// Counts the pairs of an agent with these others at these tables. Returns the half pairs that it won, and the number of pairs.
fn pairs_among(state: &State, agent: usize, others: &[usize], tables: &[&TableState]) -> (u64, u64) {
    let name = state.name(agent);
    let others: Vec<_> = others.iter().filter(|&&other| other != agent).map(|&other| state.name(other)).collect();
    let (mut half_pairs, mut pairs) = (0, 0);
    for result in tables.iter().flat_map(|table| &table.results).flatten() {
        let seats = || result.agents.iter().enumerate();
        for (seat, _) in seats().filter(|(_, own)| *own == name) {
            for (opposite, _) in seats().filter(|(_, other)| others.contains(&other.as_str())) {
                half_pairs += u64::from(result.half_pairs(seat, opposite));
                pairs += 1;
            }
        }
    }
    (half_pairs, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cup::game_result::GameResult;

    /// Orders two agents with equal shares. Agent a won their game, and agent b has the larger margin.
    fn ordered(rules: &[Tiebreak]) -> Vec<(usize, Option<Tiebreak>)> {
        let agent = |name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n");
        let agents = ["a", "b"].map(agent).concat();
        let file = format!("game = \"rapanui_cards\"\nseats = 2\nblocks = 1\n[tournament]\nname = \"T\"\n{agents}");
        let state = State::drawn(&file).expect("tables can be drawn");
        let result = GameResult {
            agents: vec!["a".to_owned(), "b".to_owned()],
            scores: vec![4, 3],
            ranks: vec![1, 2],
            forfeits: vec![None, None],
            ..GameResult::default()
        };
        let table = TableState { results: vec![Some(result)], ..state.stages[0].tables[0].clone() };
        let row = |(agent, margin)| Standing { agent, margin, margin_games: 4, ..Standing::default() };
        let equals = [(0, 1.0), (1, 5.0)].map(row).to_vec();
        let sets = order(&state, equals, rules, &|is_extra| if is_extra { Vec::new() } else { vec![&table] });
        sets.into_iter().flatten().map(|row| (row.agent, row.decided_by)).collect()
    }

    #[test]
    fn the_first_rule_that_separates_equals_orders_them() {
        use Tiebreak::{ExtraBlocks, HeadToHead, Margin};
        for (rules, first, by) in [
            (&[HeadToHead, Margin][..], 0, Some(HeadToHead)),
            (&[Margin, HeadToHead], 1, Some(Margin)),
            (&[ExtraBlocks, Margin, HeadToHead], 1, Some(Margin)),
            (&[ExtraBlocks, HeadToHead], 0, Some(HeadToHead)),
            (&[ExtraBlocks], 0, None),
            (&[], 0, None),
        ] {
            assert_eq!(ordered(rules), [(first, by), (1 - first, by)], "{rules:?}");
        }
    }
}
