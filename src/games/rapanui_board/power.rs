//! The powers of Ahu tiles: the effect of a tile, or of a Rongorongo Tablet that copies it.

use std::ops::{BitAnd, BitOr};

use super::board::{Areas, Space};
use super::counts::{KindSet, named};
use super::moai::Size;
use super::resource::Resource;
use super::tile::Tile;

/// The object that is played: the tile itself, or a tablet in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Means {
    /// An Ahu tile of this kind.
    Tile,
    /// The Rongorongo Tablet.
    Tablet,
}

named!(Means, "means", [Tile "tile", Tablet "tablet"]);

/// A power with all its choices. Skimp is not among them: it is part of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Power {
    /// Exchange 3 Resources of one type for 3 of another.
    Barter {
        /// The type that is given.
        give: Resource,
        /// The type that is taken; it differs from `give`.
        take: Resource,
    },
    /// A virtual Sculptor in this column.
    ChipIn(Size),
    /// The Sorcerer becomes a Sculptor in this column, even if all its places are occupied.
    ChangeToSculptor(Size),
    /// The Sorcerer becomes a Transporter on this space.
    ChangeToTransporter(Space),
    /// A fatigued Transporter on this space stands up.
    Rest(Space),
    /// A Sculptor becomes a Transporter on this space.
    LendSculptor(Space),
    /// The Chief becomes a Transporter on this space.
    LendChief(Space),
    /// 2 more Resources when erecting a Moai.
    TakeTwoMore,
    /// 3 more Resources when erecting a Moai.
    TakeThreeMore,
}

const BARTER: usize = 0;
const CHIP_IN: usize = BARTER + Resource::COUNT * (Resource::COUNT - 1);
const CHANGE_TO_SCULPTOR: usize = CHIP_IN + Size::COUNT;
const CHANGE_TO_TRANSPORTER: usize = CHANGE_TO_SCULPTOR + Size::COUNT;
const REST: usize = CHANGE_TO_TRANSPORTER + Space::COUNT;
const LEND_SCULPTOR: usize = REST + Space::COUNT;
const LEND_CHIEF: usize = LEND_SCULPTOR + Space::COUNT;
const TAKE_TWO_MORE: usize = LEND_CHIEF + Space::COUNT;
const TAKE_THREE_MORE: usize = TAKE_TWO_MORE + 1;

impl Power {
    /// The number of powers.
    pub const COUNT: usize = TAKE_THREE_MORE + 1;

    /// Returns the index of the power.
    pub const fn index(self) -> usize {
        match self {
            Self::Barter { give, take } => {
                let (give, take) = (give as usize, take as usize);
                BARTER + give * (Resource::COUNT - 1) + take - (take > give) as usize
            }
            Self::ChipIn(column) => CHIP_IN + column as usize,
            Self::ChangeToSculptor(column) => CHANGE_TO_SCULPTOR + column as usize,
            Self::ChangeToTransporter(space) => CHANGE_TO_TRANSPORTER + space.index(),
            Self::Rest(space) => REST + space.index(),
            Self::LendSculptor(space) => LEND_SCULPTOR + space.index(),
            Self::LendChief(space) => LEND_CHIEF + space.index(),
            Self::TakeTwoMore => TAKE_TWO_MORE,
            Self::TakeThreeMore => TAKE_THREE_MORE,
        }
    }

    /// Returns the power with this index; None if there is none.
    pub fn new(index: usize) -> Option<Self> {
        match index {
            _ if index < CHIP_IN => {
                let (give, other) = (index / (Resource::COUNT - 1), index % (Resource::COUNT - 1));
                let take = other + usize::from(other >= give);
                Some(Self::Barter { give: Resource::new(give)?, take: Resource::new(take)? })
            }
            _ if index < CHANGE_TO_SCULPTOR => Size::new(index - CHIP_IN).map(Self::ChipIn),
            _ if index < CHANGE_TO_TRANSPORTER => Size::new(index - CHANGE_TO_SCULPTOR).map(Self::ChangeToSculptor),
            _ if index < REST => Space::new(index - CHANGE_TO_TRANSPORTER).map(Self::ChangeToTransporter),
            _ if index < LEND_SCULPTOR => Space::new(index - REST).map(Self::Rest),
            _ if index < LEND_CHIEF => Space::new(index - LEND_SCULPTOR).map(Self::LendSculptor),
            _ if index < TAKE_TWO_MORE => Space::new(index - LEND_CHIEF).map(Self::LendChief),
            TAKE_TWO_MORE => Some(Self::TakeTwoMore),
            TAKE_THREE_MORE => Some(Self::TakeThreeMore),
            _ => None,
        }
    }

