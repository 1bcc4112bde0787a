//! The chance outcomes and their text. The text names the cards, so that a person can replay a record by hand.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use ahu_core::parse::words;
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

/// Up to [`DEPTH`] cards of a column, the front one first.
#[derive(Clone, Copy, Debug)]
pub struct Cards {
    cards: [Kind; DEPTH],
    count: u8,
}

impl Cards {
    /// The empty list.
    pub const EMPTY: Self = Self { cards: [Kind::Lumberjack; DEPTH], count: 0 };

    /// Adds a card behind the others.
    ///
    /// # Panics
    /// Panics if the list has [`DEPTH`] cards already.
    #[inline]
    pub fn push(&mut self, kind: Kind) {
        self.cards[usize::from(self.count)] = kind;
        self.count += 1;
    }
}

impl FromIterator<Kind> for Cards {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, |mut cards, kind| {
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

/// Writes the names of the cards: `fish moai grain priest`.
impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.iter().map(Kind::to_string).collect();
        f.pad(&names.join(" "))
    }
}

/// Writes `start 2`, `colours red violet` (by seat), or `cards fish moai grain priest` (the front one first).
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
                None => Err(ParseError::new(at, format!("expected a seat, got \"{seat}\""))),
            },
            [(_, "colours"), ref colours @ ..] => read_colours(text, colours).map(Self::Colours),
            [(_, "cards"), ref cards @ ..] if (1..=DEPTH).contains(&cards.len()) => {
                let kind = |&(at, name): &(usize, &str)| name.parse::<Kind>().map_err(|error| error.within(at));
                cards.iter().map(kind).collect::<Result<_, _>>().map(Self::Cards)
            }
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
    let mut colours = BySeat::new(seats, Colour::YellowGreen);
    for (seat, (at, name)) in seats.iter().zip(words) {
        colours[seat] = name.parse().map_err(|error: ParseError| error.within(*at))?;
    }
    Ok(colours)
}
