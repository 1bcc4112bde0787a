//! A player's people and goods: behind the screen, in front of it, and on the island.

use super::board::{Ahus, Hex, Hexes};
use super::options::Options;
use super::piece::Size;

/// How many Workers each colour has.
pub const WORKERS: u8 = 6;
/// How many Tribe Markers each colour has.
pub const MARKERS: u8 = 6;
/// How many Tribe Markers each player starts with.
const MARKERS_AT_START: u8 = 2;
/// What a Chief counts for, sculpting or carrying.
pub(super) const CHIEF_UNITS: u8 = 3;

/// All that a player has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tribe {
    /// What is behind the screen, Sorcerer and Chief aside.
    pub reserve: Reserve,
    /// Workers and Tribe Markers in front of the screen: spent for this turn.
    pub front: Goods,
    /// Workers and Tribe Markers in the receptacle: not yet the player's.
    pub receptacle: Goods,
    /// The Workers on the island.
    pub workers: Workers,
    /// Where the Sorcerer is.
    pub sorcerer: Spot,
    /// Where the Chief is.
    pub chief: Spot,
    /// Rongo half-tablets. Any two make a tablet (G16).
    pub halves: u8,
    /// Prestige Points scored so far.
    pub prestige: u16,
    /// The Ahus under whose Moai the player has looked (G31).
    pub peeked: Ahus,
}

/// What is behind a screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserve {
    /// Workers.
    pub workers: u8,
    /// Tribe Markers.
    pub markers: u8,
    /// Logs.
    pub logs: u8,
    /// Bases.
    pub bases: u8,
}

/// Workers and Tribe Markers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goods {
    /// Workers.
    pub workers: u8,
    /// Tribe Markers.
    pub markers: u8,
}

/// Where a Sorcerer or a Chief is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Behind the screen.
    Reserve,
    /// In front of the screen: bid in the auction, and spent for this turn.
    Front,
    /// On a hex.
    On(Hex),
}

impl Spot {
    /// The hex, as a set of one; or none.
    #[inline]
    pub fn hexes(self) -> Hexes {
        match self {
            Self::Reserve | Self::Front => Hexes::EMPTY,
            Self::On(hex) => hex.into(),
        }
    }
}

/// A player's Workers on the island, as sets: in place `n` the hexes with more than `n` of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workers([Hexes; WORKERS as usize]);

impl Workers {
    /// One more on `hex`.
    ///
    /// # Panics
    /// Where all six are there.
    #[inline]
    pub fn add(&mut self, hex: Hex) {
        let level = self.0.iter_mut().find(|level| !level.contains(hex)).expect("a colour has six Workers");
        *level |= hex.into();
    }

    /// How many are on `hex`.
    #[inline]
    pub fn count(&self, hex: Hex) -> u8 {
        self.0.iter().map(|level| u8::from(level.contains(hex))).sum()
    }

    /// How many are on the island.
    #[inline]
    pub fn total(&self) -> u8 {
        self.0.iter().map(|level| level.len() as u8).sum()
    }

    /// The hexes with at least one.
    #[inline]
    pub const fn hexes(&self) -> Hexes {
        self.0[0]
    }

    /// The hexes with more than `n` of them, for each `n` from 0.
    #[inline]
    pub const fn levels(&self) -> &[Hexes; WORKERS as usize] {
        &self.0
    }
}

impl Tribe {
    /// What a player starts with.
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

    /// The hexes where a figure of this tribe stands.
    #[inline]
    pub fn figures(&self) -> Hexes {
        self.workers.hexes() | self.sorcerer.hexes() | self.chief.hexes()
    }

    /// What Workers and Sorcerer on `hex` can carry.
    #[inline]
    pub fn units_without_chief(&self, hex: Hex) -> u8 {
        self.workers.count(hex) + u8::from(self.sorcerer == Spot::On(hex))
    }

    /// What all figures on `hex` can carry.
    #[inline]
    pub fn units(&self, hex: Hex) -> u8 {
        self.units_without_chief(hex) + if self.chief == Spot::On(hex) { CHIEF_UNITS } else { 0 }
    }

    /// How many figures, Sorcerer and Chief included, are behind the screen.
    pub fn figures_in_reserve(&self) -> u8 {
        let leaders = [self.sorcerer, self.chief];
        self.reserve.workers + leaders.iter().map(|&spot| u8::from(spot == Spot::Reserve)).sum::<u8>()
    }
}

/// What can be carried over which hexes: in place `n` those with carriers for more than `n` units. Nothing weighs more
/// than three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Carriers([Hexes; 3]);

impl Carriers {
    /// One unit more on each of these hexes.
    #[inline]
    pub(super) fn add(&mut self, hexes: Hexes) {
        let [one, two, three] = &mut self.0;
        *three |= *two & hexes;
        *two |= *one & hexes;
        *one |= hexes;
    }

    /// What a tribe's figures can carry.
    #[inline]
    pub(super) fn add_figures(&mut self, tribe: &Tribe) {
        for &level in tribe.workers.levels() {
            if level.is_empty() {
                break;
            }
            self.add(level);
        }
        self.add(tribe.sorcerer.hexes());
        for _ in 0..CHIEF_UNITS {
            self.add(tribe.chief.hexes());
        }
    }

    /// Where something of this weight can pass.
    #[inline]
    pub(super) const fn hexes(&self, weight: Size) -> Hexes {
        self.0[weight as usize]
    }
}
