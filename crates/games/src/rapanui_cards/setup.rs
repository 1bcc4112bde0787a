//! Setup: the starting player, the start cards, and the columns of the display.

use ahu_core::{BySeat, ChanceRng, Events, OutcomeError, Seat, ensure};

use super::cards::{Food, Foods, Kind, KindCounts};
use super::chance_outcome::{self, Cards};
use super::column::Column;
use super::event::Event;
use super::options::{Colour, StartPlayer};
use super::{Phase, Table};

/// The starting player's wood at the beginning. Each other player has one more than its right neighbour.
const START_WOOD: u16 = 2;
/// The number of sacrifice cards of each food in the supply before setup.
pub(super) const STOCK: u8 = 25;

/// Returns the Hunters & Gatherers of the start cards: one of each food except `lacking`.
pub(super) fn start_hand(lacking: Food) -> KindCounts {
    Food::ALL.into_iter().filter(|&food| food != lacking).map(Kind::gatherer).collect()
}

impl Table {
    pub(super) fn draw_start(&self, chance: &ChanceRng) -> Seat {
        let seats = self.options.seats;
        let index = chance.number(chance_outcome::START, 0, seats.count() as u32);
        seats.get(index as usize).expect("the number is below the count")
    }

    pub(super) fn check_start(&self, seat: Seat) -> Result<(), OutcomeError> {
        ensure(self.options.seats.all().contains(seat), || {
            OutcomeError(format!("expected a seat at the table, got seat {seat}"))
        })
    }

    pub(super) fn start_with(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        self.active = seat;
        events.push(Event::StartPlayer { seat });
        self.phase = Phase::Colours;
    }

    /// Draws the colour of each player (A20).
    pub(super) fn draw_colours(&self, chance: &ChanceRng) -> BySeat<Colour> {
        let mut order = chance.order_once(chance_outcome::COLOURS, Colour::COUNT);
        BySeat::from_fn(self.options.seats, |_| Colour::ALL[usize::from(order.next().expect("a colour for each seat"))])
    }

    pub(super) fn check_colours(&self, colours: BySeat<Colour>) -> Result<(), OutcomeError> {
        let (given, seats) = (colours.seats(), self.options.seats);
        ensure(given == seats, || OutcomeError(format!("expected {seats} colours, one for each seat, got {given}")))?;
        match colours.values().iter().enumerate().find(|(n, colour)| colours.values()[..*n].contains(colour)) {
            Some((_, colour)) => Err(OutcomeError(format!("expected different colours, got {colour} twice"))),
            None => Ok(()),
        }
    }

    /// Gives each player start cards, a sacrifice card of each food, and wood by turn order (A17).
    pub(super) fn hand_out_colours(&mut self, colours: BySeat<Colour>, events: &mut impl Events<Event>) {
        let seats = self.options.seats;
        if self.options.start_player == StartPlayer::Seat0 {
            // Chance has told nobody.
            events.push(Event::StartPlayer { seat: self.active });
        }
        for (seat, colour) in colours.iter() {
            let village = &mut self.villages[seat];
            village.colour = Some(colour);
            village.hand = start_hand(self.options.lacking_food(colour));
            village.display[Kind::Lumberjack] = 1;
            village.accounted = Foods::of([1; Food::COUNT]);
            village.held = village.accounted.total();
            village.wood = START_WOOD + seats.steps_left(self.active, seat) as u16;
            self.stock = self.stock - village.accounted;
        }
        events.push(Event::StartCards { colours });
        self.phase = Phase::LayOut(Column::FIRST);
    }

    /// Lays out a column. After the last column, the first turn begins.
    pub(super) fn lay_out(&mut self, column: Column, cards: Cards, events: &mut impl Events<Event>) {
        self.bring_to_light(column, cards, events);
        match Column::new(column.index() + 1) {
            Some(next) => self.phase = Phase::LayOut(next),
            None => self.begin_turn(events),
        }
    }
}
