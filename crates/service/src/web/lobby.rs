//! The server, and the list of its matches.

use std::collections::BTreeMap;
use std::time::SystemTime;

use ahu_host::{GAMES, find};
use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::SharedServer;
use super::answer::{Answer, Failure, json};
use crate::accounts::Client;
use crate::handlers::Paging;
use crate::proto::v1::{self, MatchState};
use crate::store;

/// One match in a list.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    id: String,
    game: String,
    title: &'static str,
    state: String,
    seats: Vec<SeatLine>,
    scores: Option<Vec<i32>>,
    ranks: Option<Vec<u32>>,
    labels: BTreeMap<String, String>,
    end_reason: String,
    age_ms: u64,
}

/// One seat of a match in a list.
#[derive(Debug, Serialize)]
struct SeatLine {
    player: Option<String>,
    state: &'static str,
    present: bool,
}

impl Line {
    /// Returns the line of a match with this description.
    pub(super) fn of(described: v1::Match) -> Self {
        let result = described.result.unwrap_or_default();
        let forfeited = |seat: usize| result.forfeits.iter().any(|forfeit| forfeit.seat == Some(seat as u32));
        let seats = described.seats.into_iter().enumerate().map(|(number, seat)| {
            let state = match seat.state() {
                _ if forfeited(number) => "forfeited",
                v1::SeatState::Bot => "bot",
                v1::SeatState::Joined => "taken",
                v1::SeatState::Open | v1::SeatState::Unspecified => "open",
            };
            let present = seat.present;
            SeatLine { player: Some(seat.name).filter(|name| !name.is_empty()), state, present }
        });
        let created = described.create_time.and_then(|time| SystemTime::try_from(time).ok());
        let age = created.and_then(|created| created.elapsed().ok()).unwrap_or_default();
        Self {
            seats: seats.collect(),
            id: described.match_id,
            title: find(&described.game).map_or("", |rules| rules.info().title),
            game: described.game,
            state: state_name(described.state),
            scores: Some(result.scores).filter(|scores| !scores.is_empty()),
            ranks: Some(result.ranks).filter(|ranks| !ranks.is_empty()),
            labels: described.labels.into_iter().collect(),
            end_reason: described.end_reason,
            age_ms: age.as_millis() as u64,
        }
    }
}

/// Returns the name of a state, such as `running`.
pub(super) fn state_name(state: i32) -> String {
    let state = MatchState::try_from(state).unwrap_or_default();
    state.as_str_name().trim_start_matches("MATCH_STATE_").to_lowercase()
}

/// Answers with the version of the server, its games, its features, and whether the browser has to sign in.
pub(super) async fn server(State(server): State<SharedServer>, client: Option<Extension<Client>>) -> Answer {
    let is_known = client.is_some_and(|Extension(client)| client.identity().is_some());
    let games = GAMES.iter().map(|rules| {
        let (info, seats) = (rules.info(), rules.seats());
        json!({
            "id": info.id, "title": info.title, "credit": info.credit,
            "min_seats": seats.start(), "max_seats": seats.end(),
        })
    });
    json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "durable": server.matches.has_store(),
        "games": games.collect::<Vec<_>>(),
        "has_cups": !server.cups.is_empty(),
        "needs_key": server.requires_key && !is_known,
    }))
}

/// The filter of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Filter {
    state: String,
    game: String,
    /// A label that the matches must have: `key` or `key=value`.
    label: String,
    page: String,
}

/// Answers with a page of the public matches, the newest first.
pub(super) async fn list(State(server): State<SharedServer>, asked: Result<Query<Filter>, QueryRejection>) -> Answer {
    let asked = asked.map_err(|rejection| Failure::bad(rejection.body_text()))?;
    let Query(Filter { state, game, label, page }) = asked;
    let states: &[MatchState] = match state.as_str() {
        "" => &[],
        "open" => &[MatchState::Seating, MatchState::Running],
        "ended" => &[MatchState::Finished, MatchState::Cancelled, MatchState::Void],
        other => return Err(Failure::bad(format!("state: expected open, ended, or nothing, got \"{other}\""))),
    };
    let paging = Paging::read(0, &page, format!("{state} {game} {label}").as_bytes())?;
    let game = Some(game).filter(|game| !game.is_empty());
    let labels = match label.split_once('=') {
        _ if label.is_empty() => Vec::new(),
        Some((key, value)) => vec![(key.to_owned(), Some(value.to_owned()))],
        None => vec![(label, None)],
    };
    let query = store::Query { game, labels, states: states.to_vec(), ..store::Query::default() };
    let (matches, next) = server.matches.list(query, paging).await?;
    let lines: Vec<Line> = matches.into_iter().map(Line::of).collect();
    json(&json!({"matches": lines, "next_page": Some(next).filter(|next| !next.is_empty())}))
}
