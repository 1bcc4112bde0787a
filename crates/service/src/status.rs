//! Errors of the API as gRPC statuses, with the reason of each in its details.

use std::time::Duration;

use ahu_host::api::ApiError;
use tonic::{Code, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::accounts::KeyText;
use crate::proto::v1::ErrorReason;

/// The domain of all reasons.
pub const DOMAIN: &str = "ahu";

pub(super) type Answer<T> = Result<Response<T>, Status>;

/// Answers a call with the message or the error of a handler.
pub(super) async fn answer<T>(handler: impl Future<Output = Result<T, ApiError>>) -> Answer<T> {
    handler.await.map(Response::new).map_err(of)
}

/// Returns an error as a gRPC status, and logs it.
#[expect(clippy::needless_pass_by_value, reason = "it goes into `map_err`")]
pub(super) fn of(error: ApiError) -> Status {
    let (code, message) = (Code::from_i32(error.code() as i32), error.message());
    let reason = error.reason.reason();
    tracing::debug!(?code, reason, message = KeyText::hidden_in(&message), "call refused");
    let mut details = ErrorDetails::with_error_info(reason, DOMAIN, error.metadata.clone());
    if let Some(ms) = error.retry_ms() {
        details.set_retry_info(Some(Duration::from_millis(ms.into())));
    }
    if let Some(field) = error.field {
        details.add_bad_request_violation(field, message.clone());
    }
    Status::with_error_details(code, message, details)
}

/// Returns the error of a request that tonic did not hand to a handler, with a reason of ours; other errors as they are.
/// `limit` is the maximum size of such a request, in bytes.
pub(super) fn of_transport(status: Status, limit: usize) -> Status {
    /// The starts of the messages of prost and of tonic.
    const UNDECODABLE: [&str; 2] = ["failed to decode Protobuf message", "Error decompressing"];
    match status.code() {
        _ if !status.details().is_empty() => status,
        // tonic has a code of its own for a message that is too large once it is unpacked.
        Code::OutOfRange | Code::ResourceExhausted => {
            let message = format!("expected a request of at most {limit} bytes, got more: {}", status.message());
            of(ApiError::new(ErrorReason::RequestTooLarge, message).with("limit", limit))
        }
        Code::Internal if UNDECODABLE.iter().any(|start| status.message().starts_with(start)) => {
            let message = format!("expected the bytes of a message of the request's type: {}", status.message());
            of(ApiError::new(ErrorReason::UndecodableRequest, message))
        }
        _ => status,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _};
    use std::sync::Arc;

    use tracing::Level;

    use super::*;
    use crate::accounts::new_key;

    #[test]
    fn every_refusal_is_logged_at_debug() {
        let key = new_key();
        for reason in [ErrorReason::TooManyMatches, ErrorReason::UnknownGame, ErrorReason::NoToken] {
            let logged_at = |level: Level| {
                let file = Arc::new(tempfile::tempfile().expect("a temporary file"));
                let log = tracing_subscriber::fmt().with_max_level(level).with_writer(Arc::clone(&file)).finish();
                tracing::subscriber::with_default(log, || {
                    drop(of(ApiError::new(reason, format!("no {}", key.secret()))));
                });
                let mut text = String::new();
                (&*file).rewind().and_then(|()| (&*file).read_to_string(&mut text)).expect("a log is text");
                text
            };
            assert_eq!(logged_at(Level::INFO), "", "{reason:?}");
            let logged = logged_at(Level::DEBUG);
            assert!(logged.contains("call refused") && logged.contains(&*key.id.to_string()), "{logged}");
            assert!(!logged.contains(&key.secret()[17..25]), "a client may send its key in a wrong field: {logged}");
        }
    }
}
