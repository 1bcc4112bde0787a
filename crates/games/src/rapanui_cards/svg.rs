//! The picture of the table.
//!
//! From top to bottom: the display in columns with the stack and the Stone of Sacrifice beside it, a row for each player with
//! the cards of the own display by kind, the viewer's hand, and a table of sacrifice cards by food.

use ahu_core::parts::svg::{MARGIN, Svg, WIDTH};
use ahu_core::{Draw, Seat, Viewer};

use super::cards::{Food, Kind};
use super::column::{Column, DEPTH};
use super::options::Edition;
use super::stone::Top;
use super::view::View;

/// The size of a card.
const CARD: (f32, f32) = (67.0, 30.0);
/// The part of a card that another one leaves uncovered.
const STRIP: f32 = 15.0;
/// The distance from one column to the next.
const COLUMN_STEP: f32 = 70.0;
/// The left edge of the stack and the stone.
const STACK: f32 = MARGIN + 4.0 * COLUMN_STEP + 6.0;
/// The height of a player's row.
const ROW: f32 = 52.0;
/// The height of the name in a player's row.
const NAME: f32 = 10.0;
/// The left edge of the first kind in a player's row, and the distance from one kind to the next.
const KINDS: f32 = MARGIN + 30.0;
const KIND_STEP: f32 = 51.0;
/// The left edge of the first food in the table, and the distance from one food to the next.
const FOODS: f32 = 172.0;
const FOOD_STEP: f32 = 63.0;
/// The height of a line of the table.
const LINE: f32 = 15.0;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, headline: &str) -> (Svg, f32) {
        let mut picture = Picture { svg: Svg::new(), view: self, before, y: MARGIN };
        picture.y = picture.svg.headline(headline, picture.y);
        picture.display();
        for seat in self.table.options.seats.iter() {
            picture.player(seat);
        }
        picture.legend();
        picture.hand();
        picture.foods();
        (picture.svg, picture.y)
    }
}

/// The picture so far. `y` is where the next part begins.
struct Picture<'a> {
    svg: Svg,
    view: &'a View,
    before: Option<&'a View>,
    y: f32,
}

