//! The cores that the batches of some environments may take.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::thread;

use ahu_host::search::Stop;
use ahu_host::{AnyVectorEnv, Cores as HostCores, Helpers};
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
    /// The threads beside the caller's thread.
    helpers: OnceLock<Arc<Helpers>>,
    /// The request to end the searches of the pool.
    pub(crate) stop: Stop,
}

#[pymethods]
impl Cores {
    /// Takes this many cores, 1 or more; None: all that the process may use.
    #[new]
    #[pyo3(signature = (threads=None))]
    fn new(threads: Option<usize>) -> PyResult<Self> {
        Ok(Self { shared: Arc::new(SharedCores::new(threads)?) })
    }
}

impl SharedCores {
    /// Takes this many cores, 1 or more; None: all that the process may use.
    pub(crate) fn new(threads: Option<usize>) -> PyResult<Self> {
        Ok(Self { threads: counted(threads)?, helpers: OnceLock::new(), stop: Stop::default() })
    }

    /// Lets environments take these cores.
    pub(crate) fn share(&self, environments: &mut dyn AnyVectorEnv) -> PyResult<()> {
        environments.use_cores(self.cores(environments.len() >= environments.shared_from())?);
        Ok(())
    }

    /// Returns the cores for some work: the caller's alone unless it is worth several.
    pub(crate) fn cores(&self, is_worth_several: bool) -> PyResult<HostCores> {
        if self.threads == 1 || !is_worth_several {
            return Ok(HostCores::Callers);
        }
        if let Some(helpers) = self.helpers.get() {
            return Ok(HostCores::CallersAnd(Arc::clone(helpers)));
        }
        let helpers = Arc::new(Helpers::new(pool(self.threads - 1, &self.stop)?, true));
        Ok(HostCores::CallersAnd(Arc::clone(self.helpers.get_or_init(|| helpers))))
    }
}

/// Returns the number of threads that a caller asks for; None: as many as the process has cores.
pub(crate) fn counted(threads: Option<usize>) -> PyResult<usize> {
    match threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get)) {
        0 => Err(PyValueError::new_err("expected 1 thread or more, got 0")),
        threads => Ok(threads),
    }
}

/// Starts a pool of threads whose searches end at the request.
pub(crate) fn pool(threads: usize, stop: &Stop) -> PyResult<ThreadPool> {
    let stop = stop.clone();
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|n| format!("ahu core {n}"));
    let pool = builder.start_handler(move |_| stop.govern_thread()).build();
    pool.map_err(|error| PyRuntimeError::new_err(format!("the system gives no {threads} threads: {error}")))
}
