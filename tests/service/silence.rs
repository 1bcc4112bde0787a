//! The server closes connections that send nothing, and connections that read nothing.

use std::net::SocketAddr;
use std::time::Duration;

use ahu_service::proto::v1::GetMatchRequest;
use ahu_service::{Environments, Limits, Rate, serve_metrics};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{Asked, Server, matches_with, seconds, unseeded};

/// The beginning of HTTP/2: the preface, and settings without content.
pub(crate) const BEGIN: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
/// A ping, which the server answers.
pub(crate) const PING: &[u8] = b"\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678";
const SHORT: Duration = Duration::from_millis(50);
/// The time that a closed connection may take on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// A server, and the address of its metrics.
struct Watched {
    server: Server,
    metrics: SocketAddr,
}

impl Watched {
    /// Waits until the server has closed these connections: this number of them for this reason, and no other.
    async fn closes(&self, reason: &str, count: u32) {
        let expected = [format!("{reason}\"}} {count}")];
        let closed = async {
            loop {
                let page = crate::metrics::get(self.metrics, "/metrics").await;
                let lines = page.lines().filter_map(|line| line.strip_prefix("ahu_connections_closed_total{reason=\""));
                let found: Vec<_> = lines.map(str::to_owned).collect();
                if found == expected {
                    return;
                }
                let is_wrong = found.iter().any(|line| !line.starts_with(reason));
                assert!(!is_wrong, "expected {expected:?}, got {found:?}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(LONG, closed).await.expect("the server closes them");
    }
}

async fn connect(limits: Limits) -> (Watched, TcpStream) {
    let hosted = ahu_service::Server::new(matches_with(limits), Environments::default());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let metrics = listener.local_addr().expect("the listener is bound");
    tokio::spawn(serve_metrics(listener, hosted.clone(), std::future::pending()));
    let server = Server::start_with(hosted).await;
    let socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    (Watched { server, metrics }, socket)
}

/// Waits until the server closes a connection. Panics if it stays open.
async fn closed(mut socket: TcpStream) {
    let mut all = Vec::new();
    // A reset is an end too.
    let _ = tokio::time::timeout(LONG, socket.read_to_end(&mut all)).await.expect("the server closes the connection");
}

#[tokio::test]
async fn a_connection_that_does_not_begin_is_closed() {
    let limits = Limits { handshake: SHORT, ..Limits::default() };
    let (watched, silent) = connect(limits).await;
    let mut slow = TcpStream::connect(watched.server.address()).await.expect("the listener accepts");
    slow.write_all(&BEGIN[..BEGIN.len() - 1]).await.expect("it is open");
    tokio::join!(closed(silent), closed(slow));
    watched.closes("handshake", 2).await;
    // A connection with HTTP/2 stays open.
    watched.server.create(unseeded(2)).await;
}

#[tokio::test]
async fn a_connection_that_falls_silent_is_closed() {
    let (watched, mut socket) = connect(Limits { connection_silence: SHORT, ..Limits::default() }).await;
    socket.write_all(BEGIN).await.expect("it is open");
    closed(socket).await;
    // The other connection belongs to the client, which the test does not use.
    watched.closes("silent", 2).await;
}

#[tokio::test]
async fn a_connection_that_never_reads_is_closed() {
    let mut limits = Limits { connection_silence: SHORT, ..Limits::default() };
    // No rate stops the reader of the server before its answers do.
    limits.local_rates[Rate::Frames] = 100_000_000;
    let (watched, mut socket) = connect(limits).await;
    socket.write_all(BEGIN).await.expect("it is open");
    let pings = PING.repeat(10_000);
    // The answers fill all buffers; then the server reads no more, and the client cannot write.
    let flood = async { while socket.write_all(&pings).await.is_ok() {} };
    tokio::time::timeout(LONG, flood).await.expect("the server closes the connection");
    watched.closes("silent", 2).await;
}

#[tokio::test]
async fn a_connection_without_a_call_is_closed_and_the_next_call_opens_another() {
    let (watched, mut socket) = connect(Limits { connection_idle: SHORT, ..Limits::default() }).await;
    let server = &watched.server;
    socket.write_all(BEGIN).await.expect("it is open");
    closed(socket).await;
    watched.closes("idle", 2).await;
    // A call at the moment of the end may fail; the next one opens another connection.
    let created = match server.matches().create_match(unseeded(2).asked()).await {
        Ok(created) => created,
        Err(_) => server.matches().create_match(unseeded(2).asked()).await.expect("a match"),
    };
    let match_id = created.into_inner().r#match.expect("a match").match_id;
    // A connection with a call that waits is not silent.
    let request = |wait| GetMatchRequest { match_id: match_id.clone(), wait };
    if server.matches().get_match(request(seconds(0.2))).await.is_err() {
        server.matches().get_match(request(seconds(0.2))).await.expect("the connection is open");
    }
}
