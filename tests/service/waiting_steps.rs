//! Steps that wait: an agent takes an action and gets its next decision in one call.

use std::time::Duration;

use ahu_service::Limits;
use ahu_service::proto::v1::{Conduct, MatchSpec, MatchState, Observation, StepRequest, StepResponse};
use tonic::{Code, Status};

use crate::endings::resign;
use crate::errors::{code, is, two_agents};
use crate::matches::{play_lowest, record_of};
use crate::server::{Client, DECISION, Server, error_info, forfeited, matches_with, rappanui, seconds, strikes};

/// A time after which no test waits any more.
const LONG: f64 = 25.0;

fn request(client: &Client, (decision, action): (u32, u32), wait: f64) -> StepRequest {
    StepRequest { formats: Some(DECISION), wait: seconds(wait), ..client.step_request(decision, action) }
}

async fn step(client: &Client, answer: (u32, u32), wait: f64) -> Result<StepResponse, Status> {
    let request = client.with_token(request(client, answer, wait));
    Ok(client.matches.clone().step(request).await?.into_inner())
}

/// Begins a step that waits, and returns when the server has taken its action and the other agent has to decide.
async fn begin(client: &Client, other: &Client) -> ((u32, u32), tokio::task::JoinHandle<Result<StepResponse, Status>>) {
    loop {
        let (decision, legal) = client.decision().await.expect("the seat has to decide");
        let answer = (decision, legal[0]);
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { step(&client, answer, LONG).await }
        });
        // A chain of decisions of the same seat comes back at once.
        loop {
            if other.look().await.decision.is_some() {
                return (answer, waiting);
            }
            if waiting.is_finished() {
                break;
            }
            tokio::task::yield_now().await;
        }
        waiting.await.expect("the task does not panic").expect("the action is legal");
    }
}

fn seen(response: StepResponse) -> Observation {
    response.observation.expect("the answer has an observation")
}

/// Plays the lowest legal actions with one call for each decision. Returns the number of calls and the last observation.
async fn play(client: Client) -> (u32, Observation) {
    let (decision, legal) = client.decision().await.expect("the seat gets a decision");
    let (mut answer, mut calls) = ((decision, legal[0]), 0);
    loop {
        let response = step(&client, answer, LONG).await.expect("the action is legal");
        calls += 1;
        assert_eq!((response.decision_id, response.action_id, response.replayed), (answer.0, Some(answer.1), false));
        let now = seen(response);
        match &now.decision {
            Some(next) => {
                assert_eq!(next.decision_id, answer.0 + 1, "the next decision comes with the answer");
                answer = (next.decision_id, next.legal_ids[0]);
            }
            None => return (calls, now),
        }
    }
}

#[tokio::test]
async fn a_match_is_played_with_one_call_for_each_decision() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "greedy")], 7)).await;

    let (one, other) = tokio::join!(play(clients[0].clone()), play(clients[1].clone()));

    let record = record_of(&clients[0], ahu_service::proto::v1::RecordFormat::Binary).await;
    for (client, (calls, last)) in clients.iter().zip([one, other]) {
        let own = |entry: &&ahu_host::Entry| matches!(entry, ahu_host::Entry::Action { seat, .. } if seat.index() as u32 == client.seat);
        assert_eq!(calls as usize, record.entries.iter().filter(own).count());
        assert_eq!(
            (last.state(), last.result.is_some()),
            (MatchState::Finished, true),
            "the last call waits for the end"
        );
    }
}

#[tokio::test]
async fn a_step_whose_time_passes_returns_the_current_observation() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut decision = owes.decision().await;
    let last = loop {
        let (id, legal) = decision.expect("the match is longer");
        let now = seen(step(&owes, (id, legal[0]), 0.05).await.expect("a short wait is no error"));
        match &now.decision {
            Some(next) => decision = Some((next.decision_id, next.legal_ids.clone())),
            None => break now,
        }
    };

    assert_eq!((last.state(), last.seats_to_act.as_slice()), (MatchState::Running, &[waits.seat][..]));
    assert!(waits.look().await.decision.is_some(), "the action was taken");
}

#[tokio::test]
async fn a_wait_that_is_negative_is_no_wait() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let (id, legal) = owes.decision().await.expect("the seat has to decide");
    let wait = Some(prost_types::Duration { seconds: -5, nanos: 0 });
    let request = StepRequest { wait, ..owes.step_request(id, legal[0]) };
    let response = owes.matches.clone().step(owes.with_token(request)).await.expect("the action is legal").into_inner();
    assert_eq!(response.decision_id, id);
}

