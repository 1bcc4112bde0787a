//! The clock of searches with a budget of time: with the bench, the only code of the host that measures time.

use std::time::{Duration, Instant};

/// A stopwatch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns true if this number of milliseconds has passed.
    pub(super) fn has_reached(self, milliseconds: f64) -> bool {
        self.0.elapsed() >= Duration::from_secs_f64(milliseconds / 1000.0)
    }
}
