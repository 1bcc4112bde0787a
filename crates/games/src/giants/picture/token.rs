//! The tokens: figures, goods, and pieces, on the island, in the panels of the players, and in the stocks.

use std::fmt;

use ahu_core::Seat;
use ahu_core::parts::lines::counted;
use ahu_core::parts::picture::{Number, Picture, Thing, seat_class, text_width};

use super::Drawing;
use super::map::Point;
use crate::giants::piece::{Kind, Piece, Size};
use crate::giants::{Claim, Spot, View};

/// The free space after a token in a row.
const GAP: f32 = 8.0;
/// The least height of tokens in a row.
const LEAST: f32 = 13.0;
/// The part of the width of Workers beside each other that each further one adds.
const FAN: f32 = 0.28;

/// A thing of which pictures have a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// Workers of a seat, beside each other on a hex, or with their number.
    Worker(Seat, Spot),
    /// The Sorcerer of a seat.
    Sorcerer(Seat, Spot),
    /// The Chief of a seat.
    Chief(Seat, Spot),
    /// Tribe Markers of a seat.
    Marker(Seat),
    /// Bases of a seat.
    Base(Seat),
    /// Logs.
    Log,
    /// Rongo half-tablets.
    Half,
    /// Moai or headdresses without a name, and true if they are on offer.
    Kind(Kind, bool),
    /// A piece, with its owner, and true if the decision is about it.
    Piece(Piece, Claim, bool),
}

impl Shape {
    /// Returns the token of this number of the thing.
    pub(super) const fn times(self, count: u8) -> Token {
        Token { shape: self, count, more: 0 }
    }
}

/// A number of things with one shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) shape: Shape,
    pub(super) count: u8,
    /// The number that the player can still gain.
    pub(super) more: u8,
}

impl Token {
    /// Returns the width of the shape at this height.
    pub(super) fn width(self, height: f32) -> f32 {
        height
            * match self.shape {
                Shape::Worker(_, Spot::On(_)) => 0.8 + FAN * f32::from(self.count - 1),
                Shape::Worker(..) | Shape::Sorcerer(..) => 0.8,
                Shape::Chief(..) => 0.94,
                Shape::Marker(_) | Shape::Base(_) => 0.76,
                Shape::Log => 1.22,
                Shape::Half => 0.95,
                Shape::Kind(kind, _) => kind_width(kind),
                Shape::Piece(piece, ..) => kind_width(piece.kind()),
            }
    }

    /// Returns what stands behind the shape in a row: its number, and the number that the player can still gain.
    fn counts(self) -> (String, String) {
        let more = if self.more > 0 { format!("+{}", self.more) } else { String::new() };
        let count = if self.count == 1 { String::new() } else { format!("×{}", self.count) };
        (count, more)
    }

    /// Returns the width of the token in a row.
    fn width_in_row(self, height: f32) -> f32 {
        let (count, more) = self.counts();
        let width = |class: &str, text: &str| if text.is_empty() { 0.0 } else { text_width(class, text) + 1.5 };
        self.width(height) + width("b t11", &count) + width("q t10", &more)
    }

    /// Returns true if the token shows the same thing as an older one, whatever its number or owner.
    pub(super) fn replaces(self, old: Self) -> bool {
        match (self.shape, old.shape) {
            (Shape::Piece(piece, ..), Shape::Piece(other, ..)) => piece == other,
            (shape, other) => shape == other,
        }
    }

