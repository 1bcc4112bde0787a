//! Restarts: a server with a store goes on where the last one ended.

use std::time::Duration;

use ahu_core::Seed;
use ahu_host::{GAMES, find, verify};
use ahu_service::limits::TIMER_SLACK;
use ahu_service::proto::v1::{
    AnyMatch, BotSeat, ErrorReason, GetRecordRequest, JoinMatchRequest, JoinMatchResponse, ListMatchesRequest, Match,
    MatchSpec, MatchState, ObserveRequest, RecordFormat, Reservation, StepRequest, TimeControl, join_match_request,
    reservation,
};
use ahu_service::store::Keep;
use ahu_service::{Clock, Limits, LiveMatch, MatchConfig, Matches, Recovered, RecoveryError};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::Code;

use crate::errors::{code, is};
use crate::matches::{play_lowest, record_of};
use crate::server::{Client, Server, Taken, error_info, forfeited, rappanui, seconds, with_id};
use crate::store::TestStore;
use crate::watching::{self, Watching};

/// Starts a server on the store, and waits until all matches that had not ended are in memory.
async fn start_with(store: &TestStore, limits: Limits) -> (Server, Matches, Recovered) {
    let matches = Matches::with_clock(limits, Some(store.open()), Clock::manual());
    let (done, is_done) = oneshot::channel();
    matches.recover(|recovered| done.send(recovered).expect("the test waits")).expect("the store is sound");
    let recovered = is_done.await.expect("the recovery ends");
    (Server::start_with(matches.clone()).await, matches, recovered)
}

async fn start(store: &TestStore) -> (Server, Matches) {
    let (server, matches, _) = start_with(store, Limits::default()).await;
    (server, matches)
}

/// Ends a server in the same way as SIGTERM.
async fn stop(server: Server, matches: Matches) {
    server.stop().await;
    assert!(matches.flush(), "the store works");
}

async fn restart(server: Server, matches: Matches, store: &TestStore) -> (Server, Matches) {
    stop(server, matches).await;
    start(store).await
}

/// Returns the client's seat on another server.
fn on(server: &Server, client: &Client) -> Client {
    client.over(server.channel.clone())
}

async fn join(server: &Server, request: JoinMatchRequest) -> JoinMatchResponse {
    server.matches().join_match(request).await.expect("a seat is open").into_inner()
}

fn joining(match_id: &str, request_id: &str) -> JoinMatchRequest {
    let target = Some(join_match_request::Target::MatchId(match_id.to_owned()));
    JoinMatchRequest { target, request_id: request_id.to_owned(), ..Default::default() }
}

async fn record(server: &Server, match_id: &str, format: RecordFormat) -> Vec<u8> {
    let request = GetRecordRequest { match_id: match_id.to_owned(), format: format.into() };
    server.matches().get_record(request).await.expect("the match is finished").into_inner().record.to_vec()
}

/// Returns the description without the presence of agents, which ends with the server.
fn without_presence(mut described: Match) -> Match {
    described.seats.iter_mut().for_each(|seat| seat.present = false);
    described
}

#[tokio::test]
async fn a_match_goes_on_with_the_same_tokens_in_every_game() {
    let store = TestStore::default();
    let (mut server, mut matches) = start(&store).await;
    let mut clients = Vec::new();
    for rules in GAMES {
        for seat_count in [*rules.seats().start() as u32, *rules.seats().end() as u32] {
            let bots = vec![BotSeat { seat: Some(seat_count - 1), bot: "greedy".to_owned() }];
            let game = rules.info().id.to_owned();
            let request = MatchSpec { game, seat_count, bots, seed: "7".to_owned(), ..Default::default() };
            clients.extend(server.seats(request).await);
        }
    }
    for _ in 0..3 {
        // Every seat that has a decision answers some decisions.
        for client in &clients {
            for _ in 0..4 {
                if let Some(decision) = client.look().await.decision {
                    let middle = decision.legal_ids[decision.legal_ids.len() / 2];
                    client.step(decision.decision_id, middle).await.expect("the action is legal");
                }
            }
        }
        let mut before = Vec::new();
        for client in &clients {
            before.push((client.look().await, server.describe(&client.match_id).await));
        }
        (server, matches) = restart(server, matches, &store).await;
        clients = clients.iter().map(|client| on(&server, client)).collect();
        for (client, (seen, described)) in clients.iter().zip(before) {
            assert_eq!(client.look().await, seen);
            assert_eq!(without_presence(server.describe(&client.match_id).await), without_presence(described));
        }
    }
    let ends = clients.iter().map(|client| play_lowest(client.clone()));
    futures_of(ends).await;
    for client in &clients {
        let record = record_of(client, RecordFormat::Binary).await;
        assert_eq!(verify(&record), Ok(()));
    }
    drop(matches);
}

