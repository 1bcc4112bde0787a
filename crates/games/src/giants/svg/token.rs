//! The tokens: the small shapes for figures, goods, and pieces, on the island and in the rows of the players.

use std::fmt;

use ahu_core::Seat;
use ahu_core::parts::lines::{counted, joined};
use ahu_core::parts::svg::{Svg, seat_class};

use crate::giants::Claim;
use crate::giants::piece::{Kind, Piece, Size};

/// The height of a token.
pub(super) const HEIGHT: f32 = 13.0;
/// The free space after a token in a hex, and in a row.
pub(super) const GAP: f32 = 1.5;
pub(super) const ROW_GAP: f32 = 4.0;
/// The width of a count such as `×2`.
const COUNT: f32 = 13.0;
/// The width of a figure, a disc, and a square with the number of a seat.
const FIGURE: f32 = 12.0;
/// The width of a leader.
const LEADER: f32 = 14.0;
/// The width of a Moai and of a headdress.
const PIECE: f32 = 17.0;
/// The width of a seat in brackets.
const BRACKETS: f32 = 13.5;

/// Something that a picture shows with a shape. A token of several things has their number beside the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    /// The Workers of a seat.
    Workers(Seat, u8),
    /// The Sorcerer of a seat.
    Sorcerer(Seat),
    /// The Chief of a seat.
    Chief(Seat),
    /// The Tribe Markers of a seat.
    Markers(Seat, u8),
    /// The bases of a seat.
    Bases(Seat, u8),
    /// Logs.
    Logs(u8),
    /// Rongo half-tablets.
    Halves(u8),
    /// Moai without names: on offer, or still to come.
    Moai(Size, u8),
    /// Headdresses that are still to come.
    Headdresses(u8),
    /// A piece, with the seat to whom it belongs.
    Piece {
        /// The piece.
        piece: Piece,
        /// The owner.
        claim: Claim,
        /// True if the decision is about this piece.
        is_at_hand: bool,
    },
    /// The goods behind a screen that the viewer does not see.
    Hidden,
    /// A note that there are more tokens, which the picture tells elsewhere.
    More,
}

impl Token {
    /// Returns the width of the token.
    pub(super) fn width(self) -> f32 {
        match self {
            Self::Workers(_, count) | Self::Markers(_, count) | Self::Bases(_, count) => FIGURE + count_width(count),
            Self::Logs(_) => 20.0,
            Self::Halves(count) => FIGURE + 1.0 + count_width(count),
            Self::Sorcerer(_) | Self::Chief(_) => LEADER,
            Self::Moai(_, count) | Self::Headdresses(count) => PIECE + count_width(count),
            Self::Piece { claim, is_at_hand, .. } => {
                let owner = match claim {
                    Claim::Abandoned => 0.0,
                    Claim::Held(_) => BRACKETS,
                    Claim::Marked(_) => FIGURE,
                };
                PIECE + owner + if is_at_hand { 4.0 } else { 0.0 }
            }
            Self::Hidden => 60.0,
            Self::More => 11.0,
        }
    }

    /// Returns true if the token shows the same thing as an older one, whatever its number or owner.
    fn replaces(self, old: Self) -> bool {
        match (self, old) {
            (Self::Workers(seat, _), Self::Workers(other, _))
            | (Self::Markers(seat, _), Self::Markers(other, _))
            | (Self::Bases(seat, _), Self::Bases(other, _)) => seat == other,
            (Self::Moai(size, _), Self::Moai(other, _)) => size == other,
            (Self::Piece { piece, .. }, Self::Piece { piece: other, .. }) => piece == other,
            (Self::Logs(_), Self::Logs(_))
            | (Self::Halves(_), Self::Halves(_))
            | (Self::Headdresses(_), Self::Headdresses(_)) => true,
            _ => self == old,
        }
    }

    /// Draws the token with its title.
    pub(super) fn draw(self, svg: &mut Svg, place: (f32, f32)) {
        svg.piece(self, |svg| self.shape(svg, place));
    }

