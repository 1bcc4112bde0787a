//! Endings: each match ends for one reason, and everybody is told the reason.

use std::time::Duration;

use ahu_core::{Seat, Seed};
use ahu_host::{Ending, Entry, find, verify};
use ahu_service::limits::MAX_WAIT;
use ahu_service::proto::v1::{
    Action, CancelMatchRequest, Cause, Conduct, Consequence, CreateMatchResponse, Forfeit, JoinMatchRequest, Match,
    MatchSpec, MatchState, RecordFormat, ResignSeatRequest, StepRequest, join_match_request,
};
use ahu_service::{Limits, MatchConfig};
use tonic::{Code, Request, Status};

use crate::bots::wait_for_end;
use crate::errors::{code, is, two_agents};
use crate::matches::{play_lowest, record_of};
use crate::scripted::Scripted;
use crate::server::{Asked, Client, Server, Taken, error_info, matches_with, rappanui, with_id};

pub(crate) async fn resign(client: &Client) -> Result<Match, Status> {
    let request = ResignSeatRequest { match_id: client.match_id.clone(), seat: Some(client.seat) };
    let answer = client.matches.clone().resign_seat(client.with_token(request)).await?;
    Ok(answer.into_inner().r#match.expect("a match"))
}

async fn create(server: &Server, request: impl Asked) -> CreateMatchResponse {
    server.matches().create_match(request.asked()).await.expect("the match is created").into_inner()
}

async fn cancel(server: &Server, match_id: &str, token: &str, reason: &str) -> Result<Match, Status> {
    let mut request = Request::new(CancelMatchRequest { match_id: match_id.to_owned(), reason: reason.to_owned() });
    let token = format!("Bearer {token}").parse().expect("tokens are ASCII");
    request.metadata_mut().insert("authorization", token);
    Ok(server.matches().cancel_match(request).await?.into_inner().r#match.expect("a match"))
}

/// Creates a match of two agents with this conduct, at its first decision. Returns the agent that has to decide, and the
/// other agent.
async fn two(server: &Server, conduct: Conduct) -> (Client, Client) {
    let request = MatchSpec { conduct: Some(conduct), ..rappanui(2, &[], 4) };
    let clients = server.seats(request).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    (clients[to_act].clone(), clients[1 - to_act].clone())
}

/// Sends a text as the action of the first decision, and returns the refusal.
async fn say(client: &Client, text: &str) -> Status {
    let request = StepRequest { action: Some(Action::from(text.to_owned())), ..client.step_request(1, 0) };
    client.matches.clone().step(client.with_token(request)).await.expect_err("the text is not an action")
}

fn forfeit(client: &Client, cause: Cause) -> Vec<Forfeit> {
    vec![Forfeit { seat: Some(client.seat), cause: cause.into() }]
}

#[tokio::test]
async fn a_seat_resigns_and_the_other_gets_a_result() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;

    let described = resign(&waits).await.expect("the terms allow it");
    assert_eq!(described.state(), MatchState::Running);
    assert_eq!(resign(&waits).await.expect("a request may be repeated").match_id, waits.match_id);

    let seen = owes.look().await;
    assert_eq!(seen.forfeits, forfeit(&waits, Cause::Resigned));
    let error = waits.step(1, 71).await.expect_err("the seat has forfeited");
    let forfeited = (Code::FailedPrecondition, "FORFEITED".to_owned(), ["RESIGNED".to_owned()]);
    assert_eq!(error_info(&error, ["cause"]), forfeited);

    play_lowest(owes.clone()).await;
    let result = server.describe(&owes.match_id).await.result.expect("the match is finished");
    assert_eq!((result.forfeits, result.ranks[waits.seat as usize]), (forfeit(&waits, Cause::Resigned), 2));
    let error = resign(&owes).await.expect_err("the match is finished");
    let ended = (Code::FailedPrecondition, "MATCH_ENDED".to_owned(), ["FINISHED".to_owned()]);
    assert_eq!(error_info(&error, ["state"]), ended);
    assert_eq!(resign(&waits).await.expect("a request may be repeated").state(), MatchState::Finished);
    let record = record_of(&owes, RecordFormat::Text).await;
    assert_eq!((verify(&record), record.ending), (Ok(()), Some(Ending::Finished)));
}

#[tokio::test]
async fn a_resignation_needs_the_token_and_a_match_in_progress_and_terms_that_allow_it() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let early = server.join(&created).await;
    let error = resign(&early).await.expect_err("the match has not begun");
    assert_eq!(code(&error), is(Code::FailedPrecondition, "MATCH_NOT_STARTED"));

    let (owes, waits) = two_agents(&server).await;
    let thief = Client { token: waits.token.clone(), ..owes.clone() };
    let error = resign(&thief).await.expect_err("the token is wrong");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    let request = ResignSeatRequest { match_id: owes.match_id.clone(), seat: Some(owes.seat) };
    let error = server.matches().resign_seat(request).await.expect_err("the token is missing");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));

    let conduct = Conduct { resigned: Consequence::Refusal.into(), ..Default::default() };
    let (owes, _) = two(&server, conduct).await;
    let error = resign(&owes).await.expect_err("the terms refuse it");
    let refused = (Code::FailedPrecondition, "NO_RESIGNATION".to_owned(), [owes.match_id.clone()]);
    assert_eq!(error_info(&error, ["match_id"]), refused);
    assert_eq!(owes.look().await.forfeits, []);
}

