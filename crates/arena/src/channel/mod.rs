//! Channels to a server elsewhere: its address, TLS, and what a failed call means; in `relay.rs`, relays in front of a server.

pub mod relay;
mod secure;

use std::error::Error as _;
use std::fmt;

use ahu_service::proto::v1::ErrorReason;
use tonic::transport::Endpoint;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::Error;

/// The address of a server elsewhere: `HOST:PORT`, with `https://` before it for TLS; or those of several servers, with commas
/// between them, one of which works.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// The address as it was given.
    text: String,
    /// At least one.
    places: Vec<Place>,
}

/// The place of one server.
#[derive(Clone, Debug)]
struct Place {
    /// The host and the port.
    host: String,
    is_secure: bool,
}

impl ServerAddress {
    /// Reads an address. The error says what was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        let places = text.split(',').map(Place::read).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), places })
    }

    /// Returns the endpoints of the servers.
    pub fn endpoints(&self) -> Result<Vec<Endpoint>, Error> {
        self.places.iter().map(Place::endpoint).collect()
    }

    /// Returns the endpoint of the only server, for callers that cannot turn to another one.
    pub fn endpoint(&self) -> Result<Endpoint, Error> {
        match &self.places[..] {
            [place] => place.endpoint(),
            _ => Err(Error::Usage(format!("expected the address of one server, got \"{}\"", self.text))),
        }
    }

    /// Returns the error of a call to the server that failed.
    pub fn refused(&self, status: &Status) -> Error {
        let address = &self.text;
        match is_transient(status) {
            true => {
                let why = status.source().map_or_else(|| status.message().to_owned(), secure::causes);
                Error::Failed(format!("cannot reach a server at {address}: {why}"))
            }
            false => Error::Failed(format!("the server at {address} refuses: {}", status.message())),
        }
    }
}

impl Place {
    fn read(text: &str) -> Result<Self, String> {
        let place = match text.split_once("://") {
            Some(("https", host)) => Some((host, true)),
            Some(("http", host)) => Some((host, false)),
            Some(_) => None,
            None => Some((text, false)),
        };
        let host = place.map(|(host, is_secure)| (host.strip_suffix('/').unwrap_or(host), is_secure));
        match host.filter(|(host, _)| !host.is_empty() && !host.contains('/')) {
            Some((host, is_secure)) => Ok(Self { host: host.to_owned(), is_secure }),
            None => Err(format!("expected HOST:PORT or https://HOST:PORT, got \"{text}\"")),
        }
    }

    fn endpoint(&self) -> Result<Endpoint, Error> {
        let scheme = if self.is_secure { "https" } else { "http" };
        let wrong = |_| Error::Usage(format!("expected HOST:PORT or https://HOST:PORT, got \"{}\"", self.host));
        let endpoint = Endpoint::from_shared(format!("{scheme}://{}", self.host)).map_err(wrong)?;
        match self.is_secure {
            true => endpoint.tls_config(secure::of_channel()?).map_err(Error::failed),
            false => Ok(endpoint),
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns true if a failed call may succeed later: no answer came in time, or the server is closing.
pub fn is_transient(status: &Status) -> bool {
    // An error of the transport has the code UNKNOWN or INTERNAL too, but no reason of a server.
    let is_of_server = status.get_details_error_info().is_some();
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled)
        || (matches!(status.code(), Code::Unknown | Code::Internal) && !is_of_server)
}

/// Returns true if the server refused a call for this reason.
pub fn has_reason(status: &Status, reason: ErrorReason) -> bool {
    status.get_details_error_info().is_some_and(|info| info.reason == reason.reason())
}
