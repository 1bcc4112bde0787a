//! The handlers of all calls of gRPC, a file for each service. A handler of a match reads the fields of its request, and
//! does its work in one transaction of the match.
//!
//! A token names its seat, so requests need no seat. Without a seat and a token, `Observe` and `WatchMatch` show the public
//! view. A token that is wrong or cannot be read is refused; it never shows less than the caller expects.

mod catalog_service;
mod cup_service;
mod environment_service;
mod ladder_games;
mod listing;
mod match_service;
mod organiser_service;
mod paging;
mod request_fields;

use std::sync::Arc;
use std::time::Duration;

use ahu_core::{Seat, Viewer};
use ahu_host::api::ApiError;
use ahu_host::record::parse_digest;
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Request};

pub(crate) use self::catalog_service::Catalog;
pub(crate) use self::cup_service::{CupTable, agent, cup, described, tables};
pub use self::environment_service::Environments;
pub(crate) use self::paging::Paging;
use crate::accounts::{Client, Scope};
use crate::admission::KEY;
use crate::matches::live_match::PresentCall;
use crate::matches::{LiveMatch, Matches, Seats};
use crate::organiser::{Organiser, OwnedCup};
use crate::refusals;
use crate::secrets::TokenHash;

/// The result of a handler, or of the reading of a field: a value, or an error of the API.
type Handled<T> = Result<T, ApiError>;

/// The match, the seat, and the token of a call for a seat.
type SeatCall = Handled<(Arc<LiveMatch>, Seat, TokenHash)>;
/// The match and the viewer of a call. The third part keeps the seat of the viewer present.
type ViewerCall = Handled<(Arc<LiveMatch>, Viewer, Option<PresentCall>)>;

/// The metadata of a call, and its client.
pub(crate) struct Head {
    metadata: MetadataMap,
    pub(crate) extensions: Extensions,
    client: Client,
}

impl Head {
    /// Returns the head and the content of a call.
    pub(crate) fn of<T>(asked: Request<T>) -> (Self, T) {
        let (metadata, extensions, content) = asked.into_parts();
        let client = Client::of(&extensions);
        (Self { metadata, extensions, client }, content)
    }

    /// Returns true if the call brings a bearer token that is not the key of an account.
    fn has_token(&self) -> bool {
        let is_key = || !self.metadata.contains_key(KEY) && self.client.identity().is_some();
        self.metadata.contains_key("authorization") && !is_key()
    }
}

impl Matches {
    /// Returns the seats of the agent with this key, or of an agent that the account of the call has entered.
    async fn seats_of(&self, key: TokenHash, client: &Client, agent: &str, wait: Duration) -> Handled<Arc<Seats>> {
        match (self.seat_queues.find(key, self.now()), client.identity()) {
            (Err(unknown), Some(identity)) => {
                let found = self.wait(self.seat_queues.of_account(identity.account.id, agent, wait)).await;
                found.map_err(|error| if self.seat_queues.awaits_organiser(self.now()) { unknown } else { error })
            }
            (found, _) => found,
        }
    }

    pub(crate) fn refuse_if_closing(&self) -> Result<(), ApiError> {
        if *self.closing().borrow() { Err(refusals::closing()) } else { Ok(()) }
    }

    /// Returns the match, the seat, and the token of a call for a seat. If the request names no seat, the token does.
    /// The call counts for the account that took the seat.
    async fn seat_call(&self, match_id: &str, seat: Option<u32>, head: &Head) -> SeatCall {
        let live = self.find(match_id).await?;
        let named = seat.map(|seat| live.seat(Some(seat))).transpose()?;
        let token = refusals::SEAT.brought(&head.metadata)?;
        let seat = named.map_or_else(|| live.seat_of(token), Ok)?;
        if head.client.has_accounts() {
            live.note_player(seat, token, &head.client)?;
        }
        Ok((live, seat, token))
    }

    /// Begins a call of a viewer: its seat is present until the returned value is dropped. The public brings no token, and a
    /// sealed match refuses it.
    async fn viewer_call(&self, match_id: &str, (seat, is_public): (Option<u32>, bool), head: &Head) -> ViewerCall {
        if !is_public {
            let (live, seat, token) = self.seat_call(match_id, seat, head).await?;
            let call = live.enter(seat, token)?;
            return Ok((live, Viewer::Seat(seat), Some(call)));
        }
        if let Some(seat) = seat {
            return Err(ApiError::bad_field("seat", format!("expected no seat with `public_view`, got {seat}")));
        }
        let live = self.find(match_id).await?;
        live.refuse_if_sealed()?;
        Ok((live, Viewer::Public, None))
    }

    /// Refuses a token that does not open the description of a match: it belongs to no seat of the match, and to no agent of a
    /// cup that plays in it. A server without accounts shows everybody all descriptions.
    fn check_reader(&self, live: &LiveMatch, head: &Head) -> Handled<()> {
        if !(head.client.has_accounts() && head.has_token()) || self.organises(live, head) {
            return Ok(());
        }
        let token = refusals::SEAT.brought(&head.metadata)?;
        match self.seat_queues.find(token, self.now()) {
            Ok(seats) if seats.plays(&live.id) => Ok(()),
            _ => live.note_player(live.seat_of(token)?, token, &head.client),
        }
    }

    /// Returns true if a call comes from the organiser of the cup to which a match belongs.
    fn organises(&self, live: &LiveMatch, head: &Head) -> bool {
        let Some(OwnedCup { organiser, .. }) = live.facts.head.cup else { return false };
        match (organiser, head.client.identity()) {
            (Organiser::Account(id), Some(identity)) => head.client.has(Scope::Organise) && identity.account.id == id,
            (Organiser::Account(_), None) => false,
            (Organiser::OfOperator, _) => {
                TokenHash::in_headers(head.metadata.as_ref()).is_some_and(|key| self.knows_organiser(key))
            }
        }
    }

    /// Waits for a match. The call ends with an error if the server shuts down.
    pub(crate) async fn wait<T>(&self, waiting: impl Future<Output = Result<T, ApiError>>) -> Result<T, ApiError> {
        let mut closing = self.closing();
        tokio::select! {
            // A match that is ready is shown even while the server shuts down.
            biased;
            waited = waiting => waited,
            _ = closing.wait_for(|&closing| closing) => Err(refusals::closing()),
        }
    }
}

/// Returns an id that a client sent, as the audit has it: a match, or the beginning of the digest of a journal.
fn shown(id: &str) -> String {
    match parse_digest(id) {
        Ok(_) => id.chars().take(8).collect(),
        Err(_) if id.is_empty() => String::new(),
        Err(_) => refusals::shown_match(id).to_owned(),
    }
}
