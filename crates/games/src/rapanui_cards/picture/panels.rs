//! The panels of the players, and what a scored card brings.

use ahu_core::parts::picture::{Standing, text_width};
use ahu_core::{Seat, View as _};

use super::{Drawing, Phase, Point, View, art, name, sign};
use crate::rapanui_cards::cards::Kind;

/// The height of a panel.
const PANEL: f32 = 100.0;

impl Drawing<'_, '_> {
    /// Draws the panels of all players. Returns the lower edge.
    pub(super) fn panels(&mut self, (x, mut y): Point, width: f32) -> f32 {
        for seat in self.view.table.options.seats.iter() {
            self.panel(seat, (x, y), width);
            y += PANEL + 8.0;
        }
        y
    }

    /// Draws a panel: the parts of the points, then the cards of the personal display.
    fn panel(&mut self, seat: Seat, (x, y): Point, width: f32) {
        let (view, table, village) = (self.view, &self.view.table, &self.view.table.villages[seat]);
        let points = |view: &View| view.points(seat);
        let is_over = table.phase == Phase::Over;
        let is_most = table.options.seats.iter().all(|other| view.points(other) <= points(view));
        let standing = Standing {
            points: points(view).into(),
            more: if is_over { "" } else { "+?" },
            leads: if is_over { view.ranks()[seat] == 1 } else { is_most && points(view) > 0 },
            is_due: table.phase.to_act(table.active) == Some(seat),
            is_own: view.viewer.is(seat),
            is_news: self.before.is_some_and(|before| points(before) != points(view)),
            ..Standing::default()
        };
        self.picture.panel(seat, (x, y), (width, PANEL), &standing);
        let colour = village.colour.map_or("no colour", |colour| colour.name());
        let cards = view.cards_of(seat).map_or_else(String::new, |cards| format!(" ({cards})"));
        let laid = table.stone.hidden_by(seat).count();
        let cards = format!("sacrifice cards{cards}, and {laid} laid face down; start cards of {colour}");
        let of_cards = if is_over { (points(view) - village.open_points()).to_string() } else { "?".to_owned() };
        let [glory, wood] = if table.phase == Phase::Payout(seat) { ["take glory", "take wood"] } else { ["", ""] };
        let parts = [
            ("sun", village.glory, village.glory.to_string(), "glory points", glory),
            ("moai", village.moai().into(), village.moai_points().to_string(), "Moai, each 4 points", ""),
            ("wood", village.wood, village.wood_points().to_string(), "wood, 5 are a point", wood),
            ("cardback", village.held.into(), of_cards, &cards, ""),
        ];
        let step = (width - 20.0) / 4.0;
        for (place, (symbol, count, part, what, target)) in parts.into_iter().enumerate() {
            let (left, y) = (x + 14.0 + step * place as f32, y + 47.0);
            self.thing(&format!("seat {seat}: {count} {what}"), target, |picture| {
                sign(picture, symbol, (left + 9.0, y), (21.0, 19.0));
                picture.text("b t14", (left + 22.0, y + 5.0), count);
                let right = text_width("b t14", &count.to_string());
                picture.text("q t11", (left + 25.0 + right, y + 5.0), format_args!("{part} pt"));
            });
            self.mark((left - 4.0, y - 11.0), (step, 21.0), |view| {
                let village = &view.table.villages[seat];
                let of_cards = view.points(seat) - village.open_points();
                [[village.glory, 0], [village.moai().into(), 0], [village.wood, 0], [village.held.into(), of_cards]]
                    [place]
            });
        }
        self.kinds(Some(seat), (x + 10.0, y + 61.0), width - 20.0);
    }

    /// Draws the cards of a display by kind, in gold what would get the bonus; without a seat, the cards that nobody has seen.
    fn kinds(&mut self, seat: Option<Seat>, (x, y): Point, width: f32) {
        let table = &self.view.table;
        let counts = seat.map_or(table.unseen, |seat| table.villages[seat].display);
        let step = width / Kind::COUNT as f32;
        for (kind, count) in counts.iter() {
            let (left, (symbol, _)) = (x + step * kind.index() as f32, art(kind));
            let is_gold = seat.is_some_and(|seat| table.bonuses(seat) >> kind.index() & 1 == 1);
            let bonus = if is_gold { ", with the bonus of a majority" } else { "" };
            self.thing(&format!("{}: {count}{bonus}", name(kind)), "", |picture| {
                if is_gold {
                    picture.rect("prize", (left, y), (step - 3.0, 34.0), 6.0);
                }
                let height = if kind.food().is_some() { 21.0 } else { 26.0 };
                picture.group(if count > 0 { "" } else { "gone" }, |picture| {
                    sign(picture, symbol, (left + 14.0, y + 17.0), (23.0, height));
                });
                let class = [["q e t14", "b e t14"][usize::from(count > 0)], "b e t14 onp"][usize::from(is_gold)];
                picture.text(class, (left + step - 6.0, y + 22.0), count);
            });
            let Some(seat) = seat else { continue };
            self.mark((left, y), (step - 3.0, 34.0), |view| view.table.villages[seat].display[kind]);
        }
    }

    /// Draws the cards that nobody has seen, and what a scored card brings. Returns the lower edge.
    pub(super) fn legend(&mut self, (x, y): Point, width: f32) -> f32 {
        let mut y = y + 12.0;
        if self.view.table.unseen.total() > 0 {
            self.picture.text("b t11", (x + 2.0, y), "Cards that nobody has seen yet");
            self.kinds(None, (x + 8.0, y + 4.0), width - 20.0);
            y += 54.0;
        }
        self.picture.text("b t11", (x + 2.0, y), "When its kind is scored, a card brings (gold: 1 more)");
        let mut left = x + 2.0;
        for (symbols, text) in [
            (["kumara", "cardback"], "food card"),
            (["axeman", "wood"], "wood"),
            (["priest", "sun"], "glory"),
            (["moai", ""], "wood or glory"),
        ] {
            for symbol in symbols.into_iter().filter(|symbol| !symbol.is_empty()) {
                sign(self.picture, symbol, (left + 10.0, y + 17.0), (20.0, 18.0));
                left += 22.0;
            }
            self.picture.text("t10", (left + 1.0, y + 21.0), text);
            left += text_width("t10", text) + 5.0;
        }
        y + 30.0
    }
}
