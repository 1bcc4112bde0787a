//! Answers in JSON.

use axum::response::Response;
use serde::Serialize;

use super::failure::{Failure, typed};

/// The result of a handler.
pub(super) type Answer = Result<Response, Failure>;

/// Returns a value as JSON.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our types have no keys but texts")
}

/// Returns a value as the answer.
#[expect(clippy::unnecessary_wraps, reason = "it ends handlers, which return an Answer")]
pub(super) fn json(value: &impl Serialize) -> Answer {
    Ok(typed("application/json", text(value)))
}
