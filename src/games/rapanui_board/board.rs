//! The board: spaces and their colours, adjacency, the columns of the Moai Quarry, the turn order track.
//!
//! Each side of the board is a file in `boards/`. It is read when the crate is built, so that a faulty file stops the
//! build.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};
use std::str::FromStr;

use super::action::Star;
use super::counts::named;
use super::file::{line_end, next_word, number, word_end};
use super::moai::Sizes;
use super::resource::Resource;
use super::tile::TILE_COUNT;
use crate::core::{ParseError, parse};

/// The sides of the board, each with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// `boards/rn_34_v1.txt`, for 3 and 4 players.
    Rn34V1,
    /// `boards/rn_2_v1.txt`, for 2 players.
    Rn2V1,
}

named!(Side, "side of the board", [Rn34V1 "rn_34_v1", Rn2V1 "rn_2_v1"]);

static BOARDS: [Board; Side::COUNT] =
    [Board::read(include_str!("boards/rn_34_v1.txt")), Board::read(include_str!("boards/rn_2_v1.txt"))];

impl Side {
    /// Returns the board on this side.
    #[inline]
    pub fn board(self) -> &'static Board {
        &BOARDS[self as usize]
    }
}

/// A space of the island, on which Transporters stand. Texts count from 1, in board order: row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(u8);

impl Space {
    /// The largest number of spaces on a board.
    pub const COUNT: usize = 27;

    /// Returns the space with this index in board order, from 0; None if there is none.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Returns the index of the space in board order, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl FromStr for Space {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse::number::<usize>(text)
            .and_then(|number| Self::new(number.checked_sub(1)?))
            .ok_or_else(|| ParseError::new(0, format!("expected a space from 1 to {}, got \"{text}\"", Self::COUNT)))
    }
}

/// A part of a transport's route: a space, the Crater, or the Pukao Quarry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area(u8);

impl Area {
    /// The number of areas: the spaces and both quarries.
    pub const COUNT: usize = Space::COUNT + 2;
    /// The Crater, which represents the Moai Quarry: transports of Moai begin here.
    pub const CRATER: Self = Self(Space::COUNT as u8);
    /// The Pukao Quarry: transports of Pukao begin here.
    pub const PUKAO_QUARRY: Self = Self(Space::COUNT as u8 + 1);

    /// Returns the area with this index: the spaces in board order, the Crater, the Pukao Quarry; None if there is
    /// none.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Returns the index of the area: the spaces in board order, the Crater, the Pukao Quarry.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the space; None for a quarry.
    #[inline]
    pub const fn space(self) -> Option<Space> {
        Space::new(self.index())
    }
}

impl From<Space> for Area {
    fn from(space: Space) -> Self {
        Self(space.0)
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.space(), *self == Self::CRATER) {
            (Some(space), _) => write!(f, "{space}"),
            (None, true) => f.write_str("crater"),
            (None, false) => f.write_str("pukao_quarry"),
        }
    }
}

impl FromStr for Area {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "crater" => Ok(Self::CRATER),
            "pukao_quarry" => Ok(Self::PUKAO_QUARRY),
            _ => text.parse::<Space>().map(Self::from).map_err(|error| {
                ParseError::new(error.at, format!("{}; \"crater\" and \"pukao_quarry\" are valid too", error.message))
            }),
        }
    }
}

/// A set of areas, or of spaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Areas(u32);

impl Areas {
    /// No area.
    pub const EMPTY: Self = Self(0);
    /// The Crater and the Pukao Quarry.
    pub const QUARRIES: Self = Self(1 << Area::CRATER.0 | 1 << Area::PUKAO_QUARRY.0);

    /// Returns the areas as bits, by index.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns true if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of areas.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if the set contains `area`.
    #[inline]
    pub fn contains(self, area: impl Into<Area>) -> bool {
        self.0 >> area.into().0 & 1 == 1
    }

    /// Returns the set with `area` added.
    #[inline]
    #[must_use]
    pub fn with(self, area: impl Into<Area>) -> Self {
        Self(self.0 | 1 << area.into().0)
    }

    /// Returns the areas, in order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Area> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let area = (rest != 0).then(|| Area(rest.trailing_zeros() as u8))?;
            rest &= rest - 1;
            Some(area)
        })
    }

    /// Returns the spaces, in board order.
    #[inline]
    pub fn spaces(self) -> impl Iterator<Item = Space> {
        (self - Self::QUARRIES).iter().map(|area| Space(area.0))
    }
}

impl From<Area> for Areas {
    fn from(area: Area) -> Self {
        Self::EMPTY.with(area)
    }
}

impl BitOr for Areas {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Areas {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Areas {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Sub for Areas {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
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
    /// The spaces that show each Resource.
    showing: [Areas; Resource::COUNT],
    /// The spaces with two colours.
    pub choices: Areas,
    /// The spaces with ahus.
    pub with_ahus: Areas,
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
        (0..self.count).map(Space)
    }

    /// Returns the spaces, as a set.
    #[inline]
    pub const fn all(&self) -> Areas {
        Areas((1 << self.count) - 1)
    }

    /// Returns the colours of a space.
    #[inline]
    pub const fn colours(&self, space: Space) -> Colours {
        self.colours[space.index()]
    }

    /// Returns the spaces that show a Resource, alone or with another.
    #[inline]
    pub const fn showing(&self, resource: Resource) -> Areas {
        self.showing[resource as usize]
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
        (self.all() | Areas::QUARRIES).iter().find(|&area| self.place(area) == (row, column))
    }

    /// Returns the number of rows and columns of the map.
    pub fn extent(&self) -> (u8, u8) {
        let areas = || (self.all() | Areas::QUARRIES).iter().map(|area| self.place(area));
        (areas().map(|(row, _)| row + 1).max().unwrap_or(0), areas().map(|(_, column)| column + 1).max().unwrap_or(0))
    }

    /// Returns all areas of `within` from which a path inside `within` leads to one of `goals`.
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
            showing: [Areas::EMPTY; Resource::COUNT],
            choices: Areas::EMPTY,
            with_ahus: Areas::EMPTY,
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
                self.showing[colour(first) as usize].0 |= 1 << space;
                if let Some(second) = second {
                    self.showing[second as usize].0 |= 1 << space;
                }
                self.choices = Areas(self.choices.0 | (has_choice as u32) << space);
                self.with_ahus = Areas(self.with_ahus.0 | ((ahus > 0) as u32) << space);
                self.ahus[space] = ahus as u8;
                self.count += 1;
            }
        }
    }

    const fn find_adjacent(&mut self) {
        let mut one = 0;
        while one < Area::COUNT {
            let mut other = 0;
            while other < Area::COUNT {
                let ((row, column), (other_row, other_column)) = (self.places[one], self.places[other]);
                let touches = row.abs_diff(other_row) + column.abs_diff(other_column) == 1;
                self.adjacent[one].0 |= (touches as u32) << other;
                other += 1;
            }
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
            let all = board.all() | Areas::QUARRIES;
            assert_eq!(board.leading_to(Area::CRATER.into(), all), all, "{side}: every space can be reached");
        }
    }
}
