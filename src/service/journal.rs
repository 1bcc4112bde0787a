//! The journal: one thread that writes the logs of all matches, so that a commit is shared by all
//! that came while the one before it was under way.
//!
//! No answer leaves before the entries that it rests on are committed. A call that vanishes takes
//! nothing with it: its entries were handed over before anybody waited.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use tokio::sync::watch;

use super::limits::MAX_COMMIT_APPENDS;
use crate::host::{Entry, LogError, MatchLog};

/// Hands entries to the thread that writes them. Clones share it; it ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    jobs: Sender<Job>,
}

/// How far the log of a match is kept. Whoever waits for it looks again when it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// So many entries.
    Entries(usize),
    /// No more, for the store has failed.
    Failed,
}

impl Kept {
    /// A log that has failed once has a gap, and is of no more use.
    fn grow(&mut self, length: usize) {
        if let Self::Entries(kept) = self {
            *kept = length;
        }
    }
}

/// Entries to be appended, and who is told when they are kept.
#[derive(Debug)]
pub(super) struct Append {
    pub(super) match_id: Arc<str>,
    /// How many entries the log has before them.
    pub(super) expected: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) kept: watch::Sender<Kept>,
}

#[derive(Debug)]
enum Job {
    Append(Append),
    Forget(Arc<str>),
}

impl Journal {
    /// Starts the thread.
    pub(super) fn start(mut log: Box<dyn MatchLog>) -> Self {
        let (jobs, queue) = mpsc::channel();
        let writer = thread::Builder::new().name("journal".to_owned());
        writer.spawn(move || write(&mut *log, &queue)).expect("the system has threads");
        Self { jobs }
    }

    pub(super) fn append(&self, append: Append) {
        self.send(Job::Append(append));
    }

    /// Lets go of the log of a match.
    pub(super) fn forget(&self, match_id: Arc<str>) {
        self.send(Job::Forget(match_id));
    }

    fn send(&self, job: Job) {
        self.jobs.send(job).expect("the journal ends after all who write into it");
    }
}

/// Writes until nobody is left who could hand over more.
fn write(log: &mut dyn MatchLog, queue: &Receiver<Job>) {
    while let Ok(first) = queue.recv() {
        let waiting = std::iter::once(first).chain(queue.try_iter()).take(MAX_COMMIT_APPENDS);
        let appended: Vec<_> = waiting.filter_map(|job| carry_out(log, job)).collect();
        let committed = log.commit();
        for (append, done) in appended {
            let length = append.expected + append.entries.len();
            match done.and(committed.clone()) {
                Ok(()) => append.kept.send_modify(|kept| kept.grow(length)),
                Err(error) => {
                    tracing::error!(match_id = &*append.match_id, %error, "the log of a match cannot be written");
                    append.kept.send_replace(Kept::Failed);
                }
            }
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
                tracing::warn!(match_id = &*match_id, %error, "the log of a match cannot be dropped");
            }
            None
        }
    }
}
