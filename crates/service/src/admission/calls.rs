//! The layer around all handlers. It finds the caller of each call and the principal that pays, makes the call wait for its
//! turn and its room, notes its time, and counts its answer until the answer is sent.
//!
//! A player's clock is charged only for the player's own time. So an answer of a player has arrived once its body is complete,
//! whatever the call waits for afterwards. The calls of a seat wait for the rate of that seat, which neighbours at its address
//! do not use up. The clock of a seat that calls too often does run while its calls wait.

use std::sync::Arc;

use ahu_host::MatchTime;
use ahu_host::api::ApiError;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody};
use tokio::time::{Instant, timeout_at};
use tonic::{Extensions, Status};

use super::connections::{CallOnConnection, ConnectionInfo, Refusal, UnreadAnswer};
use super::costs::{self, Cost, Kind};
use super::credentials::Checked;
use super::deadline::Deadline;
use super::limiter::{Lease, Ledger, Payment, Principal, Room};
use crate::accounts::Client;
use crate::limits::{BODY_TIME, FREE_BODY, HELD_FROM, MAX_REQUEST_BYTES, MAX_WEB_BODY, Rate, Share};
use crate::proto::v1::ErrorReason;
use crate::secrets::TokenHash;
use crate::server::Server;
use crate::store::Lease as HeldLease;
use crate::{refusals, status, web};

/// The time at which the last byte of an answer arrived, as an extension of its request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived(pub(crate) MatchTime);

impl Arrived {
    /// Returns the time of arrival of a request; `now` for a request within the process.
    pub(crate) fn of(extensions: &Extensions, now: MatchTime) -> MatchTime {
        extensions.get().map_or(now, |&Self(arrived)| arrived)
    }
}

/// The bytes of an answer that HTTP/2 gets at once: as many as a frame has.
const PART_BYTES: usize = 16 * 1024;

/// The bytes before a message in a body of gRPC: a sign of compression, and the length.
const MESSAGE_HEAD: usize = 5;

/// A call in progress.
struct Call {
    cost: Cost,
    payment: Payment,
    /// True if a seat pays, and not an address.
    is_of_seat: bool,
    client: Client,
    /// The token of a seat on which alone the call depends, before any match has seen it.
    unproved: Option<TokenHash>,
    connection: ConnectionInfo,
    _on_connection: CallOnConnection,
    _share: Lease,
}

/// An answer that is not sent yet. It holds its call and its room.
struct Unsent {
    _call: Call,
    _room: Room,
    unread: UnreadAnswer,
}

/// A part of the bytes of an answer.
struct Part {
    bytes: Bytes,
    answer: Arc<Unsent>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.answer.unread.note_progress();
    }
}

impl Server {
    /// Returns the ledger of the address from which a call comes.
    fn caller(&self, info: &ConnectionInfo, request: &Request) -> Ledger {
        match info.is_proxy {
            true => self.matches.limiter().ledger(Principal::behind_proxy(self.proxies.forwarded(request.headers()))),
            false => info.ledger.clone(),
        }
    }

    /// Admits a call with the credentials that it needs, within the shares of its account or its address, and tells its handler
    /// who calls. A call with wrong credentials takes its turn at the rate of its address before it is refused.
    async fn admit(&self, request: &mut Request, is_browser: bool) -> Result<Call, ApiError> {
        let mut cost = costs::of_path(request.uri().path());
        cost.units += costs::of_headers(request.headers());
        // The listener adds it to each request of a connection.
        let connection = request.extensions().get::<ConnectionInfo>().cloned().ok_or_else(refusals::failed)?;
        let begun = connection.begin_call();
        let caller = self.caller(&connection, request);
        match connection.refusal {
            Some(Refusal::Excess) => return Err(caller.over_connections()),
            Some(Refusal::Plain) => return Err(refusals::tls_expected()),
            None => {}
        }
        let checked = self.check_credentials(request.uri().path(), request.headers(), is_browser, caller.principal());
        let Checked { client, unproved } = match checked {
            Ok(checked) => checked,
            Err(error) => {
                let _share = caller.lease(&[(Share::Calls, 1)])?;
                caller
                    .turn(cost.units, caller.rates()[Rate::Calls], || self.matches.metrics().delayed(Rate::Calls))
                    .await;
                return Err(error);
            }
        };
        let caller = client.account().map_or(caller, |account| self.matches.limiter().ledger_of_account(&account));
        let share = caller.lease(&[(Share::Calls, 1)])?;
        let token =
            matches!(cost.kind, Kind::Timed | Kind::OfSeat).then(|| TokenHash::in_headers(request.headers())).flatten();
        let seat = token.and_then(|token| self.matches.limiter().find(Principal::Seat(token.0)));
        let (is_of_seat, rate) = (seat.is_some(), caller.rates()[Rate::Calls]);
        let payment = Payment::new(seat.unwrap_or_else(|| caller.clone()), rate);
        let client = client.with_ledger(caller);
        request.extensions_mut().insert(payment.clone());
        request.extensions_mut().insert(client.clone());
        Ok(Call { cost, payment, is_of_seat, client, unproved, connection, _on_connection: begun, _share: share })
    }

