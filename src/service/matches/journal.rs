//! The journal: one thread that writes the store.
//!
//! All changes that arrive during a commit share the next one. The server sends no answer before the changes behind it
//! are committed. A call that is cancelled takes nothing with it: its change was handed over before anybody waited.
//!
//! Before a commit, the thread waits briefly for the agents whose answers the last commit released, since they usually
//! send their next actions at once. Else agents would split into two groups, of which one waits for the commit of the
//! other, and each action would wait for two commits.
//!
//! If the store fails, the clock of the server stands still, the calls that wait get an error, and the journal writes the
//! same changes again until it succeeds.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::clock::Clock;
use super::timer::Timer;
use crate::service::error;
use crate::service::limits::{
    COMMIT_GAP, FIRST_STORE_RETRY, LAST_STORE_RETRY, MAX_COMMIT_CHANGES, MAX_COMMIT_DELAY, STORE_BEAT,
};
use crate::service::metrics::Metrics;
use crate::service::store::{Change, MatchHead, Store, StoreError};
use ahu_engine::host::MatchTime;
use ahu_engine::host::api::ApiError;

/// A handle on the thread that writes. Clones share the thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    jobs: Sender<Job>,
    /// The number of jobs that the thread has not taken yet.
    queued: Arc<AtomicUsize>,
    /// True while the store fails.
    failing: watch::Sender<bool>,
}

/// The owner of a log: its match.
pub(super) trait Owner: Send + Sync {
    /// Goes on after a change was kept for which it waits.
    fn wake(&self);
}

/// The log of one match in the journal.
pub(super) struct LogWriter {
    journal: Journal,
    match_id: Arc<str>,
    log: Arc<Log>,
}

/// The part of a log that the thread knows.
struct Log {
    kept: watch::Sender<Kept>,
    owner: Weak<dyn Owner>,
}

/// The state of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    /// This number of changes is committed, the last of them at this time.
    Changes(u64, MatchTime),
    /// The store has refused a change of the match for good.
    Refused(StoreError),
}

enum Job {
    Write(Box<Write>),
    Release(Arc<str>),
    Delete(Arc<str>),
    /// Tells the sender once all earlier jobs are done; false if they cannot be done now.
    Flush(Sender<bool>),
}

/// A change to be written.
struct Write {
    /// The head, with the first change of a match.
    head: Option<Arc<MatchHead>>,
    change: Change,
    /// The number of changes of the match, with this one.
    number: u64,
    log: Arc<Log>,
    /// True if the match waits for this change.
    wakes: bool,
}

impl fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter").field("match_id", &self.match_id).finish_non_exhaustive()
    }
}

impl Journal {
    /// Starts the thread.
    pub(super) fn start(store: Box<dyn Store>, clock: Clock, timer: Timer, metrics: Metrics) -> Self {
        let (jobs, queue) = mpsc::channel();
        let (queued, failing) = (Arc::<AtomicUsize>::default(), watch::Sender::new(false));
        let writer = Writer {
            store,
            queue: Queue { jobs: queue, queued: Arc::clone(&queued) },
            backlog: VecDeque::new(),
            expected: 0,
            last_commit: Duration::ZERO,
            clock,
            timer,
            failing: failing.clone(),
            metrics,
        };
        let thread = thread::Builder::new().name("journal".to_owned());
        thread.spawn(move || writer.run()).expect("the system has threads");
        Self { jobs, queued, failing }
    }

    /// Returns the log of a match, of which this number of changes is committed, the last of them at this time.
    pub(super) fn log_of(
        &self,
        match_id: Arc<str>,
        owner: Weak<dyn Owner>,
        changes: u64,
        kept_at: MatchTime,
    ) -> LogWriter {
        let kept = watch::Sender::new(Kept::Changes(changes, kept_at));
        LogWriter { journal: self.clone(), match_id, log: Arc::new(Log { kept, owner }) }
    }

    /// Removes a match from the store.
    pub(super) fn delete(&self, match_id: Arc<str>) {
        self.send(Job::Delete(match_id));
    }

    /// Waits until everything that was handed over is committed. Returns false if the store fails.
    pub(super) fn flush(&self) -> bool {
        let (done, is_done) = mpsc::channel();
        self.send(Job::Flush(done));
        is_done.recv().unwrap_or(false)
    }

    /// Returns the number of jobs that wait for the thread.
    pub(super) fn queued(&self) -> usize {
        self.queued.load(Ordering::SeqCst)
    }

    fn is_failing(&self) -> bool {
        *self.failing.borrow()
    }

    fn send(&self, job: Job) {
        self.queued.fetch_add(1, Ordering::SeqCst);
        self.jobs.send(job).expect("the thread runs for as long as there is a handle");
    }
}

