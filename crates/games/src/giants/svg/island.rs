//! The island in a picture: the hexes with their figures, logs, and pieces, the ways of the pieces, and the Ahus.

use ahu_core::parts::svg::WIDTH;

use super::Picture;
use super::map::{AHU, HEX, Map, corners, middle};
use super::token::{self, Thing, Token, leaders, some};
use crate::giants::board::{Ahu, AhuData, Hex, Terrain};
use crate::giants::piece::{Kind, Piece};
use crate::giants::wording::heading;
use crate::giants::{Phase, Place, PlaceStep, Site, Spot, Table, TransportStep};

/// The number of lines of tokens in a hex.
pub(super) const LINES: usize = 3;
/// The width of a line of tokens in a hex.
const LINE: f32 = HEX.0 - 0.5;
/// The base line of a hex's heading, and the top of its tokens, below its uppermost point.
const HEADING: f32 = 16.0;
const TOKENS: f32 = 19.0;

/// A token in a hex, with its upper left corner.
type Placed = (Token, (f32, f32));

impl Picture<'_> {
    /// Draws the island in its sea.
    pub(super) fn island(&mut self) {
        let (table, map) = (&self.view.table, &Map::named(self.view.table.options.board));
        let board = table.board();
        self.svg.rect("water", (0.0, self.y), (WIDTH, map.height));
        for hex in board.hexes.iter() {
            self.ground(map, hex);
        }
        for line in board.ahus().filter_map(|ahu| map.line(ahu)) {
            let line = line.map(|point| self.below(point));
            self.svg.lines("line", &line);
            self.svg.circle("ink", line[0], 1.8);
        }
        for piece in table.moved() {
            self.way(map, piece);
        }
        self.focus(map);
        for hex in board.hexes.iter() {
            self.tokens_on(map, hex);
        }
        for ahu in board.ahus() {
            self.ahu(ahu, self.below(map.ahu(ahu)));
        }
        // A dot joins an Ahu without a line of its own to the one beside it.
        for ahu in board.ahus().filter(|&ahu| map.line(ahu).is_none()) {
            let (left, top) = self.below(map.ahu(ahu));
            self.svg.circle("ink", (left, top + AHU.1 / 2.0), 2.4);
        }
        self.y += map.height + 4.0;
    }

    /// Returns the place in the picture of a point of the map.
    fn below(&self, (x, y): (f32, f32)) -> (f32, f32) {
        (x, y + self.y)
    }

    /// Returns the centre of a hex in the picture.
    fn centre(&self, map: &Map, hex: Hex) -> (f32, f32) {
        self.below(map.hex(hex))
    }

    /// Draws a hex with its number, and with the points of its Ahus or its terrain.
    fn ground(&mut self, map: &Map, hex: Hex) {
        let (table, (x, y)) = (&self.view.table, self.centre(map, hex));
        let (text, tokens) = (heading(table, table.board(), hex), table.tokens(hex));
        let (number, gives) = text.split_once(' ').unwrap_or((&text, ""));
        let (class, ink) = terrain_class(table.board().terrain(hex));
        let title = match &tokens[..] {
            [] => table.ground_text(hex),
            tokens => format!("{}: {}", table.ground_text(hex), token::listed(tokens)),
        };
        let (left, right, base_line) = (x - HEX.0 / 2.0, x + HEX.0 / 2.0, y - HEX.1 / 2.0 + HEADING);
        self.svg.piece(title, |svg| {
            svg.polygon(class, &corners((x, y)));
            svg.text(&format!("s d{ink}"), (left + 1.5, base_line), number);
            svg.text(&format!("s e{ink}"), (right - 1.5, base_line), gives);
        });
        let old = self.before.map(|before| &before.table);
        if old.is_some_and(|old| heading(old, old.board(), hex) != text || token::any_gone(&old.tokens(hex), &tokens)) {
            self.svg.mark((left + 0.5, base_line - 9.0), (HEX.0 - 1.0, 11.5));
        }
    }

    /// Draws lines between the hexes where a piece has been in this phase.
    fn way(&mut self, map: &Map, piece: Piece) {
        let table = &self.view.table;
        let visited = table.visited[piece.index()];
        let mut lines = Vec::new();
        for from in visited.iter() {
            let later = (table.board().neighbours(from) & visited).iter().filter(|&to| to > from);
            lines.extend(later.map(|to| [self.centre(map, from), self.centre(map, to)]));
        }
        let title = format!("{piece} was on the hexes {visited} in this phase");
        self.svg.piece(title, |svg| lines.iter().for_each(|line| svg.lines("way", line)));
    }

    /// Draws a frame around the hex of the decision, and an arrow to the hex that a piece enters.
    fn focus(&mut self, map: &Map) {
        let table = &self.view.table;
        if let Phase::Place { step: PlaceStep::Power { hex, .. }, .. } = table.phase {
            let centre = self.centre(map, hex);
            self.svg.polygon("thick", &corners(centre));
        }
        if let Phase::Transport { step: TransportStep::Pay { piece, to, .. }, .. } = table.phase {
            let (from, to) = (self.centre(map, table.hex_of(piece)), self.centre(map, to));
            self.svg.polygon("thick", &corners(to));
            self.svg.lines("thick", &[from, to]);
            self.svg.polygon("ink", &arrow(from, to));
        }
    }

    /// Draws the figures, logs, and pieces on a hex, and marks the new ones. If they do not have room, all stand below the
    /// rows of the players, too.
    fn tokens_on(&mut self, map: &Map, hex: Hex) {
        let here = self.view.table.tokens(hex);
        let old = self.before.map(|before| before.table.tokens(hex));
        let (placed, fits) = laid_out(&here, self.centre(map, hex));
        for (token, place) in placed {
            // The note is not part of the hex.
            let old = old.as_deref().filter(|_| token.thing != Thing::More);
            self.token(token, old, place);
        }
        if !fits {
            self.crowded.push(hex);
        }
        if let Some(logs) = self.view.table.returnable(hex) {
            self.remarks.push(format!("on hex {hex}: {logs}"));
        }
    }

    /// Draws an Ahu: its name, the base of its owner, and below them the Moai and its headdress.
    fn ahu(&mut self, ahu: Ahu, (x, y): (f32, f32)) {
        let table = &self.view.table;
        let site = table.site(ahu);
        let class = if site == Site::Free { "panel" } else { "cell" };
        let title = table.site_text(ahu).unwrap_or_else(|| format!("{ahu} free"));
        self.svg.piece(title, |svg| {
            svg.rect(class, (x, y), AHU);
            svg.text("s", (x + 2.0, y + 10.0), ahu);
            let base = (x + AHU.0 - 13.0, y + 0.5);
            match site {
                Site::Free => {}
                Site::Reserved(owner) => token::base(svg, owner, base),
                Site::Erected { owner, moai, headdress } => {
                    match owner {
                        Some(owner) => token::base(svg, owner, base),
                        None => svg.text("b m", (base.0 + 6.0, y + 10.5), "?"),
                    }
                    token::piece(svg, moai.kind(), moai, (x + 0.5, y + 13.0));
                    if let Some(headdress) = headdress {
                        token::piece(svg, Kind::Headdress, headdress, (x + 16.5, y + 13.0));
                    }
                }
            }
        });
        self.mark((x - 1.0, y - 1.0), (AHU.0 + 2.0, AHU.1 + 2.0), |view| view.table.site(ahu));
    }
}

