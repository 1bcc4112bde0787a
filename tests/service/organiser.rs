//! `OrganiserService`: a program elsewhere schedules matches, and brings agents to their seats.

use std::time::Duration;

use ahu_contest::cup::{Journal, Salt, State};
use ahu_core::hex;
use ahu_host::{Ending, Record};
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::organiser_service_client::OrganiserServiceClient;
use ahu_service::proto::cup::{
    AppendJournalRequest, AwaitAgentsRequest, GetCupRequest, HostMatchRequest, OpenQueuesRequest, QueuedAgent,
    ReportExitRequest, SeatPlayer, SeatPlayersRequest, UnsealMatchRequest,
};
use ahu_service::proto::v1::{
    AwaitSeatRequest, AwaitSeatResponse, BotSeat, CancelMatchRequest, CreateMatchRequest, GetRecordRequest,
    GetRecordResponse, Match, MatchState, RecordFormat,
};
use ahu_service::{Limits, Matches, agent_key_hash};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::errors::{code, is};
use crate::server::{Server, matches_with};

const KEY: &str = "the key of the organiser";
const AGENT: &str = "the key of the agent";

type Organiser = OrganiserServiceClient<
    InterceptedService<Channel, Box<dyn FnMut(Request<()>) -> Result<Request<()>, Status> + Send>>,
>;

/// Starts a server that admits an organiser.
async fn server() -> (Server, Matches) {
    let matches = matches_with(Limits::default());
    let folder = tempfile::tempdir().expect("a folder");
    let hosted = ahu_service::Server::from(matches.clone());
    let hosted = hosted.with_organiser(agent_key_hash(KEY), &folder.path().join("cup.jsonl"));
    (Server::start_with(hosted).await, matches)
}

/// Returns the client of an organiser with this key.
async fn organiser(server: &Server, key: &'static str) -> Organiser {
    let add_key = move |mut request: Request<()>| {
        if !key.is_empty() {
            request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("keys are ASCII"));
        }
        Ok(request)
    };
    OrganiserServiceClient::with_interceptor(server.connect().await, Box::new(add_key))
}

/// Returns a request with a key as its bearer token; without one if the key is empty.
fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut request = Request::new(message);
    if !key.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("keys are ASCII"));
    }
    request
}

async fn get_record(server: &Server, match_id: &str, key: &str) -> Result<GetRecordResponse, Status> {
    let request = GetRecordRequest { match_id: match_id.to_owned(), format: RecordFormat::Binary.into() };
    Ok(server.matches().get_record(with_key(request, key)).await?.into_inner())
}

