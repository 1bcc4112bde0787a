//! The thread that carries out jobs, one after the other, while the trainer does something else.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use ahu_engine::host::api::ApiError;
use ahu_engine::proto::v1::ErrorReason;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::engine::{Engine, Job, Outcome};

/// The time between two looks for Ctrl-C during a wait.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// A job that is carried out, with its rows.
pub(crate) struct Done {
    pub(crate) outcome: Result<Outcome, ApiError>,
    pub(crate) block: Vec<u8>,
}

/// A thread of its own for an engine. It has no memory of Python's: the rows of a job are copied out when somebody asks
/// for them, so that the arrays of earlier batches are not written to before.
pub(crate) struct Worker {
    jobs: Sender<(Job, Vec<u8>)>,
    done: Receiver<Done>,
    /// The memory of rows that were copied.
    free: Vec<Vec<u8>>,
}

impl Worker {
    /// Starts the thread. It ends when the worker is dropped, after its jobs.
    pub(crate) fn start(engine: Arc<Engine>) -> PyResult<Self> {
        let (jobs, to_do) = channel::<(Job, Vec<u8>)>();
        let (report, done) = channel();
        let work = move || {
            for (job, mut block) in to_do {
                let outcome = carry_out(&engine, &job, &mut block);
                if report.send(Done { outcome, block }).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("ahu worker".to_owned()).spawn(work);
        thread.map_err(|error| PyRuntimeError::new_err(format!("the system gives no thread: {error}")))?;
        Ok(Self { jobs, done, free: Vec::new() })
    }

    /// Hands a job over.
    pub(crate) fn send(&mut self, job: Job) {
        let block = self.free.pop().unwrap_or_default();
        self.jobs.send((job, block)).expect("the thread runs as long as the worker");
    }

    /// Waits for the first job that was not reported, for a short time. None: it is not done yet.
    pub(crate) fn wait(&self) -> Option<Done> {
        match self.done.recv_timeout(SIGNAL_INTERVAL) {
            Ok(done) => Some(done),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread runs as long as the worker"),
        }
    }

    /// Takes memory of rows back.
    pub(crate) fn give_back(&mut self, block: Vec<u8>) {
        self.free.push(block);
    }
}

/// Carries out a job. A panic outside of a game, which would be a fault of the host, ends no thread.
fn carry_out(engine: &Engine, job: &Job, block: &mut Vec<u8>) -> Result<Outcome, ApiError> {
    block.resize(engine.block_bytes(job), 0);
    panic::catch_unwind(AssertUnwindSafe(|| engine.carry_out(job, block)))
        .unwrap_or_else(|_| Err(ApiError::new(ErrorReason::Unspecified, "the engine panicked")))
}
