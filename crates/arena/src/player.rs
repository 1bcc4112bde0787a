//! Players by their names: a bot, a net, or a program.

use std::path::Path;

use ahu_host::nets::NET;
use ahu_host::{AnyRules, BotName};

use crate::programs::{LINES, ProgramSpec};
use crate::{Error, nets};

/// A player that needs no person.
#[derive(Clone)]
pub enum Player {
    /// A bot of this program.
    Bot(BotName),
    /// A program that plays a seat.
    Program(ProgramSpec),
}

impl Player {
    /// Parses a player: a bot, `net:FILE`, a command, or `jsonl:COMMAND`. `others` names further players of the caller, for
    /// errors, such as "human, ".
    pub fn read(rules: &dyn AnyRules, value: &str, others: &str) -> Result<Self, Error> {
        if value.starts_with(LINES) {
            return ProgramSpec::new(value).map(Self::Program);
        }
        match nets::bot(rules, value) {
            Ok(bot) => Ok(Self::Bot(bot)),
            Err(message) if value.starts_with(NET) => Err(Error::Usage(message)),
            // A single word that is no file is more likely a misspelt bot than a command.
            Err(message) if !value.contains(char::is_whitespace) && !Path::new(value).is_file() => {
                Err(Error::Usage(format!(
                    "{message}; expected a bot, {others}net:FILE, a command such as \"python3 my_agent.py\", or jsonl:COMMAND"
                )))
            }
            Err(_) => ProgramSpec::new(value).map(Self::Program),
        }
    }
}
