//! Phase 1, the Moai draw: the dice determine which Moai may be sculpted.

use super::chance_outcome::Roll;
use super::event::Event;
use super::piece::Size;
use super::{Phase, Table};
use crate::core::Events;

impl Table {
    /// Takes the Moai of a roll from the supply and begins the auction.
    pub(super) fn roll(&mut self, roll: Roll, events: &mut impl Events<Event>) {
        events.push(Event::TurnBegan { turn: self.turn, first: self.first });
        let mut offered = [0; 3];
        for &face in roll.faces() {
            let Some(size) = Size::new(self.read(face)) else { continue };
            // G1: one die after the other. A Moai of a used-up size is broken.
            let supply = &mut self.supply[size as usize];
            if *supply > 0 {
                *supply -= 1;
                offered[size as usize] += 1;
            }
        }
        events.push(Event::Rolled { roll, offered });
        match offered {
            // G44: there is nothing to bid for.
            [0, 0, 0] => self.begin_placement(events),
            _ => self.phase = Phase::Bid { offered },
        }
    }

    /// Returns the size that a face counts as. In the first turn a 0 counts as 1 and a 3 as 2.
    fn read(&self, face: u8) -> u8 {
        if self.turn == 1 { face.clamp(1, 2) } else { face }
    }
}
