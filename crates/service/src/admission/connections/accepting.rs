//! Accepting: the listeners of a server, and the connections that their addresses may have.

use std::io;
use std::net::IpAddr;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;

use super::Connection;
use super::certificate::Certificate;
use super::silence::Closing;
use super::tls::SecureStream;
use crate::admission::limiter::{ConnectionPermit, Ledger, Limiter, Principal};
use crate::admission::proxies::TrustedProxies;
use crate::limits::{ACCEPT_PAUSE, Rate};
use crate::metrics::Metrics;

/// An address on which a server listens.
#[derive(Debug)]
pub enum Listener {
    /// An address and port.
    Tcp(TcpListener),
    /// A Unix socket, by its path in the file system.
    Unix(UnixListener),
}

impl Listener {
    /// Returns another handle on the same listener: each connection comes to one of them.
    ///
    /// # Errors
    /// If the system has no file descriptor for it.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(listener) => {
                let same = std::net::TcpListener::from(listener.as_fd().try_clone_to_owned()?);
                TcpListener::from_std(same)?.into()
            }
            Self::Unix(listener) => {
                let same = std::os::unix::net::UnixListener::from(listener.as_fd().try_clone_to_owned()?);
                UnixListener::from_std(same)?.into()
            }
        })
    }
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

impl From<UnixListener> for Listener {
    fn from(listener: UnixListener) -> Self {
        Self::Unix(listener)
    }
}

/// The parts of a server that decide on a connection. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) limiter: Limiter,
    pub(crate) proxies: Arc<TrustedProxies>,
    pub(crate) metrics: Metrics,
}

/// A stream that a listener accepts.
pub(crate) trait Accepted: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Returns the address of the client; None for a Unix socket.
    fn address(&self) -> Option<IpAddr>;
}

impl Accepted for TcpStream {
    fn address(&self) -> Option<IpAddr> {
        // A client that has gone again has no address; reading from it fails at once.
        self.peer_addr().ok().map(|address| address.ip())
    }
}

impl Accepted for UnixStream {
    fn address(&self) -> Option<IpAddr> {
        None
    }
}

/// A connection that is admitted, and whose stream may still begin TLS.
pub(super) struct Admitted {
    pub(super) address: Option<IpAddr>,
    pub(super) ledger: Ledger,
    pub(super) is_proxy: bool,
    pub(super) place: ConnectionPermit,
    pub(super) opened: Instant,
    /// The time for which the connection is not read, because it was opened too early.
    pub(super) wait: Duration,
}

impl Admitted {
    /// Admits a connection of this address; None is a Unix socket. Returns None if the connection is closed at once, because its
    /// address or the server has too many.
    fn at(address: Option<IpAddr>, gate: &Gate) -> Option<Self> {
        let Gate { limiter, proxies, metrics } = gate;
        let (ledger, is_proxy) = (limiter.ledger(Principal::at(address)), proxies.has(address));
        let counted = (!is_proxy).then_some(&ledger);
        let place = limiter.connect(counted).inspect_err(|reason| {
            tracing::debug!(?address, reason, "a connection is closed");
            metrics.connection_closed(Closing::Excess.name());
        });
        let place = place.ok()?;
        let wait = counted.map_or(Duration::ZERO, |ledger| ledger.pace(Rate::Connections, 1));
        Some(Self { address, ledger, is_proxy, place, opened: Instant::now(), wait })
    }
}

/// Returns the connections within the limits. Pauses after a connection that could not be accepted.
pub(crate) fn admitted<S: Accepted>(
    incoming: impl Stream<Item = io::Result<S>>,
    gate: Gate,
) -> impl Stream<Item = io::Result<Connection<S>>> {
    incoming.filter_map(move |accepted| {
        let gate = gate.clone();
        async move {
            match accepted {
                Ok(stream) => {
                    let admitted = Admitted::at(stream.address(), &gate)?;
                    Some(Ok(Connection::over(stream, admitted, false, gate.limiter.limits(), &gate.metrics)))
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    Some(Err(error))
                }
            }
        }
    })
}

/// Returns the connections within the limits that have begun TLS. Many clients may begin at the same time: the shares of
/// connections bound their number, and the rates of connections their work.
pub(crate) fn secured(
    incoming: TcpIncoming,
    gate: Gate,
    certificate: &Certificate,
) -> impl Stream<Item = io::Result<Connection<SecureStream>>> + use<> {
    let (ready, connections) = mpsc::channel(1);
    let certificate = certificate.clone();
    tokio::spawn(async move {
        let mut incoming = incoming;
        loop {
            let accepted = tokio::select! {
                () = ready.closed() => return,
                accepted = incoming.next() => accepted,
            };
            let stream = match accepted {
                Some(Ok(stream)) => stream,
                Some(Err(error)) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
                None => return,
            };
            let Some(admitted) = Admitted::at(stream.address(), &gate) else { continue };
            let (ready, gate, acceptor) = (ready.clone(), gate.clone(), certificate.acceptor());
            tokio::spawn(async move {
                if let Some(connection) = admitted.secure(stream, acceptor, &gate).await {
                    // The server may have ended.
                    let _ = ready.send(Ok(connection)).await;
                }
            });
        }
    });
    ReceiverStream::new(connections)
}
