//! The public view of a match, which a call asks for, and seats that the token names.

use ahu_core::{Seat, Viewer};
use ahu_host::find;
use ahu_service::proto::rappanui::v1 as rappanui_v1;
use ahu_service::proto::v1::{
    Action, GetRecordRequest, GetRecordResponse, MatchState, Observation, ObserveRequest, ParseActionRequest,
    ResignSeatRequest, StepRequest, WatchMatchRequest,
};
use ahu_service::{Limits, MatchConfig, Matches};
use tonic::{Code, Request, Status};

use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{ALL_FORMS, Client, Server, error_info, forfeited, matches_with, seconds};

fn request(client: &Client, events_after: Option<u32>, wait: f64) -> ObserveRequest {
    let (match_id, formats, wait) = (client.match_id.clone(), Some(ALL_FORMS), seconds(wait));
    ObserveRequest { match_id, seat: None, public_view: true, formats, events_after, wait, svg: false }
}

/// Returns the request of an agent that leaves its seat to its token.
fn own(client: &Client) -> ObserveRequest {
    ObserveRequest { public_view: false, ..request(client, Some(0), 0.0) }
}

/// Returns the public observation.
async fn observe(client: &Client, events_after: Option<u32>, wait: f64) -> Result<Observation, Status> {
    let answer = client.matches.clone().observe(request(client, events_after, wait)).await?;
    Ok(answer.into_inner().observation.expect("an observation"))
}

/// Returns the record that the public gets.
async fn record(client: &Client) -> Result<GetRecordResponse, Status> {
    let request = GetRecordRequest { match_id: client.match_id.clone(), ..Default::default() };
    Ok(client.matches.clone().get_record(request).await?.into_inner())
}

async fn play_one(client: &Client) {
    let (decision, legal) = client.decision().await.expect("the seat has to decide");
    client.act(decision, legal[0]).await;
}

#[tokio::test]
async fn a_call_for_the_public_view_shows_it_in_every_format() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two_agents(&server).await;
    play_one(&owes).await;
    let live = matches.find_blocking(&owes.match_id).expect("it is hosted");
    let (text, message, told) = live
        .with_referee(|referee| {
            let view = referee.view(Viewer::Public);
            (view.text(), view.message(), referee.event_count(Viewer::Public))
        })
        .expect("it has begun");

    let shown = observe(&owes, Some(0), 0.0).await.expect("the view is public");

    assert_eq!((shown.seat, shown.decision.clone(), shown.state()), (None, None, MatchState::Running));
    assert_eq!((shown.text, shown.typed.as_ref()), (text, Some(&message)));
    assert_eq!((shown.event_count as usize, shown.events.len()), (told, told));
    assert!(shown.events.iter().all(|event| event.typed.is_some()));
    let table = message.to_msg::<rappanui_v1::Observation>().expect("the message has this type");
    assert!(table.viewer_seat.is_none() && table.hand.is_empty());
    let rules = find("rappanui").expect("the game is in the catalog");
    let (bits, numbers) = rules.observation_size();
    let tensor = shown.tensor.expect("the format was requested");
    assert_eq!((tensor.bits.len(), tensor.numbers.len()), (8 * bits.div_ceil(64), 2 * numbers));
    for client in [&owes, &waits] {
        let own = client.look().await;
        assert_ne!(own.tensor.expect("the format was requested"), tensor, "a seat sees its hand");
        assert_eq!(own.seats_to_act, shown.seats_to_act);
    }
}

#[tokio::test]
async fn the_public_waits_for_the_next_event_and_for_the_end() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let count = observe(&owes, None, 0.0).await.expect("it is public").event_count;

    let next = async || {
        let (seen, ()) = tokio::join!(observe(&owes, Some(count), 20.0), play_one(&owes));
        seen.expect("it is public")
    };
    let seen = next().await;
    assert!(seen.event_count > count, "the call waits for an event");
    assert_eq!(seen.events[0].number, count + 1);
    let at_once = observe(&owes, Some(count), 20.0).await.expect("it is public");
    assert_eq!(at_once.events, seen.events, "there is an event already");
    let error = observe(&owes, Some(9999), 20.0).await.expect_err("there is no such event");
    assert_eq!(code(&error), is(Code::InvalidArgument, "BAD_FIELD"));

    let follow = async {
        let mut count = 0;
        loop {
            let seen = observe(&owes, Some(count), 20.0).await.expect("it is public");
            assert!(seen.events.iter().zip(count + 1..).all(|(event, number)| event.number == number));
            count = seen.event_count;
            if seen.state() == MatchState::Finished {
                return seen;
            }
        }
    };
    let (last, ..) = tokio::join!(follow, play_lowest(owes.clone()), play_lowest(waits.clone()));
    assert!(last.result.is_some());
}

