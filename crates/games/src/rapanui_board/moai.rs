//! Moai: their sizes and their numbers.

use ahu_core::parts::counts::Counts;
use ahu_core::{Seats, named};

named! {
    /// The size of a Moai, and the column of the Moai Quarry that corresponds to it.
    pub enum Size("size") {
        /// Small: a Sculptor in the first column.
        Small = "small",
        /// Medium: a Sculptor in each of the first two columns.
        Medium = "medium",
        /// Large: a Sculptor in each of the three columns.
        Large = "large",
    }
}

/// A number of Moai of each size, or of Sculptors in each column.
pub type Sizes = Counts<Size, { Size::COUNT }>;

impl Size {
    /// Returns the number of Resources that an erected Moai brings.
    pub const fn resources(self) -> u8 {
        match self {
            Self::Small => 1,
            Self::Medium => 3,
            Self::Large => 5,
        }
    }
}

/// Returns the Moai of a game for this number of seats.
pub const fn moai(seats: Seats) -> Sizes {
    Sizes::of(if seats.count() == 2 { [6, 6, 5] } else { [8, 7, 6] })
}

/// The number of Pukao of the game.
pub const PUKAO: u8 = 20;
