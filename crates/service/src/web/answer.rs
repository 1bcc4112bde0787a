//! Answers to browsers: values in JSON, and errors with the reasons and messages of the API and a status of HTTP.

use ahu_host::RecordError;
use ahu_host::api::ApiError;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::metrics::Route;
use crate::status;

/// The result of a handler of the page.
pub(super) type Answer = Result<Response, Failure>;

/// Returns a value as JSON.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our types have no keys but texts")
}

/// Answers with a value as JSON.
#[expect(clippy::unnecessary_wraps, reason = "it ends handlers, which return an Answer")]
pub(super) fn json(value: &impl Serialize) -> Answer {
    Ok(typed("application/json", text(value)))
}

/// An error for a browser.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    reason: String,
    message: String,
}

impl Failure {
    /// Creates the error of a request with a wrong field.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, reason: "BAD_FIELD".to_owned(), message: message.into() }
    }

    /// Creates the error of a request for something that the server does not have.
    pub(super) fn missing(message: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, ..Self::bad(message) }
    }

    /// Returns the error as it stands in answers and in streams.
    pub(super) fn body(&self) -> String {
        serde_json::json!({"error": {"reason": self.reason, "message": self.message}}).to_string()
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let http = match status.code() {
            Code::InvalidArgument | Code::OutOfRange => StatusCode::BAD_REQUEST,
            Code::Unauthenticated => StatusCode::UNAUTHORIZED,
            Code::PermissionDenied => StatusCode::FORBIDDEN,
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::AlreadyExists | Code::Aborted | Code::FailedPrecondition => StatusCode::CONFLICT,
            Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
            Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let reason = status.get_details_error_info().map_or_else(|| "UNSPECIFIED".to_owned(), |info| info.reason);
        let http = if reason == "REQUEST_TOO_LARGE" { StatusCode::PAYLOAD_TOO_LARGE } else { http };
        Self { status: http, reason, message: status.message().to_owned() }
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        status::of(error).into()
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let (status, reason) = (StatusCode::UNPROCESSABLE_ENTITY, "BAD_RECORD".to_owned());
        Self { status, reason, message: error.to_string() }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, typed("application/json", self.body())).into_response()
    }
}

/// Returns the answer to a browser whose call is refused before it reaches a handler.
pub(crate) fn refusal(error: impl Into<Failure>) -> Response {
    let mut answer = error.into().into_response();
    answer.extensions_mut().insert(Route("refused".to_owned()));
    answer
}

/// Returns an answer whose content has this type.
pub(super) fn typed(content_type: &'static str, content: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], content).into_response()
}

/// Returns an answer in plain text.
pub(super) fn plain(status: StatusCode, message: String) -> Response {
    (status, typed("text/plain; charset=utf-8", message + "\n")).into_response()
}
