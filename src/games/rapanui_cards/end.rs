//! The end: what sacrifice cards are worth, and the final count.

use super::cards::{Food, Foods};
use super::options::ZeroCount;
use super::village::Village;

/// Glory points a Moai.
const MOAI_GLORY: u16 = 4;
/// How much wood makes a glory point.
const WOOD_A_GLORY: u16 = 5;
/// Glory points a sacrifice card of the food that was sacrificed most often.
const MOST_SACRIFICED: u8 = 3;

/// What a sacrifice card of each food is worth, in glory points, where so many of each were sacrificed.
///
/// D5, A12: foods that tie are worth the same, and leave no gap: 3 for the highest number, 2 for the next lower one
/// that occurs, then 1, then 0. Nothing at all was sacrificed: nothing is worth anything (A13).
pub fn worth(sacrificed: Foods, zero_count: ZeroCount) -> Foods {
    let counts = Food::ALL.map(|food| sacrificed[food]);
    let is_first_of_its_number = |place: usize| !counts[..place].contains(&counts[place]);
    let higher_numbers = |count| (0..Food::COUNT).filter(|&n| counts[n] > count && is_first_of_its_number(n)).count();
    Foods::of(counts.map(|count| match zero_count {
        _ if sacrificed == Foods::NONE => 0,
        ZeroCount::WorthZero if count == 0 => 0,
        ZeroCount::Ranked | ZeroCount::WorthZero => MOST_SACRIFICED - higher_numbers(count) as u8,
    }))
}

impl Village {
    /// The glory points that all can count at any time: tiles, Moai, wood.
    pub fn open_points(&self) -> u16 {
        self.glory + MOAI_GLORY * u16::from(self.moai()) + self.wood / WOOD_A_GLORY
    }

    /// What ranks players: glory points, then Moai, then wood that is left (A18: all of it).
    pub(super) fn standing(&self, points: u16) -> (u16, u8, u16) {
        (points, self.moai(), self.wood)
    }
}

/// Glory points for these sacrifice cards.
pub fn cards_points(cards: Foods, worth: Foods) -> u16 {
    Food::ALL.into_iter().map(|food| u16::from(cards[food]) * u16::from(worth[food])).sum()
}
