//! The transport: messages beyond the limits, invalid bytes, lost connections, shutdown, and tokens.

use std::time::Duration;

use ahu_service::proto::v1::{GetRecordRequest, JoinMatchRequest, MatchSpec, MatchState, join_match_request};
use ahu_service::{Limits, limits};
use prost::Message as _;
use prost::bytes::{Buf, BufMut, Bytes};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tonic::client::Grpc;
use tonic::codec::{Codec, CompressionEncoding, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::bytes::{call_head, field, frame};
use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::rates::Measured;
use crate::server::{Asked, Client, Server, error_info, matches_with, rappanui};
use crate::silence::BEGIN;

/// A codec that sends bytes in place of messages.
pub(crate) struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

async fn send(channel: &Channel, path: &'static str, bytes: Vec<u8>) -> Result<Bytes, Status> {
    send_with(Grpc::new(channel.clone()), path, bytes).await
}

async fn send_with(mut client: Grpc<Channel>, path: &'static str, bytes: Vec<u8>) -> Result<Bytes, Status> {
    client.ready().await.map_err(|error| Status::unknown(error.to_string()))?;
    Ok(client.unary(Request::new(bytes.into()), PathAndQuery::from_static(path), Raw).await?.into_inner())
}

const CALLS: [&str; 11] = [
    "/ahu.v1.CatalogService/GetGame",
    "/ahu.v1.CatalogService/GetServerInfo",
    "/ahu.v1.CatalogService/ListGames",
    "/ahu.v1.MatchService/CreateMatch",
    "/ahu.v1.MatchService/GetMatch",
    "/ahu.v1.MatchService/GetRecord",
    "/ahu.v1.MatchService/JoinMatch",
    "/ahu.v1.MatchService/ListMatches",
    "/ahu.v1.MatchService/Observe",
    "/ahu.v1.MatchService/ParseAction",
    "/ahu.v1.MatchService/Step",
];

#[tokio::test]
async fn every_call_refuses_invalid_bytes() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = (owes.look().await, server.list().await);

    for path in CALLS {
        // A field of 9 bytes without its bytes, a tag of wire type 7, which does not exist, and a tag above the largest number.
        for bytes in [vec![0x0a, 0x09], vec![0x0f], vec![0xff; 64]] {
            let error = send(&server.channel, path, bytes).await.expect_err("the bytes are invalid");
            assert_eq!(code(&error), is(Code::InvalidArgument, "UNDECODABLE_REQUEST"), "{path}: {error}");
        }
    }
    for path in ["/ahu.v1.MatchService/GetMatch", "/ahu.v1.MatchService/Step", "/ahu.v1.CatalogService/GetGame"] {
        let error = send(&server.channel, path, vec![0x0a, 0x02, 0xc3, 0x28]).await.expect_err("the text is not UTF-8");
        assert_eq!(code(&error), is(Code::InvalidArgument, "UNDECODABLE_REQUEST"), "{path}: {error}");
    }
    let error = send(&server.channel, "/ahu.v1.MatchService/Cheat", Vec::new()).await.expect_err("the call is unknown");
    assert_eq!(error.code(), Code::Unimplemented);

    assert_eq!((owes.look().await, server.list().await), before, "the connection remains usable");
}

/// Returns a message of this size: an unknown field, which a reader skips. Its tag and its length take 5 bytes.
fn of_size(size: usize) -> Vec<u8> {
    let length = size - 5;
    let mut bytes = vec![0xfa, 0x01, length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8];
    bytes.resize(size, 0);
    bytes
}

