//! The commands of the operator on accounts and keys.
//!
//! A command changes everything that it names, or nothing. The program that gives a command makes the keys itself, writes them
//! to their files first, and sends their hashes alone. So a key never passes a socket, and a crash leaves either no change, or
//! accounts whose key files are there.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use ahu_core::hex;
use ahu_host::record::parse_digest;
use ahu_host::visible_text;
use serde::{Deserialize, Serialize};

use super::account::{Account, AccountId, Key, KeyId, Kind, Scopes};
use super::directory::{Accounts, Snapshot};
use super::name;
use crate::limits::{MAX_ACCOUNTS, MAX_KEY_LABEL, MAX_KEYS, Share};
use crate::secrets::random_bytes;
use crate::store::{to_ms, whole_ms};

/// A command of the operator as it is sent, with an id. A command that changed something and is sent again with its id changes
/// nothing, and gets the same answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentCommand {
    /// The id, which nobody can guess.
    pub id: String,
    /// The command.
    pub command: Command,
}

impl From<Command> for SentCommand {
    fn from(command: Command) -> Self {
        Self { id: hex(&random_bytes::<16>()), command }
    }
}

/// A command of the operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Adds accounts, each with a key if it has one: all of them, or none.
    Add {
        /// The accounts.
        accounts: Vec<NewAccount>,
    },
    /// Lists all accounts.
    ListAccounts {},
    /// Makes all keys of an account invalid, or valid again.
    Disable {
        /// The name or the id of the account.
        account: String,
        /// False to make them valid again.
        disabled: bool,
    },
    /// Changes an account.
    Set {
        /// The name or the id of the account.
        account: String,
        /// The new name; None to keep the name.
        name: Option<String>,
        /// The shares that change; None for the share of every account.
        shares: BTreeMap<String, Option<u32>>,
    },
    /// Adds a key to an account.
    NewKey {
        /// The name or the id of the account.
        account: String,
        /// The key.
        key: NewKey,
    },
    /// Lists the keys of an account, or of all accounts.
    ListKeys {
        /// The name or the id of the account; None for all.
        account: Option<String>,
    },
    /// Makes a key invalid for ever.
    Revoke {
        /// The id of the key.
        key: String,
    },
    /// Makes the server report that it is not ready for new clients, or that it is ready again.
    Drain {
        /// False to report that the server is ready.
        draining: bool,
    },
}

/// An account to be added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewAccount {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// Its first key; None for an account without a key.
    pub key: Option<NewKey>,
}

/// A key to be added, without its secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// The id.
    pub id: KeyId,
    /// SHA-256 of the text, in hexadecimal digits.
    pub hash: String,
    /// The scopes; empty for the usual scopes of the account's kind.
    pub scopes: Scopes,
    /// The label; may be empty.
    pub label: String,
    /// The time after which the key is not valid, in seconds; None for a key that does not expire.
    pub expires_in: Option<u64>,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// The command was carried out. These accounts have changed, or were asked for.
    Accounts {
        /// The accounts, by name.
        accounts: Vec<AccountLine>,
    },
    /// The command was carried out. These keys have changed, or were asked for.
    Keys {
        /// The keys, by account and age.
        keys: Vec<KeyLine>,
    },
    /// The server reports this.
    Draining {
        /// True if it reports that it is not ready.
        draining: bool,
    },
    /// The command was refused, and has changed nothing.
    Refused {
        /// The reason.
        message: String,
    },
    /// The command failed, and may have been carried out.
    Failed {
        /// The reason.
        message: String,
    },
}

/// An account in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccountLine {
    /// The id.
    pub id: AccountId,
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// True if none of its keys is valid.
    pub disabled: bool,
    /// Its own shares.
    pub shares: BTreeMap<String, u32>,
    /// The number of its valid keys.
    pub valid_keys: usize,
    /// The time of the creation, in seconds since 1970.
    pub created: u64,
}

/// A key in an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyLine {
    /// The id.
    pub id: KeyId,
    /// The name of the account.
    pub account: String,
    /// The scopes.
    pub scopes: Scopes,
    /// The label.
    pub label: String,
    /// True if the key is valid now.
    pub valid: bool,
    /// True if the key was revoked.
    pub revoked: bool,
    /// The time of the creation, in seconds since 1970.
    pub created: u64,
    /// The time after which the key is not valid, in seconds since 1970.
    pub expires: Option<u64>,
}

