//! Joiners: players who ask for a seat.

use crate::service::digest::Digest;
use crate::service::reservation::Reservation;
use crate::service::store::Request;

/// A player who asks for a seat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joiner<'a> {
    /// The name.
    pub(super) name: &'a str,
    /// The digest of the invitation code; None if the player sent none.
    pub(super) code: Option<Digest>,
    /// The request, if it may be sent again.
    pub(super) request: Option<Request>,
}

impl Joiner<'_> {
    /// Returns true if the player may take a seat with this reservation. An invitation code is for seats that it opens.
    pub(super) fn may_take(&self, reservation: Option<&Reservation>) -> bool {
        match (reservation, self.code) {
            (Some(Reservation::Code(digest)), Some(code)) => *digest == code,
            (Some(Reservation::Name(name)), None) => name == self.name,
            (None, None) => true,
            (Some(Reservation::Code(_)), None) | (Some(Reservation::Name(_)) | None, Some(_)) => false,
        }
    }
}
