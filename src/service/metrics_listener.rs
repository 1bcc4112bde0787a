//! The listener of the metrics: HTTP/1.1 with one page, `/metrics`, in the text format of Prometheus.

use std::future::Future;
use std::io;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use tokio::net::{TcpListener, UnixListener};

use super::environments::Environments;
use super::limits::Share;
use super::matches::Matches;

/// The content type of the page.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The address of the metrics.
#[derive(Debug)]
pub enum MetricsListener {
    /// An address and port.
    Tcp(TcpListener),
    /// A Unix socket, by its path in the file system.
    Unix(UnixListener),
}

/// Serves the metrics of these matches and environments until `shutdown` is done.
pub async fn serve_metrics(
    listener: MetricsListener,
    matches: Matches,
    environments: Environments,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let page = move || {
        let (matches, environments) = (matches.clone(), environments.clone());
        async move {
            // A look at ten thousand matches takes milliseconds.
            let text = tokio::task::spawn_blocking(move || text(&matches, &environments)).await;
            ([(CONTENT_TYPE, OPEN_METRICS)], text.unwrap_or_default())
        }
    };
    let router = Router::new().route("/metrics", get(page));
    match listener {
        MetricsListener::Tcp(listener) => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
        MetricsListener::Unix(listener) => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
    }
}

/// Returns all metrics as text.
fn text(matches: &Matches, environments: &Environments) -> String {
    let peers = matches.peers();
    matches.metrics().text(|gauges| {
        matches.set_gauges(gauges);
        gauges.set_counts(peers.connections(), peers.count(), environments.open_count());
        for share in Share::ALL {
            gauges.set_used(share.name(), peers.used(share));
        }
        gauges.set_memory("environments", environments.open_bytes());
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
