//! The words that the texts and the picture of the table share.

use ahu_core::Viewer;
use ahu_core::parts::lines::slashed;

use super::cards::{Food, Foods, KindCounts};
use super::final_scoring::worth;
use super::phase::Phase;
use super::table::Table;
use super::view::View;

impl View {
    /// Returns the point in the turn.
    pub(super) fn due(&self) -> String {
        let step = match self.table.phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) => return "setup".to_owned(),
            Phase::Over => return "the game is over".to_owned(),
            Phase::Buy => "step 1, buy a sacrifice card".to_owned(),
            Phase::Play => "step 2, play cards".to_owned(),
            Phase::Sacrifice(seat) => format!("sacrifice round, seat {seat} sacrifices"),
            Phase::Supply => "sacrifice round, add a card from the supply".to_owned(),
            Phase::Draw => "step 3, draw the front card of a column".to_owned(),
            Phase::Uncover(column) => format!("step 3, a card of column {column} is revealed"),
            Phase::Payout(seat) => format!("Moai are scored, seat {seat} takes glory or wood"),
            Phase::Substitute { seat, food, due } => {
                format!("{food} is scored and depleted, seat {seat} picks another food, {due} still")
            }
        };
        format!("turn {}, seat {}: {step}", self.table.turn, self.table.active)
    }

    /// Returns the seat that starts or had the last turn, where the point in the turn has no seat.
    pub(super) fn first_or_last(&self) -> Option<String> {
        let Table { turn, active, .. } = self.table;
        match self.table.phase {
            Phase::Over => Some(format!("the last turn was turn {turn}, seat {active}")),
            Phase::Colours | Phase::LayOut(_) => Some(format!("seat {active} will start")),
            _ => None,
        }
    }

    /// Returns the colours of the start cards, the cards that nobody has seen, and the cards that each player has laid face
    /// down. `cards` writes cards.
    pub(super) fn counts(&self, cards: impl Fn(KindCounts) -> String) -> String {
        let Table { villages, unseen, stone, options, .. } = &self.table;
        let colours = slashed(villages.values().iter().filter_map(|village| village.colour));
        let colours = if colours.is_empty() { String::new() } else { format!("colours by seat {colours}; ") };
        let hidden = slashed(options.seats.iter().map(|seat| stone.hidden_by(seat).count()));
        format!("{colours}cards that nobody has seen {}; laid face down by seat {hidden}", cards(*unseen))
    }

    /// Returns the rows of the table of foods that the viewer is shown: their names, and a number for each food. The caller
    /// names the rows of the cards on the stone before the end, and of the viewer's prices.
    pub(super) fn food_rows(&self, stone: &str, price: &str) -> Vec<(String, [u16; Food::COUNT])> {
        let row = |name: &str, foods: Foods| (name.to_owned(), Food::ALL.map(|food| u16::from(foods[food])));
        let mut rows = vec![row("supply", self.table.stock)];
        if let Some(stone) = self.sacrificed() {
            rows.push(row("on the stone", stone));
            rows.push(row("a card is worth", worth(stone, self.table.options.zero_count_types)));
            for seat in self.table.options.seats.iter() {
                rows.push(row(&format!("cards of seat {seat}"), self.cards(seat)));
                rows.push(row(&format!("face down by seat {seat}"), self.hidden_by(seat)));
            }
            return rows;
        }
        if self.shows_stone() {
            rows.push(row(stone, self.table.stone.open));
        }
        if let Viewer::Seat(seat) = self.viewer {
            rows.push((price.to_owned(), self.table.villages[seat].prices()));
            rows.push(row("your sacrifice cards", self.own_cards()));
            rows.push(row("laid face down by you", self.own_hidden()));
        }
        rows
    }
}
