//! The network: gRPC over tonic. It knows games only through `host`.

mod catalog;
mod course;
mod cup_reader;
mod digest;
mod environments;
mod error;
pub mod limits;
mod matches;
mod random;
mod reservation;
pub mod store;
mod tournaments;

use std::future::Future;
use std::io;

use tokio::net::{TcpListener, UnixListener};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::Response;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tower::util::MapResponseLayer;

pub use environments::Environments;
pub use error::DOMAIN;
pub use limits::Limits;
pub use matches::{
    AssignedSeat, Clock, LiveMatch, MatchConfig, Matches, PracticeOffer, Recovered, RecoveryError, SeatQueue,
    agent_key_hash, new_agent_key,
};
pub use reservation::Reservation;

use crate::proto::DESCRIPTORS;
use crate::proto::v1::catalog_service_server::CatalogServiceServer;
use crate::proto::v1::environment_service_server::EnvironmentServiceServer;
use crate::proto::v1::match_service_server::MatchServiceServer;
use crate::proto::v1::organiser_service_server::OrganiserServiceServer;
use crate::proto::v1::tournament_service_server::TournamentServiceServer;

/// An error that ends the service.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The address of the service.
#[derive(Debug)]
pub enum Listener {
    /// An address and port.
    Tcp(TcpListener),
    /// A Unix socket, by its path in the file system.
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

/// Serves until `shutdown` is done. Then running calls may end, and waiting calls get an error.
///
/// Listener and shutdown come from outside, so that tests need no process and no fixed port. A caller that keeps a clone
/// of `matches` or `environments` sees the same matches and environments, and several listeners may serve them.
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
    health.set_serving::<TournamentServiceServer<Matches>>().await;
    health.set_serving::<OrganiserServiceServer<Matches>>().await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let catalog =
        CatalogServiceServer::new(catalog::Catalog { limits: *matches.limits(), durable: matches.has_store() });
    let router = Server::builder()
        .max_concurrent_streams(limits::MAX_STREAMS)
        .http2_keepalive_interval(Some(limits::KEEPALIVE))
        .layer(MapResponseLayer::new(with_reason))
        .add_service(health_service.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(reflection().build_v1()?.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(reflection().build_v1alpha()?.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(catalog.max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(MatchServiceServer::new(matches.clone()).max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(TournamentServiceServer::new(matches.clone()).max_decoding_message_size(limits::MAX_REQUEST_BYTES))
        .add_service(OrganiserServiceServer::new(matches.clone()).max_decoding_message_size(limits::MAX_REQUEST_BYTES))
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
        health.set_not_serving::<TournamentServiceServer<Matches>>().await;
        health.set_not_serving::<OrganiserServiceServer<Matches>>().await;
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
            // `shutdown` above holds the sender, and sends when it ends.
            let _ = is_closed.wait_for(|&closed| closed).await;
            tokio::time::sleep(limits::CLOSING_GRACE).await;
        } => Ok(()),
    }
}

/// Returns an answer with the reason of its error, also where the request did not reach a handler.
fn with_reason(answer: Response<Body>) -> Response<Body> {
    match answer.extensions().get::<Status>() {
        Some(status) if status.details().is_empty() => {
            error::of_transport(status.clone(), limits::MAX_REQUEST_BYTES).into_http()
        }
        _ => answer,
    }
}

/// Returns an accepted connection; pauses after one that could not be accepted.
async fn or_pause<C>(accepted: io::Result<C>) -> io::Result<C> {
    if let Err(error) = &accepted {
        tracing::warn!(%error, "a connection cannot be accepted");
        tokio::time::sleep(limits::ACCEPT_PAUSE).await;
    }
    accepted
}

/// Drops idle matches, for as long as it is polled.
async fn expire(matches: &Matches) -> Result<(), Error> {
    let mut period = tokio::time::interval(limits::EXPIRY_PERIOD.min(matches.limits().match_idle));
    loop {
        period.tick().await;
        matches.expire();
    }
}
