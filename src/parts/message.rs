//! Seats and opponents in typed messages: how they are written, and what is said of one that is wrong.

use crate::core::{Left, Seat, Seats};

/// A seat as messages have it.
pub(crate) const fn number(seat: Seat) -> u32 {
    seat.index() as u32
}

/// An opponent as messages have it: 1 for the left neighbour.
pub(crate) const fn left_number(left: Left) -> u32 {
    left.index() as u32 + 1
}

/// How an action's message names an opponent: by how far it sits to the left, by its seat, or by both, which then agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opponent {
    /// What is asked where neither is said, such as "against whom?".
    pub question: &'static str,
    /// The field that has its seat.
    pub field: &'static str,
    /// How far to the left one can sit at the game's largest table.
    pub most: usize,
}

impl Opponent {
    /// The opponent that a message of `seat` names.
    pub(crate) fn read(self, left: u32, by_seat: Option<u32>, seat: Seat, seats: Seats) -> Result<Left, String> {
        let by_left = self.read_left(left)?;
        let by_seat = by_seat.map(|named| self.read_seat(named, seat, seats)).transpose()?;
        match (by_left, by_seat) {
            (Some(left), Some(other)) if left != other => Err(self.differ(left, other, seat, seats)),
            (Some(left), _) | (None, Some(left)) => Ok(left),
            (None, None) => Err(format!(
                "{} left is 1 (the left neighbour) to {}, or {} one of {}",
                self.question,
                seats.count() - 1,
                self.field,
                seats.all().without(seat)
            )),
        }
    }

    /// None, where it is not said.
    fn read_left(self, left: u32) -> Result<Option<Left>, String> {
        let Some(index) = (left as usize).checked_sub(1) else { return Ok(None) };
        let opponent = Left::new(index).filter(|_| index < self.most);
        opponent.map(Some).ok_or_else(|| format!("left is 1 (the left neighbour) to {}, not {left}", self.most))
    }

    fn read_seat(self, named: u32, seat: Seat, seats: Seats) -> Result<Left, String> {
        let (field, opponents) = (self.field, seats.all().without(seat));
        let other = seats
            .get(named as usize)
            .ok_or_else(|| format!("{field} {named} is not at the table; the opponents have the seats {opponents}"))?;
        let left = seats.steps_left(seat, other).checked_sub(1).and_then(Left::new);
        left.ok_or_else(|| format!("{field} {named} is the player's own; the opponents have the seats {opponents}"))
    }

    /// Two opponents are said where there can be one.
    fn differ(self, left: Left, other: Left, seat: Seat, seats: Seats) -> String {
        let name = |of: Left| of.of(seat, seats).map_or_else(|| "nobody".to_owned(), |at| format!("seat {at}"));
        let (by_left, by_seat) = (left_number(left), left_number(other));
        let field = self.field;
        format!("left {by_left} is {}, but {field} is {}, which is left {by_seat}", name(left), name(other))
    }
}
