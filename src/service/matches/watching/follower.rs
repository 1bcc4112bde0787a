//! A follower: the course of a match up to some entry, and what its viewers were told of it.

use crate::core::{BySeat, Seat, SeatSet, Viewer};
use crate::host::{Cause, Entry, Referee};
use crate::proto::v1;
use crate::service::course::Course;
use crate::service::limits::MAX_ANSWER_EVENTS;
use crate::service::matches::live::LiveMatch;
use crate::service::matches::present;

/// The course of a match up to some entry, and the messages about it for some viewers.
pub(super) struct Follower {
    course: Course,
    formats: v1::ObservationFormats,
    /// The viewers, and what the last message told each of them. The first is the viewer of the stream.
    viewers: Vec<(Viewer, Told)>,
    /// The number of the last event that the viewer of the stream had before it. Its entry may have told later ones too.
    had: usize,
}

/// The facts about a match whose change is a message for a viewer. `Observe` tells all of them.
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
    /// The strikes of the viewer's own seat, after which the time of its decision may begin anew.
    strikes: Option<u8>,
}

impl Told {
    fn of(course: &Course, viewer: Viewer) -> Self {
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
            state: course.state(),
            events: course.referee().map_or(0, |referee| referee.event_count(viewer)),
            begun: course.referee().map(of_referee),
        }
    }
}

impl Follower {
    /// Returns a follower of a course that has no entries yet, or that ended before it began.
    pub(super) fn new(course: Course, formats: v1::ObservationFormats, viewers: &[Viewer]) -> Self {
        let viewers = viewers.iter().map(|&viewer| (viewer, Told::of(&course, viewer))).collect();
        Self { course, formats, viewers, had: 0 }
    }

    /// Returns true if all seats of the match are taken.
    pub(super) fn has_begun(&self) -> bool {
        self.course.referee().is_some()
    }

    /// Returns the number of entries so far.
    pub(super) fn entries(&self) -> usize {
        self.course.referee().map_or(0, |referee| referee.entries().len())
    }

    /// Returns what the last message told the viewer.
    pub(super) fn told(&self) -> &Told {
        &self.viewers[0].1
    }

    /// Returns the number of the last event that a message told the viewer.
    pub(super) fn told_events(&self) -> usize {
        self.told().events
    }

    /// Goes on with the course of a match that has begun, or has ended before that.
    pub(super) fn begin(&mut self, course: Course) {
        self.course = course;
    }

    /// Applies the next entry.
    pub(super) fn follow(&mut self, entry: &Entry) {
        self.course.follow(entry);
    }

    /// Goes through these entries without a message. The viewers count as told of them, and the viewer of the stream of the
    /// events up to the number `had`.
    pub(super) fn skip(&mut self, entries: &[Entry], had: usize) {
        self.had = had;
        for entry in entries {
            self.course.follow(entry);
        }
        for (viewer, told) in &mut self.viewers {
            *told = Told::of(&self.course, *viewer);
        }
    }

    /// Returns true if a viewer was not told everything yet.
    pub(super) fn has_news(&self) -> bool {
        self.viewers.iter().any(|(viewer, told)| Told::of(&self.course, *viewer) != *told)
    }

    /// Returns the number of events that the next message has.
    pub(super) fn pending_events(&self) -> usize {
        let counted = |(viewer, told): &(Viewer, Told)| {
            self.course.referee().map_or(0, |referee| referee.event_count(*viewer)) - told.events
        };
        self.viewers.iter().map(counted).max().unwrap_or(0)
    }

    /// Returns the message with everything that the viewers were not told yet, as far as one message has room for events.
    pub(super) fn message(&mut self, live: &LiveMatch, skipped: bool) -> v1::WatchMatchResponse {
        let message = self.message_after(live, self.told_events().max(self.had), skipped);
        let observations = message.observation.iter().chain(&message.seat_observations);
        for ((viewer, told), observation) in self.viewers.iter_mut().zip(observations) {
            let events = last_event(observation).unwrap_or(told.events);
            *told = Told { events, ..Told::of(&self.course, *viewer) };
        }
        message
    }

    /// Returns the present message for a viewer that was told the events up to this number.
    pub(super) fn message_after(&self, live: &LiveMatch, after: usize, skipped: bool) -> v1::WatchMatchResponse {
        let mut observations = self.viewers.iter().enumerate().map(|(place, (viewer, told))| {
            let after = if place == 0 { after } else { told.events };
            let formats = v1::ObservationFormats { events_after: Some(after as u32), ..self.formats };
            let observation = present::observation(live, &self.course, *viewer, formats);
            let mut observation = observation.expect("nobody was told events that did not happen");
            // The time that is left belongs to the present: the watcher adds it.
            if let Some(decision) = &mut observation.decision {
                decision.time_left = None;
            }
            observation
        });
        let observation = observations.next();
        v1::WatchMatchResponse { observation, seat_observations: observations.collect(), skipped }
    }

    /// Returns true if the events of the next message fill it almost, so that it must not be merged with later ones.
    pub(super) fn is_full(&self) -> bool {
        self.pending_events() >= MAX_ANSWER_EVENTS / 2
    }
}

/// Returns the number of the last event in an observation; None without events.
pub(super) fn last_event(observation: &v1::Observation) -> Option<usize> {
    observation.events.last().map(|event| event.number as usize)
}
