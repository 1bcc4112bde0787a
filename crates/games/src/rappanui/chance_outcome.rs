//! The chance outcomes and their text. The text names the cards, so that a person can replay a record by hand.

use std::fmt;
use std::str::FromStr;

use ahu_core::parse::words;
use ahu_core::{BySeat, MAX_SEATS, ParseError, Seat, Seats, Stream};

use super::cards::{Card, CardSet};

/// The result of one chance event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Setup: the first player by the cut, and the dealt hands.
    Deal {
        /// The first player.
        first: Seat,
        /// The hands.
        hands: BySeat<CardSet>,
    },
    /// Rapa Nui Phase: the drawn cards.
    Draw(CardSet),
    /// Conflict Phase: the card that a Raid took.
    Steal(Card),
    /// Conflict Phase: the cards that a Disaster took.
    Lose(CardSet),
}

/// The stream of the cut for the first player.
pub(super) const CUT: Stream = Stream::new(0, 0);

/// Returns the stream of the deck's order in a pass, counted from 0.
pub(super) const fn deck(pass: u8) -> Stream {
    Stream::new(1, pass as u32)
}

/// Returns the stream of the order in which the event of a turn takes cards from a hand.
pub(super) const fn event(round: u16, player: Seat) -> Stream {
    Stream::new(2, round as u32 * MAX_SEATS as u32 + player.index() as u32)
}

fn write_cards(f: &mut fmt::Formatter<'_>, cards: CardSet) -> fmt::Result {
    cards.iter().try_for_each(|card| write!(f, " {card}"))
}

fn read_cards<'a>(words: impl IntoIterator<Item = (usize, &'a str)>) -> Result<CardSet, ParseError> {
    let mut cards = CardSet::EMPTY;
    for (at, word) in words {
        let card = word.parse::<Card>().map_err(|error| error.within(at))?;
        if cards.contains(card) {
            return Err(ParseError::new(at, format!("expected each card once, got {card} twice")));
        }
        cards = cards.with(card);
    }
    Ok(cards)
}

/// Writes `deal first 2 / F1.1 W2.2 … / … / …` (one hand for each seat, from seat 0), `draw F7.1 …` (`draw` alone if
/// there is no card to draw), `steal F7.1`, or `lose F7.1 raid.3`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Deal { first, hands } => {
                write!(f, "deal first {first}")?;
                hands.values().iter().try_for_each(|&hand| f.write_str(" /").and_then(|()| write_cards(f, hand)))
            }
            Self::Draw(cards) => f.write_str("draw").and_then(|()| write_cards(f, cards)),
            Self::Steal(card) => write!(f, "steal {card}"),
            Self::Lose(cards) => f.write_str("lose").and_then(|()| write_cards(f, cards)),
        }
    }
}

impl FromStr for Outcome {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        let Some((&(at, verb), rest)) = words.split_first() else {
            return Err(ParseError::new(0, "expected a chance outcome, got nothing"));
        };
        match verb {
            "deal" => read_deal(text, rest),
            "draw" => read_cards(rest.iter().copied()).map(Self::Draw),
            "lose" => read_cards(rest.iter().copied()).map(Self::Lose),
            "steal" => match rest {
                [(at, card)] => card.parse().map(Self::Steal).map_err(|error| error.within(*at)),
                _ => Err(ParseError::new(at + verb.len(), "expected one card, such as \"steal F7.1\"")),
            },
            _ => Err(ParseError::new(at, format!("expected deal, draw, steal, or lose, got \"{verb}\""))),
        }
    }
}

/// Reads the part of a deal after the word `deal`.
fn read_deal(text: &str, words: &[(usize, &str)]) -> Result<Outcome, ParseError> {
    let [(_, "first"), (at, first), (_, "/"), rest @ ..] = words else {
        return Err(ParseError::new(text.len(), "expected \"deal first 0 / F1.1 … / …\", with one hand for each seat"));
    };
    let hands: Vec<_> = rest.split(|(_, word)| *word == "/").collect();
    let seats = Seats::new(hands.len())
        .ok_or_else(|| ParseError::new(text.len(), format!("expected 1 to 6 hands, got {}", hands.len())))?;
    let first = first.parse().ok().and_then(|index| seats.get(index));
    let first =
        first.ok_or_else(|| ParseError::new(*at, format!("expected a first seat from 0 to {}", seats.count() - 1)))?;
    let mut dealt = BySeat::new(seats, CardSet::EMPTY);
    for (seat, hand) in seats.iter().zip(hands) {
        dealt[seat] = read_cards(hand.iter().copied())?;
    }
    Ok(Outcome::Deal { first, hands: dealt })
}
