//! Messages for one viewer: its observation in the requested formats, its legal actions, and records.
//!
//! Events and decisions are numbered for each viewer, because a common number would show how much the others were told. Before
//! the end, `GetRecord` gives a viewer its own events and not the entries, which name hidden cards.
//!
//! A match may fix a delay for the public. The delay holds for `Observe`, `WatchMatch`, and the events of `GetRecord` without a
//! token. A seat sees the present, even after its forfeit, since its own calls show it anyway. The delay counts public events,
//! not time, so that it tells nothing of hidden events. It ends with the match.

use prost::bytes::Bytes;

use super::{LiveState, MatchFacts};
use crate::proto::v1;
use crate::service::lifecycle::Lifecycle;
use crate::service::limits::MAX_ANSWER_EVENTS;
use crate::service::refusals;
use ahu_engine::core::{ActionSet, Seat, Viewer};
use ahu_engine::host::api::{ApiError, convert, terms};
use ahu_engine::host::{MatchTime, Referee, event_lines, event_log};

/// A match as one viewer may be shown it.
#[derive(Clone, Copy)]
pub(crate) struct ViewerMatch<'a> {
    pub(crate) facts: &'a MatchFacts,
    pub(crate) lifecycle: &'a Lifecycle,
    pub(crate) viewer: Viewer,
    /// The present time; None for messages without the time that is left.
    pub(crate) now: Option<MatchTime>,
}

/// The field of an observation's formats that asks for events.
const EVENTS_AFTER: &str = "formats.events_after";

