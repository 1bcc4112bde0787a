//! A line about a match, for people.

use ahu_host::ToldEvent;

/// A line about a match.
pub(crate) struct Line {
    pub(crate) text: String,
    /// True if the line is the heading of a turn or a round.
    pub(crate) is_heading: bool,
}

impl Line {
    /// Returns the line of an event, after a prefix.
    pub(crate) fn of(prefix: &str, event: &ToldEvent) -> Self {
        Self { text: format!("{prefix}{}", event.text), is_heading: event.begins_turn }
    }

    pub(crate) const fn plain(text: String) -> Self {
        Self { text, is_heading: false }
    }
}
