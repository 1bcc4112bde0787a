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
//!
//! One turn of the journal is a function of the jobs, the store, and the time ([`Desk::turn`]). It returns what has to happen
//! afterwards, and the thread carries that out ([`Writer::carry_out`]).

use std::collections::VecDeque;
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
    /// The part that is kept; an error if the store has refused a change of the match for good.
    kept: watch::Sender<Result<Kept, StoreError>>,
    owner: Weak<dyn Owner>,
}

/// The part of a match that is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// The number of changes.
    pub(super) changes: u64,
    /// The time of the last commit.
    pub(super) at: MatchTime,
}

impl Kept {
    /// Returns the time at which the last of this number of changes was committed; None if it is not.
    pub(super) fn at(self, changes: u64) -> Option<MatchTime> {
        (self.changes >= changes).then_some(self.at)
    }
}

enum Job {
    Write(Arc<Log>, Box<Write>),
    Release(Arc<str>),
    Delete(Arc<str>),
    /// Tells the sender once all earlier jobs are done; false if they cannot be done now.
    Flush(Sender<bool>),
}

/// A change of a match to be written.
#[derive(Debug)]
pub(super) struct Write {
    /// The head, with the first change of the match.
    pub(super) head: Option<Arc<MatchHead>>,
    pub(super) change: Change,
    /// The number of changes of the match, with this one.
    pub(super) number: u64,
    /// True if the match waits for this change.
    pub(super) wakes: bool,
}

