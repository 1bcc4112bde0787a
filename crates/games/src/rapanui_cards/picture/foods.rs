//! The sacrifice cards by food: before the end their prices, after it what they brought.

use ahu_core::{Seat, Viewer};

use super::{Drawing, Phase, Point, View, art, sign};
use crate::rapanui_cards::cards::{Food, Kind};
use crate::rapanui_cards::final_scoring::worth;

/// The heights of a row, and of the scenes above the rows.
const ROW: f32 = 18.0;
const HEAD: f32 = 36.0;

/// A row: its name, the seat whose cards it has, and the text of each food.
type Row = (String, Option<Seat>, [String; Food::COUNT]);

impl View {
    /// Returns the rows that the viewer is shown. The public is shown the prices of the active player.
    fn rows(&self) -> Vec<Row> {
        let table = &self.table;
        let row = |name: &str, cell: &dyn Fn(Food) -> u16| {
            (name.to_owned(), None, Food::ALL.map(|food| cell(food).to_string()))
        };
        if let Some(stone) = self.sacrificed() {
            let worth = worth(stone, table.options.zero_count_types);
            let cards = |seat| {
                let cell = |food| format!("{} = {}", self.cards(seat)[food], self.cards(seat)[food] * worth[food]);
                (format!("seat {seat}"), Some(seat), Food::ALL.map(cell))
            };
            let first =
                [row("on the Stone", &|food| stone[food].into()), row("points a card", &|food| worth[food].into())];
            return first.into_iter().chain(table.options.seats.iter().map(cards)).collect();
        }
        let buyer = if self.viewer == Viewer::Public { table.active } else { self.viewer.seat() };
        let mut rows = vec![row("left to buy", &|food| table.stock[food].into())];
        if self.shows_stone() {
            rows.push(row("on the Stone", &|food| table.stone.open[food].into()));
        }
        let mut prices = row("price in wood", &|food| table.villages[buyer].price(food));
        prices.1 = (self.viewer == Viewer::Public).then_some(buyer);
        rows.push(prices);
        if self.viewer != Viewer::Public {
            rows.push(row("you have", &|food| self.own_cards()[food].into()));
            rows.push(row("you laid hidden", &|food| self.own_hidden()[food].into()));
        }
        rows
    }
}

impl Drawing<'_, '_> {
    /// Draws a column for each food. Returns the lower edge.
    pub(super) fn foods(&mut self, (x, y): Point, width: f32) -> f32 {
        let (view, rows, old) = (self.view, self.view.rows(), self.before.map(View::rows).unwrap_or_default());
        let title = if view.table.phase == Phase::Over { "Worth of the sacrifice cards" } else { "Sacrifice cards" };
        let (class, names) = self.picture.either(("b t14", 94.0), ("b t11", 84.0));
        self.picture.text(class, (x, y + 14.0), title);
        let (top, step) = (y + 24.0, (width - names) / Food::COUNT as f32);
        let height = HEAD + ROW * rows.len() as f32 + 10.0;
        let base = |row: usize| top + HEAD + ROW * (row + 1) as f32;
        for (row, (name, seat, _)) in rows.iter().enumerate() {
            let right = if seat.is_some() { 21.0 } else { 0.0 };
            let name = self.picture.named(name);
            self.picture.fitted("q t11", (x + right, base(row)), names - 5.0 - right, &name);
            if let Some(seat) = *seat {
                self.picture.badge(seat, (x + 9.0, base(row) - 4.0), 7.5);
            }
        }
        for food in Food::ALL {
            let (left, (symbol, ground)) = (x + names + step * food.index() as f32, art(Kind::gatherer(food)));
            let middle = left + (step - 5.0) / 2.0;
            self.thing(view.food_name(food), &format!("sacrifice {food}"), |picture| {
                picture.rect("panel", (left, top), (step - 5.0, height), 7.0);
                picture.rect(ground, (left + 4.0, top + 4.0), (step - 13.0, HEAD - 2.0), 5.0);
                sign(picture, symbol, (middle, top + 3.0 + HEAD / 2.0), (step - 20.0, HEAD - 9.0));
                for (row, (name, seat, cells)) in rows.iter().enumerate() {
                    let text = &cells[food.index()];
                    picture.text(if text.starts_with('0') { "q m" } else { "b m" }, (middle, base(row)), text);
                    let is_same = |old: &&Row| (&old.0, old.1) == (name, *seat);
                    if old.iter().find(is_same).is_some_and(|old| old.2[food.index()] != *text) {
                        picture.mark((left + 4.0, base(row) - 14.0), (step - 13.0, ROW));
                    }
                }
            });
        }
        self.mark((x + names, top), (width - names - 5.0, height), |view| view.table.phase == Phase::Over);
        let (class, y) = (self.picture.either("q t10", "q t9"), top + height + 14.0);
        let most = "At the end: 3 points a card for the food that lies on the Stone most often,";
        self.picture.fitted(class, (x, y), width, most);
        self.picture.text(class, (x, y + 12.0), "then 2, 1, and 0; what lies there is lost.");
        y + 16.0
    }
}
