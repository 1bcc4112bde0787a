//! The debugging of a match: the answers of the agent at a seat as a stream, and the command to pause, step, or run.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use futures_util::stream;
use prost::bytes::Bytes;
use serde::Deserialize;

use super::answer::{Answer, Failure, text};
use super::ask::Ask;
use super::events::{self, HEARTBEAT};
use super::seat::token_in;
use crate::limits::DEFAULT_HEARTBEAT;
use crate::matches::DebugCommand;
use crate::refusals;
use crate::web::page_match::PageViewer;

/// The content of a request that pauses, steps, or runs the match.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    pace: DebugCommand,
}

/// Returns the token of the seat in whose place the request looks.
fn token_of(ask: &Ask<false>) -> Result<String, Failure> {
    match ask.viewer {
        PageViewer::Seat(seat) => Ok(token_in(&ask.headers, seat).ok_or_else(|| refusals::SEAT.missing())?),
        PageViewer::Public | PageViewer::All => Err(Failure::bad("as: expected the number of a seat, got none")),
    }
}

/// Begins a stream: the state now, and after each change.
pub(super) async fn stream(ask: Ask<false>) -> Answer {
    let reader = ask.web.matches.watch_debugging(&ask.id, &token_of(&ask)?, &ask.caller).await?;
    Ok(events::answer(stream::try_unfold(reader, async |mut reader| {
        let parts = match tokio::time::timeout(DEFAULT_HEARTBEAT, reader.next()).await {
            Err(_) => vec![HEARTBEAT],
            Ok(state) => match state? {
                Some(state) => vec![format!("event: state\ndata: {}\n\n", text(&state)).into()],
                None => return Ok(None),
            },
        };
        Ok(Some((parts, reader)))
    })))
}

/// Pauses, steps, or runs a match.
pub(super) async fn set_pace(ask: Ask<false>, body: Bytes) -> Answer {
    let token = token_of(&ask)?;
    let expected = "expected {\"pace\": \"step\"}, \"run\", or \"pause\"";
    let change: Change = serde_json::from_slice(&body).map_err(|error| Failure::bad(format!("{expected}: {error}")))?;
    ask.web.matches.set_pace(&ask.id, &token, change.pace).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
