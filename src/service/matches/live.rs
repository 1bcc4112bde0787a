//! A hosted match: its referee, and one transaction for each call.

mod description;
mod history;
mod seating;
mod timing;

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use prost::Message;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

pub(super) use self::history::Horizon;
pub(super) use self::seating::player_name;
use super::bot_pool::{BotPool, Urgency};
use super::clock::Clock;
use super::config::MatchConfig;
use super::debugging::{Debugging, Pace, ToldAnswer};
use super::ended::Ended;
use super::journal::{Journal, LogWriter, Owner};
use super::practice_log::PracticeLog;
use super::presence::Presence;
use super::progress::{Answer, Progress};
use super::timer::Timer;
use crate::proto::v1::MatchState;
use crate::service::course::Course;
use crate::service::digest::Digest;
use crate::service::error;
use crate::service::limiter::{Lease, Limiter};
use crate::service::limits::MAX_WAIT;
use crate::service::metrics::Metrics;
use crate::service::random::random_bytes;
use crate::service::store::{MatchEnd, MatchHead, Request, StoreError, StoredMatch, whole_ms};
use ahu_engine::core::{BySeat, Seat, Seats, Seed, Viewer, hex};
use ahu_engine::host::api::{ApiError, convert};
use ahu_engine::host::record::notation::terms_text;
use ahu_engine::host::{AnyRules, BotDecision, BotName, BotSeed, Cause, MatchTime, Referee, StepOutcome};

/// A hosted match.
pub struct LiveMatch {
    /// The id.
    pub id: Arc<str>,
    /// The facts that never change.
    pub(super) head: Arc<MatchHead>,
    /// SHA-256 over salt, seed, and specification. It is public before play, so that nobody can choose the seed after
    /// the fact.
    pub(super) commitment: Digest,
    /// The digest of the record, once somebody has asked for it after the end.
    record_digest: OnceLock<Digest>,
    /// True while seed, record, and public events stay secret after the end.
    is_sealed: AtomicBool,
    /// The number of this match among those with its seed.
    game: u64,
    /// The faults of the agent in a practice match; empty for any other match.
    pub(super) practice: OnceLock<PracticeLog>,
    /// None unless the match is debugged.
    pub(super) debugging: Option<Arc<Debugging>>,
    context: ServerContext,
    /// The log; None on a server without a store.
    log: Option<LogWriter>,
    /// The presence of each seat.
    presence: Box<[Arc<Presence>]>,
    /// The share of the server that its creator has for it, until it ends.
    share: Mutex<Lease>,
    progress: Mutex<Progress>,
    /// The match as the public is shown it, if that is later; None until somebody looks.
    delayed: Mutex<Option<Course>>,
    stage: watch::Sender<Stage>,
    /// The time of the last change.
    changed_at: AtomicU64,
    /// The number of changes, so that a waiting call looks again.
    changes: watch::Sender<u64>,
    me: Weak<Self>,
}

/// The parts that all matches of a server share.
#[derive(Clone, Debug)]
pub(super) struct ServerContext {
    pub(super) clock: Clock,
    pub(super) journal: Option<Journal>,
    pub(super) bots: BotPool,
    pub(super) timer: Timer,
    pub(super) limiter: Limiter,
    pub(super) ended: Arc<Ended>,
    pub(super) metrics: Metrics,
    /// The key of all tokens, so that the same request gets the same token again although no token is stored.
    pub(super) token_key: [u8; 32],
}

/// The reason of a void match whose rules have failed.
const BROKEN_RULES: &str = "the rules failed on the server";
/// The reason of a void match whose bot has failed.
const BROKEN_BOT: &str = "a bot failed on the server";
/// The reason of a cancelled match that nobody joined.
const NOT_JOINED: &str = "the seats were not taken in time";

/// The stage of a match. It changes under the lock of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The match waits for players, or is played.
    Going,
    /// The match has ended.
    Ended,
    /// The server has dropped the match.
    Dropped,
}

impl fmt::Debug for LiveMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveMatch").field("id", &self.id).finish_non_exhaustive()
    }
}

