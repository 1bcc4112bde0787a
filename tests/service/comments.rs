//! Comments of agents on their decisions: kept until the end, told to nobody before it, and no part of the record.

use std::time::Duration;

use ahu_core::Seed;
use ahu_host::{Record, find, verify};
use ahu_service::limits::{MAX_COMMENT, MAX_COMMENTS};
use ahu_service::proto::v1::{
    Action, DecisionComment, GetRecordRequest, GetRecordResponse, MatchSpec, MatchState, ObserveRequest, RecordFormat,
    StepRequest,
};
use ahu_service::{Clock, Limits, MatchConfig, Matches};
use prost::Message;
use tonic::{Code, Request, Status};

use crate::endings::resign;
use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{Client, DECISION, Server, error_info, matches_with, rappanui, strikes};
use crate::store::TestStore;
use crate::watching::Watching;

/// Takes an action with a comment. Returns true if the answer is a repetition.
async fn say(client: &Client, (decision, action): (u32, u32), comment: &str) -> Result<bool, Status> {
    let comment = comment.to_owned();
    let request = StepRequest { comment, formats: Some(DECISION), ..client.step_request(decision, action) };
    Ok(client.matches.clone().step(client.with_token(request)).await?.into_inner().replayed)
}

fn comment(client: &Client, decision_id: u32, text: &str) -> DecisionComment {
    DecisionComment { seat: Some(client.seat), decision_id, text: text.to_owned() }
}

async fn record(client: &Client) -> Result<GetRecordResponse, Status> {
    let request = GetRecordRequest { match_id: client.match_id.clone(), format: RecordFormat::Binary.into() };
    Ok(client.matches.clone().get_record(request).await?.into_inner())
}

async fn comments(client: &Client) -> Vec<DecisionComment> {
    record(client).await.expect("the match has ended").comments
}

/// Returns the seat that has to act; None after the end.
async fn to_act(client: &Client) -> Option<u32> {
    let request = ObserveRequest { formats: None, ..client.observe_request(Duration::ZERO) };
    let seen = client.matches.clone().observe(client.with_token(request)).await.expect("the token is valid");
    seen.into_inner().observation.expect("an observation").seats_to_act.first().copied()
}

/// Plays the lowest legal actions of two seats in turn. `text` returns the comment on a decision of a seat; empty for none.
/// Returns the comments, in the order of the decisions.
async fn play(clients: &[Client], decisions: usize, text: impl Fn(u32, u32) -> String) -> Vec<DecisionComment> {
    let mut said = Vec::new();
    for _ in 0..decisions {
        let Some(seat) = to_act(&clients[0]).await else { break };
        let client = clients.iter().find(|client| client.seat == seat).expect("agents play all seats");
        let (decision, legal) = client.decision().await.expect("the seat has to decide");
        let text = text(seat, decision);
        say(client, (decision, legal[0]), &text).await.expect("the action is legal");
        if !text.is_empty() {
            said.push(comment(client, decision, &text));
        }
    }
    said
}

#[tokio::test]
async fn comments_are_told_after_the_end_in_the_order_of_the_decisions_and_not_before() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let said = play(&clients, 20, |seat, decision| match decision % 3 {
        0 => String::new(),
        _ => format!("Seat {seat} thinks:\n\"{decision}\" is \u{fc}ber \u{1F5FF}."),
    })
    .await;
    let seats: Vec<_> = said.iter().map(|comment| comment.seat).collect();
    assert!(seats.contains(&Some(0)) && seats.contains(&Some(1)) && !seats.is_sorted(), "both comment in turn");

    for client in [&clients[0], &clients[1]] {
        assert_eq!(
            code(&record(client).await.expect_err("it goes on")),
            is(Code::FailedPrecondition, "MATCH_NOT_ENDED")
        );
    }
    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));

    assert_eq!(comments(&clients[0]).await, said);
}

#[tokio::test]
async fn comments_are_told_when_a_match_is_cancelled() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let said = play(&clients, 5, |_, decision| format!("decision {decision}")).await;
    matches.find_blocking(&clients[0].match_id).expect("it is hosted").cancel("rain").expect("it goes on");

    assert_eq!(comments(&clients[0]).await, said);
}

