//! Seats that come to an agent with a key, and matches whose chance stays sealed.

use std::time::Duration;

use ahu_core::{Seat, Seed, hex};
use ahu_host::{MatchTime, find};
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::{PractiseRequest, PractiseResponse};
use ahu_service::proto::v1::{
    Action, AssignedSeat, AwaitSeatRequest, AwaitSeatResponse, Cause, DismissalReason, GetRecordRequest,
    GetRecordResponse, MatchState, SeatId, StepRequest,
};
use ahu_service::{
    Clock, Limits, LiveMatch, MatchConfig, Matches, PracticeOffer, Share, agent_key_hash, new_agent_key,
};
use tonic::{Code, Request, Status};

use crate::errors::{code, is};
use crate::server::{Client, Server, error_info, matches_by, matches_with};

/// Asks for a seat.
async fn await_seat(server: &Server, key: &str, wait: Duration) -> Result<AwaitSeatResponse, Status> {
    let wait = Some(wait.try_into().expect("a short time"));
    ask(server, key, AwaitSeatRequest { wait, ..Default::default() }).await
}

async fn ask(server: &Server, key: &str, request: AwaitSeatRequest) -> Result<AwaitSeatResponse, Status> {
    let mut request = Request::new(request);
    if !key.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("keys are ASCII"));
    }
    Ok(server.matches().await_seat(request).await?.into_inner())
}

async fn practise(server: &Server, key: &str, id: &str) -> Result<PractiseResponse, Status> {
    let mut request = Request::new(PractiseRequest { practice_id: id.to_owned() });
    request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("keys are ASCII"));
    Ok(CupServiceClient::new(server.connect().await).practise(request).await?.into_inner())
}

/// Hosts a match of the card game with a bot in seat 1, and gives seat 0 to the queue.
fn assign(matches: &Matches, queue: &ahu_service::SeatQueue, seed: u64, is_sealed: bool) -> std::sync::Arc<LiveMatch> {
    let rules = find("rapanui_cards").expect("a game");
    let setup = rules.configure(2, &[]).expect("the defaults");
    let config = MatchConfig {
        bots: vec![None, Some(rules.bot("random").expect("every game has it"))],
        seed: Some(Seed(seed)),
        is_unlisted: true,
        is_sealed,
        ..MatchConfig::new(setup)
    };
    let live = matches.host(config).expect("there is room");
    let (seat, token) = live.join(Some(0), "agent").expect("the seat is open");
    let agent_seed = Some(seed + 100);
    queue.add(ahu_service::AssignedSeat { live: std::sync::Arc::clone(&live), seat, token, agent_seed });
    live
}

/// Returns a client of an assigned seat.
fn client(server: &Server, assigned: &AssignedSeat) -> Client {
    Client {
        matches: server.matches(),
        match_id: assigned.match_id.clone(),
        seat: assigned.seat.expect("a seat"),
        token: assigned.seat_token.clone(),
    }
}

/// Plays a seat to the end, always the first legal action.
async fn play(client: &Client) {
    while let Some((decision, legal)) = client.decision().await {
        client.act(decision, legal[0]).await;
    }
}

#[tokio::test]
async fn a_call_that_waits_with_an_old_key_gets_no_seat() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, old) = matches.new_seat_queue();
    let mut calls = matches.seat_queue_calls();
    let waits = await_seat(&server, &old, Duration::from_secs(20));
    let renews = async {
        calls.wait_for(|&calls| calls > 0).await.expect("the queue is there");
        let new = new_agent_key();
        queue.renew_key(agent_key_hash(&new));
        assign(&matches, &queue, 1, false);
        new
    };
    let (waited, new) = tokio::join!(waits, renews);
    let error = waited.expect_err("the key was renewed");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    let answer = await_seat(&server, &new, Duration::ZERO).await.expect("the key is valid");
    assert!(answer.assigned.is_some());
}

#[tokio::test]
async fn an_agent_with_a_key_plays_one_seat_after_another() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    assert!(!queue.has_asked());
    let none = await_seat(&server, &key, Duration::ZERO).await.expect("the key is valid");
    assert_eq!(none, AwaitSeatResponse::default(), "there is no seat yet, and more may come");
    assert!(queue.has_asked());

    let lives = [assign(&matches, &queue, 1, false), assign(&matches, &queue, 2, false)];
    for (live, seed) in lives.iter().zip([101, 102]) {
        let answer = await_seat(&server, &key, Duration::from_secs(20)).await.expect("the key is valid");
        let again = await_seat(&server, &key, Duration::ZERO).await.expect("the key is valid");
        assert_eq!(answer, again, "the seat is the same until it is played");
        let assigned = answer.assigned.expect("there is a seat");
        assert_eq!((&*assigned.match_id, assigned.seat, assigned.agent_seed), (&*live.id, Some(0), Some(seed)));
        play(&client(&server, &assigned)).await;
        assert!(live.has_ended());
    }
    queue.close();
    let closed = await_seat(&server, &key, Duration::from_secs(20)).await.expect("the key is valid");
    assert_eq!(closed.dismissal.expect("it is told").reason(), DismissalReason::Ended);
    assert_eq!(closed.assigned, None);
}

