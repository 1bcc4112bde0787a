//! The public description of a hosted match, and its size in memory.

use std::time::SystemTime;

use ahu_core::Seat;
use ahu_host::Referee;
use ahu_host::api::{convert, terms};

use super::{LiveState, SeatOccupant};
use crate::matches::live_match::LiveMatch;
use crate::proto::v1;
use crate::store::MatchHead;

impl LiveState {
    /// Gives back the memory that a match does not need after its end.
    pub(crate) fn shrink(&mut self) {
        self.delayed = None;
        if let Some(referee) = self.lifecycle.referee_mut() {
            referee.shrink();
        }
    }

    /// Returns the memory that the match takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of::<LiveMatch>() + self.referee().map_or(0, Referee::size) + self.comments.size()
    }

    /// Returns the public description.
    pub(crate) fn description(&self) -> v1::Match {
        let MatchHead { setup, terms, .. } = &*self.facts.head;
        let info = setup.rules().info();
        v1::Match {
            match_id: self.facts.head.id.to_string(),
            game: info.id.to_owned(),
            rules_version: info.rules,
            options: convert::options(&**setup),
            seats: setup.seats().iter().map(|seat| self.seat_info(seat)).collect(),
            state: self.lifecycle.state().into(),
            seed_commitment: self.facts.commitment.to_vec().into(),
            specification: self.facts.head.specification.clone(),
            seed_given: self.facts.head.seed_given,
            create_time: Some(self.facts.head.created.into()),
            begin_time: self.began().map(Into::into),
            end_time: self.ended.map(Into::into),
            result: self.referee().and_then(|referee| self.facts.result(referee)),
            time_controls: terms::time_controls(terms),
            conduct: Some(terms::conduct(&terms.conduct)),
            stand_in: terms.stand_in_of(setup.rules()).name(),
            ended: self.lifecycle.ending().is_some(),
            unlisted: self.facts.head.is_unlisted,
            labels: self.facts.head.labels.clone(),
            end_reason: self.lifecycle.end_reason(),
            data_files: convert::data_files(&**setup),
            spectator_delay: self.facts.head.spectator_delay,
            distinct_owners: self.facts.head.has_distinct_owners,
        }
    }

    /// Returns the time of day at which the last seat was taken; None while a seat is open.
    fn began(&self) -> Option<SystemTime> {
        self.referee()?;
        Some(self.taken().map(|taken| taken.at).fold(self.facts.head.created, SystemTime::max))
    }

    fn seat_info(&self, seat: Seat) -> v1::SeatInfo {
        let state = self.seat(seat);
        let (kind, present) = match &state.occupant {
            SeatOccupant::Open => (v1::SeatState::Open, false),
            SeatOccupant::Agent(_) => (v1::SeatState::Joined, state.presence.is_present(self.now)),
            SeatOccupant::Bot(_) => (v1::SeatState::Bot, false),
        };
        v1::SeatInfo {
            seat: Some(seat.index() as u32),
            state: kind.into(),
            name: state.occupant.name(),
            present,
            reserved: self.facts.reservation(seat).is_some(),
            player_id: self.player(seat).map_or_else(String::new, |player| player.account.to_string()),
        }
    }
}
