//! The table as text for language models.

use std::fmt::{self, Write as _};

use ahu_core::Viewer;
use ahu_core::parts::lines::slashed;

use super::cards::{Food, Foods, Kind, KindCounts};
use super::column::{Column, Pile};
use super::final_scoring::worth;
use super::options::Edition;
use super::phase::Phase;
use super::stone::Top;
use super::text::Due;
use super::view::View;

/// Returns the explanation of the compact text.
pub(super) fn legend(edition: Edition) -> String {
    let mulberry = match edition {
        Edition::German => "mulberry (paper mulberry)",
        Edition::English => "mulberry",
    };
    format!(
        "Cards: f fish, m {mulberry}, s sweet_potato, g grain (Hunters & Gatherers, or sacrifice cards of that food), l lumberjack, \
         p priest, M moai; l4 is four lumberjacks, ? a card that nobody has seen. A column has its front card first. f/m/s/g: \
         numbers for each food. Points: glory points, 4 for each Moai, 1 for each 5 wood; until the end without the sacrifice \
         cards.\n"
    )
}

/// Returns the sign of a kind of cards.
const fn sign(kind: Kind) -> &'static str {
    match kind {
        Kind::Fish => "f",
        Kind::Mulberry => "m",
        Kind::SweetPotato => "s",
        Kind::Grain => "g",
        Kind::Lumberjack => "l",
        Kind::Priest => "p",
        Kind::Moai => "M",
    }
}

/// Returns cards by their signs: `m s2 l4`.
fn signs(cards: KindCounts) -> String {
    let of = |(kind, count): (Kind, u8)| match count {
        0 => None,
        1 => Some(sign(kind).to_owned()),
        _ => Some(format!("{}{count}", sign(kind))),
    };
    let parts: Vec<String> = cards.iter().filter_map(of).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(" ") }
}

/// Returns the cards of a column, the front one first.
fn row(column: Column, pile: Pile) -> String {
    let cards: Vec<&str> = pile.cards().iter().map(|card| card.map_or("?", sign)).collect();
    format!("{column} {}", if cards.is_empty() { "none".to_owned() } else { cards.join(" ") })
}

/// Returns the number of cards of each food.
fn foods(foods: Foods) -> String {
    slashed(Food::ALL.map(|food| foods[food]))
}

impl View {
    /// Writes the same facts as the text for people.
    pub(super) fn tell_compactly(&self, f: &mut String) -> fmt::Result {
        let table = &self.table;
        match table.phase {
            // The columns follow.
            Phase::Draw => {
                let (turn, active) = (table.turn, table.active);
                writeln!(f, "turn {turn}, seat {active}: step 3, draw the front card of a column")?;
            }
            _ => writeln!(f, "{}", Due(table))?,
        }
        if let Viewer::Seat(seat) = self.viewer {
            let hand =
                if self.sacrificed().is_none() { format!("; hand {}", signs(self.hand())) } else { String::new() };
            writeln!(f, "you are seat {seat}{hand}")?;
        }
        let columns: Vec<String> = Column::all().map(|column| row(column, table.columns[column.index()])).collect();
        writeln!(f, "columns {}; stack {}, Moai out of the game {}", columns.join(", "), table.stack, table.boxed)?;
        let villages = table.villages.values();
        writeln!(
            f,
            "by seat: points {}, glory {}, wood {}, sacrifice cards {}",
            slashed(table.villages.iter().map(|(seat, _)| self.points(seat))),
            slashed(villages.iter().map(|village| village.glory)),
            slashed(villages.iter().map(|village| village.wood)),
            slashed(villages.iter().map(|village| village.held)),
        )?;
        let displays = table.villages.iter().map(|(seat, village)| format!("seat {seat} {}", signs(village.display)));
        writeln!(f, "displays: {}", displays.collect::<Vec<_>>().join(", "))?;
        let mut lines = vec![format!("supply {}", foods(table.stock))];
        if self.shows_stone() {
            lines.push(format!("on the stone {}", foods(self.sacrificed().unwrap_or(table.stone.open))));
        }
        if let Some(stone) = self.sacrificed() {
            lines.push(format!("a card is worth {}", foods(worth(stone, table.options.zero_count_types))));
            lines.extend(
                table.villages.iter().map(|(seat, _)| format!("cards of seat {seat} {}", foods(self.cards(seat)))),
            );
            return writeln!(f, "f/m/s/g: {}", lines.join(", "));
        }
        if let Viewer::Seat(seat) = self.viewer {
            lines.push(format!("your price in wood {}", slashed(table.villages[seat].prices())));
            lines.push(format!("your sacrifice cards {}", foods(self.own_cards())));
            lines.push(format!("laid face down by you {}", foods(self.own_hidden())));
        }
        writeln!(f, "f/m/s/g: {}", lines.join(", "))?;
        let top = match table.stone.top {
            Top::Empty => "empty",
            Top::Open(food) => sign(Kind::gatherer(food)),
            Top::FaceDown => "face down",
        };
        writeln!(f, "top of the stone {top}, {} laid face down so far", table.stone.face_down_count)
    }
}
