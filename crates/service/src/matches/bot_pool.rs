//! The bot pool: threads that compute the decisions of bots, so that no call waits for them.
//!
//! A bot that takes less than 50 us for a decision (`Bot::is_quick`, as `ahu duel` measures it) answers within the call, up to
//! 32 decisions. The pool makes all other decisions, one job of one decision for a match at a time. Decisions for which an
//! agent may wait and decisions of bots that play alone have separate threads, so that matches with agents go first. The
//! threads have a lower priority, and yield after each job, since the kernel would otherwise make a call wait for milliseconds
//! while bots occupy all cores. `CreateMatch` for bots alone returns at once, and `GetMatch` can wait for the end.
//!
//! A search is a job like any other, on one thread: it takes the cores that calls leave. It may take seconds and cannot be
//! interrupted, since a search that yields by itself would need a hook in every playout, and would yield later. So each
//! principal has threads of its own, as many as there are cores for bots, and the system shares the cores among the threads of
//! all. The bots of one principal slow the bots of another, and never stop them. Beyond a number of threads, principals take
//! turns. Several cores share a search only where one person waits for one analysis (`ahu analyse`, `hint`); worlds are seeded
//! by number, and each candidate meets them in their order, so the result is the same.

use std::collections::{HashMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};

use crate::admission::Principal;
use crate::limits::BOT_THREADS;
use crate::sync::{Arc, Condvar, Mutex, PoisonError, thread};
use crate::{background, lock};

/// The work of one bot decision.
type Job = Box<dyn FnOnce() + Send>;
/// A job that has begun, and its owner.
type Begun = (Option<Principal>, Job);

/// A pool of threads. Clones share the threads, which start when there is work for them and end with the last clone.
#[derive(Clone)]
pub(super) struct BotPool {
    /// The lanes, by urgency.
    lanes: [Arc<Lane>; 2],
}

/// The urgency of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    /// An agent may wait for it.
    Agents,
    /// Bots play alone.
    BotsAlone,
}

/// The threads for the decisions of one urgency.
struct Lane(Arc<LaneState>);

struct LaneState {
    queue: Mutex<FairQueue>,
    changed: Condvar,
    niceness: i32,
}

/// A queue whose owners take turns. The owner None has the jobs of matches that count for nobody.
#[derive(Default)]
struct FairQueue {
    /// The owners with jobs that wait or have begun.
    owners: HashMap<Option<Principal>, Jobs>,
    /// The owners with a job that waits, each once, in the order of their turns.
    turns: VecDeque<Option<Principal>>,
    /// The maximum number of jobs of an owner that have begun.
    most: usize,
    threads: usize,
    max_threads: usize,
    /// The number of threads that wait for a job.
    idle: usize,
    is_closed: bool,
}

/// The jobs of one owner.
#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// The number of jobs that have begun and not ended.
    begun: usize,
}

impl FairQueue {
    fn push(&mut self, owner: Option<Principal>, job: Job) {
        let jobs = self.owners.entry(owner).or_default();
        if jobs.waiting.is_empty() {
            self.turns.push_back(owner);
        }
        jobs.waiting.push_back(job);
    }

    /// Begins the first job of the next owner who may begin a job.
    fn begin(&mut self) -> Option<Begun> {
        let may_begin = |owner| self.owners.get(owner).is_some_and(|jobs| jobs.begun < self.most);
        let owner = self.turns.remove(self.turns.iter().position(may_begin)?)?;
        let jobs = self.owners.get_mut(&owner)?;
        let job = jobs.waiting.pop_front()?;
        jobs.begun += 1;
        if !jobs.waiting.is_empty() {
            self.turns.push_back(owner);
        }
        Some((owner, job))
    }

    /// Notes the end of a job.
    fn end(&mut self, owner: Option<Principal>) {
        if let Some(jobs) = self.owners.get_mut(&owner) {
            jobs.begun -= 1;
            if jobs.begun == 0 && jobs.waiting.is_empty() {
                self.owners.remove(&owner);
            }
        }
    }

    /// Returns true if more jobs may begin than threads wait, and a further thread is permitted.
    fn needs_thread(&self) -> bool {
        let ready = |jobs: &Jobs| jobs.waiting.len().min(self.most.saturating_sub(jobs.begun));
        self.owners.values().map(ready).sum::<usize>() > self.idle && self.threads < self.max_threads
    }

    fn len(&self) -> usize {
        self.owners.values().map(|jobs| jobs.waiting.len()).sum()
    }
}

impl BotPool {
    /// Creates a pool without threads. The bots of one owner have one core fewer than the machine has, but at least one. Bots
    /// that play alone have half of these cores, with a lower priority.
    pub(super) fn new() -> Self {
        Self::with_threads(BOT_THREADS)
    }

    /// Creates a pool whose jobs wait for [`Self::step`].
    pub(super) fn stepped() -> Self {
        Self::with_threads(0)
    }

    fn with_threads(max_threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // No owner has all threads.
        let own = (cores - 1).clamp(1, BOT_THREADS / 2);
        let lanes = [(own, background::BOTS), ((own / 2).max(1), background::BOTS_ALONE)];
        let lane = |(most, niceness)| {
            let queue = Mutex::new(FairQueue { most, max_threads, ..FairQueue::default() });
            Arc::new(Lane(Arc::new(LaneState { queue, changed: Condvar::new(), niceness })))
        };
        Self { lanes: lanes.map(lane) }
    }

