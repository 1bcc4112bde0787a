//! The draw of tables: which agents of a stage meet, so that all pairs that may meet do so equally often.
//!
//! A table is a set of agents that play one block. The draw builds as many tables as the meetings need, each around the
//! pair that is furthest behind. Then it exchanges agents between tables by simulated annealing (Kirkpatrick, Gelatt, and
//! Vecchi, "Optimization by simulated annealing", Science 220, 1983), until the meetings are even. The same agents, tables,
//! and number of meetings always give the same draw, so a cup that is planned is the cup that is played.

use std::collections::BTreeSet;

use ahu_host::ensure;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// The agents of one block: their numbers, in rising order.
pub(super) type Table = Vec<usize>;

/// The number of candidates from which each table is chosen.
const CANDIDATES: usize = 24;
/// The number of exchanges that are tried for each table.
const EXCHANGES: usize = 4000;
/// The temperature of the first exchanges, in units of [`unevenness`]; it falls to a hundredth. While it is high, some
/// exchanges are kept although they make the meetings less even.
const TEMPERATURE: f64 = 2.0;

/// A draw in progress: the pairs that may meet, and their meetings so far.
#[derive(Clone, Debug)]
pub struct Draw {
    agents: usize,
    seats: usize,
    /// The number of blocks in which each pair that may meet should meet.
    meetings: u32,
    /// The pairs that must not meet, as (smaller, larger).
    apart: BTreeSet<(usize, usize)>,
    tables: Vec<Table>,
    /// The number of tables at the start of `tables` that must not change, because they were played or announced.
    fixed: usize,
    /// The number of meetings of each pair, at [`Self::pair`].
    met: Vec<u32>,
}

/// The reason why no tables can be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawError {
    /// There are fewer agents than seats.
    TooFew {
        /// The number of agents.
        agents: usize,
        /// The number of seats.
        seats: usize,
    },
    /// No table can be found for this agent, because too many other agents must not meet it or each other.
    NoTable(usize),
}

impl DrawError {
    /// Returns the error as text. `name` returns the name of an agent.
    pub fn text(&self, name: impl Fn(usize) -> String) -> String {
        match self {
            Self::TooFew { agents, seats } => {
                format!("expected at least {seats} agents for {seats} seats, got {agents}")
            }
            Self::NoTable(agent) => format!(
                "agent \"{}\" finds no table: agents of one owner must not meet, and too few others are left; \
                 allow_teammates = true lets them meet",
                name(*agent)
            ),
        }
    }
}

/// Returns the tables of a gauntlet after the tables that the draw has. Each challenger meets all other agents equally often,
/// give or take one meeting. Challengers do not meet each other.
pub(super) fn gauntlet(draw: &Draw, challengers: &[usize]) -> Result<Vec<Table>, DrawError> {
    let mut tables = draw.tables.clone();
    let mut met = draw.met.clone();
    for &challenger in challengers {
        let others: Vec<_> = (0..draw.agents)
            .filter(|other| !challengers.contains(other) && draw.may_meet(challenger, *other))
            .collect();
        let pair = |other: usize| draw.pair(challenger, other);
        while others.iter().any(|&other| met[pair(other)] < draw.meetings) {
            let mut table = vec![challenger];
            while table.len() < draw.seats {
                let may_sit =
                    |&&other: &&usize| !table.contains(&other) && table.iter().all(|&one| draw.may_meet(one, other));
                // The agent that met the challenger least; among equals, the one that met the others at the table least.
                let with_others = |other: usize| table[1..].iter().map(|&one| met[draw.pair(one, other)]).sum::<u32>();
                let next =
                    others.iter().filter(may_sit).min_by_key(|&&other| (met[pair(other)], with_others(other), other));
                table.push(*next.ok_or(DrawError::NoTable(challenger))?);
            }
            pairs_of(&table).for_each(|(one, other)| met[draw.pair(one, other)] += 1);
            table.sort_unstable();
            tables.push(table);
        }
    }
    with_all(tables, draw.agents)
}

