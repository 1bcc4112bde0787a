//! The calls of gRPC as lines for a shell. The pages of the API show them, and the test here sends the message of each.

use std::time::Duration;

use ahu_contest::cup::{Event, Journal, Line, Salt, State};
use ahu_service::proto::DESCRIPTORS;
use ahu_service::proto::cup::HostMatchResponse;
use ahu_service::proto::v1::{CreateMatchResponse, JoinMatchResponse};
use ahu_service::{CupId, Limits, agent_key_hash};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::Request;
use tonic::client::Grpc;
use tonic::codegen::Bytes;

use crate::server::{Asked as _, Server, Taken as _, matches_with, rappanui};
use crate::transport::Raw;

/// The secret that a call needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Secret {
    None,
    Seat,
    Owner,
    Agent,
    Organiser,
    Account,
}

use Secret::{Account, Agent, None as Free, Organiser, Owner, Seat};

/// The calls, each with its secret and its message, in an order in which a server answers all of them. The ids stand for those
/// of the caller.
const CALLS: [(&str, Secret, &str); 34] = [
    ("CatalogService/ListGames", Free, "{}"),
    ("CatalogService/GetGame", Free, r#"{"game": "rappanui"}"#),
    ("CatalogService/GetServerInfo", Free, "{}"),
    ("EnvironmentService/Run", Free, r#"{"open": {"game": "rappanui", "seat_count": 2, "environment_count": 1}}"#),
    (
        "MatchService/CreateMatch",
        Free,
        r#"{"spec": {"game": "rappanui", "seat_count": 2, "bots": [{"seat": 1, "bot": "greedy"}]}}"#,
    ),
    ("MatchService/JoinMatch", Free, r#"{"match_id": "MATCH"}"#),
    ("MatchService/GetMatch", Free, r#"{"match_id": "MATCH"}"#),
    ("MatchService/ListMatches", Free, r#"{"game": "rappanui", "state": "MATCH_STATE_RUNNING"}"#),
    (
        "MatchService/Observe",
        Seat,
        r#"{"match_id": "MATCH", "formats": {"text": true, "legal_actions": true}, "wait": "30s"}"#,
    ),
    ("MatchService/ParseAction", Seat, r#"{"match_id": "MATCH", "action": {"text": "no meld"}}"#),
    ("MatchService/Step", Seat, r#"{"match_id": "MATCH", "decision_id": 1, "action": {"text": "no meld"}}"#),
    ("MatchService/WatchMatch", Free, r#"{"match_id": "MATCH", "public_view": true, "formats": {"text": true}}"#),
    ("MatchService/ResignSeat", Seat, r#"{"match_id": "MATCH"}"#),
    ("MatchService/GetRecord", Free, r#"{"match_id": "MATCH", "format": "RECORD_FORMAT_TEXT"}"#),
    ("MatchService/CancelMatch", Owner, r#"{"match_id": "MATCH", "reason": "nobody came"}"#),
    (
        "OrganiserService/OpenQueues",
        Organiser,
        r#"{"cup_id": "0123456789abcdef", "agents": [{"name": "moai", "key_hash": "KEY_HASH"}]}"#,
    ),
    (
        "OrganiserService/NoteArrivals",
        Organiser,
        r#"{"cup_id": "0123456789abcdef", "key_hashes": ["KEY_HASH"], "line": 7, "link": "LINK"}"#,
    ),
    ("OrganiserService/AwaitAgents", Organiser, r#"{"cup_id": "0123456789abcdef", "wait": "30s"}"#),
    (
        "OrganiserService/HostMatch",
        Organiser,
        r#"{"cup_id": "0123456789abcdef", "request_id": "game-000000000001", "spec": {"game": "rappanui", "seat_count": 2, "bots": [{"seat": 1, "bot": "greedy"}]}}"#,
    ),
    (
        "OrganiserService/SeatPlayers",
        Organiser,
        r#"{"cup_id": "0123456789abcdef", "match_id": "MATCH", "players": [{"seat": 0, "name": "moai", "key_hash": "KEY_HASH"}]}"#,
    ),
    ("MatchService/AwaitSeat", Agent, r#"{"wait": "30s"}"#),
    ("OrganiserService/ReportExit", Organiser, r#"{"cup_id": "0123456789abcdef", "match_id": "MATCH", "seat": 0}"#),
    ("OrganiserService/UnsealMatch", Organiser, r#"{"cup_id": "0123456789abcdef", "match_id": "MATCH"}"#),
    ("OrganiserService/AppendJournal", Organiser, r#"{"cup_id": "0123456789abcdef", "offset": 0, "part": "e30K"}"#),
    ("CupService/ListCups", Free, "{}"),
    ("CupService/GetCup", Free, r#"{"cup_id": "CUP"}"#),
    ("CupService/ListCupAgents", Free, r#"{"cup_id": "CUP"}"#),
    ("CupService/ListStandings", Free, r#"{"cup_id": "CUP", "stage": "main"}"#),
    ("CupService/ListCupGames", Free, r#"{"cup_id": "CUP", "agent": "moai"}"#),
    ("CupService/ReadJournal", Free, r#"{"cup_id": "CUP", "offset": 0}"#),
    (
        "CupService/EnterCup",
        Account,
        r#"{"cup_id": "CUP", "agent": "moai", "request_id": "entry-0000000001", "wait": "20s"}"#,
    ),
    (
        "CupService/LeaveCup",
        Account,
        r#"{"cup_id": "CUP", "agent": "moai@1", "request_id": "leave-0000000001", "wait": "20s"}"#,
    ),
    (
        "CupService/WakeAgent",
        Account,
        r#"{"cup_id": "CUP", "agent": "moai@1", "request_id": "wake-00000000001", "wait": "20s"}"#,
    ),
    ("CupService/Practise", Agent, r#"{"practice_id": "practice-00000001"}"#),
];

/// Returns the full name of the service of a call, and the name of the call.
fn names(call: &str) -> (String, &str) {
    let (service, method) = call.split_once('/').expect("a service and a call");
    let package = if matches!(service, "CupService" | "OrganiserService") { "ahu.cup.v1beta1" } else { "ahu.v1" };
    (format!("{package}.{service}"), method)
}

/// Returns the line that makes a call of a service.
pub(crate) fn line(service: &str, method: &str) -> String {
    let is_it = |call: &str| names(call) == (service.to_owned(), method);
    let (call, secret, message) = CALLS.iter().find(|(call, ..)| is_it(call)).expect("each call has a line");
    let name = match secret {
        Free => "",
        Seat => "SEAT_TOKEN",
        Owner => "OWNER_TOKEN",
        Agent => "AGENT_KEY",
        Organiser => "ORGANISER_KEY",
        Account => "ACCOUNT_KEY",
    };
    let header = if name.is_empty() { String::new() } else { format!(" -H 'authorization: Bearer {name}'") };
    let (service, method) = names(call);
    format!(
        "buf curl --protocol grpc --http2-prior-knowledge{header} -d '{message}' http://127.0.0.1:50551/{service}/{method}"
    )
}

#[tokio::test]
async fn every_line_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let salt = Salt([3; 32]);
    let journal = folder.path().join("journal.jsonl");
    let file = "game = \"rapanui_cards\"\nblocks = 1\n[cup]\nname = \"Cup\"\n[[agent]]\nname = \"moai\"\nbot = \"greedy\"\n\
                [[agent]]\nname = \"tiki\"\nbot = \"random\"\n";
    let mut writer = Journal::lock(&journal).expect("it is new");
    let begin = State::begin(file, &salt);
    let state = State::after([&begin]).expect("a file");
    let draw = state.next_event(&salt).expect("it can be drawn").expect("a draw");
    for event in [begin, draw, Event::End { salt: salt.to_hex() }] {
        writer.append(&Line::now(event)).expect("it is written");
    }
    let id = CupId::of_salt_hash(&salt.hash()).expect("a hash");
    let matches = matches_with(Limits::default());
    let hosted = ahu_service::Server::from(matches.clone()).with_cup(id, &journal);
    let hosted = hosted.with_organisers(Some(agent_key_hash("organiser")), &folder.path().join("cups"));
    let server = Server::start_with(hosted.expect("a folder")).await;
    let practice = matches.seat_queue_with_key(agent_key_hash("agent"));
    crate::seat_queue::offer(&practice);

    let pool = DescriptorPool::decode(DESCRIPTORS).expect("the descriptors can be read");
    let methods = pool.services().filter(|service| service.full_name().starts_with("ahu."));
    assert_eq!(methods.map(|service| service.methods().len()).sum::<usize>(), CALLS.len(), "each call has a line");
    let (mut match_id, mut seat, mut owner) = (String::new(), String::new(), String::new());
    for (call, secret, message) in CALLS {
        match call {
            "MatchService/GetRecord" => {
                server.describe_after(&match_id, Duration::from_secs(30)).await.expect("bots play on");
            }
            "MatchService/CancelMatch" => {
                let created =
                    server.matches().create_match(rappanui(2, &[], 1).asked()).await.expect("a match").into_inner();
                (match_id, owner) = (created.r#match.expect("a match").match_id, created.owner_token);
            }
            _ => {}
        }
        let (service, method) = names(call);
        let kind = pool.get_service_by_name(&service).expect("it is there");
        let kind = kind.methods().find(|of| of.name() == method).expect("it is there");
        let hash = "1PC8WineBrUQ+apCjx7tupJgErWR/velGOd2p8m9GCQ=";
        let filled = message.replace("MATCH\"", &format!("{match_id}\"")).replace("\"CUP\"", &format!("\"{id}\""));
        let filled = filled.replace("KEY_HASH", hash).replace("LINK", &"0".repeat(64));
        let mut json = serde_json::Deserializer::from_str(&filled);
        let read =
            DynamicMessage::deserialize(kind.input(), &mut json).unwrap_or_else(|error| panic!("{call}: {error}"));
        let mut request = Request::new(tokio_stream::iter([Bytes::from(read.encode_to_vec())]));
        let bearer = match secret {
            Free => "",
            Seat => &seat,
            Owner => &owner,
            Agent => "agent",
            Organiser => "organiser",
            // This server has no accounts: `ladder.rs` makes these calls.
            Account => continue,
        };
        if !bearer.is_empty() {
            request.metadata_mut().insert("authorization", format!("Bearer {bearer}").parse().expect("ASCII"));
        }
        let mut client = Grpc::new(server.connect().await);
        client.ready().await.expect("the server answers");
        let path = format!("/{service}/{method}").parse().expect("a path");
        let mut answers =
            client.streaming(request, path, Raw).await.unwrap_or_else(|error| panic!("{call}: {error}")).into_inner();
        let answer = tokio::time::timeout(Duration::from_secs(60), answers.message()).await.expect("it is answered");
        let answer = answer.unwrap_or_else(|error| panic!("{call}: {error}")).expect("an answer");
        match call {
            "MatchService/CreateMatch" => {
                let created = CreateMatchResponse::decode(answer).expect("its response");
                (match_id, owner) = (created.r#match.expect("a match").match_id, created.owner_token);
            }
            "MatchService/JoinMatch" => {
                seat = JoinMatchResponse::decode(answer).expect("its response").taken().seat_token;
            }
            "OrganiserService/HostMatch" => {
                match_id = HostMatchResponse::decode(answer).expect("its response").r#match.expect("a match").match_id;
            }
            _ => {}
        }
    }
}
