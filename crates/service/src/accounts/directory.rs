//! The directory of accounts: the snapshot that calls read, and the store behind it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use ahu_host::api::ApiError;
use tokio::sync::watch;

use super::account::{Account, AccountId, Key, KeyId};
use super::command::Reply;
use super::key;
use super::name::Skeleton;
use crate::limits::{BEAT, LONGEST_EXPIRY_LOOK};
use crate::secrets::Digest;
use crate::store::{AccountTable, Lease, OpenError, Place, StoreError};
use crate::{lock, refusals};

/// The accounts of a server. Clones share them.
#[derive(Clone, Debug)]
pub struct Accounts(Arc<DirectoryState>);

#[derive(Debug)]
struct DirectoryState {
    /// The accounts as of the last change. A change replaces the whole.
    snapshot: RwLock<Arc<Snapshot>>,
    /// The store, which one change at a time writes; None for accounts in memory alone.
    table: Mutex<Option<Box<dyn AccountTable>>>,
    /// The number of changes and of expired keys so far.
    changes: watch::Sender<u64>,
    /// True once somebody reads the accounts again that others have changed in a database.
    is_followed: AtomicBool,
}

/// All accounts and keys at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) accounts: HashMap<AccountId, Arc<Account>>,
    pub(super) keys: HashMap<KeyId, Arc<Key>>,
    names: HashMap<Skeleton, AccountId>,
}

/// The account and the key behind a call.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) account: Arc<Account>,
    pub(crate) key: Arc<Key>,
}

/// The account that has a seat, and the key with which it took the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// The account.
    pub account: AccountId,
    /// The key.
    pub key: KeyId,
}

impl Identity {
    /// Returns the ids.
    pub(crate) fn player(&self) -> Player {
        Player { account: self.account.id, key: self.key.id }
    }
}

impl Snapshot {
    /// Returns the snapshot with these accounts and keys in place of those with their ids.
    pub(super) fn with(&self, accounts: &[Account], keys: &[Key]) -> Self {
        let mut next = self.clone();
        next.insert(accounts, keys);
        next
    }

    /// Inserts accounts and keys, in place of those with their ids.
    pub(super) fn insert(&mut self, accounts: &[Account], keys: &[Key]) {
        for account in accounts {
            if let Some(before) = self.accounts.insert(account.id, Arc::new(account.clone())) {
                self.names.remove(&Skeleton::of(&before.name));
            }
            self.names.insert(Skeleton::of(&account.name), account.id);
        }
        self.keys.extend(keys.iter().map(|key| (key.id, Arc::new(key.clone()))));
    }

    /// Returns the account whose name looks like this one.
    pub(super) fn alike(&self, name: &str) -> Option<&Arc<Account>> {
        self.accounts.get(self.names.get(&Skeleton::of(name))?)
    }

    /// Returns the account with this name or id.
    pub(super) fn find(&self, name_or_id: &str) -> Option<&Arc<Account>> {
        let by_id = AccountId::read(name_or_id).and_then(|id| self.accounts.get(&id));
        by_id.or_else(|| self.alike(name_or_id).filter(|account| account.name == name_or_id))
    }

    /// Returns the account and the key of a player if the key is valid at this time.
    fn valid(&self, key: KeyId, now: SystemTime) -> Option<Identity> {
        let key = self.keys.get(&key).filter(|key| key.is_valid(now))?;
        let account = self.accounts.get(&key.account).filter(|account| !account.is_disabled)?;
        Some(Identity { account: Arc::clone(account), key: Arc::clone(key) })
    }
}

impl Accounts {
    /// Creates a directory without accounts, which lives in memory.
    pub fn in_memory() -> Self {
        Self::of(Snapshot::default(), None)
    }

    /// Reads the accounts of a store. The caller keeps a folder locked, and the store has the latest schema. Blocks the thread.
    pub fn open(place: &Place) -> Result<Self, OpenError> {
        Self::read(place, place.accounts(None)?)
    }

    /// Does the same for a server, which has a lease on a database.
    pub fn of_server(place: &Place, lease: Option<Lease>) -> Result<Self, OpenError> {
        Self::read(place, place.accounts(lease)?)
    }

    /// Does the same for a change of accounts: nobody else changes those of a database meanwhile.
    pub fn open_to_change(place: &Place) -> Result<Self, OpenError> {
        Self::read(place, place.accounts_to_change()?)
    }

    fn read(place: &Place, mut table: Box<dyn AccountTable>) -> Result<Self, OpenError> {
        let failed = |error: StoreError| OpenError::Failed(format!("the store in {place} cannot be used: {error}"));
        let (accounts, keys) = table.read().map_err(failed)?;
        Ok(Self::of(Snapshot::default().with(&accounts, &keys), Some(table)))
    }

    /// Reads the accounts of a database again when somebody has changed them, for as long as it is polled.
    pub(crate) async fn follow_database<T>(&self, lease: &Lease) -> T {
        if self.0.is_followed.swap(true, Ordering::Relaxed) {
            // Another listener of the server does it.
            return std::future::pending().await;
        }
        // The accounts were read at some time before.
        let (mut known, mut has_told) = (None, false);
        loop {
            tokio::time::sleep(BEAT / 2).await;
            let changes = lease.account_changes();
            if known == Some(changes) {
                continue;
            }
            let accounts = self.clone();
            let read = move || lock(&accounts.0.table).as_mut().map(|table| table.read()).transpose();
            match tokio::task::spawn_blocking(read).await {
                Ok(Ok(read)) => {
                    // A beat that is sent after the read is confirmed after what was read.
                    lease.beats_again().await;
                    let (accounts, keys) = read.unwrap_or_default();
                    self.replace(Snapshot::default().with(&accounts, &keys));
                    (known, has_told) = (Some(changes), false);
                }
                Ok(Err(error)) => {
                    if !has_told {
                        tracing::warn!(%error, "the accounts cannot be read again now; the server tries again");
                    }
                    has_told = true;
                }
                // The panic was reported.
                Err(_) => {}
            }
        }
    }

