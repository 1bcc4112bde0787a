//! The pace of a server's watchers: a bound on the messages that all of them get in a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::service::limits::WATCH_RATE;

/// The pace of all watchers of a server. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Pace {
    /// The time up to which the messages that were sent use the rate.
    used: Arc<Mutex<Option<Instant>>>,
}

impl Pace {
    /// Waits until the rate has room again after this number of messages. The first messages after a pause go at once.
    pub(super) async fn spend(&self, messages: usize) {
        if messages > 0 {
            let free_at = {
                let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                let messages = u32::try_from(messages).unwrap_or(u32::MAX);
                let free_at = used.map_or(now, |used| used.max(now)) + Duration::from_secs(1) * messages / WATCH_RATE;
                *used = Some(free_at);
                free_at
            };
            sleep_until(free_at).await;
        }
    }
}
