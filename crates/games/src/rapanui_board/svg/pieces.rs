//! The pieces of the picture, each in its shape, and the rows in which they stand.

use ahu_core::Seat;
use ahu_core::parts::svg::{Svg, seat_class};

use crate::rapanui_board::{Cargo, Resource, Size, Tile};

/// The distance from one piece to the next.
const GAP: f32 = 1.0;
/// The distance from one item to the next.
const ITEM_GAP: f32 = 6.0;
/// The width of a letter of a small text, about.
const LETTER: f32 = 5.4;

/// The width of the largest Moai, and of a Pukao.
const MOAI_WIDTH: f32 = 11.5;

/// A thing on the table. It is drawn on a base line.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    /// A Villager of the seat: not placed, a Sculptor, or a standing Transporter.
    Villager(Seat),
    /// A Transporter of the seat that lies: it is fatigued.
    Lying(Seat),
    /// The Sorcerer of the seat, with a pointed hat.
    Sorcerer(Seat),
    /// The Chief of the seat, with a crown.
    Chief(Seat),
    /// A virtual Sculptor of the seat, by Chip In.
    Virtual(Seat),
    /// A free place for a Sculptor.
    Place,
    /// An erected or sculpted Moai.
    Moai(Size),
    /// A Moai with a Pukao.
    Styled(Size),
    /// A Moai or a Pukao that is transported.
    Cargo(Cargo),
    /// A Pukao.
    Pukao,
    /// An Ahu tile.
    Tile(Tile),
    /// An ahu before the tiles are laid.
    Ahu,
    /// A Resource.
    Resource(Resource),
}

impl Piece {
    /// Returns the width of the piece.
    const fn width(self) -> f32 {
        match self {
            Self::Villager(_) | Self::Sorcerer(_) | Self::Chief(_) | Self::Place => 9.0,
            Self::Resource(_) => 11.0,
            Self::Moai(_) | Self::Styled(_) | Self::Cargo(_) | Self::Pukao => MOAI_WIDTH,
            Self::Tile(_) | Self::Ahu => 14.0,
            Self::Lying(_) => 15.0,
            Self::Virtual(_) => 24.0,
        }
    }

    /// Draws the piece with its lower left corner at this point.
    pub(super) fn draw(self, svg: &mut Svg, (x, y): (f32, f32)) {
        match self {
            Self::Villager(seat) => {
                svg.circle(seat_class(seat), (x + 4.5, y - 12.0), 3.2);
                body(svg, seat, (x, y));
            }
            Self::Sorcerer(seat) => {
                svg.polygon(seat_class(seat), &[(x + 4.5, y - 18.0), (x + 9.0, y - 8.5), (x, y - 8.5)]);
                body(svg, seat, (x, y));
            }
            Self::Chief(seat) => {
                let crown = [(0.0, 9.0), (0.0, 16.0), (2.5, 12.5), (4.5, 16.5), (6.5, 12.5), (9.0, 16.0), (9.0, 9.0)];
                svg.polygon(seat_class(seat), &crown.map(|(dx, dy)| (x + dx, y - dy)));
                body(svg, seat, (x, y));
            }
            Self::Lying(seat) => {
                svg.circle(seat_class(seat), (x + 3.2, y - 4.5), 3.2);
                body(svg, seat, (x + 6.0, y));
            }
            Self::Virtual(seat) => {
                Self::Tile(Tile::ChipIn).draw(svg, (x, y));
                body(svg, seat, (x + 15.0, y));
            }
            Self::Place => svg.rect("none", (x, y - 13.0), (9.0, 13.0)),
            Self::Moai(size) => statue(svg, "c3", size, (x, y)),
            Self::Styled(size) => {
                statue(svg, "c3", size, (x, y));
                pukao(svg, (x, y - height(size)));
            }
            Self::Cargo(Cargo::Moai(size)) => statue(svg, "c2", size, (x, y)),
            Self::Cargo(Cargo::Pukao) => svg.rect("c2", (x, y - 10.0), (MOAI_WIDTH, 8.0)),
            Self::Pukao => pukao(svg, (x, y - 2.0)),
            Self::Tile(tile) => {
                svg.piece(tile, |svg| {
                    svg.rect("cell", (x, y - 14.0), (14.0, 14.0));
                    svg.text("s m", (x + 7.0, y - 4.0), code(tile));
                });
            }
            Self::Ahu => svg.rect("none", (x, y - 14.0), (14.0, 14.0)),
            Self::Resource(resource) => {
                svg.rect(resource_class(resource), (x, y - 13.0), (11.0, 11.0));
                svg.text("s k m", (x + 5.5, y - 4.2), initial(resource.name()));
            }
        }
    }
}

