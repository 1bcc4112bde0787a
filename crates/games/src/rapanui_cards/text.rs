//! The text of the table for people.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{WIDTH, wrapped_lists};
use ahu_core::{Describe, Tint, Viewer};

use super::cards::{Food, Foods, Kind};
use super::column::Column;
use super::column::Pile;
use super::compact::legend;
use super::final_scoring::worth;
use super::options::Edition;
use super::stone::Top;
use super::svg::{draw, kind_class};
use super::{Phase, Table, View};

/// The indent of a line that continues another.
const HANG: usize = 8;

/// The next step, for the title.
pub(super) struct Due<'a>(pub &'a Table);

impl fmt::Display for Due<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { phase, active, turn, columns, .. } = self.0;
        let step = match phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) => return f.write_str("setup"),
            Phase::Over => return f.write_str("the game is over"),
            Phase::Buy => "step 1, buy a sacrifice card".to_owned(),
            Phase::Play => "step 2, play cards".to_owned(),
            Phase::Sacrifice(seat) => format!("sacrifice round, seat {seat} sacrifices"),
            Phase::Supply => "sacrifice round, add a card from the supply".to_owned(),
            Phase::Draw => {
                let columns =
                    Column::all().map(|column| format!("{column} {}", names(columns[column.index()]).join(" ")));
                format!("step 3, draw the front card of a column: {}", columns.collect::<Vec<_>>().join("; "))
            }
            Phase::Uncover(column) => format!("step 3, a card of column {column} is revealed"),
            Phase::Payout(seat) => format!("Moai are scored, seat {seat} takes glory or wood"),
            Phase::Substitute { seat, food, due } => {
                format!("{food} is scored and depleted, seat {seat} picks another food, {due} still")
            }
        };
        write!(f, "turn {turn}, seat {active}: {step}")
    }
}

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

    fn compact(&self) -> String {
        let mut text = String::new();
        self.tell_compactly(&mut text).expect("a string takes every text");
        text
    }

    fn compact_legend(&self) -> String {
        legend(self.table.options.edition)
    }

    fn headline(&self) -> String {
        format!("Rapa Nui, the card game: {}", Due(&self.table))
    }

    fn holdings(&self) -> String {
        let Viewer::Seat(seat) = self.viewer else { return String::new() };
        let cards = |foods: Foods| {
            let cards = foods.iter().filter(|&(_, count)| count > 0).map(|(food, count)| format!("{count} {food}"));
            let cards: Vec<String> = cards.collect();
            if cards.is_empty() { "none".to_owned() } else { cards.join(", ") }
        };
        let (hand, wood) = (self.hand(), self.table.villages[seat].wood);
        let laid = match self.own_hidden() {
            hidden if hidden == Foods::EMPTY => String::new(),
            hidden => format!(" (on the stone, face down: {})", cards(hidden)),
        };
        format!("hand {hand}; {wood} wood; sacrifice cards {}{laid}", cards(self.own_cards()))
    }

    fn question(&self) -> String {
        match (self.viewer, self.table.phase.to_act(self.table.active)) {
            (Viewer::Seat(own), Some(seat)) if own == seat => self.question_of(seat),
            _ => String::new(),
        }
    }

    fn tint(word: &str) -> Option<Tint> {
        word.parse().ok().map(|kind| Tint::Suit(kind_class(kind)))
    }

    fn svg(&self, before: Option<&Self>) -> String {
        let (svg, height) = draw(self, before, &self.headline());
        svg.finish(height, &self.headline(), &self.to_string())
    }
}

impl View {
    fn tell(&self, f: &mut String) -> fmt::Result {
        let Table { villages, columns, stack, boxed, stock, stone, .. } = &self.table;
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
        let mut line = |name: &str, foods: [String; Food::COUNT]| {
            write!(f, "{name:<22}")?;
            let [fish, mulberry, potato, grain] = foods;
            write!(f, "{fish:>10}{mulberry:>16}{potato:>16}{grain:>10}")?;
            writeln!(f)
        };
        let mulberry = match self.table.options.edition {
            Edition::German => "paper mulberry".to_owned(),
            Edition::English => Food::Mulberry.to_string(),
        };
        line("", Food::ALL.map(|food| if food == Food::Mulberry { mulberry.clone() } else { food.to_string() }))?;
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
    let names: Vec<String> = names(pile).iter().map(|name| format!("{name:<12}")).collect();
    names.join("  ").trim_end().to_owned()
}

/// Returns the names of the cards of a column, the front one first.
fn names(pile: Pile) -> Vec<String> {
    let name = |card: &Option<Kind>| card.map_or_else(|| "?".to_owned(), |kind| kind.to_string());
    pile.cards().iter().map(name).collect()
}
