//! Setup: who begins, the start cards, the columns of the display.

use super::action::Column;
use super::cards::{Food, Foods, Kind, Kinds};
use super::event::Event;
use super::options::Colour;
use super::outcome::{self, Cards};
use super::{Phase, Table};
use crate::core::{BySeat, Events, Luck, OutcomeError, Seat};

/// The wood that the starting player begins with. Each other has one more than who sits on the right.
const START_WOOD: u16 = 2;
/// How many sacrifice cards of each food the supply has before setup.
pub(super) const STOCK: u8 = 25;

/// The Hunters & Gatherers among the start cards: one of each food but `lacking`.
pub(super) fn start_hand(lacking: Food) -> Kinds {
    Food::ALL.into_iter().filter(|&food| food != lacking).map(Kind::gatherer).collect()
}

impl Table {
    pub(super) fn draw_start(&self, luck: &Luck) -> Seat {
        let seats = self.options.seats;
        let index = luck.number(outcome::START, 0, seats.count() as u32);
        seats.get(index as usize).expect("the number is below the count")
    }

    pub(super) fn check_start(&self, seat: Seat) -> Result<(), OutcomeError> {
        match self.options.seats.all().contains(seat) {
            true => Ok(()),
            false => Err(OutcomeError(format!("seat {seat} is not at the table"))),
        }
    }

    pub(super) fn start_with(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.active = seat;
        events.push(Event::StartPlayer { seat });
        self.phase = Phase::Colours;
    }

    /// A20: chance gives each player a colour.
    pub(super) fn draw_colours(&self, luck: &Luck) -> BySeat<Colour> {
        let mut order = luck.order_once(outcome::COLOURS, Colour::COUNT);
        BySeat::from_fn(self.options.seats, |_| Colour::ALL[usize::from(order.next().expect("a colour a seat"))])
    }

    pub(super) fn check_colours(&self, colours: BySeat<Colour>) -> Result<(), OutcomeError> {
        if colours.seats() != self.options.seats {
            let (given, seats) = (colours.seats(), self.options.seats);
            return Err(OutcomeError(format!("{given} colours are given to {seats} seats")));
        }
        match colours.values().iter().enumerate().find(|(n, colour)| colours.values()[..*n].contains(colour)) {
            Some((_, colour)) => Err(OutcomeError(format!("{colour} is given twice"))),
            None => Ok(()),
        }
    }

    /// Start cards, a sacrifice card of each food, and wood by turn order (A17).
    pub(super) fn hand_out_colours(&mut self, colours: BySeat<Colour>, events: &mut impl Events<Event>) {
        let seats = self.options.seats;
        for (seat, colour) in colours.iter() {
            let village = &mut self.villages[seat];
            village.colour = Some(colour);
            village.hand = start_hand(self.options.start_sets[colour as usize]);
            village.display[Kind::Lumberjack] = 1;
            village.accounted = Foods::of([1; Food::COUNT]);
            village.held = village.accounted.total();
            village.wood = START_WOOD + seats.steps_left(self.active, seat) as u16;
            self.stock = self.stock - village.accounted;
        }
        events.push(Event::StartCards { colours });
        self.phase = Phase::LayOut(Column::FIRST);
    }

    /// A column is laid out; behind the last, the first turn begins.
    pub(super) fn lay_out(&mut self, column: Column, cards: Cards, events: &mut impl Events<Event>) {
        self.bring_to_light(column, cards, events);
        match Column::new(column.index() + 1) {
            Some(next) => self.phase = Phase::LayOut(next),
            None => self.begin_turn(events),
        }
    }
}
