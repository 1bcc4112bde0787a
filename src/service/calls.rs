//! The layer around all handlers: it finds the caller of each call, counts the call against the shares of its peer, lets it wait
//! if it comes too early, and notes its time.
//!
//! A player pays with its clock for its own time alone. So an answer has arrived once its body is there, whatever it waits for
//! afterwards; and calls with the token of a seat wait for the rate of that seat, which the neighbours at its address do not
//! use up. What a seat itself calls too often is charged to it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::{Extensions, Status};
use tower::{Layer, Service};

use super::connections::{CallOnConnection, ConnectionInfo};
use super::error;
use super::limits::{self, BODY_TIME, MAX_REQUEST_BYTES, Rate, Share};
use super::matches::{Clock, Matches, SeatPaces, token_in};
use super::metrics::Metrics;
use super::peers::{Caller, Lease, Peers};
use super::web;
use crate::proto::v1::ErrorReason;
use ahu_engine::host::MatchTime;
use ahu_engine::host::api::ApiError;

/// The layer.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    peers: Peers,
    seats: SeatPaces,
    clock: Clock,
    metrics: Metrics,
}

/// The calls whose time of arrival is charged to the clock of a seat.
const TIMED: [&str; 2] = ["/ahu.v1.MatchService/Step", "/ahu.v1.MatchService/ResignSeat"];

/// The bytes before a message in a body of gRPC: a sign of compression, and the length.
const MESSAGE_HEAD: usize = 5;

/// The time at which the last byte of an answer was there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived(MatchTime);

impl Arrived {
    /// Returns the time of arrival of a request; `now` for one within the process.
    pub(super) fn of(extensions: &Extensions, now: MatchTime) -> MatchTime {
        extensions.get().map_or(now, |&Self(arrived)| arrived)
    }
}

/// A handler within the layer.
#[derive(Clone, Debug)]
pub(super) struct Counted<S> {
    handler: S,
    calls: Calls,
}

/// A call in progress.
struct Call {
    wait: Wait,
    _connection: Option<CallOnConnection>,
    _share: Lease,
}

/// The time that a call has to wait before its handler begins.
#[derive(Clone, Copy, Debug)]
enum Wait {
    /// For the rate of its seat.
    Seat(Duration),
    /// For the rate of its address.
    Address(Duration),
}

impl Wait {
    fn time(self) -> Duration {
        let (Self::Seat(time) | Self::Address(time)) = self;
        time
    }
}

impl<S> Layer<S> for Calls {
    type Service = Counted<S>;

    fn layer(&self, handler: S) -> Counted<S> {
        Counted { handler, calls: self.clone() }
    }
}

impl Calls {
    /// Returns the layer around the handlers of these matches.
    pub(super) fn of(matches: &Matches) -> Self {
        Self {
            peers: matches.peers().clone(),
            seats: matches.seat_paces().clone(),
            clock: matches.clock().clone(),
            metrics: matches.metrics().clone(),
        }
    }

    /// Lets a call wait. For an answer, collects its body before, and notes the time of its arrival.
    async fn pace(&self, request: Request<Body>, wait: Wait, is_timed: bool) -> Result<Request<Body>, Status> {
        let pause = async {
            // The shortest sleep takes a millisecond.
            if !wait.time().is_zero() {
                self.metrics.delayed(Rate::Calls);
                tokio::time::sleep(wait.time()).await;
            }
        };
        if !is_timed {
            pause.await;
            return Ok(request);
        }
        let mut request = collected(request).await?;
        let arrived = match wait {
            Wait::Seat(_) => {
                pause.await;
                self.clock.now()
            }
            Wait::Address(_) => {
                let arrived = self.clock.now();
                pause.await;
                arrived
            }
        };
        request.extensions_mut().insert(Arrived(arrived));
        Ok(request)
    }

    /// Admits a call within the shares of its peer, and tells its handler who calls.
    fn admit(&self, request: &mut Request<Body>) -> Result<Call, ApiError> {
        let Some(info) = request.extensions().get::<ConnectionInfo>().cloned() else {
            return Ok(Call { wait: Wait::Address(Duration::ZERO), _connection: None, _share: Lease::default() });
        };
        let connection = info.begin_call();
        let peer = self.peers.caller(info.address, request.headers());
        if info.is_excess {
            return Err(self.peers.over_connections(peer));
        }
        let share = self.peers.lease(peer, &[(Share::Calls, 1)])?;
        request.extensions_mut().insert(Caller::new(self.peers.clone(), peer));
        let of_seat = token_in(request.headers()).and_then(|token| self.peers.pace_seat(peer, &self.seats, token));
        let wait = of_seat.map_or_else(|| Wait::Address(self.peers.pace(peer, Rate::Calls, 1)), Wait::Seat);
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
        let calls = self.calls.clone();
        let metrics = calls.metrics.clone();
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
            let request = match calls.pace(request, call.wait, TIMED.contains(&path.as_str())).await {
                Ok(request) => request,
                Err(status) => {
                    let answer = status.into_http();
                    metrics.call_ended(&path, &answer, arrived.elapsed());
                    return Ok(answer);
                }
            };
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

/// Returns a request whose body is there: at most that of the largest message, in a bounded time.
async fn collected(request: Request<Body>) -> Result<Request<Body>, Status> {
    let (head, body) = request.into_parts();
    let whole = Limited::new(body, MAX_REQUEST_BYTES + MESSAGE_HEAD).collect();
    let whole = tokio::time::timeout(BODY_TIME, whole).await.map_err(|_| {
        let message = format!("expected the bytes of a message within {} s of the headers", BODY_TIME.as_secs());
        error::status(ApiError::new(ErrorReason::UndecodableRequest, message))
    })?;
    let whole = whole.map_err(|error| match error.is::<LengthLimitError>() {
        true => error::of_transport(Status::out_of_range("the body is longer"), MAX_REQUEST_BYTES),
        false => Status::cancelled(format!("the request was cut off: {error}")),
    })?;
    Ok(Request::from_parts(head, Body::new(Full::new(whole.to_bytes()))))
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