#[tokio::test]
async fn a_seat_that_has_forfeited_is_played() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let [first, second] = [1, 2].map(|seed| assign(&matches, &queue, seed, false));
    let id = async || {
        let answer = await_seat(&server, &key, Duration::ZERO).await.expect("the key is valid");
        answer.assigned.map(|assigned| assigned.match_id)
    };
    assert_eq!(id().await.as_deref(), Some(&*first.id));
    first.resign(Seat::new(0).expect("a seat")).expect("it plays");
    assert_eq!(id().await.as_deref(), Some(&*second.id));
    second.cancel("the test ends it").expect("it has not ended");
    assert_eq!(id().await, None);
}

#[tokio::test]
async fn a_call_that_waits_gets_the_seat_when_it_comes() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let waiting = await_seat(&server, &key, Duration::from_secs(20));
    let coming = async {
        while !queue.has_asked() {
            tokio::task::yield_now().await;
        }
        assign(&matches, &queue, 1, false)
    };
    let (answer, live) = tokio::join!(waiting, coming);
    assert_eq!(answer.expect("the key is valid").assigned.map(|seat| seat.match_id).as_deref(), Some(&*live.id));
}

#[tokio::test]
async fn seats_go_to_the_holder_of_their_key_alone() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let [(queue, key), (_other, other_key)] = [(); 2].map(|()| matches.new_seat_queue());
    let live = assign(&matches, &queue, 1, false);
    let asked = await_seat(&server, &other_key, Duration::ZERO).await.expect("the key is valid");
    assert_eq!(asked.assigned, None);
    let none = await_seat(&server, "", Duration::ZERO).await.expect_err("there is no key");
    assert_eq!(code(&none), is(Code::Unauthenticated, "NO_TOKEN"));
    for wrong in ["key", &*live.id, &hex(&agent_key_hash(&key))] {
        let error = await_seat(&server, wrong, Duration::ZERO).await.expect_err("the key is wrong");
        assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    }
    drop(queue);
    let error = await_seat(&server, &key, Duration::ZERO).await.expect_err("the queue is gone");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
}

#[tokio::test]
async fn a_host_that_has_the_hash_of_a_key_alone_serves_its_agent() {
    let (key, matches) = (new_agent_key(), matches_with(Limits::default()));
    assert_ne!(key, new_agent_key());
    let server = Server::start_with(matches.clone()).await;
    let error = await_seat(&server, &key, Duration::ZERO).await.expect_err("there is no queue");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    for seed in 1..3 {
        let queue = matches.seat_queue_with_key(agent_key_hash(&key));
        let live = assign(&matches, &queue, seed, false);
        let answer = await_seat(&server, &key, Duration::ZERO).await.expect("the key is valid");
        assert_eq!(answer.assigned.map(|seat| seat.match_id).as_deref(), Some(&*live.id));
    }
}

#[tokio::test]
async fn a_host_learns_when_an_agent_asks() {
    let clock = Clock::manual();
    let matches = matches_by(Limits::default(), clock);
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let mut calls = matches.seat_queue_calls();
    assert_eq!((queue.is_waiting(), queue.last_asked()), (false, None));
    matches.advance(Duration::from_secs(5));

    let waiting = await_seat(&server, &key, Duration::from_secs(20));
    let hosting = async {
        calls.changed().await.expect("the register exists");
        assert!(queue.is_waiting());
        matches.advance(Duration::from_secs(2));
        assert_eq!(queue.last_asked(), Some(MatchTime(7_000)), "it waits now");
        assign(&matches, &queue, 1, false)
    };
    let (answer, live) = tokio::join!(waiting, hosting);
    assert!(answer.expect("the key is valid").assigned.is_some());
    calls.wait_for(|&count| count == 2).await.expect("the register exists");
    matches.advance(Duration::from_secs(3));
    assert_eq!((queue.is_waiting(), queue.last_asked()), (false, Some(MatchTime(7_000))));
    // A seat that is added twice is in the queue once.
    let seat = live.seat(Some(0)).expect("a seat");
    let token = live.token_of(seat).expect("the agent has joined");
    queue.add(ahu_service::AssignedSeat { live: std::sync::Arc::clone(&live), seat, token, agent_seed: None });
    let playing = vec![SeatId { match_id: live.id.to_string(), seat: Some(0) }];
    let other = AwaitSeatRequest { playing, ..Default::default() };
    assert_eq!(ask(&server, &key, other).await.expect("the key is valid").assigned, None);
    live.cancel("the test ends it").expect("it has not ended");
    let none = await_seat(&server, &key, Duration::ZERO).await.expect("the key is valid");
    assert_eq!(none.assigned, None, "there is nothing more to play");
}

