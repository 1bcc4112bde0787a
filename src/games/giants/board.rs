//! The island: its hexes, the Ahus along its coast, and the ways between them.
//!
//! A board is a file in `boards/`, drawn as the island lies, and read once. Data under a name never changes: another board is
//! another file, another [`BoardName`].

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::options::BoardName;
use super::set::{Numbered, Set};
use crate::core::ParseError;
use crate::core::parse;

/// A hex of the island. Its text is its number: 0 to 41, from north to south, in a row from west to east.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex(u8);

/// A stone platform for one Moai. Its text is `a0` to `a25`; they are numbered as their hexes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ahu(u8);

/// A set of hexes.
pub type Hexes = Set<Hex>;
/// A set of Ahus.
pub type Ahus = Set<Ahu>;

/// The most hexes that a board may have.
pub const HEXES_MAX: usize = 42;
/// The most Ahus that a board may have.
pub const AHUS_MAX: usize = 26;

impl Numbered for Hex {
    const COUNT: usize = HEXES_MAX;

    #[inline]
    fn new(index: usize) -> Option<Self> {
        (index < HEXES_MAX).then_some(Self(index as u8))
    }

    #[inline]
    fn index(self) -> usize {
        self.0.into()
    }
}

impl Numbered for Ahu {
    const COUNT: usize = AHUS_MAX;

    #[inline]
    fn new(index: usize) -> Option<Self> {
        (index < AHUS_MAX).then_some(Self(index as u8))
    }

    #[inline]
    fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Hex {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let hex = parse::number(text).and_then(Self::new);
        let most = HEXES_MAX - 1;
        hex.ok_or_else(|| ParseError::new(0, format!("a hex is a number from 0 to {most}, not \"{text}\"")))
    }
}

impl fmt::Display for Ahu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{}", self.0)
    }
}

impl FromStr for Ahu {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let ahu = text.strip_prefix('a').and_then(parse::number).and_then(Self::new);
        let most = AHUS_MAX - 1;
        ahu.ok_or_else(|| ParseError::new(0, format!("an Ahu is a0 to a{most}, not \"{text}\"")))
    }
}

/// What a hex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terrain {
    /// Open land or coast, with an Ahu or without.
    Land,
    /// Where Moai are sculpted.
    MoaiQuarry,
    /// Where headdresses are sculpted.
    HeaddressQuarry,
    /// Where the Sorcerer finds a Worker.
    Village,
    /// The Sorcerers' hut, where the Sorcerer finds a Tribe Marker.
    Hut,
    /// Where the Sorcerer finds so many logs, once a game.
    Forest {
        /// The number on its tile.
        logs: u8,
    },
}

/// Where an Ahu is, and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AhuData {
    /// The one hex that it touches.
    pub hex: Hex,
    /// The black number: Prestige Points for each unit of a Moai's size.
    pub moai: u8,
    /// The red number: Prestige Points for a headdress.
    pub headdress: u8,
}

/// An island.
#[derive(Clone, Debug)]
pub struct Board {
    /// Its hexes.
    pub hexes: Hexes,
    /// Where Moai start.
    pub moai_quarry: Hex,
    /// Where headdresses start.
    pub headdress_quarry: Hex,
    /// The hexes in rising order, pointy-top, in axial coordinates (q, r): east is (+1, 0), south-east (0, +1).
    coordinates: Vec<(i8, i8)>,
    terrain: Vec<Terrain>,
    ahus: Vec<AhuData>,
    /// By hex, those that share an edge with it.
    neighbours: [Hexes; HEXES_MAX],
    /// By hex, those that touch it.
    ahus_at: [Ahus; HEXES_MAX],
    /// By Ahu, the black and the red numbers, as observations have them; 0 where there is no Ahu.
    worths: [[i16; AHUS_MAX]; 2],
    /// By hex, how many steps it is from each other hex over land.
    distances: [[u8; HEXES_MAX]; HEXES_MAX],
}

