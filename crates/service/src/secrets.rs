//! Secrets: random numbers that nobody can predict, and the digests by which the server recognises tokens, keys, and codes.
//!
//! A comparison of digests takes a time that tells nothing about the secret.

use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest as _, Sha256};
use tonic::codegen::http::HeaderMap;

use super::accounts;

/// A SHA-256 digest.
pub(crate) type Digest = [u8; 32];

/// A request that may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The digest of its id.
    pub id: Digest,
    /// The digest of its content.
    pub content: Digest,
}

/// The digest of the token of a seat, of a match, or of an organiser, or of the key of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenHash(pub(crate) Digest);

impl TokenHash {
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Returns the digest of the bearer token in the headers of a call; None without one.
    pub(crate) fn in_headers(headers: &HeaderMap) -> Option<Self> {
        Self::text_in(headers).map(Self::of)
    }

    /// Returns the bearer token in the headers of a call; None without one.
    pub(crate) fn text_in(headers: &HeaderMap) -> Option<&str> {
        let (scheme, token) = headers.get("authorization")?.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    }
}

/// Returns random bytes of the operating system.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).expect("the system has random numbers");
    bytes
}

/// Returns a new key for an agent, which has to keep it from others. It has the form of the keys of accounts. Earlier
/// releases made keys of hexadecimal digits, which stay valid: whoever checks such a key finds it by its hash.
pub fn new_agent_key() -> String {
    accounts::new_key().secret().to_owned()
}

/// Returns the hash of an agent's key: SHA-256 of its text. A host that keeps hashes alone cannot lose the keys.
pub fn agent_key_hash(key: &str) -> [u8; 32] {
    TokenHash::of(key).0
}

/// Returns the hash of an agent that an account has entered into a ladder. No key has it: it is that of 32 bytes that are no
/// text.
pub fn entrant_hash(account: &str, agent: &str) -> [u8; 32] {
    Sha256::digest(Sha256::digest(format!("entrant\n{account}\n{agent}"))).into()
}
