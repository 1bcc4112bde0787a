//! The players of `ahu play` and `ahu duel`, as the command line names them.

use std::path::Path;

use ahu_engine::host::{AnyRules, BotName};

use crate::cli::CliError;
use crate::cli::programs::Launch;

/// The player of a seat.
#[derive(Clone)]
pub(in crate::cli) enum Player {
    /// A bot of ours.
    Bot(BotName),
    /// A person at this terminal.
    Human,
    /// A program that this process starts.
    Program(Launch),
}

impl Player {
    /// Reads a bot, a command, `jsonl:COMMAND`, or, where people may play, `human`.
    pub(in crate::cli) fn read(rules: &dyn AnyRules, value: &str, people_play: bool) -> Result<Self, CliError> {
        if value == "human" && people_play {
            return Ok(Self::Human);
        }
        if Launch::is_lines(value) {
            return Launch::new(value).map(Self::Program);
        }
        match rules.bot(value) {
            Ok(bot) => Ok(Self::Bot(bot)),
            // A single word that is not a file is probably a misspelt bot.
            Err(error) if !value.contains(char::is_whitespace) && !Path::new(value).is_file() => {
                let human = if people_play { "human, " } else { "" };
                Err(CliError::Usage(format!(
                    "{}; expected a bot, {human}a command such as \"python3 my_agent.py\", or jsonl:COMMAND",
                    error.message
                )))
            }
            Err(_) => Launch::new(value).map(Self::Program),
        }
    }
}