/// Returns the tables if every agent sits at one of them.
fn with_all(tables: Vec<Table>, agents: usize) -> Result<Vec<Table>, DrawError> {
    let alone = (0..agents).find(|agent| !tables.iter().any(|table| table.contains(agent)));
    alone.map_or(Ok(tables), |agent| Err(DrawError::NoTable(agent)))
}

impl Draw {
    /// Creates a draw without tables. Each pair that may meet shall have this number of meetings. The pairs in `apart` must not
    /// meet.
    pub fn new(agents: usize, seats: usize, meetings: u32, apart: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let apart = apart.into_iter().map(|(one, other)| (one.min(other), one.max(other))).collect();
        let met = vec![0; agents * agents];
        Self { agents, seats, meetings, apart, tables: Vec::new(), fixed: 0, met }
    }

    /// Adds tables that must not change.
    #[must_use]
    pub fn with_fixed(mut self, tables: impl IntoIterator<Item = Table>) -> Self {
        for mut table in tables {
            table.sort_unstable();
            self.count(&table);
            self.tables.push(table);
        }
        self.fixed = self.tables.len();
        self
    }

    /// Draws tables until every pair that may meet has met often enough. Returns all tables, starting with the fixed ones.
    pub fn draw(mut self) -> Result<Vec<Table>, DrawError> {
        let (agents, seats) = (self.agents, self.seats);
        ensure(agents >= seats, || DrawError::TooFew { agents, seats })?;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let new = self.missing().div_ceil((seats * (seats - 1) / 2) as u32);
        for _ in 0..new {
            let table = self.next_table(&mut rng)?;
            self.count(&table);
            self.tables.push(table);
        }
        if seats > 2 {
            self.exchange(&mut rng);
        }
        self.tables[self.fixed..].iter_mut().for_each(|table| table.sort_unstable());
        with_all(self.tables, agents)
    }

    fn met(&self, one: usize, other: usize) -> u32 {
        self.met[self.pair(one, other)]
    }

    fn pair(&self, one: usize, other: usize) -> usize {
        one.min(other) * self.agents + one.max(other)
    }

    fn may_meet(&self, one: usize, other: usize) -> bool {
        one != other && !self.apart.contains(&(one.min(other), one.max(other)))
    }

