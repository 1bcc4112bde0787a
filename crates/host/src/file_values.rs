//! Values in files that people write (cups, suites): times, and values of options.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::parse_time;

/// The value of an option: a text, a number, or a truth value.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// Another number.
    Real(f64),
    /// A truth value.
    Flag(bool),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

/// Reads a time such as `"10m"` or `"500ms"`, in milliseconds; a bare number is in seconds.
pub fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let text = Scalar::deserialize(deserializer)?.to_string();
    let refused = |expected: &str| D::Error::custom(format!("expected a time {expected}, got \"{text}\""));
    let milliseconds = parse_time(&text).ok_or_else(|| refused("such as \"500ms\", \"30s\", \"10m\", or \"2h\""))?;
    u32::try_from(milliseconds).map_err(|_| refused("of at most 49 days"))
}

/// Reads a time in milliseconds; 0 means none.
pub fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NonZeroU32>, D::Error> {
    time(deserializer).map(NonZeroU32::new)
}
