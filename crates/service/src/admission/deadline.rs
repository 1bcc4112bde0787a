//! The deadlines of clients. A call that misses its deadline is answered with `DEADLINE_EXCEEDED`, as gRPC asks.
//!
//! tonic ends such calls too, around all layers of a server, but with CANCELLED. So the deadline is noted before tonic begins its
//! own timer, and ends the call first. A stream that has begun is ended by its client.

use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Response;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::Request;

/// The deadline of a call, as an extension of its request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Instant);

impl Deadline {
    /// Returns an answer; an error if the deadline passes before.
    pub(super) async fn hold(self, answer: impl Future<Output = Response>) -> Response {
        let late = |_| Status::deadline_exceeded("the deadline of the call passed before its answer").into_http();
        timeout_at(self.0, answer).await.unwrap_or_else(late)
    }

    /// Returns the deadline of a call that arrives now: up to eight digits, and a unit.
    fn of(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get("grpc-timeout")?.to_str().ok()?;
        let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let count = digits.parse::<u32>().ok().filter(|_| digits.len() <= 8)?;
        let time = match unit {
            "H" => Duration::from_secs(3600) * count,
            "M" => Duration::from_secs(60) * count,
            "S" => Duration::from_secs(1) * count,
            "m" => Duration::from_millis(1) * count,
            "u" => Duration::from_micros(1) * count,
            "n" => Duration::from_nanos(1) * count,
            _ => return None,
        };
        Instant::now().checked_add(time).map(Self)
    }
}

/// The routes of a server, which note the deadline of each call when it arrives.
#[derive(Clone, Debug)]
pub(crate) struct WithDeadlines(pub(crate) Router);

impl Service<Request<Body>> for WithDeadlines {
    type Response = Response;
    type Error = <Router as Service<Request<Body>>>::Error;
    type Future = <Router as Service<Request<Body>>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<Request<Body>>::poll_ready(&mut self.0, context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if let Some(deadline) = Deadline::of(request.headers()) {
            request.extensions_mut().insert(deadline);
        }
        self.0.call(request)
    }
}
