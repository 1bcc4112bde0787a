//! The table as text for language models.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{joined, joined_or, slashed};
use ahu_core::{Compact, Viewer};

use super::cards::{Kind, KindCounts};
use super::column::{Column, Pile};
use super::options::Edition;
use super::stone::Top;
use super::view::View;

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
    joined_or(cards.iter().filter_map(of), " ", "none")
}

/// Returns the cards of a column, the front one first.
fn row(column: Column, pile: Pile) -> String {
    format!("{column} {}", joined_or(pile.cards().iter().map(|card| card.map_or("?", sign)), " ", "none"))
}

impl Compact for View {
    fn compact_legend(&self) -> String {
        let mulberry = match self.table.options.edition {
            Edition::German => "mulberry (paper mulberry)",
            Edition::English => "mulberry",
        };
        format!(
            "Cards: f fish, m {mulberry}, s sweet_potato, g grain (Hunters & Gatherers, or sacrifice cards of that food), l \
             lumberjack, p priest, M moai; l4 is four lumberjacks, ? a card that nobody has seen. A column has its front card \
             first. f/m/s/g: numbers for each food. Points: glory points, 4 for each Moai, 1 for each 5 wood; until the end \
             without the sacrifice cards.\n"
        )
    }

    fn write_compact(&self, f: &mut String) -> fmt::Result {
        let table = &self.table;
        writeln!(f, "{}", self.due())?;
        if let Some(note) = self.first_or_last() {
            writeln!(f, "{note}")?;
        }
        if let Viewer::Seat(seat) = self.viewer {
            writeln!(f, "you are seat {seat}; hand {}", signs(self.hand()))?;
        }
        let columns = joined(Column::all().map(|column| row(column, table.columns[column.index()])), ", ");
        writeln!(f, "columns {columns}; stack {}, Moai out of the game {}", table.stack, table.boxed)?;
        let villages = table.villages.values();
        writeln!(
            f,
            "by seat: points {}, glory {}, wood {}, sacrifice cards {}",
            slashed(table.options.seats.iter().map(|seat| self.points(seat))),
            slashed(villages.iter().map(|village| village.glory)),
            slashed(villages.iter().map(|village| village.wood)),
            slashed(villages.iter().map(|village| village.held)),
        )?;
        let displays = table.villages.iter().map(|(seat, village)| format!("seat {seat} {}", signs(village.display)));
        writeln!(f, "displays: {}", joined(displays, ", "))?;
        let rows = self.food_rows("on the stone", "your price in wood");
        let rows = rows.into_iter().map(|(name, counts)| format!("{name} {}", slashed(counts)));
        writeln!(f, "f/m/s/g: {}", joined(rows, ", "))?;
        writeln!(f, "{}", self.counts(signs))?;
        let top = match table.stone.top {
            Top::Empty => "empty",
            Top::Open(food) => sign(Kind::gatherer(food)),
            Top::FaceDown => "face down",
        };
        writeln!(f, "top of the stone {top}")
    }
}
