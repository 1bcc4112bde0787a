//! The thread of the journal: it gathers jobs in the commit queue, takes turns, and carries out their effects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::commit_queue::{CommitQueue, Turn};
use super::{Job, Kept};
use crate::limits::{COMMIT_GAP, MAX_COMMIT_CHANGES, MAX_COMMIT_DELAY, STORE_BEAT};
use crate::matches::{Clock, Timer};
use crate::metrics::Metrics;
use crate::store::{Store, StoreError};

/// The work of the thread that writes.
pub(in crate::matches) struct Writer {
    pub(super) pending: CommitQueue,
    pub(super) store: Box<dyn Store>,
    pub(super) queue: Receiver<Job>,
    pub(super) queued: Arc<AtomicUsize>,
    /// The number of changes that will probably arrive for the next commit.
    pub(super) expected: usize,
    /// The time that the last commit took.
    pub(super) last_commit: Duration,
    pub(super) clock: Clock,
    pub(super) timer: Timer,
    pub(super) failing: watch::Sender<Option<StoreError>>,
    pub(super) metrics: Metrics,
}

/// The failure of a turn: the error of the store, and the pause before the next try.
type Failed = (StoreError, Duration);

impl Writer {
    /// Starts the thread, which writes until no handle is left.
    pub(in crate::matches) fn start(self) {
        let thread = thread::Builder::new().name("journal".to_owned());
        thread.spawn(move || self.run()).expect("the system has threads");
    }

    fn run(mut self) {
        while self.gather() {
            if let Some((error, pause)) = self.turn()
                && !self.pause(pause)
            {
                tracing::error!(%error, "the server ends before the store could be written");
                return;
            }
        }
    }

    /// Takes one turn with all jobs that wait, for a caller who does the work of the thread. Returns false if the store
    /// fails.
    pub(in crate::matches) fn step(&mut self) -> bool {
        while let Ok(job) = self.next(Duration::ZERO) {
            self.receive(job);
        }
        self.turn().is_none()
    }

    /// Takes one turn, and carries out its effects.
    fn turn(&mut self) -> Option<Failed> {
        let (waiting, start) = (self.pending.jobs.len(), Instant::now());
        let turn = self.pending.turn(&mut *self.store, self.clock.now());
        self.carry_out(turn, start.elapsed(), waiting)
    }

    /// Gathers the jobs of the next commit in the queue: all jobs that wait, and jobs that arrive soon. Returns false if no
    /// handle is left.
    fn gather(&mut self) -> bool {
        if self.pending.pause.is_some() {
            return true;
        }
        while self.pending.jobs.is_empty() {
            match self.next(STORE_BEAT) {
                Ok(job) => self.pending.jobs.push_back(job),
                // While an agent thinks, the store learns the time, so that a restart charges the time that was used.
                Err(RecvTimeoutError::Timeout) if self.timer.is_waiting() => return true,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        let end = Instant::now() + self.last_commit / MAX_COMMIT_DELAY;
        while self.pending.jobs.len() < MAX_COMMIT_CHANGES {
            let patience = match self.pending.jobs.len() < self.expected {
                true => end.saturating_duration_since(Instant::now()).min(self.last_commit / COMMIT_GAP),
                false => Duration::ZERO,
            };
            let Ok(job) = self.next(patience) else { break };
            self.pending.jobs.push_back(job);
        }
        true
    }

    /// Returns the next job that arrives within this time.
    fn next(&self, time: Duration) -> Result<Job, RecvTimeoutError> {
        let job = self.queue.recv_timeout(time)?;
        self.queued.fetch_sub(1, Ordering::SeqCst);
        Ok(job)
    }

    /// Puts a job in the queue. While the store fails, nobody waits for it.
    fn receive(&mut self, job: Job) {
        match (self.pending.pause, job) {
            (None, job) => self.pending.jobs.push_back(job),
            (Some(_), Job::Flush(done)) => tell([done], false),
            (Some(_), job) => self.pending.put_off(job),
        }
    }

    /// Carries out the effects of a turn that took this time, with `waiting` jobs in the queue before it. The order is fixed:
    /// the clock goes on before a match does, and all logs know their stored part before the first match is woken.
    fn carry_out(&mut self, turn: Turn, took: Duration, waiting: usize) -> Option<Failed> {
        match turn {
            Turn::Failed { error, is_first, pause, flushed } => {
                self.metrics.commit_failed();
                if is_first {
                    tracing::error!(%error, "the store fails, so its matches stand still; the server tries again");
                    self.clock.stop();
                    self.failing.send_replace(Some(error.clone()));
                }
                tell(flushed, false);
                Some((error, pause))
            }
            Turn::Done { logs, woken, flushed, has_recovered } => {
                self.metrics.committed(logs.len(), took);
                // The jobs that wait already, and the agents that are answered now.
                (self.last_commit, self.expected) = (took, self.queued.load(Ordering::SeqCst) + waiting);
                if has_recovered {
                    tracing::info!("the store can be written again, so its matches go on");
                    while let Ok(job) = self.next(Duration::ZERO) {
                        self.pending.put_off(job);
                    }
                    self.clock.go_on();
                }
                let at = self.clock.now();
                for (log, kept) in logs {
                    log.note(kept.map(|changes| Kept { changes, at }));
                }
                self.failing.send_if_modified(|failing| failing.take().is_some());
                woken.iter().filter_map(|log| log.owner.upgrade()).for_each(|owner| owner.wake());
                tell(flushed, true);
                None
            }
        }
    }

    /// Waits before the next try, and keeps the jobs that arrive. Returns false if no handle is left.
    fn pause(&mut self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        loop {
            match self.next(end.saturating_duration_since(Instant::now())) {
                Ok(job) => self.receive(job),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

/// Tells callers whether earlier jobs are done. A caller may have gone.
pub(super) fn tell(flushed: impl IntoIterator<Item = Sender<bool>>, is_done: bool) {
    for done in flushed {
        let _ = done.send(is_done);
    }
}
