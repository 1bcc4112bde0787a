//! The journal: one thread that writes the store.
//!
//! All changes that arrive during a commit share the next commit, up to 256 of them. A match hands its changes over under its
//! lock, so that they come in order, and a caller waits without the lock. An answer names the number of changes that it depends
//! on, and is held back until the store has them, even if the call only reads. So a client never learns of a move that a crash
//! could undo. A call that is cancelled loses nothing, since its change was handed over before anybody waited. Bots that play
//! alone wait for the store after each job, so that they cannot fill memory. A server without a store has no journal, and no
//! answer waits.
//!
//! Before a commit, the thread waits for the agents whose answers the last commit released, since they usually send their next
//! actions at once: up to a sixteenth of the time of a commit for each agent, and half of it in all. Otherwise agents would
//! split into two groups that wait for each other's commits, and an action would take two commits (8.2 ms instead of 4.4 ms
//! with commits of 4 ms, `cargo bench --bench store`).
//!
//! If the store fails, the matches pause. The clock of the server stands still, the journal tries the same changes again until
//! it succeeds, and calls for matches with a change that is not stored get `UNAVAILABLE`. Nothing is taken back, so the same
//! request gets its answer later. If the store refuses a change of one match for good, only that match is set aside.
//!
//! One turn of the journal is a function of the jobs, the store, and the time (`commit_queue.rs`). It returns the effects,
//! and the thread carries them out (`writer.rs`).

mod commit_queue;
mod writer;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Weak};
use std::time::Duration;

use ahu_host::MatchTime;
use ahu_host::api::ApiError;
use tokio::sync::watch;

use self::commit_queue::CommitQueue;
pub(super) use self::writer::Writer;
use super::{Clock, Timer};
use crate::metrics::Metrics;
use crate::refusals;
use crate::store::{Change, MatchHead, Store, StoreError};

/// A handle on the thread. Clones share the thread, which ends with the last handle.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    jobs: Sender<Job>,
    /// The number of jobs in the queue of the thread.
    queued: Arc<AtomicUsize>,
    /// The error of the store while it fails.
    failing: watch::Sender<Option<StoreError>>,
}

/// The owner of a log: its match.
pub(super) trait Owner: Send + Sync {
    /// Continues after the journal has stored a change for which the match waits.
    fn wake(&self);
}

/// The log of one match in the journal.
pub(super) struct LogWriter {
    journal: Journal,
    match_id: Arc<str>,
    log: Arc<Log>,
}

/// The part of a log that the match and the thread share.
struct Log {
    /// The part that is stored; an error if the store has refused a change of the match for good.
    kept: watch::Sender<Result<Kept, StoreError>>,
    owner: Weak<dyn Owner>,
}

/// The part of a match that is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The number of changes.
    pub(crate) changes: u64,
    /// The time of the last commit.
    pub(crate) at: MatchTime,
}

impl Kept {
    /// Returns the time at which this number of changes was committed; None if it is not.
    pub(super) fn at(self, changes: u64) -> Option<MatchTime> {
        (self.changes >= changes).then_some(self.at)
    }
}

enum Job {
    Write(Arc<Log>, Box<Write>),
    Release(Arc<str>),
    Delete(Arc<str>),
    /// Sends true once all earlier jobs are done; false if they cannot be done now.
    Flush(Sender<bool>),
}

/// A change of a match to be written.
#[derive(Debug)]
pub(crate) struct Write {
    /// The head, with the first change of the match.
    pub(crate) head: Option<Arc<MatchHead>>,
    pub(crate) change: Change,
    /// The number of changes of the match, with this one.
    pub(crate) number: u64,
    /// True if the journal wakes the match after this change.
    pub(crate) wakes: bool,
}

