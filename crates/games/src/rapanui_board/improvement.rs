//! Improvement tiles.

use ahu_core::named;
use ahu_core::parts::set::Set;

use super::resource::Resource;

named! {
    /// An Improvement tile. Each player has one of each, and notches for three of them.
    pub enum Improvement("Improvement tile") {
        /// The option to gain Resources of the next-higher value when erecting a Moai.
        Fervent = "fervent",
        /// The option to take an Offering tile of the next-higher value when styling.
        Artistic = "artistic",
        /// A fifth Villager.
        Popular = "popular",
        /// The Chief, a permanent Sculptor.
        Chief = "chief",
    }
}

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
pub type Improvements = Set<Improvement>;

/// The number of notches for Improvement tiles on a player board.
pub const NOTCHES: usize = 3;
