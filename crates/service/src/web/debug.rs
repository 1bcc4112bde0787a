//! The debugging of a match: the answers of the agent at a seat as a stream, and the command to pause, step, or run.

use std::sync::Arc;

use ahu_core::Seat;
use ahu_host::api::ApiError;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use futures_util::stream;
use prost::bytes::Bytes;
use serde::Deserialize;
use tokio::sync::watch;

use super::answer::{Answer, Failure, text};
use super::ask::{Ask, PageViewer};
use super::events;
use super::seat::token_in;
use crate::admission::Lease;
use crate::compressed::Part;
use crate::limits::{DEFAULT_HEARTBEAT, Share};
use crate::matches::live_match::Debugged;
use crate::matches::{DebugCommand, LiveMatch};
use crate::refusals;
use crate::secrets::TokenHash;

/// The content of a request that pauses, steps, or runs the match.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    pace: DebugCommand,
}

/// Returns the token of the seat in whose place the request looks.
fn token_of(ask: &Ask<false>) -> Result<TokenHash, Failure> {
    match ask.viewer {
        PageViewer::Seat(seat) => {
            Ok(TokenHash::of(&token_in(&ask.headers, seat).ok_or_else(|| refusals::SEAT.missing())?))
        }
        PageViewer::Public | PageViewer::All => Err(Failure::bad("as: expected the number of a seat, got none")),
    }
}

/// Returns the match, which is debugged, and the seat of the author with this token.
async fn found(ask: &Ask<false>, token: TokenHash) -> Result<(Arc<LiveMatch>, Seat), ApiError> {
    let live = ask.server.matches.find(&ask.id).await?;
    let seat = live.seat_of(token)?;
    debugged(&live, seat)?;
    Ok((live, seat))
}

/// Begins a stream: the state now, and after each change.
pub(super) async fn stream(ask: Ask<false>) -> Answer {
    let token = token_of(&ask)?;
    ask.server.matches.refuse_if_closing()?;
    let (live, seat) = found(&ask, token).await?;
    let (mut changes, closing) = (live.changes(), ask.server.matches.closing());
    // The first look returns the present state.
    changes.mark_changed();
    let share = ask.client.lease(&[(Share::Watchers, 1)])?;
    let reader = DebugReader { live, seat, changes, closing, told: None, is_over: false, _share: share };
    Ok(events::answer(
        &ask.headers,
        stream::try_unfold(reader, async |mut reader| {
            let parts = match tokio::time::timeout(DEFAULT_HEARTBEAT, reader.next()).await {
                Err(_) => events::heartbeat(),
                Ok(state) => match state? {
                    Some(state) => vec![Part::own(format!("event: state\ndata: {}\n\n", text(&state)).into())],
                    None => return Ok(None),
                },
            };
            Ok(Some((parts, reader)))
        }),
    ))
}

/// Pauses, steps, or runs a match.
pub(super) async fn set_pace(ask: Ask<false>, body: Bytes) -> Answer {
    let token = token_of(&ask)?;
    let expected = "expected {\"pace\": \"step\"}, \"run\", or \"pause\"";
    let change: Change = serde_json::from_slice(&body).map_err(|error| Failure::bad(format!("{expected}: {error}")))?;
    let (live, seat) = found(&ask, token).await?;
    live.set_pace(change.pace, seat);
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The stream of the debugging of a match, for the author of the agent at one seat.
struct DebugReader {
    live: Arc<LiveMatch>,
    seat: Seat,
    changes: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    /// The state that was told last.
    told: Option<Debugged>,
    /// True once the state at the end was told.
    is_over: bool,
    _share: Lease,
}

impl DebugReader {
    /// Returns the present state on the first call, then the state after each change, and None after the end of the match.
    async fn next(&mut self) -> Result<Option<Debugged>, ApiError> {
        while !self.is_over {
            tokio::select! {
                biased;
                _ = self.closing.wait_for(|&closing| closing) => return Err(refusals::closing()),
                // The match keeps the sender.
                _ = self.changes.changed() => {}
            }
            self.is_over = self.live.has_ended();
            let now = Some(debugged(&self.live, self.seat)?);
            if self.is_over || self.told != now {
                self.told.clone_from(&now);
                return Ok(now);
            }
        }
        Ok(None)
    }
}

/// Returns the debugging of a match, for the author of the agent at a seat.
fn debugged(live: &LiveMatch, seat: Seat) -> Result<Debugged, ApiError> {
    let message = || format!("expected a match of `ahu play --web`, got {}, which nobody debugs", live.id);
    live.debugged(seat).ok_or_else(|| ApiError::bad_field("match_id", message()))
}