impl LogWriter {
    /// Writes a change, the one with this number of the match. Calls must come in the order of the changes. The match is
    /// told when the change is committed if it `wakes`.
    pub(super) fn write(&self, number: u64, head: Option<Arc<MatchHead>>, change: Change, wakes: bool) {
        // While the store fails, the match refuses the answers of its bots.
        let wakes = wakes || self.journal.is_failing();
        self.journal.send(Job::Write(Box::new(Write { head, change, number, log: Arc::clone(&self.log), wakes })));
    }

    /// Tells the store that the match leaves memory.
    pub(super) fn release(&self) {
        self.journal.send(Job::Release(Arc::clone(&self.match_id)));
    }

    /// Waits until this number of changes is committed. An error means that the store fails now, or has refused one.
    pub(super) async fn kept(&self, changes: u64) -> Result<(), ApiError> {
        let is_known = |kept: &Kept| match kept {
            Kept::Changes(n, _) => *n >= changes,
            Kept::Refused(_) => true,
        };
        let (mut kept, mut failing) = (self.log.kept.subscribe(), self.journal.failing.subscribe());
        tokio::select! {
            biased;
            kept = kept.wait_for(is_known) => match &*kept.expect("the log has a sender") {
                Kept::Changes(..) => Ok(()),
                Kept::Refused(error) => Err(error::stored(error, &self.match_id)),
            },
            _ = failing.wait_for(|failing| *failing) => Err(error::suspended(&self.match_id)),
        }
    }

    /// Returns the time at which the last of this number of changes was committed; None if it is not.
    pub(super) fn kept_at(&self, changes: u64) -> Option<MatchTime> {
        match &*self.log.kept.borrow() {
            Kept::Changes(kept, at) if *kept >= changes => Some(*at),
            Kept::Changes(..) | Kept::Refused(_) => None,
        }
    }

    /// Refuses a call for a match that cannot go on: the store has refused a change, or it fails while a change of the
    /// match waits.
    pub(super) fn refuse_if_suspended(&self, changes: u64) -> Result<(), ApiError> {
        match &*self.log.kept.borrow() {
            Kept::Refused(error) => Err(error::stored(error, &self.match_id)),
            Kept::Changes(kept, _) if *kept < changes && self.journal.is_failing() => {
                Err(error::suspended(&self.match_id))
            }
            Kept::Changes(..) => Ok(()),
        }
    }

    /// Returns true if the store has refused a change for good.
    pub(super) fn is_refused(&self) -> bool {
        matches!(*self.log.kept.borrow(), Kept::Refused(_))
    }

    /// Waits until a change of the match cannot be written, if that ever happens.
    pub(super) async fn failed(&self) -> ApiError {
        let failed = self.kept(u64::MAX).await;
        failed.expect_err("no match has so many changes")
    }
}

/// The jobs that wait for the thread.
struct Queue {
    jobs: Receiver<Job>,
    queued: Arc<AtomicUsize>,
}

impl Queue {
    fn recv_timeout(&self, time: Duration) -> Result<Job, RecvTimeoutError> {
        let job = self.jobs.recv_timeout(time)?;
        self.queued.fetch_sub(1, Ordering::SeqCst);
        Ok(job)
    }

    fn len(&self) -> usize {
        self.queued.load(Ordering::SeqCst)
    }
}

/// The thread that writes.
struct Writer {
    store: Box<dyn Store>,
    queue: Queue,
    /// Jobs that arrived while the store failed.
    backlog: VecDeque<Job>,
    /// The number of changes that probably arrive for the next commit.
    expected: usize,
    /// The time that the last commit took.
    last_commit: Duration,
    clock: Clock,
    timer: Timer,
    failing: watch::Sender<bool>,
    metrics: Metrics,
}

impl Writer {
    /// Writes until no handle is left.
    fn run(mut self) {
        loop {
            let first = match self.backlog.pop_front() {
                Some(job) => Ok(job),
                None => self.queue.recv_timeout(STORE_BEAT),
            };
            let done = match first {
                Ok(first) => {
                    let jobs = self.gather(first);
                    self.carry_out(&jobs)
                }
                // While somebody thinks, the store learns the time, so that a restart charges what was used.
                Err(RecvTimeoutError::Timeout) if self.timer.is_waiting() => self.carry_out(&[]),
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => false,
            };
            if !done {
                return;
            }
        }
    }

