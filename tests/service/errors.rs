//! Errors: code, reason, and metadata of each. A refused request changes nothing.

use std::time::Duration;

use ahu_host::api::{self, ApiError};
use ahu_host::visible_text;
use ahu_service::Limits;
use ahu_service::proto::v1::{
    BotSeat, ErrorReason, GetGameRequest, GetRecordRequest, JoinMatchRequest, MatchSpec, RecordFormat,
    WatchMatchRequest, join_match_request,
};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::server::{Asked, Client, Server, error_info, matches_with, rappanui, strikes};

async fn create(server: &Server, request: MatchSpec) -> Status {
    server.matches().create_match(request.asked()).await.expect_err("the request is refused")
}

/// Creates a match of two agents at its first decision. Returns the agent that has to decide, and the other agent.
pub(crate) async fn two_agents(server: &Server) -> (Client, Client) {
    let clients = server.seats(rappanui(2, &[], 1)).await;
    let to_act = clients[0].observe(Duration::ZERO).await.expect("the token is valid").seats_to_act[0] as usize;
    (clients[to_act].clone(), clients[1 - to_act].clone())
}

pub(crate) fn code(status: &Status) -> (Code, String) {
    let (code, reason, []) = error_info(status, []);
    (code, reason)
}

pub(crate) fn is(code: Code, reason: &str) -> (Code, String) {
    (code, reason.to_owned())
}

#[tokio::test]
async fn the_error_for_an_unknown_game_suggests_the_nearest_name() {
    let server = Server::start().await;
    let unknown = GetGameRequest { game: "rapanui".to_owned() };

    let error = server.catalog().get_game(unknown).await.expect_err("the request is invalid");
    assert_eq!(error_info(&error, ["game"]), (Code::NotFound, "UNKNOWN_GAME".to_owned(), ["rapanui".to_owned()]));
    assert!(error.message().contains("did you mean \"rappanui\"?"), "{}", error.message());

    let error = create(&server, MatchSpec { game: "chess".to_owned(), ..rappanui(2, &[], 0) }).await;
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_GAME"));
}

#[tokio::test]
async fn an_invalid_match_is_not_created() {
    let server = Server::start().await;
    let option = |key: &str, value: &str| MatchSpec {
        options: [(key.to_owned(), value.to_owned())].into(),
        ..rappanui(2, &[], 0)
    };

    let error = create(&server, option("combine", "true")).await;
    assert_eq!(error_info(&error, ["key"]), (Code::InvalidArgument, "BAD_OPTION".to_owned(), ["combine".to_owned()]));
    assert!(error.message().contains("did you mean \"combine_rule\"?"), "{}", error.message());
    let details = error.get_error_details();
    let violation = &details.bad_request().expect("the field is named").field_violations[0];
    assert_eq!(violation.field, "options");

    let error = create(&server, option("tie", "never")).await;
    assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_OPTION"));
    assert!(error.message().contains("share or fewest_cards"), "{}", error.message());

    for count in [0, 1, 7, u32::MAX] {
        let error = create(&server, rappanui(count, &[], 0)).await;
        assert_eq!(error_info(&error, ["seat_count"]).2, [count.to_string()]);
        assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_SEAT_COUNT"));
    }

    let error = create(&server, rappanui(2, &[(0, "gready")], 0)).await;
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_BOT"));
    assert!(error.message().contains("did you mean \"greedy\"?"), "{}", error.message());
    for (bot, expected) in [
        ("search:0", "expected from 1 to 1000000 playouts, got \"0\""),
        ("search:1001", "expected at most 1000 playouts a decision on this server, got the bot \"search@2:1001\""),
        ("search:3s", "expected at most 2000ms a decision on this server, got the bot \"search@2:3s\""),
    ] {
        let error = create(&server, rappanui(2, &[(0, bot)], 0)).await;
        assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_BOT"));
        assert_eq!(error.message(), expected);
        let stand_in = MatchSpec { stand_in: bot.to_owned(), ..rappanui(2, &[], 0) };
        assert_eq!(create(&server, stand_in).await.message(), expected);
    }
    let error = create(&server, rappanui(2, &[(2, "greedy")], 0)).await;
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_SEAT"));
    let nowhere = BotSeat { seat: None, bot: "greedy".to_owned() };
    let error = create(&server, MatchSpec { bots: vec![nowhere], ..rappanui(2, &[], 0) }).await;
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_SEAT"));
    let error = create(&server, rappanui(2, &[(0, "greedy"), (0, "random")], 0)).await;
    assert_eq!(error_info(&error, ["field"]), (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["bots".to_owned()]));
    let error = create(&server, MatchSpec { conduct: strikes(256), ..rappanui(2, &[], 0) }).await;
    assert_eq!(error_info(&error, ["field"]).2, ["conduct.strikes".to_owned()]);
}

