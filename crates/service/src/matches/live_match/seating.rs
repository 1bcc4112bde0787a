//! The seats of a hosted match: who takes them, and the tokens by which their calls are recognised.

#[cfg(feature = "mcp")]
use std::sync::Arc;

use ahu_core::{Seat, hex};
use ahu_host::MatchTime;
use ahu_host::api::ApiError;
use ahu_host::record::check_new_name;
use sha2::{Digest as _, Sha256};

use super::{LiveMatch, LiveState, PresentCall};
use crate::accounts::Client;
use crate::reservation::{Joiner, Reservation};
use crate::secrets::{Digest, TokenHash};
use crate::{lock, refusals};

/// Returns the name of a player that asks for this name.
pub(crate) fn player_name(name: &str) -> Result<&str, ApiError> {
    let name = if name.is_empty() { "agent" } else { name };
    check_new_name(name).map_err(refusals::bad_name)?;
    Ok(name)
}

impl LiveMatch {
    /// Gives a seat to an agent: this seat, or the lowest open one. Returns the seat and its token.
    pub fn join(&self, seat: Option<u32>, name: &str) -> Result<(Seat, String), ApiError> {
        self.join_by(seat, &Joiner { name: player_name(name)?, code: None, request: None, player: None })
    }

    /// Gives a seat to a player, as [`Self::join`] does, whose name is valid. The same request gets the same seat again.
    pub(crate) fn join_by(&self, seat: Option<u32>, joiner: &Joiner<'_>) -> Result<(Seat, String), ApiError> {
        let request = joiner.request.map(|request| request.id);
        let asked = seat.map(|seat| self.seat(Some(seat))).transpose()?;
        let taken = self.transact(self.now(), |state| {
            if let Some(taken) = state.taken().find(|taken| request.is_some() && taken.request == request) {
                return Ok((taken.seat, self.token(taken.seat, request.as_ref())));
            }
            if let Some(ending) = state.ending().filter(|_| state.referee().is_none()) {
                return Err(ApiError::ended(&ending, &self.id));
            }
            let seat = state.seat_for(asked, joiner)?;
            let token = self.token(seat, request.as_ref());
            let hash = TokenHash::of(&token);
            state.seat_agent(seat, joiner, hash);
            lock(&self.payers).push(self.context.limiter.admit_seat(hash.0, joiner.player));
            state.start_if_full();
            state.play_quick_bots();
            tracing::debug!(match_id = &*self.id, seat = seat.index(), name = joiner.name, "seat joined");
            Ok((seat, token))
        });
        taken.at_once()
    }

    /// Does the work of a call with the token of a seat, as [`Self::answer`] does. The seat is present from now on.
    pub(crate) async fn answer_seat<T>(
        &self,
        (seat, token): (Seat, TokenHash),
        arrived: MatchTime,
        act: impl FnOnce(&mut LiveState) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let answer = self.answer(arrived, |state| {
            state.authorize(seat, token)?;
            self.context.limiter.admit_seat(token.0, state.player(seat));
            state.seat(seat).presence.note_call(state.now);
            act(state)
        });
        answer.await
    }

    /// Begins a call that waits with the token of a seat. The seat is present until the returned value is dropped.
    pub(crate) fn enter(&self, seat: Seat, token: TokenHash) -> Result<PresentCall, ApiError> {
        let state = lock(&self.state);
        self.refuse_if_dropped()?;
        state.authorize(seat, token)?;
        self.context.limiter.admit_seat(token.0, state.player(seat));
        Ok(state.seat(seat).presence.enter(&self.context.clock))
    }

    /// Returns the seat that a token belongs to. Refuses the player of the seat if its key is not valid any more.
    pub(crate) fn seat_of(&self, token: TokenHash) -> Result<Seat, ApiError> {
        let found = self.look(|state| state.seat_of(token).map(|seat| (seat, state.player(seat))));
        let (seat, player) = found.ok_or_else(|| refusals::SEAT.wrong())?;
        if let (Some(player), Some((accounts, _))) = (player, self.context.accounts.get()) {
            accounts.admit(player)?;
        }
        Ok(seat)
    }

