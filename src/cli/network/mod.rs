//! Connections: listening on addresses, relays, and calls to a server elsewhere.

pub(super) mod listener;
pub(super) mod metrics_address;
pub(super) mod relay;

use tonic::transport::Endpoint;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::cli::CliError;

/// Parses the address of a server, which the option `--server` names.
pub(super) fn endpoint(address: &str) -> Result<Endpoint, CliError> {
    let wrong = |_| CliError::Usage(format!("--server: expected HOST:PORT, got \"{address}\""));
    Endpoint::from_shared(format!("http://{address}")).map_err(wrong)
}

/// Returns true if a call may succeed later.
pub(super) fn is_transient(status: &Status) -> bool {
    // Transport errors have the code UNKNOWN, and no reason.
    let is_of_server = status.get_details_error_info().is_some();
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled)
        || (status.code() == Code::Unknown && !is_of_server)
}

/// Returns the error of a command whose call the server at this address did not answer, or refused.
pub(super) fn refused(address: &str, status: &Status) -> CliError {
    match is_transient(status) {
        true => CliError::Failed(format!("cannot reach a server at {address}: {}", status.message())),
        false => CliError::Failed(format!("the server at {address} refuses: {}", status.message())),
    }
}
