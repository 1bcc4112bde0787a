//! The chance outcomes and their text. The text names the cards, so that a person can replay a record by hand.

use std::fmt;
use std::str::FromStr;

use ahu_core::parse::{read_each, words};
use ahu_core::parts::lines::joined;
use ahu_core::parts::list::List;
use ahu_core::{BySeat, ParseError, Seat, Seats, Stream};

use super::cards::{DECK, Kind, KindCounts};
use super::column::DEPTH;
use super::options::Colour;

/// The result of one chance event. All of it is public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Setup: the starting player.
    Start(Seat),
    /// Setup: the colour of each seat's start cards.
    Colours(BySeat<Colour>),
    /// The cards revealed in a column, the front one first.
    Cards(Cards),
}

/// The stream of the starting player (A1).
pub(super) const START: Stream = Stream::new(0, 0);
/// The stream of the colours (A20).
pub(super) const COLOURS: Stream = Stream::new(1, 0);

/// Returns the stream of the order of the unseen cards. The number of cards seen before names it, and chance reveals
/// only its first cards, so that the n-th revealed card is the same in all games of a seed.
pub(super) fn cards(unseen: KindCounts) -> Stream {
    Stream::new(2, u32::from(DECK.total() - unseen.total()))
}

/// The cards of a column, the front one first.
pub type Cards = List<Kind, DEPTH>;

/// Writes `start 2`, `colours red violet` (by seat), or `cards fish moai grain priest` (the front one first).
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(seat) => write!(f, "start {seat}"),
            Self::Colours(colours) => write!(f, "colours {}", joined(colours.values(), " ")),
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
                None => Err(ParseError::new(at, format!("expected a seat, got \"{seat}\""))),
            },
            [(_, "colours"), ref colours @ ..] => read_colours(text, colours).map(Self::Colours),
            [(_, "cards"), ref cards @ ..] if (1..=DEPTH).contains(&cards.len()) => read_each(cards).map(Self::Cards),
            [(at, "cards"), ..] => Err(ParseError::new(at, format!("expected 1 to {DEPTH} cards"))),
            [(at, word), ..] => Err(ParseError::new(
                at,
                format!("expected \"start 0\", \"colours red violet\", or \"cards fish moai\", got \"{word}\""),
            )),
            [] => Err(ParseError::new(0, "expected a chance outcome, got nothing")),
        }
    }
}

fn read_colours(text: &str, words: &[(usize, &str)]) -> Result<BySeat<Colour>, ParseError> {
    let seats = Seats::new(words.len()).filter(|seats| seats.count() <= Colour::COUNT).ok_or_else(|| {
        ParseError::new(text.len(), format!("expected 1 to {} colours, one for each seat", Colour::COUNT))
    })?;
    let colours: Vec<Colour> = read_each(words)?;
    Ok(BySeat::from_fn(seats, |seat| colours[seat.index()]))
}
