//! The picture of the table.
//!
//! From top to bottom: the dice and the Moai on offer, the island, a row for each player, the stocks, the hexes without room
//! for their tokens, remarks, and the legend.

mod island;
mod map;
mod row;
mod token;

use ahu_core::parts::lines::{wrapped, wrapped_lists};
use ahu_core::parts::svg::{MARGIN, Svg, WIDTH};
use ahu_core::{Draw, Seat};
use token::{Thing, Token};

use super::board::Hex;
use super::options::WHITE_DICE;
use super::phase::Phase;
use super::piece::{Kind, Piece, Size};
use super::place::Claim;
use super::table::Table;
use super::view::View;

/// The characters in a line of text, and of the legend.
const LINE: usize = 66;
const SMALL_LINE: usize = 82;
/// The distance of two lines of text.
const LINE_STEP: f32 = 13.0;
/// The width of a small letter.
const LETTER: f32 = 5.1;
/// The size of a die.
const DIE: f32 = 17.0;
/// The place of the dice, the Moai on offer, the stocks, and the tokens of a hex without room for them.
const DICE: f32 = 34.0;
const OFFER: f32 = 286.0;
const STOCKS: f32 = 80.0;
const CROWDED: f32 = 46.0;
/// The explanation of words and frames.
const LEGEND: &str = "\
5/6: points for each unit of a Moai's size / for a headdress; log4: forest with 4 logs; cut: no logs left; vill: village; \
hut: Sorcerers' hut; hats: headdress quarry; Moai: Moai quarry. Thick lines: ways of pieces in this phase. A die of 0: no \
Moai. In a row: the Prestige Points if the game ended now; 1st, the first player; the goods behind the screen and in \
front of it; ?, not shown. Dashed frames: changed since the last ply.";

impl Draw for View {
    fn draw(&self, before: Option<&Self>, headline: &str) -> (Svg, f32) {
        let (crowded, remarks) = (Vec::new(), Vec::new());
        let mut picture = Picture { svg: Svg::new(), view: self, before, y: MARGIN, crowded, remarks };
        picture.y = picture.svg.headline(headline, picture.y);
        picture.dice();
        picture.offer();
        picture.island();
        for seat in self.table.options.seats.iter() {
            picture.row(seat);
        }
        picture.stocks();
        picture.crowded_hexes();
        picture.write_remarks();
        picture.legend();
        (picture.svg, picture.y + MARGIN)
    }
}

/// The picture so far. `y` is where the next part begins.
struct Picture<'a> {
    svg: Svg,
    view: &'a View,
    before: Option<&'a View>,
    y: f32,
    /// The hexes without room for their tokens.
    crowded: Vec<Hex>,
    /// The lines of text below the rows of the players.
    remarks: Vec<String>,
}

