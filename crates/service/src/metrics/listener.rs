//! The listener of the metrics: HTTP/1.1 with one page, `/metrics`, in the text format of Prometheus.

use std::future::Future;
use std::io;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::routing::get;

use super::GaugesOfServer;
use crate::admission::Listener;
use crate::limits::Share;
use crate::server::Server;
use crate::web::admit_host;

/// The content type of the page.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves the metrics of a server until `shutdown` is done.
pub async fn serve_metrics(
    listener: impl Into<Listener>,
    server: impl Into<Server>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let server = server.into();
    let names = server.page.clone().unwrap_or_default();
    let page = async move || {
        // A look at ten thousand matches takes milliseconds, which would block the runtime.
        let text = tokio::task::spawn_blocking(move || text(&server)).await;
        ([(CONTENT_TYPE, OPEN_METRICS)], text.unwrap_or_default())
    };
    let router = Router::new().route("/metrics", get(page));
    match listener.into() {
        Listener::Tcp(listener) => {
            let router = router.layer(middleware::from_fn_with_state(names, admit_host));
            axum::serve(listener, router).with_graceful_shutdown(shutdown).await
        }
        // No browser comes to a Unix socket.
        Listener::Unix(listener) => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
    }
}

/// Returns all metrics as text.
fn text(server: &Server) -> String {
    let (limiter, environments) = (server.matches.limiter(), &server.environments);
    server.matches.metrics().text(|gauges| {
        server.matches.set_gauges(gauges);
        gauges.connections.set(limiter.connections() as i64);
        gauges.peers.set(limiter.count() as i64);
        gauges.environments.set(environments.open_count() as i64);
        for share in Share::ALL {
            GaugesOfServer::set(&gauges.used, "share", share.name(), limiter.used(share));
        }
        gauges.set_memory("environments", environments.open_bytes());
        if let Some(lease) = &server.lease {
            gauges.set_lease(lease);
        }
        if let Some(bytes) = resident() {
            gauges.set_memory("process", bytes);
        }
    })
}

/// Returns the memory of this process, in bytes; None where the system does not tell.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}