impl Command {
    /// Returns the name and the target of a command that changes something, for the audit.
    pub(crate) fn act(&self) -> Option<(&'static str, String)> {
        Some(match self {
            Self::Add { accounts } => {
                let names: Vec<_> = accounts.iter().take(20).map(|account| account.name.as_str()).collect();
                let more = if accounts.len() > names.len() { ", …" } else { "" };
                ("add_accounts", names.join(", ") + more)
            }
            Self::Disable { account, disabled: true } => ("disable_account", account.clone()),
            Self::Disable { account, disabled: false } => ("enable_account", account.clone()),
            Self::Set { account, .. } => ("set_account", account.clone()),
            Self::NewKey { account, key } => ("new_key", format!("{} of {account}", key.id)),
            Self::Revoke { key } => ("revoke_key", key.clone()),
            Self::Drain { draining: true } => ("drain", String::new()),
            Self::Drain { draining: false } => ("undo_drain", String::new()),
            Self::ListAccounts {} | Self::ListKeys { .. } => return None,
        })
    }
}

impl Accounts {
    /// Carries out a command. Blocks the thread. A directory drains no server: a server does so before it comes here.
    pub fn execute(&self, command: impl Into<SentCommand>) -> Reply {
        let SentCommand { id, command } = command.into();
        let done = match command {
            Command::Add { accounts } => self.add(&id, &accounts),
            Command::ListAccounts {} => {
                let now = self.now();
                Ok(Reply::Accounts { accounts: lines(&now, now.accounts.values().map(AsRef::as_ref)) })
            }
            Command::Disable { account, disabled } => self.edit(&id, &account, |account, _| {
                account.is_disabled = disabled;
                Ok(())
            }),
            Command::Set { account, name, shares } => self.edit(&id, &account, |account, all| {
                set_shares(account, &shares)?;
                match name {
                    Some(name) => rename(account, name, all),
                    None => Ok(()),
                }
            }),
            Command::NewKey { account, key } => self.change(&id, |all| {
                let account = found(all, &account)?;
                let key = new_key(&key, account, all)?;
                let line = key_line(&key, account);
                Ok((Vec::new(), vec![key], Reply::Keys { keys: vec![line] }))
            }),
            Command::ListKeys { account } => self.list_keys(account.as_deref()),
            Command::Revoke { key } => self.revoke(&id, &key),
            Command::Drain { .. } => Err("expected a server that uses the folder, got none".to_owned()),
        };
        done.unwrap_or_else(|message| Reply::Refused { message })
    }

    fn add(&self, id: &str, new: &[NewAccount]) -> Result<Reply, String> {
        self.change(id, |before| {
            let (mut accounts, mut keys, mut all) = (Vec::new(), Vec::new(), before.clone());
            for NewAccount { name, kind, key } in new {
                let mut account = Account {
                    id: AccountId::new(),
                    name: String::new(),
                    kind: *kind,
                    is_disabled: false,
                    shares: BTreeMap::new(),
                    created: whole_ms(SystemTime::now()),
                };
                rename(&mut account, name.clone(), &all)?;
                let key = key.as_ref().map(|key| new_key(key, &account, &all)).transpose()?;
                all.insert(std::slice::from_ref(&account), key.as_slice());
                accounts.push(account);
                keys.extend(key);
            }
            if all.accounts.len() > MAX_ACCOUNTS {
                return Err(format!("expected at most {MAX_ACCOUNTS} accounts, got {}", all.accounts.len()));
            }
            let reply = Reply::Accounts { accounts: lines(&all, accounts.iter()) };
            Ok((accounts, keys, reply))
        })
    }

    /// Changes one account.
    fn edit(
        &self,
        id: &str,
        account: &str,
        edit: impl FnOnce(&mut Account, &Snapshot) -> Result<(), String>,
    ) -> Result<Reply, String> {
        self.change(id, |before| {
            let mut account = found(before, account)?.clone();
            edit(&mut account, before)?;
            let after = before.with(std::slice::from_ref(&account), &[]);
            let reply = Reply::Accounts { accounts: lines(&after, [&account]) };
            Ok((vec![account], Vec::new(), reply))
        })
    }

    fn list_keys(&self, account: Option<&str>) -> Result<Reply, String> {
        let all = self.now();
        let of = account.map(|account| found(&all, account)).transpose()?;
        let fits = |key: &&std::sync::Arc<Key>| of.is_none_or(|account| account.id == key.account);
        let mut keys: Vec<_> = all.keys.values().filter(fits).collect();
        keys.sort_by_key(|key| (&all.accounts[&key.account].name, key.created, key.id));
        Ok(Reply::Keys { keys: keys.into_iter().map(|key| key_line(key, &all.accounts[&key.account])).collect() })
    }