impl Board {
    /// The board of this name.
    #[inline]
    pub fn named(name: BoardName) -> &'static Self {
        static V1: LazyLock<Board> = LazyLock::new(|| Board::read(include_str!("boards/v1.txt")));
        static TINY: LazyLock<Board> = LazyLock::new(|| Board::read(include_str!("boards/tiny.txt")));
        match name {
            BoardName::V1 => &V1,
            BoardName::Tiny => &TINY,
        }
    }

    /// What a hex is.
    #[inline]
    pub fn terrain(&self, hex: Hex) -> Terrain {
        self.terrain[hex.index()]
    }

    /// Its Ahus.
    pub fn ahus(&self) -> impl ExactSizeIterator<Item = Ahu> {
        (0..self.ahus.len() as u8).map(Ahu)
    }

    /// Where an Ahu is, and what it is worth.
    #[inline]
    pub fn ahu(&self, ahu: Ahu) -> AhuData {
        self.ahus[ahu.index()]
    }

    /// By Ahu, what a Moai is worth for each unit of its size, and what a headdress is.
    pub(super) const fn worths(&self) -> &[[i16; AHUS_MAX]; 2] {
        &self.worths
    }

    /// The hexes that share an edge with `hex`.
    #[inline]
    pub fn neighbours(&self, hex: Hex) -> Hexes {
        self.neighbours[hex.index()]
    }

    /// The Ahus that touch `hex`.
    #[inline]
    pub fn ahus_at(&self, hex: Hex) -> Ahus {
        self.ahus_at[hex.index()]
    }

    /// How many steps over land lead from `from` to `to`.
    #[inline]
    pub fn distance(&self, from: Hex, to: Hex) -> u8 {
        self.distances[from.index()][to.index()]
    }

    /// The hex at these axial coordinates.
    pub fn hex_at(&self, q: i8, r: i8) -> Option<Hex> {
        self.coordinates.iter().position(|&at| at == (q, r)).and_then(Hex::new)
    }

    /// The axial coordinates (q, r) of a hex: east is (+1, 0), south-east (0, +1).
    pub fn coordinates(&self, hex: Hex) -> (i8, i8) {
        self.coordinates[hex.index()]
    }

    /// The hexes that can be reached from `start`, itself included, through those of `open`.
    #[inline]
    pub fn flood(&self, start: Hex, open: Hexes) -> Hexes {
        let mut reached = Hexes::from(start);
        let mut edge = reached;
        while let Some(hex) = edge.first() {
            edge -= hex.into();
            let found = (self.neighbours(hex) & open) - reached;
            reached |= found;
            edge |= found;
        }
        reached
    }
}

/// How many columns of a board's file lie between two neighbours in a row; each row is moved on by half of that.
const CELL_WIDTH: usize = 6;

/// Reading a board.
impl Board {
    /// Reads a drawn island: see the files.
    ///
    /// # Panics
    /// Where the drawing is none of an island. Boards are checked in, and tests read them all.
    fn read(drawing: &str) -> Self {
        let rows = drawing.lines().filter(|line| !line.starts_with('#'));
        let (mut coordinates, mut terrain, mut ahus) = (Vec::new(), Vec::new(), Vec::new());
        for (r, row) in rows.enumerate() {
            for (column, cell) in crate::core::parse::words(row) {
                let hex = Hex::new(coordinates.len()).expect("a board has at most 42 hexes");
                coordinates.push((q_of(column, r), r as i8));
                let (kind, sites) = read_cell(cell);
                terrain.push(kind);
                ahus.extend(sites.into_iter().map(|(moai, headdress)| AhuData { hex, moai, headdress }));
            }
        }
        assert!(ahus.len() <= AHUS_MAX, "a board has at most {AHUS_MAX} Ahus, not {}", ahus.len());
        let only = |wanted: Terrain| {
            let mut found = (0..terrain.len()).filter(|&hex| terrain[hex] == wanted);
            let hex = found.next().and_then(Hex::new).unwrap_or_else(|| panic!("a board has a {wanted:?}"));
            assert!(found.next().is_none(), "a board has one {wanted:?}");
            hex
        };
        let mut board = Self {
            hexes: Hex::all().take(coordinates.len()).collect(),
            moai_quarry: only(Terrain::MoaiQuarry),
            headdress_quarry: only(Terrain::HeaddressQuarry),
            neighbours: neighbours(&coordinates),
            ahus_at: std::array::from_fn(|hex| {
                let here = (0..ahus.len()).filter(|&ahu| ahus[ahu].hex.index() == hex);
                here.filter_map(Ahu::new).collect()
            }),
            worths: [|ahu: &AhuData| ahu.moai, |ahu: &AhuData| ahu.headdress]
                .map(|worth| std::array::from_fn(|at| ahus.get(at).map_or(0, worth).into())),
            distances: [[u8::MAX; HEXES_MAX]; HEXES_MAX],
            coordinates,
            terrain,
            ahus,
        };
        assert_eq!(board.flood(board.moai_quarry, board.hexes), board.hexes, "a board is one island");
        for hex in board.hexes.iter() {
            board.measure(hex);
        }
        board
    }

    /// Fills in how far it is from `hex`, ring by ring.
    fn measure(&mut self, hex: Hex) {
        let (mut reached, mut ring, mut steps) = (Hexes::EMPTY, Hexes::from(hex), 0);
        while !ring.is_empty() {
            ring.iter().for_each(|to| self.distances[hex.index()][to.index()] = steps);
            reached |= ring;
            ring = ring.iter().fold(Hexes::EMPTY, |next, to| next | self.neighbours(to)) - reached;
            steps += 1;
        }
    }
}

/// The first axial coordinate of a cell that is drawn in this column of row `r`.
fn q_of(column: usize, r: usize) -> i8 {
    let east = column as i32 - (r * CELL_WIDTH / 2) as i32;
    assert!(east % CELL_WIDTH as i32 == 0, "row {r}, column {column}: no cell is drawn there");
    (east / CELL_WIDTH as i32) as i8
}

