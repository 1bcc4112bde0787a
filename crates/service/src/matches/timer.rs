//! The timer: one thread for all matches, which tells a match that a deadline may have passed.
//!
//! A match has at most one entry in the timer. If the entry fires before the true deadline, the match sets it again, so a call
//! that moves a deadline back costs nothing. The match ends a decision 20 ms after its deadline
//! ([`TIMER_SLACK`](crate::limits::TIMER_SLACK)), so that an answer which arrived in time and waits for the lock comes
//! first.

use std::collections::BTreeMap;
use std::time::Duration;

use ahu_host::MatchTime;

use super::Clock;
use crate::limits::CLOCK_BEAT;
use crate::lock;
use crate::sync::{Arc, Condvar, Mutex, PoisonError, Weak, thread};

/// An owner of deadlines: a match.
pub(super) trait Timed: Send + Sync {
    /// Looks at the deadlines, after the entry at this time has left the timer.
    fn time_out(&self, entry: MatchTime);
}

/// A handle on the thread. Clones share the thread, which ends with the last of them.
#[derive(Clone)]
pub(super) struct Timer(Arc<Handle>);

struct Handle(Arc<TimerState>);

struct TimerState {
    clock: Clock,
    entries: Mutex<Entries>,
    changed: Condvar,
}

#[derive(Default)]
struct Entries {
    /// The owners by time, and then by number.
    by_time: BTreeMap<(MatchTime, u64), Weak<dyn Timed>>,
    is_closed: bool,
}

impl Timer {
    /// Starts the thread. With a manual clock there is no thread: the holder of the clock calls [`Self::fire`].
    pub(super) fn start(clock: Clock) -> Self {
        let is_manual = clock.is_manual();
        let shared = Arc::new(TimerState { clock, entries: Mutex::default(), changed: Condvar::new() });
        if !is_manual {
            let shared = Arc::clone(&shared);
            let work = move || {
                while shared.wait() {
                    shared.fire();
                }
            };
            thread::Builder::new().name("timer".to_owned()).spawn(work).expect("the system has threads");
        }
        Self(Arc::new(Handle(shared)))
    }

    /// Moves the entry of the owner with this number from the time `from` to the time `to`. None means no entry.
    pub(super) fn schedule(
        &self,
        number: u64,
        from: Option<MatchTime>,
        to: Option<MatchTime>,
        timed: impl FnOnce() -> Weak<dyn Timed>,
    ) {
        let shared = &self.0.0;
        let mut entries = lock(&shared.entries);
        if let Some(from) = from {
            entries.by_time.remove(&(from, number));
        }
        if let Some(to) = to {
            entries.by_time.insert((to, number), timed());
            let is_first = entries.by_time.first_key_value().is_some_and(|(first, _)| *first == (to, number));
            drop(entries);
            if is_first {
                shared.changed.notify_one();
            }
        }
    }

    /// Returns true if the timer has an entry.
    pub(super) fn is_waiting(&self) -> bool {
        !lock(&self.0.0.entries).by_time.is_empty()
    }

    /// Tells all owners whose time has come.
    pub(super) fn fire(&self) {
        self.0.0.fire();
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        lock(&self.0.entries).is_closed = true;
        self.0.changed.notify_all();
    }
}

impl TimerState {
    /// Waits until the first entry is due. Returns false once the timer is closed.
    fn wait(&self) -> bool {
        let mut entries = lock(&self.entries);
        while !entries.is_closed {
            let (now, first) = (self.clock.now(), entries.by_time.first_key_value());
            entries = match first.map(|((time, _), _)| time.0.saturating_sub(now.0)) {
                Some(0) => return true,
                left => {
                    // Looks at the clock often, so that the clock tells a pause of the process from a quiet time.
                    let time = left.map_or(CLOCK_BEAT, |left| CLOCK_BEAT.min(Duration::from_millis(left)));
                    self.changed.wait_timeout(entries, time).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        false
    }

    fn fire(&self) {
        let now = self.clock.now();
        loop {
            let mut entries = lock(&self.entries);
            let Some(first) = entries.by_time.first_entry().filter(|first| first.key().0 <= now) else { return };
            let ((time, _), timed) = first.remove_entry();
            drop(entries);
            // The owner takes its own lock, and may schedule itself again.
            if let Some(timed) = timed.upgrade() {
                timed.time_out(time);
            }
        }
    }
}
