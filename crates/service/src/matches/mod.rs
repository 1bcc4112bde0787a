//! Matches: created, joined, found, and dropped.
//!
//! The type [`Matches`] is the front of this module. `live_match/` is one match;
//! `registry/` holds the matches in memory, and reads the others from the store; `journal/` writes the store; `seat_queue/`
//! hands agents the seats that they play one after the other; `watching.rs` streams matches to watchers. `clock.rs`,
//! `timer.rs`, and `bot_pool.rs` belong to all matches of a server.

mod bot_pool;
mod clock;
mod journal;
pub(crate) mod live_match;
mod registry;
mod seat_queue;
mod timer;
pub(crate) mod watching;
mod workers;

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use ahu_core::Seat;
use ahu_host::api::ApiError;
use ahu_host::{MAX_CONTROL, MatchTime};
use tokio::sync::watch;

use self::bot_pool::BotPool;
pub use self::clock::Clock;
use self::journal::{Journal, Writer};
use self::live_match::ServerContext;
pub use self::live_match::{DebugCommand, LiveMatch, MatchConfig, SupervisorConfig};
pub(crate) use self::registry::MatchFilter;
use self::registry::{Archive, Ended, Registry};
pub use self::registry::{Recovered, RecoveryError};
use self::seat_queue::SeatQueues;
pub(crate) use self::seat_queue::Seats;
pub use self::seat_queue::{AssignedSeat, PracticeOffer, SeatQueue};
use self::timer::Timer;
use self::watching::Watchers;
pub(super) use self::watching::{Board, Message};
pub use self::workers::Workers;
use super::accounts::{Accounts, Client};
use super::admission::{Lease, Limiter};
use super::audit::Audit;
use super::background::Background;
use super::limits::Limits;
use super::lock;
use super::metrics::{GaugesOfServer, Metrics};
use super::reservation::Joiner;
use super::secrets::{TokenHash, random_bytes};
use super::store::{Facts, Request, Store, StoreError};
use crate::proto::v1::ErrorReason;

/// A match that a call names or creates.
type Found = Result<Arc<LiveMatch>, ApiError>;
/// A seat that a player took, with its match and its token.
type Joined = Result<(Arc<LiveMatch>, Seat, String), ApiError>;

/// The hosted matches. Clones share them.
#[derive(Clone)]
pub struct Matches {
    registry: Arc<Mutex<Registry>>,
    /// Held while a match is made for a request, so that the same request makes no second one. The register is free meanwhile.
    making: Arc<Mutex<()>>,
    /// The turns of the calls that make matches: one at a time, so that they block one thread at most.
    pub(crate) making_turn: Arc<tokio::sync::Mutex<()>>,
    context: ServerContext,
    /// The matches that are not in memory; None without a store.
    archive: Option<Arc<Archive>>,
    pub(crate) seat_queues: SeatQueues,
    /// The hash of the organiser's key; empty if the server has no organiser.
    pub(crate) organiser: Arc<OnceLock<TokenHash>>,
    watchers: Watchers,
    /// The threads for work beside calls, such as pictures.
    pub(crate) background: Background,
    closing: watch::Sender<bool>,
    /// The error of the store while it fails.
    store_failing: watch::Sender<Option<StoreError>>,
}

opaque!(Matches);

impl Default for Matches {
    /// Creates a server without matches, with the default limits and without a store.
    fn default() -> Self {
        Self::new(Limits::default(), None)
    }
}

impl Matches {
    /// Creates a server without matches in memory. With a store, no call returns before the store has the changes behind its
    /// answer, and the matches of the store are read when somebody asks: see [`Self::recover`].
    pub fn new(limits: Limits, store: Option<Box<dyn Store>>) -> Self {
        Self::with_clock(limits, store, Clock::system())
    }

    /// Creates a server with this clock: see [`Self::new`]. With a manual clock, deadlines pass when the caller moves the
    /// clock with [`Self::advance`].
    pub fn with_clock(limits: Limits, store: Option<Box<dyn Store>>, clock: Clock) -> Self {
        let (matches, writer) = Self::assemble(limits, store, clock, BotPool::new(), false);
        if let Some(writer) = writer {
            writer.start();
        }
        matches
    }

