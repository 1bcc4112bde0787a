//! The Decline Phase: discards down to the hand limit, which depends on the passes (`table.rs`).

use ahu_core::{ActionSet, Events, Numbered, Seat};

use super::RappaNui;
use super::action::first;
use super::cards::{CardSet, Kind};
use super::event::Event;
use super::phase::Phase;
use super::table::hand_limit;

impl RappaNui {
    /// Begins the Decline Phase of the player whose turn it is. B7: the hand limit applies only here. B22: the player
    /// discards exactly the excess.
    pub(super) fn decline(&mut self, events: &mut impl Events<Event>) {
        let Self { table, hands, .. } = self;
        match hands[table.player].len().saturating_sub(hand_limit(table.passes)) {
            0 => table.end_turn(events),
            excess => table.phase = Phase::Decline { excess: excess as u8, from: 0 },
        }
    }

    /// Adds the legal discards. B19, B21: any cards, of the player's choice. The player discards them in the order of
    /// their kinds, so that each choice has one spelling; each legal discard leaves enough cards to complete the
    /// excess.
    pub(super) fn legal_discards(&self, seat: Seat, excess: u8, from: u8, legal: &mut ActionSet) {
        legal.insert_bits(first::Discard, offered(self.hands[seat], excess.into()) >> from << from);
    }

    pub(super) fn discard(&mut self, seat: Seat, excess: u8, kind: Kind, events: &mut impl Events<Event>) {
        let card = self.hands[seat].first_of(kind).expect("the card is in the hand");
        self.discard_openly(seat, card);
        events.push(Event::Discarded { seat, card: kind });
        match excess - 1 {
            0 => self.table.end_turn(events),
            excess => self.table.phase = Phase::Decline { excess, from: kind.index() as u8 },
        }
    }
}

/// Returns the kinds of `hand` with at least `excess` cards at or after them in the order of kinds, as bits by index.
fn offered(hand: CardSet, excess: usize) -> u64 {
    let kinds = hand.kinds();
    let mut above = kinds;
    let mut left = excess;
    while let Some(kind) = above.last() {
        let count = hand.count(kind);
        if count >= left {
            return kinds.bits() & (!0 >> (63 - kind.index()));
        }
        left -= count;
        above -= kind.into();
    }
    0
}
