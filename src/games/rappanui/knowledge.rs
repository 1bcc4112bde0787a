//! What players know of each other's hands: the cards that a Raid moved.
//!
//! Thief and victim of a Raid know its card (B9). The victim goes on knowing that the thief holds
//! it, until a card of that kind leaves the thief's hand for all to see (equal cards look alike, so
//! it may be that one), or until somebody else raids the thief: then it may have moved on unseen.

use super::RappaNui;
use super::cards::Card;
use crate::core::Seat;

impl RappaNui {
    /// A card leaves a hand for all to see.
    #[inline]
    pub(super) fn leave_openly(&mut self, seat: Seat, card: Card) {
        for viewer in self.options.seats.iter() {
            self.forget(viewer, seat, card);
        }
        self.hands[seat] -= card.into();
    }

    /// A card goes from a hand to the discard pile.
    pub(super) fn discard_openly(&mut self, seat: Seat, card: Card) {
        self.leave_openly(seat, card);
        self.piles.discard |= card.into();
    }

    /// `victim` is about to lose `card` to `thief`.
    pub(super) fn remember_theft(&mut self, thief: Seat, victim: Seat, card: Card) {
        for viewer in self.options.seats.iter() {
            if viewer == thief {
                self.forget(viewer, victim, card);
            } else if viewer == victim {
                self.known[viewer] |= card.into();
            } else {
                self.known[viewer] -= self.hands[victim];
            }
        }
    }

    /// `viewer` sees that a card like this one leaves the hand of `holder`: one such card less that
    /// is surely there. (Of its own hand it knows all, and keeps nothing here.)
    #[inline]
    fn forget(&mut self, viewer: Seat, holder: Seat, card: Card) {
        let like = self.known[viewer] & self.hands[holder] & card.kind().cards();
        if let Some(first) = like.first() {
            let gone = if like.contains(card) { card } else { first };
            self.known[viewer] -= gone.into();
        }
    }
}
