//! A follower: a match as it stood after some entry, and what its viewers were told by then.

use std::sync::Arc;

use ahu_core::{BySeat, Seat, SeatSet, Viewer};
use ahu_host::{AnyView, Cause, Entry, Referee};

use super::message::{Form, Message, Table, Tables, turns_through};
use crate::lifecycle::Lifecycle;
use crate::limits::MAX_ANSWER_EVENTS;
use crate::matches::LiveMatch;
use crate::matches::live_match::ViewerMatch;
use crate::proto::v1;

/// A match as it stood after some entry, and the messages about it for some viewers.
pub(super) struct Follower {
    pub(super) lifecycle: Lifecycle,
    pub(super) form: Form,
    /// The viewers. The first viewer is the viewer of the stream.
    viewers: Vec<Followed>,
    /// The number of the last event that the viewer knew before the stream. The entry of this event may have told later
    /// events too.
    had: usize,
    /// The number of turns that have begun for the viewer of the stream; 0 without pictures.
    turns: usize,
}

/// A viewer, with the content of the last message to it.
struct Followed {
    viewer: Viewer,
    told: Told,
    /// The table of the last message, from which the marks of the next picture follow; None without pictures.
    shown: Option<Arc<dyn AnyView>>,
}

/// The facts about a match whose change causes a message for a viewer. `Observe` tells all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    state: v1::MatchState,
    /// The number of the last event.
    events: usize,
    begun: Option<Begun>,
}

/// The facts about a match that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Begun {
    to_act: SeatSet,
    /// The decision of the viewer's own seat.
    decision: Option<u32>,
    forfeits: BySeat<Option<Cause>>,
    banks: BySeat<Option<u32>>,
    /// The strikes of the viewer's own seat. After a strike the time of its decision may begin anew.
    strikes: Option<u8>,
}

impl Told {
    fn of(lifecycle: &Lifecycle, viewer: Viewer) -> Self {
        let of_referee = |referee: &Referee| {
            let own = |seat: Seat| (referee.decision(seat).filter(|_| referee.owes(seat)), referee.strikes(seat));
            let (decision, strikes) = match viewer {
                Viewer::Seat(seat) => own(seat),
                Viewer::Public => (None, None),
            };
            Begun {
                to_act: referee.to_act(),
                decision,
                forfeits: referee.forfeits(),
                banks: referee.banks(viewer),
                strikes: strikes.map(|(strikes, _)| strikes),
            }
        };
        Self {
            state: lifecycle.state(),
            events: lifecycle.referee().map_or(0, |referee| referee.event_count(viewer)),
            begun: lifecycle.referee().map(of_referee),
        }
    }
}

impl Follower {
    /// Returns a follower of a match that has no entries yet, or that ended before it began.
    pub(super) fn new(lifecycle: Lifecycle, form: Form, viewers: &[Viewer]) -> Self {
        let followed = |&viewer| Followed { viewer, told: Told::of(&lifecycle, viewer), shown: None };
        let viewers = viewers.iter().map(followed).collect();
        Self { lifecycle, form, viewers, had: 0, turns: 0 }
    }

    /// Returns the number of entries so far.
    pub(super) fn entries(&self) -> usize {
        self.lifecycle.referee().map_or(0, |referee| referee.entries().len())
    }

    /// Returns the facts that the last message told the viewer.
    pub(super) fn told(&self) -> &Told {
        &self.viewers[0].told
    }

    /// Returns the number of the last event that a message told the viewer.
    pub(super) fn told_events(&self) -> usize {
        self.told().events
    }

    /// Returns the number of events for the viewer of the stream, even if no message has told them yet.
    pub(super) fn event_count(&self) -> usize {
        self.event_count_of(self.viewers[0].viewer)
    }

    fn event_count_of(&self, viewer: Viewer) -> usize {
        self.lifecycle.referee().map_or(0, |referee| referee.event_count(viewer))
    }

