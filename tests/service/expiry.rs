//! Dropped matches: idle ones, and finished ones at the limit.

use std::time::{Duration, Instant};

use ahu::proto::v1::{Match, MatchState};
use ahu::service::{Limits, Matches};
use tonic::Code;

use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{Client, Server, error_info, matches_with, rappanui};

/// Twice the resolution of the times that the service compares.
const TICK: Duration = Duration::from_millis(2);

fn of_at_most(matches: usize) -> Matches {
    matches_with(Limits { matches, ..Limits::default() })
}

async fn ids(server: &Server) -> Vec<String> {
    server.list().await.into_iter().map(|of| of.match_id).collect()
}

/// Repeats `act` until the service can tell its last call from all earlier ones. Returns the time before the last call.
async fn until_later(mut act: impl AsyncFnMut()) -> Instant {
    let before = Instant::now();
    loop {
        let now = Instant::now();
        act().await;
        if now > before + 2 * TICK {
            return now;
        }
    }
}

#[tokio::test]
async fn an_idle_match_is_dropped_and_an_active_one_is_not() {
    let matches = matches_with(Limits::default());
    let time = matches.limits().match_idle;
    let server = Server::start_with(matches.clone()).await;
    let before = Instant::now();
    let (quiet, _) = two_agents(&server).await;
    let finished = server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;
    let seating = server.create(rappanui(2, &[], 1)).await;
    let since = Instant::now();
    assert_eq!(matches.expire(before + time), 0, "no match is idle long enough");
    let mut played = server.create(rappanui(2, &[(0, "greedy")], 1)).await;
    let agent = server.join(&played).await;
    until_later(async || {
        let (decision, legal) = agent.decision().await.expect("the match is longer");
        agent.step(decision, legal[0]).await.expect("the action is legal");
    })
    .await;

    assert_eq!(matches.expire(since + time + TICK), 3);

    played = server.describe(&played.match_id).await;
    assert_eq!(server.list().await, [played]);
    agent.decision().await.expect("the match goes on");
    for gone in [&quiet.match_id, &finished.match_id, &seating.match_id] {
        let error = Client { match_id: gone.clone(), ..quiet.clone() }.observe(Duration::ZERO).await;
        let not_found = (Code::NotFound, "UNKNOWN_MATCH".to_owned(), [gone.clone()]);
        assert_eq!(error_info(&error.expect_err("the match is dropped"), ["match_id"]), not_found);
    }
}

#[tokio::test]
async fn a_waiting_call_ends_when_its_match_is_dropped() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (_, waits) = two_agents(&server).await;
    let waiting = tokio::spawn({
        let waits = waits.clone();
        async move { waits.observe(Duration::from_secs(30)).await }
    });
    // The call is under way when later calls on the same connection have been answered.
    two_agents(&server).await;

    assert_eq!(matches.expire(Instant::now() + 2 * matches.limits().match_idle), 2);

    let error = waiting.await.expect("the task does not panic").expect_err("the match is dropped");
    assert_eq!(error_info(&error, ["match_id"]), (Code::NotFound, "UNKNOWN_MATCH".to_owned(), [waits.match_id]));
}

#[tokio::test]
async fn refused_calls_are_not_activity() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (owes, _) = two_agents(&server).await;
    let since = Instant::now();

    until_later(async || {
        owes.step(1, 0).await.expect_err("the action is illegal");
        owes.look().await;
        let target = Some(ahu::proto::v1::join_match_request::Target::MatchId(owes.match_id.clone()));
        let join = ahu::proto::v1::JoinMatchRequest { target, ..Default::default() };
        server.matches().join_match(join).await.expect_err("no seat is open");
    })
    .await;

    assert_eq!(matches.expire(since + matches.limits().match_idle + TICK), 1);
}

/// Joins these matches and plays them to their ends in this order.
async fn finish(server: &Server, created: &[Match], order: [usize; 3]) -> Vec<Client> {
    let mut clients = Vec::new();
    for of in created {
        clients.push(server.join(of).await);
    }
    for at in order {
        play_lowest(clients[at].clone()).await;
        until_later(async || {
            clients[at].look().await;
        })
        .await;
    }
    clients
}

#[tokio::test]
async fn at_the_limit_the_match_that_finished_first_is_dropped() {
    let server = Server::start_with(of_at_most(4)).await;
    let mut created = Vec::new();
    for seed in 0..3 {
        created.push(server.create(rappanui(2, &[(0, "greedy")], seed)).await);
    }
    let unfinished = server.create(rappanui(2, &[], 9)).await;
    let clients = finish(&server, &created, [1, 2, 0]).await;
    // A refused call after the end is not activity.
    clients[1].step(99, 71).await.expect_err("the match is finished");

    let mut left = ids(&server).await;
    for (seed, first) in [(10, 1), (11, 2), (12, 0)] {
        left.retain(|id| *id != created[first].match_id);
        left.push(server.create(rappanui(2, &[], seed)).await.match_id);
        assert_eq!(ids(&server).await, left);
    }

    let error = server.matches().create_match(rappanui(2, &[], 13)).await.expect_err("no match is finished");
    assert_eq!(code(&error), is(Code::ResourceExhausted, "TOO_MANY_MATCHES"));
    assert_eq!(ids(&server).await, left);
    assert_eq!(server.describe(&unfinished.match_id).await.state(), MatchState::Seating);
}
