//! One match: its description, its events, and its boards.

use ahu_core::{Seat, hex};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{Answer, json, typed};
use super::ask::Ask;
use super::lobby::Line;
use super::replay::replayed;
use super::seat::token_in;
use super::{Web, position};
use crate::web::page_match::MatchDescription;

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
    let MatchDescription { description, is_sealed, has_ended, time_control, is_debugged } =
        web.matches.describe(&id).await?;
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
pub(super) async fn board(ask: Ask<false>) -> Answer {
    let message = ask.found().await?.at(ask.needed_point()?).await?;
    Ok(typed("application/json", position::of_message(&message).concat()))
}

/// Answers with all events that the viewer was told, and the scores from the beginning on.
pub(super) async fn log(ask: Ask<false>) -> Answer {
    let found = ask.found().await?;
    let horizon = found.kept().await?;
    let folded = found.clone();
    let scores = replayed(&ask.web, move || Ok(folded.scores(horizon))).await?;
    let scores: Vec<_> = scores.iter().map(|(number, scores)| (number, position::by_seat(scores))).collect();
    json(&json!({"events": position::event_lines(found.events().await?, 0), "scores": scores}))
}
