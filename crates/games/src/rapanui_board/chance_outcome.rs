//! Chance outcomes and their text. The text names each tile, so that a record can be replayed by hand.

use std::fmt;
use std::str::FromStr;

use ahu_core::parse::{number, read_each, words};
use ahu_core::parts::lines::joined;
use ahu_core::parts::list::List;
use ahu_core::{ParseError, Seat, Stream};

use super::order::TurnOrder;
use super::tile::{TILE_COUNT, Tile};

/// The result of one chance event. All of it is public, and after setup there is no chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Setup: the turn order.
    Order(TurnOrder),
    /// Setup: the Ahu tiles on the ahus.
    Tiles(TileRow),
}

/// Setup: the turn order (M35).
pub(super) const ORDER: Stream = Stream::new(0, 0);
/// Setup: all Ahu tiles, in one order. Tiles that are not in play are passed over.
pub(super) const TILES: Stream = Stream::new(1, 0);

/// Ahu tiles, one for each ahu: space by space, in board order.
pub type TileRow = List<Tile, TILE_COUNT>;

/// Writes `order 2 0 1` or `tiles rest skimp rest …`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(order) => write!(f, "order {}", joined(order.iter(), " ")),
            Self::Tiles(tiles) => write!(f, "tiles {tiles}"),
        }
    }
}

impl FromStr for Outcome {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        match words[..] {
            [(_, "order"), ref seats @ ..] => read_order(text, seats).map(Self::Order),
            [(_, "tiles"), ref tiles @ ..] if tiles.len() <= TILE_COUNT => read_each(tiles).map(Self::Tiles),
            [(at, "tiles"), ..] => Err(ParseError::new(at, format!("expected at most {TILE_COUNT} Ahu tiles"))),
            [(at, word), ..] => {
                Err(ParseError::new(at, format!("expected \"order 1 0\" or \"tiles rest skimp\", got \"{word}\"")))
            }
            [] => Err(ParseError::new(0, "expected an outcome, got nothing")),
        }
    }
}

fn read_order(text: &str, words: &[(usize, &str)]) -> Result<TurnOrder, ParseError> {
    let mut seats = Vec::new();
    for &(at, word) in words {
        let seat = number(word).and_then(Seat::new);
        seats.push(seat.ok_or_else(|| ParseError::new(at, format!("expected a seat, got \"{word}\"")))?);
    }
    let most = TurnOrder::MAX;
    TurnOrder::new(&seats)
        .ok_or_else(|| ParseError::new(text.len(), format!("expected each seat from 0 on once, at most {most} seats")))
}
