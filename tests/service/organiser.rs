//! `OrganiserService`: a program elsewhere schedules matches, and brings agents to their seats.

use std::time::Duration;

use ahu_contest::cup::{Journal, Line, Salt, State};
use ahu_host::{Ending, Record};
use ahu_service::accounts::{Accounts, Scope};
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::organiser_service_client::OrganiserServiceClient;
use ahu_service::proto::cup::{
    AppendJournalRequest, AwaitAgentsRequest, GetCupRequest, HostMatchRequest, ListCupsRequest, OpenQueuesRequest,
    QueuedAgent, ReadJournalRequest, ReportExitRequest, SeatPlayer, SeatPlayersRequest, UnsealMatchRequest,
};
use ahu_service::proto::v1::{
    AwaitSeatRequest, AwaitSeatResponse, BotSeat, CancelMatchRequest, Dismissal, DismissalReason, GetRecordRequest,
    GetRecordResponse, JoinMatchRequest, Match, MatchSpec, MatchState, RecordFormat, join_match_request,
};
use ahu_service::{Audit, Clock, Limits, Matches, agent_key_hash};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::accounts::{add, key_of};
use crate::errors::{code, is};
use crate::server::{Server, matches_by, matches_with};

const KEY: &str = "the key of the organiser";
const AGENT: &str = "the key of the agent";
/// The time after the first call of an organiser in which it may name further agents.
const GRACE: Duration = Duration::from_secs(10);
const CUP: &str = "0123456789abcdef";
const OTHER: &str = "fedcba9876543210";

type Organiser = OrganiserServiceClient<
    InterceptedService<Channel, Box<dyn FnMut(Request<()>) -> Result<Request<()>, Status> + Send>>,
>;

