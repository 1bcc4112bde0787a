//! Presence: an agent that is in contact with the server is present, and any other agent is absent.

use std::time::Duration;

use ahu_host::verify;
use ahu_service::limits::{MAX_WAIT, PRESENCE_GRACE, TIMER_SLACK};
use ahu_service::proto::v1::{
    Action, Cause, Conduct, Consequence, Forfeit, MatchSpec, ParseActionRequest, RecordFormat, ResignSeatRequest,
};
use ahu_service::{Limits, Matches};

use crate::matches::{play_lowest, record_of};
use crate::server::{Client, Server, error_info, matches_with, rappanui, seconds};

const TICK: Duration = Duration::from_millis(1);

async fn start() -> (Server, Matches) {
    let matches = matches_with(Limits::default());
    (Server::start_with(matches.clone()).await, matches)
}

/// Creates a match of two agents with this conduct, at its first decision. Returns the agent that has to decide, and the
/// other agent.
async fn two(server: &Server, conduct: Conduct) -> (Client, Client) {
    let request = MatchSpec { conduct: Some(conduct), ..rappanui(2, &[], 4) };
    let clients = server.seats(request).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    (clients[to_act].clone(), clients[1 - to_act].clone())
}

fn limited() -> Conduct {
    Conduct { absence_limit: seconds(30.0), ..Default::default() }
}

/// The time from an agent's last call until the agent has been absent for 30 seconds.
const ABSENT: Duration = Duration::from_secs(40);

async fn is_present(server: &Server, client: &Client) -> bool {
    server.describe(&client.match_id).await.seats[client.seat as usize].present
}

fn absent(client: &Client) -> Vec<Forfeit> {
    vec![Forfeit { seat: Some(client.seat), cause: Cause::Absent.into() }]
}

#[tokio::test]
async fn a_seat_is_present_for_ten_seconds_after_each_call_with_its_token() {
    let (server, matches) = start().await;
    let created = server.create(rappanui(3, &[(1, "greedy")], 1)).await;
    assert!(created.seats.iter().all(|seat| !seat.present), "no agent is there");
    let clients = [server.join(&created).await, server.join(&created).await];
    let present = |seats: [bool; 3]| {
        let (server, id) = (&server, created.match_id.clone());
        async move {
            let told: Vec<_> = server.describe(&id).await.seats.iter().map(|seat| seat.present).collect();
            assert_eq!(told, seats);
        }
    };
    present([true, false, true]).await;
    matches.advance(PRESENCE_GRACE.saturating_sub(TICK));
    present([true, false, true]).await;

    let seat = Some(clients[0].seat);
    let match_id = clients[0].match_id.clone();
    let mut calls = server.matches();
    for call in 0..4 {
        match call {
            0 => drop(clients[0].look().await),
            1 => drop(clients[0].step(99, 0).await.expect_err("the decision is not open")),
            2 => {
                let action = Some(Action::from("no meld".to_owned()));
                let request = ParseActionRequest { match_id: match_id.clone(), seat, action };
                calls.parse_action(clients[0].with_token(request)).await.expect("the token is right");
            }
            _ => {
                let request = ResignSeatRequest { match_id: match_id.clone(), seat };
                calls.resign_seat(clients[0].with_token(request)).await.expect("the token is right");
            }
        }
        matches.advance(PRESENCE_GRACE.saturating_sub(TICK));
        present([true, false, false]).await;
    }
    matches.advance(TICK);
    present([false, false, false]).await;

    let thief = Client { token: "x".to_owned(), ..clients[0].clone() };
    thief.observe(Duration::ZERO).await.expect_err("the token is wrong");
    present([false, false, false]).await;
}

