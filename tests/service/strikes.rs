//! Strikes and forfeits.

use ahu_service::limits::MAX_WAIT;
use ahu_service::proto::v1::{Action, Conduct, Consequence, Match, MatchSpec, StepRequest};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::endings::resign;
use crate::errors::{code, is};
use crate::matches::play_lowest;
use crate::server::{Asked, Client, Server, error_info, forfeited, rappanui, strikes};

/// Creates a match of two agents with this conduct, at its first decision. Returns the agent that has to
/// decide, and the other agent. At this decision, no event (ids from 0) and no discard (ids from 121) is legal.
async fn struck(server: &Server, conduct: Option<Conduct>) -> (Client, Client) {
    let clients = server.seats(MatchSpec { conduct, ..rappanui(2, &[], 4) }).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    (clients[to_act].clone(), clients[1 - to_act].clone())
}

/// Returns the number of strikes of a match; 0 if no fault is a strike.
fn described_strikes(described: &Match) -> u32 {
    described.conduct.as_ref().expect("every match has a conduct").strikes.unwrap_or(0)
}

async fn illegal(client: &Client, id: u32) -> Status {
    client.step(1, id).await.expect_err("the action is illegal")
}

#[tokio::test]
async fn a_strike_is_counted_and_reported() {
    let server = Server::start().await;
    let (bad, good) = struck(&server, strikes(3)).await;
    assert_eq!(described_strikes(&server.describe(&bad.match_id).await), 3);
    let before = (bad.look().await, good.look().await);
    let strike = |n: &str| (Code::FailedPrecondition, "ILLEGAL_ACTION".to_owned(), [n.to_owned(), "3".to_owned()]);

    let first = illegal(&bad, 0).await;
    assert_eq!(error_info(&first, ["strike", "strikes"]), strike("1"));
    assert!(first.message().starts_with("strike 1 of 3; "), "{first}");
    assert_eq!(
        error_info(&illegal(&bad, 0).await, ["strike", "strikes"]),
        strike("1"),
        "a repeated request is one strike"
    );
    let unknown = illegal(&bad, 70_000).await;
    let second = (Code::InvalidArgument, "UNKNOWN_ACTION".to_owned(), ["2".to_owned(), "3".to_owned()]);
    assert_eq!(error_info(&unknown, ["strike", "strikes"]), second);
    assert!(unknown.message().starts_with("strike 2 of 3; expected an action id from 0 to "), "{unknown}");

    assert_eq!((bad.look().await, good.look().await), before, "observations do not show strikes");
    let last = illegal(&bad, 1).await;
    assert_eq!(error_info(&last, ["strike", "strikes"]), strike("3"));
    assert!(last.message().starts_with("strike 3 of 3: the seat forfeits; "), "{last}");
}

#[tokio::test]
async fn a_refused_step_that_is_sent_again_after_the_end_gets_its_answer_again() {
    let server = Server::start().await;
    let clients = server.seats(MatchSpec { conduct: strikes(1), ..rappanui(2, &[(1, "greedy")], 4) }).await;
    let [client] = &clients[..] else { panic!("one seat is open") };
    let (decision, legal) = client.decision().await.expect("the seat has to decide");
    let wrong = (0..183).find(|id| !legal.contains(id)).expect("some action is illegal");
    let step = async |decision, id| client.step(decision, id).await.expect_err("it is refused");

    let first = step(decision, wrong).await;
    assert_eq!(error_info(&first, ["strike", "strikes"]).1, "ILLEGAL_ACTION");
    server.describe_after(&client.match_id, MAX_WAIT).await.expect("the stand-in plays to the end");

    let again = step(decision, wrong).await;
    assert_eq!((again.code(), again.message(), again.details()), (first.code(), first.message(), first.details()));
    assert_eq!(code(&step(decision, wrong + 1).await).1, "MATCH_ENDED", "another action is no duplicate");
    assert_eq!(code(&step(decision + 1, wrong).await).1, "MATCH_ENDED", "another decision is no duplicate");
}

#[tokio::test]
async fn an_unreadable_step_gets_its_answer_again_too() {
    let server = Server::start().await;
    let conduct = Some(Conduct { unreadable: Consequence::Strike.into(), ..Conduct::default() });
    let clients = server.seats(MatchSpec { conduct, ..rappanui(2, &[], 4) }).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let (bad, other) = (&clients[to_act], &clients[1 - to_act]);
    let text = |text: &str| StepRequest { action: Some(Action::from(text.to_owned())), ..bad.step_request(1, 0) };
    let send = async |request| bad.matches.clone().step(bad.with_token(request)).await.expect_err("it is refused");

    let first = send(text("fly")).await;
    assert_eq!(error_info(&first, ["strike"]), (Code::InvalidArgument, "BAD_ACTION".to_owned(), ["1".to_owned()]));
    resign(other).await.expect("the terms allow it");
    resign(bad).await.expect("the terms allow it");
    server.describe_after(&bad.match_id, MAX_WAIT).await.expect("the stand-ins play to the end");

    let again = send(text("fly")).await;
    assert_eq!((again.code(), again.message(), again.details()), (first.code(), first.message(), first.details()));
}

