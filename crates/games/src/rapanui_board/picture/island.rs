//! The island: the spaces with their ahus, Moai, and Transporters; the quarries; the way of the cargo; the sea.

use ahu_core::Seat;
use ahu_core::parts::lines::joined;
use ahu_core::parts::picture::{Picture, Thing, text_width};

use super::Facts;
use super::pieces::{LANDS, RESOURCES, TILES, cargo, height, step};
use crate::rapanui_board::{Area, Areas, Cargo, Phase, Resource, Size, Space, Table};

/// The places of the areas in the picture.
#[derive(Clone, Copy)]
struct Map<'a> {
    table: &'a Table,
    /// The upper left corner of the first row and column.
    start: (f32, f32),
    cell: (f32, f32),
    gap: f32,
    /// The size of pieces, 1 in wide pictures.
    scale: f32,
}

impl Map<'_> {
    fn corner(self, area: Area) -> (f32, f32) {
        self.at(self.table.board().place(area))
    }

    fn at(self, (row, column): (u8, u8)) -> (f32, f32) {
        let step = (self.cell.0 + self.gap, self.cell.1 + self.gap);
        (self.start.0 + step.0 * f32::from(column), self.start.1 + step.1 * f32::from(row))
    }
}

impl Facts<'_> {
    /// Draws the island in the sea. Returns the lower end.
    pub(super) fn island(self, picture: &mut Picture<'_>, (x, y): (f32, f32), width: f32) -> f32 {
        let (rows, columns) = self.table.board().extent();
        let (edge, gap, scale, high) = picture.either((24.0, 6.0, 1.0, 95.0), (10.0, 4.0, 0.58, 58.0));
        let most = picture.either(112.0, 70.0);
        let cell = ((width - 2.0 * edge + gap) / f32::from(columns) - gap).min(most).floor();
        let island = (cell + gap) * f32::from(columns) - gap;
        let start = (x + ((width - island) / 2.0).floor(), y + edge + 2.0);
        let map = Map { table: self.table, start, cell: (cell, high), gap, scale };
        let bottom = start.1 + (high + gap) * f32::from(rows) - gap + edge + 2.0;
        picture.rect("sea", (x, y), (width, bottom - y), 0.0);
        let (wave, right) = (picture.either(60.0, 22.0), x + width);
        picture.waves(&[(x + wave, bottom - 12.0), (right - wave, bottom - 34.0), (right - wave * 1.6, y + wave)]);
        picture.symbol("canoe", (right - wave * 0.8, bottom - 10.0), picture.either(40.0, 17.0));
        for (class, beyond) in [("foamy", edge), ("sand", edge * 0.6)] {
            for row in 0..rows {
                let on_land = |&column: &u8| self.table.board().at(row, column).is_some();
                let (first, last) = ((0..columns).find(on_land), (0..columns).rfind(on_land));
                let ((left, top), (right, _)) = (map.at((row, first.unwrap_or(0))), map.at((row, last.unwrap_or(0))));
                let size = (right + cell - left + 2.0 * beyond, high + 2.0 * beyond);
                picture.rect(class, (left - beyond, top - beyond), size, beyond - gap / 2.0);
            }
        }
        let areas = self.table.board().areas();
        // What stands on the way of the cargo is drawn above the way.
        let way = self.way();
        let on_way: Areas = way.iter().copied().collect();
        for area in areas.iter() {
            self.area(picture, map, area, (true, !on_way.contains(area)));
        }
        if way.len() > 1 {
            let point = |&area: &Area| {
                let (x, y) = map.corner(area);
                (x + map.cell.0 * 0.5, y + map.cell.1 * 0.62)
            };
            picture.way(&way.iter().map(point).collect::<Vec<_>>());
        }
        on_way.iter().for_each(|area| self.area(picture, map, area, (false, true)));
        bottom
    }

    /// Draws the ground of an area, or what stands there, or both.
    fn area(self, picture: &mut Picture<'_>, map: Map<'_>, area: Area, (ground, contents): (bool, bool)) {
        let thing = Thing { title: &title(self.table, area), target: &format!("space {area}"), id: "" };
        picture.thing(thing, |picture| {
            if ground {
                self.ground(picture, map, area);
            }
            if contents {
                self.contents(picture, map, area);
            }
        });
    }

    /// Draws the ground of an area, its number and Resources or its quarry, and marks a change.
    fn ground(self, picture: &mut Picture<'_>, map: Map<'_>, area: Area) {
        let ((x, y), (width, height), scale) = (map.corner(area), map.cell, map.scale);
        let class = picture.either("b onp t10", "b onp t9");
        if let Some(space) = area.space() {
            let colours = self.table.board().colours(space);
            picture.rect(LANDS[colours.first as usize], (x, y), (width, height), 9.0 * scale);
            if let Some(second) = colours.second {
                let ((right, bottom), cut) = ((x + width, y + height), 3.0 * scale);
                let corners = [(right, y + 6.0), (right, bottom - cut), (right - cut, bottom), (x + 4.0, bottom)];
                picture.polygon(LANDS[second as usize], &corners);
            }
            picture.text(class, (x + 4.0, y + 3.0 + 9.0 * scale.max(0.8)), space);
            let size = picture.either(17.0, 11.0);
            for (place, of) in colours.second.into_iter().chain([colours.first]).enumerate() {
                let right = x + width - 2.0 - (size + 1.0) * (place as f32 + 0.5);
                picture.symbol(RESOURCES[of as usize], (right, y + size + 2.0), size);
            }
        } else {
            let is_crater = area == Area::CRATER;
            let middle = x + width / 2.0;
            picture.rect(if is_crater { "rock" } else { "red" }, (x, y), (width, height), 9.0 * scale);
            let symbol = if is_crater { "crate" } else { "redcrate" };
            picture.symbol(symbol, (middle, y + height * 0.7), 36.0 * scale);
        }
        self.of_figurines().mark(picture, [x, y, width, height], |view| contents_of(&view.table, area));
    }

    /// Returns the way of the cargo; after the arrival once more.
    fn way(self) -> Vec<Area> {
        let under_way = [Some(self.view), self.before].into_iter().flatten().find_map(|view| match view.table.phase {
            Phase::Carry { cargo, at, visited } => Some((vec![cargo.quarry()], at, visited.without(cargo.quarry()))),
            _ => None,
        });
        under_way.map_or(Vec::new(), |(mut way, at, left)| {
            walk(self.table, &mut way, at, left);
            way
        })
    }

    /// Draws what stands in an area, or the name of a quarry.
    fn contents(self, picture: &mut Picture<'_>, map: Map<'_>, area: Area) {
        let ((x, y), (width, high), scale, table) = (map.corner(area), map.cell, map.scale, self.table);
        match area.space() {
            Some(space) => self.ahus(picture, map, space),
            None => self.quarry_name(picture, map, area),
        }
        let (moving, due) = (cargo_at(table, area), due(table, area));
        let class = picture.either("b onp t11", "b onp t9");
        let wide = match &due {
            _ if moving.is_some() => 23.0 * scale,
            Some((text, goods)) => text_width(class, text) + 6.0 + 14.0 * scale * goods.len() as f32,
            None => -3.0,
        };
        if let Some((space, seat)) = area.space().and_then(|space| Some((space, table.owner(space)?))) {
            let placed = self.placed_id(seat, |view| view.table.site(space).standing);
            let place = [x + 3.0, y + high - 3.0, (width - 9.0 - wide).max(24.0 * scale), scale];
            folk(picture, seat, table, space, &placed, place);
        }
        if let Some(moving) = moving {
            // Above the number of Pukao in their quarry.
            let up = if area.space().is_some() { 4.0 } else { 22.0 * scale };
            picture.thing(Thing { id: &format!("cargo-{}", table.active), ..Thing::default() }, |picture| {
                cargo(picture, moving, (x + width - 15.0 * scale, y + high - up), scale.max(0.7));
            });
        } else if let Some((text, goods)) = due {
            // Phones have no room beside the figures.
            let (left, tall, foot) =
                (x + width - wide - 3.0, picture.either(18.0, 13.0), y + high - picture.either(4.0, 20.0));
            picture.rect("tl o", (left, foot - tall), (wide, tall), 4.0);
            picture.text(class, (left + 3.0, foot - tall * 0.25), text);
            for (place, of) in goods.into_iter().enumerate() {
                let middle = left + wide - 3.0 - 14.0 * scale * (place as f32 + 0.5);
                picture.symbol(RESOURCES[of as usize], (middle, foot - 1.5), 13.0 * scale);
            }
        }
    }

    /// Draws the name of a quarry, and its Pukao.
    fn quarry_name(self, picture: &mut Picture<'_>, map: Map<'_>, area: Area) {
        let ((x, y), small) = (map.corner(area), map.scale.max(0.8));
        let (middle, foot) = (x + map.cell.0 / 2.0, y + map.cell.1 - 4.0);
        let class = picture.either("b m onp t10", "b m onp t9");
        if area == Area::CRATER {
            return picture.text(class, (middle, y + 13.0 * small), "Crater");
        }
        picture.text(class, (middle, y + 13.0 * small), picture.either("Puna Pau", "Pukao"));
        picture.symbol("pukao", (middle - 12.0 * small, foot), 14.0 * map.scale);
        picture.text(class, (middle + 10.0 * small, foot - 1.0), format_args!("\u{d7}{}", self.table.pukao));
    }

    /// Draws the ahus of a space with their Moai, from the largest on, and with the tiles on the free ones. The first Moai have
    /// the Pukao: it makes no difference which ones have them (M14).
    fn ahus(self, picture: &mut Picture<'_>, map: Map<'_>, space: Space) {
        let ((x, y), (width, high), scale) = (map.corner(space.into()), map.cell, map.scale);
        let (site, ahus) = (self.table.site(space), self.table.board().ahus(space));
        let crowd = if ahus > 2 { 0.86 } else { 1.0 };
        let apart = (32.0 * scale).min((width - 4.0) / f32::from(ahus.max(1)));
        let base = y + high * 0.66;
        let foot = |place: usize| (x + width / 2.0 + apart * (place as f32 - f32::from(ahus - 1) / 2.0), base);
        let moai = site.moai();
        let sizes = Size::ALL.into_iter().rev().flat_map(|size| (0..moai[size]).map(move |_| size));
        let sizes: Vec<Size> = sizes.collect();
        for place in 0..usize::from(ahus) {
            let (x, y) = foot(place);
            picture.symbol("ahu", (x, y + 6.0 * scale), apart.min(31.0 * scale) * 16.0 / 44.0);
            let free = place.checked_sub(sizes.len()).and_then(|free| site.tiles().nth(free));
            if let Some(&moai) = sizes.get(place) {
                picture.moai((x, y - 3.0 * scale), height(moai) * scale * crowd, place < usize::from(site.styled()));
            } else if let Some(kind) = free {
                let thing = Thing { title: kind.name(), target: &format!("tile {kind} {space}"), id: "" };
                let tall = (picture.either(24.0, 16.0) * crowd).min(apart);
                picture.thing(thing, |picture| _ = picture.symbol(TILES[kind as usize].0, (x, y - 4.0 * scale), tall));
            }
        }
    }
}

