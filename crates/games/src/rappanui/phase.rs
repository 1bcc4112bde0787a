//! The phases of the turn, with their data.

use ahu_core::Seat;
use borsh::{BorshDeserialize, BorshSerialize};

use super::cards::CardSet;

/// The phase of the turn, with its data. All of it is public.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Phase {
    /// Setup: chance cuts for the first player, and deals.
    Deal,
    /// Rapa Nui Phase: chance draws cards for the player.
    Draw,
    /// Conflict Phase: the player plays an event or none.
    Conflict,
    /// Conflict Phase: chance takes a card from the victim for the player.
    Steal {
        /// The target of the event.
        victim: Seat,
    },
    /// Conflict Phase: chance takes cards from the victim.
    Lose {
        /// The target of the event.
        victim: Seat,
    },
    /// Moai Phase: the player lays a card, or plays no meld.
    Meld {
        /// The cards laid so far.
        laid: CardSet,
    },
    /// Decline Phase: the player discards.
    Decline {
        /// The number of cards still to discard.
        excess: u8,
        /// The index of the lowest kind that the player may discard next.
        from: u8,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// The Moai Phase before the first card of a meld.
    pub const MELD: Self = Self::Meld { laid: CardSet::EMPTY };

    /// Returns the cards laid so far for a meld.
    pub const fn laid(self) -> CardSet {
        if let Self::Meld { laid } = self { laid } else { CardSet::EMPTY }
    }

    /// Returns the number of cards still to discard in this Decline Phase; 0 in other phases.
    pub const fn excess(self) -> u8 {
        if let Self::Decline { excess, .. } = self { excess } else { 0 }
    }
}