#[tokio::test]
async fn the_creator_cancels_a_match_and_whoever_waits_is_told() {
    let server = Server::start().await;
    let created = create(&server, rappanui(2, &[], 1)).await;
    let described = created.r#match.clone().expect("a match");
    let clients = [server.join(&described).await, server.join(&described).await];
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let (owes, waits) = (&clients[to_act], clients[1 - to_act].clone());
    let waiting = wait_for_end(&server, &described.match_id);
    let observing = tokio::spawn(async move { waits.observe(MAX_WAIT).await });
    // The calls are under way when a later call on the same connection has been answered.
    server.list().await;

    let told = cancel(&server, &described.match_id, &created.owner_token, "the power is off").await;

    let expected = (MatchState::Cancelled, "the power is off".to_owned());
    let seen = |told: Match| (told.state(), told.end_reason);
    assert_eq!(seen(told.expect("the token is right")), expected);
    assert_eq!(seen(waiting.await.expect("the task does not panic").expect("the match is hosted")), expected);
    let told = observing.await.expect("the task does not panic").expect("the match is hosted");
    assert_eq!((told.state(), told.end_reason.clone(), told.result), (expected.0, expected.1.clone(), None));
    let ended = (Code::FailedPrecondition, "MATCH_ENDED".to_owned(), ["CANCELLED".to_owned()]);
    for error in
        [owes.step(1, 71).await.expect_err("the match has ended"), resign(owes).await.expect_err("the match has ended")]
    {
        assert_eq!(error_info(&error, ["state"]), ended, "{error}");
    }
    for reason in ["the power is off", "another reason", ""] {
        let again = cancel(&server, &described.match_id, &created.owner_token, reason).await;
        assert_eq!(seen(again.expect("a request may be repeated")), expected, "the first reason counts");
    }
    assert_eq!(owes.look().await.decision, None);
    for format in [RecordFormat::Text, RecordFormat::Binary] {
        let record = record_of(owes, format).await;
        assert_eq!((verify(&record), &record.result), (Ok(()), &None));
        assert_eq!(record.ending, Some(Ending::Cancelled("the power is off".to_owned())));
    }
}

#[tokio::test]
async fn only_the_owner_token_cancels_a_match() {
    let server = Server::start().await;
    let request = with_id("0123456789abcdef", rappanui(2, &[], 1));
    let created = create(&server, request.clone()).await;
    let again = create(&server, request).await;
    assert_eq!(again.owner_token, created.owner_token, "the same request gets the same token");
    let described = created.r#match.expect("a match");
    let client = server.join(&described).await;
    let other = create(&server, rappanui(2, &[], 1)).await;

    for token in ["", "x", &client.token, &other.owner_token] {
        let error = cancel(&server, &described.match_id, token, "").await.expect_err("a stranger cancels");
        assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    }
    let request = CancelMatchRequest { match_id: described.match_id.clone(), ..Default::default() };
    let error = server.matches().cancel_match(request).await.expect_err("the token is missing");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));
    for reason in ["two\nlines", &"x".repeat(201), " x", "\u{1b}[2J", "gone\u{202e}"] {
        let error = cancel(&server, &described.match_id, &created.owner_token, reason).await;
        let error = error.expect_err("the reason is invalid");
        assert_eq!(error_info(&error, ["field"]).2, ["reason".to_owned()], "{error}");
    }
    assert_eq!(server.describe(&described.match_id).await.state(), MatchState::Seating);

    let told = cancel(&server, &described.match_id, &created.owner_token, "").await.expect("the token is right");
    assert_eq!((told.state(), told.end_reason.as_str()), (MatchState::Cancelled, "cancelled by its creator"));
}

