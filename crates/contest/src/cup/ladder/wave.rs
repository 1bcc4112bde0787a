//! The draw of a ladder: tables among the agents that wait.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use super::{Ladder, LadderRules, entrants};
use crate::cup::entrant::Player;
use crate::cup::journal::NewTable;
use crate::cup::seeds::Salt;
use crate::cup::state::State;

/// The time between two waves, and the least wait that leads to one, in milliseconds.
const WAVE: u64 = 10_000;
/// The number of tables for which agents wait from which a wave comes at once.
const CROWD: usize = 4;
/// The wait after which anchors fill a table up, in milliseconds.
const LONG_WAIT: u64 = 30_000;
/// The number of games up to which an account with fewer games comes first.
const NEW: u32 = 100;
/// The standard deviation of the noise beside a rating, in Elo points.
const NOISE: i64 = 140;
/// The number of games of a pair that are always allowed.
const PAIR: u32 = 10;
/// The number of even shares of a pair in the games of one of them.
const SHARES: u32 = 3;

/// The draw of a wave in progress.
struct Draw<'a, F> {
    state: &'a State,
    ladder: &'a Ladder,
    salt: LazyCell<Salt, F>,
    /// The number of agents that take part, without anchors.
    field: u32,
    /// The agents that wait and have no table yet: one of each account.
    pool: Vec<usize>,
    anchors: Vec<usize>,
    tables: Vec<Vec<usize>>,
}

impl Ladder {
    /// Returns the tables that are due at the time of the state; none if no wave is due. `salt` returns the salt of the day,
    /// which takes thousands of hashes.
    ///
    /// A wave is due when four times as many accounts wait as a table has seats, or when one waits for 10 s and the last wave is
    /// as long ago. Of an account one agent takes part, so that more agents are no more chances. The first agent of a table is
    /// one whose account has the fewest games, counted to 100, then one that has waited longest, where a draw or a result of any
    /// agent of an account ends the waits of all; once nobody enters any more, it is the one with the widest interval. Each
    /// further seat goes to the agent that is nearest to the first by rating plus noise, as long as the pair has played at most
    /// ten games, or three times its even share of the games of either. Nobody has the same table twice running where another
    /// is possible. Anchors fill a table up for an agent that has waited for 30 s.
    pub(in crate::cup) fn wave(&self, state: &State, salt: impl FnOnce() -> Salt) -> Vec<NewTable> {
        let (Some(rules), seats) = (state.ladder_rules(), state.cup.stages[0].seats) else { return Vec::new() };
        let is_bot = |agent: &usize| matches!(state.agents[*agent].entrant.player, Player::Bot { .. });
        let (anchors, others): (Vec<_>, Vec<_>) =
            (0..self.agents.len()).filter(|&agent| state.is_in(agent)).partition(is_bot);
        let field = others.len() as u32;
        let mut pool: Vec<_> = others.into_iter().filter(|&agent| self.may_play(state, agent)).collect();
        let is_closing = Self::is_closing(rules, state.now);
        pool.sort_by_key(|&agent| {
            let own = &self.agents[agent];
            let rank = if is_closing { -own.margin } else { self.accounts[own.account].drawn.min(NEW) as i32 };
            (rank, self.since(agent), own.waiting, agent)
        });
        let mut accounts = BTreeSet::new();
        pool.retain(|&agent| accounts.insert(self.agents[agent].account));
        let longest = pool.iter().filter_map(|&agent| self.since(agent)).min();
        let is_time = longest.is_some_and(|since| state.now >= since + WAVE) && state.now >= self.last_wave + WAVE;
        if !is_time && pool.len() < CROWD * seats {
            return Vec::new();
        }
        let room = (rules.games_at_once as usize).saturating_sub(self.open.len());
        let firsts = pool.clone();
        let mut draw =
            Draw { state, ladder: self, salt: LazyCell::new(salt), field, pool, anchors, tables: Vec::new() };
        for first in firsts {
            if draw.tables.len() < room && draw.pool.contains(&first) {
                draw.seat(first, seats);
            }
        }
        let names = |table: Vec<usize>| NewTable { group: 0, agents: state.names(&table) };
        draw.tables.into_iter().map(names).collect()
    }

    /// Returns true if an agent has no game left today by the limit of its account.
    pub fn has_played_its_day(&self, rules: &LadderRules, agent: usize, now: u64) -> bool {
        let account = &self.accounts[self.agents[agent].account];
        entrants::counted(&account.today, self.day(now)) >= rules.account_games_a_day
    }

