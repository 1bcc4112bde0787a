//! The proxies that a server trusts, and the addresses that they forward.

#[cfg(any(test, fuzzing))]
pub mod fuzzing;

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
#[cfg(feature = "mcp")]
use tonic::codegen::http;
use tonic::codegen::http::header::FORWARDED;
use tonic::codegen::http::{HeaderMap, HeaderName};

#[cfg(feature = "mcp")]
use super::connections::ConnectionInfo;
use crate::limits::MAX_FORWARDED;

/// The header that most proxies write.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies that name the address of a caller, in one header. A proxy passes on what a client wrote in any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    has_sockets: bool,
    header: HeaderName,
}

impl Default for TrustedProxies {
    /// Creates an empty set of proxies that write X-Forwarded-For.
    fn default() -> Self {
        Self { networks: Vec::new(), has_sockets: false, header: X_FORWARDED_FOR }
    }
}

impl TrustedProxies {
    /// Sets the header that the proxies write: a list of addresses, or the standard header Forwarded.
    pub fn set_header(&mut self, name: &str) -> Result<(), String> {
        self.header = name.parse().map_err(|_| format!("expected the name of a header, got \"{name}\""))?;
        Ok(())
    }

    /// Adds a proxy: a network such as `10.0.0.0/8`, an address, or `unix` for the programs that use the Unix socket.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        if text == "unix" {
            self.has_sockets = true;
            return Ok(());
        }
        let network = text.parse().or_else(|_| text.parse().map(|address: IpAddr| IpNet::from(address)));
        let network = network
            .map_err(|_| format!("expected a network such as 10.0.0.0/8, an address, or unix; got \"{text}\""))?;
        self.networks.push(network);
        Ok(())
    }

    /// Returns true if a proxy has this address. None is the address of a Unix socket.
    pub(super) fn has(&self, address: Option<IpAddr>) -> bool {
        match address.map(|address| address.to_canonical()) {
            Some(address) => self.networks.iter().any(|network| network.contains(&address)),
            None => self.has_sockets,
        }
    }

    /// Returns the address that a proxy forwards: the last address that does not belong to a trusted proxy. Returns None if
    /// there is no such address, or if it cannot be read.
    pub(super) fn forwarded(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lines = headers.get_all(&self.header).iter().rev();
        let entries = lines.flat_map(|line| line.to_str().unwrap_or("").rsplit(','));
        for entry in entries.take(MAX_FORWARDED) {
            let node = if self.header == FORWARDED { for_of(entry)? } else { entry.trim() };
            let address = address_of(node)?.to_canonical();
            if !self.has(Some(address)) {
                return Some(address);
            }
        }
        None
    }
}

/// Returns the value of `for` in an element of the header Forwarded, without quotes.
fn for_of(element: &str) -> Option<&str> {
    let pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(key, _)| key.trim().eq_ignore_ascii_case("for")).map(|(_, value)| value.trim());
    let value = values.next().filter(|_| values.next().is_none())?;
    match value.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"'),
        None => Some(value),
    }
}

/// Parses an address, with or without a port, and in brackets or not.
fn address_of(node: &str) -> Option<IpAddr> {
    let in_brackets = || node.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || node.parse().ok().map(|address: SocketAddr| address.ip());
    node.parse().ok().or_else(in_brackets).or_else(with_port)
}