impl Journal {
    /// Starts the thread.
    pub(super) fn start(store: Box<dyn Store>, clock: Clock, timer: Timer, metrics: Metrics) -> Self {
        let (jobs, queue) = mpsc::channel();
        let (queued, failing) = (Arc::<AtomicUsize>::default(), watch::Sender::new(false));
        let writer = Writer {
            desk: Desk::default(),
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
        let thread = thread::Builder::new().name("journal".to_owned());
        thread.spawn(move || writer.run()).expect("the system has threads");
        Self { jobs, queued, failing }
    }

    /// Returns the log of a match, of which this part is kept.
    pub(super) fn log_of(&self, match_id: Arc<str>, owner: Weak<dyn Owner>, kept: Kept) -> LogWriter {
        let kept = watch::Sender::new(Ok(kept));
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
    /// Writes a change. Calls must come in the order of the changes.
    pub(super) fn write(&self, mut write: Box<Write>) {
        // While the store fails, the match refuses the answers of its bots.
        write.wakes |= self.journal.is_failing();
        self.journal.send(Job::Write(Arc::clone(&self.log), write));
    }

    /// Tells the store that the match leaves memory.
    pub(super) fn release(&self) {
        self.journal.send(Job::Release(Arc::clone(&self.match_id)));
    }

    /// Waits until this number of changes is committed. An error means that the store fails now, or has refused one.
    pub(super) async fn kept(&self, changes: u64) -> Result<(), ApiError> {
        let is_known = |kept: &Result<Kept, _>| kept.as_ref().map_or(true, |kept| kept.at(changes).is_some());
        let (mut kept, mut failing) = (self.log.kept.subscribe(), self.journal.failing.subscribe());
        tokio::select! {
            biased;
            kept = kept.wait_for(is_known) => match &*kept.expect("the log has a sender") {
                Ok(_) => Ok(()),
                Err(error) => Err(error::stored(error, &self.match_id)),
            },
            _ = failing.wait_for(|failing| *failing) => Err(error::suspended(&self.match_id)),
        }
    }

    /// Returns what is kept of a match with this number of changes. Refuses a match that cannot go on: the store has refused
    /// a change, or it fails while a change of the match waits.
    pub(super) fn kept_now(&self, changes: u64) -> Result<Kept, ApiError> {
        match &*self.log.kept.borrow() {
            Err(error) => Err(error::stored(error, &self.match_id)),
            Ok(kept) if kept.at(changes).is_none() && self.journal.is_failing() => {
                Err(error::suspended(&self.match_id))
            }
            Ok(kept) => Ok(*kept),
        }
    }

    /// Returns true if this number of changes is committed; None if the store has refused one for good.
    pub(super) fn is_kept(&self, changes: u64) -> Option<bool> {
        self.log.kept.borrow().as_ref().ok().map(|kept| kept.at(changes).is_some())
    }

    /// Waits until a change of the match cannot be written, if that ever happens.
    pub(super) async fn failed(&self) -> ApiError {
        self.kept(u64::MAX).await.expect_err("no match has so many changes")
    }
}

/// The desk of the journal: the jobs that are not carried out, in order.
#[derive(Default)]
struct Desk {
    jobs: VecDeque<Job>,
    /// The pause before the next try; None unless the store fails.
    pause: Option<Duration>,
}

/// The effects of a turn.
#[must_use]
enum Turn {
    /// The store has carried out some jobs.
    Done {
        /// The logs of the changes. For each the number of its changes, or the reason why the store has refused it.
        logs: Vec<(Arc<Log>, Result<u64, StoreError>)>,
        /// The logs whose matches go on.
        woken: Vec<Arc<Log>>,
        flushed: Vec<Sender<bool>>,
        /// True if the store had failed before.
        has_recovered: bool,
    },
    /// The store has failed, and has carried out no job.
    Failed {
        error: StoreError,
        /// True if it had not failed before.
        is_first: bool,
        /// The time after which to try again.
        pause: Duration,
        /// The callers who wait for jobs that cannot be carried out now.
        flushed: Vec<Sender<bool>>,
    },
}

impl Desk {
    /// Takes one turn at this time: carries out the first jobs in one transaction of the store. Those that it does not take
    /// stay on the desk.
    fn turn(&mut self, store: &mut dyn Store, now: MatchTime) -> Turn {
        let count = self.jobs.len().min(MAX_COMMIT_CHANGES);
        let mut flushed = Vec::new();
        let refused = match write(self.jobs.range(..count), store, now) {
            Ok(refused) => refused,
            Err(error) => {
                self.jobs.retain(|job| match job {
                    Job::Flush(done) => {
                        flushed.push(done.clone());
                        false
                    }
                    Job::Write(..) | Job::Release(_) | Job::Delete(_) => true,
                });
                let is_first = self.pause.is_none();
                let pause = self.pause.map_or(FIRST_STORE_RETRY, |pause| (2 * pause).min(LAST_STORE_RETRY));
                self.pause = Some(pause);
                return Turn::Failed { error, is_first, pause, flushed };
            }
        };
        let has_recovered = self.pause.take().is_some();
        let (mut logs, mut woken, mut refused) = (Vec::with_capacity(refused.len()), Vec::new(), refused.into_iter());
        for job in self.jobs.drain(..count) {
            match job {
                Job::Write(log, write) => {
                    if write.wakes || has_recovered {
                        woken.push(Arc::clone(&log));
                    }
                    logs.push((log, refused.next().flatten().map_or(Ok(write.number), Err)));
                }
                Job::Flush(done) => flushed.push(done),
                Job::Release(_) | Job::Delete(_) => {}
            }
        }
        Turn::Done { logs, woken, flushed, has_recovered }
    }

    /// Puts a job on the desk that arrived while the store fails. Its match may have refused the answer of a bot, which is
    /// asked again.
    fn put_off(&mut self, mut job: Job) {
        if let Job::Write(_, write) = &mut job {
            write.wakes = true;
        }
        self.jobs.push_back(job);
    }
}

/// Writes all changes and commits them. Returns the reason for each that the store has refused for good; an error if the
/// store failed, and has none of them.
fn write<'a>(
    jobs: impl Iterator<Item = &'a Job>,
    store: &mut dyn Store,
    now: MatchTime,
) -> Result<Vec<Option<StoreError>>, StoreError> {
    let mut refused = Vec::new();
    for job in jobs {
        let done = match job {
            Job::Write(_, write) => {
                let created = write.head.as_ref().map_or(Ok(()), |head| store.create(head));
                let done = created.and_then(|()| store.append(&write.change, now));
                refused.push(done.clone().err());
                done
            }
            Job::Delete(match_id) => store.delete(match_id),
            Job::Release(match_id) => {
                store.release(match_id);
                Ok(())
            }
            Job::Flush(_) => Ok(()),
        };
        if let Err(error @ StoreError::Failed(_)) = done {
            return Err(error);
        }
    }
    store.commit(now).map(|()| refused)
}

/// The thread that writes.
struct Writer {
    desk: Desk,
    store: Box<dyn Store>,
    queue: Receiver<Job>,
    queued: Arc<AtomicUsize>,
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
        while self.gather() {
            let (waiting, start) = (self.desk.jobs.len(), Instant::now());
            let turn = self.desk.turn(&mut *self.store, self.clock.now());
            if !self.carry_out(turn, start.elapsed(), waiting) {
                return;
            }
        }
    }