    /// Draws the shape of the token, and its count if that is not 1.
    pub(super) fn shape(self, svg: &mut Svg, (x, y): (f32, f32)) {
        match self {
            Self::Workers(seat, count) => {
                worker(svg, seat, (x, y));
                times(svg, count, (x + FIGURE, y));
            }
            Self::Sorcerer(seat) => sorcerer(svg, seat, (x, y)),
            Self::Chief(seat) => chief(svg, seat, (x, y)),
            Self::Markers(seat, count) => {
                marker(svg, seat, (x, y));
                times(svg, count, (x + FIGURE, y));
            }
            Self::Bases(seat, count) => {
                base(svg, seat, (x, y));
                times(svg, count, (x + FIGURE, y));
            }
            Self::Logs(count) => logs(svg, count, (x, y)),
            Self::Halves(count) => {
                half(svg, (x, y));
                times(svg, count, (x + FIGURE + 1.0, y));
            }
            Self::Moai(size, count) => {
                piece(svg, Kind::Moai(size), size, (x, y));
                times(svg, count, (x + PIECE, y));
            }
            Self::Headdresses(count) => {
                piece(svg, Kind::Headdress, "h", (x, y));
                times(svg, count, (x + PIECE, y));
            }
            Self::Piece { piece: named, claim, is_at_hand } => {
                let x = if is_at_hand { x + 2.0 } else { x };
                if is_at_hand {
                    svg.rect("own", (x - 2.0, y - 0.5), (self.width(), HEIGHT + 1.0));
                }
                piece(svg, named.kind(), named, (x, y));
                match claim {
                    Claim::Abandoned => {}
                    Claim::Held(seat) => svg.text("s", (x + PIECE, y + 10.0), format_args!("({seat})")),
                    Claim::Marked(seat) => marker(svg, seat, (x + PIECE, y)),
                }
            }
            Self::Hidden => {
                svg.rect("back", (x, y), (self.width(), HEIGHT - 1.0));
                svg.text("b i m", (x + self.width() / 2.0, y + 10.0), "?");
            }
            Self::More => svg.text("b m", (x + self.width() / 2.0, y + 10.0), "\u{2026}"),
        }
    }
}

/// Writes the token in words, as its title.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Workers(seat, workers) => write!(f, "{} of seat {seat}", counted(workers, "Worker")),
            Self::Sorcerer(seat) => write!(f, "Sorcerer of seat {seat}"),
            Self::Chief(seat) => write!(f, "Chief of seat {seat}"),
            Self::Markers(seat, markers) => write!(f, "{} of seat {seat}", counted(markers, "Tribe Marker")),
            Self::Bases(seat, bases) => write!(f, "{} of seat {seat}", counted(bases, "base")),
            Self::Logs(logs) => f.write_str(&counted(logs, "log")),
            Self::Halves(halves) => f.write_str(&counted(halves, "Rongo half-tablet")),
            Self::Moai(size, moai) => write!(f, "{moai} Moai of size {size}"),
            Self::Headdresses(headdresses) => f.write_str(&counted(headdresses, "headdress")),
            Self::Piece { piece, claim, is_at_hand } => {
                f.write_str(&piece_text(piece))?;
                match claim {
                    Claim::Abandoned => {}
                    Claim::Held(seat) => write!(f, " of seat {seat} in this phase")?,
                    Claim::Marked(seat) => write!(f, " marked by seat {seat}")?,
                }
                f.write_str(if is_at_hand { " (to decide about)" } else { "" })
            }
            Self::Hidden => f.write_str("hidden goods"),
            Self::More => f.write_str("more, told below"),
        }
    }
}

/// Returns tokens in words.
pub(super) fn listed(tokens: &[Token]) -> String {
    joined(tokens, ", ")
}

/// Returns true if no token shows the same thing as one of the old tokens.
pub(super) fn any_gone(old: &[Token], tokens: &[Token]) -> bool {
    !old.iter().all(|old| tokens.iter().any(|token| token.replaces(*old)))
}

/// Returns a piece with its kind: `Moai 2b of size 2`, `headdress ha`.
pub(super) fn piece_text(piece: Piece) -> String {
    match piece.kind() {
        Kind::Moai(size) => format!("Moai {piece} of size {size}"),
        Kind::Headdress => format!("headdress {piece}"),
    }
}

