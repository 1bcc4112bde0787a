//! A file of TOML whose errors name the line: the file of a cup or a suite.

use std::ops::Range;

use ahu_core::parse::did_you_mean;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A fault of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct FileError {
    /// The line, from 1; None if the fault belongs to no line.
    pub line: Option<usize>,
    /// The fault.
    pub message: String,
}

/// A fault before its line is known: the path of the key, such as `stage.0.seats`, and the message. With an empty path the fault
/// belongs to no line.
pub(crate) type Fault = (String, String);

/// Returns a fault at this path unless a condition holds.
pub(crate) fn ensure<M: Into<String>>(
    holds: bool,
    path: impl Into<String>,
    message: impl FnOnce() -> M,
) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err((path.into(), message().into())) }
}

/// Adds the path of the key to an error.
pub(crate) fn at<T>(path: impl Into<String>, result: Result<T, impl Into<String>>) -> Result<T, Fault> {
    result.map_err(|message| (path.into(), message.into()))
}

/// The keys of a file, with their positions in its text.
pub(crate) struct TomlFile<'a> {
    text: &'a str,
    pub(super) table: Spanned<DeTable<'a>>,
}

impl<'a> TomlFile<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, FileError> {
        let line = |span: Option<Range<usize>>| span.map(|span| line(text, span.start));
        let table = DeTable::parse(text)
            .map_err(|error| FileError { line: line(error.span()), message: error.message().trim().to_owned() })?;
        Ok(Self { text, table })
    }

    /// Reads all keys as a value.
    pub(crate) fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, FileError> {
        T::deserialize(toml::Deserializer::from(self.table.clone())).map_err(|error| self.error(&error))
    }

    /// Returns a fault with the line of its key, or of the nearest key around it that the file has.
    pub(crate) fn fault(&self, (path, message): Fault) -> FileError {
        let mut found = None;
        let mut value = &DeValue::Table(self.table.get_ref().clone());
        for part in path.split('.') {
            let next = match value {
                DeValue::Table(keys) => keys.get_key_value(part).map(|(key, value)| (key.span(), value)),
                DeValue::Array(values) => {
                    part.parse().ok().and_then(|index: usize| values.get(index)).map(|value| (value.span(), value))
                }
                _ => None,
            };
            let Some((span, inside)) = next else { break };
            (found, value) = (Some(line(self.text, span.start)), inside.get_ref());
        }
        FileError { line: found, message }
    }

    /// Returns an error of the deserializer with its line. For an unknown key, the message suggests the nearest known key.
    fn error(&self, error: &toml::de::Error) -> FileError {
        let span = error.span();
        let mut message = error.message().trim().replace('`', "\"");
        let given = span.clone().and_then(|span| self.text.get(span)).unwrap_or_default();
        if let Some((_, known)) = message.split_once("unknown field")
            && let Some((_, known)) = known.split_once("expected")
        {
            let known: Vec<_> = known.split('"').skip(1).step_by(2).collect();
            let hint = did_you_mean(given, known.iter().copied());
            message = format!("unknown key \"{given}\"{hint} (expected one of {})", known.join(", "));
        } else if !message.starts_with("missing field")
            && let Some(key) = span.as_ref().and_then(|span| key_of(self.table.get_ref(), span.start))
        {
            message = format!("{key}: {message}");
        }
        FileError { line: span.map(|span| line(self.text, span.start)), message }
    }
}

/// Returns the innermost key whose value contains this position of the text.
fn key_of<'a>(table: &'a DeTable<'_>, place: usize) -> Option<&'a str> {
    table.iter().find_map(|(key, value)| key_at(key.get_ref(), value, place))
}

/// Returns the key, or a key inside its value, if the value contains this position.
fn key_at<'a>(key: &'a str, value: &'a Spanned<DeValue<'_>>, place: usize) -> Option<&'a str> {
    let inside = match value.get_ref() {
        DeValue::Table(table) => key_of(table, place),
        DeValue::Array(values) => values.iter().find_map(|value| key_at(key, value, place)),
        _ => None,
    };
    inside.or_else(|| value.span().contains(&place).then_some(key))
}

/// Returns the line of a position in a text, from 1.
fn line(text: &str, place: usize) -> usize {
    1 + text.get(..place).unwrap_or(text).matches('\n').count()
}
