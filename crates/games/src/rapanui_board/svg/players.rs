//! The players, in turn order.

use ahu_core::Seat;
use ahu_core::parts::svg::MARGIN;

use super::map::cargo;
use super::pieces::{Item, Piece, row, rows};
use super::{ITEM_ROW, Picture, ROOM};
use crate::rapanui_board::wording::holdings_of;
use crate::rapanui_board::{Cargo, Chief, Improvement, Offerings, Player, Resource, Size, Sorcerer, Table, View};

/// The height of the first row of a player.
const ROW: f32 = 38.0;
/// The height of the name in the first row.
const NAME: f32 = 11.0;
/// The place of the points, from the left.
const POINTS: f32 = 62.0;
/// The place of the Resources.
const RESOURCES: f32 = 118.0;
/// The distance from one Resource to the next.
const RESOURCE_STEP: f32 = 28.0;
/// The place of the figurines in hand.
const FIGURINES: f32 = 236.0;
/// The distance of the tiles from the margin.
const ITEMS: f32 = 10.0;
/// The place of the Moai to transport.
const MOAI: f32 = 312.0;

impl Picture<'_> {
    /// Draws the players.
    pub(super) fn players(&mut self) {
        let cap = self.table.options.resource_cap;
        self.heading(&format!("players: points; Resources, up to {cap}; figurines in hand; Moai to transport"));
        for seat in self.table.order.iter() {
            self.player(seat);
        }
        self.y += 2.0;
    }

    /// Draws a player: the first row, and the tiles in the rows below it.
    fn player(&mut self, seat: Seat) {
        let (view, table, y) = (self.view, self.table, self.y);
        let (player, items) = (&table.players[seat], self.belongings(seat));
        let height = ROW + ITEM_ROW * rows(&items, ROOM - ITEMS).len() as f32;
        let (points, base) = (points_of(view, seat), y + ROW - 5.0);
        self.svg.piece(format_args!("seat {seat}: {points} points; {}", holdings_of(player)), |svg| {
            svg.rect(if view.viewer.is(seat) { "own" } else { "panel" }, (MARGIN, y), (ROOM, height));
            if table.to_act() == Some(seat) {
                svg.pointer((MARGIN + 3.0, y + 13.0));
            }
            svg.seat(seat, (MARGIN + 20.0, y + 18.5), 8.5);
            svg.name(seat, (MARGIN + 32.0, y + 10.5));
            if view.viewer.is(seat) {
                svg.text("s d", (MARGIN + 32.0, base - 4.0), "you");
            }
            svg.text("l b", (POINTS, base - 3.0), &points);
            for (resource, count) in player.resources.iter() {
                let x = RESOURCES + RESOURCE_STEP * resource.index() as f32;
                Piece::Resource(resource).draw(svg, (x, base));
                svg.text("b", (x + 12.5, base - 4.0), count);
            }
            row(svg, &in_hand(player, seat), (FIGURINES, base), MOAI - FIGURINES - 6.0);
            row(svg, &sculpted(table, seat), (MOAI, base), ROOM + MARGIN - MOAI - 3.0);
        });
        let top = y + 2.0 + NAME;
        let size = |width| (width, ROW - NAME - 4.0);
        self.mark((POINTS - 4.0, top), size(RESOURCES - POINTS), |view| points_of(view, seat));
        for resource in Resource::ALL {
            let x = RESOURCES - 2.0 + RESOURCE_STEP * resource.index() as f32;
            self.mark((x, top), size(RESOURCE_STEP - 1.0), |view| view.table.players[seat].resources[resource]);
        }
        self.mark((FIGURINES - 3.0, top), size(MOAI - FIGURINES - 1.0), |view| {
            let Player { villagers, sorcerer, chief, .. } = view.table.players[seat];
            (villagers, sorcerer == Sorcerer::InHand, chief == Chief::InHand)
        });
        self.mark((MOAI - 2.0, top), size(ROOM + MARGIN - MOAI), |view| {
            (view.table.players[seat].moai, cargo_of(&view.table, seat))
        });
        self.y += ROW;
        self.items(&items, ITEMS);
        self.y += 3.0;
    }

    /// Returns the tiles of a player, and other facts about it. A tile that has just gone has the count 0.
    fn belongings(&self, seat: Seat) -> Vec<Item> {
        let (view, player) = (self.view, &self.table.players[seat]);
        let mut items = Vec::new();
        items.extend(self.fact(seat, "dropped out", |player| player.has_dropped_out));
        items.extend(self.fact(seat, "Sorcerer at work", |player| player.sorcerer == Sorcerer::AtWork));
        for improvement in Improvement::ALL {
            items.extend(self.fact(seat, improvement.name(), |player| player.is(improvement)));
        }
        items.extend(self.fact(seat, "tablet", |player| player.has_tablet));
        items.extend(self.fact(seat, "tablet \u{d7}0", |player| !player.has_tablet).filter(|item| item.has_changed));
        items.extend(self.tiles(|table| table.players[seat].tiles));
        for (offering, count) in player.offerings.iter().filter(|&(_, count)| count > 0) {
            let has_changed = self.has_changed(|view| view.table.players[seat].offerings[offering]);
            items.push(Item { piece: None, text: format!("{offering} \u{d7}{count}"), has_changed });
        }
        if player.offerings != Offerings::EMPTY {
            let worth = view.offered[seat].map_or_else(|| "?".to_owned(), |worth| worth.to_string());
            let has_changed = self.has_changed(|view| view.offered[seat]);
            items.push(Item { piece: None, text: format!("worth {worth}"), has_changed });
        }
        items
    }

    /// Returns an item with this text if a fact about a player is true.
    fn fact(&self, seat: Seat, text: &str, is_true: impl Fn(&Player) -> bool) -> Option<Item> {
        let has_changed = self.has_changed(|view| is_true(&view.table.players[seat]));
        is_true(&self.table.players[seat]).then(|| Item { piece: None, text: text.to_owned(), has_changed })
    }
}