/// Returns the width of a count. A count of one is not written.
fn count_width(count: u8) -> f32 {
    match count {
        1 => 0.0,
        0..=9 => COUNT,
        10.. => COUNT + 6.0,
    }
}

fn times(svg: &mut Svg, count: u8, (x, y): (f32, f32)) {
    if count != 1 {
        svg.text("s", (x + 0.5, y + 10.5), format_args!("\u{d7}{count}"));
    }
}

/// Writes the number of a seat on its figure.
fn number(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    svg.text("s b on m", (x, y), seat);
}

/// Draws a Worker: a person.
fn worker(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    svg.circle(seat_class(seat), (x + 5.5, y + 2.5), 2.5);
    svg.rect(seat_class(seat), (x + 0.5, y + 4.0), (10.0, 9.0));
    number(svg, seat, (x + 5.5, y + 12.0));
}

/// Draws a Sorcerer: a pointed hood.
fn sorcerer(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    svg.polygon(seat_class(seat), &[(x + 6.75, y - 1.0), (x + 13.5, y + 13.0), (x, y + 13.0)]);
    number(svg, seat, (x + 6.75, y + 12.0));
}

/// Draws a Chief: a crown.
fn chief(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    const CROWN: [(f32, f32); 7] =
        [(0.0, 0.0), (3.5, 4.5), (6.5, 0.0), (9.5, 4.5), (13.0, 0.0), (13.0, 13.0), (0.0, 13.0)];
    svg.polygon(seat_class(seat), &CROWN.map(|(dx, dy)| (x + dx, y + dy)));
    number(svg, seat, (x + 6.5, y + 12.0));
}

/// Draws a Tribe Marker: a disc.
pub(super) fn marker(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    svg.seat(seat, (x + 6.0, y + 6.5), 5.75);
}

/// Draws a base: a square.
pub(super) fn base(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    svg.rect(seat_class(seat), (x + 0.5, y + 1.0), (11.0, 11.0));
    number(svg, seat, (x + 6.0, y + 9.8));
}

/// Draws a trunk with the number of logs.
fn logs(svg: &mut Svg, count: u8, (x, y): (f32, f32)) {
    svg.rect("c1", (x, y + 1.5), (19.0, 10.0));
    svg.circle("c1", (x + 4.0, y + 6.5), 3.0);
    svg.text("s k m", (x + 13.0, y + 9.8), count);
}

/// Draws half a tablet.
fn half(svg: &mut Svg, (x, y): (f32, f32)) {
    svg.polygon(
        "c5",
        &[(x, y), (x + 12.0, y), (x + 9.5, y + 4.5), (x + 12.0, y + 8.5), (x + 10.0, y + 13.0), (x, y + 13.0)],
    );
    svg.text("s k m", (x + 5.3, y + 10.0), "R");
}

/// Draws a Moai or a headdress with a text on it.
pub(super) fn piece(svg: &mut Svg, kind: Kind, text: impl fmt::Display, (x, y): (f32, f32)) {
    const MOAI: [(f32, f32); 9] = [
        (1.0, 0.0),
        (13.5, 0.0),
        (14.0, 4.0),
        (16.5, 7.0),
        (14.5, 8.5),
        (14.5, 13.0),
        (0.0, 13.0),
        (1.0, 9.0),
        (0.0, 4.0),
    ];
    const HEADDRESS: [(f32, f32); 8] =
        [(4.0, 0.0), (12.0, 0.0), (12.0, 2.5), (16.0, 2.5), (16.0, 13.0), (0.0, 13.0), (0.0, 2.5), (4.0, 2.5)];
    let at = |(dx, dy): (f32, f32)| (x + dx, y + dy);
    match kind {
        Kind::Moai(_) => svg.polygon("c3", &MOAI.map(at)),
        Kind::Headdress => svg.polygon("c2", &HEADDRESS.map(at)),
    }
    svg.text("s k m", at((7.5, 10.5)), text);
}
