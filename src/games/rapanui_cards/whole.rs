//! Whether a position is one: every card is somewhere, once, and what all know is so.

use super::cards::{DECK, Food, Foods, Kind, Kinds};
use super::draw::Pile;
use super::setup::{STOCK, start_hand};
use super::{FaceDown, RapanuiCards, Table};
use crate::core::Seat;

impl RapanuiCards {
    /// Tells what is wrong with a position that was set up by hand.
    pub fn check_whole(&self) -> Result<(), String> {
        self.table.check_seats()?;
        self.table.check_cards_of_the_deck()?;
        self.check_sacrifice_cards()?;
        self.check_face_down()
    }

    /// 25 sacrifice cards of each food: with players, in the supply, on the stone.
    fn check_sacrifice_cards(&self) -> Result<(), String> {
        let Table { villages, stock, stone, .. } = &self.table;
        let mut foods = *stock + stone.open;
        for (seat, village) in villages.iter() {
            let hidden = self.hidden_by(seat);
            if !hidden.is_within(village.accounted) {
                return Err(format!("seat {seat} laid {hidden} face down, and had {}", village.accounted));
            }
            if self.cards_of(seat).total() != village.held {
                return Err(format!("seat {seat} has {} sacrifice cards, not {}", self.cards_of(seat), village.held));
            }
            foods = foods + village.accounted;
        }
        match foods == Foods::of([STOCK; Food::COUNT]) {
            true => Ok(()),
            false => Err(format!("there are {STOCK} sacrifice cards of each food, not {foods}")),
        }
    }

    /// Nobody laid face down what all know that it could not have laid.
    fn check_face_down(&self) -> Result<(), String> {
        let stone = &self.table.stone;
        for (place, FaceDown { seat, at_most_so_far }) in stone.cards_face_down().iter().enumerate() {
            let so_far: Foods = stone.hidden_by(*seat).filter(|&n| n <= place).map(|n| self.hidden[n]).collect();
            if !so_far.is_within(*at_most_so_far) {
                return Err(format!("seat {seat} laid {so_far} face down, and could have laid {at_most_so_far}"));
            }
        }
        Ok(())
    }
}

impl Table {
    fn check_seats(&self) -> Result<(), String> {
        let seats = self.options.seats;
        let at_table = |seat: Seat| seats.all().contains(seat);
        let decides = self.phase.owing(self.active).is_none_or(at_table);
        let laid = self.stone.cards_face_down().iter().all(|hidden| at_table(hidden.seat));
        match self.villages.seats() == seats && at_table(self.active) && decides && laid {
            true => Ok(()),
            false => Err(format!("the table has {seats} seats")),
        }
    }

    /// The 50 cards of the deck and the start cards of the colours in play: in hands and displays, in the columns and
    /// the stack, or put out of the game.
    fn check_cards_of_the_deck(&self) -> Result<(), String> {
        let (mut there, mut all) = (self.unseen, DECK);
        for village in self.villages.values() {
            there = there + village.hand + village.display;
            if let Some(colour) = village.colour {
                all = all + start_hand(self.options.start_sets[colour as usize]);
                all[Kind::Lumberjack] += 1;
            }
        }
        let in_columns = || self.columns.iter().flat_map(Pile::cards);
        there = there + in_columns().copied().flatten().collect::<Kinds>();
        there[Kind::Moai] += self.boxed;
        if there != all {
            return Err(format!("there are {all}, and here are {there}"));
        }
        let face_down = usize::from(self.stack) + in_columns().filter(|card| card.is_none()).count();
        match usize::from(self.unseen.total()) == face_down {
            true => Ok(()),
            false => Err(format!("{} cards are unseen, and {face_down} lie face down", self.unseen.total())),
        }
    }
}
