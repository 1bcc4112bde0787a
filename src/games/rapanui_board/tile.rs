//! Ahu tiles: their kinds, and the number of each.

use super::counts::{Counts, named};

/// A kind of Ahu tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tile {
    /// A fatigued Transporter stands up.
    Rest,
    /// An exchange of 3 Resources of one type for 3 of another.
    Barter,
    /// A price of 2 Resources instead of 4 when styling.
    Skimp,
    /// A virtual Sculptor.
    ChipIn,
    /// 3 more Resources when erecting a Moai.
    TakeThreeMore,
    /// The right to take Outstanding Offering tiles from now on.
    TakeYourPick,
    /// The Sorcerer becomes a Sculptor or a Transporter.
    ChangeJobs,
    /// A Sculptor or the Chief becomes a Transporter.
    LendAHand,
    /// Victory points at the end.
    GainFavor,
    /// 2 more Resources when erecting a Moai.
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

/// A number of Ahu tiles of each kind.
pub type Tiles = Counts<Tile, { Tile::COUNT }>;

/// The Ahu tiles of the game.
pub const TILES: Tiles = Tiles::of([4, 4, 4, 4, 2, 2, 3, 3, 1, 2]);
/// The number of Ahu tiles of the game.
pub const TILE_COUNT: usize = 29;
/// The Ahu tiles of a first game, as many as there are ahus (`beginner_tiles`, M37).
pub const BEGINNER_TILES: Tiles = Tiles::of([4, 4, 4, 4, 2, 0, 0, 0, 1, 2]);
