//! Players by their texts: a bot, a net, or a program.

use ahu_host::nets::NET;
use ahu_host::{AnyRules, BotName};

use crate::programs::{COMMAND, LINES, ProgramSpec};
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
    /// Parses a player: a bot, `net:FILE`, a command, `cmd:COMMAND`, or `jsonl:COMMAND`. `others` names further players of the
    /// caller, for errors, such as "human, ".
    pub fn read(rules: &dyn AnyRules, value: &str, others: &str) -> Result<Self, Error> {
        if is_command(value) {
            return ProgramSpec::new(value).map(Self::Program);
        }
        nets::bot(rules, value).map(Self::Bot).map_err(|message| {
            Error::Usage(match value.starts_with(NET) {
                true => message,
                false => format!(
                    "{message}; expected a bot, {others}net:FILE, a command with a space or a \"/\" such as \"./my_agent\", or \
                     jsonl:COMMAND"
                ),
            })
        })
    }
}

/// Returns true if the text of a player is a command. The form of the text decides that, whatever bots and files there are:
/// `docs/reference/players.md` has the grammar, and `ahu/_names.py` reads it too.
fn is_command(text: &str) -> bool {
    let is_part_of_commands = |letter: char| letter == '/' || letter.is_ascii_whitespace();
    [LINES, COMMAND].iter().any(|prefix| text.starts_with(prefix))
        || (!text.starts_with(NET) && text.contains(is_part_of_commands))
}

#[cfg(test)]
mod tests {
    use ahu_host::GAMES;
    use serde_json::Value;

    use super::*;
    use crate::programs::Protocol;

    /// The texts of players, with their kinds, which a test of the Python package reads too.
    const TEXTS: &str = include_str!("../../../tests/players.json");

    #[test]
    fn a_text_means_the_same_kind_of_player_as_in_python() {
        let table: Vec<Value> = serde_json::from_str(TEXTS).expect("JSON");
        assert!(table.len() > 20, "the table has only {} texts", table.len());
        for row in table {
            let text = row["text"].as_str().expect("a text");
            let kind = if let Some(own) = text.strip_prefix(NET) {
                (if nets::is_name(own) { "net" } else { "net file" }, None)
            } else if is_command(text) {
                let spec = ProgramSpec::new(text).expect(text);
                (if spec.protocol == Protocol::Lines { "lines" } else { "command" }, Some(spec.command))
            } else {
                ("bot", None)
            };
            assert_eq!((Some(kind.0), kind.1.as_deref()), (row["kind"].as_str(), row["command"].as_str()), "{text:?}");
        }
    }

    #[test]
    fn every_bot_has_the_form_of_a_bot() {
        for rules in GAMES {
            for (name, _) in rules.bots() {
                let (stem, version) = name.split_once('@').expect("a version");
                let is_stem = stem.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
                assert!(is_stem && version.parse::<u32>().is_ok() && !is_command(name), "{name}");
            }
        }
    }
}