async fn cancel(server: &Server, match_id: &str, key: &str, reason: &str) -> Result<Match, Status> {
    let request = CancelMatchRequest { match_id: match_id.to_owned(), reason: reason.to_owned() };
    let response = server.matches().cancel_match(with_key(request, key)).await?.into_inner();
    Ok(response.r#match.expect("it is described"))
}

async fn await_seat(server: &Server) -> Result<AwaitSeatResponse, Status> {
    Ok(server.matches().await_seat(with_key(AwaitSeatRequest::default(), AGENT)).await?.into_inner())
}

fn has(error: &Status, reason: &str) -> bool {
    code(error).1 == reason
}

fn agent_hash() -> String {
    hex(&agent_key_hash(AGENT))
}

fn queue(name: &str, closed: bool) -> OpenQueuesRequest {
    let agent = QueuedAgent { key_hash: agent_hash(), name: name.to_owned(), closed, ..Default::default() };
    OpenQueuesRequest { agents: vec![agent] }
}

/// Returns a request for a match of the agent in seat 0 and a bot.
fn hosted(id: &str, sealed: bool) -> HostMatchRequest {
    let created = CreateMatchRequest {
        game: "rapanui_cards".to_owned(),
        seat_count: 2,
        bots: vec![BotSeat { seat: Some(1), bot: "greedy".to_owned() }],
        seed: "7".to_owned(),
        request_id: id.to_owned(),
        unlisted: true,
        ..Default::default()
    };
    HostMatchRequest { r#match: Some(created), pinned: true, sealed, game: 0 }
}

fn players(match_id: &str, key_hash: String) -> SeatPlayersRequest {
    let player = SeatPlayer { seat: Some(0), name: "moai".to_owned(), key_hash, agent_seed: Some(5) };
    SeatPlayersRequest { match_id: match_id.to_owned(), players: vec![player] }
}

async fn host(organiser: &mut Organiser, request: HostMatchRequest) -> String {
    let response = organiser.host_match(request).await.expect("there is room").into_inner();
    response.r#match.expect("it is described").match_id
}

#[tokio::test]
async fn every_call_needs_the_key_of_the_organiser() {
    let (with, _) = server().await;
    let without = Server::start().await;
    for (server, key, reason, expected) in [
        (&with, "", "NO_TOKEN", Code::Unauthenticated),
        (&with, AGENT, "WRONG_TOKEN", Code::PermissionDenied),
        (&without, KEY, "NO_ORGANISER", Code::FailedPrecondition),
    ] {
        let mut organiser = organiser(server, key).await;
        let match_id = "0".repeat(16);
        let errors = [
            organiser.open_queues(queue("moai", false)).await.err(),
            organiser.await_agents(AwaitAgentsRequest::default()).await.err(),
            organiser.host_match(hosted("0123456789abcdef", false)).await.err(),
            organiser.seat_players(players(&match_id, String::new())).await.err(),
            organiser.report_exit(ReportExitRequest { match_id: match_id.clone(), seat: Some(0) }).await.err(),
            organiser.unseal_match(UnsealMatchRequest { match_id }).await.err(),
            organiser.append_journal(AppendJournalRequest::default()).await.err(),
        ];
        for error in errors {
            let error = error.expect("it is refused");
            assert!(code(&error) == is(expected, reason), "{error:?}");
        }
    }
}

#[tokio::test]
async fn agents_wait_until_the_organiser_has_called() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let error = await_seat(&server).await.expect_err("nobody has named the agent");
    assert!(code(&error) == is(Code::Unavailable, "ORGANISER_AWAITED"), "{error:?}");
    let error = organiser.await_agents(AwaitAgentsRequest::default()).await.expect_err("there are no queues");
    assert!(code(&error) == is(Code::FailedPrecondition, "NO_QUEUE"), "{error:?}");
    organiser.open_queues(OpenQueuesRequest::default()).await.expect("it may");
    let error = await_seat(&server).await.expect_err("the organiser does not name the agent");
    assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
    organiser.open_queues(queue("moai", false)).await.expect("it may");
    organiser.open_queues(queue("moai", false)).await.expect("it may say so again");
    assert_eq!(await_seat(&server).await.expect("it has a queue"), AwaitSeatResponse::default());
    let agents = organiser.await_agents(AwaitAgentsRequest::default()).await.expect("it may").into_inner();
    assert_eq!((agents.changes, agents.agents.len()), (2, 1), "one call has begun and ended");
    assert!(agents.agents[0].key_hash == agent_hash() && !agents.agents[0].waiting && agents.agents[0].idle.is_some());
    organiser.open_queues(queue("moai", true)).await.expect("it may");
    assert!(await_seat(&server).await.expect("it has a queue").closed);
    organiser.open_queues(queue("moai", false)).await.expect("it may");
    assert!(!await_seat(&server).await.expect("it has a queue").closed);
}

#[tokio::test]
async fn a_renewed_key_takes_the_queue_over() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    organiser.open_queues(queue("moai", false)).await.expect("it may");
    let match_id = host(&mut organiser, hosted("0123456789abcdef", false)).await;
    organiser.seat_players(players(&match_id, agent_hash())).await.expect("it has a queue");
    let new = hex(&agent_key_hash("another key"));
    let mut renewed = queue("moai", false);
    renewed.agents[0].replaces = std::mem::replace(&mut renewed.agents[0].key_hash, new.clone());
    for _ in 0..2 {
        organiser.open_queues(renewed.clone()).await.expect("it may say so again");
    }
    let error = await_seat(&server).await.expect_err("the old key is void");
    assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
    let mut request = Request::new(AwaitSeatRequest::default());
    request.metadata_mut().insert("authorization", "Bearer another key".parse().expect("keys are ASCII"));
    let answer = server.matches().await_seat(request).await.expect("the new key is valid").into_inner();
    assert_eq!(answer.assigned.map(|assigned| assigned.match_id), Some(match_id), "the queue keeps its seat");
    let agents = organiser.await_agents(AwaitAgentsRequest::default()).await.expect("it may").into_inner().agents;
    assert_eq!(agents.iter().map(|agent| &agent.key_hash).collect::<Vec<_>>(), [&new]);
}