    /// Draws the token with its foot at this point.
    pub(super) fn draw(self, picture: &mut Picture<'_>, (x, y): Point, height: f32) {
        let title = self.to_string();
        let (id, target) = self.names();
        picture.thing(Thing { title: &title, id: &id, target: &target }, |picture| {
            let person = |picture: &mut Picture<'_>, kind: &'static str, seat: Seat, x: f32| {
                picture.person(kind, seat, (x, y), height, false);
            };
            match self.shape {
                Shape::Worker(seat, spot) => {
                    let count = if matches!(spot, Spot::On(_)) { self.count } else { 1 };
                    for place in 0..count {
                        let shift = f32::from(place) - f32::from(count - 1) / 2.0;
                        person(picture, "worker", seat, x + shift * FAN * height);
                    }
                }
                Shape::Sorcerer(seat, _) => person(picture, "sorcerer", seat, x),
                Shape::Chief(seat, _) => person(picture, "chief", seat, x),
                Shape::Marker(seat) => picture.badge(seat, (x, y - height * 0.42), height * 0.38),
                Shape::Base(seat) => {
                    let side = height * 0.72;
                    let corner = (x - side / 2.0, y - height * 0.06 - side);
                    picture.rect(seat_class(seat, true), corner, (side, side), 2.0);
                    picture.emblem(seat, (x, y - height * 0.06 - side / 2.0), side * 0.6);
                }
                Shape::Log => drop(picture.symbol("log", (x, y - height * 0.14), height * 0.5)),
                Shape::Half => drop(picture.symbol("tablet", (x, y - height * 0.08), height * 0.7)),
                Shape::Kind(kind, _) => piece(picture, kind, (x, y), height),
                Shape::Piece(named, claim, is_at_hand) => {
                    if is_at_hand {
                        picture.circle("mine", (x, y - height * 0.45), height * 0.62);
                    }
                    piece(picture, named.kind(), (x, y), height);
                    owner(picture, claim, (x, y - (height * 0.1).max(2.0)), (height * 0.19).max(3.8));
                }
            }
        });
    }

    /// Returns the identity of the token, and what a click on it means.
    fn names(self) -> (String, String) {
        let figure = |name: &str, spot: Spot| match spot {
            Spot::On(hex) => format!("hex {hex}"),
            Spot::Reserve => format!("figure {name}"),
            Spot::Front => String::new(),
        };
        match self.shape {
            Shape::Worker(seat, spot @ Spot::On(hex)) => (format!("worker-{seat}-{hex}"), figure("worker", spot)),
            Shape::Worker(_, spot) => (String::new(), figure("worker", spot)),
            Shape::Sorcerer(seat, spot) => (format!("sorcerer-{seat}"), figure("sorcerer", spot)),
            Shape::Chief(seat, spot) => (format!("chief-{seat}"), figure("chief", spot)),
            Shape::Piece(piece, ..) => (piece.to_string(), format!("piece {piece}")),
            Shape::Kind(Kind::Moai(size), true) => (String::new(), format!("moai {size}")),
            Shape::Marker(_) | Shape::Base(_) | Shape::Log | Shape::Half | Shape::Kind(..) => Default::default(),
        }
    }
}

/// Writes the token in words, as its title.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count;
        match self.shape {
            Shape::Worker(seat, _) => write!(f, "{} of seat {seat}", counted(count, "Worker"))?,
            Shape::Sorcerer(seat, _) => write!(f, "Sorcerer of seat {seat}")?,
            Shape::Chief(seat, _) => write!(f, "Chief of seat {seat}")?,
            Shape::Marker(seat) => write!(f, "{} of seat {seat}", counted(count, "Tribe Marker"))?,
            Shape::Base(seat) => write!(f, "{} of seat {seat}", counted(count, "base"))?,
            Shape::Log => f.write_str(&counted(count, "log"))?,
            Shape::Half => f.write_str(&counted(count, "Rongo half-tablet"))?,
            Shape::Kind(Kind::Moai(size), _) => write!(f, "{count} Moai of size {size}")?,
            Shape::Kind(Kind::Headdress, _) => f.write_str(&counted(count, "headdress"))?,
            Shape::Piece(piece, claim, is_at_hand) => {
                match piece.kind() {
                    Kind::Moai(size) => write!(f, "Moai {piece} of size {size}")?,
                    Kind::Headdress => write!(f, "headdress {piece}")?,
                }
                match claim {
                    Claim::Abandoned => {}
                    Claim::Held(seat) => write!(f, " of seat {seat} in this phase")?,
                    Claim::Marked(seat) => write!(f, " marked by seat {seat}")?,
                }
                f.write_str(if is_at_hand { " (to decide about)" } else { "" })?;
            }
        }
        if self.more > 0 { write!(f, ", {} more to gain", self.more) } else { Ok(()) }
    }
}

