//! Records: complete and public after the end; before it, the event log of the viewer.

use std::time::Duration;

use ahu::proto::v1::{GetRecordRequest, GetRecordResponse, ObservationFormats, ObserveRequest, RecordFormat};
use ahu_engine::core::{Seat, Viewer};
use ahu_engine::host::{Record, Replay, verify};
use tonic::{Code, Status};

use crate::errors::{code, is};
use crate::matches::play_lowest;
use crate::server::{Client, Server, error_info, rappanui};

fn request(client: &Client, seat: Option<u32>, format: RecordFormat) -> GetRecordRequest {
    GetRecordRequest { match_id: client.match_id.clone(), format: format.into(), seat, ..Default::default() }
}

/// Returns the record for the public.
async fn public(client: &Client, format: RecordFormat) -> Result<GetRecordResponse, Status> {
    Ok(client.matches.clone().get_record(request(client, None, format)).await?.into_inner())
}

/// Returns the record for the seat.
async fn own(client: &Client, format: RecordFormat) -> Result<GetRecordResponse, Status> {
    let request = client.with_token(request(client, Some(client.seat), format));
    Ok(client.matches.clone().get_record(request).await?.into_inner())
}

fn text(record: &GetRecordResponse) -> String {
    String::from_utf8(record.record.to_vec()).expect("a text")
}

/// Returns the first `count` lines of the event log of `viewer`, computed from the final record.
fn expected(record: &Record, viewer: Viewer, count: usize) -> String {
    let mut lines = vec![
        "ahu events 1".to_owned(),
        "game rappanui".to_owned(),
        "rules 1".to_owned(),
        format!("options {}", record.setup),
        match viewer {
            Viewer::Seat(seat) => format!("viewer seat {seat}"),
            Viewer::Public => "viewer public".to_owned(),
        },
    ];
    lines.extend(record.players.iter().enumerate().map(|(seat, player)| format!("seat {seat} {}", player.name)));
    lines.push("events".to_owned());
    let mut replay = Replay::new(record);
    let mut told = Vec::new();
    while let Some(step) = replay.step() {
        told.extend(step.expect("the record is valid").events.iter().filter_map(|event| event.event.text_for(viewer)));
    }
    lines.extend(told.iter().take(count).enumerate().map(|(n, sentence)| format!("{} {sentence}", n + 1)));
    lines.join("\n") + "\n"
}

#[tokio::test]
async fn a_record_before_the_end_is_the_event_log_of_the_viewer() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "greedy")], 8)).await;
    let mut taken = Vec::new();
    for _ in 0..12 {
        for client in &clients {
            let Some(decision) = client.look().await.decision else { continue };
            client.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
            for client in &clients {
                let told = own(client, RecordFormat::Unspecified).await.expect("the token is valid");
                assert!(!told.complete);
                assert_eq!(own(client, RecordFormat::Text).await.expect("the token is valid"), told);
                let seat = Seat::new(client.seat as usize).expect("a seat");
                taken.push((Viewer::Seat(seat), client.look().await.event_count as usize, text(&told)));
            }
            let told = public(client, RecordFormat::Text).await.expect("the event log is public");
            assert!(!told.complete);
            let told = text(&told);
            let count = told.lines().count() - told.lines().position(|line| line == "events").expect("events") - 1;
            assert!(!told.contains("; seat "), "no hand is dealt to the public: {told}");
            taken.push((Viewer::Public, count, told));
        }
    }
    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));

    let whole = public(&clients[0], RecordFormat::Binary).await.expect("the match is finished");
    let record = Record::read(&whole.record).expect("a record can be read");
    assert!(taken.len() > 30);
    for (viewer, count, told) in taken {
        assert_eq!(told, expected(&record, viewer, count));
        assert!(count > 3);
    }
}

#[tokio::test]
async fn the_public_event_log_names_no_hidden_card() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 8)).await;

    let told = text(&public(&clients[0], RecordFormat::Text).await.expect("the event log is public"));

    // Nothing has been played yet, so only its owner has seen a card of a hand.
    for client in &clients {
        let own = text(&own(client, RecordFormat::Text).await.expect("the token is valid"));
        assert_ne!(own, told);
        let formats = Some(ObservationFormats { typed: true, ..Default::default() });
        let request = ObserveRequest { formats, ..client.observe_request(Duration::ZERO) };
        let seen =
            client.matches.clone().observe(client.with_token(request)).await.expect("the token is valid").into_inner();
        let table = seen.observation.and_then(|seen| seen.typed).expect("the format was requested");
        let hand = table.to_msg::<ahu::proto::rappanui::v1::Observation>().expect("the message has this type").hand;
        assert!(hand.len() >= 6);
        for card in hand {
            let holds = |text: &str| text.split_whitespace().any(|word| word.trim_end_matches(';') == card.notation);
            assert!(holds(&own) && !holds(&told), "{}: {own}{told}", card.notation);
        }
    }
}

#[tokio::test]
async fn the_event_log_of_a_seat_needs_its_token() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let [one, other] = &clients[..] else { panic!("two seats are open") };

    let without = one.matches.clone().get_record(request(one, Some(one.seat), RecordFormat::Text)).await;
    assert_eq!(code(&without.expect_err("no token")), is(Code::Unauthenticated, "NO_TOKEN"));
    let thief = Client { token: other.token.clone(), ..one.clone() };
    let error = own(&thief, RecordFormat::Text).await.expect_err("the token is wrong");
    assert_eq!(code(&error), is(Code::PermissionDenied, "WRONG_TOKEN"));
    let nowhere = Client { seat: 2, ..one.clone() };
    let error = own(&nowhere, RecordFormat::Text).await.expect_err("the request is invalid");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_SEAT"));
    let error = own(one, RecordFormat::Binary).await.expect_err("the match is not finished");
    assert_eq!(error_info(&error, ["field"]), (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["format".to_owned()]));
    let mut unknown = request(one, None, RecordFormat::Text);
    unknown.format = 9;
    let error = one.matches.clone().get_record(unknown).await.expect_err("the format is unknown");
    assert_eq!(error_info(&error, ["field"]), (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["format".to_owned()]));
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
            public(&stranger, format).await.expect("the event log is public"),
            own(&clients[0], format).await.expect("the token is valid"),
            own(&clients[1], format).await.expect("the token is valid"),
        ] {
            assert!(whole.complete);
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