    /// Adds a job of this owner. Jobs of one owner and urgency begin in the order in which they were added.
    pub(super) fn submit(&self, urgency: Urgency, owner: Option<Principal>, job: Job) {
        let shared = &self.lanes[urgency as usize].0;
        let mut queue = lock(&shared.queue);
        queue.push(owner, job);
        shared.add_thread(&mut queue);
        drop(queue);
        shared.changed.notify_one();
    }

    /// Does one job that waits, for a caller who does the work of the threads: a job for which an agent may wait, if there is
    /// one. Returns false if no job waits.
    pub(super) fn step(&self) -> bool {
        self.lanes.iter().any(|lane| lane.0.step())
    }

    /// Returns the number of waiting jobs for which agents may wait, and the number of waiting jobs of bots alone.
    pub(super) fn queued(&self) -> [usize; 2] {
        self.lanes.each_ref().map(|lane| lock(&lane.0.queue).len())
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        lock(&self.0.queue).is_closed = true;
        self.0.changed.notify_all();
    }
}

impl LaneState {
    /// Starts a thread if a job needs one.
    fn add_thread(self: &Arc<Self>, queue: &mut FairQueue) {
        if !queue.needs_thread() {
            return;
        }
        let shared = Arc::clone(self);
        match thread::Builder::new().name("bots".to_owned()).spawn(move || shared.work()) {
            Ok(_) => queue.threads += 1,
            Err(error) => tracing::error!(%error, "no thread for a bot, which waits for another one"),
        }
    }

    /// Waits for the next job; None once the pool is closed.
    fn next(self: &Arc<Self>) -> Option<Begun> {
        let mut queue = lock(&self.queue);
        while !queue.is_closed {
            if let Some(begun) = queue.begin() {
                // This thread was a waiting one, so another job may need a thread now.
                self.add_thread(&mut queue);
                return Some(begun);
            }
            queue.idle += 1;
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
        None
    }

    /// Does one job after the other.
    fn work(self: &Arc<Self>) {
        background::lower_priority(self.niceness);
        while let Some(begun) = self.next() {
            self.finish(begun);
            // The threads that answer calls go first.
            thread::yield_now();
        }
    }

    /// Does the job that is due. Returns false if no job may begin.
    fn step(&self) -> bool {
        let begun = lock(&self.queue).begin();
        begun.map(|begun| self.finish(begun)).is_some()
    }

    /// Does a job that has begun.
    fn finish(&self, (owner, job): Begun) {
        // The thread outlives a bot that panics. The panic hook has reported it.
        if panic::catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a bot panicked, so its match cannot go on");
        }
        lock(&self.queue).end(owner);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::mpsc;

    use super::*;

    fn peer(number: u8) -> Principal {
        Principal::at(Some(Ipv4Addr::new(203, 0, 113, number).into()))
    }

    #[test]
    fn owners_take_turns_and_keep_their_order() {
        let done = Arc::<Mutex<Vec<(u8, usize)>>>::default();
        let mut queue = FairQueue { most: 1, ..FairQueue::default() };
        for (owner, jobs) in [(1, 3), (2, 1), (3, 2)] {
            for n in 0..jobs {
                let done = Arc::clone(&done);
                queue.push(Some(peer(owner)), Box::new(move || lock(&done).push((owner, n))));
            }
        }
        assert_eq!(queue.len(), 6);
        while let Some((owner, job)) = queue.begin() {
            job();
            queue.end(owner);
        }
        assert_eq!(*lock(&done), [(1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2)]);
        assert_eq!((queue.len(), queue.owners.len()), (0, 0));
    }

    #[test]
    fn an_owner_begins_no_more_jobs_than_it_may() {
        let mut queue = FairQueue { most: 2, max_threads: BOT_THREADS, ..FairQueue::default() };
        for owner in [1, 1, 1, 2] {
            queue.push(Some(peer(owner)), Box::new(|| ()));
        }
        let begun: Vec<_> = std::iter::from_fn(|| queue.begin().and_then(|(owner, _)| owner)).collect();
        assert_eq!(begun, [peer(1), peer(2), peer(1)]);
        assert!(!queue.needs_thread(), "a thread could not begin the last job");
        queue.end(Some(peer(1)));
        assert!(queue.needs_thread() && queue.begin().is_some());
        queue.idle = 1;
        queue.push(Some(peer(2)), Box::new(|| ()));
        assert!(!queue.needs_thread(), "a thread waits for it");
        queue.push(Some(peer(3)), Box::new(|| ()));
        queue.push(Some(peer(3)), Box::new(|| ()));
        assert!(queue.needs_thread(), "one thread waits for three jobs");
    }

    #[test]
    fn a_job_does_not_wait_for_the_long_jobs_of_others() {
        let pool = BotPool::new();
        for urgency in [Urgency::Agents, Urgency::BotsAlone] {
            let (end, is_ended) = mpsc::channel::<()>();
            let is_ended = Arc::new(Mutex::new(is_ended));
            // More than there are cores.
            for _ in 0..1_000 {
                let is_ended = Arc::clone(&is_ended);
                // Nothing is sent: they end with the sender.
                let long = move || assert!(lock(&is_ended).recv().is_err());
                pool.submit(urgency, Some(peer(1)), Box::new(long));
            }
            let (done, is_done) = mpsc::channel();
            pool.submit(urgency, Some(peer(2)), Box::new(move || done.send(()).expect("the test waits")));
            is_done.recv().expect("the job of another owner is done");
            drop(end);
        }
        while pool.queued() != [0, 0] {
            thread::yield_now();
        }
    }
}
