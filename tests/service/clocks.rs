//! Clocks: limits, banks, idle limits, and the time that nobody is charged for.

use std::future::poll_fn;
use std::time::Duration;

use ahu_host::{Cause, Entry, GAMES, MatchTime, ThinkingTime, verify};
use ahu_service::limits::{MAX_WAIT, TIMER_SLACK};
use ahu_service::proto::v1::{
    BotSeat, Cause as WireCause, Conduct, Consequence, Forfeit, MatchSpec, MatchState, RecordFormat, SeatClock,
    SeatTimeControl, TimeControl,
};
use ahu_service::{Clock, Limits, Matches, Page};
use http_body_util::BodyExt as _;
use prost::Message as _;
use prost::bytes::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::body::Body;
use tonic::codegen::{Service as _, http};
use tonic::{Code, Status};

use crate::errors::{code, is};
use crate::matches::{play_lowest, record_of};
use crate::server::{Asked, Client, Server, error_info, matches_by, matches_with, rappanui, seconds};
use crate::store::TestStore;
use crate::web::cookie;

/// A limit of five seconds, after three seconds for the start and half a second for the network.
const LIMIT: Duration = Duration::from_millis(8_500);

fn limited() -> TimeControl {
    TimeControl { startup: seconds(3.0), limit: seconds(5.0), lag: seconds(0.5), ..Default::default() }
}

fn banked() -> TimeControl {
    TimeControl { bank: seconds(10.0), increment: seconds(2.0), lag: seconds(0.5), ..Default::default() }
}

fn timed(time_control: TimeControl) -> MatchSpec {
    MatchSpec { time_control: Some(time_control), ..rappanui(2, &[], 1) }
}

/// Creates a match of two agents at its first decision. Returns the agent that has to decide, and the other agent.
async fn two(server: &Server, request: MatchSpec) -> (Client, Client) {
    let clients = server.seats(request).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    (clients[to_act].clone(), clients[1 - to_act].clone())
}

async fn start() -> (Server, Matches) {
    let matches = matches_with(Limits::default());
    (Server::start_with(matches.clone()).await, matches)
}

fn timeout_of(client: &Client) -> Vec<Forfeit> {
    vec![Forfeit { seat: Some(client.seat), cause: WireCause::Timeout.into() }]
}

const TICK: Duration = Duration::from_millis(1);

#[tokio::test]
async fn an_agent_that_never_moves_forfeits_in_every_game_and_the_others_get_a_result() {
    let (server, matches) = start().await;
    for rules in GAMES {
        let seat_count = *rules.seats().start() as u32;
        let bots = (1..seat_count).map(|seat| BotSeat { seat: Some(seat), bot: "greedy".to_owned() }).collect();
        let game = rules.info().id.to_owned();
        let control = Some(TimeControl { limit: seconds(2.0), lag: seconds(0.0), ..Default::default() });
        let request = MatchSpec { game, seat_count, bots, time_control: control, ..Default::default() };
        let silent = server.seats(request).await.remove(0);
        silent.decision().await.expect("the seat has to decide");

        matches.advance(Duration::from_secs(2) + TIMER_SLACK);

        let ended = server.describe_after(&silent.match_id, MAX_WAIT).await.expect("the match is hosted");
        let result = ended.result.expect("the match is finished");
        assert_eq!((result.forfeits, result.ranks[0]), (timeout_of(&silent), seat_count), "{}", ended.game);
        let record = record_of(&silent, RecordFormat::Binary).await;
        assert_eq!(verify(&record), Ok(()));
        assert_eq!(record.digest().to_vec(), result.record_digest);
    }
}

