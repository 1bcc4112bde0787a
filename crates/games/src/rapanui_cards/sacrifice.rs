//! The sacrifice round that follows the building of a Moai.
//!
//! The left neighbour of the active player begins (D1), and each player lays one own sacrifice card on the stone,
//! face up. The active player comes last and lays its card face down; then it adds a card from the supply, face up
//! (A6).

use ahu_core::{Events, Seat};

use super::cards::{Food, Foods};
use super::event::Event;
use super::phase::Phase;
use super::stone::FaceDown;
use super::table::Table;

impl Table {
    /// Begins a sacrifice round with the left neighbour of the active player.
    pub(super) fn begin_sacrifice_round(&mut self) {
        self.ask_for_sacrifice_after(self.active);
    }

    /// Asks the next player after `last` for a sacrifice; the active player is the last. A4: a player without a card
    /// is skipped.
    fn ask_for_sacrifice_after(&mut self, last: Seat) {
        let seats = self.options.seats;
        let first = seats.steps_left(self.active, last) + 1;
        let mut order = (first..=seats.count()).map(|k| seats.left_of(self.active, k));
        match order.find(|&seat| self.villages[seat].held > 0) {
            Some(seat) => self.phase = Phase::Sacrifice(seat),
            None => self.ask_for_supply(),
        }
    }

    /// Lays another player's sacrifice on the stone. D2: face up.
    pub(super) fn sacrifice_openly(&mut self, seat: Seat, food: Food, events: &mut impl Events<Event>) {
        let village = &mut self.villages[seat];
        village.held -= 1;
        village.accounted[food] -= 1;
        let left = village.accounted[food];
        self.stone.limit_hidden_by(seat, food, left);
        self.stone.lay_open(food);
        events.push(Event::Sacrificed { seat, food });
        self.ask_for_sacrifice_after(seat);
    }

    /// Lays the active player's sacrifice on the stone, face down.
    pub(super) fn sacrifice_face_down(&mut self, seat: Seat) {
        let village = &mut self.villages[seat];
        village.held -= 1;
        self.stone.lay_face_down(FaceDown { seat, at_most_so_far: village.accounted });
        self.ask_for_supply();
    }

    /// Asks the active player for a card from the supply. A5: the step is skipped if the supply is empty.
    fn ask_for_supply(&mut self) {
        self.phase = if self.stock == Foods::EMPTY { Phase::Draw } else { Phase::Supply };
    }

    pub(super) fn add_from_supply(&mut self, seat: Seat, food: Food, events: &mut impl Events<Event>) {
        self.stock[food] -= 1;
        self.stone.lay_open(food);
        events.push(Event::Supplied { seat, food });
        self.phase = Phase::Draw;
    }

    pub(super) fn add_nothing(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        events.push(Event::SuppliedNothing { seat });
        self.phase = Phase::Draw;
    }
}
