//! Messages about a match: its public description, and the observation of a seat in the requested formats.

use prost::bytes::Bytes;

use super::live::LiveMatch;
use super::progress::{Progress, SeatOccupant};
use crate::core::{ActionSet, Seat, Viewer};
use crate::host::api::{ApiError, convert, terms};
use crate::host::{MatchResult, Referee, event_log};
use crate::proto::v1;
use crate::service::error;
use crate::service::limits::MAX_ANSWER_EVENTS;

/// Returns the public description of a match.
pub(super) fn description(live: &LiveMatch, progress: &Progress) -> v1::Match {
    let info = live.rules().info();
    v1::Match {
        match_id: live.id.to_string(),
        game: info.id.to_owned(),
        rules_version: info.rules,
        options: convert::options(&*live.head.setup),
        seats: live.seats().iter().map(|seat| seat_info(live, progress, seat)).collect(),
        state: progress.course().state().into(),
        seed_commitment: live.commitment.to_vec().into(),
        specification: live.head.specification.clone(),
        seed_given: live.head.seed_given,
        strikes: live.head.terms.conduct.has_strikes().then(|| live.head.terms.conduct.strikes.get().into()),
        create_time: Some(live.head.created.into()),
        result: progress.referee().and_then(|referee| result(live, referee)),
        time_controls: terms::time_controls(&live.head.terms),
        conduct: Some(terms::conduct(&live.head.terms.conduct)),
        stand_in: live.stand_in().name().to_owned(),
        private: live.head.is_private,
        labels: live.head.labels.clone(),
        end_reason: progress.course().end_reason(),
    }
}

/// Refuses formats that ask for events after one that the seat has not been told.
pub(super) fn check_formats(progress: &Progress, seat: Seat, formats: v1::ObservationFormats) -> Result<(), ApiError> {
    progress.referee().map_or(Ok(()), |referee| events_after(referee, seat, formats).map(drop))
}

/// Returns the observation of a seat, in the requested formats.
pub(super) fn observation(
    live: &LiveMatch,
    progress: &Progress,
    seat: Seat,
    formats: v1::ObservationFormats,
) -> Result<v1::Observation, ApiError> {
    let mut observation = v1::Observation {
        match_id: live.id.to_string(),
        seat: Some(seat.index() as u32),
        state: progress.course().state().into(),
        end_reason: progress.course().end_reason(),
        ..Default::default()
    };
    let Some(referee) = progress.referee() else { return Ok(observation) };
    let viewer = Viewer::Seat(seat);
    observation.seats_to_act = convert::seats(referee.to_act());
    observation.forfeited_seats = convert::seats(referee.forfeited());
    observation.forfeits = terms::forfeits(&referee.forfeits());
    observation.clocks = terms::seat_clocks(&referee.banks(viewer));
    observation.decision = owed_decision(referee, seat).map(|id| decision(live, referee, id, seat, formats));
    if formats.tensor || formats.text || formats.typed {
        let view = referee.view(viewer);
        observation.tensor = formats.tensor.then(|| convert::tensor(live.rules(), &*view));
        observation.text = if formats.text { view.text() } else { String::new() };
        observation.typed = formats.typed.then(|| view.message());
    }
    observation.event_count = referee.event_count(viewer) as u32;
    if let Some(after) = events_after(referee, seat, formats)? {
        let event = referee.events_after(viewer, after, MAX_ANSWER_EVENTS).into_iter();
        let events = event.map(|(number, event)| v1::Event {
            number: number as u32,
            text: event.event.text_for(viewer).unwrap_or_default(),
            typed: if formats.typed { event.event.message_for(viewer) } else { None },
        });
        observation.events = events.collect();
    }
    observation.result = result(live, referee);
    Ok(observation)
}

/// Returns the legal actions of a seat, one by one; nothing if the seat has no decision.
pub(super) fn legal_actions(
    live: &LiveMatch,
    progress: &Progress,
    seat: Seat,
    typed: bool,
) -> v1::ListLegalActionsResponse {
    let decision = progress.referee().and_then(|referee| Some((referee, owed_decision(referee, seat)?)));
    let response = decision.map(|(referee, decision_id)| v1::ListLegalActionsResponse {
        decision_id: Some(decision_id),
        actions: actions(live, &referee.legal_actions(seat), seat, typed),
    });
    response.unwrap_or_default()
}

/// Returns the record of a match that has ended; before the end, the events that `viewer` was told.
pub(super) fn record(
    live: &LiveMatch,
    progress: &Progress,
    viewer: Viewer,
    format: v1::RecordFormat,
) -> Result<v1::GetRecordResponse, ApiError> {
    let Some(referee) = progress.referee() else {
        return Err(match progress.ending() {
            Some(ending) => ApiError::ended(&ending, &live.id),
            None => error::not_started(&live.id),
        });
    };
    let complete = referee.is_over();
    let is_binary = format == v1::RecordFormat::Binary;
    let record = match (complete, is_binary) {
        (true, false) => referee.record().to_text().into(),
        (true, true) => referee.record().to_bytes().into(),
        (false, false) => event_log(referee, viewer).into(),
        (false, true) => return Err(error::not_finished()),
    };
    Ok(v1::GetRecordResponse { record, complete })
}

fn seat_info(live: &LiveMatch, progress: &Progress, seat: Seat) -> v1::SeatInfo {
    let occupant = &progress.occupants()[seat.index()];
    let (state, present) = match occupant {
        SeatOccupant::Open => (v1::SeatState::Open, false),
        SeatOccupant::Agent { .. } => (v1::SeatState::Joined, live.is_present(seat)),
        SeatOccupant::Bot(_) => (v1::SeatState::Bot, false),
    };
    v1::SeatInfo {
        seat: Some(seat.index() as u32),
        state: state.into(),
        name: occupant.name().to_owned(),
        present,
        reserved: progress.reservation(seat).is_some(),
    }
}

fn result(live: &LiveMatch, referee: &Referee) -> Option<v1::MatchResult> {
    let result = referee.result()?;
    let MatchResult { scores, ranks, forfeits } = &result;
    Some(v1::MatchResult {
        scores: convert::list(scores, |score| score),
        ranks: convert::list(ranks, u32::from),
        forfeited_seats: convert::seats(result.forfeited()),
        seed: Some(live.head.seed.0),
        salt: live.head.salt.to_vec().into(),
        fingerprint: referee.fingerprint().0.to_vec().into(),
        forfeits: terms::forfeits(forfeits),
        record_digest: live.record_digest(referee).to_vec().into(),
    })
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

/// Returns the number of the event after which the seat asks for events; None if it does not ask for events.
fn events_after(referee: &Referee, seat: Seat, formats: v1::ObservationFormats) -> Result<Option<usize>, ApiError> {
    let count = referee.event_count(Viewer::Seat(seat));
    match formats.events_after {
        Some(after) if after as usize > count => Err(error::no_such_event(after, count)),
        after => Ok(after.map(|after| after as usize)),
    }
}
