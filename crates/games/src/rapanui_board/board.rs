//! The board: spaces and their colours, adjacency, the columns of the Moai Quarry, the turn order track.
//!
//! Each side of the board is a file in `boards/`. It is read when the crate is built, so that a faulty file stops the
//! build.

use ahu_core::{Seats, named};

use super::file::{line_end, next_word, number, word_end};
use super::moai::Sizes;
use super::order::Star;
use super::resource::Resource;
use super::space::{Area, Areas, Space, Spaces};
use super::tile::TILE_COUNT;

named! {
    /// The sides of the board, each with its file.
    pub enum Side("side of the board") {
        /// `boards/rn_34_v1.txt`, for 3 and 4 players.
        Rn34V1 = "rn_34_v1",
        /// `boards/rn_2_v1.txt`, for 2 players.
        Rn2V1 = "rn_2_v1",
    }
}

static BOARDS: [Board; Side::COUNT] =
    [Board::read(include_str!("boards/rn_34_v1.txt")), Board::read(include_str!("boards/rn_2_v1.txt"))];

impl Side {
    /// Returns the side for this number of seats.
    pub const fn of(seats: Seats) -> Self {
        if seats.count() == 2 { Self::Rn2V1 } else { Self::Rn34V1 }
    }

    /// Returns the name of the data file of the side.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Rn34V1 => "rapanui_board/rn_34_v1",
            Self::Rn2V1 => "rapanui_board/rn_2_v1",
        }
    }

    /// Returns the board on this side.
    #[inline]
    pub fn board(self) -> &'static Board {
        &BOARDS[self as usize]
    }
}

/// The colours of a space: the Resources for erecting a Moai on it, and for transporting one over it for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colours {
    /// The Resource; with two colours, the first.
    pub first: Resource,
    /// The second Resource; None if the space has one colour.
    pub second: Option<Resource>,
}

/// A side of the board.
#[derive(Debug)]
pub struct Board {
    /// The number of spaces.
    count: u8,
    /// The row and the column of each area on the map, from 0.
    places: [(u8, u8); Area::COUNT],
    colours: [Colours; Space::COUNT],
    ahus: [u8; Space::COUNT],
    adjacent: [Areas; Area::COUNT],
    /// The spaces with two colours.
    pub choices: Spaces,
    /// The spaces with ahus.
    pub with_ahus: Spaces,
    /// The number of places in each column of the Moai Quarry.
    pub quarry: Sizes,
    /// The number of star spaces on the turn order track.
    pub stars: u8,
}

/// The place of an area that the board lacks: far from all others.
const NOWHERE: (u8, u8) = (100, 100);

/// The largest number of ahus on a space.
pub const AHUS: usize = 3;

impl Board {
    /// Returns the spaces, in board order.
    pub fn spaces(&self) -> impl Iterator<Item = Space> {
        self.all().iter()
    }

    /// Returns the spaces, as a set.
    #[inline]
    pub const fn all(&self) -> Spaces {
        Spaces::from_bits((1 << self.count) - 1)
    }

    /// Returns the spaces and both quarries.
    pub fn areas(&self) -> Areas {
        Area::all_of(self.all()) | Area::QUARRIES
    }

    /// Returns the colours of a space.
    #[inline]
    pub const fn colours(&self, space: Space) -> Colours {
        self.colours[space.index()]
    }

    /// Returns the number of ahus on a space.
    #[inline]
    pub const fn ahus(&self, space: Space) -> u8 {
        self.ahus[space.index()]
    }

    /// Returns the number of ahus on all spaces.
    pub const fn ahu_count(&self) -> u8 {
        let (mut count, mut space) = (0, 0);
        while space < Space::COUNT {
            count += self.ahus[space];
            space += 1;
        }
        count
    }

    /// Returns the areas that share a side with `area`.
    #[inline]
    pub const fn adjacent(&self, area: Area) -> Areas {
        self.adjacent[area.index()]
    }

    /// Returns the row and the column of an area on the map, from 0.
    pub const fn place(&self, area: Area) -> (u8, u8) {
        self.places[area.index()]
    }

    /// Returns the area in this row and column of the map, from 0; None in the sea.
    pub fn at(&self, row: u8, column: u8) -> Option<Area> {
        self.areas().iter().find(|&area| self.place(area) == (row, column))
    }

    /// Returns the number of rows and columns of the map.
    pub fn extent(&self) -> (u8, u8) {
        let areas = || self.areas().iter().map(|area| self.place(area));
        (areas().map(|(row, _)| row + 1).max().unwrap_or(0), areas().map(|(_, column)| column + 1).max().unwrap_or(0))
    }

    /// Returns all areas of `within` that have a path inside `within` to one of `goals`.
    #[inline]
    pub fn leading_to(&self, goals: Areas, within: Areas) -> Areas {
        let mut reached = goals & within;
        let mut edge = reached;
        while !edge.is_empty() {
            let mut beyond = Areas::EMPTY;
            edge.iter().for_each(|area| beyond |= self.adjacent(area));
            edge = (beyond & within) - reached;
            reached |= edge;
        }
        reached
    }

