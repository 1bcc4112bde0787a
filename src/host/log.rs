//! The log of a match: the entries that it is folded from, and where logs are kept.

use std::collections::HashMap;
use std::fmt;

use crate::core::{ActionId, Seat};

/// One line of the log that a match is folded from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A ply: what chance brought, in words.
    Chance(String),
    /// A ply: what a seat did.
    Action {
        /// The seat.
        seat: Seat,
        /// The action.
        id: ActionId,
        /// Who decided it.
        by: By,
    },
    /// The seat tried an illegal action, where that counts.
    Strike(Seat),
    /// From here on a stand-in plays for the seat, which comes last.
    Forfeit(Seat),
}

impl Entry {
    /// Whether it is a ply: an applied action or a settled act of chance.
    pub fn is_ply(&self) -> bool {
        match self {
            Self::Chance(_) | Self::Action { .. } => true,
            Self::Strike(_) | Self::Forfeit(_) => false,
        }
    }
}

/// Who decides for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The player who sits there.
    Player,
    /// The bot `random`, for a player who has forfeited.
    StandIn,
}

/// Where the logs of matches are kept. What was appended is kept for good once it is committed.
pub trait MatchLog: fmt::Debug + Send {
    /// Appends entries to the log of a match, which has `expected` entries so far.
    fn append(&mut self, match_id: &str, expected: usize, entries: &[Entry]) -> Result<(), LogError>;
    /// Makes sure that all that was appended is kept.
    fn commit(&mut self) -> Result<(), LogError>;
    /// The entries of a match, from the one of this index on.
    fn read(&self, match_id: &str, from: usize) -> Result<Vec<Entry>, LogError>;
    /// Lets go of a match that nobody will ask for again.
    fn forget(&mut self, match_id: &str) -> Result<(), LogError>;
}

/// A log that could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogError {
    /// The match has another number of entries: somebody else appends to it.
    OtherLength {
        /// How many entries were expected.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The store has failed, for the reason given.
    Failed(String),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherLength { expected, found } => {
                write!(f, "the log has {found} entries, not {expected}: somebody else appends to it")
            }
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for LogError {}

/// Logs in memory: kept for as long as the process runs.
#[derive(Debug, Default)]
pub struct MemoryLog {
    by_match: HashMap<String, Vec<Entry>>,
}

impl MatchLog for MemoryLog {
    fn append(&mut self, match_id: &str, expected: usize, entries: &[Entry]) -> Result<(), LogError> {
        let found = self.by_match.get(match_id).map_or(0, Vec::len);
        if found != expected {
            return Err(LogError::OtherLength { expected, found });
        }
        self.by_match.entry(match_id.to_owned()).or_default().extend_from_slice(entries);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), LogError> {
        Ok(())
    }

    fn read(&self, match_id: &str, from: usize) -> Result<Vec<Entry>, LogError> {
        let entries = self.by_match.get(match_id).map_or(&[][..], Vec::as_slice);
        Ok(entries.get(from..).unwrap_or_default().to_vec())
    }

    fn forget(&mut self, match_id: &str) -> Result<(), LogError> {
        self.by_match.remove(match_id);
        Ok(())
    }
}