    /// Makes this the present snapshot, and announces the change.
    fn replace(&self, snapshot: Snapshot) {
        *self.0.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        self.0.changes.send_modify(|count| *count += 1);
    }

    fn of(snapshot: Snapshot, table: Option<Box<dyn AccountTable>>) -> Self {
        let snapshot = RwLock::new(Arc::new(snapshot));
        let (table, changes) = (Mutex::new(table), watch::Sender::new(0));
        Self(Arc::new(DirectoryState { snapshot, table, changes, is_followed: AtomicBool::new(false) }))
    }

    /// Returns the accounts as they are now. Nobody holds the lock for longer than it takes to copy a pointer.
    pub(super) fn now(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns true if there is no account.
    pub fn is_empty(&self) -> bool {
        self.now().accounts.is_empty()
    }

    /// Changes accounts and keys by the command with this id: `plan` returns those that change, given all, or a refusal. They are
    /// on the disk when this returns, with the answer, which a repeated command gets. Blocks the thread.
    pub(super) fn change(
        &self,
        id: &str,
        plan: impl FnOnce(&Snapshot) -> Result<(Vec<Account>, Vec<Key>, Reply), String>,
    ) -> Result<Reply, String> {
        // One change at a time plans and writes, so no other comes between.
        let mut table = lock(&self.0.table);
        let given = table.as_ref().map_or(Ok(None), |table| table.reply(id));
        match given {
            Ok(None) => {}
            Ok(Some(answer)) => return Ok(answer),
            Err(error) => return Ok(Reply::Failed { message: format!("the accounts cannot be read: {error}") }),
        }
        let before = self.now();
        let (accounts, keys, answer) = plan(&before)?;
        if let Some(table) = &mut *table
            && let Err(error) = table.write(&accounts, &keys, Some((id, &answer)))
        {
            return Ok(Reply::Failed { message: format!("the accounts cannot be written: {error}") });
        }
        self.replace(before.with(&accounts, &keys));
        Ok(answer)
    }

    /// Returns the account and the key behind the text of a key. Every text that is no valid key gets the same error.
    pub(crate) fn identify(&self, text: &str) -> Result<Identity, ApiError> {
        const NONE: Digest = [0; 32];
        let now = self.now();
        let id = key::id_in(text);
        let found = id.and_then(|id| now.keys.get(&id));
        // An unknown key is compared as well.
        let is_key = key::are_equal(&key::hash(text), found.map_or(&NONE, |key| &key.hash));
        let valid = found.filter(|_| is_key).and_then(|key| now.valid(key.id, SystemTime::now()));
        valid.ok_or_else(refusals::bad_key)
    }

    /// Returns true if the directory has a key with the id in this text, valid or not.
    pub(crate) fn has_key_of(&self, text: &str) -> bool {
        key::id_in(text).is_some_and(|id| self.now().keys.contains_key(&id))
    }

    /// Returns the account and the key of a player; an error if the key is not valid any more.
    pub(crate) fn admit(&self, player: Player) -> Result<Identity, ApiError> {
        let valid = self.now().valid(player.key, SystemTime::now());
        valid.filter(|identity| identity.account.id == player.account).ok_or_else(refusals::bad_key)
    }

    /// Returns the account with this id.
    pub(crate) fn account(&self, id: AccountId) -> Option<Arc<Account>> {
        self.now().accounts.get(&id).cloned()
    }

    /// Returns the keys of an account, the oldest first.
    pub(crate) fn keys_of(&self, account: AccountId) -> Vec<Arc<Key>> {
        let now = self.now();
        let mut keys: Vec<_> = now.keys.values().filter(|key| key.account == account).cloned().collect();
        keys.sort_by_key(|key| (key.created, key.id));
        keys
    }

    /// Returns true if a valid key has one of these scopes.
    pub(crate) fn has_valid_key_for(&self, scopes: super::Scopes) -> bool {
        let (all, now) = (self.now(), SystemTime::now());
        all.keys.values().any(|key| key.scopes.meets(scopes) && all.valid(key.id, now).is_some())
    }

    /// Refuses a name of a player without an account that looks like the name of an account.
    pub(crate) fn refuse_alike(&self, name: &str) -> Result<(), ApiError> {
        match self.now().alike(name) {
            None => Ok(()),
            Some(_) => Err(refusals::bad_name(format!(
                "expected a name that does not look like the name of an account, got \"{name}\"; a player of that account \
                 sends its key"
            ))),
        }
    }

    /// Returns a receiver of the number of changes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// Announces the expiry of keys as a change, for as long as it is polled.
    pub(crate) async fn follow<T>(&self) -> T {
        let mut changes = self.changes();
        loop {
            let (all, now) = (self.now(), SystemTime::now());
            let expiries = all.keys.values().filter_map(|key| key.expires?.duration_since(now).ok());
            // The clock of the day may be set meanwhile.
            let wait = expiries
                .min()
                .map_or(LONGEST_EXPIRY_LOOK, |next| (next + Duration::from_millis(1)).min(LONGEST_EXPIRY_LOOK));
            let has_expiry = all.keys.values().any(|key| key.expires.is_some());
            tokio::select! {
                // The directory keeps the sender.
                _ = changes.changed() => {}
                () = tokio::time::sleep(wait), if has_expiry => {
                    self.0.changes.send_modify(|count| *count += 1);
                    changes.mark_unchanged();
                }
            }
        }
    }
}
