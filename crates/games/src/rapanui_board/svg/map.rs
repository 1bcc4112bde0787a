//! The map: spaces with their colours, ahus, Transporters, and the cargo; the Crater and the Pukao Quarry.

use ahu_core::Seat;
use ahu_core::parts::lines::joined;
use ahu_core::parts::svg::{MARGIN, Svg};

use super::pieces::{Piece, initial, resource_class, row};
use super::{Picture, ROOM};
use crate::rapanui_board::{Area, Areas, Cargo, Phase, Resource, Site, Size, Space, Table};

/// The height of an area.
const HEIGHT: f32 = 61.0;
/// The distance between adjacent areas.
const GAP: f32 = 4.0;
/// The base line of a space's number and colours, from the upper edge.
const NUMBER: f32 = 12.0;
/// The base line of the ahus.
const AHUS: f32 = 39.5;
/// The base line of the Transporters and the cargo.
const TRANSPORTERS: f32 = 59.5;

impl Picture<'_> {
    /// Draws the areas, with lines between adjacent ones.
    pub(super) fn map(&mut self) {
        let (board, top) = (self.table.board(), self.y);
        let (rows, columns) = board.extent();
        let step = ((ROOM + GAP) / f32::from(columns), HEIGHT + GAP);
        let size = (step.0 - GAP, HEIGHT);
        let corner = |area: Area| {
            let (row, column) = board.place(area);
            (MARGIN + step.0 * f32::from(column), top + step.1 * f32::from(row))
        };
        let middle = |area: Area| (corner(area).0 + size.0 / 2.0, corner(area).1 + size.1 / 2.0);
        for area in board.areas().iter() {
            for beside in board.adjacent(area).iter().filter(|beside| beside.index() > area.index()) {
                self.svg.lines("thick", &[middle(area), middle(beside)]);
            }
        }
        for area in board.areas().iter() {
            self.area(area, corner(area), size);
        }
        self.y += step.1 * f32::from(rows) + 2.0;
    }

    /// Draws an area with everything on it, and a thick frame if the cargo has come there.
    fn area(&mut self, area: Area, (x, y): (f32, f32), size: (f32, f32)) {
        let table = self.table;
        match area.space() {
            Some(space) => self.svg.piece(space_title(table, space), |svg| draw_space(svg, table, space, (x, y), size)),
            None => self.svg.piece(quarry_title(table, area), |svg| draw_quarry(svg, table, area, (x, y), size)),
        }
        if way(table.phase).contains(area) {
            self.svg.rect("thick", (x, y), size);
        }
        self.mark((x - 1.0, y - 1.0), (size.0 + 2.0, size.1 + 2.0), |view| Contents::of(&view.table, area));
    }
}

/// Draws a space: its number, its colours, its ahus with tiles and Moai, its Transporters, and the cargo.
fn draw_space(svg: &mut Svg, table: &Table, space: Space, (x, y): (f32, f32), (width, height): (f32, f32)) {
    let colours = table.board().colours(space);
    svg.rect(resource_class(colours.first), (x, y), (width, height));
    let letter = |resource: Resource| initial(resource.name());
    let mut letters = letter(colours.first).to_string();
    if let Some(second) = colours.second {
        let corners = [(x + width - 1.0, y + 1.0), (x + width - 1.0, y + height - 1.0), (x + 1.0, y + height - 1.0)];
        svg.polygon(resource_class(second), &corners);
        letters = format!("{letters}/{}", letter(second));
    }
    svg.text("b k", (x + 2.0, y + NUMBER), space);
    svg.text("s k", (x + 17.0, y + NUMBER), letters);
    if tolls(table.phase).contains(space.into()) {
        svg.text("l b k e", (x + width - 1.0, y + NUMBER), "?");
    }
    row(svg, &ahus(table, space), (x + 1.5, y + AHUS), width - 3.0);
    row(svg, &carriers(table, space.into()), (x + 1.5, y + TRANSPORTERS), width - 3.0);
}

/// Draws the Crater, or the Pukao Quarry with its supply.
fn draw_quarry(svg: &mut Svg, table: &Table, area: Area, (x, y): (f32, f32), (width, height): (f32, f32)) {
    svg.rect("panel", (x, y), (width, height));
    let middle = x + width / 2.0;
    if area == Area::CRATER {
        svg.text("b m", (middle, y + NUMBER), "Crater");
    } else {
        svg.text("b m", (middle, y + NUMBER), "Pukao");
        svg.text("b m", (middle, y + NUMBER + 10.0), "Quarry");
        Piece::Pukao.draw(svg, (middle - 16.0, y + AHUS - 2.0));
        svg.text("b", (middle - 4.0, y + AHUS - 1.0), format_args!("\u{d7}{}", table.pukao));
    }
    row(svg, &carriers(table, area), (middle - 5.0, y + TRANSPORTERS), width / 2.0);
}

