//! Connections: accepted within the shares of their addresses, read at their rates, and closed when they are silent.
//!
//! HTTP/2 alone closes too few connections: it never pings a client that never begins, and it cannot tell a client that never
//! reads about the end. So each connection has a timer of its own, beside the pings of
//! [`KEEPALIVE`](crate::service::limits::KEEPALIVE). A browser speaks HTTP/1.1, which has no pings. While the server sends a
//! browser an answer, the browser counts as heard for as long as it reads. A stream has a heartbeat, so the server notices that
//! a browser is gone within the time that its system needs.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, Sleep};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use super::frames::FrameCounter;
use super::limiter::{ConnectionPermit, Ledger, Limiter, Principal, Throttle};
use super::proxies::TrustedProxies;
use crate::service::limits::{EXCESS_TIME, HANDSHAKE_BYTES, Limits, PACED_READ_BYTES, Rate};
use crate::service::lock;
use crate::service::metrics::Metrics;

/// An accepted connection. A read fails once the client has been silent for too long.
pub(crate) struct Connection<S> {
    stream: S,
    info: ConnectionInfo,
    _place: ConnectionPermit,
    limits: Limits,
    opened: Instant,
    /// The number of bytes that the client has sent.
    received: u64,
    /// The time at which the client last sent something.
    heard: Instant,
    /// The timer for the next look at the deadline.
    timer: Pin<Box<Sleep>>,
    /// True once the time to close the connection has come.
    is_closing: bool,
    frames: FrameCounter,
    frame_throttle: Throttle,
    /// A pause in which the connection is not read, because it was opened too early or sent too many frames.
    pause: Option<Pin<Box<Sleep>>>,
    /// True if the last frames came too early. Then the next read is a small one.
    is_paced: bool,
    metrics: Metrics,
}

/// The part of a connection that its calls know.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionInfo {
    /// The ledger of the address of the client.
    pub(super) ledger: Ledger,
    /// True if the client is a trusted proxy, which forwards the calls of others.
    pub(super) is_proxy: bool,
    /// The reason to refuse all calls of the connection; None to admit them.
    pub(super) refusal: Option<Refusal>,
    activity: Arc<Mutex<Activity>>,
}

/// The reason to refuse all calls of a connection, which is served for a moment so that its calls learn the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The connection is beyond the share of its address.
    Excess,
    /// The connection is plain text, and the port is for TLS.
    Plain,
}

/// A connection that is admitted, and whose stream may still begin TLS.
pub(crate) struct Admitted {
    address: Option<IpAddr>,
    ledger: Ledger,
    is_proxy: bool,
    place: ConnectionPermit,
    opened: Instant,
    /// The time for which the connection is not read, because it was opened too early.
    wait: Duration,
}

/// The calls of a connection, and its answers under way.
#[derive(Debug)]
struct Activity {
    /// True once a call has begun.
    has_called: bool,
    in_progress: usize,
    /// The end of the last call; the start of the connection before the first call.
    last_end: Instant,
    /// The number of answers that the client has not taken in.
    unread: usize,
    /// The time at which the client last took in a part of an answer, or at which the first unread answer was ready; None
    /// without unread answers.
    unread_since: Option<Instant>,
}

/// An answer that its client has not taken in. The drop of this value means that it has.
#[derive(Debug)]
pub(super) struct UnreadAnswer(Arc<Mutex<Activity>>);

/// A call in progress on a connection. It ends when this value is dropped.
#[derive(Debug)]
pub(super) struct CallOnConnection(Arc<Mutex<Activity>>);

impl ConnectionInfo {
    pub(super) fn begin_call(&self) -> CallOnConnection {
        let mut activity = lock(&self.activity);
        activity.has_called = true;
        activity.in_progress += 1;
        CallOnConnection(Arc::clone(&self.activity))
    }

    /// Begins to send an answer.
    pub(super) fn begin_answer(&self) -> UnreadAnswer {
        let mut activity = lock(&self.activity);
        activity.unread += 1;
        activity.unread_since.get_or_insert_with(Instant::now);
        UnreadAnswer(Arc::clone(&self.activity))
    }
}

impl UnreadAnswer {
    /// Notes that the client has taken in a part of the answer.
    pub(super) fn note_progress(&self) {
        lock(&self.0).unread_since = Some(Instant::now());
    }
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        let mut activity = lock(&self.0);
        activity.unread -= 1;
        activity.unread_since = (activity.unread > 0).then(Instant::now);
    }
}

impl Drop for CallOnConnection {
    fn drop(&mut self) {
        let mut activity = lock(&self.0);
        activity.last_end = Instant::now();
        activity.in_progress -= 1;
    }
}

/// A stream that a listener accepts.
pub(crate) trait Accepted: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Returns the address of the client; None for a Unix socket.
    fn address(&self) -> Option<IpAddr>;
}