    /// Waits for the body, the turn, and the room of a call. Notes the time at which the answer of a player arrived.
    async fn prepare(&self, request: Request, call: &Call) -> Result<Request, Status> {
        let mut request = match call.cost.has_message {
            true => collected(request, call).await?,
            false => request,
        };
        let mut arrived = self.matches.now();
        let Call { payment, is_of_seat, .. } = call;
        let is_packed = request.headers().get("grpc-encoding").is_some_and(|encoding| encoding != "identity");
        let units = call.cost.units + if is_packed { costs::COMPRESSED } else { 0 };
        payment.turn(units, || self.matches.metrics().delayed(Rate::Calls)).await;
        let room = match call.cost.has_message {
            true => call.cost.kind.room(),
            false => call.cost.kind.room().max(upload(&request)),
        };
        payment.ensure(room).await;
        if *is_of_seat {
            arrived = self.matches.now();
        }
        if call.cost.kind == Kind::Timed {
            request.extensions_mut().insert(Arrived(arrived));
        }
        match call.cost.kind {
            Kind::Duplex => Ok(paced(request, call)),
            _ => Ok(request),
        }
    }

    /// Answers a call with this handler, or refuses it.
    async fn answer_call(self: &Arc<Self>, mut request: Request, handler: Next) -> Response {
        let is_browser = web::is_of_browser(request.version(), request.headers());
        let refusal = move |error| refused(error, is_browser);
        if !self.may_answer() && !is_of_health(request.uri().path()) {
            return not_working(is_browser);
        }
        let call = match self.admit(&mut request, is_browser).await {
            Ok(call) => call,
            Err(error) => return refusal(error),
        };
        let prepared = tokio::select! {
            biased;
            // A client may hold back the body of a call until the key has ended.
            error = call.client.ended() => return refusal(error),
            prepared = self.prepare(request, &call) => prepared,
        };
        let request = match prepared {
            Ok(request) => request,
            Err(status) if is_browser => return web::refusal(status),
            Err(status) => return status.into_http(),
        };
        if let Some(refusal) = web::refused_protocol(request.uri().path(), request.headers()) {
            return refusal;
        }
        let kind = call.cost.kind;
        let server = Arc::clone(self);
        let work = async move {
            let answer = tokio::select! {
                biased;
                answer = handler.run(request) => with_reason(answer),
                error = call.client.ended() => refusal(error),
            };
            let answer = server.proved(answer, call.unproved);
            match kind.is_stream() {
                true => held_to_its_end(until_key_ends(answer, call.client.clone(), is_browser), call),
                false => whole(answer, call).await,
            }
        };
        match kind == Kind::Background {
            true => self.matches.background.work(work).await.unwrap_or_else(|| refusal(refusals::failed())),
            false => work.await,
        }
    }
}