    /// Creates a server with a manual clock and without threads: the caller does the work of its threads step by step. So a
    /// simulation decides what happens when, and the same decisions have the same outcome. [`Self::flush`] and
    /// [`Self::prune`] would wait for ever, since nobody works meanwhile.
    pub fn stepped(limits: Limits, store: Option<Box<dyn Store>>) -> (Self, Workers) {
        let (matches, writer) = Self::assemble(limits, store, Clock::manual(), BotPool::stepped(), true);
        let workers = Workers::new(writer, matches.context.bots.clone());
        (matches, workers)
    }

    /// Returns a server whose journal is not started.
    fn assemble(
        limits: Limits,
        store: Option<Box<dyn Store>>,
        clock: Clock,
        bots: BotPool,
        is_stepped: bool,
    ) -> (Self, Option<Writer>) {
        let new = || Facts { token_key: random_bytes(), time: clock.now(), last_number: 0 };
        let facts = store.as_ref().map_or_else(new, |store| store.facts());
        clock.go_on_from(facts.time);
        let timer = Timer::start(clock.clone());
        let (limiter, metrics) = (Limiter::new(&limits), Metrics::default());
        let archive = store.as_ref().map(|store| Arc::new(Archive::new(store.readers(), is_stepped)));
        let store_failing = watch::Sender::new(None);
        let new = |store| Journal::new(store, clock.clone(), timer.clone(), metrics.clone(), store_failing.clone());
        let journal = store.map(new);
        let (journal, writer) = journal.unzip();
        let ended = Arc::<Ended>::default();
        let context = ServerContext {
            journal,
            bots,
            timer,
            limiter,
            ended: Arc::clone(&ended),
            metrics,
            token_key: facts.token_key,
            clock,
            accounts: Arc::default(),
        };
        let matches = Self {
            registry: Arc::new(Mutex::new(Registry::after(facts.last_number, ended))),
            making: Arc::default(),
            making_turn: Arc::default(),
            watchers: Watchers::new(&context.limiter),
            context,
            archive,
            seat_queues: SeatQueues::default(),
            organiser: Arc::default(),
            background: Background::default(),
            closing: watch::Sender::new(false),
            store_failing,
        };
        (matches, writer)
    }

    /// Moves a manual clock forward, and applies the consequences of all deadlines that have passed.
    ///
    /// # Panics
    /// If the clock is the clock of the system.
    pub fn advance(&self, time: Duration) {
        let clock = &self.context.clock;
        clock.set(MatchTime(clock.now().0 + time.as_millis() as u64));
        self.context.timer.fire();
    }

    /// Returns the time of the server.
    pub fn now(&self) -> MatchTime {
        self.context.clock.now()
    }

    /// Lets the clock stand still, or go on if nothing else holds it: the store does while it fails.
    pub(super) fn stand_still(&self, stands_still: bool) {
        match stands_still {
            true => self.context.clock.stop(),
            false if self.store_failing.borrow().is_none() => self.context.clock.go_on(),
            false => {}
        }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        self.context.limiter.limits()
    }

    /// Admits the keys of these accounts from now on, and writes the audit.
    pub(super) fn set_accounts(&self, accounts: Accounts, audit: Audit) {
        // A server has one directory.
        let _ = self.context.accounts.set((accounts, audit));
    }

    /// Returns the accounts; None on a server that knows none.
    pub(super) fn accounts(&self) -> Option<&Accounts> {
        self.context.accounts.get().map(|(accounts, _)| accounts)
    }

    /// Returns the audit; one that writes nothing on a server without accounts.
    pub(super) fn audit(&self) -> &Audit {
        static NONE: Audit = Audit::none();
        self.context.accounts.get().map_or(&NONE, |(_, audit)| audit)
    }

    /// Returns true if the operator has named the key of an organiser.
    pub(super) fn has_organiser(&self) -> bool {
        self.organiser.get().is_some()
    }

    /// Returns true if a token is the key of the operator's organiser.
    pub(super) fn knows_organiser(&self, token: TokenHash) -> bool {
        self.organiser.get() == Some(&token)
    }

