//! Ladders: stages in which agents come and go, and tables are drawn among those that wait.
//!
//! **Availability** is a fold of the journal: arrivals and departures of agents elsewhere are events, and a draw takes an
//! agent out. A command is available while it plays less than its game, and bots, which are the anchors, always are.
//!
//! **Draws come in waves** (`wave.rs`), which are functions of the state, of the time of their line, and of the salt of the day
//! (`day_salts.rs`). The salt of a day is published once 24 hours have passed since the day, and no game of the day is in
//! progress; so everybody draws the waves again while the season runs. The seed of a game comes from the same salt.
//!
//! **Ratings** come from one fit over all games (`ratings/season.rs`). An entry of the journal has those that have moved; draws
//! use the last entry. Nothing else is rated, so nothing depends on the order of games.
//!
//! **Limits are the account's**, whatever number of entrants it has: an owner is an account. An agent of the file without an
//! owner is its own.
//!
//! The ladder keeps of an ended game its agents and ranks alone, and of each agent its last games, so a season of a million games
//! takes some 20 MB. `checkpoint.rs` writes it down, so that a long journal opens quickly.
//!
//! | file | content |
//! |---|---|
//! | `rules.rs` | the rules of a ladder in the file |
//! | `day_salts.rs` | the salts of the days |
//! | `entrants.rs` | what a ladder knows of an agent, and of an account |
//! | `events.rs` | what each event changes |
//! | `wave.rs` | the draw |
//! | `table.rs` | the table, and the figures of an agent |
//! | `checkpoint.rs` | the state of a season in a file beside the journal |

mod checkpoint;
mod day_salts;
mod entrants;
mod events;
mod rules;
mod table;
mod wave;

use std::collections::BTreeMap;

use ahu_host::ensure;
use serde::{Deserialize, Serialize};

pub use self::checkpoint::Position;
pub use self::day_salts::CHAIN_DAYS;
pub use self::entrants::{Account, Contestant, PlayedBefore};
use self::rules::DAY;
pub(super) use self::rules::millis;
pub use self::rules::{LadderRules, longest_game};
pub use self::table::{LadderRow, LadderTable};
use super::entrant::Player;
use super::journal::Event;
use super::seeds::Salt;
use super::state::State;
use crate::ratings::{SeasonGames, SeasonRatings};

/// The number of games from which an entrant has a rank.
pub const RANKED: u32 = 30;
/// The number of agents whose ratings a fit looks for. Of more, those that left first keep the rating of the last entry.
const MAX_FREE: usize = 1_000;
/// The number of agents from which there is no fit: a server reads the journals of others, and a fit takes the cube of it.
const MOST_FREE: usize = 2 * MAX_FREE;
/// The time between the end of a day and the publication of its salt, in milliseconds.
const SECRET: u64 = DAY;
/// The change of a rating, in Elo points, from which an entry of ratings has it.
const MOVED: i32 = 5;

/// A ladder that has begun.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ladder {
    /// The time at which it began, in milliseconds since 1970.
    pub begun: u64,
    /// The salts that are public, in hexadecimal digits: for each chain the one before its first day.
    chains: Vec<String>,
    /// The salts of the days that are public, from day 0 on, in hexadecimal digits.
    salts: Vec<String>,
    /// The agents, by their numbers in the cup.
    pub agents: Vec<Contestant>,
    /// The accounts, by the numbers that the agents have.
    pub accounts: Vec<Account>,
    account_numbers: BTreeMap<String, usize>,
    /// The number of games that have been drawn.
    pub drawn: usize,
    /// The number of games that had been drawn before each day that has begun with a wave since.
    pub first_games: Vec<usize>,
    /// The games that have no result, by their numbers.
    pub open: BTreeMap<usize, OpenGame>,
    /// The games that have ended.
    pub games: SeasonGames,
    /// The time of the last wave, in milliseconds since 1970.
    last_wave: u64,
    /// The time of the last entry of ratings, and the number of games that it counts.
    pub rated: (u64, usize),
    /// The agents whose ratings stay.
    settled: Vec<usize>,
    /// The digests of the archives of records, of a day each from day 0 on.
    pub archives: Vec<String>,
}

