//! The belongings of a player: Resources, tiles, and figurines in all their places.

use super::improvement::{Improvement, Improvements};
use super::moai::{Size, Sizes};
use super::offering::Offerings;
use super::order::Star;
use super::resource::{Resource, Resources};
use super::space::{Space, Spaces};
use super::tile::Tiles;
use borsh::{BorshDeserialize, BorshSerialize};

/// The belongings of a player.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Player {
    /// The Resource rows.
    pub resources: Resources,
    /// The Ahu tiles in front of the player.
    pub tiles: Tiles,
    /// True if the player still has its Rongorongo Tablet.
    pub has_tablet: bool,
    /// The Improvement tiles on the player board.
    pub improvements: Improvements,
    /// The number of Offering tiles of each type, face down.
    pub offerings: Offerings,
    /// The Moai that were sculpted in this round and are not erected.
    pub moai: Sizes,
    /// The Villagers that are not placed.
    pub villagers: u8,
    /// The place of the Sorcerer.
    pub sorcerer: Sorcerer,
    /// The place of the Chief.
    pub chief: Chief,
    /// The Sculptors in each column of the Moai Quarry: Villagers, or the Sorcerer.
    pub sculptors: Sizes,
    /// The virtual Sculptors in each column, by Chip In.
    pub chip_ins: Sizes,
    /// The spaces with Transporters of the player, including the Chief.
    pub held: Spaces,
    /// True if the player has dropped out of phase 3 of this round.
    pub has_dropped_out: bool,
}

/// The place of a Sorcerer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Sorcerer {
    /// Not placed.
    InHand,
    /// On a star space of the turn order track.
    OnStar(Star),
    /// Among the Sculptors or the Transporters, by Change Jobs (M24).
    AtWork,
}

/// The place of a Chief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Chief {
    /// In the Village: his Improvement tile is not bought.
    InVillage,
    /// Not placed.
    InHand,
    /// Below a column of the Moai Quarry.
    InQuarry(Size),
    /// On a space, by Lend a Hand. He does not become fatigued.
    OnSpace(Space),
}

/// The number of Villagers of a player at the start. The fifth comes with Popular.
pub const VILLAGERS: u8 = 4;

impl Player {
    /// Creates a player at the start: a Resource of each type, and a tablet, except in a first game.
    pub const fn new(has_tablet: bool) -> Self {
        Self {
            resources: Resources::of([1; Resource::COUNT]),
            tiles: Tiles::EMPTY,
            has_tablet,
            improvements: Improvements::EMPTY,
            offerings: Offerings::EMPTY,
            moai: Sizes::EMPTY,
            villagers: VILLAGERS,
            sorcerer: Sorcerer::InHand,
            chief: Chief::InVillage,
            sculptors: Sizes::EMPTY,
            chip_ins: Sizes::EMPTY,
            held: Spaces::EMPTY,
            has_dropped_out: false,
        }
    }

    /// Returns true if this Improvement tile is on the player board.
    #[inline]
    pub fn is(&self, improvement: Improvement) -> bool {
        self.improvements.contains(improvement)
    }

    /// Returns the number of Villagers of the player, placed or not.
    pub fn villager_count(&self) -> u8 {
        VILLAGERS + u8::from(self.is(Improvement::Popular))
    }

    /// Returns the number of Sculptors in each column: figurines, virtual ones, the Chief (M5).
    #[inline]
    pub fn sculpting(&self) -> Sizes {
        let mut columns = self.sculptors + self.chip_ins;
        if let Chief::InQuarry(column) = self.chief {
            columns[column] += 1;
        }
        columns
    }

    /// Returns the space of the Chief; None if he is not lent.
    #[inline]
    pub const fn lent_chief(&self) -> Option<Space> {
        match self.chief {
            Chief::OnSpace(space) => Some(space),
            Chief::InVillage | Chief::InHand | Chief::InQuarry(_) => None,
        }
    }
}
