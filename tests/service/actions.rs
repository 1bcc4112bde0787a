//! The three forms of an action: id, text, and typed message.

use std::time::Duration;

use ahu_core::ActionId;
use ahu_host::find;
use ahu_service::proto::rappanui;
use ahu_service::proto::v1::{
    Action, Decision, ObservationFormats, ObserveRequest, ParseActionRequest, ParseActionResponse, RecordFormat,
    StepRequest,
};
use prost::Name;
use prost_types::Any;
use tonic::{Code, Status};

use crate::errors::{code, is, two_agents};
use crate::matches::{by_the_host_alone, play_lowest, record_of};
use crate::server::{Client, Server, error_info, rappanui};

/// Returns the decision of the seat with its legal actions; None if it has no decision.
async fn list(client: &Client, typed: bool) -> Result<Option<Decision>, Status> {
    let formats = Some(ObservationFormats { legal_actions: true, typed, ..Default::default() });
    let request = ObserveRequest { formats, ..client.observe_request(Duration::ZERO) };
    let answer = client.matches.clone().observe(client.with_token(request)).await?.into_inner();
    Ok(answer.observation.expect("an observation").decision)
}

async fn parse(client: &Client, action: Option<Action>) -> Result<ParseActionResponse, Status> {
    let request = ParseActionRequest { match_id: client.match_id.clone(), seat: Some(client.seat), action };
    Ok(client.matches.clone().parse_action(client.with_token(request)).await?.into_inner())
}

async fn step(client: &Client, decision_id: u32, action: Action) -> Result<u32, Status> {
    let request = StepRequest { action: Some(action), ..client.step_request(decision_id, 0) };
    let answer = client.matches.clone().step(client.with_token(request)).await?.into_inner();
    Ok(answer.action_id.expect("the answer has the action"))
}

fn typed(action: rappanui::v1::action::Action) -> Any {
    Any::from_msg(&rappanui::v1::Action { action: Some(action) }).expect("a buffer grows")
}

#[tokio::test]
async fn every_form_of_a_legal_action_names_the_same_action() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(0, "random"), (1, "greedy")], 2)).await;
    let mut seen = 0;
    for _ in 0..25 {
        let (decision, legal) = clients[0].decision().await.expect("the match is longer");
        let listed = list(&clients[0], true).await.expect("a list").expect("the seat has to decide");
        assert_eq!(listed.decision_id, decision);
        assert_eq!(listed.legal_actions.iter().filter_map(|action| action.action_id).collect::<Vec<_>>(), legal);
        for action in &listed.legal_actions {
            let id = action.action_id.expect("an id");
            let message = action.typed.clone().expect("the format was requested");
            for said in [Action::from(id), Action::from(action.text.clone()), Action::from(message)] {
                let parsed = parse(&clients[0], Some(said)).await.expect("the action is valid");
                assert_eq!(parsed, ParseActionResponse { action: Some(action.clone()), legal: true });
            }
            seen += 1;
        }
        let bare = list(&clients[0], false).await.expect("a list").expect("the seat has to decide").legal_actions;
        assert!(bare.iter().all(|action| action.typed.is_none()));
        assert_eq!(bare.len(), legal.len());
        clients[0].step(decision, legal[legal.len() / 2]).await.expect("the action is legal");
    }
    assert!(seen > 50, "{seen} actions");
}

#[tokio::test]
async fn parse_action_accepts_illegal_actions_and_plays_none() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = owes.look().await;
    let legal = before.decision.clone().expect("the seat has to decide").legal_ids;
    let rules = find("rappanui").expect("the game is in the catalog");

    let mut illegal = 0;
    for id in 0..rules.action_count() as u32 {
        let parsed = parse(&owes, Some(Action::from(id))).await.expect("the action is valid");
        assert_eq!(parsed.legal, legal.contains(&id));
        illegal += u32::from(!parsed.legal);
        let Action { action_id, text, typed } = parsed.action.expect("an action");
        assert_eq!((action_id, Some(text.clone())), (Some(id), rules.action_text(ActionId(id as u16))));
        for said in [Action::from(text), Action::from(typed.expect("a message"))] {
            let again = parse(&owes, Some(said)).await.expect("the action is valid").action.expect("an action");
            assert_eq!(again.action_id, Some(id));
        }
    }
    assert!(illegal > 100);
    assert_eq!(owes.look().await, before);
}

