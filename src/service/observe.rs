//! What a match looks like from outside: to everybody, and to a seat, in the forms that are asked for.

use super::convert;
use super::error::ApiError;
use super::limits::MAX_ANSWER_EVENTS;
use super::live_match::{LiveMatch, Progress, SeatOccupant};
use crate::core::{ActionSet, Seat, Viewer};
use crate::host::{MatchResult, Referee};
use crate::proto::v1;

impl LiveMatch {
    /// The match, as everybody may see it; and on how many entries that rests.
    pub(super) fn describe(&self) -> (v1::Match, usize) {
        self.look(|progress| self.description(progress))
    }

    fn description(&self, progress: &Progress) -> v1::Match {
        v1::Match {
            match_id: self.id.to_string(),
            game: self.rules().info().id.to_owned(),
            rules_version: self.rules().info().rules,
            options: self.setup.options.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
            seats: progress.occupants().iter().enumerate().map(|(seat, occupant)| seat_info(seat, occupant)).collect(),
            state: state(progress).into(),
            seed_commitment: self.commitment.to_vec().into(),
            specification: self.specification.clone(),
            seed_given: self.seed_given,
            strikes: self.conduct.strikes.map(|strikes| strikes.get().into()),
            create_time: Some(self.created.into()),
            result: progress.referee().and_then(|referee| self.result(referee)),
        }
    }

    fn result(&self, referee: &Referee) -> Option<v1::MatchResult> {
        let MatchResult { scores, ranks, forfeited } = referee.result()?;
        Some(v1::MatchResult {
            scores: convert::list(&scores, |score| score),
            ranks: convert::list(&ranks, u32::from),
            forfeited_seats: convert::seats(forfeited),
            seed: Some(self.seed.0),
            salt: self.salt.to_vec().into(),
            fingerprint: referee.fingerprint().0.to_vec().into(),
        })
    }

    /// What the seat knows, in the forms that are wanted; and on how many entries that rests.
    pub(super) fn observe(
        &self,
        seat: Seat,
        formats: v1::ObservationFormats,
    ) -> (Result<v1::Observation, ApiError>, usize) {
        self.look(|progress| {
            let mut observation = v1::Observation {
                match_id: self.id.to_string(),
                seat: Some(seat.index() as u32),
                state: state(progress).into(),
                ..Default::default()
            };
            if let Some(referee) = progress.referee() {
                self.tell(referee, seat, formats, &mut observation)?;
            }
            Ok(observation)
        })
    }

    /// Refuses forms that ask for what is not there, so that a step can be refused before it is carried out.
    pub(super) fn check(&self, seat: Seat, formats: v1::ObservationFormats) -> (Result<(), ApiError>, usize) {
        self.look(|progress| {
            progress.referee().map_or(Ok(()), |referee| events_after(referee, seat, formats).map(drop))
        })
    }

    /// How far it is.
    pub(super) fn state(&self) -> v1::MatchState {
        self.look(state).0
    }

    fn tell(
        &self,
        referee: &Referee,
        seat: Seat,
        formats: v1::ObservationFormats,
        observation: &mut v1::Observation,
    ) -> Result<(), ApiError> {
        let viewer = Viewer::Seat(seat);
        observation.seats_to_act = convert::seats(referee.to_act());
        observation.forfeited_seats = convert::seats(referee.forfeited());
        observation.decision =
            referee.decision(seat).map(|id| self.decision(id, &referee.legal_actions(seat), seat, formats));
        if formats.tensor || formats.text || formats.typed {
            let view = referee.view(viewer);
            observation.tensor = formats.tensor.then(|| convert::tensor(self.rules(), &*view));
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
        observation.result = self.result(referee);
        Ok(())
    }

    fn decision(
        &self,
        decision_id: u32,
        legal: &ActionSet,
        seat: Seat,
        formats: v1::ObservationFormats,
    ) -> v1::Decision {
        v1::Decision {
            decision_id,
            legal_ids: if formats.legal_ids { legal.iter().map(|id| id.0.into()).collect() } else { Vec::new() },
            mask: if formats.mask { convert::mask(legal) } else { prost::bytes::Bytes::new() },
            legal_actions: if formats.legal_actions { self.actions(legal, seat, formats.typed) } else { Vec::new() },
        }
    }

    /// The legal actions of a seat one by one.
    pub(super) fn actions(&self, legal: &ActionSet, seat: Seat, typed: bool) -> Vec<v1::Action> {
        legal.iter().filter_map(|id| convert::action(self.rules(), id, seat, self.setup.seats, typed)).collect()
    }
}

/// After which event the seat asks for those that follow, if it does: one that it was told.
fn events_after(referee: &Referee, seat: Seat, formats: v1::ObservationFormats) -> Result<Option<usize>, ApiError> {
    let count = referee.event_count(Viewer::Seat(seat));
    match formats.events_after {
        Some(after) if after as usize > count => Err(ApiError::no_such_event(after, count)),
        after => Ok(after.map(|after| after as usize)),
    }
}

fn state(progress: &Progress) -> v1::MatchState {
    match progress.referee().map(|referee| referee.result().is_some()) {
        None => v1::MatchState::Seating,
        Some(false) => v1::MatchState::Running,
        Some(true) => v1::MatchState::Finished,
    }
}

fn seat_info(seat: usize, occupant: &SeatOccupant) -> v1::SeatInfo {
    let state = match occupant {
        SeatOccupant::Open => v1::SeatState::Open,
        SeatOccupant::Agent { .. } => v1::SeatState::Joined,
        SeatOccupant::Bot { .. } => v1::SeatState::Bot,
    };
    v1::SeatInfo { seat: Some(seat as u32), state: state.into(), name: occupant.name().to_owned() }
}
