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
mod limiter;
pub mod limits;
mod listener;
mod lock;
mod matches;
mod metrics;
mod metrics_listener;
mod priority;
mod proxies;
mod random;
mod reservation;
mod server;
pub mod store;
mod tournaments;
mod web;

use std::future::Future;
use std::io;
use std::sync::Arc;

use axum::middleware;
use futures_util::{Stream, StreamExt as _};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};

pub use environments::Environments;
pub use error::DOMAIN;
pub use limits::{Limits, Rate, Rates, Share, Shares};
pub use listener::Listener;
pub use matches::{
    AssignedSeat, Clock, LiveMatch, MatchConfig, Matches, ObserverConfig, Pace, PracticeOffer, Recovered,
    RecoveryError, SeatQueue, agent_key_hash, new_agent_key,
};
pub use metrics_listener::serve_metrics;
pub use proxies::TrustedProxies;
pub use reservation::Reservation;
pub use server::Server;
pub use web::Page;

use self::calls::Calls;
use self::connections::{Accepted, Connection};
use self::cup_reader::Cup;
use self::matches::Organiser;

use crate::proto::DESCRIPTORS;
use crate::proto::v1::catalog_service_server::CatalogServiceServer;
use crate::proto::v1::environment_service_server::EnvironmentServiceServer;
use crate::proto::v1::match_service_server::MatchServiceServer;
use crate::proto::v1::organiser_service_server::OrganiserServiceServer;
use crate::proto::v1::tournament_service_server::TournamentServiceServer;

/// An error that ends the service.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The names of the services whose health a server tells.
const SERVICES: [&str; 5] = [
    CatalogServiceServer::<catalog::Catalog>::NAME,
    MatchServiceServer::<Matches>::NAME,
    EnvironmentServiceServer::<Environments>::NAME,
    TournamentServiceServer::<Cup>::NAME,
    OrganiserServiceServer::<Organiser>::NAME,
];

/// Serves until `shutdown` is done. Then running calls may end, and waiting calls get an error.
///
/// Listener and shutdown come from outside, so that tests need no process and no fixed port. A caller that keeps a clone
/// of the matches or environments sees the same matches and environments.
pub async fn run(
    listener: impl Into<Listener>,
    server: impl Into<Server>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let server = &server.into();
    let (health, health_service) = tonic_health::server::health_reporter();
    let set_health = async |status| {
        for service in SERVICES {
            health.set_service_status(service, status).await;
        }
    };
    set_health(ServingStatus::Serving).await;
    let ready = tonic::transport::Server::builder()
        .accept_http1(server.page.is_some())
        .max_concurrent_streams(limits::MAX_STREAMS)
        .initial_stream_window_size(limits::STREAM_WINDOW)
        .initial_connection_window_size(limits::CONNECTION_WINDOW)
        .http2_keepalive_interval(Some(limits::KEEPALIVE))
        .add_routes(routes(server, health_service)?);

    let (closed, mut is_closed) = tokio::sync::watch::channel(false);
    let shutdown = async {
        shutdown.await;
        tracing::info!("closing");
        set_health(ServingStatus::NotServing).await;
        server.matches.close();
        server.environments.close();
        closed.send_replace(true);
    };
    let serving = async {
        match listener.into() {
            Listener::Tcp(listener) => {
                let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
                ready.serve_with_incoming_shutdown(admitted(incoming, server), shutdown).await
            }
            Listener::Unix(listener) => {
                let incoming = UnixListenerStream::new(listener);
                ready.serve_with_incoming_shutdown(admitted(incoming, server), shutdown).await
            }
        }
    };
    tokio::select! {
        ended = serving => Ok(ended?),
        never = expire(&server.matches) => never,
        () = async {
            // `shutdown` above sends, and the sender is there until the end.
            let _ = is_closed.wait_for(|&closed| closed).await;
            tokio::time::sleep(limits::CLOSING_GRACE).await;
        } => Ok(()),
    }
}

/// Returns the routes of all services, and of the page.
fn routes(server: &Server, health: HealthServer<impl Health>) -> Result<Routes, Error> {
    const MAX: usize = limits::MAX_REQUEST_BYTES;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let Server { matches, environments, cup, organiser, page, .. } = server.clone();
    let catalog = catalog::Catalog(matches.clone());
    let environments = EnvironmentServiceServer::new(environments);
    let web = page.map(|page| web::Web { matches: matches.clone(), cup: cup.clone(), page });
    let routes = web
        .clone()
        .map_or_else(Routes::default, |web| web.routes().into())
        .add_service(health.max_decoding_message_size(MAX))
        .add_service(reflection().build_v1()?.max_decoding_message_size(MAX))
        .add_service(reflection().build_v1alpha()?.max_decoding_message_size(MAX))
        .add_service(CatalogServiceServer::new(catalog).max_decoding_message_size(MAX))
        .add_service(MatchServiceServer::new(matches).max_decoding_message_size(MAX))
        .add_service(TournamentServiceServer::new(cup).max_decoding_message_size(MAX))
        .add_service(OrganiserServiceServer::new(organiser).max_decoding_message_size(MAX))
        .add_service(environments.max_decoding_message_size(limits::MAX_RUN_REQUEST_BYTES));
    let unguarded = routes.into_axum_router();
    let guarded = match web {
        Some(web) => web.guard(unguarded),
        None => unguarded,
    };
    Ok(guarded.layer(middleware::from_fn_with_state(Arc::new(Calls::of(server)), calls::serve)).into())
}

/// Returns the connections that are within the limits; pauses after one that could not be accepted.
fn admitted<S: Accepted>(
    incoming: impl Stream<Item = io::Result<S>>,
    server: &Server,
) -> impl Stream<Item = io::Result<Connection<S>>> {
    incoming.filter_map(move |accepted| async move {
        match accepted {
            Ok(stream) => Connection::admit(stream, server.limiter(), &server.proxies, server.metrics()).map(Ok),
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(limits::ACCEPT_PAUSE).await;
                Some(Err(error))
            }
        }
    })
}

/// Drops idle matches, for as long as it is polled.
async fn expire(matches: &Matches) -> Result<(), Error> {
    let mut period = tokio::time::interval(limits::expiry_period(matches.limits().match_idle));
    loop {
        period.tick().await;
        matches.expire();
    }
}
