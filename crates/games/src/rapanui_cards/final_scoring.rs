//! Final scoring: the worth of sacrifice cards, and the final points.

use super::cards::{Food, Foods};
use super::options::ZeroCount;
use super::village::Village;

/// The glory points of a Moai.
const MOAI_GLORY: u16 = 4;
/// The wood that makes one glory point.
const WOOD_A_GLORY: u16 = 5;
/// The glory points of a sacrifice card of the most sacrificed food.
const MOST_SACRIFICED: u8 = 3;

/// Returns the worth of a sacrifice card of each food, in glory points. `sacrificed` is the number of sacrifices of
/// each food.
///
/// D5, A12: foods that tie are worth the same, without gaps: 3 for the highest number, 2 for the next lower number
/// that occurs, then 1, then 0. Without any sacrifice, all cards are worth nothing (A13).
pub fn worth(sacrificed: Foods, zero_count: ZeroCount) -> Foods {
    let counts = Food::ALL.map(|food| sacrificed[food]);
    let is_first_of_its_number = |place: usize| !counts[..place].contains(&counts[place]);
    let higher_numbers = |count| (0..Food::COUNT).filter(|&n| counts[n] > count && is_first_of_its_number(n)).count();
    Foods::of(counts.map(|count| match zero_count {
        _ if sacrificed == Foods::EMPTY => 0,
        ZeroCount::WorthZero if count == 0 => 0,
        ZeroCount::Ranked | ZeroCount::WorthZero => MOST_SACRIFICED - higher_numbers(count) as u8,
    }))
}

impl Village {
    /// Returns the glory points that all players can count at any time: tiles, Moai, wood.
    pub fn open_points(&self) -> u16 {
        self.glory + self.moai_points() + self.wood_points()
    }

    /// Returns the glory points of the Moai in the personal display.
    pub(super) fn moai_points(&self) -> u16 {
        MOAI_GLORY * u16::from(self.moai())
    }

    /// Returns the glory points of the wood.
    pub(super) fn wood_points(&self) -> u16 {
        self.wood / WOOD_A_GLORY
    }

    /// Returns the values that rank players: glory points, then Moai, then leftover wood (A18: all of it).
    pub(super) fn standing(&self, points: u16) -> (u16, u8, u16) {
        (points, self.moai(), self.wood)
    }
}

/// Returns the glory points of sacrifice cards.
pub fn cards_points(cards: Foods, worth: Foods) -> u16 {
    Food::ALL.into_iter().map(|food| u16::from(cards[food]) * u16::from(worth[food])).sum()
}
