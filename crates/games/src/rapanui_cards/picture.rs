//! The picture of the table.
//!
//! The display and the Stone of Sacrifice lie on a cloth. Beside it, or below it on phones, each player has a panel. The
//! sacrifice cards follow, before the end with their prices, after it with their worth, and the viewer's hand.

mod cards;
mod foods;
mod panels;

use ahu_core::parts::picture::{Header, Picture, Thing, ending};
use ahu_core::{Draw, SeatSet, View as _};

use super::cards::{Food, Kind};
use super::options::{DepletedPick, Edition, SupplySacrifice};
use super::play::HAND;
use super::view::View;
use super::{Phase, Table};

/// A point, or a size.
type Point = (f32, f32);

/// The phases of a turn.
const STEPS: [&str; 5] = ["buy", "play", "sacrifice", "draw", "score"];

impl Draw for View {
    fn draw(&self, before: Option<&Self>, picture: &mut Picture<'_>) -> f32 {
        let (width, top) = picture.either((676.0, Picture::HEADER), (390.0, Picture::PHONE_HEADER));
        let cloth = picture.either(424.0, 280.0);
        picture.rect("cloth", (0.0, top), (width, cloth - top), 0.0);
        for n in 0..picture.either(13, 0) {
            picture.symbol("tapa", (26.0 + 52.0 * n as f32, cloth), 16.0);
        }
        let behind = self.header(picture);
        let mut drawing = Drawing { view: self, before, picture };
        drawing.columns();
        drawing.stack(behind);
        drawing.stone();
        if drawing.picture.is_phone() {
            let panels = drawing.panels((8.0, cloth + 8.0), 374.0);
            let foods = drawing.foods((8.0, panels + 4.0), 374.0);
            let hand = drawing.hand((10.0, foods + 6.0));
            return drawing.legend((10.0, hand + 6.0), 374.0) + 8.0;
        }
        let panels = drawing.panels((688.0, 74.0), 342.0);
        let right = drawing.legend((690.0, panels + 6.0), 342.0);
        let hand = drawing.hand((22.0, cloth + 10.0));
        let left = if self.hand().total() > 0 { 330.0 } else { 22.0 };
        drawing.foods((left, cloth + 10.0), 668.0 - left).max(hand).max(right) + 8.0
    }
}

impl View {
    /// Draws the header. Returns the point behind the phases.
    fn header(&self, picture: &mut Picture<'_>) -> Point {
        let Table { options, phase, active, turn, .. } = &self.table;
        let (winners, end) = self.ending();
        let (step, task) = match *phase {
            Phase::Buy => (Some(0), "may buy a sacrifice card"),
            Phase::Play => (Some(1), "must play a card"),
            Phase::Sacrifice(seat) if seat == *active => (Some(2), "must sacrifice a card, face down"),
            Phase::Sacrifice(_) => (Some(2), "must sacrifice a card"),
            Phase::Supply if options.moai_supply_sacrifice == SupplySacrifice::Optional => {
                (Some(2), "may add a supply card")
            }
            Phase::Supply => (Some(2), "must add a supply card"),
            // Players have a full hand outside of their turns.
            Phase::Draw if self.hand().total() + 1 == HAND => (Some(3), "must draw the last card"),
            Phase::Draw => (Some(3), "must draw a card"),
            Phase::Uncover(_) => (Some(3), "A card is revealed"),
            Phase::Payout(_) => (Some(4), "must take glory or wood for Moai"),
            Phase::Substitute { .. } if options.depleted_pick == DepletedPick::MayDecline => {
                (Some(4), "may take another food")
            }
            Phase::Substitute { .. } => (Some(4), "must take another food"),
            Phase::Start | Phase::Colours | Phase::LayOut(_) => (None, "The table is laid out"),
            Phase::Over => (None, end.as_str()),
        };
        let who = if *phase == Phase::Start { "Somebody".to_owned() } else { format!("seat {active}") };
        let state = format!("{who} {}.", self.state());
        let turn = if *turn == 0 { "Setup".to_owned() } else { format!("Turn {turn}") };
        let actors = if *phase == Phase::Over { winners } else { phase.to_act(*active).into_iter().collect() };
        picture.header(&Header { state: &state, turn: &turn, steps: &STEPS, step, actors, task })
    }

    /// Returns what the active player does or did, which the others may have to answer.
    const fn state(&self) -> &'static str {
        match self.table.phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) => "will start",
            Phase::Buy | Phase::Play => "has the turn",
            Phase::Sacrifice(_) | Phase::Supply => "built a Moai: all sacrifice",
            Phase::Draw | Phase::Uncover(_) => "uncovers what is scored",
            Phase::Payout(_) => "uncovered a Moai for all",
            Phase::Substitute { .. } => "uncovered a food that ran out",
            Phase::Over => "used up the stack",
        }
    }

    /// Returns who has won, and what decided a tie of points.
    fn ending(&self) -> (SeatSet, String) {
        ending(&self.scores(), &self.ranks(), |before, after| self.tie_break(before, after))
    }

    /// Returns the edition's name of the sacrifice cards of a food.
    fn food_name(&self, food: Food) -> &'static str {
        match (food, self.table.options.edition) {
            (Food::Mulberry, Edition::German) => "paper mulberry",
            _ => name(Kind::gatherer(food)),
        }
    }
}

/// A picture in progress of a view, with the marks of what differs from an earlier one.
struct Drawing<'a, 'b> {
    view: &'a View,
    before: Option<&'a View>,
    picture: &'a mut Picture<'b>,
}

impl<'b> Drawing<'_, 'b> {
    /// Marks a place if a fact differs from the earlier view.
    fn mark<T: PartialEq>(&mut self, corner: Point, size: Point, fact: impl Fn(&View) -> T) {
        if self.before.is_some_and(|before| fact(before) != fact(self.view)) {
            self.picture.mark(corner, size);
        }
    }

    /// Draws shapes that are one thing, with its title and the target of a click.
    fn thing(&mut self, title: &str, target: &str, draw: impl FnOnce(&mut Picture<'b>)) {
        self.picture.thing(Thing { title, id: "", target }, draw);
    }
}

/// Returns the name of a kind in words.
const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::SweetPotato => "sweet potato",
        Kind::Moai => "Moai",
        _ => kind.name(),
    }
}

/// Returns the symbol of a kind, and the class of its ground.
const fn art(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Fish => ("fish", "kfi"),
        Kind::Mulberry => ("mulberry", "kmu"),
        Kind::SweetPotato => ("kumara", "kpo"),
        Kind::Grain => ("grain", "kgr"),
        Kind::Lumberjack => ("axeman", "kwo"),
        Kind::Priest => ("priest", "kpr"),
        Kind::Moai => ("moai", "ktu"),
    }
}

/// Draws a symbol around a point, as large as it fits.
fn sign(picture: &mut Picture<'_>, symbol: &'static str, (x, y): Point, size: Point) {
    let height = Picture::fit(symbol, size);
    picture.symbol(symbol, (x, y + height / 2.0), height);
}
