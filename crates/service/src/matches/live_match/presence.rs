//! Presence: true for a seat whose agent is in contact with the server.
//!
//! Absence forfeits nothing by itself. Unary calls cannot tell an agent that thinks from an agent that is gone, so the clock
//! decides. A seat is present while a call with its token is in progress, and for 10 s after the call. A match may agree on a
//! limit to absence. The exit of a program that we started is certain, and has a cause of its own.

use ahu_host::MatchTime;

use crate::limits::PRESENCE_GRACE;
use crate::matches::Clock;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The presence of one seat.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    /// True once a call began.
    has_called: AtomicBool,
    /// The number of calls in progress.
    calls: AtomicU32,
    /// The time at which the last call ended.
    left: AtomicU64,
}

/// A call in progress that waits, or a stream, with the token of a seat.
#[derive(Debug)]
pub(crate) struct PresentCall {
    presence: Arc<Presence>,
    clock: Clock,
}

impl Presence {
    /// Notes a call that begins and ends now.
    pub(crate) fn note_call(&self, now: MatchTime) {
        self.has_called.store(true, Ordering::SeqCst);
        self.left.fetch_max(now.0, Ordering::SeqCst);
    }

    /// Begins a call that waits. It ends when the returned value is dropped.
    pub(crate) fn enter(self: &Arc<Self>, clock: &Clock) -> PresentCall {
        self.has_called.store(true, Ordering::SeqCst);
        self.calls.fetch_add(1, Ordering::SeqCst);
        PresentCall { presence: Arc::clone(self), clock: clock.clone() }
    }

    /// Notes that an agent took the seat. The seat is present from now on.
    pub(crate) fn join(&self, now: MatchTime) {
        self.left.fetch_max(now.0, Ordering::SeqCst);
    }

    /// Returns true if a call ever began.
    pub(crate) fn has_called(&self) -> bool {
        self.has_called.load(Ordering::SeqCst)
    }

    /// Returns true if a call is in progress.
    pub(crate) fn is_calling(&self) -> bool {
        self.calls.load(Ordering::SeqCst) > 0
    }

    /// Returns the time at which the last call ended.
    pub(crate) fn left(&self) -> MatchTime {
        MatchTime(self.left.load(Ordering::SeqCst))
    }

    /// Returns true if the seat is present.
    pub(crate) fn is_present(&self, now: MatchTime) -> bool {
        self.absent_since().is_none_or(|absent| now < absent)
    }

    /// Returns the time from which the seat is absent unless another call begins; None while a call is in progress.
    pub(crate) fn absent_since(&self) -> Option<MatchTime> {
        // In this order, since a call notes its end before it ceases to be in progress.
        let is_calling = self.is_calling();
        (!is_calling).then(|| after(self.left()))
    }

    /// Notes a strike for absence at this time. The absence counts anew from then on.
    pub(crate) fn note_strike(&self, now: MatchTime) {
        self.join(MatchTime(now.0.saturating_sub(PRESENCE_GRACE.as_millis() as u64)));
    }
}

/// Returns the time from which a seat is absent if its last call ended at `left`.
pub(crate) fn after(left: MatchTime) -> MatchTime {
    MatchTime(left.0.saturating_add(PRESENCE_GRACE.as_millis() as u64))
}

impl Drop for PresentCall {
    fn drop(&mut self) {
        self.presence.left.fetch_max(self.clock.now().0, Ordering::SeqCst);
        self.presence.calls.fetch_sub(1, Ordering::SeqCst);
    }
}
