//! The messages of a stream: observations, and for the web page the pictures and words of the table.

use std::sync::{Arc, OnceLock};

use ahu_core::{BySeat, Viewer};
use ahu_host::{AnyView, PictureLayout, Referee, Scene};
use prost::Message as _;

use crate::compressed::Part;
use crate::limits::PICTURE_BYTES;
use crate::proto::v1;

/// The content of the messages of a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    pub(crate) formats: v1::ObservationFormats,
    /// The layout of the boards of the viewers, which are part of each message; None without boards.
    pub(crate) boards: Option<PictureLayout>,
}

/// A message of a stream. Clones share what is drawn and written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) response: v1::WatchMatchResponse,
    /// The number of turns that have begun before the first event of the message; 0 without tables.
    pub(crate) turns: usize,
    /// The time that is left for each seat that has to act and has a limit, in milliseconds; empty without boards.
    pub(crate) times_left: Vec<(u32, u32)>,
    /// The tables of the viewers; None without boards, and before the match has begun.
    pub(super) tables: Option<Arc<Tables>>,
    /// The message in the form of the page; empty until somebody asks for it.
    rendered: Arc<OnceLock<Part>>,
}

/// The tables of a position, one for each viewer. All messages about the position share them, and the first receiver of such a
/// message draws them.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) of_viewers: Vec<Table>,
    layout: PictureLayout,
    /// The names of the players, by seat.
    names: Vec<String>,
    boards: OnceLock<Vec<Board>>,
}

/// The table of one viewer, the earlier one from which the marks follow, and the last events.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) view: Arc<dyn AnyView>,
    pub(super) before: Option<Arc<dyn AnyView>>,
    pub(super) news: Vec<String>,
}

/// The table of one viewer, as the web page shows it.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) headline: String,
    /// The decision that the viewer owes; empty if it owes none.
    pub(crate) question: String,
    /// The cards and goods of the viewer in one line; empty for the public.
    pub(crate) holdings: String,
    pub(crate) svg: String,
    pub(crate) scores: BySeat<i32>,
    pub(crate) ranks: BySeat<u8>,
    pub(crate) score_parts: Vec<(&'static str, BySeat<i32>)>,
}

impl Board {
    /// Draws a view, and marks the differences from `before`.
    pub(crate) fn draw(view: &dyn AnyView, before: Option<&dyn AnyView>, scene: Scene<'_>) -> Self {
        Self {
            headline: view.headline(),
            question: view.question(),
            holdings: view.holdings(),
            svg: view.svg(before, Scene { is_bare: true, ..scene }),
            scores: view.scores(),
            ranks: view.ranks(),
            score_parts: view.score_parts(),
        }
    }
}

impl Message {
    /// Returns a message with these tables.
    pub(super) fn new(response: v1::WatchMatchResponse, turns: usize, tables: Option<Tables>) -> Self {
        Self { response, turns, tables: tables.map(Arc::new), ..Self::default() }
    }

    /// Returns the boards of the viewers in the order of the observations; an empty list without tables. Draws them if nobody has
    /// drawn them yet, which takes half a millisecond each.
    pub(crate) fn boards(&self) -> &[Board] {
        self.tables.as_ref().map_or(&[], |tables| tables.boards())
    }

    /// Returns the number of pictures that nobody has drawn yet.
    pub(crate) fn undrawn(&self) -> usize {
        self.tables.as_ref().filter(|tables| tables.boards.get().is_none()).map_or(0, |tables| tables.of_viewers.len())
    }

    /// Returns the message in the form of the page. `render` makes it for the first receiver, and further receivers share it.
    pub(crate) fn rendered(&self, render: impl FnOnce() -> Part) -> Part {
        self.rendered.get_or_init(render).clone()
    }

    /// Returns true if the message with its pictures is still to be written in the form of the page.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.tables.is_some() && self.rendered.get().is_none()
    }

    /// Returns the size in bytes, with the largest pictures.
    pub(super) fn size(&self) -> usize {
        self.response.encoded_len() + self.tables.as_ref().map_or(0, |tables| tables.of_viewers.len() * PICTURE_BYTES)
    }
}

impl Tables {
    pub(super) fn new(of_viewers: Vec<Table>, layout: PictureLayout, names: Vec<String>) -> Self {
        Self { of_viewers, layout, names, boards: OnceLock::new() }
    }

    fn boards(&self) -> &[Board] {
        let draw = |Table { view, before, news }: &Table| {
            let scene = Scene { layout: self.layout, news, names: &self.names, ..Scene::default() };
            Board::draw(&**view, before.as_deref(), scene)
        };
        self.boards.get_or_init(|| self.of_viewers.iter().map(draw).collect())
    }
}

/// Returns the number of turns that have begun up to the event with this number.
pub(super) fn turns_through(referee: &Referee, viewer: Viewer, number: usize) -> usize {
    let told = referee.events_after(viewer, 0, number);
    told.iter().filter(|(_, event)| event.event.begins_turn()).count()
}
