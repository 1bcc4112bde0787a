//! Standings: the places of a group, and the rules that order agents with equal shares of pairs.

use super::state::{State, TableState};
use super::tiebreak::{Tiebreak, order};

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
pub(super) fn share((half_pairs, pairs): (u64, u64)) -> f64 {
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

impl Standing {
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
