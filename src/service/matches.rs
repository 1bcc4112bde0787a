//! The matches that are hosted: created and found, listed in order, dropped when nobody needs them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use super::error::ApiError;
use super::journal::Journal;
use super::limits::Limits;
use super::live_match::{Digest, LiveMatch, MatchConfig, ServerContext, player_name, random_bytes};
use crate::core::Seat;
use crate::host::{AnyRules, Conduct, MatchLog, MemoryLog, Setup};

/// The matches that are hosted. Clones share them.
#[derive(Clone)]
pub struct Matches {
    registry: Arc<Mutex<Registry>>,
    limits: Limits,
    context: ServerContext,
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Registry {
    by_id: HashMap<Arc<str>, Arc<LiveMatch>>,
    /// By the order of creation.
    in_order: BTreeMap<u64, Arc<LiveMatch>>,
    /// Those with an open seat, and some that have been filled since.
    seating: BTreeMap<u64, Arc<LiveMatch>>,
    /// What was asked for with a request id, by the hash of the id.
    requests: HashMap<Digest, Known>,
    created: u64,
}

/// A request that was carried out.
struct Known {
    content: Digest,
    live: Arc<LiveMatch>,
}

/// A request that may be sent again: the hash of its id, and that of its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) id: Digest,
    pub(super) content: Digest,
}

/// A match that somebody would join.
#[derive(Debug)]
pub(super) struct MatchFilter {
    rules: &'static dyn AnyRules,
    /// What may be agreed in it: for each seat count that would do, the fewest first.
    setup: Vec<Setup>,
    seat: Option<u32>,
}

impl fmt::Debug for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matches").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Default for Matches {
    /// With the usual limits, and logs in memory.
    fn default() -> Self {
        Self::new(Limits::default(), Box::<MemoryLog>::default())
    }
}

impl Matches {
    /// No matches yet. Their logs are kept in `log`.
    pub fn new(limits: Limits, log: Box<dyn MatchLog>) -> Self {
        let context = ServerContext { journal: Journal::start(log), token_key: random_bytes(), opened: Instant::now() };
        Self { registry: Arc::default(), limits, context, closing: watch::Sender::new(false) }
    }

    /// What they put up with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Hosts a new match.
    pub fn host(&self, config: MatchConfig) -> Result<Arc<LiveMatch>, ApiError> {
        self.host_by(config, None)
    }

    /// [`Self::host`], by a request that may be sent again.
    pub(super) fn host_by(&self, config: MatchConfig, request: Option<Request>) -> Result<Arc<LiveMatch>, ApiError> {
        // A match of bots is played to its end as it is created: not under the lock, and not in vain.
        let number = self.lock().number(&self.limits)?;
        let live = Arc::new(LiveMatch::new(config, number, self.context.clone()));
        let mut registry = self.lock();
        let known = registry.known(request);
        if !matches!(known, Ok(None)) {
            // It was created in vain, and may have a log already.
            live.close();
        }
        if let Some(known) = known? {
            return Ok(known);
        }
        registry.add(&live);
        registry.remember(request, &live);
        Ok(live)
    }

    /// The match that a request with this id has led to.
    pub(super) fn known(&self, request: Option<Request>) -> Result<Option<Arc<LiveMatch>>, ApiError> {
        self.lock().known(request)
    }

    /// Takes a seat in this match.
    pub(super) fn join(
        &self,
        match_id: &str,
        seat: Option<u32>,
        name: &str,
        request: Option<Request>,
    ) -> Result<(Arc<LiveMatch>, Seat, String), ApiError> {
        let live = self.find(match_id)?;
        // Remembered before anybody joins, so that no other request of this id comes between.
        let is_new = self.lock().reserve(request, &live)?;
        let joined = live.join_by(seat, name, request.map(|request| request.id));
        if let (Err(_), true, Some(request)) = (&joined, is_new, request) {
            self.lock().requests.remove(&request.id);
        }
        joined.map(|(seat, token)| (live, seat, token))
    }