#[tokio::test]
async fn an_unknown_match_is_not_found() {
    let server = Server::start().await;
    let (client, _) = two_agents(&server).await;
    let lost = Client { match_id: "nowhere".to_owned(), ..client };
    let not_found = (Code::NotFound, "UNKNOWN_MATCH".to_owned(), ["nowhere".to_owned()]);

    let join = JoinMatchRequest {
        target: Some(join_match_request::Target::MatchId("nowhere".to_owned())),
        ..Default::default()
    };
    let record = GetRecordRequest { match_id: "nowhere".to_owned(), ..Default::default() };
    assert_eq!(
        error_info(&server.matches().join_match(join).await.expect_err("the match is unknown"), ["match_id"]),
        not_found
    );
    assert_eq!(
        error_info(&server.matches().get_record(record).await.expect_err("the match is unknown"), ["match_id"]),
        not_found
    );
    assert_eq!(
        error_info(&lost.observe(Duration::ZERO).await.expect_err("the match is unknown"), ["match_id"]),
        not_found
    );
    assert_eq!(error_info(&lost.step(1, 0).await.expect_err("the match is unknown"), ["match_id"]), not_found);
}

#[tokio::test]
async fn a_taken_or_unknown_seat_cannot_be_joined() {
    let server = Server::start().await;
    let created =
        server.matches().create_match(rappanui(2, &[(1, "greedy")], 0).asked()).await.expect("a match").into_inner();
    let match_id = created.r#match.expect("a match").match_id;
    let join = |seat, name: &str| JoinMatchRequest {
        target: Some(join_match_request::Target::MatchId(match_id.clone())),
        seat,
        name: name.to_owned(),
        ..Default::default()
    };
    let mut matches = server.matches();

    let error = matches.join_match(join(Some(1), "")).await.expect_err("a bot plays the seat");
    assert_eq!(error_info(&error, ["seat"]), (Code::AlreadyExists, "SEAT_TAKEN".to_owned(), ["1".to_owned()]));
    let error = matches.join_match(join(Some(2), "")).await.expect_err("the request is invalid");
    assert_eq!(error_info(&error, ["seat", "seat_count"]).2, ["2".to_owned(), "2".to_owned()]);
    let too_long = "x".repeat(65);
    let hidden = ["\u{3164}", "\u{2800}", "a\u{61c}b", "a\u{e0041}", "a\u{202e}b", "\u{1b}[31ma", "a  b"];
    let bots = ["greedy@2", "Greedy@9", "search@1:50"];
    for name in ["two\nlines", " spaces ", &too_long].into_iter().chain(hidden).chain(bots) {
        let error = matches.join_match(join(None, name)).await.expect_err("the name is invalid");
        assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_NAME"), "{name:?}");
        assert!(!error.message().contains(visible_text::is_hidden), "the error can be shown: {error}");
    }
    let error = matches.join_match(JoinMatchRequest::default()).await.expect_err("the match is missing");
    assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_FIELD"));

    matches.join_match(join(None, "")).await.expect("seat 0 is open");
    let error = matches.join_match(join(None, "")).await.expect_err("no seat is open");
    assert_eq!(code(&error), is(Code::AlreadyExists, "SEAT_TAKEN"));
}

