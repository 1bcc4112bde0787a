//! The log of a match: the entries that it is folded from.

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
