//! Bytes under way: calls whose bodies do not end, and answers that nobody reads, use up the share of their address. Only
//! calls of this address wait.

use std::collections::BTreeMap;
use std::time::Duration;

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{ListMatchesRequest, MatchSpec, MatchState, ObserveRequest};
use ahu_service::{Limits, Share};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::rates::Measured;
use crate::server::{DECISION, Server, matches_with, unseeded};
use crate::silence::BEGIN;

/// The share of bytes in these tests: the room of two large answers.
const SHARE: u32 = 1 << 20;

fn with_bytes() -> Limits {
    let mut limits = Limits::default();
    limits.local_shares[Share::Bytes] = SHARE;
    limits
}

/// Creates matches whose descriptions fill more than one page of a list.
async fn labelled(server: &Server) {
    let labels: BTreeMap<_, _> = (0..16).map(|n| (format!("label-{n}"), "x".repeat(256))).collect();
    for _ in 0..80 {
        server.create(MatchSpec { labels: labels.clone(), ..unseeded(2) }).await;
    }
}

/// The largest page of a list.
fn list() -> ListMatchesRequest {
    ListMatchesRequest { page_size: 1000, ..Default::default() }
}

/// Opens a connection that takes in no bytes of an answer.
async fn connect_without_reading(server: &Server) -> Channel {
    server.connect_with(|endpoint| endpoint.initial_stream_window_size(0)).await
}

/// Begins to ask for lists over a connection.
fn ask(channel: &Channel, calls: usize) -> JoinSet<()> {
    let mut asking = JoinSet::new();
    for _ in 0..calls {
        let mut client = MatchServiceClient::new(channel.clone());
        // The client waits for bytes that it does not permit, or learns that the connection is closed.
        asking.spawn(async move { drop(client.list_matches(list()).await) });
    }
    asking
}

/// Waits until the number of bytes under way is enough.
async fn until_used(measured: &Measured, is_enough: impl Fn(u32) -> bool) {
    while !is_enough(measured.used("bytes").await) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn answers_that_nobody_reads_wait_for_each_other_and_for_no_one_else() {
    let measured = Measured::start(matches_with(with_bytes())).await;
    let server = &measured.server;
    labelled(server).await;
    let seats = server.seats(unseeded(2)).await;
    let asking = ask(&connect_without_reading(server).await, 60);
    // The pages have 256 KiB. The first pages fit, until the share has no room for another page.
    until_used(&measured, |used| used > SHARE / 2).await;
    assert!(measured.used("bytes").await <= SHARE, "sixty pages would be fifteen times as much");

    // A small answer and the answers of a seat do not wait. The next list waits for bytes of the address.
    server.describe(&seats[0].match_id).await;
    let asked = ObserveRequest { formats: Some(DECISION), ..seats[0].observe_request(Duration::ZERO) };
    seats[0].matches.clone().observe(seats[0].with_token(asked)).await.expect("a seat has bytes of its own");
    let mut other = server.matches();
    let page = tokio::spawn(async move { other.list_matches(list()).await });
    assert!(!page.is_finished());
    drop(asking);
    assert!(!page.await.expect("it does not panic").expect("a page").into_inner().matches.is_empty());
    until_used(&measured, |used| used == 0).await;
}

#[tokio::test]
async fn a_connection_that_takes_in_no_answer_is_closed() {
    let limits = Limits { connection_silence: Duration::from_secs(1), ..with_bytes() };
    let measured = Measured::start(matches_with(limits)).await;
    labelled(&measured.server).await;
    let channel = connect_without_reading(&measured.server).await;
    let mut asking = ask(&channel, 1);
    // The client sends calls all the time, so its connection is not silent.
    let mut others = Vec::new();
    while asking.try_join_next().is_none() {
        others.push(ask(&channel, 1));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(others);
    until_used(&measured, |used| used == 0).await;
}

/// Returns a frame of HTTP/2.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32).to_be_bytes()[1..], &[kind, flags], &stream.to_be_bytes(), content].concat()
}

/// Returns a field of a header: its name, as HPACK writes it, and its value.
pub(crate) fn field(name: &[u8], value: &str) -> Vec<u8> {
    [name, &[value.len() as u8], value.as_bytes()].concat()
}

/// Returns the headers of a call, with this field for its authority.
pub(crate) fn call_head(path: &str, authority: &[u8]) -> Vec<u8> {
    // POST, http, and literals without an index: the path, and the content type.
    [&[0x83, 0x86], &*field(&[0x04], path), authority, &field(&[0x0f, 0x10], "application/grpc")].concat()
}

/// The beginning of HTTP/2, and a call of `GetMatch` whose message of 64,000 bytes lacks its last byte.
fn unfinished_call() -> Vec<u8> {
    let head = call_head("/ahu.v1.MatchService/GetMatch", &field(&[0x01], "ahu"));
    let message = [&[0], &64_000_u32.to_be_bytes()[..], &vec![0; 63_999]].concat();
    let parts = message.chunks(16_384).flat_map(|part| frame(0, 0, 1, part));
    [BEGIN.to_vec(), frame(1, 4, 1, &head), parts.collect()].concat()
}

#[tokio::test]
async fn calls_without_an_end_wait_for_the_bytes_of_their_address() {
    let measured = Measured::start(matches_with(with_bytes())).await;
    let mut sockets = Vec::new();
    for _ in 0..40 {
        let mut socket = TcpStream::connect(measured.server.address()).await.expect("the listener accepts");
        socket.write_all(&unfinished_call()).await.expect("it is open");
        sockets.push(socket);
    }
    // Each call reserves room for the largest message, so the share has room for sixteen calls.
    until_used(&measured, |used| used == SHARE).await;
    // Small calls go on.
    measured.server.create(unseeded(2)).await;
    drop(sockets);
    until_used(&measured, |used| used == 0).await;
}

#[tokio::test]
async fn uploads_without_an_end_wait_for_the_bytes_of_their_address() {
    let matches = matches_with(with_bytes());
    let hosted = ahu_service::Server::from(matches).with_page(ahu_service::Page::default());
    let measured = Measured::start(hosted).await;
    let mut sockets = Vec::new();
    for _ in 0..10 {
        let mut socket = TcpStream::connect(measured.server.address()).await.expect("the listener accepts");
        let head =
            "POST /api/record HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: none\r\ncontent-length: 600000\r\n\r\n";
        socket.write_all(head.as_bytes()).await.expect("it is open");
        sockets.push(socket);
    }
    until_used(&measured, |used| used > 0).await;
    // One upload has its room, and the next upload collects room.
    assert!(measured.used("bytes").await <= SHARE, "ten of them would be six times as much");
    let mut first = sockets.swap_remove(0);
    first.write_all(&vec![b'x'; 600_000]).await.expect("it is read");
    drop(sockets);
    let mut answer = [0; 12];
    first.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 422", "it is no record");
    drop(first);
    until_used(&measured, |used| used == 0).await;
}

#[tokio::test]
async fn a_page_looks_at_a_bounded_number_of_matches() {
    let server = Server::start().await;
    for _ in 0..1_001 {
        server.create(unseeded(2)).await;
    }
    let asked = ListMatchesRequest { state: MatchState::Finished.into(), ..list() };
    let page = server.matches().list_matches(asked.clone()).await.expect("a page").into_inner();
    assert!(page.matches.is_empty());
    assert!(!page.next_page_token.is_empty());
    let asked = ListMatchesRequest { page_token: page.next_page_token, ..asked };
    let page = server.matches().list_matches(asked).await.expect("a page").into_inner();
    assert!(page.matches.is_empty() && page.next_page_token.is_empty());
}
