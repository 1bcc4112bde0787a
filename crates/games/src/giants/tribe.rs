//! The tribes: a player's people and goods behind the screen, in front of it, and on the island.

use super::board::{Ahus, Hex, Hexes};
use super::options::Options;
use borsh::{BorshDeserialize, BorshSerialize};

/// The number of Workers of each colour.
pub const WORKERS: u8 = 6;
/// The number of Tribe Markers of each colour.
pub const MARKERS: u8 = 6;
/// The number of Tribe Markers that each player starts with.
const MARKERS_AT_START: u8 = 2;
/// The number of units that a Chief sculpts or carries.
pub(super) const CHIEF_UNITS: u8 = 3;

/// All people and goods of a player.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Tribe {
    /// The goods behind the screen, without Sorcerer and Chief.
    pub reserve: Reserve,
    /// The Workers and Tribe Markers in front of the screen: spent for this turn.
    pub front: Goods,
    /// The Workers and Tribe Markers in the receptacle: not yet the player's.
    pub receptacle: Goods,
    /// The Workers on the island.
    pub workers: Workers,
    /// The place of the Sorcerer.
    pub sorcerer: Spot,
    /// The place of the Chief.
    pub chief: Spot,
    /// Rongo half-tablets. Any two make a tablet (G16).
    pub halves: u8,
    /// Prestige Points scored so far.
    pub prestige: u16,
    /// The Ahus under whose Moai the player has looked (G31).
    pub peeked: Ahus,
}

/// The goods behind a screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Reserve {
    /// The number of Workers.
    pub workers: u8,
    /// The number of Tribe Markers.
    pub markers: u8,
    /// The number of logs.
    pub logs: u8,
    /// The number of bases.
    pub bases: u8,
}

/// The goods in front of a screen or in the receptacle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Goods {
    /// The number of Workers.
    pub workers: u8,
    /// The number of Tribe Markers.
    pub markers: u8,
}

/// The place of a Sorcerer or a Chief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Spot {
    /// Behind the screen.
    Reserve,
    /// In front of the screen: bid in the auction, and spent for this turn.
    Front,
    /// On a hex.
    On(Hex),
}

impl Spot {
    /// Returns the hex as a set of one, or the empty set.
    #[inline]
    pub fn hexes(self) -> Hexes {
        match self {
            Self::Reserve | Self::Front => Hexes::EMPTY,
            Self::On(hex) => hex.into(),
        }
    }
}

/// A player's Workers on the island: the binary digits of their number on each hex, the lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Workers([Hexes; 3]);

impl Workers {
    /// Adds a Worker on `hex`.
    #[inline]
    pub fn add(&mut self, hex: Hex) {
        let mut carry = Hexes::from(hex);
        for digit in &mut self.0 {
            (*digit, carry) = ((*digit | carry) - (*digit & carry), *digit & carry);
        }
    }

    /// Returns the number of Workers on `hex`.
    #[inline]
    pub fn count(&self, hex: Hex) -> u8 {
        self.0.iter().rev().fold(0, |count, digit| 2 * count + u8::from(digit.contains(hex)))
    }

    /// Returns the number of Workers on the island.
    #[inline]
    pub fn total(&self) -> u8 {
        self.0.iter().rev().fold(0, |count, digit| 2 * count + digit.len() as u8)
    }

    /// Returns the hexes with at least one Worker.
    #[inline]
    pub fn hexes(&self) -> Hexes {
        let [ones, twos, fours] = self.0;
        ones | twos | fours
    }

    /// Returns the binary digits of the number of Workers on each hex, the lowest first.
    #[inline]
    pub(super) const fn digits(&self) -> [Hexes; 3] {
        self.0
    }
}

impl Tribe {
    /// Creates the tribe of a player before the first turn.
    pub(super) fn new(options: &Options) -> Self {
        let workers = if options.quick_game { 2 } else { 1 };
        let reserve = Reserve { workers, markers: MARKERS_AT_START, logs: 0, bases: options.bases() };
        Self {
            reserve,
            front: Goods::default(),
            receptacle: Goods { workers: WORKERS - workers, markers: MARKERS - MARKERS_AT_START },
            workers: Workers::default(),
            sorcerer: Spot::Reserve,
            chief: Spot::Reserve,
            halves: 0,
            prestige: 0,
            peeked: Ahus::EMPTY,
        }
    }

    /// Returns the hexes with a figure of this tribe.
    #[inline]
    pub fn figures(&self) -> Hexes {
        self.workers.hexes() | self.sorcerer.hexes() | self.chief.hexes()
    }

    /// Returns the units that Workers and Sorcerer on `hex` can carry.
    #[inline]
    pub fn units_without_chief(&self, hex: Hex) -> u8 {
        self.workers.count(hex) + u8::from(self.sorcerer == Spot::On(hex))
    }

    /// Returns the units that all figures on `hex` can carry.
    #[inline]
    pub fn units(&self, hex: Hex) -> u8 {
        self.units_without_chief(hex) + if self.chief == Spot::On(hex) { CHIEF_UNITS } else { 0 }
    }

    /// Returns the number of figures behind the screen, Sorcerer and Chief included.
    pub fn figures_in_reserve(&self) -> u8 {
        let leaders = [self.sorcerer, self.chief];
        self.reserve.workers + leaders.iter().map(|&spot| u8::from(spot == Spot::Reserve)).sum::<u8>()
    }
}
