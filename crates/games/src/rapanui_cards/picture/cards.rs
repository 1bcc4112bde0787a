//! The cards on the cloth, and those in the viewer's hand.

use ahu_core::parts::lines::joined;
use ahu_core::parts::picture::{Picture, Thing};

use super::{Drawing, Point, View, art, name, sign};
use crate::rapanui_cards::cards::Kind;
use crate::rapanui_cards::column::{Column, DEPTH};
use crate::rapanui_cards::stone::Top;

/// The size of a card for phones.
const SMALL: Point = (66.0, 95.0);

impl Drawing<'_, '_> {
    /// Draws the columns of the display, each with its front card below the others.
    pub(super) fn columns(&mut self) {
        let ((width, height), strip) = self.picture.either(((104.0, 150.0), 26.0), (SMALL, 17.0));
        let (left, top, gap, edge) = self.picture.either((22.0, 92.0, 16.0, 5.0), (11.0, 103.0, 9.0, 3.0));
        let front = top + (DEPTH - 1) as f32 * strip;
        for column in Column::all() {
            let x = left + column.index() as f32 * (width + gap);
            let of = |view: &View| view.table.columns[column.index()];
            let pile = of(self.view);
            let names = joined(pile.cards().iter().map(|&kind| known(kind)), ", ");
            let title = format!("column {column}, the front card first: {names}");
            self.thing(&title, &format!("column {column}"), |picture| {
                let size = (width + 2.0 * edge, front + height - top + 2.0 * edge);
                picture.rect("slot", (x - edge, top - edge), size, 9.0);
                let (class, down) = picture.either(("b m onp t14", 25.0), ("b m onp t11", 17.0));
                picture.text(class, (x + width / 2.0, front + height + down), column);
                for (place, &kind) in pile.cards().iter().enumerate().rev() {
                    // A card never moves within its column.
                    let id = format!("card-{column}-{}", pile.cards().len() - place);
                    let corner = (x, front - place as f32 * strip);
                    let thing = Thing { title: known(kind), id: &id, target: "" };
                    picture.thing(thing, |picture| card(picture, corner, (width, height), kind, place == 0));
                }
            });
            let is_refilled = self.before.is_some_and(|before| of(before).len < pile.len);
            let above = if is_refilled { f32::from(pile.len - 1) * strip } else { 0.0 };
            self.mark((x, front - above), (width, height + above), of);
        }
    }

    /// Draws the stack and the Moai that are out of the game, on phones beside the phases, and says why others have to act.
    pub(super) fn stack(&mut self, behind: Point) {
        let table = &self.view.table;
        let left = if table.boxed > 0 { 516.0 } else { 556.0 };
        let (x, y) = self.picture.either((left, 112.0), (behind.0 + 12.0, behind.1));
        let (size, step, right) = self.picture.either((44.0, 108.0, 26.0), (19.0, 42.0, 11.0));
        let unseen = format!("cards in the stack; nobody has seen {}", table.unseen);
        let piles = [
            ("cardback", table.stack, "to draw", unseen.as_str()),
            ("moai", table.boxed, "out", "Moai out of the game"),
        ];
        for (place, (symbol, count, label, what)) in piles.into_iter().enumerate() {
            let x = x + step * place as f32;
            if count > 0 || place == 0 {
                self.thing(&format!("{count} {what}"), "", |picture| {
                    picture.group(if place == 0 { "" } else { "gone" }, |picture| {
                        sign(picture, symbol, (x, y), (size * 0.75, size));
                    });
                    let (class, up) = picture.either(("b t17 onp", -2.0), ("b t11", 4.0));
                    picture.text(class, (x + right, y + up), count);
                    if !picture.is_phone() {
                        picture.text("onp t11", (x + right, y + 14.0), label);
                    }
                });
            }
            let wide = self.picture.either([96.0, 68.0][place], 38.0);
            self.mark((x - size * 0.45, y - size / 2.0 - 2.0), (wide, size + 4.0), |view| {
                [view.table.stack, view.table.boxed][place]
            });
        }
        if table.turn > 0 && !self.picture.is_phone() {
            let name = self.picture.name(table.active);
            self.picture.fitted("b m onp t11", (586.0, 166.0), 160.0, &name);
            self.picture.fitted("m onp t11", (586.0, 181.0), 166.0, self.view.state());
        }
    }