impl LiveMatch {
    /// Hosts a new match, which has this share of its creator. It begins at once if bots take all its seats.
    pub(super) fn new(
        config: MatchConfig,
        number: u64,
        request: Option<Request>,
        share: Lease,
        context: ServerContext,
    ) -> Arc<Self> {
        let MatchConfig {
            setup,
            bots,
            seed,
            terms,
            is_private,
            is_pinned,
            is_sealed,
            game,
            reservations,
            spectator_delay,
            labels,
            debug,
        } = config;
        let info = setup.rules().info();
        let head = MatchHead {
            number,
            id: hex(&random_bytes::<8>()).into(),
            created: whole_ms(SystemTime::now()),
            seed_given: seed.is_some(),
            seed: seed.unwrap_or_else(|| Seed(u64::from_le_bytes(random_bytes()))),
            salt: random_bytes(),
            specification: format!(
                "game {}\nrules {}\noptions {setup}\n{}",
                info.id,
                info.rules,
                terms_text(&terms, setup.rules())
            ),
            setup,
            terms,
            bots,
            reservations,
            is_private,
            is_pinned,
            spectator_delay,
            labels,
        };
        tracing::info!(match_id = &*head.id, game = info.id, options = %head.setup, "match created");
        let debugging = debug.map(|debug| Arc::new(Debugging::new(debug, head.setup.seats())));
        let mut progress = Progress::new(head.bots.clone(), head.reservations.clone());
        progress.debugging = debugging;
        let live = Self::assemble(head, game, progress, context.clock.now(), context);
        live.is_sealed.store(is_sealed, Ordering::Relaxed);
        live.context.metrics.match_created(info.id);
        *live.lock_share() = share;
        // Nobody can have dropped it yet.
        let _ = live.transact(live.now(), |progress| {
            progress.created_by(request);
            live.start_if_full(progress);
            Ok(())
        });
        live
    }

    /// Continues a match that the store has. Its clocks and bots rest until it is told to [`Self::wake`].
    pub(super) fn resume(stored: StoredMatch, context: ServerContext) -> Result<Arc<Self>, StoreError> {
        let damaged = |reason| StoreError::Damaged {
            match_id: stored.head.id.to_string(),
            part: "its entries".to_owned(),
            reason,
        };
        let progress = Progress::resume(&stored, stored.fold().map_err(damaged)?);
        let StoredMatch { head, seats, steps, .. } = stored;
        // A match that ended stays in memory for as long as one that ends now.
        let kept_at = steps.last().filter(|_| progress.ending().is_none()).map_or(context.clock.now(), |step| step.at);
        let live = Self::assemble(head, 0, progress, kept_at, context);
        for seat in seats {
            live.context.limiter.admit_seat(seat.token);
            live.presence[seat.seat.index()].join(live.now());
        }
        if live.has_ended() {
            live.note_end(&live.lock());
        }
        Ok(live)
    }

    /// Returns a match of which all is written. Its last change was at this time.
    fn assemble(
        head: MatchHead,
        game: u64,
        progress: Progress,
        changed_at: MatchTime,
        context: ServerContext,
    ) -> Arc<Self> {
        let commitment = Sha256::new()
            .chain_update(head.salt)
            .chain_update(head.seed.0.to_le_bytes())
            .chain_update(&head.specification)
            .finalize();
        let stage = if progress.ending().is_some() { Stage::Ended } else { Stage::Going };
        Arc::new_cyclic(|me| Self {
            id: Arc::clone(&head.id),
            commitment: commitment.into(),
            record_digest: OnceLock::new(),
            is_sealed: AtomicBool::new(false),
            game,
            practice: OnceLock::new(),
            debugging: progress.debugging.clone(),
            log: context.journal.as_ref().map(|journal| {
                journal.log_of(Arc::clone(&head.id), Weak::<Self>::clone(me), progress.changes, changed_at)
            }),
            presence: head.setup.seats().iter().map(|_| Arc::default()).collect(),
            share: Mutex::default(),
            head: Arc::new(head),
            progress: Mutex::new(progress),
            delayed: Mutex::default(),
            stage: watch::Sender::new(stage),
            changed_at: AtomicU64::new(changed_at.0),
            changes: watch::Sender::new(0),
            me: Weak::clone(me),
            context,
        })
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.head.setup.rules()
    }