#[tokio::test]
async fn a_seat_accepts_only_its_own_token() {
    let server = Server::start().await;
    let (one, other) = two_agents(&server).await;
    let (stranger, _) = two_agents(&server).await;
    let before = one.observe(Duration::ZERO).await.expect("the token is valid");

    let without = one.matches.clone().observe(one.observe_request(Duration::ZERO)).await.expect_err("no token");
    assert_eq!(code(&without), is(Code::Unauthenticated, "NO_TOKEN"));
    let without = one.matches.clone().step(one.step_request(1, 71)).await.expect_err("no token");
    assert_eq!(code(&without), is(Code::Unauthenticated, "NO_TOKEN"));
    for token in ["", "x", &other.token, &stranger.token] {
        let thief = Client { token: token.to_owned(), ..one.clone() };
        let wrong = is(Code::PermissionDenied, "WRONG_TOKEN");
        assert_eq!(code(&thief.observe(Duration::ZERO).await.expect_err("the token is wrong")), wrong);
        assert_eq!(code(&thief.step(1, 71).await.expect_err("the token is wrong")), wrong);
    }
    let nowhere = Client { seat: 2, ..one.clone() };
    assert_eq!(code(&nowhere.step(1, 71).await.expect_err("the seat is unknown")), is(Code::NotFound, "UNKNOWN_SEAT"));

    assert_eq!(one.observe(Duration::ZERO).await.expect("the token is valid"), before);
}

#[tokio::test]
async fn a_bots_seat_has_no_token() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 0)).await;

    let thief = Client { seat: 0, ..clients[0].clone() };
    let error = thief.observe(Duration::ZERO).await.expect_err("a bot plays the seat");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
}

#[tokio::test]
async fn a_decision_is_answered_once_by_its_seat() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let before = owes.observe(Duration::ZERO).await.expect("the token is valid");

    let error = waits.step(1, legal[0]).await.expect_err("the other seat has to decide");
    let to_act = owes.seat.to_string();
    assert_eq!(error_info(&error, ["to_act"]), (Code::FailedPrecondition, "NOT_YOUR_DECISION".to_owned(), [to_act]));
    let error = owes.step(decision + 4, legal[0]).await.expect_err("the decision is not open");
    let open = decision.to_string();
    assert_eq!(error_info(&error, ["open_decision_id"]), (Code::Aborted, "STALE_DECISION".to_owned(), [open]));
    assert_eq!(owes.observe(Duration::ZERO).await.expect("the token is valid"), before);

    owes.step(decision, legal[0]).await.expect("the action is legal");
    let after = owes.observe(Duration::ZERO).await.expect("the token is valid");
    let error = owes.step(decision, 182).await.expect_err("the decision has an answer");
    let taken = legal[0].to_string();
    assert_eq!(error_info(&error, ["taken_action_id"]), (Code::Aborted, "DECISION_TAKEN".to_owned(), [taken]));
    assert_eq!(owes.observe(Duration::ZERO).await.expect("the token is valid"), after);
}

#[tokio::test]
async fn unknown_and_illegal_actions_are_refused() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let before = owes.observe(Duration::ZERO).await.expect("the token is valid");

    for id in [183, 70_000, u32::MAX] {
        let error = owes.step(decision, id).await.expect_err("the request is invalid");
        assert_eq!(
            error_info(&error, ["action_count"]),
            (Code::InvalidArgument, "UNKNOWN_ACTION".to_owned(), ["183".to_owned()])
        );
    }
    let error = owes.step(decision, 0).await.expect_err("no event is legal yet");
    let (code_, reason, [ranges]) = error_info(&error, ["legal"]);
    assert_eq!((code_, reason.as_str()), (Code::FailedPrecondition, "ILLEGAL_ACTION"));
    let told: Vec<u32> = ranges
        .split(',')
        .flat_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            first.parse().expect("an id")..=last.parse::<u32>().expect("an id")
        })
        .collect();
    assert_eq!(told, legal);
    let mut empty = owes.step_request(decision, 0);
    empty.action = None;
    let error = owes.matches.clone().step(owes.with_token(empty)).await.expect_err("the action is missing");
    assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_FIELD"));

    assert_eq!(owes.observe(Duration::ZERO).await.expect("the token is valid"), before);
}