/// Starts a server that admits an organiser, with a clock that stands still.
async fn server() -> (Server, Matches) {
    let matches = matches_by(Limits::default(), Clock::manual());
    let folder = tempfile::tempdir().expect("a folder");
    let hosted = ahu_service::Server::from(matches.clone());
    let hosted = hosted.with_organisers(Some(agent_key_hash(KEY)), folder.path()).expect("it is empty");
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

fn hash(key: &str) -> Vec<u8> {
    agent_key_hash(key).to_vec()
}

/// Returns the request that opens a queue for the agent, which is told this if it is dismissed.
fn queue(name: &str, dismissal: Option<&str>) -> OpenQueuesRequest {
    let dismissal =
        dismissal.map(|message| Dismissal { reason: DismissalReason::Out.into(), message: message.to_owned() });
    let agent = QueuedAgent { key_hash: hash(AGENT).into(), name: name.to_owned(), dismissal, ..Default::default() };
    OpenQueuesRequest { cup_id: CUP.to_owned(), agents: vec![agent] }
}

fn awaited() -> AwaitAgentsRequest {
    AwaitAgentsRequest { cup_id: CUP.to_owned(), ..Default::default() }
}

/// Returns a request for a match of the agent in seat 0 and a bot.
fn hosted(id: &str, sealed: bool) -> HostMatchRequest {
    let spec = MatchSpec {
        game: "rapanui_cards".to_owned(),
        seat_count: 2,
        bots: vec![BotSeat { seat: Some(1), bot: "greedy".to_owned() }],
        seed: "7".to_owned(),
        unlisted: true,
        ..Default::default()
    };
    let (cup_id, request_id) = (CUP.to_owned(), id.to_owned());
    HostMatchRequest { cup_id, spec: Some(spec), request_id, pinned: true, sealed, repetition: 0 }
}

/// Returns the request that seats the agent with this key; without one, a program of the organiser.
fn players(match_id: &str, key: &str) -> SeatPlayersRequest {
    let key_hash = if key.is_empty() { Vec::new() } else { hash(key) };
    let player = SeatPlayer { seat: Some(0), name: "moai".to_owned(), key_hash: key_hash.into(), agent_seed: Some(5) };
    SeatPlayersRequest { cup_id: CUP.to_owned(), match_id: match_id.to_owned(), players: vec![player] }
}

fn exit(match_id: &str) -> ReportExitRequest {
    ReportExitRequest { cup_id: CUP.to_owned(), match_id: match_id.to_owned(), seat: Some(0) }
}

fn unseal(match_id: &str) -> UnsealMatchRequest {
    UnsealMatchRequest { cup_id: CUP.to_owned(), match_id: match_id.to_owned() }
}

async fn host(organiser: &mut Organiser, request: HostMatchRequest) -> String {
    let queues = OpenQueuesRequest { cup_id: request.cup_id.clone(), agents: Vec::new() };
    organiser.open_queues(queues).await.expect("it is its cup");
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
            organiser.open_queues(queue("moai", None)).await.err(),
            organiser.await_agents(awaited()).await.err(),
            organiser.host_match(hosted("0123456789abcdef", false)).await.err(),
            organiser.seat_players(players(&match_id, "")).await.err(),
            organiser.report_exit(exit(&match_id)).await.err(),
            organiser.unseal_match(unseal(&match_id)).await.err(),
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
    let (server, matches) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let error = await_seat(&server).await.expect_err("nobody has named the agent");
    assert!(code(&error) == is(Code::Unavailable, "ORGANISER_AWAITED"), "{error:?}");
    let error = organiser.await_agents(awaited()).await.expect_err("there are no queues");
    assert!(code(&error) == is(Code::FailedPrecondition, "NO_QUEUE"), "{error:?}");
    organiser.open_queues(OpenQueuesRequest { cup_id: CUP.to_owned(), agents: Vec::new() }).await.expect("it may");
    let error = await_seat(&server).await.expect_err("the organiser may name it in its next call");
    assert!(has(&error, "ORGANISER_AWAITED"), "{error:?}");
    matches.advance(GRACE);
    let error = await_seat(&server).await.expect_err("the organiser does not name the agent");
    assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
    organiser.open_queues(queue("moai", None)).await.expect("it may");
    organiser.open_queues(queue("moai", None)).await.expect("it may say so again");
    assert_eq!(await_seat(&server).await.expect("it has a queue"), AwaitSeatResponse::default());
    let agents = organiser.await_agents(awaited()).await.expect("it may").into_inner();
    assert_eq!((agents.changes, agents.agents.len()), (2, 1), "one call has begun and ended");
    assert!(agents.agents[0].key_hash == hash(AGENT) && !agents.agents[0].waiting && agents.agents[0].idle.is_some());
    organiser.open_queues(queue("moai", Some("too late"))).await.expect("it may");
    let dismissal = await_seat(&server).await.expect("it has a queue").dismissal.expect("it is told");
    assert_eq!((dismissal.reason(), &*dismissal.message), (DismissalReason::Out, "too late"));
    organiser.open_queues(queue("moai", None)).await.expect("it may");
    assert_eq!(await_seat(&server).await.expect("it has a queue").dismissal, None);
}

#[tokio::test]
async fn a_renewed_key_takes_the_queue_over() {
    let (server, matches) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    organiser.open_queues(queue("moai", None)).await.expect("it may");
    let match_id = host(&mut organiser, hosted("0123456789abcdef", false)).await;
    organiser.seat_players(players(&match_id, AGENT)).await.expect("it has a queue");
    let new = hash("another key");
    let mut renewed = queue("moai", None);
    renewed.agents[0].replaces = std::mem::replace(&mut renewed.agents[0].key_hash, new.clone().into());
    for _ in 0..2 {
        organiser.open_queues(renewed.clone()).await.expect("it may say so again");
    }
    matches.advance(GRACE);
    let error = await_seat(&server).await.expect_err("the old key is void");
    assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
    let mut request = Request::new(AwaitSeatRequest::default());
    request.metadata_mut().insert("authorization", "Bearer another key".parse().expect("keys are ASCII"));
    let answer = server.matches().await_seat(request).await.expect("the new key is valid").into_inner();
    assert_eq!(answer.assigned.map(|assigned| assigned.match_id), Some(match_id), "the queue keeps its seat");
    let agents = organiser.await_agents(awaited()).await.expect("it may").into_inner().agents;
    assert_eq!(agents.iter().map(|agent| agent.key_hash.to_vec()).collect::<Vec<_>>(), [new]);
}

#[tokio::test]
async fn the_server_shows_the_cup_whose_journal_it_gets() {
    let folder = tempfile::tempdir().expect("a folder");
    let salt = Salt([7; 32]);
    let cup_id = salt.hash()[..16].to_owned();
    let copies = folder.path().join("cups");
    let hosted = ahu_service::Server::from(matches_with(Limits::default()));
    let hosted = hosted.with_organisers(Some(agent_key_hash(KEY)), &copies).expect("it is not there");
    let server = Server::start_with(hosted).await;
    let mut organiser = organiser(&server, KEY).await;
    let mut shown = CupServiceClient::new(server.connect().await);
    let get = GetCupRequest { cup_id: cup_id.clone() };
    let error = shown.get_cup(get.clone()).await.expect_err("there is none yet");
    assert!(has(&error, "NO_CUP"), "{error:?}");

    let path = folder.path().join("journal.jsonl");
    // The line of the begin has the file, and is longer than a request may be.
    let owner = "o".repeat(100);
    let agent = |n: usize| format!("[[agent]]\nname = \"a{n}\"\nowner = \"{owner}\"\nbot = \"greedy\"\n");
    let agents: Vec<_> = (0..1000).map(agent).collect();
    let file = format!("game = \"rapanui_cards\"\n[cup]\nname = \"Far\"\nallow_teammates = true\n{}", agents.concat());
    Journal::lock(&path).expect("it is new").append(&Line::now(State::begin(&file, &salt))).expect("it is written");
    let journal = std::fs::read(&path).expect("a file");
    assert!(journal.len() > 100_000);
    let append = |from: usize, part: &[u8]| AppendJournalRequest {
        cup_id: cup_id.clone(),
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
        let shown = shown.get_cup(get.clone()).await;
        from += part.len();
        assert_eq!(shown.is_ok(), from == journal.len(), "a line is shown once all of it is there");
    }
    let cup = shown.get_cup(get.clone()).await.expect("it is shown").into_inner().cup.expect("a cup");
    assert_eq!((cup.cup_id.as_str(), cup.name.as_str(), cup.agent_count), (&*cup_id, "Far", 1000));
    let copy = copies.join("operator").join(format!("{cup_id}.jsonl"));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).expect("a file").permissions());
    assert_eq!(mode & 0o777, 0o600, "the file of the cup has commands");
}

