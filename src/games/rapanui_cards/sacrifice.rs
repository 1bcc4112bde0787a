//! The sacrifice round that follows the building of a Moai, and the Stone of Sacrifice.
//!
//! The left neighbour of the active player begins (D1), and each player lays one own sacrifice card on the stone,
//! face up. The active player comes last and lays its card face down; then it adds a card from the supply, face up
//! (A6).

use super::cards::{Food, Foods, MOAI};
use super::event::Event;
use super::{Phase, Table};
use crate::core::{Events, Seat};

/// The public knowledge of the stone: everything except the foods of the face-down cards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stone {
    /// The cards that were laid face up.
    pub open: Foods,
    /// The card on top.
    pub top: Top,
    /// The number of cards laid face down.
    pub face_down_count: u8,
    /// The face-down cards, in the order in which they were laid. The entries after them have no meaning.
    pub face_down: [FaceDown; MOAI],
}

/// The card on top of the stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// No card: the stone is empty.
    Empty,
    /// A face-up card.
    Open(Food),
    /// A face-down card.
    FaceDown,
}

/// The public knowledge of a face-down card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceDown {
    /// The player who laid the card.
    pub seat: Seat,
    /// An upper limit, by food, on the cards that its player had laid face down by then, this card included. The
    /// player had no more cards of the food then. After each later face-up sacrifice of the food, the limit is at
    /// most the number of its accounted cards of the food.
    ///
    /// Nobody can know more. Any choice for the earlier cards leaves a choice for the later ones: a limit on a later
    /// card limits the earlier cards too, so a player's limits never fall from card to card.
    pub at_most_so_far: Foods,
}

impl FaceDown {
    /// The entry for places without a card.
    const NOBODYS: Self = Self { seat: Seat::new(0).expect("a table has a seat 0"), at_most_so_far: Foods::EMPTY };
}

impl Stone {
    /// The stone without cards.
    pub const EMPTY: Self =
        Self { open: Foods::EMPTY, top: Top::Empty, face_down_count: 0, face_down: [FaceDown::NOBODYS; MOAI] };

    /// Returns the face-down cards, in the order in which they were laid.
    pub fn cards_face_down(&self) -> &[FaceDown] {
        &self.face_down[..usize::from(self.face_down_count)]
    }

    /// Returns the places of the face-down cards that `seat` laid.
    pub fn hidden_by(&self, seat: Seat) -> impl Iterator<Item = usize> {
        self.cards_face_down().iter().enumerate().filter(move |(_, hidden)| hidden.seat == seat).map(|(place, _)| place)
    }

    /// Limits the face-down cards of `seat`: at most `most` of them are of `food`.
    fn limit_hidden_by(&mut self, seat: Seat, food: Food, most: u8) {
        for hidden in
            self.face_down[..usize::from(self.face_down_count)].iter_mut().filter(|hidden| hidden.seat == seat)
        {
            hidden.at_most_so_far[food] = hidden.at_most_so_far[food].min(most);
        }
    }

    /// Clears the limits on face-down cards, which observations do not show.
    pub(super) fn forget_what_could_be(&mut self) {
        self.face_down.iter_mut().for_each(|hidden| hidden.at_most_so_far = Foods::EMPTY);
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