    /// Returns the jobs of the next commit: all that wait, and those that arrive soon.
    fn gather(&mut self, first: Job) -> Vec<Job> {
        let mut jobs = vec![first];
        jobs.extend(self.backlog.drain(..self.backlog.len().min(MAX_COMMIT_CHANGES - 1)));
        let end = Instant::now() + self.last_commit / MAX_COMMIT_DELAY;
        while jobs.len() < MAX_COMMIT_CHANGES {
            let patience = match jobs.len() < self.expected {
                true => end.saturating_duration_since(Instant::now()).min(self.last_commit / COMMIT_GAP),
                false => Duration::ZERO,
            };
            match self.queue.recv_timeout(patience) {
                Ok(job) => jobs.push(job),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        jobs
    }

    /// Carries out jobs in one transaction, however often it takes. Returns false if no handle is left before it succeeds.
    fn carry_out(&mut self, jobs: &[Job]) -> bool {
        let mut pause = FIRST_STORE_RETRY;
        let refused = loop {
            match self.attempt(jobs) {
                Ok(refused) => break refused,
                Err(error) => {
                    self.metrics.commit_failed();
                    if !self.is_failing() {
                        tracing::error!(%error, "the store fails, so its matches stand still; the server tries again");
                        self.clock.stop();
                        self.failing.send_replace(true);
                    }
                    for job in jobs {
                        if let Job::Flush(done) = job {
                            // The caller may have gone.
                            let _ = done.send(false);
                        }
                    }
                    if !self.pause(pause) {
                        tracing::error!(%error, "the server ends before the store could be written");
                        return false;
                    }
                    pause = (2 * pause).min(LAST_STORE_RETRY);
                }
            }
        };
        // Whoever waits already, and whoever is answered now.
        self.expected = self.queue.len() + self.backlog.len() + jobs.len();
        let had_failed = self.is_failing();
        if had_failed {
            tracing::info!("the store can be written again, so its matches go on");
            while let Ok(job) = self.queue.recv_timeout(Duration::ZERO) {
                self.put_off(job);
            }
            self.clock.go_on();
        }
        let now = self.clock.now();
        for (write, refused) in jobs.iter().filter_map(Job::write).zip(refused) {
            let kept = match refused {
                None => Kept::Changes(write.number, now),
                Some(error) => {
                    tracing::error!(%error, "the store refuses a change, so its match is set aside");
                    Kept::Refused(error)
                }
            };
            write.log.kept.send_if_modified(|before| {
                let goes_on = matches!(before, Kept::Changes(..));
                if goes_on {
                    *before = kept;
                }
                goes_on
            });
        }
        self.failing.send_if_modified(std::mem::take);
        for job in jobs {
            match job {
                Job::Write(write) if write.wakes || had_failed => {
                    if let Some(owner) = write.log.owner.upgrade() {
                        owner.wake();
                    }
                }
                Job::Flush(done) => {
                    let _ = done.send(true);
                }
                Job::Write(_) | Job::Release(_) | Job::Delete(_) => {}
            }
        }
        true
    }

    /// Writes all changes and commits them. Returns the reason for each that the store has refused for good; an error if
    /// the store failed, and has none of them.
    fn attempt(&mut self, jobs: &[Job]) -> Result<Vec<Option<StoreError>>, StoreError> {
        let (now, start) = (self.clock.now(), Instant::now());
        let mut refused = Vec::new();
        for job in jobs {
            let done = match job {
                Job::Write(write) => {
                    let created = write.head.as_ref().map_or(Ok(()), |head| self.store.create(head));
                    let done = created.and_then(|()| self.store.append(&write.change, now));
                    refused.push(done.clone().err());
                    done
                }
                Job::Delete(match_id) => self.store.delete(match_id),
                Job::Release(match_id) => {
                    self.store.release(match_id);
                    Ok(())
                }
                Job::Flush(_) => Ok(()),
            };
            if let Err(error @ StoreError::Failed(_)) = done {
                return Err(error);
            }
        }
        self.store.commit(now)?;
        self.last_commit = start.elapsed();
        self.metrics.committed(refused.len(), self.last_commit);
        Ok(refused)
    }

    /// Waits before the next try, and keeps the jobs that arrive. Returns false if no handle is left.
    fn pause(&mut self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        loop {
            match self.queue.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Job::Flush(done)) => {
                    let _ = done.send(false);
                }
                Ok(job) => self.put_off(job),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Keeps a job that arrived while the store fails. Its match may have refused the answer of a bot, which is asked again.
    fn put_off(&mut self, mut job: Job) {
        if let Job::Write(write) = &mut job {
            write.wakes = true;
        }
        self.backlog.push_back(job);
    }

    fn is_failing(&self) -> bool {
        *self.failing.borrow()
    }
}

impl Job {
    fn write(&self) -> Option<&Write> {
        match self {
            Self::Write(write) => Some(write),
            Self::Release(_) | Self::Delete(_) | Self::Flush(_) => None,
        }
    }
}
