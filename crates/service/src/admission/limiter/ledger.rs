//! The ledger of a principal: its shares, its rates, and the room for its bytes under way, which are bodies that have not been
//! handled and answers that have not been sent.
//!
//! The calls of one principal begin in the order in which they came, and wait for their turns and their room. A call that is
//! given up before its turn costs nothing.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use ahu_host::BotName;
use ahu_host::api::ApiError;
use ahu_host::search::Budget;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::principal::Principal;
use super::throttle::{Throttle, time_of};
use crate::accounts::Player;
use crate::limits::{MAX_PAUSE, PLAYOUTS_PER_MILLISECOND, Rate, Rates, Share, Shares};
use crate::{lock, refusals};

/// The bytes of one permit of a room.
const PERMIT_BYTES: usize = 1024;

/// The uses of a principal: the parts of the server that it uses now, and the work that its rates have to work off. Clones
/// are the same ledger.
#[derive(Clone)]
pub(crate) struct Ledger(Arc<Content>);

struct Content {
    principal: Principal,
    /// The player that took the seat of this ledger; None for a player without an account and for other principals.
    owner: Option<Player>,
    rates: Rates,
    uses: Mutex<Uses>,
    /// The turn of the next call.
    turn: tokio::sync::Mutex<()>,
    /// The number of permits of [`Self::free`] in use and free.
    permits: u32,
    /// A permit for each KiB that is free.
    free: Arc<Semaphore>,
}

/// The uses of a principal.
#[derive(Debug)]
struct Uses {
    /// The most that the principal may use. The operator may change it for an account.
    shares: Shares,
    amounts: [u64; Share::COUNT],
    throttles: [Throttle; Rate::COUNT],
}

/// A part of the server that a principal uses until this value is dropped. The default is nothing.
#[derive(Debug, Default)]
pub(crate) struct Lease(Option<(Ledger, Vec<(Share, u64)>)>);

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.principal.fmt(f)
    }
}

impl Ledger {
    /// Creates the ledger of a principal that uses nothing.
    #[cfg(test)]
    pub(super) fn new(principal: Principal, shares: Shares, rates: Rates) -> Self {
        Self::of_seat(principal, shares, rates, None)
    }

    /// Creates the ledger of a seat that this player took.
    pub(super) fn of_seat(principal: Principal, shares: Shares, rates: Rates, owner: Option<Player>) -> Self {
        let permits = permits(shares[Share::Bytes] as usize).max(1);
        let free = Arc::new(Semaphore::new(permits as usize));
        let uses = Mutex::new(Uses { shares, amounts: [0; Share::COUNT], throttles: Default::default() });
        let turn = tokio::sync::Mutex::default();
        Self(Arc::new(Content { principal, owner, rates, uses, turn, permits, free }))
    }

    /// Returns the principal.
    pub(crate) fn principal(&self) -> Principal {
        self.0.principal
    }

    /// Returns the player that took the seat of this ledger.
    pub(crate) fn owner(&self) -> Option<Player> {
        self.0.owner
    }

    /// Returns the shares of the principal.
    pub(crate) fn shares(&self) -> Shares {
        self.lock().shares
    }

    /// Changes the shares of the principal. Its share of bytes stays until the limiter has forgotten the principal.
    pub(super) fn set_shares(&self, shares: Shares) {
        self.lock().shares = shares;
    }

    /// Returns the rates of the principal.
    pub(crate) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    /// Takes amounts of the shares: all amounts or none. The error names the first share that would be exceeded.
    pub(crate) fn lease(&self, amounts: &[(Share, u64)]) -> Result<Lease, ApiError> {
        let mut all = self.lock();
        for &(share, amount) in amounts {
            let (used, limit) = (all.amounts[share as usize], all.shares[share].into());
            if used.saturating_add(amount) > limit {
                return Err(refusals::over_share(self.0.principal, share, limit, used, amount));
            }
        }
        for &(share, amount) in amounts {
            all.amounts[share as usize] += amount;
        }
        Ok(Lease(Some((self.clone(), amounts.to_vec()))))
    }