/// Runs all of these futures at once.
async fn futures_of(futures: impl Iterator<Item = impl Future<Output = usize> + Send + 'static>) {
    let mut running: tokio::task::JoinSet<usize> = futures.collect();
    while let Some(done) = running.join_next().await {
        done.expect("the task does not panic");
    }
}

#[tokio::test]
async fn requests_have_the_same_answers_after_a_restart() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let creating = with_id("create-0123456789", rappanui(2, &[], 1));
    let created = server.matches().create_match(creating.clone()).await.expect("there is room").into_inner();
    let match_id = created.r#match.as_ref().expect("a match").match_id.clone();
    let first = join(&server, joining(&match_id, "join-0123456789-a")).await;
    let second = join(&server, joining(&match_id, "join-0123456789-b")).await;
    let clients = [&first, &second].map(|joined| Client {
        matches: server.matches(),
        match_id: match_id.clone(),
        seat: joined.taken().seat.expect("a seat"),
        token: joined.taken().seat_token,
    });
    let owes = clients[clients[0].look().await.seats_to_act[0] as usize].clone();
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let stepped = owes.step(decision, legal[0]).await.expect("the action is legal");

    let (server, matches) = restart(server, matches, &store).await;

    let again = on(&server, &owes).step(decision, legal[0]).await.expect("a request may be repeated");
    assert!(again.replayed);
    assert_eq!(again.action_id, stepped.action_id);
    for (request_id, joined) in [("join-0123456789-a", &first), ("join-0123456789-b", &second)] {
        let again = join(&server, joining(&match_id, request_id)).await;
        assert_eq!((again.taken().seat, &again.taken().seat_token), (joined.taken().seat, &joined.taken().seat_token));
    }
    let again = server.matches().create_match(creating.clone()).await.expect("a request may be repeated").into_inner();
    assert_eq!((again.owner_token, again.r#match.expect("a match").match_id), (created.owner_token, match_id));
    let other = with_id(&creating.request_id, rappanui(2, &[], 2));
    let reused = server.matches().create_match(other).await.expect_err("the content differs");
    assert_eq!(code(&reused), is(Code::AlreadyExists, "REQUEST_ID_REUSED"));
    assert_eq!(server.list().await.len(), 1);
    stop(server, matches).await;
}

#[tokio::test]
async fn a_stream_goes_on_after_a_restart_with_the_same_delay() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let delayed = MatchSpec { spectator_delay: 4, ..rappanui(2, &[], 8) };
    let clients = server.seats(delayed).await;
    let play = async |clients: &[Client]| {
        for _ in 0..6 {
            let owes = &clients[clients[0].look().await.seats_to_act[0] as usize];
            let (decision, legal) = owes.decision().await.expect("the seat has to decide");
            owes.step(decision, legal[0]).await.expect("the action is legal");
        }
    };
    let of = |after| watching::request(&clients[0].match_id, Some(after));
    let mut public = Watching::start(&server, of(0)).await.expect("it is public");
    let mut seat = Watching::seat(&server, &clients[0], Some(0)).await;
    play(&clients).await;
    let told = clients[0].look().await.event_count;
    let (mut seen, mut own) = (Vec::new(), Vec::new());
    while own.last() != Some(&told) {
        own.extend(watching::numbers(&[seat.next().await.expect("the match goes on")]));
    }
    while seen.is_empty() {
        seen.extend(watching::numbers(&[public.next().await.expect("the match goes on")]));
    }

    let (server, matches) = restart(server, matches, &store).await;

    let clients: Vec<_> = clients.iter().map(|client| on(&server, client)).collect();
    let last = |numbers: &[u32]| *numbers.last().expect("there are events");
    let public = Watching::start(&server, of(last(&seen))).await.expect("it is public");
    let seat = Watching::seat(&server, &clients[0], Some(last(&own))).await;
    play(&clients).await;
    assert_eq!(server.describe(&clients[0].match_id).await.spectator_delay, 4);
    let shown = clients[0].matches.clone().observe(observe_publicly(&clients[0])).await.expect("it is public");
    let shown = shown.into_inner().observation.expect("an observation").event_count;
    let now = clients[0].look().await.event_count;
    assert!(shown > last(&seen) && shown + 4 <= now, "{shown} of {now}");
    matches.find_blocking(&clients[0].match_id).expect("it is hosted").cancel("rain").expect("it goes on");
    seen.extend(watching::numbers(&public.rest().await));
    own.extend(watching::numbers(&seat.rest().await));
    for numbers in [&seen, &own] {
        assert_eq!(*numbers, (1..=last(numbers)).collect::<Vec<_>>(), "no event is lost or doubled");
    }
    assert_eq!(last(&own), now);
    stop(server, matches).await;
}

