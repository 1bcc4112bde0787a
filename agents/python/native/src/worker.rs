//! The thread that carries out jobs, one after the other, while the trainer does something else.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ahu_host::api::ApiError;
use ahu_host::search::Stop;
use ahu_messages::v1::ErrorReason;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::engine::{Engine, Job, Outcome};

/// The time between two looks for Ctrl-C during a wait.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A job that is carried out, with its rows.
pub(crate) struct Done {
    pub(crate) outcome: Result<Outcome, ApiError>,
    pub(crate) block: Vec<u8>,
}

/// A job that was handed over. Jobs may be waited for in any order.
#[pyclass(frozen, module = "ahu._native")]
pub(crate) struct Pending {
    done: Mutex<Receiver<Done>>,
}

/// A thread of its own for an engine. It has no memory of Python's: the rows of a job are copied out when somebody asks
/// for them, so that the arrays of earlier batches are not written to before.
pub(crate) struct Worker {
    jobs: Sender<(Job, Vec<u8>, Sender<Done>)>,
    /// The memory of rows that were copied.
    pub(crate) free: Vec<Vec<u8>>,
}

impl Worker {
    /// Starts the thread, whose searches obey `stop`. It ends when the worker is dropped, after its jobs.
    pub(crate) fn start(engine: Arc<Engine>, stop: Stop) -> PyResult<Self> {
        let (jobs, to_do) = channel::<(Job, Vec<u8>, Sender<Done>)>();
        let work = move || {
            stop.govern_thread();
            for (job, mut block, report) in to_do {
                let outcome = carry_out(&engine, &job, &mut block);
                // Nobody receives it if the environments are closed.
                let _ = report.send(Done { outcome, block });
            }
        };
        let thread = thread::Builder::new().name("ahu worker".to_owned()).spawn(work);
        thread.map_err(|error| PyRuntimeError::new_err(format!("the system gives no thread: {error}")))?;
        Ok(Self { jobs, free: Vec::new() })
    }

    /// Hands a job over.
    pub(crate) fn send(&mut self, job: Job) -> Pending {
        let (report, done) = channel();
        let block = self.free.pop().unwrap_or_default();
        self.jobs.send((job, block, report)).expect("the thread runs as long as the worker");
        Pending { done: Mutex::new(done) }
    }
}

impl Pending {
    /// Waits for the job, for a short time. None: it is not done yet.
    pub(crate) fn wait(&self) -> Option<Done> {
        match self.done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL) {
            Ok(done) => Some(done),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("a job is waited for once, and the thread does it"),
        }
    }
}

/// Does `work` on a thread of its own, and waits. Ctrl-C makes the request to stop, and raises once the work has ended. A panic
/// goes on in the caller.
pub(crate) fn interruptible<T: Send>(py: Python<'_>, stop: &Stop, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    thread::scope(|scope| {
        let (report, done) = channel();
        let done = Mutex::new(done);
        // The caller has gone on only after a panic of its own.
        let run = move || drop(report.send(work()));
        let thread = thread::Builder::new().name("ahu work".to_owned()).spawn_scoped(scope, run);
        let thread = thread.map_err(|error| PyRuntimeError::new_err(format!("the system gives no thread: {error}")))?;
        loop {
            let wait = || done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL);
            match py.detach(wait) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| stop.request())?,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        panic::resume_unwind(thread.join().expect_err("a thread without a result has panicked"))
    })
}

/// Carries out a job. A panic outside of a game, which would be a fault of the host, ends no thread.
fn carry_out(engine: &Engine, job: &Job, block: &mut Vec<u8>) -> Result<Outcome, ApiError> {
    block.resize(engine.block_bytes(job), 0);
    panic::catch_unwind(AssertUnwindSafe(|| engine.carry_out(job, block)))
        .unwrap_or_else(|_| Err(ApiError::new(ErrorReason::Unspecified, "the engine panicked")))
}