impl Accepted for TcpStream {
    fn address(&self) -> Option<IpAddr> {
        // A client that has gone again has no address; reading from it fails at once.
        self.peer_addr().ok().map(|address| address.ip())
    }
}

impl Accepted for UnixStream {
    fn address(&self) -> Option<IpAddr> {
        None
    }
}

/// The first byte of a client that begins TLS: the type of a record with a handshake (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 22;

/// The stream of a client on a port for TLS.
pub(crate) enum SecureStream {
    Tls(Box<TlsStream<TcpStream>>),
    /// A client that does not begin TLS.
    Plain(TcpStream),
}

impl AsyncRead for SecureStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tls(stream) => Pin::new(stream).poll_read(context, to),
            Self::Plain(stream) => Pin::new(stream).poll_read(context, to),
        }
    }
}

impl AsyncWrite for SecureStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(context, bytes),
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, bytes),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

/// The reason to close a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// The client has not begun HTTP in time.
    Handshake,
    /// The client sends nothing, not even answers to pings.
    Silent,
    /// The client makes no call.
    Idle,
    /// The client takes in none of its answers.
    Unread,
    /// All calls of the connection are refused.
    Excess,
    /// The client and the server did not agree on TLS.
    Tls,
}

impl Closing {
    /// Returns the name in metrics and logs.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::Silent => "silent",
            Self::Idle => "idle",
            Self::Unread => "unread",
            Self::Excess => "excess",
            Self::Tls => "tls",
        }
    }
}

impl Admitted {
    /// Admits a connection of this address; None is a Unix socket. Returns None if the connection is closed at once, because its
    /// address or the server has too many.
    pub(crate) fn at(
        address: Option<IpAddr>,
        limiter: &Limiter,
        proxies: &TrustedProxies,
        metrics: &Metrics,
    ) -> Option<Self> {
        let (ledger, is_proxy) = (limiter.ledger(Principal::at(address)), proxies.has(address));
        let counted = (!is_proxy).then_some(&ledger);
        let place = limiter.connect(counted).inspect_err(|reason| {
            tracing::debug!(?address, reason, "a connection is closed");
            metrics.connection_closed(Closing::Excess.name());
        });
        let place = place.ok()?;
        let wait = counted.map_or(Duration::ZERO, |ledger| ledger.pace(Rate::Connections, 1));
        Some(Self { address, ledger, is_proxy, place, opened: Instant::now(), wait })
    }

    /// Begins TLS on a stream. A client that sends plain text gets a connection that refuses its calls. Returns None if the
    /// client has gone, or does not agree on TLS in time.
    pub(crate) async fn secure(
        mut self,
        stream: TcpStream,
        acceptor: TlsAcceptor,
        limits: &Limits,
        metrics: &Metrics,
    ) -> Option<Connection<SecureStream>> {
        let wait = std::mem::take(&mut self.wait);
        if !wait.is_zero() {
            metrics.delayed(Rate::Connections);
            tokio::time::sleep(wait).await;
        }
        let handshake = async {
            let mut first = [0];
            match stream.peek(&mut first).await? {
                0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                _ if first == [TLS_HANDSHAKE] => Ok(SecureStream::Tls(Box::new(acceptor.accept(stream).await?))),
                _ => Ok(SecureStream::Plain(stream)),
            }
        };
        let failed = match tokio::time::timeout_at(self.opened + limits.handshake, handshake).await {
            Ok(Ok(stream)) => {
                let is_plain = matches!(stream, SecureStream::Plain(_));
                return Some(Connection::over(stream, self, is_plain, limits, metrics));
            }
            Ok(Err(error)) => {
                tracing::debug!(address = ?self.address, %error, "a client does not agree on TLS");
                Closing::Tls
            }
            Err(_) => Closing::Handshake,
        };
        metrics.connection_closed(failed.name());
        None
    }
}

