//! Standings: the results and places of the agents of a group. `tiebreak.rs` orders agents with equal shares of pairs.

use super::state::{State, TableState};
use super::tiebreak::{Figures, Ordered, Tiebreak, order};

/// The standings of a group of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// A row for each agent: the first place first, equals in the order of their names, then the anchors.
    pub rows: Vec<Standing>,
}

/// The results of an agent in a group. Extra blocks do not count here: they only order the agents that play them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// The number of the agent.
    pub agent: usize,
    /// The place, from 1; agents that no rule orders share the best of their places. 0 for an anchor, which takes no place.
    pub place: usize,
    /// The number of games.
    pub games: u64,
    /// The number of pairs with other agents. A pair is two seats in one game.
    pub pairs: u64,
    /// Twice the number of pairs that the agent won. A tie counts half, and a seat that forfeits loses its pairs.
    pub half_pairs: u64,
    /// The number of games that the agent won; a win shared by k seats counts 1/k.
    pub wins: f64,
    /// The margin, summed over the games without a forfeit: the points above the mean of the other seats.
    pub margin: f64,
    /// The number of games without a forfeit, over which `margin` is summed.
    pub margin_games: u64,
    /// The number of forfeits, including the games after the agent left.
    pub forfeits: u64,
    /// The rule that separated the agent from others with its share of pairs; None if none did.
    pub decided_by: Option<Tiebreak>,
}

impl Standing {
    /// Returns the share of pairs that the agent won; 0.5 without pairs.
    pub fn share(&self) -> f64 {
        share((self.half_pairs, self.pairs))
    }

    /// Returns the place for people; None for an anchor, and for an agent that has not played.
    pub fn shown_place(&self) -> Option<usize> {
        (self.place > 0 && self.games > 0).then_some(self.place)
    }

    /// Returns the mean margin; 0 if every game had a forfeit.
    pub fn mean_margin(&self) -> f64 {
        if self.margin_games == 0 { 0.0 } else { self.margin / self.margin_games as f64 }
    }
}

/// Returns the share of pairs won, from half pairs and pairs; 0.5 without pairs. Equal fractions give equal shares, and
/// different fractions different shares, up to 40 million pairs.
fn share((half_pairs, pairs): (u64, u64)) -> f64 {
    if pairs == 0 { 0.5 } else { half_pairs as f64 / (2 * pairs) as f64 }
}

impl Standings {
    /// Returns the standings of a group of a stage. The stage must have tables.
    pub fn of(state: &State, number: usize, group: usize) -> Self {
        let members = &state.stages[number].groups[group];
        let all = &state.stages[number].tables;
        let tables = |extra: bool| all.iter().filter(move |table| table.group == group && table.is_extra == extra);
        let mut rows: Vec<_> = members.iter().map(|&agent| Standing::count(state, agent, tables(false))).collect();
        rows.sort_by(|one, other| state.name(one.agent).cmp(state.name(other.agent)));
        let (mut ranked, anchors): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| !state.agents[row.agent].entrant.is_anchor);
        ranked.sort_by(|one, other| other.share().total_cmp(&one.share()));
        let mut place = 1;
        let mut done: Vec<Standing> = Vec::new();
        for equals in ranked.chunk_by(|one, other| one.share().total_cmp(&other.share()).is_eq()) {
            let tied = equals.iter().map(|row| (row.agent, None)).collect();
            let (games, extra) = (tables(false).collect(), tables(true).collect());
            let tie = Tie { state, rows: equals, games, extra };
            for set in order(tied, &state.cup.header.tiebreak, &tie) {
                let row = |&(agent, decided_by): &Ordered| Standing { place, decided_by, ..tie.row(agent).clone() };
                done.extend(set.iter().map(row));
                place += set.len();
            }
        }
        done.extend(anchors);
        Self { rows: done }
    }

    /// Returns the agents on the first place of each group of the last stage, or with the best rating of a ladder; empty before
    /// the end of the cup.
    pub fn winners(state: &State) -> Vec<usize> {
        let number = state.stage();
        if let Some(ladder) = state.ladder().filter(|_| number == 0 && state.has_ended()) {
            let ranked = ladder.ranked(state, |_| 0);
            let rating = |agent: usize| ladder.agents[agent].rating;
            return ranked.iter().copied().take_while(|&agent| rating(agent) == rating(ranked[0])).collect();
        }
        let groups = state.stages.get(number).filter(|_| state.has_ended()).map_or(0, |stage| stage.groups.len());
        let rows = (0..groups).flat_map(|group| Self::of(state, number, group).rows);
        rows.filter(|row| row.shown_place() == Some(1)).map(|row| row.agent).collect()
    }

    /// Returns the rows of the agents that take places, the first place first.
    pub fn ranked(&self) -> impl Iterator<Item = &Standing> {
        self.rows.iter().filter(|row| row.place > 0)
    }

    /// Returns the agents that share the place at a line below this number of agents, in the order of their numbers. Returns
    /// none if the agents above and below the line have different places.
    pub fn tied_at(&self, above: usize) -> Vec<usize> {
        let ranked: Vec<_> = self.ranked().collect();
        let (Some(last), Some(next)) = (above.checked_sub(1).and_then(|last| ranked.get(last)), ranked.get(above))
        else {
            return Vec::new();
        };
        if last.place != next.place {
            return Vec::new();
        }
        let mut tied: Vec<_> = ranked.iter().filter(|row| row.place == last.place).map(|row| row.agent).collect();
        tied.sort_unstable();
        tied
    }
}