impl Journal {
    /// Returns a handle, and the work of its thread.
    pub(super) fn new(
        store: Box<dyn Store>,
        clock: Clock,
        timer: Timer,
        metrics: Metrics,
        failing: watch::Sender<Option<StoreError>>,
    ) -> (Self, Writer) {
        let (jobs, queue) = mpsc::channel();
        let queued = Arc::<AtomicUsize>::default();
        let writer = Writer {
            pending: CommitQueue::default(),
            store,
            queue,
            queued: Arc::clone(&queued),
            expected: 0,
            last_commit: Duration::ZERO,
            clock,
            timer,
            failing: failing.clone(),
            metrics,
        };
        (Self { jobs, queued, failing }, writer)
    }

    /// Returns the log of a match, of which this part is stored.
    pub(super) fn log_of(&self, match_id: Arc<str>, owner: Weak<dyn Owner>, kept: Kept) -> LogWriter {
        let kept = watch::Sender::new(Ok(kept));
        LogWriter { journal: self.clone(), match_id, log: Arc::new(Log { kept, owner }) }
    }

    /// Removes a match from the store.
    pub(super) fn delete(&self, match_id: Arc<str>) {
        self.send(Job::Delete(match_id));
    }

    /// Waits until all jobs so far are committed. Returns false if the store fails.
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
        self.failing.borrow().is_some()
    }

    fn send(&self, job: Job) {
        self.queued.fetch_add(1, Ordering::SeqCst);
        self.jobs.send(job).expect("the thread runs for as long as there is a handle");
    }
}

impl LogWriter {
    /// Hands a change to the thread. Calls must come in the order of the changes.
    pub(super) fn write(&self, mut write: Box<Write>) {
        // While the store fails, the match refuses the answers of its bots.
        write.wakes |= self.journal.is_failing();
        self.journal.send(Job::Write(Arc::clone(&self.log), write));
    }

    /// Tells the store that the match leaves memory.
    pub(super) fn release(&self) {
        self.journal.send(Job::Release(Arc::clone(&self.match_id)));
    }

    /// Waits until this number of changes is committed. An error means that the store fails now, or has refused a change.
    pub(super) async fn kept(&self, changes: u64) -> Result<(), ApiError> {
        let is_known = |kept: &Result<Kept, _>| kept.as_ref().map_or(true, |kept| kept.at(changes).is_some());
        let (mut kept, mut failing) = (self.log.kept.subscribe(), self.journal.failing.subscribe());
        tokio::select! {
            biased;
            kept = kept.wait_for(is_known) => match &*kept.expect("the log has a sender") {
                Ok(_) => Ok(()),
                Err(error) => Err(refusals::stored(error, &self.match_id)),
            },
            _ = failing.wait_for(Option::is_some) => Err(refusals::suspended(&self.match_id)),
        }
    }

    /// Returns the stored part of a match with this number of changes. Refuses a match that cannot go on: the store has
    /// refused a change, or the store fails while a change of the match waits.
    pub(super) fn kept_now(&self, changes: u64) -> Result<Kept, ApiError> {
        match &*self.log.kept.borrow() {
            Err(error) => Err(refusals::stored(error, &self.match_id)),
            Ok(kept) if kept.at(changes).is_none() && self.journal.is_failing() => {
                Err(refusals::suspended(&self.match_id))
            }
            Ok(kept) => Ok(*kept),
        }
    }

    /// Returns true if this number of changes is committed; None if the store has refused a change for good.
    pub(super) fn is_kept(&self, changes: u64) -> Option<bool> {
        self.log.kept.borrow().as_ref().ok().map(|kept| kept.at(changes).is_some())
    }

    /// Waits until a change of the match cannot be written, if that ever happens.
    pub(super) async fn failed(&self) -> ApiError {
        self.kept(u64::MAX).await.expect_err("no match has so many changes")
    }
}

impl Log {
    /// Notes the stored part. A log that the store has refused stays refused.
    fn note(&self, kept: Result<Kept, StoreError>) {
        if let Err(error) = &kept {
            tracing::error!(%error, "the store refuses a change, so its match is set aside");
        }
        self.kept.send_if_modified(|before| {
            let goes_on = before.is_ok();
            if goes_on {
                *before = kept;
            }
            goes_on
        });
    }
}
