//! The picture of the table: the island, the quarries, the Offering tiles, and the panels of the players.

mod island;
mod pieces;
mod players;
mod supply;

use ahu_core::parts::lines::{counted, joined};
use ahu_core::parts::picture::{Header, Picture, Thing};
use ahu_core::{Draw, Seat, SeatSet};

use super::cargo::Cargo;
use super::phase::Phase;
use super::resource::Amount;
use super::table::Table;
use super::view::View;
use super::wording::price;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, picture: &mut Picture<'_>) -> f32 {
        let facts = Facts { view: self, table: &self.table, before };
        let seats = self.table.order.iter();
        if picture.is_phone() {
            facts.header(picture);
            let mut y = facts.island(picture, (0.0, Picture::PHONE_HEADER), 390.0) + 8.0;
            y = facts.draft(picture, (8.0, y), 374.0);
            y = facts.offerings(picture, (8.0, y), 374.0) + 8.0;
            y = facts.quarry(picture, (8.0, y), 374.0) + 6.0;
            y = facts.turn_order(picture, (8.0, y), 374.0) + 6.0;
            for seat in seats {
                y = facts.player(picture, seat, (8.0, y), 374.0) + 6.0;
            }
            return facts.legend(picture, (8.0, y), 374.0);
        }
        let (side, width) = (Picture::SIDE, Picture::SIDE_WIDTH);
        let sea = facts.island(picture, (0.0, Picture::HEADER), side - 10.0);
        facts.header(picture);
        let market = facts.offerings(picture, (10.0, sea + 12.0), side - 24.0);
        let gap = if self.table.options.seats.count() == 4 { 6.0 } else { 9.0 };
        let mut y = Picture::HEADER + 6.0;
        for seat in seats {
            y = facts.player(picture, seat, (side, y), width) + gap;
        }
        y = facts.turn_order(picture, (side, y), width) + gap;
        y = facts.quarry(picture, (side, y), width) + gap;
        y = facts.draft(picture, (side, y), width);
        facts.legend(picture, (side, y), width).max(market + 8.0)
    }
}

