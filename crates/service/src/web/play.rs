//! Playing in a browser: new matches, and seats behind invitations.
//!
//! A new match reserves the seats of people by invitation codes, also the seat of the person who makes it. So everybody takes
//! a seat in the same way: with a code that nobody else can guess, and that opens one seat once.

use std::collections::BTreeMap;

use ahu_core::{MAX_SEATS, OptionKind, Seat, hex};
use ahu_host::api::{ApiError, terms};
use ahu_host::{TimeControl, find};
use axum::extract::{Path, State};
use axum::http::{Extensions, HeaderMap};
use axum::response::IntoResponse as _;
use prost::bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tonic::Request;

use super::SharedServer;
use super::answer::{Answer, Failure, json};
use super::seat;
use crate::proto::v1::match_service_server::MatchService as _;
use crate::proto::v1::{self, join_match_request, reservation};
use crate::secrets::random_bytes;

/// The players of seats in a new match that are no bots.
const ME: &str = "me";
const FRIEND: &str = "friend";
const OPEN: &str = "open";

/// The content of the request for a new match.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewMatch {
    game: String,
    /// The player of each seat: `me`, `friend`, `open`, or the name of a bot.
    seats: Vec<String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The time control of everybody but bots, as `ahu play --tc` reads it; empty for none.
    #[serde(default)]
    clock: String,
}

/// The content of the request for a seat.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taken {
    seat: u32,
    code: String,
    name: String,
    /// The id that makes it safe to ask again.
    request_id: String,
}

/// Reads the content of a request. `expected` is an example.
pub(super) fn read<T: DeserializeOwned>(body: &[u8], expected: &str) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::bad(format!("expected {expected}: {error}")))
}

/// Returns a call of `MatchService` with what the request of a browser brought, and with the token of a seat.
pub(super) fn call<T>(message: T, extensions: &Extensions, token: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().clone_from(extensions);
    if let Some(value) = token.and_then(|token| format!("Bearer {token}").parse().ok()) {
        request.metadata_mut().insert("authorization", value);
    }
    request
}

/// Answers with what a person chooses for a new match of a game: its options and its bots.
pub(super) async fn choices(Path(game): Path<String>) -> Answer {
    let rules = find(&game).map_err(ApiError::from)?;
    let options = rules.options().into_iter().map(|option| {
        let values: Vec<String> = match option.kind {
            OptionKind::Flag => vec!["false".to_owned(), "true".to_owned()],
            OptionKind::Choice(words) => words.iter().map(|&word| word.to_owned()).collect(),
            OptionKind::Number { min, max } => (min..=max).map(|number| number.to_string()).collect(),
        };
        json!({"key": option.key, "values": values, "defaults": option.defaults, "meaning": option.meaning})
    });
    let options: Vec<_> = options.collect();
    let bots: Vec<_> = rules.bots().into_iter().map(|(name, about)| json!({"name": name, "about": about})).collect();
    json(&json!({"options": options, "bots": bots}))
}

/// Creates a match, and answers with its id and the invitation codes of the seats of people.
pub(super) async fn create(State(server): State<SharedServer>, extensions: Extensions, body: Bytes) -> Answer {
    let NewMatch { game, seats, options, clock } =
        read(&body, "{\"game\": \"rappanui\", \"seats\": [\"me\", \"greedy\"]}")?;
    if seats.len() > MAX_SEATS {
        return Err(Failure::bad(format!("seats: expected at most {MAX_SEATS} players, got {}", seats.len())));
    }
    let control = Some(clock).filter(|clock| !clock.is_empty()).map(|clock| clock.parse::<TimeControl>());
    let control = control.transpose().map_err(|error| Failure::bad(format!("clock: {error}")))?;
    let (mut bots, mut reservations, mut invitations) = (Vec::new(), Vec::new(), Vec::new());
    let seat_count = seats.len() as u32;
    for (seat, player) in (0..).zip(seats) {
        if [ME, FRIEND].contains(&&*player) {
            let code = hex(&random_bytes::<16>());
            let condition = Some(reservation::Condition::InvitationCode(code.clone()));
            reservations.push(v1::Reservation { seat: Some(seat), condition });
            invitations.push(json!({"seat": seat, "player": player, "code": code}));
        } else if player != OPEN {
            bots.push(v1::BotSeat { seat: Some(seat), bot: player });
        }
    }
    let time_control = control.as_ref().map(terms::time_control);
    let spec = v1::MatchSpec { game, seat_count, options, bots, time_control, reservations, ..Default::default() };
    let asked = v1::CreateMatchRequest { spec: Some(spec), request_id: String::new() };
    let created = server.matches.create_match(call(asked, &extensions, None)).await?.into_inner();
    json(&json!({"id": created.r#match.unwrap_or_default().match_id, "invitations": invitations}))
}

/// Takes a seat with an invitation code, and gives the browser the cookie of the seat.
pub(super) async fn join(
    State(server): State<SharedServer>,
    Path(id): Path<String>,
    extensions: Extensions,
    body: Bytes,
) -> Answer {
    let expected = "{\"seat\": 0, \"code\": \"...\", \"name\": \"guest\", \"request_id\": \"...\"}";
    let Taken { seat, code, name, request_id } = read(&body, expected)?;
    let target = Some(join_match_request::Target::MatchId(id));
    let asked = v1::JoinMatchRequest { target, seat: Some(seat), name, request_id, invitation_code: code };
    let joined = server.matches.join_match(call(asked, &extensions, None)).await?.into_inner();
    let v1::AssignedSeat { match_id, seat, seat_token, .. } = joined.assigned.unwrap_or_default();
    let seat = seat.and_then(|seat| Seat::new(seat as usize)).ok_or_else(crate::refusals::failed)?;
    let mut headers = HeaderMap::new();
    seat::give(&server, &mut headers, &match_id, seat, &seat_token)?;
    Ok((headers, json(&json!({"seat": seat.index()}))?).into_response())
}
