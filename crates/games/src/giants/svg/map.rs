//! The map of an island: the places of its hexes and Ahus in pictures.
//!
//! The Ahus lie in the sea, each with a line to its edge of the coast.

use ahu_core::parts::svg::WIDTH;

use crate::giants::BoardName;
use crate::giants::board::{Ahu, Board, Hex};

/// The size of a hex. It is taller than a regular hexagon: it has a heading and [`super::island::LINES`] lines of tokens.
pub(super) const HEX: (f32, f32) = (38.5, 63.0);
/// The height of the slopes at the top and at the bottom of a hex.
const SLOPE: f32 = 9.0;
/// The size of an Ahu: its name and its base, and below them a Moai and a headdress.
pub(super) const AHU: (f32, f32) = (33.0, 27.0);
/// The free space above and below an island with its Ahus.
const GAP: f32 = 3.0;

/// A point of a picture.
type Point = (f32, f32);

/// The upper left corners of the Ahus of `v1`, in units from the left end of the island and the middle of its first row.
/// They are chosen so that no Ahu or line covers anything.
#[rustfmt::skip]
const V1: [Point; 26] = [
    (89.0, -60.0), (128.0, -60.0), (166.0, -60.0), (205.0, -60.0), (240.0, -36.0), (20.0, 40.0), (41.0, -5.0),
    (237.0, -5.0), (274.0, -7.0), (293.0, 26.0), (306.0, 56.0), (-16.0, 148.0), (-16.0, 249.0), (180.0, 289.0),
    (213.0, 289.0), (221.0, 258.0), (186.0, 258.0), (291.0, 258.0), (256.0, 258.0), (326.0, 258.0), (2.0, 303.0),
    (177.0, 320.0), (163.0, 350.0), (51.0, 357.0), (90.0, 357.0), (157.0, 380.0),
];

/// The upper left corners of the Ahus of `tiny`.
const TINY: [Point; 4] = [(32.0, -60.0), (109.0, -60.0), (139.0, -14.0), (41.0, 145.0)];

/// The places of the hexes and Ahus of an island, in units from the upper left corner of its sea.
#[derive(Debug)]
pub(super) struct Map {
    board: &'static Board,
    ahus: &'static [Point],
    /// The place of the left end of the island and the middle of its first row.
    origin: Point,
    /// The height of the sea.
    pub(super) height: f32,
}

impl Map {
    /// Creates the map of the board of this name.
    pub(super) fn named(name: BoardName) -> Self {
        let board = Board::named(name);
        let ahus: &[Point] = match name {
            BoardName::V1 => &V1,
            BoardName::Tiny => &TINY,
        };
        let (rows, columns) = board.extent();
        let top = ahus.iter().fold(-HEX.1 / 2.0, |top, ahu| top.min(ahu.1)) - GAP;
        let land = f32::from(rows - 1) * (HEX.1 - SLOPE) + HEX.1 / 2.0;
        let bottom = ahus.iter().fold(land, |bottom, ahu| bottom.max(ahu.1 + AHU.1)) + GAP;
        let left = (WIDTH - f32::from(columns) * HEX.0 / 2.0) / 2.0;
        Self { board, ahus, origin: (left, -top), height: bottom - top }
    }

    /// Returns the centre of a hex.
    pub(super) fn hex(&self, hex: Hex) -> Point {
        let (row, column) = self.board.place(hex);
        let (x, y) = self.origin;
        (x + f32::from(column + 1) * HEX.0 / 2.0, y + f32::from(row) * (HEX.1 - SLOPE))
    }

    /// Returns the upper left corner of an Ahu.
    pub(super) fn ahu(&self, ahu: Ahu) -> Point {
        let (x, y) = self.ahus[ahu.index()];
        (self.origin.0 + x, self.origin.1 + y)
    }