#[tokio::test]
async fn a_step_that_waits_may_be_sent_again_and_all_get_the_next_decision() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let (answer, first) = begin(&owes, &waits).await;
    let again = tokio::spawn({
        let client = owes.over(server.connect().await);
        async move { step(&client, answer, LONG).await }
    });
    let other = (answer.0, answer.1 + 1);
    let error = step(&owes, other, LONG).await.expect_err("the decision has an answer");
    assert_eq!(code(&error), is(Code::Aborted, "DECISION_TAKEN"));

    let mut decision = None;
    while decision.is_none() {
        let (id, legal) = waits.decision().await.expect("the match is longer");
        waits.act(id, legal[0]).await;
        decision = owes.look().await.decision;
    }

    let next = answer.0 + 1;
    for (call, replayed) in [(first, false), (again, true)] {
        let response = call.await.expect("the task does not panic").expect("the action was taken once");
        assert_eq!((response.decision_id, response.action_id, response.replayed), (answer.0, Some(answer.1), replayed));
        assert_eq!(seen(response).decision.map(|decision| decision.decision_id), Some(next));
    }
    let late = step(&owes, answer, LONG).await.expect("a request may be repeated");
    assert!(late.replayed);
    assert_eq!(seen(late).decision.map(|decision| decision.decision_id), Some(next), "it need not wait");
}

#[tokio::test]
async fn a_step_that_waits_ends_when_the_match_is_cancelled_or_the_seat_forfeits() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;

    let (owes, waits) = two_agents(&server).await;
    let (_, waiting) = begin(&owes, &waits).await;
    matches.find_blocking(&owes.match_id).expect("it is hosted").cancel("rain").expect("it goes on");
    let last = seen(waiting.await.expect("the task does not panic").expect("an end is no error"));
    assert_eq!((last.state(), last.end_reason.as_str(), last.decision), (MatchState::Cancelled, "rain", None));

    let (owes, waits) = two_agents(&server).await;
    let (_, waiting) = begin(&owes, &waits).await;
    resign(&owes).await.expect("the terms allow it");
    let last = seen(waiting.await.expect("the task does not panic").expect("a forfeit is no error"));
    assert_eq!((last.state(), forfeited(&last.forfeits)), (MatchState::Running, vec![owes.seat]));
}

#[tokio::test]
async fn a_step_that_is_refused_does_not_wait() {
    let server = Server::start().await;
    let clients = server.seats(MatchSpec { conduct: strikes(2), ..rappanui(2, &[], 4) }).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let (owes, waits) = (&clients[to_act], &clients[1 - to_act]);
    let before = owes.look().await;

    let error = step(owes, (1, 0), LONG).await.expect_err("no event is legal");
    assert_eq!(error_info(&error, ["strike"]).2, ["1"]);
    let error = step(owes, (2, 71), LONG).await.expect_err("the decision is not open");
    assert_eq!(code(&error), is(Code::Aborted, "STALE_DECISION"));
    let error = step(waits, (1, 71), LONG).await.expect_err("the other seat has to decide");
    assert_eq!(code(&error), is(Code::FailedPrecondition, "NOT_YOUR_DECISION"));
    let thief = Client { token: waits.token.clone(), ..owes.clone() };
    let error = step(&thief, (1, 71), LONG).await.expect_err("the token is wrong");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    assert_eq!(owes.look().await, before);

    let error = step(owes, (1, 1), LONG).await.expect_err("no event is legal");
    assert_eq!(
        error_info(&error, ["strike"]).2,
        ["2"],
        "the seat forfeits with an error, and does not wait for the end"
    );
    play_lowest(waits.clone()).await;
    assert_eq!(error_info(&step(owes, (2, 71), LONG).await.expect_err("it is over"), ["state"]).2, ["FINISHED"]);
}

#[tokio::test]
async fn a_seat_is_present_while_its_step_waits() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let conduct = Some(Conduct { absence_limit: seconds(30.0), ..Default::default() });
    let clients = server.seats(MatchSpec { conduct, ..rappanui(2, &[], 4) }).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let (owes, waits) = (clients[to_act].clone(), clients[1 - to_act].clone());
    let (_, waiting) = begin(&owes, &waits).await;

    for _ in 0..10 {
        matches.advance(Duration::from_secs(35));
        assert!(server.describe(&owes.match_id).await.seats[owes.seat as usize].present);
        waits.look().await;
    }
    while !waiting.is_finished() {
        let Some((id, legal)) = waits.decision().await else { break };
        waits.act(id, legal[0]).await;
    }
    let now = seen(waiting.await.expect("the task does not panic").expect("the action is legal"));
    assert!(now.decision.is_some() && now.forfeits.is_empty(), "{now:?}");
}

#[tokio::test]
async fn a_step_that_waits_is_unavailable_when_the_server_closes_and_its_action_is_kept() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two_agents(&server).await;
    let (answer, waiting) = begin(&owes, &waits).await;

    matches.close();

    let error = waiting.await.expect("the task does not panic").expect_err("the server closes");
    assert_eq!(code(&error), is(Code::Unavailable, "CLOSING"));
    assert!(waits.look().await.decision.is_some(), "the action was taken");
    let error = step(&owes, answer, LONG).await.expect_err("the server closes");
    assert_eq!(code(&error), is(Code::Unavailable, "CLOSING"));
}
