//! Scoring of the last uncovered card for all players, clockwise from the active one.

use ahu_core::{Events, Seat};

use super::action::Payout;
use super::cards::{Food, Foods, Kind, KindCounts};
use super::event::{Event, Gain};
use super::{Phase, Table};

/// The lowest number of cards with a bonus.
const BONUS_FROM: u8 = 2;

impl Table {
    /// Returns the kinds of which `seat` has at least two in its personal display, and more than each other player
    /// (D4, A10): one bit for each kind.
    #[inline]
    pub fn bonuses(&self, seat: Seat) -> u64 {
        let too_few = KindCounts::of([BONUS_FROM - 1; Kind::COUNT]);
        let others = self.options.seats.others(seat).map(|other| self.villages[other].display);
        self.villages[seat].display.more_than([too_few].into_iter().chain(others))
    }

    fn has_bonus(&self, seat: Seat, kind: Kind) -> bool {
        self.bonuses(seat) >> kind.index() & 1 == 1
    }

    /// Returns the players clockwise from the active one; with `last`, only those after `last`.
    fn clockwise(&self, last: Option<Seat>) -> impl Iterator<Item = Seat> + use<> {
        let (seats, active) = (self.options.seats, self.active);
        let first = last.map_or(0, |last| seats.steps_left(active, last) + 1);
        (first..seats.count()).map(move |k| seats.left_of(active, k))
    }

    pub(super) fn score(&mut self, kind: Kind, events: &mut impl Events<Event>) {
        events.push(Event::Scored { kind });
        match (kind, kind.food()) {
            (_, Some(food)) => self.score_food(food, None, events),
            (Kind::Lumberjack, None) => self.score_people(kind, Payout::Wood, events),
            (Kind::Priest, None) => self.score_people(kind, Payout::Glory, events),
            (_, None) => self.score_moai(None, events),
        }
    }

    /// Scores lumberjacks, which bring wood, or priests, which bring glory points.
    fn score_people(&mut self, kind: Kind, of: Payout, events: &mut impl Events<Event>) {
        for seat in self.clockwise(None) {
            self.gain_yield(seat, kind, of, events);
        }
        self.end_turn(events);
    }

    /// Gives a player its yield of lumberjacks, priests, or Moai: one for each card, and one more for the bonus
    /// (D15).
    fn gain_yield(&mut self, seat: Seat, kind: Kind, of: Payout, events: &mut impl Events<Event>) {
        let bonus = self.has_bonus(seat, kind);
        let village = &mut self.villages[seat];
        let count = u16::from(village.display[kind]) + u16::from(bonus);
        if count == 0 {
            return;
        }
        let gain = match of {
            Payout::Glory => {
                village.glory += count;
                Gain::Glory(count)
            }
            Payout::Wood => {
                village.wood += count;
                Gain::Wood(count)
            }
        };
        events.push(Event::Gained { seat, gain, bonus });
    }

    /// Asks the next player with Moai after `last`. A9: each player chooses glory points or wood for all of its Moai,
    /// one player after the other.
    fn score_moai(&mut self, last: Option<Seat>, events: &mut impl Events<Event>) {
        match self.clockwise(last).find(|&seat| self.villages[seat].moai() > 0) {
            Some(seat) => self.phase = Phase::Payout(seat),
            None => self.end_turn(events),
        }
    }

    pub(super) fn pay_out(&mut self, seat: Seat, of: Payout, events: &mut impl Events<Event>) {
        self.gain_yield(seat, Kind::Moai, of, events);
        self.score_moai(Some(seat), events);
    }

    /// Scores a food. Each player with a Hunter & Gatherer of the food gets a sacrifice card of it, and another for
    /// the bonus, clockwise from the active player (D8) and as long as there are any. If the stack is depleted, the
    /// player gets cards of other foods (A7).
    fn score_food(&mut self, food: Food, last: Option<Seat>, events: &mut impl Events<Event>) {
        for seat in self.clockwise(last) {
            let bonus = self.has_bonus(seat, Kind::gatherer(food));
            let due = if self.villages[seat].display[Kind::gatherer(food)] == 0 { 0 } else { 1 + u8::from(bonus) };
            let count = due.min(self.stock[food]);
            for _ in 0..count {
                self.take_card(seat, food);
            }
            if count > 0 {
                events.push(Event::Gained { seat, gain: Gain::Cards(food, count), bonus: count > 1 });
            }
            if self.ask_for_substitute(seat, food, due - count) {
                return;
            }
        }
        self.end_turn(events);
    }

    /// Asks `seat` for a substitute for the first of `due` cards. Returns false, without asking, if nothing is due or
    /// the supply is empty.
    fn ask_for_substitute(&mut self, seat: Seat, food: Food, due: u8) -> bool {
        let is_due = due > 0 && self.stock != Foods::EMPTY;
        if is_due {
            self.phase = Phase::Substitute { seat, food, due };
        }
        is_due
    }

    pub(super) fn pick(&mut self, seat: Seat, picked: Food, events: &mut impl Events<Event>) {
        self.take_card(seat, picked);
        events.push(Event::Picked { seat, food: picked });
        self.go_on_with_substitutes(seat, events);
    }

    pub(super) fn pick_nothing(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        events.push(Event::PickedNothing { seat });
        self.go_on_with_substitutes(seat, events);
    }

    fn go_on_with_substitutes(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        let Phase::Substitute { food, due, .. } = self.phase else { unreachable!("a substitute was due") };
        if !self.ask_for_substitute(seat, food, due - 1) {
            self.score_food(food, Some(seat), events);
        }
    }
}
