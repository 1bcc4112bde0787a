//! A hosted match: its referee, and one transaction for each call.

mod seating;
mod timing;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

pub(super) use self::seating::player_name;
use super::bot_pool::{BotPool, Urgency};
use super::clock::Clock;
use super::config::MatchConfig;
use super::journal::{Journal, LogWriter};
use super::presence::Presence;
use super::progress::{Answer, Progress};
use super::timer::Timer;
use crate::core::{Seat, Seats, Seed, hex};
use crate::host::api::{ApiError, convert};
use crate::host::record::notation::terms_text;
use crate::host::{AnyRules, BotDecision, BotName, Cause, MatchTime, Referee, Setup, StepOutcome, Terms};
use crate::service::digest::Digest;
use crate::service::error;
use crate::service::limits::MAX_WAIT;
use crate::service::random::random_bytes;

/// A hosted match.
pub struct LiveMatch {
    /// The id.
    pub id: Arc<str>,
    /// The place in the order of creation.
    pub(super) number: u64,
    pub(super) created: SystemTime,
    pub(super) setup: Setup,
    /// The clocks, the conduct, and the stand-in.
    pub(super) terms: Terms,
    pub(super) is_private: bool,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) seed: Seed,
    /// True if the client that created the match chose the seed.
    pub(super) seed_given: bool,
    pub(super) salt: [u8; 32],
    /// The text that the commitment covers besides the seed.
    pub(super) specification: String,
    /// SHA-256 over salt, seed, and specification. It is public before play, so that nobody can choose the seed after
    /// the fact.
    pub(super) commitment: Digest,
    /// The digest of the record, once somebody has asked for it after the end.
    record_digest: OnceLock<Digest>,
    context: ServerContext,
    /// The log; None on a server without a store.
    log: Option<LogWriter>,
    /// The presence of each seat.
    presence: Box<[Presence]>,
    progress: Mutex<Progress>,
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
    /// Hosts a match. It begins at once if bots take all its seats.
    pub(super) fn new(config: MatchConfig, number: u64, context: ServerContext) -> Arc<Self> {
        let MatchConfig { setup, bots, seed, terms, is_private, reservations, labels } = config;
        let (seed_given, seed) = (seed.is_some(), seed.unwrap_or_else(|| Seed(u64::from_le_bytes(random_bytes()))));
        let id: Arc<str> = hex(&random_bytes::<8>()).into();
        let salt = random_bytes();
        let info = setup.rules().info();
        let specification =
            format!("game {}\nrules {}\noptions {setup}\n{}", info.id, info.rules, terms_text(&terms, setup.rules()));
        let commitment =
            Sha256::new().chain_update(salt).chain_update(seed.0.to_le_bytes()).chain_update(&specification).finalize();
        tracing::info!(match_id = &*id, game = info.id, options = %setup, "match created");
        let live = Arc::new_cyclic(|me| Self {
            number,
            created: SystemTime::now(),
            presence: setup.seats().iter().map(|_| Presence::default()).collect(),
            setup,
            terms,
            is_private,
            labels,
            seed,
            seed_given,
            salt,
            commitment: commitment.into(),
            specification,
            record_digest: OnceLock::new(),
            log: context.journal.as_ref().map(|journal| journal.log_of(Arc::clone(&id))),
            id,
            progress: Mutex::new(Progress::new(bots, reservations)),
            stage: watch::Sender::new(Stage::Going),
            changed_at: AtomicU64::new(context.clock.now().0),
            changes: watch::Sender::new(0),
            me: Weak::clone(me),
            context,
        });
        // Nobody can have dropped it yet.
        let _ = live.transact(live.now(), |progress| {
            live.start_if_full(progress);
            Ok(())
        });
        live
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.setup.rules()
    }

    /// Returns the seats.
    pub fn seats(&self) -> Seats {
        self.setup.seats()
    }

    /// Returns the bot that plays on for seats that have forfeited.
    pub(super) fn stand_in(&self) -> BotName {
        self.terms.stand_in_of(self.rules())
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
    /// `act` returns, and the number of entries that must be kept before anybody is told. A match that the server has
    /// dropped is unknown. `arrived` is the time at which the call arrived.
    ///
    /// All entries that the call added are in the journal when this returns, the bot pool has a job if a bot has to
    /// decide, and the timer has an entry if a deadline can pass. A panic voids the match.
    pub(super) fn transact<T>(
        &self,
        arrived: MatchTime,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> (Result<T, ApiError>, usize) {
        let mut progress = self.lock();
        if self.is_dropped() {
            return (Err(error::unknown_match(&self.id)), 0);
        }
        self.start_clocks(&mut progress);
        if let Some(referee) = progress.referee_mut() {
            referee.set_time(arrived);
        }
        let before = progress.extent();
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
        if after != before {
            self.changed_at.store(self.now().0, Ordering::Relaxed);
            if let (Some(log), added @ [_, ..]) = (&self.log, &progress.entries()[before.entries..]) {
                log.append(before.entries, added.to_vec());
            }
        }
        self.submit_bot_job(&mut progress);
        self.start_clocks(&mut progress);
        self.set_timer(&mut progress);
        if after == before {
            return (done, after.entries);
        }
        if let Some(ending) = progress.ending().filter(|_| *self.stage.borrow() == Stage::Going) {
            self.stage.send_replace(Stage::Ended);
            tracing::info!(match_id = &*self.id, entries = after.entries, ?ending, "match ended");
        }
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
        (done, after.entries)
    }

    /// Does the same as [`Self::transact`], and waits until the entries behind the answer are kept.
    pub(super) async fn answer<T>(
        &self,
        arrived: MatchTime,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let (answer, entries) = self.transact(arrived, act);
        if let Some(log) = &self.log {
            log.kept(entries).await?;
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
            let concerns_seat = |referee: &Referee| referee.owes(seat) || (has_forfeited(referee) && !forfeited_before);
            self.is_dropped() || progress.ending().is_some() || progress.referee().is_some_and(concerns_seat)
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

    /// Returns true if the match cannot go on, because its log has failed.
    pub(super) fn is_suspended(&self) -> bool {
        self.log.as_ref().is_some_and(LogWriter::has_failed)
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

    /// Ends all that goes on in a match that the server drops: waiting calls, bots, and the log.
    pub(super) fn close(&self) {
        let mut progress = self.lock();
        self.stage.send_replace(Stage::Dropped);
        self.move_timer_entry(&mut progress, None);
        if let Some(log) = &self.log {
            log.forget();
        }
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
    }

    /// A panic of the rules voids the match in the same transaction, or in the next one. So a poisoned lock is no reason to
    /// stop.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_if_full(&self, progress: &mut Progress) {
        if let Some(players) = progress.players() {
            progress.start(Referee::new(self.setup.clone(), self.seed, players, self.terms.clone()));
        }
    }

    /// Gives the bot pool a job if a bot has to decide and the pool has none for this match.
    fn submit_bot_job(&self, progress: &mut Progress) {
        let owes_decision = progress.referee().is_some_and(|referee| referee.bot_to_act().is_some());
        if progress.has_bot_job || !owes_decision {
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
        self.context.bots.submit(urgency, Box::new(job));
    }

    /// Computes one decision of a bot without the lock, applies it, and lets quick bots go on.
    fn do_bot_job(&self) {
        let choose = || self.with_referee(Referee::due_bot).flatten().map(BotDecision::choose);
        let answer = panic::catch_unwind(AssertUnwindSafe(choose));
        self.change(|progress| {
            progress.has_bot_job = false;
            match answer {
                Ok(Some(answer)) => progress.answer_bot(answer),
                Ok(None) => {}
                Err(_) => {
                    tracing::error!(match_id = &*self.id, "a bot panicked, so its match is void");
                    progress.void(progress.entries().len(), BROKEN_BOT);
                }
            }
        });
    }
}