#[tokio::test]
async fn compressed_requests_are_unpacked_up_to_the_limit() {
    let measured = Measured::start(matches_with(Limits::default())).await;
    let server = &measured.server;
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Deflate] {
        let packed = || Grpc::new(server.channel.clone()).send_compressed(encoding);
        server
            .matches()
            .send_compressed(encoding)
            .create_match(rappanui(2, &[], 1).asked())
            .await
            .expect("it is unpacked");
        for path in CALLS {
            let error = send_with(packed(), path, of_size(1 << 20)).await.expect_err("it is too large");
            let limit = [limits::MAX_REQUEST_BYTES.to_string()];
            let expected = (Code::ResourceExhausted, "REQUEST_TOO_LARGE".to_owned(), limit);
            assert_eq!(error_info(&error, ["limit"]), expected, "{path}: {error}");
            let most = send_with(packed(), path, of_size(limits::MAX_REQUEST_BYTES)).await;
            assert_ne!(most.err().map(|error| error.code()), Some(Code::ResourceExhausted), "{path}");
        }
        // A stream of environments takes no compressed messages.
        let error = send_with(packed(), "/ahu.v1.EnvironmentService/Run", Vec::new()).await.expect_err("it is packed");
        assert_eq!(error.code(), Code::Unimplemented);
        assert_eq!(error.metadata().get("grpc-accept-encoding").expect("it names the methods"), "identity");
    }
    let mut request = Request::new(ahu_service::proto::v1::ListGamesRequest {});
    request.metadata_mut().insert("grpc-encoding", "br".parse().expect("ASCII"));
    let error = server.catalog().list_games(request).await.expect_err("it is unknown");
    assert_eq!(error.code(), Code::Unimplemented);
    let accepted = error.metadata().get("grpc-accept-encoding").expect("it names the methods");
    assert_eq!(accepted, "gzip,deflate,identity");

    // A message with the sign of compression that is none.
    let head = [call_head(CALLS[2], &field(&[0x01], "ahu")), field(b"\0\x0dgrpc-encoding", "gzip")].concat();
    let call = [BEGIN, &frame(1, 4, 1, &head), &frame(0, 1, 1, &[1, 0, 0, 0, 3, 1, 2, 3])].concat();
    let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    socket.write_all(&call).await.expect("it is open");
    while measured.value("ahu_refusals_total{reason=\"UNDECODABLE_REQUEST\"} ").await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn every_call_refuses_a_request_beyond_the_limit() {
    let server = Server::start().await;

    for path in CALLS {
        let error = send(&server.channel, path, of_size(limits::MAX_REQUEST_BYTES + 1))
            .await
            .expect_err("the request is too large");
        assert_eq!(code(&error), is(Code::ResourceExhausted, "REQUEST_TOO_LARGE"), "{path}: {error}");
        assert_eq!(error_info(&error, ["limit"]).2, [limits::MAX_REQUEST_BYTES.to_string()]);
        let most = send(&server.channel, path, of_size(limits::MAX_REQUEST_BYTES)).await;
        assert_ne!(most.err().map(|error| error.code()), Some(Code::ResourceExhausted), "{path}");
    }
    assert_eq!(server.list().await, []);
}

#[tokio::test]
async fn a_stream_of_environments_ends_with_a_reason_too() {
    const RUN: &str = "/ahu.v1.EnvironmentService/Run";
    let server = Server::start().await;

    let error = send(&server.channel, RUN, vec![0x0a, 0x09]).await.expect_err("the bytes are invalid");
    assert_eq!(code(&error), is(Code::InvalidArgument, "UNDECODABLE_REQUEST"), "{error}");
    let error =
        send(&server.channel, RUN, vec![0; limits::MAX_RUN_REQUEST_BYTES + 1]).await.expect_err("it is too large");
    let limit = [limits::MAX_RUN_REQUEST_BYTES.to_string()];
    assert_eq!(error_info(&error, ["limit"]), (Code::ResourceExhausted, "REQUEST_TOO_LARGE".to_owned(), limit));
}

#[tokio::test]
async fn a_missed_deadline_changes_nothing() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let before = (owes.look().await, waits.look().await);

    let mut request = waits.with_token(waits.observe_request(Duration::from_secs(30)));
    request.set_timeout(Duration::from_millis(20));
    let error = waits.matches.clone().observe(request).await.expect_err("the deadline is missed");

    assert!(matches!(error.code(), Code::Cancelled | Code::DeadlineExceeded), "{error}");
    assert_eq!((owes.look().await, waits.look().await), before);
    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    assert_eq!(waits.look().await.state(), MatchState::Finished);
}

#[tokio::test]
async fn every_missed_deadline_is_answered_with_deadline_exceeded() {
    const CALLS: u32 = 300;
    let measured = Measured::start(matches_with(Limits::default())).await;
    let (_, waits) = two_agents(&measured.server).await;
    let request = waits.observe_request(Duration::from_secs(30)).encode_to_vec();
    let message = [&[0], &(request.len() as u32).to_be_bytes()[..], &request].concat();
    let mut socket = TcpStream::connect(measured.server.address()).await.expect("the listener accepts");
    socket.write_all(BEGIN).await.expect("it is open");
    let token = format!("Bearer {}", waits.token);
    for number in 0..CALLS {
        let head = [
            call_head("/ahu.v1.MatchService/Observe", &field(&[0x01], "ahu")),
            field(b"\0\x0dauthorization", &token),
            field(b"\0\x0cgrpc-timeout", &format!("{}u", 100 * number)),
        ];
        let stream = 2 * number + 1;
        let call = [frame(1, 4, stream, &head.concat()), frame(0, 1, stream, &message)].concat();
        socket.write_all(&call).await.expect("it is open");
    }
    // The client ends no call by itself.
    let count = "ahu_calls_total{method=\"ahu.v1.MatchService/Observe\",code=\"DeadlineExceeded\"} ";
    let all = async {
        while measured.value(count).await < CALLS {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all).await.expect("each is answered");
}

#[tokio::test]
async fn a_waiting_client_that_disconnects_does_not_affect_others() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut waiting = JoinSet::new();
    for _ in 0..20 {
        let client = waits.over(server.connect().await);
        waiting.spawn(async move { client.observe(Duration::from_secs(30)).await });
        let client = waits.clone();
        waiting.spawn(async move { client.observe(Duration::from_secs(30)).await });
    }
    server.list().await;

    // All calls are cancelled, and half of them lose their connection.
    waiting.shutdown().await;

    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    let over = owes.look().await;
    assert_eq!(
        (over.state(), over.forfeits),
        (MatchState::Finished, Vec::new()),
        "the seat is still played by its agent"
    );
}

