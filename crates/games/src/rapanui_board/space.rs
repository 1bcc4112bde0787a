//! Spaces of the island, areas of a transport, and sets of both.

use std::fmt;
use std::str::FromStr;

use ahu_core::parts::set::Set;
use ahu_core::{Argument, ParseError, numbered};

numbered! {
    /// A space of the island, on which Transporters stand. Texts count from 1, in board order: row by row.
    pub struct Space("a space from", 1..=27);

    /// A part of a transport's route: a space, the Crater, or the Pukao Quarry. Numbers run through the spaces in board
    /// order; then come the Crater and the Pukao Quarry.
    pub struct Area[Space::COUNT + 2];
}

impl Area {
    /// The Crater, which represents the Moai Quarry: transports of Moai begin here.
    pub const CRATER: Self = Self(Space::COUNT as u8);
    /// The Pukao Quarry: transports of Pukao begin here.
    pub const PUKAO_QUARRY: Self = Self(Space::COUNT as u8 + 1);

    /// Returns the space; None for a quarry.
    #[inline]
    pub const fn space(self) -> Option<Space> {
        Space::new(self.index())
    }
}

impl From<Space> for Area {
    #[inline]
    fn from(space: Space) -> Self {
        Self(space.0)
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.space(), *self == Self::CRATER) {
            (Some(space), _) => write!(f, "{space}"),
            (None, true) => f.write_str("crater"),
            (None, false) => f.write_str("pukao_quarry"),
        }
    }
}

impl FromStr for Area {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "crater" => Ok(Self::CRATER),
            "pukao_quarry" => Ok(Self::PUKAO_QUARRY),
            _ => text.parse::<Space>().map(Self::from).map_err(|error| {
                ParseError::new(error.at, format!("{}; \"crater\" and \"pukao_quarry\" are valid too", error.message))
            }),
        }
    }
}

impl Argument for Area {
    fn words(self) -> String {
        match (self.space(), self == Self::CRATER) {
            (Some(space), _) => format!("space {space}"),
            (None, true) => "the Crater".to_owned(),
            (None, false) => "the Pukao Quarry".to_owned(),
        }
    }
}

/// A set of spaces.
pub type Spaces = Set<Space>;

/// A set of areas.
pub type Areas = Set<Area>;

impl Area {
    /// The Crater and the Pukao Quarry.
    pub const QUARRIES: Areas = Areas::from_bits(1 << Self::CRATER.0 | 1 << Self::PUKAO_QUARRY.0);

    /// Returns spaces as areas.
    #[inline]
    pub fn all_of(spaces: Spaces) -> Areas {
        Areas::from_bits(spaces.bits())
    }

    /// Returns the spaces among areas.
    #[inline]
    pub fn spaces_of(areas: Areas) -> Spaces {
        Spaces::from_bits((areas - Self::QUARRIES).bits())
    }
}
