//! Matches from creation to record.

use std::time::Duration;

use ahu_core::{Seat, Viewer};
use ahu_host::{Entry, Record, Referee, Replay, SeatPlayer, find, verify};
use ahu_service::proto::v1::{GetRecordRequest, MatchState, RecordFormat, SeatState};
use sha2::{Digest, Sha256};

use crate::server::{ALL_FORMS, Asked, Client, Server, forfeited, rappanui, strikes};

/// Plays the lowest legal actions until the match is finished. Returns the number of decisions.
pub(crate) async fn play_lowest(client: Client) -> usize {
    let mut decisions = 0;
    while let Some((decision, legal)) = client.decision().await {
        client.act(decision, legal[0]).await;
        decisions += 1;
    }
    decisions
}

pub(crate) async fn record_of(client: &Client, format: RecordFormat) -> Record {
    let request = GetRecordRequest { match_id: client.match_id.clone(), format: format.into() };
    let bytes = client.matches.clone().get_record(request).await.expect("the match is finished").into_inner().record;
    Record::read(&bytes).expect("a record can be read")
}

/// Returns the match that a referee without a network plays with the same seed and choices.
pub(crate) fn by_the_host_alone(record: &Record) -> Referee {
    let players = record.players.iter().map(|player| SeatPlayer::external(&player.name)).collect();
    let mut referee = Referee::new(record.setup.clone(), record.seed, players, record.terms.clone());
    for entry in &record.entries {
        if let Entry::Action { seat, id, .. } = entry {
            let decision = referee.decision(*seat).expect("the seat has to decide here too");
            referee.act(*seat, decision, *id).expect("the action is legal here too");
        }
    }
    referee
}

#[tokio::test]
async fn agents_and_a_bot_play_a_match_to_its_end() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(1, "greedy")], 7)).await;
    let [first, second] = &clients[..] else { panic!("two seats are open") };

    let (one, other) = tokio::join!(play_lowest(first.clone()), play_lowest(second.clone()));

    assert!(one > 20 && other > 20, "{one} and {other} decisions");
    let end = first.observe(Duration::ZERO).await.expect("the token is valid");
    assert_eq!(end.state(), MatchState::Finished);
    let result = end.result.expect("a result");
    let record = record_of(first, RecordFormat::Text).await;
    assert_eq!(record, record_of(second, RecordFormat::Binary).await);
    assert_eq!(verify(&record), Ok(()));
    assert_eq!(record.fingerprint.0.to_vec(), result.fingerprint);
    assert_eq!(record.seed.0, 7);
    assert_eq!(result.seed, "7");
    for seed in ["x", "-1", "1.5", "18446744073709551616"] {
        let request = ahu_service::proto::v1::MatchSpec { seed: seed.to_owned(), ..rappanui(2, &[], 0) };
        let error = server.matches().create_match(request.asked()).await.expect_err("it is no seed");
        let bad = (tonic::Code::InvalidArgument, "BAD_FIELD".to_owned(), ["seed".to_owned()]);
        assert_eq!(crate::server::error_info(&error, ["field"]), bad, "{error}");
    }
    let names: Vec<_> = record.players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["agent", "greedy@2", "agent"]);
    server.stop().await;
}

#[tokio::test]
async fn a_referee_without_a_network_plays_the_same_match() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "random")], 11)).await;
    play_lowest(clients[0].clone()).await;
    let record = record_of(&clients[0], RecordFormat::Binary).await;

    // The host plays the choices of the bot in place of an external player.
    let own = by_the_host_alone(&record).record();
    assert_eq!(Record { players: record.players.clone(), ..own }, record);
}

