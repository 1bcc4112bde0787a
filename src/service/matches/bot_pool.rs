//! The bot pool: a few threads that compute the decisions of bots, so that no call waits for them.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The niceness of the threads, from 0 to 19: they get about a tenth of a contended core.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// The work of one bot decision.
type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads. Clones share the threads, which end with the last of them.
#[derive(Clone, Debug)]
pub(super) struct BotPool {
    handle: Arc<Handle>,
}

/// The urgency of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    /// An agent may wait for it.
    Agents,
    /// Bots play alone.
    BotsAlone,
}

#[derive(Debug)]
struct Handle(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    changed: Condvar,
}

#[derive(Default)]
struct Queues {
    agents: VecDeque<Job>,
    bots_alone: VecDeque<Job>,
    /// The number of threads that may still begin a job of bots alone.
    free_for_bots_alone: usize,
    is_closed: bool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl BotPool {
    /// Starts one thread fewer than the machine has cores, but at least one. Bots that play alone occupy at most half of
    /// them, so that an agent does not wait for bots of others to finish long thoughts.
    pub(super) fn start() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores - 1).max(1);
        let shared = Arc::<Shared>::default();
        shared.lock().free_for_bots_alone = (threads / 2).max(1);
        for _ in 0..threads {
            let shared = Arc::clone(&shared);
            let worker = thread::Builder::new().name("bots".to_owned());
            worker.spawn(move || work(&shared)).expect("the system has threads");
        }
        Self { handle: Arc::new(Handle(shared)) }
    }

    /// Adds a job. Jobs of one urgency begin in the order in which they were added, and those that agents may wait for
    /// come first.
    pub(super) fn submit(&self, urgency: Urgency, job: Job) {
        let shared = &self.handle.0;
        let mut queues = shared.lock();
        let can_begin = match urgency {
            Urgency::Agents => {
                queues.agents.push_back(job);
                true
            }
            Urgency::BotsAlone => {
                queues.bots_alone.push_back(job);
                queues.free_for_bots_alone > 0
            }
        };
        drop(queues);
        // A thread that ends a job of bots alone looks for the next one itself.
        if can_begin {
            shared.changed.notify_one();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    /// No code panics while it holds this lock, so a poisoned lock cannot mean a broken queue.
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next job; None once the pool is closed.
    fn next(&self) -> Option<(Urgency, Job)> {
        let mut queues = self.lock();
        while !queues.is_closed {
            if let Some(job) = queues.agents.pop_front() {
                return Some((Urgency::Agents, job));
            }
            if queues.free_for_bots_alone > 0
                && let Some(job) = queues.bots_alone.pop_front()
            {
                queues.free_for_bots_alone -= 1;
                return Some((Urgency::BotsAlone, job));
            }
            queues = self.changed.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Notes that this thread has ended a job.
    fn end(&self, urgency: Urgency) {
        if urgency == Urgency::BotsAlone {
            self.lock().free_for_bots_alone += 1;
        }
    }
}

fn work(shared: &Shared) {
    lower_priority();
    while let Some((urgency, job)) = shared.next() {
        // The thread outlives a bot that panics. The panic hook has reported it.
        if panic::catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a bot panicked, so its match cannot go on");
        }
        shared.end(urgency);
        // The threads that answer calls go first.
        thread::yield_now();
    }
}

/// Lowers the priority of this thread, so that a call gets a core at once although bots occupy all of them. Linux has a
/// priority for each thread; elsewhere the threads yield after each job.
fn lower_priority() {
    // An error leaves the priority as it is.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}
