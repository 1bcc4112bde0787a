//! A hosted match: its parts, and the calls that change it or wait for it.

mod comments;
mod config;
mod debugging;
mod facts;
mod history;
mod observation;
mod practice_log;
mod presence;
mod seating;
mod state;
mod supervisor;
mod transaction;

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, SystemTime};

use ahu_core::{Seat, Seats, Seed, Viewer, hex};
use ahu_host::api::{ApiError, convert};
use ahu_host::record::notation::terms_text;
use ahu_host::{AnyRules, BotDecision, Cause, MatchTime, Referee, StepOutcome};
use futures_util::future::OptionFuture;
use tokio::sync::watch;

use self::comments::Comments;
pub use self::config::MatchConfig;
pub use self::debugging::DebugCommand;
pub(crate) use self::debugging::Debugged;
use self::facts::MatchFacts;
pub(crate) use self::history::Horizon;
pub(super) use self::observation::ViewerMatch;
pub(super) use self::practice_log::PracticeLog;
pub(crate) use self::presence::{Presence, PresentCall};
pub(crate) use self::seating::player_name;
pub(crate) use self::state::{Answer, LiveState};
pub(crate) use self::supervisor::Supervisor;
pub use self::supervisor::SupervisorConfig;
use self::transaction::Held;
use super::journal::{Kept, LogWriter, Owner};
use super::registry::Ended;
use super::timer::Timed;
use super::{BotPool, Clock, Journal, Timer};
use crate::accounts::Accounts;
use crate::admission::{Lease, Ledger, Limiter};
use crate::audit::Audit;
use crate::limits::MAX_WAIT;
use crate::metrics::Metrics;
use crate::secrets::random_bytes;
use crate::store::encoding::damaged;
use crate::store::{MatchHead, Request, StoreError, StoredMatch, whole_ms};
use crate::{lock, refusals};

/// A hosted match. One lock guards the part that changes; the other parts are shared without a lock.
pub struct LiveMatch {
    /// The id.
    pub id: Arc<str>,
    /// The facts that everybody reads without the lock.
    pub(crate) facts: Arc<MatchFacts>,
    /// The part that changes. One transaction at a time holds it.
    state: Mutex<LiveState>,
    /// The log, which the match shares with the journal. It knows the number of changes that are stored. None on a server
    /// without a store.
    log: Option<LogWriter>,
    /// The stage. It changes under the lock of the match, and is read without it.
    stage: watch::Sender<Stage>,
    /// The number of changes, which wakes waiting calls. It rises after the lock is free.
    changes: watch::Sender<u64>,
    /// The parts of the server, which all matches share.
    context: ServerContext,
    /// The ledgers of the seats, which the limiter remembers until the match ends.
    payers: Mutex<Vec<Ledger>>,
    /// The values that the tools for language models keep for seats until the match ends.
    #[cfg(feature = "mcp")]
    attached: Mutex<std::collections::HashMap<Seat, Arc<dyn std::any::Any + Send + Sync>>>,
    /// The match itself, for the threads that come back to it.
    me: Weak<Self>,
}

/// The parts that all matches of a server share.
#[derive(Clone)]
pub(super) struct ServerContext {
    pub(super) clock: Clock,
    pub(super) journal: Option<Journal>,
    pub(super) bots: BotPool,
    pub(super) timer: Timer,
    pub(super) limiter: Limiter,
    /// The matches that have ended.
    pub(super) ended: Arc<Ended>,
    pub(super) metrics: Metrics,
    /// The key from which all tokens are derived, so that the same request gets the same token again although no token is
    /// stored.
    pub(super) token_key: [u8; 32],
    /// The accounts and the audit; empty on a server that knows none.
    pub(super) accounts: Arc<OnceLock<(Accounts, Audit)>>,
}

/// The reason of a void match whose bot has failed.
const BROKEN_BOT: &str = "a bot failed on the server";

/// The stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The match waits for players, or is played.
    Going,
    /// The match has ended.
    Ended,
    /// The server has dropped the match.
    Dropped,
}

opaque!(LiveMatch);