/// What a part of the picture is drawn from.
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

    /// Marks a place if a fact differs from the one before.
    fn mark<T: PartialEq>(
        self,
        picture: &mut Picture<'_>,
        corner: (f32, f32),
        size: (f32, f32),
        of: impl Fn(&View) -> T,
    ) {
        if self.has_changed(of) {
            picture.mark(corner, size);
        }
    }

    /// Returns the facts for marks of figurines: without an earlier view if all figurines have returned since then.
    fn of_figurines(self) -> Self {
        let ends = |table: &Table| (table.round, table.phase == Phase::Over);
        Self { before: self.before.filter(|before| ends(&before.table) == ends(self.table)), ..self }
    }

    /// Draws the header, and on phones the number of empty ahus beside the phases.
    fn header(self, picture: &mut Picture<'_>) {
        let table = self.table;
        let leaders = self.leaders();
        let step = match table.phase {
            Phase::Order | Phase::Tiles | Phase::Draft { .. } | Phase::Over => None,
            Phase::Place => Some(0),
            Phase::Sculpt { .. } => Some(1),
            Phase::Transport
            | Phase::Carry { .. }
            | Phase::Toll { .. }
            | Phase::Gain { .. }
            | Phase::Shift { .. }
            | Phase::Exchange { .. }
            | Phase::Pay { .. }
            | Phase::EndTurn => Some(2),
        };
        let is_over = table.phase == Phase::Over;
        let turn = match table.round {
            0 => "Setup".to_owned(),
            round => format!("Round {round}"),
        };
        let empty = table.empty_ahus();
        let names = seats(leaders);
        let verb = if leaders.len() == 1 { "leads" } else { "lead" };
        let state = match (is_over, table.round) {
            (true, round) => format!("The game is over after round {round}: {}.", self.reason()),
            (false, 0) => "The table is laid for the first round.".to_owned(),
            (false, _) => format!("{names} {verb}. {empty} ahus are empty; the game ends at {}.", table.last_ahus()),
        };
        let behind = picture.header(&Header {
            state: &state,
            turn: &turn,
            steps: &["place", "sculpt", "transport"],
            step,
            actors: if is_over { leaders } else { table.to_act().into_iter().collect() },
            task: &if is_over { self.result(leaders) } else { self.task() },
        });
        self.empty_ahus(picture, picture.either((12.0, Picture::HEADER + 22.0), (behind.0 + 6.0, behind.1 - 6.0)));
    }

    /// Writes the number of empty ahus and the ways in which the game may end: in the sea, or on phones beside the phases.
    fn empty_ahus(self, picture: &mut Picture<'_>, (x, y): (f32, f32)) {
        let table = self.table;
        let mut lines = vec![format!("{} empty ahus", table.empty_ahus())];
        if table.phase != Phase::Over {
            lines[0] += picture.either("", ": the end at ");
            let rounds = format!("after round {}", table.options.max_rounds);
            let idle = match table.idle_rounds_left() {
                None => String::new(),
                Some(1) => ", or this one if idle".to_owned(),
                Some(idle) => format!(", or {idle} idle ones"),
            };
            match picture.is_phone() {
                true => {
                    lines[0] += &table.last_ahus().to_string();
                    lines.push(format!("{rounds}{idle}"));
                }
                false => {
                    lines.push(format!("the game ends at {},", table.last_ahus()));
                    lines.push(rounds);
                    lines.push(idle.trim_start_matches(", ").to_owned());
                }
            }
        }
        let title = format!("empty ahus: {}", table.empty_ahus_text());
        picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            let (large, small, line) = picture.either(("wh b t14", "wh t11", 15.0), ("b t9", "t9", 12.0));
            for (place, text) in lines.iter().enumerate() {
                picture.text(if place == 0 { large } else { small }, (x, y + line * place as f32), text);
            }
            let (up, width) = picture.either((17.0, 136.0), (10.0, 388.0 - x));
            self.mark(
                picture,
                (x - 4.0, y - up),
                (width, line * lines.len() as f32 + picture.either(9.0, 3.0)),
                |view| (view.table.empty_ahus_text(), view.table.round),
            );
        });
    }

    /// Returns the players with the most points, the hidden ones about counted.
    fn leaders(self) -> SeatSet {
        let seats = self.table.options.seats;
        let most = seats.iter().map(|seat| self.about(seat)).max();
        seats.iter().filter(|&seat| Some(self.about(seat)) == most).collect()
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

    /// Returns who has won, and by how many points.
    fn result(self, winners: SeatSet) -> String {
        let points = |seat: Seat| self.view.points(seat);
        let others = self.table.options.seats.iter().filter(|&seat| !winners.contains(seat));
        let most = winners.first().map_or(0, points);
        match (winners.len(), others.map(points).max()) {
            (1, Some(next)) => format!("wins with {most} points, {} ahead", most - next),
            _ => format!("{} share the victory with {most} points", seats(winners)),
        }
    }

    /// Returns the reason for which the game is over.
    fn reason(self) -> String {
        use super::event::EndReason;
        let empty = self.table.empty_ahus();
        match self.table.end_reason() {
            Some(EndReason::Rounds) => "it was the last one".to_owned(),
            Some(EndReason::Stall) => "nobody erects or styles Moai any more".to_owned(),
            Some(EndReason::Ahus) | None => format!("only {empty} ahus are empty"),
        }
    }

    /// Returns the points of a player. The worth of hidden Offering tiles is the mean worth of the tiles taken of their type.
    fn about(self, seat: Seat) -> u16 {
        let hidden = if self.view.offered[seat].is_none() { self.hidden_worth(seat) } else { 0 };
        self.view.points(seat) + hidden
    }
}

/// Returns players as a list in words.
fn seats(seats: SeatSet) -> String {
    joined(seats.iter().map(|seat| format!("seat {seat}")), ", ")
}
