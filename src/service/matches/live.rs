//! A hosted match: its seats and their tokens, its referee, and one transaction for each call.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::bot_pool::{BotPool, Urgency};
use super::journal::{Journal, LogWriter};
use super::progress::{Digest, Progress, TokenHash};
use crate::core::{Seat, Seats, Seed, hex};
use crate::host::api::ApiError;
use crate::host::record::check_name;
use crate::host::{AnyRules, BotDecision, BotName, Conduct, Referee, Setup, StepOutcome};
use crate::service::error;
use crate::service::limits::MAX_WAIT;
use crate::service::random::random_bytes;

/// The terms of a new match.
#[derive(Debug)]
pub struct MatchConfig {
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The bot of each seat; None for open seats.
    pub bots: Vec<Option<BotName>>,
    /// The seed of all chance; None for a random seed.
    pub seed: Option<Seed>,
    /// The policy for illegal play.
    pub conduct: Conduct,
}

/// A hosted match.
pub struct LiveMatch {
    /// The id.
    pub id: Arc<str>,
    /// The place in the order of creation.
    pub(super) number: u64,
    pub(super) created: SystemTime,
    pub(super) setup: Setup,
    pub(super) conduct: Conduct,
    pub(super) seed: Seed,
    /// True if the client that created the match chose the seed.
    pub(super) seed_given: bool,
    pub(super) salt: [u8; 32],
    /// The text that the commitment covers besides the seed.
    pub(super) specification: String,
    /// SHA-256 over salt, seed, and specification. It is public before play, so that nobody can choose the seed after
    /// the fact.
    pub(super) commitment: Digest,
    context: ServerContext,
    /// The log; None on a server without a store.
    log: Option<LogWriter>,
    progress: Mutex<Progress>,
    stage: watch::Sender<Stage>,
    /// The time of the last change, in milliseconds since the server started.
    changed_at: AtomicU64,
    /// The number of changes, so that a waiting call looks again.
    changes: watch::Sender<u64>,
    me: Weak<Self>,
}

/// The parts that all matches of a server share.
#[derive(Clone, Debug)]
pub(super) struct ServerContext {
    pub(super) journal: Option<Journal>,
    pub(super) bots: BotPool,
    /// The key of all seat tokens, so that the same request gets the same token again although no token is stored.
    pub(super) token_key: [u8; 32],
    pub(super) started: Instant,
}

/// The stage of a match. It changes under the lock of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The match waits for players, or is played.
    Going,
    /// The match is finished.
    Finished,
    /// The server has dropped the match.
    Dropped,
}

impl fmt::Debug for LiveMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveMatch").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Returns the name of a player that asks for this name.
pub(super) fn player_name(name: &str) -> Result<&str, ApiError> {
    let name = if name.is_empty() { "agent" } else { name };
    check_name(name).map_err(error::bad_name)?;
    Ok(name)
}

