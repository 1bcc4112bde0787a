//! The matches that this process hosts, and the server that programs call.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu_host::MatchTime;
use ahu_service::{Clock, Limits, Listener, LiveMatch, MatchConfig, Matches, Page};
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::child_process::socket_folder;
use crate::channel::relay::Relay;
use crate::listener::{listener_at, raise_open_file_limit};
use crate::{Error, lock};

/// The address with which a server listens on a free port of this machine.
pub const FREE_PORT: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
/// The time that the server has to end its calls.
const END: Duration = Duration::from_secs(1);

/// The matches that this process hosts. The server starts when the first program needs it, and ends when the last clone of this
/// is dropped.
#[derive(Clone)]
pub struct LocalMatches {
    hosted: ahu_service::Server,
    clock: Clock,
    /// The address on which the server will listen.
    listen: SocketAddr,
    server: Arc<Mutex<Option<Server>>>,
}

/// A running server.
struct Server {
    /// None once the server has ended.
    runtime: Option<Runtime>,
    address: SocketAddr,
    /// The Unix socket and its own folder; None until a program needs it.
    socket: Option<(TempDir, PathBuf)>,
    /// A message here ends the server.
    shutdown: watch::Sender<()>,
}

impl LocalMatches {
    /// Creates a host without matches, with the default limits and without a store. Its server will listen on this address.
    pub fn new(listen: SocketAddr) -> Self {
        let clock = Clock::system();
        let matches = Matches::with_clock(Limits::default(), None, clock.clone());
        Self::of(matches.into(), clock, listen)
    }

    /// Creates a host whose server, on a free port of this machine, has a page for browsers.
    pub fn with_page(page: Page) -> Self {
        let matches = Self::new(FREE_PORT);
        Self { hosted: matches.hosted.with_page(page), ..matches }
    }

    /// Wraps a server whose matches use this clock. It will listen on this address.
    pub fn of(hosted: ahu_service::Server, clock: Clock, listen: SocketAddr) -> Self {
        Self { hosted, clock, listen, server: Arc::default() }
    }

    /// Returns the matches.
    pub fn matches(&self) -> &Matches {
        self.hosted.matches()
    }

    /// Hosts a match.
    pub fn host(&self, config: MatchConfig) -> Result<Arc<LiveMatch>, Error> {
        self.matches().host(config).map_err(|error| Error::failed(error.message()))
    }

    /// Returns the present time on the clock of the matches.
    pub fn now(&self) -> MatchTime {
        self.clock.now()
    }

    /// Returns the address of the server, which the first call starts.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        self.with_server(|server| Ok(server.address))
    }

    /// Returns the path of a Unix socket of the server, for programs without a network. Starts the server if it does not run.
    pub(super) fn socket(&self) -> Result<PathBuf, Error> {
        self.with_server(|server| server.socket(self.hosted.clone()))
    }

    /// Starts a relay in front of the server. Starts the server if it does not run.
    pub(super) fn relay(&self) -> Result<Relay, Error> {
        self.with_server(|server| Relay::start(server.runtime(), server.address))
    }

    fn with_server<T>(&self, act: impl FnOnce(&mut Server) -> Result<T, Error>) -> Result<T, Error> {
        let mut server = lock(&self.server);
        match &mut *server {
            Some(server) => act(server),
            none => act(none.insert(Server::start(self.hosted.clone(), self.listen)?)),
        }
    }
}

impl Server {
    fn start(hosted: ahu_service::Server, listen: SocketAddr) -> Result<Self, Error> {
        raise_open_file_limit();
        let runtime = Runtime::new().map_err(Error::failed)?;
        let listener = runtime.block_on(listener_at(listen))?;
        let address = listener.local_addr().map_err(Error::failed)?;
        let server = Self { runtime: Some(runtime), address, socket: None, shutdown: watch::Sender::default() };
        server.serve(listener, hosted);
        Ok(server)
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the server has not ended")
    }

    /// Serves on one more listener until the server ends.
    fn serve(&self, listener: impl Into<Listener>, hosted: ahu_service::Server) {
        let mut shutdown = self.shutdown.subscribe();
        self.runtime().spawn(ahu_service::run(listener.into(), hosted, async move {
            // An error means that the sender is gone, which ends the server too.
            let _ = shutdown.changed().await;
        }));
    }

    /// Returns the path of the Unix socket. The first call makes the socket.
    fn socket(&mut self, hosted: ahu_service::Server) -> Result<PathBuf, Error> {
        if let Some((_, path)) = &self.socket {
            return Ok(path.clone());
        }
        let cannot = |error| Error::Failed(format!("cannot listen on a Unix socket: {error}"));
        let folder = socket_folder().map_err(cannot)?;
        let path = folder.path().join("ahu.sock");
        let listener = {
            let _entered = self.runtime().enter();
            UnixListener::bind(&path).map_err(cannot)?
        };
        self.serve(listener, hosted);
        self.socket = Some((folder, path.clone()));
        Ok(path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.send_replace(());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END);
        }
    }
}