/// Returns a function that gives the origin of a request to requests within the process: its connection, and the header in
/// which a proxy forwards its address.
#[cfg(feature = "mcp")]
pub(crate) fn origin<B>(
    of: &axum::extract::Request,
    proxies: &TrustedProxies,
) -> impl Fn(&mut http::Request<B>) + Send + Sync + use<B> {
    let connection: Option<ConnectionInfo> = of.extensions().get().cloned();
    let name = proxies.header.clone();
    let lines: Vec<_> = of.headers().get_all(&name).iter().cloned().collect();
    move |request| {
        for line in &lines {
            request.headers_mut().append(name.clone(), line.clone());
        }
        if let Some(connection) = connection.clone() {
            request.extensions_mut().insert(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusted() -> TrustedProxies {
        let mut proxies = TrustedProxies::default();
        for text in ["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7"] {
            proxies.add(text).expect("a network");
        }
        proxies
    }

    const XFF: &str = "x-forwarded-for";

    /// Returns the address in these lines, if proxies write the header of the first of them.
    fn forwarded(lines: &[(&'static str, &str)]) -> Option<String> {
        let (mut proxies, mut headers) = (trusted(), HeaderMap::new());
        proxies.set_header(lines.first().map_or("X-Forwarded-For", |(name, _)| name)).expect("the name of a header");
        for (name, value) in lines {
            headers.append(*name, value.parse().expect("a value"));
        }
        proxies.forwarded(&headers).map(|address| address.to_string())
    }

    #[test]
    fn a_proxy_is_trusted_by_its_network_or_address() {
        let proxies = trusted();
        let has = |text: &str| proxies.has(Some(text.parse().expect("an address")));
        assert!(has("10.200.3.4") && has("192.0.2.7") && has("2001:db8:1::9") && has("::ffff:10.0.0.1"));
        assert!(!has("11.0.0.1") && !has("192.0.2.8") && !has("2001:db8:2::9") && !proxies.has(None));
        let mut sockets = TrustedProxies::default();
        sockets.add("unix").expect("a proxy");
        assert!(sockets.has(None));
        let error = sockets.add("10.0.0.0/33").expect_err("no network");
        assert_eq!(error, "expected a network such as 10.0.0.0/8, an address, or unix; got \"10.0.0.0/33\"");
    }

    #[test]
    fn the_last_address_that_is_not_trusted_is_the_caller() {
        for (lines, expected) in [
            (vec![(XFF, "203.0.113.9")], "203.0.113.9"),
            // The client may have written all but the last one.
            (vec![(XFF, "198.51.100.1, 203.0.113.9")], "203.0.113.9"),
            (vec![(XFF, "garbage, 203.0.113.9")], "203.0.113.9"),
            (vec![(XFF, "203.0.113.9, 10.0.0.2,192.0.2.7")], "203.0.113.9"),
            (vec![(XFF, "198.51.100.1"), (XFF, "203.0.113.9")], "203.0.113.9"),
            (vec![(XFF, "203.0.113.9:4711")], "203.0.113.9"),
            (vec![(XFF, "2001:db8:2::5")], "2001:db8:2::5"),
            (vec![(XFF, "[2001:db8:2::5]:4711")], "2001:db8:2::5"),
            (vec![("forwarded", "for=203.0.113.9;proto=https;by=10.0.0.1")], "203.0.113.9"),
            (vec![("forwarded", "for=198.51.100.1, For=\"[2001:db8:2::5]:4711\", for=10.1.1.1")], "2001:db8:2::5"),
            // The client has written the header that its proxy does not write.
            (vec![(XFF, "203.0.113.9"), ("forwarded", "for=unknown")], "203.0.113.9"),
            (vec![("forwarded", "for=203.0.113.9"), (XFF, "203.0.113.8")], "203.0.113.9"),
            (vec![("x-real-ip", "203.0.113.9"), (XFF, "203.0.113.8")], "203.0.113.9"),
        ] {
            assert_eq!(forwarded(&lines).as_deref(), Some(expected), "{lines:?}");
        }
    }

    #[test]
    fn a_header_that_cannot_be_read_or_trusted_names_nobody() {
        let long = vec!["10.0.0.1"; MAX_FORWARDED + 1].join(",");
        for lines in [
            vec![],
            vec![(XFF, "")],
            vec![(XFF, "unknown")],
            vec![(XFF, "203.0.113.9, _hidden")],
            vec![(XFF, "203.0.113.9,")],
            vec![(XFF, "203.0.113.999")],
            vec![(XFF, "10.0.0.1, 10.0.0.2")],
            vec![(XFF, long.as_str())],
            vec![("forwarded", "proto=https")],
            vec![("forwarded", "for=\"203.0.113.9")],
            vec![("forwarded", "for=203.0.113.9;for=203.0.113.8")],
            vec![("forwarded", "for=secret"), (XFF, "203.0.113.9")],
        ] {
            assert_eq!(forwarded(&lines), None, "{lines:?}");
        }
        assert_eq!(trusted().set_header("a b"), Err("expected the name of a header, got \"a b\"".to_owned()));
    }
}
