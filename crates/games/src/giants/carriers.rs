//! The capacity of hexes: the units that figures and logs can carry.
//!
//! Workers on the island are sets of hexes with more than n of them. A few words of bit logic then tell what can pass where, and
//! a flood over such a set tells whether an abandoned piece can still be placed for good.

use ahu_core::Seat;

use super::board::Hexes;
use super::piece::Size;
use super::table::Table;
use super::tribe::{CHIEF_UNITS, Tribe};

const _: () = assert!(CHIEF_UNITS == Size::Three.units(), "a Chief carries every piece alone");

/// The capacity of hexes, as sets: set `n` has the hexes with carriers for more than `n` units. No piece weighs more
/// than three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Carriers([Hexes; Size::COUNT]);

impl Carriers {
    /// Adds one unit on each of these hexes.
    #[inline]
    fn add(&mut self, hexes: Hexes) {
        let [one, two, three] = &mut self.0;
        *three |= *two & hexes;
        *two |= *one & hexes;
        *one |= hexes;
    }

    /// Adds three units or more on each of these hexes.
    #[inline]
    fn fill(&mut self, hexes: Hexes) {
        self.0.iter_mut().for_each(|level| *level |= hexes);
    }

    /// Adds the units of a tribe's figures.
    #[inline]
    fn add_figures(&mut self, tribe: &Tribe) {
        let [ones, twos, fours] = tribe.workers.digits();
        self.add(ones);
        self.add(twos);
        self.add(twos);
        self.fill(fours);
        self.add(tribe.sorcerer.hexes());
        // A Chief carries every piece alone.
        self.fill(tribe.chief.hexes());
    }

    /// Returns the hexes that can carry this weight.
    #[inline]
    pub(super) const fn hexes(&self, weight: Size) -> Hexes {
        self.0[weight.index()]
    }

    /// Returns the hexes with carriers for at least 1, 2, 3 units.
    #[inline]
    pub(super) const fn levels(&self) -> [Hexes; Size::COUNT] {
        self.0
    }
}

impl Table {
    /// Returns the capacity of all hexes. Logs count without a check, because they lie only on hexes with a figure.
    #[inline]
    pub(super) fn carriers(&self) -> Carriers {
        let mut carriers = Carriers::default();
        self.tribes.values().iter().for_each(|tribe| carriers.add_figures(tribe));
        self.logs.placed().iter().for_each(|log| carriers.add(log.hex.into()));
        carriers
    }

    /// Returns the capacity of all hexes that costs a player nothing: own figures and logs.
    pub(super) fn carriers_for(&self, seat: Seat) -> Carriers {
        let mut carriers = Carriers::default();
        carriers.add_figures(&self.tribes[seat]);
        self.logs.placed().iter().for_each(|log| carriers.add(log.hex.into()));
        carriers
    }
}
