//! Void games: they are played again, a limited number of times.

use std::collections::BTreeMap;

use crate::Error;

/// The number of attempts for a game that ends void. If all of them end void, the run ends with an error.
pub const MAX_ATTEMPTS: u32 = 5;

/// The void games of a run.
#[derive(Default)]
pub(super) struct VoidGames {
    /// The number of times that each game or group was void, by its name.
    attempts: BTreeMap<String, u32>,
}

impl VoidGames {
    /// Counts a void attempt of `what`, a game or a group of games, and returns the news that it is played again. The schedule
    /// hands it out again.
    ///
    /// # Errors
    /// If this was the last attempt.
    pub(super) fn play_again(&mut self, what: &str, reason: &str) -> Result<String, Error> {
        let attempts = self.attempts.entry(what.to_owned()).or_default();
        *attempts += 1;
        match *attempts < MAX_ATTEMPTS {
            true => Ok(format!("{what} is played again: {reason}")),
            false => Err(Error::Failed(format!("{what} was void {MAX_ATTEMPTS} times: {reason}"))),
        }
    }
}
