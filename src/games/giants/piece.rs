//! The pieces that players carry over the island: Moai of three sizes, and headdresses.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::board::{Ahu, Hex};
use super::set::{Numbered, Set};
use crate::core::{ParseError, Seat};

/// The size of a Moai.
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
    /// All three sizes, the smallest first.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Three];

    /// Returns the size as a number of units: of Sculptors to make such a Moai, of carriers to move it.
    pub const fn units(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the size with this number of units; None if it is not 1, 2, or 3.
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

/// The number of Moai of each size.
pub const MOAI: BySize = [17, 12, 6];
/// The number of headdresses.
pub const HEADDRESSES: u8 = 14;
/// The number of all pieces.
pub const PIECES: usize = 49;

const _: () = assert!((MOAI[0] + MOAI[1] + MOAI[2] + HEADDRESSES) as usize == PIECES);

/// The index of the first Moai of size 2.
const TWO: u8 = MOAI[0];
/// The index of the first Moai of size 3.
const THREE: u8 = TWO + MOAI[1];
/// The index of the first headdress.
const HEADDRESS: u8 = THREE + MOAI[2];

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statue of this size.
    Moai(Size),
    /// A headdress to put on top of a Moai.
    Headdress,
}

impl Kind {
    /// All four kinds, in the order of their pieces.
    pub const ALL: [Self; 4] = [Self::Moai(Size::One), Self::Moai(Size::Two), Self::Moai(Size::Three), Self::Headdress];

    /// Returns the weight of a piece of this kind: a Moai's size, or 1 for a headdress.
    #[inline]
    pub const fn weight(self) -> Size {
        match self {
            Self::Moai(size) => size,
            Self::Headdress => Size::One,
        }
    }

    /// Returns the indices of the pieces of this kind.
    pub(super) const fn numbers(self) -> RangeInclusive<u8> {
        match self {
            Self::Moai(Size::One) => 0..=TWO - 1,
            Self::Moai(Size::Two) => TWO..=THREE - 1,
            Self::Moai(Size::Three) => THREE..=HEADDRESS - 1,
            Self::Headdress => HEADDRESS..=PIECES as u8 - 1,
        }
    }

    /// Returns all pieces of this kind, in the order in which they come into the game.
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

/// A Moai or a headdress. Its text is its kind and a letter, in the order in which the pieces of the kind come into
/// the game: `1a` to `1q`, `2a` to `2l`, `3a` to `3f`, `ha` to `hn`.
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
    /// Returns the kind of the piece.
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
            let message = format!("expected a piece: 1a to 1q, 2a to 2l, 3a to 3f (Moai), or ha to hn, got \"{text}\"");
            ParseError::new(0, message)
        })
    }
}

/// The place of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not in play: part of the rock, or out of the game.
    Rock,
    /// In front of a screen: sculpted in this turn, and not moved yet.
    Front(Seat),
    /// On a hex of the island.
    Island {
        /// The hex.
        hex: Hex,
        /// The owner of the piece.
        claim: Claim,
    },
    /// On an Ahu, permanently: a Moai on its base, or a headdress on the Moai.
    Ahu(Ahu),
}

/// The ownership of a piece on the island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No owner: any player may take the piece.
    Abandoned,
    /// Owned until the phase ends by this player, who moved it in this phase and left it unmarked (G19).
    Held(Seat),
    /// Owned by this player, whose Tribe Marker is on it.
    Marked(Seat),
}
