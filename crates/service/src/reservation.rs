//! Reservations of seats, and the players who ask for a seat.

use sha2::{Digest as _, Sha256};

use super::accounts::Player;
use super::secrets::{Digest, Request};

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
        Self::Code(Sha256::digest(code).into())
    }
}

/// A player who asks for a seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joiner<'a> {
    pub(crate) name: &'a str,
    /// The digest of the invitation code; None if the player sent none.
    pub(crate) code: Option<Digest>,
    /// The request, if it may be sent again.
    pub(crate) request: Option<Request>,
    /// The account and the key of the player; None for a player without a key.
    pub(crate) player: Option<Player>,
}

impl Joiner<'_> {
    /// Returns true if the player may take a seat with this reservation. An invitation code is for seats that it opens.
    pub(crate) fn may_take(&self, reservation: Option<&Reservation>) -> bool {
        match (reservation, self.code) {
            (Some(Reservation::Code(digest)), Some(code)) => *digest == code,
            (Some(Reservation::Name(name)), None) => name == self.name,
            (None, None) => true,
            (Some(Reservation::Code(_)), None) | (Some(Reservation::Name(_)) | None, Some(_)) => false,
        }
    }
}
