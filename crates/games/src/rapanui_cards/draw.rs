//! Step 3 of a turn: draws from the columns of the display, and their replenishing from the stack.
//!
//! Equal cards need no identity, so they are kept as counts. A revealed card is the front of a fresh order of all unrevealed
//! cards, from a stream that the number of revealed cards names. So the n-th revealed card is the same in all games of a
//! seed, and a rare kind is as likely as its count says (`ChanceRng::draw` explains the bias of the other way). Facts that
//! nobody knows are not in the state: with `display_view` `front` a buried card is drawn when it is uncovered.

use ahu_core::parts::draws;
use ahu_core::{ActionSet, BySeat, ChanceRng, Events, OutcomeError, Seat, ensure};

use super::action::first;
use super::cards::{Kind, KindCounts};
use super::chance_outcome::{self, Cards, Outcome};
use super::column::{Column, DEPTH};
use super::event::Event;
use super::options::{Colour, DisplayView};
use super::play::HAND;
use super::{Phase, Table};

impl Table {
    pub(super) fn legal_draws(legal: &mut ActionSet) {
        legal.insert_bits(first::Draw, (1 << Column::COUNT) - 1);
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

    /// Asks for the next draw, or scores the card uncovered last. D9: the player fills the hand card by card, each
    /// from any column. A8: only the card that the last draw uncovered is scored.
    fn go_on(&mut self, uncovered: Kind, events: &mut impl Events<Event>) {
        if self.villages[self.active].hand.total() < HAND {
            self.phase = Phase::Draw;
        } else {
            self.score(uncovered, events);
        }
    }

    /// Returns the number of cards that chance reveals in a column without a front card: all cards of a replenished
    /// column, or with `display_view` `front` the front card alone.
    fn coming_to_light(&self, column: Column) -> usize {
        let is_empty = self.columns[column.index()].len == 0;
        match self.options.display_view {
            DisplayView::All if is_empty => usize::from(self.stack).min(DEPTH),
            DisplayView::All | DisplayView::Front => 1,
        }
    }

    pub(super) fn draw_from_stack(&self, column: Column, chance: &ChanceRng) -> Cards {
        let order = chance.order_once(chance_outcome::cards(self.unseen), self.unseen.total().into());
        order
            .take(self.coming_to_light(column))
            .map(|place| self.unseen.nth(place.into()).expect("the order has a place for each unseen card"))
            .collect()
    }

    /// Returns the outcomes of the due chance event: see [`Game::outcomes`](ahu_core::Game::outcomes).
    pub(super) fn outcomes(&self) -> Option<Vec<(Outcome, f64)>> {
        let seats = self.options.seats;
        let orders = |pile: &[u8], count| draws::sequences(pile, count).map(Vec::into_iter);
        match self.phase {
            Phase::Start => {
                let probability = 1.0 / seats.count() as f64;
                Some(seats.iter().map(|seat| (Outcome::Start(seat), probability)).collect())
            }
            Phase::Colours => orders(&[1; Colour::COUNT], seats.count()).map(|all| {
                let colours = |order: Vec<usize>| BySeat::from_fn(seats, |seat| Colour::ALL[order[seat.index()]]);
                all.map(|(order, probability)| (Outcome::Colours(colours(order)), probability)).collect()
            }),
            Phase::LayOut(column) | Phase::Uncover(column) => {
                let pile = Kind::ALL.map(|kind| self.unseen[kind]);
                orders(&pile, self.coming_to_light(column)).map(|all| {
                    let cards = |order: Vec<usize>| order.into_iter().map(|kind| Kind::ALL[kind]).collect();
                    all.map(|(order, probability)| (Outcome::Cards(cards(order)), probability)).collect()
                })
            }
            _ => None,
        }
    }

    pub(super) fn check_cards(&self, column: Column, cards: Cards) -> Result<(), OutcomeError> {
        let count = self.coming_to_light(column);
        ensure(cards.len() == count, || {
            OutcomeError(format!("expected {count} cards for column {column}, got {}", cards.len()))
        })?;
        ensure(cards.iter().collect::<KindCounts>().is_within(self.unseen), || {
            OutcomeError(format!("expected cards from the unseen ones ({}), got {cards}", self.unseen))
        })
    }

    /// Replenishes the column if it is empty, and reveals cards in it.
    pub(super) fn bring_to_light(&mut self, column: Column, cards: Cards, events: &mut impl Events<Event>) {
        let pile = &mut self.columns[column.index()];
        if pile.len == 0 {
            pile.len = self.stack.min(DEPTH as u8);
            self.stack -= pile.len;
        }
        for (place, kind) in pile.cards.iter_mut().zip(cards.iter()) {
            *place = Some(kind);
            self.unseen[kind] -= 1;
        }
        events.push(Event::Uncovered { column, cards });
    }

    /// Reveals cards in a column, and scores or ends the game. A11: the game ends as soon as a replenishing uses up
    /// the stack; after that nobody draws and nothing is scored.
    pub(super) fn uncover(&mut self, column: Column, cards: Cards, events: &mut impl Events<Event>) {
        let in_stack = self.stack;
        self.bring_to_light(column, cards, events);
        if self.stack == 0 && in_stack > 0 {
            self.phase = Phase::Over;
        } else {
            self.go_on(cards.iter().next().expect("the outcome has a card"), events);
        }
    }
}