#[tokio::test]
async fn a_match_refuses_steps_before_its_beginning_and_its_record_before_its_end() {
    let server = Server::start().await;
    let created = server.matches().create_match(rappanui(2, &[], 0).asked()).await.expect("a match").into_inner();
    let created = created.r#match.expect("a match");
    let client = server.join(&created).await;

    let error = client.step(1, 71).await.expect_err("the match has not begun");
    assert_eq!(code(&error), is(Code::FailedPrecondition, "MATCH_NOT_STARTED"));
    let not_ended = (Code::FailedPrecondition, "MATCH_NOT_ENDED".to_owned(), [client.match_id.clone()]);
    for begun in [false, true] {
        if begun {
            server.join(&created).await;
        }
        for format in [RecordFormat::Unspecified, RecordFormat::Text, RecordFormat::Binary] {
            let request = GetRecordRequest { match_id: client.match_id.clone(), format: format.into() };
            for request in [Request::new(request.clone()), client.with_token(request)] {
                let error = server.matches().get_record(request).await.expect_err("the match has not ended");
                assert_eq!(error_info(&error, ["match_id"]), not_ended, "begun: {begun}");
            }
        }
    }
}

#[tokio::test]
async fn a_finished_match_refuses_actions() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 6)).await;
    let mut last = 0;
    while let Some((decision, legal)) = clients[0].decision().await {
        clients[0].act(decision, legal[0]).await;
        last = decision;
    }

    let error = clients[0].step(last + 1, 71).await.expect_err("the game is over");
    let ended = [clients[0].match_id.clone(), "FINISHED".to_owned()];
    let ended = (Code::FailedPrecondition, "MATCH_ENDED".to_owned(), ended);
    assert_eq!(error_info(&error, ["match_id", "state"]), ended);
    let request = GetRecordRequest { match_id: clients[0].match_id.clone(), format: 9 };
    let error = server.matches().get_record(request).await.expect_err("the format is unknown");
    assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_FIELD"));
}

#[tokio::test]
async fn errors_are_small_for_every_request() {
    let server = Server::start().await;
    let long = "\u{1F5FF}".repeat(10_000);
    // The size of an error as trailers: the message is percent-encoded, and the details are base64.
    let size = |error: &Status| {
        let encoded = |byte: u8| if byte.is_ascii_alphanumeric() { 1 } else { 3 };
        error.message().bytes().map(encoded).sum::<usize>() + error.details().len().div_ceil(3) * 4
    };

    for text in [long.clone(), "x".repeat(40_000), "%".repeat(40_000), "\n".repeat(40_000)] {
        let error =
            server.catalog().get_game(GetGameRequest { game: text.clone() }).await.expect_err("the request is invalid");
        assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_GAME"));
        assert!(size(&error) < 4096, "{} bytes", size(&error));
        let option = |key: &str, value: &str| MatchSpec {
            options: [(key.to_owned(), value.to_owned())].into(),
            ..rappanui(2, &[], 0)
        };
        for error in [create(&server, option(&text, "")).await, create(&server, option("tie", &text)).await] {
            assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_OPTION"));
            assert!(size(&error) < 4096, "{} bytes", size(&error));
        }
    }

    let too_long = GetGameRequest { game: long.repeat(2) };
    let error = server.catalog().get_game(too_long).await.expect_err("the request is too large");
    assert_eq!(code(&error), is(Code::ResourceExhausted, "REQUEST_TOO_LARGE"));
    assert!(size(&error) < 4096, "{} bytes", size(&error));
}

#[tokio::test]
async fn a_waiting_call_is_unavailable_when_the_server_closes() {
    let server = Server::start().await;
    let (_, waits) = two_agents(&server).await;

    let waiting = tokio::spawn(async move { waits.observe(Duration::from_secs(20)).await });
    // The call is under way when a later call on the same connection has been answered.
    let (owes, _) = two_agents(&server).await;
    drop(owes);
    server.stop().await;

    let error = waiting.await.expect("the task does not panic").expect_err("the server closes");
    assert_eq!(error.code(), Code::Unavailable);
}

