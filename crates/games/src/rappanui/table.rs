//! The table: the public part of the state.

use ahu_core::{BySeat, Seat};
use borsh::{BorshDeserialize, BorshSerialize};

use super::cards::CardSet;
use super::options::Options;
use super::phase::Phase;

/// The number of times that the players go through the deck.
pub const PASSES: u8 = 3;

/// Returns the most cards that a player may keep after `passes` passes (B6: also for the player who emptied the
/// deck).
pub const fn hand_limit(passes: u8) -> usize {
    match passes {
        0 => 10,
        1 => 8,
        _ => 6,
    }
}

/// The public part of the state. Of the cards, the kinds are public: nobody can tell equal cards apart.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Table {
    /// The options that the players agreed on.
    pub options: Options,
    /// The current phase.
    pub phase: Phase,
    /// The first player.
    pub first: Seat,
    /// The player whose turn it is.
    pub player: Seat,
    /// The number of this turn among the player's turns, from 1; 0 before the deal.
    pub round: u16,
    /// The number of times that the deck has run out.
    pub passes: u8,
    /// Moai points.
    pub points: BySeat<u16>,
    /// The discard pile, face up. It becomes the deck again.
    pub discard: CardSet,
    /// The erosion pile, face up. Its cards are out of the game.
    pub eroded: CardSet,
    /// The cards of the deck at its last shuffle, unmarked: all players saw them.
    pub shuffled: CardSet,
}

impl Table {
    /// Creates the table before the deal.
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            phase: Phase::Deal,
            first: Seat::default(),
            player: Seat::default(),
            round: 0,
            passes: 0,
            points: BySeat::new(options.seats, 0),
            discard: CardSet::EMPTY,
            eroded: CardSet::EMPTY,
            shuffled: CardSet::ALL,
        }
    }

    /// Returns true if the players have gone through the deck for the last time.
    pub const fn is_deck_gone_through(&self) -> bool {
        self.passes == PASSES
    }

    /// Returns the table as viewers see it, with unmarked cards.
    #[inline]
    pub(super) fn unmarked(&self) -> Self {
        let phase = match self.phase {
            Phase::Meld { laid } => Phase::Meld { laid: laid.unmarked() },
            phase => phase,
        };
        Self { phase, discard: self.discard.unmarked(), eroded: self.eroded.unmarked(), ..*self }
    }
}
