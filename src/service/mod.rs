//! The network: gRPC over tonic. It knows games only through `host`.

mod catalog;
mod convert;
mod environments;
mod error;
mod journal;
pub mod limits;
mod live_match;
mod match_service;
mod matches;
mod observe;

use std::future::Future;
use std::io;
use std::time::Instant;

use tokio::net::{TcpListener, UnixListener};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

pub use environments::Environments;
pub use error::{ApiError, DOMAIN};
pub use limits::Limits;
pub use live_match::{LiveMatch, MatchConfig};
pub use matches::Matches;

use crate::proto::DESCRIPTORS;
use crate::proto::v1::catalog_service_server::CatalogServiceServer;
use crate::proto::v1::environment_service_server::EnvironmentServiceServer;
use crate::proto::v1::match_service_server::MatchServiceServer;

/// Any error that ends the service.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Where the service is reached.
#[derive(Debug)]
pub enum Listener {
    /// At an address and port.
    Tcp(TcpListener),
    /// At a path in the file system of this machine.
    Unix(UnixListener),
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

/// Serves until `shutdown` is done; then calls under way may end, and those that wait are told.
///
/// Listener and shutdown come from outside, so that tests need no process and no port of their own.
/// `matches` are those that are hosted, and `environments` those that are open; whoever keeps a clone sees them too, and several
/// listeners may serve the same.
pub async fn run(
    listener: impl Into<Listener>,
    matches: Matches,
    environments: Environments,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<CatalogServiceServer<catalog::Catalog>>().await;
    health.set_serving::<MatchServiceServer<Matches>>().await;
    health.set_serving::<EnvironmentServiceServer<Environments>>().await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let catalog = CatalogServiceServer::new(catalog::Catalog { limits: *matches.limits() });
    let router = Server::builder()
        .max_concurrent_streams(limits::MAX_STREAMS)
        .http2_keepalive_interval(Some(limits::KEEPALIVE))
        .add_service(health_service.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(reflection().build_v1()?.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(reflection().build_v1alpha()?.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(catalog.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(MatchServiceServer::new(matches.clone()).max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(
            EnvironmentServiceServer::new(environments.clone())
                .max_decoding_message_size(limits::MAX_RUN_REQUEST_BYTES),
        );

    let (closed, mut is_closed) = tokio::sync::watch::channel(false);
    let closing = matches.clone();
    let shutdown = async move {
        shutdown.await;
        tracing::info!("closing");
        health.set_not_serving::<CatalogServiceServer<catalog::Catalog>>().await;
        health.set_not_serving::<MatchServiceServer<Matches>>().await;
        health.set_not_serving::<EnvironmentServiceServer<Environments>>().await;
        closing.close();
        environments.close();
        closed.send_replace(true);
    };
    let serving = async {
        match listener.into() {
            Listener::Tcp(listener) => {
                let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
                router.serve_with_incoming_shutdown(incoming.then(or_pause), shutdown).await
            }
            Listener::Unix(listener) => {
                let incoming = UnixListenerStream::new(listener);
                router.serve_with_incoming_shutdown(incoming.then(or_pause), shutdown).await
            }
        }
    };
    tokio::select! {
        served = serving => Ok(served?),
        never = expire(&matches) => never,
        () = async {
            // Whoever holds the sender is `shutdown` above, which ends by sending.
            let _ = is_closed.wait_for(|&closed| closed).await;
            tokio::time::sleep(limits::CLOSING_GRACE).await;
        } => Ok(()),
    }
}

/// A connection as it came; where none could be taken, the next is not tried at once.
async fn or_pause<C>(accepted: io::Result<C>) -> io::Result<C> {
    if let Err(error) = &accepted {
        tracing::warn!(%error, "a connection cannot be taken");
        tokio::time::sleep(limits::ACCEPT_PAUSE).await;
    }
    accepted
}

/// Drops matches in which nothing happens, for as long as it is polled.
async fn expire(matches: &Matches) -> Result<(), Error> {
    let mut period = tokio::time::interval(limits::EXPIRY_PERIOD.min(matches.limits().match_idle));
    loop {
        period.tick().await;
        matches.expire(Instant::now());
    }
}
