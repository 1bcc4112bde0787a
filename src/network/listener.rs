//! The addresses on which a server listens, and its web page there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Parses an address with a port; `localhost` means 127.0.0.1.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let parsed = numeric.as_deref().unwrap_or(text).parse();
    parsed.map_err(|_| "expected an address and a port, such as 127.0.0.1:0".to_owned())
}

/// Returns the name and port by which clients elsewhere reach a server with this name that listens on this address. Returns None
/// without a name, and for plain text on a loopback address: there a proxy has the name, and another port.
pub(crate) fn named(scheme: &str, listen: SocketAddr, name: Option<&String>) -> Option<String> {
    let name = name.filter(|_| scheme == "https" || !listen.ip().is_loopback());
    name.map(|name| format!("{name}:{}", listen.port()))
}

/// Returns the URL of the web page of a server that listens on this address, and has this name. Without a name, an unspecified
/// address, such as 0.0.0.0, becomes the loopback address, by which a browser on this machine reaches the server.
pub(crate) fn page_at(scheme: &str, listen: SocketAddr, name: Option<&String>) -> String {
    let address = match listen.ip() {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    };
    let address = || SocketAddr::new(address, listen.port()).to_string();
    format!("{scheme}://{}/", named(scheme, listen, name).unwrap_or_else(address))
}
