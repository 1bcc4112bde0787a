//! The sessions of people who have signed in with a key: random ids in cookies, kept in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ahu_core::hex;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use tokio::time::Instant;

use crate::accounts::Player;
use crate::limits::{MAX_SESSIONS, SESSION_TIME, SESSIONS_OF_ACCOUNT};
use crate::lock;
use crate::secrets::{Digest, TokenHash, random_bytes};

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
    /// Begins a session for the owner of a key, and returns its id. Beyond the maximum number of the account or of
    /// the server, the oldest session of it ends.
    pub(super) fn begin(&self, player: Player) -> String {
        let (id, now) = (hex(&random_bytes::<32>()), Instant::now());
        let mut sessions = lock(&self.0);
        sessions.retain(|_, session| now - session.begin < SESSION_TIME);
        let is_own = |session: &Session| session.player.account == player.account;
        end_oldest(&mut sessions, SESSIONS_OF_ACCOUNT, is_own);
        end_oldest(&mut sessions, MAX_SESSIONS, |_| true);
        sessions.insert(TokenHash::of(&id).0, Session { player, begin: now });
        id
    }

    /// Returns the player of the session whose cookie is in these headers. Its key may not be valid any more.
    pub(crate) fn player_of(&self, headers: &HeaderMap) -> Option<Player> {
        let id = cookie_in(headers, COOKIE_NAME)?;
        let session = lock(&self.0).get(&TokenHash::of(id).0).copied()?;
        (session.begin.elapsed() < SESSION_TIME).then_some(session.player)
    }

    /// Ends the session whose cookie is in these headers.
    pub(super) fn end(&self, headers: &HeaderMap) {
        if let Some(id) = cookie_in(headers, COOKIE_NAME) {
            lock(&self.0).remove(&TokenHash::of(id).0);
        }
    }
}

/// Ends the oldest of those sessions if there are this many of them.
fn end_oldest(sessions: &mut HashMap<Digest, Session>, most: usize, is_one: impl Fn(&Session) -> bool) {
    let those = || sessions.iter().filter(|(_, session)| is_one(session));
    if those().count() >= most
        && let Some(oldest) = those().min_by_key(|(_, session)| session.begin).map(|(id, _)| *id)
    {
        sessions.remove(&oldest);
    }
}

/// Returns the value of the cookie with this name that a browser sends.
pub(super) fn cookie_in<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(own, _)| *own == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::{AccountId, KeyId};

    #[tokio::test(start_paused = true)]
    async fn one_account_ends_none_but_its_own_sessions() {
        let sessions = Sessions::default();
        let begin = async |account: &str| {
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
            let account = AccountId::read(account).expect("an id");
            let id = sessions.begin(Player { account, key: KeyId::read("abcdefghijkl").expect("an id") });
            HeaderMap::from_iter([(COOKIE, format!("{COOKIE_NAME}={id}").parse().expect("ASCII"))])
        };
        let other = begin("bbbbbbbbbbbb").await;
        let (first, second) = (begin("aaaaaaaaaaaa").await, begin("aaaaaaaaaaaa").await);
        for _ in 0..SESSIONS_OF_ACCOUNT - 1 {
            begin("aaaaaaaaaaaa").await;
        }
        let is_valid = |headers| sessions.player_of(headers).is_some();
        assert_eq!([&other, &first, &second].map(is_valid), [true, false, true]);
    }
}
