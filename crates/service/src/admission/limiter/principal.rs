//! Principals: the clients whose uses of the server are counted.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use crate::accounts::AccountId;
use crate::secrets::Digest;

/// A client, or a group of clients, whose uses of the server are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Principal {
    /// The programs on another machine: its IPv4 address, or the first address of its IPv6 network of 64 bits.
    Address(IpAddr),
    /// The programs on this machine, through a loopback address.
    Loopback,
    /// The programs on this machine, through a Unix socket.
    Socket,
    /// The callers behind trusted proxies whose addresses cannot be read, together.
    Unread,
    /// The player of a seat, by the digest of its token. Its calls do not count for the address from which they come, so a
    /// neighbour at the address delays no answer of the player.
    Seat(Digest),
    /// The calls with the keys of an account, from any address, and the calls of its seats.
    Account(AccountId),
}

impl Principal {
    /// Returns the principal at this address. None is the address of a Unix socket.
    pub(crate) fn at(address: Option<IpAddr>) -> Self {
        match address.map(|address| address.to_canonical()) {
            None => Self::Socket,
            Some(address) if address.is_loopback() => Self::Loopback,
            Some(address) => Self::behind_proxy(Some(address)),
        }
    }

    /// Returns the principal at the address that a proxy forwards; None if the address cannot be read. Nobody behind a proxy has
    /// the higher shares of this machine, since a client may write what its proxy passes on.
    pub(crate) fn behind_proxy(address: Option<IpAddr>) -> Self {
        match address.map(|address| address.to_canonical()) {
            None => Self::Unread,
            Some(IpAddr::V4(address)) => Self::Address(address.into()),
            Some(IpAddr::V6(address)) => {
                let [a, b, c, d, ..] = address.segments();
                Self::Address(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into())
            }
        }
    }

    /// Returns the address in short; empty for a principal without an address.
    pub(crate) fn address(self) -> String {
        match self {
            Self::Address(address @ IpAddr::V4(_)) => address.to_string(),
            Self::Address(address @ IpAddr::V6(_)) => format!("{address}/64"),
            Self::Loopback => "loopback".to_owned(),
            Self::Socket => "unix".to_owned(),
            Self::Unread => "unread".to_owned(),
            Self::Seat(_) | Self::Account(_) => String::new(),
        }
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address @ IpAddr::V4(_)) => write!(f, "the address {address}"),
            Self::Address(address @ IpAddr::V6(_)) => write!(f, "the network {address}/64"),
            Self::Loopback => f.write_str("the loopback address"),
            Self::Socket => f.write_str("the Unix socket"),
            Self::Unread => f.write_str("the callers behind the proxy without a readable address"),
            Self::Seat(_) => f.write_str("the seat"),
            Self::Account(id) => write!(f, "the account {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_network_is_one_principal_and_a_mapped_address_is_that_of_ipv4() {
        let at = |text: &str| Principal::at(Some(text.parse().expect("an address")));
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:2"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_eq!(at("::ffff:203.0.113.1"), at("203.0.113.1"));
        for loopback in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(at(loopback), Principal::Loopback);
            let forwarded = Principal::behind_proxy(loopback.parse().ok());
            assert!(matches!(forwarded, Principal::Address(_)), "{loopback}: {forwarded:?}");
        }
        assert_eq!(Principal::behind_proxy(None), Principal::Unread);
    }
}
