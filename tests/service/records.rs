//! Records: complete and public after the end; before it, each viewer has its events.

use std::time::Duration;

use ahu_core::{Seat, Viewer};
use ahu_host::{Record, Replay, verify};
use ahu_service::proto::v1::{GetRecordRequest, GetRecordResponse, ObservationFormats, ObserveRequest, RecordFormat};
use tonic::{Request, Status};

use crate::matches::{play_lowest, record_of};
use crate::server::{Client, Server, rappanui};

/// Returns the record for a call with or without the token of the client.
async fn record(client: &Client, with_token: bool, format: RecordFormat) -> Result<GetRecordResponse, Status> {
    let request = GetRecordRequest { match_id: client.match_id.clone(), format: format.into() };
    let request = if with_token { client.with_token(request) } else { Request::new(request) };
    Ok(client.matches.clone().get_record(request).await?.into_inner())
}

/// Returns the texts of all events that the public was told, or the seat of the client.
async fn told(client: &Client, is_public: bool) -> Vec<String> {
    let (match_id, events_after) = (client.match_id.clone(), Some(0));
    let request = ObserveRequest { match_id, public_view: is_public, events_after, ..Default::default() };
    let request = if is_public { Request::new(request) } else { client.with_token(request) };
    let seen = client.matches.clone().observe(request).await.expect("the token is valid").into_inner();
    let events = seen.observation.expect("an observation").events;
    assert!(events.iter().map(|event| event.number).eq(1..=events.len() as u32));
    events.into_iter().map(|event| event.text).collect()
}

/// Returns the texts of all events that `viewer` was told, computed from the final record.
fn expected(record: &Record, viewer: Viewer) -> Vec<String> {
    let mut replay = Replay::new(record);
    let mut told = Vec::new();
    while let Some(step) = replay.step() {
        told.extend(step.expect("the record is valid").events.iter().filter_map(|event| event.event.text_for(viewer)));
    }
    told
}

#[tokio::test]
async fn the_events_of_each_viewer_before_the_end_are_those_of_the_record() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "greedy")], 8)).await;
    let mut taken = Vec::new();
    for _ in 0..12 {
        for client in &clients {
            let Some(decision) = client.look().await.decision else { continue };
            client.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
            for client in &clients {
                let seat = Seat::new(client.seat as usize).expect("a seat");
                taken.push((Viewer::Seat(seat), told(client, false).await));
            }
            let public = told(client, true).await;
            assert!(!public.iter().any(|text| text.contains("; seat ")), "no hand is dealt to the public: {public:?}");
            taken.push((Viewer::Public, public));
        }
    }
    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));

    let record = record_of(&clients[0], RecordFormat::Binary).await;
    assert!(taken.len() > 30);
    for (viewer, told) in taken {
        assert!(told.len() > 3);
        assert_eq!(told, expected(&record, viewer)[..told.len()]);
    }
}

#[tokio::test]
async fn the_public_events_name_no_hidden_card() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 8)).await;

    let public = told(&clients[0], true).await;

    // Nothing has been played yet, so only its owner has seen a card of a hand.
    for client in &clients {
        let own = told(client, false).await;
        assert_ne!(own, public);
        let formats = Some(ObservationFormats { typed: true, ..Default::default() });
        let request = ObserveRequest { formats, ..client.observe_request(Duration::ZERO) };
        let seen =
            client.matches.clone().observe(client.with_token(request)).await.expect("the token is valid").into_inner();
        let table = seen.observation.and_then(|seen| seen.typed).expect("the format was requested");
        let hand =
            table.to_msg::<ahu_service::proto::rappanui::v1::Observation>().expect("the message has this type").hand;
        assert!(hand.len() >= 6);
        for card in hand {
            let is_card = |word: &str| word.trim_end_matches(';') == card.notation;
            let holds = |texts: &[String]| texts.iter().any(|text| text.split_whitespace().any(is_card));
            assert!(holds(&own) && !holds(&public), "{}: {own:?} {public:?}", card.notation);
        }
    }
}

#[tokio::test]
async fn every_caller_gets_the_complete_record_after_the_end() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "random")], 9)).await;
    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));

    let mut records = Vec::new();
    for format in [RecordFormat::Unspecified, RecordFormat::Text, RecordFormat::Binary] {
        let stranger = Client { token: String::new(), ..clients[0].over(server.connect().await) };
        for whole in [
            record(&stranger, false, format).await.expect("the record is public"),
            record(&clients[0], true, format).await.expect("the record is public"),
            record(&clients[1], true, format).await.expect("the record is public"),
        ] {
            records.push(Record::read(&whole.record).expect("a record can be read"));
        }
    }

    assert!(records.iter().all(|record| *record == records[0]));
    assert_eq!(verify(&records[0]), Ok(()));
    assert_eq!(
        records[0].fingerprint.0.to_vec(),
        server.describe(&clients[0].match_id).await.result.expect("a result").fingerprint
    );
}