#[tokio::test]
async fn only_an_illegal_action_for_the_open_decision_is_a_strike() {
    let server = Server::start().await;
    let (bad, good) = struck(&server, strikes(1)).await;

    assert_eq!(code(&good.step(1, 0).await.expect_err("the other seat has to decide")).1, "NOT_YOUR_DECISION");
    assert_eq!(code(&bad.step(2, 0).await.expect_err("the decision is not open")).1, "STALE_DECISION");
    let thief = Client { token: good.token.clone(), ..bad.clone() };
    assert_eq!(code(&thief.step(1, 0).await.expect_err("the token is wrong")).1, "WRONG_TOKEN");
    let mut empty = bad.step_request(1, 0);
    empty.action = None;
    bad.matches.clone().step(bad.with_token(empty)).await.expect_err("the action is missing");

    assert!(bad.look().await.forfeits.is_empty());
    let (decision, legal) = bad.decision().await.expect("the seat still has to decide");
    bad.step(decision, legal[0]).await.expect("the action is legal");
}

#[tokio::test]
async fn a_stand_in_plays_for_a_forfeited_seat_which_is_ranked_last() {
    let server = Server::start().await;
    let (bad, good) = struck(&server, strikes(1)).await;
    illegal(&bad, 0).await;

    let seen = bad.look().await;
    assert_eq!((forfeited(&seen.forfeits), seen.decision.is_none()), (vec![bad.seat], true));
    let out = good.look().await;
    assert_eq!((forfeited(&out.forfeits), out.seats_to_act.as_slice()), (vec![bad.seat], &[good.seat][..]));
    assert!(out.decision.is_some(), "the stand-in has played before the forfeit was answered");
    for decision in [1, 2] {
        let error = bad.step(decision, 71).await.expect_err("the seat has forfeited");
        assert_eq!(code(&error), is(Code::FailedPrecondition, "FORFEITED"));
    }

    play_lowest(good.clone()).await;
    let result = server.describe(&bad.match_id).await.result.expect("the match is finished");
    assert_eq!((forfeited(&result.forfeits), result.ranks[bad.seat as usize]), (vec![bad.seat], 2));
    assert_eq!(forfeited(&bad.look().await.forfeits), [bad.seat]);
    assert_eq!(
        code(&bad.step(2, 71).await.expect_err("the match is finished")),
        is(Code::FailedPrecondition, "MATCH_ENDED")
    );
}

#[tokio::test]
async fn a_match_without_strikes_counts_none() {
    let server = Server::start().await;
    let (bad, _) = struck(&server, None).await;
    assert_eq!(described_strikes(&server.describe(&bad.match_id).await), 0);

    for id in (0..40).chain([70_000]) {
        let error = illegal(&bad, id).await;
        let details = error.get_error_details();
        let metadata = &details.error_info().expect("every error has a reason").metadata;
        assert!(!metadata.contains_key("strike") && !metadata.contains_key("strikes"), "{metadata:?}");
        assert!(!error.message().contains("strike"));
    }

    assert!(bad.look().await.decision.is_some() && bad.look().await.forfeits.is_empty());
}

#[tokio::test]
async fn an_invalid_number_of_strikes_is_refused() {
    let server = Server::start().await;
    let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["conduct.strikes".to_owned()]);
    let without_fault = Some(Conduct { strikes: Some(3), ..Default::default() });
    for conduct in [strikes(0), strikes(256), strikes(u32::MAX), without_fault] {
        let request = MatchSpec { conduct, ..rappanui(2, &[], 4) };
        let error = server.matches().create_match(request.asked()).await.expect_err("the request is invalid");
        assert_eq!(error_info(&error, ["field"]), bad);
    }
    assert_eq!(server.list().await, []);
    let of_default = Some(Conduct { strikes: None, ..strikes(1).expect("a conduct") });
    assert_eq!(described_strikes(&server.create(MatchSpec { conduct: of_default, ..rappanui(2, &[], 4) }).await), 3);
    for (asked, told) in [(1, 1), (255, 255)] {
        let request = MatchSpec { conduct: strikes(asked), ..rappanui(2, &[], 4) };
        assert_eq!(described_strikes(&server.create(request).await), told);
    }
}
