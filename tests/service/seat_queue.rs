//! Seats that come to an agent with a key, and matches whose chance stays sealed.

use std::time::Duration;

use ahu::core::{Seat, Seed};
use ahu::host::find;
use ahu::proto::v1::{
    AssignedSeat, AwaitSeatRequest, AwaitSeatResponse, GetRecordRequest, GetRecordResponse, MatchState, RecordFormat,
};
use ahu::service::{self, Limits, LiveMatch, MatchConfig, Matches};
use tonic::{Code, Request, Status};

use crate::errors::{code, is};
use crate::server::{Client, Server, error_info, matches_with};

/// Asks for a seat.
async fn await_seat(server: &Server, key: &str, wait: Duration) -> Result<AwaitSeatResponse, Status> {
    let mut request = Request::new(AwaitSeatRequest { wait: Some(wait.try_into().expect("a short time")) });
    if !key.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("keys are ASCII"));
    }
    Ok(server.matches().await_seat(request).await?.into_inner())
}

/// Hosts a match of the card game with a bot in seat 1, and gives seat 0 to the queue.
fn assign(matches: &Matches, queue: &service::SeatQueue, seed: u64, is_sealed: bool) -> std::sync::Arc<LiveMatch> {
    let rules = find("rapanui_cards").expect("a game");
    let setup = rules.configure(2, &[]).expect("the defaults");
    let config = MatchConfig {
        bots: vec![None, Some(rules.bot("random").expect("every game has it"))],
        seed: Some(Seed(seed)),
        is_private: true,
        is_sealed,
        ..MatchConfig::new(setup)
    };
    let live = matches.host(config).expect("there is room");
    let (seat, token) = live.join(Some(0), "agent").expect("the seat is open");
    let agent_seed = Some(seed + 100);
    queue.add(service::AssignedSeat { live: std::sync::Arc::clone(&live), seat, token, agent_seed });
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
        client.step(decision, legal[0]).await.expect("it is legal");
    }
}

#[tokio::test]
async fn an_agent_with_a_key_plays_one_seat_after_another() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let queue = matches.new_seat_queue();
    assert!(!queue.has_asked());
    let none = await_seat(&server, queue.key(), Duration::ZERO).await.expect("the key is valid");
    assert_eq!(none, AwaitSeatResponse::default(), "there is no seat yet, and more may come");
    assert!(queue.has_asked());

    let lives = [assign(&matches, &queue, 1, false), assign(&matches, &queue, 2, false)];
    for (live, seed) in lives.iter().zip([101, 102]) {
        let answer = await_seat(&server, queue.key(), Duration::from_secs(20)).await.expect("the key is valid");
        let again = await_seat(&server, queue.key(), Duration::ZERO).await.expect("the key is valid");
        assert_eq!(answer, again, "the seat is the same until it is played");
        let assigned = answer.assigned.expect("there is a seat");
        assert_eq!((&*assigned.match_id, assigned.seat, assigned.agent_seed), (&*live.id, Some(0), Some(seed)));
        play(&client(&server, &assigned)).await;
        assert!(live.has_ended());
    }
    queue.close();
    let closed = await_seat(&server, queue.key(), Duration::from_secs(20)).await.expect("the key is valid");
    assert_eq!(closed, AwaitSeatResponse { assigned: None, closed: true });
}

#[tokio::test]
async fn a_seat_that_has_forfeited_is_played() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let queue = matches.new_seat_queue();
    let [first, second] = [1, 2].map(|seed| assign(&matches, &queue, seed, false));
    let id = async || {
        let answer = await_seat(&server, queue.key(), Duration::ZERO).await.expect("the key is valid");
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
    let queue = matches.new_seat_queue();
    let waiting = await_seat(&server, queue.key(), Duration::from_secs(20));
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
    let [queue, other] = [(); 2].map(|()| matches.new_seat_queue());
    let live = assign(&matches, &queue, 1, false);
    let asked = await_seat(&server, other.key(), Duration::ZERO).await.expect("the key is valid");
    assert_eq!(asked.assigned, None);
    let none = await_seat(&server, "", Duration::ZERO).await.expect_err("there is no key");
    assert_eq!(code(&none), is(Code::Unauthenticated, "NO_TOKEN"));
    for wrong in ["key", &*live.id] {
        let error = await_seat(&server, wrong, Duration::ZERO).await.expect_err("the key is wrong");
        assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    }
    let key = queue.key().to_owned();
    drop(queue);
    let error = await_seat(&server, &key, Duration::ZERO).await.expect_err("the queue is gone");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
}

/// Returns the record of a match as a seat or the public may have it.
async fn record(seat: &Client, of_seat: bool) -> Result<GetRecordResponse, Status> {
    let own = of_seat.then_some(seat.seat);
    let request = GetRecordRequest { match_id: seat.match_id.clone(), format: RecordFormat::Text.into(), seat: own };
    Ok(seat.matches.clone().get_record(seat.with_token(request)).await?.into_inner())
}

#[tokio::test]
async fn a_sealed_match_tells_nothing_about_its_chance_until_it_is_unsealed() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let queue = matches.new_seat_queue();
    let live = assign(&matches, &queue, 77, true);
    let assigned = await_seat(&server, queue.key(), Duration::ZERO).await.expect("the key is valid");
    let seat = client(&server, &assigned.assigned.expect("there is a seat"));
    let sealed = async |of_seat: bool| {
        let error = record(&seat, of_seat).await.expect_err("it is sealed");
        let expected = (Code::FailedPrecondition, "MATCH_SEALED".to_owned(), [live.id.to_string()]);
        assert_eq!(error_info(&error, ["match_id"]), expected);
    };
    sealed(false).await;
    play(&seat).await;

    sealed(false).await;
    let own = record(&seat, true).await.expect("a seat may see what it was told");
    assert!(!own.complete && !own.record.is_empty());
    let described = server.describe(&seat.match_id).await;
    assert_eq!(described.state(), MatchState::Finished);
    let observed = seat.look().await.result.expect("the result is no secret");
    for result in [described.result.expect("it is finished"), observed] {
        assert_eq!((result.scores.len(), result.ranks.len()), (2, 2));
        assert_eq!((result.seed, result.salt.len(), result.fingerprint.len()), (None, 0, 0));
        assert_eq!(result.record_digest.len(), 0);
    }

    live.unseal();
    assert!(record(&seat, false).await.expect("it is open").complete);
    assert_eq!(server.describe(&seat.match_id).await.result.and_then(|result| result.seed), Some(77));
}
