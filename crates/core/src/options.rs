//! Options: the variants that the players agree on before play. Each game lists its own options. This file reads,
//! checks, and prints the lists, so that every game refuses unknown options in the same way.

use std::fmt::{self, Write as _};

use crate::Seats;
use crate::parse::did_you_mean;

/// The options of a game: its seats, and one field for each entry of [`Self::SPECS`].
pub trait GameOptions: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// The fewest seats of the game.
    const MIN_SEATS: usize;
    /// The most seats of the game.
    const MAX_SEATS: usize;
    /// Every option, in the order of printing and applying. A preset that sets other options stands before them, so
    /// that an option given by itself wins.
    const SPECS: &'static [OptionSpec<Self>];

    /// Creates the defaults for this number of seats.
    fn new(seats: Seats) -> Self;

    /// Returns the number of seats.
    fn seats(&self) -> Seats;

    /// Refuses values that contradict each other, with the reason.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The options of a game without variants: from `MIN` to `MAX` seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatsAlone<const MIN: usize, const MAX: usize>(Seats);

impl<const MIN: usize, const MAX: usize> GameOptions for SeatsAlone<MIN, MAX> {
    const MIN_SEATS: usize = MIN;
    const MAX_SEATS: usize = MAX;
    const SPECS: &'static [OptionSpec<Self>] = &[];

    fn new(seats: Seats) -> Self {
        Self(seats)
    }

    fn seats(&self) -> Seats {
        self.0
    }
}

/// One option of a game.
#[derive(Debug)]
pub struct OptionSpec<O> {
    /// The name of the option.
    pub key: &'static str,
    /// The values that the option takes.
    pub kind: OptionKind,
    /// The effect on play, for people.
    pub meaning: &'static str,
    /// The function that reads the value: 0 or 1, the place of the choice, or the number.
    pub get: fn(&O) -> u16,
    /// The function that sets a value that [`Self::kind`] allows.
    pub set: fn(&mut O, u16),
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number in this range, ends included.
    Number {
        /// The lowest number.
        min: u16,
        /// The highest number.
        max: u16,
    },
}

impl OptionKind {
    /// Returns the value with this text; None if the option does not take it.
    pub fn parse(self, text: &str) -> Option<u16> {
        match self {
            Self::Flag => ["false", "true"].iter().position(|&word| word == text).map(|place| place as u16),
            Self::Choice(words) => words.iter().position(|&word| word == text).map(|place| place as u16),
            Self::Number { .. } => text.parse().ok().filter(|&number| self.takes(number)),
        }
    }

    /// Returns true if the option takes this value.
    pub fn takes(self, value: u16) -> bool {
        match self {
            Self::Flag => value < 2,
            Self::Choice(words) => usize::from(value) < words.len(),
            Self::Number { min, max } => (min..=max).contains(&value),
        }
    }

    /// Returns the text of a value.
    ///
    /// # Panics
    /// If the kind has no such value.
    pub fn text(self, value: u16) -> String {
        match self {
            Self::Flag => (value != 0).to_string(),
            Self::Choice(words) => words[usize::from(value)].to_owned(),
            Self::Number { .. } => value.to_string(),
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("true or false"),
            Self::Choice(words) => f.write_str(&words.join(" or ")),
            Self::Number { min, max } => write!(f, "a whole number from {min} to {max}"),
        }
    }
}

