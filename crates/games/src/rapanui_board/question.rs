//! The question for the decision of a viewer: what may be done, at what price, and what it brings.

use ahu_core::parts::lines::{joined, joined_or};
use ahu_core::{Action as _, ActionId, Ask, Seat};

use super::Action;
use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::Size;
use super::offering::{Offering, Source};
use super::phase::Phase;
use super::power::{Means, Power};
use super::resource::{Amount, Resource, amounts, and};
use super::space::{Area, Space};
use super::table::Table;
use super::tile::Tile;
use super::view::View;

impl Ask for View {
    fn question(&self) -> String {
        let table = &self.table;
        let Some(seat) = table.to_act().filter(|&seat| self.viewer.is(seat)) else { return String::new() };
        match table.phase {
            Phase::Draft { .. } => {
                "Which of the displayed Ahu tiles do you take? It is yours to play later.".to_owned()
            }
            Phase::Place => table.place_question(seat),
            Phase::Sculpt { .. } => table.sculpt_question(seat),
            Phase::Transport => table.transport_question(seat),
            Phase::Carry { cargo, at, .. } => table.carry_question(cargo, at),
            Phase::Toll { left, .. } => {
                let space = Table::next_toll(left);
                format!(
                    "Which Resource do you earn as the toll of space {space}: {}? {}",
                    table.colours_text(space, " or "),
                    table.room(seat)
                )
            }
            Phase::Gain { space, count } => table.gain_question(seat, space, count),
            Phase::Shift { space, first, second } => {
                let (colour, count) = table.part(space, first, second);
                let higher =
                    colour.next_higher().map_or_else(|| "nothing".to_owned(), |next| Amount(count, next).to_string());
                format!(
                    "Gain {} as shown, or shifted {higher}, by Fervent? {}",
                    Amount(count, colour),
                    table.room(seat)
                )
            }
            Phase::Exchange { skimped } => table.exchange_question(seat, skimped),
            Phase::Pay { skimped, offering, source } => {
                let value = table.next_value(offering, source).unwrap_or_default();
                format!(
                    "With which Resources do you pay for the {offering}, worth {value} points? Its price is {}; a Resource of \
                     higher value may stand in for one of lower value. You have {}.",
                    price(offering, skimped),
                    amounts(table.players[seat].resources, "")
                )
            }
            Phase::EndTurn => format!("End your turn, or play or buy something first?{}", table.for_sale(seat)),
            Phase::Order | Phase::Tiles | Phase::Over => String::new(),
        }
    }

    fn sentence(&self, id: ActionId) -> Option<String> {
        let gains = joined(self.table.gains(Action::from_id(id)?), ", ");
        (!gains.is_empty()).then(|| format!("Gain {}", and(&gains)))
    }

    /// Returns what an action touches: goods and tiles in the viewer's panel, and areas and tiles on the island.
    fn targets(&self, id: ActionId) -> Option<Vec<String>> {
        let own = |means: Means, tile: Tile| match means {
            Means::Tile => format!("own {tile}"),
            Means::Tablet => "own tablet".to_owned(),
        };
        let resource = |of: Resource| format!("resource {of}");
        let here = match self.table.phase {
            Phase::Carry { at, .. } => at.to_string(),
            _ => String::new(),
        };
        Some(match Action::from_id(id)? {
            Action::Improve(_) => vec!["improvements".to_owned()],
            Action::Play(means, power) => {
                let choice = match power {
                    Power::Barter(types) => vec![resource(types.give()), resource(types.take())],
                    Power::ChipIn(column) | Power::ChangeToSculptor(column) => vec![format!("column {column}")],
                    Power::ChangeToTransporter(space)
                    | Power::Rest(space)
                    | Power::LendSculptor(space)
                    | Power::LendChief(space) => vec![format!("space {space}")],
                    Power::TakeTwoMore | Power::TakeThreeMore => Vec::new(),
                };
                [vec![own(means, power.tile())], choice].concat()
            }
            Action::Skimp(means) => vec![own(means, Tile::Skimp)],
            Action::Transport(cargo @ Cargo::Moai(size)) => {
                vec![format!("moai {size}"), format!("space {}", cargo.quarry())]
            }
            Action::Transport(Cargo::Pukao) => vec![format!("space {}", Area::PUKAO_QUARRY)],
            Action::Erect(kind) => vec![format!("tile {kind} {here}")],
            Action::Style => vec![format!("space {here}")],
            action @ (Action::GainShown | Action::GainShifted | Action::GainFirst(_)) => {
                self.table.gains(action).into_iter().map(|Amount(_, of)| resource(of)).collect()
            }
            Action::Pay(payment) => {
                payment.resources().iter().filter(|&(_, count)| count > 0).map(|(of, _)| resource(of)).collect()
            }
            _ => return None,
        })
    }
}

