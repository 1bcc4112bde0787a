//! Players, and nets by the files that the command line names.

use std::path::Path;

use ahu_arena::Player;
use ahu_arena::nets::{is_name, load_file};
use ahu_host::{AnyRules, BotName};

use crate::CliError;

/// The longest name that an owner gives to a net, in characters.
const MAX_NAME: usize = 32;

/// Loads the net of `FILE` or `NAME=FILE`, so that its name is known to this process.
pub(crate) fn load(text: &str) -> Result<(), CliError> {
    // A path with a `=` has a `/` before it, such as `./lr=1.net`.
    let named = text.split_once('=').filter(|(name, _)| !name.contains('/'));
    let (name, file) = named.map_or((None, text), |(name, file)| (Some(name), file));
    if let Some(name) = name {
        let fits = (1..=MAX_NAME).contains(&name.len()) && is_name(name);
        // The name of a net itself has 16 hexadecimal digits, and means no other net.
        let is_id = name.len() == 16 && name.chars().all(|letter| letter.is_ascii_hexdigit());
        if !fits || is_id {
            return Err(CliError::Usage(format!(
                "--net: expected a name of 1 to {MAX_NAME} letters from a to z, digits, and characters of _- that is not the \
                 name of a net itself, or a path with a \"/\" before the \"=\", got \"{name}\""
            )));
        }
    }
    load_file(Path::new(file), name).map(drop).map_err(CliError::Failed)
}

/// Parses a player: `human` for a person at this terminal, which is None, or a player of the arena.
pub(crate) fn player_or_human(rules: &dyn AnyRules, value: &str) -> Result<Option<Player>, CliError> {
    match value {
        "human" => Ok(None),
        _ => Ok(Some(Player::read(rules, value, "human, ")?)),
    }
}

/// Parses the name of a bot that searches.
pub(crate) fn search(rules: &dyn AnyRules, name: &str) -> Result<BotName, String> {
    let bot = rules.bot(name).map_err(|error| error.message.into_owned())?;
    match bot.budget() {
        Some(_) => Ok(bot),
        None => Err(format!("expected a search, such as search:800, got the bot \"{bot}\"")),
    }
}
