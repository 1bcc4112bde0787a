//! Standings: the places of a group, and the rules that order agents with equal shares of pairs.

use super::file::Tiebreak;
use super::state::{State, TableState};

/// The standings of a group of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The agents, the first place first; equals in the order of their names.
    pub rows: Vec<Standing>,
}

/// The results of an agent in a group. Extra blocks count nowhere but between those that they order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// The number of the agent.
    pub agent: usize,
    /// The place; agents that no rule orders share the best one. 0 for an anchor, which takes none.
    pub place: usize,
    /// The number of games.
    pub games: u64,
    /// The number of pairs with other agents. A pair is two seats in one game.
    pub pairs: u64,
    /// Twice the number of pairs that the agent won; a tie is a half, and a seat that forfeits loses its pairs.
    pub half_pairs: u64,
    /// The share of wins, summed over games: a win shared by k counts 1/k.
    pub wins: f64,
    /// The points above the mean of the other seats, summed over the games without a forfeit.
    pub margin: f64,
    /// The number of games without a forfeit.
    pub margin_games: u64,
    /// The number of forfeits, also those after the agent left.
    pub forfeits: u64,
    /// The rule that ordered the agent among those with its share of pairs; None if no rule had to.
    pub decided_by: Option<Tiebreak>,
}

impl Standing {
    /// Returns the share of pairs won; a half without pairs.
    pub fn share(&self) -> f64 {
        share((self.half_pairs, self.pairs))
    }

    /// Returns the mean margin; 0 without games.
    pub fn mean_margin(&self) -> f64 {
        if self.margin_games == 0 { 0.0 } else { self.margin / self.margin_games as f64 }
    }
}

/// Returns a share of pairs, from twice the number won and the number; a half without pairs. Equal fractions have equal
/// shares, and others differ below 40 million pairs.
fn share((half_pairs, pairs): (u64, u64)) -> f64 {
    if pairs == 0 { 0.5 } else { half_pairs as f64 / (2 * pairs) as f64 }
}

impl Standings {
    /// Returns the standings of a group of a stage that has tables.
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
            for set in order(state, equals.to_vec(), &state.cup.tournament.tiebreak, &|extra| tables(extra).collect()) {
                let size = set.len();
                done.extend(set.into_iter().map(|row| Standing { place, ..row }));
                place += size;
            }
        }
        done.extend(anchors);
        Self { rows: done }
    }

    /// Returns the agents that take places, the first place first.
    pub fn ranked(&self) -> impl Iterator<Item = &Standing> {
        self.rows.iter().filter(|row| row.place > 0)
    }

    /// Returns the agents that share a place on both sides of a line below this number of places; none if the line
    /// separates different places.
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

/// Orders agents with equal shares of pairs by the rules that are left. Returns sets of agents that stay equal, the best
/// first.
fn order<'a>(
    state: &State,
    equals: Vec<Standing>,
    rules: &[Tiebreak],
    tables: &dyn Fn(bool) -> Vec<&'a TableState>,
) -> Vec<Vec<Standing>> {
    let Some((&rule, rest)) = rules.split_first().filter(|_| equals.len() > 1) else { return vec![equals] };
    let agents: Vec<_> = equals.iter().map(|row| row.agent).collect();
    let share = |row: &Standing, extra: bool| share(pairs_among(state, row.agent, &agents, &tables(extra)));
    // More is better.
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

/// Returns the pairs of an agent with some others at these tables: twice the number won, and the number.
fn pairs_among(state: &State, agent: usize, others: &[usize], tables: &[&TableState]) -> (u64, u64) {
    let name = state.name(agent);
    let counts = |other: &str| other != name && others.iter().any(|&number| state.name(number) == other);
    let mut sum = (0, 0);
    for result in tables.iter().flat_map(|table| &table.results).flatten() {
        for seat in 0..result.agents.len() {
            for opposite in (0..result.agents.len()).filter(|_| result.agents[seat] == name) {
                if counts(&result.agents[opposite]) {
                    sum = (sum.0 + u64::from(result.half_pairs(seat, opposite)), sum.1 + 1);
                }
            }
        }
    }
    sum
}

impl Standing {
    fn count<'a>(state: &State, agent: usize, tables: impl Iterator<Item = &'a TableState>) -> Self {
        let mut row = Self { agent, ..Self::default() };
        let name = state.name(agent);
        for result in tables.filter(|table| table.agents.contains(&agent)).flat_map(|table| &table.results).flatten() {
            let seats = result.agents.len();
            let own = |seat: &usize| result.agents[*seat] == name;
            let has_forfeit = result.forfeits.iter().any(Option::is_some);
            row.games += 1;
            for seat in (0..seats).filter(own) {
                let opponents = (0..seats).filter(|opposite| !own(opposite));
                let won: Vec<_> = opponents.map(|opposite| u64::from(result.half_pairs(seat, opposite))).collect();
                row.pairs += won.len() as u64;
                row.half_pairs += won.iter().sum::<u64>();
                row.forfeits += u64::from(result.forfeits[seat].is_some());
                row.wins += result.win_share(seat);
                if !has_forfeit && !result.scores.is_empty() {
                    let sum: f64 = result.scores.iter().map(|&score| f64::from(score)).sum();
                    let score = f64::from(result.scores[seat]);
                    row.margin += score - (sum - score) / (seats - 1) as f64;
                }
            }
            row.margin_games += u64::from(!has_forfeit && !result.scores.is_empty());
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cup::result::GameResult;

    /// Orders two agents with equal shares, of which a won their game and b has the larger margin.
    fn ordered(rules: &[Tiebreak]) -> Vec<(usize, Option<Tiebreak>)> {
        let agent = |name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n");
        let agents = ["a", "b"].map(agent).concat();
        let file = format!("game = \"rapanui_cards\"\nseats = 2\nblocks = 1\n[tournament]\nname = \"T\"\n{agents}");
        let state = State::drawn(&file).expect("tables can be drawn");
        let result = GameResult {
            match_id: None,
            agents: vec!["a".to_owned(), "b".to_owned()],
            scores: vec![4, 3],
            ranks: vec![1, 2],
            forfeits: vec![None, None],
            digest: None,
            decisions: 0,
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
