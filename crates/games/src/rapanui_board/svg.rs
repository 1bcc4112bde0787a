//! The picture of the table.
//!
//! From top to bottom: the step and the empty ahus, the map, the turn order track, the Moai Quarry, the Offering tiles, the
//! players in turn order, and the legend.

mod map;
mod pieces;
mod players;
mod supply;

use ahu_core::parts::lines::wrapped_lists;
use ahu_core::parts::svg::{MARGIN, Svg, WIDTH};
use ahu_core::{Draw, Seat};

pub(super) use self::pieces::resource_class;
use self::pieces::{Item, Piece, rows};
use super::cargo::Cargo;
use super::moai::Size;
use super::phase::Phase;
use super::resource::Resource;
use super::table::Table;
use super::tile::{Tile, Tiles};
use super::view::View;

/// The width of the content.
const ROOM: f32 = WIDTH - 2.0 * MARGIN;
/// The height of a row of items.
const ITEM_ROW: f32 = 19.0;
/// The characters in a line of text.
const LINE: usize = 74;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, headline: &str) -> (Svg, f32) {
        let mut picture = Picture { svg: Svg::new(), view: self, table: &self.table, before, y: MARGIN };
        picture.y = picture.svg.headline(headline, picture.y);
        picture.empty_ahus();
        picture.map();
        picture.draft();
        picture.turn_order();
        picture.quarry();
        picture.offerings();
        picture.players();
        picture.legend();
        (picture.svg, picture.y)
    }
}

/// The picture so far. `y` is where the next part begins.
struct Picture<'a> {
    svg: Svg,
    view: &'a View,
    table: &'a Table,
    before: Option<&'a View>,
    y: f32,
}

impl Picture<'_> {
    /// Returns true if a fact differs from the one before.
    fn has_changed<T: PartialEq>(&self, of: impl Fn(&View) -> T) -> bool {
        self.before.is_some_and(|before| of(before) != of(self.view))
    }

    /// Marks a place if a fact differs from the one before.
    fn mark<T: PartialEq>(&mut self, at: (f32, f32), size: (f32, f32), of: impl Fn(&View) -> T) {
        if self.has_changed(of) {
            self.svg.mark(at, size);
        }
    }

    /// Writes the heading of a part.
    fn heading(&mut self, text: &str) {
        self.svg.text("s b", (MARGIN, self.y + 9.0), text);
        self.y += 13.0;
    }

    /// Draws items in rows, which begin at this distance from the margin.
    fn items(&mut self, items: &[Item], indent: f32) {
        for row in rows(items, ROOM - indent) {
            for (x, item) in row {
                item.draw(&mut self.svg, (MARGIN + indent + x, self.y + ITEM_ROW - 3.0));
            }
            self.y += ITEM_ROW;
        }
    }

    /// Writes the number of empty ahus, and the ways in which the game may end.
    fn empty_ahus(&mut self) {
        let top = self.y;
        let text = wrapped_lists(&format!("empty ahus: {}", self.table.empty_ahus_text()), LINE, 0);
        self.y = self.svg.paragraph("s d", &text, self.y, 12.0);
        let size = (ROOM + 4.0, self.y - top + 1.0);
        self.mark((MARGIN - 2.0, top), size, |view| view.table.empty_ahus_text());
        self.y += 5.0;
    }

    /// Draws the tiles of the draft; nothing after it.
    fn draft(&mut self) {
        if let Phase::Draft { .. } = self.table.phase {
            for (what, items) in [
                ("displayed Ahu tiles", self.tiles(|table| table.display)),
                ("Ahu tiles set aside", self.tiles(|table| table.aside)),
            ] {
                self.heading(&format!("{what}{}", if items.is_empty() { ": none" } else { "" }));
                self.items(&items, 0.0);
            }
            self.y += 4.0;
        }
    }

    /// Returns an item for each kind of tiles, also if the last one has just gone.
    fn tiles(&self, of: impl Fn(&Table) -> Tiles) -> Vec<Item> {
        let mut items = Vec::new();
        for (tile, count) in of(self.table).iter() {
            let has_changed = self.has_changed(|view| of(&view.table)[tile]);
            if count > 0 || has_changed {
                let text = if count == 1 { String::new() } else { format!("\u{d7}{count}") };
                items.push(Item { piece: Some(Piece::Tile(tile)), text, has_changed });
            }
        }
        items
    }

    /// Draws each kind of pieces with its name.
    fn legend(&mut self) {
        let item =
            |(piece, name): (Piece, &str)| Item { piece: Some(piece), text: name.to_owned(), has_changed: false };
        self.heading("Resources; Ahu tiles, which lie on free ahus; other pieces");
        self.items(&Resource::ALL.map(|resource| item((Piece::Resource(resource), resource.name()))), 0.0);
        self.items(&Tile::ALL.map(|tile| item((Piece::Tile(tile), tile.name()))), 0.0);
        let seat = Seat::default();
        let pieces = [
            (Piece::Villager(seat), "Villager"),
            (Piece::Lying(seat), "fatigued Transporter"),
            (Piece::Sorcerer(seat), "Sorcerer"),
            (Piece::Chief(seat), "Chief"),
            (Piece::Virtual(seat), "virtual Sculptor"),
            (Piece::Place, "free place"),
            (Piece::Pukao, "Pukao"),
            (Piece::Moai(Size::Small), "Moai: S small, M medium, L large"),
            (Piece::Cargo(Cargo::Moai(Size::Small)), "in transport; thick frame: its way; ?: toll to choose"),
        ];
        self.items(&pieces.map(item), 0.0);
        self.y += 2.0;
    }
}