fn observe_publicly(client: &Client) -> ObserveRequest {
    ObserveRequest { seat: None, public_view: true, ..client.observe_request(Duration::ZERO) }
}

#[tokio::test]
async fn a_stream_ends_while_the_store_fails_and_begins_again_afterwards() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let owes = &clients[clients[0].look().await.seats_to_act[0] as usize];
    let request = || watching::request(&owes.match_id, None);
    let mut public = Watching::start(&server, request()).await.expect("it is public");
    let before = public.next().await.and_then(|message| message.observation).expect("it goes on").event_count;
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    store.orders().is_full = true;
    owes.step(decision, legal[0]).await.expect_err("the store is full");

    let error = public.message().await.expect_err("nothing is told that is not kept");
    assert_eq!(code(&error), is(Code::Unavailable, "MATCH_SUSPENDED"));
    let error = Watching::start(&server, request()).await.err().expect("the store is full");
    assert_eq!(code(&error), is(Code::Unavailable, "MATCH_SUSPENDED"));
    store.orders().is_full = false;
    while owes.observe(Duration::ZERO).await.is_err() {}
    let mut again = Watching::start(&server, watching::request(&owes.match_id, Some(before))).await.expect("it works");
    again.next().await.expect("it goes on");
    let told = again.next().await.and_then(|message| message.observation).expect("it goes on");
    assert_eq!(told.events[0].number, before + 1);
    stop(server, matches).await;
}

#[tokio::test]
async fn clocks_stand_still_while_the_server_is_down() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let control = TimeControl { bank: seconds(10.0), increment: seconds(1.0), lag: seconds(0.0), ..Default::default() };
    let clients = server.seats(MatchSpec { time_control: Some(control), ..rappanui(2, &[], 1) }).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let owes = clients[to_act].clone();
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    matches.advance(Duration::from_secs(3));
    owes.step(decision, legal[0]).await.expect("the seat has time");
    let other = clients[owes.look().await.seats_to_act[0] as usize].clone();
    other.look().await;
    matches.advance(Duration::from_secs(4));
    let before = other.look().await;
    let left = before.decision.as_ref().expect("the seat has to decide").time_left;

    let (server, matches) = restart(server, matches, &store).await;

    let other = on(&server, &other);
    assert_eq!(other.look().await, before, "the bank of the other and the time that is left");
    let left = Duration::try_from(left.expect("a limit")).expect("a positive time");
    matches.advance(left);
    assert_eq!(other.look().await.forfeits, []);
    matches.advance(TIMER_SLACK + Duration::from_millis(1));
    assert_eq!(forfeited(&other.look().await.forfeits), [other.seat]);
}