    /// Draws the Stone of Sacrifice, with the card on top and the cards that lie face down.
    pub(super) fn stone(&mut self) {
        let ((x, y), (width, height)) =
            self.picture.either(((508.0, 206.0), (156.0, 150.0)), ((307.0, 122.0), (78.0, 116.0)));
        let point = |right: f32, down: f32| (x + width * right, y + height * down);
        let (view, stone) = (self.view, &self.view.table.stone);
        let (at, size) = (point(0.3, 0.0), (width * 0.4, height * 0.5));
        let cards = stone.cards_face_down();
        let (top, what) = match stone.top {
            Top::Open(food) => (Some(Kind::gatherer(food)), view.food_name(food)),
            Top::FaceDown => (None, "a face-down card"),
            Top::Empty => (None, "no card"),
        };
        self.thing(&format!("Stone of Sacrifice: {what} on top"), "", |picture| {
            let edge = [point(0.2, 0.2), point(0.82, 0.2), point(1.0, 0.54)];
            let left = point(0.0, 0.5);
            picture.polygon("tu3 o", &[point(0.04, 1.0), left, edge[0], edge[1], edge[2], point(0.97, 1.0)]);
            picture.polygon("tu1 o", &[left, edge[0], edge[1], edge[2], point(0.8, 0.62), point(0.22, 0.62)]);
            if stone.top != Top::Empty {
                card(picture, at, size, top, true);
            }
            let (caption, class, down) =
                picture.either(("Stone of Sacrifice", "b m onp", 20.0), ("Stone", "b m onp t10", 14.0));
            picture.text(class, (x + width / 2.0, y + height + down), caption);
            if !cards.is_empty() {
                let (class, down) = picture.either(("m onp t11", 35.0), ("m onp t9", 25.0));
                picture.text(class, (x + width / 2.0, y + height + down), format_args!("{} face down", cards.len()));
            }
        });
        self.mark(at, size, |view| {
            let stone = &view.table.stone;
            (stone.top, stone.face_down_count, stone.open, view.sacrificed())
        });
        let one: Point = self.picture.either((21.0, 28.0), (15.0, 20.0));
        let steps = cards.len().saturating_sub(1) as f32;
        let step = (one.0 + 3.0).min((width * 0.86 - one.0) / steps.max(1.0));
        for (place, laid) in cards.iter().enumerate() {
            let left = x + (width - one.0 - step * steps) / 2.0 + step * place as f32;
            let food = view.known[place];
            let what = food.map_or("a card", |food| view.food_name(food));
            let title = format!("{what}, laid face down by seat {}", laid.seat);
            let thing = Thing { title: &title, id: &format!("hidden-{place}"), target: "" };
            self.picture.thing(thing, |picture| {
                card(picture, (left, y + height * 0.7), one, food.map(Kind::gatherer), true);
                let down = one.1 * if food.is_some() { 0.98 } else { 0.5 };
                picture.badge(laid.seat, (left + one.0 / 2.0, y + height * 0.7 + down), one.0 * 0.34);
            });
        }
    }

    /// Draws the viewer's hand. Returns the lower edge.
    pub(super) fn hand(&mut self, (mut x, y): Point) -> f32 {
        let hand = self.view.hand();
        if hand.total() == 0 {
            return y;
        }
        let (size, class) = self.picture.either(((92.0, 133.0), "b t14"), (SMALL, "b t11"));
        self.picture.text(class, (x, y + 14.0), "Your hand");
        let old = self.before.map_or(hand, View::hand);
        for (kind, count) in hand.iter() {
            let target = match kind {
                Kind::Lumberjack | Kind::Priest => format!("play {kind}"),
                Kind::Moai => "build moai".to_owned(),
                _ => format!("gatherers {kind}"),
            };
            for copy in 0..count {
                let corner = (x, y + 24.0);
                self.thing(name(kind), &target, |picture| card(picture, corner, size, Some(kind), true));
                if copy >= old[kind] {
                    self.picture.mark(corner, size);
                }
                x += size.0 + 8.0;
            }
        }
        y + 24.0 + size.1
    }
}

/// Returns the name of a card; nobody may have seen it yet.
fn known(kind: Option<Kind>) -> &'static str {
    kind.map_or("a card that nobody has seen", name)
}

/// Draws a card of the display: a scene above its name, or only the upper strip if another card lies on it. A small card has no
/// name. A card that nobody may see has its back up.
fn card(picture: &mut Picture<'_>, (x, y): Point, (width, height): Point, kind: Option<Kind>, is_front: bool) {
    let (scale, middle, is_wide) = (width / 104.0, x + width / 2.0, width > 80.0);
    let Some((kind, (symbol, ground))) = kind.map(|kind| (kind, art(kind))) else {
        let point = |right: f32, down: f32| (x + width * right, y + height * down);
        picture.rect("back o", (x, y), (width, height), 8.0 * scale);
        return picture.polygon("backl", &[point(0.5, 0.2), point(0.76, 0.5), point(0.5, 0.8), point(0.24, 0.5)]);
    };
    let is_named = is_front && width >= SMALL.0;
    let below = if is_named { 29.0 } else { 8.0 } * scale;
    picture.rect("face o", (x, y), (width, height), 8.0 * scale);
    picture.rect(ground, (x + 4.0 * scale, y + 4.0 * scale), (width - 8.0 * scale, height - below), 5.0 * scale);
    if !is_front {
        let left = if is_wide { x + 17.0 } else { middle };
        sign(picture, symbol, (left, y + 14.5 * scale), (20.0, 19.0 * scale.max(0.75)));
        if is_wide {
            picture.fitted("b onp t10", (x + 31.0, y + 19.0), width - 37.0, name(kind));
        }
        return;
    }
    let (down, room) = if kind == Kind::Moai { (0.4, 0.6) } else { (0.44, 0.54) };
    if is_named && kind == Kind::Moai {
        picture.symbol("ahu", (middle, y + height * 0.77), height * 0.13);
    }
    let down = if is_named { down } else { 0.5 };
    sign(picture, symbol, (middle, y + height * down), (width * 0.8, height * room));
    if is_named {
        let class = if is_wide { "b m onp t11" } else { "m onp t9" };
        picture.text(class, (middle, y + height - 9.0 * scale), name(kind));
    }
}
