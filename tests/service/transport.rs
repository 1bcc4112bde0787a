//! What happens below the calls: messages that are too large or broken, clients that vanish, a server
//! that closes.

use std::time::Duration;

use ahu::host::Record;
use ahu::proto::v1::{CreateMatchRequest, GetRecordRequest, JoinMatchRequest, MatchState, join_match_request};
use ahu::service::{Matches, limits};
use prost::bytes::{Buf, BufMut, Bytes};
use tokio::task::JoinSet;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{Client, Server, error_info, rappanui};

/// Bytes as they are, where messages are due.
struct Raw;

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
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.map_err(|error| Status::unknown(error.to_string()))?;
    Ok(client.unary(Request::new(bytes.into()), PathAndQuery::from_static(path), Raw).await?.into_inner())
}

const CALLS: [&str; 12] = [
    "/ahu.v1.CatalogService/GetGame",
    "/ahu.v1.CatalogService/GetServerInfo",
    "/ahu.v1.CatalogService/ListGames",
    "/ahu.v1.MatchService/CreateMatch",
    "/ahu.v1.MatchService/GetMatch",
    "/ahu.v1.MatchService/GetRecord",
    "/ahu.v1.MatchService/JoinMatch",
    "/ahu.v1.MatchService/ListLegalActions",
    "/ahu.v1.MatchService/ListMatches",
    "/ahu.v1.MatchService/Observe",
    "/ahu.v1.MatchService/ParseAction",
    "/ahu.v1.MatchService/Step",
];

#[tokio::test]
async fn bytes_that_are_no_message_are_refused_by_every_call() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = (owes.look().await, server.list().await);

    for path in CALLS {
        // A field of 9 bytes of which there are none; a tag of kind 7; text that is no UTF-8 is only for those who read it.
        for bytes in [vec![0x0a, 0x09], vec![0x0f], vec![0xff; 64]] {
            let error = send(&server.channel, path, bytes).await.expect_err("these are no message");
            assert_eq!(error.code(), Code::Internal, "tonic's own code: {path}: {error}");
        }
    }
    for path in ["/ahu.v1.MatchService/GetMatch", "/ahu.v1.MatchService/Step", "/ahu.v1.CatalogService/GetGame"] {
        let error = send(&server.channel, path, vec![0x0a, 0x02, 0xc3, 0x28]).await.expect_err("this is no text");
        assert_eq!(error.code(), Code::Internal, "{path}: {error}");
    }
    let error = send(&server.channel, "/ahu.v1.MatchService/Cheat", Vec::new()).await.expect_err("no such call");
    assert_eq!(error.code(), Code::Unimplemented);

    assert_eq!((owes.look().await, server.list().await), before, "on the same connection");
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused_by_every_call() {
    let server = Server::start().await;
    // An unknown field of so many bytes, which a reader skips: 5 bytes of tag and length before it.
    let of_size = |size: usize| {
        let length = size - 5;
        let mut bytes = vec![0xfa, 0x01, length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8];
        bytes.resize(size, 0);
        bytes
    };

    for path in CALLS {
        let error = send(&server.channel, path, of_size(limits::MAX_REQUEST_BYTES + 1)).await.expect_err("too large");
        assert_eq!(error.code(), Code::OutOfRange, "tonic's own code: {path}: {error}");
        let most = send(&server.channel, path, of_size(limits::MAX_REQUEST_BYTES)).await;
        assert_ne!(most.err().map(|error| error.code()), Some(Code::OutOfRange), "{path}");
    }
    assert_eq!(server.list().await, []);
}

#[tokio::test]
async fn a_deadline_that_passes_while_the_seat_waits_changes_nothing() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let before = (owes.look().await, waits.look().await);

    let mut request = waits.with_token(waits.observe_request(Duration::from_secs(30)));
    request.set_timeout(Duration::from_millis(20));
    let error = waits.matches.clone().observe(request).await.expect_err("it is not its turn so soon");

    assert!(matches!(error.code(), Code::Cancelled | Code::DeadlineExceeded), "{error}");
    assert_eq!((owes.look().await, waits.look().await), before);
    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    assert_eq!(waits.look().await.state(), MatchState::Finished);
}

#[tokio::test]
async fn a_client_that_vanishes_while_it_waits_harms_nobody() {
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

    // Calls are cancelled, and with half of them their connections go.
    waiting.shutdown().await;

    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    assert_eq!(owes.look().await.state(), MatchState::Finished);
}