impl Picture<'_> {
    /// Marks a place if a fact differs from the earlier view.
    fn mark<T: PartialEq>(&mut self, at: (f32, f32), size: (f32, f32), of: impl Fn(&View) -> T) {
        if self.before.is_some_and(|before| of(before) != of(self.view)) {
            self.svg.mark(at, size);
        }
    }

    /// Draws the columns, the card at the back first, and the piles beside them.
    fn display(&mut self) {
        let (view, y) = (self.view, self.y);
        for column in Column::all() {
            let x = MARGIN + COLUMN_STEP * column.index() as f32;
            self.svg.text("d", (x, y + 10.0), column);
            let cards = view.table.columns[column.index()].cards();
            for (place, card) in cards.iter().enumerate().rev() {
                let top = y + 14.0 + STRIP * (DEPTH - 1 - place) as f32;
                match card {
                    Some(kind) => face(&mut self.svg, *kind, (x, top), place == 0),
                    None => self.svg.piece("a card that nobody has seen", |svg| {
                        svg.rect("back", (x, top), CARD);
                        svg.text("b i m", (x + CARD.0 / 2.0, top + 11.0), "?");
                    }),
                }
            }
            let size = (CARD.0 + 3.0, STRIP * (DEPTH - 1) as f32 + CARD.1 + 3.0);
            self.mark((x - 1.5, y + 12.5), size, |view| view.table.columns[column.index()]);
        }
        self.stack();
        self.stone();
        self.y += 14.0 + STRIP * (DEPTH - 1) as f32 + CARD.1 + 8.0;
    }

    /// Draws the stack with its number of cards, and the Moai that are out of the game.
    fn stack(&mut self) {
        let (table, y) = (&self.view.table, self.y);
        self.svg.piece(format_args!("stack: {} cards", table.stack), |svg| {
            svg.rect(if table.stack > 0 { "back" } else { "none" }, (STACK, y + 4.0), (20.0, 24.0));
            svg.text("l b", (STACK + 26.0, y + 17.0), table.stack);
            svg.text("s d", (STACK + 26.0, y + 28.0), "stack");
        });
        self.svg.piece(format_args!("{} Moai out of the game", table.boxed), |svg| {
            svg.moai("none", (STACK + 64.0, y + 5.0));
            svg.text("l b", (STACK + 78.0, y + 17.0), table.boxed);
            svg.text("s d", (STACK + 78.0, y + 28.0), "out");
        });
        self.mark((STACK - 2.0, y + 2.0), (58.0, 29.0), |view| view.table.stack);
        self.mark((STACK + 61.0, y + 2.0), (38.0, 29.0), |view| view.table.boxed);
    }

    /// Draws the Stone of Sacrifice: the card on top, and the seats that laid cards face down, the first one first.
    fn stone(&mut self) {
        let (stone, y) = (&self.view.table.stone, self.y + 34.0);
        let top = match stone.top {
            Top::Empty => "no card".to_owned(),
            Top::Open(food) => food.to_string(),
            Top::FaceDown => "a face-down card".to_owned(),
        };
        self.svg.piece(format_args!("Stone of Sacrifice: {top} on top"), |svg| {
            svg.text("s d", (STACK, y + 10.0), "Stone of Sacrifice");
            svg.rect("panel", (STACK, y + 14.0), (WIDTH - MARGIN - STACK, 21.0));
            match stone.top {
                Top::Empty => svg.text("s d m", (STACK + 50.0, y + 28.0), "empty"),
                Top::Open(food) => {
                    icon(svg, Kind::gatherer(food), (STACK + 14.0, y + 24.5));
                    svg.text("s", (STACK + 26.0, y + 28.0), words(Kind::gatherer(food)));
                }
                Top::FaceDown => {
                    svg.rect("back", (STACK + 8.0, y + 17.0), (12.0, 15.0));
                    svg.text("s", (STACK + 26.0, y + 28.0), "face down");
                }
            }
        });
        let cards = stone.cards_face_down();
        self.svg.text("s d", (STACK, y + 47.0), format_args!("face down: {}", cards.len()));
        for (place, card) in cards.iter().enumerate() {
            self.svg.seat(card.seat, (STACK + 5.5 + 11.5 * place as f32, y + 55.5), 5.2);
        }
        self.mark((STACK - 2.0, y + 12.0), (WIDTH - MARGIN - STACK + 3.0, 50.0), |view| {
            (view.table.stone.top, view.table.stone.face_down_count, view.table.stone.open)
        });
    }

    /// Draws a player: the seat and its points above, the cards of its display by kind below. A frame stands around a kind for
    /// which the player would get the bonus.
    fn player(&mut self, seat: Seat) {
        let (view, top) = (self.view, self.y);
        let y = top + NAME;
        let village = &view.table.villages[seat];
        let is_due = view.table.phase.to_act(view.table.active) == Some(seat);
        let title = format!(
            "seat {seat}: {} points, {} glory, {} wood, {} sacrifice cards, display {}",
            view.points(seat),
            village.glory,
            village.wood,
            village.held,
            village.display
        );
        self.svg.piece(title, |svg| {
            let class = if view.viewer.is(seat) { "own" } else { "panel" };
            svg.rect(class, (MARGIN, top), (WIDTH - 2.0 * MARGIN, ROW - 3.0));
            if is_due {
                svg.pointer((MARGIN + 3.0, y + 6.0));
            }
            svg.seat(seat, (MARGIN + 20.0, y + 11.0), 8.0);
            svg.name(seat, (KINDS + 4.0, top + 11.0));
            if view.viewer.is(seat) {
                svg.text("s d", (MARGIN + 12.0, y + 32.0), "you");
            }
            svg.text("l b", (KINDS + 4.0, y + 15.0), format_args!("{} points", view.points(seat)));
            for (name, count, x) in [
                ("glory", village.glory, KINDS + 96.0),
                ("wood", village.wood, KINDS + 164.0),
                ("sacrifice cards", u16::from(village.held), KINDS + 232.0),
            ] {
                svg.text("b", (x, y + 15.0), count);
                svg.text("d", (x + 18.0, y + 15.0), name);
            }
            for (place, kind) in Kind::ALL.into_iter().enumerate() {
                let x = KINDS + KIND_STEP * place as f32;
                let count = village.display[kind];
                if view.table.bonuses(seat) >> kind.index() & 1 == 1 {
                    svg.rect("line", (x - 1.0, y + 19.5), (40.0, 17.0));
                }
                icon(svg, kind, (x + 9.0, y + 28.0));
                svg.text(if count > 0 { "b" } else { "f" }, (x + 22.0, y + 31.5), count);
            }
        });
        let y = y + 2.5;
        self.mark((KINDS + 93.0, y), (66.0, 16.0), |view| view.table.villages[seat].glory);
        self.mark((KINDS + 161.0, y), (66.0, 16.0), |view| view.table.villages[seat].wood);
        self.mark((KINDS + 229.0, y), (120.0, 16.0), |view| view.table.villages[seat].held);
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            let x = KINDS - 1.0 + KIND_STEP * place as f32;
            self.mark((x, y + 17.0), (40.0, 17.0), |view| view.table.villages[seat].display[kind]);
        }
        self.y += ROW;
    }

    /// Explains the frames around kinds.
    fn legend(&mut self) {
        self.svg.text("s d", (KINDS, self.y + 7.0), "in a frame: the bonus of a majority would go to this player");
        self.y += 12.0;
    }

    /// Draws the viewer's hand; nothing for the public.
    fn hand(&mut self) {
        if self.view.viewer == Viewer::Public {
            return;
        }
        let (hand, y) = (self.view.hand(), self.y + 2.0);
        self.svg.text("b", (MARGIN, y + 11.0), if hand.total() == 0 { "your hand: no card" } else { "your hand" });
        let old = self.before.map_or(hand, View::hand);
        let mut x = MARGIN + 62.0;
        for (kind, count) in hand.iter() {
            for copy in 0..count {
                face(&mut self.svg, kind, (x, y), true);
                if copy >= old[kind] {
                    self.svg.mark((x - 1.5, y - 1.5), (CARD.0 + 3.0, CARD.1 + 3.0));
                }
                x += CARD.0 + 4.0;
            }
        }
        self.y += CARD.1 + 10.0;
    }

    /// Draws the table of foods: supply, prices, and sacrifice cards as far as the viewer knows them.
    fn foods(&mut self) {
        for (place, food) in Food::ALL.into_iter().enumerate() {
            let x = FOODS + FOOD_STEP * place as f32;
            icon(&mut self.svg, Kind::gatherer(food), (x, self.y + 8.0));
            self.svg.text("s d m", (x, self.y + 24.0), self.view.food_name(food));
        }
        self.y += 28.0;
        let rows = |view: &View| view.food_rows("face up on the stone", "price for you, in wood");
        let old = self.before.map(rows).unwrap_or_default();
        for (name, counts) in rows(self.view) {
            let y = self.y;
            self.svg.text("", (MARGIN, y + 10.0), &name);
            let before = old.iter().find(|(old_name, _)| *old_name == name).map_or(counts, |&(_, counts)| counts);
            for (place, count) in counts.into_iter().enumerate() {
                let x = FOODS + FOOD_STEP * place as f32;
                self.svg.text("b m", (x, y + 10.0), count);
                if before[place] != count {
                    self.svg.mark((x - 11.0, y - 0.5), (22.0, LINE - 1.0));
                }
            }
            self.y += LINE;
        }
        self.y += 4.0;
    }
}

