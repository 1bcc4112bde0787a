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
    /// From here on a stand-in plays for the seat, which comes last.
    Forfeit(Seat),
}

/// Who decides for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The player who sits there.
    Player,
    /// The bot `random`, for a player who has forfeited.
    StandIn,
}
