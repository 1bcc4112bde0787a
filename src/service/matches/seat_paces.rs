//! The rates of seats: calls with the token of a seat count for the seat, and not for the address that they come from. So a
//! neighbour at the same address delays no answer of a player.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::progress::TokenHash;
use crate::service::limits::{MAX_IDLE_PEERS, SEAT_MEMORY};
use crate::service::rates::Pace;

/// The paces of the seats whose tokens are known. Clones share them.
#[derive(Clone, Debug, Default)]
pub(in crate::service) struct SeatPaces(Arc<Mutex<Paces>>);

#[derive(Debug, Default)]
struct Paces {
    by_token: HashMap<TokenHash, SeatPace>,
    /// The number of seats beyond which those that are not used are forgotten.
    next_sweep: usize,
}

#[derive(Debug)]
struct SeatPace {
    pace: Pace,
    used: Instant,
}

impl SeatPaces {
    /// Remembers the token of a seat, which a match has checked.
    pub(super) fn admit(&self, token: TokenHash) {
        let mut paces = self.lock();
        let now = Instant::now();
        paces.by_token.entry(token).or_insert_with(|| SeatPace { pace: Pace::default(), used: now }).used = now;
        if paces.by_token.len() > paces.next_sweep.max(MAX_IDLE_PEERS) {
            paces.by_token.retain(|_, seat| now - seat.used < SEAT_MEMORY);
            // Twice as many as are left, so that a sweep costs each new seat a constant time.
            paces.next_sweep = 2 * paces.by_token.len();
        }
    }

    /// Notes a call with this token, and returns the time that it has to wait: see [`Pace::take`]. None: no seat is known to
    /// have the token.
    pub(in crate::service) fn take(&self, token: TokenHash, rate: u32, longest: Duration) -> Option<Duration> {
        let mut paces = self.lock();
        let seat = paces.by_token.get_mut(&token)?;
        seat.used = Instant::now();
        Some(seat.pace.take(seat.used, 1, rate, longest))
    }

    /// No code panics while it holds this lock.
    fn lock(&self) -> MutexGuard<'_, Paces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
