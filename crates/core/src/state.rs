//! State bytes and fingerprints: the identity of a state, on every platform.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use crate::{Game, options};

/// The canonical bytes of a state, little-endian, in the order in which the game writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateBytes(Vec<u8>);

impl StateBytes {
    /// Writes one byte.
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Writes two bytes.
    pub fn u16(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    /// Writes sixteen bytes.
    pub fn u128(&mut self, value: u128) {
        self.0.extend(value.to_le_bytes());
    }

    /// Writes these bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// Returns the bytes written so far.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// The first 8 bytes of SHA-256 over game id, rules version, options, and state. Equal games have equal fingerprints
/// on every platform, for as long as the rules version exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 8]);

impl Fingerprint {
    /// Returns the fingerprint of the current state of a game.
    pub fn of<G: Game>(game: &G) -> Self {
        let mut state = StateBytes::default();
        game.write_state(&mut state);
        let mut hash = Sha256::new();
        hash.update(format!("{}\n{}\n{}\n", G::INFO.id, G::INFO.rules, options::text(game.options())));
        hash.update(state.as_slice());
        let digest: [u8; 32] = hash.finalize().into();
        Self(std::array::from_fn(|byte| digest[byte]))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Returns bytes as hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes every text");
        text
    })
}
