//! The credentials of a call: the key or the token that it brings, and the answer to a call without the credentials that it
//! needs.
//!
//! A key comes as the metadata `ahu-key`, or as the bearer token of a call that has no token of a seat. It is never read from a
//! path. The key of a cup's agent and the key of the operator's organiser may have the same form; they belong to no account.

use ahu_host::api::ApiError;
use axum::http::HeaderMap;
use tonic::{Code, Status};

use super::limiter::Principal;
use super::scopes::{self, Need};
use crate::accounts::{Accounts, Client, Identity, KeyText};
use crate::secrets::TokenHash;
use crate::server::Server;
use crate::{refusals, status};

/// The header with a key.
pub(crate) const KEY: &str = "ahu-key";

/// A call whose credentials are checked.
pub(super) struct Checked {
    pub(super) client: Client,
    /// The token of a seat on which alone the call depends, before any match has seen it.
    pub(super) unproved: Option<TokenHash>,
}

impl Server {
    /// Checks the credentials of a call with this path, from this address.
    pub(super) fn check_credentials(
        &self,
        path: &str,
        headers: &HeaderMap,
        is_browser: bool,
        origin: Principal,
    ) -> Result<Checked, ApiError> {
        let accounts = self.matches.accounts().filter(|accounts| self.requires_key || !accounts.is_empty());
        let Some(accounts) = accounts else {
            return Ok(Checked { client: Client::new(None, None, origin), unproved: None });
        };
        let need = scopes::of_path(path);
        let identity = self.identify(accounts, need, headers, is_browser).inspect_err(|_| {
            let text = headers.get(KEY).and_then(|key| key.to_str().ok()).or_else(|| TokenHash::text_in(headers));
            self.matches.audit().note_refused_key(text.and_then(KeyText::id_in), origin);
        })?;
        let token = TokenHash::in_headers(headers);
        if let Some(Identity { key, .. }) = &identity {
            // A bearer token that is a key is no token of a seat.
            let has_token = headers.contains_key(KEY) && token.is_some();
            let scopes = need.scopes(has_token);
            if !scopes.is_empty() && !key.scopes.meets(scopes) {
                return Err(refusals::missing_scope(scopes, key.scopes));
            }
        }
        let is_alone = identity.is_none() && self.requires_key && need != Need::Nothing;
        let unproved = if is_alone { self.without_key(need, token)? } else { None };
        // The calls of a seat count for the account that took it.
        let client = Client::new(Some(accounts.clone()), identity, origin);
        if let Some(seat) =
            token.filter(|_| need.takes_token()).and_then(|token| self.matches.limiter().find(Principal::Seat(token.0)))
        {
            client.note_seat(seat.owner())?;
        }
        Ok(Checked { client, unproved })
    }

    /// Returns the account and the key behind a call; None if it brings no key.
    fn identify(
        &self,
        accounts: &Accounts,
        need: Need,
        headers: &HeaderMap,
        is_browser: bool,
    ) -> Result<Option<Identity>, ApiError> {
        if let Some(key) = headers.get(KEY) {
            return accounts.identify(key.to_str().unwrap_or_default()).map(Some);
        }
        if let Some(bearer) = TokenHash::text_in(headers).filter(|bearer| KeyText::is_like(bearer)) {
            let may_be_other = match need {
                Need::Agent => self.matches.may_know_key(TokenHash::of(bearer)),
                _ => self.matches.knows_key(TokenHash::of(bearer)),
            };
            let is_other = may_be_other && !accounts.has_key_of(bearer);
            return if is_other { Ok(None) } else { accounts.identify(bearer).map(Some) };
        }
        // A browser whose key is not valid any more may load the page and sign in again.
        let player = is_browser.then(|| self.sessions.player_of(headers)).flatten();
        Ok(player.and_then(|player| accounts.admit(player).ok()))
    }

    /// Returns the token on which a call without the key of an account depends; None if it depends on a key of the operator's
    /// organiser or of a cup's agent, which is checked here. Refuses any other call.
    fn without_key(&self, need: Need, token: Option<TokenHash>) -> Result<Option<TokenHash>, ApiError> {
        let token = token.ok_or_else(refusals::no_key)?;
        match need {
            _ if self.matches.knows_organiser(token) => Ok(None),
            Need::Agent if self.matches.may_know_key(token) => Ok(None),
            _ if need.takes_token() => Ok(Some(token)),
            _ => Err(refusals::no_key()),
        }
    }

    /// Returns the answer to a call that depended on a token alone. If no match has recognised the token, the answer tells
    /// nothing: a stranger shall not learn which matches there are.
    pub(super) fn proved<B: Default>(
        &self,
        answer: axum::http::Response<B>,
        unproved: Option<TokenHash>,
    ) -> axum::http::Response<B> {
        let is_known = unproved.is_none_or(|token| self.matches.limiter().find(Principal::Seat(token.0)).is_some());
        let has_failed = || answer.extensions().get::<Status>().is_some_and(|status| status.code() != Code::Ok);
        match !is_known && has_failed() {
            true => status::of(refusals::no_key()).into_http(),
            false => answer,
        }
    }
}
