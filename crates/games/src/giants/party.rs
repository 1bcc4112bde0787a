//! The figures to place on the island, with their logs.

use borsh::{BorshDeserialize, BorshSerialize};
use std::fmt;
use std::str::FromStr;

use ahu_core::parse::words;
use ahu_core::parts::lines::{counted, joined};
use ahu_core::{Argument, Numbered, ParseError};

/// A figure to place on the island, with its logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Party {
    /// A Worker with this number of logs, 0 to 2.
    Worker(u8),
    /// The Sorcerer with this number of logs, 0 to 2.
    Sorcerer(u8),
    /// The Chief, who brings no logs (G13).
    Chief,
}

/// The most logs that a Worker or the Sorcerer may bring.
pub const LOGS_A_FIGURE: u8 = 2;

impl Party {
    /// All values, in the order of their ids.
    pub const ALL: [Self; 7] = [
        Self::Worker(0),
        Self::Worker(1),
        Self::Worker(2),
        Self::Sorcerer(0),
        Self::Sorcerer(1),
        Self::Sorcerer(2),
        Self::Chief,
    ];

    /// Returns the number of logs that the figure brings.
    pub const fn logs(self) -> u8 {
        match self {
            Self::Worker(logs) | Self::Sorcerer(logs) => logs,
            Self::Chief => 0,
        }
    }
}

impl Numbered for Party {
    const COUNT: usize = Self::ALL.len();

    #[inline]
    fn new(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// Returns the number of the value.
    ///
    /// # Panics
    /// If the figure brings too many logs.
    #[inline]
    fn index(self) -> usize {
        assert!(self.logs() <= LOGS_A_FIGURE, "expected at most {LOGS_A_FIGURE} logs, got {}", self.logs());
        match self {
            Self::Worker(logs) => logs.into(),
            Self::Sorcerer(logs) => usize::from(LOGS_A_FIGURE) + 1 + usize::from(logs),
            Self::Chief => Self::COUNT - 1,
        }
    }
}

/// Writes the figure and its logs as in actions: `worker`, `sorcerer 1 log`, `worker 2 logs`, `chief`.
impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worker(_) => "worker",
            Self::Sorcerer(_) => "sorcerer",
            Self::Chief => "chief",
        })?;
        match self.logs() {
            0 => Ok(()),
            1 => f.write_str(" 1 log"),
            logs => write!(f, " {logs} logs"),
        }
    }
}

impl FromStr for Party {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let given = joined(words(text).map(|(_, word)| word), " ");
        Self::ALL.into_iter().find(|party| party.to_string() == given).ok_or_else(|| {
            let expected = "expected chief, or worker or sorcerer, alone or with \"1 log\" or \"2 logs\"";
            ParseError::new(0, format!("{expected}, got \"{given}\""))
        })
    }
}

impl Argument for Party {
    const TAKES_REST: bool = true;

    /// Returns the figure with its logs: `a Worker with 2 logs`, `the Chief`.
    fn words(self) -> String {
        let figure = match self {
            Self::Worker(_) => "a Worker",
            Self::Sorcerer(_) => "the Sorcerer",
            Self::Chief => "the Chief",
        };
        match self.logs() {
            0 => figure.to_owned(),
            logs => format!("{figure} with {}", counted(logs, "log")),
        }
    }
}