/// A row of tokens.
impl Drawing<'_, '_> {
    /// Draws tokens in a row with their numbers, and marks the new ones and the places of missing ones. The row begins at the
    /// foot of the first one, and has this height, or less if its room is small; in the least room tokens lie on each other.
    /// Returns its end.
    pub(super) fn row(&mut self, (left, y): Point, room: f32, height: f32, of: impl Fn(&View) -> Vec<Token>) -> f32 {
        let (tokens, old) = (of(self.view), self.before.map(of));
        let width = |height: f32| tokens.iter().map(|token| token.width_in_row(height) + GAP).sum::<f32>() - GAP;
        let smaller =
            std::iter::successors(Some(height), |height| Some(height - 0.5)).take_while(|height| *height > LEAST);
        let full = height;
        let height = smaller.into_iter().find(|&height| width(height) <= room).unwrap_or(LEAST);
        let y = y - (full - height) / 2.0;
        let part = (room / width(height).max(1.0)).min(1.0);
        let mut x = left;
        for token in &tokens {
            let width = token.width_in_row(height) + GAP;
            let shape = token.width(height);
            token.draw(self.picture, (x + shape / 2.0, y), height);
            let (count, more) = token.counts();
            let behind = x + shape + 1.5;
            if !count.is_empty() {
                self.picture.text("b t11", (behind, y - height / 2.0 + 4.0), &count);
            }
            if !more.is_empty() {
                let behind = if count.is_empty() { behind } else { behind + text_width("b t11", &count) + 1.5 };
                self.picture.text("q t10", (behind, y - height / 2.0 + 4.0), &more);
            }
            if old.as_ref().is_some_and(|old| !old.contains(token)) {
                self.picture.mark((x - 1.0, y - height - 1.5), (width - GAP + 3.5, height + 3.0));
            }
            x += width * part;
        }
        if old.is_some_and(|old| any_gone(&old, &tokens)) {
            self.picture.mark((x - 1.0, y - height), (9.0, height));
            let cross = format_args!("M{} {}l5 5m0-5l-5 5", Number(x + 1.0), Number(y - height / 2.0 - 2.5));
            self.picture.path("cross", cross);
            x += 12.0;
        }
        x
    }
}

/// Returns true if no token shows the same thing as one of the old tokens.
pub(super) fn any_gone(old: &[Token], tokens: &[Token]) -> bool {
    !old.iter().all(|old| tokens.iter().any(|token| token.replaces(*old)))
}

/// Returns the tokens of which there are any, or can be more.
pub(super) fn some(tokens: impl IntoIterator<Item = Token>) -> impl Iterator<Item = Token> {
    tokens.into_iter().filter(|token| token.count + token.more > 0)
}

/// Returns the height of a Moai of this size, as a part of the height of a row.
const fn part(size: Size) -> f32 {
    0.56 + 0.16 * size.units() as f32
}

fn kind_width(kind: Kind) -> f32 {
    match kind {
        Kind::Moai(size) => 0.74 * part(size),
        Kind::Headdress => 0.8,
    }
}

/// Draws a Moai or a headdress.
fn piece(picture: &mut Picture<'_>, kind: Kind, foot: Point, height: f32) {
    match kind {
        Kind::Moai(size) => picture.moai(foot, height * part(size), false),
        Kind::Headdress => drop(picture.symbol("pukao", (foot.0, foot.1 - height * 0.08), height * 0.45)),
    }
}

/// Draws the badge of an owner, in a pale ring for who moved the piece and left it without a Tribe Marker.
fn owner(picture: &mut Picture<'_>, claim: Claim, at: Point, radius: f32) {
    match claim {
        Claim::Abandoned => {}
        Claim::Marked(seat) => picture.badge(seat, at, radius),
        Claim::Held(seat) => {
            picture.circle("face", at, radius + 1.0);
            picture.badge(seat, at, radius - 0.8);
        }
    }
}