    /// Returns the seats.
    pub fn seats(&self) -> Seats {
        self.head.setup.seats()
    }

    /// Returns the bot that plays on for seats that have forfeited.
    pub(super) fn stand_in(&self) -> BotName {
        self.head.terms.stand_in_of(self.rules())
    }

    /// Returns the seat with this number.
    pub fn seat(&self, index: Option<u32>) -> Result<Seat, ApiError> {
        convert::read_seat(index, self.seats())
    }

    /// Returns a part of the referee; None before the match begins.
    pub fn with_referee<T>(&self, look: impl FnOnce(&Referee) -> T) -> Option<T> {
        self.lock().referee().map(look)
    }

    /// Returns the number of changes so far, and announces each.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns true if the match has ended.
    pub fn has_ended(&self) -> bool {
        *self.stage.borrow() == Stage::Ended
    }

    /// Returns true while seed, record, and public events stay secret after the end.
    pub(super) fn is_sealed(&self) -> bool {
        self.is_sealed.load(Ordering::Relaxed)
    }

    /// Refuses a call of the public while the match is sealed.
    pub(super) fn refuse_if_sealed(&self) -> Result<(), ApiError> {
        if self.is_sealed() { Err(error::sealed(&self.id)) } else { Ok(()) }
    }

    /// Lets everybody see seed and record after the end: no other match with the same chance is in progress.
    pub fn unseal(&self) {
        self.is_sealed.store(false, Ordering::Relaxed);
    }

    /// Answers the decision of a seat. The game need not have an action with this id.
    pub fn step(&self, seat: Seat, decision: u32, id: u32) -> Result<StepOutcome, ApiError> {
        self.transact(self.now(), |progress| progress.step(&self.id, seat, decision, Answer::Id(id))).0
    }

    /// Applies the agreed consequence of a fault that is not an answer, such as the exit of a program.
    pub fn fault(&self, seat: Seat, cause: Cause) {
        self.change(|progress| progress.fault(seat, cause));
    }

    /// Declares that a seat forfeits. A stand-in plays on for it.
    pub fn forfeit(&self, seat: Seat, cause: Cause) {
        self.change(|progress| progress.forfeit(seat, cause));
    }

    /// Returns true if the player of a seat is asked for a decision. That of a match that is debugged may wait.
    pub fn asks(&self, referee: &Referee, seat: Seat) -> bool {
        let has_released = |debugging: &Arc<Debugging>| debugging.has_released(referee, seat);
        referee.owes(seat) && self.debugging.as_ref().is_none_or(has_released)
    }

    /// Changes the pace of a match that is debugged, and lets those play who are asked from now on.
    pub fn set_pace(&self, pace: Pace) {
        let Some(debugging) = &self.debugging else { return };
        let now = self.now();
        self.change(|progress| {
            debugging.set_pace(pace, progress.referee(), now);
            progress.play_quick_bots();
        });
        self.changes.send_modify(|count| *count += 1);
    }

    /// Returns the time since which the player of a seat is asked for its decision; None if it is not, or if the match is
    /// not debugged.
    pub fn asked_since(&self, seat: Seat) -> Option<MatchTime> {
        let debugging = self.debugging.as_ref()?;
        self.with_referee(|referee| debugging.asked_since(referee, seat)).flatten()
    }

    /// Keeps an answer to a decision for the author of the agent, if the match is debugged. `asked_since` is from before the
    /// answer.
    pub fn note_answer(
        &self,
        (seat, decision): (Seat, u32),
        text: &str,
        refused: Option<&str>,
        asked_since: Option<MatchTime>,
    ) {
        if let (Some(debugging), Some(since)) = (&self.debugging, asked_since) {
            let took_ms = self.now().0.saturating_sub(since.0);
            let refused = refused.map(str::to_owned);
            debugging.note(seat, ToldAnswer { decision, text: text.to_owned(), refused, took_ms });
        }
    }