/// Draws the Transporters on a space, from this point on: each one, or, if there are many, each kind with its number.
fn folk(
    picture: &mut Picture<'_>,
    seat: Seat,
    table: &Table,
    space: Space,
    placed: &str,
    [x, y, room, scale]: [f32; 4],
) {
    let (site, chief) = (table.site(space), table.players[seat].lent_chief() == Some(space));
    let kinds = [("worker", site.standing, false), ("worker", site.lying, true), ("chief", chief.into(), false)];
    let all: u8 = kinds.iter().map(|(_, count, _)| count).sum();
    let (high, width) = (28.0 * scale.max(0.62), 23.0 * scale.max(0.62));
    let most = if room < 2.0 * width { 2 } else { 3 };
    let figures: Vec<_> = if all <= most {
        kinds.into_iter().flat_map(|(kind, count, lies)| (0..count).map(move |_| (kind, 1, lies))).collect()
    } else {
        kinds.into_iter().filter(|&(_, count, _)| count > 0).collect()
    };
    let apart = step(figures.len(), width + 2.0, room);
    let mut numbers = Vec::new();
    for (place, (kind, count, lies)) in figures.into_iter().enumerate() {
        let foot = (x + width / 2.0 + apart * place as f32 + if lies { 1.0 } else { 0.0 }, y);
        let id = match kind {
            "chief" => format!("chief-{seat}"),
            _ if place == 0 && !lies => placed.to_owned(),
            _ => String::new(),
        };
        picture.thing(Thing { id: &id, ..Thing::default() }, |picture| {
            picture.person(kind, seat, if lies { (foot.0, y + high * 0.1) } else { foot }, high, lies);
        });
        if count > 1 {
            numbers.push(((foot.0 + width * 0.5, y - high * 0.8), count));
        }
    }
    for (place, count) in numbers {
        picture.chip("b m onp t9", place, &format!("\u{d7}{count}"));
    }
}

