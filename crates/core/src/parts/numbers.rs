//! A ready chance outcome: numbers, such as the cards of a deal.

use std::fmt;
use std::str::FromStr;

use super::lines::joined;
use crate::ParseError;

/// Numbers as the outcome of a chance event, such as `2 0 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(pub Vec<u8>);

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.0, " "))
    }
}

impl FromStr for Numbers {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let fault = |_| ParseError::new(0, format!("expected numbers from 0 to 255 such as \"2 0 1\", got \"{text}\""));
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().map(Self).map_err(fault)
    }
}
