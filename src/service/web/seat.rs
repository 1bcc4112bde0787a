//! The tokens of seats in a browser: as cookies that scripts cannot read, and that no other site sends.

use axum::extract::{Path, State};
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use prost::bytes::Bytes;
use serde::Deserialize;

use super::Web;
use super::answer::Answer;
use super::failure::Failure;
use ahu_engine::core::{MAX_SEATS, Seat};

/// The content of the request that brings a token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Brought {
    token: String,
}

/// Returns the token of this seat that a browser has for the match of its request.
pub(super) fn token_in(headers: &HeaderMap, seat: Seat) -> Option<String> {
    let name = cookie(seat);
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(own, _)| *own == name).map(|(_, token)| token.to_owned())
}

fn cookie(seat: Seat) -> String {
    format!("ahu-seat-{}", seat.index())
}

/// Gives the browser a cookie with the token of a seat.
pub(super) async fn remember(State(web): State<Web>, Path(id): Path<String>, body: Bytes) -> Answer {
    let Brought { token } = serde_json::from_slice(&body)
        .map_err(|error| Failure::bad(format!("expected {{\"token\": \"...\"}}: {error}")))?;
    let seat = web.matches.seat_with(&id, &token).await?;
    // The token is that of a seat, so it has only hexadecimal digits, and the match exists under this id.
    let cookie = format!("{}={token}; Path=/api/matches/{id}; HttpOnly; SameSite=Strict", cookie(seat));
    let cookie = HeaderValue::from_str(&cookie).map_err(|_| Failure::bad("expected the id of a match"))?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

/// Takes the cookies of all seats of a match from the browser.
pub(super) async fn forget(State(web): State<Web>, Path(id): Path<String>) -> Answer {
    web.matches.describe(&id).await?;
    let mut headers = HeaderMap::new();
    for seat in (0..MAX_SEATS).filter_map(Seat::new) {
        let cookie = format!("{}=; Path=/api/matches/{id}; Max-Age=0; HttpOnly; SameSite=Strict", cookie(seat));
        headers.append(
            SET_COOKIE,
            HeaderValue::from_str(&cookie).map_err(|_| Failure::bad("expected the id of a match"))?,
        );
    }
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}