impl LiveMatch {
    /// Hosts a match. It begins at once if bots take all its seats.
    pub(super) fn new(config: MatchConfig, number: u64, context: ServerContext) -> Arc<Self> {
        let MatchConfig { setup, bots, seed, conduct } = config;
        let (seed_given, seed) = (seed.is_some(), seed.unwrap_or_else(|| Seed(u64::from_le_bytes(random_bytes()))));
        let id: Arc<str> = hex(&random_bytes::<8>()).into();
        let salt = random_bytes();
        let info = setup.rules().info();
        let specification = format!("game {}\nrules {}\noptions {setup}\n", info.id, info.rules);
        let commitment =
            Sha256::new().chain_update(salt).chain_update(seed.0.to_le_bytes()).chain_update(&specification).finalize();
        tracing::info!(match_id = &*id, game = info.id, options = %setup, "match created");
        let live = Arc::new_cyclic(|me| Self {
            number,
            created: SystemTime::now(),
            setup,
            conduct,
            seed,
            seed_given,
            salt,
            commitment: commitment.into(),
            specification,
            log: context.journal.as_ref().map(|journal| journal.log_of(Arc::clone(&id))),
            id,
            progress: Mutex::new(Progress::new(bots)),
            stage: watch::Sender::new(Stage::Going),
            changed_at: AtomicU64::new(context.started.elapsed().as_millis() as u64),
            changes: watch::Sender::new(0),
            me: Weak::clone(me),
            context,
        });
        // Nobody can have dropped it yet.
        let _ = live.transact(|progress| {
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

    /// Returns the seat with this number.
    pub fn seat(&self, index: Option<u32>) -> Result<Seat, ApiError> {
        let seat = index.and_then(|index| self.seats().get(index as usize));
        seat.ok_or_else(|| ApiError::unknown_seat(index, self.seats().count()))
    }

    /// Returns a part of the referee; None before the match begins.
    pub fn with_referee<T>(&self, look: impl FnOnce(&Referee) -> T) -> Option<T> {
        self.lock().referee().map(look)
    }

    /// Returns the number of changes so far, and announces each.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns true if the match is finished.
    pub fn is_finished(&self) -> bool {
        *self.stage.borrow() == Stage::Finished
    }

    /// Gives a seat to an agent: this seat, or the lowest open one. Returns the seat and its token.
    pub fn join(&self, seat: Option<u32>, name: &str) -> Result<(Seat, String), ApiError> {
        self.join_by(seat, name, None)
    }

    /// Does the same as [`Self::join`], for a request with an id: the same request gets the same seat again.
    pub(super) fn join_by(
        &self,
        seat: Option<u32>,
        name: &str,
        request: Option<Digest>,
    ) -> Result<(Seat, String), ApiError> {
        let name = player_name(name)?;
        let asked = seat.map(|seat| self.seat(Some(seat))).transpose()?;
        let joined = self.transact(|progress| {
            if let Some(seat) = progress.joined_with(request) {
                return Ok((seat, self.token(seat, request.as_ref())));
            }
            let seat = progress.open_seat(asked).ok_or_else(|| error::seat_taken(&self.id, asked.map(Seat::index)))?;
            let token = self.token(seat, request.as_ref());
            progress.seat_agent(seat, name, TokenHash::of(&token), request);
            self.start_if_full(progress);
            progress.play_quick_bots();
            tracing::debug!(match_id = &*self.id, seat = seat.index(), name, "seat joined");
            Ok((seat, token))
        });
        joined.0
    }

    /// Answers the decision of a seat. The game need not have an action with this id.
    pub fn step(&self, seat: Seat, decision: u32, id: u32) -> Result<StepOutcome, ApiError> {
        self.transact(|progress| progress.step(&self.id, seat, decision, id)).0
    }

    /// Declares that a seat forfeits. A stand-in plays on for it.
    pub fn forfeit(&self, seat: Seat) {
        // A match that was dropped has nothing to forfeit.
        let _ = self.transact(|progress| {
            progress.forfeit(seat);
            Ok(())
        });
    }

    /// Does the work of one call under the lock of the match: authorizes, checks, acts, and presents. Returns what
    /// `act` returns, and the number of entries that must be kept before anybody is told. A match that the server has
    /// dropped is unknown.
    ///
    /// All entries that the call added are in the journal when this returns, and the bot pool has a job if a bot has to
    /// decide.
    pub(super) fn transact<T>(
        &self,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> (Result<T, ApiError>, usize) {
        let mut progress = self.lock();
        if self.is_dropped() {
            return (Err(error::unknown_match(&self.id)), 0);
        }
        let before = progress.extent();
        let done = act(&mut progress);
        let after = progress.extent();
        self.submit_bot_job(&mut progress);
        if after == before {
            return (done, after.entries);
        }
        if let (Some(log), added @ [_, ..]) = (&self.log, &progress.entries()[before.entries..]) {
            log.append(before.entries, added.to_vec());
        }
        let now = self.context.started.elapsed().as_millis() as u64;
        self.changed_at.store(now, Ordering::Relaxed);
        if progress.referee().is_some_and(Referee::is_over) && *self.stage.borrow() == Stage::Going {
            self.stage.send_replace(Stage::Finished);
            tracing::info!(match_id = &*self.id, entries = after.entries, "match finished");
        }
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
        (done, after.entries)
    }

    /// Does the same as [`Self::transact`], and waits until the entries behind the answer are kept.
    pub(super) async fn answer<T>(
        &self,
        act: impl FnOnce(&mut Progress) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let (answer, entries) = self.transact(act);
        if let Some(log) = &self.log {
            log.kept(entries).await?;
        }
        answer
    }

    /// Waits until `seat` has a decision or the match has ended, or until `wait` has passed.
    pub(super) async fn wait_for_decision(&self, seat: Seat, wait: Duration) -> Result<(), ApiError> {
        let is_ready = |referee: &Referee| referee.is_over() || referee.decision(seat).is_some();
        let mut changes = self.changes();
        let ready = changes.wait_for(|_| self.is_dropped() || self.with_referee(is_ready) == Some(true));
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

    /// Returns the time of the last change, in milliseconds since the server started.
    pub(super) fn changed_at(&self) -> u64 {
        self.changed_at.load(Ordering::Relaxed)
    }

    fn is_dropped(&self) -> bool {
        *self.stage.borrow() == Stage::Dropped
    }

    /// Returns true if this seat is open; without a seat, if any is.
    pub(super) fn is_open(&self, seat: Option<u32>) -> bool {
        match seat.map(|seat| self.seats().get(seat as usize)) {
            Some(None) => false,
            asked => self.lock().open_seat(asked.flatten()).is_some(),
        }
    }

    /// Ends all that goes on in a match that the server drops: waiting calls, bots, and the log.
    pub(super) fn close(&self) {
        let progress = self.lock();
        self.stage.send_replace(Stage::Dropped);
        if let Some(log) = &self.log {
            log.forget();
        }
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
    }

    /// A panic of one match's rules leaves that match as it is, and the server goes on.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the token of a seat: the same for the same request, and a random one for no request.
    fn token(&self, seat: Seat, request: Option<&Digest>) -> String {
        let secret = Sha256::new()
            .chain_update(self.context.token_key)
            .chain_update(self.id.as_bytes())
            .chain_update([seat.index() as u8])
            .chain_update(request.copied().unwrap_or_else(random_bytes));
        hex(&secret.finalize())
    }

    fn start_if_full(&self, progress: &mut Progress) {
        if let Some(players) = progress.players() {
            progress.start(Referee::new(self.setup.clone(), self.seed, players, self.conduct));
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
        let due = self.with_referee(Referee::due_bot).flatten();
        let answer = due.map(BotDecision::choose);
        // A match that was dropped needs no answer.
        let _ = self.transact(|progress| {
            progress.has_bot_job = false;
            if let Some(answer) = answer {
                progress.answer_bot(answer);
            }
            Ok(())
        });
    }
}
