//! The typed messages of the game, package `ahu.rapanui_board.v1`.

mod action;
mod data;
mod event;
mod observation;

use action::{action_message, read_message};
use ahu_core::parts::set::Set;
use ahu_core::{Numbered, Seat, Seats};
use ahu_messages::rapanui_board::v1;
use data::{board, game_tiles};
use event::event_message;
use observation::observation;

use super::RapanuiBoard;
use super::action::Action;
use super::board::Side;
use super::cargo::Cargo;
use super::event::Event;
use super::moai::Sizes;
use super::offering::{Offerings, Values};
use super::options::Options;
use super::power::Power;
use super::resource::Resources;
use super::space::Area;
use super::view::View;
use crate::wire::message::from_one;
use crate::{DataFile, Pack as _, Wire};

impl Wire for RapanuiBoard {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        observation(view)
    }

    fn action(action: Action, _: Seat, _: Seats) -> v1::Action {
        action_message(action)
    }

    fn read_action(message: &v1::Action, _: Seat, _: Seats) -> Result<Action, String> {
        read_message(message)
    }

    fn event(visible: &Event) -> v1::Event {
        v1::Event { event: Some(event_message(visible)) }
    }

    fn data_files() -> Vec<DataFile> {
        let side = |side: Side, about| DataFile { name: side.file_name(), about, content: board(side).packed() };
        let about = "The tiles, their prices, and the Moai. The worths of the Offering tiles are reconstructions.";
        let tiles = |values: Values| DataFile { name: values.file_name(), about, content: game_tiles(values).packed() };
        vec![
            side(Side::Rn34V1, "The side of the board for 3 and 4 players, a reconstruction."),
            side(Side::Rn2V1, "The side of the board for 2 players, a reconstruction."),
            tiles(Values::RnV1),
        ]
    }

    fn data_files_of(options: &Options) -> Vec<&'static str> {
        vec![options.board.file_name(), options.offerings.file_name()]
    }
}

/// Returns the things of a set as messages number them.
fn numbers<T: Numbered, N: TryFrom<usize, Error: std::fmt::Debug>>(things: Set<T>) -> Vec<N> {
    things.iter().map(from_one).collect()
}

const fn quarry(area: Area) -> v1::Quarry {
    if area.index() == Area::CRATER.index() { v1::Quarry::Crater } else { v1::Quarry::Pukao }
}

fn area(of: Area) -> v1::Area {
    use v1::area::Area as AreaOneof;
    let oneof =
        of.space().map_or_else(|| AreaOneof::Quarry(quarry(of).into()), |space| AreaOneof::Space(from_one(space)));
    v1::Area { area: Some(oneof) }
}

fn cargo(of: Cargo) -> v1::Cargo {
    use v1::cargo::Cargo as CargoOneof;
    let oneof = match of {
        Cargo::Moai(of) => CargoOneof::Moai(from_one(of)),
        Cargo::Pukao => CargoOneof::Pukao(v1::cargo::Pukao {}),
    };
    v1::Cargo { cargo: Some(oneof) }
}

fn power(of: Power) -> v1::Power {
    use v1::power as to;
    use v1::power::Power as PowerOneof;
    let oneof = match of {
        Power::Barter(types) => {
            PowerOneof::Barter(to::Barter { give: from_one(types.give()), take: from_one(types.take()) })
        }
        Power::ChipIn(column) => PowerOneof::ChipIn(from_one(column)),
        Power::ChangeToSculptor(column) => PowerOneof::ChangeToSculptor(from_one(column)),
        Power::ChangeToTransporter(space) => PowerOneof::ChangeToTransporter(from_one(space)),
        Power::Rest(space) => PowerOneof::Rest(from_one(space)),
        Power::LendSculptor(space) => PowerOneof::LendSculptor(from_one(space)),
        Power::LendChief(space) => PowerOneof::LendChief(from_one(space)),
        Power::TakeTwoMore => PowerOneof::TakeTwoMore(to::TakeTwoMore {}),
        Power::TakeThreeMore => PowerOneof::TakeThreeMore(to::TakeThreeMore {}),
    };
    v1::Power { power: Some(oneof) }
}

fn resources(counts: Resources) -> v1::ResourceCounts {
    let [reeds, eggs, wood, pearls] = counts.as_array().map(u32::from);
    v1::ResourceCounts { reeds, eggs, wood, pearls }
}

fn sizes(counts: Sizes) -> v1::SizeCounts {
    let [small, medium, large] = counts.as_array().map(u32::from);
    v1::SizeCounts { small, medium, large }
}

fn offerings(counts: Offerings) -> v1::OfferingCounts {
    let [hut, chicken, hatchet, boat, necklace] = counts.as_array().map(u32::from);
    v1::OfferingCounts { hut, chicken, hatchet, boat, necklace }
}
