//! The handlers of the calls for matches: each reads the fields of its request, and does its work in one transaction of the match.

mod listing;
mod match_service;
mod organiser;
mod request_fields;
mod web_page;

use std::sync::Arc;

use tonic::metadata::MetadataMap;

pub(in crate::service) use self::organiser::Organiser;
pub(super) use self::request_fields::duration;
pub(in crate::service) use self::request_fields::{Arrived, page};
pub(in crate::service) use self::web_page::{MatchDescription, PageMatch, PageViewer};
use super::Matches;
use super::live_match::{LiveMatch, PresentCall};
use crate::service::refusals;
use crate::service::secrets::TokenHash;
use ahu_engine::core::{Seat, Viewer};
use ahu_engine::host::api::ApiError;

impl Matches {
    pub(in crate::service::matches) fn refuse_if_closing(&self) -> Result<(), ApiError> {
        if *self.closing().borrow() { Err(refusals::closing()) } else { Ok(()) }
    }

    /// Returns the match, the seat, and the token of a call for a seat. Without a seat in the request, it is that of the
    /// token.
    async fn seat_call(
        &self,
        match_id: &str,
        seat: Option<u32>,
        metadata: &MetadataMap,
    ) -> Result<(Arc<LiveMatch>, Seat, TokenHash), ApiError> {
        let live = self.find(match_id).await?;
        let named = seat.map(|seat| live.seat(Some(seat))).transpose()?;
        let token = TokenHash::in_headers(metadata.as_ref()).ok_or_else(|| refusals::SEAT.missing())?;
        let seat = named.map_or_else(|| live.seat_of(token), Ok)?;
        Ok((live, seat, token))
    }

    /// Begins a call of a viewer: its seat is present until the returned value is dropped. A call with neither a seat nor a
    /// token comes from the public, which a sealed match refuses.
    pub(in crate::service::matches) async fn viewer_call(
        &self,
        match_id: &str,
        seat: Option<u32>,
        metadata: &MetadataMap,
    ) -> Result<(Arc<LiveMatch>, Viewer, Option<PresentCall>), ApiError> {
        if seat.is_some() || metadata.contains_key("authorization") {
            let (live, seat, token) = self.seat_call(match_id, seat, metadata).await?;
            let call = live.enter(seat, token)?;
            return Ok((live, Viewer::Seat(seat), Some(call)));
        }
        let live = self.find(match_id).await?;
        live.refuse_if_sealed()?;
        Ok((live, Viewer::Public, None))
    }

    /// Waits for a part of a match. The call ends with an error if the server shuts down.
    pub(in crate::service::matches) async fn wait(
        &self,
        waiting: impl Future<Output = Result<(), ApiError>>,
    ) -> Result<(), ApiError> {
        let mut closing = self.closing();
        tokio::select! {
            // A match that is ready is shown even while the server shuts down.
            biased;
            waited = waiting => waited,
            _ = closing.wait_for(|&closing| closing) => Err(refusals::closing()),
        }
    }
}