/// Returns the Moai of a space, from the largest on, and the tiles on its free ahus. The first Moai have the Pukao: it makes
/// no difference which ones have them (M14).
fn ahus(table: &Table, space: Space) -> Vec<Piece> {
    let site = table.site(space);
    let sizes = Size::ALL.into_iter().rev().flat_map(|size| (0..site.moai[size]).map(move |_| size));
    let mut pieces: Vec<Piece> = sizes.map(Piece::Moai).collect();
    for piece in pieces.iter_mut().take(site.styled.into()) {
        if let Piece::Moai(size) = *piece {
            *piece = Piece::Styled(size);
        }
    }
    pieces.extend(site.tiles.iter().flatten().map(|&tile| Piece::Tile(tile)));
    pieces.resize(table.board().ahus(space).into(), Piece::Ahu);
    pieces
}

/// Returns the Transporters in an area, the Chief, and the cargo.
fn carriers(table: &Table, area: Area) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some((space, seat)) = area.space().and_then(|space| Some((space, table.owner(space)?))) {
        let site = table.site(space);
        pieces.extend((0..site.standing).map(|_| Piece::Villager(seat)));
        pieces.extend((0..site.lying).map(|_| Piece::Lying(seat)));
        pieces.extend((table.players[seat].lent_chief() == Some(space)).then_some(Piece::Chief(seat)));
    }
    pieces.extend(cargo_at(table, area).map(Piece::Cargo));
    pieces
}

/// Returns the cargo of a transport with its area; None between transports, and once the cargo stands.
pub(super) fn cargo(phase: Phase) -> Option<(Area, Cargo)> {
    match phase {
        Phase::Carry { cargo, at, .. } => Some((at, cargo)),
        Phase::Toll { space, size, .. } => Some((space.into(), Cargo::Moai(size))),
        _ => None,
    }
}

/// Returns the cargo in an area.
fn cargo_at(table: &Table, area: Area) -> Option<Cargo> {
    cargo(table.phase).filter(|&(at, _)| at == area).map(|(_, cargo)| cargo)
}

/// Returns the space of a Moai that has just arrived.
fn arrived(phase: Phase) -> Option<Space> {
    match phase {
        Phase::Toll { space, .. } | Phase::Gain { space, .. } => Some(space),
        _ => None,
    }
}

/// Returns the areas of the way so far; after the arrival, the space of the Moai.
fn way(phase: Phase) -> Areas {
    match phase {
        Phase::Carry { visited, .. } => visited,
        _ => arrived(phase).map_or(Areas::EMPTY, |space| Area::from(space).into()),
    }
}

/// Returns the spaces whose tolls are still to be chosen.
fn tolls(phase: Phase) -> Areas {
    match phase {
        Phase::Toll { left, .. } => Area::all_of(left),
        _ => Areas::EMPTY,
    }
}

/// The facts about an area that are marked when they change.
#[derive(PartialEq)]
struct Contents {
    /// The contents of a space, the owner of its Transporters, and true if its Chief is there.
    site: Option<(Site, Option<Seat>, bool)>,
    cargo: Option<Cargo>,
    has_toll: bool,
    has_arrived: bool,
    pukao: Option<u8>,
}

impl Contents {
    /// Returns the facts about an area.
    fn of(table: &Table, area: Area) -> Self {
        let site = |space: Space| {
            let owner = table.owner(space);
            let has_chief = owner.is_some_and(|seat| table.players[seat].lent_chief() == Some(space));
            (*table.site(space), owner, has_chief)
        };
        Self {
            site: area.space().map(site),
            cargo: cargo_at(table, area),
            has_toll: tolls(table.phase).contains(area),
            has_arrived: arrived(table.phase).map(Area::from) == Some(area),
            pukao: (area == Area::PUKAO_QUARRY).then_some(table.pukao),
        }
    }
}

/// Returns everything about a space in words.
fn space_title(table: &Table, space: Space) -> String {
    let colours = table.board().colours(space);
    let second = colours.second.map_or_else(String::new, |second| format!(" or {second}"));
    let mut parts = vec![format!("space {space}: {}{second}", colours.first)];
    let site = table.site(space);
    let names = joined(site.tiles.iter().flatten(), ", ");
    if !names.is_empty() {
        parts.push(format!("Ahu tiles: {names}"));
    }
    if site.moai.total() > 0 {
        parts.push(format!("Moai: {}; with a Pukao: {}", site.moai, site.styled));
    }
    if let Some(seat) = table.owner(space) {
        let chief = if table.players[seat].lent_chief() == Some(space) { ", and the Chief" } else { "" };
        parts.push(format!("Transporters of seat {seat}: {} stand, {} lie{chief}", site.standing, site.lying));
    }
    parts.extend(cargo_words(table, space.into()));
    if tolls(table.phase).contains(space.into()) {
        parts.push("a toll is to be chosen".to_owned());
    }
    parts.join("; ")
}

/// Returns everything about a quarry in words.
fn quarry_title(table: &Table, area: Area) -> String {
    let name = if area == Area::CRATER {
        "the Crater, where Moai begin".to_owned()
    } else {
        format!("the Pukao Quarry: {} Pukao", table.pukao)
    };
    joined([name].into_iter().chain(cargo_words(table, area)), "; ")
}

/// Returns the cargo in an area in words.
fn cargo_words(table: &Table, area: Area) -> Option<String> {
    cargo_at(table, area).map(|cargo| match cargo {
        Cargo::Moai(size) => format!("a {size} Moai is on its way"),
        Cargo::Pukao => "a Pukao is on its way".to_owned(),
    })
}