#[tokio::test]
async fn an_agent_that_plays_several_matches_at_once_gets_a_seat_of_another() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let lives = [1, 2].map(|seed| assign(&matches, &queue, seed, false));
    let but = async |playing: &[&str]| {
        let playing = playing.iter().map(|&id| SeatId { match_id: id.to_owned(), seat: Some(0) }).collect();
        ask(&server, &key, AwaitSeatRequest { playing, ..Default::default() }).await
    };
    let [first, second] = lives.each_ref().map(|live| &*live.id);
    for (playing, expected) in [(&[][..], Some(first)), (&[first], Some(second)), (&[second], Some(first))] {
        let answer = but(playing).await.expect("the key is valid");
        assert_eq!(answer.assigned.map(|seat| seat.match_id).as_deref(), expected);
    }
    assert_eq!(but(&[first, second]).await.expect("the key is valid"), AwaitSeatResponse::default());
    queue.close();
    assert!(but(&[first, second]).await.expect("the key is valid").dismissal.is_some(), "no other one comes");
    assert_eq!(but(&[first]).await.expect("the key is valid").dismissal, None);
    let refused = but(&["m"; 101]).await.expect_err("too many");
    assert_eq!(code(&refused), is(Code::InvalidArgument, "BAD_FIELD"));
    assert!(refused.message().contains("expected at most 100 seats, got 101"), "{refused}");
}

/// Offers practice against the stand-in.
pub(crate) fn offer(queue: &ahu_service::SeatQueue) {
    let rules = find("rapanui_cards").expect("a game");
    let bots = vec![None, Some(rules.bot("greedy").expect("every game has it"))];
    let config = MatchConfig { bots, ..MatchConfig::new(rules.configure(2, &[]).expect("the defaults")) };
    queue.offer_practice(Some(PracticeOffer { config, name: "moai".to_owned() }));
}

#[tokio::test]
async fn an_agent_practises_until_it_has_a_report_and_nobody_waits_for_it() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let practise = async |id: &str| practise(&server, &key, id).await;
    let refused = practise("practice-0123456789").await.expect_err("the host offers none");
    assert_eq!(code(&refused), is(Code::InvalidArgument, "BAD_FIELD"));
    offer(&queue);
    let refused = practise("short").await.expect_err("others could guess it");
    assert_eq!(code(&refused), is(Code::InvalidArgument, "BAD_FIELD"));

    let answer = practise("practice-0123456789").await.expect("the host offers it");
    assert_eq!(answer, practise("practice-0123456789").await.expect("the same request"), "the match is the same");
    let assigned = answer.assigned.expect("a seat");
    assert!(assigned.agent_seed.is_some());
    let seat = client(&server, &assigned);
    assert_eq!(server.describe(&seat.match_id).await.seats[0].name, "moai");
    let mut withheld = 0;
    while let Some((decision, legal)) = seat.decision().await {
        let stepped = match seat.step(decision, legal[0]).await {
            Err(lost) if decision % 10 == 0 => {
                assert_eq!(code(&lost), is(Code::Unavailable, "MATCH_SUSPENDED"));
                withheld += 1;
                seat.step(decision, legal[0]).await
            }
            stepped => stepped,
        };
        assert_eq!(stepped.expect("it is legal").replayed, decision % 10 == 0);
    }
    let report = practise("practice-0123456789").await.expect("it is over").report.expect("a report");
    assert!(withheld > 0 && report.passed, "{report:?}");
    assert_eq!(
        (report.withheld_count, report.resent_count, report.match_id),
        (withheld, withheld, seat.match_id.clone())
    );
    assert!(report.decision_count >= 10 * withheld && report.slowest.is_some());
    assert!(!queue.has_asked() && !queue.is_waiting(), "practice is no contact for the host");
    assert!(server.list().await.is_empty(), "a practice match is private");

    // Another id means another match.
    let other = practise("practice-9876543210").await.expect("the host offers it").assigned.expect("a seat");
    assert_ne!(other.match_id, seat.match_id);
    practise("practice-0123456789").await.expect("the host offers it");
    assert_eq!(server.describe(&other.match_id).await.state(), MatchState::Cancelled);
}

