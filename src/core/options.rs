//! Options: what is agreed before play. Each game lists its own; this file reads, checks and
//! prints those lists, so that every game refuses what it does not know.

use std::fmt::{self, Write as _};

use crate::core::Seats;
use crate::core::parse::did_you_mean;

/// The options of a game: its seats, and one field for each entry of [`Self::SPECS`].
pub trait GameOptions: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// The fewest seats of the game.
    const SEATS_MIN: usize;
    /// The most seats of the game.
    const SEATS_MAX: usize;
    /// Every option, in the order in which they are printed and applied. A preset that sets others
    /// stands before them, so that a key given by itself wins.
    const SPECS: &'static [OptionSpec<Self>];

    /// The defaults for so many seats.
    fn new(seats: Seats) -> Self;

    /// How many seats play.
    fn seats(&self) -> Seats;

    /// Refuses values that do not go together, with the reason.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// One option of a game.
#[derive(Debug)]
pub struct OptionSpec<O> {
    /// Its name.
    pub key: &'static str,
    /// Which values it takes.
    pub kind: OptionKind,
    /// What it changes in play, for people.
    pub meaning: &'static str,
    /// Reads its value: 0 or 1, the place of the choice, or the number.
    pub get: fn(&O) -> u16,
    /// Sets its value, which is one that [`Self::kind`] allows.
    pub set: fn(&mut O, u16),
}

/// Which values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number of this range, its ends included.
    Number {
        /// The lowest.
        min: u16,
        /// The highest.
        max: u16,
    },
}

impl OptionKind {
    /// The value that `text` names, if it is one.
    pub fn parse(self, text: &str) -> Option<u16> {
        match self {
            Self::Flag => ["false", "true"].iter().position(|&word| word == text).map(|place| place as u16),
            Self::Choice(words) => words.iter().position(|&word| word == text).map(|place| place as u16),
            Self::Number { min, max } => text.parse().ok().filter(|number| (min..=max).contains(number)),
        }
    }

    /// The text of a value.
    ///
    /// # Panics
    /// Where the kind has no such value.
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

/// Options that a game does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// The game is not for so many seats.
    Seats {
        /// How many were asked for.
        asked: usize,
        /// The fewest.
        min: usize,
        /// The most.
        max: usize,
    },
    /// The game has no option of this name.
    Unknown {
        /// The name.
        key: String,
        /// The names that it has.
        known: Vec<&'static str>,
    },
    /// The option is given twice.
    Twice {
        /// Its name.
        key: String,
    },
    /// The option does not take this value.
    Value {
        /// Its name.
        key: String,
        /// What it was to be.
        value: String,
        /// What it may be.
        kind: OptionKind,
    },
    /// The options contradict each other.
    Together(String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seats { asked, min, max } => write!(f, "the game is for {min} to {max} seats, not {asked}"),
            Self::Unknown { key, known } => {
                write!(f, "the game has no option \"{key}\"{}", did_you_mean(key, known.iter().copied()))?;
                match known.is_empty() {
                    true => f.write_str(" (it has none)"),
                    false => write!(f, " (its options: {})", known.join(", ")),
                }
            }
            Self::Twice { key } => write!(f, "option \"{key}\" is given twice"),
            Self::Value { key, value, kind } => write!(f, "option \"{key}\" is {kind}, not \"{value}\""),
            Self::Together(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for OptionError {}

/// The options of a game for `seats` seats, the named ones as given, all others by default.
pub fn read<'a, O: GameOptions>(
    seats: usize,
    given: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<O, OptionError> {
    let refused = OptionError::Seats { asked: seats, min: O::SEATS_MIN, max: O::SEATS_MAX };
    let in_range = (O::SEATS_MIN..=O::SEATS_MAX).contains(&seats);
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

/// Every option with its value, in the game's order.
pub fn list<O: GameOptions>(options: &O) -> impl Iterator<Item = (&'static str, String)> {
    O::SPECS.iter().map(|spec| (spec.key, spec.kind.text((spec.get)(options))))
}

/// The canonical text of options: `seats=3 combine_rule=false …`, every one named.
pub fn text<O: GameOptions>(options: &O) -> String {
    let mut text = format!("seats={}", options.seats());
    for (key, value) in list(options) {
        write!(text, " {key}={value}").expect("a string takes every text");
    }
    text
}
