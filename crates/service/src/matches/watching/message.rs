//! The messages of a stream: observations, and for the web page the pictures and words of the table.

use std::sync::{Arc, OnceLock};

use ahu_core::{BySeat, Viewer};
use ahu_host::{AnyView, Referee};
use prost::Message as _;
use prost::bytes::Bytes;

use crate::proto::v1;

/// The content of the messages of a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    pub(crate) formats: v1::ObservationFormats,
    /// True if a board of each viewer is part of each message.
    pub(crate) is_drawn: bool,
}

/// A message of a stream. Clones share the boards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) response: v1::WatchMatchResponse,
    drawn: Option<Arc<Drawn>>,
}

/// The boards of a message, which all its receivers share.
#[derive(Debug)]
struct Drawn {
    boards: Vec<Board>,
    /// The message in the form of the page; empty until somebody asks for it.
    rendered: OnceLock<Bytes>,
}

/// The table of one viewer, as the web page shows it.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) headline: String,
    /// The decision that the viewer owes; empty if it owes none.
    pub(crate) question: String,
    pub(crate) svg: String,
    pub(crate) scores: BySeat<i32>,
    pub(crate) ranks: BySeat<u8>,
    pub(crate) score_parts: Vec<(&'static str, BySeat<i32>)>,
    /// The number of turns that have begun before the first event of the message.
    pub(crate) turns: usize,
}

impl Board {
    /// Draws a view, and marks the differences from `before`.
    pub(crate) fn draw(view: &dyn AnyView, before: Option<&dyn AnyView>, turns: usize) -> Self {
        Self {
            headline: view.headline(),
            question: view.question(),
            svg: view.svg(before),
            scores: view.scores(),
            ranks: view.ranks(),
            score_parts: view.score_parts(),
            turns,
        }
    }
}

impl Message {
    /// Returns a message, with the board of each viewer if it is drawn.
    pub(super) fn new(response: v1::WatchMatchResponse, boards: Option<Vec<Board>>) -> Self {
        let drawn = boards.map(|boards| Arc::new(Drawn { boards, rendered: OnceLock::new() }));
        Self { response, drawn }
    }

    /// Returns the boards of the viewers in the order of the observations; an empty list before the match has begun.
    pub(crate) fn boards(&self) -> &[Board] {
        self.drawn.as_ref().map_or(&[], |drawn| &drawn.boards)
    }

    /// Returns the message in the form of the page. `render` makes it for the first receiver, and further receivers share it.
    pub(crate) fn rendered(&self, render: impl FnOnce() -> Bytes) -> Bytes {
        match &self.drawn {
            Some(drawn) => drawn.rendered.get_or_init(render).clone(),
            None => render(),
        }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        self.response.encoded_len() + self.boards().iter().map(|board| board.svg.len()).sum::<usize>()
    }
}

/// Returns the number of turns that have begun up to the event with this number.
pub(super) fn turns_through(referee: &Referee, viewer: Viewer, number: usize) -> usize {
    let told = referee.events_after(viewer, 0, number);
    told.iter().filter(|(_, event)| event.event.begins_turn()).count()
}
