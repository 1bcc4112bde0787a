//! Connections that say nothing, or do not listen: the server closes them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use ahu::proto::v1::GetMatchRequest;
use ahu::service::{self, Environments, Limits, serve_metrics};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{Server, matches_with, seconds, unseeded};

/// The begin of HTTP/2: the preface, and settings without content.
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
    /// Returns the number of connections that the server has closed for each reason.
    async fn closings(&self) -> BTreeMap<String, u32> {
        let page = crate::metrics::get(self.metrics, "/metrics").await;
        let closings = page.lines().filter_map(|line| line.strip_prefix("ahu_connections_closed_total{reason=\""));
        let closing = |line: &str| {
            let (reason, count) = line.split_once("\"} ")?;
            Some((reason.to_owned(), count.parse().ok()?))
        };
        closings.map(|line| closing(line).expect("a reason and a count")).collect()
    }
}

async fn connect(limits: Limits) -> (Watched, TcpStream) {
    let hosted = service::Server::new(matches_with(limits), Environments::default());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let metrics = listener.local_addr().expect("the listener is bound");
    tokio::spawn(serve_metrics(listener, hosted.clone(), std::future::pending()));
    let server = Server::start_with(hosted).await;
    let socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    (Watched { server, metrics }, socket)
}

/// Returns this reason with its count.
fn only(reason: &str, count: u32) -> BTreeMap<String, u32> {
    BTreeMap::from([(reason.to_owned(), count)])
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
    assert_eq!(watched.closings().await, only("handshake", 2));
    // A connection that has begun stays.
    watched.server.create(unseeded(2)).await;
}

#[tokio::test]
async fn a_connection_that_falls_silent_is_closed() {
    let (watched, mut socket) = connect(Limits { connection_silence: SHORT, ..Limits::default() }).await;
    socket.write_all(BEGIN).await.expect("it is open");
    closed(socket).await;
    assert_eq!(watched.closings().await, only("silent", 1));
}

#[tokio::test]
async fn a_connection_that_never_reads_is_closed() {
    let (watched, mut socket) = connect(Limits { connection_silence: SHORT, ..Limits::default() }).await;
    socket.write_all(BEGIN).await.expect("it is open");
    let pings = PING.repeat(10_000);
    // The answers fill all buffers; then the server reads no more, and the client cannot write.
    let flood = async { while socket.write_all(&pings).await.is_ok() {} };
    tokio::time::timeout(LONG, flood).await.expect("the server closes the connection");
    assert_eq!(watched.closings().await, only("silent", 1), "the server waited for the client");
}

#[tokio::test]
async fn a_connection_without_a_call_is_closed_and_the_next_call_opens_another() {
    let (watched, mut socket) = connect(Limits { connection_idle: SHORT, ..Limits::default() }).await;
    let server = &watched.server;
    socket.write_all(BEGIN).await.expect("it is open");
    closed(socket).await;
    assert_eq!(watched.closings().await, only("idle", 1));
    // A call at the moment of the end may fail; the next one opens another connection.
    let created = match server.matches().create_match(unseeded(2)).await {
        Ok(created) => created,
        Err(_) => server.matches().create_match(unseeded(2)).await.expect("a match"),
    };
    let match_id = created.into_inner().r#match.expect("a match").match_id;
    // A call that waits is no silence.
    let request = |wait| GetMatchRequest { match_id: match_id.clone(), wait };
    if server.matches().get_match(request(seconds(0.2))).await.is_err() {
        server.matches().get_match(request(seconds(0.2))).await.expect("the connection is open");
    }
}