    fn revoke(&self, id: &str, key_id: &str) -> Result<Reply, String> {
        self.change(id, |all| {
            let key = KeyId::read(key_id).and_then(|id| all.keys.get(&id));
            let key = key.ok_or_else(|| format!("expected the id of a key, got \"{}\"", key_id.escape_debug()))?;
            let revoked = key.revoked.unwrap_or_else(|| whole_ms(SystemTime::now()));
            let key = Key { revoked: Some(revoked), ..(**key).clone() };
            let line = key_line(&key, &all.accounts[&key.account]);
            Ok((Vec::new(), vec![key], Reply::Keys { keys: vec![line] }))
        })
    }
}

fn found<'a>(all: &'a Snapshot, account: &str) -> Result<&'a Account, String> {
    let message = || format!("expected the name or the id of an account, got \"{}\"", account.escape_debug());
    all.find(account).map(AsRef::as_ref).ok_or_else(message)
}

/// Gives an account a name that no other one has.
fn rename(account: &mut Account, name: String, all: &Snapshot) -> Result<(), String> {
    name::check(&name)?;
    if let Some(other) = all.alike(&name).filter(|other| other.id != account.id) {
        let other = &other.name;
        return Err(format!(
            "expected a name that does not look like that of another account, got \"{name}\", which looks like \"{other}\""
        ));
    }
    account.name = name;
    Ok(())
}

fn set_shares(account: &mut Account, shares: &BTreeMap<String, Option<u32>>) -> Result<(), String> {
    for (name, count) in shares {
        if !Share::of_accounts().any(|share| share.name() == name) {
            let names: Vec<_> = Share::of_accounts().map(Share::name).collect();
            return Err(format!(
                "expected a share of accounts, one of {}; got \"{}\"",
                names.join(", "),
                name.escape_debug()
            ));
        }
        match count {
            Some(count) => account.shares.insert(name.clone(), *count),
            None => account.shares.remove(name),
        };
    }
    Ok(())
}

/// Checks a key to be added to an account.
fn new_key(new: &NewKey, account: &Account, all: &Snapshot) -> Result<Key, String> {
    let NewKey { id, hash, scopes, label, expires_in } = new;
    if all.keys.contains_key(id) {
        return Err(format!("expected a new key, got the id {id}, which another key has"));
    }
    if label.len() > MAX_KEY_LABEL || label.chars().any(visible_text::is_hidden) {
        return Err(format!("expected a label of at most {MAX_KEY_LABEL} bytes of visible characters"));
    }
    // A new account has none.
    let is_full = || all.keys.values().filter(|key| key.account == account.id).count() >= MAX_KEYS;
    if all.accounts.contains_key(&account.id) && is_full() {
        return Err(format!("expected at most {MAX_KEYS} keys for an account, got one more for \"{}\"", account.name));
    }
    let created = whole_ms(SystemTime::now());
    let expires = expires_in.map(|seconds| {
        let expires = created.checked_add(Duration::from_secs(seconds)).filter(|_| seconds > 0 && seconds < 1 << 32);
        expires.ok_or_else(|| format!("expected a time from a second to a century, got {seconds} s"))
    });
    Ok(Key {
        id: *id,
        account: account.id,
        hash: parse_digest(hash)?,
        scopes: if scopes.is_empty() { account.kind.usual_scopes() } else { *scopes },
        label: label.clone(),
        created,
        expires: expires.transpose()?,
        revoked: None,
    })
}

/// Returns the lines of accounts, by name.
fn lines<'a>(all: &Snapshot, accounts: impl IntoIterator<Item = &'a Account>) -> Vec<AccountLine> {
    let now = SystemTime::now();
    let mut valid_keys: BTreeMap<AccountId, usize> = BTreeMap::new();
    for key in all.keys.values().filter(|key| key.is_valid(now)) {
        *valid_keys.entry(key.account).or_default() += 1;
    }
    let line = |account: &Account| AccountLine {
        id: account.id,
        name: account.name.clone(),
        kind: account.kind,
        disabled: account.is_disabled,
        shares: account.shares.clone(),
        valid_keys: if account.is_disabled { 0 } else { valid_keys.get(&account.id).copied().unwrap_or(0) },
        created: seconds(account.created),
    };
    let mut lines: Vec<_> = accounts.into_iter().map(line).collect();
    lines.sort_by(|one, other| one.name.cmp(&other.name));
    lines
}

fn key_line(key: &Key, account: &Account) -> KeyLine {
    KeyLine {
        id: key.id,
        account: account.name.clone(),
        scopes: key.scopes,
        label: key.label.clone(),
        valid: key.is_valid(SystemTime::now()) && !account.is_disabled,
        revoked: key.revoked.is_some(),
        created: seconds(key.created),
        expires: key.expires.map(seconds),
    }
}

/// Returns a time of day in seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> u64 {
    to_ms(time) / 1000
}
