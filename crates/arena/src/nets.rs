//! Nets as files, and `net:FILE` as a player.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use ahu_host::nets::{self, MAX_NET_FILE, NET, Net};
use ahu_host::{AnyRules, BotName};

/// Returns true if the text after `net:` is a name, and false if it is the path of a file. The form decides that: a name has
/// letters from a to z, digits, `_`, and `-`.
pub fn is_name(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_-".contains(letter))
}

/// Returns the bot of a text, which may be `net:FILE`. An error says what was expected.
pub fn bot(rules: &dyn AnyRules, text: &str) -> Result<BotName, String> {
    let file = text.strip_prefix(NET).filter(|file| !is_name(file)).map(Path::new);
    let Some(file) = file else { return rules.bot(text).map_err(|error| error.message.into_owned()) };
    let (net, own) = (load_file(file, None)?, rules.info().id);
    let game = net.head.rules.info().id;
    rules.bot(&net.name()).map_err(|_| format!("expected a net for {own}, got one for {game}: {}", file.display()))
}

/// Loads the net of a file, with a name for clients or without. An error is a text for people.
pub fn load_file(path: &Path, name: Option<&str>) -> Result<&'static Net, String> {
    let cannot = |act: &str, error: &dyn fmt::Display| format!("cannot {act} {}: {error}", path.display());
    let mut bytes = Vec::new();
    // A byte more than a net may have, so that a larger file is refused.
    let most = MAX_NET_FILE as u64 + 1;
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| cannot("read", &error))?;
    nets::load(&bytes, name).map_err(|error| cannot("load", &error))
}
