//! Values in files that people write (cups, suites): times with their units, and values of options.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::{Deserialize, Deserializer, Error as _};

/// The value of an option: a text, a number, or a truth value.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A truth value.
    Flag(bool),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

/// Reads a time such as `"10m"` or `"500ms"`, in milliseconds: a number with one of the units ms, s, m, h, and d.
pub fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let text = Scalar::deserialize(deserializer)?.to_string();
    let units = [("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("d", 86400e9)];
    let nanoseconds = units.into_iter().find_map(|(unit, nanoseconds)| {
        let number = text.strip_suffix(unit)?;
        let is_plain = !number.is_empty() && number.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        number.parse::<f64>().ok().filter(|_| is_plain).map(|number| (number * nanoseconds).round())
    });
    let refused = |expected: &str| D::Error::custom(format!("expected a time {expected}, got \"{text}\""));
    let nanoseconds = nanoseconds.ok_or_else(|| refused("such as \"500ms\", \"30s\", \"10m\", or \"2h\""))?;
    #[expect(clippy::cast_sign_loss, reason = "the text has digits and a point alone")]
    let milliseconds = nanoseconds as u64 / 1_000_000;
    u32::try_from(milliseconds).map_err(|_| refused("of at most 49 days"))
}

/// Reads a time in milliseconds; 0 means none.
pub fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NonZeroU32>, D::Error> {
    time(deserializer).map(NonZeroU32::new)
}