    /// Reads a file of `boards/`; the comments of the file explain its format.
    const fn read(text: &str) -> Self {
        let text = text.as_bytes();
        let mut board = Self {
            count: 0,
            places: [NOWHERE; Area::COUNT],
            colours: [Colours { first: Resource::Reeds, second: None }; Space::COUNT],
            ahus: [0; Space::COUNT],
            adjacent: [Areas::EMPTY; Area::COUNT],
            choices: Spaces::EMPTY,
            with_ahus: Spaces::EMPTY,
            quarry: Sizes::of([0; 3]),
            stars: 0,
        };
        let (mut at, mut row, mut column) = (0, 0, 0);
        while at < text.len() {
            match text[at] {
                b'#' => {
                    while text[at] != b'\n' {
                        at += 1;
                    }
                }
                b'\n' => {
                    row += (column > 0) as u8;
                    column = 0;
                    at += 1;
                }
                b' ' => at += 1,
                b'q' => {
                    let small = next_word(text, at);
                    let medium = next_word(text, small);
                    let large = next_word(text, medium);
                    board.quarry = Sizes::of([number(text, small), number(text, medium), number(text, large)]);
                    at = line_end(text, at);
                }
                b's' => {
                    board.stars = number(text, next_word(text, at));
                    at = line_end(text, at);
                }
                _ => {
                    let end = word_end(text, at);
                    board.read_area(text, at, end, (row, column));
                    column += 1;
                    at = end;
                }
            }
        }
        let [small, medium, large] = *board.quarry.as_array();
        assert!(small > 0 && medium > 0 && large > 0, "expected a quarry of three columns");
        assert!(board.stars > 0 && board.stars as usize <= Star::COUNT, "expected 1 to 6 star spaces");
        assert!(board.places[Area::CRATER.index()].0 != NOWHERE.0, "expected a Crater");
        assert!(board.places[Area::PUKAO_QUARRY.index()].0 != NOWHERE.0, "expected a Pukao Quarry");
        assert!(board.ahu_count() as usize <= TILE_COUNT, "expected an Ahu tile for each ahu");
        board.find_adjacent();
        board
    }

    const fn read_area(&mut self, text: &[u8], start: usize, end: usize, place: (u8, u8)) {
        match (text[start], text[start + 1]) {
            (b'-', _) => {}
            (b'C', b'R') => self.places[Area::CRATER.index()] = place,
            (b'P', b'Q') => self.places[Area::PUKAO_QUARRY.index()] = place,
            (first, mark) => {
                let space = self.count as usize;
                assert!(space < Space::COUNT, "expected at most 27 spaces");
                let has_choice = mark == b'/';
                let second = if has_choice { Some(colour(text[start + 2])) } else { None };
                let ahus = end - start - if has_choice { 3 } else { 1 };
                assert!(ahus <= AHUS, "expected at most three ahus on a space");
                let mut at = end - ahus;
                while at < end {
                    assert!(text[at] == b'*', "expected a * for each ahu after the colours of a space");
                    at += 1;
                }
                if let Some(second) = second {
                    assert!(second as u8 != colour(first) as u8, "expected two different colours");
                }
                self.places[space] = place;
                self.colours[space] = Colours { first: colour(first), second };
                self.choices = Spaces::from_bits(self.choices.bits() | (has_choice as u64) << space);
                self.with_ahus = Spaces::from_bits(self.with_ahus.bits() | ((ahus > 0) as u64) << space);
                self.ahus[space] = ahus as u8;
                self.count += 1;
            }
        }
    }

    const fn find_adjacent(&mut self) {
        let mut one = 0;
        while one < Area::COUNT {
            let (mut other, mut adjacent) = (0, 0);
            while other < Area::COUNT {
                let ((row, column), (other_row, other_column)) = (self.places[one], self.places[other]);
                let touches = row.abs_diff(other_row) + column.abs_diff(other_column) == 1;
                adjacent |= (touches as u64) << other;
                other += 1;
            }
            self.adjacent[one] = Areas::from_bits(adjacent);
            one += 1;
        }
    }
}

const fn colour(letter: u8) -> Resource {
    match letter {
        b'R' => Resource::Reeds,
        b'E' => Resource::Eggs,
        b'W' => Resource::Wood,
        b'P' => Resource::Pearls,
        _ => panic!("expected a colour R, E, W, or P"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_whole() {
        for (side, spaces, with_ahus, ahus, beside_crater, beside_pukao_quarry) in
            [(Side::Rn34V1, 27, 14, 21, 4, 4), (Side::Rn2V1, 19, 12, 17, 4, 4)]
        {
            let board = side.board();
            assert_eq!((board.spaces().count(), board.with_ahus.len()), (spaces, with_ahus), "{side}");
            assert_eq!(board.ahu_count(), ahus, "{side}");
            assert_eq!(board.adjacent(Area::CRATER).len(), beside_crater, "{side}");
            assert_eq!(board.adjacent(Area::PUKAO_QUARRY).len(), beside_pukao_quarry, "{side}");
            assert_eq!(
                board.leading_to(Area::CRATER.into(), board.areas()),
                board.areas(),
                "{side}: every space can be reached"
            );
        }
    }
}