#[tokio::test]
async fn an_answer_at_the_last_millisecond_is_in_time() {
    let (server, matches) = start().await;
    let (owes, waits) = two(&server, timed(limited())).await;
    let left = |client: Client| async move { client.look().await.decision.map(|decision| decision.time_left) };
    assert_eq!(left(owes.clone()).await, Some(seconds(8.5)));

    matches.advance(LIMIT.saturating_sub(TICK));
    assert_eq!(left(owes.clone()).await, Some(seconds(0.001)));
    matches.advance(TICK);
    let (decision, legal) = owes.decision().await.expect("the seat still has to decide");
    owes.step(decision, legal[0]).await.expect("the answer is in time");

    assert_eq!(owes.look().await.forfeits, []);
    let record = record_after(&server, &matches, [&owes, &waits]).await;
    let first = record.entries.iter().find_map(|entry| match entry {
        Entry::Action { time, .. } => Some(*time),
        _ => None,
    });
    assert_eq!(first, Some(ThinkingTime { measured: 8_500, charged: 5_000 }));
}

/// Waits until the time of both seats is over, and returns the record.
async fn record_after(server: &Server, matches: &Matches, clients: [&Client; 2]) -> ahu_host::Record {
    for _ in 0..2 {
        // A clock starts when the entries before it are kept, for which this call waits.
        server.describe(&clients[0].match_id).await;
        matches.advance(Duration::from_secs(3600));
    }
    let ended = server.describe_after(&clients[0].match_id, MAX_WAIT).await.expect("the match is hosted");
    assert_eq!(ended.state(), MatchState::Finished);
    let record = record_of(clients[0], RecordFormat::Text).await;
    assert_eq!(verify(&record), Ok(()));
    record
}

