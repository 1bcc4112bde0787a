//! The bytes of accounts and keys.

use std::collections::BTreeMap;
use std::time::SystemTime;

use prost::Message;

use super::{digest, from_ms, seal, to_ms, unseal, unsealed};
use crate::accounts::{Account, AccountId, Key, KeyId, Kind, Reply, Scopes};

#[derive(Clone, PartialEq, Message)]
struct AccountMessage {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    kind: String,
    #[prost(bool, tag = "3")]
    disabled: bool,
    #[prost(btree_map = "string, uint32", tag = "4")]
    shares: BTreeMap<String, u32>,
    #[prost(uint64, tag = "5")]
    created_ms: u64,
}

#[derive(Clone, PartialEq, Message)]
struct KeyMessage {
    #[prost(bytes = "vec", tag = "1")]
    hash: Vec<u8>,
    #[prost(uint32, tag = "2")]
    scopes: u32,
    #[prost(string, tag = "3")]
    label: String,
    #[prost(uint64, tag = "4")]
    created_ms: u64,
    #[prost(uint64, optional, tag = "5")]
    expires_ms: Option<u64>,
    #[prost(uint64, optional, tag = "6")]
    revoked_ms: Option<u64>,
}

/// Returns an account, sealed.
pub(in crate::store) fn write_account(account: &Account) -> Vec<u8> {
    let message = AccountMessage {
        name: account.name.clone(),
        kind: account.kind.name().to_owned(),
        disabled: account.is_disabled,
        shares: account.shares.clone(),
        created_ms: to_ms(account.created),
    };
    seal(format!("account {}", account.id).as_bytes(), message.encode_to_vec())
}

/// Reads the account with this id.
pub(in crate::store) fn read_account(id: &str, sealed: &[u8]) -> Result<Account, String> {
    let message: AccountMessage = unsealed(format!("account {id}").as_bytes(), sealed)?;
    Ok(Account {
        id: AccountId::read(id).ok_or_else(|| "expected 12 letters as its id".to_owned())?,
        name: message.name,
        kind: message.kind.parse::<Kind>().map_err(|error| error.to_string())?,
        is_disabled: message.disabled,
        shares: message.shares,
        created: from_ms(message.created_ms),
    })
}

/// Returns a key, sealed.
pub(in crate::store) fn write_key(key: &Key) -> Vec<u8> {
    let message = KeyMessage {
        hash: key.hash.to_vec(),
        scopes: key.scopes.bits(),
        label: key.label.clone(),
        created_ms: to_ms(key.created),
        expires_ms: key.expires.map(to_ms),
        revoked_ms: key.revoked.map(to_ms),
    };
    seal(format!("key {} {}", key.id, key.account).as_bytes(), message.encode_to_vec())
}

/// Reads the key with this id, which belongs to this account.
pub(in crate::store) fn read_key(id: &str, account: &str, sealed: &[u8]) -> Result<Key, String> {
    let message: KeyMessage = unsealed(format!("key {id} {account}").as_bytes(), sealed)?;
    let no_id = || "expected 12 letters as its id and as the id of its account".to_owned();
    let time = |ms: Option<u64>| -> Option<SystemTime> { ms.map(from_ms) };
    Ok(Key {
        id: KeyId::read(id).ok_or_else(no_id)?,
        account: AccountId::read(account).ok_or_else(no_id)?,
        hash: digest(&message.hash)?,
        scopes: Scopes::from_bits(message.scopes).ok_or_else(|| "it has scopes of a later release".to_owned())?,
        label: message.label,
        created: from_ms(message.created_ms),
        expires: time(message.expires_ms),
        revoked: time(message.revoked_ms),
    })
}

/// Returns the answer to the command of an operator, sealed.
pub(in crate::store) fn write_reply(id: &str, reply: &Reply) -> Vec<u8> {
    let text = serde_json::to_vec(reply).expect("an answer has plain values");
    seal(format!("command {id}").as_bytes(), text)
}

/// Reads the answer to the command with this id.
pub(in crate::store) fn read_reply(id: &str, sealed: &[u8]) -> Result<Reply, String> {
    let text = unseal(format!("command {id}").as_bytes(), sealed)?;
    serde_json::from_slice(text).map_err(|error| error.to_string())
}