    /// Returns the line from the middle of an edge to its Ahu; for an Ahu inland, from the middle of its hex. None for the
    /// later ones of several Ahus at an edge: they lie beside the first one.
    pub(super) fn line(&self, ahu: Ahu) -> Option<[Point; 2]> {
        let (hex, edge) = (self.board.ahu(ahu).hex, self.board.edge(ahu));
        if self.board.ahus_at(hex).iter().find(|&other| self.board.edge(other) == edge) != Some(ahu) {
            return None;
        }
        let centre = self.hex(hex);
        let start = edge.map_or(centre, |edge| {
            let corners = corners(centre);
            let (one, other) = (corners[edge.index()], corners[(edge.index() + 1) % corners.len()]);
            middle(one, other)
        });
        let (left, top) = self.ahu(ahu);
        Some([start, (start.0.clamp(left, left + AHU.0), start.1.clamp(top, top + AHU.1))])
    }
}

/// Returns the point in the middle between two points.
pub(super) const fn middle(one: Point, other: Point) -> Point {
    (f32::midpoint(one.0, other.0), f32::midpoint(one.1, other.1))
}

/// Returns the corners of the hex with this centre, clockwise from the top.
pub(super) fn corners((x, y): Point) -> [Point; 6] {
    let (right, down, side) = (HEX.0 / 2.0, HEX.1 / 2.0, HEX.1 / 2.0 - SLOPE);
    [(0.0, -down), (right, -side), (right, side), (0.0, down), (-right, side), (-right, -side)]
        .map(|(dx, dy)| (x + dx, y + dy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in_hex((x, y): Point, centre: Point) -> bool {
        let dx = (x - centre.0).abs();
        dx < HEX.0 / 2.0 && (y - centre.1).abs() < HEX.1 / 2.0 - SLOPE * dx / (HEX.0 / 2.0)
    }

    fn is_on_ahu((x, y): Point, (left, top): Point) -> bool {
        x > left && x < left + AHU.0 && y > top && y < top + AHU.1
    }

    /// Returns points of the border of an Ahu, near to each other.
    fn border((left, top): Point) -> impl Iterator<Item = Point> {
        let along = |length: f32| (0..=100).map(move |n: u16| length * f32::from(n) / 100.0);
        let across = along(AHU.0).flat_map(move |dx| [(left + dx, top), (left + dx, top + AHU.1)]);
        across.chain(along(AHU.1).flat_map(move |dy| [(left, top + dy), (left + AHU.0, top + dy)]))
    }

    /// Returns inner points of a line, near to each other.
    fn course([from, to]: [Point; 2]) -> impl Iterator<Item = Point> {
        let part = |n: u16| f32::from(n) / 200.0;
        (1..200).map(move |n| (from.0 + (to.0 - from.0) * part(n), from.1 + (to.1 - from.1) * part(n)))
    }

    #[test]
    fn ahus_and_their_lines_cover_no_hex_and_no_other_ahu() {
        for name in [BoardName::V1, BoardName::Tiny] {
            let (board, map) = (Board::named(name), Map::named(name));
            assert_eq!(map.ahus.len(), board.ahus().len());
            let is_on_land = |point: Point| board.hexes.iter().any(|hex| is_in_hex(point, map.hex(hex)));
            for ahu in board.ahus() {
                let is_on_other =
                    |point: Point| board.ahus().any(|other| other != ahu && is_on_ahu(point, map.ahu(other)));
                for point in border(map.ahu(ahu)) {
                    assert!(!is_on_land(point) && !is_on_other(point), "{name:?}, {ahu}: {point:?}");
                    assert!(
                        (0.0..=WIDTH).contains(&point.0) && (0.0..=map.height).contains(&point.1),
                        "{ahu}: {point:?}"
                    );
                }
                for point in map.line(ahu).into_iter().flat_map(course) {
                    assert!(!is_on_other(point), "{name:?}, the line to {ahu}: {point:?}");
                    assert!(board.edge(ahu).is_none() || !is_on_land(point), "{name:?}, the line to {ahu}: {point:?}");
                }
            }
        }
    }

    #[test]
    fn ahus_without_a_line_lie_beside_the_one_with_the_line() {
        let map = Map::named(BoardName::V1);
        let alone: Vec<Ahu> = map.board.ahus().filter(|&ahu| map.line(ahu).is_none()).collect();

        assert_eq!(alone, [Ahu::new(14).expect("an Ahu")]);
        let [one, other] = [13, 14].map(|ahu| map.ahus[ahu]);
        assert_eq!((one.0 + AHU.0, one.1), other);
    }
}
