//! The seats of a hosted match: who takes them, and whose calls are answered.

use sha2::{Digest as _, Sha256};

use super::LiveMatch;
use crate::service::digest::Digest;
use crate::service::error;
use crate::service::lock::lock;
use crate::service::matches::joiner::Joiner;
use crate::service::matches::presence::PresentCall;
use crate::service::matches::progress::{Progress, TokenHash};
use ahu_engine::core::{Seat, hex};
use ahu_engine::host::MatchTime;
use ahu_engine::host::api::ApiError;
use ahu_engine::host::record::check_new_name;

/// Returns the name of a player that asks for this name.
pub(in crate::service::matches) fn player_name(name: &str) -> Result<&str, ApiError> {
    let name = if name.is_empty() { "agent" } else { name };
    check_new_name(name).map_err(error::bad_name)?;
    Ok(name)
}

impl LiveMatch {
    /// Gives a seat to an agent: this seat, or the lowest open one. Returns the seat and its token.
    pub fn join(&self, seat: Option<u32>, name: &str) -> Result<(Seat, String), ApiError> {
        self.join_by(seat, &Joiner { name: player_name(name)?, code: None, request: None })
    }

    /// Does the same as [`Self::join`], for a player with a valid name. The same request gets the same seat again.
    pub(in crate::service::matches) fn join_by(
        &self,
        seat: Option<u32>,
        joiner: &Joiner<'_>,
    ) -> Result<(Seat, String), ApiError> {
        let request = joiner.request.map(|request| request.id);
        let asked = seat.map(|seat| self.seat(Some(seat))).transpose()?;
        let taken = self.transact(self.now(), |progress| {
            if let Some(taken) = progress.taken().find(|taken| request.is_some() && taken.request == request) {
                return Ok((taken.seat, self.token(taken.seat, request.as_ref())));
            }
            if let Some(ending) = progress.ending().filter(|_| progress.referee().is_none()) {
                return Err(ApiError::ended(&ending, &self.id));
            }
            let seat = progress.seat_for(asked, joiner)?;
            let token = self.token(seat, request.as_ref());
            let hash = TokenHash::of(&token);
            progress.seat_agent(seat, joiner, hash);
            self.context.limiter.admit_seat(hash.0);
            progress.start_if_full();
            progress.play_quick_bots();
            tracing::debug!(match_id = &*self.id, seat = seat.index(), name = joiner.name, "seat joined");
            Ok((seat, token))
        });
        taken.at_once()
    }

    /// Does the same as [`Self::answer`], for a call with the token of a seat, which is present from now on.
    pub(in crate::service::matches) async fn answer_seat<T>(
        &self,
        (seat, token): (Seat, TokenHash),
        arrived: MatchTime,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let answer = self.answer(arrived, |progress| {
            progress.authorize(seat, token)?;
            self.context.limiter.admit_seat(token.0);
            progress.seat(seat).presence.note_call(progress.now);
            act(progress)
        });
        answer.await
    }

    /// Begins a call that waits with the token of a seat, which is present until the returned value is dropped.
    pub(in crate::service::matches) fn enter(&self, seat: Seat, token: TokenHash) -> Result<PresentCall, ApiError> {
        let progress = lock(&self.progress);
        self.refuse_if_dropped()?;
        progress.authorize(seat, token)?;
        self.context.limiter.admit_seat(token.0);
        Ok(progress.seat(seat).presence.enter(&self.context.clock))
    }

    /// Returns the seat that a token belongs to.
    pub(in crate::service::matches) fn seat_of(&self, token: TokenHash) -> Result<Seat, ApiError> {
        self.look(|progress| progress.seat_of(token)).ok_or_else(|| error::SEAT.wrong())
    }

    /// Returns true if a call with the token of a seat ever began.
    pub fn has_called(&self, seat: Seat) -> bool {
        self.look(|progress| progress.seat(seat).presence.has_called())
    }

    /// Returns true if a player may take this seat; without a seat, if the player may take any.
    pub(in crate::service::matches) fn is_open_to(&self, seat: Option<u32>, joiner: &Joiner<'_>) -> bool {
        let progress = lock(&self.progress);
        let asked = seat.map(|seat| self.seats().get(seat as usize));
        progress.is_open() && asked != Some(None) && progress.seat_for(asked.flatten(), joiner).is_ok()
    }

    /// Returns the token of a seat that an agent took; None for any other seat. A host that goes on with a match after a
    /// restart gives it to the player, or to a new process of it, without a second join.
    pub fn token_of(&self, seat: Seat) -> Option<String> {
        let progress = lock(&self.progress);
        let agent = progress.seat(seat).taken()?;
        let token = self.token(seat, agent.request.as_ref());
        // An earlier release drew random tokens for requests without an id.
        (TokenHash::of(&token).0 == agent.token).then_some(token)
    }

    /// Returns the token of a seat, which is the same whenever it is asked for. A seat is taken once.
    fn token(&self, seat: Seat, request: Option<&Digest>) -> String {
        self.secret(seat.index() as u8, request.map_or(b"", Digest::as_slice))
    }

    /// Returns the token of the creator, which is the same whenever it is asked for. No seat has the number 255, so no
    /// token of a seat is the same.
    pub(in crate::service::matches) fn owner_token(&self) -> String {
        self.secret(u8::MAX, b"owner")
    }

    /// Returns the token of the holder with this number, which nobody can derive without the key of the server.
    fn secret(&self, holder: u8, request: &[u8]) -> String {
        let secret = Sha256::new()
            .chain_update(self.context.token_key)
            .chain_update(self.id.as_bytes())
            .chain_update([holder])
            .chain_update(request);
        hex(&secret.finalize())
    }
}