/// Returns the points of a player; `12+?` if the points of its Offering tiles are not shown.
fn points_of(view: &View, seat: Seat) -> String {
    let is_hidden = view.offered[seat].is_none() && view.table.players[seat].offerings != Offerings::EMPTY;
    format!("{}{}", view.points(seat), if is_hidden { "+?" } else { "" })
}

/// Returns the figurines in hand: Villagers, the Sorcerer, the Chief.
fn in_hand(player: &Player, seat: Seat) -> Vec<Piece> {
    let mut pieces = vec![Piece::Villager(seat); player.villagers.into()];
    pieces.extend((player.sorcerer == Sorcerer::InHand).then_some(Piece::Sorcerer(seat)));
    pieces.extend((player.chief == Chief::InHand).then_some(Piece::Chief(seat)));
    pieces
}

/// Returns the Moai that a player has to transport. One of them is the cargo of its transport.
fn sculpted(table: &Table, seat: Seat) -> Vec<Piece> {
    let moai = table.players[seat].moai;
    let mut pieces: Vec<Piece> = moai.iter().flat_map(|(size, count)| vec![Piece::Moai(size); count.into()]).collect();
    if let Some(Cargo::Moai(size)) = cargo_of(table, seat) {
        let before = Size::ALL.into_iter().take_while(|&other| other != size);
        let place: u8 = before.map(|other| moai[other]).sum();
        pieces[usize::from(place)] = Piece::Cargo(Cargo::Moai(size));
    }
    pieces
}

/// Returns the cargo that a player transports.
fn cargo_of(table: &Table, seat: Seat) -> Option<Cargo> {
    cargo(table.phase).filter(|_| table.active == seat).map(|(_, cargo)| cargo)
}