    /// Returns the pairs that may meet.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let pairs = (0..self.agents).flat_map(|one| (one + 1..self.agents).map(move |other| (one, other)));
        pairs.filter(|&(one, other)| self.may_meet(one, other))
    }

    /// Returns the number of missing meetings, summed over all pairs.
    fn missing(&self) -> u32 {
        self.pairs().map(|(one, other)| self.meetings.saturating_sub(self.met(one, other))).sum()
    }

    /// Counts the meetings of a new table.
    fn count(&mut self, table: &[usize]) {
        for (one, other) in pairs_of(table) {
            let pair = self.pair(one, other);
            self.met[pair] += 1;
        }
    }

    /// Returns the change of the sum of the squares of missing meetings if this agent joins this table.
    fn cost(&self, table: &[usize], agent: usize) -> i64 {
        let cost = |&other: &usize| i64::from(self.met(agent, other)) - i64::from(self.meetings);
        table.iter().map(|other| 2 * cost(other) + 1).sum()
    }

    /// Builds several tables around pairs that have met least, and returns the best.
    fn next_table(&self, rng: &mut ChaCha8Rng) -> Result<Table, DrawError> {
        let mut best: Option<(i64, Table)> = None;
        let least = self.pairs().map(|(one, other)| self.met(one, other)).min().unwrap_or(0);
        let behind: Vec<_> = self.pairs().filter(|&(one, other)| self.met(one, other) == least).collect();
        for _ in 0..CANDIDATES {
            let Some(&(one, other)) = behind.get(below(rng, behind.len())) else { break };
            let mut table = vec![one, other];
            let mut cost = self.cost(&[one], other);
            while table.len() < self.seats {
                let free = (0..self.agents).filter(|&agent| table.iter().all(|&other| self.may_meet(agent, other)));
                let costs: Vec<_> = free.map(|agent| (self.cost(&table, agent), agent)).collect();
                let Some(&(least, _)) = costs.iter().min() else { break };
                let equal: Vec<_> = costs.iter().filter(|(cost, _)| *cost == least).collect();
                let &&(_, agent) = equal.get(below(rng, equal.len())).expect("one of them is the least");
                cost += least;
                table.push(agent);
            }
            table.sort_unstable();
            if table.len() == self.seats && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, table));
            }
        }
        best.map(|(_, table)| table).ok_or_else(|| DrawError::NoTable(behind.first().map_or(0, |pair| pair.0)))
    }

    /// Makes the meetings more even: exchanges agents between two tables, or an agent at a table for an agent outside it.
    fn exchange(&mut self, rng: &mut ChaCha8Rng) {
        let free = self.tables.len() - self.fixed;
        let exchanges = free * EXCHANGES;
        let mut uneven = self.uneven();
        for exchange in 0..exchanges {
            if uneven == 0 {
                break;
            }
            let temperature = TEMPERATURE * 0.01f64.powf(exchange as f64 / exchanges as f64);
            let [first, second] = [(); 2].map(|()| (self.fixed + below(rng, free), below(rng, self.seats)));
            let agents = [first, second].map(|(table, place)| self.tables[table][place]);
            let outsider = below(rng, self.agents);
            let most = -temperature * uniform(rng).ln();
            uneven += match rng.next_u32() % 2 {
                0 => self.try_exchange(&[(first, outsider)], most),
                _ if first.0 != second.0 => self.try_exchange(&[(first, agents[1]), (second, agents[0])], most),
                _ => 0,
            };
        }
    }

    fn uneven(&self) -> i64 {
        self.pairs().map(|(one, other)| self.unevenness(self.met(one, other))).sum()
    }

    /// Returns the fourth power of the difference from the wanted number of meetings. Two pairs that miss it by one are thus
    /// better than one pair that misses it by two.
    fn unevenness(&self, met: u32) -> i64 {
        (i64::from(met) - i64::from(self.meetings)).pow(4)
    }

    /// Puts other agents on these places, unless two of them must not meet or the unevenness would rise by more than `most`.
    /// Returns the change of the unevenness.
    fn try_exchange(&mut self, changes: &[((usize, usize), usize)], most: f64) -> i64 {
        let before: Vec<_> = changes.iter().map(|&((table, _), _)| self.tables[table].clone()).collect();
        let mut after = before.clone();
        for (table, &((_, place), agent)) in after.iter_mut().zip(changes) {
            table[place] = agent;
            if table.iter().enumerate().any(|(at, &other)| at != place && !self.may_meet(agent, other)) {
                return 0;
            }
        }
        let change = self.replace(&before, &after);
        if change as f64 > most {
            self.replace(&after, &before);
            return 0;
        }
        for (&((table, _), _), after) in changes.iter().zip(after) {
            self.tables[table] = after;
        }
        change
    }

    /// Removes the meetings of the old tables and counts those of the new ones. Returns the change of the unevenness.
    fn replace(&mut self, old: &[Table], new: &[Table]) -> i64 {
        let mut change = 0;
        for (tables, is_new) in [(old, false), (new, true)] {
            for (one, other) in tables.iter().flat_map(|table| pairs_of(table)) {
                let pair = self.pair(one, other);
                change -= self.unevenness(self.met[pair]);
                self.met[pair] = if is_new { self.met[pair] + 1 } else { self.met[pair] - 1 };
                change += self.unevenness(self.met[pair]);
            }
        }
        change
    }
}

/// Returns the pairs of agents at a table.
fn pairs_of(table: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    table.iter().enumerate().flat_map(|(place, &one)| table[..place].iter().map(move |&other| (one, other)))
}

/// Returns a number below `limit`; 0 if the limit is 0.
fn below(rng: &mut ChaCha8Rng, limit: usize) -> usize {
    ((u128::from(rng.next_u64()) * limit as u128) >> 64) as usize
}