#[tokio::test]
async fn a_step_that_waits_when_the_server_closes_is_replayed_by_the_next_server() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let (owes, waits) = (clients[to_act].clone(), clients[1 - to_act].clone());
    // The first decision of the other seat ends the chain of decisions of this one.
    let (mut answer, mut waiting) = ((0, 0), None);
    while waits.look().await.decision.is_none() {
        let (decision, legal) = owes.decision().await.expect("the match is longer");
        answer = (decision, legal[0]);
        let request = StepRequest { wait: seconds(25.0), ..owes.step_request(decision, legal[0]) };
        let (mut calls, request) = (owes.matches.clone(), owes.with_token(request));
        waiting = Some(tokio::spawn(async move { calls.step(request).await }));
        while waits.look().await.decision.is_none() && !waiting.as_ref().is_some_and(JoinHandle::is_finished) {
            tokio::task::yield_now().await;
        }
    }
    matches.close();
    let refused = waiting.expect("it has begun").await.expect("the task does not panic");
    assert_eq!(code(&refused.expect_err("the server closes")), is(Code::Unavailable, "CLOSING"));

    let (server, matches) = restart(server, matches, &store).await;

    let owes = on(&server, &owes);
    let again = owes.step(answer.0, answer.1).await.expect("a request may be repeated");
    assert_eq!((again.replayed, again.decision_id, again.action_id), (true, answer.0, Some(answer.1)));
    assert!(on(&server, &waits).look().await.decision.is_some());
    stop(server, matches).await;
}

#[tokio::test]
async fn finished_matches_leave_memory_and_are_read_back() {
    let store = TestStore::default();
    let (server, matches, _) = start_with(&store, Limits { ended_bytes: 0, ..Limits::default() }).await;
    let mut ended = Vec::new();
    for seed in 0..3 {
        let labels = [("seed".to_owned(), seed.to_string())].into();
        let request = rappanui(3, &[(0, "greedy"), (1, "random"), (2, "greedy")], seed);
        ended.push(server.finished(MatchSpec { labels, ..request }).await);
    }
    let client = server.seats(rappanui(2, &[(0, "greedy")], 5)).await.remove(0);
    let mut last = (0, 0);
    while let Some((decision, legal)) = client.decision().await {
        client.act(decision, legal[0]).await;
        last = (decision, legal[0]);
    }
    let seen = client.look().await;
    ended.push(without_presence(server.describe(&client.match_id).await));
    let unlisted = MatchSpec { unlisted: true, ..rappanui(2, &[(0, "greedy"), (1, "greedy")], 8) };
    let private = server.finished(unlisted).await;

    matches.expire();
    let none = || assert_eq!((matches.in_memory(), matches.ended_bytes()), (0, 0));
    none();

    // The store lists the matches, and no agent is present.
    assert_eq!(server.list().await, ended);
    for (value, expected) in [("1", &ended[1..2]), ("9", &[])] {
        let labels = [("seed".to_owned(), value.to_owned())].into();
        let asked = ListMatchesRequest { labels, ..Default::default() };
        let listed = server.matches().list_matches(asked).await.expect("a list").into_inner();
        assert_eq!((listed.matches.as_slice(), listed.next_page_token.as_str()), (expected, ""));
    }
    for of in &ended {
        none();
        assert_eq!(without_presence(server.describe(&of.match_id).await), *of);
        let text = record(&server, &of.match_id, RecordFormat::Text).await;
        let read = ahu_host::Record::read(&text).expect("a record can be read");
        assert_eq!(verify(&read), Ok(()));
        assert_eq!(read.digest().to_vec(), of.result.as_ref().expect("a result").record_digest);
        assert_eq!(record(&server, &of.match_id, RecordFormat::Binary).await, read.to_bytes());
    }
    assert_eq!(server.describe(&private.match_id).await, private);
    assert_eq!(client.look().await, seen);
    none();
    assert!(client.step(last.0, last.1).await.expect("a request may be repeated").replayed);

    // The same holds for the next server.
    stop(server, matches).await;
    let (server, _, recovered) = start_with(&store, Limits::default()).await;
    assert_eq!(recovered, Recovered::default());
    assert_eq!(server.list().await.into_iter().map(without_presence).collect::<Vec<_>>(), ended);
    assert_eq!(on(&server, &client).look().await, seen);
}

