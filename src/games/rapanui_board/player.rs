//! What a player has: Resources, tiles, and figurines, wherever these are.

use super::action::Star;
use super::board::{Areas, Space};
use super::improvement::{Improvement, Improvements};
use super::moai::{Size, Sizes};
use super::offering::Offerings;
use super::resource::{Resource, Resources};
use super::tile::{Tile, Tiles};

/// What a player has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Player {
    /// The Resource rows.
    pub resources: Resources,
    /// The Ahu tiles that lie before the player.
    pub tiles: Tiles,
    /// Whether the Rongorongo Tablet is still there.
    pub has_tablet: bool,
    /// The Improvement tiles on the player board.
    pub improvements: Improvements,
    /// The Offering tiles, face down: how many of each type.
    pub offerings: Offerings,
    /// The Moai that were sculpted in this round and are not erected.
    pub moai: Sizes,
    /// The Villagers that are not placed.
    pub villagers: u8,
    /// Where the Sorcerer is.
    pub sorcerer: Sorcerer,
    /// Where the Chief is.
    pub chief: Chief,
    /// The Sculptors in each column of the Moai Quarry: Villagers, or the Sorcerer.
    pub sculptors: Sizes,
    /// The virtual Sculptors in each column, by Chip In.
    pub chip_ins: Sizes,
    /// The spaces on which the player's Transporters are, the Chief among them.
    pub held: Areas,
    /// Whether the player has dropped out of phase 3 of this round.
    pub has_dropped_out: bool,
}

/// Where a Sorcerer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorcerer {
    /// Not placed.
    InHand,
    /// On a star space of the turn order track.
    OnStar(Star),
    /// Among the Sculptors or the Transporters, by Change Jobs (M24).
    AtWork,
}

/// Where a Chief is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The Villagers with which a player begins. The fifth comes with Popular.
pub const VILLAGERS: u8 = 4;

impl Player {
    /// A player at the start: a Resource of each type, and a tablet, unless it is a first game.
    pub const fn new(has_tablet: bool) -> Self {
        Self {
            resources: Resources::of([1; Resource::COUNT]),
            tiles: Tiles::of([0; Tile::COUNT]),
            has_tablet,
            improvements: Improvements::NONE,
            offerings: Offerings::of([0; 5]),
            moai: Sizes::of([0; Size::COUNT]),
            villagers: VILLAGERS,
            sorcerer: Sorcerer::InHand,
            chief: Chief::InVillage,
            sculptors: Sizes::of([0; Size::COUNT]),
            chip_ins: Sizes::of([0; Size::COUNT]),
            held: Areas::NONE,
            has_dropped_out: false,
        }
    }

    /// Whether this Improvement tile is on the player board.
    #[inline]
    pub const fn is(&self, improvement: Improvement) -> bool {
        self.improvements.has(improvement)
    }

    /// How many Villagers the player has, wherever they are.
    pub const fn villager_count(&self) -> u8 {
        VILLAGERS + self.is(Improvement::Popular) as u8
    }

    /// The Sculptors that count in each column: figurines, virtual ones, the Chief (M5).
    #[inline]
    pub fn sculpting(&self) -> [u8; Size::COUNT] {
        let mut columns: [u8; Size::COUNT] =
            std::array::from_fn(|column| self.sculptors.as_array()[column] + self.chip_ins.as_array()[column]);
        if let Chief::InQuarry(column) = self.chief {
            columns[column as usize] += 1;
        }
        columns
    }

    /// The space on which the Chief stands, if he was lent.
    #[inline]
    pub const fn lent_chief(&self) -> Option<Space> {
        match self.chief {
            Chief::OnSpace(space) => Some(space),
            Chief::InVillage | Chief::InHand | Chief::InQuarry(_) => None,
        }
    }
}
