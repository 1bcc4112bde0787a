//! The island in a picture: the hexes with their figures, logs, and pieces, the ways of the pieces, and the Ahus.

use std::fmt::Write as _;

use ahu_core::parts::lines::joined;
use ahu_core::parts::picture::{Number, Thing};

use super::Drawing;
use super::map::{self, Map, Point};
use super::token::{self, Shape, Token, some};
use crate::giants::board::{Ahu, AhuData, Hex, Hexes, Terrain};
use crate::giants::piece::Piece;
use crate::giants::{Phase, Place, PlaceStep, Site, Spot, Table, TransportStep, View};

/// The part of a hex that shows its terrain; the rest is a border of sand.
const GROUND: f32 = 0.965;
const GROWS: &str = "a string takes every text";
/// The most steps of the search for the way of a piece.
const MOST_STEPS: usize = 500;

/// The look of a hex.
struct Scenery {
    class: &'static str,
    /// The name on the map.
    name: &'static str,
    words: &'static str,
    /// The symbols with their feet, from the middle of the hex, and their heights, in widths of a hex.
    symbols: &'static [(&'static str, f32, f32, f32)],
}

impl Drawing<'_, '_> {
    /// Draws the island in its sea.
    pub(super) fn island(&mut self) {
        let table = &self.view.table;
        let map = Map::of(table.options.board, self.picture.is_phone());
        self.sea(&map);
        for hex in table.board().hexes.iter() {
            self.ground(&map, hex);
        }
        for piece in Piece::all() {
            self.way(&map, piece);
        }
        for hex in table.board().hexes.iter() {
            self.label(&map, hex);
        }
        self.focus(&map);
        let mut ahus: Vec<Ahu> = table.board().ahus().collect();
        ahus.sort_by(|&one, &other| map.ahu(one).1.total_cmp(&map.ahu(other).1));
        for &ahu in &ahus {
            self.ahu(&map, ahu);
        }
        for hex in table.board().hexes.iter() {
            self.tokens_on(&map, hex);
        }
        // Nothing covers a name, also where an Ahu stands between hexes.
        let is_phone = self.picture.is_phone();
        for ahu in ahus.into_iter().filter(|&ahu| !is_phone && table.site(ahu) == Site::Free) {
            let (x, y) = map.ahu(ahu);
            self.picture.thing(Thing { target: &format!("ahu {ahu}"), ..Thing::default() }, |picture| {
                picture.chip("m t9 onp b", (x, y - 5.0), &ahu.to_string());
            });
        }
    }

    /// Draws the sea, the surf and the beach around the land, and a bay at each Ahu.
    fn sea(&mut self, map: &Map) {
        let board = self.view.table.board();
        let picture = &mut *self.picture;
        let (width, top, end) = picture.either((722.0, 62.0, map::SEA), (390.0, 92.0, map::PHONE_SEA));
        picture.rect("sea", (0.0, top), (width, end - top), 0.0);
        if !picture.is_phone() {
            picture.path(
                "deep",
                "M0 62H722V120Q600 96 470 88 300 76 120 110 40 130 0 170ZM0 540Q90 570 210 588 400 616 560 584 660 564 722 \
                 504V612H0Z",
            );
        }
        picture.waves(picture.either(
            &[
                (40.0, 120.0),
                (90.0, 98.0),
                (150.0, 132.0),
                (610.0, 92.0),
                (690.0, 180.0),
                (640.0, 560.0),
                (60.0, 556.0),
            ],
            &[(30.0, 132.0), (76.0, 116.0), (352.0, 120.0), (318.0, 342.0), (34.0, 376.0), (306.0, 374.0)],
        ));
        // The bays are short lines, as broad as the surf and the beach.
        let bay = picture.either(9.0, 5.0);
        let mut bays = String::new();
        for (x, y) in board.ahus().map(|ahu| map.ahu(ahu)) {
            write!(bays, "M{} {}h{}", Number(x - bay), Number(y - bay * 0.3), Number(2.0 * bay)).expect(GROWS);
        }
        let coast = board.hexes.iter().filter(|&hex| board.coasts(hex).next().is_some());
        let coast = joined(coast.map(|hex| map.outline(hex, 1.0)), "");
        let [surf, beach] = picture.either(["surf", "beach"], ["surf near", "beach near"]);
        picture.path(surf, map.bands(0.5) + &bays);
        picture.path(beach, coast + &map.bands(0.0) + &bays);
    }

