//! The cores that the batches of some environments may take.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::thread;

use ahu_host::AnyVectorEnv;
use ahu_host::search::Stop;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The cores that the batches of some environments may take: the caller's own, and those of a pool of threads, which
/// starts with the first batch that needs it.
#[pyclass(frozen, module = "ahu._native")]
pub(crate) struct Cores {
    pub(crate) shared: Arc<SharedCores>,
}

#[derive(Debug)]
pub(crate) struct SharedCores {
    threads: usize,
    /// The number of threads beside the caller's thread.
    pool: OnceLock<Arc<ThreadPool>>,
    /// The request to end the searches of the pool.
    pub(crate) stop: Stop,
}

#[pymethods]
impl Cores {
    /// Takes this many cores, 1 or more; None: all that the process may use.
    #[new]
    #[pyo3(signature = (threads=None))]
    fn new(threads: Option<usize>) -> PyResult<Self> {
        let threads = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
        match threads {
            0 => Err(PyValueError::new_err("expected 1 thread or more, got 0")),
            threads => {
                let shared = SharedCores { threads, pool: OnceLock::new(), stop: Stop::default() };
                Ok(Self { shared: Arc::new(shared) })
            }
        }
    }
}

impl SharedCores {
    /// Lets environments take these cores.
    pub(crate) fn share(&self, environments: &mut dyn AnyVectorEnv) -> PyResult<()> {
        let is_shared = environments.len() >= environments.shared_from();
        environments.use_cores(match if is_shared { self.pool()? } else { None } {
            Some(pool) => ahu_host::Cores::CallersAnd(Arc::clone(pool)),
            None => ahu_host::Cores::Callers,
        });
        Ok(())
    }

    /// Returns the pool of the threads beside the caller's thread; None if there is one core alone.
    pub(crate) fn pool(&self) -> PyResult<Option<&Arc<ThreadPool>>> {
        if self.threads == 1 || self.pool.get().is_some() {
            return Ok(self.pool.get());
        }
        let stop = self.stop.clone();
        let builder = ThreadPoolBuilder::new()
            .num_threads(self.threads - 1)
            .thread_name(|n| format!("ahu core {n}"))
            .start_handler(move |_| stop.govern_thread());
        let pool = builder.build().map_err(|error| {
            PyRuntimeError::new_err(format!("the system gives no {} threads: {error}", self.threads - 1))
        })?;
        Ok(Some(self.pool.get_or_init(|| Arc::new(pool))))
    }
}