    /// Returns true if a token is the key of the operator's organiser or of an agent of a cup.
    pub(super) fn knows_key(&self, token: TokenHash) -> bool {
        self.knows_organiser(token) || self.seat_queues.knows(token)
    }

    /// Returns true as [`Self::knows_key`] does, and also while an organiser has still to name the agents.
    pub(super) fn may_know_key(&self, token: TokenHash) -> bool {
        self.seat_queues.awaits_organiser(self.now()) || self.knows_key(token)
    }

    /// Returns the limiter of the server.
    pub(super) fn limiter(&self) -> &Limiter {
        &self.context.limiter
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.context.metrics
    }

    /// Hosts a new match. Bots begin to play at once if they take all seats. Refuses an impossible beginning.
    pub fn host(&self, config: MatchConfig) -> Result<Arc<LiveMatch>, ApiError> {
        config.check_beginning().map_err(|error| ApiError::bad_field("beginning", error.to_string()))?;
        self.make(config, None, Lease::default())
    }

    /// Makes a new match for a creator with this share, and remembers the request that led to it.
    fn make(&self, config: MatchConfig, request: Option<Request>, share: Lease) -> Found {
        let mut registry = lock(&self.registry);
        let left = registry.make_room(self.limits());
        let number = registry.begin(self.limits());
        drop(registry);
        drop(left);
        let live = LiveMatch::new(config, number?, request, share, self.context.clone());
        lock(&self.registry).add(&live, request);
        Ok(live)
    }

    /// Drops from memory the matches that have ended, and cancels the matches that have not begun, after too long without
    /// activity. Returns the number of matches that left memory. Without a store they are gone.
    pub fn expire(&self) -> usize {
        let idle = self.limits().match_idle.as_millis() as u64;
        let oldest = MatchTime(self.now().0.saturating_sub(idle));
        // Bots with a lower priority may hold a match, so the register is free while this call looks at all of them.
        let mut idle = self.down_from(u64::MAX, usize::MAX);
        idle.retain(|live| live.look(|state| state.changed_at) < oldest);
        idle.reverse();
        let mut registry = lock(&self.registry);
        let left = registry.make_room(self.limits());
        let count = registry.drop_idle(idle);
        drop(registry);
        drop(left);
        count
    }

    /// Returns the number of matches in memory.
    pub fn in_memory(&self) -> usize {
        lock(&self.registry).in_order.len()
    }

    /// Returns the memory of the matches that have ended, in bytes.
    pub fn ended_bytes(&self) -> usize {
        lock(&self.registry).ended.bytes()
    }

    /// Sets the gauges of the matches, of their queues, and of their memory.
    pub(super) fn set_gauges(&self, gauges: &GaugesOfServer) {
        let mut in_progress = 0;
        for live in self.down_from(u64::MAX, usize::MAX) {
            let (state, bytes) = live.look(|state| (state.lifecycle.state(), state.size()));
            let name = state.as_str_name().trim_start_matches("MATCH_STATE_").to_lowercase();
            gauges.add_match(live.rules().info().id, &name);
            in_progress += if live.has_ended() { 0 } else { bytes };
        }
        gauges.set_memory("matches_in_progress", in_progress);
        gauges.set_memory("matches_ended", self.ended_bytes());
        let [agents, bots_alone] = self.context.bots.queued();
        let stored = self.context.journal.as_ref().map_or(0, Journal::queued);
        for (queue, jobs) in [("bots_beside_agents", agents), ("bots_alone", bots_alone), ("store", stored)] {
            GaugesOfServer::set(&gauges.queue_length, "queue", queue, jobs as u64);
        }
    }

    /// Refuses all later changes, ends all calls that wait, and stops the clock, so that matches stand still.
    pub fn close(&self) {
        self.closing.send_replace(true);
        if self.context.journal.is_some() {
            self.context.clock.stop();
        }
    }

    /// Returns a receiver of the error of the store; None while it does not fail.
    pub fn store_failing(&self) -> watch::Receiver<Option<StoreError>> {
        self.store_failing.subscribe()
    }

