//! Nets as the command line names them: the files that it loads, and `net:FILE` as a player.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use ahu_engine::host::nets::{self, MAX_NET_FILE, NET, Net};
use ahu_engine::host::{AnyRules, BotName};

use crate::cli::CliError;

/// The longest name that an owner gives to a net, in characters.
const MAX_NAME: usize = 32;

/// Loads the net of `FILE` or `NAME=FILE`, so that its name is known to this process.
pub(in crate::cli) fn load(text: &str) -> Result<(), CliError> {
    let (name, file) = text.split_once('=').map_or((None, text), |(name, file)| (Some(name), file));
    if let Some(name) = name {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let fits = (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_plain);
        // The name of a net itself has 16 hexadecimal digits, and means no other net.
        let is_id = name.len() == 16 && name.chars().all(|letter| letter.is_ascii_hexdigit());
        if !fits || is_id {
            return Err(CliError::Usage(format!(
                "--net: expected a name of 1 to {MAX_NAME} letters, digits, and characters of ._- that is not the name of a \
                 net itself, got \"{name}\""
            )));
        }
    }
    load_file(Path::new(file), name).map(drop).map_err(CliError::Failed)
}

/// Returns the bot of a text, which may be `net:FILE`. An error says what was expected.
pub(in crate::cli) fn bot(rules: &dyn AnyRules, text: &str) -> Result<BotName, String> {
    let file = text.strip_prefix(NET).map(Path::new).filter(|file| file.is_file());
    let Some(file) = file else { return rules.bot(text).map_err(|error| error.message.into_owned()) };
    let (net, own) = (load_file(file, None)?, rules.info().id);
    let game = net.rules().info().id;
    rules.bot(&net.name()).map_err(|_| format!("expected a net for {own}, got one for {game}: {}", file.display()))
}

fn load_file(path: &Path, name: Option<&str>) -> Result<&'static Net, String> {
    let cannot = |act: &str, error: &dyn fmt::Display| format!("cannot {act} {}: {error}", path.display());
    let mut bytes = Vec::new();
    // A byte more than a net may have, so that a larger file is refused.
    let most = MAX_NET_FILE as u64 + 1;
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| cannot("read", &error))?;
    nets::load(&bytes, name).map_err(|error| cannot("load", &error))
}
