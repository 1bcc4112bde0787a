//! The turn sequence.

use ahu_core::Events;

use super::event::Event;
use super::phase::Phase;
use super::table::Table;

impl Table {
    pub(super) fn begin_turn(&mut self, events: &mut impl Events<Event>) {
        events.push(Event::TurnBegan { seat: self.player, turn: self.round });
        if self.is_deck_gone_through() {
            self.begin_conflict();
        } else {
            self.phase = Phase::Draw;
        }
    }

    /// Begins the next turn, or ends the game. B4: after the last pass, the current turn is the last; with
    /// `equal_turns`, the current round is the last.
    pub(super) fn end_turn(&mut self, events: &mut impl Events<Event>) {
        let next = self.options.seats.left_of(self.player, 1);
        let round_ends = next == self.first;
        if self.is_deck_gone_through() && (round_ends || !self.options.equal_turns) {
            self.phase = Phase::Over;
            events.push(Event::Ended { points: self.points });
            return;
        }
        self.player = next;
        self.round += u16::from(round_ends);
        self.begin_turn(events);
    }
}
