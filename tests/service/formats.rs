//! The formats of an observation, and the events of a seat.

use std::time::Duration;

use ahu_core::{Seat, Viewer};
use ahu_host::{Record, Replay, find};
use ahu_service::proto::rappanui;
use ahu_service::proto::v1::{
    Decision, Event, MatchState, Observation, ObservationFormats, ObserveRequest, RecordFormat,
};
use tonic::{Code, Status};

use crate::errors::two_agents;
use crate::matches::{play_lowest, record_of};
use crate::server::{Client, Server, error_info, rappanui};

async fn observe(client: &Client, formats: ObservationFormats) -> Result<Observation, Status> {
    let request =
        ObserveRequest { formats: Some(formats), events_after: None, ..client.observe_request(Duration::ZERO) };
    let answer = client.matches.clone().observe(client.with_token(request)).await?.into_inner();
    Ok(answer.observation.expect("an observation"))
}

async fn events_after(client: &Client, after: u32) -> Result<Vec<Event>, Status> {
    let request = ObserveRequest { events_after: Some(after), formats: None, ..client.observe_request(Duration::ZERO) };
    let answer = client.matches.clone().observe(client.with_token(request)).await?.into_inner();
    Ok(answer.observation.expect("an observation").events)
}

/// Returns the parts of an observation that do not depend on the formats.
fn bare(observation: Observation) -> Observation {
    let bare = |Decision { decision_id, time_left, .. }| Decision { decision_id, time_left, ..Default::default() };
    let decision = observation.decision.map(bare);
    Observation {
        decision,
        tensor: None,
        text: String::new(),
        compact: String::new(),
        compact_legend: String::new(),
        view: Vec::new().into(),
        typed: None,
        events: Vec::new(),
        ..observation
    }
}

#[tokio::test]
async fn each_format_is_sent_only_on_request() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let full = owes.look().await;
    let decision = full.decision.clone().expect("the seat has to decide");
    let rest = bare(full.clone());
    assert_eq!(observe(&owes, ObservationFormats::default()).await.expect("an answer"), rest);
    assert!(rest.event_count > 0 && !rest.seats_to_act.is_empty());

    let with = |change: &dyn Fn(&mut Decision)| {
        let mut decided = rest.decision.clone().expect("the seat has to decide");
        change(&mut decided);
        Observation { decision: Some(decided), ..rest.clone() }
    };
    let untyped = |event: &Event| Event { typed: None, ..event.clone() };
    let told: Vec<_> = full.events.iter().map(untyped).collect();
    assert_eq!(events_after(&owes, 0).await.expect("events"), told);
    let untyped_actions =
        decision.legal_actions.iter().map(|action| ahu_service::proto::v1::Action { typed: None, ..action.clone() });
    let untyped_actions: Vec<_> = untyped_actions.collect();
    for (formats, expected) in [
        (
            ObservationFormats { tensor: true, ..Default::default() },
            Observation { tensor: full.tensor.clone(), ..rest.clone() },
        ),
        (
            ObservationFormats { text: true, ..Default::default() },
            Observation { text: full.text.clone(), ..rest.clone() },
        ),
        (
            ObservationFormats { compact: true, ..Default::default() },
            Observation { compact: full.compact.clone(), ..rest.clone() },
        ),
        (
            ObservationFormats { compact_legend: true, ..Default::default() },
            Observation { compact_legend: full.compact_legend.clone(), ..rest.clone() },
        ),
        (
            ObservationFormats { view: true, ..Default::default() },
            Observation { view: full.view.clone(), ..rest.clone() },
        ),
        (
            ObservationFormats { typed: true, ..Default::default() },
            Observation { typed: full.typed.clone(), ..rest.clone() },
        ),
        (
            ObservationFormats { legal_ids: true, ..Default::default() },
            with(&|made| made.legal_ids.clone_from(&decision.legal_ids)),
        ),
        (ObservationFormats { mask: true, ..Default::default() }, with(&|made| made.mask.clone_from(&decision.mask))),
        (
            ObservationFormats { legal_actions: true, ..Default::default() },
            with(&|made| made.legal_actions.clone_from(&untyped_actions)),
        ),
    ] {
        assert_ne!(expected, rest, "the format adds a part: {formats:?}");
        assert_eq!(observe(&owes, formats.clone()).await.expect("an answer"), expected, "{formats:?}");
    }
}

#[tokio::test]
async fn typed_formats_are_the_messages_that_the_catalog_names() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let names = find("rappanui").expect("the game is in the catalog").message_names();

    let full = owes.look().await;

    let typed = full.typed.expect("the format was requested");
    assert_eq!(typed.type_url, format!("type.googleapis.com/{}", names.observation));
    let table: rappanui::v1::Observation = typed.to_msg().expect("the message has this type");
    assert_eq!(
        (table.viewer_seat, table.player_seat, table.hand.is_empty()),
        (Some(owes.seat), Some(owes.seat), false)
    );
    for action in full.decision.expect("the seat has to decide").legal_actions {
        let typed = action.typed.expect("the format was requested");
        assert_eq!(typed.type_url, format!("type.googleapis.com/{}", names.action));
        typed.to_msg::<rappanui::v1::Action>().expect("the message has this type").action.expect("the oneof is set");
    }
    for event in full.events {
        let typed = event.typed.expect("the format was requested");
        assert_eq!(typed.type_url, format!("type.googleapis.com/{}", names.event));
        typed.to_msg::<rappanui::v1::Event>().expect("the message has this type").event.expect("the oneof is set");
    }
}