    /// Applies these entries without a message. The viewers count as told of them, and the viewer of the stream as told of
    /// the events up to the number `had`.
    pub(super) fn skip(&mut self, entries: &[Entry], had: usize) {
        self.had = had;
        for entry in entries {
            self.lifecycle.follow(entry);
        }
        for followed in &mut self.viewers {
            let viewer = followed.viewer;
            followed.told = Told::of(&self.lifecycle, viewer);
            let drawn = self.lifecycle.referee().filter(|_| self.form.boards.is_some());
            followed.shown = drawn.map(|referee| referee.view(viewer).into());
        }
        if let Some(referee) = self.lifecycle.referee().filter(|_| self.form.boards.is_some()) {
            self.turns = turns_through(referee, self.viewers[0].viewer, self.told_events());
        }
    }

    /// Returns true if a viewer was not told everything yet.
    pub(super) fn has_news(&self) -> bool {
        self.viewers.iter().any(|followed| Told::of(&self.lifecycle, followed.viewer) != followed.told)
    }

    /// Returns a message with everything that the viewers were not told yet, as far as one message has room for events.
    pub(super) fn message(&mut self, live: &LiveMatch, skipped: bool) -> Message {
        let after = self.told_events().max(self.had.min(self.event_count()));
        let message = self.message_after(live, after, skipped);
        let response = &message.response;
        let observations = response.observation.iter().chain(&response.seat_observations);
        for (place, (followed, observation)) in self.viewers.iter_mut().zip(observations).enumerate() {
            let events = last_event(observation).unwrap_or(followed.told.events);
            followed.told = Told { events, ..Told::of(&self.lifecycle, followed.viewer) };
            followed.shown = message.tables.as_ref().map(|tables| Arc::clone(&tables.of_viewers[place].view));
        }
        if message.tables.is_some() {
            let events = response.observation.iter().flat_map(|observation| &observation.events);
            self.turns += events.filter(|event| event.begins_turn).count();
        }
        message
    }

    /// Returns the present message for a viewer who was told the events up to this number.
    pub(super) fn message_after(&self, live: &LiveMatch, after: usize, skipped: bool) -> Message {
        let turns = match self.lifecycle.referee().filter(|_| self.form.boards.is_some()) {
            Some(referee) if after != self.told_events() => turns_through(referee, self.viewers[0].viewer, after),
            Some(_) => self.turns,
            None => 0,
        };
        let after = |place, told: &Told| if place == 0 { after } else { told.events };
        let mut observations = self.viewers.iter().enumerate().map(|(place, Followed { viewer, told, .. })| {
            let after = after(place, told) as u32;
            // The watcher adds the time that is left, since it changes all the time.
            let shown = ViewerMatch { facts: &live.facts, lifecycle: &self.lifecycle, viewer: *viewer, now: None };
            shown.observation(&self.form.formats, Some(after)).expect("nobody was told events that did not happen")
        });
        let observation = observations.next();
        let response = v1::WatchMatchResponse { observation, seat_observations: observations.collect(), skipped };
        let tables = self.lifecycle.referee().zip(self.form.boards).map(|(referee, layout)| {
            let table = |Followed { viewer, shown, .. }: &Followed| Table {
                view: referee.view(*viewer).into(),
                before: shown.clone(),
                news: referee.news(*viewer),
            };
            Tables::new(self.viewers.iter().map(table).collect(), layout, referee.names())
        });
        Message::new(response, turns, tables)
    }

    /// Returns true if the events of the next message almost fill it, so that it must not be merged with later ones.
    pub(super) fn is_full(&self) -> bool {
        let pending = |followed: &Followed| self.event_count_of(followed.viewer) - followed.told.events;
        self.viewers.iter().map(pending).max().unwrap_or(0) >= MAX_ANSWER_EVENTS / 2
    }
}

/// Returns the number of the last event in an observation; None without events.
pub(super) fn last_event(observation: &v1::Observation) -> Option<usize> {
    observation.events.last().map(|event| event.number as usize)
}
