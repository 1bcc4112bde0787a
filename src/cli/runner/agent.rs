//! Agents: players with names.

use ahu_engine::host::{AnyRules, BotName, TimeControl};

use crate::cli::CliError;
use crate::cli::arguments::nets;
use crate::cli::arguments::player::Player;
use crate::cli::programs::ProgramSpec;

/// The player that the Python package plays in its own process.
pub(in crate::cli) const CALLABLE: &str = "callable";

#[derive(Clone)]
pub(in crate::cli) enum AgentPlayer {
    /// A bot of this program.
    Bot(BotName),
    Program(ProgramSpec),
    /// A program elsewhere, which asks for its seats with a key, or a player of the Python package, which plays planned games.
    Elsewhere,
}

#[derive(Clone)]
pub(in crate::cli) struct Agent {
    pub(in crate::cli) name: String,
    /// The player as the user wrote it; for a bot, its name with the version.
    pub(in crate::cli) text: String,
    pub(in crate::cli) player: AgentPlayer,
    /// The clock of the player. A bot has the default, which is no clock.
    pub(in crate::cli) control: TimeControl,
}

impl Agent {
    /// Splits `NAME=PLAYER` at the first `=`. Without a `=`, the text must be a bot, which is then also the name.
    pub(in crate::cli) fn split(rules: &dyn AnyRules, text: &str) -> Result<(String, String), String> {
        if let Some((name, player)) = text.split_once('=') {
            return Ok((name.to_owned(), player.to_owned()));
        }
        let bot = nets::bot(rules, text).map_err(|message| format!("{message}; expected a bot, or NAME=PLAYER"))?;
        Ok((bot.name(), bot.name()))
    }

    /// Creates an agent that the Python package plays in its own process.
    pub(in crate::cli) fn callable(name: &str) -> Self {
        let (name, text) = (name.to_owned(), CALLABLE.to_owned());
        Self { name, text, player: AgentPlayer::Elsewhere, control: TimeControl::default() }
    }

    /// Creates an agent from its name and the text of its player.
    pub(in crate::cli) fn read(rules: &dyn AnyRules, name: &str, text: &str) -> Result<Self, CliError> {
        let in_agent = |error| match error {
            CliError::Usage(message) => CliError::Usage(format!("agent {name}: {message}")),
            other => other,
        };
        let (player, text) = match Player::read(rules, text, false).map_err(in_agent)? {
            Player::Bot(bot) if !bot.is_reproducible() => {
                return Err(CliError::Usage(format!(
                    "agent {name}: expected a budget in playouts, such as search:200, got \"{bot}\": nobody could verify the \
                     table"
                )));
            }
            Player::Bot(bot) => (AgentPlayer::Bot(bot), bot.name()),
            Player::Program(spec) => (AgentPlayer::Program(spec), text.to_owned()),
            Player::Human => {
                return Err(CliError::Usage(format!("agent {name}: expected a bot or a command, got \"{text}\"")));
            }
        };
        Ok(Self { name: name.to_owned(), text, player, control: TimeControl::default() })
    }

    /// Returns true if this process starts a program for the agent.
    pub(in crate::cli) fn is_program(&self) -> bool {
        matches!(self.player, AgentPlayer::Program(_))
    }

    pub(in crate::cli) fn bot(&self) -> Option<BotName> {
        match &self.player {
            AgentPlayer::Bot(bot) => Some(*bot),
            AgentPlayer::Program(_) | AgentPlayer::Elsewhere => None,
        }
    }
}
