//! What chance brings, and its text: the dice of a turn.

use std::fmt;
use std::str::FromStr;

use super::options::Options;
use crate::core::parse::words;
use crate::core::{Luck, OutcomeError, ParseError, Stream};

/// The most dice that are rolled: one a player.
pub const DICE_MAX: usize = 5;

/// Phase 1: what the dice show, the white ones first. Its text is `roll 1 2 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll {
    dice: u8,
    faces: [u8; DICE_MAX],
}

/// The dice of a turn, by the turn's number.
const fn stream(turn: u8) -> Stream {
    Stream::new(0, turn as u32)
}

impl Roll {
    /// These faces, at most [`DICE_MAX`].
    pub fn new(shown: &[u8]) -> Self {
        let mut faces = [0; DICE_MAX];
        faces[..shown.len()].copy_from_slice(shown);
        Self { dice: shown.len() as u8, faces }
    }

    /// What each die shows, from 0 to 3.
    pub fn faces(&self) -> &[u8] {
        &self.faces[..self.dice.into()]
    }

    /// The roll of this turn.
    pub(super) fn draw(options: &Options, turn: u8, luck: &Luck) -> Self {
        let mut faces = [0; DICE_MAX];
        for ((index, die), face) in (0..).zip(options.dice()).zip(&mut faces) {
            *face = die.sizes()[luck.number(stream(turn), index, 6) as usize];
        }
        Self { dice: options.dice().len() as u8, faces }
    }

    /// Refuses what these dice cannot show.
    pub(super) fn check(self, options: &Options) -> Result<(), OutcomeError> {
        let dice = options.dice();
        if dice.len() != self.faces().len() {
            return Err(OutcomeError(format!("{} dice are rolled, not {}", dice.len(), self.dice)));
        }
        for (die, shown) in dice.zip(self.faces()) {
            if !die.sizes().contains(shown) {
                return Err(OutcomeError(format!("a die has the faces {:?}, not {shown}", die.sizes())));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("roll")?;
        self.faces().iter().try_for_each(|face| write!(f, " {face}"))
    }
}

impl FromStr for Roll {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut words = words(text);
        match words.next() {
            Some((_, "roll")) => {}
            Some((at, verb)) => return Err(ParseError::new(at, format!("chance brings a roll, not \"{verb}\""))),
            None => return Err(ParseError::new(0, "an outcome is missing, such as \"roll 1 2 0\"")),
        }
        let mut roll = Self { dice: 0, faces: [0; DICE_MAX] };
        for (at, word) in words {
            let face = word.parse().ok().filter(|face| (0..=3).contains(face));
            let face = face.ok_or_else(|| ParseError::new(at, format!("a die shows 0 to 3, not \"{word}\"")))?;
            let die = roll.faces.get_mut(usize::from(roll.dice));
            *die.ok_or_else(|| ParseError::new(at, format!("at most {DICE_MAX} dice are rolled")))? = face;
            roll.dice += 1;
        }
        Ok(roll)
    }
}
