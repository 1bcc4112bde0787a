//! The log of a match: its entries, and the stores that keep them.

use std::collections::HashMap;
use std::fmt;

use super::clock::ThinkingTime;
use super::conduct::Cause;
use crate::core::{ActionId, Seat};

/// One line of the log. A match is the fold of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A ply: the outcome of a chance event, as text.
    Chance(String),
    /// A ply: the action of a seat.
    Action {
        /// The seat.
        seat: Seat,
        /// The action.
        id: ActionId,
        /// The one who decided: the player or a stand-in.
        by: DecidedBy,
        /// The thinking time.
        time: ThinkingTime,
    },
    /// A fault that counts against a seat.
    Strike {
        /// The seat.
        seat: Seat,
        /// The decision that the seat owed.
        decision: u32,
        /// The fault.
        cause: Cause,
        /// The illegal action; None for another fault, for an id of 16 bits that no action has, and in records of format
        /// 1.
        action: Option<ActionId>,
    },
    /// The forfeit of a seat. From here on a stand-in plays for the seat, and the seat comes last.
    Forfeit {
        /// The seat.
        seat: Seat,
        /// The reason.
        cause: Cause,
    },
    /// The last entry of a match that was cancelled, with the reason.
    Cancelled(String),
    /// The last entry of a match that is void by a fault of the server, with the reason.
    Void(String),
}

impl Entry {
    /// Returns true if the entry is a ply: an applied action or a settled chance outcome.
    pub fn is_ply(&self) -> bool {
        match self {
            Self::Chance(_) | Self::Action { .. } => true,
            Self::Strike { .. } | Self::Forfeit { .. } | Self::Cancelled(_) | Self::Void(_) => false,
        }
    }
}

/// The decider of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The player of the seat.
    Player,
    /// The stand-in of a player who has forfeited.
    StandIn,
}

/// A store for the logs of matches. Appended entries are permanent once they are committed.
pub trait MatchLog: fmt::Debug + Send {
    /// Appends entries to the log of a match, which has `expected` entries so far.
    fn append(&mut self, match_id: &str, expected: usize, entries: &[Entry]) -> Result<(), LogError>;
    /// Makes all appended entries permanent.
    fn commit(&mut self) -> Result<(), LogError>;
    /// Returns the entries of a match from index `from` on.
    fn read(&self, match_id: &str, from: usize) -> Result<Vec<Entry>, LogError>;
    /// Removes a match that nobody will ask for again.
    fn forget(&mut self, match_id: &str) -> Result<(), LogError>;
}

/// The reason why a log could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogError {
    /// The log has another number of entries: another writer appends to it.
    OtherLength {
        /// The expected number of entries.
        expected: usize,
        /// The number of entries in the log.
        found: usize,
    },
    /// The store failed for this reason.
    Failed(String),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherLength { expected, found } => {
                write!(f, "expected {expected} entries in the log, got {found}: another writer appends to it")
            }
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for LogError {}

/// A store in memory: it keeps logs for as long as the process runs.
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
