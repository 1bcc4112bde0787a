//! Moai: their sizes, and how many there are.

use super::counts::{Counts, named};
use crate::core::Seats;

/// The size of a Moai, and the column of the Moai Quarry that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// Small: a Sculptor in the first column.
    Small,
    /// Medium: one in each of the first two columns.
    Medium,
    /// Large: one in each of the three columns.
    Large,
}

named!(Size, "size", [Small "small", Medium "medium", Large "large"]);

/// So many Moai of each size, or Sculptors in each column.
pub type Sizes = Counts<Size, { Size::COUNT }>;

impl Size {
    /// How many Resources erecting it brings.
    pub const fn resources(self) -> u8 {
        match self {
            Self::Small => 1,
            Self::Medium => 3,
            Self::Large => 5,
        }
    }
}

/// The Moai of a game for so many seats.
pub const fn moai(seats: Seats) -> Sizes {
    Sizes::of(if seats.count() == 2 { [6, 6, 5] } else { [8, 7, 6] })
}

/// The Pukao of the game.
pub const PUKAO: u8 = 20;
