//! Answers in JSON.

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::failure::Failure;

/// The result of a handler.
pub(super) type Answer = Result<Response, Failure>;

/// Returns a value as the answer.
#[expect(clippy::unnecessary_wraps, reason = "it ends handlers, which return an Answer")]
pub(super) fn json(value: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(value).expect("our types have no keys but texts");
    Ok(([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response())
}
