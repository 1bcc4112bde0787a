//! The knowledge of players about other hands: the cards that a Raid moved.
//!
//! Thief and victim of a Raid know its card (B9), and the victim continues to know that the thief holds it. The victim
//! knows one card fewer of the thief's hand
//!
//! * when a card of that kind leaves the thief's hand face up: equal cards look alike, so it may be the known card;
//! * for each kind, when a third player raids the thief: the unseen card may be the known card.
//!
//! The holder of the cards can tell which of them others know, since the holder sees the same events. (One inference
//! is left out: a player who knows the whole hand of another can tell what a third player stole from it. The thief
//! would not know that its card is known.)

use ahu_core::Seat;

use super::RappaNui;
use super::cards::Card;

impl RappaNui {
    /// Removes a card from a hand, face up.
    #[inline]
    pub(super) fn leave_openly(&mut self, seat: Seat, card: Card) {
        for viewer in self.table.options.seats.iter() {
            self.forget(viewer, seat, card);
        }
        self.hands[seat] -= card.into();
    }

    /// Moves a card from a hand to the discard pile.
    pub(super) fn discard_openly(&mut self, seat: Seat, card: Card) {
        self.leave_openly(seat, card);
        self.table.discard |= card.into();
    }

    /// Updates the knowledge of all seats before `thief` takes `card` from `victim`.
    pub(super) fn remember_theft(&mut self, thief: Seat, victim: Seat, card: Card) {
        for viewer in self.table.options.seats.iter() {
            if viewer == thief {
                self.forget(viewer, victim, card);
            } else if viewer == victim {
                self.known[viewer] |= card.into();
            } else {
                self.doubt(viewer, victim, card);
            }
        }
    }

    /// Updates the knowledge of `viewer`, which does not see the card stolen from `victim`. The card is `card`.
    fn doubt(&mut self, viewer: Seat, victim: Seat, card: Card) {
        let known = self.known[viewer] & self.hands[victim];
        for kind in known.kinds().iter() {
            let like = if card.kind() == kind {
                card
            } else {
                known.first_of(kind).expect("the set has a card of each of its kinds")
            };
            self.forget(viewer, victim, like);
        }
    }

    /// Updates the knowledge of `viewer`, which sees a card like `card` leave the hand of `holder`: it knows one such
    /// card fewer there. (A seat knows its own hand and keeps nothing here.)
    #[inline]
    fn forget(&mut self, viewer: Seat, holder: Seat, card: Card) {
        let like = self.known[viewer] & self.hands[holder] & card.kind().cards();
        if let Some(first) = like.first() {
            let gone = if like.contains(card) { card } else { first };
            self.known[viewer] -= gone.into();
        }
    }
}