    /// Waits until the store has everything that the matches have handed over. Returns false if the store fails; then it has
    /// only what was acknowledged. Blocks the thread.
    pub fn flush(&self) -> bool {
        self.context.journal.as_ref().is_none_or(Journal::flush)
    }

    /// Returns a receiver whose value becomes true when the server shuts down.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Hosts a new match within the shares of the client, or returns the match of the same earlier request.
    pub(crate) fn host_by(&self, config: MatchConfig, request: Option<Request>, client: &Client) -> Found {
        let _making = lock(&self.making);
        let known = lock(&self.registry).known(request)?;
        known.map_or_else(|| self.make_for(config, request, client), Ok)
    }

    /// Makes a new match within the shares of the client.
    fn make_for(&self, config: MatchConfig, request: Option<Request>, client: &Client) -> Found {
        let stand_in = config.terms.stand_in_of(config.setup.rules());
        let share = client.lease_match(&config.bots, stand_in)?;
        self.make(config, request, share)
    }

    /// Returns at most `count` matches down from this number, the newest first.
    pub(crate) fn down_from(&self, number: u64, count: usize) -> Vec<Arc<LiveMatch>> {
        lock(&self.registry).down_from(number).take(count).cloned().collect()
    }

    /// Takes a seat in this match.
    pub(crate) fn join(&self, live: Arc<LiveMatch>, seat: Option<u32>, joiner: &Joiner<'_>) -> Joined {
        let request = joiner.request;
        // Remember the request before it joins, so that no other request with this id comes between.
        let is_new = lock(&self.registry).reserve(request, &live)?;
        let taken = live.join_by(seat, joiner);
        if let (Err(_), true, Some(request)) = (&taken, is_new, request) {
            lock(&self.registry).forget(request);
        }
        taken.map(|(seat, token)| (live, seat, token))
    }

    /// Takes a seat in the oldest match that fits, or in a new one.
    pub(crate) fn join_any(&self, filter: &MatchFilter, joiner: &Joiner<'_>, client: &Client) -> Joined {
        let mut full = None;
        loop {
            let (live, is_new) = self.seat_for(filter, joiner, client, full)?;
            let taken = live.join_by(filter.seat, joiner);
            if let (Err(_), true, Some(request)) = (&taken, is_new, joiner.request) {
                lock(&self.registry).forget(request);
            }
            match taken {
                // Another call took the last seat, or the match was cancelled or dropped.
                Err(error) if is_gone(error.reason) => full = Some(live.facts.head.number),
                taken => return taken.map(|(seat, token)| (live, seat, token)),
            }
        }
    }

    /// Returns the oldest match that fits, or a new match. The request is remembered before it joins, so that the same
    /// request at the same time comes to the same match, unless that match is the match `full`, whose seats are taken. Returns
    /// true beside an older match that the request had not led to.
    fn seat_for(
        &self,
        filter: &MatchFilter,
        joiner: &Joiner<'_>,
        client: &Client,
        full: Option<u64>,
    ) -> Result<(Arc<LiveMatch>, bool), ApiError> {
        let request = joiner.request;
        let _making = lock(&self.making);
        let mut registry = lock(&self.registry);
        if let Some(known) = registry.known(request)?.filter(|known| Some(known.facts.head.number) != full) {
            return Ok((known, false));
        }
        if let Some(live) = registry.fitting(filter, joiner) {
            registry.remember(request, &live);
            return Ok((live, true));
        }
        drop(registry);
        Ok((self.make_for(filter.config(self.idle()), request, client)?, false))
    }

    /// Returns the limit of a decision for seats whose clock has no limit, in milliseconds: at least 1, and at most a day.
    pub(crate) fn idle(&self) -> Option<NonZeroU32> {
        let idle = u32::try_from(self.limits().decision_idle.as_millis()).unwrap_or(u32::MAX);
        NonZeroU32::new(idle.clamp(1, MAX_CONTROL))
    }
}

/// Returns true if a player who was refused for this reason may find a seat in another match.
fn is_gone(reason: ErrorReason) -> bool {
    use ErrorReason::{MatchEnded, SeatReserved, SeatTaken, UnknownMatch};
    matches!(reason, SeatTaken | SeatReserved | MatchEnded | UnknownMatch)
}
