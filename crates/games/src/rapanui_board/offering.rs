//! Offering tiles: the stacks, the values of the tiles, and their prices.
//!
//! Each set of values is a file in `offerings/`. It is read when the crate is built, so that a faulty file stops the
//! build.

use ahu_core::parts::counts::Counts;
use ahu_core::{Seats, named};

use super::file::{is_word, line_end, number, word_end};
use super::resource::Resources;

named! {
    /// A type of Offering tiles. Each is worth more than the one before it.
    pub enum Offering("Offering tile") {
        /// A hut, for Reeds.
        Hut = "hut",
        /// A chicken, for Eggs.
        Chicken = "chicken",
        /// A hatchet, for one Resource of each type.
        Hatchet = "hatchet",
        /// A boat, for Wood.
        Boat = "boat",
        /// A necklace, for Pearls.
        Necklace = "necklace",
    }

    /// The place from which an Offering tile is taken.
    pub enum Source("source") {
        /// The top of the stack.
        Stack = "stack",
        /// The Outstanding Offering tiles beside the stack; the best is taken.
        Outstanding = "outstanding",
    }

    /// The sets of values, each with its file.
    pub enum Values("set of Offering tiles") {
        /// `offerings/rn_v1.txt`.
        RnV1 = "rn_v1",
    }
}

/// A number of Offering tiles of each type.
pub type Offerings = Counts<Offering, { Offering::COUNT }>;

impl Offering {
    /// Returns the price of a tile.
    pub const fn price(self) -> Resources {
        Resources::of(match self {
            Self::Hut => [4, 0, 0, 0],
            Self::Chicken => [0, 4, 0, 0],
            Self::Hatchet => [1, 1, 1, 1],
            Self::Boat => [0, 0, 4, 0],
            Self::Necklace => [0, 0, 0, 4],
        })
    }

    /// Returns the lowest price of a tile with Skimp: two Resources of its price; for a Hatchet, two different ones
    /// (M17). All other valid payments can be converted into these.
    pub const fn skimped_price(self) -> Resources {
        Resources::of(match self {
            Self::Hut => [2, 0, 0, 0],
            Self::Chicken => [0, 2, 0, 0],
            Self::Hatchet => [1, 1, 0, 0],
            Self::Boat => [0, 0, 2, 0],
            Self::Necklace => [0, 0, 0, 2],
        })
    }

    /// Returns the type of the next-lower value: an Artistic player gets this type for its price (M18).
    pub const fn next_lower(self) -> Option<Self> {
        match self {
            Self::Hut => None,
            Self::Chicken => Some(Self::Hut),
            Self::Hatchet => Some(Self::Chicken),
            Self::Boat => Some(Self::Hatchet),
            Self::Necklace => Some(Self::Boat),
        }
    }
}

static TILES: [OfferingTiles; Values::COUNT] = [OfferingTiles::read(include_str!("offerings/rn_v1.txt"))];

impl Values {
    /// Returns the name of the data file of the set.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::RnV1 => "rapanui_board/rn_v1",
        }
    }

    /// Returns the tiles of this set.
    #[inline]
    pub fn tiles(self) -> &'static OfferingTiles {
        &TILES[self as usize]
    }
}

/// Offering tiles of one type, face up: their victory points, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    values: [u8; Self::MAX],
    count: u8,
}

impl Stack {
    /// The largest number of tiles in a stack.
    pub const MAX: usize = 4;
    /// The largest number of Outstanding Offering tiles of a type.
    pub const MAX_OUTSTANDING: usize = 2;
    const EMPTY: Self = Self { values: [0; Self::MAX], count: 0 };

    /// Returns the victory points of the tiles, from the top.
    #[inline]
    pub fn values(&self) -> &[u8] {
        &self.values[..usize::from(self.count)]
    }

    const fn push(&mut self, value: u8) {
        assert!(value >= 6 && value <= 14, "expected a value from 6 to 14");
        assert!(
            self.count == 0 || value <= self.values[self.count as usize - 1],
            "expected the tiles of the highest value on top"
        );
        self.values[self.count as usize] = value;
        self.count += 1;
    }

    /// Returns the stack without one of the two tiles of the same value.
    const fn without_twin(self) -> Self {
        let mut without = Self::EMPTY;
        let mut place = 0;
        let mut has_left_one = false;
        while place < self.count as usize {
            let is_twin = place > 0 && self.values[place] == self.values[place - 1];
            if is_twin && !has_left_one {
                has_left_one = true;
            } else {
                without.push(self.values[place]);
            }
            place += 1;
        }
        assert!(has_left_one, "expected two tiles of the same value");
        without
    }
}

/// The Offering tiles of a game, by type, before any is taken.
#[derive(Debug)]
pub struct OfferingTiles {
    stacks: [Stack; Offering::COUNT],
    stacks_of_two: [Stack; Offering::COUNT],
    outstanding: [Stack; Offering::COUNT],
}

impl OfferingTiles {
    /// Returns the stack of a type; with two players it has one tile less.
    #[inline]
    pub const fn stack(&self, offering: Offering, seats: Seats) -> &Stack {
        if seats.count() == 2 { &self.stacks_of_two[offering as usize] } else { &self.stacks[offering as usize] }
    }

    /// Returns the Outstanding Offering tiles of a type, the same for two players (M34).
    #[inline]
    pub const fn outstanding(&self, offering: Offering) -> &Stack {
        &self.outstanding[offering as usize]
    }

    /// Reads a file of `offerings/`; the comments of the file explain its format.
    const fn read(text: &str) -> Self {
        let text = text.as_bytes();
        let mut tiles = Self {
            stacks: [Stack::EMPTY; Offering::COUNT],
            stacks_of_two: [Stack::EMPTY; Offering::COUNT],
            outstanding: [Stack::EMPTY; Offering::COUNT],
        };
        let (mut at, mut types) = (0, 0);
        let mut is_outstanding = false;
        while at < text.len() {
            match text[at] {
                b'#' => at = line_end(text, at),
                b' ' | b'\n' => at += 1,
                b'|' => {
                    is_outstanding = true;
                    at += 1;
                }
                b'0'..=b'9' => {
                    assert!(types > 0, "expected a type before its tiles");
                    let value = number(text, at);
                    match is_outstanding {
                        true => tiles.outstanding[types - 1].push(value),
                        false => tiles.stacks[types - 1].push(value),
                    }
                    at = word_end(text, at);
                }
                _ => {
                    assert!(is_word(text, at, Offering::ALL[types].name()), "expected the types in rising order");
                    types += 1;
                    is_outstanding = false;
                    at = word_end(text, at);
                }
            }
        }
        assert!(types == Offering::COUNT, "expected a line for each type");
        let mut of = 0;
        while of < Offering::COUNT {
            assert!(
                tiles.outstanding[of].count as usize <= Stack::MAX_OUTSTANDING,
                "expected at most two Outstanding tiles of a type"
            );
            tiles.stacks_of_two[of] = tiles.stacks[of].without_twin();
            of += 1;
        }
        tiles
    }
}
