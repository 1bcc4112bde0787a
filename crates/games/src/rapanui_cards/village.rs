//! The possessions of a player: hand, personal display, wood, glory points, sacrifice cards.

use super::cards::{Foods, Kind, KindCounts};
use super::options::Colour;
use borsh::{BorshDeserialize, BorshSerialize};

/// The public knowledge of a player's possessions.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Village {
    /// The colour of the start cards; None before they are given out.
    pub colour: Option<Colour>,
    /// The hand. Other players do not see it, but it follows from public facts (A21): the start cards, draws, and
    /// plays.
    pub hand: KindCounts,
    /// The personal display.
    pub display: KindCounts,
    /// Wood.
    pub wood: u16,
    /// Glory points in tiles.
    pub glory: u16,
    /// The sacrifice cards that all players can account for: the cards that the player got, less the cards that it laid on
    /// the stone face up. The player still has them, except the cards that it laid face down.
    pub accounted: Foods,
    /// The number of sacrifice cards that the player has.
    pub held: u8,
}

impl Village {
    /// The village without any possessions.
    pub const EMPTY: Self = Self {
        colour: None,
        hand: KindCounts::EMPTY,
        display: KindCounts::EMPTY,
        wood: 0,
        glory: 0,
        accounted: Foods::EMPTY,
        held: 0,
    };

    /// Returns the number of Moai in the personal display.
    pub fn moai(&self) -> u8 {
        self.display[Kind::Moai]
    }
}
