//! The supply beside the island: the Offering tiles, the Moai Quarry, the turn order, the tiles of the draft, the legend.

use ahu_core::Seat;
use ahu_core::parts::lines::joined_or;
use ahu_core::parts::picture::{Picture, Thing, text_width};

use super::Facts;
use super::pieces::{OFFERINGS, RESOURCES, TILES, height, step};
use crate::rapanui_board::{Chief, Offering, Phase, Size, Sorcerer, Source, Star, Table, Tile, View};

impl Facts<'_> {
    /// Draws the Offering tiles, for each type: the worths of the stack, the top one large, the Outstanding ones beside a star,
    /// the price. Returns the lower end.
    pub(super) fn offerings(self, picture: &mut Picture<'_>, (x, y): (f32, f32), width: f32) -> f32 {
        let (gap, high) = picture.either((9.0, 76.0), (5.0, 80.0));
        let wide = (width + gap) / Offering::COUNT as f32 - gap;
        let (table, y, high) = (self.table, y + 4.0, high - 4.0);
        for kind in Offering::ALL {
            let x = x + (wide + gap) * kind as usize as f32;
            let values = |source| joined_or(table.values_left(kind, source), ", ", "none");
            let [stack, outstanding] = Source::ALL.map(values);
            let title = format!("{kind}: stack {stack}; Outstanding {outstanding}");
            let thing = Thing { title: &title, target: &format!("offering {kind}"), id: "" };
            picture.thing(thing, |picture| {
                let [stack, outstanding] = Source::ALL.map(|source| table.values_left(kind, source));
                if stack.len() > 1 {
                    let under = 1.5 * stack.len() as f32;
                    picture.rect("panel", (x + under, y - under + 1.5), (wide - under, high), 6.0);
                }
                picture.rect("panel", (x, y), (wide, high), 6.0);
                let end = x + wide - 7.0;
                let tall = Picture::fit(OFFERINGS[kind as usize], picture.either((46.0, 34.0), (26.0, 24.0)));
                picture.group(if stack.is_empty() { "gone" } else { "" }, |picture| {
                    let foot = picture.either((x + 32.0, y + 44.0), (x + 18.0, y + 32.0));
                    picture.symbol(OFFERINGS[kind as usize], foot, tall);
                });
                let later = stack.get(1..).unwrap_or_default();
                picture.text("b e t22", (end, y + 24.0), joined_or(stack.first(), "", "\u{2013}"));
                picture.text("e t10 q", (end, y + 38.0), joined_or(later, " ", ""));
                self.mark(picture, [end - 40.0, y + 3.0, 44.0, 39.0], |view| {
                    view.table.values_left(kind, Source::Stack)
                });
                let text = joined_or(outstanding, " ", "");
                let (line, size) = picture.either((y + high - 7.0, 15.0), (y + 52.0, 11.0));
                if !outstanding.is_empty() {
                    let left = end - 3.0 - text_width("t10", &text);
                    picture.symbol("star", (left - 6.0, line + 2.0), 13.0);
                    picture.text("e t10", (end, line), text);
                }
                self.mark(picture, [end - 44.0, line - 12.0, 48.0, 16.0], |view| {
                    view.table.values_left(kind, Source::Outstanding)
                });
                let price = kind.price();
                for (place, of) in price.iter().flat_map(|(of, count)| (0..count).map(move |_| of)).enumerate() {
                    picture.symbol(
                        RESOURCES[of as usize],
                        (x + 6.0 + (size + 1.5) * (place as f32 + 0.5), y + high - 5.0),
                        size,
                    );
                }
            });
        }
        y + high
    }

    /// Draws the Moai Quarry: for each size the Moai in the supply, and the column with its Sculptors and free places. Returns
    /// the lower end.
    pub(super) fn quarry(self, picture: &mut Picture<'_>, (x, y): (f32, f32), width: f32) -> f32 {
        let (table, high, gap) = (self.table, 58.0, 5.0);
        let wide = (width + gap) / 3.0 - gap;
        for size in Size::ALL {
            let x = x + (wide + gap) * size as usize as f32;
            let (supply, free) = (table.supply[size], table.free_places()[size]);
            let counts = table.options.seats.iter().map(|seat| (seat, table.players[seat].sculpting()[size]));
            let words = counts.filter(|&(_, count)| count > 0).map(|(seat, count)| format!("; seat {seat}: {count}"));
            let title = format!("{size}: {supply} Moai; free places: {free}{}", words.collect::<String>());
            picture.thing(Thing { title: &title, target: &format!("column {size}"), id: "" }, |picture| {
                picture.rect("well", (x, y), (wide, high), 6.0);
                let cargo = format!("cargo {size}");
                picture.thing(Thing { title: &format!("a {size} Moai"), target: &cargo, id: "" }, |picture| {
                    picture.moai((x + 18.0, y + 41.0), height(size), false);
                });
                picture.text("b m t11", (x + 18.0, y + 53.0), format_args!("\u{d7}{supply}"));
                let (left, room) = (x + 38.0, wide - 42.0);
                let figures = sculptors(table, size);
                let apart = step(figures.len(), 19.0, room);
                for (place, &(kind, seat)) in figures.iter().enumerate() {
                    let foot = (left + 9.0 + apart * place as f32, y + 32.0);
                    let id = match kind {
                        "chief" => format!("chief-{seat}"),
                        "worker" if figures.get(place + 1) != Some(&(kind, seat)) => {
                            self.placed_id(seat, |view| view.table.players[seat].sculptors[size])
                        }
                        _ => String::new(),
                    };
                    picture.thing(Thing { id: &id, ..Thing::default() }, |picture| {
                        if kind == "tile-chip-in" {
                            picture.symbol(kind, foot, 18.0);
                            picture.badge(seat, (foot.0 - 4.0, foot.1 - 22.0), 5.5);
                        } else {
                            picture.person(kind, seat, foot, 24.0, false);
                        }
                    });
                }
                let apart = step(free.into(), 11.0, room);
                for place in 0..free {
                    picture.circle("hole", (left + 5.0 + apart * f32::from(place), y + 45.0), 3.6);
                }
                self.mark(picture, [x + 2.0, y + 42.0, 32.0, 14.0], |view| view.table.supply[size]);
                self.of_figurines().mark(
                    picture,
                    [left - 3.0, y + 3.0, room + 4.0, high - 6.0],
                    |View { table, .. }| (sculptors(table, size), table.free_places()[size]),
                );
            });
        }
        y + high
    }

    /// Draws the turn order, and the star spaces with their Sorcerers. Returns the lower end.
    pub(super) fn turn_order(self, picture: &mut Picture<'_>, (x, y): (f32, f32), width: f32) -> f32 {
        let (table, middle) = (self.table, y + 15.0);
        let count = table.options.seats.count() as f32;
        if table.phase != Phase::Order {
            let order = table.order.iter().map(|seat| format!("seat {seat}")).collect::<Vec<_>>().join(", ");
            picture.thing(Thing { title: &format!("turn order: {order}"), ..Thing::default() }, |picture| {
                picture.text("q t11", (x, middle + 4.0), "Order");
                for (place, seat) in table.order.iter().enumerate() {
                    picture.badge(seat, (x + 49.0 + 23.0 * place as f32, middle), 10.0);
                }
                self.mark(picture, [x + 36.0, y + 2.0, count * 23.0 + 3.0, 26.0], |View { table, .. }| {
                    (table.phase != Phase::Order).then_some(table.order)
                });
            });
        }
        let left = x + 49.0 + 23.0 * count;
        picture.text("q t11", (left, middle + 4.0), "next");
        let (left, stars) = (left + 30.0, usize::from(table.options.star_spaces));
        let apart = step(stars, 30.0, x + width - left);
        for star in Star::all().take(stars) {
            let (x, sorcerer) = (left + 13.0 + apart * star.index() as f32, sorcerer_on(table, star));
            let content = sorcerer.map_or_else(|| "free".to_owned(), |seat| format!("Sorcerer of seat {seat}"));
            let title = format!("star space {star}: {content}");
            picture.thing(Thing { title: &title, target: &format!("star {star}"), id: "" }, |picture| {
                picture.symbol("star", (x, middle + 13.0), 26.0);
                match sorcerer {
                    Some(seat) => {
                        picture.thing(Thing { id: &format!("sorcerer-{seat}"), ..Thing::default() }, |picture| {
                            picture.person("sorcerer", seat, (x, middle + 12.0), 22.0, false);
                        });
                    }
                    None => picture.text("b m onp t9", (x, middle + 4.0), star),
                }
                self.of_figurines().mark(picture, [x - 13.0, y, 26.0, 29.0], |view| sorcerer_on(&view.table, star));
            });
        }
        y + 30.0
    }

    /// Draws the tiles of the draft. Returns the lower end, which is the upper one after the draft.
    pub(super) fn draft(self, picture: &mut Picture<'_>, (x, y): (f32, f32), width: f32) -> f32 {
        if !matches!(self.table.phase, Phase::Draft { .. }) {
            return y;
        }
        for (row, name) in ["to take", "set aside"].into_iter().enumerate() {
            let tiles = |table: &Table| if row == 0 { table.display } else { table.aside };
            let foot = y + 26.0 + 32.0 * row as f32;
            let place = [x + 62.0, foot, 24.0, width - 62.0];
            let of = |view: &View, kind: Option<Tile>| kind.map_or(0, |kind| tiles(&view.table)[kind]);
            if self.tiles(picture, None, place, of) > 0.0 {
                picture.text("q t11", (x, foot - 8.0), name);
            }
        }
        y + 68.0
    }

    /// Explains the Ahu tiles in two lines. Returns the lower end.
    pub(super) fn legend(picture: &mut Picture<'_>, (x, y): (f32, f32), width: f32) -> f32 {
        for (place, kind) in Tile::ALL.into_iter().enumerate() {
            let (x, foot) = (x + width / 5.0 * (place % 5) as f32, y + 17.0 + 19.0 * (place / 5) as f32);
            picture.symbol(TILES[kind as usize].0, (x + 8.0, foot), 15.0);
            picture.text("q t10", (x + 17.0, foot - 4.0), TILES[kind as usize].1);
        }
        y + 42.0
    }
}

/// Returns the seat whose Sorcerer is on a star space.
fn sorcerer_on(table: &Table, star: Star) -> Option<Seat> {
    table.options.seats.iter().find(|&seat| table.players[seat].sorcerer == Sorcerer::OnStar(star))
}

/// Returns the symbols of the Sculptors in a column with their seats: figurines, the Chief, virtual ones.
fn sculptors(table: &Table, column: Size) -> Vec<(&'static str, Seat)> {
    let of_seat = |seat: Seat| {
        let player = &table.players[seat];
        let counts = [
            ("worker", player.sculptors[column]),
            ("chief", u8::from(player.chief == Chief::InQuarry(column))),
            ("tile-chip-in", player.chip_ins[column]),
        ];
        counts.into_iter().flat_map(move |(kind, count)| (0..count).map(move |_| (kind, seat)))
    };
    table.options.seats.iter().flat_map(of_seat).collect()
}
