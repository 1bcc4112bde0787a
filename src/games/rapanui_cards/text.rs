//! The text of the table for people.

use std::fmt;

use super::cards::{Food, Foods, Kind};
use super::column::Column;
use super::column::Pile;
use super::final_scoring::worth;
use super::options::Edition;
use super::stone::Top;
use super::{Phase, Table, View};
use crate::core::Viewer;

/// The next step, for the title.
struct Due<'a>(&'a Table);

impl fmt::Display for Due<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { phase, active, turn, .. } = self.0;
        let step = match phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) => return f.write_str("setup"),
            Phase::Over => return f.write_str("the game is over"),
            Phase::Buy => "step 1, buy a sacrifice card".to_owned(),
            Phase::Play => "step 2, play cards".to_owned(),
            Phase::Sacrifice(seat) => format!("sacrifice round, seat {seat} sacrifices"),
            Phase::Supply => "sacrifice round, add a card from the supply".to_owned(),
            Phase::Draw => "step 3, draw a card".to_owned(),
            Phase::Uncover(column) => format!("step 3, a card of column {column} is revealed"),
            Phase::Payout(seat) => format!("Moai are scored, seat {seat} takes glory or wood"),
            Phase::Substitute { seat, food, due } => {
                format!("{food} is scored and depleted, seat {seat} picks another food, {due} still")
            }
        };
        write!(f, "turn {turn} of seat {active}: {step}")
    }
}

/// Writes the table, the viewer's hand, and the other facts that the viewer is shown.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { villages, columns, stack, boxed, stock, stone, .. } = &self.table;
        writeln!(f, "Rapa Nui, the card game: {}", Due(&self.table))?;
        writeln!(f, "display (the front card first), stack {stack}, Moai out of the game {boxed}")?;
        for column in Column::all() {
            writeln!(f, "    {column}  {}", row(columns[column.index()]))?;
        }
        writeln!(f, "    seat  points  glory  wood  sacrifice cards  display")?;
        for (seat, village) in villages.iter() {
            let mark = if self.table.phase.to_act(self.table.active) == Some(seat) { '>' } else { ' ' };
            writeln!(
                f,
                "  {mark} {:<4}  {:>6}  {:>5}  {:>4}  {:>15}  {}{}",
                seat.to_string(),
                self.points(seat),
                village.glory,
                village.wood,
                village.held,
                village.display,
                if self.viewer.is(seat) { "  (you)" } else { "" },
            )?;
        }
        let mut line = |name: &str, foods: [String; Food::COUNT]| {
            write!(f, "{name:<22}")?;
            foods.iter().try_for_each(|text| write!(f, "{text:>15}"))?;
            writeln!(f)
        };
        let mulberry = match self.table.options.edition {
            Edition::German => "paper mulberry",
            Edition::English => "mulberry",
        };
        line("", ["fish", mulberry, "sweet potato", "grain"].map(str::to_owned))?;
        let counts = |foods: Foods| Food::ALL.map(|food| foods[food].to_string());
        line("supply", counts(*stock))?;
        if self.shows_stone() {
            let stone = self.sacrificed().unwrap_or(stone.open);
            line("on the stone", counts(stone))?;
        }
        if let Some(stone) = self.sacrificed() {
            line("a card is worth", counts(worth(stone, self.table.options.zero_count_types)))?;
            for (seat, _) in villages.iter() {
                line(&format!("cards of seat {seat}"), counts(self.cards(seat)))?;
            }
            return Ok(());
        }
        if let Viewer::Seat(seat) = self.viewer {
            line("price for you, wood", villages[seat].prices().map(|price| price.to_string()))?;
            line("your sacrifice cards", counts(self.own_cards()))?;
            line("laid face down by you", counts(self.own_hidden()))?;
        }
        let top = match stone.top {
            Top::Empty => "empty".to_owned(),
            Top::Open(food) => format!("{food} on top"),
            Top::FaceDown => "a face-down card on top".to_owned(),
        };
        writeln!(f, "Stone of Sacrifice: {top}; laid face down so far: {}", stone.face_down_count)?;
        if matches!(self.viewer, Viewer::Seat(_)) {
            writeln!(f, "your hand: {}", self.hand())?;
        }
        Ok(())
    }
}

/// Returns the cards of a column as text, the front one first.
fn row(pile: Pile) -> String {
    let name = |card: &Option<Kind>| card.map_or_else(|| "?".to_owned(), |kind| kind.to_string());
    let names: Vec<String> = pile.cards().iter().map(|card| format!("{:<12}", name(card))).collect();
    names.join("  ").trim_end().to_owned()
}