#[tokio::test]
async fn an_observation_before_the_beginning_is_empty() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let client = server.join(&created).await;

    let early = client.look().await;

    let expected = Observation {
        match_id: created.match_id,
        seat: Some(0),
        state: MatchState::Seating.into(),
        ..Default::default()
    };
    assert_eq!(early, expected);
}

/// Returns the events that a seat was told, computed from the final record.
fn told(record: &Record, seat: u32) -> Vec<(String, Option<prost_types::Any>, Vec<u32>)> {
    let viewer = Viewer::Seat(Seat::new(seat as usize).expect("a seat"));
    let mut replay = Replay::new(record);
    let mut told = Vec::new();
    while let Some(step) = replay.step() {
        for event in step.expect("the record is valid").events {
            let actors = event.actors().iter().map(|seat| seat.index() as u32).collect();
            told.extend(event.event.text_for(viewer).map(|text| (text, event.event.message_for(viewer), actors)));
        }
    }
    told
}

#[tokio::test]
async fn the_events_of_a_seat_are_those_of_the_record() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "greedy")], 8)).await;
    // Each agent asks for the events that it lacks.
    let follow = async |client: &Client| {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let request = client.observe_request(Duration::from_secs(20));
            let events_after = Some(events.len() as u32);
            let request = client.with_token(ObserveRequest { events_after, ..request });
            let seen = client.matches.clone().observe(request).await.expect("the token is valid").into_inner();
            let seen = seen.observation.expect("an observation");
            events.extend(seen.events);
            assert_eq!(events.len() as u32, seen.event_count);
            match seen.decision {
                Some(decision) => {
                    client.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal")
                }
                None => return events,
            };
        }
    };

    let (one, other) = tokio::join!(follow(&clients[0]), follow(&clients[1]));

    let record = record_of(&clients[0], RecordFormat::Text).await;
    let mut seen = Vec::new();
    for (client, pieces) in clients.iter().zip([one, other]) {
        assert!(
            pieces.iter().map(|event| event.number).eq(1..=pieces.len() as u32),
            "numbers begin at 1 and have no gaps"
        );
        assert_eq!(client.look().await.events, pieces, "one request returns the same events as many");
        let pieces: Vec<_> = pieces.into_iter().map(|event| (event.text, event.typed, event.actor_seats)).collect();
        assert_eq!(pieces, told(&record, client.seat));
        assert!(pieces.len() > 100 && pieces.iter().all(|(text, typed, _)| !text.is_empty() && typed.is_some()));
        seen.push(pieces);
    }
    assert_ne!(seen[0], seen[1], "each seat is told its own cards");
}

#[tokio::test]
async fn events_after_a_number_are_exactly_the_later_ones() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 8)).await;
    for _ in 0..10 {
        let (decision, legal) = clients[0].decision().await.expect("the match is longer");
        clients[0].step(decision, legal[0]).await.expect("the action is legal");
    }
    let all = events_after(&clients[0], 0).await.expect("events");
    assert_eq!(all.len() as u32, clients[0].look().await.event_count);

    for after in 0..=all.len() {
        assert_eq!(events_after(&clients[0], after as u32).await.expect("events"), all[after..]);
    }
    for after in [all.len() as u32 + 1, u32::MAX] {
        let error = events_after(&clients[0], after).await.expect_err("the event is unknown");
        let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["events_after".to_owned()]);
        assert_eq!(error_info(&error, ["field"]), bad);
    }
}

#[tokio::test]
async fn a_step_that_requests_unknown_events_is_not_carried_out() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let before = owes.look().await;
    let decision = before.decision.clone().expect("the seat has to decide");

    let mut request = owes.step_request(decision.decision_id, decision.legal_ids[0]);
    request.events_after = Some(10_000);
    let error = owes.matches.clone().step(owes.with_token(request)).await.expect_err("the events are unknown");

    let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["events_after".to_owned()]);
    assert_eq!(error_info(&error, ["field"]), bad);
    assert_eq!(owes.look().await, before);
}

#[tokio::test]
async fn a_finished_match_can_still_be_observed() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 8)).await;
    play_lowest(clients[0].clone()).await;

    let end = clients[0].observe(Duration::from_secs(20)).await.expect("the token is valid");

    assert_eq!((end.state(), end.decision.is_none(), end.seats_to_act.len()), (MatchState::Finished, true, 0));
    assert!(end.tensor.is_some() && end.typed.is_some() && !end.text.is_empty());
    assert!(end.events.last().expect("events").text.starts_with("the game is over: "));
}