/// Returns the bytes of the body that a browser announces; the most that it may send if it announces none.
fn upload(request: &Request) -> usize {
    if !web::is_of_browser(request.version(), request.headers()) || request.body().is_end_stream() {
        return 0;
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    length.unwrap_or(MAX_WEB_BODY).min(MAX_WEB_BODY)
}

/// Returns a request whose stream of messages is read at the rate of its principal. The bytes of the stream cost as much as
/// the smallest messages that they may contain.
fn paced(request: Request, call: &Call) -> Request {
    let payment = call.payment.clone();
    request.map(|body| {
        let frames = futures_util::stream::unfold((body, payment), async |(mut body, payment)| {
            let frame = body.frame().await?;
            let bytes = frame.as_ref().ok().and_then(|frame| frame.data_ref()).map_or(0, Bytes::len);
            payment.turn(costs::of_messages(bytes), || ()).await;
            Some((frame, (body, payment)))
        });
        Body::new(StreamBody::new(frames))
    })
}

/// Answers a call: the function of the layer.
pub(crate) async fn serve(State(server): State<Arc<Server>>, request: Request, handler: Next) -> Response {
    let arrived = Instant::now();
    let path = request.uri().path().to_owned();
    let deadline = request.extensions().get::<Deadline>().copied();
    let is_browser = web::is_of_browser(request.version(), request.headers());
    let answer = server.answer_call(request, handler);
    let answer = async {
        match deadline {
            Some(deadline) => deadline.hold(answer).await,
            None => answer.await,
        }
    };
    let answer = match &server.lease {
        Some(lease) if !is_of_health(&path) => {
            tokio::select! {
                biased;
                answer = answer => while_held(answer, lease.clone(), is_browser),
                // A call may wait for long, and another server works meanwhile.
                () = lease.lost() => not_working(is_browser),
            }
        }
        _ => answer.await,
    };
    server.matches.metrics().call_ended(&path, &answer, arrived.elapsed());
    answer
}

/// Returns an answer whose call ends with its body, even if the client is gone.
fn held_to_its_end(answer: Response, call: Call) -> Response {
    // A stream keeps no room for one answer.
    drop(call.payment.settle(0, 0));
    answer.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held = &call;
            frame
        }))
    })
}

/// Returns a stream that ends with an error once the key behind its call is not valid any more.
fn until_key_ends(answer: Response, client: Client, is_browser: bool) -> Response {
    if !client.may_end() || answer.body().is_end_stream() {
        return answer;
    }
    answer.map(|body| {
        let ended = Box::pin(async move { client.ended().await });
        let frames = futures_util::stream::unfold(Some((body, ended)), move |parts| async move {
            let (mut body, mut ended) = parts?;
            tokio::select! {
                biased;
                error = &mut ended => Some((Ok(last_frame(error, is_browser)), None)),
                frame = body.frame() => Some((frame?, Some((body, ended)))),
            }
        });
        Body::new(StreamBody::new(frames))
    })
}

/// Returns an answer that becomes an error once the lease of the server is not held.
fn while_held(answer: Response, lease: HeldLease, is_browser: bool) -> Response {
    if !lease.is_held() {
        return not_working(is_browser);
    }
    if answer.body().is_end_stream() {
        return answer;
    }
    let is_of_events = answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    let is_packed = answer.headers().contains_key(CONTENT_ENCODING);
    let last = move || match is_browser && (is_packed || !is_of_events) {
        // Nothing in such a body could say it.
        true => Err(axum::Error::new("the server does not work any more")),
        false => Ok(last_frame(refusals::not_working(), is_browser)),
    };
    answer.map(|body| {
        let frames = futures_util::stream::unfold(Some(body), move |body| {
            let lease = lease.clone();
            async move {
                let mut body = body?;
                tokio::select! {
                    biased;
                    frame = body.frame() => {
                        let frame = frame?;
                        Some(if lease.is_held() { (frame, Some(body)) } else { (last(), None) })
                    }
                    () = lease.lost() => Some((last(), None)),
                }
            }
        });
        Body::new(StreamBody::new(frames))
    })
}

/// Returns true if a call asks for the health of the server, which a spare tells too.
fn is_of_health(path: &str) -> bool {
    path.starts_with("/grpc.health.v1.Health/")
}

/// Refuses a call, also in words that a proxy understands: it may then ask another server.
fn not_working(is_browser: bool) -> Response {
    let mut answer = refused(refusals::not_working(), is_browser);
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    answer
}