#[tokio::test]
async fn lists_have_pages_games_and_states_after_a_restart() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let bots = [(0, "greedy"), (1, "greedy")];
    for seed in 0..4 {
        server.finished(rappanui(2, &bots, seed)).await;
        server.create(rappanui(2, &bots[..1], seed)).await;
    }
    server.create(MatchSpec { unlisted: true, ..rappanui(2, &[], 9) }).await;
    let cards = MatchSpec { game: "rapanui_cards".to_owned(), ..rappanui(3, &[], 1) };
    server.create(cards).await;
    let playing = server.seats(rappanui(2, &bots[..1], 20)).await;
    let all = server.list().await;
    let list = async |server: &Server, asked: ListMatchesRequest| {
        server.matches().list_matches(asked).await.expect("a list").into_inner()
    };
    let asked = [
        ListMatchesRequest { page_size: 3, ..Default::default() },
        ListMatchesRequest { page_size: 1, state: MatchState::Finished.into(), ..Default::default() },
        ListMatchesRequest { page_size: 2, state: MatchState::Seating.into(), ..Default::default() },
        ListMatchesRequest { state: MatchState::Running.into(), ..Default::default() },
        ListMatchesRequest { game: "rapanui_cards".to_owned(), ..Default::default() },
        ListMatchesRequest { state: MatchState::Void.into(), ..Default::default() },
    ];
    let pages = async |server: &Server| {
        let mut found = Vec::new();
        for asked in &asked {
            let mut asked = asked.clone();
            loop {
                let page = list(server, asked.clone()).await;
                found.push(page.matches.iter().map(|of| of.match_id.clone()).collect::<Vec<_>>());
                if page.next_page_token.is_empty() {
                    break;
                }
                asked.page_token = page.next_page_token;
            }
        }
        found
    };
    let before = pages(&server).await;
    assert_eq!(before.concat().len(), 10 + 4 + 5 + 1 + 1);

    let (server, matches) = restart(server, matches, &store).await;

    assert_eq!(pages(&server).await, before);
    let after = server.list().await;
    assert_eq!(
        after.into_iter().map(without_presence).collect::<Vec<_>>(),
        all.into_iter().map(without_presence).collect::<Vec<_>>()
    );
    assert_eq!(on(&server, &playing[0]).look().await.state(), MatchState::Running);
    drop(matches);
}

#[tokio::test]
async fn a_match_with_open_seats_is_joined_after_a_restart() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let reserved = |seat, condition| Reservation { seat: Some(seat), condition: Some(condition) };
    let created = server
        .create(MatchSpec {
            seed: String::new(),
            labels: [("round".to_owned(), "3".to_owned())].into(),
            reservations: vec![
                reserved(1, reservation::Condition::Name("moai".to_owned())),
                reserved(2, reservation::Condition::InvitationCode("an-invitation-code".to_owned())),
            ],
            ..rappanui(3, &[], 0)
        })
        .await;
    let early = server.join(&created).await;
    assert_eq!(early.seat, 0);

    let (server, matches) = restart(server, matches, &store).await;

    let described = server.describe(&created.match_id).await;
    assert_eq!((described.labels["round"].as_str(), described.state()), ("3", MatchState::Seating));
    let any = AnyMatch { game: "rappanui".to_owned(), ..Default::default() };
    let by_name = JoinMatchRequest {
        target: Some(join_match_request::Target::Any(any)),
        name: "moai".to_owned(),
        ..Default::default()
    };
    let joined = join(&server, by_name).await;
    assert_eq!((joined.taken().seat, joined.taken().match_id), (Some(1), created.match_id.clone()));
    let refused = server.matches().join_match(joining(&created.match_id, "")).await.expect_err("the seat is reserved");
    assert_eq!(code(&refused), is(Code::PermissionDenied, "SEAT_RESERVED"));
    let code = JoinMatchRequest { invitation_code: "an-invitation-code".to_owned(), ..joining(&created.match_id, "") };
    assert_eq!(join(&server, code).await.taken().seat, Some(2));
    assert_eq!(on(&server, &early).look().await.state(), MatchState::Running);
    drop(matches);
}

/// Opens the store for a host in this process, without a server, as soon as the last host has ended.
fn host(store: &TestStore) -> Matches {
    let matches = Matches::with_clock(Limits::default(), Some(store.open()), Clock::manual());
    let (done, is_done) = std::sync::mpsc::channel();
    matches.recover(move |recovered| done.send(recovered).expect("the test waits")).expect("the store is sound");
    assert_eq!(is_done.recv().expect("the recovery ends").damaged, 0);
    matches
}

