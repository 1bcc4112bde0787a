//! The seats that pay for their own calls: the calls of a player count for the seat, and not for the address that they come from.
//! So a neighbour at the same address delays no answer of a player.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::progress::TokenHash;
use crate::service::limits::{MAX_IDLE_PEERS, SEAT_BYTES, SEAT_MEMORY};
use crate::service::payer::Payer;

/// The payers of the seats whose tokens are known. Clones share them.
#[derive(Clone, Debug, Default)]
pub(in crate::service) struct SeatPayers(Arc<Mutex<Seats>>);

#[derive(Debug, Default)]
struct Seats {
    by_token: HashMap<TokenHash, SeatUse>,
    /// The number of seats beyond which those that are not used are forgotten.
    next_sweep: usize,
}

#[derive(Debug)]
struct SeatUse {
    payer: Payer,
    used: Instant,
}

impl SeatPayers {
    /// Remembers the token of a seat, which a match has checked.
    pub(super) fn admit(&self, token: TokenHash) {
        let mut seats = self.lock();
        let now = Instant::now();
        seats.by_token.entry(token).or_insert_with(|| SeatUse { payer: Payer::new(SEAT_BYTES), used: now }).used = now;
        if seats.by_token.len() > seats.next_sweep.max(MAX_IDLE_PEERS) {
            seats.by_token.retain(|_, seat| now - seat.used < SEAT_MEMORY || !seat.payer.is_idle(now));
            // Twice as many as are left, so that a sweep costs each new seat a constant time.
            seats.next_sweep = 2 * seats.by_token.len();
        }
    }

    /// Returns the payer for calls with this token. None: no seat is known to have the token.
    pub(in crate::service) fn find(&self, token: TokenHash) -> Option<Payer> {
        let mut seats = self.lock();
        let seat = seats.by_token.get_mut(&token)?;
        seat.used = Instant::now();
        Some(seat.payer.clone())
    }

    /// No code panics while it holds this lock.
    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