/// Plays a match to its end. Returns what its watchers, the other seat, and the public were told, and its record, without the
/// values that differ in all matches.
async fn told(server: &Server, comments: bool) -> (Vec<Vec<u8>>, GetRecordResponse) {
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let match_id = clients[0].match_id.clone();
    let mut watching = vec![Watching::public(server, &match_id, Some(0)).await];
    for client in &clients {
        watching.push(Watching::seat(server, client, Some(0)).await);
    }
    let without_id = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace(&match_id, "ID").into_bytes();
    let mut told = Vec::new();
    for n in 0..12 {
        let text = |_, decision| if comments { format!("{n} {decision} {}", "x".repeat(2000)) } else { String::new() };
        play(&clients, 1, text).await;
        for client in &clients {
            told.push(without_id(client.look().await.encode_to_vec()));
        }
        let public = ObserveRequest { match_id: match_id.clone(), public_view: true, ..Default::default() };
        let public = server.matches().observe(public).await.expect("it is public").into_inner();
        told.push(without_id(public.encode_to_vec()));
        let mut described = server.describe(&match_id).await;
        (described.create_time, described.begin_time, described.seed_commitment) = Default::default();
        told.push(without_id(described.encode_to_vec()));
    }
    // The others play without comments, and one call at a time, so that watchers get the same messages.
    play(&clients, usize::MAX, |_, _| String::new()).await;
    for watching in watching {
        let events = |observation: ahu_service::proto::v1::Observation| observation.events;
        let messages = watching.rest().await.into_iter().filter_map(|message| message.observation);
        let events: Vec<_> = messages.flat_map(events).collect();
        assert!(events.len() > 100);
        told.extend(events.into_iter().map(|event| event.encode_to_vec()));
    }
    (told, record(&clients[0]).await.expect("the match is finished"))
}

#[tokio::test]
async fn nothing_that_anybody_is_told_and_no_record_depends_on_comments() {
    let server = Server::start().await;

    let (without, silent) = told(&server, false).await;
    let (with, spoken) = told(&server, true).await;

    assert!(without == with, "some viewer was told of the comments");
    assert_eq!((silent.comments.len(), spoken.comments.len()), (0, 12));
    assert_eq!(silent.record, spoken.record);
    let record = Record::read(&spoken.record).expect("a record");
    assert_eq!(verify(&record), Ok(()));
    assert!(!record.to_text().contains("xxx"));
}

#[tokio::test]
async fn the_first_comment_counts_when_a_step_is_sent_again() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut said = Vec::new();
    let mut decision = owes.decision().await;
    for first in ["the first", ""] {
        let (id, legal) = decision.expect("the seat has to decide");
        assert!(!say(&owes, (id, legal[0]), first).await.expect("the action is legal"));
        // A repetition is no new answer, so its comment is not read.
        for again in ["the second", "", "\u{1b}", &"x".repeat(MAX_COMMENT + 1)] {
            assert!(say(&owes, (id, legal[0]), again).await.expect("a request may be repeated"));
        }
        say(&owes, (id, legal[0] + 1), "another action").await.expect_err("the decision has an answer");
        if !first.is_empty() {
            said.push(comment(&owes, id, first));
        }
        while owes.look().await.decision.is_none() {
            let (id, legal) = waits.decision().await.expect("the match is longer");
            waits.act(id, legal[0]).await;
        }
        decision = owes.decision().await;
    }
    for client in [&owes, &waits] {
        resign(client).await.expect("the terms allow it");
    }

    server.describe_after(&owes.match_id, Duration::from_secs(20)).await.expect("the stand-ins play to the end");
    assert_eq!(comments(&owes).await, said);
}

#[tokio::test]
async fn a_comment_that_is_too_long_or_has_hidden_characters_is_refused_and_its_action_is_not_taken() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let (decision, legal) = owes.decision().await.expect("the seat has to decide");
    let before = (owes.look().await, waits.look().await);

    let wide = "\u{1F5FF}".repeat(MAX_COMMENT / 4) + "x";
    let long = "x".repeat(MAX_COMMENT + 1);
    for (text, expected) in [
        (&*long, format!("expected a comment of at most {MAX_COMMENT} bytes, got {}", MAX_COMMENT + 1)),
        (&wide, format!("expected a comment of at most {MAX_COMMENT} bytes, got {}", MAX_COMMENT + 1)),
        ("a\0b", "expected visible characters and line breaks".to_owned()),
        ("\u{1b}[31mred", "expected visible characters and line breaks".to_owned()),
        ("a\tb", "expected visible characters and line breaks".to_owned()),
        ("a\r\nb", "expected visible characters and line breaks".to_owned()),
        ("a\u{202e}b", "expected visible characters and line breaks".to_owned()),
        ("\u{3164}", "expected visible characters and line breaks".to_owned()),
    ] {
        let error = say(&owes, (decision, legal[0]), text).await.expect_err("the comment is invalid");
        let bad = (Code::InvalidArgument, "BAD_FIELD".to_owned(), ["comment".to_owned()]);
        assert_eq!(error_info(&error, ["field"]), bad, "{text:?}");
        assert!(error.message().starts_with(&expected), "{error}");
        assert!(!error.message().contains(|c| c != '\n' && ahu_host::visible_text::is_hidden(c)));
    }
    assert_eq!((owes.look().await, waits.look().await), before, "nothing was applied");

    let longest = "x".repeat(MAX_COMMENT - 1) + "\n";
    assert!(!say(&owes, (decision, legal[0]), &longest).await.expect("the comment is valid"));
    server.stop().await;
}

