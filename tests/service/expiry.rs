//! Matches that nobody uses: cancelled before they begin, dropped after their ends, and dropped at the limit.

use std::time::Duration;

use ahu_service::limits::MAX_WAIT;
use ahu_service::proto::v1::{GetRecordRequest, JoinMatchRequest, MatchSpec, MatchState, join_match_request};
use ahu_service::{Limits, Matches};
use tonic::Code;

use crate::bots::wait_for_end;
use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{Asked, Client, Server, error_info, forfeited, matches_with, rappanui, unseeded};
use crate::web::{ask, get, with_page};

/// The resolution of the times of the service.
const TICK: Duration = Duration::from_millis(1);

async fn ids(server: &Server) -> Vec<String> {
    server.list().await.into_iter().map(|of| of.match_id).collect()
}

fn join(match_id: &str) -> JoinMatchRequest {
    let target = Some(join_match_request::Target::MatchId(match_id.to_owned()));
    JoinMatchRequest { target, ..Default::default() }
}

#[tokio::test]
async fn a_match_that_has_ended_is_dropped_after_its_idle_time() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 1)).await;
    play_lowest(clients[0].clone()).await;
    let other = server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;
    matches.advance(matches.limits().match_idle);
    // Calls for a match that has ended are not activity.
    clients[0].look().await;
    clients[0].step(99, 71).await.expect_err("the match is finished");
    server.matches().join_match(join(&other.match_id)).await.expect_err("no seat is open");
    let newest = server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 2)).await;
    assert_eq!(matches.expire(), 0, "no match is idle long enough");

    matches.advance(TICK);
    assert_eq!(matches.expire(), 2);

    assert_eq!(server.list().await, [newest]);
    let error = clients[0].observe(Duration::ZERO).await.expect_err("the match is dropped");
    let not_found = (Code::NotFound, "UNKNOWN_MATCH".to_owned(), [clients[0].match_id.clone()]);
    assert_eq!(error_info(&error, ["match_id"]), not_found);
}

#[tokio::test]
async fn a_match_that_is_not_joined_is_cancelled_and_whoever_waits_is_told() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let early = server.join(&created).await;
    matches.advance(matches.limits().match_idle);
    // Refused calls and calls that change nothing are not activity.
    early.look().await;
    let taken = JoinMatchRequest { seat: Some(0), ..join(&created.match_id) };
    server.matches().join_match(taken).await.expect_err("the seat is taken");
    assert_eq!((matches.expire(), early.look().await.state()), (0, MatchState::Seating));
    let observing = tokio::spawn({
        let early = early.clone();
        async move { early.observe(MAX_WAIT).await }
    });
    let waiting = wait_for_end(&server, &created.match_id);
    // The calls are under way when later calls on the same connection have been answered.
    server.list().await;

    matches.advance(TICK);
    assert_eq!(matches.expire(), 0, "it is kept, so that everybody learns the reason");

    let told = observing.await.expect("the task does not panic").expect("the match is hosted");
    let reason = "the seats were not taken in time";
    assert_eq!((told.state(), told.end_reason.as_str(), told.decision), (MatchState::Cancelled, reason, None));
    let told = waiting.await.expect("the task does not panic").expect("the match is hosted");
    assert_eq!((told.state(), told.end_reason.as_str(), told.result), (MatchState::Cancelled, reason, None));
    let ended = [created.match_id.clone(), "CANCELLED".to_owned()];
    let ended = (Code::FailedPrecondition, "MATCH_ENDED".to_owned(), ended);
    let record = GetRecordRequest { match_id: created.match_id.clone(), ..Default::default() };
    for error in [
        server.matches().join_match(join(&created.match_id)).await.expect_err("the match has ended"),
        early.step(1, 71).await.expect_err("the match has ended"),
        server.matches().get_record(record).await.expect_err("the match has no record"),
    ] {
        assert_eq!(error_info(&error, ["match_id", "state"]), ended);
        assert!(error.message().contains(reason), "{error}");
    }

    matches.advance(matches.limits().match_idle + TICK);
    assert_eq!(matches.expire(), 1);
    let error = early.observe(Duration::ZERO).await.expect_err("the match is dropped");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_MATCH"));
}

