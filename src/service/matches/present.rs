//! Messages for a seat: its observation in the requested formats, its legal actions, and records.

use prost::bytes::Bytes;

use super::live::LiveMatch;
use super::progress::Progress;
use crate::proto::v1;
use crate::service::course::Course;
use crate::service::error;
use crate::service::limits::MAX_ANSWER_EVENTS;
use ahu_engine::core::{ActionSet, Seat, Viewer};
use ahu_engine::host::api::{ApiError, convert, terms};
use ahu_engine::host::{Referee, event_lines, event_log};

/// Refuses formats that ask for events after one that the viewer has not been told.
pub(super) fn check_formats(
    progress: &Progress,
    viewer: Viewer,
    formats: v1::ObservationFormats,
) -> Result<(), ApiError> {
    let after = |referee| events_after(referee, viewer, formats.events_after, EVENTS_AFTER).map(drop);
    progress.referee().map_or(Ok(()), after)
}

/// Returns the observation of a viewer at this point of the course of the match, in the requested formats.
pub(super) fn observation(
    live: &LiveMatch,
    course: &Course,
    viewer: Viewer,
    formats: v1::ObservationFormats,
) -> Result<v1::Observation, ApiError> {
    let seat = match viewer {
        Viewer::Seat(seat) => Some(seat),
        Viewer::Public => None,
    };
    let mut observation = v1::Observation {
        match_id: live.id.to_string(),
        seat: seat.map(|seat| seat.index() as u32),
        state: course.state().into(),
        end_reason: course.end_reason(),
        ..Default::default()
    };
    let Some(referee) = course.referee() else { return Ok(observation) };
    observation.seats_to_act = convert::seats(referee.to_act());
    observation.forfeited_seats = convert::seats(referee.forfeited());
    observation.forfeits = terms::forfeits(&referee.forfeits());
    observation.clocks = terms::seat_clocks(&referee.banks(viewer));
    let owed = seat.and_then(|seat| Some((seat, owed_decision(referee, seat)?)));
    observation.decision = owed.map(|(seat, id)| decision(live, referee, id, seat, formats));
    if formats.tensor || formats.text || formats.typed {
        let view = referee.view(viewer);
        observation.tensor = formats.tensor.then(|| convert::tensor(live.rules(), &*view));
        observation.text = if formats.text { view.text() } else { String::new() };
        observation.typed = formats.typed.then(|| view.message());
    }
    observation.event_count = referee.event_count(viewer) as u32;
    if let Some(after) = events_after(referee, viewer, formats.events_after, EVENTS_AFTER)? {
        let event = referee.events_after(viewer, after, MAX_ANSWER_EVENTS).into_iter();
        let events = event.map(|(number, event)| v1::Event {
            number: number as u32,
            text: event.event.text_for(viewer).unwrap_or_default(),
            typed: if formats.typed { event.event.message_for(viewer) } else { None },
        });
        observation.events = events.collect();
    }
    observation.result = live.result(referee);
    Ok(observation)
}

/// Returns the observation of the player of a seat: the same, without a decision for which the player is not asked yet.
pub(super) fn player_observation(
    live: &LiveMatch,
    course: &Course,
    seat: Seat,
    formats: v1::ObservationFormats,
) -> Result<v1::Observation, ApiError> {
    let mut observation = observation(live, course, Viewer::Seat(seat), formats)?;
    if !course.referee().is_some_and(|referee| live.asks(referee, seat)) {
        observation.decision = None;
    }
    Ok(observation)
}

/// Returns the legal actions of a seat, one by one; nothing if the seat has no decision.
pub(super) fn legal_actions(
    live: &LiveMatch,
    progress: &Progress,
    seat: Seat,
    typed: bool,
) -> v1::ListLegalActionsResponse {
    let asking = progress.referee().filter(|referee| live.asks(referee, seat));
    let decision = asking.and_then(|referee| Some((referee, owed_decision(referee, seat)?)));
    let response = decision.map(|(referee, decision_id)| v1::ListLegalActionsResponse {
        decision_id: Some(decision_id),
        actions: actions(live, &referee.legal_actions(seat), seat, typed),
    });
    response.unwrap_or_default()
}

/// Returns the record of a match that has ended; before the end, and with `after`, the events that `viewer` was told.
pub(super) fn record(
    live: &LiveMatch,
    course: &Course,
    viewer: Viewer,
    format: v1::RecordFormat,
    after: Option<u32>,
) -> Result<v1::GetRecordResponse, ApiError> {
    let Some(referee) = course.referee() else {
        return Err(match course.ending() {
            Some(ending) => ApiError::ended(&ending, &live.id),
            None => error::not_started(&live.id),
        });
    };
    let after = events_after(referee, viewer, after, "after")?;
    let complete = referee.is_over() && !live.is_sealed() && after.is_none();
    let is_binary = format == v1::RecordFormat::Binary;
    let record = match (complete, is_binary, after) {
        (true, false, _) => referee.record().to_text().into(),
        (true, true, _) => referee.record().to_bytes().into(),
        (false, true, _) => return Err(error::only_text()),
        (false, false, Some(after)) => event_lines(referee, viewer, after).into(),
        (false, false, None) => event_log(referee, viewer).into(),
    };
    let event_count = referee.event_count(viewer) as u32;
    Ok(v1::GetRecordResponse { record, complete, event_count, state: course.state().into() })
}

/// Returns the number of the decision that the player of a seat has to make. A stand-in makes those of a seat that has
/// forfeited.
fn owed_decision(referee: &Referee, seat: Seat) -> Option<u32> {
    referee.decision(seat).filter(|_| referee.owes(seat))
}

fn decision(
    live: &LiveMatch,
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
        legal_actions: if formats.legal_actions { actions(live, legal, seat, formats.typed) } else { Vec::new() },
        time_left: referee.time_left(seat, live.now()).map(terms::duration),
    }
}

fn actions(live: &LiveMatch, legal: &ActionSet, seat: Seat, typed: bool) -> Vec<v1::Action> {
    legal.iter().filter_map(|id| convert::action(live.rules(), id, seat, live.seats(), typed)).collect()
}

/// The field of an observation's formats that asks for events.
const EVENTS_AFTER: &str = "formats.events_after";

/// Returns the number of the event after which the viewer asks for events; None if it does not ask for events. `field` is
/// the field that asks.
fn events_after(
    referee: &Referee,
    viewer: Viewer,
    after: Option<u32>,
    field: &'static str,
) -> Result<Option<usize>, ApiError> {
    let count = referee.event_count(viewer);
    match after {
        Some(after) if after as usize > count => Err(error::no_such_event(field, after, count)),
        after => Ok(after.map(|after| after as usize)),
    }
}
