//! The account of a person in a browser: signing in with a key, own keys, own matches.

use std::cmp::Reverse;
use std::time::SystemTime;

use ahu_host::api::ApiError;
use axum::Extension;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use prost::Message as _;
use prost::bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SharedServer;
use super::answer::{Answer, Failure, json};
use super::lobby::Line;
use super::sessions::COOKIE_NAME;
use crate::accounts::{AccountId, Client, Key, KeyText, seconds};
use crate::limits::{MAX_LOOKED_AT, MAX_OWN_MATCHES, SESSION_TIME};
use crate::matches::Matches;
use crate::proto::v1;
use crate::refusals;
use crate::store::{Listed, Query};

/// The content of the request that signs in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Brought {
    key: String,
}

/// Begins a session with a key, and gives the browser its cookie.
pub(super) async fn sign_in(
    State(server): State<SharedServer>,
    client: Option<Extension<Client>>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    // An error of the reader would repeat a part of the key.
    let brought = serde_json::from_slice(&body).map_err(|_| Failure::bad("expected {\"key\": \"...\"}"));
    let Brought { key } = brought?;
    let accounts = server.matches.accounts().ok_or_else(refusals::bad_key)?;
    let identity = accounts.identify(key.trim()).inspect_err(|_| {
        if let Some(origin) = client.and_then(|Extension(client)| client.origin()) {
            server.matches.audit().note_refused_key(KeyText::id_in(key.trim()), origin);
        }
    })?;
    server.sessions.end(&headers);
    let id = server.sessions.begin(identity.player());
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie(&server, &id, SESSION_TIME.as_secs()))]).into_response())
}

/// Ends the session, and takes the cookie from the browser.
pub(super) async fn sign_out(State(server): State<SharedServer>, headers: HeaderMap) -> Answer {
    server.sessions.end(&headers);
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie(&server, "", 0))]).into_response())
}

/// Returns the header that sets the cookie of a session for this time, in seconds.
fn cookie(server: &SharedServer, id: &str, seconds: u64) -> HeaderValue {
    let secure = if server.certificate.is_some() { " Secure;" } else { "" };
    let text = format!("{COOKIE_NAME}={id}; Path=/api; Max-Age={seconds};{secure} HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&text).expect("an id has hexadecimal digits")
}

/// Answers with the account of the session, its keys, and its matches. Without a session, only tells whether the server needs
/// one.
pub(super) async fn show(State(server): State<SharedServer>, client: Option<Extension<Client>>) -> Answer {
    let client = client.map(|Extension(client)| client).unwrap_or_default();
    let (Some(identity), Some(accounts)) = (client.identity(), server.matches.accounts()) else {
        let has_accounts = server.matches.accounts().is_some_and(|accounts| !accounts.is_empty());
        return json(&json!({"signed_in": false, "required": server.requires_key, "has_accounts": has_accounts}));
    };
    let account = &identity.account;
    let matches = matches_of(&server.matches, account.id).await?;
    json(&json!({
        "signed_in": true,
        "required": server.requires_key,
        "has_accounts": true,
        "name": account.name,
        "id": account.id,
        "kind": account.kind,
        "scopes": identity.key.scopes,
        "keys": accounts.keys_of(account.id).iter().map(|key| key_line(key)).collect::<Vec<_>>(),
        "matches": matches.into_iter().map(Line::of).collect::<Vec<_>>(),
    }))
}

fn key_line(key: &Key) -> Value {
    json!({
        "id": key.id, "label": key.label, "scopes": key.scopes, "valid": key.is_valid(SystemTime::now()),
        "created": seconds(key.created), "expires": key.expires.map(seconds),
    })
}

/// Returns the latest matches in which an account has a seat, the newest first.
async fn matches_of(matches: &Matches, account: AccountId) -> Result<Vec<v1::Match>, ApiError> {
    let id = account.to_string();
    let is_own = |described: &v1::Match| described.seats.iter().any(|seat| seat.player_id == id);
    let mut found = Vec::new();
    for live in matches.down_from(u64::MAX, MAX_LOOKED_AT) {
        if live.look(|state| state.taken().any(|taken| taken.player.is_some_and(|player| player.account == account))) {
            found.push((live.facts.head.number, live.answer(matches.now(), |state| Ok(state.description())).await?));
        }
    }
    let query = Query { with_unlisted: true, newest_first: true, ..Query::default() };
    let listed = matches.listed(u64::MAX >> 1, query).await?.into_iter().filter_map(|(_, found)| found);
    for Listed { number, id, description, .. } in listed {
        let description = description.and_then(|bytes| v1::Match::decode(&*bytes).ok()).filter(is_own);
        if let Some(description) = description.filter(|_| matches.find_in_memory(&id).is_none()) {
            found.push((number, description));
        }
    }
    found.sort_by_key(|(number, _)| Reverse(*number));
    found.truncate(MAX_OWN_MATCHES);
    Ok(found.into_iter().map(|(_, description)| description).collect())
}
