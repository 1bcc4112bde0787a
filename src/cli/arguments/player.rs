//! Players as the command line names them: a bot, a net, a person, or a program.

use std::path::Path;

use ahu_engine::host::nets::NET;
use ahu_engine::host::{AnyRules, BotName};

use crate::cli::CliError;
use crate::cli::arguments::nets;
use crate::cli::programs::ProgramSpec;

#[derive(Clone)]
pub(in crate::cli) enum Player {
    /// A bot of this program.
    Bot(BotName),
    /// A person at this terminal.
    Human,
    Program(ProgramSpec),
}

impl Player {
    /// Parses a player: a bot, `net:FILE`, a command, or `jsonl:COMMAND`; with `people_play`, also `human`.
    pub(in crate::cli) fn read(rules: &dyn AnyRules, value: &str, people_play: bool) -> Result<Self, CliError> {
        if value == "human" && people_play {
            return Ok(Self::Human);
        }
        if ProgramSpec::is_lines(value) {
            return ProgramSpec::new(value).map(Self::Program);
        }
        match nets::bot(rules, value) {
            Ok(bot) => Ok(Self::Bot(bot)),
            Err(message) if value.starts_with(NET) => Err(CliError::Usage(message)),
            // A single word that is no file is more likely a misspelt bot than a command.
            Err(message) if !value.contains(char::is_whitespace) && !Path::new(value).is_file() => {
                let human = if people_play { "human, " } else { "" };
                Err(CliError::Usage(format!(
                    "{message}; expected a bot, {human}net:FILE, a command such as \"python3 my_agent.py\", or jsonl:COMMAND"
                )))
            }
            Err(_) => ProgramSpec::new(value).map(Self::Program),
        }
    }
}
