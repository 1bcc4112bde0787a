//! The text of the table for people.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{WIDTH, joined, joined_or, wrapped_lists};
use ahu_core::{Describe, Tint, Viewer};

use super::cards::{Food, Foods, Kind};
use super::column::{Column, Pile};
use super::options::Edition;
use super::stone::Top;
use super::{Phase, Table, View};

/// The indent of a line that continues another.
const HANG: usize = 8;

/// Writes the table, the viewer's hand, and the other facts that the viewer is shown.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.tell(&mut text)?;
        f.write_str(&wrapped_lists(&text, WIDTH, HANG))
    }
}

impl Describe for View {
    const LEGEND: &'static str = "\
points: glory points, 4 for each Moai, 1 for each 5 wood; until the end without\n\
the sacrifice cards. > marks who has to decide.\n";

    fn headline(&self) -> String {
        let column = |column: Column| format!("{column} {}", joined(names(self.table.columns[column.index()]), " "));
        let columns = match self.table.phase {
            Phase::Draw => format!(": {}", joined(Column::all().map(column), "; ")),
            _ => String::new(),
        };
        let note = self.first_or_last().map_or_else(String::new, |note| format!("; {note}"));
        format!("Rapa Nui, the card game: {}{columns}{note}", self.due())
    }

    fn holdings(&self) -> String {
        let Viewer::Seat(seat) = self.viewer else { return String::new() };
        let cards = |foods: Foods| {
            let cards = foods.iter().filter(|&(_, count)| count > 0).map(|(food, count)| format!("{count} {food}"));
            joined_or(cards, ", ", "none")
        };
        let (hand, wood) = (self.hand(), self.table.villages[seat].wood);
        let laid = match self.own_hidden() {
            hidden if hidden == Foods::EMPTY => String::new(),
            hidden => format!(" (on the stone, face down: {})", cards(hidden)),
        };
        format!("hand {hand}; {wood} wood; sacrifice cards {}{laid}", cards(self.own_cards()))
    }

    fn tint(word: &str) -> Option<Tint> {
        word.parse().ok().map(|kind| {
            Tint::Suit(match kind {
                Kind::Fish => 6,
                Kind::Mulberry => 4,
                Kind::SweetPotato => 2,
                Kind::Grain => 5,
                Kind::Lumberjack => 1,
                Kind::Priest => 0,
                Kind::Moai => 3,
            })
        })
    }
}

impl View {
    fn tell(&self, f: &mut String) -> fmt::Result {
        let Table { villages, columns, stack, boxed, stone, .. } = &self.table;
        writeln!(f, "{}", self.headline())?;
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
        f.push_str(Self::LEGEND);
        let mut line = |name: &str, [fish, mulberry, potato, grain]: [String; Food::COUNT]| {
            writeln!(f, "{name:<22}{fish:>10}{mulberry:>16}{potato:>16}{grain:>10}")
        };
        let name = |food: Food| match (food, self.table.options.edition) {
            (Food::Mulberry, Edition::German) => "paper mulberry".to_owned(),
            _ => food.to_string(),
        };
        line("", Food::ALL.map(name))?;
        for (name, counts) in self.food_rows("on the stone", "price for you, wood") {
            line(&name, counts.map(|count| count.to_string()))?;
        }
        let top = match stone.top {
            Top::Empty => "empty".to_owned(),
            Top::Open(food) => format!("{food} on top"),
            Top::FaceDown => "a face-down card on top".to_owned(),
        };
        writeln!(f, "Stone of Sacrifice: {top}; laid face down so far: {}", stone.face_down_count)?;
        writeln!(f, "{}", self.counts(|cards| cards.to_string()))?;
        if matches!(self.viewer, Viewer::Seat(_)) {
            writeln!(f, "your hand: {}", self.hand())?;
        }
        Ok(())
    }
}

/// Returns the cards of a column as text, the front one first.
fn row(pile: Pile) -> String {
    joined(names(pile).map(|name| format!("{name:<12}")), "  ").trim_end().to_owned()
}

/// Returns the names of the cards of a column, the front one first.
fn names(pile: Pile) -> impl Iterator<Item = String> {
    let name = |card: Option<Kind>| card.map_or_else(|| "?".to_owned(), |kind| kind.to_string());
    pile.cards.into_iter().take(pile.len.into()).map(name)
}
