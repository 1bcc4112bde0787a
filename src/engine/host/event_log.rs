//! Event logs: the events of an unfinished match that one viewer was told, as text without secrets of others.
//!
//! ```text
//! ahu events 1
//! game rappanui
//! rules 1
//! options seats=2 ...
//! viewer seat 1
//! seat 0 greedy
//! seat 1 my agent
//! events
//! 1 the cards are dealt, seat 0 goes first; seat 1 has ...
//! ```

use super::{Referee, SeatPlayer};
use crate::core::Viewer;

/// Returns the match as `viewer` was told of it. The text has no seed and no digest, and cannot be replayed.
pub fn event_log(referee: &Referee, viewer: Viewer) -> String {
    let (setup, info) = (referee.setup(), referee.setup().rules().info());
    let mut text = format!("ahu events 1\ngame {}\nrules {}\noptions {setup}\nviewer {viewer}\n", info.id, info.rules);
    let player = |(seat, player): (usize, &SeatPlayer)| format!("seat {seat} {}\n", player.name);
    text.extend(referee.players().iter().enumerate().map(player));
    text + "events\n" + &event_lines(referee, viewer, 0)
}

/// Returns the events that `viewer` was told after the first `after` of them, each as a line with its number.
pub fn event_lines(referee: &Referee, viewer: Viewer, after: usize) -> String {
    let events = referee.events_after(viewer, after, usize::MAX).into_iter();
    events.filter_map(|(number, event)| Some(format!("{number} {}\n", event.event.text_for(viewer)?))).collect()
}