#[tokio::test]
async fn a_match_in_progress_is_not_dropped() {
    let limits = Limits { match_idle: Duration::from_secs(60), ..Limits::default() };
    let matches = matches_with(limits);
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two_agents(&server).await;

    matches.advance(limits.decision_idle);
    assert_eq!((matches.expire(), owes.look().await.state()), (0, MatchState::Running));

    // The idle limit ends it, without a call.
    for _ in 0..2 {
        // A clock starts when the entries before it are kept, for which this call waits.
        server.describe(&owes.match_id).await;
        matches.advance(limits.decision_idle + Duration::from_secs(1));
    }
    let ended = server.describe_after(&owes.match_id, MAX_WAIT).await.expect("the match is hosted");
    assert_eq!(forfeited(&ended.result.expect("the match is finished").forfeits), [0, 1]);
    matches.advance(limits.match_idle + TICK);
    assert_eq!(matches.expire(), 1);
    let error = waits.observe(Duration::ZERO).await.expect_err("the match is dropped");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_MATCH"));
}

#[tokio::test]
async fn a_cancelled_match_makes_room_at_the_limit() {
    let matches = matches_with(Limits { matches: 1, ..Limits::default() });
    let server = Server::start_with(matches.clone()).await;
    let cancelled = server.create(rappanui(2, &[], 1)).await;
    let full = server.matches().create_match(rappanui(2, &[], 2).asked()).await.expect_err("no match has ended");
    assert_eq!(code(&full), is(Code::ResourceExhausted, "TOO_MANY_MATCHES"));

    matches.advance(matches.limits().match_idle + TICK);
    matches.expire();

    let created = server.create(MatchSpec { seed: String::new(), ..rappanui(2, &[], 2) }).await;
    assert_eq!(ids(&server).await, [cancelled.match_id, created.match_id]);
}

/// Creates three matches, and plays them to their ends in this order.
async fn finish(server: &Server, matches: &Matches, order: [usize; 3]) -> Vec<Client> {
    let mut clients = Vec::new();
    for seed in 0..3 {
        clients.extend(server.seats(rappanui(2, &[(0, "greedy")], seed)).await);
    }
    for at in order {
        play_lowest(clients[at].clone()).await;
        matches.advance(TICK);
    }
    clients
}

#[tokio::test]
async fn beyond_the_memory_for_ended_matches_the_one_that_finished_first_is_dropped() {
    let order = [1, 2, 0];
    let unbounded = matches_with(Limits::default());
    let server = Server::start_with(unbounded.clone()).await;
    finish(&server, &unbounded, order).await;
    let all = unbounded.ended_bytes();
    assert!(all > 3 * 10_000, "each match takes more than 10 KB, got {all} bytes");

    let matches = matches_with(Limits { ended_bytes: all - 1, ..Limits::default() });
    let server = Server::start_with(matches.clone()).await;
    let clients = finish(&server, &matches, order).await;
    assert_eq!((matches.ended_bytes(), ids(&server).await.len()), (all, 3));
    // A refused call after the end is not activity.
    clients[1].step(99, 71).await.expect_err("the match is finished");

    let unfinished = server.create(rappanui(2, &[], 9)).await;

    let left = [&clients[0].match_id, &clients[2].match_id, &unfinished.match_id];
    assert_eq!(ids(&server).await.iter().collect::<Vec<_>>(), left);
    assert!(matches.ended_bytes() < all);
    let error = clients[1].observe(Duration::ZERO).await.expect_err("the match is dropped");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_MATCH"));
    assert!(error.message().contains("this server keeps matches in memory only"), "{error}");
}

#[tokio::test]
async fn a_browser_is_told_that_a_match_is_cancelled_and_later_that_it_is_unknown() {
    let hosted = with_page();
    let matches = hosted.matches();
    let server = Server::start_with(hosted.clone()).await;
    let match_id = server.create(unseeded(2)).await.match_id;
    let watching = tokio::spawn({
        let (address, path) = (server.address(), format!("GET /api/matches/{match_id}/events"));
        async move { ask(address, &path, "", b"").await.events() }
    });
    // The browser gets the present position. Otherwise it would only get the end.
    tokio::time::sleep(Duration::from_millis(200)).await;
    matches.advance(matches.limits().match_idle + Duration::from_millis(1));
    matches.expire();
    let told = watching.await.expect("no panic");
    let last: Vec<_> = told.iter().rev().map(|(_, event)| event.as_str()).take(2).collect();
    assert!(last[0].starts_with("event: end"), "{told:?}");
    assert!(last[1].contains("\"state\":\"cancelled\"") && last[1].contains("not taken in time"), "{told:?}");

    matches.advance(matches.limits().match_idle + Duration::from_millis(1));
    matches.expire();
    for path in ["", "/events", "/log", "/board?after=1", "/replay"] {
        let answer = get(&server, &format!("/api/matches/{match_id}{path}")).await;
        assert_eq!((answer.status(), &answer.json()["error"]["reason"]), (404, &"UNKNOWN_MATCH".into()), "{path}");
    }
}