#[tokio::test]
async fn observations_show_the_view_of_the_seat() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(3, &[(2, "greedy")], 3)).await;
    let rules = find("rappanui").expect("the game is in the catalog");
    let layout = rules.layout();

    // Later, each observation is compared with the view at the same ply of the record.
    let mut seen = Vec::new();
    for _ in 0..60 {
        for client in &clients {
            let observation = client.observe(Duration::ZERO).await.expect("the token is valid");
            if let Some(decision) = &observation.decision {
                seen.push((client.seat, decision.decision_id, observation.clone()));
                let legal: Vec<u32> = (0..8 * decision.mask.len() as u32)
                    .filter(|id| decision.mask[(id / 8) as usize] >> (id % 8) & 1 == 1)
                    .collect();
                assert_eq!(legal, decision.legal_ids);
                assert_eq!(decision.mask.len(), 8 * rules.action_count().div_ceil(64));
                client.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
            }
        }
    }
    let (one, two) = tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));
    assert!(one + two > 0);

    let record = record_of(&clients[0], RecordFormat::Text).await;
    let mut replay = Replay::new(&record);
    let mut answered = [0; 3];
    let mut compared = 0;
    for entry in &record.entries {
        if let Entry::Action { seat, .. } = entry {
            answered[seat.index()] += 1;
            let same = |(of, decision, _): &&(u32, u32, _)| {
                *of as usize == seat.index() && *decision == answered[seat.index()]
            };
            if let Some((_, _, observation)) = seen.iter().find(same) {
                let view = replay.referee().view(Viewer::Seat(*seat));
                let (mut bits, mut numbers) =
                    (vec![0; layout.bit_count().div_ceil(64)], vec![0; layout.number_count()]);
                view.write(&mut bits, &mut numbers);
                let tensor = observation.tensor.as_ref().expect("the format was requested");
                assert_eq!(tensor.bits, bits.iter().flat_map(|word: &u64| word.to_le_bytes()).collect::<Vec<_>>());
                assert_eq!(tensor.numbers, numbers.iter().flat_map(|n: &i16| n.to_le_bytes()).collect::<Vec<_>>());
                assert_eq!(observation.text, view.text());
                assert_eq!(observation.compact, view.compact());
                assert_eq!(observation.compact_legend, view.compact_legend());
                let bytes = replay.referee().view_bytes(Viewer::Seat(*seat)).expect("the game has views as bytes");
                assert_eq!(observation.view, bytes);
                assert!(bytes.len() < 2048, "a view is small: {} bytes", bytes.len());
                assert_eq!(observation.seats_to_act, [*seat].map(|seat: Seat| seat.index() as u32));
                compared += 1;
            }
        }
        replay.step().expect("an entry is left").expect("the record is valid");
    }
    assert_eq!(compared, seen.len());
    assert!(compared > 40, "{compared} observations were compared");
}

#[tokio::test]
async fn only_the_requested_formats_are_sent() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 5)).await;
    clients[0].decision().await.expect("the seat has to decide");

    let mut request = clients[0].observe_request(Duration::ZERO);
    request.formats = None;
    let bare = clients[0].matches.clone().observe(clients[0].with_token(request)).await.expect("an answer");
    let bare = bare.into_inner().observation.expect("an observation");

    let decision = bare.decision.expect("the seat has to decide");
    assert!(decision.legal_ids.is_empty() && decision.mask.is_empty());
    assert!(bare.tensor.is_none() && bare.text.is_empty());
    let full = clients[0].observe(Duration::ZERO).await.expect("an answer");
    assert!(full.tensor.is_some() && !full.text.is_empty() && ALL_FORMS.mask);
}

#[tokio::test]
async fn a_match_begins_when_every_seat_is_taken() {
    let server = Server::start().await;
    let created =
        server.matches().create_match(rappanui(3, &[(1, "greedy")], 1).asked()).await.expect("a match").into_inner();
    let created = created.r#match.expect("a match");
    let states = |seats: &[ahu_service::proto::v1::SeatInfo]| {
        seats.iter().map(ahu_service::proto::v1::SeatInfo::state).collect::<Vec<_>>()
    };
    assert_eq!(states(&created.seats), [SeatState::Open, SeatState::Bot, SeatState::Open]);
    assert_eq!(created.state(), MatchState::Seating);

    let first = server.join(&created).await;
    let waiting = first.observe(Duration::ZERO).await.expect("an early call is no error");
    assert_eq!((waiting.state(), waiting.decision, waiting.text.as_str()), (MatchState::Seating, None, ""));

    let second = server.join(&created).await;
    assert_eq!((first.seat, second.seat), (0, 2));
    let begun = first.observe(Duration::ZERO).await.expect("the token is valid");
    assert_eq!(begun.state(), MatchState::Running);
}