#[tokio::test]
async fn unreadable_texts_and_messages_are_strikes_if_the_terms_say_so() {
    let server = Server::start().await;
    let conduct = Conduct { unreadable: Consequence::Strike.into(), ..Default::default() };
    let (bad, good) = two(&server, conduct).await;
    let strike = |n: &str| (Code::InvalidArgument, "BAD_ACTION".to_owned(), [n.to_owned(), "3".to_owned()]);

    let error = say(&bad, "mel F7").await;
    assert_eq!(error_info(&error, ["strike", "strikes"]), strike("1"));
    assert!(error.message().starts_with("strike 1 of 3; "), "{error}");
    assert!(!error_info(&error, ["at"]).2[0].is_empty());
    assert_eq!(error_info(&say(&bad, "mel F7").await, ["strike", "strikes"]), strike("1"), "a request may be repeated");
    let typed = prost_types::Any { type_url: "type.googleapis.com/nothing".to_owned(), value: vec![1, 2] };
    let request = StepRequest { action: Some(Action::from(typed)), ..bad.step_request(1, 0) };
    let error = bad.matches.clone().step(bad.with_token(request)).await.expect_err("the message is not an action");
    assert_eq!(error_info(&error, ["strike", "strikes"]), strike("2"));
    // An illegal action is only refused, and a decision that is not open is no fault.
    let illegal = bad.step(1, 0).await.expect_err("the action is illegal");
    assert_eq!(code(&illegal).1, "ILLEGAL_ACTION");
    assert!(!illegal.message().contains("strike"), "{illegal}");
    assert_eq!(code(&say(&good, "mel F7").await).1, "BAD_ACTION");
    assert_eq!(good.look().await.forfeits, []);

    let last = say(&bad, "\u{1F5FF}").await;
    assert_eq!(error_info(&last, ["strike", "strikes"]), strike("3"));
    assert!(last.message().starts_with("strike 3 of 3: the seat forfeits; "), "{last}");
    assert_eq!(good.look().await.forfeits, forfeit(&bad, Cause::Unreadable));
}

#[tokio::test]
async fn garbage_for_ever_ends_in_a_forfeit_and_the_other_gets_a_result() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (bad, good) = two(&server, Conduct { tries: 20, ..Default::default() }).await;
    for _ in 0..100 {
        assert_eq!(code(&say(&bad, "garbage").await).1, "BAD_ACTION");
    }
    assert_eq!(good.look().await.forfeits, [], "a repeated request is one try");

    for n in 0..18 {
        assert_eq!(code(&say(&bad, &format!("garbage {n}")).await).1, "BAD_ACTION");
    }
    assert_eq!(good.look().await.forfeits, []);
    // The same action counts again after two seconds.
    matches.advance(Duration::from_millis(2_001));
    let last = say(&bad, "garbage 17").await;

    assert!(last.message().starts_with("the seat forfeits; "), "{last}");
    assert_eq!(good.look().await.forfeits, forfeit(&bad, Cause::Unreadable));
    play_lowest(good.clone()).await;
    let record = record_of(&good, RecordFormat::Text).await;
    assert_eq!(verify(&record), Ok(()));
    let faults = record.entries.iter().filter(|entry| matches!(entry, Entry::Strike { .. } | Entry::Forfeit { .. }));
    assert_eq!(faults.count(), 1, "one entry for all of the garbage");
}

#[tokio::test]
async fn a_strict_match_forfeits_with_the_first_fault() {
    let server = Server::start().await;
    let forfeits = Consequence::Forfeit.into();
    let conduct = Conduct { illegal: forfeits, unreadable: forfeits, ..Default::default() };
    for (cause, reason) in [(Cause::Illegal, "ILLEGAL_ACTION"), (Cause::Unreadable, "BAD_ACTION")] {
        let (bad, good) = two(&server, conduct).await;
        let error = match cause {
            Cause::Illegal => bad.step(1, 0).await.expect_err("the action is illegal"),
            _ => say(&bad, "garbage").await,
        };
        assert_eq!(code(&error).1, reason);
        assert!(error.message().starts_with("the seat forfeits; "), "{error}");
        assert_eq!(good.look().await.forfeits, forfeit(&bad, cause));
    }
}

