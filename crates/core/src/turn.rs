//! Turns and viewers: whose turn it is, and whose knowledge a view shows.

use std::fmt;

use crate::{Seat, SeatSet};

/// The next to act: chance, seats, or nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Chance: the caller draws an outcome and settles it.
    Chance,
    /// The seats that have to decide. Each may have another decision after its first one. If there are several seats,
    /// they decide in secret and in any order. Until the last of them is done, an action of one seat changes neither
    /// the seats to act, nor the legal actions of another seat, nor anything that another viewer is told.
    Seats(SeatSet),
    /// Nobody: the scores are final.
    Over,
}

impl Turn {
    /// Returns the seats that have to decide.
    pub const fn to_act(self) -> SeatSet {
        match self {
            Self::Seats(to_act) => to_act,
            Self::Chance | Self::Over => SeatSet::EMPTY,
        }
    }
}

/// A seat, or the public: the owner of the knowledge in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// The player of this seat.
    Seat(Seat),
    /// A spectator. No hand is visible to it.
    Public,
}

impl Viewer {
    /// Returns true if the viewer is the player of `seat`.
    pub fn is(self, seat: Seat) -> bool {
        self == Self::Seat(seat)
    }

    /// Returns the seat of a player; None for the public.
    pub const fn own_seat(self) -> Option<Seat> {
        match self {
            Self::Seat(seat) => Some(seat),
            Self::Public => None,
        }
    }

    /// Returns the seat from which the table is shown. Spectators see it from seat 0.
    pub fn seat(self) -> Seat {
        self.own_seat().unwrap_or_default()
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
