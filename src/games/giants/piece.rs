//! What is carried over the island: Moai of three sizes, and headdresses.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::board::{Ahu, Hex};
use super::set::{Numbered, Set};
use crate::core::{ParseError, Seat};

/// How large a Moai is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// Size 1.
    One,
    /// Size 2.
    Two,
    /// Size 3.
    Three,
}

impl Size {
    /// All three, the smallest first.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Three];

    /// Its number: as many Sculptors and carriers as it takes.
    pub const fn units(self) -> u8 {
        self as u8 + 1
    }

    /// The size of this number, if it is one.
    pub const fn new(units: u8) -> Option<Self> {
        match units {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            _ => None,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.units())
    }
}

/// A count for each size of Moai, the smallest first.
pub type BySize = [u8; 3];

/// How many Moai of each size there are.
pub const MOAI: BySize = [17, 12, 6];
/// How many headdresses there are.
pub const HEADDRESSES: u8 = 14;
/// How many pieces there are in all.
pub const PIECES: usize = 49;

const _: () = assert!((MOAI[0] + MOAI[1] + MOAI[2] + HEADDRESSES) as usize == PIECES);

/// The number of the first Moai of size 2, of the first of size 3, and of the first headdress.
const TWO: u8 = MOAI[0];
const THREE: u8 = TWO + MOAI[1];
const HEADDRESS: u8 = THREE + MOAI[2];

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statue.
    Moai(Size),
    /// What goes on top of one.
    Headdress,
}

impl Kind {
    /// All four, in the order of their pieces.
    pub const ALL: [Self; 4] = [Self::Moai(Size::One), Self::Moai(Size::Two), Self::Moai(Size::Three), Self::Headdress];

    /// What it takes to carry one.
    #[inline]
    pub const fn weight(self) -> Size {
        match self {
            Self::Moai(size) => size,
            Self::Headdress => Size::One,
        }
    }

    /// The numbers of the first and of the last piece of this kind.
    pub(super) const fn numbers(self) -> RangeInclusive<u8> {
        match self {
            Self::Moai(Size::One) => 0..=TWO - 1,
            Self::Moai(Size::Two) => TWO..=THREE - 1,
            Self::Moai(Size::Three) => THREE..=HEADDRESS - 1,
            Self::Headdress => HEADDRESS..=PIECES as u8 - 1,
        }
    }

    /// Every piece of this kind, in the order in which they come into the game.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        self.numbers().map(Piece)
    }

    const fn letter(self) -> char {
        match self {
            Self::Moai(Size::One) => '1',
            Self::Moai(Size::Two) => '2',
            Self::Moai(Size::Three) => '3',
            Self::Headdress => 'h',
        }
    }
}

/// A Moai or a headdress. Its text says what it is and, by a letter, which of its kind, counted as they come into the game:
/// `1a` to `1q`, `2a` to `2l`, `3a` to `3f`, `ha` to `hn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(u8);

/// A set of pieces.
pub type Pieces = Set<Piece>;

impl Numbered for Piece {
    const COUNT: usize = PIECES;

    #[inline]
    fn new(index: usize) -> Option<Self> {
        (index < PIECES).then_some(Self(index as u8))
    }

    #[inline]
    fn index(self) -> usize {
        self.0.into()
    }
}

impl Piece {
    /// What it is.
    #[inline]
    pub const fn kind(self) -> Kind {
        match self.0 {
            0..TWO => Kind::Moai(Size::One),
            TWO..THREE => Kind::Moai(Size::Two),
            THREE..HEADDRESS => Kind::Moai(Size::Three),
            HEADDRESS.. => Kind::Headdress,
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        write!(f, "{}{}", kind.letter(), char::from(b'a' + self.0 - kind.numbers().start()))
    }
}

impl FromStr for Piece {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::all().find(|piece| piece.to_string() == text).ok_or_else(|| {
            let message = format!("a piece is 1a to 1q, 2a to 2l, 3a to 3f (Moai) or ha to hn, not \"{text}\"");
            ParseError::new(0, message)
        })
    }
}

/// Where a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Still part of the rock, or out of the game.
    Rock,
    /// In front of a screen: sculpted in this turn, and not moved yet.
    Front(Seat),
    /// On a hex of the island.
    Island {
        /// Which.
        hex: Hex,
        /// Whose it is.
        claim: Claim,
    },
    /// For good: a Moai on its Ahu, a headdress on the Moai there.
    Ahu(Ahu),
}

/// Whose a piece on the island is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nobody's: anyone may take it.
    Abandoned,
    /// Unmarked, but moved in this phase by this player, who keeps it until the phase ends (G19).
    Held(Seat),
    /// It bears a Tribe Marker of this player.
    Marked(Seat),
}
