//! The places of keys in the file of a cup or a suite, and the errors that name them.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use ahu_engine::core::parse::did_you_mean;

/// A fault of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The line, from 1; None if the fault has no place.
    pub line: Option<usize>,
    /// The fault.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}

/// The places of the keys of a file.
pub(crate) struct Places<'a> {
    text: &'a str,
    table: Spanned<DeTable<'a>>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, FileError> {
        let line = |span: Option<Range<usize>>| span.map(|span| line(text, span.start));
        let table = DeTable::parse(text)
            .map_err(|error| FileError { line: line(error.span()), message: error.message().trim().to_owned() })?;
        Ok(Self { text, table })
    }

    /// Returns an error at the place of a key, or of the nearest key around it that the file has.
    pub(crate) fn fault(&self, path: &[&str], message: String) -> FileError {
        let mut found = None;
        let mut table = Some(self.table.get_ref());
        let mut array = None;
        for part in path {
            let value = match (table.take(), array.take()) {
                (Some(keys), _) => {
                    let keys: &DeTable<'_> = keys;
                    let Some((key, value)) = keys.iter().find(|(key, _)| key.get_ref() == part) else { break };
                    found = Some(key.span().start);
                    value
                }
                (None, Some(values)) => {
                    let values: &toml::de::DeArray<'_> = values;
                    let Some(value) = part.parse().ok().and_then(|index: usize| values.get(index)) else { break };
                    found = Some(value.span().start);
                    value
                }
                (None, None) => break,
            };
            match value.get_ref() {
                DeValue::Table(keys) => table = Some(keys),
                DeValue::Array(values) => array = Some(values),
                _ => {}
            }
        }
        FileError { line: found.map(|start| line(self.text, start)), message }
    }

    /// Returns an error at the place of a key of a stage, or of one that a stage depends on.
    pub(super) fn fault_of_stage(&self, stage: usize, key: &str, message: String) -> FileError {
        match (key, self.has_stages()) {
            ("anchor", _) => self.fault(&["tournament", "anchor"], message),
            ("stand_in", _) => self.fault(&["conduct", "stand_in"], message),
            ("agent", _) => FileError { line: None, message },
            (key, true) => self.fault(&["stage", &stage.to_string(), key], message),
            (key, false) => self.fault(&[key], message),
        }
    }

    pub(super) fn has_stages(&self) -> bool {
        self.table.get_ref().iter().any(|(key, _)| key.get_ref() == "stage")
    }

    /// Returns an error of the reader of keys, with the nearest key for one that is unknown.
    pub(crate) fn error(&self, error: &toml::de::Error) -> FileError {
        let span = error.span();
        let mut message = error.message().trim().replace('`', "\"");
        let given = span.clone().and_then(|span| self.text.get(span)).unwrap_or_default();
        if let Some((_, known)) = message.split_once("unknown field")
            && let Some((_, known)) = known.split_once("expected")
        {
            let known: Vec<_> = known.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            let hint = did_you_mean(given, known.iter().map(String::as_str));
            message = format!("unknown key \"{given}\"{hint} (expected one of {})", known.join(", "));
        } else if !message.starts_with("missing field")
            && let Some(key) = span.as_ref().and_then(|span| key_of(self.table.get_ref(), span.start))
        {
            message = format!("{key}: {message}");
        }
        FileError { line: span.map(|span| line(self.text, span.start)), message }
    }
}

/// Returns the innermost key whose value has this place of the text.
fn key_of<'a>(table: &'a DeTable<'_>, place: usize) -> Option<&'a str> {
    table.iter().find_map(|(key, value)| key_at(key.get_ref(), value, place))
}

/// Returns a key, or one inside its value, if the value has this place.
fn key_at<'a>(key: &'a str, value: &'a Spanned<DeValue<'_>>, place: usize) -> Option<&'a str> {
    let inside = match value.get_ref() {
        DeValue::Table(table) => key_of(table, place),
        DeValue::Array(values) => values.iter().find_map(|value| key_at(key, value, place)),
        _ => None,
    };
    inside.or_else(|| value.span().contains(&place).then_some(key))
}

/// Returns the line of a place in a text, from 1.
fn line(text: &str, place: usize) -> usize {
    1 + text.get(..place).unwrap_or(text).matches('\n').count()
}
