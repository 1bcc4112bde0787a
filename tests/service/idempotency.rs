//! Request ids: a client that got no answer sends the same request again.

use std::collections::HashSet;
use std::time::Duration;

use ahu_service::proto::v1::{
    AnyMatch, AssignedSeat, JoinMatchRequest, JoinMatchResponse, MatchSpec, SeatState, join_match_request,
};
use ahu_service::{Clock, Limits, Matches};
use tokio::task::JoinSet;
use tonic::{Code, Status};

use crate::errors::{code, is};
use crate::matches::play_lowest;
use crate::server::{Client, Server, Taken, error_info, rappanui, unseeded, with_id};

const ID: &str = "0123456789abcdef";

/// The number of rounds that make a rare interleaving of calls likely.
const ROUNDS: usize = 40;

fn join_as(id: &str, match_id: &str) -> JoinMatchRequest {
    let target = Some(join_match_request::Target::MatchId(match_id.to_owned()));
    JoinMatchRequest { target, request_id: id.to_owned(), ..Default::default() }
}

fn join_any_as(id: &str) -> JoinMatchRequest {
    let any = AnyMatch { game: "rappanui".to_owned(), seat_count: Some(2), ..Default::default() };
    let target = Some(join_match_request::Target::Any(any));
    JoinMatchRequest { target, request_id: id.to_owned(), ..Default::default() }
}

async fn join(server: &Server, request: JoinMatchRequest) -> Result<JoinMatchResponse, Status> {
    Ok(server.matches().join_match(request).await?.into_inner())
}

#[tokio::test]
async fn a_repeated_request_creates_one_match() {
    let server = Server::start().await;
    let all_options = ahu_host::find("rappanui")
        .expect("the game is in the catalog")
        .configure(2, &[])
        .expect("the defaults are valid");
    let options = all_options.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let request = with_id(ID, MatchSpec { options, ..unseeded(2) });

    let first = server.create(request.clone()).await;
    assert_eq!(server.create(request.clone()).await, first);
    assert_eq!(server.list().await, std::slice::from_ref(&first));

    let client = server.join(&first).await;
    let again = server.create(request).await;
    assert_eq!(again.match_id, client.match_id, "the answer is the current description");
    assert_eq!(again.seats[0].state(), SeatState::Joined);
    let other = server.create(with_id("another-id-of-ours", unseeded(2))).await;
    assert_ne!(other.match_id, first.match_id);
}

#[tokio::test]
async fn a_repeated_request_takes_one_seat_and_gets_the_same_token() {
    let server = Server::start().await;
    let created = server.create(rappanui(3, &[], 1)).await;

    for request in [join_as(ID, &created.match_id), join_any_as("another-id-of-ours")] {
        let first = join(&server, request.clone()).await.expect("a seat is open");
        let again = join(&server, request).await.expect("the request is the same");
        assert_eq!(again, first);
    }
    let seats = server.describe(&created.match_id).await.seats;
    let open = seats.iter().filter(|seat| seat.state() == SeatState::Open).count();
    assert_eq!((open, server.list().await.len()), (2, 2));

    // Each request without an id is a new request.
    let (one, other) = (server.join(&created).await, server.join(&created).await);
    assert_eq!((one.seat, other.seat), (1, 2));
    assert_ne!(one.token, other.token);
}

#[tokio::test]
async fn a_request_for_a_seat_can_be_repeated_after_the_end() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[(1, "greedy")], 1)).await;
    let first = join(&server, join_as(ID, &created.match_id)).await.expect("a seat is open");
    let token = first.taken().seat_token;
    let client = Client { matches: server.matches(), match_id: created.match_id.clone(), seat: 0, token };
    play_lowest(client.clone()).await;

    let again = join(&server, join_as(ID, &created.match_id)).await.expect("the request is the same");

    assert_eq!((again.taken().seat, again.taken().seat_token), (first.taken().seat, first.taken().seat_token));
    let again = again.r#match.expect("a match");
    assert_eq!(again.result, client.look().await.result);
    assert!(again.result.is_some());
}

#[tokio::test]
async fn a_request_id_cannot_be_used_for_other_content() {
    let server = Server::start().await;
    let created = server.create(with_id(ID, rappanui(3, &[], 1))).await;
    join(&server, join_as(ID, &created.match_id)).await.expect("each call has request ids of its own");
    let any = join(&server, join_any_as("another-id-of-ours")).await.expect("a new match").r#match.expect("a match");
    let before = server.list().await;

    let reused = is(Code::AlreadyExists, "REQUEST_ID_REUSED");
    let error = server.matches().create_match(with_id(ID, rappanui(3, &[], 2))).await.expect_err("the content differs");
    assert_eq!(code(&error), reused);
    for other in [
        JoinMatchRequest { name: "somebody".to_owned(), ..join_as(ID, &created.match_id) },
        JoinMatchRequest { seat: Some(0), ..join_as(ID, &created.match_id) },
        join_as(ID, &any.match_id),
        join_as("another-id-of-ours", &any.match_id),
        JoinMatchRequest { seat: Some(1), ..join_any_as("another-id-of-ours") },
    ] {
        let error = join(&server, other).await.expect_err("the content differs");
        assert_eq!(code(&error), reused);
    }

    assert_eq!(server.list().await, before);
}

