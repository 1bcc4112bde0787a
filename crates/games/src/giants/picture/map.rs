//! The map of an island: the places of its hexes and Ahus in pictures.

use ahu_core::parts::lines::joined;
use ahu_core::parts::picture::Number;

use crate::giants::BoardName;
use crate::giants::board::{Ahu, Board, Hex};

/// The lower end of the sea in wide pictures, and for phones.
pub(super) const SEA: f32 = 612.0;
pub(super) const PHONE_SEA: f32 = 386.0;
/// The distance of two rows of hexes, and the half height of a hex, in widths of a hex.
const ROW: f32 = 0.832;
const HALF: f32 = 0.555;

/// A point of a picture.
pub(super) type Point = (f32, f32);

/// The feet of the Ahus of `v1`, from the middle of their hexes: in widths of a hex, and in rows. They are chosen so that no Ahu
/// with a tall Moai covers another one.
#[rustfmt::skip]
const V1: [Point; 26] = [
    (0.37, -0.55), (0.37, -0.55), (0.37, -0.55), (0.37, -0.55), (0.72, -0.02), (-0.77, 0.29), (-0.4, -0.63),
    (0.56, -0.68), (0.37, -0.55), (0.88, 0.14), (0.75, -0.3), (-0.77, 0.18), (-0.28, 1.1), (0.7, 2.05),
    (0.22, 0.74), (0.28, 1.1), (-0.28, 1.1), (0.28, 1.1), (-0.28, 1.1), (0.28, 1.1), (-0.28, 1.1),
    (0.68, 0.72), (0.68, 1.7), (0.28, 1.1), (0.28, 1.1), (0.72, 0.5),
];

/// The feet of the Ahus of `tiny`.
const TINY: [Point; 4] = [(-0.37, -0.55), (0.37, -0.55), (0.8, 0.1), (0.0, 0.66)];

/// The places of the hexes and Ahus of an island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    board: &'static Board,
    ahus: &'static [Point],
    /// The left end of the island, and the middle of its first row.
    origin: Point,
    /// The width of a hex.
    pub(super) width: f32,
}

impl Map {
    /// Creates the map of the board of this name.
    pub(super) fn of(name: BoardName, is_phone: bool) -> Self {
        let ahus: &[Point] = match name {
            BoardName::V1 => &V1,
            BoardName::Tiny => &TINY,
        };
        let (origin, width) = if is_phone { ((14.0, 144.0), 38.0) } else { ((36.0, 152.0), 69.0) };
        Self { board: Board::named(name), ahus, origin, width }
    }

    /// Returns the middle of a hex.
    pub(super) fn hex(&self, hex: Hex) -> Point {
        let (row, column) = self.board.place(hex);
        let (x, y) = self.origin;
        (x + f32::from(column + 1) * self.width / 2.0, y + f32::from(row) * self.width * ROW)
    }

    /// Returns the foot of an Ahu.
    pub(super) fn ahu(&self, ahu: Ahu) -> Point {
        let ((x, y), (dx, dy)) = (self.hex(self.board.ahu(ahu).hex), self.ahus[ahu.index()]);
        (x + dx * self.width, y + dy * self.width * ROW)
    }

    /// Returns the outline of a hex as a path, a part of its size from its middle.
    pub(super) fn outline(&self, hex: Hex, part: f32) -> String {
        let (x, y) = self.hex(hex);
        let (right, down) = (self.width / 2.0 * part, self.width * HALF * part);
        let (top, side, right, slope) = (Number(y - down), Number(down), Number(right), Number(down / 2.0));
        format!("M{} {top}l{right} {slope}v{side}l-{right} {slope}-{right}-{slope}v-{side}z", Number(x))
    }

    /// Returns the land between the first and the last hex of each row as a path, and a part of a hex more around
    /// them.
    pub(super) fn bands(&self, more: f32) -> String {
        let rows = (0..self.board.extent().0).map(|row| {
            let here = self.board.hexes.iter().filter(|&hex| self.board.place(hex).0 == row);
            let (left, right, y) = here
                .map(|hex| self.hex(hex))
                .fold((f32::MAX, 0.0_f32, 0.0), |(left, right, _), (x, y)| (left.min(x), right.max(x), y));
            let (left, right) = (left - more * self.width, right + more * self.width);
            let high = self.width * ROW * (1.0 + more * 0.1);
            let (length, height) = (Number(right - left), Number(high));
            format!("M{} {}h{length}v{height}h-{length}z", Number(left), Number(y - high / 2.0))
        });
        joined(rows, "")
    }
}
