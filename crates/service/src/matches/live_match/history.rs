//! The history of a hosted match: how far each viewer may see it, and the match as it stood before any of its entries.

use std::ops::Range;

use ahu_core::{Seat, Viewer};
use ahu_host::api::{ApiError, convert};
use ahu_host::{Entry, Referee};

use super::{Held, LiveMatch, LiveState};
use crate::lifecycle::Lifecycle;
use crate::{lock, refusals};

/// The part of a match that viewers may be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    /// True once all seats are taken.
    pub(crate) has_begun: bool,
    pub(crate) has_ended: bool,
    /// The number of entries that seats may be shown.
    entries: usize,
    /// The number of entries that the public may be shown.
    public_entries: usize,
}

impl Horizon {
    /// Returns the number of entries that `viewer` may be shown.
    pub(crate) fn entries(&self, viewer: Viewer) -> usize {
        match viewer {
            Viewer::Seat(_) => self.entries,
            Viewer::Public => self.public_entries,
        }
    }
}

impl LiveMatch {
    /// Returns the part of the match that viewers may be shown now.
    pub(crate) fn horizon(&self) -> Held<'_, Horizon> {
        let state = lock(&self.state);
        let horizon = self.refuse_if_dropped().map(|()| Horizon {
            has_begun: state.referee().is_some(),
            has_ended: state.ending().is_some(),
            entries: state.referee().map_or(0, |referee| referee.entries().len()),
            public_entries: state.referee().map_or(0, |referee| state.public_entries(referee)),
        });
        Held::new(self, horizon, state.changes)
    }

    /// Returns the match as it stood before its first entry.
    pub(crate) fn rewound(&self) -> Lifecycle {
        self.look(|state| state.lifecycle.rewound())
    }

    /// Returns the entries from `first` to before `end`, as far as the match has them.
    pub(crate) fn entries(&self, first: usize, end: usize) -> Vec<Entry> {
        self.look(|state| state.entries().get(first..end).map(<[Entry]>::to_vec)).unwrap_or_default()
    }

    /// Returns the answers of the seat with this token from the decision `first` on, as texts, each with true if nothing else was
    /// legal. Plays the match again, and holds no lock meanwhile.
    #[cfg(feature = "mcp")]
    pub(crate) fn answers(&self, token: crate::secrets::TokenHash, first: u32) -> Vec<(String, bool)> {
        let past =
            self.look(|state| Some((state.seat_of(token)?, state.lifecycle.rewound(), state.entries().to_vec())));
        let Some((seat, mut past, entries)) = past else { return Vec::new() };
        let mut answers = Vec::new();
        for entry in &entries {
            let Some(referee) = past.referee() else { break };
            if let Entry::Action { seat: of, id, by: ahu_host::DecidedBy::Player, .. } = *entry
                && of == seat
                && referee.decision(seat) >= Some(first)
            {
                let text = self.rules().action_text(id).unwrap_or_default();
                answers.push((text, referee.legal_actions(seat).len() == 1));
            }
            past.follow(entry);
        }
        answers
    }

    /// Returns the number of entries up to the entry that told `viewer` the event with the number `after`. If the entry told
    /// several events, it counts only if `after` is the last of them. Refuses a number that is not reached yet.
    pub(crate) fn entries_through_event(&self, viewer: Viewer, after: u32) -> Result<usize, ApiError> {
        let mut state = lock(&self.state);
        told_count(&mut state, viewer, after)?;
        let number = after as usize;
        let (start, next) = (entries_before(&state, viewer, number), entries_before(&state, viewer, number + 1));
        Ok(start + usize::from(number > 0 && next > start))
    }

    /// Returns the place of the entry that told `viewer` the event with the number `after`, as a range of one entry. The
    /// range is empty for the number 0, and while a delay holds back other events of the entry. Refuses a number that is not
    /// reached yet.
    pub(crate) fn entries_of_event(&self, viewer: Viewer, after: u32) -> Result<Range<usize>, ApiError> {
        let mut state = lock(&self.state);
        let told = told_count(&mut state, viewer, after)?;
        let start = entries_before(&state, viewer, after as usize);
        let is_told = after > 0 && entries_before(&state, viewer, told + 1) > start;
        Ok(start..start + usize::from(is_told))
    }

    /// Returns the time that is left for this decision of a seat; None without a limit, and after the decision is answered.
    pub(crate) fn time_left(&self, seat: Seat, decision: u32) -> Option<prost_types::Duration> {
        let state = lock(&self.state);
        let referee = state.referee().filter(|referee| referee.decision(seat) == Some(decision))?;
        referee.time_left(seat, self.now()).map(convert::duration)
    }

    /// Returns the time that is left for the decision of each seat with a limit, in milliseconds; nothing for a public that is
    /// shown the past.
    pub(crate) fn times_left(&self, viewer: Viewer) -> Vec<(u32, u32)> {
        let state = lock(&self.state);
        let is_delayed = viewer == Viewer::Public && self.facts.head.spectator_delay > 0;
        let Some(referee) = state.referee().filter(|_| !is_delayed) else { return Vec::new() };
        let left = |seat: Seat| match viewer {
            Viewer::Seat(own) if own == seat => referee.time_left(seat, self.now()),
            _ => referee.shown_time_left(seat, viewer, self.now()),
        };
        referee.to_act().iter().filter_map(|seat| Some((seat.index() as u32, left(seat)?))).collect()
    }
}

/// Returns the number of the last event that `viewer` was told. Refuses a number that is not reached yet.
fn told_count(state: &mut LiveState, viewer: Viewer, after: u32) -> Result<usize, ApiError> {
    let told = state.for_viewer(viewer).event_count();
    if after as usize <= told { Ok(told) } else { Err(refusals::no_such_event("events_after", after, told)) }
}

/// Returns the number of entries before the entry that tells `viewer` the event with this number; 0 for the number 0.
fn entries_before(state: &LiveState, viewer: Viewer, number: usize) -> usize {
    let before = |referee: &Referee| referee.entries_before_event(viewer, number);
    state.referee().filter(|_| number > 0).map_or(0, before)
}
