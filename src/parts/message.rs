//! Seats and opponents in typed messages: writing, reading, and the errors of reading.

use crate::core::{RelativeSeat, Seat, Seats};

/// Returns a seat as messages write it.
pub(crate) const fn number(seat: Seat) -> u32 {
    seat.index() as u32
}

/// Returns an opponent as messages write it: 1 for the left neighbour.
pub(crate) const fn left_number(left: RelativeSeat) -> u32 {
    left.index() as u32 + 1
}

/// The ways in which an action's message names an opponent: by its distance to the left, by its seat, or by both. If
/// both are set, they must agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opponent {
    /// The question for a message that names no opponent, such as "against whom?".
    pub question: &'static str,
    /// The name of the field for the opponent's seat.
    pub field: &'static str,
    /// The largest distance to the left, at the game's largest table.
    pub most: usize,
}

impl Opponent {
    /// Reads the opponent from a message of `seat`.
    pub(crate) fn read(
        self,
        left: u32,
        by_seat: Option<u32>,
        seat: Seat,
        seats: Seats,
    ) -> Result<RelativeSeat, String> {
        let by_left = self.read_left(left)?;
        let by_seat = by_seat.map(|named| self.read_seat(named, seat, seats)).transpose()?;
        match (by_left, by_seat) {
            (Some(left), Some(other)) if left != other => Err(self.differ(left, other, seat, seats)),
            (Some(left), _) | (None, Some(left)) => Ok(left),
            (None, None) => Err(format!(
                "{} expected left from 1 (the left neighbour) to {}, or {} as one of {}",
                self.question,
                seats.count() - 1,
                self.field,
                seats.all().without(seat)
            )),
        }
    }

    /// Reads the distance to the left; None if the message does not set it.
    fn read_left(self, left: u32) -> Result<Option<RelativeSeat>, String> {
        let Some(index) = (left as usize).checked_sub(1) else { return Ok(None) };
        let opponent = RelativeSeat::new(index).filter(|_| index < self.most);
        opponent
            .map(Some)
            .ok_or_else(|| format!("expected left from 1 (the left neighbour) to {}, got {left}", self.most))
    }

    fn read_seat(self, named: u32, seat: Seat, seats: Seats) -> Result<RelativeSeat, String> {
        let (field, opponents) = (self.field, seats.all().without(seat));
        let other = seats
            .get(named as usize)
            .ok_or_else(|| format!("expected {field} as one of {opponents}, got {named}, which is not at the table"))?;
        let left = seats.steps_left(seat, other).checked_sub(1).and_then(RelativeSeat::new);
        left.ok_or_else(|| format!("expected {field} as one of {opponents}, got {named}, the player's own seat"))
    }

    /// Returns the error for two fields that name different opponents.
    fn differ(self, left: RelativeSeat, other: RelativeSeat, seat: Seat, seats: Seats) -> String {
        let name = |of: RelativeSeat| of.of(seat, seats).map_or_else(|| "nobody".to_owned(), |at| format!("seat {at}"));
        let (by_left, by_seat) = (left_number(left), left_number(other));
        let field = self.field;
        format!("left {by_left} names {}, but {field} names {} (left {by_seat})", name(left), name(other))
    }
}
