//! Improvement tiles.

use super::counts::named;
use super::resource::Resource;

/// An Improvement tile. Each player has one of each, and notches for three of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Improvement {
    /// The option to gain Resources of the next-higher value when erecting a Moai.
    Fervent,
    /// The option to take an Offering tile of the next-higher value when styling.
    Artistic,
    /// A fifth Villager.
    Popular,
    /// The Chief, a permanent Sculptor.
    Chief,
}

named!(Improvement, "Improvement tile", [Fervent "fervent", Artistic "artistic", Popular "popular", Chief "chief"]);

impl Improvement {
    /// Returns the type and the number of Resources that the tile costs.
    pub const fn cost(self) -> (Resource, u8) {
        match self {
            Self::Fervent => (Resource::Reeds, 2),
            Self::Artistic => (Resource::Eggs, 2),
            Self::Popular => (Resource::Wood, 2),
            Self::Chief => (Resource::Pearls, 3),
        }
    }
}

/// The Improvement tiles on a player board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Improvements(u8);

impl Improvements {
    /// No Improvement tile.
    pub const EMPTY: Self = Self(0);
    /// The number of notches on a player board.
    pub const NOTCHES: u32 = 3;

    /// Returns true if `improvement` is on the board.
    #[inline]
    pub const fn has(self, improvement: Improvement) -> bool {
        self.0 >> improvement as u8 & 1 == 1
    }

    /// Returns this set with `improvement` added.
    #[must_use]
    pub const fn with(self, improvement: Improvement) -> Self {
        Self(self.0 | 1 << improvement as u8)
    }

    /// Returns true if all notches are taken.
    pub const fn are_full(self) -> bool {
        self.0.count_ones() >= Self::NOTCHES
    }

    /// Returns the tiles as bits in the order of [`Improvement::ALL`].
    pub const fn bits(self) -> u8 {
        self.0
    }
}
