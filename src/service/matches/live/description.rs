//! The public description of a hosted match.

use super::LiveMatch;
use crate::proto::v1;
use crate::service::matches::progress::{Progress, SeatOccupant};
use crate::service::store::MatchHead;
use ahu_engine::core::Seat;
use ahu_engine::host::api::{convert, terms};
use ahu_engine::host::{MatchResult, Referee};

impl LiveMatch {
    /// Returns the public description.
    pub(in crate::service::matches) fn description(&self, progress: &Progress) -> v1::Match {
        let MatchHead { setup, terms, .. } = &*self.head;
        let info = self.rules().info();
        v1::Match {
            match_id: self.id.to_string(),
            game: info.id.to_owned(),
            rules_version: info.rules,
            options: convert::options(&**setup),
            seats: self.seats().iter().map(|seat| self.seat_info(progress, seat)).collect(),
            state: progress.course().state().into(),
            seed_commitment: self.commitment.to_vec().into(),
            specification: self.head.specification.clone(),
            seed_given: self.head.seed_given,
            strikes: terms.conduct.has_strikes().then(|| terms.conduct.strikes.get().into()),
            create_time: Some(self.head.created.into()),
            result: progress.referee().and_then(|referee| self.result(referee)),
            time_controls: terms::time_controls(terms),
            conduct: Some(terms::conduct(&terms.conduct)),
            stand_in: self.stand_in().name(),
            private: self.head.is_private,
            labels: self.head.labels.clone(),
            end_reason: progress.course().end_reason(),
            data_files: convert::data_files(&**setup),
            spectator_delay: self.head.spectator_delay,
        }
    }

    /// Returns the result as a message; None before the end, and for a match without one.
    pub(in crate::service::matches) fn result(&self, referee: &Referee) -> Option<v1::MatchResult> {
        let result = referee.result()?;
        let MatchResult { scores, ranks, forfeits } = &result;
        let message = v1::MatchResult {
            scores: convert::list(scores, |score| score),
            ranks: convert::list(ranks, u32::from),
            forfeited_seats: convert::seats(result.forfeited()),
            forfeits: terms::forfeits(forfeits),
            ..Default::default()
        };
        if self.is_sealed() {
            return Some(message);
        }
        Some(v1::MatchResult {
            seed: Some(self.head.seed.0),
            salt: self.head.salt.to_vec().into(),
            fingerprint: referee.fingerprint().0.to_vec().into(),
            record_digest: self.record_digest(referee).to_vec().into(),
            ..message
        })
    }

    fn seat_info(&self, progress: &Progress, seat: Seat) -> v1::SeatInfo {
        let occupant = &progress.occupants()[seat.index()];
        let (state, present) = match occupant {
            SeatOccupant::Open => (v1::SeatState::Open, false),
            SeatOccupant::Agent { .. } => (v1::SeatState::Joined, self.is_present(seat)),
            SeatOccupant::Bot(_) => (v1::SeatState::Bot, false),
        };
        v1::SeatInfo {
            seat: Some(seat.index() as u32),
            state: state.into(),
            name: occupant.name(),
            present,
            reserved: progress.reservation(seat).is_some(),
        }
    }
}
