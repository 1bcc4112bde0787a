//! The debugging of a match: the answers of the agent at a seat as a stream, and the pace of the match.

use std::convert::Infallible;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use prost::bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Web;
use super::answer::Answer;
use super::failure::Failure;
use super::match_page::{Look, viewer};
use super::seat::token_in;
use crate::service::error;
use crate::service::limiter::Caller;
use crate::service::limits::DEFAULT_HEARTBEAT;
use crate::service::matches::{Asked, DebugReader, Debugged, Pace, ToldAnswer};

/// The debugging of a match, as the author of an agent sees it.
#[derive(Serialize)]
struct Told {
    pausing: bool,
    answers: Vec<ToldLine>,
}

/// An answer of the agent.
#[derive(Serialize)]
struct ToldLine {
    decision: u32,
    text: String,
    /// The reason why it was refused.
    refused: Option<String>,
    took_ms: u64,
}

/// The content of a request that changes the pace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    pace: Wanted,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    Step,
    Run,
    Pause,
}

/// Returns the token of the seat in whose place the request looks.
fn token_of(look: &Look, headers: &HeaderMap) -> Result<String, Failure> {
    match viewer(&look.viewer)? {
        Asked::Seat(seat) => Ok(token_in(headers, seat).ok_or_else(error::no_token)?),
        Asked::Public | Asked::All => Err(Failure::bad("as: expected the number of a seat, got none")),
    }
}

/// Begins a stream: the state now, and after each change.
pub(super) async fn stream(
    State(web): State<Web>,
    Path(id): Path<String>,
    asked: Result<Query<Look>, QueryRejection>,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
) -> Answer {
    let token = token_of(&asked?.0, &headers)?;
    let caller = caller.map(|Extension(caller)| caller).unwrap_or_default();
    let reader = web.matches.watch_debugging(&id, &token, &caller).await?;
    let messages = stream::unfold(Some(reader), async |reader: Option<DebugReader>| {
        let mut reader = reader?;
        Some(match reader.next().await {
            Ok(Some(state)) => (Ok::<_, Infallible>(event("state", &Told::of(state))), Some(reader)),
            Ok(None) => (Ok(event("end", &())), None),
            Err(error) => (Ok(Event::default().event("failure").data(Failure::from(error).body())), None),
        })
    });
    Ok(Sse::new(messages).keep_alive(KeepAlive::new().interval(DEFAULT_HEARTBEAT)).into_response())
}

/// Changes the pace of a match.
pub(super) async fn set_pace(
    State(web): State<Web>,
    Path(id): Path<String>,
    asked: Result<Query<Look>, QueryRejection>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let token = token_of(&asked?.0, &headers)?;
    let expected = "expected {\"pace\": \"step\"}, \"run\", or \"pause\"";
    let change: Change = serde_json::from_slice(&body).map_err(|error| Failure::bad(format!("{expected}: {error}")))?;
    let pace = match change.pace {
        Wanted::Step => Pace::Step,
        Wanted::Run => Pace::Run,
        Wanted::Pause => Pace::Pause,
    };
    web.matches.set_pace(&id, &token, pace).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn event(name: &str, content: &impl Serialize) -> Event {
    let content = serde_json::to_string(content).expect("our types have no keys but texts");
    Event::default().event(name).data(content)
}

impl Told {
    fn of(state: Debugged) -> Self {
        let line = |ToldAnswer { decision, text, refused, took_ms }| ToldLine { decision, text, refused, took_ms };
        Self { pausing: state.is_pausing, answers: state.answers.into_iter().map(line).collect() }
    }
}
