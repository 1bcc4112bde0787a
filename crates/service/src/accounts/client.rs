//! The client of a call, as an extension of its request.

use std::sync::{Arc, OnceLock};

use ahu_host::BotName;
use ahu_host::api::ApiError;
use tonic::Extensions;

use super::account::{Account, Scope};
use super::directory::{Accounts, Identity, Player};
use crate::admission::{Lease, Ledger, Principal, playouts};
use crate::limits::{Rate, Share};
use crate::proto::v1;
use crate::refusals;

/// The client of a call: the account and key that it counts for, and the address from which it comes. A client within the
/// process has neither, and nothing is counted for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// The directory; None on a server without accounts.
    accounts: Option<Accounts>,
    /// The account and key of the key that the call brought.
    identity: Option<Identity>,
    /// The player for whom the call counts: that of its key, or of its seat once a match has found it.
    player: Arc<OnceLock<Player>>,
    origin: Option<Principal>,
    /// The ledger of its account or its address.
    ledger: Option<Ledger>,
}

impl Client {
    /// Creates the client of a call that brought this key, from this address.
    pub(crate) fn new(accounts: Option<Accounts>, identity: Option<Identity>, origin: Principal) -> Self {
        let player = identity.as_ref().map_or_else(OnceLock::new, |identity| identity.player().into());
        Self { accounts, identity, player: Arc::new(player), origin: Some(origin), ledger: None }
    }

    /// Returns the client with its ledger.
    pub(crate) fn with_ledger(self, ledger: Ledger) -> Self {
        Self { ledger: Some(ledger), ..self }
    }

    /// Returns the client of a request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_default()
    }

    /// Returns the account and key of the key that the call brought.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Returns the address, for the audit.
    pub(crate) fn origin(&self) -> Option<Principal> {
        self.origin
    }

    /// Returns true if the call brought a key with this scope.
    pub(crate) fn has(&self, scope: Scope) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.key.scopes.has(scope))
    }

    /// Notes that the call is one of this seat's player. Refuses a player whose key is not valid any more, and a call with the
    /// key of another account.
    pub(crate) fn note_seat(&self, player: Option<Player>) -> Result<(), ApiError> {
        let (Some(player), Some(accounts)) = (player, &self.accounts) else { return Ok(()) };
        accounts.admit(player)?;
        match self.player.get_or_init(|| player) {
            found if found.account == player.account => Ok(()),
            _ => Err(refusals::SEAT.wrong()),
        }
    }

    /// Returns the account for which the call counts: that of its key, or of its seat.
    pub(crate) fn account(&self) -> Option<Arc<Account>> {
        let player = self.player.get()?;
        match &self.identity {
            Some(identity) => Some(Arc::clone(&identity.account)),
            None => self.accounts.as_ref()?.account(player.account),
        }
    }

    /// Returns true if the server knows accounts.
    pub(crate) fn has_accounts(&self) -> bool {
        self.accounts.is_some()
    }

    /// Returns the name of a player that asks for this name: that of its account, if it has one. A player without an account
    /// gets no name that looks like that of an account.
    pub(crate) fn player_name<'a>(&'a self, asked: &'a str) -> Result<&'a str, ApiError> {
        match (&self.identity, &self.accounts) {
            (Some(identity), _) => Ok(&identity.account.name),
            (None, Some(accounts)) => accounts.refuse_alike(asked).map(|()| asked),
            (None, None) => Ok(asked),
        }
    }

    /// Returns true if the call may end because its key does.
    pub(crate) fn may_end(&self) -> bool {
        self.player.get().is_some()
    }

    /// Waits until the key of the call is not valid any more, and returns the error that ends the call.
    pub(crate) async fn ended(&self) -> ApiError {
        let Some(accounts) = &self.accounts else { return std::future::pending().await };
        let mut changes = accounts.changes();
        loop {
            if let Some(Err(error)) = self.player.get().map(|player| accounts.admit(*player)) {
                return error;
            }
            // The directory keeps the sender.
            let _ = changes.changed().await;
        }
    }

    /// Takes amounts of the client's shares: see [`Ledger::lease`].
    pub(crate) fn lease(&self, amounts: &[(Share, u64)]) -> Result<Lease, ApiError> {
        self.ledger.as_ref().map_or_else(|| Ok(Lease::default()), |ledger| ledger.lease(amounts))
    }

    /// Takes the shares of one match with these bots, by seat: None for an agent, for whom the `stand_in` may play.
    pub(crate) fn lease_match(&self, bots: &[Option<BotName>], stand_in: BotName) -> Result<Lease, ApiError> {
        let is_alone = bots.iter().all(Option::is_some).into();
        let playouts = bots.iter().map(|bot| playouts(bot.unwrap_or(stand_in))).max().unwrap_or(0);
        self.lease(&[(Share::Matches, 1), (Share::BotMatches, is_alone), (Share::Playouts, playouts)])
    }

    /// Returns the rates of the client; None if nothing is counted for it.
    pub(crate) fn rates(&self) -> Option<v1::Rates> {
        let rates = self.ledger.as_ref()?.rates();
        Some(v1::Rates { calls: rates[Rate::Calls], connections: rates[Rate::Connections] })
    }

    /// Returns the shares of the client; None if nothing is counted for it.
    pub(crate) fn shares(&self) -> Option<v1::Shares> {
        let shares = self.ledger.as_ref()?.shares();
        Some(v1::Shares {
            connections: shares[Share::Connections],
            calls: shares[Share::Calls],
            matches: shares[Share::Matches],
            bot_matches: shares[Share::BotMatches],
            playouts: shares[Share::Playouts],
            environments: shares[Share::Environments],
            environment_streams: shares[Share::EnvironmentStreams],
            unopened_streams: shares[Share::UnopenedStreams],
            watchers: shares[Share::Watchers],
            bytes: shares[Share::Bytes],
        })
    }
}
