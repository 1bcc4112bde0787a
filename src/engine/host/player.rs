//! The players of a match: bots, and external players.
//!
//! The referee knows who plays each seat, and never computes a choice. It names the bot decision that is due. Its host computes
//! the choice wherever it likes and submits the answer: blocks and tests at once, a server on its pool of bot threads. A stand-in
//! is a bot like any other.

use super::bots::BotName;

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
}