impl Table {
    /// Returns the Resources that an action gains for the Moai just erected; none for other actions.
    fn gains(&self, action: Action) -> Vec<Amount> {
        let (first, second, count) = match self.phase {
            Phase::Gain { space, count } => {
                let colours = self.board().colours(space);
                (colours.first, colours.second, count)
            }
            Phase::Shift { space, first, second } => {
                let (colour, count) = self.part(space, first, second);
                (colour, None, count)
            }
            _ => return Vec::new(),
        };
        let gains = match (action, second) {
            (Action::GainShown, _) => vec![Amount(count, first)],
            (Action::GainShifted, _) => first.next_higher().map(|higher| Amount(count, higher)).into_iter().collect(),
            (Action::GainFirst(of_first), Some(second)) => {
                let of_first = of_first.index() as u8;
                vec![Amount(of_first, first), Amount(count.saturating_sub(of_first), second)]
            }
            _ => Vec::new(),
        };
        gains.into_iter().filter(|gain| gain.0 > 0).collect()
    }

    fn place_question(&self, seat: Seat) -> String {
        let [small, medium, large] = *self.free_places().as_array();
        let last = self.board().spaces().last().map_or(0, |space| space.index() + 1);
        format!(
            "Place which figurine? A Transporter on a space, 1 to {last}, that is empty or yours; a Sculptor in a column of the \
             quarry with a free place (small {small}, medium {medium}, large {large}); the Sorcerer on a star space, where the \
             lowest is first in the new turn order.{}",
            self.for_sale(seat)
        )
    }

    fn sculpt_question(&self, seat: Seat) -> String {
        let [small, medium, large] = *self.players[seat].sculpting().as_array();
        format!(
            "Sculpt which Moai, large ones first, or done? A small one takes a Sculptor of the small column, a medium one one \
             each of small and medium, a large one one of each column. You have {small} small, {medium} medium, {large} \
             large, less those that are used.{}",
            self.for_sale(seat)
        )
    }

    fn transport_question(&self, seat: Seat) -> String {
        let brings = Size::ALL.map(|size| format!("{size} {}", size.resources())).join(", ");
        format!(
            "Transport a Moai or a Pukao to a space of yours, or drop out for the rest of the round? A Moai brings Resources of \
             the space's colour: {brings}; a Pukao lets you buy an Offering tile for 4 Resources. {}{}",
            self.room(seat),
            self.for_sale(seat)
        )
    }

    fn carry_question(&self, cargo: Cargo, at: Area) -> String {
        let what = match cargo {
            Cargo::Moai(size) => format!("the {size} Moai"),
            Cargo::Pukao => "the Pukao".to_owned(),
        };
        let here = match (cargo, at.space()) {
            (Cargo::Moai(size), Some(space)) => {
                format!(
                    " Erected here, it brings {} of {}, and the Ahu tile that you name.",
                    size.resources(),
                    self.colours_text(space, " or ")
                )
            }
            (Cargo::Pukao, Some(_)) => " To style a Moai here, you then pay for an Offering tile.".to_owned(),
            (_, None) => String::new(),
        };
        format!(
            "Where does {what} go next? It steps to an adjacent space with Transporters, and never enters one twice; other \
             owners on the way earn a toll from the bank.{here}"
        )
    }

