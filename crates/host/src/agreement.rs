//! The agreement about a match before it begins, and the check that a record keeps it.

use std::fmt::Display;

use ahu_core::Seed;

use super::{BotName, Record, Setup, Terms, TimeControl, ensure, verify};

/// The agreement about a match before it begins.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The seed; None if it is not public yet.
    pub seed: Option<Seed>,
    /// The clocks, the conduct, and the stand-in. The clocks of bots have no meaning.
    pub terms: Terms,
    /// The bot of each seat; None for an agent.
    pub bots: Vec<Option<BotName>>,
}

impl Agreement {
    /// Checks that a record keeps the agreement, and that each entry follows from those before it: see [`verify`].
    pub fn check(&self, record: &Record) -> Result<(), String> {
        differs("the game", format!("{:?}", self.setup), format!("{:?}", record.setup))?;
        differs("the seed", self.seed.unwrap_or(record.seed), record.seed)?;
        self.check_terms(record)?;
        let text = |bot: Option<BotName>| bot.map_or_else(|| "a program".to_owned(), BotName::name);
        for (seat, (bot, found)) in self.bots.iter().zip(&record.players).enumerate() {
            differs(&format!("the player of seat {seat}"), text(*bot), text(found.bot))?;
        }
        verify(record).map_err(|error| error.to_string())
    }

    fn check_terms(&self, record: &Record) -> Result<(), String> {
        let rules = self.setup.rules();
        let conduct = |terms: &Terms| format!("{:?}", terms.conduct);
        differs("the conduct", conduct(&self.terms), conduct(&record.terms))?;
        let stand_in = |terms: &Terms| terms.stand_in_of(rules).name();
        differs("the stand-in", stand_in(&self.terms), stand_in(&record.terms))?;
        for (seat, player) in record.players.iter().enumerate() {
            let clock = |terms: &Terms| terms.clocks.get(seat).copied().unwrap_or_default();
            let expected = if player.bot.is_some() { TimeControl::default() } else { clock(&self.terms) };
            let [expected, found] = [expected, clock(&record.terms)].map(|clock| format!("{clock:?}"));
            differs(&format!("the clock of seat {seat}"), expected, found)?;
        }
        Ok(())
    }
}

/// Returns an error if two values differ.
pub fn differs<T: Display>(what: &str, expected: T, found: T) -> Result<(), String> {
    let [expected, found] = [expected, found].map(|value| value.to_string());
    ensure(expected == found, || format!("expected {what} {expected}, got {found}"))
}