/// Draws the body of a figurine with the number of its seat.
fn body(svg: &mut Svg, seat: Seat, (x, y): (f32, f32)) {
    svg.rect(seat_class(seat), (x, y - 9.0), (9.0, 9.0));
    svg.text("s b on m", (x + 4.5, y - 1.2), seat);
}

/// Draws a Moai in its size, with the letter of the size.
fn statue(svg: &mut Svg, class: &str, size: Size, (x, y): (f32, f32)) {
    let width = height(size) * 10.0 / 18.0;
    svg.moai_of_height(class, (x + (MOAI_WIDTH - width) / 2.0, y - height(size)), height(size));
    svg.text("s b k m", (x + MOAI_WIDTH / 2.0, y - 1.5), initial(size.name()));
}

/// Returns the height of a Moai.
const fn height(size: Size) -> f32 {
    match size {
        Size::Small => 14.5,
        Size::Medium => 17.5,
        Size::Large => 20.5,
    }
}

/// Draws a Pukao, the headdress of a Moai.
fn pukao(svg: &mut Svg, (x, y): (f32, f32)) {
    svg.rect("c2", (x + 1.0, y - 4.5), (MOAI_WIDTH - 2.0, 4.5));
}

/// Draws pieces side by side from this point of their base line on. They overlap if they need more room than there is.
pub(super) fn row(svg: &mut Svg, pieces: &[Piece], (x, y): (f32, f32), room: f32) {
    let Some((last, others)) = pieces.split_last() else { return };
    let needed: f32 = others.iter().map(|piece| piece.width() + GAP).sum();
    let scale = if needed > 0.0 { ((room - last.width()) / needed).min(1.0) } else { 1.0 };
    let mut at = x;
    for piece in pieces {
        piece.draw(svg, (at, y));
        at += (piece.width() + GAP) * scale;
    }
}

/// A piece with a text, or a text alone, in a list.
pub(super) struct Item {
    pub(super) piece: Option<Piece>,
    pub(super) text: String,
    /// True if the item is marked as changed.
    pub(super) has_changed: bool,
}

impl Item {
    /// Returns the width of the item.
    fn width(&self) -> f32 {
        let text = self.text.chars().count() as f32 * LETTER;
        match self.piece {
            Some(piece) if self.text.is_empty() => piece.width(),
            Some(piece) => piece.width() + 5.0 + text,
            None => 6.0 + text,
        }
    }

    /// Draws the item with its lower left corner at this point. A text alone has a frame.
    pub(super) fn draw(&self, svg: &mut Svg, (x, y): (f32, f32)) {
        if let Some(piece) = self.piece {
            piece.draw(svg, (x, y));
            if !self.text.is_empty() {
                svg.text("s", (x + piece.width() + 2.0, y - 4.0), &self.text);
            }
        } else {
            svg.rect("cell", (x, y - 14.0), (self.width(), 14.0));
            svg.text("s m", (x + self.width() / 2.0, y - 4.0), &self.text);
        }
        if self.has_changed {
            svg.mark((x - 2.0, y - 16.0), (self.width() + 4.0, 18.0));
        }
    }
}

/// Returns the items in rows that are at most as wide as `room`, each with its distance from the left.
pub(super) fn rows(items: &[Item], room: f32) -> Vec<Vec<(f32, &Item)>> {
    let mut rows: Vec<Vec<(f32, &Item)>> = Vec::new();
    let mut x = f32::INFINITY;
    for item in items {
        if x + item.width() > room {
            rows.push(Vec::new());
            x = 0.0;
        }
        rows.last_mut().expect("the first item begins a row").push((x, item));
        x += item.width() + ITEM_GAP;
    }
    rows
}

/// Returns the first letter of a name, as a capital letter.
pub(super) fn initial(name: &str) -> char {
    name.chars().next().map_or(' ', |first| first.to_ascii_uppercase())
}

/// Returns the class of things of a Resource.
pub(in crate::rapanui_board) const fn resource_class(resource: Resource) -> &'static str {
    match resource {
        Resource::Reeds => "c0",
        Resource::Eggs => "c5",
        Resource::Wood => "c1",
        Resource::Pearls => "c6",
    }
}

/// Returns the two letters of an Ahu tile. The legend explains them.
const fn code(tile: Tile) -> &'static str {
    match tile {
        Tile::Rest => "Re",
        Tile::Barter => "Ba",
        Tile::Skimp => "Sk",
        Tile::ChipIn => "CI",
        Tile::TakeThreeMore => "T3",
        Tile::TakeYourPick => "TP",
        Tile::ChangeJobs => "CJ",
        Tile::LendAHand => "LH",
        Tile::GainFavor => "GF",
        Tile::TakeTwoMore => "T2",
    }
}