/// Answers this number of decisions of the seats of a match, with the first legal action; fewer if the match ends.
fn play_here(live: &LiveMatch, decisions: usize) {
    for _ in 0..decisions {
        let owed = live.with_referee(|referee| {
            let seat = live.seats().iter().find(|&seat| referee.owes(seat))?;
            Some((seat, referee.decision(seat)?, referee.legal_actions(seat).iter().next()?))
        });
        match owed.flatten() {
            Some((seat, decision, action)) => {
                live.step(seat, decision, action.0.into()).expect("it is legal");
            }
            None => return,
        }
    }
}

#[test]
fn a_match_that_begins_with_plies_of_another_is_kept_with_them() {
    let store = TestStore::default();
    let matches = host(&store);
    let rules = ahu_host::find("rappanui").expect("a game");
    let setup = rules.configure(2, &[]).expect("the defaults");
    let config = MatchConfig { seed: Some(Seed(4)), ..MatchConfig::new(setup) };
    let entries = |live: &LiveMatch| live.with_referee(|referee| referee.entries().to_vec()).expect("it has begun");
    let join = |live: &LiveMatch| [0, 1].map(|seat| live.join(Some(seat), "agent").expect("the seat is open"));
    let first = matches.host(config.clone()).expect("there is room");
    join(&first);
    play_here(&first, 9);
    let beginning = entries(&first);

    let second = matches.host(MatchConfig { beginning: beginning.clone(), ..config.clone() }).expect("it is possible");
    join(&second);

    assert_eq!(entries(&second), beginning);
    play_here(&second, 3);
    let (id, played) = (second.id.to_string(), entries(&second));
    assert!(played.len() > beginning.len() && matches.flush(), "the store works");
    let other = MatchConfig { seed: Some(Seed(5)), beginning: beginning[1..].to_vec(), ..config };
    let refused = matches.host(other).expect_err("the first ply is missing");
    assert!(refused.message().contains("ply 1 is impossible"), "{}", refused.message());
    drop((first, second, matches));

    let matches = host(&store);
    let second = matches.find_blocking(&id).expect("the store has it");
    assert_eq!(entries(&second), played);
    play_here(&second, usize::MAX);
    assert_eq!(verify(&second.with_referee(ahu_host::Referee::record).expect("it has begun")), Ok(()));
}

#[test]
fn a_host_goes_on_with_a_stored_match_without_a_second_join() {
    let store = TestStore::default();
    let matches = host(&store);
    let rules = ahu_host::find("rapanui_cards").expect("a game");
    let bots = vec![None, None, Some(rules.bot("greedy").expect("every game has it"))];
    let setup = rules.configure(3, &[]).expect("the defaults");
    let live = matches.host(MatchConfig { bots, is_unlisted: true, ..MatchConfig::new(setup) }).expect("there is room");
    let seats: Vec<_> = live.seats().iter().collect();
    assert_eq!(live.token_of(seats[0]), None, "the seat is open");
    let joined = [0, 1].map(|seat| live.join(Some(seat), "agent").expect("the seat is open"));
    play_here(&live, 6);
    let (id, entries) = (live.id.to_string(), live.with_referee(|referee| referee.entries().to_vec()));
    assert!(matches.flush(), "the store works");
    drop((live, matches));

    let matches = host(&store);

    let live = matches.find_blocking(&id).expect("the store has it");
    assert_eq!(live.with_referee(|referee| referee.entries().to_vec()), entries);
    for (seat, token) in joined {
        live.join(Some(seat.index() as u32), "agent").expect_err("the seat is taken");
        assert_eq!(live.token_of(seat), Some(token));
    }
    assert_eq!(live.token_of(seats[2]), None, "a bot has no token");
    play_here(&live, usize::MAX);
    assert_eq!(verify(&live.with_referee(ahu_host::Referee::record).expect("it has begun")), Ok(()));
    assert!(live.has_ended() && matches.flush());
    drop((live, matches));

    // The server reads a match that has ended when a call asks for it.
    let matches = host(&store);
    assert_eq!(matches.in_memory(), 0);
    assert!(matches.find_blocking(&id).expect("the store has it").has_ended());
    let unknown = matches.find_blocking("another").expect_err("there is none");
    assert_eq!(unknown.reason, ErrorReason::UnknownMatch);
}