/// Walks from the end of a way over all areas that are left to `at`. Returns true if there is such a way.
fn walk(table: &Table, way: &mut Vec<Area>, at: Area, left: Areas) -> bool {
    let here = *way.last().expect("a way begins in a quarry");
    if left.is_empty() {
        return here == at;
    }
    let beside = table.board().adjacent(here) & left;
    beside.iter().any(|next| {
        way.push(next);
        // A way that leads nowhere loses its last step again.
        walk(table, way, at, left.without(next)) || way.pop().is_none()
    })
}

/// Returns the cargo in an area.
fn cargo_at(table: &Table, area: Area) -> Option<Cargo> {
    match table.phase {
        Phase::Carry { cargo, at, .. } if at == area => Some(cargo),
        Phase::Toll { space, size, .. } if Area::from(space) == area => Some(Cargo::Moai(size)),
        _ => None,
    }
}

/// Returns the Resources that an area will bring: their number, and their types if these are not the colours of the space.
fn due(table: &Table, area: Area) -> Option<(String, Vec<Resource>)> {
    let space = area.space()?;
    match table.phase {
        Phase::Carry { cargo, at, visited } if visited.contains(area) && at != area => {
            table.owner(space).filter(|&owner| owner != table.active)?;
            Some(match cargo {
                Cargo::Pukao => ("+".to_owned(), vec![Resource::Reeds]),
                Cargo::Moai(_) => ("+1".to_owned(), Vec::new()),
            })
        }
        Phase::Toll { left, .. } if left.contains(space) => Some(("+1?".to_owned(), Vec::new())),
        Phase::Gain { space: at, count } if at == space => Some((format!("+{count}?"), Vec::new())),
        Phase::Shift { space: at, first, second } if at == space => {
            let (colour, count) = table.part(space, first, second);
            Some((format!("+{count}"), vec![colour]))
        }
        _ => None,
    }
}

