//! The island: its hexes, the Ahus along its coast, and the distances.
//!
//! A board is a file in `boards/`, a drawing of the island that is read once. Another board is another file and another
//! [`BoardName`].
//!
//! Hexes, Ahus, and pieces are numbered from 0, in files, texts, tensors, and messages alike. Every board has at most 42 hexes
//! and 26 Ahus. `tiny` is for tests.

use std::sync::LazyLock;

use ahu_core::parse::words;
use ahu_core::parts::set::Set;
use ahu_core::{named, numbered};

use super::options::BoardName;

/// The most hexes that a board may have.
pub const MAX_HEXES: usize = 42;
/// The most Ahus that a board may have.
pub const MAX_AHUS: usize = 26;

numbered! {
    /// A hex of the island. Its text is its number, 0 to 41: row by row from north to south, each from west to east.
    #[derive(Default)]
    pub struct Hex("hex", 0..=MAX_HEXES - 1);
    /// A stone platform for one Moai. Its text is `a0` to `a25`, in the order of the hexes.
    #[derive(Default)]
    pub struct Ahu("Ahu", prefix "a", 0..=MAX_AHUS - 1);
}

/// A set of hexes.
pub type Hexes = Set<Hex>;
/// A set of Ahus.
pub type Ahus = Set<Ahu>;

/// The kind of a hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terrain {
    /// Open land or coast, with an Ahu or without.
    Land,
    /// The quarry where Moai are sculpted.
    MoaiQuarry,
    /// The quarry where headdresses are sculpted.
    HeaddressQuarry,
    /// The village, where the Sorcerer finds a Worker.
    Village,
    /// The Sorcerers' hut, where the Sorcerer finds a Tribe Marker.
    Hut,
    /// A forest, where the Sorcerer finds logs once a game.
    Forest {
        /// The number of logs on its tile.
        logs: u8,
    },
}

/// The hex and the values of an Ahu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AhuData {
    /// The one hex that the Ahu touches.
    pub hex: Hex,
    /// The black number: Prestige Points for each unit of a Moai's size.
    pub moai: u8,
    /// The red number: Prestige Points for a headdress.
    pub headdress: u8,
}

named! {
    /// The edges of a hex, clockwise.
    pub enum Edge("edge") {
        /// The north-eastern edge.
        NorthEast = "north_east",
        /// The eastern edge.
        East = "east",
        /// The south-eastern edge.
        SouthEast = "south_east",
        /// The south-western edge.
        SouthWest = "south_west",
        /// The western edge.
        West = "west",
        /// The north-western edge.
        NorthWest = "north_west",
    }
}

impl Edge {
    /// Returns the axial coordinates of the neighbour beyond the edge, relative to the hex.
    const fn step(self) -> (i8, i8) {
        match self {
            Self::NorthEast => (1, -1),
            Self::East => (1, 0),
            Self::SouthEast => (0, 1),
            Self::SouthWest => (-1, 1),
            Self::West => (-1, 0),
            Self::NorthWest => (0, -1),
        }
    }
}

/// An island.
#[derive(Clone, Debug)]
pub struct Board {
    /// All hexes.
    pub hexes: Hexes,
    /// The hex where Moai start.
    pub moai_quarry: Hex,
    /// The hex where headdresses start.
    pub headdress_quarry: Hex,
    /// The axial coordinates (q, r) of each hex, pointy-top: east is (+1, 0), south-east (0, +1).
    coordinates: Vec<(i8, i8)>,
    terrain: Vec<Terrain>,
    ahus: Vec<AhuData>,
    /// The hexes that share an edge with each hex.
    neighbours: [Hexes; MAX_HEXES],
    /// The Ahus that touch each hex.
    ahus_at: [Ahus; MAX_HEXES],
    /// The number of steps over land between any two hexes.
    distances: [[u8; MAX_HEXES]; MAX_HEXES],
}

