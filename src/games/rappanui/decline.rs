//! The Decline Phase: the hand limit.

use super::action::DISCARD;
use super::cards::{CardSet, Kind};
use super::event::Event;
use super::{Phase, RappaNui};
use crate::core::{ActionId, ActionSet, Events, Seat};

/// The most cards that a player may keep, by how many times the deck has run out (B6: also for the
/// player who emptied it).
pub const fn hand_limit(passes: u8) -> usize {
    match passes {
        0 => 10,
        1 => 8,
        _ => 6,
    }
}

impl RappaNui {
    /// The Decline Phase of the player whose turn it is. B7: only here does the limit count. B22:
    /// exactly the excess is discarded.
    pub(super) fn decline(&mut self, events: &mut impl Events<Event>) {
        let seat = self.player;
        match self.hands[seat].len().saturating_sub(hand_limit(self.piles.passes)) {
            0 => self.end_turn(events),
            excess => self.phase = Phase::Decline { excess: excess as u8, from: 0 },
        }
    }

    /// B19, B21: any cards, the player's choice. They are discarded in the order of their kinds, so
    /// that each choice has one spelling: what is offered leaves enough behind it.
    pub(super) fn legal_discards(&self, seat: Seat, excess: u8, from: u8, legal: &mut ActionSet) {
        let hand = self.hands[seat];
        legal.insert_bits(ActionId(DISCARD as u16), offered(hand, excess.into()) >> from << from);
    }

    pub(super) fn discard(&mut self, seat: Seat, excess: u8, kind: Kind, events: &mut impl Events<Event>) {
        let card = self.hands[seat].first_of(kind).expect("the card is in the hand");
        self.discard_openly(seat, card);
        events.push(Event::Discarded { seat, kind });
        match excess - 1 {
            0 => self.end_turn(events),
            excess => self.phase = Phase::Decline { excess, from: kind.index() as u8 },
        }
    }
}

/// The kinds of `hand` from which on it has `excess` cards or more.
fn offered(hand: CardSet, excess: usize) -> u64 {
    let kinds = hand.kinds();
    let mut above = kinds;
    let mut left = excess;
    while let Some(kind) = above.checked_ilog2().and_then(|index| Kind::new(index as usize)) {
        let count = hand.count(kind);
        if count >= left {
            return kinds & (!0 >> (63 - kind.index()));
        }
        left -= count;
        above &= !(1 << kind.index());
    }
    0
}
