//! Steps: the answers of the referee to the actions of players.

use std::fmt;

use crate::core::{ActionId, PlayError, Seat};
use crate::host::conduct::{Cause, Ending};

/// The answer to an applied action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOutcome {
    /// The number of the answered decision, counted from 1 for each seat.
    pub decision: u32,
    /// The action.
    pub id: ActionId,
    /// True if the answer repeats that of an earlier, identical request.
    pub replayed: bool,
}

/// The reason why an action was not applied. The match does not change, except for a strike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The game refuses the action.
    Play(PlayError),
    /// The decision already has an answer, with another action.
    Taken {
        /// The number of the decision.
        decision: u32,
        /// The action that answered it.
        id: ActionId,
    },
    /// Another decision is open.
    Stale {
        /// The number of the decision in the request.
        decision: u32,
        /// The number of the open decision.
        open: u32,
    },
    /// The seat has forfeited.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// The reason.
        cause: Cause,
    },
    /// A bot plays the seat.
    PlayedByBot(Seat),
    /// The match was cancelled or is void.
    Ended(Ending),
    /// The terms of the match refuse a resignation.
    NoResignation,
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play(error) => error.fmt(f),
            Self::Taken { decision, id } => write!(f, "decision {decision} is already answered with action {id}"),
            Self::Stale { decision, open } => {
                write!(f, "expected an answer to decision {open}, got one to decision {decision}")
            }
            Self::Forfeited { seat, cause } => {
                write!(f, "seat {seat} has forfeited ({cause}); a stand-in plays for it")
            }
            Self::PlayedByBot(seat) => write!(f, "a bot plays seat {seat}"),
            Self::Ended(Ending::Finished) => f.write_str("the match is finished"),
            Self::Ended(Ending::Cancelled(reason)) => write!(f, "the match was cancelled: {reason}"),
            Self::Ended(Ending::Void(reason)) => write!(f, "the match is void: {reason}"),
            Self::NoResignation => f.write_str("the terms of the match do not allow a resignation"),
        }
    }
}

impl std::error::Error for StepError {}

/// An entry that does not follow from those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryError {
    /// The ply of the entry, counted from 1; for an entry that is no ply, the ply before it.
    pub ply: u32,
    /// The reason of the refusal.
    pub reason: String,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {} is impossible: {}", self.ply, self.reason)
    }
}

impl std::error::Error for EntryError {}