#[tokio::test]
async fn the_token_of_a_seat_that_a_request_took_is_found_after_a_restart() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let joined = join(&server, joining(&created.match_id, "join-0123456789-a")).await;
    let client = server.join(&created).await;

    let (_server, matches) = restart(server, matches, &store).await;

    let live = matches.find_blocking(&created.match_id).expect("the store has it");
    let token_of = |seat| live.token_of(live.seat(Some(seat)).expect("a seat"));
    assert_eq!(token_of(0), Some(joined.taken().seat_token));
    assert_eq!((client.seat, token_of(1)), (1, Some(client.token)));
}

#[tokio::test]
async fn the_server_refuses_a_store_whose_open_matches_need_other_rules() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let finished = server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;
    let open = server.create(rappanui(2, &[], 1)).await;
    stop(server, matches).await;
    store.sql("UPDATE match SET rules = 7, release = '9.8.7'");

    let matches = Matches::with_clock(Limits::default(), Some(store.open()), Clock::manual());
    let error = matches.recover(|_| ()).expect_err("this release has other rules");

    assert!(matches!(&error, RecoveryError::Rules(needed) if needed.len() == 1 && needed[0].matches == 1), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("1 of rappanui need rules version 7, of which it has version 1"), "{message}");
    assert!(message.contains("release 9.8.7"), "{message}");
    drop(matches);

    // Matches that have ended are described, and do not stop the server.
    store.sql(&format!("DELETE FROM match WHERE id = '{}'", open.match_id));
    let (server, _, recovered) = start_with(&store, Limits::default()).await;
    assert_eq!((recovered.open, server.list().await), (0, vec![finished]));
}

#[tokio::test]
async fn a_damaged_match_is_set_aside_and_the_others_go_on() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let mut clients = Vec::new();
    for seed in 0..3 {
        clients.extend(server.seats(rappanui(2, &[(0, "greedy")], seed)).await);
    }
    for client in &clients {
        let (decision, legal) = client.decision().await.expect("the seat has to decide");
        client.step(decision, legal[0]).await.expect("the action is legal");
    }
    stop(server, matches).await;
    let number = format!("(SELECT number FROM match WHERE id = '{}')", clients[1].match_id);
    store.sql(&format!("UPDATE entry SET at_ms = at_ms + 1 WHERE match = {number} AND n > 0"));

    let (server, _, recovered) = start_with(&store, Limits::default()).await;

    assert_eq!(recovered, Recovered { open: 3, damaged: 1 });
    let error = on(&server, &clients[1]).observe(Duration::ZERO).await.expect_err("the match is damaged");
    let damaged = (Code::DataLoss, "MATCH_DAMAGED".to_owned(), [clients[1].match_id.clone()]);
    assert_eq!(error_info(&error, ["match_id"]), damaged);
    assert!(!error.message().contains("entr"), "the number of entries is a secret: {error}");
    let listed: Vec<_> = server.list().await.into_iter().map(|of| of.match_id).collect();
    assert_eq!(listed, [clients[0].match_id.clone(), clients[2].match_id.clone()]);
    for client in [&clients[0], &clients[2]] {
        assert!(play_lowest(on(&server, client)).await > 5);
    }
}

#[tokio::test]
async fn a_match_that_cannot_be_read_for_a_moment_goes_on_without_a_call() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let seating = server.create(rappanui(2, &[], 1)).await.match_id;
    let running = server.seats(rappanui(2, &[(0, "greedy")], 2)).await.remove(0).match_id;
    stop(server, matches).await;
    // The first match fails twice, and the others once or not at all.
    store.orders().unreadable = 3;

    let (server, matches, recovered) = start_with(&store, Limits::default()).await;

    assert_eq!((recovered, store.orders().unreadable), (Recovered { open: 2, damaged: 0 }, 0));
    assert_eq!(matches.in_memory(), 2, "the clocks of both go on");
    let listed: Vec<_> = server.list().await.into_iter().map(|of| of.match_id).collect();
    assert_eq!(listed, [seating, running]);
}

