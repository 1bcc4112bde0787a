//! Matches: created, joined, found, and dropped.

mod bot_pool;
mod handlers;
mod journal;
mod live;
mod present;
mod progress;
mod registry;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use self::bot_pool::BotPool;
use self::journal::Journal;
pub use self::live::{LiveMatch, MatchConfig};
use self::live::{ServerContext, player_name};
use self::registry::{MatchFilter, Registry, Request};
use super::limits::Limits;
use super::random::random_bytes;
use crate::core::Seat;
use crate::host::MatchLog;
use crate::host::api::ApiError;
use crate::proto::v1::ErrorReason;

/// The hosted matches. Clones share them.
#[derive(Clone)]
pub struct Matches {
    registry: Arc<Mutex<Registry>>,
    limits: Limits,
    context: ServerContext,
    closing: watch::Sender<bool>,
}

impl fmt::Debug for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matches").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Default for Matches {
    /// Creates an empty register with the default limits and without a store.
    fn default() -> Self {
        Self::new(Limits::default(), None)
    }
}

impl Matches {
    /// Creates an empty register. With a store, no call returns before the store has kept the entries behind its answer.
    pub fn new(limits: Limits, store: Option<Box<dyn MatchLog>>) -> Self {
        let context = ServerContext {
            journal: store.map(Journal::start),
            bots: BotPool::start(),
            token_key: random_bytes(),
            started: Instant::now(),
        };
        Self { registry: Arc::default(), limits, context, closing: watch::Sender::new(false) }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Hosts a new match. Bots begin to play at once if they take all seats.
    pub fn host(&self, config: MatchConfig) -> Result<Arc<LiveMatch>, ApiError> {
        self.lock().create(config, None, &self.limits, &self.context)
    }

    /// Drops the matches that have had no activity for too long, as of `now`. Returns their number.
    pub fn expire(&self, now: Instant) -> usize {
        let age = now.saturating_duration_since(self.context.started).saturating_sub(self.limits.match_idle);
        self.lock().drop_idle(age.as_millis() as u64)
    }

    /// Ends all calls that wait.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Returns a value that becomes true when the server shuts down.
    fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Returns the match that an earlier request with this id led to.
    fn known(&self, request: Option<Request>) -> Result<Option<Arc<LiveMatch>>, ApiError> {
        self.lock().known(request)
    }

    /// Does the same as [`Self::host`], for a request that may be sent again.
    fn host_by(&self, config: MatchConfig, request: Option<Request>) -> Result<Arc<LiveMatch>, ApiError> {
        let mut registry = self.lock();
        match registry.known(request)? {
            Some(known) => Ok(known),
            None => registry.create(config, request, &self.limits, &self.context),
        }
    }

    fn find(&self, match_id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        self.lock().find(match_id)
    }

    /// Returns the matches from this number on, the oldest first.
    fn from(&self, number: u64) -> Vec<Arc<LiveMatch>> {
        self.lock().from(number).cloned().collect()
    }

    /// Takes a seat in this match.
    fn join(
        &self,
        match_id: &str,
        seat: Option<u32>,
        name: &str,
        request: Option<Request>,
    ) -> Result<(Arc<LiveMatch>, Seat, String), ApiError> {
        let live = self.find(match_id)?;
        // The request is remembered before it joins, so that no other request with this id comes between.
        let is_new = self.lock().reserve(request, &live)?;
        let joined = live.join_by(seat, name, request.map(|request| request.id));
        if let (Err(_), true, Some(request)) = (&joined, is_new, request) {
            self.lock().forget(request);
        }
        joined.map(|(seat, token)| (live, seat, token))
    }

    /// Takes a seat in the oldest match that fits, or in a new one.
    fn join_any(
        &self,
        filter: &MatchFilter,
        name: &str,
        request: Option<Request>,
    ) -> Result<(Arc<LiveMatch>, Seat, String), ApiError> {
        let name = player_name(name)?;
        let mut full = None;
        loop {
            let live = self.seat_for(filter, request, full)?;
            match live.join_by(filter.seat, name, request.map(|request| request.id)) {
                // Another call took the last seat, or the server dropped the match.
                Err(error) if matches!(error.reason(), ErrorReason::SeatTaken | ErrorReason::UnknownMatch) => {
                    full = Some(live.number);
                }
                joined => return joined.map(|(seat, token)| (live, seat, token)),
            }
        }
    }

    /// Returns the oldest match that fits, or a new one. The request is remembered before it joins, so that the same
    /// request at the same time comes to the same match, unless that is the one that was `full`.
    fn seat_for(
        &self,
        filter: &MatchFilter,
        request: Option<Request>,
        full: Option<u64>,
    ) -> Result<Arc<LiveMatch>, ApiError> {
        let mut registry = self.lock();
        if let Some(known) = registry.known(request)?.filter(|known| Some(known.number) != full) {
            return Ok(known);
        }
        if let Some(live) = registry.fitting(filter) {
            registry.remember(request, &live);
            return Ok(live);
        }
        registry.create(filter.config(), request, &self.limits, &self.context)
    }

    /// Each change of the register is one step, so a panic elsewhere leaves it whole.
    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