#[tokio::test]
async fn the_token_names_the_seat() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let match_id = || owes.match_id.clone();
    let mut matches = owes.matches.clone();

    for client in [&owes, &waits] {
        let shown = matches.observe(client.with_token(own(client))).await.expect("the token is valid");
        assert_eq!(shown.into_inner().observation.expect("an observation"), client.look().await);
    }
    let action = Some(Action::from("no meld".to_owned()));
    let parse = ParseActionRequest { match_id: match_id(), seat: None, action };
    matches.parse_action(waits.with_token(parse)).await.expect("the token is valid");
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let step = StepRequest { seat: None, ..owes.step_request(decision, legal[0]) };
    let stepped = matches.step(owes.with_token(step)).await.expect("the token is valid").into_inner();
    assert_eq!(stepped.observation.and_then(|seen| seen.seat), Some(owes.seat));
    let resign = ResignSeatRequest { match_id: match_id(), seat: None };
    matches.resign_seat(waits.with_token(resign)).await.expect("the token is valid");
    assert_eq!(forfeited(&owes.look().await.forfeits), [waits.seat]);
    let shown = observe(&owes, None, 0.0).await.expect("it is public");
    assert_eq!((waits.look().await.done, owes.look().await.done, shown.done), (true, false, false));
    assert!(!server.describe(&match_id()).await.ended);
    play_lowest(owes.clone()).await;
    let shown = observe(&owes, None, 0.0).await.expect("it is public");
    assert!(owes.look().await.done && shown.done && server.describe(&match_id()).await.ended);
}

#[tokio::test]
async fn a_token_of_no_seat_and_an_unreadable_one_are_refused_and_show_no_public_view() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let nobody = Client { token: "0123".to_owned(), ..owes.clone() };

    let error = owes.matches.clone().observe(nobody.with_token(own(&owes))).await;
    assert_eq!(code(&error.expect_err("no seat has it")), is(Code::PermissionDenied, "WRONG_TOKEN"));
    let step = StepRequest { seat: None, ..owes.step_request(1, 0) };
    let error = owes.matches.clone().step(step).await.expect_err("there is no token");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));
    let error = owes.matches.clone().observe(own(&owes)).await.expect_err("nobody becomes a spectator by mistake");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));
    let watch = WatchMatchRequest { match_id: owes.match_id.clone(), ..Default::default() };
    let error = owes.matches.clone().watch_match(watch).await.expect_err("nobody becomes a spectator by mistake");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));
    let both = ObserveRequest { seat: Some(owes.seat), ..request(&owes, Some(0), 0.0) };
    let error = owes.matches.clone().observe(owes.with_token(both)).await.expect_err("a seat is not the public");
    assert_eq!(error_info(&error, ["field"]), (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["seat".to_owned()]));
    let shown = owes.matches.clone().observe(owes.with_token(request(&owes, Some(0), 0.0))).await;
    let shown = shown.expect("a token changes nothing").into_inner().observation;
    assert_eq!(shown, Some(observe(&owes, Some(0), 0.0).await.expect("it is public")));
    let mut unreadable = Request::new(own(&owes));
    unreadable.metadata_mut().insert("authorization", owes.token.parse().expect("tokens are ASCII"));
    let error = owes.matches.clone().observe(unreadable).await.expect_err("the token has no scheme");
    assert_eq!(code(&error), is(Code::Unauthenticated, "NO_TOKEN"));
}

#[tokio::test]
async fn the_public_of_a_sealed_match_sees_nothing() {
    let matches: Matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let setup =
        find("rappanui").expect("the game is in the catalog").configure(2, &[]).expect("the defaults are valid");
    let live = matches.host(MatchConfig { is_sealed: true, ..MatchConfig::new(setup) }).expect("there is room");
    let created = server.describe(&live.id).await;
    let client = server.join(&created).await;
    server.join(&created).await;

    let expected = (Code::FailedPrecondition, "MATCH_SEALED".to_owned(), [live.id.to_string()]);
    let error = observe(&client, Some(0), 0.0).await.expect_err("it is sealed");
    assert_eq!(error_info(&error, ["match_id"]), expected);
    let error = record(&client).await.expect_err("it is sealed");
    assert_eq!(error_info(&error, ["match_id"]), expected);
    assert_eq!(client.look().await.seat, Some(client.seat), "a seat sees what it may know");
    live.unseal();
    observe(&client, Some(0), 0.0).await.expect("it is public now");
    assert_eq!(live.seat(Some(client.seat)).expect("a seat"), Seat::new(client.seat as usize).expect("a seat"));
}
