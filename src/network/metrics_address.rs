//! The address of the metrics of a server: `ahu serve` listens on it, and `ahu status` reads from it.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::network::listener::address;

/// The default address of the metrics.
pub(crate) const DEFAULT_METRICS: &str = "127.0.0.1:50552";

/// The address of the metrics of a server.
#[derive(Clone, Debug)]
pub(crate) enum MetricsAddress {
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl fmt::Display for MetricsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Parses the address of the metrics.
pub(crate) fn metrics_address(text: &str) -> Result<MetricsAddress, String> {
    match text.strip_prefix("unix:") {
        Some("") => Err("expected a path after unix:".to_owned()),
        Some(path) => Ok(MetricsAddress::Unix(path.into())),
        None => address(text).map(MetricsAddress::Tcp),
    }
}
