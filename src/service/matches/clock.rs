//! The clock of a server. It is monotonic: a change of the time of day does not affect it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::host::MatchTime;

/// The source of time, in milliseconds since the server started. Clones show the same time.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System(Instant),
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// Returns a clock that shows the time since this call.
    pub fn system() -> Self {
        Self(Source::System(Instant::now()))
    }

    /// Returns a clock that shows 0 until somebody sets it.
    pub fn manual() -> Self {
        Self(Source::Manual(Arc::default()))
    }

    /// Returns the present time.
    pub fn now(&self) -> MatchTime {
        MatchTime(match &self.0 {
            Source::System(start) => start.elapsed().as_millis() as u64,
            Source::Manual(time) => time.load(Ordering::SeqCst),
        })
    }

    /// Sets a manual clock.
    ///
    /// # Panics
    /// If the clock is that of the system.
    pub fn set(&self, now: MatchTime) {
        match &self.0 {
            Source::System(_) => panic!("expected a manual clock, got the clock of the system"),
            Source::Manual(time) => time.store(now.0, Ordering::SeqCst),
        }
    }

    /// Returns true if the time passes only when somebody sets it.
    pub(super) fn is_manual(&self) -> bool {
        matches!(self.0, Source::Manual(_))
    }
}
