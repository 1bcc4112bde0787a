//! The account of a person in a browser: signing in with a key, own keys, own matches.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::Extension;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use prost::bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Web;
use super::answer::{Answer, Failure, json};
use super::lobby::Line;
use super::sessions::COOKIE_NAME;
use crate::accounts::{Client, Key, KeyText};
use crate::limits::SESSION_TIME;
use crate::refusals;

/// The content of the request that signs in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Brought {
    key: String,
}

/// Begins a session with a key, and gives the browser its cookie.
pub(super) async fn sign_in(
    State(web): State<Web>,
    client: Option<Extension<Client>>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    // An error of the reader would repeat a part of the key.
    let brought = serde_json::from_slice(&body).map_err(|_| Failure::bad("expected {\"key\": \"...\"}"));
    let Brought { key } = brought?;
    let accounts = web.matches.accounts().ok_or_else(refusals::bad_key)?;
    let identity = accounts.identify(key.trim()).inspect_err(|_| {
        if let Some(origin) = client.and_then(|Extension(client)| client.origin()) {
            web.matches.audit().note_refused_key(KeyText::id_in(key.trim()), origin);
        }
    })?;
    web.sessions.end(&headers);
    let id = web.sessions.begin(identity.player());
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie(&web, &id, SESSION_TIME.as_secs()))]).into_response())
}

/// Ends the session, and takes the cookie from the browser.
pub(super) async fn sign_out(State(web): State<Web>, headers: HeaderMap) -> Answer {
    web.sessions.end(&headers);
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie(&web, "", 0))]).into_response())
}

/// Returns the header that sets the cookie of a session for this time, in seconds.
fn cookie(web: &Web, id: &str, seconds: u64) -> HeaderValue {
    let secure = if web.is_secure { " Secure;" } else { "" };
    let text = format!("{COOKIE_NAME}={id}; Path=/api; Max-Age={seconds};{secure} HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&text).expect("an id has hexadecimal digits")
}

/// Answers with the account of the session, its keys, and its matches. Without a session, only tells whether the server needs
/// one.
pub(super) async fn show(State(web): State<Web>, client: Option<Extension<Client>>) -> Answer {
    let client = client.map(|Extension(client)| client).unwrap_or_default();
    let (Some(identity), Some(accounts)) = (client.identity(), web.matches.accounts()) else {
        let has_accounts = web.matches.accounts().is_some_and(|accounts| !accounts.is_empty());
        return json(&json!({"signed_in": false, "required": web.requires_key, "has_accounts": has_accounts}));
    };
    let account = &identity.account;
    let matches = web.matches.matches_of(account.id).await?;
    json(&json!({
        "signed_in": true,
        "required": web.requires_key,
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
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    json!({
        "id": key.id, "label": key.label, "scopes": key.scopes, "valid": key.is_valid(SystemTime::now()),
        "created": seconds(key.created), "expires": key.expires.map(seconds),
    })
}