#[tokio::test]
async fn bad_queues_change_nothing() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let mut request = queue("moai", None);
    request.agents.push(QueuedAgent {
        key_hash: b"abc".to_vec().into(),
        name: "rongo".to_owned(),
        ..Default::default()
    });
    let error = organiser.open_queues(request).await.expect_err("it is no hash");
    assert!(has(&error, "BAD_FIELD") && error.message().contains("32 bytes, got 3"), "{error:?}");
    let mut request = queue("moai", None);
    let labels = [("a", "b")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let game = "rapanui_cards".to_owned();
    request.agents[0].practice = Some(MatchSpec { game, seat_count: 2, labels, ..Default::default() });
    let error = organiser.open_queues(request).await.expect_err("labels of practice matches are for nobody");
    assert!(has(&error, "BAD_FIELD") && error.message().contains("without reservations and labels"), "{error:?}");
    let error = await_seat(&server).await.expect_err("no queue was opened");
    assert!(has(&error, "ORGANISER_AWAITED"), "{error:?}");
    let agents = |numbers: std::ops::Range<u32>| {
        let agent = |number: u32| QueuedAgent {
            key_hash: hash(&number.to_string()).into(),
            name: "moai".to_owned(),
            ..Default::default()
        };
        OpenQueuesRequest { cup_id: CUP.to_owned(), agents: numbers.map(agent).collect() }
    };
    for first in (0..20_000).step_by(500) {
        organiser.open_queues(agents(first..first + 500)).await.expect("there is room");
    }
    let error = organiser.open_queues(agents(20_000..20_001)).await.expect_err("too many");
    assert!(error.message().contains("at most 20000 agents, got 20001"), "{error:?}");
}