#[tokio::test]
async fn a_seat_is_present_while_a_call_is_under_way() {
    let (server, matches) = start().await;
    let (_, waits) = two(&server, Conduct::default()).await;
    let waiting = tokio::spawn({
        let waits = waits.clone();
        async move { waits.observe(MAX_WAIT).await }
    });
    // The call is under way when a later call on the same connection has been answered.
    server.list().await;
    matches.advance(Duration::from_secs(300));
    assert!(is_present(&server, &waits).await);

    waiting.abort();
    assert!(waiting.await.expect_err("the call was cancelled").is_cancelled());
    // The server learns of the end a moment later, and the seat is absent after ten more seconds.
    while {
        matches.advance(PRESENCE_GRACE);
        is_present(&server, &waits).await
    } {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_agent_that_is_absent_for_too_long_forfeits_and_the_other_gets_a_result() {
    let (server, matches) = start().await;
    let (gone, stays) = two(&server, limited()).await;
    let described = server.describe(&gone.match_id).await;
    assert_eq!(described.conduct.expect("all consequences").absence_limit, seconds(30.0));
    matches.advance(ABSENT);
    assert_eq!(stays.look().await.forfeits, []);

    matches.advance(TICK);

    assert_eq!(stays.look().await.forfeits, absent(&gone));
    let error = gone.step(1, 71).await.expect_err("the seat has forfeited");
    assert_eq!(error_info(&error, ["cause"]).2, ["ABSENT".to_owned()]);
    play_lowest(stays.clone()).await;
    assert_eq!(verify(&record_of(&stays, RecordFormat::Text).await), Ok(()));
}

#[tokio::test]
async fn an_agent_that_calls_in_time_does_not_forfeit() {
    let (server, matches) = start().await;
    let (thinks, stays) = two(&server, limited()).await;
    for _ in 0..10 {
        matches.advance(ABSENT);
        thinks.look().await;
    }
    assert_eq!(stays.look().await.forfeits, []);

    // An agent that waits in a call, or that owes no decision, does not forfeit either.
    let waiting = tokio::spawn({
        let stays = stays.clone();
        async move { stays.observe(MAX_WAIT).await }
    });
    server.list().await;
    matches.advance(ABSENT);
    thinks.look().await;
    matches.advance(ABSENT);
    assert_eq!(thinks.look().await.forfeits, []);
    waiting.abort();
}

#[tokio::test]
async fn an_absence_counts_from_when_the_decision_is_owed() {
    let (server, matches) = start().await;
    let (acts, gone) = two(&server, limited()).await;
    for _ in 0..5 {
        matches.advance(ABSENT);
        assert_eq!(acts.look().await.forfeits, [], "the absent seat owes nothing");
    }
    let mut seen = acts.look().await;
    while let Some(decision) = seen.decision {
        let answer = acts.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
        seen = answer.observation.expect("the format was requested");
    }
    assert_eq!(seen.seats_to_act, [gone.seat]);

    matches.advance(Duration::from_secs(30));
    assert_eq!(acts.look().await.forfeits, []);
    matches.advance(TICK);
    assert_eq!(acts.look().await.forfeits, absent(&gone));
}

#[tokio::test]
async fn without_a_limit_the_clock_alone_decides() {
    let (server, matches) = start().await;
    let (gone, stays) = two(&server, Conduct::default()).await;
    matches.advance(matches.limits().decision_idle);
    assert_eq!(stays.look().await.forfeits, []);
    assert!(!is_present(&server, &gone).await);

    matches.advance(TIMER_SLACK);
    assert_eq!(stays.look().await.forfeits[0].cause(), Cause::Timeout);
}

#[tokio::test]
async fn an_absence_can_be_a_strike_after_which_it_counts_anew() {
    let (server, matches) = start().await;
    let conduct = Conduct { absent: Consequence::Strike.into(), strikes: Some(2), ..limited() };
    let (gone, stays) = two(&server, conduct).await;

    matches.advance(ABSENT + TICK);
    matches.advance(Duration::from_secs(30));
    assert_eq!(stays.look().await.forfeits, []);
    matches.advance(TICK);

    assert_eq!(stays.look().await.forfeits, absent(&gone));
}
