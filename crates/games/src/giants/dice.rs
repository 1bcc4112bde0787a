//! Phase 1, the Moai draw: the meaning of the dice, which determine the Moai that may be sculpted.

use ahu_core::Events;
use ahu_core::parts::lines::joined;

use super::chance_outcome::Roll;
use super::event::Event;
use super::phase::Phase;
use super::piece::{BySize, Size};
use super::table::Table;

impl Roll {
    /// Returns each face with the number that it counts as. In the first turn a 0 counts as 1 and a 3 as 2.
    pub(super) fn read(&self, turn: u8) -> impl Iterator<Item = (u8, u8)> {
        self.faces().iter().map(move |&face| (face, if turn == 1 { face.clamp(1, 2) } else { face }))
    }

    /// Returns the number of dice for each size of Moai. A 0 is for none.
    pub(super) fn moai(self, turn: u8) -> BySize {
        self.read(turn).filter_map(|(_, number)| Size::new(usize::from(number).checked_sub(1)?)).collect()
    }

    /// Returns the faces for people, with their meaning where it is not the size of a Moai: `0 (counts as 1), 2`.
    pub(super) fn text(self, turn: u8) -> String {
        let texts = self.read(turn).map(|(face, number)| match (face, number) {
            (0, 0) => "0 (no Moai)".to_owned(),
            (face, number) if face == number => face.to_string(),
            (face, number) => format!("{face} (counts as {number})"),
        });
        joined(texts, ", ")
    }
}

impl Table {
    /// Takes the Moai of a roll from the supply and begins the auction.
    pub(super) fn roll(&mut self, roll: Roll, events: &mut impl Events<Event>) {
        events.push(Event::TurnBegan { turn: self.turn, first_seat: self.first });
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
