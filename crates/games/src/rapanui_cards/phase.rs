//! The phases of the game, with their data.

use ahu_core::Seat;
use borsh::{BorshDeserialize, BorshSerialize};

use super::cards::{Food, Kind};
use super::column::Column;

/// The phase of the turn, with its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Phase {
    /// Setup: chance chooses the starting player.
    Start,
    /// Setup: chance gives out the start cards.
    Colours,
    /// Setup: chance lays out a column.
    LayOut(Column),
    /// Step 1: the active player buys a sacrifice card, or not.
    Buy,
    /// Step 2: the active player plays.
    Play,
    /// Sacrifice round: this player lays a sacrifice card on the stone.
    Sacrifice(Seat),
    /// Sacrifice round: the active player adds a card from the supply.
    Supply,
    /// Step 3: the active player draws a card.
    Draw,
    /// Step 3: chance replenishes this column, or uncovers its front card.
    Uncover(Column),
    /// Scoring of Moai: this player takes glory points or wood.
    Payout(Seat),
    /// Scoring of a food whose stack is depleted: this player takes cards of other foods.
    Substitute {
        /// The player.
        seat: Seat,
        /// The food that is scored.
        food: Food,
        /// The number of cards that the player still gets.
        due: u8,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// Returns the seat that has to decide in this phase if it is the turn of `active`; None if chance is due or the
    /// game is over.
    pub fn to_act(self, active: Seat) -> Option<Seat> {
        match self {
            Self::Buy | Self::Play | Self::Supply | Self::Draw => Some(active),
            Self::Sacrifice(seat) | Self::Payout(seat) | Self::Substitute { seat, .. } => Some(seat),
            Self::Start | Self::Colours | Self::LayOut(_) | Self::Uncover(_) | Self::Over => None,
        }
    }

    /// Returns the kind that is being scored; None outside of scoring decisions.
    pub const fn scored(self) -> Option<Kind> {
        match self {
            Self::Payout(_) => Some(Kind::Moai),
            Self::Substitute { food, .. } => Some(Kind::gatherer(food)),
            Self::Start
            | Self::Colours
            | Self::LayOut(_)
            | Self::Buy
            | Self::Play
            | Self::Sacrifice(_)
            | Self::Supply
            | Self::Draw
            | Self::Uncover(_)
            | Self::Over => None,
        }
    }

    /// Returns the number of substitutes that the player who decides still gets.
    pub const fn due(self) -> u8 {
        if let Self::Substitute { due, .. } = self { due } else { 0 }
    }
}