/// The contents of the island.
impl Table {
    /// Returns the tokens on a hex: figures by seat, logs, and pieces.
    pub(super) fn tokens(&self, hex: Hex) -> Vec<Token> {
        let mut tokens = Vec::new();
        for (seat, tribe) in self.tribes.iter() {
            tokens.extend(some([Thing::Worker(seat).times(tribe.workers.count(hex))]));
            tokens.extend(leaders(seat, tribe.sorcerer == Spot::On(hex), tribe.chief == Spot::On(hex)));
        }
        tokens.extend(some([Thing::Log.times(self.logs.count(hex))]));
        tokens.extend(self.pieces.movable().iter().filter_map(|piece| match self.place_of(piece) {
            Place::Island { hex: at, claim } if at == hex => {
                Some(Thing::Piece { piece, claim, is_at_hand: self.phase.piece() == Some(piece) }.times(1))
            }
            Place::Rock | Place::Front(_) | Place::Island { .. } | Place::Ahu(_) => None,
        }));
        tokens
    }

    /// Returns a hex in words: its terrain, and the points of its Ahus.
    fn ground_text(&self, hex: Hex) -> String {
        let board = self.board();
        let terrain = match board.terrain(hex) {
            Terrain::Land => board.ahus_at(hex).first().map_or("open land".to_owned(), |ahu| {
                let AhuData { moai, headdress, .. } = board.ahu(ahu);
                format!("coast with Ahus, {moai} points for each unit of a Moai's size, {headdress} for a headdress")
            }),
            Terrain::MoaiQuarry => "Moai quarry".to_owned(),
            Terrain::HeaddressQuarry => "headdress quarry".to_owned(),
            Terrain::Village => "village".to_owned(),
            Terrain::Hut => "Sorcerers' hut".to_owned(),
            Terrain::Forest { .. } if self.harvested.contains(hex) => "forest without logs".to_owned(),
            Terrain::Forest { logs } => format!("forest with {logs} logs"),
        };
        format!("hex {hex}, {terrain}")
    }