#[tokio::test]
async fn the_forms_of_one_action_may_come_together_and_those_of_two_are_refused() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let listed = list(&owes, true).await.expect("a list").expect("the seat has to decide");
    let decision = listed.decision_id;
    let [first, .., last] = &listed.legal_actions[..] else { panic!("{listed:?}") };
    for wrong in [
        Action { action_id: first.action_id, ..last.clone() },
        Action { text: first.text.clone(), ..last.clone() },
        Action { typed: first.typed.clone(), ..last.clone() },
    ] {
        let parsed = parse(&owes, Some(wrong.clone())).await.expect_err("these are two actions");
        let stepped = step(&owes, decision, wrong).await.expect_err("these are two actions");
        for error in [parsed, stepped] {
            assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_ACTION"));
            assert!(error.message().contains("expected the forms of one action"), "{error}");
        }
    }
    let error = parse(&owes, Some(Action::default())).await.expect_err("an action has a form");
    assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_ACTION"));
    assert_eq!(
        step(&owes, decision, last.clone()).await.expect("it can be sent as it came"),
        last.action_id.expect("one")
    );
}

#[tokio::test]
async fn a_seat_without_a_decision_has_no_legal_actions() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[(1, "greedy")], 1)).await;
    let no_meld = || Some(Action::from("no meld".to_owned()));

    let waiting = server.create(rappanui(2, &[], 1)).await;
    let early = server.join(&waiting).await;
    assert_eq!(list(&early, true).await.expect("a call without a decision is no error"), None);
    assert!(!parse(&early, no_meld()).await.expect("the action is valid").legal);

    let (_, waits) = two_agents(&server).await;
    assert_eq!(list(&waits, true).await.expect("a call without a decision is no error"), None);
    assert!(!parse(&waits, no_meld()).await.expect("the action is valid").legal);

    let late = server.join(&created).await;
    play_lowest(late.clone()).await;
    assert_eq!(list(&late, true).await.expect("a call without a decision is no error"), None);
    assert!(!parse(&late, no_meld()).await.expect("the action is valid").legal);
}

#[tokio::test]
async fn calls_about_actions_need_the_token_of_the_seat() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let no_meld = || Some(Action::from("no meld".to_owned()));

    for (client, expected) in [
        (Client { match_id: "nowhere".to_owned(), ..owes.clone() }, is(Code::NotFound, "UNKNOWN_MATCH")),
        (Client { seat: 2, ..owes.clone() }, is(Code::NotFound, "UNKNOWN_SEAT")),
        (Client { token: waits.token, ..owes.clone() }, is(Code::PermissionDenied, "WRONG_TOKEN")),
    ] {
        assert_eq!(code(&list(&client, true).await.expect_err("the seat or its token is wrong")), expected);
        assert_eq!(code(&parse(&client, no_meld()).await.expect_err("the seat or its token is wrong")), expected);
    }
    let parsing = ParseActionRequest { match_id: owes.match_id.clone(), seat: Some(owes.seat), action: no_meld() };
    let error = owes.matches.clone().parse_action(parsing).await.expect_err("no token");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));
}

#[tokio::test]
async fn an_invalid_action_text_is_refused_with_the_place_of_the_fault() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = owes.look().await;
    let decision = before.decision.clone().expect("the seat has to decide").decision_id;

    for (text, at) in [
        ("", "0"),
        ("fly", "0"),
        ("meld", "4"),
        ("meld F13", "5"),
        ("  meld F13", "7"),
        ("meld raid", "5"),
        ("no cards", "3"),
        ("raid +9", "5"),
        ("discard \u{1F5FF}", "8"),
    ] {
        let bad = (Code::InvalidArgument, "BAD_ACTION".to_owned(), [at.to_owned()]);
        let error = parse(&owes, Some(Action::from(text.to_owned()))).await.expect_err("the action is invalid");
        assert_eq!(error_info(&error, ["at"]), bad, "{text:?}: {error}");
        let error = step(&owes, decision, Action::from(text.to_owned())).await.expect_err("the action is invalid");
        assert_eq!(error_info(&error, ["at"]), bad, "{text:?}: {error}");
    }

    assert_eq!(owes.look().await, before);
}