    fn gain_question(&self, seat: Seat, space: Space, count: u8) -> String {
        let colours = self.board().colours(space);
        let how = match colours.second {
            None => format!("\"gain shown\" takes {}", Amount(count, colours.first)),
            Some(second) if !self.options.choice_split => {
                format!("all {count} in {} (\"gain first {count}\") or in {second} (\"gain first 0\")", colours.first)
            }
            Some(second) => format!(
                "\"gain first 1\" takes {} and {}, and so on, {count} in all",
                Amount(1, colours.first),
                Amount(count - 1, second)
            ),
        };
        let shifted = match (colours.second, colours.first.next_higher()) {
            (None, Some(higher)) if self.players[seat].is(Improvement::Fervent) => {
                format!(", \"gain shifted\" {}", Amount(count, higher))
            }
            _ => String::new(),
        };
        format!(
            "Which Resources do you gain for the Moai on space {space}? {how}{shifted}. {}{}",
            self.room(seat),
            self.for_sale(seat)
        )
    }

    fn exchange_question(&self, seat: Seat, skimped: bool) -> String {
        let of_type = |offering: Offering| {
            let values = [(Source::Stack, ""), (Source::Outstanding, " outstanding")].map(|(source, name)| {
                let value = self.next_value(offering, source)?;
                let may_take = source == Source::Stack || self.may_take_outstanding(seat);
                may_take.then(|| format!("{value} points{name}"))
            });
            let worth = joined_or(values.into_iter().flatten(), " or ", "none left");
            format!("{offering} {worth} for {}", price(offering, skimped))
        };
        let player = &self.players[seat];
        let artistic = match player.is(Improvement::Artistic) {
            true => " With Artistic, the price of the next-lower type is enough.",
            false => "",
        };
        let skimp = match self.has_skimp(seat) && !skimped {
            true => " Skimp makes it 2 Resources instead of 4.",
            false => "",
        };
        format!(
            "Take which Offering tile? {}. Resources of higher value may stand in for lower ones.{artistic}{skimp} You have {}.",
            Offering::ALL.map(of_type).join("; "),
            amounts(player.resources, "")
        )
    }

    /// Returns the colours of a space as words.
    fn colours_text(&self, space: Space, or: &str) -> String {
        let colours = self.board().colours(space);
        match colours.second {
            None => colours.first.to_string(),
            Some(second) => format!("{}{or}{second}", colours.first),
        }
    }

    /// Returns the sentence about the Resources that a player has and can keep.
    fn room(&self, seat: Seat) -> String {
        let resources = amounts(self.players[seat].resources, "none");
        format!("You keep at most {} of a type, and lose the rest; you have {resources}.", self.options.resource_cap)
    }

    /// Returns the sentence about the Improvement tiles that a player can buy now; empty if there are none.
    fn for_sale(&self, seat: Seat) -> String {
        let price = |tile: Improvement| {
            let (resource, count) = tile.cost();
            format!("{tile} {}", Amount(count, resource))
        };
        match &*joined(self.improvements_for_sale(seat).iter().map(price), ", ") {
            "" => String::new(),
            prices => format!(" You can buy Improvement tiles (improve): {prices}."),
        }
    }
}

/// Returns the price of an Offering tile in words.
fn price(offering: Offering, skimped: bool) -> String {
    match (skimped, offering) {
        (true, Offering::Hatchet) => "2 different Resources".to_owned(),
        (true, _) => amounts(offering.skimped_price(), ""),
        (false, Offering::Hatchet) => "one of each Resource".to_owned(),
        (false, _) => amounts(offering.price(), ""),
    }
}
