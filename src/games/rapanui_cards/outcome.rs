//! What chance brings, and its text: cards by name, so that a record can be replayed by hand.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use super::cards::{DECK, Kind, Kinds};
use super::options::Colour;
use crate::core::parse::words;
use crate::core::{BySeat, ParseError, Seat, Seats, Stream};

/// What one act of chance brought. All of it lies open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Setup: who begins.
    Start(Seat),
    /// Setup: whose start cards are of which colour.
    Colours(BySeat<Colour>),
    /// These cards came to light in a column, the front one first.
    Cards(Cards),
}

/// Setup: who begins (A1).
pub(super) const START: Stream = Stream::new(0, 0);
/// Setup: the colours (A20).
pub(super) const COLOURS: Stream = Stream::new(1, 0);

/// The order of the cards that nobody has seen. It is named by how many were seen before, and only its first
/// cards come to light: so the n-th card to do so is the same in all games of a seed.
pub(super) fn cards(unseen: Kinds) -> Stream {
    Stream::new(2, u32::from(DECK.total() - unseen.total()))
}

/// How many cards a column is laid out with.
pub const DEPTH: usize = 4;

/// Up to [`DEPTH`] cards of a column, the front one first.
#[derive(Clone, Copy, Debug)]
pub struct Cards {
    cards: [Kind; DEPTH],
    count: u8,
}

impl Cards {
    /// No card.
    pub const NONE: Self = Self { cards: [Kind::Lumberjack; DEPTH], count: 0 };

    /// Lays a card behind the others.
    ///
    /// # Panics
    /// Where there are [`DEPTH`] already.
    #[inline]
    pub fn push(&mut self, kind: Kind) {
        self.cards[usize::from(self.count)] = kind;
        self.count += 1;
    }
}

impl FromIterator<Kind> for Cards {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, |mut cards, kind| {
            cards.push(kind);
            cards
        })
    }
}

impl Deref for Cards {
    type Target = [Kind];

    fn deref(&self) -> &[Kind] {
        &self.cards[..usize::from(self.count)]
    }
}

impl PartialEq for Cards {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// `fish moai grain priest`.
impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.iter().map(Kind::to_string).collect();
        f.pad(&names.join(" "))
    }
}

/// `start 2`, `colours red violet` (by seat), `cards fish moai grain priest` (the front one first).
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(seat) => write!(f, "start {seat}"),
            Self::Colours(colours) => {
                f.write_str("colours")?;
                colours.values().iter().try_for_each(|colour| write!(f, " {colour}"))
            }
            Self::Cards(cards) => write!(f, "cards {cards}"),
        }
    }
}

impl FromStr for Outcome {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        match words[..] {
            [(_, "start"), (at, seat)] => match seat.parse().ok().and_then(Seat::new) {
                Some(seat) => Ok(Self::Start(seat)),
                None => Err(ParseError::new(at, format!("\"{seat}\" is no seat"))),
            },
            [(_, "colours"), ref colours @ ..] => read_colours(text, colours).map(Self::Colours),
            [(_, "cards"), ref cards @ ..] if (1..=DEPTH).contains(&cards.len()) => {
                let kind = |&(at, name): &(usize, &str)| name.parse::<Kind>().map_err(|error| error.within(at));
                cards.iter().map(kind).collect::<Result<_, _>>().map(Self::Cards)
            }
            [(at, "cards"), ..] => Err(ParseError::new(at, format!("1 to {DEPTH} cards come to light at once"))),
            [(at, word), ..] => Err(ParseError::new(
                at,
                format!("chance brings \"start 0\", \"colours red violet\" or \"cards fish moai\", not \"{word}\""),
            )),
            [] => Err(ParseError::new(0, "an outcome is missing")),
        }
    }
}

fn read_colours(text: &str, words: &[(usize, &str)]) -> Result<BySeat<Colour>, ParseError> {
    let seats = Seats::new(words.len()).filter(|seats| seats.count() <= Colour::COUNT).ok_or_else(|| {
        ParseError::new(text.len(), format!("there is a colour a seat, 1 to {} of them", Colour::COUNT))
    })?;
    let mut colours = BySeat::new(seats, Colour::YellowGreen);
    for (seat, (at, name)) in seats.iter().zip(words) {
        colours[seat] = name.parse().map_err(|error: ParseError| error.within(*at))?;
    }
    Ok(colours)
}