#[tokio::test]
async fn a_match_is_hosted_and_seated_once_however_often_it_is_asked_for() {
    let (server, matches) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let error = organiser.host_match(hosted("0123456789abcdef", false)).await.expect_err("the cup has no queues");
    assert!(has(&error, "NO_QUEUE"), "{error:?}");
    let queues = OpenQueuesRequest { cup_id: CUP.to_owned(), agents: Vec::new() };
    organiser.open_queues(queues).await.expect("it is its cup");
    let error = organiser.host_match(hosted("", false)).await.expect_err("it has no id");
    assert!(has(&error, "BAD_FIELD") && error.message().contains("expected an id"), "{error:?}");
    let match_id = host(&mut organiser, hosted("0123456789abcdef", true)).await;
    assert_eq!(host(&mut organiser, hosted("0123456789abcdef", true)).await, match_id);
    let error = organiser.host_match(hosted("0123456789abcdef", false)).await.expect_err("the content differs");
    assert!(has(&error, "REQUEST_ID_REUSED"), "{error:?}");

    let error = organiser.seat_players(players(&match_id, AGENT)).await.expect_err("the agent has no queue");
    assert!(has(&error, "NO_QUEUE"), "{error:?}");
    let live = matches.find_blocking(&match_id).expect("it is there");
    assert_eq!(live.token_of(live.seat(Some(0)).expect("a seat")), None, "nothing is half-applied");
    organiser.open_queues(queue("moai", None)).await.expect("it may");
    let first = organiser.seat_players(players(&match_id, AGENT)).await.expect("it may").into_inner();
    let second = organiser.seat_players(players(&match_id, AGENT)).await.expect("it may").into_inner();
    assert_eq!(first, second);
    let assigned = await_seat(&server).await.expect("it has a queue").assigned.expect("it has a seat");
    assert_eq!((&assigned.match_id, &assigned.seat_token), (&match_id, &first.seats[0].seat_token));
    assert_eq!((assigned.seat, assigned.agent_seed), (Some(0), Some(5)));

    // The exit of the agent's program is a forfeit. Only the organiser gets the record until the match is unsealed.
    let error = get_record(&server, &match_id, KEY).await.expect_err("the match goes on");
    assert!(code(&error) == is(Code::FailedPrecondition, "MATCH_NOT_ENDED"), "{error:?}");
    organiser.report_exit(exit(&match_id)).await.expect("it may");
    let ended = server.describe_after(&match_id, Duration::from_secs(20)).await.expect("it is hosted");
    assert_eq!(ended.state(), MatchState::Finished);
    let own = get_record(&server, &match_id, KEY).await.expect("the organiser may read it").record;
    let record = Record::read(&own).expect("a record");
    assert_eq!(record.ending, Some(Ending::Finished));
    assert!(record.result.expect("it is finished").forfeits.values()[0].is_some());
    for key in ["", AGENT, &first.seats[0].seat_token] {
        let error = get_record(&server, &match_id, key).await.expect_err("it is sealed");
        assert!(code(&error) == is(Code::FailedPrecondition, "MATCH_SEALED"), "{error:?}");
    }
    organiser.unseal_match(unseal(&match_id)).await.expect("it may");
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
    organiser.seat_players(players(&match_id, "")).await.expect("it may");
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

/// Two accounts organise on one server. Neither reaches anything of the other, whatever ids it knows.
#[tokio::test]
async fn an_organiser_reaches_its_own_cups_alone() {
    let (accounts, folder) = (Accounts::in_memory(), tempfile::tempdir().expect("a folder"));
    let start = async || {
        let hosted = ahu_service::Server::from(matches_with(Limits::default()));
        let hosted = hosted.with_organisers(None, &folder.path().join("cups")).expect("a folder");
        Server::start_with(hosted.with_accounts(accounts.clone(), Audit::default(), false)).await
    };
    let server = start().await;
    let [own, other] = ["moai", "rongo"].map(|name| {
        add(&accounts, name);
        key_of(&accounts, name, &[Scope::Organise, Scope::Watch], None)
    });
    let mut organiser = OrganiserServiceClient::new(server.connect().await);
    organiser.open_queues(with_key(queue("moai", None), &own)).await.expect("its cup");
    let hosted = organiser.host_match(with_key(hosted("0123456789abcdef", true), &own)).await.expect("its cup");
    let match_id = hosted.into_inner().r#match.expect("a match").match_id;
    let journal =
        |cup_id: &str| AppendJournalRequest { cup_id: cup_id.to_owned(), offset: 0, part: b"{}".to_vec().into() };
    organiser.append_journal(with_key(journal(CUP), &own)).await.expect("its cup");

    let errors = [
        organiser.open_queues(with_key(queue("moai", Some("go home")), &other)).await.err(),
        organiser.await_agents(with_key(awaited(), &other)).await.err(),
        organiser.host_match(with_key(self::hosted("0123456789abcdef", true), &other)).await.err(),
        organiser.seat_players(with_key(players(&match_id, AGENT), &other)).await.err(),
        organiser.report_exit(with_key(exit(&match_id), &other)).await.err(),
        organiser.unseal_match(with_key(unseal(&match_id), &other)).await.err(),
        organiser.append_journal(with_key(journal(CUP), &other)).await.err(),
    ];
    for error in errors {
        let error = error.expect("it is the cup of another organiser");
        assert!(code(&error) == is(Code::PermissionDenied, "WRONG_TOKEN"), "{error:?}");
    }
    // In a cup of its own it reaches no match of another one, and no match of a player.
    let mine = OpenQueuesRequest { cup_id: OTHER.to_owned(), agents: Vec::new() };
    organiser.open_queues(with_key(mine, &other)).await.expect("its cup");
    let players_match = server.create(crate::server::rappanui(2, &[], 1)).await;
    let token = server.join(&players_match).await.token;
    for id in [&match_id, &players_match.match_id] {
        let seat = SeatPlayersRequest { cup_id: OTHER.to_owned(), ..players(id, "") };
        let errors = [
            organiser.seat_players(with_key(seat, &other)).await.map(|answer| format!("{answer:?}")),
            organiser
                .report_exit(with_key(ReportExitRequest { cup_id: OTHER.to_owned(), ..exit(id) }, &other))
                .await
                .map(|answer| format!("{answer:?}")),
            organiser
                .unseal_match(with_key(UnsealMatchRequest { cup_id: OTHER.to_owned(), ..unseal(id) }, &other))
                .await
                .map(|answer| format!("{answer:?}")),
        ];
        for error in errors {
            let error = error.expect_err("the match is not of this cup");
            assert!(
                code(&error) == is(Code::NotFound, "UNKNOWN_MATCH") && !error.message().contains(&token),
                "{error:?}"
            );
        }
        let error = cancel(&server, id, &other, "").await.expect_err("it is not its match");
        assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
    }
    // Nobody joins a hosted match but the players of its organiser.
    let target = Some(join_match_request::Target::MatchId(match_id.clone()));
    let joined = server.matches().join_match(JoinMatchRequest { target, ..Default::default() }).await;
    assert!(has(&joined.expect_err("the seat is for its agent"), "SEAT_RESERVED"));

    let seated = organiser.seat_players(with_key(players(&match_id, AGENT), &own)).await.expect("its cup").into_inner();
    assert_eq!(seated.seats[0].match_id, match_id);
    organiser.report_exit(with_key(exit(&match_id), &own)).await.expect("its match");
    server.describe_after(&match_id, Duration::from_secs(30)).await.expect("the bots end it");
    let error = get_record(&server, &match_id, &other).await.expect_err("it is sealed");
    assert!(has(&error, "MATCH_SEALED"), "{error:?}");
    get_record(&server, &match_id, &own).await.expect("its match");

    // A cup with a journal keeps its owner when the server starts again.
    server.stop().await;
    let server = start().await;
    let mut organiser = OrganiserServiceClient::new(server.connect().await);
    let error = organiser.append_journal(with_key(journal(CUP), &other)).await.expect_err("it is still not its cup");
    assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
    organiser.append_journal(with_key(journal(CUP), &own)).await.expect("its cup");
    // A cup has its owner from the first call on, also without a journal.
    let theirs = OpenQueuesRequest { cup_id: OTHER.to_owned(), agents: Vec::new() };
    let error = organiser.open_queues(with_key(theirs, &own)).await.expect_err("it is the cup of the other organiser");
    assert!(has(&error, "WRONG_TOKEN"), "{error:?}");
}

#[tokio::test]
async fn one_key_is_expected_by_two_cups() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let dismissed =
        |cup_id: &str, why: &str| OpenQueuesRequest { cup_id: cup_id.to_owned(), ..queue("moai", Some(why)) };
    organiser.open_queues(queue("moai", None)).await.expect("it may");
    organiser.open_queues(OpenQueuesRequest { cup_id: OTHER.to_owned(), ..queue("moai", None) }).await.expect("it may");
    let match_id = host(&mut organiser, hosted("0123456789abcdef", false)).await;
    let there = HostMatchRequest { cup_id: OTHER.to_owned(), ..hosted("0123456789abcdeg", false) };
    let there = host(&mut organiser, there).await;
    organiser.seat_players(players(&match_id, AGENT)).await.expect("it has a queue");
    let other = SeatPlayersRequest { cup_id: OTHER.to_owned(), ..players(&there, AGENT) };
    organiser.seat_players(other).await.expect("it has a queue");
    let played = async |match_id: &str| {
        let assigned = await_seat(&server).await.expect("it has queues").assigned.expect("a seat");
        assert_eq!(assigned.match_id, match_id);
        cancel(&server, match_id, KEY, "the test ends it").await.expect("its match");
    };

    // The end of one cup sends nobody home whom the other expects.
    organiser.open_queues(dismissed(CUP, "the cup has ended")).await.expect("it may");
    played(&match_id).await;
    played(&there).await;
    assert_eq!(await_seat(&server).await.expect("it has queues"), AwaitSeatResponse::default());
    organiser.open_queues(dismissed(OTHER, "all is played")).await.expect("it may");
    let dismissal = await_seat(&server).await.expect("it has queues").dismissal.expect("both are over");
    assert_eq!(dismissal.message, "all is played");
}

