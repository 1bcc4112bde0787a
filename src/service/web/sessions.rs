//! The sessions of people who have signed in with a key: random ids in cookies, kept in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use tokio::time::Instant;

use crate::service::accounts::Player;
use crate::service::limits::{MAX_SESSIONS, SESSION_TIME};
use crate::service::lock;
use crate::service::secrets::{Digest, TokenHash, random_bytes};
use ahu_engine::core::hex;

/// The name of the cookie with the id of a session.
pub(super) const COOKIE_NAME: &str = "ahu-session";

/// The sessions of a server. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sessions(Arc<Mutex<HashMap<Digest, Session>>>);

#[derive(Clone, Copy, Debug)]
struct Session {
    player: Player,
    begin: Instant,
}

impl Sessions {
    /// Begins a session for the owner of a key, and returns its id. Beyond the maximum number, the oldest session ends.
    pub(super) fn begin(&self, player: Player) -> String {
        let (id, now) = (hex(&random_bytes::<32>()), Instant::now());
        let mut sessions = lock(&self.0);
        sessions.retain(|_, session| now - session.begin < SESSION_TIME);
        if sessions.len() >= MAX_SESSIONS
            && let Some(oldest) = sessions.iter().min_by_key(|(_, session)| session.begin).map(|(id, _)| *id)
        {
            sessions.remove(&oldest);
        }
        sessions.insert(TokenHash::of(&id).0, Session { player, begin: now });
        id
    }

    /// Returns the player of the session whose cookie is in these headers. Its key may not be valid any more.
    pub(crate) fn player_of(&self, headers: &HeaderMap) -> Option<Player> {
        let id = id_in(headers)?;
        let session = lock(&self.0).get(&TokenHash::of(id).0).copied()?;
        (session.begin.elapsed() < SESSION_TIME).then_some(session.player)
    }

    /// Ends the session whose cookie is in these headers.
    pub(super) fn end(&self, headers: &HeaderMap) {
        if let Some(id) = id_in(headers) {
            lock(&self.0).remove(&TokenHash::of(id).0);
        }
    }
}

fn id_in(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(name, _)| *name == COOKIE_NAME).map(|(_, id)| id)
}
