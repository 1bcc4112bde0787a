//! The journal: the store keeps the entries behind an answer before the server sends it.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use ahu_host::{Cause, Conduct, DecidedBy, Entry, find};
use ahu_service::proto::v1::{GetServerInfoRequest, MatchSpec, MatchState};
use ahu_service::{Clock, Limits, LiveMatch, MatchConfig, Matches};
use tokio::task::{JoinHandle, JoinSet};
use tonic::Code;

use crate::bots::wait_for_end;
use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{Asked, Client, Server, error_info, rappanui, strikes, with_id};
use crate::store::TestStore;

async fn start(store: &TestStore) -> (Server, Matches) {
    let matches = Matches::with_clock(Limits::default(), Some(store.open()), Clock::manual());
    (Server::start_with(matches.clone()).await, matches)
}

/// Hosts a match of two agents. Returns the match, the agent with the first decision, and the other agent.
async fn live(server: &Server, matches: &Matches, conduct: Conduct) -> (Arc<LiveMatch>, Client, Client) {
    let rules = find("rappanui").expect("the game is in the catalog");
    let setup = rules.configure(2, &[]).expect("the defaults are valid");
    let spec = MatchConfig { terms: conduct.into(), ..MatchConfig::new(setup) };
    let live = matches.host(spec).expect("there is room");
    let created = server.describe(&live.id).await;
    let clients = [server.join(&created).await, server.join(&created).await];
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    (live, clients[to_act].clone(), clients[1 - to_act].clone())
}

/// Begins a step with this action for the first decision.
fn step(client: &Client, legal: u32) -> JoinHandle<Result<ahu_service::proto::v1::StepResponse, tonic::Status>> {
    let client = client.clone();
    tokio::spawn(async move { client.step(1, legal).await })
}

/// Checks that the server still answers calls.
async fn others_are_served(server: &Server) {
    for _ in 0..20 {
        server.catalog().get_server_info(GetServerInfoRequest {}).await.expect("the server is running");
    }
}

#[tokio::test]
async fn the_entries_of_a_step_are_kept_before_its_answer() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let (live, one, other) = live(&server, &matches, Conduct::default()).await;

    for _ in 0..20 {
        for client in [&one, &other] {
            let Some(decision) = client.look().await.decision else { continue };
            let before = store.kept(client).len();
            client.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
            let entries = live.with_referee(|referee| referee.entries().to_vec()).expect("the match has begun");
            assert_eq!(store.kept(client), entries);
            assert!(entries.len() > before);
        }
    }
}

#[tokio::test]
async fn every_answer_waits_for_the_entries_behind_it() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let (_, owes, waits) = live(&server, &matches, Conduct::default()).await;
    let (_, legal) = owes.decision().await.expect("the seat has to decide");
    let kept = store.kept(&owes).len();
    let mut keeper = store.hold_up();

    let stepping = step(&owes, legal[0]);
    keeper.arrival().await;
    let looking = tokio::spawn(async move { waits.look().await });
    let described = tokio::spawn({
        let (matches, match_id) = (server.matches(), owes.match_id.clone());
        async move { matches.clone().get_match(ahu_service::proto::v1::GetMatchRequest { match_id, wait: None }).await }
    });
    others_are_served(&server).await;
    assert!(!stepping.is_finished() && !looking.is_finished() && !described.is_finished());
    assert_eq!(store.kept(&owes).len(), kept);

    keeper.let_one_pass();
    let answer = stepping.await.expect("the task does not panic").expect("the action is legal");
    assert!(!answer.replayed && store.kept(&owes).len() > kept);
    assert_eq!(looking.await.expect("the task does not panic").state(), MatchState::Running);
    described.await.expect("the task does not panic").expect("the match is hosted");
}

