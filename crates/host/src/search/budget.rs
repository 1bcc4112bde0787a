//! The budget of a search: a number of playouts, or a time.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::{Duration, Instant};

use ahu_core::ParseError;
use ahu_core::parse::number;

/// The budget of a search for one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// A number of playouts, from 1 to [`MAX_PLAYOUTS`](Self::MAX_PLAYOUTS). The choice is a function of the seed.
    Playouts(NonZeroU32),
    /// A time in milliseconds, from 1 to [`MAX_TIME`](Self::MAX_TIME). The choice depends on the speed of the machine.
    Time(NonZeroU32),
}

impl Budget {
    /// The budget of a name without one: 200 playouts.
    pub const DEFAULT: Self = Self::Playouts(NonZeroU32::new(200).expect("200 is above 0"));
    /// The maximum number of playouts: minutes in the longest game. A larger number is probably a typing error.
    pub const MAX_PLAYOUTS: u32 = 1_000_000;
    /// The maximum time, in milliseconds: an hour.
    pub const MAX_TIME: u32 = 3_600_000;
}

/// Writes `200`, `2s`, or `500ms`.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Playouts(playouts) => write!(f, "{playouts}"),
            Self::Time(time) if time.get().is_multiple_of(1000) => write!(f, "{}s", time.get() / 1000),
            Self::Time(time) => write!(f, "{time}ms"),
        }
    }
}

/// Reads a number of playouts, or a time in seconds (`2s`) or milliseconds (`500ms`).
impl FromStr for Budget {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unreadable = || {
            let message = format!("expected a number of playouts, such as 200, or a time, such as 2s, got \"{text}\"");
            ParseError::new(0, message)
        };
        let (most, factor) = match &text[digits.len()..] {
            "" => (Self::MAX_PLAYOUTS, 1),
            "s" => (Self::MAX_TIME, 1000),
            "ms" => (Self::MAX_TIME, 1),
            _ => return Err(unreadable()),
        };
        let given: u64 = match number(digits) {
            Some(given) => given,
            // A number that does not fit into its type is beyond the limit too.
            None if digits.starts_with(|c| ('1'..='9').contains(&c)) && digits.bytes().all(|c| c.is_ascii_digit()) => {
                u64::MAX
            }
            None => return Err(unreadable()),
        };
        let amount = given.checked_mul(factor).and_then(|amount| u32::try_from(amount).ok());
        let amount = amount.filter(|&amount| amount <= most).and_then(NonZeroU32::new).ok_or_else(|| {
            let range = match &text[digits.len()..] {
                "" => format!("from 1 to {} playouts", Self::MAX_PLAYOUTS),
                _ => format!("a time from 1ms to {}s", Self::MAX_TIME / 1000),
            };
            ParseError::new(0, format!("expected {range}, got \"{text}\""))
        })?;
        Ok(if text.len() == digits.len() { Self::Playouts(amount) } else { Self::Time(amount) })
    }
}

/// The time since the begin of a search with a budget of time: with `speed.rs`, the only code of the host that reads a clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns true if this number of milliseconds has passed.
    pub(super) fn has_reached(self, milliseconds: f64) -> bool {
        self.0.elapsed() >= Duration::from_secs_f64(milliseconds / 1000.0)
    }
}