impl Board {
    /// Returns the board of this name.
    #[inline]
    pub fn named(name: BoardName) -> &'static Self {
        static V1: LazyLock<Board> = LazyLock::new(|| Board::read(include_str!("boards/v1.txt")));
        static TINY: LazyLock<Board> = LazyLock::new(|| Board::read(include_str!("boards/tiny.txt")));
        match name {
            BoardName::V1 => &V1,
            BoardName::Tiny => &TINY,
        }
    }

    /// Returns the terrain of a hex.
    #[inline]
    pub fn terrain(&self, hex: Hex) -> Terrain {
        self.terrain[hex.index()]
    }

    /// Returns all Ahus in rising order.
    pub fn ahus(&self) -> impl ExactSizeIterator<Item = Ahu> {
        (0..self.ahus.len() as u8).map(Ahu)
    }

    /// Returns the set of all Ahus.
    #[inline]
    pub fn all_ahus(&self) -> Ahus {
        Ahus::from_bits((1 << self.ahus.len()) - 1)
    }

    /// Returns the hex and the values of an Ahu.
    #[inline]
    pub fn ahu(&self, ahu: Ahu) -> AhuData {
        self.ahus[ahu.index()]
    }

    /// Returns the hexes that share an edge with `hex`.
    #[inline]
    pub fn neighbours(&self, hex: Hex) -> Hexes {
        self.neighbours[hex.index()]
    }

    /// Returns the Ahus that touch `hex`.
    #[inline]
    pub fn ahus_at(&self, hex: Hex) -> Ahus {
        self.ahus_at[hex.index()]
    }

    /// Returns the number of steps over land between two hexes.
    #[inline]
    pub fn distance(&self, from: Hex, to: Hex) -> u8 {
        self.distances[from.index()][to.index()]
    }

    /// Returns the hex at these axial coordinates, if there is one.
    pub fn hex_at(&self, q: i8, r: i8) -> Option<Hex> {
        self.coordinates.iter().position(|&at| at == (q, r)).and_then(Hex::new)
    }

    /// Returns the axial coordinates (q, r) of a hex: east is (+1, 0), south-east (0, +1).
    pub fn coordinates(&self, hex: Hex) -> (i8, i8) {
        self.coordinates[hex.index()]
    }

    /// Returns the row of a hex on the map, and the column of its western half, both from 0. A hex is two columns wide, and
    /// each row is shifted against the next one by one column.
    pub fn place(&self, hex: Hex) -> (u8, u8) {
        let column = |(q, r): (i8, i8)| 2 * q + r;
        let west = self.coordinates.iter().copied().map(column).min().unwrap_or(0);
        let at = self.coordinates(hex);
        (at.1.unsigned_abs(), (column(at) - west).unsigned_abs())
    }

    /// Returns the number of rows and of columns of the map.
    pub fn extent(&self) -> (u8, u8) {
        let places = || self.hexes.iter().map(|hex| self.place(hex));
        (places().map(|(row, _)| row + 1).max().unwrap_or(0), places().map(|(_, column)| column + 2).max().unwrap_or(0))
    }

    /// Returns the edges of a hex that lie on the coast, clockwise.
    pub fn coasts(&self, hex: Hex) -> impl Iterator<Item = Edge> {
        let (q, r) = self.coordinates(hex);
        Edge::ALL.into_iter().filter(move |edge| {
            let (east, south) = edge.step();
            self.hex_at(q + east, r + south).is_none()
        })
    }

    /// Returns the edge of its hex at which pictures show an Ahu: the Ahus of a hex are spread over its coast. They share an
    /// edge where the coast has fewer edges. None for an Ahu inland.
    pub fn edge(&self, ahu: Ahu) -> Option<Edge> {
        let hex = self.ahu(ahu).hex;
        let here = self.ahus_at(hex);
        let before = here.iter().take_while(|&other| other != ahu).count();
        let coasts: Vec<Edge> = self.coasts(hex).collect();
        coasts.get(before * coasts.len() / here.len()).copied()
    }

    /// Returns the hexes that can be reached from `start` through hexes of `open`, `start` included.
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

/// The number of file columns between two neighbours in a row. Each row is shifted by half of that.
const CELL_WIDTH: usize = 6;

/// The parser of a board file.
impl Board {
    /// Reads a drawn island. The comment of `boards/v1.txt` explains the format.
    ///
    /// # Panics
    /// If the drawing is not a valid island. The boards are part of the repository, and tests read them all.
    fn read(drawing: &str) -> Self {
        let rows = drawing.lines().filter(|line| !line.starts_with('#'));
        let (mut coordinates, mut terrain, mut ahus) = (Vec::new(), Vec::new(), Vec::new());
        for (r, row) in rows.enumerate() {
            for (column, cell) in words(row) {
                let hex = Hex::new(coordinates.len()).expect("a board has at most 42 hexes");
                coordinates.push((q_of(column, r), r as i8));
                let (kind, sites) = read_cell(cell);
                terrain.push(kind);
                ahus.extend(sites.into_iter().map(|(moai, headdress)| AhuData { hex, moai, headdress }));
            }
        }
        assert!(ahus.len() <= MAX_AHUS, "expected at most {MAX_AHUS} Ahus on a board, got {}", ahus.len());
        let only = |wanted: Terrain| {
            let mut found = (0..terrain.len()).filter(|&hex| terrain[hex] == wanted);
            let hex = found.next().and_then(Hex::new).unwrap_or_else(|| panic!("expected one {wanted:?}, got none"));
            assert!(found.next().is_none(), "expected one {wanted:?}, got several");
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
            distances: [[u8::MAX; MAX_HEXES]; MAX_HEXES],
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

    /// Writes the distances from `hex` to all hexes, ring by ring.
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

/// Returns the first axial coordinate of the cell in this column of row `r`.
fn q_of(column: usize, r: usize) -> i8 {
    let east = column as i32 - (r * CELL_WIDTH / 2) as i32;
    assert!(east % CELL_WIDTH as i32 == 0, "row {r}, column {column}: no cell is drawn there");
    (east / CELL_WIDTH as i32) as i8
}

/// Reads a cell: the terrain, and for each Ahu the black and the red number.
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

/// Reads a cell of the coast, such as `5/6**`: the black and the red number, and a star for each Ahu.
fn read_coast(cell: &str) -> Vec<(u8, u8)> {
    let values = cell.trim_end_matches('*');
    let (moai, headdress) = values.split_once('/').unwrap_or_else(|| panic!("unknown cell \"{cell}\" of a board"));
    vec![(number(moai), number(headdress)); cell.len() - values.len()]
}

fn number(text: &str) -> u8 {
    text.parse().unwrap_or_else(|_| panic!("expected a number, got \"{text}\""))
}

/// Returns, by hex, the hexes that share an edge with it.
fn neighbours(coordinates: &[(i8, i8)]) -> [Hexes; MAX_HEXES] {
    std::array::from_fn(|hex| {
        let Some(&(q, r)) = coordinates.get(hex) else { return Hexes::EMPTY };
        let steps = Edge::ALL.map(Edge::step);
        let next_to = |&at: &(i8, i8)| steps.iter().any(|&(east, south)| (q + east, r + south) == at);
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
