//! Seats: places at the table, sets of seats, and one value for each seat.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use crate::parts::set::Set;
use crate::{Argument, ParseError, numbered_by_inherent};

/// The largest number of seats in any game.
pub const MAX_SEATS: usize = 6;

/// A place at the table, counted from 0. Play goes clockwise: to the left, in rising order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The number of seats at the largest table.
    pub const COUNT: usize = MAX_SEATS;

    /// Returns the seat with this index, from 0 to [`MAX_SEATS`] - 1; None for another index.
    pub const fn new(index: usize) -> Option<Self> {
        if index < MAX_SEATS { Some(Self(index as u8)) } else { None }
    }

    /// Returns the number of the seat, for arrays and the wire.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

numbered_by_inherent!(Seat);

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The number of seats of a game: 1 to [`MAX_SEATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seats(u8);

impl Seats {
    /// Creates the seat count; None if no table has so many seats.
    pub const fn new(count: usize) -> Option<Self> {
        if count >= 1 && count <= MAX_SEATS { Some(Self(count as u8)) } else { None }
    }

    /// Returns the number of seats.
    pub const fn count(self) -> usize {
        self.0 as usize
    }

    /// Returns every seat, in rising order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..self.0).map(Seat)
    }

    /// Returns the set of every seat.
    pub const fn all(self) -> SeatSet {
        SeatSet::from_bits((1 << self.0) - 1)
    }

    /// Returns the seat with this index; None if the table has no such seat.
    pub const fn get(self, index: usize) -> Option<Seat> {
        if index < self.count() { Some(Seat(index as u8)) } else { None }
    }

    /// Returns the `k`-th seat to the left of `seat`. `k` may be any number; with 0 the result is `seat` itself.
    #[inline]
    pub const fn left_of(self, seat: Seat, k: usize) -> Seat {
        let index = seat.index() + k;
        // Most calls step to a neighbour: a comparison is cheaper than a division.
        Seat(if index < self.count() { index } else { index % self.count() } as u8)
    }

    /// Returns the number of steps to the left from `from` to `to`: 0 to the count - 1.
    #[inline]
    pub const fn steps_left(self, from: Seat, to: Seat) -> usize {
        let (from, to) = (from.index(), to.index());
        if to >= from { to - from } else { to + self.count() - from }
    }

    /// Returns all other seats, the left neighbour first.
    pub fn others(self, seat: Seat) -> impl Iterator<Item = Seat> {
        (1..self.count()).map(move |k| self.left_of(seat, k))
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An opponent as seen by the acting seat: the k-th seat to the left, k from 1. Its text is `+2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativeSeat(u8);

impl RelativeSeat {
    /// The number of opponents at the largest table.
    pub const COUNT: usize = MAX_SEATS - 1;

    /// Returns the opponent with this index, from 0 (the left neighbour) to [`Self::COUNT`] - 1; None for another
    /// index.
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Returns the place among the opponents: 0 for the left neighbour.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the opponent's seat, as seen from `seat`; None if the table has no such opponent.
    #[inline]
    pub const fn of(self, seat: Seat, seats: Seats) -> Option<Seat> {
        if self.index() + 1 < seats.count() { Some(seats.left_of(seat, self.index() + 1)) } else { None }
    }
}

numbered_by_inherent!(RelativeSeat);

impl Argument for RelativeSeat {}

impl fmt::Display for RelativeSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", self.0 + 1)
    }
}

impl FromStr for RelativeSeat {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        (0..Self::COUNT).filter_map(Self::new).find(|left| left.to_string() == text).ok_or_else(|| {
            let most = Self::COUNT;
            ParseError::new(0, format!("expected an opponent from +1 (the left neighbour) to +{most}, got \"{text}\""))
        })
    }
}

/// A set of seats.
pub type SeatSet = Set<Seat>;

/// One value for each seat of a game.
#[derive(Clone, Copy)]
pub struct BySeat<T> {
    seats: Seats,
    /// The values by seat; the values of absent seats have no meaning.
    items: [T; MAX_SEATS],
}

impl<T: Copy> BySeat<T> {
    /// Creates the same value for every seat.
    pub const fn new(seats: Seats, value: T) -> Self {
        Self { seats, items: [value; MAX_SEATS] }
    }

    /// Creates the values by calling `of` for each seat, in seat order.
    pub fn from_fn(seats: Seats, mut of: impl FnMut(Seat) -> T) -> Self {
        let mut all = Self::new(seats, of(Seat(0)));
        for seat in seats.iter().skip(1) {
            all[seat] = of(seat);
        }
        all
    }

    /// Returns the values changed by `of`, in seat order.
    pub fn map<U: Copy>(&self, mut of: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat::from_fn(self.seats, |seat| of(self[seat]))
    }

    /// Returns the values from `seat` on to the left, changed by `of`. Absent seats have the default.
    #[inline]
    pub fn from_left<const N: usize, U: Copy + Default>(&self, seat: Seat, of: impl Fn(T) -> U) -> [U; N] {
        std::array::from_fn(
            |k| if k < self.seats.count() { of(self[self.seats.left_of(seat, k)]) } else { U::default() },
        )
    }

    /// Returns the number of seats.
    pub const fn seats(&self) -> Seats {
        self.seats
    }

    /// Returns the values, in seat order.
    pub fn values(&self) -> &[T] {
        &self.items[..self.seats.count()]
    }

    /// Returns each seat with its value, in seat order.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, T)> {
        self.seats.iter().map(|seat| (seat, self[seat]))
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.items[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.items[seat.index()]
    }
}

impl<T: PartialEq> PartialEq for BySeat<T> {
    fn eq(&self, other: &Self) -> bool {
        self.seats == other.seats && self.items[..self.seats.count()] == other.items[..other.seats.count()]
    }
}

impl<T: Eq> Eq for BySeat<T> {}

impl<T: fmt::Debug> fmt::Debug for BySeat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items[..self.seats.count()]).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_goes_round_the_table() {
        let seats = Seats::new(3).expect("3 seats are allowed");
        let [first, second, third] = [0, 1, 2].map(Seat);

        assert_eq!(seats.left_of(third, 1), first);
        assert_eq!(seats.steps_left(third, second), 2);
        assert_eq!(seats.others(second).collect::<Vec<_>>(), [third, first]);
        assert_eq!(RelativeSeat::new(1).and_then(|left| left.of(third, seats)), Some(second));
        assert_eq!(RelativeSeat::new(2).and_then(|left| left.of(third, seats)), None);
        for from in seats.iter() {
            for to in seats.iter() {
                assert_eq!(seats.left_of(from, seats.steps_left(from, to)), to);
            }
        }
    }

    #[test]
    fn absent_seats_make_no_difference() {
        let seats = Seats::new(2).expect("2 seats are allowed");
        let mut by_hand = BySeat::new(seats, 0);
        by_hand[Seat(0)] = 7;
        by_hand[Seat(1)] = 8;

        let made = BySeat::from_fn(seats, |seat| 7 + seat.index());
        assert_eq!(made, by_hand);
        assert_eq!(made.from_left(Seat(1), |n| n as i16), [8, 7, 0]);
    }

    #[test]
    fn a_table_has_one_to_six_seats() {
        assert_eq!(Seats::new(0), None);
        assert_eq!(Seats::new(7), None);
        assert_eq!(Seats::new(6).map(|seats| seats.all().len()), Some(6));
    }
}
