//! Phase 2: the new turn order, and sculpting Moai.

use ahu_core::{ActionSet, Events, Seat};

use super::action::Action;
use super::event::Event;
use super::moai::{Size, Sizes};
use super::order::TurnOrder;
use super::phase::Phase;
use super::player::Sorcerer;
use super::table::Table;

impl Table {
    /// Sets the turn order by the Sorcerers; gaps between them make no difference (M2).
    pub(super) fn change_order(&mut self, events: &mut impl Events<Event>) {
        let mut seats: Vec<Seat> = self.options.seats.iter().collect();
        seats.sort_by_key(|&seat| match self.players[seat].sorcerer {
            Sorcerer::OnStar(star) => star,
            sorcerer @ (Sorcerer::InHand | Sorcerer::AtWork) => panic!("the Sorcerer of seat {seat} is {sorcerer:?}"),
        });
        self.order = TurnOrder::new(&seats).expect("every seat has one place");
        events.push(Event::Ordered { order: self.order });
        self.begin_sculpting(self.order.first());
    }

    fn begin_sculpting(&mut self, seat: Seat) {
        self.active = seat;
        self.phase = Phase::Sculpt { sculpted: Sizes::EMPTY };
    }

    /// Adds the Moai that the player can take. The player combines its Sculptors freely (M6): a large Moai takes one
    /// of each column, a medium one takes one of each of the first two, a small one takes one of the first. Larger
    /// Moai come first, so that each combination has one sequence of actions.
    pub(super) fn legal_sculptures(&self, seat: Seat, sculpted: Sizes, legal: &mut ActionSet) {
        legal.insert(Action::SculptDone);
        let [first, second, third] = *self.players[seat].sculpting().as_array();
        let [small, medium, large] = *sculpted.as_array();
        let left_in_second = second.saturating_sub(large + medium);
        let left_in_first = first.saturating_sub(large + medium + small);
        let may_be_large =
            left_in_first.min(left_in_second).min(third.saturating_sub(large)) > 0 && medium + small == 0;
        let may_be_medium = left_in_first.min(left_in_second) > 0 && small == 0;
        let may_be_small = left_in_first > 0;
        for (size, may_be) in Size::ALL.into_iter().zip([may_be_small, may_be_medium, may_be_large]) {
            if may_be && self.supply[size] > 0 {
                legal.insert(Action::Sculpt(size));
            }
        }
    }

    pub(super) fn sculpt(&mut self, seat: Seat, sculpted: Sizes, size: Size, events: &mut impl Events<Event>) {
        let mut sculpted = sculpted;
        sculpted[size] += 1;
        self.supply[size] -= 1;
        self.players[seat].moai[size] += 1;
        events.push(Event::Sculpted { seat, size });
        self.phase = Phase::Sculpt { sculpted };
    }

    /// Passes the turn to the next player; after the last one phase 3 begins.
    pub(super) fn finish_sculpting(&mut self, seat: Seat, sculpted: Sizes, events: &mut impl Events<Event>) {
        events.push(Event::SculptingDone { seat, moai: sculpted });
        let next = self.order.behind(seat).next();
        if let Some(next) = next {
            self.begin_sculpting(next);
        } else {
            self.active = self.order.first();
            self.phase = Phase::Transport;
        }
    }
}