#[tokio::test]
async fn a_request_id_that_is_short_long_or_unprintable_is_refused() {
    let server = Server::start().await;
    let created = server.create(rappanui(3, &[], 1)).await;
    let before = server.list().await;
    let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["request_id".to_owned()]);

    for id in
        ["x", &"x".repeat(15), &"x".repeat(65), "sixteen long \u{fc}ber", "with a space in it", "0123456789\t12345"]
    {
        let error = server
            .matches()
            .create_match(with_id(id, rappanui(2, &[], 1)))
            .await
            .expect_err("the request id is invalid");
        assert_eq!(error_info(&error, ["field"]), bad, "{id}");
        for request in [join_as(id, &created.match_id), join_any_as(id)] {
            let error = join(&server, request).await.expect_err("the request id is invalid");
            assert_eq!(error_info(&error, ["field"]), bad, "{id}");
        }
    }
    assert_eq!(server.list().await, before);

    for id in ["x".repeat(16), "x".repeat(64)] {
        join(&server, join_as(&id, &created.match_id)).await.expect("the length is permitted");
    }
}

#[tokio::test]
async fn a_refused_request_can_be_corrected_under_its_id() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[(1, "greedy")], 1)).await;

    let bad = with_id(ID, rappanui(9, &[], 1));
    server.matches().create_match(bad).await.expect_err("the seat count is invalid");
    server.create(with_id(ID, rappanui(2, &[], 1))).await;
    for request in [join_as(ID, &created.match_id), join_any_as("another-id-of-ours")] {
        let bad = JoinMatchRequest { name: "two\nlines".to_owned(), ..request.clone() };
        join(&server, bad).await.expect_err("the name is invalid");
        join(&server, request).await.expect("the request is corrected");
    }
}

/// Sends `request` twenty times at once, among twenty copies of `other`. Returns the distinct answers to `request`.
async fn sent_at_once(server: &Server, request: &JoinMatchRequest, other: &JoinMatchRequest) -> HashSet<String> {
    let mut joining = JoinSet::new();
    for n in 0..40 {
        let mut matches = server.matches();
        let request = if n % 2 == 0 { request.clone() } else { other.clone() };
        joining.spawn(async move { (n % 2 == 0, matches.join_match(request).await) });
    }
    let mut places = HashSet::new();
    while let Some(joined) = joining.join_next().await {
        let (is_ours, joined) = joined.expect("the task does not panic");
        if is_ours {
            let joined = joined.expect("a seat is open").into_inner();
            let AssignedSeat { match_id, seat, seat_token, .. } = joined.taken();
            places.insert(format!("{match_id} {seat:?} {seat_token}"));
        }
    }
    places
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_copies_of_a_request_take_one_seat() {
    let server = Server::start().await;
    for round in 0..ROUNDS {
        let created = server.create(rappanui(6, &[], 1)).await;
        let id = format!("the-id-of-round-{round}");
        let to_match = join_as(&id, &created.match_id);
        let places = sent_at_once(&server, &to_match, &join_any_as("")).await;
        assert_eq!(places.len(), 1, "{places:?}");
        let seats = server.describe(&created.match_id).await.seats;
        assert_eq!(seats.iter().filter(|seat| seat.state() == SeatState::Joined).count(), 1);

        let places = sent_at_once(&server, &join_any_as(&format!("any-{id}")), &join_any_as("")).await;
        assert_eq!(places.len(), 1, "{places:?}");
    }
    // Each round has two times twenty other requests. The twenty copies of a request for a new match take one seat.
    let seats = server.list().await.into_iter().filter(|of| !of.seed_given).flat_map(|of| of.seats);
    assert_eq!(seats.filter(|seat| seat.state() == SeatState::Joined).count(), ROUNDS * 41);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_copies_of_a_request_create_one_match() {
    let server = Server::start().await;

    let mut creating = JoinSet::new();
    for _ in 0..20 {
        let mut matches = server.matches();
        let request = with_id(ID, rappanui(2, &[(0, "greedy"), (1, "greedy")], 1));
        creating.spawn(async move { matches.create_match(request).await });
    }
    let mut created = HashSet::new();
    while let Some(answer) = creating.join_next().await {
        let answer = answer.expect("the task does not panic").expect("a request may be repeated").into_inner();
        created.insert(answer.r#match.expect("a match").match_id);
    }

    assert_eq!(created.len(), 1);
    assert_eq!(server.list().await.len(), 1);
}

#[tokio::test]
async fn the_id_of_a_request_is_free_again_when_its_match_is_dropped() {
    let matches = Matches::with_clock(Limits::default(), None, Clock::manual());
    let server = Server::start_with(matches.clone()).await;
    let dropped = server.create(with_id(ID, rappanui(2, &[], 1))).await;
    let seat = join(&server, join_as(ID, &dropped.match_id)).await.expect("a seat is open");
    // The match is first cancelled, and then dropped.
    for dropped in [0, 1] {
        matches.advance(matches.limits().match_idle + Duration::from_secs(60));
        assert_eq!(matches.expire(), dropped);
    }

    let error = join(&server, join_as(ID, &dropped.match_id)).await.expect_err("the match is dropped");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_MATCH"));
    let created = server.create(with_id(ID, rappanui(3, &[], 2))).await;
    assert_eq!(created.seats.len(), 3);
    let joined = join(&server, join_as(ID, &created.match_id)).await.expect("a seat is open");
    assert_ne!(joined.taken().seat_token, seat.taken().seat_token);
}
