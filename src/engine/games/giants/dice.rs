//! Phase 1, the Moai draw: the dice determine which Moai may be sculpted.

use super::chance_outcome::Roll;
use super::event::Event;
use super::phase::Phase;
use super::piece::{BySize, Size};
use super::table::Table;
use crate::core::Events;

impl Table {
    /// Takes the Moai of a roll from the supply and begins the auction.
    pub(super) fn roll(&mut self, roll: Roll, events: &mut impl Events<Event>) {
        events.push(Event::TurnBegan { turn: self.turn, first: self.first });
        let rolled = roll.moai(self.turn);
        // G1: one die after the other. A Moai of a used-up size is broken.
        let offered = BySize::of(Size::ALL.map(|size| rolled[size].min(self.supply[size])));
        self.supply = self.supply - offered;
        self.roll = Some(roll);
        events.push(Event::Rolled { turn: self.turn, roll, offered });
        if offered == BySize::EMPTY {
            // G44: there is nothing to bid for.
            self.begin_placement(events);
        } else {
            self.phase = Phase::Bid { offered };
        }
    }
}