    /// Takes a seat in the oldest match that fits, or in a new one.
    pub(super) fn join_any(
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
                // Somebody else was quicker.
                Err(error) if error.is_seat_taken() => full = Some(live.number),
                joined => return joined.map(|(seat, token)| (live, seat, token)),
            }
        }
    }

    /// The oldest match that fits, or a new one. It is remembered before anybody joins, so that the same
    /// request at the same time comes to the same match; unless that is the one that turned out `full`.
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
        registry.seating.retain(|_, live| live.is_open(None));
        let fitting = registry.seating.values().find(|live| filter.fits(live)).cloned();
        let live = if let Some(live) = fitting {
            live
        } else {
            let number = registry.number(&self.limits)?;
            let live = Arc::new(LiveMatch::new(filter.config(), number, self.context.clone()));
            registry.add(&live);
            live
        };
        registry.remember(request, &live);
        Ok(live)
    }

    pub(super) fn find(&self, match_id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        self.lock().by_id.get(match_id).cloned().ok_or_else(|| ApiError::unknown_match(match_id))
    }

    /// The matches from the one of this number on, the oldest first.
    pub(super) fn from(&self, number: u64) -> Vec<Arc<LiveMatch>> {
        self.lock().in_order.range(number..).map(|(_, live)| Arc::clone(live)).collect()
    }

    /// Drops the matches in which nothing has happened for too long, as of `now`; says how many.
    pub fn expire(&self, now: Instant) -> usize {
        let age = now.saturating_duration_since(self.context.opened).saturating_sub(self.limits.match_idle);
        let oldest = age.as_millis() as u64;
        let mut registry = self.lock();
        let idle = registry.in_order.values().filter(|live| live.changed_at() < oldest);
        let idle: Vec<_> = idle.map(|live| live.number).collect();
        for &number in &idle {
            registry.drop_match(number);
        }
        idle.len()
    }

    /// Sends everybody home who waits.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Is true from when the server closes.
    pub(super) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// A panic elsewhere leaves the register whole, for each change of it is one step.
    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registry {
    /// The number of the next match, if there is room for one; the match that was finished first makes it.
    fn number(&mut self, limits: &Limits) -> Result<u64, ApiError> {
        if self.in_order.len() >= limits.matches {
            let finished = self.in_order.values().filter(|live| live.is_finished());
            let first = finished.min_by_key(|live| live.changed_at()).map(|live| live.number);
            self.drop_match(first.ok_or_else(|| ApiError::too_many_matches(limits.matches))?);
        }
        self.created += 1;
        Ok(self.created)
    }

    fn add(&mut self, live: &Arc<LiveMatch>) {
        self.by_id.insert(Arc::clone(&live.id), Arc::clone(live));
        self.in_order.insert(live.number, Arc::clone(live));
        self.seating.insert(live.number, Arc::clone(live));
    }

    fn known(&self, request: Option<Request>) -> Result<Option<Arc<LiveMatch>>, ApiError> {
        let Some(request) = request else { return Ok(None) };
        match self.requests.get(&request.id) {
            Some(known) if known.content != request.content => Err(ApiError::request_id_reused()),
            known => Ok(known.map(|known| Arc::clone(&known.live))),
        }
    }

    /// Remembers a request, if it is not known; says whether it was not.
    fn reserve(&mut self, request: Option<Request>, live: &Arc<LiveMatch>) -> Result<bool, ApiError> {
        let is_new = self.known(request)?.is_none();
        if is_new {
            self.remember(request, live);
        }
        Ok(is_new)
    }

    fn remember(&mut self, request: Option<Request>, live: &Arc<LiveMatch>) {
        // One that was dropped in the meantime is not kept by what led to it.
        let request = request.filter(|_| self.in_order.contains_key(&live.number));
        if let Some(Request { id, content }) = request {
            self.requests.insert(id, Known { content, live: Arc::clone(live) });
        }
    }

    fn drop_match(&mut self, number: u64) {
        if let Some(live) = self.in_order.remove(&number) {
            self.by_id.remove(&live.id);
            self.seating.remove(&number);
            self.requests.retain(|_, known| known.live.number != number);
            live.close();
            tracing::info!(match_id = &*live.id, finished = live.is_finished(), "match dropped");
        }
    }
}

impl MatchFilter {
    /// What is wanted, checked: refuses what no match could be.
    pub(super) fn new(
        rules: &'static dyn AnyRules,
        seat_count: Option<usize>,
        options: &[(&str, &str)],
        seat: Option<u32>,
    ) -> Result<Self, ApiError> {
        let counts = seat_count.map_or(rules.seats(), |count| count..=count);
        let most = *counts.end();
        let setup = counts.map(|count| rules.configure(count, options)).collect::<Result<Vec<_>, _>>()?;
        let setup: Vec<_> = setup
            .into_iter()
            .filter(|setup| seat.is_none_or(|seat| setup.seats.get(seat as usize).is_some()))
            .collect();
        match setup.is_empty() {
            true => Err(ApiError::unknown_seat(seat, most)),
            false => Ok(Self { rules, setup, seat }),
        }
    }

    /// Whether a match is as it is wanted, with a seat open. One whose seed a client has chosen is not:
    /// that client could foresee its chance.
    fn fits(&self, live: &LiveMatch) -> bool {
        live.rules().info().id == self.rules.info().id
            && !live.seed_given
            && self.setup.contains(&live.setup)
            && live.is_open(self.seat)
    }

    /// A new match, with the fewest seats that would do.
    fn config(&self) -> MatchConfig {
        let setup = self.setup[0].clone();
        MatchConfig {
            rules: self.rules,
            bots: vec![None; setup.seats.count()],
            setup,
            seed: None,
            conduct: Conduct::default(),
        }
    }
}