    /// Resigns for a seat.
    pub fn resign(&self, seat: Seat) -> Result<(), ApiError> {
        self.transact(self.now(), |progress| progress.resign(&self.id, seat)).0
    }

    /// Cancels a match that has not ended.
    pub fn cancel(&self, reason: &str) -> Result<(), ApiError> {
        self.transact(self.now(), |progress| progress.cancel(&self.id, reason)).0
    }

    /// Cancels the match if it has not begun.
    pub(super) fn cancel_unless_begun(&self) {
        let cancelled = self.transact(self.now(), |progress| match progress.referee() {
            Some(_) => Ok(()),
            None => progress.cancel(&self.id, NOT_JOINED),
        });
        // Another call may have ended it.
        drop(cancelled);
    }

    /// Changes a match that may have been dropped, and then has nothing to change.
    fn change(&self, act: impl FnOnce(&mut Progress)) {
        let _ = self.transact(self.now(), |progress| {
            act(progress);
            Ok(())
        });
    }

    /// Does the work of one call under the lock of the match: authorizes, checks, acts, and presents. Returns what
    /// `act` returns, and the number of changes that must be kept before anybody is told. A match that the server has
    /// dropped is unknown, and a suspended one is not touched. `arrived` is the time at which the call arrived.
    ///
    /// The change is in the journal when this returns, the bot pool has a job if a bot has to decide, and the timer has an
    /// entry if a deadline can pass. A panic voids the match.
    pub(super) fn transact<T>(
        &self,
        arrived: MatchTime,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> (Result<T, ApiError>, u64) {
        let mut progress = self.lock();
        if self.is_dropped() {
            return (Err(error::unknown_match(&self.id, self.log.is_some())), 0);
        }
        if let Some(Err(error)) = self.log.as_ref().map(|log| log.refuse_if_suspended(progress.changes)) {
            return (Err(error), 0);
        }
        self.start_clocks(&mut progress);
        if let Some(referee) = progress.referee_mut() {
            referee.set_time(arrived);
        }
        let before = progress.extent();
        let forfeits_before = progress.referee().map(Referee::forfeits);
        let done = panic::catch_unwind(AssertUnwindSafe(|| act(&mut progress)));
        let done = done.unwrap_or_else(|_| {
            tracing::error!(match_id = &*self.id, "the rules of a match panicked, so the match is void");
            progress.void(before.entries, BROKEN_RULES);
            Err(match progress.ending() {
                Some(ending) => ApiError::ended(&ending, &self.id),
                None => error::broken(&self.id),
            })
        });
        let after = progress.extent();
        let is_new = progress.changes == 0;
        let ending = progress.ending().filter(|_| *self.stage.borrow() == Stage::Going);
        if after != before || is_new {
            self.note_forfeits(&progress, forfeits_before);
            self.changed_at.store(self.now().0, Ordering::Relaxed);
            self.write(&mut progress, before.entries, ending.is_some());
        }
        self.submit_bot_job(&mut progress);
        self.start_clocks(&mut progress);
        self.set_timer(&mut progress);
        let changes = progress.changes;
        if after == before {
            return (done, changes);
        }
        if let Some(ending) = ending {
            self.stage.send_replace(Stage::Ended);
            if let Some(debugging) = &self.debugging {
                debugging.end();
            }
            self.note_end(&progress);
            *self.lock_share() = Lease::default();
            self.context.metrics.match_ended(self.rules().info().id, &ending);
            tracing::info!(match_id = &*self.id, entries = after.entries, ?ending, "match ended");
        }
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
        (done, changes)
    }

    /// Counts the seats that have forfeited since.
    fn note_forfeits(&self, progress: &Progress, before: Option<BySeat<Option<Cause>>>) {
        let Some(referee) = progress.referee() else { return };
        let forfeits = referee.forfeits();
        for seat in self.seats().iter() {
            let is_new = before.is_none_or(|before| before[seat].is_none());
            if let Some(cause) = forfeits[seat].filter(|_| is_new) {
                self.context.metrics.forfeited(cause);
            }
        }
    }

    /// Hands what has changed since the match had `written` entries to the journal.
    fn write(&self, progress: &mut Progress, written: usize, has_ended: bool) {
        progress.changes += 1;
        let Some(log) = &self.log else { return };
        let mut change = progress.take_change(&self.id, written);
        if has_ended {
            // A lost description can be made again from the entries.
            let described = panic::catch_unwind(AssertUnwindSafe(|| self.description(progress)));
            let description = described.map_or_else(
                |_| Vec::new(),
                |mut description| {
                    // The presence of agents ends with their match.
                    description.seats.iter_mut().for_each(|seat| seat.present = false);
                    description.encode_to_vec()
                },
            );
            change.end = Some(MatchEnd { at: SystemTime::now(), description });
        }
        let head = (progress.changes == 1).then(|| Arc::clone(&self.head));
        log.write(progress.changes, head, change, !progress.has_agents());
    }

    /// Notes that the match has ended, so that it can leave memory.
    fn note_end(&self, progress: &Progress) {
        let referee = progress.referee().map_or(0, Referee::size);
        self.context.ended.add(self.head.number, size_of::<Self>() + referee);
    }

    /// Does the same as [`Self::transact`], and waits until the changes behind the answer are kept.
    pub(super) async fn answer<T>(
        &self,
        arrived: MatchTime,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let (answer, changes) = self.transact(arrived, act);
        if let Some(log) = &self.log {
            log.kept(changes).await?;
        }
        answer
    }

    /// Waits until the player of `seat` has to decide, the seat forfeits, or the match has ended, or until `wait` has
    /// passed.
    pub(super) async fn wait_for_decision(&self, seat: Seat, wait: Duration) -> Result<(), ApiError> {
        let has_forfeited = |referee: &Referee| referee.forfeits()[seat].is_some();
        // A player that has learned of its forfeit waits for the end.
        let forfeited_before = self.with_referee(has_forfeited) == Some(true);
        let mut changes = self.changes();
        let ready = changes.wait_for(|_| {
            let progress = self.lock();
            let concerns_seat =
                |referee: &Referee| self.asks(referee, seat) || (has_forfeited(referee) && !forfeited_before);
            self.is_dropped() || progress.ending().is_some() || progress.referee().is_some_and(concerns_seat)
        });
        self.wait(wait, ready).await
    }

    /// Waits until `viewer` has been told an event after the event with the number `after`, or the match has ended, or until
    /// `wait` has passed. Without a number, the next event counts. A number that is not reached yet is not waited for.
    pub(super) async fn wait_for_event(
        &self,
        viewer: Viewer,
        after: Option<u32>,
        wait: Duration,
    ) -> Result<(), ApiError> {
        let before = self.told_count(&self.lock(), viewer);
        let after = after.map_or(before, |after| after as usize);
        if after > before {
            return Ok(());
        }
        let mut changes = self.changes();
        let ready = changes.wait_for(|_| {
            let progress = self.lock();
            self.is_dropped() || progress.ending().is_some() || self.told_count(&progress, viewer) > after
        });
        self.wait(wait, ready).await
    }

    /// Waits until the match has ended, or until `wait` has passed.
    pub(super) async fn wait_for_end(&self, wait: Duration) -> Result<(), ApiError> {
        let mut stage = self.stage.subscribe();
        self.wait(wait, stage.wait_for(|&stage| stage != Stage::Going)).await
    }

    /// Waits until `ready` is done or `wait` has passed, which is not an error. A match whose log fails cannot go on, so
    /// nobody waits for it.
    async fn wait(&self, wait: Duration, ready: impl Future) -> Result<(), ApiError> {
        if wait.is_zero() {
            return Ok(());
        }
        let failed = async {
            match &self.log {
                Some(log) => log.failed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::time::timeout(wait.min(MAX_WAIT), ready) => Ok(()),
            error = failed => Err(error),
        }
    }

    /// Returns the time of the last change.
    pub(super) fn changed_at(&self) -> MatchTime {
        MatchTime(self.changed_at.load(Ordering::Relaxed))
    }

    /// Returns true if the match cannot go on, because the store has refused a change.
    pub(super) fn is_refused(&self) -> bool {
        self.log.as_ref().is_some_and(LogWriter::is_refused)
    }

    /// Returns true if everything that the match wrote is kept.
    pub(super) fn is_kept(&self) -> bool {
        let changes = self.lock().changes;
        self.log.as_ref().is_none_or(|log| log.kept_at(changes).is_some())
    }

    /// Returns the time of the server.
    pub(super) fn now(&self) -> MatchTime {
        self.context.clock.now()
    }

    fn is_dropped(&self) -> bool {
        *self.stage.borrow() == Stage::Dropped
    }

    /// Returns the digest of the record of a finished match.
    pub(super) fn record_digest(&self, referee: &Referee) -> &Digest {
        self.record_digest.get_or_init(|| referee.record().digest())
    }

    /// Ends all that goes on in a match that the server drops: waiting calls and bots.
    pub(super) fn close(&self) {
        let mut progress = self.lock();
        self.stage.send_replace(Stage::Dropped);
        self.move_timer_entry(&mut progress, None);
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Tells the store that the match has left memory; None without a store.
    pub(super) fn release(&self) -> Option<()> {
        self.log.as_ref().map(LogWriter::release)
    }

    /// Nothing panics while it holds this lock.
    fn lock_share(&self) -> MutexGuard<'_, Lease> {
        self.share.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of the match, and the memory that it takes, in bytes.
    pub(super) fn state_and_size(&self) -> (MatchState, usize) {
        let progress = self.lock();
        (progress.course().state(), size_of::<Self>() + progress.referee().map_or(0, Referee::size))
    }

    /// A panic of the rules voids the match in the same transaction, or in the next one. So a poisoned lock is no reason to
    /// stop.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_if_full(&self, progress: &mut Progress) {
        if let Some(players) = progress.players() {
            let MatchHead { setup, seed, terms, .. } = &*self.head;
            let referee = Referee::new(setup.clone(), *seed, players, terms.clone());
            progress.start(referee.with_bot_seed(BotSeed::new(*seed, self.game)));
        }
    }

    /// Gives the bot pool a job if a bot has to decide and the pool has none for this match.
    fn submit_bot_job(&self, progress: &mut Progress) {
        if progress.has_bot_job || progress.bot_to_act().is_none() {
            return;
        }
        // Bots alone do not run ahead of the store: the journal wakes their match.
        let is_kept = self.log.as_ref().is_none_or(|log| log.kept_at(progress.changes).is_some());
        if !is_kept && !progress.has_agents() {
            return;
        }
        progress.has_bot_job = true;
        let urgency = if progress.has_agents() { Urgency::Agents } else { Urgency::BotsAlone };
        let me = Weak::clone(&self.me);
        let job = move || {
            if let Some(live) = me.upgrade() {
                live.do_bot_job();
            }
        };
        self.context.bots.submit(urgency, self.lock_share().principal(), Box::new(job));
    }

    /// Computes one decision of a bot without the lock, applies it, and lets quick bots go on.
    fn do_bot_job(&self) {
        let choose = || self.with_referee(Referee::due_bot).flatten().map(BotDecision::choose);
        let answer = panic::catch_unwind(AssertUnwindSafe(choose));
        self.lock().has_bot_job = false;
        self.change(|progress| match answer {
            Ok(Some(answer)) => progress.answer_bot(answer),
            Ok(None) => {}
            Err(_) => {
                tracing::error!(match_id = &*self.id, "a bot panicked, so its match is void");
                progress.void(progress.entries().len(), BROKEN_BOT);
            }
        });
    }
}

impl Owner for LiveMatch {
    /// Starts the clocks of a match that has been written or read, and lets its bots go on.
    fn wake(&self) {
        self.change(|_| ());
        self.changes.send_modify(|count| *count += 1);
    }
}