/// The reason why a game refuses options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// The seat count is outside the game's range.
    Seats {
        /// The requested number of seats.
        asked: usize,
        /// The lowest number of seats.
        min: usize,
        /// The highest number of seats.
        max: usize,
    },
    /// The game has no option of this name.
    Unknown {
        /// The unknown name.
        key: String,
        /// The names of the game's options.
        known: Vec<&'static str>,
    },
    /// The option is given twice.
    Twice {
        /// The name of the option.
        key: String,
    },
    /// The option does not take this value.
    Value {
        /// The name of the option.
        key: String,
        /// The refused value.
        value: String,
        /// The values that the option takes.
        kind: OptionKind,
    },
    /// The options contradict each other.
    Together(String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seats { asked, min, max } => write!(f, "expected {min} to {max} seats, got {asked}"),
            Self::Unknown { key, known } => {
                write!(f, "unknown option \"{key}\"{}", did_you_mean(key, known.iter().copied()))?;
                match known.is_empty() {
                    true => f.write_str(" (expected none)"),
                    false => write!(f, " (expected one of {})", known.join(", ")),
                }
            }
            Self::Twice { key } => write!(f, "expected option \"{key}\" once, got it twice"),
            Self::Value { key, value, kind } => write!(f, "option \"{key}\": expected {kind}, got \"{value}\""),
            Self::Together(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for OptionError {}

/// A type that can be the value of an option.
pub trait OptionValue: Copy {
    /// The values that the option takes.
    const KIND: OptionKind;

    /// Returns 0 or 1, the place of the choice, or the number.
    fn value(self) -> u16;

    /// Returns the value with this number, which [`Self::KIND`] allows.
    fn from_value(value: u16) -> Self;
}

impl OptionValue for bool {
    const KIND: OptionKind = OptionKind::Flag;

    fn value(self) -> u16 {
        self.into()
    }

    fn from_value(value: u16) -> Self {
        value != 0
    }
}

/// A number; a row of `options!` gives its range.
impl OptionValue for u8 {
    const KIND: OptionKind = OptionKind::Number { min: 0, max: Self::MAX as u16 };

    fn value(self) -> u16 {
        self.into()
    }

    fn from_value(value: u16) -> Self {
        Self::try_from(value).expect("the range of the option allows the number")
    }
}

/// Defines the options of a game by a table: one row for each option, with its type, perhaps a range, and its default,
/// which may depend on the seats. The comment of a row is its meaning in the catalog.
///
/// ```text
/// options! {
///     /// The agreed variants.
///     pub struct Options(seats: 3..=5) {
///         /// The island: v1, the printed one; tiny, for tests.
///         board: BoardName = BoardName::V1;
///         /// The game ends after this number of turns at the latest.
///         max_turns: u8[1..=30] = 30;
///         /// The edition. It sets stone_view.
///         edition: Edition = Edition::German, sets Self::set_edition;
///     }
///     check: Self::check_together
/// }
/// ```
///
/// `sets` names a function that is called after a client has set the option, before the options of later rows are set.
/// `check` names a function that refuses combinations of values.
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident($seats:ident: $min_seats:literal..=$max_seats:literal) {
            $(
                $(#[doc = $meaning:literal])+
                $key:ident: $type:ty $([$min:literal..=$max:expr])? = $default:expr $(, sets $preset:path)?;
            )*
        }
        $(check: $check:path)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::doc_markdown, reason = "the comments are texts of the catalog")]
        #[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
        $vis struct $name {
            /// The seats of the table.
            pub $seats: $crate::Seats,
            $($(#[doc = $meaning])+ pub $key: $type,)*
        }

        impl $crate::GameOptions for $name {
            const MIN_SEATS: usize = $min_seats;
            const MAX_SEATS: usize = $max_seats;
            const SPECS: &'static [$crate::OptionSpec<Self>] = &[$(
                $crate::OptionSpec {
                    key: stringify!($key),
                    kind: $crate::options!(@kind $type $([$min, $max])?),
                    meaning: concat!($($meaning),+).trim_ascii(),
                    get: |options| $crate::OptionValue::value(options.$key),
                    set: |options, value| {
                        options.$key = $crate::OptionValue::from_value(value);
                        $($preset(options);)?
                    },
                },
            )*];

            fn new($seats: $crate::Seats) -> Self {
                Self { $seats, $($key: $default),* }
            }

            fn seats(&self) -> $crate::Seats {
                self.$seats
            }

            $(fn check(&self) -> Result<(), String> {
                $check(self)
            })?
        }

        impl $crate::borsh::BorshSerialize for $name {
            fn serialize<W: $crate::borsh::io::Write>(&self, bytes: &mut W) -> $crate::borsh::io::Result<()> {
                $crate::bytes::write_options(self, bytes)
            }
        }

        impl $crate::borsh::BorshDeserialize for $name {
            fn deserialize_reader<R: $crate::borsh::io::Read>(bytes: &mut R) -> $crate::borsh::io::Result<Self> {
                $crate::bytes::read_options(bytes)
            }
        }
    };
    (@kind $type:ty) => {
        <$type as $crate::OptionValue>::KIND
    };
    (@kind $type:ty [$min:literal, $max:expr]) => {
        $crate::OptionKind::Number { min: $min, max: $max }
    };
}

/// Reads the options of a game for `seats` seats. Options that are not given have their defaults.
pub fn read<'a, O: GameOptions>(
    seats: usize,
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<O, OptionError> {
    let refused = OptionError::Seats { asked: seats, min: O::MIN_SEATS, max: O::MAX_SEATS };
    let in_range = (O::MIN_SEATS..=O::MAX_SEATS).contains(&seats);
    let mut options = O::new(Seats::new(seats).filter(|_| in_range).ok_or(refused)?);

    let mut values: Vec<Option<u16>> = vec![None; O::SPECS.len()];
    for (key, value) in given {
        let place = O::SPECS.iter().position(|spec| spec.key == key).ok_or_else(|| OptionError::Unknown {
            key: key.to_owned(),
            known: O::SPECS.iter().map(|spec| spec.key).collect(),
        })?;
        let kind = O::SPECS[place].kind;
        let number = kind.parse(value).ok_or_else(|| OptionError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            kind,
        })?;
        if values[place].replace(number).is_some() {
            return Err(OptionError::Twice { key: key.to_owned() });
        }
    }
    for (spec, value) in O::SPECS.iter().zip(values) {
        if let Some(value) = value {
            (spec.set)(&mut options, value);
        }
    }
    options.check().map_err(OptionError::Together)?;
    Ok(options)
}

/// Returns every option with its value, in the game's order.
pub fn list<O: GameOptions>(options: &O) -> impl Iterator<Item = (&'static str, String)> {
    O::SPECS.iter().map(|spec| (spec.key, spec.kind.text((spec.get)(options))))
}

/// Returns the canonical text of options, which names every option: `seats=3 combine_rule=false …`.
pub fn text<O: GameOptions>(options: &O) -> String {
    let mut text = format!("seats={}", options.seats());
    for (key, value) in list(options) {
        write!(text, " {key}={value}").expect("a string takes every text");
    }
    text
}
