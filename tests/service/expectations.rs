//! Clients that expect a rules version or a layout are refused by a server or a match with another one.

use std::time::Duration;

use ahu_core::hex;
use ahu_host::{GAMES, find, layout_hash};
use ahu_service::proto::v1::run_request::{self, Open};
use ahu_service::proto::v1::{
    GetGameRequest, MatchSpec, ObservationFormats, ObserveRequest, StepRequest, WatchMatchRequest,
};
use prost::bytes::Bytes;
use tonic::{Code, Request, Status};

use crate::environments::{self, Stream};
use crate::errors::{code, is, two_agents};
use crate::server::{ALL_FORMS, Asked, Client, Server, error_info, rappanui};
use crate::watching::Watching;

/// A version and a layout that a client expects, and the error for them; None if they are those of the game.
struct Case {
    rules_version: Option<u32>,
    layout_hash: Bytes,
    error: Option<(&'static str, String, String)>,
}

/// Returns expectations of rappanui: of what it has, of nothing, of others, and of both others.
fn cases() -> Vec<Case> {
    let rules = find("rappanui").expect("the game is in the catalog");
    let (version, layout) = (rules.info().rules, layout_hash(rules));
    let mut changed = layout;
    changed[31] ^= 1;
    let other_game = layout_hash(find("giants").expect("the game is in the catalog"));
    let case = |rules_version, layout: &[u8], error| Case {
        rules_version,
        layout_hash: Bytes::copy_from_slice(layout),
        error,
    };
    let other_rules = |expected: u32| Some(("RULES_MISMATCH", expected.to_string(), version.to_string()));
    let other_layout = |expected: &[u8]| Some(("LAYOUT_MISMATCH", hex(expected), hex(&layout)));
    vec![
        case(None, &[], None),
        case(Some(version), &layout, None),
        case(None, &layout, None),
        case(Some(version + 1), &[], other_rules(version + 1)),
        case(Some(0), &layout, other_rules(0)),
        case(Some(u32::MAX), &changed, other_rules(u32::MAX)),
        case(None, &changed, other_layout(&changed)),
        case(Some(version), &other_game, other_layout(&other_game)),
        case(None, &layout[..31], other_layout(&layout[..31])),
        case(None, &[7; 33], other_layout(&[7; 33])),
    ]
}

fn formats(case: &Case) -> ObservationFormats {
    ObservationFormats { rules_version: case.rules_version, layout_hash: case.layout_hash.clone(), ..ALL_FORMS }
}

/// Checks that an answer is as the case says. Returns the answer.
fn check<T>(case: &Case, answer: Result<T, Status>) -> Option<T> {
    match (&case.error, answer) {
        (None, answer) => Some(answer.expect("the expectation is right")),
        (Some((reason, expected, served)), Err(error)) => {
            let expected = (Code::FailedPrecondition, (*reason).to_owned(), [expected.clone(), served.clone()]);
            assert_eq!(error_info(&error, ["expected", "served"]), expected);
            None
        }
        (Some(expected), Ok(_)) => panic!("expected {expected:?}, got an answer"),
    }
}

#[tokio::test]
async fn a_match_with_other_rules_or_another_layout_is_not_created() {
    let server = Server::start().await;
    let mut created = 0;
    for case in cases() {
        let Case { rules_version, layout_hash, .. } = &case;
        let request =
            MatchSpec { rules_version: *rules_version, layout_hash: layout_hash.clone(), ..rappanui(2, &[], 1) };
        let answer = server.matches().create_match(request.asked()).await;
        created += check(&case, answer).map_or(0, |_| 1);
    }
    assert_eq!(server.list().await.len(), created);
}

#[tokio::test]
async fn environments_with_other_rules_or_another_layout_are_not_opened() {
    let server = Server::start().await;
    for case in cases() {
        let Case { rules_version, layout_hash, .. } = &case;
        let open = Open {
            rules_version: *rules_version,
            layout_hash: layout_hash.clone(),
            ..environments::open("rappanui", 2, 3)
        };
        let mut stream = Stream::start(&server).await;
        stream.send(run_request::Request::Open(open)).await;
        check(&case, stream.next().await);
    }
}

#[tokio::test]
async fn an_agent_or_a_watcher_that_expects_another_game_is_told_so_and_takes_no_action() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut actions = 0;
    for case in cases() {
        for request in [
            owes.with_token(ObserveRequest { formats: Some(formats(&case)), ..owes.observe_request(Duration::ZERO) }),
            Request::new(ObserveRequest {
                seat: None,
                public_view: true,
                formats: Some(formats(&case)),
                ..owes.observe_request(Duration::ZERO)
            }),
        ] {
            check(&case, owes.matches.clone().observe(request).await);
        }
        let watch = WatchMatchRequest {
            match_id: owes.match_id.clone(),
            formats: Some(formats(&case)),
            ..WatchMatchRequest::default()
        };
        let public = WatchMatchRequest { public_view: true, ..watch.clone() };
        for request in [Request::new(public), owes.with_token(watch)] {
            let watching = Watching::start(&server, request).await;
            if let Some(mut watching) = check(&case, watching) {
                let first = watching.next().await.and_then(|message| message.observation);
                assert!(first.expect("a match in progress has an observation").tensor.is_some());
            }
        }

        let acting = if owes.look().await.decision.is_some() { &owes } else { &waits };
        let before = acting.look().await;
        let decision = before.decision.clone().expect("one of them has to decide");
        for wait in [None, crate::server::seconds(0.01)] {
            let request = StepRequest {
                formats: Some(formats(&case)),
                wait,
                ..acting.step_request(decision.decision_id, decision.legal_ids[0])
            };
            let answer = acting.matches.clone().step(acting.with_token(request)).await;
            match check(&case, answer) {
                Some(_) => actions += 1,
                None => assert_eq!(acting.look().await, before, "nothing was applied"),
            }
        }
    }
    assert_eq!(actions, 6, "three expectations are right, and each action was sent twice");
}

#[tokio::test]
async fn an_expectation_holds_before_the_match_begins_and_after_its_end() {
    let server = Server::start().await;
    let wrong = Some(ObservationFormats { rules_version: Some(99), ..Default::default() });
    let observe = async |client: &Client| {
        let request = ObserveRequest { formats: wrong.clone(), ..client.observe_request(Duration::ZERO) };
        let error = client.matches.clone().observe(client.with_token(request)).await.expect_err("it has other rules");
        assert_eq!(code(&error), is(Code::FailedPrecondition, "RULES_MISMATCH"));
    };
    let created = server.create(rappanui(2, &[(1, "greedy")], 1)).await;
    let waiting = server.create(rappanui(2, &[], 1)).await;
    observe(&server.join(&waiting).await).await;
    let client = server.join(&created).await;
    observe(&client).await;
    crate::matches::play_lowest(client.clone()).await;
    observe(&client).await;
}

#[tokio::test]
async fn the_catalog_and_the_description_tell_what_a_client_has_to_expect() {
    let server = Server::start().await;
    for rules in GAMES {
        let game = rules.info().id.to_owned();
        let told = server.catalog().get_game(GetGameRequest { game: game.clone() }).await.expect("it is there");
        let told = told.into_inner().game.expect("a game");
        let summary = told.summary.expect("a summary");
        let request = MatchSpec {
            game,
            seat_count: *rules.seats().start() as u32,
            rules_version: Some(summary.rules_version),
            layout_hash: told.layout.expect("a layout").hash,
            ..Default::default()
        };
        assert_eq!(server.create(request).await.rules_version, summary.rules_version);
    }
}