/// A game that was drawn and has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenGame {
    /// The agents by seat.
    pub agents: Vec<usize>,
    /// The day of the season on which it was drawn.
    pub day: u64,
    /// The id of the match, once it has begun.
    pub started: Option<String>,
}

/// The content of an entry of ratings, so that it can be checked after the last line.
#[derive(Clone, Debug)]
pub(super) struct RatingsClaim {
    games: usize,
    fixed: Vec<Option<f64>>,
    /// The ratings after the entry, and true for those that it has.
    ratings: Vec<(i32, bool)>,
}

impl RatingsClaim {
    /// Fits the games before the entry, from the ratings of an earlier one on.
    pub(super) fn fit(&self, games: &SeasonGames, last: &SeasonRatings) -> SeasonRatings {
        SeasonRatings::of(&games.first(self.games), &self.fixed, &[], last)
    }

    /// Compares the ratings with those of the fit. Each of the entry is at most one point from its own, and any other has moved
    /// too little for the entry.
    pub(super) fn check(&self, fit: &SeasonRatings, name: impl Fn(usize) -> String) -> Result<(), String> {
        for (agent, &(rating, is_entered)) in self.ratings.iter().enumerate() {
            let fitted = fit.agents.get(agent).and_then(Option::as_ref).map_or(0.0, |rating| rating.elo);
            let distance = (fitted - f64::from(rating)).abs();
            let most = if is_entered { 1.0 } else { f64::from(MOVED) + 1.0 };
            ensure(distance <= most, || {
                let name = name(agent);
                format!(
                    "expected a rating of {fitted:.0} for {name}, which follows from {} games, got {rating}",
                    self.games
                )
            })?;
        }
        Ok(())
    }
}

impl Ladder {
    /// Returns the day of the season at a time in milliseconds since 1970.
    pub fn day(&self, now: u64) -> u64 {
        now.saturating_sub(self.begun) / DAY
    }

    /// Returns the number of days whose salts are public.
    pub fn public_days(&self) -> u64 {
        self.salts.len() as u64
    }

    /// Returns the salt of a day if it is public.
    pub fn salt_of(&self, day: u64) -> Option<Salt> {
        Salt::parse(self.salts.get(day as usize)?)
    }

    /// Returns true if nobody can enter any more at this time, since the end is near.
    pub fn is_closing(rules: &LadderRules, now: u64) -> bool {
        rules.closes_at().is_some_and(|closes| now >= closes)
    }

    /// Returns the agents whose ratings stay from the next entry on: of the agents that left first, as many as there are too
    /// many.
    fn settled(&self, state: &State) -> Vec<usize> {
        let has_played = |agent: &usize| self.agents[*agent].games > 0;
        let many = (0..self.agents.len()).filter(has_played).count().saturating_sub(MAX_FREE);
        let mut left: Vec<_> =
            (0..self.agents.len()).filter(has_played).filter(|&agent| state.has_left(agent)).collect();
        left.sort_by_key(|&agent| (self.agents[agent].last_played, agent));
        left.truncate(many);
        left
    }

    /// Returns the rating of each agent whose rating stays.
    pub(super) fn fixed(&self) -> Vec<Option<f64>> {
        let mut fixed = vec![None; self.agents.len()];
        for &agent in &self.settled {
            fixed[agent] = Some(f64::from(self.agents[agent].rating));
        }
        fixed
    }

