//! The question for the decision of a viewer: what may be done, at what price, and what it brings.

use ahu_core::parts::lines::{counted, joined};
use ahu_core::{Action as _, ActionId, Ask, Seat};

use super::Action;
use super::cards::{Food, Kind};
use super::column::Column;
use super::options::{DepletedPick, SupplySacrifice};
use super::phase::Phase;
use super::play::{HAND, MOAI_PRICE};
use super::view::View;

impl Ask for View {
    fn question(&self) -> String {
        let table = &self.table;
        let Some(seat) = table.phase.to_act(table.active).filter(|&seat| self.viewer.is(seat)) else {
            return String::new();
        };
        let village = &table.villages[seat];
        match table.phase {
            Phase::Buy => {
                let price = |food: Food| format!("{food} {}", village.price(food));
                format!(
                    "Buy one sacrifice card, or nothing? The prices in wood: {}; you have {} wood. At the end such a card \
                     is worth 3 glory points if its food is the most frequent on the stone, then 2, 1, 0.",
                    Food::ALL.map(price).join(", "),
                    village.wood
                )
            }
            Phase::Play => format!(
                "Play which card? A lumberjack and a priest cost nothing; 1, 2, or 3 Hunters & Gatherers of one food 0, 1, or \
                 2 wood; a Moai {MOAI_PRICE} wood. You have {} wood.",
                village.wood
            ),
            Phase::Sacrifice(_) => {
                let side = if seat == table.active { "face down" } else { "face up" };
                format!(
                    "Lay which of your sacrifice cards on the stone, {side}? At the end the most frequent food there is worth \
                     3 glory points a card, then 2, 1, 0; the card itself is gone."
                )
            }
            Phase::Supply => {
                let or = match table.options.moai_supply_sacrifice {
                    SupplySacrifice::Mandatory => "",
                    SupplySacrifice::Optional => ", or nothing",
                };
                format!("Add a card of which food from the supply to the stone, face up{or}? It costs nothing.")
            }
            Phase::Draw => self.draw_question(seat),
            Phase::Payout(_) => {
                let bonus = table.bonuses(seat) >> Kind::Moai as usize & 1 == 1;
                let count = u16::from(village.moai()) + u16::from(bonus);
                let bonus = if bonus { ", with the bonus" } else { "" };
                format!(
                    "Take {} or {count} wood for your Moai{bonus}? At the end 5 wood are a glory point; \
                     you have {} wood.",
                    counted(count, "glory point"),
                    village.wood
                )
            }
            Phase::Substitute { food, due, .. } => {
                let or = match table.options.depleted_pick {
                    DepletedPick::Choice => "",
                    DepletedPick::MayDecline => ", or none",
                };
                format!("{food} is used up: take a sacrifice card of which other food{or}? {due} still due.")
            }
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Uncover(_) | Phase::Over => String::new(),
        }
    }

    /// Returns the card of the hand or the pile of the panel that an action without a food touches.
    fn targets(&self, id: ActionId) -> Option<Vec<String>> {
        let action = Action::from_id(id)?;
        let target = match action {
            Action::PlayLumberjack | Action::PlayPriest | Action::BuildMoai | Action::Take(_) => action.to_string(),
            Action::BoxMoai => Action::BuildMoai.to_string(),
            _ => return None,
        };
        Some(vec![target])
    }
}

impl View {
    /// Returns the question for a draw, with the card that each column uncovers.
    fn draw_question(&self, seat: Seat) -> String {
        let table = &self.table;
        let left = HAND.saturating_sub(table.villages[seat].hand.total());
        let name = |kind: Option<Kind>| kind.map_or_else(|| "an unknown card".to_owned(), |kind| kind.to_string());
        let column = |column: Column| {
            let pile = table.columns[column.index()];
            match pile.cards() {
                [] => format!("{column} is empty"),
                [front] => format!("{column} {}, then four new cards", name(*front)),
                [front, next, ..] => format!("{column} {}, then {}", name(*front), name(*next)),
            }
        };
        let scored = match left {
            1 => "This is your last draw: the card behind the one that you take is scored for all players.",
            _ => "Only the card that your last draw uncovers is scored, for all players.",
        };
        let draws = counted(left, "draw");
        let columns = joined(Column::all().map(column), "; ");
        format!("Take the front card of which column? You have {draws} left. {scored} Columns: {columns}.")
    }
}
