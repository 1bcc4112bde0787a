//! The handlers of the calls for matches. Each reads the fields of its request, and does its work in one transaction of the
//! match.
//!
//! A token names its seat, so requests need no seat. Without a seat and a token, `Observe` and `WatchMatch` show the public
//! view. A token that is wrong or cannot be read is refused; it never shows less than the caller expects.

mod listing;
mod match_service;
mod organiser;
mod paging;
mod request_fields;
mod web_page;

use std::sync::Arc;

use tonic::metadata::MetadataMap;

pub(crate) use self::organiser::Organiser;
pub(super) use self::request_fields::duration;
pub(crate) use self::paging::Paging;
pub(crate) use self::request_fields::Arrived;
pub(crate) use self::web_page::{MatchDescription, PageMatch, PageViewer};
use super::live_match::PresentCall;
use super::{LiveMatch, Matches};
use crate::service::refusals;
use crate::service::secrets::TokenHash;
use ahu_engine::core::{Seat, Viewer};
use ahu_engine::host::api::ApiError;

/// The match, the seat, and the token of a call for a seat.
type SeatCall = Result<(Arc<LiveMatch>, Seat, TokenHash), ApiError>;
/// The match and the viewer of a call. The third part keeps the seat of the viewer present.
type ViewerCall = Result<(Arc<LiveMatch>, Viewer, Option<PresentCall>), ApiError>;

impl Matches {
    pub(crate) fn refuse_if_closing(&self) -> Result<(), ApiError> {
        if *self.closing().borrow() { Err(refusals::closing()) } else { Ok(()) }
    }

    /// Returns the match, the seat, and the token of a call for a seat. If the request names no seat, the token does.
    async fn seat_call(&self, match_id: &str, seat: Option<u32>, metadata: &MetadataMap) -> SeatCall {
        let live = self.find(match_id).await?;
        let named = seat.map(|seat| live.seat(Some(seat))).transpose()?;
        let token = refusals::SEAT.brought(metadata)?;
        let seat = named.map_or_else(|| live.seat_of(token), Ok)?;
        Ok((live, seat, token))
    }

    /// Begins a call of a viewer: its seat is present until the returned value is dropped. A call with neither a seat nor a
    /// token comes from the public, which a sealed match refuses.
    pub(crate) async fn viewer_call(&self, match_id: &str, seat: Option<u32>, metadata: &MetadataMap) -> ViewerCall {
        if seat.is_some() || metadata.contains_key("authorization") {
            let (live, seat, token) = self.seat_call(match_id, seat, metadata).await?;
            let call = live.enter(seat, token)?;
            return Ok((live, Viewer::Seat(seat), Some(call)));
        }
        let live = self.find(match_id).await?;
        live.refuse_if_sealed()?;
        Ok((live, Viewer::Public, None))
    }

    /// Returns true if a call brings the key of the organiser.
    fn is_from_organiser(&self, metadata: &MetadataMap) -> bool {
        let key = TokenHash::in_headers(metadata.as_ref());
        key.is_some_and(|key| self.organiser.get() == Some(&key))
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
