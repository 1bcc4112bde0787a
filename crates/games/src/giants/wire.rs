//! The typed messages of the game, package `ahu.giants.v1`.

mod action;
mod event;
mod island;
mod observation;

use action::{action_message, read_oneof};
use ahu_core::parts::set::Set;
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
use super::piece::BySize;
use super::view::View;
use crate::{DataFile, Pack as _, Wire};

impl Wire for Giants {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        observation(view)
    }

    fn action(action: Action, seat: Seat, seats: Seats) -> v1::Action {
        v1::Action { action: Some(action_message(action, seat, seats)) }
    }

    fn read_action(message: &v1::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
        read_oneof(message.action.as_ref().ok_or(NO_ACTION)?, seat, seats)
    }

    fn event(visible: &Event<Option<Seat>>) -> v1::Event {
        v1::Event { event: Some(event_message(*visible)) }
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

/// The error for a message without an action.
const NO_ACTION: &str = "expected one of bid_markers, bid_workers, bid_leaders, pick, decline, place, take_half, \
                         pass, at, no_power, use_power, reserve, lift, enter, pay, pay_chief, enough, stop, mark, \
                         erect, top, peek, leave, keep, take_back; got none of them";

/// Returns the number of a hex or an Ahu in messages.
fn index(of: impl Numbered) -> u32 {
    of.index() as u32
}

fn indices<T: Numbered>(things: Set<T>) -> Vec<u32> {
    things.iter().map(index).collect()
}

fn numbers(small: &[u8]) -> Vec<u32> {
    small.iter().copied().map(u32::from).collect()
}

fn by_size(counts: BySize) -> Vec<u32> {
    numbers(counts.as_slice())
}
