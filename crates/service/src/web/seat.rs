//! The tokens of seats in a browser: cookies that scripts cannot read, and that browsers do not send from other sites.

use ahu_core::{MAX_SEATS, Seat};
use axum::extract::{Path, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use prost::bytes::Bytes;
use serde::Deserialize;

use super::SharedServer;
use super::answer::{Answer, Failure};
use super::sessions::cookie_in;
use crate::secrets::TokenHash;

/// The content of the request that brings a token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Brought {
    token: String,
}

/// Returns the token of this seat that a browser has for the match of its request.
pub(super) fn token_in(headers: &HeaderMap, seat: Seat) -> Option<String> {
    cookie_in(headers, &cookie(seat)).map(str::to_owned)
}

fn cookie(seat: Seat) -> String {
    format!("ahu-seat-{}", seat.index())
}

/// Returns the header that sets the cookie of a seat of this match. Over TLS, the browser sends it over TLS alone.
fn cookie_header(server: &SharedServer, id: &str, seat: Seat, token: &str, end: &str) -> Result<HeaderValue, Failure> {
    let end = if server.certificate.is_some() { format!("{end} Secure;") } else { end.to_owned() };
    let text = format!("{}={token}; Path=/api/matches/{id};{end} HttpOnly; SameSite=Strict", cookie(seat));
    HeaderValue::from_str(&text).map_err(|_| Failure::bad("expected the id of a match"))
}

/// Adds the header that gives the browser the token of a seat of this match.
pub(super) fn give(
    server: &SharedServer,
    headers: &mut HeaderMap,
    id: &str,
    seat: Seat,
    token: &str,
) -> Result<(), Failure> {
    headers.append(SET_COOKIE, cookie_header(server, id, seat, token, "")?);
    Ok(())
}

/// Gives the browser a cookie with the token of a seat.
pub(super) async fn remember(State(server): State<SharedServer>, Path(id): Path<String>, body: Bytes) -> Answer {
    let Brought { token } = serde_json::from_slice(&body)
        .map_err(|error| Failure::bad(format!("expected {{\"token\": \"...\"}}: {error}")))?;
    let seat = server.matches.find(&id).await?.seat_of(TokenHash::of(&token))?;
    // The token belongs to a seat, so it has only hexadecimal digits, and the match exists under this id.
    let mut headers = HeaderMap::new();
    give(&server, &mut headers, &id, seat, &token)?;
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}

/// Takes the cookies of all seats of a match from the browser.
pub(super) async fn forget(State(server): State<SharedServer>, Path(id): Path<String>) -> Answer {
    server.matches.find(&id).await?.answer(server.matches.now(), |_| Ok(())).await?;
    let mut headers = HeaderMap::new();
    for seat in (0..MAX_SEATS).filter_map(Seat::new) {
        headers.append(SET_COOKIE, cookie_header(&server, &id, seat, "", " Max-Age=0;")?);
    }
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}
