//! Work beside calls: records, lists, and pictures, by threads of the priority of batches, so that a quick call gets a core at once
//! although others ask for much.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use super::priority;

/// The maximum number of threads that block: they read the store, replay records, and draw pictures.
const BLOCKING_THREADS: usize = 8;

/// The threads for work beside calls, which begin with the first work. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside(Arc<OnceLock<Threads>>);

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
            .on_thread_start(|| priority::lower(priority::ENVIRONMENTS))
            .enable_all()
            .build();
        Self(Some(runtime.expect("the system has threads")))
    }
}

impl Beside {
    /// Does work, which ends if the returned future is dropped. None: the work panicked.
    pub(super) async fn work<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let threads = self.0.get_or_init(Threads::start);
        // The runtime is there until it is dropped.
        let handle = threads.0.as_ref()?.handle();
        let mut set = JoinSet::new();
        set.spawn_on(work, handle);
        set.join_next().await?.ok()
    }
}
