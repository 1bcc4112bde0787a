//! The names of accounts, and how two names are alike.

use ahu_host::GAMES;
use ahu_host::record::check_new_name;

/// The letters that look alike. After a letter of ASCII come the others of usually the same shape in lower case, of ASCII,
/// Cyrillic, and Greek.
const ALIKE: [&str; 21] = [
    "aаα",
    "bв",
    "cс",
    "dԁ",
    "eеё",
    "gɡ",
    "hһн",
    "i1lӏіїıι",
    "jј",
    "kкκ",
    "mм",
    "o0оο",
    "pрρ",
    "qԛ",
    "sѕ",
    "tтτ",
    "uυ",
    "vѵν",
    "wԝ",
    "xхχ",
    "yу",
];

/// The skeleton of a name: two names that a reader may take for each other have the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Skeleton(String);

impl Skeleton {
    /// Returns the skeleton: letters in lower case without separators, where 0 is o, and 1 and l are i.
    pub(super) fn of(name: &str) -> Self {
        let letters = name.chars().flat_map(char::to_lowercase).map(first_alike).flat_map(char::to_lowercase);
        Self(letters.filter(|letter| letter.is_alphanumeric()).collect())
    }
}

/// Returns the first of the letters that look like this one.
fn first_alike(letter: char) -> char {
    // The letters of full width are those of ASCII at another place.
    let letter = match letter {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(letter as u32 - 0xFEE0).unwrap_or(letter),
        other => other,
    };
    let alike = ALIKE.iter().find(|alike| alike.contains(letter));
    alike.and_then(|alike| alike.chars().next()).unwrap_or(letter)
}

/// The names that no account has: players without a name, and words for the server itself.
const RESERVED: [&str; 7] = ["agent", "bot", "player", "operator", "organiser", "server", "anonymous"];

/// Checks the name of an account. An error says what was expected.
pub fn check(name: &str) -> Result<(), String> {
    let is_permitted = |letter: char| letter.is_ascii_alphanumeric() || " -_.".contains(letter);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_permitted) {
        return Err(format!(
            "expected a name of 1 to 64 letters, digits, spaces, and the characters - _ . of ASCII, got \"{}\"",
            name.escape_debug()
        ));
    }
    check_new_name(name)?;
    let skeleton = Skeleton::of(name);
    if skeleton.0.is_empty() {
        return Err(format!("expected a name with a letter or a digit, got \"{name}\""));
    }
    let bots = [name.to_ascii_lowercase(), skeleton.0.clone()];
    let is_bot = GAMES.iter().any(|rules| bots.iter().any(|bot| rules.bot(bot).is_ok()));
    if is_bot || RESERVED.iter().any(|reserved| Skeleton::of(reserved) == skeleton) {
        return Err(format!("expected a name that is neither that of a bot nor a reserved one, got \"{name}\""));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for alike in ["moai", "M0AI", "mo-ai", "Mo Ai", "m.o_a.1", "moal", "MOAl", "mоаі", "ｍｏａｉ"] {
            assert_eq!(Skeleton::of(alike), Skeleton::of("moai"), "{alike}");
        }
        for other in ["moa", "moais", "maoi", "m0a7"] {
            assert_ne!(Skeleton::of(other), Skeleton::of("moai"), "{other}");
        }
    }

    #[test]
    fn a_name_is_short_plain_and_neither_of_a_bot_nor_reserved() {
        for name in ["moai", "Team 7", "a", "x-1_2.3", &"x".repeat(64)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in
            ["", " ", "a  b", " a", "a ", "-", "möai", "a\nb", "a@1", "greedy", "GREEDY", "gre-edy", "agent", "Ag3nt!"]
        {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check(&"x".repeat(65)).is_err());
    }
}
