//! The invariants of a position: every card is in exactly one place, and players know only of cards that are there.

use ahu_core::{Seat, ensure};

use super::RappaNui;
use super::cards::CardSet;
use super::table::{PASSES, Table};

impl RappaNui {
    /// Checks a position that was set up by hand. The error names the fault.
    pub fn check_invariants(&self) -> Result<(), String> {
        let Table { options, phase, first, player, passes, discard, eroded, shuffled, .. } = self.table;
        let (seats, deck) = (options.seats, self.deck);
        let mut missing = CardSet::ALL;
        for cards in [deck, discard, eroded, phase.laid()].iter().chain(self.hands.values()) {
            ensure(cards.is_within(missing), || format!("cards in two places: {}", *cards - missing))?;
            missing -= *cards;
        }
        ensure(missing.is_empty(), || format!("cards in no place: {missing}"))?;
        for (seat, known) in self.known.iter() {
            let others = seats.others(seat).fold(CardSet::EMPTY, |all, other| all | self.hands[other]);
            ensure(known.is_within(others), || {
                format!("seat {seat} knows cards that are in no other hand: {}", known - others)
            })?;
        }
        ensure(shuffled == shuffled.unmarked(), || "the shuffled cards are not unmarked".to_owned())?;
        let unshuffled = deck.unmarked() - shuffled;
        ensure(unshuffled.is_empty(), || format!("cards in the deck that were not in the last shuffle: {unshuffled}"))?;
        ensure(passes <= PASSES, || format!("expected at most {PASSES} passes, got {passes}"))?;
        let at_table = |seat: Seat| seats.all().contains(seat);
        ensure(at_table(first) && at_table(player) && self.hands.seats() == seats, || {
            format!("expected hands, a first player, and a player at a table of {seats} seats")
        })
    }
}