#[tokio::test]
async fn observe_waits_for_the_seats_decision() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 1)).await;
    let to_act = clients[0].observe(Duration::ZERO).await.expect("the token is valid").seats_to_act[0];
    let (owes, waits) = if to_act == 0 { (&clients[0], &clients[1]) } else { (&clients[1], &clients[0]) };

    let waiting = tokio::spawn({
        let waits = waits.clone();
        async move { waits.observe(Duration::from_secs(20)).await.expect("the token is valid").decision }
    });
    while let Some(decision) = owes.observe(Duration::ZERO).await.expect("the token is valid").decision {
        assert!(!waiting.is_finished(), "the other seat has no decision yet");
        owes.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
    }

    assert_eq!(waiting.await.expect("the task does not panic").expect("a decision").decision_id, 1);
    let nothing = owes.observe(Duration::from_millis(20)).await.expect("the end of the time is no error");
    assert_eq!(nothing.decision, None);
}

#[tokio::test]
async fn a_repeated_step_returns_the_same_receipt() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[(0, "greedy")], 2)).await;
    let (decision, legal) = clients[0].decision().await.expect("the seat has to decide");

    let first = clients[0].step(decision, legal[0]).await.expect("the action is legal");
    let again = clients[0].step(decision, legal[0]).await.expect("a request may be repeated");

    assert!(!first.replayed && again.replayed);
    assert_eq!((again.decision_id, again.action_id), (decision, Some(legal[0])));
    assert_eq!(again.observation, first.observation, "the action was played once");
}

#[tokio::test]
async fn the_seed_commitment_is_public_before_play_and_the_seed_after_it() {
    let server = Server::start().await;
    let request = ahu_service::proto::v1::MatchSpec { seed: String::new(), ..rappanui(2, &[], 0) };
    let created =
        server.matches().create_match(request.asked()).await.expect("a match").into_inner().r#match.expect("a match");
    let (first, second) = (server.join(&created).await, server.join(&created).await);
    let early = first.observe(Duration::ZERO).await.expect("the token is valid");
    assert_eq!(early.result, None);

    tokio::join!(play_lowest(first.clone()), play_lowest(second));

    let result = first.observe(Duration::ZERO).await.expect("the token is valid").result.expect("a result");
    let seed: u64 = result.seed.parse().expect("the seed is public after the end");
    let commitment = Sha256::new()
        .chain_update(&result.salt)
        .chain_update(seed.to_le_bytes())
        .chain_update(&created.specification)
        .finalize();
    assert_eq!(created.seed_commitment, commitment.to_vec());
    assert!(created.specification.starts_with("game rappanui\nrules 1\noptions seats=2 "));
    assert_eq!(record_of(&first, RecordFormat::Text).await.seed.0, seed);
}

#[tokio::test]
async fn a_seat_with_too_many_illegal_actions_forfeits_and_the_others_finish() {
    let server = Server::start().await;
    let request = ahu_service::proto::v1::MatchSpec { conduct: strikes(2), ..rappanui(2, &[], 4) };
    let clients = server.seats(request).await;
    let to_act = clients[0].observe(Duration::ZERO).await.expect("the token is valid").seats_to_act[0] as usize;
    let (bad, good) = (&clients[to_act], &clients[1 - to_act]);

    // At the first decision of the game, no event is legal.
    for action in [0, 1] {
        bad.step(1, action).await.expect_err("the action is illegal");
    }
    play_lowest(good.clone()).await;

    let result = good.observe(Duration::ZERO).await.expect("the token is valid").result.expect("a result");
    assert_eq!(forfeited(&result.forfeits), [bad.seat]);
    assert_eq!(result.ranks[bad.seat as usize], 2);
    let record = record_of(good, RecordFormat::Text).await;
    assert_eq!(verify(&record), Ok(()));
    assert!(record.to_text().contains(&format!("- seat {} forfeits", bad.seat)));
}
