//! Connections: accepted within the shares of their addresses (`accepting.rs`), over TLS (`tls.rs`, `certificate.rs`), read at
//! their rates (`frames.rs`, `authority.rs`), and closed when they are silent (`silence.rs`).
//!
//! HTTP/2 alone closes too few connections: it never pings a client that never begins, and it cannot tell a client that never
//! reads about the end. So each connection has a timer of its own, beside the pings of
//! [`KEEPALIVE`](crate::limits::KEEPALIVE). A browser on a plain port speaks HTTP/1.1, which has no pings. While the server sends
//! a browser an answer, the browser counts as heard for as long as it reads. A stream has a heartbeat, so the server notices that
//! a browser is gone within the time that its system needs.

mod accepting;
mod authority;
mod certificate;
mod frames;
mod silence;
mod tls;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};
use tonic::transport::server::Connected;

use self::accepting::Admitted;
pub use self::accepting::Listener;
pub(crate) use self::accepting::{Gate, admitted, secured};
pub use self::certificate::Certificate;
use self::frames::FrameCounter;
#[cfg(any(test, fuzzing))]
pub use self::frames::fuzzing as connection_bytes;
use self::silence::{Activity, Closing};
pub(crate) use self::silence::{CallOnConnection, ConnectionInfo, Refusal, UnreadAnswer};
use super::limiter::{ConnectionPermit, Throttle};
use crate::limits::{EXCESS_TIME, HANDSHAKE_BYTES, Limits, PACED_READ_BYTES, Rate};
use crate::lock;
use crate::metrics::Metrics;

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
        let bytes = &mut to.filled_mut()[before..];
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

/// Returns a function for the bytes that a client sends, in their order: it replaces what HTTP/2 refuses in the authorities of
/// calls.
pub fn authority_filter() -> impl FnMut(&mut [u8]) + Send {
    let mut frames = FrameCounter::default();
    move |bytes| {
        frames.cost(bytes);
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