#[tokio::test]
async fn a_step_is_answered_beside_three_hundred_waiting_calls_on_its_connection() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut waiting = JoinSet::new();
    for _ in 0..300 {
        let client = waits.clone();
        waiting.spawn(async move { client.observe(Duration::from_secs(30)).await });
    }

    while let Some(decision) = owes.look().await.decision {
        assert!(waiting.try_join_next().is_none(), "the other seat has no decision yet");
        owes.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
    }

    let mut answered = 0;
    while let Some(seen) = waiting.join_next().await {
        let seen = seen.expect("the task does not panic").expect("the token is valid");
        assert_eq!(seen.decision.expect("the seat has to decide").decision_id, 1);
        answered += 1;
    }
    assert_eq!(answered, 300);
}

#[tokio::test]
async fn a_waiting_call_gets_the_reason_closing_when_the_server_closes() {
    let server = Server::start().await;
    let (_, waits) = two_agents(&server).await;
    let waiting = tokio::spawn(async move { waits.observe(Duration::from_secs(30)).await });
    // The call is under way when later calls on the same connection have been answered.
    two_agents(&server).await;

    server.stop().await;

    let error = waiting.await.expect("the task does not panic").expect_err("the server closes");
    assert_eq!(code(&error), is(Code::Unavailable, "CLOSING"));
}

#[tokio::test]
async fn a_closing_server_shows_matches_and_changes_none() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let playing = server.seats(rappanui(2, &[(0, "greedy")], 1)).await;
    matches.close();

    let closing = is(Code::Unavailable, "CLOSING");
    let error = server.matches().create_match(MatchSpec::default().asked()).await.expect_err("the server closes");
    assert_eq!(code(&error), closing);
    let target = Some(join_match_request::Target::MatchId(created.match_id.clone()));
    let join = JoinMatchRequest { target, ..Default::default() };
    assert_eq!(code(&server.matches().join_match(join).await.expect_err("the server closes")), closing);
    assert_eq!(server.list().await[0], created);

    // An open decision stays open for the next server.
    let before = playing[0].look().await;
    let decision = before.decision.clone().expect("the seat has to decide");
    let (id, first) = (decision.decision_id, decision.legal_ids[0]);
    for error in [
        playing[0].step(id, first).await.map(drop).expect_err("the server closes"),
        crate::endings::resign(&playing[0]).await.map(drop).expect_err("the server closes"),
    ] {
        assert_eq!(code(&error), closing);
    }
    assert_eq!(playing[0].look().await, before);
}

#[tokio::test]
async fn a_token_is_read_only_from_the_bearer_scheme() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let asked = |value: Option<&str>| {
        let mut request = Request::new(owes.observe_request(Duration::ZERO));
        if let Some(value) = value {
            request.metadata_mut().insert("authorization", value.parse().expect("the value is ASCII"));
        }
        let mut matches = owes.matches.clone();
        async move { matches.observe(request).await }
    };

    for value in [None, Some("Bearer"), Some(&*owes.token), Some(&*format!("Basic {}", owes.token))] {
        let error = asked(value).await.expect_err("the token is missing");
        assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"), "{value:?}");
    }
    for value in [format!("Bearer  {}", owes.token), format!("Bearer {}x", owes.token), "Bearer \u{7f}".to_owned()] {
        if let Ok(value) = value.parse::<tonic::metadata::MetadataValue<_>>() {
            let mut request = Request::new(owes.observe_request(Duration::ZERO));
            request.metadata_mut().insert("authorization", value);
            let error = owes.matches.clone().observe(request).await.expect_err("the token is wrong");
            assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
        }
    }
    asked(Some(&format!("bearer {}", owes.token))).await.expect("the case of the scheme does not matter");
}

#[tokio::test]
async fn a_token_gives_no_access_to_other_seats() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let thief = Client { token: waits.token.clone(), ..owes.clone() };

    let error = thief.observe(Duration::ZERO).await.expect_err("the token is wrong");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    let record = GetRecordRequest { match_id: owes.match_id.clone(), ..Default::default() };
    for client in [&thief, &owes] {
        let error = client.matches.clone().get_record(client.with_token(record.clone())).await;
        let error = error.expect_err("no token gives a record before the end");
        assert_eq!(code(&error), is(Code::FailedPrecondition, "MATCH_NOT_ENDED"));
    }
    let open = server.create(rappanui(2, &[], 1)).await;
    let nobody = Client { match_id: open.match_id.clone(), ..owes.clone() };
    let error = nobody.observe(Duration::ZERO).await.expect_err("the seat is open");
    assert_eq!(error_info(&error, []).1, "WRONG_TOKEN");
}
