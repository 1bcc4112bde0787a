//! The Rapa Nui Phase: draws from the deck, the passes through it, and the erosion pile.

use super::cards::CardSet;
use super::event::Event;
use super::options::Reshuffle;
use crate::core::Events;

/// The number of times that the players go through the deck.
pub const PASSES: u8 = 3;
/// The number of cards dealt to each player.
pub const DEAL: usize = 6;
/// The number of cards that a player draws in a turn.
pub const DRAW: usize = 4;

/// The cards that nobody holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piles {
    /// The deck, face down.
    pub deck: CardSet,
    /// The discard pile, face up. It becomes the deck again.
    pub discard: CardSet,
    /// The erosion pile, face up. Its cards are out of the game.
    pub eroded: CardSet,
    /// The cards of the deck at its last shuffle, unmarked: all players saw them.
    pub shuffled: CardSet,
    /// The number of times that the deck has run out.
    pub passes: u8,
}

impl Piles {
    /// The piles with every card in the deck.
    pub const NEW: Self =
        Self { deck: CardSet::ALL, discard: CardSet::EMPTY, eroded: CardSet::EMPTY, shuffled: CardSet::ALL, passes: 0 };

    /// Returns true if the players have gone through the deck for the last time.
    pub const fn are_gone_through(&self) -> bool {
        self.passes == PASSES
    }

    /// Draws the four cards of a turn, or as many as there are. `choose` returns as many cards of the deck as its
    /// argument asks for.
    ///
    /// A pass is complete when a player draws the last card, and the third pass ends the drawing (B3, B4). If deck
    /// and discard pile are both empty, the draw fails and counts as a pass (B5).
    #[inline]
    pub(super) fn draw(
        &mut self,
        reshuffle: Reshuffle,
        events: &mut impl Events<Event>,
        mut choose: impl FnMut(&Self, usize) -> CardSet,
    ) -> CardSet {
        let mut drawn = CardSet::EMPTY;
        while drawn.len() < DRAW && !self.are_gone_through() {
            if self.deck.is_empty() && self.discard.is_empty() {
                self.end_pass(events);
                break;
            }
            if self.deck.is_empty() {
                self.reshuffle(events);
            }
            let wanted = (DRAW - drawn.len()).min(self.deck.len());
            let cards = choose(self, wanted);
            assert!(
                cards.len() == wanted && cards.is_within(self.deck),
                "expected {wanted} cards from the deck, got {cards}"
            );
            self.deck -= cards;
            drawn |= cards;
            if self.deck.is_empty() {
                self.end_pass(events);
                if reshuffle == Reshuffle::Eager && !self.are_gone_through() && !self.discard.is_empty() {
                    self.reshuffle(events);
                }
            }
        }
        drawn
    }

    fn end_pass(&mut self, events: &mut impl Events<Event>) {
        self.passes += 1;
        events.push(Event::PassEnded { passes: self.passes });
    }

    fn reshuffle(&mut self, events: &mut impl Events<Event>) {
        events.push(Event::Reshuffled { cards: self.discard.len() as u8 });
        self.deck = self.discard;
        self.discard = CardSet::EMPTY;
        self.shuffled = self.deck.unmarked();
    }
}