    /// Returns the error of calls over a connection that exceeds the share of the principal.
    pub(crate) fn over_connections(&self) -> ApiError {
        let limit = self.shares()[Share::Connections].into();
        refusals::over_share(self.0.principal, Share::Connections, limit, limit, 1)
    }

    /// Notes that the principal opens a connection or sends frames, and returns the time that it has to wait.
    pub(crate) fn pace(&self, rate: Rate, uses: u32) -> Duration {
        self.lock().throttles[rate as usize].take(Instant::now(), uses, self.0.rates[rate], MAX_PAUSE)
    }

    /// Notes that the principal sends frames over one of its connections, and returns the time that the connection has to
    /// wait. A connection that keeps to its own part of the rate never waits, whatever the other connections of the principal
    /// send.
    pub(crate) fn pace_frames(&self, own: &mut Throttle, uses: u32) -> Duration {
        let of_all = self.pace(Rate::Frames, uses);
        if of_all.is_zero() {
            return of_all;
        }
        let connections = self.lock().amounts[Share::Connections as usize];
        let part = self.0.rates[Rate::Frames] / u32::try_from(connections).unwrap_or(u32::MAX).max(1);
        of_all.min(own.take(Instant::now(), uses, part, MAX_PAUSE))
    }

    /// Waits for the turn of a call with a cost of these units, at a rate of units a second. Tells `delayed` if it has to wait.
    pub(crate) async fn turn(&self, units: u32, rate: u32, delayed: impl FnOnce()) {
        let mut delayed = Some(delayed);
        let mut tell = || delayed.take().into_iter().for_each(|delayed| delayed());
        let _turn = if let Ok(turn) = self.0.turn.try_lock() {
            turn
        } else {
            tell();
            self.0.turn.lock().await
        };
        let wait = self.charge(units, rate);
        // The shortest sleep takes a millisecond.
        if !wait.is_zero() {
            tell();
            tokio::time::sleep(wait).await;
        }
    }

    /// Takes units for work that is done already; later calls wait for them. Returns the time that a call with this cost
    /// would have to wait.
    pub(super) fn charge(&self, units: u32, rate: u32) -> Duration {
        let longest = MAX_PAUSE.max(time_of(units, rate));
        self.lock().throttles[Rate::Calls as usize].take(Instant::now(), units, rate, longest)
    }

    /// Waits for room for this number of bytes, or for all the room of the principal if the bytes are more.
    pub(super) async fn room(&self, bytes: usize) -> Room {
        let permits = permits(bytes).min(self.0.permits);
        // Nobody closes the semaphore.
        Room(Arc::clone(&self.0.free).acquire_many_owned(permits).await.ok())
    }

    /// Returns the amount that the principal uses of this part.
    pub(super) fn used(&self, share: Share) -> u64 {
        match share {
            // Rounded up to KiB.
            Share::Bytes => ((self.0.permits as usize - self.0.free.available_permits()) * PERMIT_BYTES) as u64,
            share => self.lock().amounts[share as usize],
        }
    }

    /// Returns true if the principal has taken a part of its shares.
    pub(super) fn is_used(&self) -> bool {
        self.lock().amounts.iter().any(|&amount| amount > 0)
    }

    /// Returns true if nothing is left to remember. `self` is the copy of the ledger that the limiter keeps.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        let is_alone = Arc::strong_count(&self.0) == 1 && self.used(Share::Bytes) == 0;
        is_alone && self.lock().throttles.iter().all(|throttle| throttle.is_idle(now))
    }

    fn lock(&self) -> MutexGuard<'_, Uses> {
        lock(&self.0.uses)
    }
}

impl Lease {
    /// Returns the principal that uses this part; None for nothing.
    pub(crate) fn principal(&self) -> Option<Principal> {
        self.0.as_ref().map(|(ledger, _)| ledger.0.principal)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some((ledger, amounts)) = &self.0 {
            let mut uses = ledger.lock();
            for &(share, amount) in amounts {
                uses.amounts[share as usize] -= amount;
            }
        }
    }
}

