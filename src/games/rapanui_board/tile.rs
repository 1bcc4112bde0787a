//! Ahu tiles: what kinds there are, and how many of each.

use super::counts::{Counts, named};

/// A kind of Ahu tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tile {
    /// Stand a fatigued Transporter up.
    Rest,
    /// Exchange 3 Resources of one type for 3 of another.
    Barter,
    /// When styling, pay 2 Resources instead of 4.
    Skimp,
    /// A virtual Sculptor more.
    ChipIn,
    /// When erecting a Moai, 3 Resources more.
    TakeThreeMore,
    /// From now on Outstanding Offering tiles can be taken.
    TakeYourPick,
    /// The Sorcerer becomes a Sculptor or a Transporter.
    ChangeJobs,
    /// A Sculptor or the Chief becomes a Transporter.
    LendAHand,
    /// Victory points at the end.
    GainFavor,
    /// When erecting a Moai, 2 Resources more.
    TakeTwoMore,
}

named!(Tile, "Ahu tile", [
    Rest "rest",
    Barter "barter",
    Skimp "skimp",
    ChipIn "chip_in",
    TakeThreeMore "take_three_more",
    TakeYourPick "take_your_pick",
    ChangeJobs "change_jobs",
    LendAHand "lend_a_hand",
    GainFavor "gain_favor",
    TakeTwoMore "take_two_more",
]);

/// So many Ahu tiles of each kind.
pub type Tiles = Counts<Tile, { Tile::COUNT }>;

/// All Ahu tiles.
pub const TILES: Tiles = Tiles::of([4, 4, 4, 4, 2, 2, 3, 3, 1, 2]);
/// How many they are.
pub const TILE_COUNT: usize = 29;
/// The Ahu tiles of a first game, as many as there are ahus (`beginner_tiles`, M37).
pub const BEGINNER_TILES: Tiles = Tiles::of([4, 4, 4, 4, 2, 0, 0, 0, 1, 2]);