    /// Returns the kind of tile that has this power.
    pub const fn tile(self) -> Tile {
        match self {
            Self::Barter { .. } => Tile::Barter,
            Self::ChipIn(_) => Tile::ChipIn,
            Self::ChangeToSculptor(_) | Self::ChangeToTransporter(_) => Tile::ChangeJobs,
            Self::Rest(_) => Tile::Rest,
            Self::LendSculptor(_) | Self::LendChief(_) => Tile::LendAHand,
            Self::TakeTwoMore => Tile::TakeTwoMore,
            Self::TakeThreeMore => Tile::TakeThreeMore,
        }
    }
}

/// A set of powers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers(u128);

const _: () = assert!(Power::COUNT == 128, "a set of powers is one word");

impl Powers {
    /// No power.
    pub const EMPTY: Self = Self(0);
    /// Chip In, in each column.
    pub const CHIP_IN: Self = Self::run(CHIP_IN, CHANGE_TO_SCULPTOR);
    /// Change Jobs into a Sculptor, in each column.
    pub const CHANGE_TO_SCULPTOR: Self = Self::run(CHANGE_TO_SCULPTOR, CHANGE_TO_TRANSPORTER);
    /// Take Two More and Take Three More.
    pub const TAKE_MORE: Self = Self::run(TAKE_TWO_MORE, Power::COUNT);

    /// Returns Barter of this Resource for each of the others.
    #[inline]
    pub const fn barter(give: Resource) -> Self {
        const OTHERS: usize = Resource::COUNT - 1;
        Self(((1 << OTHERS) - 1) << (BARTER + give as usize * OTHERS))
    }

    /// Returns Change Jobs into a Transporter, on each of these spaces.
    #[inline]
    pub const fn change_to_transporter(spaces: Areas) -> Self {
        Self((spaces.bits() as u128) << CHANGE_TO_TRANSPORTER)
    }

    /// Returns Rest, on each of these spaces.
    #[inline]
    pub const fn rest(spaces: Areas) -> Self {
        Self((spaces.bits() as u128) << REST)
    }

    /// Returns Lend a Hand with a Sculptor, on each of these spaces.
    #[inline]
    pub const fn lend_sculptor(spaces: Areas) -> Self {
        Self((spaces.bits() as u128) << LEND_SCULPTOR)
    }

    /// Returns Lend a Hand with the Chief, on each of these spaces.
    #[inline]
    pub const fn lend_chief(spaces: Areas) -> Self {
        Self((spaces.bits() as u128) << LEND_CHIEF)
    }

    /// Returns all powers of tiles of these kinds.
    #[inline]
    pub fn of_kinds(kinds: KindSet<Tile>) -> Self {
        let (mut powers, mut rest) = (Self::EMPTY, kinds.bits());
        while let Some(tile) = Tile::new(rest.trailing_zeros() as usize) {
            powers = powers | OF_KIND[tile as usize];
            rest &= rest - 1;
        }
        powers
    }

    /// Returns true if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the powers as bits, by index.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    const fn run(first: usize, end: usize) -> Self {
        Self(u128::MAX >> (Power::COUNT - (end - first)) << first)
    }
}

impl BitOr for Powers {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Powers {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// All powers of each kind of tile.
const OF_KIND: [Powers; Tile::COUNT] = {
    let mut of_kind = [Powers::EMPTY; Tile::COUNT];
    of_kind[Tile::Barter as usize] = Powers::run(BARTER, CHIP_IN);
    of_kind[Tile::ChipIn as usize] = Powers::CHIP_IN;
    of_kind[Tile::ChangeJobs as usize] = Powers::run(CHANGE_TO_SCULPTOR, REST);
    of_kind[Tile::Rest as usize] = Powers::run(REST, LEND_SCULPTOR);
    of_kind[Tile::LendAHand as usize] = Powers::run(LEND_SCULPTOR, TAKE_TWO_MORE);
    of_kind[Tile::TakeTwoMore as usize] = Powers::run(TAKE_TWO_MORE, TAKE_THREE_MORE);
    of_kind[Tile::TakeThreeMore as usize] = Powers::run(TAKE_THREE_MORE, Power::COUNT);
    of_kind
};
