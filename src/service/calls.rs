//! The layer around all handlers: it finds the caller of each call, counts the call against the shares of its peer, lets it wait
//! if it comes too early, and notes its time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};

use super::connections::{CallOnConnection, ConnectionInfo};
use super::error;
use super::limits::{self, Rate, Share};
use super::metrics::Metrics;
use super::peers::{Caller, Lease, Peers};
use super::web;
use ahu_engine::host::api::ApiError;

/// The layer.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    pub(super) peers: Peers,
    pub(super) metrics: Metrics,
}

/// A handler within the layer.
#[derive(Clone, Debug)]
pub(super) struct Counted<S> {
    handler: S,
    calls: Calls,
}

/// A call in progress.
struct Call {
    /// The time that the call has to wait before its handler begins.
    wait: Duration,
    _connection: Option<CallOnConnection>,
    _share: Lease,
}

impl<S> Layer<S> for Calls {
    type Service = Counted<S>;

    fn layer(&self, handler: S) -> Counted<S> {
        Counted { handler, calls: self.clone() }
    }
}

impl Calls {
    /// Admits a call within the shares of its peer, and tells its handler who calls.
    fn admit(&self, request: &mut Request<Body>) -> Result<Call, ApiError> {
        let Some(info) = request.extensions().get::<ConnectionInfo>().cloned() else {
            return Ok(Call { wait: Duration::ZERO, _connection: None, _share: Lease::default() });
        };
        let connection = info.begin_call();
        let peer = self.peers.caller(info.address, request.headers());
        if info.is_excess {
            return Err(self.peers.over_connections(peer));
        }
        let share = self.peers.lease(peer, &[(Share::Calls, 1)])?;
        request.extensions_mut().insert(Caller::new(self.peers.clone(), peer));
        let wait = self.peers.pace(peer, Rate::Calls, 1);
        Ok(Call { wait, _connection: Some(connection), _share: share })
    }
}

impl<S> Service<Request<Body>> for Counted<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.handler.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let arrived = Instant::now();
        let metrics = self.calls.metrics.clone();
        let path = request.uri().path().to_owned();
        let call = match self.calls.admit(&mut request) {
            Ok(call) => call,
            Err(error) => {
                let answer = match web::is_of_browser(request.version(), request.headers()) {
                    true => web::refusal(error),
                    false => error::status(error).into_http(),
                };
                metrics.call_ended(&path, &answer, arrived.elapsed());
                return Box::pin(async move { Ok(answer) });
            }
        };
        // The handler that is ready, which `poll_ready` has asked.
        let next = self.handler.clone();
        let mut handler = std::mem::replace(&mut self.handler, next);
        Box::pin(async move {
            if !call.wait.is_zero() {
                metrics.delayed(Rate::Calls);
                tokio::time::sleep(call.wait).await;
            }
            let answer = with_reason(handler.call(request).await?);
            metrics.call_ended(&path, &answer, arrived.elapsed());
            // The call ends with its body, also if the client is gone.
            Ok(answer.map(|body| {
                Body::new(body.map_frame(move |frame| {
                    let _held = &call;
                    frame
                }))
            }))
        })
    }
}

/// Returns an answer with the reason of its error, also where the request did not reach a handler.
fn with_reason(answer: Response<Body>) -> Response<Body> {
    match answer.extensions().get::<Status>() {
        Some(status) if status.details().is_empty() => {
            error::of_transport(status.clone(), limits::MAX_REQUEST_BYTES).into_http()
        }
        _ => answer,
    }
}
