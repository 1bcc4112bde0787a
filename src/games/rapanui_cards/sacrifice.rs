//! The sacrifice round that follows the building of a Moai, and the Stone of Sacrifice.
//!
//! The left neighbour of the active player begins (D1), and each lays one of its sacrifice cards on the stone, face up.
//! The active player's comes last and face down; then it adds one from the supply, face up (A6).

use super::cards::{Food, Foods, MOAI};
use super::event::Event;
use super::{Phase, Table};
use crate::core::{Events, Seat};

/// What everybody knows of the stone: all but what the cards are that lie face down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stone {
    /// The cards that were laid face up.
    pub open: Foods,
    /// The card on top.
    pub top: Top,
    /// How many cards were laid face down.
    pub face_down_count: u8,
    /// Those cards, in the order in which they were laid; what stands behind them means nothing.
    pub face_down: [FaceDown; MOAI],
}

/// The card on top of the stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// There is none.
    Empty,
    /// It lies face up.
    Open(Food),
    /// It lies face down.
    FaceDown,
}

/// What everybody knows of a card that lies face down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceDown {
    /// Who laid it.
    pub seat: Seat,
    /// Of the cards that its player had laid face down by then, itself included, at most so many are of each food:
    /// the player had no more of the food then, and each that it laid face up later was one less.
    ///
    /// That is all that can be known. Whatever was laid first, a card for each can be found: a limit on a later card
    /// limits the earlier ones too, so a player's numbers never fall from card to card.
    pub at_most_so_far: Foods,
}

impl FaceDown {
    /// Fills the places of cards that have not been laid.
    const NOBODYS: Self = Self { seat: Seat::new(0).expect("a table has a seat 0"), at_most_so_far: Foods::NONE };
}

impl Stone {
    /// Without a card.
    pub const EMPTY: Self =
        Self { open: Foods::NONE, top: Top::Empty, face_down_count: 0, face_down: [FaceDown::NOBODYS; MOAI] };

    /// The cards that lie face down, in the order in which they were laid.
    pub fn cards_face_down(&self) -> &[FaceDown] {
        &self.face_down[..usize::from(self.face_down_count)]
    }

    /// Those of them that `seat` laid, by place.
    pub fn hidden_by(&self, seat: Seat) -> impl Iterator<Item = usize> {
        self.cards_face_down().iter().enumerate().filter(move |(_, hidden)| hidden.seat == seat).map(|(place, _)| place)
    }

    /// `seat` has no more than so many cards of `food`, those that it laid face down included.
    fn limit_hidden_by(&mut self, seat: Seat, food: Food, most: u8) {
        for hidden in
            self.face_down[..usize::from(self.face_down_count)].iter_mut().filter(|hidden| hidden.seat == seat)
        {
            hidden.at_most_so_far[food] = hidden.at_most_so_far[food].min(most);
        }
    }

    /// Leaves out what could have been laid face down.
    pub(super) fn forget_what_could_be(&mut self) {
        self.face_down.iter_mut().for_each(|hidden| hidden.at_most_so_far = Foods::NONE);
    }

    fn lay_open(&mut self, food: Food) {
        self.open[food] += 1;
        self.top = Top::Open(food);
    }

    fn lay_face_down(&mut self, hidden: FaceDown) {
        self.face_down[usize::from(self.face_down_count)] = hidden;
        self.face_down_count += 1;
        self.top = Top::FaceDown;
    }
}

impl Table {
    /// Who comes after the active player begins.
    pub(super) fn begin_sacrifice_round(&mut self) {
        self.ask_for_sacrifice_after(self.active);
    }

    /// The next to sacrifice; the active player is the last. A4: who has no card is passed over.
    fn ask_for_sacrifice_after(&mut self, last: Seat) {
        let seats = self.options.seats;
        let first = seats.steps_left(self.active, last) + 1;
        let mut order = (first..=seats.count()).map(|k| seats.left_of(self.active, k));
        match order.find(|&seat| self.villages[seat].held > 0) {
            Some(seat) => self.phase = Phase::Sacrifice(seat),
            None => self.ask_for_supply(),
        }
    }

    /// Another player's sacrifice. D2: it lies face up.
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

    /// The active player's sacrifice. It lies face down.
    pub(super) fn sacrifice_face_down(&mut self, seat: Seat) {
        let village = &mut self.villages[seat];
        village.held -= 1;
        self.stone.lay_face_down(FaceDown { seat, at_most_so_far: village.accounted });
        self.ask_for_supply();
    }

    /// A5: skipped where nothing is left in the supply.
    fn ask_for_supply(&mut self) {
        self.phase = if self.stock == Foods::NONE { Phase::Draw } else { Phase::Supply };
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