/// The parts of the picture above and below the island and the players.
impl Picture<'_> {
    /// Marks a place if a fact differs from the earlier view.
    fn mark<T: PartialEq>(&mut self, at: (f32, f32), size: (f32, f32), of: impl Fn(&View) -> T) {
        if self.before.is_some_and(|before| of(before) != of(self.view)) {
            self.svg.mark(at, size);
        }
    }

    /// Draws the dice of the turn, each with the number that it counts as if that is another one.
    fn dice(&mut self) {
        let (Table { roll, turn, .. }, y) = (&self.view.table, self.y);
        let title = match roll {
            Some(roll) => format!("the dice show {}", roll.text(*turn)),
            None => "the dice are not rolled".to_owned(),
        };
        let mut x = DICE;
        self.svg.text("", (MARGIN, y + 13.0), "dice");
        self.svg.piece(title, |svg| {
            for (die, (face, number)) in roll.iter().flat_map(|roll| roll.read(*turn)).enumerate() {
                let (class, ink) = if die < WHITE_DICE { ("cell", "") } else { ("c1", " k") };
                svg.rect(class, (x, y), (DIE, DIE));
                svg.text(&format!("l b m{ink}"), (x + DIE / 2.0, y + 13.0), face);
                x += DIE + 2.0;
                if number != face {
                    svg.text("", (x, y + 13.0), format_args!("={number}"));
                    x += 17.0;
                }
                x += 4.0;
            }
        });
        self.mark((DICE - 2.0, y - 1.5), (x - DICE, DIE + 3.0), |view| view.table.roll);
    }

    /// Draws the Moai on offer, beside the dice.
    fn offer(&mut self) {
        let offered = self.view.offer();
        if matches!(self.view.table.phase, Phase::Bid { .. } | Phase::Pick { .. }) {
            self.svg.text("e", (OFFER - 4.0, self.y + 13.0), "on offer");
        }
        self.tokens(&offered, self.before.map(View::offer), (OFFER, self.y + 2.0));
        self.y += DIE + 5.0;
    }

    /// Draws the Moai, headdresses, half-tablets, and logs that are still to come.
    fn stocks(&mut self) {
        let stocks = self.view.stocks();
        self.svg.text("", (MARGIN, self.y + 11.0), "still to come");
        self.tokens(&stocks, self.before.map(View::stocks), (STOCKS, self.y + 1.0));
        self.y += token::HEIGHT + 5.0;
    }

    /// Draws all tokens of the hexes that do not have room for them.
    fn crowded_hexes(&mut self) {
        for hex in std::mem::take(&mut self.crowded) {
            self.svg.text("", (MARGIN, self.y + 11.0), format_args!("hex {hex}"));
            let old = self.before.map(|before| before.table.tokens(hex));
            let mut x = CROWDED;
            for token in self.view.table.tokens(hex) {
                if x + token.width() > WIDTH - MARGIN {
                    (x, self.y) = (CROWDED, self.y + token::HEIGHT + 2.0);
                }
                self.token(token, old.as_deref(), (x, self.y + 1.0));
                x += token.width() + token::ROW_GAP;
            }
            self.y += token::HEIGHT + 5.0;
        }
    }

    /// Writes the remarks: players of logs, and receptacles without room in their row.
    fn write_remarks(&mut self) {
        for remark in std::mem::take(&mut self.remarks) {
            self.y = self.svg.paragraph("", &wrapped_lists(&remark, LINE, 2), self.y, LINE_STEP);
        }
    }

    /// Explains the shapes, words, and frames.
    fn legend(&mut self) {
        let mut x = MARGIN;
        for (token, text) in legend() {
            let width = token.width() + 3.0 + LETTER * text.len() as f32;
            if x + width > WIDTH - MARGIN {
                (x, self.y) = (MARGIN, self.y + token::HEIGHT + 2.0);
            }
            token.shape(&mut self.svg, (x, self.y + 1.0));
            self.svg.text("s d", (x + token.width() + 2.0, self.y + 10.5), text);
            x += width + 6.0;
        }
        self.y += token::HEIGHT + 3.0;
        self.y = self.svg.paragraph("s d", &wrapped(LEGEND, SMALL_LINE, 0), self.y, LINE_STEP - 1.0);
    }

    /// Draws tokens in a line, marks the new tokens, and marks the places of missing tokens. Returns the end of the line.
    fn tokens(&mut self, tokens: &[Token], before: Option<Vec<Token>>, (mut x, y): (f32, f32)) -> f32 {
        for &token in tokens {
            self.token(token, before.as_deref(), (x, y));
            x += token.width() + token::ROW_GAP;
        }
        if before.is_some_and(|before| token::any_gone(&before, tokens)) {
            self.svg.mark((x, y), (8.0, token::HEIGHT));
        }
        x
    }

    /// Draws a token, and marks it if it was not there before.
    fn token(&mut self, token: Token, before: Option<&[Token]>, (x, y): (f32, f32)) {
        token.draw(&mut self.svg, (x, y));
        if before.is_some_and(|before| !before.contains(&token)) {
            self.svg.mark((x - 1.0, y - 1.0), (token.width() + 2.0, token::HEIGHT + 2.0));
        }
    }
}

/// The tokens beside no island and no player.
impl View {
    /// Returns the Moai on offer.
    fn offer(&self) -> Vec<Token> {
        moai(self.table.phase.offered().iter())
    }

    /// Returns the things that are still to come.
    fn stocks(&self) -> Vec<Token> {
        let Table { supply, halves, logs_left, .. } = &self.table;
        let headdresses = self.table.in_rock(Kind::Headdress).len() as u8;
        let mut tokens = moai(supply.iter());
        tokens.extend([Thing::Headdress.times(headdresses), Thing::Half.times(*halves), Thing::Log.times(*logs_left)]);
        tokens
    }
}

/// Returns Moai by size, without empty sizes.
fn moai(sizes: impl Iterator<Item = (Size, u8)>) -> Vec<Token> {
    sizes.filter(|(_, count)| *count > 0).map(|(size, count)| Thing::Moai(size).times(count)).collect()
}

/// Returns a token of each kind with its explanation.
fn legend() -> [(Token, &'static str); 11] {
    let seat = Seat::default();
    let moai = Kind::Moai(Size::Two).pieces().iter().nth(1).expect("there are two Moai of size 2");
    let headdress = Kind::Headdress.pieces().first().expect("there are headdresses");
    let piece = |piece: Piece, claim| Thing::Piece { piece, claim, is_at_hand: false }.times(1);
    [
        (Thing::Worker(seat).times(1), "Worker of seat 0"),
        (Thing::Sorcerer(seat).times(1), "Sorcerer"),
        (Thing::Chief(seat).times(1), "Chief"),
        (Thing::Marker(seat).times(1), "Tribe Marker"),
        (Thing::Base(seat).times(1), "base"),
        (Thing::Log.times(2), "2 logs"),
        (Thing::Half.times(1), "half-tablet"),
        (piece(headdress, Claim::Abandoned), "headdress"),
        (piece(moai, Claim::Abandoned), "second Moai of size 2"),
        (piece(moai, Claim::Marked(seat)), "marked by seat 0"),
        (piece(moai, Claim::Held(seat)), "moved by seat 0 in this phase, not marked"),
    ]
}
