//! The network: gRPC over tonic. It knows games only through `host`.

mod catalog;
mod convert;
mod fault;
mod hosted;
pub mod limits;
mod matches;

use std::future::Future;
use std::time::Duration;

use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

pub use fault::{DOMAIN, Fault};
pub use hosted::{Hosted, Spec};
pub use matches::Matches;

use crate::proto::DESCRIPTORS;
use crate::proto::v1::catalog_service_server::CatalogServiceServer;
use crate::proto::v1::match_service_server::MatchServiceServer;

/// Serves until `shutdown` is done; then calls under way may end, and those that wait are told.
///
/// Listener and shutdown come from outside, so that tests need no process and no port of their own.
/// `matches` are those that are hosted; whoever keeps a clone sees them too.
pub async fn run(
    listener: TcpListener,
    matches: Matches,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<CatalogServiceServer<catalog::Catalog>>().await;
    health.set_serving::<MatchServiceServer<Matches>>().await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };

    let closing = matches.clone();
    let (closed, mut is_closed) = tokio::sync::watch::channel(false);
    let shutdown = async move {
        shutdown.await;
        tracing::info!("closing");
        closing.close();
        closed.send_replace(true);
    };
    let serving = Server::builder()
        .max_concurrent_streams(limits::STREAMS_MAX)
        .http2_keepalive_interval(Some(Duration::from_secs(30)))
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(CatalogServiceServer::new(catalog::Catalog).max_decoding_message_size(limits::REQUEST_BYTES_MAX))
        .add_service(MatchServiceServer::new(matches).max_decoding_message_size(limits::REQUEST_BYTES_MAX))
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), shutdown);
    tokio::select! {
        served = serving => Ok(served?),
        () = async {
            // Whoever holds the sender is `shutdown` above, which ends by sending.
            let _ = is_closed.wait_for(|&closed| closed).await;
            tokio::time::sleep(limits::CLOSING_GRACE).await;
        } => Ok(()),
    }
}