    /// Draws the ground of a hex.
    fn ground(&mut self, map: &Map, hex: Hex) {
        let (title, (x, y), w) = (self.view.table.ground_text(hex), map.hex(hex), map.width);
        let scenery = self.view.table.scenery(hex);
        let target = format!("hex {hex}");
        self.picture.thing(Thing { title: &title, target: &target, ..Thing::default() }, |picture| {
            picture.path(scenery.class, map.outline(hex, GROUND));
            for &(name, dx, dy, height) in scenery.symbols {
                picture.symbol(name, (x + dx * w, y + dy * w), height * w);
            }
        });
    }

    /// Writes the number of a hex, and what it gives: the points of its Ahus, its logs, or its name.
    fn label(&mut self, map: &Map, hex: Hex) {
        let (table, (x, y), w) = (&self.view.table, map.hex(hex), map.width);
        let (board, picture, top) = (table.board(), &mut *self.picture, y - w * 0.47);
        if let Some(ahu) = board.ahus_at(hex).first() {
            let AhuData { moai, headdress, .. } = board.ahu(ahu);
            let (height, class) = picture.either((14.0, "wh b m t11"), (11.0, "wh b m t9"));
            let width = picture.symbol("plate", (x, top + height), height);
            for (side, number) in [(-0.25, moai), (0.25, headdress)] {
                picture.text(class, (x + side * width, top + height - 2.7), number);
            }
        }
        if let (Terrain::Forest { logs }, false) = (board.terrain(hex), table.harvested.contains(hex)) {
            let height = picture.either(9.0, 6.5);
            picture.symbol("log", (x - height * 0.6, top + height + 2.0), height);
            picture.text(picture.either("b t11 onp", "b t9 onp"), (x + height * 0.9, top + height + 2.0), logs);
        }
        if !picture.is_phone() {
            let name = table.scenery(hex).name;
            if !name.is_empty() {
                picture.text("b m t10 onp", (x, top + 10.0), name);
            }
            picture.text("t9 onp", (x - w * 0.46, y - w * 0.175), hex);
        }
        let is_left = |view: &View| (view.table.harvested.contains(hex), view.table.returnable(hex));
        let old = self.before.map(|before| before.table.tokens(hex));
        if self.is_news(is_left) || old.is_some_and(|old| token::any_gone(&old, &table.tokens(hex))) {
            let title = format!("hex {hex} has changed");
            self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
                let (left, top) = picture.either((-0.49, -0.29), (-0.12, 0.42));
                picture.mark((x + left * w, y + top * w), (w * 0.25, w * picture.either(0.19, 0.11)));
            });
        }
    }

    /// Draws a frame around the hex of the decision.
    fn focus(&mut self, map: &Map) {
        let hex = match self.view.table.phase {
            Phase::Place { step: PlaceStep::Power { hex, .. }, .. } => hex,
            Phase::Transport { step: TransportStep::Pay { to, .. }, .. } => to,
            _ => return,
        };
        self.picture.path("mine", map.outline(hex, GROUND));
    }

    /// Draws the tokens on a hex in up to three rows below its number, as large as they fit. The new ones lie above the others
    /// and are marked.
    fn tokens_on(&mut self, map: &Map, hex: Hex) {
        let ((x, y), w) = (map.hex(hex), map.width);
        let old = self.before.map(|before| before.table.tokens(hex));
        let is_new = |token: &Token| old.as_ref().is_some_and(|old| !old.contains(token));
        let tokens = self.view.table.tokens(hex);
        let (rows, height): (&[(f32, f32)], f32) = match tokens.len() {
            0..=3 => (&[(0.34, 0.92)], 0.46),
            4 => (&[(0.1, 0.5), (0.37, 0.72)], 0.29),
            5..=8 => (&[(0.11, 0.92), (0.37, 0.72)], 0.25),
            _ => (&[(0.05, 0.92), (0.21, 0.92), (0.37, 0.72)], 0.19),
        };
        let mut rest = &tokens[..];
        let rows = rows.iter().enumerate().map(|(row, &(foot, room))| {
            let (here, later) = rest.split_at(rest.len().div_ceil(rows.len() - row));
            rest = later;
            (here, foot, room / here.iter().map(|token| token.width(1.0)).sum::<f32>())
        });
        let rows: Vec<(&[Token], f32, f32)> = rows.collect();
        let height = w * rows.iter().fold(height, |height, &(.., fitting)| height.min(fitting));
        let mut placed: Vec<(Token, Point)> = Vec::new();
        for (here, foot, _) in rows {
            let mut left = x - here.iter().map(|token| token.width(height)).sum::<f32>() / 2.0;
            for token in here {
                let width = token.width(height);
                placed.push((*token, (left + width / 2.0, y + foot * w)));
                left += width;
            }
        }
        placed.sort_by_key(|(token, _)| is_new(token));
        for (token, (x, y)) in placed {
            let mut above = height;
            if token.shape == Shape::Log {
                above = self.logs(hex, token, (x, y), height);
            } else {
                token.draw(self.picture, (x, y), height);
            }
            if is_new(&token) {
                let width = token.width(height).max(height * 0.6);
                self.picture.mark((x - width / 2.0 - 1.0, y - above - 1.5), (width + 2.0, above + 2.5));
            }
        }
    }

    /// Draws logs on a hex with their number above them. Returns the height.
    fn logs(&mut self, hex: Hex, logs: Token, (x, y): Point, height: f32) -> f32 {
        let returnable = self.view.table.returnable(hex).map_or(String::new(), |owners| format!(" {owners}"));
        let (title, target) = (format!("{logs}{returnable}"), format!("hex {hex}"));
        let (class, letters) = self.picture.either(("b m t11 onp", 9.0), ("b m t9 onp", 7.5));
        self.picture.thing(Thing { title: &title, target: &target, ..Thing::default() }, |picture| {
            picture.symbol("log", (x, y), height * 0.4);
            picture.text(class, (x, y - height * 0.4 - 1.0), logs.count);
        });
        height * 0.4 + 1.0 + letters
    }

    /// Draws the way of a piece that was carried since the earlier view, or that the decision is about.
    fn way(&mut self, map: &Map, piece: Piece) {
        let table = &self.view.table;
        let visited = table.visited[piece.index()];
        let is_at_hand = table.phase.piece() == Some(piece);
        if !is_at_hand && (visited.len() < 2 || !self.is_news(|view| view.table.place_of(piece))) {
            return;
        }
        let (end, ahu) = match table.place_of(piece) {
            Place::Ahu(ahu) => (table.board().ahu(ahu).hex, Some(ahu)),
            Place::Island { hex, .. } => (hex, None),
            Place::Front(_) if is_at_hand => (table.hex_of(piece), None),
            Place::Front(_) | Place::Rock => return,
        };
        let mut way = table.way(visited.with(end), end);
        way.reverse();
        if let Phase::Transport { step: TransportStep::Pay { to, .. }, .. } = table.phase {
            way.push(to);
        }
        let mut points: Vec<Point> = way.into_iter().map(|hex| map.hex(hex)).collect();
        points.extend(ahu.map(|ahu| map.ahu(ahu)));
        if points.len() > 1 {
            self.picture.way(&points);
        }
    }

    /// Draws an Ahu with its base, its Moai, and the headdress.
    fn ahu(&mut self, map: &Map, ahu: Ahu) {
        let (site, (x, y), unit) = (self.view.table.site(ahu), map.ahu(ahu), map.width / 68.0);
        let title = self.view.table.site_text(ahu).unwrap_or_else(|| format!("{ahu} free"));
        self.picture.thing(Thing { title: &title, target: &format!("ahu {ahu}"), ..Thing::default() }, |picture| {
            picture.symbol("ahu", (x, y), 12.5 * unit);
            let badge = (x, y - 4.2 * unit);
            let radius = picture.either(6.4, 5.0);
            match site {
                Site::Free => {}
                Site::Reserved(owner) => picture.badge(owner, badge, radius),
                Site::Erected { owner, moai, headdress } => {
                    let (foot, height) = (y - 9.5 * unit, moai_height(moai) * unit);
                    picture.thing(Thing { id: &moai.to_string(), ..Thing::default() }, |picture| {
                        picture.moai((x, foot), height, false);
                    });
                    if let Some(headdress) = headdress {
                        picture.thing(Thing { id: &headdress.to_string(), ..Thing::default() }, |picture| {
                            picture.symbol("pukao", (x, foot - height * 0.88), 11.0 * unit);
                        });
                    }
                    if let Some(owner) = owner {
                        picture.badge(owner, badge, radius);
                    } else {
                        picture.circle("back", badge, radius);
                        picture.text("wh b m t9", (badge.0, badge.1 + 3.2), "?");
                    }
                }
            }
        });
        if self.is_news(|view| view.table.site(ahu)) {
            let moai = |site| match site {
                Site::Erected { moai, headdress, .. } => {
                    moai_height(moai) + if headdress.is_some() { 7.0 } else { 0.0 }
                }
                Site::Free | Site::Reserved(_) => 6.0,
            };
            let before = self.before.map_or(0.0, |before| moai(before.table.site(ahu)));
            let (width, height) = (self.picture.either(34.0, 21.0), (13.0 + moai(site).max(before)) * unit);
            self.picture.mark((x - width / 2.0, y - height), (width, height));
        }
    }
}

