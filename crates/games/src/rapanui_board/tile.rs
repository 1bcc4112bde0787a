//! Ahu tiles: their kinds, and the number of each.

use ahu_core::named;
use ahu_core::parts::counts::Counts;

named! {
    /// A kind of Ahu tile.
    pub enum Tile("Ahu tile") {
        /// A fatigued Transporter stands up.
        Rest = "rest",
        /// An exchange of 3 Resources of one type for 3 of another.
        Barter = "barter",
        /// A price of 2 Resources instead of 4 when styling.
        Skimp = "skimp",
        /// A virtual Sculptor.
        ChipIn = "chip_in",
        /// 3 more Resources when erecting a Moai.
        TakeThreeMore = "take_three_more",
        /// The right to take Outstanding Offering tiles from now on.
        TakeYourPick = "take_your_pick",
        /// The Sorcerer becomes a Sculptor or a Transporter.
        ChangeJobs = "change_jobs",
        /// A Sculptor or the Chief becomes a Transporter.
        LendAHand = "lend_a_hand",
        /// Victory points at the end.
        GainFavor = "gain_favor",
        /// 2 more Resources when erecting a Moai.
        TakeTwoMore = "take_two_more",
    }
}

/// A number of Ahu tiles of each kind.
pub type Tiles = Counts<Tile, { Tile::COUNT }>;

/// The Ahu tiles of the game.
pub const TILES: Tiles = Tiles::of([4, 4, 4, 4, 2, 2, 3, 3, 1, 2]);
/// The number of Ahu tiles of the game.
pub const TILE_COUNT: usize = 29;
/// The Ahu tiles of a first game, as many as there are ahus (`beginner_tiles`, M37).
pub const BEGINNER_TILES: Tiles = Tiles::of([4, 4, 4, 4, 2, 0, 0, 0, 1, 2]);
