//! The network: gRPC over tonic. It knows games only through `host`.

mod beside;
mod calls;
mod catalog;
mod connections;
mod costs;
mod course;
mod cup_reader;
mod digest;
mod environments;
mod error;
mod frames;
pub mod limits;
mod matches;
mod metrics;
mod metrics_listener;
mod payer;
mod peers;
mod priority;
mod proxies;
mod random;
mod rates;
mod reservation;
pub mod store;
mod tournaments;
mod web;

use std::future::Future;
use std::io;

use tokio::net::{TcpListener, UnixListener};
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::service::Routes;
use tonic::transport::Server;

pub use environments::Environments;
pub use error::DOMAIN;
pub use limits::{Limits, Rate, Rates, Share, Shares};
pub use matches::{
    AssignedSeat, Clock, DebugConfig, LiveMatch, MatchConfig, Matches, Pace, PracticeOffer, Recovered, RecoveryError,
    SeatQueue, agent_key_hash, new_agent_key,
};
pub use metrics_listener::{MetricsListener, serve_metrics};
pub use proxies::TrustedProxies;
pub use reservation::Reservation;
pub use web::Page;

use self::calls::Calls;
use self::connections::{Accepted, Connection};
use self::metrics::Metrics;
use self::peers::Peers;

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
    let page = matches.page();
    let routes = page
        .map_or_else(Routes::default, |page| web::routes(&matches, page).into())
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
    let routes = match page {
        Some(page) => web::guarded(routes.into_axum_router(), page).into(),
        None => routes,
    };
    let ready = Server::builder()
        .accept_http1(page.is_some())
        .max_concurrent_streams(limits::MAX_STREAMS)
        .initial_stream_window_size(limits::STREAM_WINDOW)
        .initial_connection_window_size(limits::CONNECTION_WINDOW)
        .http2_keepalive_interval(Some(limits::KEEPALIVE))
        .layer(Calls::of(&matches))
        .add_routes(routes);

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
    let (peers, metrics) = (matches.peers().clone(), matches.metrics().clone());
    let serving = async {
        match listener.into() {
            Listener::Tcp(listener) => {
                let incoming = TcpListenerStream::new(listener).map(|accepted| {
                    // A client that has gone again is noticed at the first read.
                    let _ = accepted.as_ref().map(|stream| stream.set_nodelay(true));
                    accepted
                });
                ready.serve_with_incoming_shutdown(admitted(incoming, peers, metrics), shutdown).await
            }
            Listener::Unix(listener) => {
                let incoming = UnixListenerStream::new(listener);
                ready.serve_with_incoming_shutdown(admitted(incoming, peers, metrics), shutdown).await
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

/// Returns the connections that are within the limits.
fn admitted<S: Accepted>(
    incoming: impl Stream<Item = io::Result<S>>,
    peers: Peers,
    metrics: Metrics,
) -> impl Stream<Item = io::Result<Connection<S>>> {
    let admit = move |accepted: io::Result<S>| match accepted {
        Ok(stream) => Connection::admit(stream, &peers, &metrics).map(Ok),
        Err(error) => Some(Err(error)),
    };
    incoming.then(or_pause).filter_map(admit)
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
    let mut period = tokio::time::interval(limits::expiry_period(matches.limits().match_idle));
    loop {
        period.tick().await;
        matches.expire();
    }
}
