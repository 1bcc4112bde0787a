//! The pieces that players carry over the island: Moai of three sizes, and headdresses.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use ahu_core::parts::counts::Counts;
use ahu_core::parts::set::Set;
use ahu_core::{Argument, ParseError, named, numbered};

named! {
    /// The size of a Moai.
    pub enum Size("size of Moai") {
        /// Size 1.
        One = "1",
        /// Size 2.
        Two = "2",
        /// Size 3.
        Three = "3",
    }
}

impl Size {
    /// Returns the size as a number of units: of Sculptors to make such a Moai, of carriers to move it.
    pub const fn units(self) -> u8 {
        self as u8 + 1
    }
}

/// A count for each size of Moai, the smallest first.
pub type BySize = Counts<Size, { Size::COUNT }>;

/// The number of Moai of each size.
pub const MOAI: BySize = BySize::of([TWO, THREE - TWO, HEADDRESS - THREE]);
/// The number of headdresses.
pub const HEADDRESSES: u8 = Piece::COUNT as u8 - HEADDRESS;

/// The number of the first Moai of size 2.
const TWO: u8 = 17;
/// The number of the first Moai of size 3.
const THREE: u8 = TWO + 12;
/// The number of the first headdress.
const HEADDRESS: u8 = THREE + 6;

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

    /// Returns the numbers of the pieces of this kind.
    const fn numbers(self) -> Range<u8> {
        match self {
            Self::Moai(Size::One) => 0..TWO,
            Self::Moai(Size::Two) => TWO..THREE,
            Self::Moai(Size::Three) => THREE..HEADDRESS,
            Self::Headdress => HEADDRESS..Piece::COUNT as u8,
        }
    }

    /// Returns all pieces of this kind. They come into the game in the order of their numbers.
    #[inline]
    pub const fn pieces(self) -> Pieces {
        let Range { start, end } = self.numbers();
        Pieces::from_bits((1 << end) - (1 << start))
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

numbered! {
    /// A Moai or a headdress. Its text is its kind and a letter, in the order in which the pieces of the kind come into
    /// the game: `1a` to `1q`, `2a` to `2l`, `3a` to `3f`, `ha` to `hn`.
    pub struct Piece[49];
}

/// A set of pieces.
pub type Pieces = Set<Piece>;

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
        write!(f, "{}{}", kind.letter(), char::from(b'a' + self.0 - kind.numbers().start))
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

impl Argument for Piece {
    fn words(self) -> String {
        match self.kind() {
            Kind::Moai(_) => format!("Moai {self}"),
            Kind::Headdress => format!("headdress {self}"),
        }
    }
}
