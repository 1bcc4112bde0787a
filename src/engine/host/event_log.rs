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

use std::fmt::{self, Write as _};

use super::referee::Referee;
use crate::core::Viewer;

/// Returns the match as `viewer` was told of it. The text has no seed and no digest, and cannot be replayed.
pub fn event_log(referee: &Referee, viewer: Viewer) -> String {
    let mut text = String::new();
    write_lines(referee, viewer, &mut text).expect("a string takes every text");
    text
}

fn write_lines(referee: &Referee, viewer: Viewer, text: &mut String) -> fmt::Result {
    let info = referee.setup().rules().info();
    writeln!(text, "ahu events 1\ngame {}\nrules {}\noptions {}", info.id, info.rules, referee.setup())?;
    writeln!(text, "viewer {viewer}")?;
    for (seat, player) in referee.players().iter().enumerate() {
        writeln!(text, "seat {seat} {}", player.name)?;
    }
    writeln!(text, "events")?;
    write_events(referee, viewer, 0, text)
}

/// Returns the events that `viewer` was told after the first `after` of them, each as a line with its number.
pub fn event_lines(referee: &Referee, viewer: Viewer, after: usize) -> String {
    let mut text = String::new();
    write_events(referee, viewer, after, &mut text).expect("a string takes every text");
    text
}

fn write_events(referee: &Referee, viewer: Viewer, after: usize, text: &mut String) -> fmt::Result {
    for (number, event) in referee.events_after(viewer, after, usize::MAX) {
        if let Some(sentence) = event.event.text_for(viewer) {
            writeln!(text, "{number} {sentence}")?;
        }
    }
    Ok(())
}
