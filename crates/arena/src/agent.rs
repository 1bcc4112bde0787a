//! Agents: players with names.

use ahu_host::record::{MAX_NAME, check_new_name};
use ahu_host::{AnyRules, BotName, SeatPlayer, TimeControl, check_file_name};

use crate::Error;
use crate::nets;
use crate::player::Player;
use crate::programs::ProgramSpec;

/// The player that the Python package plays in its own process.
pub const CALLABLE: &str = "callable";

/// The player behind an agent.
#[derive(Clone)]
pub enum AgentPlayer {
    /// A bot of this program.
    Bot(BotName),
    /// A program that this process starts.
    Program(ProgramSpec),
    /// A program elsewhere, which asks for its seats with a key, or a player of the Python package, which plays planned games.
    Elsewhere,
}

/// A player with a name.
#[derive(Clone)]
pub struct Agent {
    /// The name, which is unique in a run.
    pub name: String,
    /// The player as the user wrote it; for a bot, its name with the version.
    pub text: String,
    /// The player behind it.
    pub player: AgentPlayer,
    /// The clock of the player. A bot has the default, which is no clock.
    pub control: TimeControl,
}

impl Agent {
    /// Splits `NAME=PLAYER` at the first `=`. Without a `=`, the text must be a bot, which is then also the name.
    pub fn split(rules: &dyn AnyRules, text: &str) -> Result<(String, String), String> {
        if let Some((name, player)) = text.split_once('=') {
            return Ok((name.to_owned(), player.to_owned()));
        }
        let bot = nets::bot(rules, text).map_err(|message| format!("{message}; expected a bot, or NAME=PLAYER"))?;
        Ok((bot.name(), bot.name()))
    }

    /// Creates an agent from its name and the text of its player.
    pub fn read(rules: &dyn AnyRules, name: &str, text: &str) -> Result<Self, Error> {
        let usage = |message: String| Error::Usage(format!("agent {name}: {message}"));
        let in_agent = |error| match error {
            Error::Usage(message) => usage(message),
            other => other,
        };
        let (player, text) = match text {
            CALLABLE => (AgentPlayer::Elsewhere, text.to_owned()),
            _ => match Player::read(rules, text, "").map_err(in_agent)? {
                Player::Bot(bot) if !bot.is_reproducible() => {
                    return Err(usage(format!(
                        "expected a budget in playouts, such as search:200, got \"{bot}\": nobody could verify the table"
                    )));
                }
                Player::Bot(bot) => (AgentPlayer::Bot(bot), bot.name()),
                Player::Program(spec) => {
                    // The log of the program has this name.
                    check_file_name(name, MAX_NAME, "._@:+- ").map_err(usage)?;
                    (AgentPlayer::Program(spec), text.to_owned())
                }
            },
        };
        let agent = Self { name: name.to_owned(), text, player, control: TimeControl::default() };
        let checked =
            agent.bot().map_or_else(|| check_new_name(name), |bot| SeatPlayer::named_bot(name, bot).map(drop));
        checked.map(|()| agent).map_err(usage)
    }

    /// Returns true if this process starts a program for the agent.
    pub fn is_program(&self) -> bool {
        matches!(self.player, AgentPlayer::Program(_))
    }

    /// Returns the player of a seat of the agent in a record.
    pub fn seat_player(&self) -> SeatPlayer {
        SeatPlayer { name: self.name.clone(), bot: self.bot() }
    }

    /// Returns the bot that plays for the agent; None if a program does.
    pub fn bot(&self) -> Option<BotName> {
        match &self.player {
            AgentPlayer::Bot(bot) => Some(*bot),
            AgentPlayer::Program(_) | AgentPlayer::Elsewhere => None,
        }
    }
}