/// What a cell says: the terrain, and for each Ahu the worth of a Moai and of a headdress.
fn read_cell(cell: &str) -> (Terrain, Vec<(u8, u8)>) {
    let terrain = match cell {
        "." => Terrain::Land,
        "Q" => Terrain::MoaiQuarry,
        "H" => Terrain::HeaddressQuarry,
        "V" => Terrain::Village,
        "S" => Terrain::Hut,
        forest if forest.starts_with('F') => Terrain::Forest { logs: number(&forest[1..]) },
        coast => return (Terrain::Land, read_coast(coast)),
    };
    (terrain, Vec::new())
}

/// `5/6**`: a star for each Ahu.
fn read_coast(cell: &str) -> Vec<(u8, u8)> {
    let values = cell.trim_end_matches('*');
    let (moai, headdress) = values.split_once('/').unwrap_or_else(|| panic!("no cell of a board is \"{cell}\""));
    vec![(number(moai), number(headdress)); cell.len() - values.len()]
}

fn number(text: &str) -> u8 {
    text.parse().unwrap_or_else(|_| panic!("a board has a number, not \"{text}\""))
}

/// By hex, those that share an edge with it.
fn neighbours(coordinates: &[(i8, i8)]) -> [Hexes; HEXES_MAX] {
    const STEPS: [(i8, i8); 6] = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];
    std::array::from_fn(|hex| {
        let Some(&(q, r)) = coordinates.get(hex) else { return Hexes::EMPTY };
        let next_to = |&at: &(i8, i8)| STEPS.iter().any(|&(east, south)| (q + east, r + south) == at);
        let found = (0..coordinates.len()).filter(|&other| next_to(&coordinates[other]));
        found.filter_map(Hex::new).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v1() -> &'static Board {
        Board::named(BoardName::V1)
    }

    fn plain_distance(board: &Board, from: Hex, to: Hex) -> u8 {
        let ((q, r), (other_q, other_r)) = (board.coordinates(from), board.coordinates(to));
        let (east, south) = (other_q - q, other_r - r);
        [east, south, east + south].into_iter().map(i8::unsigned_abs).max().unwrap_or(0)
    }

    #[test]
    fn the_island_has_42_hexes_26_ahus_and_27_logs() {
        let board = v1();

        assert_eq!((board.hexes.len(), board.ahus().len()), (42, 26));
        let logs = board.hexes.iter().map(|hex| match board.terrain(hex) {
            Terrain::Forest { logs } => logs,
            _ => 0,
        });
        assert_eq!(logs.sum::<u8>(), 27);
    }

    #[test]
    fn the_worth_of_an_ahu_is_its_distance_from_the_quarries() {
        let board = v1();

        for ahu in board.ahus() {
            let AhuData { hex, moai, headdress } = board.ahu(ahu);
            assert_eq!(moai, board.distance(board.moai_quarry, hex), "{ahu}");
            assert_eq!(headdress, board.distance(board.headdress_quarry, hex) + 3, "{ahu}");
        }
        assert_eq!(board.distance(board.moai_quarry, board.headdress_quarry), 8);
        for hex in board.hexes.iter() {
            for quarry in [board.moai_quarry, board.headdress_quarry] {
                assert_eq!(board.distance(quarry, hex), plain_distance(board, quarry, hex), "{hex}");
            }
        }
    }

    #[test]
    fn ahus_lie_on_the_coast_and_no_special_hex_has_one() {
        let board = v1();

        for ahu in board.ahus() {
            let hex = board.ahu(ahu).hex;
            assert!(board.neighbours(hex).len() < 6, "{ahu} is inland");
            assert_eq!(board.terrain(hex), Terrain::Land, "{ahu}");
            assert!(board.ahus_at(hex).contains(ahu));
        }
        let beside_the_quarry = board.neighbours(board.moai_quarry);
        assert!(beside_the_quarry.iter().all(|hex| board.ahus_at(hex).is_empty()), "no Ahu is worth 1");
    }

    #[test]
    fn the_worths_are_spread_as_reconstructed() {
        let board = v1();
        let worths = |of: fn(AhuData) -> u8| {
            let mut count = [0; 11];
            board.ahus().for_each(|ahu| count[usize::from(of(board.ahu(ahu)))] += 1);
            count
        };

        assert_eq!(worths(|ahu| ahu.moai), [0, 0, 2, 4, 3, 4, 3, 2, 5, 3, 0]);
        let headdresses = worths(|ahu| ahu.headdress);
        assert!(headdresses[..4].iter().all(|&count| count == 0) && headdresses[4] == 3, "{headdresses:?}");
    }

    #[test]
    fn the_tiny_island_is_one_too() {
        let board = Board::named(BoardName::Tiny);

        assert_eq!((board.hexes.len(), board.ahus().len()), (10, 4));
        assert!(board.hexes.iter().any(|hex| board.terrain(hex) == Terrain::Village));
        assert!(board.hexes.iter().any(|hex| board.terrain(hex) == Terrain::Hut));
    }

    #[test]
    fn a_flood_stays_in_what_is_open() {
        let board = v1();
        let quarry = board.moai_quarry;
        let beside = board.neighbours(quarry);

        assert_eq!(board.flood(quarry, Hexes::EMPTY), quarry.into());
        assert_eq!(board.flood(quarry, beside), beside | quarry.into());
        assert_eq!(board.flood(quarry, board.hexes - beside), quarry.into());
    }
}