#[test]
fn every_reason_is_used_and_has_a_code_in_its_comment() {
    let code = [
        include_str!("../../crates/service/src/refusals.rs"),
        include_str!("../../crates/service/src/status.rs"),
        include_str!("../../crates/host/src/api/api_error.rs"),
    ]
    .concat();
    let proto = include_str!("../../proto/ahu/v1/errors.proto");
    let reasons: Vec<_> = (1..).map_while(|number| ErrorReason::try_from(number).ok()).collect();
    assert!(reasons.len() > 20, "the numbers have no gap");
    for reason in reasons {
        assert!(code.contains(&format!("ErrorReason::{reason:?}")), "no error has the reason {reason:?}");
        let name = reason.as_str_name();
        let before = proto.split(&format!("  {name} = ")).next().unwrap_or_default();
        let first = before.lines().rev().take_while(|line| line.trim_start().starts_with("//")).last();
        let code = first.and_then(|line| line.trim_start_matches([' ', '/']).split('.').next()).unwrap_or_default();
        assert!(code.chars().all(|c| c.is_ascii_uppercase() || c == '_') && !code.is_empty(), "{name}: {first:?}");
    }
}

/// Returns the time after which an error tells its caller to try again.
fn retry(status: &Status) -> Option<Duration> {
    status.get_error_details().retry_info().and_then(|info| info.retry_delay)
}

#[test]
fn an_error_has_a_time_to_wait_exactly_if_the_same_call_may_succeed_later() {
    let mut counts = [0; 2];
    for reason in (1..).map_while(|number| ErrorReason::try_from(number).ok()) {
        let error = ApiError::new(reason, "a fault");
        let may_succeed = match error.code() {
            api::Code::Unavailable => true,
            api::Code::ResourceExhausted => reason != ErrorReason::RequestTooLarge,
            _ => false,
        };
        let delay = error.retry_ms();
        assert_eq!(delay.is_some(), may_succeed, "{reason:?}");
        assert!(delay.is_none_or(|delay| (100..=10_000).contains(&delay)), "{reason:?}: {delay:?}");
        counts[usize::from(may_succeed)] += 1;
    }
    assert!(counts[0] > 20 && counts[1] > 5, "{counts:?}");
}

#[tokio::test]
async fn a_client_is_told_when_to_try_again() {
    let matches = matches_with(Limits { matches: 1, match_watchers: 0, ..Limits::default() });
    let server = Server::start_with(matches.clone()).await;
    let (client, _) = two_agents(&server).await;
    let watch = WatchMatchRequest { match_id: client.match_id.clone(), public_view: true, ..Default::default() };
    let too_large = GetGameRequest { game: "x".repeat(100_000) };

    let full = create(&server, rappanui(2, &[], 1)).await;
    let crowded = server.matches().watch_match(watch).await.expect_err("nobody may watch");
    let large = server.catalog().get_game(too_large).await.expect_err("the request is too large");
    let unknown = client.step(1, 70_000).await.expect_err("the action is unknown");
    matches.close();
    let closing = client.step(1, 71).await.expect_err("the server closes");

    for (error, code, reason, may_succeed) in [
        (full, Code::ResourceExhausted, "TOO_MANY_MATCHES", true),
        (crowded, Code::ResourceExhausted, "TOO_MANY_WATCHERS", true),
        (large, Code::ResourceExhausted, "REQUEST_TOO_LARGE", false),
        (unknown, Code::InvalidArgument, "UNKNOWN_ACTION", false),
        (closing, Code::Unavailable, "CLOSING", true),
    ] {
        assert_eq!(self::code(&error), is(code, reason));
        assert_eq!(retry(&error).is_some(), may_succeed, "{reason}");
        assert!(retry(&error).is_none_or(|delay| !delay.is_zero()), "{reason}");
    }
}
