//! TLS on an accepted stream.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Connection;
use super::accepting::{Admitted, Gate};
use super::silence::Closing;
use crate::limits::Rate;

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

impl Admitted {
    /// Begins TLS on a stream. A client that sends plain text gets a connection that refuses its calls. Returns None if the
    /// client has gone, or does not agree on TLS in time.
    pub(super) async fn secure(
        mut self,
        stream: TcpStream,
        acceptor: TlsAcceptor,
        gate: &Gate,
    ) -> Option<Connection<SecureStream>> {
        let Gate { limiter, metrics, .. } = gate;
        let limits = limiter.limits();
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