#[tokio::test]
async fn an_invalid_action_message_is_refused() {
    use rappanui::v1::Card;
    use rappanui::v1::action::{Action as ActionOneof, Meld, PlayEvent};
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = owes.look().await;
    let decision = before.decision.clone().expect("the seat has to decide").decision_id;
    let card = |notation: &str| Some(Card { notation: notation.to_owned(), ..Default::default() });
    let url = rappanui::v1::Action::type_url();

    for (message, says) in [
        (Any::default(), "ahu.rappanui.v1.Action"),
        (Any { type_url: url.clone(), value: vec![] }, "none of them is set"),
        (Any { type_url: url, value: vec![0xff; 9] }, "bytes of a message ahu.rappanui.v1.Action"),
        (Any::from_msg(&rappanui::v1::Event::default()).expect("a buffer grows"), "ahu.rappanui.v1.Event"),
        (Any { type_url: "type.googleapis.com/ahu.chess.v1.Action".to_owned(), value: vec![] }, "ahu.chess.v1.Action"),
        (typed(ActionOneof::Meld(Meld { card: None })), "expected a card"),
        (typed(ActionOneof::Meld(Meld { card: card("raid") })), "is an event"),
        (typed(ActionOneof::PlayEvent(PlayEvent { card: card("raid"), ..Default::default() })), "against whom?"),
        (
            typed(ActionOneof::PlayEvent(PlayEvent {
                card: card("raid"),
                target_seat: Some(owes.seat),
                ..Default::default()
            })),
            "the player's own",
        ),
    ] {
        for error in [
            parse(&owes, Some(Action::from(message.clone()))).await.expect_err("the action is invalid"),
            step(&owes, decision, Action::from(message)).await.expect_err("the action is invalid"),
        ] {
            assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_ACTION"));
            assert!(error.message().contains(says), "{error}");
        }
    }
    let error = parse(&owes, None).await.expect_err("the action is missing");
    assert_eq!(error_info(&error, ["field"]), (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["action".to_owned()]));

    assert_eq!(owes.look().await, before);
}

#[tokio::test]
async fn an_unknown_action_id_is_named_as_it_was_sent() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = owes.look().await;
    let decision = before.decision.clone().expect("the seat has to decide").decision_id;

    for id in [183, 65_535, 65_536, 65_536 + 71, u32::MAX] {
        let unknown = (Code::InvalidArgument, "UNKNOWN_ACTION".to_owned(), ["183".to_owned()]);
        for error in [
            parse(&owes, Some(Action::from(id))).await.expect_err("the request is invalid"),
            step(&owes, decision, Action::from(id)).await.expect_err("the request is invalid"),
        ] {
            assert_eq!(error_info(&error, ["action_count"]), unknown);
            assert!(error.message().contains(&format!("expected an action id from 0 to 182, got {id}")), "{error}");
        }
    }

    assert_eq!(owes.look().await, before);
}

/// Plays seat 0 to the end and sends each action in the form that `form` selects. Returns the final fingerprint.
async fn ended(server: &Server, form: impl Fn(&Action) -> Action) -> Vec<u8> {
    let clients = server.seats(rappanui(2, &[(1, "greedy")], 13)).await;
    let client = &clients[0];
    while let Some((decision, _)) = client.decision().await {
        let listed = list(client, true).await.expect("a list").expect("the seat has to decide");
        let actions = listed.legal_actions;
        let action = &actions[decision as usize % actions.len()];
        assert_eq!(Some(step(client, decision, form(action)).await.expect("the action is legal")), action.action_id);
    }
    let result = client.look().await.result.expect("the match is finished");
    let record = record_of(client, RecordFormat::Binary).await;
    assert_eq!(record.fingerprint.0.to_vec(), result.fingerprint);

    assert_eq!(by_the_host_alone(&record).fingerprint().0.to_vec(), result.fingerprint);
    result.fingerprint.to_vec()
}

#[tokio::test]
async fn a_match_ends_the_same_with_every_form_of_its_actions() {
    let server = Server::start().await;

    let by_id = ended(&server, |action| Action::from(action.action_id.expect("an id"))).await;
    let by_text = ended(&server, |action| Action::from(action.text.clone())).await;
    let by_message = ended(&server, |action| Action::from(action.typed.clone().expect("typed"))).await;

    assert_eq!((&by_text, &by_message), (&by_id, &by_id));
}

#[tokio::test]
async fn the_observation_of_a_step_equals_that_of_observe() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "greedy")], 5)).await;
    let mut seats = [Some(0), None, Some(1)].map(|at: Option<usize>| at.map(|at| clients[at].clone()));
    for _ in 0..30 {
        let to_act = clients[0].look().await.seats_to_act[0] as usize;
        let client = seats[to_act].as_mut().expect("the bot is quick");
        let (decision, legal) = client.decision().await.expect("the seat has to decide");
        let answer = client
            .step(decision, *legal.last().expect("a seat that has to decide has a legal action"))
            .await
            .expect("the action is legal");
        assert_eq!(
            answer.observation.expect("the format was requested"),
            client.observe(Duration::ZERO).await.expect("the token is valid")
        );
    }
}
