//! The watchers of a server: how many the server and each match have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ahu_host::api::ApiError;

use super::feed::Feeds;
use crate::admission::Limiter;
use crate::limits::Limits;
use crate::{lock, refusals};

/// The watchers of a server. Clones share them.
#[derive(Clone)]
pub(crate) struct Watchers {
    pub(super) limiter: Limiter,
    watched: Arc<Mutex<HashMap<Arc<str>, Watched>>>,
}

/// A match that is watched.
#[derive(Default)]
struct Watched {
    watchers: usize,
    feeds: Arc<Feeds>,
}

/// The permit of one watcher. A drop gives it back.
pub(super) struct WatcherPermit {
    pub(super) watchers: Watchers,
    match_id: Arc<str>,
    pub(super) feeds: Arc<Feeds>,
}

impl Watchers {
    pub(crate) fn new(limiter: &Limiter) -> Self {
        Self { limiter: limiter.clone(), watched: Arc::default() }
    }

    /// Returns a permit for a watcher of this match.
    pub(super) fn enter(&self, match_id: &Arc<str>) -> Result<WatcherPermit, ApiError> {
        let &Limits { watchers: most, match_watchers, .. } = self.limiter.limits();
        let mut watched = lock(&self.watched);
        if watched.values().map(|of| of.watchers).sum::<usize>() >= most {
            return Err(refusals::too_many_watchers(most, None));
        }
        if watched.get(match_id).map_or(0, |of| of.watchers) >= match_watchers {
            return Err(refusals::too_many_watchers(match_watchers, Some(match_id)));
        }
        let of = watched.entry(Arc::clone(match_id)).or_default();
        of.watchers += 1;
        Ok(WatcherPermit { watchers: self.clone(), match_id: Arc::clone(match_id), feeds: Arc::clone(&of.feeds) })
    }
}

impl Drop for WatcherPermit {
    fn drop(&mut self) {
        let mut watched = lock(&self.watchers.watched);
        let Some(of) = watched.get_mut(&self.match_id) else { return };
        of.watchers -= 1;
        if of.watchers == 0 {
            of.feeds.close();
            watched.remove(&self.match_id);
        }
    }
}
