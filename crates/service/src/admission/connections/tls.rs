//! TLS on an accepted stream.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::Connection;
use super::accepting::{Admitted, Gate};
use super::silence::Closing;
use crate::limits::Rate;

/// The first byte of a client that begins TLS: the type of a record with a handshake (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 22;

/// The stream of a client on a port for TLS: in TLS, or in plain text if the client does not begin TLS.
pub(crate) type SecureStream = Box<dyn Stream>;

/// A stream in both directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

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
            let secured: (SecureStream, bool) = match stream.peek(&mut first).await? {
                0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                _ if first == [TLS_HANDSHAKE] => (Box::new(acceptor.accept(stream).await?), false),
                _ => (Box::new(stream), true),
            };
            Ok(secured)
        };
        let failed = match tokio::time::timeout_at(self.opened + limits.handshake, handshake).await {
            Ok(Ok((stream, is_plain))) => return Some(Connection::over(stream, self, is_plain, limits, metrics)),
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
