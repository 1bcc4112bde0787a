//! The rules of a ladder, as the file of a cup has them in `[ladder]` or `[stage.ladder]`.

use std::time::{Duration, SystemTime};

use ahu_host::{TimeControl, file_values};
use serde::{Deserialize, Serialize};

use crate::cup::file::{datetime, time};
use crate::cup::toml_file::{Fault, ensure};

/// The length of a day of a season, in milliseconds.
pub(super) const DAY: u64 = 24 * 3600 * 1000;
/// The number of decisions of a game whose increments its longest time has.
const MOST_DECISIONS: u64 = 1_000;

/// The rules of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LadderRules {
    /// The time, as RFC 3339 writes it, from which no game begins; None: the ladder has no end.
    #[serde(deserialize_with = "datetime")]
    pub until: Option<String>,
    /// The maximum number of games at once.
    pub games_at_once: u32,
    /// The maximum number of games at once of an account, with all its entrants.
    pub account_games_at_once: u32,
    /// The maximum number of games of an account that begin in a day of the season.
    pub account_games_a_day: u32,
    /// The maximum number of entrants that an account enters in a day of the season.
    pub account_entries_a_day: u32,
    /// The time between two entries of ratings in the journal, in milliseconds.
    #[serde(deserialize_with = "file_values::time")]
    pub ratings_every: u32,
    /// The time before the end in which nobody can enter any more, in milliseconds.
    #[serde(deserialize_with = "file_values::time")]
    pub closing: u32,
}

impl Default for LadderRules {
    fn default() -> Self {
        Self {
            until: None,
            games_at_once: 64,
            account_games_at_once: 1,
            account_games_a_day: 1_000,
            account_entries_a_day: 4,
            ratings_every: 600_000,
            closing: 7 * DAY as u32,
        }
    }
}

impl LadderRules {
    /// Returns the time from which no game begins; None if the ladder has no end.
    pub fn ends(&self) -> Option<SystemTime> {
        self.until.as_deref().and_then(time)
    }

    /// Returns the time, in milliseconds since 1970, from which nobody can enter any more; None if the ladder has no end.
    pub fn closes_at(&self) -> Option<u64> {
        self.until.as_ref().map(|_| self.ends_at().saturating_sub(self.closing.into()))
    }

    /// Returns the time from which no game begins in milliseconds since 1970, or the greatest number.
    pub(super) fn ends_at(&self) -> u64 {
        self.ends().map_or(u64::MAX, millis)
    }

    /// Checks the numbers. `path` is the path of the table in its file.
    pub(in crate::cup) fn check(&self, path: &str) -> Result<(), Fault> {
        let Self { games_at_once, account_games_at_once, account_games_a_day, account_entries_a_day, .. } = *self;
        for (key, value, most) in [
            ("games_at_once", games_at_once, 1_000),
            ("account_games_at_once", account_games_at_once, 100),
            ("account_games_a_day", account_games_a_day, 1_000_000),
            ("account_entries_a_day", account_entries_a_day, 1_000),
        ] {
            ensure((1..=most).contains(&value), format!("{path}.{key}"), || {
                format!("expected 1 to {most}, got {value}")
            })?;
        }
        ensure(self.ratings_every >= 1_000, format!("{path}.ratings_every"), || "expected a time of at least \"1s\"")
    }
}

/// Returns the longest time of a game with this clock and number of seats: all banks, and the increments of 1,000 decisions. None
/// without a bank.
pub fn longest_game(clock: &TimeControl, seats: usize) -> Option<Duration> {
    let bank = u64::from(clock.bank?.get());
    let of_decisions = MOST_DECISIONS * u64::from(clock.increment + clock.lag);
    Some(Duration::from_millis(seats as u64 * (u64::from(clock.startup) + bank) + of_decisions))
}

/// Returns a time in milliseconds since 1970.
pub(in crate::cup) fn millis(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
