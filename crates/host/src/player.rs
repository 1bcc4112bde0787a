//! The players of a match: bots, and external players.
//!
//! A stand-in is a bot like any other. The host of a [`Referee`](super::Referee) computes the choices of bots.

use super::bots::BotName;
use super::record::check_new_name;

/// The player of one seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatPlayer {
    /// The name of the player.
    pub name: String,
    /// The bot that plays; None for an external player.
    pub bot: Option<BotName>,
}

impl SeatPlayer {
    /// Creates an external player: an agent, a person, or any other caller.
    pub fn external(name: impl Into<String>) -> Self {
        Self { name: name.into(), bot: None }
    }

    /// Creates a bot, which has its name as a player.
    pub fn bot(bot: BotName) -> Self {
        Self { name: bot.name(), bot: Some(bot) }
    }

    /// Creates a bot under another name, such as that of an agent in a comparison.
    ///
    /// # Errors
    /// If the name is not one that [`check_new_name`] accepts, and not that of this bot.
    pub fn named_bot(name: &str, bot: BotName) -> Result<Self, String> {
        if name != bot.name() {
            check_new_name(name)?;
        }
        Ok(Self { name: name.to_owned(), bot: Some(bot) })
    }
}
