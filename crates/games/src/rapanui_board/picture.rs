//! The picture of the table: the island, the quarries, the Offering tiles, and the panels of the players.

mod island;
mod pieces;
mod players;
mod supply;

use ahu_core::parts::lines::counted;
use ahu_core::parts::picture::{Header, Picture, Thing, ending};
use ahu_core::{Draw, Seat, SeatSet, View as _};

use super::Offerings;
use super::cargo::Cargo;
use super::phase::Phase;
use super::player::Player;
use super::resource::Amount;
use super::table::Table;
use super::view::View;
use super::wording::price;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, picture: &mut Picture<'_>) -> f32 {
        let facts = Facts { view: self, table: &self.table, before };
        let seats = self.table.order.iter();
        let (side, width) = picture.either((Picture::SIDE, Picture::SIDE_WIDTH), (8.0, 374.0));
        let (top, sea) = picture.either((Picture::HEADER, side - 10.0), (Picture::PHONE_HEADER, 390.0));
        let island = facts.island(picture, (0.0, top), sea);
        facts.header(picture);
        if picture.is_phone() {
            let mut y = facts.draft(picture, (side, island + 8.0), width);
            y = facts.offerings(picture, (side, y), width) + 8.0;
            y = facts.quarry(picture, (side, y), width) + 6.0;
            y = facts.turn_order(picture, (side, y), width) + 6.0;
            for seat in seats {
                y = facts.player(picture, seat, (side, y), width) + 6.0;
            }
            return Facts::legend(picture, (side, y), width);
        }
        let market = facts.offerings(picture, (10.0, island + 12.0), side - 24.0);
        let gap = if self.table.options.seats.count() == 4 { 6.0 } else { 9.0 };
        let mut y = Picture::HEADER + 6.0;
        for seat in seats {
            y = facts.player(picture, seat, (side, y), width) + gap;
        }
        y = facts.turn_order(picture, (side, y), width) + gap;
        y = facts.quarry(picture, (side, y), width) + gap;
        y = facts.draft(picture, (side, y), width);
        Facts::legend(picture, (side, y), width).max(market + 8.0)
    }
}

/// The views from which a part of the picture is drawn.
#[derive(Clone, Copy)]
struct Facts<'a> {
    view: &'a View,
    table: &'a Table,
    before: Option<&'a View>,
}

