//! Parsing: errors with their place, and suggestions for misspelled names.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A text that does not follow its grammar: the place of the error, and the expected text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The place of the error in the text, in bytes from its start.
    pub at: usize,
    /// The description of the error and of the expected text.
    pub message: Cow<'static, str>,
}

impl ParseError {
    /// Creates an error at byte `at`.
    pub fn new(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at, message: message.into() }
    }

    /// Returns the same error for a longer text that contains this one from byte `start` on.
    #[must_use]
    pub fn within(self, start: usize) -> Self {
        Self { at: self.at + start, ..self }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}: {}", self.at + 1, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Returns the words of a text, each with the byte where it starts. Whitespace separates words.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| !c.is_whitespace())?;
        let end = text[start..].find(char::is_whitespace).map_or(text.len(), |length| start + length);
        rest = end;
        Some((start, &text[start..end]))
    })
}

/// Reads each of these words, with the place of an error in the text that they come from.
pub fn read_each<T: FromStr<Err = ParseError>, C: FromIterator<T>>(words: &[(usize, &str)]) -> Result<C, ParseError> {
    words.iter().map(|&(at, word)| word.parse().map_err(|error: ParseError| error.within(at))).collect()
}

/// Parses a number in its only spelling: `7`, but neither `+7` nor `07`.
pub fn number<N: FromStr + fmt::Display>(text: &str) -> Option<N> {
    text.parse().ok().filter(|number: &N| number.to_string() == text)
}

/// Returns the one of `names` that is nearest to `word`; None if none is near.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A longer word is no name, and takes long to compare.
    let word = word.chars().take(64).collect::<String>().to_lowercase();
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&word, &name.to_lowercase()), name))
        .filter(|&(distance, name)| {
            distance < name.len().min(2 + name.len() / 3) || (word.len() > 2 && name.contains(&word))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Returns `; did you mean "rappanui"?`, or an empty text if no name is near.
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

/// Returns the error for a text that is none of these names of a `noun`.
pub fn unknown_name(noun: &str, text: &str, names: &[&str]) -> ParseError {
    let hint = did_you_mean(text, names.iter().copied());
    ParseError::new(0, format!("unknown {noun} \"{text}\"{hint} (expected one of {})", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_where_they_start() {
        assert_eq!(words("  raid  +2 ").collect::<Vec<_>>(), [(2, "raid"), (8, "+2")]);
        assert_eq!(words("").count(), 0);
    }

    #[test]
    fn a_number_has_one_spelling() {
        assert_eq!(["0", "7", "+7", "07", "-1", ""].map(number::<u8>), [Some(0), Some(7), None, None, None, None]);
    }

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let games = ["rappanui", "rapanui_cards", "giants"];
        assert_eq!(nearest("rapanui", games), Some("rappanui"));
        assert_eq!(nearest("Giant", games), Some("giants"));
        assert_eq!(nearest("cards", games), Some("rapanui_cards"));
        assert_eq!(nearest("chess", games), None);
    }
}