/// Returns the height of a Moai on its Ahu, in units of the map.
fn moai_height(moai: Piece) -> f32 {
    16.0 + 7.0 * f32::from(moai.kind().weight().units())
}

/// The contents of the island.
impl Table {
    /// Returns the tokens on a hex: pieces, figures by seat, and logs.
    fn tokens(&self, hex: Hex) -> Vec<Token> {
        let mut tokens: Vec<Token> = some([Shape::Log.times(self.logs.count(hex))]).collect();
        tokens.extend(self.pieces.movable().iter().filter_map(|piece| match self.place_of(piece) {
            Place::Island { hex: at, claim } if at == hex => {
                Some(Shape::Piece(piece, claim, self.phase.piece() == Some(piece)).times(1))
            }
            Place::Rock | Place::Front(_) | Place::Island { .. } | Place::Ahu(_) => None,
        }));
        let here = Spot::On(hex);
        for (seat, tribe) in self.tribes.iter() {
            tokens.extend(some([
                Shape::Worker(seat, here).times(tribe.workers.count(hex)),
                Shape::Sorcerer(seat, here).times((tribe.sorcerer == here).into()),
                Shape::Chief(seat, here).times((tribe.chief == here).into()),
            ]));
        }
        tokens
    }

    /// Returns a hex in words: its terrain, and the points of its Ahus.
    fn ground_text(&self, hex: Hex) -> String {
        let (board, words) = (self.board(), self.scenery(hex).words);
        let more = match (board.terrain(hex), board.ahus_at(hex).first()) {
            (Terrain::Forest { logs }, _) if !self.harvested.contains(hex) => format!(" with {logs} logs"),
            (_, Some(ahu)) => {
                let AhuData { moai, headdress, .. } = board.ahu(ahu);
                format!(" with Ahus, {moai} points for each unit of a Moai, {headdress} for a headdress")
            }
            (_, None) => String::new(),
        };
        format!("hex {hex}, {words}{more}")
    }