/// Returns a number above 0 and at most 1.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of meetings of each pair that may meet, and the sum over all pairs that must not.
    fn meetings(draw: &Draw, tables: &[Table]) -> (Vec<u32>, u32) {
        let met =
            |one, other| tables.iter().filter(|table| table.contains(&one) && table.contains(&other)).count() as u32;
        let apart = draw.apart.iter().map(|&(one, other)| met(one, other)).sum();
        (draw.pairs().map(|(one, other)| met(one, other)).collect(), apart)
    }

    fn check(draw: &Draw, tables: &[Table]) {
        let (met, apart) = meetings(draw, tables);
        let (least, most) = (met.iter().min().copied(), met.iter().max().copied());
        let wanted = draw.meetings;
        assert!(
            met.iter().all(|&met| met.abs_diff(wanted) <= 1),
            "expected {wanted} meetings ±1, got {least:?} to {most:?} in {draw:?}"
        );
        assert_eq!(apart, 0);
        assert!(tables.iter().all(|table| table.is_sorted() && table.len() == draw.seats));
    }

    #[test]
    fn all_pairs_meet_equally_often_but_for_one() {
        for (agents, seats, wanted) in [
            (2, 2, 3),
            (6, 2, 4),
            (13, 2, 1),
            (4, 4, 5),
            (5, 4, 3),
            (6, 4, 20),
            (7, 3, 1),
            (9, 3, 2),
            (16, 4, 1),
            (20, 4, 2),
            (8, 5, 4),
            (12, 6, 3),
            (30, 4, 1),
            (60, 2, 1),
            (25, 6, 2),
            (60, 6, 1),
        ] {
            let draw = Draw::new(agents, seats, wanted, []);
            let tables = draw.clone().draw().expect("there are enough");
            check(&draw, &tables);
            if agents <= 30 {
                assert_eq!(draw.clone().draw(), Ok(tables), "the same draw each time");
            }
        }
    }

    #[test]
    fn teammates_never_meet_and_all_others_do_so_equally_often() {
        for (agents, seats, wanted) in [(8, 4, 3), (12, 4, 2), (12, 2, 2), (20, 5, 2), (60, 4, 1)] {
            // Teams of two.
            let teams = (0..agents / 2).map(|team| (2 * team, 2 * team + 1));
            let draw = Draw::new(agents, seats, wanted, teams);
            check(&draw, &draw.clone().draw().expect("there are enough"));
        }
    }

    #[test]
    fn an_agent_that_is_added_moves_no_table() {
        for (agents, seats, wanted) in [(6, 2, 3), (9, 3, 2), (12, 4, 2)] {
            let first = Draw::new(agents, seats, wanted, []).draw().expect("there are enough");
            let draw = Draw::new(agents + 1, seats, wanted, []);
            let tables = draw.clone().with_fixed(first.clone()).draw().expect("there are enough");
            assert_eq!(tables[..first.len()], first);
            check(&draw, &tables);
            // Nobody who was there before meets much more often than without the new agent.
            assert!(tables[first.len()..].iter().all(|table| seats > 2 || table.contains(&agents)));
        }
    }

    #[test]
    fn an_agent_without_opponents_is_named() {
        assert_eq!(Draw::new(2, 3, 1, []).draw(), Err(DrawError::TooFew { agents: 2, seats: 3 }));
        let error = Draw::new(4, 3, 1, [(0, 1), (0, 2), (1, 2)]).draw();
        assert!(matches!(error, Err(DrawError::NoTable(_))), "{error:?}");
    }

    #[test]
    fn the_challengers_of_a_gauntlet_meet_everybody_else() {
        for (agents, seats, wanted, challengers) in [(6, 2, 4, vec![0]), (9, 4, 2, vec![0, 3]), (12, 3, 3, vec![5])] {
            let draw = Draw::new(agents, seats, wanted, []);
            let tables = gauntlet(&draw, &challengers).expect("there are enough");
            let met = |one, other| {
                tables.iter().filter(|table| table.contains(&one) && table.contains(&other)).count() as u32
            };
            for &challenger in &challengers {
                for other in (0..agents).filter(|other| !challengers.contains(other)) {
                    assert!(
                        met(challenger, other).abs_diff(wanted) <= 1,
                        "{challenger} {other}: {}",
                        met(challenger, other)
                    );
                }
            }
            let with_one =
                |table: &Table| challengers.iter().filter(|challenger| table.contains(challenger)).count() == 1;
            assert!(tables.iter().all(with_one));
        }
    }
}
