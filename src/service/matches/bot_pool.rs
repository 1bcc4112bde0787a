//! The bot pool: a few threads that compute the decisions of bots, so that no call waits for them. Peers take turns: the
//! bots of one with many matches do not delay those of another by more than a job each.

use std::collections::{HashMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::service::peers::Peer;
use crate::service::priority;

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
    agents: FairQueue,
    bots_alone: FairQueue,
    /// The number of threads that may still begin a job of bots alone.
    free_for_bots_alone: usize,
    is_closed: bool,
}

/// A queue whose owners take turns. None owns the jobs of matches for which nobody is counted.
#[derive(Default)]
struct FairQueue {
    jobs: HashMap<Option<Peer>, VecDeque<Job>>,
    /// The owners with a job, each once, in the order of their turns.
    turns: VecDeque<Option<Peer>>,
}

impl FairQueue {
    fn push(&mut self, owner: Option<Peer>, job: Job) {
        let jobs = self.jobs.entry(owner).or_default();
        if jobs.is_empty() {
            self.turns.push_back(owner);
        }
        jobs.push_back(job);
    }

    /// Takes the first job of the owner whose turn it is.
    fn pop(&mut self) -> Option<Job> {
        let owner = self.turns.pop_front()?;
        let jobs = self.jobs.get_mut(&owner)?;
        let job = jobs.pop_front();
        match jobs.is_empty() {
            true => drop(self.jobs.remove(&owner)),
            false => self.turns.push_back(owner),
        }
        job
    }

    fn len(&self) -> usize {
        self.jobs.values().map(VecDeque::len).sum()
    }
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

    /// Adds a job of this owner. Owners take turns, jobs of one owner and urgency begin in the order in which they were added,
    /// and those that agents may wait for come first.
    pub(super) fn submit(&self, urgency: Urgency, owner: Option<Peer>, job: Job) {
        let shared = &self.handle.0;
        let mut queues = shared.lock();
        let can_begin = match urgency {
            Urgency::Agents => {
                queues.agents.push(owner, job);
                true
            }
            Urgency::BotsAlone => {
                queues.bots_alone.push(owner, job);
                queues.free_for_bots_alone > 0
            }
        };
        drop(queues);
        // A thread that ends a job of bots alone looks for the next one itself.
        if can_begin {
            shared.changed.notify_one();
        }
    }

    /// Returns the numbers of jobs that wait: those for which agents may wait, and those of bots alone.
    pub(super) fn queued(&self) -> (usize, usize) {
        let queues = self.handle.0.lock();
        (queues.agents.len(), queues.bots_alone.len())
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
            if let Some(job) = queues.agents.pop() {
                return Some((Urgency::Agents, job));
            }
            if queues.free_for_bots_alone > 0
                && let Some(job) = queues.bots_alone.pop()
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
    priority::lower(priority::BOTS);
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn owners_take_turns_and_keep_their_order() {
        let done = Arc::<Mutex<Vec<(u8, usize)>>>::default();
        let mut queue = FairQueue::default();
        for (owner, jobs) in [(1, 3), (2, 1), (3, 2)] {
            let peer = Peer::of(Ipv4Addr::new(203, 0, 113, owner).into());
            for n in 0..jobs {
                let done = Arc::clone(&done);
                queue.push(Some(peer), Box::new(move || done.lock().expect("nobody panics").push((owner, n))));
            }
        }
        assert_eq!(queue.len(), 6);
        while let Some(job) = queue.pop() {
            job();
        }
        assert_eq!(*done.lock().expect("nobody panics"), [(1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2)]);
        assert_eq!((queue.len(), queue.jobs.len()), (0, 0));
    }
}