impl LiveMatch {
    /// Hosts a new match. `share` is the share of its creator. The match begins at once if bots take all its seats.
    pub(super) fn new(
        config: MatchConfig,
        number: u64,
        request: Option<Request>,
        share: Lease,
        context: ServerContext,
    ) -> Arc<Self> {
        let info = config.setup.rules().info();
        let head = MatchHead {
            number,
            id: hex(&random_bytes::<8>()).into(),
            created: whole_ms(SystemTime::now()),
            seed_given: config.seed.is_some(),
            seed: config.seed.unwrap_or_else(|| Seed(u64::from_le_bytes(random_bytes()))),
            salt: random_bytes(),
            specification: format!(
                "game {}\nrules {}\noptions {}\n{}",
                info.id,
                info.rules,
                config.setup,
                terms_text(&config.terms, config.setup.rules())
            ),
            setup: config.setup,
            terms: config.terms,
            bots: config.bots,
            reservations: config.reservations,
            is_unlisted: config.is_unlisted,
            is_pinned: config.is_pinned,
            cup: config.cup,
            is_sealed: config.is_sealed,
            spectator_delay: config.spectator_delay,
            has_distinct_owners: config.has_distinct_owners,
            labels: config.labels,
        };
        tracing::info!(match_id = &*head.id, game = info.id, options = %head.setup, "match created");
        context.metrics.match_created(info.id);
        let supervisor = config.supervisor.map(|supervisor| Supervisor::new(supervisor, head.setup.seats()));
        let facts = MatchFacts::new(head, config.game, config.beginning);
        let mut state = LiveState::new(facts, share, request);
        state.supervisor = supervisor;
        let live = Self::assemble(state, context);
        live.change(LiveState::start_if_full);
        live
    }

    /// Continues a match from the store. Its clocks and bots rest until [`Self::wake`] is called.
    pub(super) fn resume(stored: StoredMatch, context: ServerContext) -> Result<Arc<Self>, StoreError> {
        let damaged = |reason: String| damaged(&stored.head.id, "its entries", reason);
        let (lifecycle, now) = (stored.fold().map_err(damaged)?, context.clock.now());
        let StoredMatch { head, seats, steps, comments, ended, .. } = stored;
        // A match that ended earlier stays in memory for as long as a match that ends now.
        let changed_at = steps.last().filter(|_| lifecycle.ending().is_none()).map_or(now, |step| step.at);
        let payers: Vec<_> = seats.iter().map(|seat| context.limiter.admit_seat(seat.token, seat.player)).collect();
        let facts = MatchFacts::new(head, 0, Vec::new());
        let mut state = LiveState::resume(facts, seats, (lifecycle, Comments::stored(comments)), (changed_at, now));
        state.ended = ended;
        let live = Self::assemble(state, context);
        if live.has_ended() {
            let size = live.look(|state| {
                state.shrink();
                state.size()
            });
            live.context.ended.add(live.facts.head.number, size);
        } else {
            *lock(&live.payers) = payers;
        }
        Ok(live)
    }

    /// Assembles a match of which everything is stored.
    fn assemble(state: LiveState, context: ServerContext) -> Arc<Self> {
        let facts = Arc::clone(&state.facts);
        let has_ended = state.ending().is_some();
        Arc::new_cyclic(|me| Self {
            id: Arc::clone(&facts.head.id),
            log: context.journal.as_ref().map(|journal| {
                let kept = Kept { changes: state.changes, at: state.changed_at };
                journal.log_of(Arc::clone(&facts.head.id), Weak::<Self>::clone(me), kept)
            }),
            facts,
            state: Mutex::new(state),
            stage: watch::Sender::new(if has_ended { Stage::Ended } else { Stage::Going }),
            changes: watch::Sender::new(0),
            payers: Mutex::default(),
            #[cfg(feature = "mcp")]
            attached: Mutex::default(),
            me: Weak::clone(me),
            context,
        })
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.facts.head.setup.rules()
    }

    /// Returns the seats.
    pub fn seats(&self) -> Seats {
        self.facts.head.setup.seats()
    }

    /// Returns the seat with this number.
    pub fn seat(&self, index: Option<u32>) -> Result<Seat, ApiError> {
        convert::read_seat(index, self.seats())
    }

    /// Returns what `look` reads from the referee; None before the match begins.
    pub fn with_referee<T>(&self, look: impl FnOnce(&Referee) -> T) -> Option<T> {
        self.look(|state| state.referee().map(look))
    }