impl View {
    /// Returns the edition's name of a food.
    fn food_name(&self, food: Food) -> &'static str {
        match (food, self.table.options.edition) {
            (Food::Mulberry, Edition::German) => "paper mulb.",
            _ => words(Kind::gatherer(food)),
        }
    }
}

/// Draws a card with its face up. A card that is partly covered shows its upper strip.
fn face(svg: &mut Svg, kind: Kind, (x, y): (f32, f32), is_front: bool) {
    svg.piece(words(kind), |svg| {
        svg.rect(kind_class(kind), (x, y), CARD);
        let line = if is_front { 19.0 } else { 11.0 };
        icon(svg, kind, (x + 7.5, y + line - 3.5));
        svg.text("s k", (x + 15.0, y + line), short(kind));
    });
}

/// Returns the name of a kind in words.
const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::SweetPotato => "sweet potato",
        Kind::Moai => "Moai",
        _ => kind.name(),
    }
}

/// Returns the name of a kind that fits on a card.
const fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::SweetPotato => "sw. potato",
        _ => words(kind),
    }
}

/// Returns the class of the cards of a kind.
pub(super) const fn kind_class(kind: Kind) -> &'static str {
    match kind {
        Kind::Fish => "c6",
        Kind::Mulberry => "c4",
        Kind::SweetPotato => "c2",
        Kind::Grain => "c5",
        Kind::Lumberjack => "c1",
        Kind::Priest => "c0",
        Kind::Moai => "c3",
    }
}

/// Draws the sign of a kind, twelve units wide and high, around this point.
fn icon(svg: &mut Svg, kind: Kind, (x, y): (f32, f32)) {
    let class = kind_class(kind);
    let corners = |offsets: &[(f32, f32)]| offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
    match kind {
        Kind::Fish => {
            svg.polygon(
                class,
                &corners(&[(-6.0, 0.0), (-2.0, -3.5), (2.0, -2.5), (6.0, -4.0), (6.0, 4.0), (2.0, 2.5), (-2.0, 3.5)]),
            );
            svg.circle("k", (x - 2.5, y - 0.5), 0.7);
        }
        Kind::Mulberry => {
            for (dx, dy) in [(-2.2, -1.0), (2.2, -1.0), (0.0, 2.6)] {
                svg.circle(class, (x + dx, y + dy), 2.6);
            }
            svg.lines("line", &corners(&[(0.0, -2.0), (1.5, -6.0)]));
        }
        Kind::SweetPotato => {
            svg.polygon(
                class,
                &corners(&[(-6.0, 2.0), (-4.0, -2.5), (1.0, -4.0), (6.0, -2.0), (4.0, 2.5), (-1.0, 4.0)]),
            );
        }
        Kind::Grain => {
            svg.lines("line", &corners(&[(0.0, 6.0), (0.0, -6.0)]));
            for dy in [-4.0, -0.5, 3.0] {
                svg.polygon(class, &corners(&[(0.0, dy + 1.5), (-4.0, dy - 2.5), (0.0, dy - 1.0), (4.0, dy - 2.5)]));
            }
        }
        Kind::Lumberjack => {
            svg.lines("line", &corners(&[(-4.0, 6.0), (2.0, -5.0)]));
            svg.polygon(class, &corners(&[(0.0, -6.0), (5.5, -4.0), (4.5, 1.5), (-0.5, -2.0)]));
        }
        Kind::Priest => {
            svg.polygon(class, &corners(&[(0.0, -2.5), (5.0, 6.0), (-5.0, 6.0)]));
            svg.circle(class, (x, y - 3.5), 2.5);
        }
        Kind::Moai => svg.moai(class, (x - 5.0, y - 8.0)),
    }
}
