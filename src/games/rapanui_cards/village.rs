//! What a player has: hand, personal display, wood, glory points, sacrifice cards.

use super::cards::{Foods, Kind, Kinds};
use super::options::Colour;

/// What everybody knows that a player has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Village {
    /// The colour of the start cards; none before they are handed out.
    pub colour: Option<Colour>,
    /// The hand. It is not laid open, but follows from what is (A21): the start cards, what was drawn, what was played.
    pub hand: Kinds,
    /// The personal display.
    pub display: Kinds,
    /// Wood.
    pub wood: u16,
    /// Glory points in tiles.
    pub glory: u16,
    /// The sacrifice cards that all can account for: those that the player got, less those that it laid on the stone
    /// face up. It has them still, but for those that it laid there face down.
    pub accounted: Foods,
    /// How many sacrifice cards the player has.
    pub held: u8,
}

impl Village {
    /// Nothing.
    pub const EMPTY: Self = Self {
        colour: None,
        hand: Kinds::NONE,
        display: Kinds::NONE,
        wood: 0,
        glory: 0,
        accounted: Foods::NONE,
        held: 0,
    };

    /// How many Moai stand in the personal display.
    pub fn moai(&self) -> u8 {
        self.display[Kind::Moai]
    }
}
