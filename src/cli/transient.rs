//! Failures of calls to a server elsewhere that may succeed later.

use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Returns true if a call may succeed later.
pub(super) fn is_transient(status: &Status) -> bool {
    // Transport errors have the code UNKNOWN, and no reason.
    let is_of_server = status.get_details_error_info().is_some();
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled)
        || (status.code() == Code::Unknown && !is_of_server)
}
