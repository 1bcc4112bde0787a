//! The Ahus in use: bases, Moai, headdresses.

use ahu_core::{BySeat, Seat, Seats};
use borsh::{BorshDeserialize, BorshSerialize};

use super::board::{Ahu, Ahus};
use super::piece::{Piece, Size};

/// The state of an Ahu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// No base and no Moai.
    Free,
    /// A base, colour up: only its player may erect a Moai here.
    Reserved(Seat),
    /// A Moai on a base.
    Erected {
        /// The owner of the base; None only in a shown view that hides the owner (G31).
        owner: Option<Seat>,
        /// The Moai.
        moai: Piece,
        /// The headdress on the Moai.
        headdress: Option<Piece>,
    },
}

/// The bases, Moai, and headdresses on all Ahus, as sets. The places of the pieces tell which Moai they are.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Sites {
    /// The Ahus with a base of each seat: reserved, or under a Moai whose owner is shown.
    bases: BySeat<Ahus>,
    /// The Ahus with a Moai of each size.
    moai: [Ahus; Size::COUNT],
    topped: Ahus,
}

impl Sites {
    /// Creates the Ahus before the first turn: all are free.
    pub(super) const fn new(seats: Seats) -> Self {
        Self { bases: BySeat::new(seats, Ahus::EMPTY), moai: [Ahus::EMPTY; Size::COUNT], topped: Ahus::EMPTY }
    }

    /// Puts a base of a player on an Ahu.
    pub fn reserve(&mut self, ahu: Ahu, seat: Seat) {
        self.bases[seat] |= ahu.into();
    }

    /// Erects a Moai of this size on an Ahu with a base.
    pub fn erect(&mut self, ahu: Ahu, size: Size) {
        self.moai[size.index()] |= ahu.into();
    }

    /// Puts a headdress on the Moai of an Ahu.
    pub fn top(&mut self, ahu: Ahu) {
        self.topped |= ahu.into();
    }

    /// Removes the owners of the bases under these Moai, for a shown view (G31).
    pub(super) fn hide_owners(&mut self, of: Ahus) {
        for seat in self.bases.seats().iter() {
            self.bases[seat] -= of;
        }
    }

    /// Returns the owner of the base on an Ahu, if there is one and it is shown.
    pub(super) fn owner(&self, ahu: Ahu) -> Option<Seat> {
        self.bases.iter().find(|(_, bases)| bases.contains(ahu)).map(|(seat, _)| seat)
    }

    /// Returns the Ahus with a base of each seat.
    #[inline]
    pub(super) const fn bases(&self) -> &BySeat<Ahus> {
        &self.bases
    }

    /// Returns the Ahus with a Moai of each size.
    #[inline]
    pub(super) const fn moai(&self) -> &[Ahus; Size::COUNT] {
        &self.moai
    }

    /// Returns the Ahus with a Moai.
    #[inline]
    pub fn erected(&self) -> Ahus {
        let [one, two, three] = self.moai;
        one | two | three
    }

    /// Returns the Ahus with a Moai of a player.
    #[inline]
    pub fn erected_by(&self, seat: Seat) -> Ahus {
        self.bases[seat] & self.erected()
    }

    /// Returns the Ahus with a headdress.
    #[inline]
    pub(super) const fn topped(&self) -> Ahus {
        self.topped
    }

    /// Returns the Ahus with a base or a Moai.
    #[inline]
    pub(super) fn occupied(&self) -> Ahus {
        self.bases.values().iter().fold(self.erected(), |occupied, &bases| occupied | bases)
    }
}
