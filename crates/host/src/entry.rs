//! The log of a match: its entries.

use ahu_core::{ActionId, Seat};

use super::{Cause, ThinkingTime};

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