#[tokio::test]
async fn contradictory_conduct_is_refused() {
    let server = Server::start().await;
    let [refusal, strike] = [Consequence::Refusal, Consequence::Strike].map(i32::from);
    for (field, conduct) in [
        ("conduct.strikes", Conduct { strikes: Some(3), ..Default::default() }),
        ("conduct", Conduct { timeout: refusal, ..Default::default() }),
        ("conduct", Conduct { resigned: strike, ..Default::default() }),
        ("conduct.tries", Conduct { tries: 70_000, ..Default::default() }),
        ("conduct.illegal", Conduct { illegal: 9, ..Default::default() }),
    ] {
        let request = MatchSpec { conduct: Some(conduct), ..rappanui(2, &[], 1) };
        let error = server.matches().create_match(request.asked()).await.expect_err("the conduct is contradictory");
        assert_eq!(error_info(&error, ["field"]).2, [field.to_owned()], "{error}");
    }
    let request = MatchSpec { stand_in: "greedy@9".to_owned(), ..rappanui(2, &[], 1) };
    let error = server.matches().create_match(request.asked()).await.expect_err("the bot does not exist");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_BOT"));
    assert_eq!(server.list().await, []);

    let request = MatchSpec { stand_in: "random".to_owned(), ..rappanui(2, &[], 1) };
    let created = server.create(request).await;
    assert_eq!(created.stand_in, "random@1");
    let conduct = created.conduct.expect("all consequences");
    assert_eq!(conduct.strikes, None, "no fault is a strike");
    assert_eq!((conduct.illegal(), conduct.timeout(), conduct.tries), (Consequence::Refusal, Consequence::Forfeit, 50));
}

#[tokio::test]
async fn the_exit_of_a_program_forfeits() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let setup = find("rappanui").expect("the game is in the catalog").configure(2, &[]).expect("the defaults");
    let live = matches.host(MatchConfig::new(setup)).expect("there is room");
    let created = server.describe(&live.id).await;
    let (lost, good) = (server.join(&created).await, server.join(&created).await);

    live.fault(Seat::new(lost.seat as usize).expect("a seat"), ahu_host::Cause::Exited);

    assert_eq!(good.look().await.forfeits, forfeit(&lost, Cause::Exited));
    play_lowest(good.clone()).await;
    let record = record_of(&good, RecordFormat::Binary).await;
    assert_eq!(verify(&record), Ok(()));
}

#[tokio::test]
async fn a_fault_of_the_server_voids_the_match_and_decides_nothing() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let rules = find("rappanui").expect("the game is in the catalog");
    let mut voided = 0;
    for seed in 0..6 {
        // The bot is quick, so it panics within a call: the join or a step.
        let setup = Scripted::bots(rules.configure(2, &[]).expect("the defaults"), || panic!("a bot of the test"));
        let bots = vec![None, rules.bot("greedy").ok()];
        let config = MatchConfig { bots, seed: Some(Seed(seed)), ..MatchConfig::new(setup) };
        let live = matches.host(config).expect("there is room");
        let target = Some(join_match_request::Target::MatchId(live.id.to_string()));
        let joined = server.matches().join_match(JoinMatchRequest { target, ..Default::default() }).await;
        let Ok(joined) = joined else { continue };
        let token = joined.into_inner().taken().seat_token;
        let client = Client { matches: server.matches(), match_id: live.id.to_string(), seat: 0, token };
        let entries = || live.with_referee(|referee| referee.entries().to_vec()).expect("the match has begun");
        let (before, error) = loop {
            let before = entries();
            let decision = client.look().await.decision.expect("the seat has to decide");
            if let Err(error) = client.step(decision.decision_id, decision.legal_ids[0]).await {
                break (before, error);
            }
        };

        let ended = (Code::FailedPrecondition, "MATCH_ENDED".to_owned(), ["VOID".to_owned()]);
        assert_eq!(error_info(&error, ["state"]), ended);
        let seen = client.look().await;
        assert_eq!((seen.state(), seen.result, seen.forfeits), (MatchState::Void, None, vec![]));
        assert_eq!(seen.end_reason, "the rules failed on the server");
        let record = record_of(&client, RecordFormat::Binary).await;
        assert_eq!(verify(&record), Ok(()));
        assert_eq!(record.ending, Some(Ending::Void(seen.end_reason.clone())));
        let void = Entry::Void(seen.end_reason);
        assert_eq!(entries(), [before, vec![void]].concat(), "the call that failed left no other entry");
        voided += 1;
    }
    assert!(voided > 0, "the agent has the first decision with some seed");
    server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;
}
