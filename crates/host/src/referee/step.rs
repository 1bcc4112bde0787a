//! Steps: the answers of the referee to the actions of players.

use ahu_core::{ActionId, PlayError, Seat};

use crate::{Cause, Ending};

/// The answer to an applied action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOutcome {
    /// The number of the answered decision, counted from 1 for each seat.
    pub decision: u32,
    /// The action.
    pub id: ActionId,
    /// True if the answer repeats the answer to an earlier, identical request.
    pub replayed: bool,
}

/// The reason why an action was not applied. The match does not change, except for a strike.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The game refuses the action.
    #[error(transparent)]
    Play(PlayError),
    /// The decision already has an answer, with another action.
    #[error("decision {decision} is already answered with action {id}")]
    Taken {
        /// The number of the decision.
        decision: u32,
        /// The action that answered it.
        id: ActionId,
    },
    /// Another decision is open.
    #[error("expected an answer to decision {open}, got one to decision {decision}")]
    Stale {
        /// The number of the decision in the request.
        decision: u32,
        /// The number of the open decision.
        open: u32,
    },
    /// The seat has forfeited.
    #[error("seat {seat} has forfeited ({cause}); a stand-in plays for it")]
    Forfeited {
        /// The seat.
        seat: Seat,
        /// The reason.
        cause: Cause,
    },
    /// A bot plays the seat.
    #[error("a bot plays seat {0}")]
    PlayedByBot(Seat),
    /// The match was cancelled or is void.
    #[error("{}", ended(.0))]
    Ended(Ending),
    /// The terms of the match refuse a resignation.
    #[error("the terms of the match do not allow a resignation")]
    NoResignation,
}

fn ended(ending: &Ending) -> String {
    match ending {
        Ending::Finished => "the match is finished".to_owned(),
        Ending::Cancelled(reason) => format!("the match was cancelled: {reason}"),
        Ending::Void(reason) => format!("the match is void: {reason}"),
    }
}

/// An entry that does not follow from the entries before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply} is impossible: {reason}")]
pub struct EntryError {
    /// The ply of the entry, counted from 1; the ply before the entry if it is no ply.
    pub ply: u32,
    /// The reason of the refusal.
    pub reason: String,
}
