//! Who moves a game on, and who looks at it.

use std::fmt;

use crate::core::{Seat, SeatSet};

/// Who moves the game on from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Chance: the caller draws an outcome and settles it.
    Chance,
    /// Each of these seats owes a decision, and may owe another once it has decided. Where there is
    /// more than one, they decide in secret and in any order: nothing that one does changes whether
    /// another owes, what it may do, or what anybody else is told, until the last of them is done.
    Seats(SeatSet),
    /// Nobody: the scores are final.
    Over,
}

impl Turn {
    /// The seats that owe a decision.
    pub const fn owing(self) -> SeatSet {
        match self {
            Self::Seats(owing) => owing,
            Self::Chance | Self::Over => SeatSet::EMPTY,
        }
    }
}

/// Whose knowledge a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player of this seat.
    Seat(Seat),
    /// A spectator, who is shown no hand.
    Public,
}

impl Viewer {
    /// Whether this is the player of `seat`.
    pub fn is(self, seat: Seat) -> bool {
        self == Self::Seat(seat)
    }

    /// The seat from which the table is shown: a spectator sits behind seat 0.
    pub fn seat(self) -> Seat {
        match self {
            Self::Seat(seat) => seat,
            Self::Public => Seat::default(),
        }
    }
}

impl fmt::Display for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seat(seat) => write!(f, "seat {seat}"),
            Self::Public => f.write_str("public"),
        }
    }
}
