//! The stream of a match as server-sent events. The id of each event is the number of the viewer's last event.

use std::convert::Infallible;
use std::sync::Arc;

use ahu_host::api::ApiError;
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, future, stream};
use prost::bytes::Bytes;

use super::answer::{Answer, Failure, typed};
use super::ask::{Ask, PageMatch};
use super::{SharedServer, position};
use crate::compressed::{self, Part};
use crate::limits::{DEFAULT_HEARTBEAT, Share};
use crate::matches::Message;
use crate::refusals;

/// The header with which a browser goes on after a cut.
const LAST_EVENT_ID: &str = "last-event-id";

/// An event that scripts see, unlike a comment, so that silence is a failure.
const HEARTBEAT: Bytes = Bytes::from_static(b"event: heartbeat\ndata: {}\n\n");

/// The header by which a proxy sends events on at once.
const NO_BUFFERING: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// The header by which no cache mixes up encodings.
const VARIES: (HeaderName, HeaderValue) = (VARY, HeaderValue::from_static("accept-encoding"));

/// The parts of one event of a stream.
pub(super) type Parts = Vec<Part>;

/// Returns the heartbeat as the parts of an event.
pub(super) fn heartbeat() -> Parts {
    vec![Part::own(HEARTBEAT)]
}

/// Begins a stream. A browser that was cut off goes on after the last event that it had.
pub(super) async fn stream(ask: Ask<false>) -> Answer {
    let after = match ask.headers.get(LAST_EVENT_ID) {
        None => ask.point,
        Some(last) => {
            let number = last.to_str().ok().and_then(|last| last.parse().ok());
            let message = || format!("Last-Event-ID: expected the number of an event, got {last:?}");
            Some(number.ok_or_else(|| Failure::bad(message()))?)
        }
    };
    let PageMatch { live, view } = ask.found().await?;
    ask.server.matches.refuse_if_closing()?;
    let share = ask.client.lease(&[(Share::Watchers, 1)])?;
    // A page beside the agent of a seat does not count as its presence.
    let messages = ask.server.matches.messages(live, view, after, DEFAULT_HEARTBEAT, (share, None)).await?;
    let server = ask.server;
    let events = messages.and_then(move |message| {
        let server = Arc::clone(&server);
        async move { written(&server, message, of_message).await }
    });
    Ok(answer(&ask.headers, events))
}

/// Writes a message, in the background if it is still to be drawn.
pub(super) async fn written<T: Send + 'static>(
    server: &SharedServer,
    message: Message,
    write: impl FnOnce(&Message) -> T + Send + 'static,
) -> Result<T, ApiError> {
    match message.is_unwritten() {
        true => server.matches.background.work(async move { write(&message) }).await.ok_or_else(refusals::failed),
        false => Ok(write(&message)),
    }
}

/// Answers with a whole position, whose first part is compressed once for all.
pub(super) fn whole(headers: &HeaderMap, parts: &[Part; 2]) -> Response {
    let (mut compressed, head) = compressed::Stream::new(headers);
    let encoding = compressed.encoding().map(|encoding| (CONTENT_ENCODING, encoding));
    let mut body = head.to_vec();
    for part in parts {
        body.extend_from_slice(&compressed.write(part));
    }
    body.extend_from_slice(&compressed.end());
    (AppendHeaders(encoding), [VARIES], typed("application/json", body)).into_response()
}

/// Returns the event that ends a stream with an error.
pub(crate) fn last_event(error: ApiError) -> Bytes {
    format!("event: failure\ndata: {}\n\n", Failure::from(error).body()).into()
}

/// Answers with a stream of events, whose last event tells its end or failure.
pub(super) fn answer(
    headers: &HeaderMap,
    events: impl Stream<Item = Result<Parts, ApiError>> + Send + 'static,
) -> Response {
    let all = events.map_ok(Some).chain(stream::once(future::ready(Ok(None))));
    let written = all.scan(false, |has_failed, event| {
        let has_failed = std::mem::replace(has_failed, event.is_err());
        future::ready((!has_failed).then(|| match event {
            Ok(Some(parts)) => parts,
            Ok(None) => vec![Part::own(Bytes::from_static(b"event: end\ndata: {}\n\n"))],
            Err(error) => vec![Part::own(last_event(error))],
        }))
    });
    let (mut compressed, head) = compressed::Stream::new(headers);
    let encoding = compressed.encoding().map(|encoding| (CONTENT_ENCODING, encoding));
    let parts = written.flat_map(stream::iter).map(Some).chain(stream::once(future::ready(None)));
    let bytes = parts.map(move |part| match part {
        Some(part) => compressed.write(&part),
        None => compressed.end(),
    });
    let all = stream::once(future::ready(head)).chain(bytes).filter(|bytes| future::ready(!bytes.is_empty()));
    let body = Body::from_stream(all.map(Ok::<_, Infallible>));
    (AppendHeaders(encoding), [NO_BUFFERING, VARIES], typed("text/event-stream", body)).into_response()
}

/// Returns a message as an event.
fn of_message(message: &Message) -> Parts {
    if message.response.observation.is_none() {
        return heartbeat();
    }
    let [shared, own] = position::of_message(message);
    let head = format!("id: {}\nevent: position\ndata: ", position::number(message));
    vec![Part::own(head.into()), shared, own, Part::own(Bytes::from_static(b"\n\n"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A browser drops a comment, and an event without data.
    #[test]
    fn a_heartbeat_is_an_event_that_scripts_see() {
        let written: Vec<Bytes> = of_message(&Message::default()).into_iter().map(|part| part.plain).collect();
        assert_eq!(written.concat(), b"event: heartbeat\ndata: {}\n\n");
    }
}
