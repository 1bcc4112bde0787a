//! Payers: addresses and seats. Each has a rate of calls, and room for the bytes of its calls that are under way: bodies that
//! have not been handled, and answers that have not been sent.
//!
//! The calls of one payer begin in the order in which they came, and wait for their turns and their room. A call that is given up
//! before its turn costs nothing.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Extensions;

use super::limits::{ANSWER_ROOM, MAX_PAUSE};
use super::rates::Pace;

/// The bytes of one permit of a room.
const PERMIT_BYTES: usize = 1024;

/// One that pays for calls. Clones are the same payer.
#[derive(Clone)]
pub(super) struct Payer(Arc<Account>);

struct Account {
    /// The turn of the next call.
    turn: tokio::sync::Mutex<()>,
    pace: Mutex<Pace>,
    /// A permit for each KiB that is free.
    free: Arc<Semaphore>,
    permits: u32,
}

impl fmt::Debug for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payer").field("permits", &self.0.permits).finish_non_exhaustive()
    }
}

impl Payer {
    /// Creates a payer with room for this number of bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let permits = permits(bytes).max(1);
        Self(Arc::new(Account {
            turn: tokio::sync::Mutex::default(),
            pace: Mutex::default(),
            free: Arc::new(Semaphore::new(permits as usize)),
            permits,
        }))
    }

    /// Waits for the turn of a call with a cost of these units, at a rate of units a second. Tells `delayed` if it has to wait.
    pub(super) async fn turn(&self, units: u32, rate: u32, delayed: impl FnOnce()) {
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

    /// Takes units for work that is done already, which later calls wait for. Returns the time that a call with them has to wait.
    pub(super) fn charge(&self, units: u32, rate: u32) -> Duration {
        let longest = MAX_PAUSE.max(Duration::from_secs(1) * units / rate.max(1));
        self.pace().take(Instant::now(), units, rate, longest)
    }

    /// Waits for room for this number of bytes; for all that the payer has, if they are more.
    pub(super) async fn room(&self, bytes: usize) -> Room {
        let permits = permits(bytes).min(self.0.permits);
        // Nobody closes the semaphore.
        Room(Arc::clone(&self.0.free).acquire_many_owned(permits).await.ok())
    }

    /// Returns the number of bytes that are under way, rounded up to KiB.
    pub(super) fn used_bytes(&self) -> u64 {
        let used = self.0.permits as usize - self.0.free.available_permits();
        (used * PERMIT_BYTES) as u64
    }

    /// Returns true if nothing of the payer is left to remember.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        Arc::strong_count(&self.0) == 1 && self.used_bytes() == 0 && self.pace().is_idle(now)
    }

    /// No code panics while it holds this lock.
    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.0.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the number of permits for this number of bytes.
fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(PERMIT_BYTES)).unwrap_or(u32::MAX)
}

/// Room for bytes under way, until this value is dropped. The default is none.
#[derive(Debug, Default)]
pub(super) struct Room(Option<OwnedSemaphorePermit>);

impl Room {
    /// Gives back all but the room for this number of bytes. Takes more if the bytes are more and the payer has room now;
    /// bytes that are there already do not wait.
    pub(super) fn fit(&mut self, payer: &Payer, bytes: usize) {
        let needed = permits(bytes);
        let had = self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) as u32;
        if had > needed {
            let surplus = self.0.as_mut().and_then(|permit| permit.split((had - needed) as usize));
            drop(surplus);
        } else if let Ok(more) = Arc::clone(&payer.0.free).try_acquire_many_owned(needed - had) {
            match &mut self.0 {
                Some(permit) => permit.merge(more),
                none => *none = Some(more),
            }
        }
    }
}

/// The payer of a call, and the room of the call, as an extension of its request. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Payment {
    pub(super) payer: Payer,
    room: Arc<Mutex<Room>>,
}

impl Payment {
    /// Creates the payment of a call that has no room yet.
    pub(super) fn new(payer: Payer) -> Self {
        Self { payer, room: Arc::default() }
    }

    /// Waits for room for this number of bytes, in place of what the call has.
    pub(super) async fn reserve(&self, bytes: usize) {
        drop(self.take());
        let room = self.payer.room(bytes).await;
        *self.lock() = room;
    }

    /// Gives back all but the room for this number of bytes.
    pub(super) fn fit(&self, bytes: usize) {
        self.lock().fit(&self.payer, bytes);
    }

    /// Returns true if the call has room.
    pub(super) fn has_room(&self) -> bool {
        self.lock().0.is_some()
    }

    /// Takes the room of the call.
    pub(super) fn take(&self) -> Room {
        std::mem::take(&mut *self.lock())
    }

    /// No code panics while it holds this lock.
    fn lock(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for room for a large answer to a request with these extensions. A handler that waits for something does so afterwards,
/// just before it makes its answer, since a call that waits must hold no room. A request within the process pays nothing.
pub(super) async fn reserve(extensions: &Extensions) {
    if let Some(payment) = extensions.get::<Payment>() {
        payment.reserve(ANSWER_ROOM).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Polls a future once.
    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn calls_begin_in_order_and_one_that_is_given_up_costs_nothing() {
        let payer = Payer::new(1 << 20);
        // A rate of 10,000 units: 2,500 at once.
        payer.turn(2_500, 10_000, || panic!("it does not wait")).await;
        let delays = Cell::new(0);
        let delayed = || delays.set(delays.get() + 1);
        let mut first = Box::pin(payer.turn(1_000, 10_000, delayed));
        let mut given_up: Vec<_> = (0..100).map(|_| Box::pin(payer.turn(1_000, 10_000, delayed))).collect();
        assert!(poll(first.as_mut()).is_pending());
        for call in &mut given_up {
            assert!(poll(call.as_mut()).is_pending());
        }
        drop(given_up);
        let wait = payer.charge(0, 10_000);
        assert!(wait <= Duration::from_millis(100), "a hundred calls that waited have cost nothing: {wait:?}");
        first.await;
        assert_eq!(delays.get(), 101);
    }

    #[tokio::test]
    async fn room_is_given_in_order_and_fits_what_an_answer_takes() {
        let payer = Payer::new(8 * 1024);
        let mut first = payer.room(6 * 1024).await;
        assert_eq!(payer.used_bytes(), 6 * 1024);
        let mut second = pin!(payer.room(4 * 1024));
        assert!(poll(second.as_mut()).is_pending());
        let mut third = pin!(payer.room(1024));
        assert!(poll(third.as_mut()).is_pending(), "it came after the second");
        first.fit(&payer, 1);
        assert_eq!(payer.used_bytes(), 6 * 1024, "the others have what the first one gave back");
        drop((second.await, third.await, first));
        assert_eq!(payer.used_bytes(), 0);

        let mut room = payer.room(1 << 30).await;
        assert_eq!(payer.used_bytes(), 8 * 1024, "nobody waits for more than there is");
        room.fit(&payer, 3 * 1024);
        let mut other = Room::default();
        other.fit(&payer, 6 * 1024);
        assert_eq!(payer.used_bytes(), 3 * 1024, "bytes that are there do not wait");
        other.fit(&payer, 5 * 1024);
        assert_eq!(payer.used_bytes(), 8 * 1024);
    }
}
