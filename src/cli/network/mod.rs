//! The network: calls to a server elsewhere; in the files here, listening and relays.

pub(super) mod listener;
pub(super) mod metrics_address;
pub(super) mod relay;

use tonic::transport::Endpoint;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::cli::CliError;

/// Parses the value of `--server`: the address of a server elsewhere.
pub(super) fn endpoint(address: &str) -> Result<Endpoint, CliError> {
    let wrong = |_| CliError::Usage(format!("--server: expected HOST:PORT, got \"{address}\""));
    Endpoint::from_shared(format!("http://{address}")).map_err(wrong)
}

/// Returns true if a failed call may succeed later: no answer came in time, or the server is closing.
pub(super) fn is_transient(status: &Status) -> bool {
    // An error of the transport has the code UNKNOWN too, but no reason of a server.
    let is_of_server = status.get_details_error_info().is_some();
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled)
        || (status.code() == Code::Unknown && !is_of_server)
}

/// Returns the error of a command whose call to the server at this address failed.
pub(super) fn refused(address: &str, status: &Status) -> CliError {
    match is_transient(status) {
        true => CliError::Failed(format!("cannot reach a server at {address}: {}", status.message())),
        false => CliError::Failed(format!("the server at {address} refuses: {}", status.message())),
    }
}
