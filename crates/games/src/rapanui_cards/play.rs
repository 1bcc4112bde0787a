//! Step 2 of a turn: plays from the hand.

use ahu_core::{ActionSet, Events, Seat};

use super::action::{Action, Gatherers};
use super::cards::{Food, Kind};
use super::event::Event;
use super::{Phase, Table};

/// The price of a Moai, in wood.
pub const MOAI_PRICE: u16 = 7;
/// The number of cards of a hand between turns.
pub const HAND: u8 = 3;

impl Table {
    /// Adds the legal plays: one lumberjack, priest, or Moai, or one to three Hunters & Gatherers of a food.
    pub(super) fn legal_plays(&self, seat: Seat, legal: &mut ActionSet) {
        let village = &self.villages[seat];
        if village.hand[Kind::Lumberjack] > 0 {
            legal.insert(Action::PlayLumberjack);
        }
        if village.hand[Kind::Priest] > 0 {
            legal.insert(Action::PlayPriest);
        }
        for food in Food::ALL {
            let in_hand = village.hand[Kind::gatherer(food)];
            let can_play = |gatherers: &Gatherers| gatherers.count() <= in_hand && gatherers.price() <= village.wood;
            Gatherers::ALL
                .into_iter()
                .filter(can_play)
                .for_each(|gatherers| legal.insert(Action::PlayGatherers(food, gatherers)));
        }
        // A3: with three Moai in hand there is no other card to play.
        match village.hand[Kind::Moai] {
            1.. if village.wood >= MOAI_PRICE => legal.insert(Action::BuildMoai),
            HAND => legal.insert(Action::BoxMoai),
            _ => {}
        }
    }

    /// Plays a card without an immediate effect: a lumberjack or a priest.
    pub(super) fn play(&mut self, seat: Seat, kind: Kind, events: &mut impl Events<Event>) {
        self.lay_down(seat, kind, 1, 0, events);
        self.phase = Phase::Draw;
    }

    pub(super) fn play_gatherers(&mut self, seat: Seat, food: Food, count: Gatherers, events: &mut impl Events<Event>) {
        self.lay_down(seat, Kind::gatherer(food), count.count(), count.price(), events);
        self.phase = Phase::Draw;
    }

    /// Plays a Moai. D10: a sacrifice round follows at once.
    pub(super) fn build_moai(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.lay_down(seat, Kind::Moai, 1, MOAI_PRICE, events);
        self.begin_sacrifice_round();
    }

    fn lay_down(&mut self, seat: Seat, kind: Kind, count: u8, wood: u16, events: &mut impl Events<Event>) {
        let village = &mut self.villages[seat];
        village.hand[kind] -= count;
        village.display[kind] += count;
        village.wood -= wood;
        events.push(Event::Played { seat, kind, count, wood });
    }

    /// Puts a Moai out of the game. A15: all players see it, and the turn goes on.
    pub(super) fn box_moai(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.villages[seat].hand[Kind::Moai] -= 1;
        self.boxed += 1;
        events.push(Event::Boxed { seat });
        self.phase = Phase::Draw;
    }
}