impl ViewerMatch<'_> {
    /// Returns the number of events that the viewer has been told.
    pub(crate) fn event_count(&self) -> usize {
        self.lifecycle.referee().map_or(0, |referee| referee.event_count(self.viewer))
    }

    /// Returns the events that the viewer has been told, with their numbers.
    pub(crate) fn events(&self) -> Vec<(usize, String)> {
        let events = self.lifecycle.referee().map(|referee| referee.events_after(self.viewer, 0, usize::MAX));
        let told = events.into_iter().flatten();
        told.filter_map(|(number, event)| Some((number, event.event.text_for(self.viewer)?))).collect()
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

    /// Refuses formats that ask for events after an event that the viewer has not been told. A match that has not begun
    /// accepts all formats.
    pub(crate) fn check_formats(&self, formats: v1::ObservationFormats) -> Result<(), ApiError> {
        match self.lifecycle.referee() {
            Some(_) => self.events_after(formats.events_after, EVENTS_AFTER).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the observation in the requested formats.
    pub(crate) fn observation(&self, formats: v1::ObservationFormats) -> Result<v1::Observation, ApiError> {
        let Self { facts, lifecycle, viewer, .. } = *self;
        let seat = match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Public => None,
        };
        let mut observation = v1::Observation {
            match_id: facts.head.id.to_string(),
            seat: seat.map(|seat| seat.index() as u32),
            state: lifecycle.state().into(),
            end_reason: lifecycle.end_reason(),
            ..Default::default()
        };
        let Some(referee) = lifecycle.referee() else { return Ok(observation) };
        observation.seats_to_act = convert::seats(referee.to_act());
        observation.forfeited_seats = convert::seats(referee.forfeited());
        observation.forfeits = terms::forfeits(&referee.forfeits());
        observation.clocks = terms::seat_clocks(&referee.banks(viewer));
        let owed = seat.and_then(|seat| Some((seat, owed_decision(referee, seat)?)));
        observation.decision = owed.map(|(seat, id)| self.decision(referee, id, seat, formats));
        if formats.tensor || formats.text || formats.typed {
            let view = referee.view(viewer);
            observation.tensor = formats.tensor.then(|| convert::tensor(facts.head.setup.rules(), &*view));
            observation.text = if formats.text { view.text() } else { String::new() };
            observation.typed = formats.typed.then(|| view.message());
        }
        observation.event_count = referee.event_count(viewer) as u32;
        if let Some(after) = self.events_after(formats.events_after, EVENTS_AFTER)? {
            let event = referee.events_after(viewer, after, MAX_ANSWER_EVENTS).into_iter();
            let events = event.map(|(number, event)| v1::Event {
                number: number as u32,
                text: event.event.text_for(viewer).unwrap_or_default(),
                typed: if formats.typed { event.event.message_for(viewer) } else { None },
            });
            observation.events = events.collect();
        }
        observation.result = facts.result(referee);
        Ok(observation)
    }

    /// Returns the record of a match that has ended. Before the end, and with `after`, returns the events that the viewer was
    /// told.
    pub(crate) fn record(
        &self,
        format: v1::RecordFormat,
        after: Option<u32>,
    ) -> Result<v1::GetRecordResponse, ApiError> {
        let Self { facts, lifecycle, viewer, .. } = *self;
        let referee = lifecycle.started(&facts.head.id)?;
        let after = self.events_after(after, "after")?;
        let complete = referee.is_over() && !facts.is_sealed() && after.is_none();
        let is_binary = format == v1::RecordFormat::Binary;
        let record = match (complete, is_binary, after) {
            (true, false, _) => referee.record().to_text().into(),
            (true, true, _) => referee.record().to_bytes().into(),
            (false, true, _) => return Err(refusals::only_text()),
            (false, false, Some(after)) => event_lines(referee, viewer, after).into(),
            (false, false, None) => event_log(referee, viewer).into(),
        };
        let event_count = referee.event_count(viewer) as u32;
        Ok(v1::GetRecordResponse { record, complete, event_count, state: lifecycle.state().into() })
    }

    fn decision(
        &self,
        referee: &Referee,
        decision_id: u32,
        seat: Seat,
        formats: v1::ObservationFormats,
    ) -> v1::Decision {
        let legal = &referee.legal_actions(seat);
        v1::Decision {
            decision_id,
            legal_ids: if formats.legal_ids { legal.iter().map(|id| id.0.into()).collect() } else { Vec::new() },
            mask: if formats.mask { convert::mask(legal) } else { Bytes::new() },
            legal_actions: if formats.legal_actions { self.actions(legal, seat, formats.typed) } else { Vec::new() },
            time_left: self.now.and_then(|now| referee.time_left(seat, now)).map(terms::duration),
        }
    }

    fn actions(&self, legal: &ActionSet, seat: Seat, typed: bool) -> Vec<v1::Action> {
        let (rules, seats) = (self.facts.head.setup.rules(), self.facts.head.setup.seats());
        legal.iter().filter_map(|id| convert::action(rules, id, seat, seats, typed)).collect()
    }
}

impl LiveState {
    /// Returns the observation of a viewer. It has no decision for which the player of the seat is not asked yet.
    pub(crate) fn observation(
        &mut self,
        viewer: Viewer,
        formats: v1::ObservationFormats,
    ) -> Result<v1::Observation, ApiError> {
        let is_asked = matches!(viewer, Viewer::Seat(seat) if self.asked(seat).is_some());
        let mut observation = self.for_viewer(viewer).observation(formats)?;
        observation.decision = observation.decision.filter(|_| is_asked);
        Ok(observation)
    }

    /// Returns the legal actions of a seat, one by one; an empty list if its player is asked for no decision.
    pub(crate) fn legal_actions(&mut self, seat: Seat, typed: bool) -> v1::ListLegalActionsResponse {
        let decision_id = self.asked(seat);
        let shown = self.for_viewer(Viewer::Seat(seat));
        let legal =
            shown.lifecycle.referee().filter(|_| decision_id.is_some()).map(|referee| referee.legal_actions(seat));
        let actions = legal.map_or_else(Vec::new, |legal| shown.actions(&legal, seat, typed));
        v1::ListLegalActionsResponse { decision_id, actions }
    }
}

/// Returns the number of the decision that the player of a seat has to make; None after a forfeit, when a stand-in decides.
pub(crate) fn owed_decision(referee: &Referee, seat: Seat) -> Option<u32> {
    referee.decision(seat).filter(|_| referee.owes(seat))
}
