//! Seats and opponents in typed messages: writing, reading, and the errors of reading.

use std::fmt;

use ahu_core::{BySeat, Numbered, RelativeSeat, Seat, Seats};

/// Returns a value as messages number it, in an enum or as a number that counts from 1; 0 is "unspecified".
pub(crate) fn from_one<T: Numbered, N: TryFrom<usize>>(value: T) -> N
where
    N::Error: fmt::Debug,
{
    (value.index() + 1).try_into().expect("a small number fits every type")
}

/// Returns a value as messages number it; 0 for None.
pub(crate) fn from_one_or_none<T: Numbered, N: TryFrom<usize> + Default>(value: Option<T>) -> N
where
    N::Error: fmt::Debug,
{
    value.map_or_else(N::default, from_one)
}

/// Returns the value that messages number so, from 1. An error states the range.
pub(crate) fn read_from_one<T: Numbered>(noun: &str, number: u32) -> Result<T, String> {
    let value = (number as usize).checked_sub(1).and_then(T::new);
    value.ok_or_else(|| format!("expected a {noun} from 1 to {}, got {number}", T::COUNT))
}

/// Returns the value that messages number so in an enum. An error states the range, with the enum's names.
pub(crate) fn read_named<T: Numbered>(noun: &str, number: i32, name: fn(i32) -> &'static str) -> Result<T, String> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(T::new).ok_or_else(|| {
        let last = T::COUNT as i32;
        format!("expected a {noun} from 1 ({}) to {last} ({}), got {number}", name(1), name(last))
    })
}

/// Reads a value from an enum of messages: `read_enum!(v1::Food, "food", number)`.
macro_rules! read_enum {
    ($message:ty, $noun:literal, $number:expr) => {
        $crate::wire::message::read_named($noun, $number, |number| {
            <$message>::try_from(number).expect("the enums have the same values").as_str_name()
        })
    };
}
pub(crate) use read_enum;

/// Returns points as messages list them, by seat.
pub(crate) fn by_seat<T: Copy + Into<u32>>(values: &BySeat<T>) -> Vec<u32> {
    values.values().iter().map(|&value| value.into()).collect()
}

/// Asserts that an enum of messages has the values of an enum of a game, in its order, after "unspecified".
#[cfg(test)]
macro_rules! assert_same_names {
    ($($type:ty, $message:ty, $prefix:literal;)+) => {$(
        for (index, name) in <$type>::NAMES.iter().enumerate() {
            let message = <$message>::try_from(index as i32 + 1).expect("the message has as many values");
            let written = format!(concat!($prefix, "{}"), name.to_uppercase());
            assert_eq!(message.as_str_name().replace('_', ""), written.replace('_', ""));
        }
        assert!(<$message>::try_from(<$type>::COUNT as i32 + 1).is_err(), "the message has no more values");
    )+};
}
#[cfg(test)]
pub(crate) use assert_same_names;

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
