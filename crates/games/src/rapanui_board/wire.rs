//! The typed messages of the game, package `ahu.rapanui_board.v1`.

mod action;
mod data;
mod event;
mod observation;

use action::{action_message, read_action};
use ahu_core::{Seat, Seats};
use ahu_messages::rapanui_board::v1;
use data::{board, game_tiles};
use event::event_message;
use observation::observation;

use super::RapanuiBoard;
use super::action::Action;
use super::board::Side;
use super::cargo::Cargo;
use super::event::Event;
use super::improvement::Improvement;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Offerings, Values};
use super::options::Options;
use super::order::Star;
use super::power::Means;
use super::resource::{Resource, Resources};
use super::space::{Area, Space};
use super::tile::Tile;
use super::view::View;
use crate::wire::message::{ToField, from_one, numbered_fields};
use crate::{DataFile, Pack as _, Wire};

impl Wire for RapanuiBoard {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        observation(view)
    }

    fn action(action: Action, seat: Seat, seats: Seats) -> v1::Action {
        action_message(action, seat, seats)
    }

    fn read_action(message: &v1::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
        read_action(message, seat, seats)
    }

    fn event(visible: &Event) -> v1::Event {
        event_message(visible)
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

const fn quarry(area: Area) -> v1::Quarry {
    if area.index() == Area::CRATER.index() { v1::Quarry::Crater } else { v1::Quarry::Pukao }
}

numbered_fields! {
    enums {
        Size as v1::Size, "size or column";
        Improvement as v1::Improvement, "improvement";
        Means as v1::Means, "means";
        Tile as v1::Tile, "tile";
        Resource as v1::Resource, "resource";
        Offering as v1::Offering, "offering";
    }
    numbers {
        Space, "space";
        Star, "star";
    }
}

impl ToField<v1::Area> for Area {
    fn to_field(self) -> v1::Area {
        use v1::area::Area as One;
        let oneof = self.space().map_or_else(|| One::Quarry(quarry(self).into()), |space| One::Space(from_one(space)));
        v1::Area { area: Some(oneof) }
    }
}

impl ToField<v1::Cargo> for Cargo {
    fn to_field(self) -> v1::Cargo {
        use v1::cargo::Cargo as One;
        let oneof = match self {
            Self::Moai(size) => One::Moai(from_one(size)),
            Self::Pukao => One::Pukao(v1::cargo::Pukao {}),
        };
        v1::Cargo { cargo: Some(oneof) }
    }
}

impl ToField<v1::ResourceCounts> for Resources {
    fn to_field(self) -> v1::ResourceCounts {
        let [reeds, eggs, wood, pearls] = self.as_array().map(u32::from);
        v1::ResourceCounts { reeds, eggs, wood, pearls }
    }
}

impl ToField<v1::SizeCounts> for Sizes {
    fn to_field(self) -> v1::SizeCounts {
        let [small, medium, large] = self.as_array().map(u32::from);
        v1::SizeCounts { small, medium, large }
    }
}

impl ToField<v1::OfferingCounts> for Offerings {
    fn to_field(self) -> v1::OfferingCounts {
        let [hut, chicken, hatchet, boat, necklace] = self.as_array().map(u32::from);
        v1::OfferingCounts { hut, chicken, hatchet, boat, necklace }
    }
}
