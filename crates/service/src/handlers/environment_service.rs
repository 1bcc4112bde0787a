//! The handler of `EnvironmentService`. A stream owns its environments, and they end with it.
//!
//! Each stream has a thread from its first request on, because a batch takes up to milliseconds, for which a thread of the
//! runtime must not be blocked. The thread answers one request after the other, so answers keep the order of requests. Requests
//! for other groups wait in the connection.
//!
//! A wrong opening request ends the stream with a status. A wrong later request is answered by `refused`, since a status would
//! end all environments of the stream. A client that sends and never reads delays the shutdown of the server by the whole grace
//! period, since gRPC cannot tell it anything.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use ahu_core::{Seed, portable_seed};
use ahu_host::api::{ApiError, Code, Opening, Session, bots};
use ahu_host::search::Stop;
use ahu_host::{BotName, Cores, Helpers, Look};
use rayon::ThreadPoolBuilder;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::accounts::Client;
use crate::admission::{Lease, playouts};
use crate::background;
use crate::limits::{Limits, MAX_RUN_REQUEST_BYTES, Share};
use crate::proto::v1::environment_service_server::EnvironmentService;
use crate::proto::v1::run_request::{self, Open};
use crate::proto::v1::run_response::{Refused, Response as Answer};
use crate::proto::v1::{RunRequest, RunResponse};
use crate::secrets::random_bytes;
use crate::{refusals, status};

/// The number of answers that may wait for the connection before the thread reads the next request.
const ANSWERS_WAITING: usize = 2;

/// The environments of a server: a count of the free ones, and a signal for the shutdown. Clones share them.
#[derive(Clone, Debug)]
pub struct Environments {
    limits: Limits,
    /// A permit for each environment that can still be opened.
    free: Arc<Semaphore>,
    /// A permit for each stream that can still be opened.
    free_streams: Arc<Semaphore>,
    /// The memory of the open environments, in bytes.
    bytes: Arc<AtomicUsize>,
    closing: watch::Sender<bool>,
    /// The cores that step batches beside the thread of a stream. They start with the first stream.
    cores: Arc<OnceLock<Cores>>,
}

