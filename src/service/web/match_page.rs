//! One match: its description, its events, and its boards.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::IntoResponse as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Web;
use super::answer::{Answer, json};
use super::failure::Failure;
use super::lobby::Line;
use super::position;
use super::seat::token_in;
use crate::service::matches::{Asked, Described, PageMatch};
use ahu_engine::core::{Seat, hex};

/// The viewer and the point of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Look {
    /// `public`, the number of a seat, or `all`; empty for the public.
    #[serde(rename = "as")]
    pub(super) viewer: String,
    /// The number of an event.
    pub(super) after: Option<u32>,
}

/// Returns the viewer with this name.
pub(super) fn viewer(name: &str) -> Result<Asked, Failure> {
    match name {
        "" | "public" => Ok(Asked::Public),
        "all" => Ok(Asked::All),
        number => {
            let seat = number.parse().ok().and_then(Seat::new);
            let message = || format!("as: expected public, all, or the number of a seat, got {number:?}");
            Ok(Asked::Seat(seat.ok_or_else(|| Failure::bad(message()))?))
        }
    }
}

/// Returns the match for the viewer of the request.
pub(super) async fn asked_match(web: &Web, id: &str, look: &Look, headers: &HeaderMap) -> Result<PageMatch, Failure> {
    let token = |seat| token_in(headers, seat);
    Ok(web.matches.page_match(id, viewer(&look.viewer)?, token).await?)
}

/// The description of a match.
#[derive(Debug, Serialize)]
struct Description {
    #[serde(flatten)]
    line: Line,
    options: Value,
    commitment: String,
    seed: Option<String>,
    sealed: bool,
    delay: u32,
    time_control: Option<String>,
    may_watch: Vec<String>,
    debugged: bool,
}

/// Answers with the description of a match.
pub(super) async fn describe(State(web): State<Web>, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    let Described { description, is_sealed, has_ended, time_control, is_debugged } = web.matches.describe(&id).await?;
    let mut may_watch = Vec::new();
    if !is_sealed {
        may_watch.push("public".to_owned());
    }
    for number in 0..description.seats.len() {
        let seat = Seat::new(number).expect("a match has few seats");
        let is_own = match token_in(&headers, seat) {
            Some(token) => web.matches.seat_with(&id, &token).await.is_ok_and(|own| own == seat),
            None => false,
        };
        if is_own || (has_ended && !is_sealed) {
            may_watch.push(number.to_string());
        }
    }
    if has_ended && !is_sealed {
        may_watch.push("all".to_owned());
    }
    json(&Description {
        options: json!(description.options),
        commitment: hex(&description.seed_commitment),
        seed: description.result.as_ref().and_then(|result| result.seed).map(|seed| seed.to_string()),
        sealed: is_sealed,
        delay: description.spectator_delay,
        time_control,
        may_watch,
        debugged: is_debugged,
        line: Line::of(description),
    })
}

/// Answers with the position directly after an event.
pub(super) async fn board(
    State(web): State<Web>,
    Path(id): Path<String>,
    asked: Result<Query<Look>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let Query(look) = asked?;
    let after = look.after.ok_or_else(|| Failure::bad("after: expected the number of an event, got none"))?;
    let message = asked_match(&web, &id, &look, &headers).await?.at(after).await?;
    let body = position::of_message(&message).concat();
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response())
}

/// Answers with all events that the viewer was told.
pub(super) async fn log(
    State(web): State<Web>,
    Path(id): Path<String>,
    asked: Result<Query<Look>, QueryRejection>,
    headers: HeaderMap,
) -> Answer {
    let Query(look) = asked?;
    let events = asked_match(&web, &id, &look, &headers).await?.events().await?;
    json(&json!({"events": position::event_lines(events, 0)}))
}
