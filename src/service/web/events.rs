//! The stream of a match: server-sent events, of which each has the number of the viewer's last event as its id.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::IntoResponse as _;
use futures_util::{StreamExt as _, stream};
use prost::bytes::Bytes;

use super::Web;
use super::answer::Answer;
use super::failure::Failure;
use super::match_page::{Look, asked_match};
use super::position;
use crate::service::limiter::Caller;
use crate::service::matches::{Message, Reader};

/// The header with which a browser goes on after a cut.
const LAST_EVENT_ID: &str = "last-event-id";

/// The parts of one event of a stream.
type Parts = Vec<Bytes>;

/// Begins a stream. A browser that was cut off goes on after the last event that it had.
pub(super) async fn stream(
    State(web): State<Web>,
    Path(id): Path<String>,
    asked: Result<Query<Look>, QueryRejection>,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
) -> Answer {
    let Query(look) = asked?;
    let after = match headers.get(LAST_EVENT_ID) {
        None => look.after,
        Some(last) => {
            let number = last.to_str().ok().and_then(|last| last.parse().ok());
            let message = || format!("Last-Event-ID: expected the number of an event, got {last:?}");
            Some(number.ok_or_else(|| Failure::bad(message()))?)
        }
    };
    let found = asked_match(&web, &id, &look, &headers).await?;
    let caller = caller.map(|Extension(caller)| caller).unwrap_or_default();
    let reader = web.matches.watch_page(found, after, &caller).await?;
    let messages = stream::unfold(Some(reader), async |reader: Option<Reader>| {
        let mut reader = reader?;
        Some(match reader.next().await {
            Ok(Some(message)) => (of_message(&message), Some(reader)),
            Ok(None) => (vec![Bytes::from_static(b"event: end\ndata: {}\n\n")], None),
            Err(error) => {
                let failure = Failure::from(error).body();
                (vec![format!("event: failure\ndata: {failure}\n\n").into()], None)
            }
        })
    });
    let body = Body::from_stream(messages.flat_map(stream::iter).map(Ok::<_, Infallible>));
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))], body).into_response())
}

/// Returns a message as an event; a heartbeat as a comment.
fn of_message(message: &Message) -> Parts {
    if message.response.observation.is_none() {
        return vec![Bytes::from_static(b":\n\n")];
    }
    let [shared, own] = position::of_message(message);
    let head = format!("id: {}\nevent: position\ndata: ", position::number(message));
    vec![head.into(), shared, own, Bytes::from_static(b"\n\n")]
}
