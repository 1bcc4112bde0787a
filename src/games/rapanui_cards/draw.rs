//! Step 3 of a turn: drawing from the columns of the display, which are replenished from the stack.

use super::action::{Column, DRAW};
use super::cards::{Kind, Kinds};
use super::event::Event;
use super::options::DisplayView;
use super::outcome::{self, Cards, DEPTH};
use super::play::HAND;
use super::{Phase, Table};
use crate::core::{ActionSet, Events, Luck, OutcomeError, Seat};

/// A column of the display. The cards overlap; the front one is on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pile {
    /// How many cards it has.
    pub len: u8,
    /// The cards, the front one first; none where nobody has seen the card yet, or there is none.
    pub cards: [Option<Kind>; DEPTH],
}

impl Pile {
    /// Without a card.
    pub const EMPTY: Self = Self { len: 0, cards: [None; DEPTH] };

    /// The cards, the front one first.
    pub fn cards(&self) -> &[Option<Kind>] {
        &self.cards[..usize::from(self.len)]
    }

    /// The front card; none where there is none, or it has still to be uncovered.
    #[inline]
    pub const fn front(&self) -> Option<Kind> {
        self.cards[0]
    }

    fn take_front(&mut self) -> Kind {
        let kind = self.front().expect("between acts of chance each column has a front card");
        self.len -= 1;
        self.cards[0] = None;
        self.cards.rotate_left(1);
        kind
    }
}

impl Table {
    pub(super) fn legal_draws(legal: &mut ActionSet) {
        legal.insert_bits(DRAW, (1 << Column::COUNT) - 1);
    }

    pub(super) fn draw_card(&mut self, seat: Seat, column: Column, events: &mut impl Events<Event>) {
        let kind = self.columns[column.index()].take_front();
        self.villages[seat].hand[kind] += 1;
        events.push(Event::Drew { seat, column, kind });
        match self.columns[column.index()].front() {
            Some(uncovered) => self.go_on(uncovered, events),
            None => self.phase = Phase::Uncover(column),
        }
    }

    /// D9: the hand is filled card by card, each time with the free choice of the columns. A8: the card that the last
    /// one uncovered is scored.
    fn go_on(&mut self, uncovered: Kind, events: &mut impl Events<Event>) {
        if self.villages[self.active].hand.total() < HAND {
            self.phase = Phase::Draw;
        } else {
            self.score(uncovered, events);
        }
    }

    /// How many cards come to light in a column that has no front card: of a replenished one all, or with
    /// `display_view` `front` the front one alone.
    fn coming_to_light(&self, column: Column) -> usize {
        let is_empty = self.columns[column.index()].len == 0;
        match self.options.display_view {
            DisplayView::All if is_empty => usize::from(self.stack).min(DEPTH),
            DisplayView::All | DisplayView::Front => 1,
        }
    }

    pub(super) fn draw_from_stack(&self, column: Column, luck: &Luck) -> Cards {
        let order = luck.order_once(outcome::cards(self.unseen), self.unseen.total().into());
        order
            .take(self.coming_to_light(column))
            .map(|place| self.unseen.nth(place.into()).expect("the order has as many places as there are cards"))
            .collect()
    }

    pub(super) fn check_cards(&self, column: Column, cards: Cards) -> Result<(), OutcomeError> {
        let count = self.coming_to_light(column);
        if cards.len() != count {
            return Err(OutcomeError(format!("{count} cards come to light in column {column}, not {}", cards.len())));
        }
        match cards.iter().copied().collect::<Kinds>().is_within(self.unseen) {
            true => Ok(()),
            false => Err(OutcomeError(format!("of \"{cards}\" there are not so many: unseen are {}", self.unseen))),
        }
    }

    /// Replenishes the column if it is empty, and uncovers its front card.
    pub(super) fn bring_to_light(&mut self, column: Column, cards: Cards, events: &mut impl Events<Event>) {
        let pile = &mut self.columns[column.index()];
        if pile.len == 0 {
            pile.len = self.stack.min(DEPTH as u8);
            self.stack -= pile.len;
        }
        for (place, &kind) in pile.cards.iter_mut().zip(cards.iter()) {
            *place = Some(kind);
            self.unseen[kind] -= 1;
        }
        events.push(Event::Uncovered { column, cards });
    }

    /// A11: the game ends as soon as a column is replenished and the stack is used up by it; nothing is drawn or scored
    /// after that.
    pub(super) fn uncover(&mut self, column: Column, cards: Cards, events: &mut impl Events<Event>) {
        let in_stack = self.stack;
        self.bring_to_light(column, cards, events);
        if self.stack == 0 && in_stack > 0 {
            self.phase = Phase::Over;
        } else {
            self.go_on(*cards.first().expect("a card came to light"), events);
        }
    }
}