#[tokio::test]
async fn a_cup_without_bounds_is_refused() {
    let (server, _) = server().await;
    let mut organiser = organiser(&server, KEY).await;
    let append = |cup_id: String, offset: u64| AppendJournalRequest { cup_id, offset, part: b"{}".to_vec().into() };
    let error = organiser.append_journal(append(CUP.to_owned(), 1 << 32)).await.expect_err("it is too long");
    assert!(code(&error) == is(Code::ResourceExhausted, "OVER_SHARE"), "{error:?}");
    for wrong in ["", "0123456789ABCDEF", "../../etc/passwd", "0123456789abcdef0"] {
        let error = organiser.append_journal(append(wrong.to_owned(), 0)).await.expect_err("it is no id");
        assert!(has(&error, "BAD_FIELD") && error.message().contains("16 lower-case hexadecimal digits"), "{error:?}");
    }
    // What is no journal is no cup, and hides no other.
    let mut shown = CupServiceClient::new(server.connect().await);
    organiser.append_journal(append(CUP.to_owned(), 0)).await.expect("it is a part of a line");
    let junk = AppendJournalRequest { cup_id: CUP.to_owned(), offset: 0, part: b"junk\n".to_vec().into() };
    organiser.append_journal(junk).await.expect("whoever reads it checks it");
    let error = shown.get_cup(GetCupRequest { cup_id: CUP.to_owned() }).await.expect_err("it is no journal");
    assert!(has(&error, "NO_CUP"), "{error:?}");
    for offset in [0, 1 << 62, u64::MAX] {
        let read = ReadJournalRequest { cup_id: CUP.to_owned(), offset };
        let error = shown.read_journal(read.clone()).await.expect_err("it is no journal");
        assert!(has(&error, "NO_CUP"), "{error:?}");
        let own = shown.read_journal(with_key(read, KEY)).await.expect("it is its own").into_inner().part;
        assert_eq!(own, if offset == 0 { &b"junk\n"[..] } else { &[] });
    }
    assert!(shown.list_cups(ListCupsRequest::default()).await.expect("a list").into_inner().cups.is_empty());
    // A refused call makes no cup.
    for cup in 1..=100 {
        let unnamed = QueuedAgent { key_hash: hash(AGENT).into(), ..Default::default() };
        let queues = OpenQueuesRequest { cup_id: format!("{cup:016x}"), agents: vec![unnamed] };
        let error = organiser.open_queues(queues).await.expect_err("the agent has no name");
        assert!(has(&error, "BAD_NAME"), "{error:?}");
        organiser.append_journal(append(format!("{cup:016x}"), 1 << 32)).await.expect_err("it is too long");
    }
    for cup in 1..100 {
        organiser.append_journal(append(format!("{cup:016x}"), 0)).await.expect("there is room");
    }
    let error = organiser.append_journal(append(format!("{:016x}", 100), 0)).await.expect_err("there are 100");
    assert!(has(&error, "OVER_SHARE") && error.message().contains("100 cups"), "{error:?}");
}