#[tokio::test]
async fn the_server_shows_the_cup_whose_journal_it_gets() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("cup.jsonl");
    let hosted = ahu_service::Server::from(matches_with(Limits::default())).with_organiser(agent_key_hash(KEY), &copy);
    let server = Server::start_with(hosted).await;
    let mut organiser = organiser(&server, KEY).await;
    let mut shown = CupServiceClient::new(server.connect().await);
    let error = shown.get_cup(GetCupRequest {}).await.expect_err("there is none yet");
    assert!(has(&error, "NO_CUP"), "{error:?}");

    let path = folder.path().join("journal.jsonl");
    // The line of the begin has the file, and is longer than a request may be.
    let agents: Vec<_> =
        (0..2000).map(|n| format!("[[agent]]\nname = \"a{n}\"\nowner = \"o\"\nbot = \"greedy\"\n")).collect();
    let file = format!("game = \"rapanui_cards\"\n[cup]\nname = \"Far\"\nallow_teammates = true\n{}", agents.concat());
    let salt = Salt([7; 32]);
    Journal::open(&path).expect("it is new").0.append(State::begin(&file, &salt)).expect("it is written");
    let journal = std::fs::read(&path).expect("a file");
    assert!(journal.len() > 100_000);
    let append = |from: usize, part: &[u8]| AppendJournalRequest {
        salt_hash: salt.hash(),
        offset: from as u64,
        part: part.to_vec().into(),
    };
    let late = organiser.append_journal(append(3, &journal[3..9])).await.expect("it is no error").into_inner();
    assert_eq!(late.length, 0, "the part before is missing");
    let mut from = 0;
    while from < journal.len() {
        let part = &journal[from..(from + 32 * 1024).min(journal.len())];
        // A part that is sent again is taken once.
        for _ in 0..2 {
            let sent = organiser.append_journal(append(from, part)).await.expect("it may say so again").into_inner();
            assert_eq!(sent.length, (from + part.len()) as u64);
        }
        let shown = shown.get_cup(GetCupRequest {}).await;
        from += part.len();
        assert_eq!(shown.is_ok(), from == journal.len(), "a line is shown once all of it is there");
    }
    let wrong = AppendJournalRequest { salt_hash: "no hash".to_owned(), ..append(0, &journal[..9]) };
    let wrong = organiser.append_journal(wrong).await.expect_err("it names no cup");
    assert!(has(&wrong, "BAD_FIELD") && wrong.message().contains("64 hexadecimal digits"), "{wrong:?}");
    let cup = shown.get_cup(GetCupRequest {}).await.expect("it is shown").into_inner().cup.expect("a cup");
    assert_eq!((cup.name.as_str(), cup.agents.len()), ("Far", 2000));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).expect("a file").permissions());
    assert_eq!(mode & 0o777, 0o600, "the file of the cup has commands");
}

#[tokio::test]
async fn bad_queues_change_nothing() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let mut request = queue("moai", false);
    request.agents.push(QueuedAgent { key_hash: "abc".to_owned(), name: "rongo".to_owned(), ..Default::default() });
    let error = organiser.open_queues(request).await.expect_err("it is no hash");
    assert!(has(&error, "BAD_FIELD") && error.message().contains("64 hexadecimal digits"), "{error:?}");
    let error = await_seat(&server).await.expect_err("no queue was opened");
    assert!(has(&error, "ORGANISER_AWAITED"), "{error:?}");
    let agents = |numbers: std::ops::Range<u32>| {
        let agent = |number: u32| QueuedAgent {
            key_hash: hex(&agent_key_hash(&number.to_string())),
            name: "moai".to_owned(),
            ..Default::default()
        };
        OpenQueuesRequest { agents: numbers.map(agent).collect() }
    };
    organiser.open_queues(agents(0..500)).await.expect("there is room");
    let error = organiser.open_queues(agents(500..1001)).await.expect_err("too many");
    assert!(error.message().contains("at most 1000 agents, got 1001"), "{error:?}");
}