/// The memory of the environments of a stream, counted until this value is dropped.
struct Memory {
    all: Arc<AtomicUsize>,
    own: usize,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// The leases of a stream, which its end gives back.
struct Leases {
    _environments: OwnedSemaphorePermit,
    shares: Vec<Lease>,
    /// The playouts among the shares.
    playouts: u64,
}

/// The next request of a stream; None at its end.
type NextRequest = Result<Option<RunRequest>, Status>;

/// The answers of a stream on their way to the connection.
type Answers = mpsc::Sender<Result<RunResponse, Status>>;

impl Default for Environments {
    /// Creates the environments of a server with the default limits.
    fn default() -> Self {
        Self::new(&Limits::default())
    }
}

impl Environments {
    /// Creates the environments of a server, of which none is open.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: *limits,
            free: Arc::new(Semaphore::new(limits.environments)),
            free_streams: Arc::new(Semaphore::new(limits.environment_streams)),
            bytes: Arc::default(),
            closing: watch::Sender::new(false),
            cores: Arc::default(),
        }
    }

    /// Returns the number of open environments.
    pub fn open_count(&self) -> usize {
        self.limits.environments - self.free.available_permits()
    }

    /// Returns the memory of the open environments, in bytes, without the batches on their way.
    pub fn open_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Starts the thread of a stream, which holds these leases to its end.
    async fn begin(
        self,
        leases: (OwnedSemaphorePermit, Lease),
        client: Client,
        first: RunRequest,
        requests: Streaming<RunRequest>,
        answers: Answers,
    ) {
        let runtime = Handle::current();
        let limit = self.limits.environment_streams;
        let to_thread = answers.clone();
        let answer = move || {
            let _leases = leases;
            background::lower_priority(background::ENVIRONMENTS);
            let answers = to_thread;
            let all = || runtime.block_on(self.answer(&client, first, requests, &answers));
            // Without this, the stream of a game that panics would end without an error.
            let panicked = |_| Err(Status::internal("a game panicked, so its environments are lost"));
            if let Err(status) = panic::catch_unwind(AssertUnwindSafe(all)).unwrap_or_else(panicked) {
                // Nobody receives it if the client is gone.
                let _ = answers.blocking_send(Err(status));
            }
        };
        let thread = thread::Builder::new().name("environments".to_owned()).spawn(answer);
        if let Err(error) = thread {
            // Nobody receives it if the client is gone.
            let _ = answers.send(Err(status::of(refusals::no_thread(limit, &error)))).await;
        }
    }

    /// Answers one request after the other, until the client ends the stream or is gone.
    async fn answer(
        &self,
        client: &Client,
        first: RunRequest,
        mut requests: Streaming<RunRequest>,
        answers: &Answers,
    ) -> Result<(), Status> {
        let Some(run_request::Request::Open(open)) = first.request else {
            let message = "expected `open` as the first request of a stream";
            return Err(status::of(ApiError::bad_field("request", message)));
        };
        let (opening, mut leases) = self.open(&open, client).map_err(status::of)?;
        let mut session = Session::new(&opening);
        session.use_cores(self.cores.get_or_init(cores).clone());
        let memory = Memory { all: Arc::clone(&self.bytes), own: session.size() };
        self.bytes.fetch_add(memory.own, Ordering::Relaxed);
        let _looks = self.stop_at_the_end(session.stop(), answers.clone());
        let mut answer = Answer::Opened(opening.opened());
        while answers.send(Ok(RunResponse { response: Some(answer) })).await.is_ok() {
            let Some(request) = self.next(&mut requests, answers).await? else { break };
            let answered = || {
                if let Some(run_request::Request::SetPlayers(players)) = &request.request {
                    let players = opening.read_players(players)?;
                    self.admit(bots(&players), opening.count, client, &mut leases)?;
                }
                // Given back with the answer: a look leaves nothing behind.
                let _look = match &request.request {
                    Some(run_request::Request::Look(look)) => self.admit_look(look, &opening, client, &leases)?,
                    _ => None,
                };
                session.answer(request.request)
            };
            answer = match timed(answered) {
                // The environments are lost.
                Err(error) if error.code() == Code::Internal => return Err(status::of(error)),
                answer => answer.unwrap_or_else(refused),
            };
        }
        Ok(())
    }

    /// Reads the opening request of a stream, and leases its environments and playouts.
    fn open(&self, open: &Open, client: &Client) -> Result<(Opening, Leases), ApiError> {
        let opening = Opening::read(open, || Seed(portable_seed(u64::from_le_bytes(random_bytes()))))?;
        let too_many = |_| refusals::too_many_environments(self.limits.environments, self.free.available_permits());
        let environments = Arc::clone(&self.free).try_acquire_many_owned(opening.count).map_err(too_many)?;
        let share = client.lease(&[(Share::Environments, opening.count.into())])?;
        let mut leases = Leases { _environments: environments, shares: vec![share], playouts: 0 };
        self.admit(opening.bots(), opening.count, client, &mut leases)?;
        Ok((opening, leases))
    }

    /// Checks the bots of `count` environments, and leases the playouts that they need beyond the leases of the stream. The
    /// leases last as long as the stream, since earlier players end their episodes.
    fn admit(
        &self,
        bots: impl Iterator<Item = BotName>,
        count: u32,
        client: &Client,
        leases: &mut Leases,
    ) -> Result<(), ApiError> {
        // One bot at a time decides in an environment.
        let mut most = 0;
        for bot in bots {
            self.limits.check_bot(bot)?;
            most = most.max(playouts(bot));
        }
        let playouts = u64::from(count) * most;
        if playouts > leases.playouts {
            leases.shares.push(client.lease(&[(Share::Playouts, playouts - leases.playouts)])?);
            leases.playouts = playouts;
        }
        Ok(())
    }

    /// Checks the bot that a look asks, and leases the playouts that it needs beyond the leases of the stream.
    fn admit_look(
        &self,
        request: &run_request::Look,
        opening: &Opening,
        client: &Client,
        leases: &Leases,
    ) -> Result<Option<Lease>, ApiError> {
        let Some(bot) = Look::read(opening.setup.rules(), request)?.bot() else { return Ok(None) };
        self.limits.check_bot(bot)?;
        let rows = match request.env_ids.len() / size_of::<u32>() {
            0 => opening.group_size() as usize,
            rows => rows,
        };
        let playouts = rows as u64 * playouts(bot);
        let more = playouts.checked_sub(leases.playouts).filter(|&more| more > 0);
        more.map(|more| client.lease(&[(Share::Playouts, more)])).transpose()
    }

    /// Stops the looks of a stream once its client is gone or the server closes, for as long as the returned value lives.
    fn stop_at_the_end(&self, stop: Stop, answers: Answers) -> oneshot::Sender<()> {
        let mut closing = self.closing.subscribe();
        let (looks, over) = oneshot::channel();
        tokio::spawn(async move {
            tokio::select! {
                _ = closing.wait_for(|&closing| closing) => {}
                () = answers.closed() => {}
                _ = over => {}
            }
            stop.request();
        });
        looks
    }

    /// Returns the next request; None at the end of the stream.
    async fn next(&self, requests: &mut Streaming<RunRequest>, answers: &Answers) -> NextRequest {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            _ = closing.wait_for(|&closing| closing) => Err(status::of(refusals::closing())),
            () = answers.closed() => Ok(None),
            request = requests.message() => request.map_err(|status| status::of_transport(status, MAX_RUN_REQUEST_BYTES)),
        }
    }
}

