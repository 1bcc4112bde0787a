//! Writes the hashes of agents' keys into the text of a cup's file. All other text stays as it is.

use std::fmt::Write as _;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The hash of a new key of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHash {
    /// The name of the agent.
    pub name: String,
    /// The owner of an agent that the file does not have yet; None without an owner.
    pub owner: Option<String>,
    /// SHA-256 of the key, in hexadecimal digits.
    pub hash: String,
}

/// Returns the text of a file with these hashes. An agent in the file gets the hash in place of any earlier one. Another agent
/// is added at the end.
///
/// # Errors
/// If the text is not TOML, or an agent with a key is not remote.
pub fn with_key_hashes(text: &str, keys: &[KeyHash]) -> Result<String, String> {
    let table = DeTable::parse(text).map_err(|error| error.to_string())?;
    let agents = table.get_ref().get("agent").and_then(|agents| agents.get_ref().as_array());
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut added = String::new();
    for KeyHash { name, owner, hash } in keys {
        let is_it = |agent: &&Spanned<DeValue<'_>>| {
            agent.get_ref().get("name").and_then(|name| name.get_ref().as_str()) == Some(name)
        };
        let found = agents.and_then(|agents| agents.iter().find(is_it)).map(Spanned::get_ref);
        let value = format!("\"{hash}\"");
        match found.map(|agent| (agent.get("key"), agent.get("remote"))) {
            Some((Some(key), _)) => edits.push((key.span(), value)),
            Some((None, Some(remote))) => {
                let end = remote.span().end;
                edits.push((end..end, format!("\nkey = {value}")));
            }
            Some((None, None)) => return Err(format!("expected remote = true for agent \"{name}\", which gets a key")),
            None => {
                let owner = owner.as_ref().map_or_else(String::new, |owner| format!("owner = {}\n", quoted(owner)));
                let name = quoted(name);
                let _ = write!(added, "\n[[agent]]\nname = {name}\n{owner}remote = true\nkey = {value}\n");
            }
        }
    }
    let mut text = text.to_owned();
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    for (place, new) in edits {
        text.replace_range(place, &new);
    }
    if !added.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text + &added)
}

/// Returns a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    // The escapes of JSON are escapes of TOML.
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, owner: Option<&str>, digit: char) -> KeyHash {
        KeyHash { name: name.to_owned(), owner: owner.map(str::to_owned), hash: digit.to_string().repeat(64) }
    }

    #[test]
    fn keys_are_added_and_replaced_and_all_else_stays() {
        let text = "# a cup\n[cup]\nname = \"c\" # its name\n[[agent]]\nname = \"moai\"\nremote = true # far\nowner = \"t\"\n\
                    [[agent]]\nname = \"greedy\"\nbot = \"greedy\"";
        let keys = [key("moai", None, 'a'), key("rongo", Some("team \"8\""), 'b')];
        let with = with_key_hashes(text, &keys).expect("it is TOML");
        let expected = text.replace("remote = true", &format!("remote = true\nkey = \"{}\"", "a".repeat(64)))
            + &format!(
                "\n\n[[agent]]\nname = \"rongo\"\nowner = \"team \\\"8\\\"\"\nremote = true\nkey = \"{}\"\n",
                "b".repeat(64)
            );
        assert_eq!(with, expected);
        let again = with_key_hashes(&with, &[key("moai", None, 'c')]).expect("it is TOML");
        assert_eq!(again, with.replace(&"a".repeat(64), &"c".repeat(64)));
        assert!(with_key_hashes(text, &[key("greedy", None, 'd')]).is_err());
    }
}
