//! The journal: one thread that writes the logs of all matches.
//!
//! All appends that arrive during a commit share the next one. The server sends no answer before the entries behind it
//! are committed. A call that is cancelled takes nothing with it: its entries were handed over before anybody waited.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use tokio::sync::watch;

use super::clock::Clock;
use crate::host::api::ApiError;
use crate::host::{Entry, LogError, MatchLog, MatchTime};
use crate::service::error;
use crate::service::limits::MAX_COMMIT_APPENDS;

/// A handle on the thread that writes. Clones share the thread, which ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    jobs: Sender<Job>,
}

/// The log of one match in the journal.
#[derive(Debug)]
pub(super) struct LogWriter {
    journal: Journal,
    match_id: Arc<str>,
    kept: watch::Sender<Kept>,
}

/// The state of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// This number of entries is committed, the last of them at this time.
    Entries(usize, MatchTime),
    /// The store failed, so the log has a gap and gets no more entries.
    Failed,
}

#[derive(Debug)]
enum Job {
    Append(Append),
    Forget(Arc<str>),
}

#[derive(Debug)]
struct Append {
    match_id: Arc<str>,
    /// The number of entries before these.
    expected: usize,
    entries: Vec<Entry>,
    kept: watch::Sender<Kept>,
}

impl Journal {
    /// Starts the thread.
    pub(super) fn start(mut log: Box<dyn MatchLog>, clock: Clock) -> Self {
        let (jobs, queue) = mpsc::channel();
        let writer = thread::Builder::new().name("journal".to_owned());
        writer.spawn(move || write(&mut *log, &queue, &clock)).expect("the system has threads");
        Self { jobs }
    }

    /// Returns the log of a new match.
    pub(super) fn log_of(&self, match_id: Arc<str>) -> LogWriter {
        LogWriter { journal: self.clone(), match_id, kept: watch::Sender::new(Kept::Entries(0, MatchTime(0))) }
    }

    fn send(&self, job: Job) {
        self.jobs.send(job).expect("the thread runs for as long as there is a handle");
    }
}

impl LogWriter {
    /// Appends entries after the first `expected`. Calls must come in the order of the entries.
    pub(super) fn append(&self, expected: usize, entries: Vec<Entry>) {
        let (match_id, kept) = (Arc::clone(&self.match_id), self.kept.clone());
        self.journal.send(Job::Append(Append { match_id, expected, entries, kept }));
    }

    /// Removes the log from the store.
    pub(super) fn forget(&self) {
        self.journal.send(Job::Forget(Arc::clone(&self.match_id)));
    }

    /// Waits until this number of entries is committed.
    pub(super) async fn kept(&self, entries: usize) -> Result<(), ApiError> {
        let is_enough =
            |kept: &Kept| matches!(kept, Kept::Failed) || matches!(kept, Kept::Entries(n, _) if *n >= entries);
        let mut kept = self.kept.subscribe();
        let kept = kept.wait_for(is_enough).await.expect("the log has a sender").to_owned();
        match kept {
            Kept::Entries(..) => Ok(()),
            Kept::Failed => Err(error::log_failed(&self.match_id)),
        }
    }

    /// Returns the time at which the last of this number of entries was committed; None if it is not, or if the log has
    /// failed.
    pub(super) fn kept_at(&self, entries: usize) -> Option<MatchTime> {
        match *self.kept.borrow() {
            Kept::Entries(kept, at) if kept >= entries => Some(at),
            Kept::Entries(..) | Kept::Failed => None,
        }
    }

    /// Returns true if the log has failed.
    pub(super) fn has_failed(&self) -> bool {
        *self.kept.borrow() == Kept::Failed
    }

    /// Waits until the log has failed, if it ever does.
    pub(super) async fn failed(&self) -> ApiError {
        let failed = self.kept(usize::MAX).await;
        failed.expect_err("no log has so many entries")
    }
}

/// Writes until no handle is left.
fn write(log: &mut dyn MatchLog, queue: &Receiver<Job>, clock: &Clock) {
    while let Ok(first) = queue.recv() {
        let waiting = std::iter::once(first).chain(queue.try_iter()).take(MAX_COMMIT_APPENDS);
        let appended: Vec<_> = waiting.filter_map(|job| carry_out(log, job)).collect();
        let committed = log.commit();
        let now = clock.now();
        for (append, done) in appended {
            let length = append.expected + append.entries.len();
            let done = done.and(committed.clone());
            if let Err(error) = &done {
                tracing::error!(match_id = &*append.match_id, %error, "the log of a match cannot be written");
            }
            append.kept.send_modify(|kept| match (&done, *kept) {
                (Ok(()), Kept::Entries(..)) => *kept = Kept::Entries(length, now),
                (Err(_), _) | (_, Kept::Failed) => *kept = Kept::Failed,
            });
        }
    }
}

fn carry_out(log: &mut dyn MatchLog, job: Job) -> Option<(Append, Result<(), LogError>)> {
    match job {
        Job::Append(append) => {
            let done = log.append(&append.match_id, append.expected, &append.entries);
            Some((append, done))
        }
        Job::Forget(match_id) => {
            if let Err(error) = log.forget(&match_id) {
                tracing::warn!(match_id = &*match_id, %error, "the log of a match cannot be removed");
            }
            None
        }
    }
}
