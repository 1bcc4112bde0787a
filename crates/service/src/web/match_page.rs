//! One match: its description, its events, and its boards.

use std::collections::BTreeSet;
use std::sync::Arc;

use ahu_core::{BySeat, Seat, Viewer, hex};
use ahu_host::{Referee, TimeControl};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{Answer, Failure, json, typed};
use super::ask::{Ask, PageMatch};
use super::lobby::Line;
use super::replay::replayed;
use super::seat::token_in;
use super::{SharedServer, events, position};
use crate::lifecycle::Lifecycle;
use crate::limits::Share;
use crate::matches::LiveMatch;
use crate::matches::live_match::Horizon;
use crate::matches::watching::message_at;
use crate::refusals;
use crate::secrets::TokenHash;

/// The description of a match.
#[derive(Debug, Serialize)]
struct Description {
    #[serde(flatten)]
    line: Line,
    options: Value,
    commitment: String,
    /// The result in sentences, once there is one that everybody may see.
    verdict: Option<String>,
    seed: Option<String>,
    sealed: bool,
    delay: u32,
    time_control: Option<String>,
    may_watch: Vec<String>,
    debugged: bool,
}

/// Answers with the description of a match.
pub(super) async fn describe(State(server): State<SharedServer>, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    let live = server.matches.find(&id).await?;
    let description = live.answer(server.matches.now(), |state| Ok(state.description())).await?;
    let clocks: BTreeSet<String> = live.facts.head.terms.clocks.iter().map(TimeControl::to_string).collect();
    let time_control = clocks.into_iter().filter(|clock| !clock.is_empty()).collect::<Vec<_>>().join(" or ");
    let (is_sealed, has_ended) = (live.facts.is_sealed(), live.has_ended());
    let mut may_watch = Vec::new();
    if !is_sealed {
        may_watch.push("public".to_owned());
    }
    for number in 0..description.seats.len() {
        let seat = Seat::new(number).expect("a match has few seats");
        let own = token_in(&headers, seat).and_then(|token| live.seat_of(TokenHash::of(&token)).ok());
        if own == Some(seat) || (has_ended && !is_sealed) {
            may_watch.push(number.to_string());
        }
    }
    if has_ended && !is_sealed {
        may_watch.push("all".to_owned());
    }
    json(&Description {
        options: json!(description.options),
        commitment: hex(&description.seed_commitment),
        verdict: if has_ended && !is_sealed { live.with_referee(Referee::verdict).flatten() } else { None },
        seed: description.result.as_ref().map(|result| result.seed.clone()).filter(|seed| !seed.is_empty()),
        sealed: is_sealed,
        delay: description.spectator_delay,
        time_control: Some(time_control).filter(|clock| !clock.is_empty()),
        may_watch,
        debugged: live.look(|state| state.debugging().is_some()),
        line: Line::of(description),
    })
}

/// Answers with the position directly after an event, or with the present one.
pub(super) async fn board(ask: Ask<false>) -> Answer {
    let PageMatch { live, view } = ask.found().await?;
    let Some(after) = ask.point else {
        // Many lobbies ask for the present.
        let share = ask.client.lease(&[(Share::Watchers, 1)])?;
        let message = ask.server.matches.present(live, view, share).await?;
        let parts = events::written(&ask.server, message, position::of_message).await?;
        return Ok(events::whole(&ask.headers, &parts));
    };
    live.horizon().kept().await?;
    let draw = move || Ok::<_, Failure>(position::text_of(&message_at(&live, &view, after)?));
    let drawn = tokio::task::spawn_blocking(draw).await.map_err(|_| refusals::failed())??;
    Ok(typed("application/json", drawn))
}

/// Answers with all events that the viewer was told, and the scores from the beginning on.
pub(super) async fn log(ask: Ask<false>) -> Answer {
    let PageMatch { live, view } = ask.found().await?;
    let (viewer, horizon, folded) = (view.viewer, live.horizon().kept().await?, Arc::clone(&live));
    let scores = replayed(&ask.server, move || Ok(scores(&folded, viewer, horizon))).await?;
    let scores: Vec<_> = scores.iter().map(|(number, scores)| (number, position::by_seat(scores))).collect();
    live.horizon().kept().await?;
    let events = live.look(|state| state.for_viewer(viewer).events());
    json(&json!({"events": position::event_lines(events, 0), "scores": scores}))
}

/// Returns the scores as a viewer could count them: at the beginning, and after each event by which they had changed, with the
/// number of the event. Blocks the thread while the match is folded.
fn scores(live: &LiveMatch, viewer: Viewer, horizon: Horizon) -> Vec<(usize, BySeat<i32>)> {
    let mut lifecycle = live.rewound();
    let mut scores: Vec<(usize, BySeat<i32>)> = Vec::new();
    let mut note = |lifecycle: &Lifecycle| {
        let Some(referee) = lifecycle.referee() else { return };
        let now = referee.view(viewer).scores();
        if scores.last().is_none_or(|(_, last)| *last != now) {
            scores.push((referee.event_count(viewer), now));
        }
    };
    note(&lifecycle);
    for entry in live.entries(0, horizon.entries(viewer)) {
        lifecycle.follow(&entry);
        note(&lifecycle);
    }
    scores
}
