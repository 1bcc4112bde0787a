//! The clock of a server. It is monotonic: a change of the time of day does not affect it.

use std::time::Instant;

use ahu_host::MatchTime;

use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The clock of a server, in milliseconds. Clones show the same time.
///
/// The time of a server without a store begins at 0. With a store it continues from the time at which the last server on this
/// store ended, so the time between two servers does not count. The clock stands still while the store cannot be written.
#[derive(Clone, Debug)]
pub struct Clock {
    source: Source,
    /// The bit [`STOPPED`] and the time at which the clock stands still; or the difference between the time that the clock shows
    /// and the time of the source, modulo 2^63. One value, so that no reader sees a part of a change.
    state: Arc<AtomicU64>,
}

#[derive(Clone, Debug)]
enum Source {
    System(Instant),
    Manual(Arc<AtomicU64>),
}

/// Set while the clock stands still.
const STOPPED: u64 = 1 << 63;
/// The bits of a time.
const TIME: u64 = STOPPED - 1;

impl Clock {
    fn new(source: Source) -> Self {
        Self { source, state: Arc::new(AtomicU64::new(0)) }
    }

    /// Returns a clock that shows the time since this call.
    pub fn system() -> Self {
        Self::new(Source::System(Instant::now()))
    }

    /// Returns a clock that shows 0 until somebody sets it.
    pub fn manual() -> Self {
        Self::new(Source::Manual(Arc::default()))
    }

    /// Returns the time of the source.
    fn source(&self) -> u64 {
        match &self.source {
            Source::System(start) => start.elapsed().as_millis() as u64,
            Source::Manual(time) => time.load(Ordering::SeqCst),
        }
    }

    /// Returns the present time.
    pub fn now(&self) -> MatchTime {
        let mut state = self.state.load(Ordering::SeqCst);
        loop {
            if state & STOPPED != 0 {
                return MatchTime(state & TIME);
            }
            let now = self.source().wrapping_add(state) & TIME;
            // The clock may have stood still between the two looks.
            let before = state;
            state = self.state.load(Ordering::SeqCst);
            if state == before {
                return MatchTime(now);
            }
        }
    }

    /// Sets a manual clock. A clock that stands still counts from here when it goes on.
    ///
    /// # Panics
    /// If the clock is the clock of the system.
    pub fn set(&self, now: MatchTime) {
        match &self.source {
            Source::System(_) => panic!("expected a manual clock, got the clock of the system"),
            Source::Manual(time) => {
                let state = self.state.load(Ordering::SeqCst);
                let added = if state & STOPPED == 0 { state } else { 0 };
                time.store(now.0.wrapping_sub(added) & TIME, Ordering::SeqCst);
            }
        }
    }

    pub(super) fn stop(&self) {
        self.state.store(self.now().0 | STOPPED, Ordering::SeqCst);
    }

    /// Starts a stopped clock again, from the time that it shows.
    pub(super) fn go_on(&self) {
        self.go_on_from(self.now());
    }

    /// Sets the clock to this time, and starts it.
    pub(super) fn go_on_from(&self, time: MatchTime) {
        self.state.store(time.0.wrapping_sub(self.source()) & TIME, Ordering::SeqCst);
    }

    /// Returns true if the time passes only when somebody sets it.
    pub(super) fn is_manual(&self) -> bool {
        matches!(self.source, Source::Manual(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_still_goes_on_from_where_it_stood() {
        let clock = Clock::manual();
        clock.go_on_from(MatchTime(500));
        clock.set(MatchTime(600));
        clock.stop();
        clock.set(MatchTime(10_000));
        assert_eq!(clock.now(), MatchTime(600));
        clock.go_on();
        assert_eq!(clock.now(), MatchTime(600));
        clock.set(MatchTime(601));
        assert_eq!(clock.now(), MatchTime(601));
    }
}
