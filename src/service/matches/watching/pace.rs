//! The pace of a server's watchers: a bound on the messages that all of them get in a second, and on those at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::service::limits::{WATCH_BURST, WATCH_RATE};

/// The pace of all watchers of a server. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Pace {
    /// The time up to which the turns that were given use the rate.
    used: Arc<Mutex<Option<Instant>>>,
}

impl Pace {
    /// Waits for the turn of one message. A few turns may be taken at once.
    pub(super) async fn turn(&self) {
        let turn = self.free_after(1);
        if turn > Instant::now() + time_of(WATCH_BURST) {
            sleep_until(turn).await;
        }
    }

    /// Waits until the rate has room again after this number of messages that are about to take their turns.
    pub(super) async fn settle(&self, messages: usize) {
        if messages > 0 {
            let from = self.free_after(0);
            sleep_until(from + time_of(messages)).await;
        }
    }

    /// Takes turns for these messages, and returns the time of the first of them.
    fn free_after(&self, messages: usize) -> Instant {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let first = used.map_or(now, |used| used.max(now));
        *used = Some(first + time_of(messages));
        first
    }
}

/// Returns the time in which the rate has room for this number of messages.
fn time_of(messages: usize) -> Duration {
    Duration::from_secs(1) * u32::try_from(messages).unwrap_or(u32::MAX) / WATCH_RATE
}