/// Returns the number of playouts that a bot makes for a decision; 0 for a bot that does not search.
pub(crate) fn playouts(bot: BotName) -> u64 {
    match bot.budget() {
        Some(Budget::Playouts(playouts)) => playouts.get().into(),
        Some(Budget::Time(time)) => PLAYOUTS_PER_MILLISECOND * u64::from(time.get()),
        None => 0,
    }
}

/// Returns the number of permits for this number of bytes.
fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(PERMIT_BYTES)).unwrap_or(u32::MAX)
}

/// Room for bytes under way, until this value is dropped. The default is no room.
#[derive(Debug, Default)]
pub(crate) struct Room(pub(super) Option<OwnedSemaphorePermit>);

impl Room {
    /// Gives back all but the room for this number of bytes. If the bytes are more, takes the missing room if the principal
    /// has it now; bytes that are there already do not wait.
    pub(super) fn fit(&mut self, ledger: &Ledger, bytes: usize) {
        let needed = permits(bytes);
        let had = self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) as u32;
        if had > needed {
            let surplus = self.0.as_mut().and_then(|permit| permit.split((had - needed) as usize));
            drop(surplus);
        } else if let Ok(more) = Arc::clone(&ledger.0.free).try_acquire_many_owned(needed - had) {
            match &mut self.0 {
                Some(permit) => permit.merge(more),
                none => *none = Some(more),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::limits::Limits;

    fn ledger(bytes: u32) -> Ledger {
        let mut limits = Limits::default();
        limits.shares[Share::Bytes] = bytes;
        Ledger::new(Principal::Socket, limits.shares, limits.rates)
    }

    /// Polls a future once.
    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn calls_begin_in_order_and_one_that_is_given_up_costs_nothing() {
        let ledger = ledger(1 << 20);
        // A rate of 10,000 units: 2,500 at once.
        ledger.turn(2_500, 10_000, || panic!("it does not wait")).await;
        let delays = Cell::new(0);
        let delayed = || delays.set(delays.get() + 1);
        let mut first = Box::pin(ledger.turn(1_000, 10_000, delayed));
        let mut given_up: Vec<_> = (0..100).map(|_| Box::pin(ledger.turn(1_000, 10_000, delayed))).collect();
        assert!(poll(first.as_mut()).is_pending());
        for call in &mut given_up {
            assert!(poll(call.as_mut()).is_pending());
        }
        drop(given_up);
        let wait = ledger.charge(0, 10_000);
        assert!(wait <= Duration::from_millis(100), "a hundred calls that waited have cost nothing: {wait:?}");
        first.await;
        assert_eq!(delays.get(), 101);
    }

    #[tokio::test]
    async fn room_is_given_in_order_and_fits_what_an_answer_takes() {
        let ledger = ledger(8 * 1024);
        let mut first = ledger.room(6 * 1024).await;
        assert_eq!(ledger.used(Share::Bytes), 6 * 1024);
        let mut second = pin!(ledger.room(4 * 1024));
        assert!(poll(second.as_mut()).is_pending());
        let mut third = pin!(ledger.room(1024));
        assert!(poll(third.as_mut()).is_pending(), "it came after the second");
        first.fit(&ledger, 1);
        assert_eq!(ledger.used(Share::Bytes), 6 * 1024, "the others have what the first one gave back");
        drop((second.await, third.await, first));
        assert_eq!(ledger.used(Share::Bytes), 0);

        let mut room = ledger.room(1 << 30).await;
        assert_eq!(ledger.used(Share::Bytes), 8 * 1024, "nobody waits for more than there is");
        room.fit(&ledger, 3 * 1024);
        let mut other = Room::default();
        other.fit(&ledger, 6 * 1024);
        assert_eq!(ledger.used(Share::Bytes), 3 * 1024, "bytes that are there do not wait");
        other.fit(&ledger, 5 * 1024);
        assert_eq!(ledger.used(Share::Bytes), 8 * 1024);
    }
}