/// Returns the facts about an area that are marked when they change.
fn contents_of(table: &Table, area: Area) -> impl PartialEq + use<> {
    let site = area.space().map(|space| {
        let owner = table.owner(space);
        (*table.site(space), owner, owner.is_some_and(|seat| table.players[seat].lent_chief() == Some(space)))
    });
    let due = due(table, area).filter(|_| !matches!(table.phase, Phase::Carry { .. }));
    (site, cargo_at(table, area), due, (area == Area::PUKAO_QUARRY).then_some(table.pukao))
}

/// Returns everything about an area in words.
fn title(table: &Table, area: Area) -> String {
    let mut parts = Vec::new();
    match area.space() {
        Some(space) => {
            let (colours, site) = (table.board().colours(space), table.site(space));
            let second = colours.second.map_or_else(String::new, |second| format!(" or {second}"));
            parts.push(format!("space {space}: {}{second}", colours.first));
            let tiles = joined(site.tiles(), ", ");
            if !tiles.is_empty() {
                parts.push(format!("Ahu tiles: {tiles}"));
            }
            if site.moai_count() > 0 {
                parts.push(format!("Moai: {}; with a Pukao: {}", site.moai(), site.styled()));
            }
            if let Some(seat) = table.owner(space) {
                let chief = if table.players[seat].lent_chief() == Some(space) { ", and the Chief" } else { "" };
                parts.push(format!("Transporters of seat {seat}: {} stand, {} lie{chief}", site.standing, site.lying));
            }
        }
        None if area == Area::CRATER => parts.push("the Crater, where Moai begin".to_owned()),
        None => parts.push(format!("the Pukao Quarry: {} Pukao", table.pukao)),
    }
    match cargo_at(table, area) {
        Some(Cargo::Moai(size)) => parts.push(format!("a {size} Moai is on its way")),
        Some(Cargo::Pukao) => parts.push("a Pukao is on its way".to_owned()),
        None => {}
    }
    if matches!(table.phase, Phase::Toll { left, .. } if Area::all_of(left).contains(area)) {
        parts.push("a toll is to be chosen".to_owned());
    }
    joined(parts, "; ")
}
