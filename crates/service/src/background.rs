//! Background threads: threads that compute at a lower priority, so that a quick call gets a core at once although others ask
//! for much.
//!
//! Bots and environments have threads of their own, which only take their priority from here. The runtime of this module makes
//! large answers: records, lists, and pictures.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

/// The niceness of the threads that compute the decisions of bots, from 0 to 19: they get about a tenth of a contended core.
pub(super) const BOTS: i32 = 10;

/// The niceness of the threads that compute the decisions of bots that play alone: they get about a third of a core that they
/// share with the bots for which agents wait.
pub(super) const BOTS_ALONE: i32 = 15;

/// The niceness of the threads that step environments: they get about a quarter of a contended core.
pub(super) const ENVIRONMENTS: i32 = 5;

/// The niceness of the threads that fit the ratings of ladders, and make their archives.
pub const FITS: i32 = 10;

/// Raises the niceness of this thread, which a thread inherits from its parent. Linux has a priority for each thread; other
/// systems leave it as it is.
pub fn lower_priority(niceness: i32) {
    // An error leaves the priority as it is.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(niceness);
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// The maximum number of threads that block: they read the store, replay records, and draw pictures.
const BLOCKING_THREADS: usize = 8;

/// The background threads, which start with the first work. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Background(Arc<OnceLock<Threads>>);

/// A runtime that ends without a wait, since it may be dropped where nobody may wait.
#[derive(Debug)]
struct Threads(Option<Runtime>);

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Threads {
    /// Starts one thread fewer than the machine has cores, but at least one.
    fn start() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let runtime = Builder::new_multi_thread()
            .worker_threads((cores - 1).max(1))
            .max_blocking_threads(BLOCKING_THREADS)
            .thread_name("beside")
            .on_thread_start(|| lower_priority(ENVIRONMENTS))
            .enable_all()
            .build();
        Self(Some(runtime.expect("the system has threads")))
    }
}

impl Background {
    /// Does work on the background threads. The work ends if the returned future is dropped. Returns None if the work
    /// panicked.
    pub(super) async fn work<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let threads = self.0.get_or_init(Threads::start);
        // The runtime is there until it is dropped.
        let handle = threads.0.as_ref()?.handle();
        let mut set = JoinSet::new();
        set.spawn_on(work, handle);
        set.join_next().await?.ok()
    }
}