    /// Fits the ratings to the first `games` games. Agents that are shown and have enough games take ranks.
    pub fn fit(&self, state: &State, games: usize, before: &SeasonRatings) -> SeasonRatings {
        let free = self.agents.iter().filter(|agent| agent.games > 0).count().saturating_sub(self.settled.len());
        if free > MOST_FREE {
            return SeasonRatings::default();
        }
        let first = self.games.first(games);
        let shown = self.shown(state);
        let is_ranked = |agent: usize| shown.contains(&agent) && self.agents[agent].games >= RANKED;
        let is_ranked: Vec<_> = (0..self.agents.len()).map(is_ranked).collect();
        SeasonRatings::of(&first, &self.fixed(), &is_ranked, before)
    }

    /// Returns the agents of the table: the newest entrant of each account that has not left. Bots, the anchors, are none.
    pub fn shown(&self, state: &State) -> Vec<usize> {
        let is_bot = |agent: usize| matches!(state.agents[agent].entrant.player, Player::Bot { .. });
        let newest = |account: &Account| account.entrants.iter().rev().find(|&&agent| !state.has_left(agent)).copied();
        let mut shown: Vec<_> = self.accounts.iter().filter_map(newest).filter(|&agent| !is_bot(agent)).collect();
        shown.sort_unstable();
        shown
    }

    /// Returns the entry of ratings after a fit of the first `games` games: the ratings that have moved.
    pub fn entry(&self, state: &State, games: usize, ratings: &SeasonRatings) -> Event {
        let has_moved = |one: i32, other: i32| (one - other).abs() >= MOVED;
        let moved = ratings.agents.iter().enumerate().filter_map(|(agent, rating)| {
            let rating = rating.as_ref().filter(|rating| rating.margin > 0.0)?;
            let [elo, margin] = [rating.elo, rating.margin].map(|value| value.round() as i32);
            let own = &self.agents[agent];
            let is_new = !own.is_rated || has_moved(own.rating, elo) || has_moved(own.margin, margin);
            is_new.then(|| (state.name(agent).to_owned(), [elo, margin]))
        });
        Event::Ratings { games, ratings: moved.collect() }
    }

    /// Returns the event that follows at the time of the state: the next chain, a salt, or a wave. None if none is due.
    pub(super) fn next_event(&self, state: &State, salt: &Salt) -> Option<Event> {
        let (day, rules) = (self.day(state.now), state.ladder_rules()?);
        let chain = self.chains.len() as u64;
        if day / CHAIN_DAYS >= chain {
            return Some(Event::Open { chain, salt: salt.before_chain(chain).to_hex() });
        }
        if self.is_salt_due(state.now) {
            let day = self.public_days();
            return Some(Event::Salt { day, salt: salt.of_day(day).to_hex() });
        }
        if state.now >= rules.ends_at() {
            return None;
        }
        let tables = self.wave(state, || salt.of_day(day));
        (!tables.is_empty()).then_some(Event::Draw { stage: 0, extra: false, tables })
    }

    /// Returns true if the salt of the first day that has none is to be published.
    fn is_salt_due(&self, now: u64) -> bool {
        let day = self.public_days();
        let is_over = now >= self.begun + (day + 1) * DAY + SECRET;
        is_over && self.open.values().all(|game| game.day > day)
    }

    /// Returns true if the ladder has ended: its time has passed, and no game is in progress.
    pub fn is_over(&self, rules: &LadderRules, now: u64) -> bool {
        now >= rules.ends_at() && self.open.is_empty()
    }

    /// Returns the agents by rating, the best first: those that are in the ladder, have played, and are no anchors. Those with a
    /// rank come first. Equals are in the order of their lots.
    pub(super) fn ranked(&self, state: &State, lot: impl Fn(usize) -> u64) -> Vec<usize> {
        let takes_part = |agent: &usize| state.is_in(*agent) && self.agents[*agent].games > 0;
        let mut all: Vec<_> = self.shown(state).into_iter().filter(takes_part).collect();
        all.sort_by_key(|&agent| {
            let own = &self.agents[agent];
            (own.games < RANKED, -own.rating, lot(agent))
        });
        all
    }
}
