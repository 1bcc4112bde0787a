//! Messages for one viewer: its observation in the requested formats; and the record after the end.
//!
//! Events and decisions are numbered for each viewer, because a common number would show how much the others were told.
//!
//! A match may fix a delay for the public. The delay holds for `Observe` and `WatchMatch`. A seat sees the present, even
//! after its forfeit, since its own calls show it anyway. The delay counts public events, not time, so that it tells nothing
//! of hidden events. It ends with the match.

use ahu_core::{Seat, Viewer};
use ahu_host::api::{ApiError, convert, terms};
use ahu_host::{AnyView, MatchTime, Referee, ToldEvent};
use prost::bytes::Bytes;

use super::{LiveState, MatchFacts};
use crate::lifecycle::Lifecycle;
use crate::limits::MAX_ANSWER_EVENTS;
use crate::proto::v1;
use crate::refusals;

/// A match as one viewer may be shown it.
#[derive(Clone, Copy)]
pub(crate) struct ViewerMatch<'a> {
    pub(crate) facts: &'a MatchFacts,
    pub(crate) lifecycle: &'a Lifecycle,
    pub(crate) viewer: Viewer,
    /// The present time; None for messages without the time that is left.
    pub(crate) now: Option<MatchTime>,
}

/// The field of a request that asks for events.
const EVENTS_AFTER: &str = "events_after";

impl ViewerMatch<'_> {
    /// Returns the number of events that the viewer has been told.
    pub(crate) fn event_count(&self) -> usize {
        self.lifecycle.referee().map_or(0, |referee| referee.event_count(self.viewer))
    }

    /// Returns the table as the viewer sees it; None before the match begins.
    pub(crate) fn view(&self) -> Option<Box<dyn AnyView>> {
        Some(self.lifecycle.referee()?.view(self.viewer))
    }

    /// Returns the events that the viewer has been told, with their numbers.
    pub(crate) fn events(&self) -> Vec<(usize, ToldEvent)> {
        let events = self.lifecycle.referee().map(|referee| referee.events_after(self.viewer, 0, usize::MAX));
        let told = events.into_iter().flatten();
        told.filter_map(|(number, event)| Some((number, event.told_to(self.viewer)?))).collect()
    }

    /// Returns the number of the event after which the viewer asks for events; None if it asks for no events. Refuses a
    /// number that the viewer has not been told. `field` is the field with the number.
    fn events_after(&self, after: Option<u32>, field: &'static str) -> Result<Option<usize>, ApiError> {
        let count = self.event_count();
        match after {
            Some(after) if after as usize > count => Err(refusals::no_such_event(field, after, count)),
            after => Ok(after.map(|after| after as usize)),
        }
    }

    /// Refuses formats that expect other rules or another layout, and events after an event that the viewer has not been told.
    /// A match that has not begun accepts every number of an event.
    pub(crate) fn check_formats(&self, formats: &v1::ObservationFormats, after: Option<u32>) -> Result<(), ApiError> {
        let rules = self.facts.head.setup.rules();
        ApiError::check_expected(rules, formats.rules_version, &formats.layout_hash)?;
        match self.lifecycle.referee() {
            Some(_) => self.events_after(after, EVENTS_AFTER).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the observation in the requested formats.
    pub(crate) fn observation(
        &self,
        formats: &v1::ObservationFormats,
        after: Option<u32>,
    ) -> Result<v1::Observation, ApiError> {
        self.check_formats(formats, after)?;
        let Self { facts, lifecycle, viewer, .. } = *self;
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Public => None,
        };
        let mut observation = v1::Observation {
            match_id: facts.head.id.to_string(),
            seat: seat.map(|seat| seat.index() as u32),
            state: lifecycle.state().into(),
            done: lifecycle.ending().is_some(),
            end_reason: lifecycle.end_reason(),
            ..Default::default()
        };
        let Some(referee) = lifecycle.referee() else { return Ok(observation) };
        observation.seats_to_act = convert::seats(referee.to_act());
        observation.done |= seat.is_some_and(|seat| referee.forfeits()[seat].is_some());
        observation.forfeits = terms::forfeits(&referee.forfeits());
        observation.clocks = terms::seat_clocks(&referee.banks(viewer));
        let owed = seat.and_then(|seat| Some((seat, owed_decision(referee, seat)?)));
        observation.decision = owed.map(|(seat, id)| self.decision(referee, id, seat, formats));
        if formats.tensor || formats.text || formats.typed || formats.compact || formats.compact_legend {
            let view = referee.view(viewer);
            let text = |is_wanted: bool, make: &dyn Fn() -> String| if is_wanted { make() } else { String::new() };
            observation.tensor = formats.tensor.then(|| convert::tensor(facts.head.setup.rules(), &*view));
            observation.text = text(formats.text, &|| view.text());
            observation.compact = text(formats.compact, &|| view.compact());
            observation.compact_legend = text(formats.compact_legend, &|| view.compact_legend());
            observation.typed = formats.typed.then(|| view.message());
        }
        if formats.view {
            observation.view = referee.view_bytes(viewer).unwrap_or_default().into();
        }
        observation.event_count = referee.event_count(viewer) as u32;
        if let Some(after) = self.events_after(after, EVENTS_AFTER)? {
            let event = referee.events_after(viewer, after, MAX_ANSWER_EVENTS).into_iter();
            let events = event.map(|(number, event)| v1::Event {
                number: number as u32,
                text: event.event.text_for(viewer).unwrap_or_default(),
                begins_turn: event.event.begins_turn(),
                typed: if formats.typed { event.event.message_for(viewer) } else { None },
                actor_seats: convert::seats(event.actors()),
            });
            observation.events = events.collect();
        }
        observation.result = facts.result(referee);
        Ok(observation)
    }

    fn decision(&self, referee: &Referee, id: u32, seat: Seat, formats: &v1::ObservationFormats) -> v1::Decision {
        let (rules, seats) = (self.facts.head.setup.rules(), self.facts.head.setup.seats());
        let legal = &referee.legal_actions(seat);
        let actions =
            || legal.iter().filter_map(|action| convert::action(rules, action, seat, seats, formats.typed)).collect();
        v1::Decision {
            decision_id: id,
            legal_ids: if formats.legal_ids { legal.iter().map(|id| id.0.into()).collect() } else { Vec::new() },
            mask: if formats.mask { convert::mask(legal) } else { Bytes::new() },
            legal_actions: if formats.legal_actions { actions() } else { Vec::new() },
            time_left: self.now.and_then(|now| referee.time_left(seat, now)).map(convert::duration),
        }
    }
}