impl Standing {
    /// Returns the results of an agent at one table, without a place.
    pub fn of_table(state: &State, agent: usize, table: &TableState) -> Self {
        Self::count(state, agent, std::iter::once(table))
    }

    fn count<'a>(state: &State, agent: usize, tables: impl Iterator<Item = &'a TableState>) -> Self {
        let mut row = Self { agent, ..Self::default() };
        let name = state.name(agent);
        for result in tables.filter(|table| table.agents.contains(&agent)).flat_map(|table| &table.results).flatten() {
            let seats = result.agents.len();
            let has_margin = result.forfeits.iter().all(Option::is_none) && !result.scores.is_empty();
            row.games += 1;
            let own = |seat: &usize| result.agents[*seat] == name;
            for seat in (0..seats).filter(own) {
                for opposite in (0..seats).filter(|opposite| !own(opposite)) {
                    row.pairs += 1;
                    row.half_pairs += u64::from(result.half_pairs(seat, opposite));
                }
                row.forfeits += u64::from(result.forfeits[seat].is_some());
                row.wins += result.win_share(seat);
                if has_margin {
                    let sum: f64 = result.scores.iter().map(|&score| f64::from(score)).sum();
                    let score = f64::from(result.scores[seat]);
                    row.margin += score - (sum - score) / (seats - 1) as f64;
                }
            }
            row.margin_games += u64::from(has_margin);
        }
        row
    }
}

/// Agents with equal shares of pairs, and the tables of their group.
struct Tie<'a> {
    state: &'a State,
    rows: &'a [Standing],
    games: Vec<&'a TableState>,
    /// The tables of extra blocks.
    extra: Vec<&'a TableState>,
}

impl Tie<'_> {
    fn row(&self, agent: usize) -> &Standing {
        self.rows.iter().find(|row| row.agent == agent).expect("the agent is in the tie")
    }
}

impl Figures for Tie<'_> {
    fn share(&self, agent: usize, tied: &[usize], extra: bool) -> f64 {
        share(pairs_among(self.state, agent, tied, if extra { &self.extra } else { &self.games }))
    }

    fn mean_margin(&self, agent: usize) -> f64 {
        self.row(agent).mean_margin()
    }
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
    fn ordered(rules: &[Tiebreak]) -> Vec<Ordered> {
        let agent = |name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n");
        let agents = ["a", "b"].map(agent).concat();
        let file = format!("game = \"rapanui_cards\"\nseats = 2\nblocks = 1\n[cup]\nname = \"T\"\n{agents}");
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
        let equals = [(0, 1.0), (1, 5.0)].map(row);
        let tie = Tie { state: &state, rows: &equals, games: vec![&table], extra: Vec::new() };
        order(vec![(0, None), (1, None)], rules, &tie).concat()
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
