//! The network: calls to a server elsewhere, and commands of the operator; in the files here, listening and relays.

pub(super) mod listener;
pub(super) mod metrics_address;
pub(super) mod relay;
mod secure;
pub(super) mod tls_arguments;

use std::error::Error as _;
use std::path::Path;

use ahu::proto::v1::ErrorReason;
use ahu::service::accounts::{Command, Reply};
use ahu::service::execute_in;
use tonic::transport::Endpoint;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::cli::CliError;

/// Parses the value of `--server`: the address of a server elsewhere, with `https://` before it for TLS.
pub(super) fn endpoint(address: &str) -> Result<Endpoint, CliError> {
    let wrong = || CliError::Usage(format!("--server: expected HOST:PORT or https://HOST:PORT, got \"{address}\""));
    let place = place_of(address).ok_or_else(wrong)?;
    let scheme = if place.is_secure { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{}", place.host)).map_err(|_| wrong())?;
    match place.is_secure {
        true => endpoint.tls_config(secure::of_channel()?).map_err(CliError::failed),
        false => Ok(endpoint),
    }
}

/// The parts of an address of a server.
struct Place<'a> {
    /// The host and the port.
    host: &'a str,
    is_secure: bool,
}

/// Returns the parts of an address; None if it is none.
fn place_of(address: &str) -> Option<Place<'_>> {
    let (host, is_secure) = match address.split_once("://") {
        Some(("https", host)) => (host, true),
        Some(("http", host)) => (host, false),
        Some(_) => return None,
        None => (address, false),
    };
    let host = host.strip_suffix('/').unwrap_or(host);
    (!host.is_empty() && !host.contains('/')).then_some(Place { host, is_secure })
}

/// Returns true if a failed call may succeed later: no answer came in time, or the server is closing.
pub(super) fn is_transient(status: &Status) -> bool {
    // An error of the transport has the code UNKNOWN too, but no reason of a server.
    let is_of_server = status.get_details_error_info().is_some();
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled)
        || (status.code() == Code::Unknown && !is_of_server)
}

/// Returns true if the server refused a call for this reason.
pub(super) fn has_reason(status: &Status, reason: ErrorReason) -> bool {
    let name = reason.as_str_name().trim_start_matches("ERROR_REASON_");
    status.get_details_error_info().is_some_and(|info| info.reason == name)
}

/// Returns the error of a command whose call to the server at this address failed.
pub(super) fn refused(address: &str, status: &Status) -> CliError {
    match is_transient(status) {
        true => {
            let why = status.source().map_or_else(|| status.message().to_owned(), secure::causes);
            CliError::Failed(format!("cannot reach a server at {address}: {why}"))
        }
        false => CliError::Failed(format!("the server at {address} refuses: {}", status.message())),
    }
}

/// Carries out a command of the operator in the folder of a server, in the server that uses it or here. If `create` is true, a
/// missing folder is created.
pub(super) fn execute(folder: &Path, command: Command, create: bool) -> Result<Reply, CliError> {
    match execute_in(folder, command, create).map_err(CliError::failed)? {
        Reply::Refused { message } => Err(CliError::Failed(message)),
        reply => Ok(reply),
    }
}