impl Facts<'_> {
    /// Returns true if a fact differs from the one before.
    fn has_changed<T: PartialEq>(self, of: impl Fn(&View) -> T) -> bool {
        self.before.is_some_and(|before| of(before) != of(self.view))
    }

    /// Marks a place, its corner and its size, if a fact differs from the one before.
    fn mark<T: PartialEq>(self, picture: &mut Picture<'_>, place: [f32; 4], of: impl Fn(&View) -> T) {
        let [x, y, width, height] = place;
        if self.has_changed(of) {
            picture.mark((x, y), (width, height));
        }
    }

    /// Marks a place if a fact about a player differs from the one before.
    fn mark_of<T: PartialEq>(self, picture: &mut Picture<'_>, seat: Seat, place: [f32; 4], of: impl Fn(&Player) -> T) {
        self.mark(picture, place, |view| of(&view.table.players[seat]));
    }

    /// Returns the facts for marks of figurines: without an earlier view if all figurines have returned since then.
    fn of_figurines(self) -> Self {
        let ends = |table: &Table| (table.round, table.phase == Phase::Over);
        Self { before: self.before.filter(|before| ends(&before.table) == ends(self.table)), ..self }
    }

    /// Draws the header, and on phones the number of empty ahus beside the phases.
    fn header(self, picture: &mut Picture<'_>) {
        let table = self.table;
        let step = match table.phase {
            Phase::Order | Phase::Tiles | Phase::Draft { .. } | Phase::Over => None,
            Phase::Place => Some(0),
            Phase::Sculpt { .. } => Some(1),
            _ => Some(2),
        };
        let is_over = table.phase == Phase::Over;
        let turn = if table.round == 0 { "Setup".to_owned() } else { format!("Round {}", table.round) };
        let (empty, last) = (table.empty_ahus(), table.last_ahus());
        let state = match is_over {
            true => format!("The game is over after round {}: {empty} ahus are empty.", table.round),
            false => format!("{empty} ahus are empty; the game ends at {last}."),
        };
        let (actors, task) = match is_over {
            true => ending(&self.view.scores(), &self.view.ranks(), "the tie-break"),
            false => (table.to_act().into_iter().collect(), self.task()),
        };
        let behind = picture.header(&Header {
            state: &state,
            turn: &turn,
            steps: &["place", "sculpt", "transport"],
            step,
            actors,
            task: &task,
        });
        self.empty_ahus(picture, picture.either((12.0, Picture::HEADER + 22.0), (behind.0 + 6.0, behind.1 - 6.0)));
    }

    /// Writes the number of empty ahus and the ways in which the game may end: in the sea, or on phones beside the phases.
    fn empty_ahus(self, picture: &mut Picture<'_>, (x, y): (f32, f32)) {
        let table = self.table;
        let empty = counted(table.empty_ahus(), "empty ahu");
        let (last, rounds) = (table.last_ahus(), format!("after round {}", table.options.max_rounds));
        let idle = match table.idle_rounds_left() {
            None => String::new(),
            Some(1) => "or this one if idle".to_owned(),
            Some(idle) => format!("or {idle} idle ones"),
        };
        let lines = match (table.phase == Phase::Over, picture.is_phone()) {
            (true, _) => vec![empty],
            (false, true) => vec![format!("{empty}: the end at {last}"), format!("{rounds} {idle}")],
            (false, false) => vec![empty, format!("the game ends at {last},"), rounds, idle],
        };
        let title = format!("empty ahus: {}", table.empty_ahus_text());
        picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            let (large, small, line) = picture.either(("wh b t14", "wh t11", 15.0), ("b t9", "t9", 12.0));
            for (place, text) in lines.iter().enumerate() {
                picture.text(if place == 0 { large } else { small }, (x, y + line * place as f32), text);
            }
            let (up, width) = picture.either((17.0, 136.0), (10.0, 388.0 - x));
            let height = line * lines.len() as f32 + picture.either(9.0, 3.0);
            self.mark(picture, [x - 4.0, y - up, width, height], |view| {
                (view.table.empty_ahus_text(), view.table.round)
            });
        });
    }

    /// Returns true if Offering tiles of a player have a worth that the viewer does not know.
    fn hides(self, seat: Seat) -> bool {
        self.view.offered[seat].is_none() && self.table.players[seat].offerings != Offerings::EMPTY
    }

    /// Returns the players with the most points; nobody while points are hidden, or while all have the same.
    fn leaders(self) -> SeatSet {
        let (seats, ranks) = (self.table.options.seats, self.view.ranks());
        let is_known = seats.iter().all(|seat| !self.hides(seat)) && ranks.values().iter().any(|&rank| rank > 1);
        seats.iter().filter(|&seat| is_known && ranks[seat] == 1).collect()
    }

    /// Returns what the player to act must or may do.
    fn task(self) -> String {
        let table = self.table;
        match table.phase {
            Phase::Order => "the turn order is drawn".to_owned(),
            Phase::Tiles => "the Ahu tiles are laid out".to_owned(),
            Phase::Draft { .. } => "must take an Ahu tile".to_owned(),
            Phase::Place => "must place a figurine".to_owned(),
            Phase::Sculpt { .. } => "may sculpt Moai".to_owned(),
            Phase::Transport => "transports, or drops out".to_owned(),
            Phase::Carry { cargo: Cargo::Moai(size), .. } => format!("must move the {size} Moai on"),
            Phase::Carry { cargo: Cargo::Pukao, .. } => "must move the Pukao on".to_owned(),
            Phase::Toll { left, .. } => format!("must choose a toll on space {}", Table::next_toll(left)),
            Phase::Gain { space, count } => format!("gains {} on space {space}", counted(count, "Resource")),
            Phase::Shift { space, first, second } => {
                let (colour, count) = table.part(space, first, second);
                format!("gains {}, or the next-higher", Amount(count, colour))
            }
            Phase::Exchange { skimped } => format!("must buy an Offering for {}", price(skimped)),
            Phase::Pay { skimped, offering, .. } => format!("must pay {} for the {offering}", price(skimped)),
            Phase::EndTurn => "may play something or end the turn".to_owned(),
            Phase::Over => String::new(),
        }
    }
}
