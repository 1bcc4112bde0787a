//! The panels of the players: their points and the parts of them, their Resources, figurines, tiles, and Moai.

use ahu_core::parts::lines::joined;
use ahu_core::parts::picture::{Picture, Standing, Thing};
use ahu_core::{Seat, View as _};

use super::Facts;
use super::pieces::{IMPROVEMENTS, OFFERINGS, RESOURCES, TILES, height, number, number_width, step};
use crate::rapanui_board::resource::Amount;
use crate::rapanui_board::wording::{belongings, counted};
use crate::rapanui_board::{Chief, NOTCHES, Offering, Size, Sorcerer, Tile, View};

impl Facts<'_> {
    /// Returns the mean worth of the hidden Offering tiles of a player, of all tiles taken of their types.
    pub(super) fn hidden_worth(self, seat: Seat) -> u16 {
        let table = self.table;
        let worth = |(kind, count): (Offering, u8)| {
            let tiles = table.options.offerings.tiles();
            let stack = tiles.stack(kind, table.options.seats).values();
            let outstanding = tiles.outstanding(kind).values();
            let taken = stack[..table.stack_taken[kind].into()].iter();
            let taken = taken.chain(&outstanding[..table.outstanding_taken[kind].into()]);
            let (sum, number) = taken.fold((0, 0), |(sum, number), &value| (sum + u16::from(value), number + 1));
            u16::from(count) * sum / number.max(1)
        };
        table.players[seat].offerings.iter().map(worth).sum()
    }

    /// Draws the panel of a player. Returns the lower end.
    pub(super) fn player(self, picture: &mut Picture<'_>, seat: Seat, (x, y): (f32, f32), width: f32) -> f32 {
        let (view, table) = (self.view, self.table);
        let hides = self.hides(seat);
        let standing = Standing {
            points: view.points(seat).into(),
            more: if hides { "+?" } else { "" },
            leads: self.leaders().contains(seat),
            is_due: table.to_act() == Some(seat),
            is_own: view.viewer.is(seat),
            is_news: self.has_changed(|view| (view.points(seat), view.offered[seat])),
            ..Standing::default()
        };
        let height = picture.either(123.0, 100.0);
        picture.panel(seat, (x, y), (width, height), &standing);
        let parts = view.score_parts().into_iter().filter_map(|(name, points)| match (name, points[seat]) {
            ("offerings", _) if hides => Some(format!("offerings about {}", self.hidden_worth(seat))),
            (_, 0) => None,
            (name, points) => Some(format!("{name} {points}")),
        });
        picture.fitted("q t10", (x + 44.0, y + 42.0), width - 56.0, &joined(parts, " + "));
        self.resources(picture, seat, (x + 16.0, y + 65.0));
        self.in_hand(picture, seat, (x + width - 112.0, y + 67.0), 102.0);
        self.improvements(picture, seat, (x + 16.0, y + 83.0));
        // On phones, there is room for the Moai in the first row, and for the Offering tiles in the second one.
        let moai = self.moai(picture, seat, picture.either((x + 16.0, y + 118.0), (x + 190.0, y + 67.0)));
        let tiles =
            self.tiles(picture, Some(seat), [x + 88.0, y + 94.0, 22.0, picture.either(206.0, 130.0)], |view, kind| {
                let player = &view.table.players[seat];
                kind.map_or(player.has_tablet.into(), |kind| player.tiles[kind])
            });
        let (room, foot) = picture.either((270.0 - moai, 118.0), (274.0 - tiles, 94.0));
        self.owned_offerings(picture, seat, (x + width - 12.0, y + foot), room);
        y + height
    }

    /// Draws the Resources of a player.
    fn resources(self, picture: &mut Picture<'_>, seat: Seat, (x, y): (f32, f32)) {
        for (kind, count) in self.table.players[seat].resources.iter() {
            let x = x + 42.0 * kind as usize as f32;
            let target = if self.view.viewer.is(seat) { format!("resource {kind}") } else { String::new() };
            let title = format!("seat {seat}: {}", Amount(count, kind));
            picture.thing(Thing { title: &title, target: &target, id: "" }, |picture| {
                picture.symbol(RESOURCES[kind as usize], (x + 10.0, y + 3.0), 19.0);
                picture.text(if count == 0 { "q t14" } else { "b t14" }, (x + 21.0, y - 1.0), count);
                self.mark_of(picture, seat, [x - 1.0, y - 17.0, 37.5, 21.0], |player| player.resources[kind]);
            });
        }
    }

    /// Draws the figurines that a player has not placed.
    fn in_hand(self, picture: &mut Picture<'_>, seat: Seat, (x, y): (f32, f32), room: f32) {
        let player = &self.table.players[seat];
        let mut figures = vec!["worker"; player.villagers.into()];
        figures.extend((player.sorcerer == Sorcerer::InHand).then_some("sorcerer"));
        figures.extend((player.chief == Chief::InHand).then_some("chief"));
        let apart = step(figures.len(), 17.0, room);
        let left = x + room - apart * (figures.len().max(1) - 1) as f32 - 9.0;
        let title = format!("seat {seat}: Villagers: {}; {}", player.villagers, belongings(player, counted));
        picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            for (place, &kind) in figures.iter().enumerate() {
                let id = if kind == "worker" { villager_id(seat, place + 1) } else { format!("{kind}-{seat}") };
                picture.thing(Thing { id: &id, ..Thing::default() }, |picture| {
                    picture.person(kind, seat, (left + apart * place as f32, y), 21.0, false);
                });
            }
            self.of_figurines().mark_of(
                picture,
                seat,
                [left - 11.0, y - 22.0, x + room - left + 14.0, 25.0],
                |player| (player.villagers, player.sorcerer, player.chief),
            );
        });
    }

    /// Returns the identity that a Villager had in hand if it has just been placed where this number has risen; else nothing.
    pub(super) fn placed_id(self, seat: Seat, number: impl Fn(&View) -> u8) -> String {
        let in_hand = |view: &View| view.table.players[seat].villagers;
        let is_placed =
            |before: &&View| in_hand(before) == in_hand(self.view) + 1 && number(before) + 1 == number(self.view);
        self.before.filter(is_placed).map_or_else(String::new, |before| villager_id(seat, in_hand(before).into()))
    }

    /// Draws the notches of a player with the Improvement tiles in them.
    fn improvements(self, picture: &mut Picture<'_>, seat: Seat, (x, y): (f32, f32)) {
        let owned = self.table.players[seat].improvements;
        picture.thing(Thing { title: &format!("seat {seat}: improvements: {owned}"), ..Thing::default() }, |picture| {
            for (place, tile) in owned.iter().map(Some).chain([None; NOTCHES]).take(NOTCHES).enumerate() {
                let middle = x + 9.5 + 22.0 * place as f32;
                picture.circle(if tile.is_some() { "medal" } else { "nomedal" }, (middle, y), 9.3);
                if let Some(tile) = tile {
                    picture.symbol_in("ik", IMPROVEMENTS[tile as usize], (middle, y + 6.5), 13.0);
                }
            }
            self.mark_of(picture, seat, [x - 2.0, y - 11.5, 67.0, 23.0], |player| player.improvements);
        });
    }

    /// Draws Ahu tiles in a row, also if the last one of a kind has just gone, and smaller if there is not room enough; no kind
    /// is a tablet. Returns the width.
    pub(super) fn tiles(
        self,
        picture: &mut Picture<'_>,
        owner: Option<Seat>,
        [x, y, tall, room]: [f32; 4],
        of: impl Fn(&View, Option<Tile>) -> u8,
    ) -> f32 {
        let is_shown = |&kind: &Option<Tile>| of(self.view, kind) > 0 || self.has_changed(|view| of(view, kind));
        let kinds: Vec<_> = [None].into_iter().chain(Tile::ALL.map(Some)).filter(is_shown).collect();
        let numbers: f32 = kinds.iter().map(|&kind| number_width(of(self.view, kind))).sum();
        let apart = ((room - numbers) / kinds.len().max(1) as f32).min(tall + 8.0);
        let mut left = x;
        for &kind in &kinds {
            let title = kind.map_or("tablet", Tile::name);
            let (id, target) = match owner {
                Some(seat) if kind.is_none() => (format!("tablet-{seat}"), String::new()),
                Some(_) => (String::new(), String::new()),
                None => (String::new(), format!("tile {title}")),
            };
            let (tall, number_width) = ((apart - 3.0).min(tall), number_width(of(self.view, kind)));
            picture.thing(Thing { title, id: &id, target: &target }, |picture| {
                let symbol = kind.map_or("tablet", |kind| TILES[kind as usize].0);
                picture.symbol(symbol, (left + tall / 2.0, y), Picture::fit(symbol, (tall, tall)));
                number(picture, (left + tall + 1.0, y - tall / 2.0 + 4.0), of(self.view, kind));
                self.mark(picture, [left - 1.5, y - tall - 2.0, tall + number_width + 4.0, tall + 4.0], |view| {
                    of(view, kind)
                });
            });
            left += apart + number_width;
        }
        left - x
    }

    /// Draws the Moai that a player has to transport, and that it has dropped out. Returns the width.
    fn moai(self, picture: &mut Picture<'_>, seat: Seat, (x, y): (f32, f32)) -> f32 {
        let player = &self.table.players[seat];
        let moai: Vec<Size> = player.moai.iter().flat_map(|(size, count)| (0..count).map(move |_| size)).collect();
        let apart = step(moai.len(), 17.0, 75.0);
        let mut width = apart * moai.len() as f32;
        let title = format!("seat {seat}: Moai to transport: {}", counted(player.moai));
        picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            for (place, &size) in moai.iter().enumerate() {
                picture.moai((x + 8.0 + apart * place as f32, y), height(size) * 0.62, false);
            }
            if player.has_dropped_out {
                picture.text("q t9", (x + width + 3.0, y - 6.0), "dropped out");
                width += 59.0;
            }
            self.of_figurines().mark_of(picture, seat, [x - 3.0, y - 23.0, width.max(20.0) + 4.0, 25.0], |player| {
                (player.moai, player.has_dropped_out)
            });
        });
        width
    }

    /// Draws the Offering tiles of a player, which end at this point.
    fn owned_offerings(self, picture: &mut Picture<'_>, seat: Seat, (end, y): (f32, f32), room: f32) {
        let owned = self.table.players[seat].offerings;
        let apart = (room / owned.kinds().len().max(1) as f32).min(36.0);
        let wide = apart - 4.0;
        for (place, (kind, count)) in owned.iter().filter(|&(_, count)| count > 0).enumerate() {
            let left = end - wide - apart * place as f32;
            let title = format!("seat {seat}: Offering tiles: {count} {kind}");
            picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
                picture.rect("well", (left, y - 23.0), (wide, 24.0), 4.0);
                // A number stands beside a smaller symbol.
                let room = if count == 1 { wide - 7.0 } else { wide - 18.0 };
                let symbol = OFFERINGS[kind as usize];
                let middle = left + 2.0 + if count == 1 { wide / 2.0 - 2.0 } else { room / 2.0 };
                picture.symbol(symbol, (middle, y - 2.0), Picture::fit(symbol, (room, 19.0)));
                if count > 1 {
                    picture.text("b e t9", (left + wide - 1.5, y - 8.0), format_args!("\u{d7}{count}"));
                }
                self.mark_of(picture, seat, [left, y - 23.0, wide, 24.0], |player| player.offerings[kind]);
            });
        }
    }
}

/// Returns the identity of the n-th Villager in hand, which it keeps until it has been placed.
fn villager_id(seat: Seat, n: usize) -> String {
    format!("villager-{seat}-{n}")
}
