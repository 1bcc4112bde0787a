//! The payments that a player owes opponents for the help on a hex.

use ahu_core::{RelativeSeat, Seat, Seats, numbered};
use borsh::{BorshDeserialize, BorshSerialize};

numbered! {
    /// An opponent as payee: the k-th to the left, k from 1 to 4. Its text is `+2`.
    pub struct Payee("opponent to the left,", prefix "+", 1..=4);
}

impl Payee {
    /// The left neighbour.
    pub(super) const NEXT: Self = Self(0);

    /// Returns the opponent as seen from any seat.
    pub(super) fn relative(self) -> RelativeSeat {
        RelativeSeat::new(self.index()).expect("tables of this game are not the largest")
    }

    /// Returns the opponent's seat, as seen from `seat`; None if the table has no such opponent.
    #[inline]
    pub fn of(self, seat: Seat, seats: Seats) -> Option<Seat> {
        self.relative().of(seat, seats)
    }
}

/// The payments that a player owes opponents for entering a hex, in units of a Prestige Point each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Dues {
    /// The fewest units to pay, in all.
    pub least: u8,
    /// The most units to pay, in all: more than the fewest only with `allow_gift_pp`. A Chief who earns the full
    /// size counts apart (G23).
    pub most: u8,
    /// The units paid so far.
    pub paid: u8,
    /// The opponent who was paid last, at first the left neighbour. Opponents nearer to the payer's left get no
    /// further payment.
    pub payee: Payee,
    /// The units that this opponent has lent.
    pub lent: u8,
}

impl Dues {
    /// Creates the dues before the first payment.
    pub(super) const fn new(least: u8, most: u8) -> Self {
        Self { least, most, paid: 0, payee: Payee::NEXT, lent: 0 }
    }

    /// Returns the number of units that the player still has to pay.
    pub(super) const fn short(self) -> u8 {
        self.least.saturating_sub(self.paid)
    }

    /// Returns the number of units that the player may still pay.
    pub(super) const fn most_left(self) -> u8 {
        self.most - self.paid
    }

    /// Returns the units that an opponent has lent for this entry.
    pub(super) fn lent_by(self, payee: Payee) -> u8 {
        if payee == self.payee { self.lent } else { 0 }
    }
}
