//! The chance outcomes and their text: the dice of a turn.

use ahu_core::bytes::read_count;
use borsh::{BorshDeserialize, BorshSerialize, io};
use std::fmt;
use std::str::FromStr;

use ahu_core::parse::words;
use ahu_core::{ChanceRng, OutcomeError, ParseError, Stream, ensure};

use super::options::Options;

/// The largest number of dice: one for each player.
pub const MAX_DICE: usize = 5;

/// Phase 1: the faces of the dice, the white dice first. Its text is `roll 1 2 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Roll {
    #[borsh(deserialize_with = "read_dice")]
    dice: u8,
    faces: [u8; MAX_DICE],
}

fn read_dice(bytes: &mut impl io::Read) -> io::Result<u8> {
    read_count(bytes, MAX_DICE, "dice")
}

/// Returns the stream of a turn's dice, named by the number of the turn.
const fn stream(turn: u8) -> Stream {
    Stream::new(0, turn as u32)
}

impl Roll {
    /// Creates a roll of these faces, at most [`MAX_DICE`].
    pub fn new(shown: &[u8]) -> Self {
        let mut faces = [0; MAX_DICE];
        faces[..shown.len()].copy_from_slice(shown);
        Self { dice: shown.len() as u8, faces }
    }

    /// Returns the face of each die, from 0 to 3.
    pub fn faces(&self) -> &[u8] {
        &self.faces[..self.dice.into()]
    }

    /// Samples the roll of a turn.
    pub(super) fn draw(options: &Options, turn: u8, chance: &ChanceRng) -> Self {
        let mut faces = [0; MAX_DICE];
        for ((index, die), face) in (0..).zip(options.dice()).zip(&mut faces) {
            *face = die.sides()[chance.number(stream(turn), index, 6) as usize];
        }
        Self { dice: options.dice().len() as u8, faces }
    }

    /// Returns every roll with its probability.
    pub(super) fn all(options: &Options) -> Vec<(Self, f64)> {
        let mut rolls = vec![(Vec::new(), 1.0)];
        for die in options.dice() {
            let mut faces = die.sides().to_vec();
            faces.dedup();
            let sides = |face| die.sides().map(|side| f64::from(u8::from(side == face))).iter().sum::<f64>();
            let with = |(shown, probability): (Vec<u8>, f64)| {
                let face = |&face: &u8| ([shown.as_slice(), &[face]].concat(), probability * sides(face) / 6.0);
                faces.iter().map(face).collect::<Vec<_>>()
            };
            rolls = rolls.into_iter().flat_map(with).collect();
        }
        rolls.into_iter().map(|(shown, probability)| (Self::new(&shown), probability)).collect()
    }

    /// Refuses faces that these dice do not have, and a wrong number of dice.
    pub(super) fn check(self, options: &Options) -> Result<(), OutcomeError> {
        let dice = options.dice();
        ensure(dice.len() == self.faces().len(), || {
            OutcomeError(format!("expected {} dice, got {}", dice.len(), self.dice))
        })?;
        dice.zip(self.faces()).try_for_each(|(die, shown)| {
            let sides = die.sides();
            ensure(sides.contains(shown), || OutcomeError(format!("expected a face of {sides:?}, got {shown}")))
        })
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
            Some((at, verb)) => {
                return Err(ParseError::new(at, format!("expected an outcome such as \"roll 1 2 0\", got \"{verb}\"")));
            }
            None => return Err(ParseError::new(0, "expected an outcome such as \"roll 1 2 0\", got an empty text")),
        }
        let mut roll = Self { dice: 0, faces: [0; MAX_DICE] };
        for (at, word) in words {
            let face = word.parse().ok().filter(|face| (0..=3).contains(face));
            let face =
                face.ok_or_else(|| ParseError::new(at, format!("expected a face from 0 to 3, got \"{word}\"")))?;
            let die = roll.faces.get_mut(usize::from(roll.dice));
            *die.ok_or_else(|| ParseError::new(at, format!("expected at most {MAX_DICE} dice, got more")))? = face;
            roll.dice += 1;
        }
        Ok(roll)
    }
}