    /// Returns the pieces that were moved in this Transport Phase.
    fn moved(&self) -> impl Iterator<Item = Piece> {
        Piece::all().filter(|piece| self.visited[piece.index()].len() > 1)
    }
}

/// Returns the tokens with their places in the hex with this centre, and true if all have room. If not, a last one says
/// that there are more.
fn laid_out(tokens: &[Token], (x, y): (f32, f32)) -> (Vec<Placed>, bool) {
    let mut lines: Vec<Vec<Token>> = vec![Vec::new()];
    for &token in tokens {
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() || width(last) + token::GAP + token.width() <= LINE {
            last.push(token);
        } else {
            lines.push(vec![token]);
        }
    }
    let fits = lines.len() <= LINES;
    if !fits {
        lines.truncate(LINES);
        let last = lines.last_mut().expect("there is a line");
        let more = Thing::More.times(1);
        while width(last) + token::GAP + more.width() > LINE {
            last.pop();
        }
        last.push(more);
    }
    let mut placed = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let mut left = x - width(line) / 2.0;
        for &token in line {
            placed.push((token, (left, y - HEX.1 / 2.0 + TOKENS + (token::HEIGHT + 1.0) * n as f32)));
            left += token.width() + token::GAP;
        }
    }
    (placed, fits)
}

/// Returns the width of a line of tokens.
fn width(line: &[Token]) -> f32 {
    line.iter().map(|token| token.width() + token::GAP).sum::<f32>() - token::GAP
}

/// Returns the class of a hex of this terrain, and the class of the text on it.
const fn terrain_class(terrain: Terrain) -> (&'static str, &'static str) {
    match terrain {
        Terrain::Land => ("cell", ""),
        Terrain::MoaiQuarry => ("c3", " k"),
        Terrain::HeaddressQuarry => ("c2", " k"),
        Terrain::Village => ("c5", " k"),
        Terrain::Hut => ("c4", " k"),
        Terrain::Forest { .. } => ("c0", " k"),
    }
}

/// Returns the corners of an arrow's head in the middle between two different points.
fn arrow(from: (f32, f32), to: (f32, f32)) -> [(f32, f32); 3] {
    const LENGTH: f32 = 8.0;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let (dx, dy) = (dx / length * LENGTH, dy / length * LENGTH);
    let (x, y) = middle(from, to);
    [(x + dx, y + dy), (x - dy * 0.7, y + dx * 0.7), (x + dy * 0.7, y - dx * 0.7)]
}
