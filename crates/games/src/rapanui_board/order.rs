//! The turn order track: its star spaces, and the order of the Animal Totem tokens.

use borsh::{BorshDeserialize, BorshSerialize};
use std::fmt;

use ahu_core::parts::lines::joined;
use ahu_core::{Seat, SeatSet, Seats, numbered};

numbered! {
    /// A star space of the turn order track. Texts count from 1, the first.
    pub struct Star("a star space from", 1..=6);
}

impl Star {
    /// The first star space.
    pub const FIRST: Self = Self(0);
}

/// The order in which players take their turns, from the first player on.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub struct TurnOrder {
    seats: [Seat; Self::MAX],
    count: u8,
}

impl TurnOrder {
    /// The largest number of players.
    pub const MAX: usize = 4;

    /// Creates the turn order, if `order` contains each seat from 0 on once.
    pub fn new(order: &[Seat]) -> Option<Self> {
        let all: SeatSet = order.iter().copied().collect();
        let is_whole = all.len() == order.len() && order.iter().all(|seat| seat.index() < order.len());
        if !is_whole || order.len() > Self::MAX || order.is_empty() {
            return None;
        }
        let mut seats = [Seat::default(); Self::MAX];
        seats[..order.len()].copy_from_slice(order);
        Some(Self { seats, count: order.len() as u8 })
    }

    /// Returns true if the order has each seat from 0 on once.
    pub(super) fn is_whole(self) -> bool {
        Self::new(&self.iter().collect::<Vec<_>>()).is_some_and(|order| order.count == self.count)
    }

    /// Returns the order by seat.
    pub fn of(seats: Seats) -> Self {
        let order: Vec<Seat> = seats.iter().collect();
        Self::new(&order).expect("a table has at most four seats")
    }

    /// Returns the first player.
    #[inline]
    pub const fn first(&self) -> Seat {
        self.seats[0]
    }

    /// Returns all players, from the first player on.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Seat> {
        self.seats.into_iter().take(self.count.into())
    }

    /// Returns the index of a player in the order, from 0.
    ///
    /// # Panics
    /// If the player is not at the table.
    #[inline]
    pub fn place(&self, seat: Seat) -> usize {
        self.iter().position(|other| other == seat).expect("every player has a place in the order")
    }

    /// Returns the players after `seat`, to the last one.
    #[inline]
    pub fn behind(&self, seat: Seat) -> impl Iterator<Item = Seat> {
        self.iter().skip(self.place(seat) + 1)
    }

    /// Returns the players from the one after `seat` on, around to `seat` itself.
    #[inline]
    pub fn round_from(&self, seat: Seat) -> impl Iterator<Item = Seat> {
        let (Self { seats, .. }, count, place) = (*self, usize::from(self.count), self.place(seat));
        (place + 1..=place + count).map(move |next| seats[if next < count { next } else { next - count }])
    }
}

impl PartialEq for TurnOrder {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for TurnOrder {}

impl fmt::Debug for TurnOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Writes `2, 0, 1`.
impl fmt::Display for TurnOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(self.iter(), ", "))
    }
}