    /// Returns the time since which an agent waits that counts: a draw or a result of any agent of its account ends a wait.
    fn since(&self, agent: usize) -> Option<u64> {
        let own = &self.agents[agent];
        own.waiting.map(|since| since.max(self.accounts[own.account].last.unwrap_or(0)))
    }

    /// Returns true if an agent waits, and the limits of its account leave it a game.
    fn may_play(&self, state: &State, agent: usize) -> bool {
        let Some(rules) = state.ladder_rules() else { return false };
        let own = &self.agents[agent];
        let account = &self.accounts[own.account];
        let is_free = account.playing < rules.account_games_at_once;
        own.waiting.is_some() && is_free && !self.has_played_its_day(rules, agent, state.now)
    }
}

impl<F: FnOnce() -> Salt> Draw<'_, F> {
    /// Fills a table for its first agent. Without enough agents for it, nothing changes.
    fn seat(&mut self, first: usize, seats: usize) {
        let mut table = vec![first];
        while table.len() < seats {
            let has_waited = self.ladder.since(first).is_some_and(|since| self.state.now >= since + LONG_WAIT);
            let found = self.nearest(&table, seats, &self.pool, false);
            let anchor = || self.nearest(&table, seats, &self.anchors, true);
            let Some(next) = found.or_else(|| has_waited.then(anchor).flatten()) else { return };
            table.push(next);
        }
        let table = self.seated(&table);
        self.pool.retain(|agent| !table.contains(agent));
        self.tables.push(table);
    }

    /// Returns the agent among these that is nearest to the first of the table by rating plus noise, and may join it.
    fn nearest(&self, table: &[usize], seats: usize, among: &[usize], are_anchors: bool) -> Option<usize> {
        let (first, ladder) = (table[0], self.ladder);
        let account = |agent: usize| ladder.agents[agent].account;
        let may_join = |&&agent: &&usize| {
            let may_meet =
                |&other: &usize| account(other) != account(agent) && (are_anchors || self.may_meet(agent, other));
            table.iter().all(may_meet)
        };
        let is_bot = |agent: usize| self.anchors.contains(&agent);
        let is_again = |agent: usize| {
            let mut all = table.to_vec();
            all.push(agent);
            all.sort_unstable();
            all.len() == seats && all.iter().any(|&agent| !is_bot(agent) && all == ladder.agents[agent].last_table)
        };
        let game = ladder.drawn + self.tables.len();
        let distance = |agent: usize| {
            let noise = self.salt.noise(game, self.state.name(agent)) * NOISE;
            (1_000 * i64::from(ladder.agents[agent].rating - ladder.agents[first].rating) + noise).abs()
        };
        among.iter().filter(may_join).copied().min_by_key(|&agent| (is_again(agent), distance(agent), agent))
    }

    /// Returns true if two agents have not met too often.
    fn may_meet(&self, one: usize, other: usize) -> bool {
        let met = self.ladder.agents[one].met.get(&other).copied().unwrap_or(0);
        let opponents = self.state.cup.stages[0].seats as u32 - 1;
        let is_even = |agent: usize| {
            let games = u64::from(self.ladder.agents[agent].drawn);
            u64::from(met) * u64::from(self.field.saturating_sub(1)) < u64::from(SHARES * opponents) * games
        };
        met < PAIR || is_even(one) && is_even(other)
    }

    /// Returns the agents of a table by seat, so that each has the seat that it had least, as far as all of them can.
    fn seated(&self, table: &[usize]) -> Vec<usize> {
        let had = |agent: usize, seat: usize| u64::from(self.ladder.agents[agent].seats[seat]);
        let (mut best, mut least) = (table.to_vec(), u64::MAX);
        permutations(&mut table.to_vec(), 0, &mut |seated| {
            let sum = seated.iter().enumerate().map(|(seat, &agent)| had(agent, seat)).sum();
            if sum < least {
                (best, least) = (seated.to_vec(), sum);
            }
        });
        best
    }
}

/// Calls `visit` with each order of the values from `from` on.
fn permutations(values: &mut [usize], from: usize, visit: &mut dyn FnMut(&[usize])) {
    if from + 1 >= values.len() {
        visit(values);
        return;
    }
    for other in from..values.len() {
        values.swap(from, other);
        permutations(values, from + 1, visit);
        values.swap(from, other);
    }
}