#[tokio::test]
async fn a_practice_report_counts_the_faults_of_the_agent() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    offer(&queue);
    let practise = async || practise(&server, &key, "practice-0123456789").await.expect("it is offered");
    let seat = client(&server, &practise().await.assigned.expect("a seat"));
    let (decision, legal) = seat.decision().await.expect("it has to decide");
    let illegal = (0..1000).find(|id| !legal.contains(id)).expect("not all is legal");
    seat.step(decision, illegal).await.expect_err("it is illegal");
    let unreadable = Some(Action::from("nonsense".to_owned()));
    let unreadable = StepRequest { action: unreadable, ..seat.step_request(decision, 0) };
    seat.matches.clone().step(seat.with_token(unreadable)).await.expect_err("it is no action");
    for n in 1..=12 {
        let (decision, legal) = seat.decision().await.expect("it has to decide");
        assert_eq!(seat.step(decision, legal[0]).await.is_err(), n == 10, "an agent that observes again");
    }
    assert_eq!(practise().await.report, None, "it has not ended");
    let live = matches.find_blocking(&seat.match_id).expect("it is hosted");
    live.resign(Seat::new(0).expect("a seat")).expect("it plays");

    let report = practise().await.report.expect("a report");

    assert!(!report.passed);
    assert_eq!((report.illegal_count, report.unreadable_count, report.strike_count), (1, 1, 0));
    assert_eq!((report.withheld_count, report.resent_count, report.decision_count), (1, 0, 12));
    assert_eq!(report.forfeit(), Cause::Resigned);
}

#[tokio::test]
async fn a_call_that_is_given_up_waits_no_more() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let mut calls = matches.seat_queue_calls();
    tokio::select! {
        _ = await_seat(&server, &key, Duration::from_secs(20)) => panic!("there is no seat"),
        _ = calls.changed() => {}
    }
    calls.wait_for(|&count| count == 2).await.expect("the register exists");
    assert!(queue.has_asked() && !queue.is_waiting());
}

/// Returns the record of a match for a call with or without the token of its seat.
async fn record(seat: &Client, of_seat: bool) -> Result<GetRecordResponse, Status> {
    let request = GetRecordRequest { match_id: seat.match_id.clone(), ..Default::default() };
    let request = if of_seat { seat.with_token(request) } else { Request::new(request) };
    Ok(seat.matches.clone().get_record(request).await?.into_inner())
}

#[tokio::test]
async fn a_sealed_match_tells_nothing_about_its_chance_until_it_is_unsealed() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (queue, key) = matches.new_seat_queue();
    let live = assign(&matches, &queue, 77, true);
    let assigned = await_seat(&server, &key, Duration::ZERO).await.expect("the key is valid");
    let seat = client(&server, &assigned.assigned.expect("there is a seat"));
    let sealed = async |of_seat: bool| {
        let error = record(&seat, of_seat).await.expect_err("it is sealed");
        let expected = (Code::FailedPrecondition, "MATCH_SEALED".to_owned(), [live.id.to_string()]);
        assert_eq!(error_info(&error, ["match_id"]), expected);
    };
    sealed(false).await;
    play(&seat).await;

    sealed(false).await;
    sealed(true).await;
    assert!(!seat.look().await.events.is_empty(), "a seat may see what it was told");
    let described = server.describe(&seat.match_id).await;
    assert_eq!(described.state(), MatchState::Finished);
    let observed = seat.look().await.result.expect("the result is no secret");
    for result in [described.result.expect("it is finished"), observed] {
        assert_eq!((result.scores.len(), result.ranks.len()), (2, 2));
        assert_eq!((&*result.seed, result.salt.len(), result.fingerprint.len()), ("", 0, 0));
        assert_eq!(result.record_digest.len(), 0);
    }

    live.unseal();
    assert!(!record(&seat, false).await.expect("it is open").record.is_empty());
    assert_eq!(server.describe(&seat.match_id).await.result.map(|result| result.seed).as_deref(), Some("77"));
}

#[tokio::test]
async fn practice_matches_count_for_whoever_asks_for_them() {
    let mut limits = Limits::default();
    limits.local_shares[Share::Matches] = 1;
    let matches = matches_with(limits);
    let server = Server::start_with(matches.clone()).await;
    let agents = [matches.new_seat_queue(), matches.new_seat_queue()];
    for (queue, _) in &agents {
        offer(queue);
    }
    practise(&server, &agents[0].1, "practice-0123456789").await.expect("there is room for one");
    let error = practise(&server, &agents[1].1, "practice-0123456789").await.expect_err("the share is used up");
    assert_eq!(code(&error), is(Code::ResourceExhausted, "OVER_SHARE"));
}