#[tokio::test]
async fn an_action_that_is_refused_leaves_no_comment() {
    let server = Server::start().await;
    let clients = server.seats(MatchSpec { conduct: strikes(3), ..rappanui(2, &[], 4) }).await;
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let (owes, waits) = (&clients[to_act], &clients[1 - to_act]);

    say(owes, (1, 0), "an illegal action").await.expect_err("no event is legal");
    say(owes, (2, 71), "a later decision").await.expect_err("the decision is not open");
    say(waits, (1, 71), "not my turn").await.expect_err("the other seat has to decide");
    let text = Action::from("fly".to_owned());
    let unreadable = StepRequest { action: Some(text), comment: "no action".to_owned(), ..owes.step_request(1, 0) };
    owes.matches.clone().step(owes.with_token(unreadable)).await.expect_err("the text is no action");
    for client in &clients {
        resign(client).await.expect("the terms allow it");
    }
    say(owes, (1, 71), "too late").await.expect_err("the seat has forfeited");

    server.describe_after(&owes.match_id, Duration::from_secs(20)).await.expect("the stand-ins play to the end");
    assert_eq!(comments(owes).await, []);
}

#[tokio::test]
async fn a_seat_has_room_for_a_number_of_bytes_and_plays_on_without_comments_beyond_it() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    // The last comment leaves ten bytes.
    let mut left = [MAX_COMMENTS; 2];
    let mut refused = [false; 2];
    let mut said = Vec::new();
    while let Some(seat) = to_act(&clients[0]).await {
        let (client, left) = (&clients[seat as usize], &mut left[seat as usize]);
        let (decision, legal) = client.decision().await.expect("the seat has to decide");
        let length = if *left > 10 { MAX_COMMENT.min(*left - 10) } else { *left };
        if *left < MAX_COMMENT {
            let error = say(client, (decision, legal[0]), &"x".repeat(*left + 1)).await.expect_err("there is no room");
            assert_eq!(error_info(&error, ["field"]).2, ["comment"]);
            assert!(error.message().contains(&format!("of which {left} are left; got {}", *left + 1)), "{error}");
            refused[seat as usize] = true;
        }
        let text = "x".repeat(length);
        say(client, (decision, legal[0]), &text).await.expect("there is room");
        *left -= length;
        if length > 0 {
            said.push(comment(client, decision, &text));
        }
    }
    assert_eq!((left, refused), ([0; 2], [true; 2]), "each seat has its own room, and uses it up");

    assert_eq!(comments(&clients[0]).await, said);
}

#[tokio::test]
async fn comments_of_a_sealed_match_are_told_when_it_is_unsealed() {
    let matches: Matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let setup =
        find("rappanui").expect("the game is in the catalog").configure(2, &[]).expect("the defaults are valid");
    let config = MatchConfig { is_sealed: true, seed: Some(Seed(8)), ..MatchConfig::new(setup) };
    let live = matches.host(config).expect("there is room");
    let created = server.describe(&live.id).await;
    let clients = [server.join(&created).await, server.join(&created).await];
    let said = play(&clients, 6, |_, decision| format!("decision {decision}")).await;
    play(&clients, usize::MAX, |_, _| String::new()).await;

    for request in [false, true] {
        let message = GetRecordRequest { match_id: live.id.to_string(), ..Default::default() };
        let request = if request { clients[0].with_token(message) } else { Request::new(message) };
        let error = server.matches().get_record(request).await.expect_err("it is sealed");
        assert_eq!(code(&error), is(Code::FailedPrecondition, "MATCH_SEALED"));
    }
    live.unseal();
    assert_eq!(comments(&clients[0]).await, said);
}

#[tokio::test]
async fn comments_outlive_the_server_and_the_memory_of_their_match() {
    let store = TestStore::default();
    let start = async || {
        // Ended matches leave memory at once.
        let limits = Limits { ended_bytes: 0, ..Limits::default() };
        let matches = Matches::with_clock(limits, Some(store.open()), Clock::manual());
        let (done, is_done) = tokio::sync::oneshot::channel();
        matches.recover(|recovered| done.send(recovered).expect("the test waits")).expect("the store is sound");
        assert_eq!(is_done.await.expect("the recovery ends").damaged, 0);
        (Server::start_with(matches.clone()).await, matches)
    };
    let stop = async |server: Server, matches: Matches| {
        server.stop().await;
        assert!(matches.flush(), "the store works");
    };
    let text = |seat: u32, decision: u32| format!("seat {seat}, decision {decision}\n\u{1F5FF}");
    let (server, matches) = start().await;
    let clients = server.seats(rappanui(2, &[], 8)).await;
    let mut said = play(&clients, 10, text).await;
    stop(server, matches).await;

    let (server, matches) = start().await;
    let clients: Vec<_> = clients.iter().map(|client| client.over(server.channel.clone())).collect();
    said.extend(play(&clients, usize::MAX, text).await);
    assert_eq!(server.describe(&clients[0].match_id).await.state(), MatchState::Finished);
    matches.expire();
    assert_eq!(matches.in_memory(), 0);
    assert_eq!(comments(&clients[0]).await, said, "it is read back");
    stop(server, matches).await;

    let (server, matches) = start().await;
    let client = clients[0].over(server.channel.clone());
    assert_eq!(comments(&client).await, said);
    drop(client);
    stop(server, matches).await;
}