impl LiveState {
    /// Returns the observation of a viewer. It has no decision for which the player of the seat is not asked yet.
    pub(crate) fn observation(
        &mut self,
        viewer: Viewer,
        formats: &v1::ObservationFormats,
        after: Option<u32>,
    ) -> Result<v1::Observation, ApiError> {
        let is_asked = matches!(viewer, Viewer::Seat(seat) if self.asked(seat).is_some());
        let mut observation = self.for_viewer(viewer).observation(formats, after)?;
        observation.decision = observation.decision.filter(|_| is_asked);
        Ok(observation)
    }

    /// Returns the record of a match that has ended, with the comments on it.
    pub(crate) fn record(&self, format: v1::RecordFormat) -> Result<v1::GetRecordResponse, ApiError> {
        let match_id = &self.facts.head.id;
        if self.ending().is_none() {
            return Err(refusals::not_ended(match_id));
        }
        let record = self.lifecycle.started(match_id)?.record();
        let record = match format {
            v1::RecordFormat::Binary => record.to_bytes().into(),
            v1::RecordFormat::Text | v1::RecordFormat::Unspecified => record.to_text().into(),
        };
        Ok(v1::GetRecordResponse { record, comments: self.comments.messages() })
    }
}

/// Returns the number of the decision that the player of a seat has to make; None after a forfeit, when a stand-in decides.
pub(crate) fn owed_decision(referee: &Referee, seat: Seat) -> Option<u32> {
    referee.decision(seat).filter(|_| referee.owes(seat))
}