#[tonic::async_trait]
impl EnvironmentService for Environments {
    type RunStream = ReceiverStream<Result<RunResponse, Status>>;

    async fn run(&self, requests: Request<Streaming<RunRequest>>) -> Result<Response<Self::RunStream>, Status> {
        let client = Client::of(requests.extensions());
        let too_many = |_| status::of(refusals::too_many_streams(self.limits.environment_streams));
        let lease = Arc::clone(&self.free_streams).try_acquire_owned().map_err(too_many)?;
        let share = client.lease(&[(Share::EnvironmentStreams, 1)]).map_err(status::of)?;
        let unopened = client.lease(&[(Share::UnopenedStreams, 1)]).map_err(status::of)?;
        let (answers, stream) = mpsc::channel(ANSWERS_WAITING);
        let (environments, mut requests) = (self.clone(), requests.into_inner());
        tokio::spawn(async move {
            let time = environments.limits.stream_open;
            let first = tokio::time::timeout(time, environments.next(&mut requests, &answers)).await;
            // A stream has a thread once it has begun with a request.
            match first.unwrap_or_else(|_| Err(status::of(refusals::not_opened(time.as_millis())))) {
                Ok(Some(first)) => {
                    drop(unopened);
                    environments.begin((lease, share), client, first, requests, answers).await;
                }
                Ok(None) => {}
                // Nobody receives it if the client is gone.
                Err(status) => drop(answers.send(Err(status)).await),
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

/// Returns the cores of a stream: that of its thread, which begins at once, and those of threads that help one stream at a time.
/// They have the priority of the thread of the first stream, and sleep between batches: the client may be on this machine.
fn cores() -> Cores {
    let others = thread::available_parallelism().map_or(1, NonZero::get) - 1;
    if others == 0 {
        return Cores::Callers;
    }
    let pool = ThreadPoolBuilder::new().num_threads(others).thread_name(|n| format!("batches {n}"));
    // Without threads a batch takes longer, and does not fail.
    pool.build().map_or(Cores::Callers, |pool| Cores::CallersAnd(Arc::new(Helpers::new(pool, false))))
}

/// Runs `answer`, and notes the time that it took in the answer.
fn timed(answer: impl FnOnce() -> Result<Answer, ApiError>) -> Result<Answer, ApiError> {
    let start = Instant::now();
    let mut answer = answer()?;
    let nanoseconds = start.elapsed().as_nanos() as u64;
    match &mut answer {
        Answer::Batch(batch) => batch.server_nanoseconds = nanoseconds,
        Answer::Looked(looked) => looked.server_nanoseconds = nanoseconds,
        Answer::Opened(_)
        | Answer::Rendered(_)
        | Answer::Refused(_)
        | Answer::PlayersSet(_)
        | Answer::Saved(_)
        | Answer::Restored(_) => {}
    }
    Ok(answer)
}

/// Returns the refusal of one request; the stream goes on.
fn refused(error: ApiError) -> Answer {
    tracing::debug!(reason = error.reason.as_str_name(), message = error.message(), "request refused");
    Answer::Refused(Refused::from(error))
}
