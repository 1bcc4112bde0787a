//! A seat that an agent has to play.

use std::sync::Arc;

use ahu_core::Seat;

use crate::matches::LiveMatch;
use crate::proto::v1;

/// A seat that an agent has to play.
#[derive(Clone, Debug)]
pub struct AssignedSeat {
    /// The match.
    pub live: Arc<LiveMatch>,
    /// The seat, which the agent has joined.
    pub seat: Seat,
    /// The token of the seat.
    pub token: String,
    /// The seed of the agent's own random choices in this match, if the host gives one.
    pub agent_seed: Option<u64>,
}

impl AssignedSeat {
    /// Returns the message for the agent.
    pub(crate) fn message(&self) -> v1::AssignedSeat {
        let Self { live, seat, token, agent_seed } = self;
        v1::AssignedSeat {
            match_id: live.id.to_string(),
            seat: Some(seat.index() as u32),
            seat_token: token.clone(),
            agent_seed: *agent_seed,
        }
    }

    /// Returns true if the match has ended, or the seat has forfeited.
    pub(crate) fn is_played(&self) -> bool {
        self.live.has_ended() || self.live.with_referee(|referee| referee.forfeits()[self.seat].is_some()) == Some(true)
    }
}
