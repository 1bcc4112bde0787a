//! The typed messages of the game, package `ahu.giants.v1`.

mod action;
mod event;
mod island;
mod observation;

use action::{action_message, read_action};
use ahu_core::{Numbered, Seat, Seats};
use ahu_messages::giants::v1;
use event::event_message;
use island::island;
use observation::observation;

use super::Giants;
use super::action::Action;
use super::board::Board;
use super::event::Event;
use super::options::{BoardName, Options};
use super::piece::{BySize, Size};
use super::view::View;
use crate::wire::message::{ToField, numbered_fields};
use crate::{DataFile, Pack as _, Wire};

impl Wire for Giants {
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

    fn event(visible: &Event<Option<Seat>>) -> v1::Event {
        event_message(visible)
    }

    fn data_files() -> Vec<DataFile> {
        let file =
            |of: BoardName, about| DataFile { name: of.file_name(), about, content: island(Board::named(of)).packed() };
        vec![
            file(BoardName::V1, "The island, a reconstruction of the printed board."),
            file(BoardName::Tiny, "A very small island, for tests."),
        ]
    }

    fn data_files_of(options: &Options) -> Vec<&'static str> {
        vec![options.board.file_name()]
    }
}

numbered_fields! {
    enums {}
    numbers {
        Size, "Moai's size";
    }
}

impl ToField<Vec<u32>> for BySize {
    fn to_field(self) -> Vec<u32> {
        numbers(self.as_slice())
    }
}

/// Returns the number of a hex or an Ahu in messages.
fn index(of: impl Numbered) -> u32 {
    of.index() as u32
}

fn numbers(small: &[u8]) -> Vec<u32> {
    small.iter().copied().map(u32::from).collect()
}
