//! The handler of `EnvironmentService`: a stream owns its environments, and they end with it.
//!
//! Each stream has a thread, for a batch takes up to milliseconds, which are not the runtime's to give. The thread takes one
//! request after the other, so that answers come in order; what a client has under way for other groups waits in its
//! connection.

mod open;
mod session;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use self::session::Session;
use super::error::ApiError;
use super::limits::Limits;
use crate::proto::v1::environment_service_server::EnvironmentService;
use crate::proto::v1::run_request::Request as Asked;
use crate::proto::v1::run_response::Response as Answer;
use crate::proto::v1::{RunRequest, RunResponse};

/// How many answers may wait for the connection to take them, before the next request is looked at.
const ANSWERS_WAITING: usize = 2;

/// The environments of a server: how many may be open, and whether it is closing. Clones share them.
#[derive(Clone, Debug)]
pub struct Environments {
    limits: Limits,
    /// How many more may be.
    free: Arc<Semaphore>,
    /// How many more streams may be.
    free_streams: Arc<Semaphore>,
    closing: watch::Sender<bool>,
}

/// The right to some environments, or to a stream. They are free again once it is dropped.
type Lease = OwnedSemaphorePermit;

impl Default for Environments {
    /// With the usual limits.
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl Environments {
    /// None is open yet.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            free: Arc::new(Semaphore::new(limits.environments)),
            free_streams: Arc::new(Semaphore::new(limits.environment_streams)),
            closing: watch::Sender::new(false),
        }
    }

    /// How many are open.
    pub fn open_count(&self) -> usize {
        self.limits.environments - self.free.available_permits()
    }

    /// Ends every stream.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }

    fn lease(&self, count: u32) -> Result<Lease, ApiError> {
        let too_many = |_| ApiError::too_many_environments(self.limits.environments, self.free.available_permits());
        Arc::clone(&self.free).try_acquire_many_owned(count).map_err(too_many)
    }

    fn lease_stream(&self) -> Result<Lease, ApiError> {
        let too_many = |_| ApiError::too_many_streams(self.limits.environment_streams);
        Arc::clone(&self.free_streams).try_acquire_owned().map_err(too_many)
    }
}

#[tonic::async_trait]
impl EnvironmentService for Environments {
    type RunStream = ReceiverStream<Result<RunResponse, Status>>;

    async fn run(&self, requests: Request<Streaming<RunRequest>>) -> Result<Response<Self::RunStream>, Status> {
        let lease = self.lease_stream()?;
        let (answers, stream) = mpsc::channel(ANSWERS_WAITING);
        let (environments, runtime) = (self.clone(), Handle::current());
        let answer = move || {
            let _lease = lease;
            let all = || runtime.block_on(environments.answer(requests.into_inner(), &answers));
            // Were a game to panic, the stream would else end as if all were well.
            let panicked = |_| Err(Status::internal("a game has broken down, and the environments with it"));
            if let Err(status) = panic::catch_unwind(AssertUnwindSafe(all)).unwrap_or_else(panicked) {
                // Nobody takes it where the client is gone.
                let _ = answers.blocking_send(Err(status));
            }
        };
        let thread = thread::Builder::new().name("environments".to_owned()).spawn(answer);
        thread.map_err(|error| ApiError::no_thread(self.limits.environment_streams, &error))?;
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

impl Environments {
    /// Answers one request after the other, until the client has ended the stream or is gone.
    async fn answer(
        &self,
        mut requests: Streaming<RunRequest>,
        answers: &mpsc::Sender<Result<RunResponse, Status>>,
    ) -> Result<(), Status> {
        let mut session = None;
        while let Some(request) = self.next(&mut requests, answers).await? {
            let answer = match (&mut session, request.request) {
                (None, Some(Asked::Open(open))) => {
                    let (opened, response) = Session::open(&open, |count| self.lease(count))?;
                    session = Some(opened);
                    response
                }
                (None, _) => return Err(ApiError::bad_field("request", "a stream begins with `open`").into()),
                (Some(session), request) => {
                    session.answer(request).unwrap_or_else(|error| Answer::Refused(error.into()))
                }
            };
            if answers.send(Ok(RunResponse { response: Some(answer) })).await.is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The next request; nothing, where there will be none.
    async fn next(
        &self,
        requests: &mut Streaming<RunRequest>,
        answers: &mpsc::Sender<Result<RunResponse, Status>>,
    ) -> Result<Option<RunRequest>, Status> {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            _ = closing.wait_for(|&closing| closing) => Err(ApiError::closing().into()),
            () = answers.closed() => Ok(None),
            request = requests.message() => request,
        }
    }
}