    /// Looks at the match under its lock.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&mut LiveState) -> T) -> T {
        look(&mut lock(&self.state))
    }

    /// Returns a receiver of the number of changes so far.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns true if the match has ended.
    pub fn has_ended(&self) -> bool {
        *self.stage.borrow() == Stage::Ended
    }

    /// Refuses a call of the public while the match is sealed.
    pub(crate) fn refuse_if_sealed(&self) -> Result<(), ApiError> {
        if self.facts.is_sealed() { Err(refusals::sealed(&self.id)) } else { Ok(()) }
    }

    /// Breaks the seal: after the end, everybody may see seed and record. The caller knows that no other match with the same
    /// chance is in progress.
    pub fn unseal(&self) {
        self.change(|state| state.facts.unseal());
    }

    /// Answers the decision of a seat. The game need not have an action with this id. In a match that is debugged, the answer is
    /// kept for the author.
    pub fn step(&self, seat: Seat, decision: u32, id: u32) -> Result<StepOutcome, ApiError> {
        let step = |state: &mut LiveState| {
            let asked_since = state.asked_since(seat);
            let stepped = state.step(seat, decision, Answer::Id(id));
            if asked_since.is_some() {
                // Whoever sees the forfeit can see the answer that led to it.
                let (text, refused) =
                    (Answer::Id(id).text(self.rules()), stepped.as_ref().err().map(ApiError::message));
                state.note_answer((seat, decision), &text, refused, asked_since);
            }
            Ok(stepped)
        };
        self.transact(self.now(), step).at_once()?
    }

    /// Applies the agreed consequence of a fault that is not an answer, such as the exit of a program.
    pub fn fault(&self, seat: Seat, cause: Cause) {
        self.change(|state| state.go_on(|referee| referee.fault(seat, cause)));
    }

    /// Declares that a seat forfeits. A stand-in plays on for it.
    pub fn forfeit(&self, seat: Seat, cause: Cause) {
        self.change(|state| state.go_on(|referee| referee.forfeit(seat, cause)));
    }

    /// Returns the number of the decision for which the player of a seat is asked; None if the player is not asked. A
    /// decision of a match that is debugged may be held.
    pub fn asked(&self, seat: Seat) -> Option<u32> {
        self.look(|state| state.asked(seat))
    }

    /// Resigns for a seat.
    pub fn resign(&self, seat: Seat) -> Result<(), ApiError> {
        self.transact(self.now(), |state| state.resign(seat)).at_once()
    }

    /// Cancels a match that has not ended.
    pub fn cancel(&self, reason: &str) -> Result<(), ApiError> {
        self.transact(self.now(), |state| state.cancel(reason)).at_once()
    }

    /// Changes a match. A match that has been dropped has nothing to change.
    pub(super) fn change(&self, act: impl FnOnce(&mut LiveState)) {
        let _ = self.transact(self.now(), |state| {
            act(state);
            Ok(())
        });
    }

    /// Wakes all calls that wait for a change.
    fn announce(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Does the work of one call under the lock of the match: `act` authorizes, checks, acts, and presents. A match that the
    /// server has dropped is unknown, and a suspended match is not touched. `arrived` is the time at which the call arrived.
    ///
    /// When this returns, the journal has the change, the bot pool has a job if a bot has to decide, and the timer has an
    /// entry if a deadline can pass.
    pub(crate) fn transact<T>(
        &self,
        arrived: MatchTime,
        act: impl FnOnce(&mut LiveState) -> Result<T, ApiError>,
    ) -> Held<'_, T> {
        let mut state = lock(&self.state);
        let kept = || self.log.as_ref().map(|log| log.kept_now(state.changes)).transpose();
        match self.refuse_if_dropped().and_then(|()| kept()) {
            Ok(kept) => state.transact(&self.context.clock, arrived, kept, act).carry_out(self, state),
            Err(error) => Held::new(self, Err(error), 0),
        }
    }

    /// Does the work of one call, as [`Self::transact`] does, and waits until the changes behind the answer are stored.
    pub(crate) async fn answer<T>(
        &self,
        arrived: MatchTime,
        act: impl FnOnce(&mut LiveState) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        self.transact(arrived, act).kept().await
    }

    /// Waits until the player of `seat` has to decide, the seat forfeits, the match ends, or `wait` has passed.
    pub(crate) async fn wait_for_decision(&self, seat: Seat, wait: Duration) -> Result<(), ApiError> {
        let has_forfeited = |referee: &Referee| referee.forfeits()[seat].is_some();
        // A player that has learned of its forfeit waits for the end.
        let forfeited_before = self.with_referee(has_forfeited) == Some(true);
        let has_news = |referee: &Referee| has_forfeited(referee) && !forfeited_before;
        self.wait_until(wait, |state| state.asked(seat).is_some() || state.referee().is_some_and(has_news)).await
    }

    /// Waits until `viewer` has been told an event after the event with the number `after`, the match ends, or `wait` has
    /// passed. Without a number, the next event counts. Does not wait for a number that is not reached yet.
    pub(crate) async fn wait_for_event(
        &self,
        viewer: Viewer,
        after: Option<u32>,
        wait: Duration,
    ) -> Result<(), ApiError> {
        let before = self.look(|state| state.for_viewer(viewer).event_count());
        let after = after.map_or(before, |after| after as usize);
        if after > before {
            return Ok(());
        }
        self.wait_until(wait, |state| state.for_viewer(viewer).event_count() > after).await
    }

    /// Waits until a change makes the match `is_ready`, the match ends, or `wait` has passed.
    async fn wait_until(&self, wait: Duration, is_ready: impl Fn(&mut LiveState) -> bool) -> Result<(), ApiError> {
        let mut changes = self.changes();
        let ready = changes.wait_for(|_| {
            let mut state = lock(&self.state);
            self.is_dropped() || state.ending().is_some() || is_ready(&mut state)
        });
        self.wait(wait, ready).await
    }

    /// Waits until the match has ended, or until `wait` has passed.
    pub(crate) async fn wait_for_end(&self, wait: Duration) -> Result<(), ApiError> {
        let mut stage = self.stage.subscribe();
        self.wait(wait, stage.wait_for(|&stage| stage != Stage::Going)).await
    }

    /// Waits until `ready` is done or `wait` has passed; neither is an error. Nobody waits for a match whose log fails, since
    /// it cannot go on.
    async fn wait(&self, wait: Duration, ready: impl Future) -> Result<(), ApiError> {
        if wait.is_zero() {
            return Ok(());
        }
        let failed = OptionFuture::from(self.log.as_ref().map(LogWriter::failed));
        tokio::select! {
            biased;
            _ = tokio::time::timeout(wait.min(MAX_WAIT), ready) => Ok(()),
            Some(error) = failed => Err(error),
        }
    }

    /// Returns true if everything that the match wrote is stored; None if the store has refused a change for good, so that
    /// the match cannot go on.
    pub(super) fn is_kept(&self) -> Option<bool> {
        let changes = self.look(|state| state.changes);
        self.log.as_ref().map_or(Some(true), |log| log.is_kept(changes))
    }

    /// Returns the time of the server.
    pub(super) fn now(&self) -> MatchTime {
        self.context.clock.now()
    }

    fn is_dropped(&self) -> bool {
        *self.stage.borrow() == Stage::Dropped
    }

    fn refuse_if_dropped(&self) -> Result<(), ApiError> {
        if self.is_dropped() { Err(refusals::unknown_match(&self.id, self.log.is_some())) } else { Ok(()) }
    }

    /// Ends the waiting calls and the bots of a match that the server drops.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        self.stage.send_replace(Stage::Dropped);
        let entry = state.timer_entry.take();
        self.context.timer.schedule(self.facts.head.number, entry, None, || Weak::<Self>::clone(&self.me));
        drop(state);
        self.announce();
    }

    /// Tells the store that the match has left memory; None without a store.
    pub(super) fn release(&self) -> Option<()> {
        self.log.as_ref().map(LogWriter::release)
    }

    /// Computes one decision of a bot without the lock and applies it. Quick bots play on.
    fn do_bot_job(&self) {
        let choose = || self.with_referee(Referee::due_bot).flatten().map(BotDecision::choose);
        let answer = panic::catch_unwind(AssertUnwindSafe(choose));
        self.look(|state| state.has_bot_job = false);
        self.change(|state| match answer {
            Ok(Some(answer)) => state.go_on(|referee| referee.answer(answer)),
            Ok(None) => {}
            Err(_) => {
                tracing::error!(match_id = &*self.id, "a bot panicked, so its match is void");
                state.void(state.entries().len(), BROKEN_BOT);
            }
        });
    }
}

impl Owner for LiveMatch {
    /// Starts the clocks of a match that has been stored or read, and wakes its bots.
    fn wake(&self) {
        self.change(|state| state.has_news = true);
    }
}

impl Timed for LiveMatch {
    fn time_out(&self, entry: MatchTime) {
        let now = self.now();
        // Another entry may have replaced the entry that fired.
        self.look(|state| state.timer_entry.take_if(|present| *present == entry));
        // A match that was dropped has no deadlines. A suspended match has its deadlines when it goes on.
        let _ = self.transact(now, |state| {
            state.expire(now);
            Ok(())
        });
    }
}