    /// Gathers the jobs of the next commit on the desk: all that wait, and those that arrive soon. Returns false if no handle
    /// is left.
    fn gather(&mut self) -> bool {
        if self.desk.pause.is_some() {
            return true;
        }
        while self.desk.jobs.is_empty() {
            match self.next(STORE_BEAT) {
                Ok(job) => self.desk.jobs.push_back(job),
                // While somebody thinks, the store learns the time, so that a restart charges what was used.
                Err(RecvTimeoutError::Timeout) if self.timer.is_waiting() => return true,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        let end = Instant::now() + self.last_commit / MAX_COMMIT_DELAY;
        while self.desk.jobs.len() < MAX_COMMIT_CHANGES {
            let patience = match self.desk.jobs.len() < self.expected {
                true => end.saturating_duration_since(Instant::now()).min(self.last_commit / COMMIT_GAP),
                false => Duration::ZERO,
            };
            let Ok(job) = self.next(patience) else { break };
            self.desk.jobs.push_back(job);
        }
        true
    }

    /// Returns the next job that arrives within this time.
    fn next(&self, time: Duration) -> Result<Job, RecvTimeoutError> {
        let job = self.queue.recv_timeout(time)?;
        self.queued.fetch_sub(1, Ordering::SeqCst);
        Ok(job)
    }

    /// Carries out the effects of a turn that took this time, of a desk with this number of jobs. The order is fixed here: the
    /// time goes on before a match does, and all logs know what is kept before the first match is woken. Returns false if no
    /// handle is left before the store could be written.
    fn carry_out(&mut self, turn: Turn, took: Duration, waiting: usize) -> bool {
        match turn {
            Turn::Failed { error, is_first, pause, flushed } => {
                self.metrics.commit_failed();
                if is_first {
                    tracing::error!(%error, "the store fails, so its matches stand still; the server tries again");
                    self.clock.stop();
                    self.failing.send_replace(true);
                }
                tell(flushed, false);
                let goes_on = self.pause(pause);
                if !goes_on {
                    tracing::error!(%error, "the server ends before the store could be written");
                }
                goes_on
            }
            Turn::Done { logs, woken, flushed, has_recovered } => {
                self.metrics.committed(logs.len(), took);
                // Whoever waits already, and whoever is answered now.
                (self.last_commit, self.expected) = (took, self.queued.load(Ordering::SeqCst) + waiting);
                if has_recovered {
                    tracing::info!("the store can be written again, so its matches go on");
                    while let Ok(job) = self.next(Duration::ZERO) {
                        self.desk.put_off(job);
                    }
                    self.clock.go_on();
                }
                let at = self.clock.now();
                for (log, kept) in logs {
                    log.note(kept.map(|changes| Kept { changes, at }));
                }
                self.failing.send_if_modified(std::mem::take);
                woken.iter().filter_map(|log| log.owner.upgrade()).for_each(|owner| owner.wake());
                tell(flushed, true);
                true
            }
        }
    }

    /// Waits before the next try, and keeps the jobs that arrive. Returns false if no handle is left.
    fn pause(&mut self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        loop {
            match self.next(end.saturating_duration_since(Instant::now())) {
                Ok(Job::Flush(done)) => tell([done], false),
                Ok(job) => self.desk.put_off(job),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

/// Tells callers that earlier jobs are done, or that they cannot be done now. A caller may have gone.
fn tell(flushed: impl IntoIterator<Item = Sender<bool>>, is_done: bool) {
    for done in flushed {
        let _ = done.send(is_done);
    }
}

impl Log {
    /// Notes what is kept. A log that the store has refused stays so.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::v1::MatchState;
    use crate::service::store::{Facts, OpenReader};

    /// A store in memory that fails or refuses as a test orders.
    #[derive(Debug, Default)]
    struct FakeStore {
        is_broken: bool,
        /// The match whose changes are refused for good.
        refused: Option<&'static str>,
        pending: Vec<String>,
        committed: Vec<String>,
    }

    impl Store for FakeStore {
        fn facts(&self) -> Facts {
            Facts { token_key: [0; 32], time: MatchTime(0), last_number: 0 }
        }

        fn create(&mut self, _: &MatchHead) -> Result<(), StoreError> {
            Ok(())
        }

        fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
            if self.refused == Some(&*change.match_id) {
                return Err(StoreError::UnknownMatch(change.match_id.to_string()));
            }
            self.pending.push(format!("{}{} at {}", change.match_id, change.expected, at.0));
            Ok(())
        }

        fn commit(&mut self, _: MatchTime) -> Result<(), StoreError> {
            if self.is_broken {
                self.pending.clear();
                return Err(StoreError::Failed("the disk is full".to_owned()));
            }
            self.committed.append(&mut self.pending);
            Ok(())
        }

        fn release(&mut self, match_id: &str) {
            self.pending.push(format!("release {match_id}"));
        }

        fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
            self.pending.push(format!("delete {match_id}"));
            Ok(())
        }

        fn readers(&self) -> OpenReader {
            unreachable!("a turn reads nothing")
        }
    }

    struct Nobody;

    impl Owner for Nobody {
        fn wake(&self) {}
    }

    fn log() -> Arc<Log> {
        let kept = watch::Sender::new(Ok(Kept { changes: 0, at: MatchTime(0) }));
        Arc::new(Log { kept, owner: Weak::<Nobody>::new() })
    }

    /// Returns the job to write the change with this number.
    fn write(match_id: &str, log: &Arc<Log>, number: u64) -> Job {
        let change = Change {
            match_id: match_id.into(),
            seats: Vec::new(),
            request: None,
            expected: number as usize,
            entries: Vec::new(),
            state: MatchState::Running,
            end: None,
        };
        Job::Write(Arc::clone(log), Box::new(Write { head: None, change, number, wakes: false }))
    }

    fn desk(jobs: impl IntoIterator<Item = Job>) -> Desk {
        Desk { jobs: jobs.into_iter().collect(), pause: None }
    }

    /// Returns the numbers of changes that a turn has kept, those of the logs that it wakes, and true if the store has recovered.
    fn done(turn: Turn) -> (Vec<Result<u64, StoreError>>, usize, bool) {
        let Turn::Done { logs, woken, has_recovered, .. } = turn else { panic!("the store has failed") };
        (logs.into_iter().map(|(_, kept)| kept).collect(), woken.len(), has_recovered)
    }

    #[test]
    fn a_store_that_fails_gets_the_same_jobs_again_after_longer_and_longer_pauses() {
        let (log, mut store) = (log(), FakeStore { is_broken: true, ..FakeStore::default() });
        let mut desk = desk([write("a", &log, 1), Job::Release("b".into()), write("a", &log, 2)]);
        let mut pauses = Vec::new();
        for try_number in 0..6 {
            let turn = desk.turn(&mut store, MatchTime(7));
            let Turn::Failed { is_first, pause, .. } = turn else { panic!("the store is broken") };
            assert_eq!(is_first, try_number == 0);
            assert!(store.committed.is_empty() && desk.jobs.len() == 3);
            pauses.push(pause.as_millis());
        }
        assert_eq!(pauses, [250, 500, 1_000, 2_000, 4_000, 4_000]);

        store.is_broken = false;
        // Nobody waited for the changes, but the match may have refused a bot meanwhile.
        assert_eq!(done(desk.turn(&mut store, MatchTime(8))), (vec![Ok(1), Ok(2)], 2, true));
        assert_eq!(store.committed, ["a1 at 8", "release b", "a2 at 8"]);
        assert_eq!(done(desk.turn(&mut store, MatchTime(9))), (Vec::new(), 0, false));
    }

    #[test]
    fn whoever_flushes_is_told_that_the_store_fails_and_does_not_wait() {
        let (log, mut store) = (log(), FakeStore { is_broken: true, ..FakeStore::default() });
        let (flushed, is_flushed) = mpsc::channel();
        let mut desk = desk([write("a", &log, 1), Job::Flush(flushed.clone())]);
        let Turn::Failed { flushed: told, .. } = desk.turn(&mut store, MatchTime(0)) else { panic!("it is broken") };
        tell(told, false);
        assert_eq!(is_flushed.try_recv(), Ok(false));

        store.is_broken = false;
        desk.put_off(Job::Flush(flushed));
        let Turn::Done { flushed: told, .. } = desk.turn(&mut store, MatchTime(0)) else { panic!("it works") };
        assert_eq!((told.len(), store.committed.len()), (1, 1));
        assert!(is_flushed.try_recv().is_err(), "the first flush is answered once");
    }

    #[test]
    fn a_change_that_the_store_refuses_sets_its_match_aside_alone() {
        let (logs, mut store) = ([log(), log()], FakeStore { refused: Some("a"), ..FakeStore::default() });
        let mut desk = desk([write("a", &logs[0], 1), write("b", &logs[1], 1), Job::Delete("c".into())]);
        let refused = StoreError::UnknownMatch("a".to_owned());
        assert_eq!(done(desk.turn(&mut store, MatchTime(3))).0, [Err(refused.clone()), Ok(1)]);
        assert_eq!(store.committed, ["b1 at 3", "delete c"]);

        logs[0].note(Err(refused.clone()));
        logs[0].note(Ok(Kept { changes: 2, at: MatchTime(4) }));
        assert_eq!(*logs[0].kept.borrow(), Err(refused), "a refused match stays so");
    }

    #[test]
    fn the_jobs_beyond_a_commit_wait_for_the_next_one_and_keep_their_order() {
        let (log, mut store) = (log(), FakeStore { is_broken: true, ..FakeStore::default() });
        let count = MAX_COMMIT_CHANGES as u64;
        let mut desk = desk((1..=count).map(|number| write("a", &log, number)));
        let Turn::Failed { .. } = desk.turn(&mut store, MatchTime(0)) else { panic!("it is broken") };
        desk.put_off(write("a", &log, count + 1));
        store.is_broken = false;

        let (kept, woken, has_recovered) = done(desk.turn(&mut store, MatchTime(0)));
        assert_eq!(
            (kept.len(), woken, has_recovered, desk.jobs.len()),
            (MAX_COMMIT_CHANGES, MAX_COMMIT_CHANGES, true, 1)
        );
        // It arrived while the store failed, so its match is told too.
        assert_eq!(done(desk.turn(&mut store, MatchTime(0))), (vec![Ok(count + 1)], 1, false));
        assert_eq!(store.committed.last().map(String::as_str), Some(&*format!("a{} at 0", count + 1)));
    }
}
