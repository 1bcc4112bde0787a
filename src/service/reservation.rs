//! Reservations: seats that only certain players may take.

use sha2::{Digest as _, Sha256};

use super::digest::Digest;

/// The condition under which a player may take a reserved seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// The player has this name.
    Name(String),
    /// The player sends the invitation code with this digest. A comparison of digests takes a time that tells nothing
    /// about the code.
    Code([u8; 32]),
}

impl Reservation {
    /// Returns a reservation for the players who know this invitation code.
    pub fn code(code: &str) -> Self {
        Self::Code(code_digest(code))
    }
}

/// Returns the digest of an invitation code.
pub(super) fn code_digest(code: &str) -> Digest {
    Sha256::digest(code).into()
}