#[tokio::test]
async fn three_hundred_wait_on_one_connection_beside_a_step() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut waiting = JoinSet::new();
    for _ in 0..300 {
        let client = waits.clone();
        waiting.spawn(async move { client.observe(Duration::from_secs(30)).await });
    }

    while let Some(decision) = owes.look().await.decision {
        assert!(waiting.try_join_next().is_none(), "it is not the others' turn yet");
        owes.step(decision.decision_id, decision.legal_ids[0]).await.expect("it is answered beside those that wait");
    }

    let mut answered = 0;
    while let Some(seen) = waiting.join_next().await {
        let seen = seen.expect("it does not panic").expect("the seat may look");
        assert_eq!(seen.decision.expect("it is its turn").decision_id, 1);
        answered += 1;
    }
    assert_eq!(answered, 300);
}

#[tokio::test]
async fn whoever_waits_when_the_server_closes_is_told_so() {
    let server = Server::start().await;
    let (_, waits) = two_agents(&server).await;
    let waiting = tokio::spawn(async move { waits.observe(Duration::from_secs(30)).await });
    // The call is under way when others, sent later on the same connection, have been answered.
    two_agents(&server).await;

    server.stop().await;

    let error = waiting.await.expect("it does not panic").expect_err("the server is gone");
    assert_eq!(code(&error), is(Code::Unavailable, "CLOSING"));
}

#[tokio::test]
async fn a_server_that_closes_takes_no_new_matches_and_no_new_players() {
    let matches = Matches::default();
    let server = Server::start_with(matches.clone()).await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let playing = server.seats(rappanui(2, &[(0, "greedy")], 1)).await;
    matches.close();

    let closing = is(Code::Unavailable, "CLOSING");
    let error = server.matches().create_match(CreateMatchRequest::default()).await.expect_err("it closes");
    assert_eq!(code(&error), closing);
    let target = Some(join_match_request::Target::MatchId(created.match_id.clone()));
    let join = JoinMatchRequest { target, ..Default::default() };
    assert_eq!(code(&server.matches().join_match(join).await.expect_err("it closes")), closing);
    assert_eq!(server.list().await[0], created);

    // What is owed can still be answered.
    let decision = ahu::proto::v1::ListLegalActionsRequest {
        match_id: playing[0].match_id.clone(),
        seat: Some(playing[0].seat),
        typed: false,
    };
    let listed = playing[0].matches.clone().list_legal_actions(playing[0].with_token(decision)).await;
    let listed = listed.expect("it is its turn").into_inner();
    let first = listed.actions[0].action_id.expect("an id");
    playing[0].step(listed.decision_id.expect("one is owed"), first).await.expect("it is legal");
}

#[tokio::test]
async fn tokens_travel_in_one_way_alone() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let asked = |value: Option<&str>| {
        let mut request = Request::new(owes.observe_request(Duration::ZERO));
        if let Some(value) = value {
            request.metadata_mut().insert("authorization", value.parse().expect("it is ASCII"));
        }
        let mut matches = owes.matches.clone();
        async move { matches.observe(request).await }
    };

    for value in [None, Some("Bearer"), Some(&*owes.token), Some(&*format!("Basic {}", owes.token))] {
        let error = asked(value).await.expect_err("there is no token in it");
        assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"), "{value:?}");
    }
    for value in [format!("Bearer  {}", owes.token), format!("Bearer {}x", owes.token), "Bearer \u{7f}".to_owned()] {
        if let Ok(value) = value.parse::<tonic::metadata::MetadataValue<_>>() {
            let mut request = Request::new(owes.observe_request(Duration::ZERO));
            request.metadata_mut().insert("authorization", value);
            let error = owes.matches.clone().observe(request).await.expect_err("it is not the token");
            assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
        }
    }
    asked(Some(&format!("bearer {}", owes.token))).await.expect("schemes know no case");
}

#[tokio::test]
async fn a_token_opens_its_seat_alone_in_every_call() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let thief = Client { token: waits.token.clone(), ..owes.clone() };

    let record = GetRecordRequest { match_id: owes.match_id.clone(), format: 0, seat: Some(owes.seat) };
    let error = thief.matches.clone().get_record(thief.with_token(record.clone())).await.expect_err("not its own");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    let told = owes.matches.clone().get_record(owes.with_token(record)).await.expect("its own").into_inner();
    assert!(Record::read(&told.record).is_err(), "what a seat was told is no record");
    let open = server.create(rappanui(2, &[], 1)).await;
    let nobody = Client { match_id: open.match_id.clone(), ..owes.clone() };
    let error = nobody.observe(Duration::ZERO).await.expect_err("the seat is nobody's yet");
    assert_eq!(error_info(&error, []).1, "WRONG_TOKEN");
}