#[tokio::test]
async fn a_strike_is_kept_before_its_answer() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let conduct = Conduct::with_strikes(NonZeroU8::new(3).expect("3 is not 0"));
    let (_, owes, _) = live(&server, &matches, conduct).await;
    let mut keeper = store.hold_up();

    let stepping = step(&owes, 0);
    keeper.arrival().await;
    others_are_served(&server).await;
    assert!(!stepping.is_finished());

    keeper.let_one_pass();
    let error = stepping.await.expect("the task does not panic").expect_err("the action is illegal");
    assert_eq!(error_info(&error, ["strike"]).2, ["1"]);
    let seat = ahu_core::Seat::new(owes.seat as usize).expect("a seat");
    let strike = Entry::Strike { seat, decision: 1, cause: Cause::Illegal, action: Some(ahu_core::ActionId(0)) };
    assert!(store.kept(&owes).contains(&strike));
}

#[tokio::test]
async fn a_forfeit_and_the_actions_of_the_stand_in_are_kept_before_its_answer() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let conduct = Conduct::with_strikes(NonZeroU8::MIN);
    let (live, owes, _) = live(&server, &matches, conduct).await;
    let mut keeper = store.hold_up();

    let stepping = step(&owes, 0);
    keeper.arrival().await;
    others_are_served(&server).await;
    assert!(!stepping.is_finished());

    keeper.let_one_pass();
    let error = stepping.await.expect("the task does not panic").expect_err("the action is illegal");
    assert!(error.message().contains("the seat forfeits"), "{error}");
    let kept = store.kept(&owes);
    let seat = ahu_core::Seat::new(owes.seat as usize).expect("a seat");
    let forfeit = kept
        .iter()
        .position(|entry| *entry == Entry::Forfeit { seat, cause: Cause::Illegal })
        .expect("the forfeit is kept");
    let by_stand_in = |entry: &Entry| matches!(entry, Entry::Action { by: DecidedBy::StandIn, .. });
    assert!(by_stand_in(&kept[forfeit + 1]), "{kept:?}");
    assert_eq!(Some(kept), live.with_referee(|referee| referee.entries().to_vec()));
}

#[tokio::test]
async fn appends_during_a_commit_share_the_next_one() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let mut games = Vec::new();
    for _ in 0..12 {
        let (live, owes, _) = live(&server, &matches, Conduct::default()).await;
        let (_, legal) = owes.decision().await.expect("the seat has to decide");
        games.push((live, owes, legal[0]));
    }
    let before = store.commits();
    let mut keeper = store.hold_up();

    let mut stepping = vec![step(&games[0].1, games[0].2)];
    keeper.arrival().await;
    for (live, owes, legal) in &games[1..] {
        let mut changes = live.changes();
        stepping.push(step(owes, *legal));
        changes.changed().await.expect("the match is hosted");
    }
    keeper.let_one_pass();
    keeper.arrival().await;
    keeper.let_one_pass();
    for step in stepping {
        step.await.expect("the task does not panic").expect("the action is legal");
    }

    assert_eq!(store.commits(), before + 2);
}

#[tokio::test]
async fn the_entries_of_a_cancelled_step_are_kept() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let (live, owes, _) = live(&server, &matches, Conduct::default()).await;
    let (_, legal) = owes.decision().await.expect("the seat has to decide");
    let mut keeper = store.hold_up();
    // The step has a connection of its own, which ends with it.
    let lost = owes.over(server.connect().await);

    let stepping = step(&lost, legal[0]);
    drop(lost);
    keeper.arrival().await;
    stepping.abort();
    assert!(stepping.await.expect_err("the call was cancelled").is_cancelled());
    others_are_served(&server).await;
    keeper.let_one_pass();

    let again = owes.step(1, legal[0]).await.expect("a request may be repeated");
    assert!(again.replayed);
    assert_eq!(Some(store.kept(&owes)), live.with_referee(|referee| referee.entries().to_vec()));
}

/// Plays the lowest actions for both agents, and returns the number of decisions.
async fn play_both(one: Client, other: Client) -> usize {
    let (one, other) = tokio::join!(play_lowest(one), play_lowest(other));
    one + other
}