#[tokio::test]
async fn an_answer_after_the_limit_is_late_even_before_the_timer_looks() {
    let (server, matches) = start().await;
    let (owes, waits) = two(&server, timed(limited())).await;
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    matches.advance(LIMIT + TICK);
    assert_eq!(owes.look().await.forfeits, [], "the timer leaves time for calls that wait for the lock");

    let error = owes.step(decision, legal[0]).await.expect_err("the answer is late");

    let forfeited = (Code::FailedPrecondition, "FORFEITED".to_owned(), ["TIMEOUT".to_owned()]);
    assert_eq!(error_info(&error, ["cause"]), forfeited);
    assert_eq!(waits.look().await.forfeits, timeout_of(&owes));
    let record = record_after(&server, &matches, [&owes, &waits]).await;
    let is_first = record.entries.iter().find(|entry| !matches!(entry, Entry::Chance(_)));
    assert!(matches!(is_first, Some(Entry::Forfeit { cause: Cause::Timeout, .. })), "{is_first:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_answers_at_the_limit_one_is_taken_and_the_record_says_which() {
    let (server, matches) = start().await;
    for late in [Duration::ZERO, TICK] {
        let (owes, waits) = two(&server, timed(limited())).await;
        let (decision, legal) = owes.decision().await.expect("the seat has to decide");
        matches.advance(LIMIT + late);

        let (one, other) = tokio::join!(owes.step(decision, legal[0]), owes.step(decision, legal[1]));

        let refused = [&one, &other].into_iter().filter_map(|answer| answer.as_ref().err()).map(code);
        let refused: Vec<_> = refused.map(|(_, reason)| reason).collect();
        let record = record_after(&server, &matches, [&owes, &waits]).await;
        let entry = record.entries.iter().find(|entry| !matches!(entry, Entry::Chance(_)));
        if late.is_zero() {
            assert_eq!(refused, ["DECISION_TAKEN"]);
            let taken = if one.is_ok() { legal[0] } else { legal[1] };
            assert!(matches!(entry, Some(Entry::Action { id, .. }) if u32::from(id.0) == taken), "{entry:?}");
        } else {
            assert_eq!(refused, ["FORFEITED"; 2]);
            assert!(matches!(entry, Some(Entry::Forfeit { cause: Cause::Timeout, .. })), "{entry:?}");
        }
    }
}

#[tokio::test]
async fn the_timer_ends_a_decision_without_a_call() {
    let (server, matches) = start().await;
    let (owes, waits) = two(&server, timed(limited())).await;
    let waiting = tokio::spawn({
        let waits = waits.clone();
        async move { waits.observe(MAX_WAIT).await }
    });
    // The call is under way when a later call on the same connection has been answered.
    server.list().await;

    matches.advance(LIMIT + TIMER_SLACK);

    let told = waiting.await.expect("the task does not panic").expect("the match is hosted");
    assert_eq!((told.forfeits, told.decision.is_some()), (timeout_of(&owes), true));
    // Time passes for the other seat from now on.
    matches.advance(LIMIT);
    assert!(waits.look().await.decision.is_some());
}

#[tokio::test]
async fn the_time_of_a_real_server_passes() {
    let server = Server::start_with(matches_by(Limits::default(), Clock::system())).await;
    let short = TimeControl { limit: seconds(0.05), lag: seconds(0.0), ..Default::default() };
    let of_seat = SeatTimeControl { seat: Some(0), time_control: Some(short) };
    let request = MatchSpec { seat_time_controls: vec![of_seat], ..rappanui(2, &[], 1) };
    let clients = server.seats(request).await;

    assert!(play_lowest(clients[1].clone()).await > 10);

    let ended = server.describe_after(&clients[0].match_id, MAX_WAIT).await.expect("the match is hosted");
    assert_eq!(ended.result.expect("the match is finished").forfeits, timeout_of(&clients[0]));
}

#[tokio::test]
async fn a_bank_is_charged_after_the_free_time_and_grows_by_the_increment() {
    let (server, matches) = start().await;
    let (owes, waits) = two(&server, timed(banked())).await;
    let banks = |of: &[SeatClock]| of.iter().map(|clock| clock.bank).collect::<Vec<_>>();
    assert_eq!(banks(&owes.look().await.clocks), [seconds(10.0), seconds(10.0)]);
    matches.advance(Duration::from_secs(3));

    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let answer = owes.step(decision, legal[0]).await.expect("the answer is in time");

    let own = owes.seat as usize;
    let left = seconds(10.0 - 2.5 + 2.0);
    assert_eq!(banks(&answer.observation.expect("the format was requested").clocks)[own], left);
    assert_eq!(banks(&waits.look().await.clocks)[own], left, "the other seat was told of the action");
    assert_eq!(waits.look().await.clocks[own].seat, Some(owes.seat));
}

/// Returns the times that are left in the first position of a stream of the page.
async fn told_left(server: &Server, match_id: &str, viewer: &str, lines: &str) -> Value {
    let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    let head = format!("GET /api/matches/{match_id}/events?as={viewer} HTTP/1.0\r\nHost: localhost\r\n{lines}\r\n");
    socket.write_all(head.as_bytes()).await.expect("it is open");
    let mut lines = BufReader::new(socket).lines();
    while let Some(line) = lines.next_line().await.expect("it is open") {
        if let Some(position) = line.strip_prefix("data: ") {
            return serde_json::from_str::<Value>(position).expect("it is JSON")["left"].clone();
        }
    }
    panic!("expected a position");
}

#[tokio::test]
async fn a_page_that_opens_late_learns_the_time_that_is_left_now_unless_the_public_sees_the_past() {
    let matches = matches_with(Limits::default());
    let hosted = ahu_service::Server::from(matches.clone()).with_page(Page::default());
    let server = Server::start_with(hosted).await;
    for spectator_delay in [0, 5] {
        let (owes, waits) = two(&server, MatchSpec { spectator_delay, ..timed(banked()) }).await;
        matches.advance(Duration::from_secs(4));
        let shown = json!([[owes.seat, 6_500]]);
        let public = if spectator_delay > 0 { json!([]) } else { shown.clone() };
        assert_eq!(told_left(&server, &owes.match_id, "public", "").await, public);
        for client in [&owes, &waits] {
            let viewer = client.seat.to_string();
            assert_eq!(told_left(&server, &owes.match_id, &viewer, &cookie(client)).await, shown);
        }
    }
}

/// An answer arrives with its last byte, so a client cannot stop its clock with headers alone.
#[tokio::test]
async fn an_answer_whose_body_trickles_is_charged_to_its_seat() {
    let (server, matches) = start().await;
    let (owes, _) = two(&server, timed(banked())).await;
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let message = owes.step_request(decision, legal[0]).encode_to_vec();
    let mut bytes = [&[0][..], &(message.len() as u32).to_be_bytes(), &message].concat();
    let rest = bytes.split_off(bytes.len() / 2);
    let (sending, frames) = mpsc::unbounded_channel();
    let body = axum::body::Body::from_stream(UnboundedReceiverStream::new(frames));
    let request = http::Request::post(format!("http://{}/ahu.v1.MatchService/Step", server.address()))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", format!("Bearer {}", owes.token))
        .body(Body::new(body))
        .expect("a request");
    let frame = |bytes: Vec<u8>| Ok::<_, Status>(Bytes::from(bytes));

    let mut channel = server.connect().await;
    poll_fn(|context| channel.poll_ready(context)).await.expect("it is connected");
    let answer = tokio::spawn(channel.call(request));
    sending.send(frame(bytes)).expect("the call reads it");
    matches.advance(Duration::from_secs(3));
    sending.send(frame(rest)).expect("the call reads it");
    drop(sending);
    let answer = answer.await.expect("no panic").expect("an answer");

    answer.into_body().collect().await.expect("the whole answer");
    let left = seconds(10.0 - 2.5 + 2.0);
    assert_eq!(owes.look().await.clocks[owes.seat as usize].bank, left);
}

#[tokio::test]
async fn a_bank_that_is_empty_forfeits() {
    let (server, matches) = start().await;
    let (owes, waits) = two(&server, timed(banked())).await;
    matches.advance(Duration::from_millis(10_500));
    assert_eq!(owes.look().await.decision.and_then(|decision| decision.time_left), seconds(0.0));

    matches.advance(TIMER_SLACK);

    assert_eq!(waits.look().await.forfeits, timeout_of(&owes));
}

#[tokio::test]
async fn a_timeout_can_be_a_strike_after_which_the_time_begins_anew() {
    let (server, matches) = start().await;
    let conduct = Some(Conduct { timeout: Consequence::Strike.into(), strikes: Some(2), ..Default::default() });
    let request = MatchSpec { conduct, ..timed(limited()) };
    let (owes, waits) = two(&server, request).await;

    matches.advance(LIMIT + TIMER_SLACK);
    let seen = owes.look().await;
    assert_eq!((seen.forfeits, seen.decision.and_then(|decision| decision.time_left)), (vec![], seconds(8.5)));
    matches.advance(LIMIT);
    assert_eq!(waits.look().await.forfeits, []);
    matches.advance(TIMER_SLACK);

    assert_eq!(waits.look().await.forfeits, timeout_of(&owes));
    let record = record_after(&server, &matches, [&owes, &waits]).await;
    let strikes = record.entries.iter().filter(|entry| {
        matches!(entry, Entry::Strike { cause: Cause::Timeout, decision: 1, action: None, seat } if seat.index() == owes.seat as usize)
    });
    assert_eq!(strikes.count(), 2);
}

#[tokio::test]
async fn a_seat_has_its_own_clock_and_the_idle_limit_holds_for_the_others() {
    let (server, matches) = start().await;
    let of_seat = SeatTimeControl { seat: Some(0), time_control: Some(limited()) };
    let request = MatchSpec { seat_time_controls: vec![of_seat], ..rappanui(2, &[], 1) };
    let clients = server.seats(request).await;
    let described = server.describe(&clients[0].match_id).await;
    let full = TimeControl { increment: seconds(0.0), ..limited() };
    assert_eq!((described.time_controls.len(), &described.time_controls[0]), (2, &full));
    assert_eq!(described.time_controls[1].limit, None);

    for client in [&clients[0], &clients[1], &clients[0], &clients[1]] {
        let Some(decision) = client.look().await.decision else { continue };
        let first = if decision.decision_id == 1 { 8.5 } else { 5.5 };
        let expected = if client.seat == 0 { first } else { matches.limits().decision_idle.as_secs_f64() };
        assert_eq!(decision.time_left, seconds(expected));
        client.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
    }
}

#[tokio::test]
async fn the_time_of_the_store_is_not_charged() {
    let store = TestStore::default();
    let matches = Matches::with_clock(Limits::default(), Some(store.open()), Clock::manual());
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two(&server, timed(limited())).await;
    let (mut next, mut other) = (owes.clone(), waits.clone());
    // The loop ends with an action after which the other seat has to decide.
    loop {
        let (decision, legal) = next.decision().await.expect("the seat has to decide");
        let mut keeper = store.hold_up();
        let stepping = tokio::spawn({
            let next = next.clone();
            async move { next.step(decision, legal[0]).await }
        });
        keeper.arrival().await;
        // No clock runs while the store keeps the entries.
        matches.advance(Duration::from_secs(1000));
        keeper.let_one_pass();
        let answer = stepping.await.expect("the task does not panic").expect("the action is legal");
        drop(keeper);
        let seen = answer.observation.expect("the format was requested");
        assert_eq!(seen.forfeits, []);
        if seen.decision.is_none() {
            (next, other) = (other, next);
            break;
        }
    }

    let decision = next.look().await.decision.expect("the seat has to decide");
    assert_eq!(decision.time_left, seconds(8.5));
    matches.advance(LIMIT);
    assert_eq!(next.look().await.decision.and_then(|decision| decision.time_left), seconds(0.0));
    matches.advance(TIMER_SLACK);
    assert_eq!(other.look().await.forfeits, timeout_of(&next));
}

#[tokio::test]
async fn a_clock_that_jumps_either_way_harms_nobody() {
    let clock = Clock::manual();
    clock.set(MatchTime(1_000_000));
    let matches = matches_by(Limits::default(), clock.clone());
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two(&server, timed(limited())).await;
    clock.set(MatchTime(0));
    matches.advance(TICK);

    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    owes.step(decision, legal[0]).await.expect("the action is legal");
    assert_eq!(waits.look().await.forfeits, []);

    clock.set(MatchTime(u64::MAX / 2));
    matches.advance(Duration::ZERO);
    let told = server.describe(&owes.match_id).await;
    assert!([MatchState::Running, MatchState::Finished].contains(&told.state()), "{told:?}");
}

#[tokio::test]
async fn an_impossible_clock_is_refused_and_creates_no_match() {
    let server = Server::start().await;
    let negative = Some(prost_types::Duration { seconds: -1, nanos: 0 });
    let none = TimeControl::default();
    for (field, control) in [
        ("time_control.limit", TimeControl { limit: seconds(0.0), ..none }),
        ("time_control.limit", TimeControl { limit: negative, ..none }),
        ("time_control.bank", TimeControl { bank: seconds(0.0), ..none }),
        ("time_control.bank", TimeControl { bank: seconds(86_401.0), ..none }),
        ("time_control.lag", TimeControl { lag: negative, ..none }),
        ("time_control.startup", TimeControl { startup: seconds(1e9), ..none }),
        ("time_control.increment", TimeControl { increment: seconds(1.0), ..none }),
    ] {
        let error = server.matches().create_match(timed(control).asked()).await.expect_err("the clock is impossible");
        assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_FIELD"));
        assert_eq!(error_info(&error, ["field"]).2, [field.to_owned()], "{error}");
        assert!(error.message().starts_with("expected "), "{error}");
    }
    assert_eq!(server.list().await, []);
    let day = TimeControl { limit: seconds(86_400.0), bank: seconds(86_400.0), ..none };
    let created = server.create(timed(day)).await;
    assert_eq!(created.time_controls[0].lag, seconds(0.2), "the default");
}

#[tokio::test]
async fn the_commitment_covers_the_clocks_and_the_conduct() {
    let server = Server::start().await;
    let plain = server.create(rappanui(2, &[], 1)).await;
    let timed = server.create(timed(limited())).await;

    assert_ne!(plain.specification, timed.specification);
    for part in ["\nidle 600000ms\n", "\nstand_in greedy@2\n", "\nclock 1 startup=3000ms limit=5000ms "] {
        assert!(timed.specification.contains(part), "{}", timed.specification);
    }
}