    /// Returns how pictures show the ground of a hex.
    fn scenery(&self, hex: Hex) -> Scenery {
        let (class, name, words, symbols): (_, _, _, &[_]) = match self.board().terrain(hex) {
            Terrain::Land => ("grass", "", "land", &[]),
            Terrain::MoaiQuarry => ("rock", "quarry", "Moai quarry", &[("crate", 0.0, 0.1, 0.44)]),
            Terrain::HeaddressQuarry => ("red", "hats", "headdress quarry", &[("redcrate", 0.0, 0.1, 0.42)]),
            Terrain::Village => {
                ("earth", "village", "village", &[("house", -0.14, 0.06, 0.24), ("house", 0.14, 0.3, 0.28)])
            }
            Terrain::Hut => {
                ("grass2", "hut", "Sorcerers' hut", &[("house", 0.0, 0.1, 0.28), ("star", 0.0, -0.08, 0.18)])
            }
            Terrain::Forest { .. } if self.harvested.contains(hex) => {
                let stumps = &[("stump", -0.18, 0.02, 0.17), ("stump", 0.18, 0.06, 0.17), ("stump", -0.04, 0.26, 0.17)];
                ("grass2", "", "forest without logs", stumps)
            }
            Terrain::Forest { .. } => ("wooded", "", "forest", &[("grove", 0.0, 0.3, 0.52)]),
        };
        Scenery { class, name, words, symbols }
    }

    /// Returns a way that ends on a hex and leads over all visited ones, backwards. The order of the visits is not known: a
    /// search finds one, or the longest that it meets.
    fn way(&self, visited: Hexes, end: Hex) -> Vec<Hex> {
        let (mut best, mut steps) = (vec![end], 0);
        let mut open = vec![vec![end]];
        while let Some(way) = open.pop() {
            let last = way[way.len() - 1];
            let next = (self.board().neighbours(last) & visited).iter().filter(|hex| !way.contains(hex));
            open.extend(next.map(|hex| [&way[..], &[hex]].concat()));
            if way.len() > best.len() {
                best = way;
            }
            steps += 1;
            if best.len() == visited.len() || steps == MOST_STEPS {
                break;
            }
        }
        best
    }
}