/// Returns the error of a call for a match that stands still.
fn suspended(client: &Client) -> (Code, String, [String; 1]) {
    (Code::Unavailable, "MATCH_SUSPENDED".to_owned(), [client.match_id.clone()])
}

/// Waits until the store has all present entries of a match.
async fn wait_until_kept(server: &Server, store: &TestStore, live: &LiveMatch, client: &Client) {
    let entries = || live.with_referee(|referee| referee.entries().to_vec()).expect("the match has begun");
    while store.kept(client) != entries() {
        others_are_served(server).await;
    }
}

#[tokio::test]
async fn a_match_stands_still_while_the_store_fails_and_goes_on_afterwards() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let (live, owes, waits) = live(&server, &matches, Conduct::default()).await;
    let (_, legal) = owes.decision().await.expect("the seat has to decide");
    let other = two_agents(&server).await.0;
    let left = async || other.look().await.decision.expect("the seat has to decide").time_left;
    let before = left().await;
    assert!(before.is_some());
    let waiting = wait_for_end(&server, &owes.match_id);
    server.list().await;
    let kept = store.kept(&owes);
    store.orders().is_full = true;

    for error in [
        owes.step(1, legal[0]).await.expect_err("the store is full"),
        owes.step(1, legal[0]).await.expect_err("the store is full"),
        owes.observe(Duration::ZERO).await.expect_err("the store is full"),
        waits.observe(Duration::from_secs(20)).await.expect_err("the store is full"),
        waiting.await.expect("the task does not panic").expect_err("the store is full"),
    ] {
        assert_eq!(error_info(&error, ["match_id"]), suspended(&owes));
    }
    assert_eq!(store.kept(&owes), kept, "nothing is half kept");
    // The other match can be observed, and the time of both matches stands still.
    matches.advance(10 * matches.limits().decision_idle);
    assert_eq!(left().await, before, "no time passes");
    let failed = server.matches().create_match(rappanui(2, &[], 1).asked()).await.expect_err("the store is full");
    assert_eq!(code(&failed), is(Code::Unavailable, "MATCH_SUSPENDED"));

    store.orders().is_full = false;
    wait_until_kept(&server, &store, &live, &owes).await;
    while owes.observe(Duration::ZERO).await.is_err() {}
    let again = owes.step(1, legal[0]).await.expect("the store works again");
    assert!(again.replayed, "the step was taken once");
    assert_eq!(left().await, before, "the clock stood still");
    assert!(play_both(owes, waits).await > 10);
}

#[tokio::test]
async fn a_match_whose_change_the_store_refuses_is_set_aside_and_others_go_on() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let (_, owes, waits) = live(&server, &matches, Conduct::default()).await;
    let (_, legal) = owes.decision().await.expect("the seat has to decide");
    let others = server.seats(rappanui(2, &[(0, "greedy")], 3)).await;
    store.orders().refused = Some(owes.match_id.clone());
    let damaged = (Code::DataLoss, "MATCH_DAMAGED".to_owned(), [owes.match_id.clone()]);

    let waiting = wait_for_end(&server, &owes.match_id);
    server.list().await;
    let kept = store.kept(&owes);
    for error in [
        owes.step(1, legal[0]).await.expect_err("the store refuses it"),
        owes.step(1, legal[0]).await.expect_err("the store refuses it"),
        owes.observe(Duration::ZERO).await.expect_err("the store refuses it"),
        waits.observe(Duration::from_secs(20)).await.expect_err("the store refuses it"),
        waiting.await.expect("the task does not panic").expect_err("the store refuses it"),
    ] {
        assert_eq!(error_info(&error, ["match_id"]), damaged);
    }
    assert_eq!(store.kept(&owes), kept);

    assert!(play_lowest(others[0].clone()).await > 10);
    let created = server.create(rappanui(2, &[], 5)).await;
    let listed = server.list().await;
    for of in [&others[0].match_id, &created.match_id] {
        assert!(listed.iter().any(|listed| listed.match_id == *of), "the others are still listed");
    }
}

