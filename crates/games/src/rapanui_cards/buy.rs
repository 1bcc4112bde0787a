//! Step 1 of a turn: the purchase of a sacrifice card.

use ahu_core::{Events, Seat};

use super::cards::{Food, Kind};
use super::event::Event;
use super::village::Village;
use super::{Phase, Table};

/// The price of a sacrifice card without Hunters & Gatherers, in wood.
const PRICE: u16 = 5;

impl Village {
    /// Returns the player's price of a sacrifice card of `food`, in wood: one less for each Hunter & Gatherer of the
    /// food in the personal display (D6: not in hand), and at least 0.
    pub fn price(&self, food: Food) -> u16 {
        PRICE.saturating_sub(self.display[Kind::gatherer(food)].into())
    }

    /// Returns the player's price of each food.
    pub fn prices(&self) -> [u16; Food::COUNT] {
        Food::ALL.map(|food| self.price(food))
    }
}

impl Table {
    /// Returns the foods that the active player can buy: one bit for each food.
    pub(super) fn for_sale(&self) -> u64 {
        let village = &self.villages[self.active];
        let can_buy = |&food: &Food| self.stock[food] > 0 && village.price(food) <= village.wood;
        Food::ALL.into_iter().filter(can_buy).fold(0, |set, food| set | 1 << food.index())
    }

    pub(super) fn buy(&mut self, seat: Seat, food: Food, events: &mut impl Events<Event>) {
        let wood = self.villages[seat].price(food);
        self.villages[seat].wood -= wood;
        self.take_card(seat, food);
        events.push(Event::Bought { seat, food, wood });
        self.phase = Phase::Play;
    }

    /// Moves a sacrifice card from the supply to a player.
    pub(super) fn take_card(&mut self, seat: Seat, food: Food) {
        self.stock[food] -= 1;
        self.villages[seat].accounted[food] += 1;
        self.villages[seat].held += 1;
    }

    pub(super) fn buy_nothing(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        events.push(Event::BoughtNothing { seat });
        self.phase = Phase::Play;
    }
}