#[tokio::test]
async fn a_match_is_hosted_and_seated_once_however_often_it_is_asked_for() {
    let (server, matches) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let error = organiser.host_match(hosted("", false)).await.expect_err("it has no id");
    assert!(has(&error, "BAD_FIELD") && error.message().contains("expected an id"), "{error:?}");
    let match_id = host(&mut organiser, hosted("0123456789abcdef", true)).await;
    assert_eq!(host(&mut organiser, hosted("0123456789abcdef", true)).await, match_id);
    let error = organiser.host_match(hosted("0123456789abcdef", false)).await.expect_err("the content differs");
    assert!(has(&error, "REQUEST_ID_REUSED"), "{error:?}");

    let error = organiser.seat_players(players(&match_id, agent_hash())).await.expect_err("the agent has no queue");
    assert!(has(&error, "NO_QUEUE"), "{error:?}");
    let live = matches.find_blocking(&match_id).expect("it is there");
    assert_eq!(live.token_of(live.seat(Some(0)).expect("a seat")), None, "nothing is half-applied");
    organiser.open_queues(queue("moai", false)).await.expect("it may");
    let first = organiser.seat_players(players(&match_id, agent_hash())).await.expect("it may").into_inner();
    let second = organiser.seat_players(players(&match_id, agent_hash())).await.expect("it may").into_inner();
    assert_eq!(first, second);
    let assigned = await_seat(&server).await.expect("it has a queue").assigned.expect("it has a seat");
    assert_eq!((&assigned.match_id, &assigned.seat_token), (&match_id, &first.seat_tokens[0]));
    assert_eq!((assigned.seat, assigned.agent_seed), (Some(0), Some(5)));

    // The exit of the agent's program is a forfeit. Only the organiser gets the record until the match is unsealed.
    let error = get_record(&server, &match_id, KEY).await.expect_err("the match goes on");
    assert!(code(&error) == is(Code::FailedPrecondition, "MATCH_NOT_ENDED"), "{error:?}");
    organiser.report_exit(ReportExitRequest { match_id: match_id.clone(), seat: Some(0) }).await.expect("it may");
    let ended = server.describe_after(&match_id, Duration::from_secs(20)).await.expect("it is hosted");
    assert_eq!(ended.state(), MatchState::Finished);
    let own = get_record(&server, &match_id, KEY).await.expect("the organiser may read it").record;
    let record = Record::read(&own).expect("a record");
    assert_eq!(record.ending, Some(Ending::Finished));
    assert!(record.result.expect("it is finished").forfeits.values()[0].is_some());
    for key in ["", AGENT, &first.seat_tokens[0]] {
        let error = get_record(&server, &match_id, key).await.expect_err("it is sealed");
        assert!(code(&error) == is(Code::FailedPrecondition, "MATCH_SEALED"), "{error:?}");
    }
    organiser.unseal_match(UnsealMatchRequest { match_id: match_id.clone() }).await.expect("it may");
    for key in ["", AGENT, KEY] {
        assert_eq!(get_record(&server, &match_id, key).await.expect("it is open").record, own);
    }
    let error = cancel(&server, &match_id, KEY, "late").await.expect_err("the match is finished");
    assert!(code(&error) == is(Code::FailedPrecondition, "MATCH_ENDED"), "{error:?}");
}

#[tokio::test]
async fn a_hosted_match_is_cancelled_with_a_reason() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let match_id = host(&mut organiser, hosted("0123456789abcdef", false)).await;
    organiser.seat_players(players(&match_id, String::new())).await.expect("it may");
    let reason = "the run was interrupted";
    for (key, expected) in
        [("", is(Code::Unauthenticated, "NO_TOKEN")), (AGENT, is(Code::PermissionDenied, "WRONG_TOKEN"))]
    {
        let error = cancel(&server, &match_id, key, reason).await.expect_err("it is not the organiser");
        assert_eq!(code(&error), expected);
        assert_eq!(server.describe(&match_id).await.state(), MatchState::Running);
    }

    let first = cancel(&server, &match_id, KEY, reason).await.expect("it has not ended");

    assert_eq!((first.state(), first.end_reason.as_str()), (MatchState::Cancelled, reason));
    let again = cancel(&server, &match_id, KEY, "another reason").await.expect("it may say so again");
    assert_eq!(again.end_reason, reason, "the first reason counts");
    let record = Record::read(&get_record(&server, &match_id, "").await.expect("it is public").record);
    assert_eq!(record.expect("a record").ending, Some(Ending::Cancelled(reason.to_owned())));
}

#[tokio::test]
async fn the_key_of_an_organiser_cancels_nothing_on_a_server_without_organiser() {
    let server = Server::start().await;
    let created = server.create(crate::server::rappanui(2, &[], 1)).await;

    let error = cancel(&server, &created.match_id, KEY, "").await.expect_err("nobody has this key");

    assert!(code(&error) == is(Code::PermissionDenied, "WRONG_TOKEN"), "{error:?}");
    assert_eq!(server.describe(&created.match_id).await, created);
}

#[tokio::test]
async fn a_match_that_is_cancelled_before_it_begins_has_no_record() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let match_id = host(&mut organiser, hosted("0123456789abcdef", true)).await;
    cancel(&server, &match_id, KEY, "").await.expect("it has not ended");

    let error = get_record(&server, &match_id, KEY).await.expect_err("there is none");

    assert!(code(&error) == is(Code::FailedPrecondition, "MATCH_ENDED"), "{error:?}");
}
