//! The matches of this process, and the server that programs call.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ahu::host::MatchTime;
use ahu::service::{self, Clock, Environments, Limits, LiveMatch, MatchConfig, Matches, SeatQueue};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::cli::CliError;
use crate::cli::relay::Relay;

/// The time that the server has to end.
const END: Duration = Duration::from_secs(1);

/// The matches of this process. The server starts with the first program that calls it, and ends when the last clone is
/// dropped.
#[derive(Clone)]
pub(in crate::cli) struct LocalMatches {
    matches: Matches,
    clock: Clock,
    server: Arc<Mutex<Option<Server>>>,
}

/// A server on a free port of this machine.
struct Server {
    /// None once the server has ended.
    runtime: Option<Runtime>,
    address: SocketAddr,
    /// The server ends when this is dropped.
    shutdown: Option<oneshot::Sender<()>>,
}

impl LocalMatches {
    /// Creates an empty register with the default limits and without a store.
    pub(in crate::cli) fn new() -> Self {
        let clock = Clock::system();
        let matches = Matches::with_clock(Limits::default(), None, clock.clone());
        Self { matches, clock, server: Arc::default() }
    }

    /// Hosts a new match.
    pub(in crate::cli) fn host(&self, config: MatchConfig) -> Result<Arc<LiveMatch>, CliError> {
        self.matches.host(config).map_err(|error| CliError::failed(error.message()))
    }

    /// Creates an empty queue of seats for a program that may play many matches.
    pub(super) fn new_seat_queue(&self) -> SeatQueue {
        self.matches.new_seat_queue()
    }

    /// Returns the present time of the matches.
    pub(in crate::cli) fn now(&self) -> MatchTime {
        self.clock.now()
    }

    /// Returns the address of the server. Starts it on the first call.
    pub(super) fn address(&self) -> Result<SocketAddr, CliError> {
        self.with_server(|server| Ok(server.address))
    }

    /// Starts a relay in front of the server.
    pub(super) fn relay(&self) -> Result<Relay, CliError> {
        self.with_server(|server| {
            let runtime = server.runtime.as_ref().expect("the server has not ended");
            Relay::start(runtime, server.address)
        })
    }

    fn with_server<T>(&self, act: impl FnOnce(&Server) -> Result<T, CliError>) -> Result<T, CliError> {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *server {
            Some(server) => act(server),
            none => act(none.insert(Server::start(self.matches.clone())?)),
        }
    }
}

impl Server {
    fn start(matches: Matches) -> Result<Self, CliError> {
        let runtime = Runtime::new().map_err(CliError::failed)?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).map_err(CliError::failed)?;
        let address = listener.local_addr().map_err(CliError::failed)?;
        let (shutdown, is_shut) = oneshot::channel();
        runtime.spawn(service::run(listener, matches, Environments::default(), async {
            // The sender is dropped, and never sends.
            let _ = is_shut.await;
        }));
        Ok(Self { runtime: Some(runtime), address, shutdown: Some(shutdown) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END);
        }
    }
}
