//! Improvement tiles.

use super::counts::named;
use super::resource::Resource;

/// An Improvement tile. Each player has one of each, and notches for three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Improvement {
    /// When erecting a Moai, Resources of the next-higher value may be taken.
    Fervent,
    /// When styling, an Offering tile of the next-higher value may be taken.
    Artistic,
    /// A fifth Villager.
    Popular,
    /// The Chief, a permanent Sculptor.
    Chief,
}

named!(Improvement, "Improvement tile", [Fervent "fervent", Artistic "artistic", Popular "popular", Chief "chief"]);

impl Improvement {
    /// What it costs.
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
    /// None yet.
    pub const NONE: Self = Self(0);
    /// How many a player board has notches for.
    pub const NOTCHES: u32 = 3;

    /// Whether this one is on the board.
    #[inline]
    pub const fn has(self, improvement: Improvement) -> bool {
        self.0 >> improvement as u8 & 1 == 1
    }

    /// The same board with this one.
    #[must_use]
    pub const fn with(self, improvement: Improvement) -> Self {
        Self(self.0 | 1 << improvement as u8)
    }

    /// Whether all notches are taken.
    pub const fn are_full(self) -> bool {
        self.0.count_ones() >= Self::NOTCHES
    }

    /// Those that there are, as bits in the order of [`Improvement::ALL`].
    pub const fn bits(self) -> u8 {
        self.0
    }
}