#[tokio::test]
async fn bounds_never_remove_a_pinned_match() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let rules = ahu_host::find("rappanui").expect("a game");
    let setup = rules.configure(2, &[]).expect("the defaults");
    let greedy = rules.bot("greedy").expect("every game has it");
    let config = MatchConfig { bots: vec![Some(greedy); 2], is_pinned: true, ..MatchConfig::new(setup) };
    let pinned = matches.host(config).expect("there is room").id.to_string();
    server.describe_after(&pinned, Duration::from_secs(20)).await.expect("it is hosted");
    server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;
    store.sql("UPDATE match SET ended_ms = 1");

    let keep = Keep { age: Some(Duration::from_secs(1)), bytes: Some(1) };
    assert_eq!(matches.prune(&keep), Ok(1), "clients cannot pin");

    let left: Vec<_> = server.list().await.into_iter().map(|of| of.match_id).collect();
    assert_eq!(left, [pinned]);
    let (server, matches) = restart(server, matches, &store).await;
    assert_eq!((matches.prune(&keep), server.list().await.len()), (Ok(0), 1));
}

#[tokio::test]
async fn a_store_keeps_what_its_bounds_allow() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let bots = [(0, "greedy"), (1, "greedy")];
    let mut ended = Vec::new();
    let day = Duration::from_secs(86_400);
    for seed in 0..12 {
        if seed == 4 {
            matches.advance(2 * day);
        }
        let request_id = format!("finished-0123456789-{seed}");
        ended.push(server.finished(with_id(&request_id, rappanui(2, &bots, seed))).await.match_id);
    }
    let open = server.create(rappanui(2, &[], 1)).await.match_id;
    assert_eq!(matches.prune(&Keep::default()), Ok(0));
    assert_eq!(matches.prune(&Keep { age: Some(3 * day), bytes: None }), Ok(0));
    assert_eq!(matches.prune(&Keep { age: None, bytes: Some(1 << 30) }), Ok(0));

    assert_eq!(matches.prune(&Keep { age: Some(day), bytes: None }), Ok(4));

    let ids = async || server.list().await.into_iter().map(|of| of.match_id).collect::<Vec<_>>();
    assert_eq!(ids().await, [&ended[4..], std::slice::from_ref(&open)].concat());
    let gone = server.describe_after(&ended[0], Duration::ZERO).await.expect_err("the match is removed");
    assert_eq!(code(&gone), is(Code::NotFound, "UNKNOWN_MATCH"));
    // The id of its request can be used again.
    let again = server.create(with_id("finished-0123456789-0", rappanui(2, &[], 77))).await.match_id;
    assert!(!ended.contains(&again));

    // With a bound that no store can keep, only the matches that have not ended stay.
    assert_eq!(matches.prune(&Keep { age: None, bytes: Some(1) }), Ok(8));
    assert_eq!(ids().await, [open, again]);
}

#[tokio::test]
async fn a_seal_outlives_the_server_until_it_is_broken() {
    let store = TestStore::default();
    let (mut server, mut matches) = start(&store).await;
    let rules = find("rappanui").expect("we have it");
    let setup = rules.configure(2, &[]).expect("the defaults are valid");
    let bots = vec![rules.bot("random").ok(); 2];
    let live = matches.host(MatchConfig { is_sealed: true, bots, ..MatchConfig::new(setup) }).expect("there is room");
    let id = live.id.to_string();
    drop(live);
    let ended = server.describe_after(&id, Duration::from_secs(20)).await.expect("it is hosted");
    assert!(ended.result.expect("a result").seed.is_empty());
    for is_broken in [false, true] {
        if is_broken {
            let (matches, id) = (matches.clone(), id.clone());
            let unseal = move || matches.find_blocking(&id).map(|live| live.unseal());
            tokio::task::spawn_blocking(unseal).await.expect("it ends").expect("the store has it");
        }
        (server, matches) = restart(server, matches, &store).await;
        let list = ListMatchesRequest::default();
        let listed = server.matches().list_matches(list).await.expect("it may").into_inner().matches.remove(0);
        let result = listed.result.clone().expect("it has ended");
        assert_eq!((result.seed.is_empty(), result.record_digest.is_empty()), (!is_broken, !is_broken));
        let request = GetRecordRequest { match_id: id.clone(), format: RecordFormat::Binary.into() };
        let record = server.matches().get_record(request).await;
        match is_broken {
            false => {
                assert_eq!(code(&record.expect_err("it is sealed")), is(Code::FailedPrecondition, "MATCH_SEALED"));
            }
            true => assert!(!record.expect("it is open").into_inner().record.is_empty()),
        }
        let described = server.describe(&id).await;
        assert_eq!((described.result, described.end_time), (listed.result, ended.end_time));
    }
    stop(server, matches).await;
}
