//! The cargo of a transport: a Moai, or a Pukao.

use std::fmt;
use std::str::FromStr;

use ahu_core::{Argument, ParseError, numbered_by_inherent};

use super::moai::Size;
use super::space::Area;

/// The object of a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cargo {
    /// A Moai of this size, from the Crater.
    Moai(Size),
    /// A Pukao, from the Pukao Quarry.
    Pukao,
}

impl Cargo {
    /// The number of cargoes.
    pub const COUNT: usize = Size::COUNT + 1;
    /// The names of the cargoes in actions and layouts, in the order of their numbers.
    pub const NAMES: [&'static str; Self::COUNT] = ["small", "medium", "large", "pukao"];

    /// Returns the number of the cargo: small, medium, large Moai, Pukao.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Moai(size) => size as usize,
            Self::Pukao => Size::COUNT,
        }
    }

    /// Returns the cargo with this number; None if there is none.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        match Size::new(index) {
            Some(size) => Some(Self::Moai(size)),
            None if index == Size::COUNT => Some(Self::Pukao),
            None => None,
        }
    }

    /// Returns the quarry in which a transport of this cargo begins.
    #[inline]
    pub const fn quarry(self) -> Area {
        match self {
            Self::Moai(_) => Area::CRATER,
            Self::Pukao => Area::PUKAO_QUARRY,
        }
    }
}

numbered_by_inherent!(Cargo);

impl fmt::Display for Cargo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::NAMES[self.index()])
    }
}

impl FromStr for Cargo {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let cargo = Self::NAMES.iter().position(|&name| name == text).and_then(Self::new);
        cargo.ok_or_else(|| ParseError::new(0, format!("expected small, medium, large, or pukao, got \"{text}\"")))
    }
}

impl Argument for Cargo {
    fn words(self) -> String {
        match self {
            Self::Moai(size) => format!("{size} Moai"),
            Self::Pukao => "Pukao".to_owned(),
        }
    }
}
