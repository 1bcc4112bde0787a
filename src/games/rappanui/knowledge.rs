//! What players know of each other's hands: the cards that a Raid moved.
//!
//! Thief and victim of a Raid know its card (B9), and the victim goes on knowing that the thief
//! holds it. What it surely knows becomes less by a card
//!
//! * when a card of that kind leaves the thief's hand for all to see: equal cards look alike, so it
//!   may be that one;
//! * of each kind, when a third player raids the thief: it may be that one that moved on unseen.
//!
//! Whoever holds the cards can tell what others surely know of them, for they see the same. (That a
//! player who knows the whole hand of another can tell what a third one stole is left out: the thief
//! would not know that it is known.)

use super::RappaNui;
use super::cards::{Card, Kind};
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
                self.doubt(viewer, victim, card);
            }
        }
    }

    /// `viewer` does not see which card of `victim` is stolen; it is `card`.
    fn doubt(&mut self, viewer: Seat, victim: Seat, card: Card) {
        let known = self.known[viewer] & self.hands[victim];
        let mut kinds = known.kinds();
        while let Some(kind) = Kind::new(kinds.trailing_zeros() as usize) {
            let like = if card.kind() == kind { card } else { known.first_of(kind).expect("it has one of the kind") };
            self.forget(viewer, victim, like);
            kinds &= kinds - 1;
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