impl<S: Accepted> Connection<S> {
    /// Admits an accepted stream. Returns None if the connection is closed at once: see [`Admitted::at`].
    pub(crate) fn admit(stream: S, limiter: &Limiter, proxies: &TrustedProxies, metrics: &Metrics) -> Option<Self> {
        let admitted = Admitted::at(stream.address(), limiter, proxies, metrics)?;
        Some(Self::over(stream, admitted, false, limiter.limits(), metrics))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Returns an admitted connection over this stream. If the stream is plain text where TLS is expected, all calls are
    /// refused.
    fn over(stream: S, admitted: Admitted, is_plain: bool, limits: &Limits, metrics: &Metrics) -> Self {
        let Admitted { ledger, is_proxy, place, opened, wait, .. } = admitted;
        let activity = Activity { has_called: false, in_progress: 0, last_end: opened, unread: 0, unread_since: None };
        let excess = place.excess.is_some().then_some(Refusal::Excess);
        let mut connection = Self {
            stream,
            info: ConnectionInfo {
                ledger,
                is_proxy,
                refusal: excess.or(is_plain.then_some(Refusal::Plain)),
                activity: Arc::new(Mutex::new(activity)),
            },
            _place: place,
            limits: *limits,
            opened,
            received: 0,
            heard: opened,
            timer: Box::pin(tokio::time::sleep(limits.handshake.min(EXCESS_TIME))),
            is_closing: false,
            frames: FrameCounter::default(),
            frame_throttle: Throttle::default(),
            pause: None,
            is_paced: false,
            metrics: metrics.clone(),
        };
        connection.pause(Rate::Connections, wait);
        connection
    }

    /// Stops reads for this time; a wait of zero ends the slow reads.
    fn pause(&mut self, rate: Rate, wait: Duration) {
        self.is_paced = !wait.is_zero();
        if self.is_paced {
            self.metrics.delayed(rate);
            self.pause = Some(Box::pin(tokio::time::sleep(wait)));
        }
    }

    /// Reads bytes from the client, unless the connection pauses.
    fn poll_bytes(&mut self, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        let before = to.filled().len();
        if self.is_paced {
            let mut few = [0; PACED_READ_BYTES];
            let mut few = ReadBuf::new(&mut few[..PACED_READ_BYTES.min(to.remaining())]);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut few))?;
            to.put_slice(few.filled());
        } else {
            ready!(Pin::new(&mut self.stream).poll_read(context, to))?;
        }
        let bytes = &to.filled()[before..];
        self.received += bytes.len() as u64;
        self.heard = Instant::now();
        let cost = self.frames.cost(bytes);
        if cost > 0 && !self.info.is_proxy {
            let wait = self.info.ledger.pace_frames(&mut self.frame_throttle, cost);
            self.pause(Rate::Frames, wait);
        }
        Poll::Ready(Ok(()))
    }

    /// Returns the time at which to close the connection unless something happens, and the reason.
    fn deadline(&self) -> (Instant, Closing) {
        if self.info.refusal.is_some() {
            return (self.opened + EXCESS_TIME, Closing::Excess);
        }
        let activity = lock(&self.info.activity);
        let has_begun = match self.frames.is_http1() {
            true => activity.has_called,
            false => self.received >= HANDSHAKE_BYTES,
        };
        if !has_begun {
            return (self.opened + self.limits.handshake, Closing::Handshake);
        }
        let silent = (self.heard + self.limits.connection_silence, Closing::Silent);
        // A proxy carries the answers of many clients, of which one may not read.
        let unread = activity.unread_since.filter(|_| !self.info.is_proxy);
        let unread = unread.map(|since| (since + self.limits.connection_silence, Closing::Unread));
        let silent = unread.filter(|unread| unread.0 < silent.0).unwrap_or(silent);
        if activity.in_progress > 0 {
            return silent;
        }
        let idle = (activity.last_end + self.limits.connection_idle, Closing::Idle);
        if idle.0 < silent.0 { idle } else { silent }
    }

    /// Waits for the time at which to close the connection.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<Closing> {
        loop {
            let (deadline, closing) = self.deadline();
            if deadline <= Instant::now() {
                if !std::mem::replace(&mut self.is_closing, true) {
                    tracing::debug!(address = ?self.info.ledger, reason = closing.name(), "a connection is closed");
                    self.metrics.connection_closed(closing.name());
                }
                return Poll::Ready(closing);
            }
            // A deadline that has moved back is noticed when the timer fires.
            if self.timer.deadline() > deadline || self.timer.is_elapsed() {
                self.timer.as_mut().reset(deadline);
            }
            ready!(self.timer.as_mut().poll(context));
        }
    }

    /// Writes with this function. A client that does not read cannot hold the connection open beyond its deadline, since
    /// HTTP/2 does not read while it has to write.
    fn write<T>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let connection = self.get_mut();
        if let Poll::Ready(written) = write(Pin::new(&mut connection.stream), context) {
            return Poll::Ready(written);
        }
        let closing = ready!(connection.poll_deadline(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, closing.name())))
    }
}

impl<S> Connected for Connection<S> {
    type ConnectInfo = ConnectionInfo;

    fn connect_info(&self) -> ConnectionInfo {
        self.info.clone()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Connection<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        if let Poll::Ready(read) = connection.poll_bytes(context, to) {
            return Poll::Ready(read);
        }
        match ready!(connection.poll_deadline(context)) {
            // The end of the input: answers that are ready are still sent to their end.
            Closing::Idle => Poll::Ready(Ok(())),
            closing => Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, closing.name()))),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    /// Writes bytes. A browser that reads them counts as heard.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = ready!(self.as_mut().write(context, |stream, context| stream.poll_write_vectored(context, bytes)));
        if self.frames.is_http1() && sent.as_ref().is_ok_and(|&bytes| bytes > 0) {
            self.heard = Instant::now();
        }
        Poll::Ready(sent)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(context, AsyncWrite::poll_flush)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write(context, AsyncWrite::poll_shutdown)
    }
}