fn refused(error: ApiError, is_browser: bool) -> Response {
    if is_browser { web::refusal(error) } else { status::of(error).into_http() }
}

/// Returns the frame that ends a stream with an error.
fn last_frame(error: ApiError, is_browser: bool) -> Frame<Bytes> {
    if is_browser {
        return Frame::data(web::last_event(error));
    }
    let mut trailers = HeaderMap::new();
    // The message and the details of our errors are valid values of headers.
    let _ = status::of(error).add_header(&mut trailers);
    Frame::trailers(trailers)
}

/// Returns an answer whose bytes are complete. Its call goes on, and its bytes count as under way, until the last of them is
/// sent.
async fn whole(answer: Response, call: Call) -> Response {
    if answer.body().is_end_stream() {
        return held_to_its_end(answer, call);
    }
    let (head, body) = answer.into_parts();
    let whole = match body.collect().await {
        Ok(whole) => whole,
        // The body of an answer is made by our handlers, which fail before it.
        Err(error) => return Status::from_error(error.into_inner()).into_http(),
    };
    let trailers = whole.trailers().cloned();
    let mut bytes = whole.to_bytes();
    let room = call.payment.settle(costs::of_bytes(bytes.len()), if bytes.len() < HELD_FROM { 0 } else { bytes.len() });
    let unread = call.connection.begin_answer();
    let answer = Arc::new(Unsent { _call: call, _room: room, unread });
    // HTTP/2 drops bytes once they are sent, so a dropped part shows that the client reads.
    let mut frames = Vec::with_capacity(bytes.len() / PART_BYTES + 2);
    while !bytes.is_empty() {
        let part = bytes.split_to(bytes.len().min(PART_BYTES));
        frames.push(Ok(Frame::data(Bytes::from_owner(Part { bytes: part, answer: Arc::clone(&answer) }))));
    }
    frames.extend(trailers.map(|trailers| Ok::<_, Status>(Frame::trailers(trailers))));
    Response::from_parts(head, Body::new(StreamBody::new(futures_util::stream::iter(frames))))
}

/// Returns a request whose body is complete: at most as long as the largest message, within a bounded time. A large body
/// waits for room before more of it is read, and its call keeps the room.
async fn collected(request: Request, call: &Call) -> Result<Request, Status> {
    let (head, mut body) = request.into_parts();
    let late = |_| {
        let message = format!("expected the bytes of a message within {} s of the headers", BODY_TIME.as_secs());
        status::of(ApiError::new(ErrorReason::UndecodableRequest, message))
    };
    let (mut parts, mut length, mut has_room) = (Vec::new(), 0, false);
    let mut until = Instant::now() + BODY_TIME;
    while let Some(frame) = timeout_at(until, body.frame()).await.map_err(late)? {
        let frame = frame.map_err(|error| Status::cancelled(format!("the request was cut off: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length > MAX_REQUEST_BYTES + MESSAGE_HEAD {
            return Err(status::of_transport(Status::out_of_range("the body is longer"), MAX_REQUEST_BYTES));
        }
        parts.push(data);
        if !(has_room || length <= FREE_BODY || body.is_end_stream()) {
            // One room for the body and the answer, since calls that wait for a second one would wait for each other.
            call.payment.reserve(MAX_REQUEST_BYTES.max(call.cost.kind.room())).await;
            has_room = true;
            until = Instant::now() + BODY_TIME;
        }
    }
    if has_room && call.cost.kind.room() == 0 {
        call.payment.fit(length);
    }
    let body = match <[Bytes; 1]>::try_from(parts) {
        Ok([whole]) => whole,
        Err(parts) => parts.concat().into(),
    };
    Ok(Request::from_parts(head, Body::new(Full::new(body))))
}

/// Returns an answer with the reason of its error, even if the request did not reach a handler.
fn with_reason(answer: Response) -> Response {
    match answer.extensions().get::<Status>() {
        Some(status) if status.details().is_empty() => {
            status::of_transport(status.clone(), MAX_REQUEST_BYTES).into_http()
        }
        _ => answer,
    }
}
