//! Listening on an address. Also the web page of a server that listens there, and the limit of open files: each connection is
//! one.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;

use crate::cli::CliError;

/// Parses an address with a port; `localhost` means 127.0.0.1.
pub(in crate::cli) fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let parsed = numeric.as_deref().unwrap_or(text).parse();
    parsed.map_err(|_| "expected an address and a port, such as 127.0.0.1:0".to_owned())
}

/// Listens on an address. The error advises on the option `--listen`.
pub(in crate::cli) async fn listener_at(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address).await.map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => format!(
                "another program listens there; choose another port with --listen, such as {} for a free one",
                SocketAddr::new(address.ip(), 0)
            ),
            _ => error.to_string(),
        };
        CliError::Failed(format!("cannot listen on {address}: {reason}"))
    })
}

/// Returns the URL of the web page of a server that listens on this address. An unspecified address, such as 0.0.0.0, becomes the
/// loopback address, by which a browser on this machine reaches the server.
pub(in crate::cli) fn page_at(scheme: &str, listen: SocketAddr) -> String {
    let address = match listen.ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    };
    format!("{scheme}://{}/", SocketAddr::new(address, listen.port()))
}

/// Raises the soft limit of open files to the hard limit. Returns the limit; None if there is none. Many systems set the soft
/// limit to 1024 for old programs that cannot use more.
pub(in crate::cli) fn raise_open_file_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::warn!(%error, "the limit of file descriptors cannot be raised");
            current
        }
    }
}