    /// Returns the value that is kept for the seat with this token until the match ends. Returns None for the token of no seat,
    /// and after the end.
    #[cfg(feature = "mcp")]
    pub(crate) fn attached<T: Default + Send + Sync + 'static>(&self, token: TokenHash) -> Option<Arc<T>> {
        let seat = self.look(|state| state.seat_of(token))?;
        let mut attached = lock(&self.attached);
        // The end drops the values once it has set the stage.
        let value = (!self.has_ended()).then(|| attached.entry(seat).or_insert_with(|| Arc::<T>::default()))?;
        Arc::clone(value).downcast().ok()
    }

    /// Notes that a call with the token of a seat counts for the player of the seat: see [`Client::note_seat`].
    pub(crate) fn note_player(&self, seat: Seat, token: TokenHash, client: &Client) -> Result<(), ApiError> {
        let player = self.look(|state| state.authorize(seat, token).map(|()| state.player(seat)))?;
        client.note_seat(player)
    }

    /// Returns the invitation code that opens a reserved seat, as its digest; None for other seats.
    pub(crate) fn invitation(&self, seat: Seat) -> Option<Digest> {
        match self.facts.reservation(seat)? {
            Reservation::Code(code) => Some(*code),
            Reservation::Name(_) => None,
        }
    }

    /// Returns true if a call with the token of a seat ever began.
    pub fn has_called(&self, seat: Seat) -> bool {
        self.look(|state| state.seat(seat).presence.has_called())
    }

    /// Returns true if a player may take this seat; without a seat, true if the player may take any.
    pub(crate) fn is_open_to(&self, seat: Option<u32>, joiner: &Joiner<'_>) -> bool {
        let state = lock(&self.state);
        let asked = seat.map(|seat| self.seats().get(seat as usize));
        state.is_open() && asked != Some(None) && state.seat_for(asked.flatten(), joiner).is_ok()
    }

    /// Returns the token of a seat that an agent took; None for any other seat. A host that continues a match after a restart
    /// gives it to the player, or to a new process of the player, without a second join.
    pub fn token_of(&self, seat: Seat) -> Option<String> {
        let state = lock(&self.state);
        let agent = state.seat(seat).taken()?;
        let token = self.token(seat, agent.request.as_ref());
        // An earlier release drew random tokens for requests without an id.
        (TokenHash::of(&token).0 == agent.token).then_some(token)
    }

    /// Returns the token of a seat. It is a function of the seat and the request, since a seat is taken once.
    fn token(&self, seat: Seat, request: Option<&Digest>) -> String {
        self.secret(seat.index() as u8, request.map_or(b"", Digest::as_slice))
    }

    /// Returns the token of the creator. No seat has the number 255, so no seat has the same token.
    pub(crate) fn owner_token(&self) -> String {
        self.secret(u8::MAX, b"owner")
    }

    /// Returns the token of the holder with this number, 128 bits. Nobody can derive it without the key of the server.
    fn secret(&self, holder: u8, request: &[u8]) -> String {
        let secret = Sha256::new()
            .chain_update(self.context.token_key)
            .chain_update(self.id.as_bytes())
            .chain_update([holder])
            .chain_update(request);
        hex(&secret.finalize()[..16])
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    #[cfg(feature = "mcp")]
    use std::sync::Mutex;

    use super::*;
    use crate::admission::Principal;
    use crate::limits::{Limits, MAX_IDLE_PRINCIPALS};
    use crate::matches::{MatchConfig, Matches};

    #[test]
    fn a_seat_pays_for_its_calls_until_its_match_has_ended() {
        let (matches, _workers) = Matches::stepped(Limits::default(), None);
        let setup = ahu_host::find("rappanui").expect("we have it").configure(2, &[]).expect("the defaults are valid");
        let live = matches.host(MatchConfig::new(setup)).expect("there is room");
        let (_, token) = live.join(None, "agent").expect("a seat is open");
        // Each new principal may push out those that use nothing.
        let remembers_after = |first: u32| {
            for n in first..first + 3 * MAX_IDLE_PRINCIPALS as u32 {
                drop(matches.limiter().ledger(Principal::at(Some(IpAddr::V4(n.into())))));
            }
            matches.limiter().find(Principal::Seat(TokenHash::of(&token).0)).is_some()
        };
        assert!(remembers_after(1 << 16));
        live.cancel("rain").expect("it goes on");
        assert!(!remembers_after(1 << 20), "no more than the matches in progress need stays in memory");
    }

    #[cfg(feature = "mcp")]
    #[test]
    fn a_value_is_kept_for_the_token_of_a_seat_until_the_match_ends() {
        let (matches, _workers) = Matches::stepped(Limits::default(), None);
        let setup = ahu_host::find("rappanui").expect("we have it").configure(2, &[]).expect("the defaults are valid");
        let live = matches.host(MatchConfig::new(setup)).expect("there is room");
        let (_, token) = live.join(None, "agent").expect("a seat is open");
        let token = TokenHash::of(&token);
        for stranger in ["", "token", &live.owner_token()] {
            assert!(live.attached::<Mutex<u8>>(TokenHash::of(stranger)).is_none(), "{stranger}");
        }
        assert!(lock(&live.attached).is_empty(), "nothing is kept for strangers");

        let value = live.attached::<Mutex<u8>>(token).expect("it is the token of a seat");
        *lock(&value) = 7;
        let again = live.attached::<Mutex<u8>>(token).expect("it is the token of a seat");
        assert_eq!((*lock(&again), lock(&live.attached).len()), (7, 1));
        live.cancel("rain").expect("it goes on");
        assert!(live.attached::<Mutex<u8>>(token).is_none() && lock(&live.attached).is_empty());
        drop(again);
        assert_eq!(Arc::strong_count(&value), 1, "the match has dropped it");
    }
}
