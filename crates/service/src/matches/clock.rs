//! The clock of a server. It is monotonic: a change of the time of day does not affect it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ahu_host::MatchTime;

use crate::limits::CLOCK_PAUSE;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The clock of a server, in milliseconds. Clones show the same time.
///
/// The time of a server without a store begins at 0. With a store it continues from the time at which the last server on this
/// store ended, so the time between two servers does not count. The clock stands still while the store cannot be written, and
/// while the whole process stands still: the timer looks at it several times a second, and a long time between two looks does not
/// count.
#[derive(Clone, Debug)]
pub struct Clock {
    source: Source,
    /// The bit [`STOPPED`] and the time at which the clock stands still; or the difference between the time that the clock shows
    /// and the time of the source, modulo 2^63. One value, so that no reader sees a part of a change.
    state: Arc<AtomicU64>,
}

#[derive(Clone, Debug)]
enum Source {
    /// The time of the last look, and the time until then that counts.
    System(Arc<Mutex<(Instant, Duration)>>),
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
        Self::new(Source::System(Arc::new(Mutex::new((Instant::now(), Duration::ZERO)))))
    }

    /// Returns a clock that shows 0 until somebody sets it.
    pub fn manual() -> Self {
        Self::new(Source::Manual(Arc::default()))
    }

    /// Returns the time of the source.
    fn source(&self) -> u64 {
        match &self.source {
            Source::System(looked) => look(&mut looked.lock().unwrap_or_else(PoisonError::into_inner), Instant::now()),
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

/// Returns the milliseconds that count until `now`. A pause of the process is a long time since the last look.
fn look((last, counted): &mut (Instant, Duration), now: Instant) -> u64 {
    let passed = now.saturating_duration_since(*last);
    (*last, *counted) = (now.max(*last), *counted + if passed < CLOCK_PAUSE { passed } else { Duration::ZERO });
    counted.as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_of_the_process_does_not_count() {
        let begin = Instant::now();
        let (mut now, mut looked) = (begin, (begin, Duration::ZERO));
        for (passed, counted) in [(250, 250), (999, 1_249), (60_000, 1_249), (1, 1_250), (1_000, 1_250), (250, 1_500)] {
            now += Duration::from_millis(passed);
            assert_eq!(look(&mut looked, now), counted, "{passed} ms later");
        }
        assert_eq!(look(&mut looked, begin), 1_500, "another thread has looked since");
    }

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