#[tokio::test]
async fn a_match_whose_first_entries_cannot_be_kept_is_not_played() {
    let store = TestStore::default();
    let (server, _) = start(&store).await;
    let created = server.create(rappanui(2, &[(0, "greedy")], 3)).await;
    store.orders().refused = Some(created.match_id.clone());

    let target = Some(ahu_service::proto::v1::join_match_request::Target::MatchId(created.match_id.clone()));
    let join = ahu_service::proto::v1::JoinMatchRequest { target, ..Default::default() };
    let error = server.matches().join_match(join).await.expect_err("the store refuses it");

    assert_eq!(code(&error), is(Code::DataLoss, "MATCH_DAMAGED"));
    server.create(MatchSpec { conduct: strikes(1), ..rappanui(2, &[], 3) }).await;
}

#[tokio::test]
async fn bots_alone_do_not_run_ahead_of_the_store() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let mut keeper = store.hold_up();
    let rules = find("rappanui").expect("the game is in the catalog");
    let setup = rules.configure(2, &[]).expect("the defaults are valid");
    let greedy = rules.bot("greedy").expect("the bot is in the catalog");
    let live =
        matches.host(MatchConfig { bots: vec![Some(greedy); 2], ..MatchConfig::new(setup) }).expect("there is room");
    let entries = || live.with_referee(|referee| referee.entries().len()).expect("the match has begun");

    let mut before = entries();
    for _ in 0..3 {
        keeper.arrival().await;
        others_are_served(&server).await;
        assert_eq!(entries(), before, "no bot plays before the store has kept the entries so far");
        keeper.let_one_pass();
        while entries() == before {
            others_are_served(&server).await;
        }
        before = entries();
    }
}

#[tokio::test]
async fn a_running_step_is_answered_while_the_server_closes() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let (live, owes, _) = live(&server, &matches, Conduct::default()).await;
    let (_, legal) = owes.decision().await.expect("the seat has to decide");
    let mut keeper = store.hold_up();
    let stepping = step(&owes, legal[0]);
    keeper.arrival().await;

    server.stop_while(async move { keeper.let_one_pass() }).await;

    let answer = stepping.await.expect("the task does not panic").expect("the call was running before");
    assert_eq!((answer.decision_id, answer.action_id), (1, Some(legal[0])));
    assert_eq!(Some(store.kept(&owes)), live.with_referee(|referee| referee.entries().to_vec()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_store_has_exactly_the_matches_that_were_created() {
    let store = TestStore::default();
    let (server, matches) = start(&store).await;
    let finished = server.finished(rappanui(2, &[(0, "greedy"), (1, "random")], 1)).await;
    matches.advance(2 * matches.limits().match_idle);
    assert_eq!(matches.expire(), 1, "the match leaves memory, and not the store");

    // Copies of one request arrive at once. One of them creates a match.
    for round in 0..5 {
        let mut creating = JoinSet::new();
        for _ in 0..20 {
            let bots = [0, 1, 2, 3, 4, 5].map(|seat| (seat, "greedy"));
            let request_id = format!("the-same-for-all-{round}");
            let request = with_id(&request_id, rappanui(6, &bots, 2));
            let mut matches = server.matches();
            creating.spawn(async move { matches.create_match(request).await });
        }
        while let Some(created) = creating.join_next().await {
            created.expect("the task does not panic").expect("a request may be repeated");
        }
    }

    let listed: Vec<_> = server.list().await.into_iter().map(|of| of.match_id).collect();
    assert_eq!((listed.len(), &listed[0]), (6, &finished.match_id));
    assert_eq!(store.states().into_iter().map(|(id, _)| id).collect::<Vec<_>>(), listed);
}
