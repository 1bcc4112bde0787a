//! The handler of `EnvironmentService`: a stream owns its environments, and they end with it.
//!
//! Each stream has a thread, for a batch takes up to milliseconds, which are not the runtime's to give. The thread takes one
//! request after the other, so that answers come in order; what a client has under way for other groups waits in its
//! connection.

mod open;
mod session;

use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use self::session::Session;
use super::fault::Fault;
use super::limits::{ENVIRONMENT_STREAMS_MAX, Limits};
use crate::proto::v1::environment_service_server::EnvironmentService;
use crate::proto::v1::run_request::Request as Asked;
use crate::proto::v1::run_response::Response as Answer;
use crate::proto::v1::{RunRequest, RunResponse};

/// How many answers may wait for the connection to take them, before the next request is looked at.
const ANSWERS_WAITING: usize = 2;

/// The environments of a server: how many may be open, and whether it is closing. Clones share them.
#[derive(Clone, Debug)]
pub struct Environments {
    limit: usize,
    /// How many more may be.
    free: Arc<Semaphore>,
    /// How many more streams may be.
    free_streams: Arc<Semaphore>,
    closing: watch::Sender<bool>,
}

/// The right to a stream with some environments. They are free again once it is dropped.
type Lease = [OwnedSemaphorePermit; 2];

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
            limit: limits.environments,
            free: Arc::new(Semaphore::new(limits.environments)),
            free_streams: Arc::new(Semaphore::new(ENVIRONMENT_STREAMS_MAX)),
            closing: watch::Sender::new(false),
        }
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.limit - self.free.available_permits()
    }

    /// Ends every stream.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }

    fn lease(&self, count: u32) -> Result<Lease, Fault> {
        let environments = Arc::clone(&self.free).try_acquire_many_owned(count);
        let too_many = |_| Fault::too_many_environments(self.limit, self.free.available_permits());
        let stream = Arc::clone(&self.free_streams).try_acquire_owned();
        let too_many_streams = |_| Fault::too_many_streams(ENVIRONMENT_STREAMS_MAX);
        Ok([environments.map_err(too_many)?, stream.map_err(too_many_streams)?])
    }
}

#[tonic::async_trait]
impl EnvironmentService for Environments {
    type RunStream = ReceiverStream<Result<RunResponse, Status>>;

    async fn run(&self, requests: Request<Streaming<RunRequest>>) -> Result<Response<Self::RunStream>, Status> {
        let (answers, stream) = mpsc::channel(ANSWERS_WAITING);
        let (environments, runtime) = (self.clone(), Handle::current());
        let answer = move || {
            runtime.block_on(async {
                if let Err(status) = environments.answer(requests.into_inner(), &answers).await {
                    // Nobody takes it where the client is gone.
                    let _ = answers.send(Err(status)).await;
                }
            });
        };
        let thread = thread::Builder::new().name("environments".to_owned()).spawn(answer);
        thread.map_err(|error| Fault::no_thread(&error))?;
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
            let answer = match (&mut session, request) {
                (None, Asked::Open(open)) => {
                    let (opened, response) = Session::open(&open, |count| self.lease(count))?;
                    session = Some(opened);
                    response
                }
                (None, _) => return Err(Fault::bad_field("request", "a stream begins with `open`").into()),
                (Some(_), Asked::Open(_)) => {
                    return Err(Fault::bad_field(
                        "request",
                        "the stream is open already; another is opened by another call",
                    )
                    .into());
                }
                (Some(session), request) => {
                    session.answer(request).unwrap_or_else(|fault| Answer::Refused(fault.into()))
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
    ) -> Result<Option<Asked>, Status> {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            _ = closing.wait_for(|&closing| closing) => Err(Fault::closing().into()),
            () = answers.closed() => Ok(None),
            request = requests.message() => match request? {
                None => Ok(None),
                Some(RunRequest { request: Some(request) }) => Ok(Some(request)),
                Some(RunRequest { request: None }) => {
                    Err(Fault::bad_field("request", "which request? One of `open`, `reset`, `step` and `render`").into())
                }
            },
        }
    }
}
