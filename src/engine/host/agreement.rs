//! The agreement about a match, to which anybody can hold its record.

use std::fmt::Display;

use super::bot_seed::BotSeed;
use super::bots::BotName;
use super::clock::TimeControl;
use super::conduct::Terms;
use super::ensure::ensure;
use super::log::{DecidedBy, Entry};
use super::record::Record;
use super::replay::{Replay, verify};
use super::rules::Setup;
use crate::core::Seed;

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

/// The number of choices of bots in a record, and of those that were computed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BotChoices {
    /// The choices of all bots, stand-ins among them.
    pub all: u64,
    /// The choices that were computed again.
    pub checked: u64,
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

/// Computes choices of bots in a record again, those of stand-ins too, and checks that they are the actions of the record.
/// The match is the first game of its seed, as [`BotSeed::new`] counts. `is_chosen` says of each choice of a search
/// whether it is computed; all other bots are quick, and always are.
///
/// # Errors
/// If a choice is another one, or an entry is impossible; the message names the ply.
pub fn verify_bots(record: &Record, mut is_chosen: impl FnMut() -> bool) -> Result<BotChoices, String> {
    let stand_in = record.terms.stand_in_of(record.setup.rules());
    let mut choices = BotChoices::default();
    let mut replay = Replay::new(record).with_bot_seed(BotSeed::new(record.seed, 0));
    for entry in &record.entries {
        if let Entry::Action { seat, id, by, .. } = entry {
            let bot = match by {
                DecidedBy::StandIn => Some(stand_in),
                DecidedBy::Player => record.players[seat.index()].bot,
            };
            choices.all += u64::from(bot.is_some());
            let checked = bot.filter(|bot| bot.is_reproducible() && (bot.budget().is_none() || is_chosen()));
            if let Some(bot) = checked {
                choices.checked += 1;
                let choice = replay.referee().choice_of(bot, *seat).map(|choice| choice());
                if choice != Some(*id) {
                    let text = |id| record.setup.rules().action_text(id).unwrap_or_default();
                    let expected = choice.map_or_else(|| "no decision".to_owned(), |id| format!("\"{}\"", text(id)));
                    let ply = replay.referee().plies() + 1;
                    return Err(format!(
                        "ply {ply}: expected {expected}, the choice of {bot} in seat {seat}, got \"{}\"",
                        text(*id)
                    ));
                }
            }
        }
        if let Some(step) = replay.step() {
            step.map_err(|error| error.to_string())?;
        }
    }
    Ok(choices)
}

/// Returns an error if two values differ.
pub fn differs<T: Display>(what: &str, expected: T, found: T) -> Result<(), String> {
    let [expected, found] = [expected, found].map(|value| value.to_string());
    ensure(expected == found, || format!("expected {what} {expected}, got {found}"))
}
