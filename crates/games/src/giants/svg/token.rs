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

/// A thing of which pictures have a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Thing {
    /// A Worker of a seat.
    Worker(Seat),
    /// The Sorcerer of a seat.
    Sorcerer(Seat),
    /// The Chief of a seat.
    Chief(Seat),
    /// A Tribe Marker of a seat.
    Marker(Seat),
    /// A base of a seat.
    Base(Seat),
    /// A log.
    Log,
    /// A Rongo half-tablet.
    Half,
    /// A Moai without a name: on offer, or still to come.
    Moai(Size),
    /// A headdress that is still to come.
    Headdress,
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

impl Thing {
    /// Returns the token of this number of the thing.
    pub(super) const fn times(self, count: u8) -> Token {
        Token { thing: self, count }
    }

    /// Returns the width of the shape.
    fn width(self) -> f32 {
        match self {
            Self::Worker(_) | Self::Marker(_) | Self::Base(_) => FIGURE,
            Self::Log => 20.0,
            Self::Half => FIGURE + 1.0,
            Self::Sorcerer(_) | Self::Chief(_) => LEADER,
            Self::Moai(_) | Self::Headdress => PIECE,
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
}

/// A number of things that a picture shows with one shape, and with their number beside it if that is not 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) thing: Thing,
    pub(super) count: u8,
}

impl Token {
    /// Returns the width of the token.
    pub(super) fn width(self) -> f32 {
        let count = match (self.thing, self.count) {
            // The number of logs stands on their shape.
            (Thing::Log, _) | (_, 1) => 0.0,
            (_, 0..=9) => COUNT,
            (_, 10..) => COUNT + 6.0,
        };
        self.thing.width() + count
    }

    /// Returns true if the token shows the same thing as an older one, whatever its number or owner.
    fn replaces(self, old: Self) -> bool {
        match (self.thing, old.thing) {
            (Thing::Piece { piece, .. }, Thing::Piece { piece: other, .. }) => piece == other,
            (thing, other) => thing == other,
        }
    }

    /// Draws the token with its title.
    pub(super) fn draw(self, svg: &mut Svg, place: (f32, f32)) {
        svg.piece(self, |svg| self.shape(svg, place));
    }

    /// Draws the shape of the token, and its count if that is not 1.
    pub(super) fn shape(self, svg: &mut Svg, (x, y): (f32, f32)) {
        let width = self.thing.width();
        match self.thing {
            Thing::Worker(seat) => worker(svg, seat, (x, y)),
            Thing::Sorcerer(seat) => sorcerer(svg, seat, (x, y)),
            Thing::Chief(seat) => chief(svg, seat, (x, y)),
            Thing::Marker(seat) => marker(svg, seat, (x, y)),
            Thing::Base(seat) => base(svg, seat, (x, y)),
            Thing::Log => return logs(svg, self.count, (x, y)),
            Thing::Half => half(svg, (x, y)),
            Thing::Moai(size) => piece(svg, Kind::Moai(size), size, (x, y)),
            Thing::Headdress => piece(svg, Kind::Headdress, "h", (x, y)),
            Thing::Piece { piece: named, claim, is_at_hand } => {
                let x = if is_at_hand { x + 2.0 } else { x };
                if is_at_hand {
                    svg.rect("own", (x - 2.0, y - 0.5), (width, HEIGHT + 1.0));
                }
                piece(svg, named.kind(), named, (x, y));
                match claim {
                    Claim::Abandoned => {}
                    Claim::Held(seat) => svg.text("s", (x + PIECE, y + 10.0), format_args!("({seat})")),
                    Claim::Marked(seat) => marker(svg, seat, (x + PIECE, y)),
                }
            }
            Thing::Hidden => {
                svg.rect("back", (x, y), (width, HEIGHT - 1.0));
                svg.text("b i m", (x + width / 2.0, y + 10.0), "?");
            }
            Thing::More => svg.text("b m", (x + width / 2.0, y + 10.0), "\u{2026}"),
        }
        if self.count != 1 {
            svg.text("s", (x + width + 0.5, y + 10.5), format_args!("\u{d7}{}", self.count));
        }
    }
}

/// Writes the token in words, as its title.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count;
        match self.thing {
            Thing::Worker(seat) => write!(f, "{} of seat {seat}", counted(count, "Worker")),
            Thing::Sorcerer(seat) => write!(f, "Sorcerer of seat {seat}"),
            Thing::Chief(seat) => write!(f, "Chief of seat {seat}"),
            Thing::Marker(seat) => write!(f, "{} of seat {seat}", counted(count, "Tribe Marker")),
            Thing::Base(seat) => write!(f, "{} of seat {seat}", counted(count, "base")),
            Thing::Log => f.write_str(&counted(count, "log")),
            Thing::Half => f.write_str(&counted(count, "Rongo half-tablet")),
            Thing::Moai(size) => write!(f, "{count} Moai of size {size}"),
            Thing::Headdress => f.write_str(&counted(count, "headdress")),
            Thing::Piece { piece, claim, is_at_hand } => {
                f.write_str(&piece_text(piece))?;
                match claim {
                    Claim::Abandoned => {}
                    Claim::Held(seat) => write!(f, " of seat {seat} in this phase")?,
                    Claim::Marked(seat) => write!(f, " marked by seat {seat}")?,
                }
                f.write_str(if is_at_hand { " (to decide about)" } else { "" })
            }
            Thing::Hidden => f.write_str("hidden goods"),
            Thing::More => f.write_str("more, told below"),
        }
    }
}

/// Returns the tokens of which there are any.
pub(super) fn some<const N: usize>(tokens: [Token; N]) -> impl Iterator<Item = Token> {
    tokens.into_iter().filter(|token| token.count > 0)
}

/// Returns the tokens of leaders.
pub(super) fn leaders(seat: Seat, sorcerer: bool, chief: bool) -> impl Iterator<Item = Token> {
    some([Thing::Sorcerer(seat).times(sorcerer.into()), Thing::Chief(seat).times(chief.into())])
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
