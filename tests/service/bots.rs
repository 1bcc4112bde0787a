//! Bots in matches: the bot pool plays a match of bots alone, and no call waits for a slow bot.

use std::collections::HashSet;
use std::num::NonZeroU8;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ahu_core::{Seat, Seed};
use ahu_games::rappanui::{self, RappaNui};
use ahu_host::{
    AnyRules, Bot, Cause, Conduct, DecidedBy, Entry, GAMES, Method, Referee, Rules, Setup, Terms, find, verify,
};
use ahu_service::limits::{MAX_INLINE_DECISIONS, MAX_WAIT};
use ahu_service::proto::v1::{ErrorReason, GetMatchRequest, Match, MatchSpec, MatchState};
use ahu_service::{Clock, Limits, LiveMatch, MatchConfig, Matches};
use tokio::task::JoinHandle;
use tonic::{Code, Status};

use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::scripted::{BotKeeper, Scripted};
use crate::server::{Server, error_info, forfeited, matches_with, rappanui};
use crate::store::TestStore;

/// The name of the threads of the bot pool.
const POOL: &str = "bots";

/// Rules with a bot that must not decide on a thread that answers calls.
static SLOW: Rules<RappaNui> = Rules::new(&[
    Bot::random(),
    Bot { name: "greedy@1", about: "The stand-in.", is_quick: true, method: Method::Policy(rappanui::GREEDY_1) },
    Bot {
        name: "slow@1",
        about: "Plays like greedy, but is not quick.",
        is_quick: false,
        method: Method::Policy(rappanui::GREEDY_1),
    },
]);

/// Returns a setup of `rappanui`.
fn setup(seats: usize) -> Setup {
    find("rappanui").expect("the game is in the catalog").configure(seats, &[]).expect("the defaults are valid")
}

/// Hosts a match with these bots; an empty name leaves the seat open.
fn host(matches: &Matches, setup: Setup, bots: &[&str], seed: u64) -> Arc<LiveMatch> {
    let bot = |name: &&str| (!name.is_empty()).then(|| setup.rules().bot(name).expect("the game has the bot"));
    let bots = bots.iter().map(bot).collect();
    let terms = Conduct::with_strikes(NonZeroU8::MIN).into();
    let config = MatchConfig { bots, seed: Some(Seed(seed)), terms, ..MatchConfig::new(setup) };
    matches.host(config).expect("there is room")
}

/// Waits until a match is finished, without a call.
async fn finished(live: &LiveMatch) {
    let mut changes = live.changes();
    let finished = changes.wait_for(|_| live.has_ended());
    tokio::time::timeout(4 * MAX_WAIT, finished).await.expect("the match ends").expect("the match is hosted");
}

/// Returns the number of threads of the bot pool.
fn pool_threads() -> usize {
    thread::available_parallelism().map_or(1, |cores| (cores.get() - 1).max(1))
}

/// Occupies every thread that matches of bots alone may have, each with a bot that waits for its keeper.
async fn block_bots_alone(matches: &Matches) -> Vec<BotKeeper> {
    let mut keepers = Vec::new();
    for _ in 0..(pool_threads() / 2).max(1) {
        let (held_up, mut keeper) = Scripted::held_up(setup(2));
        host(matches, held_up, &["random", "random"], 1);
        keeper.arrival().await;
        keepers.push(keeper);
    }
    keepers
}

/// Begins a call that waits for the end of a match.
pub(crate) fn wait_for_end(server: &Server, match_id: &str) -> JoinHandle<Result<Match, Status>> {
    let (mut matches, match_id) = (server.matches(), match_id.to_owned());
    let wait = Some(MAX_WAIT.try_into().expect("a short time"));
    tokio::spawn(async move {
        let answer = matches.get_match(GetMatchRequest { match_id, wait }).await?;
        Ok(answer.into_inner().r#match.expect("a match"))
    })
}

fn entries(live: &LiveMatch) -> Vec<Entry> {
    live.with_referee(|referee| referee.entries().to_vec()).expect("the match has begun")
}

#[tokio::test]
async fn a_match_is_created_without_waiting_for_its_bots() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let keepers = block_bots_alone(&matches).await;

    // The bots of another principal would have threads of their own.
    let live = host(&matches, setup(6), &["greedy"; 6], 1);
    let created = server.describe(&live.id).await;
    assert_eq!((created.state(), &created.result), (MatchState::Running, &None));
    let waiting = wait_for_end(&server, &created.match_id);
    assert_eq!(server.describe(&created.match_id).await, created);
    assert!(!waiting.is_finished());

    drop(keepers);
    let finished = waiting.await.expect("the task does not panic").expect("the match is hosted");
    assert_eq!((finished.state(), finished.result.is_some()), (MatchState::Finished, true));
}

#[tokio::test]
async fn an_agent_plays_quick_bots_while_the_bot_pool_is_busy() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let _keepers = block_bots_alone(&matches).await;

    let clients = server.seats(rappanui(3, &[(0, "greedy"), (1, "random")], 1)).await;

    assert!(play_lowest(clients[0].clone()).await > 10);
    assert_eq!(clients[0].look().await.state(), MatchState::Finished);
}

#[tokio::test]
async fn bots_alone_leave_threads_to_the_matches_of_agents() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let _keepers = block_bots_alone(&matches).await;
    let waiting = host(&matches, setup(6), &["greedy"; 6], 1);

    // A pool of one thread cannot leave a thread free.
    if pool_threads() > 1 {
        let live = host(&matches, SLOW.configure(2, &[]).expect("the defaults are valid"), &["slow", ""], 1);
        let agent = server.join(&server.describe(&live.id).await).await;
        assert!(play_lowest(agent).await > 10, "a slow bot has a thread");
    }

    assert_eq!(waiting.with_referee(Referee::is_over), Some(false), "bots alone have no thread left");
}

#[tokio::test]
async fn a_match_of_bots_alone_finishes_without_a_call() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    for rules in GAMES {
        let setup = rules.configure(*rules.seats().end(), &[]).expect("the defaults are valid");
        let threads = Arc::<Mutex<HashSet<Option<String>>>>::default();
        let noted = Arc::clone(&threads);
        let note = move || {
            noted.lock().expect("no thread panics").insert(thread::current().name().map(str::to_owned));
        };
        let bots: Vec<_> = ["greedy", "random", "search:2"].into_iter().cycle().take(setup.seats().count()).collect();

        let live = host(&matches, Scripted::bots(setup, note), &bots, 3);
        finished(&live).await;

        let described = server.describe(&live.id).await;
        assert_eq!((described.state(), described.game.as_str()), (MatchState::Finished, rules.info().id));
        assert_eq!(described.result.expect("a result").scores.len(), bots.len());
        let threads = threads.lock().expect("no thread panics").clone();
        assert_eq!(threads, [Some(POOL.to_owned())].into(), "no other thread computes a choice");
        let record = live.with_referee(Referee::record).expect("the match has begun");
        let names: Vec<_> = record.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, bots.iter().map(|bot| rules.bot(bot).expect("it has it").name()).collect::<Vec<_>>());
        assert_eq!(verify(&record), Ok(()));
    }
}

#[tokio::test]
async fn get_match_waits_for_the_end_of_a_match_of_agents() {
    let server = Server::start().await;
    let clients = server.seats(rappanui(2, &[], 3)).await;
    let waiting = wait_for_end(&server, &clients[0].match_id);
    let running = server.describe(&clients[0].match_id).await;
    assert_eq!((running.state(), waiting.is_finished()), (MatchState::Running, false));

    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));

    let finished = waiting.await.expect("the task does not panic").expect("the match is hosted");
    assert_eq!(finished.state(), MatchState::Finished);
    assert_eq!(finished.result, clients[0].look().await.result);
    assert!(finished.result.is_some());
}

#[tokio::test]
async fn a_wait_that_passes_is_not_an_error() {
    let server = Server::start().await;
    let seating = server.create(rappanui(2, &[], 1)).await.match_id;
    let running = server.seats(rappanui(2, &[], 1)).await[0].match_id.clone();

    for wait in [Duration::ZERO, Duration::from_millis(20)] {
        for (match_id, state) in [(&seating, MatchState::Seating), (&running, MatchState::Running)] {
            let described = server.describe_after(match_id, wait).await.expect("the end of the time is no error");
            assert_eq!((described.state(), described.result), (state, None));
        }
    }
    let negative = Some(prost_types::Duration { seconds: -1, nanos: 0 });
    let request = GetMatchRequest { match_id: running, wait: negative };
    let answer = server.matches().get_match(request).await.expect("a negative wait is no wait").into_inner();
    assert_eq!(answer.r#match.expect("a match").state(), MatchState::Running);
}

#[tokio::test]
async fn a_wait_for_the_end_of_a_match_ends_when_the_server_closes() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let finished = server.finished(rappanui(2, &[(0, "greedy"), (1, "random")], 1)).await;
    let (_, waits) = two_agents(&server).await;
    let waiting = wait_for_end(&server, &waits.match_id);
    // The call is under way when a later call on the same connection has been answered.
    server.list().await;

    matches.close();

    let closing = is(Code::Unavailable, "CLOSING");
    assert_eq!(code(&waiting.await.expect("the task does not panic").expect_err("the server closes")), closing);
    let late = server.describe_after(&waits.match_id, MAX_WAIT).await;
    assert_eq!(code(&late.expect_err("the server closes")), closing);
    let shown = server.describe_after(&finished.match_id, MAX_WAIT).await;
    assert_eq!(shown.expect("a finished match needs no wait"), finished);
}

#[tokio::test]
async fn a_wait_for_the_end_ends_when_the_store_refuses_the_match_which_is_read_again_later() {
    let store = TestStore::default();
    let limits = Limits { match_idle: Duration::from_secs(60), ..Limits::default() };
    let matches = Matches::with_clock(limits, Some(store.open()), Clock::manual());
    let server = Server::start_with(matches.clone()).await;
    let running = two_agents(&server).await.0;
    let waiting = wait_for_end(&server, &running.match_id);
    // The call is under way when a later call on the same connection has been answered.
    server.list().await;
    store.orders().refused = Some(running.match_id.clone());
    let (decision, legal) = running.decision().await.expect("the seat has to decide");
    running.step(decision, legal[0]).await.expect_err("the store refuses it");

    let error = waiting.await.expect("the task does not panic").expect_err("the store refuses it");
    assert_eq!(error_info(&error, ["match_id"]).1, "MATCH_DAMAGED");
    // The match is set aside until it leaves memory. The store has the match without the change.
    matches.advance(2 * matches.limits().match_idle);
    assert_eq!(matches.expire(), 1);
    store.orders().refused = None;
    let again = running.step(decision, legal[0]).await.expect("the decision is still open");
    assert!(!again.replayed);
}

#[tokio::test]
async fn a_cancelled_match_of_bots_alone_stops_and_leaves_memory_but_not_the_store() {
    let store = TestStore::default();
    let matches = Matches::with_clock(Limits::default(), Some(store.open()), Clock::manual());
    let server = Server::start_with(matches.clone()).await;
    let (held_up, mut keeper) = Scripted::held_up(setup(2));
    let live = host(&matches, held_up, &["greedy", "greedy"], 1);
    keeper.arrival().await;
    live.cancel("a test").expect("the match is going on");
    server.describe(&live.id).await;
    let before = entries(&live);
    assert_eq!(before.last(), Some(&Entry::Cancelled("a test".to_owned())));
    assert_eq!(store.states(), [(live.id.to_string(), MatchState::Cancelled)]);

    matches.advance(2 * matches.limits().match_idle);
    assert_eq!(matches.expire(), 1);
    drop(keeper);

    // A job of the bot pool holds the match, and nobody else does.
    let idle = async {
        while Arc::strong_count(&live) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(MAX_WAIT, idle).await.expect("the job ends");
    assert_eq!(entries(&live), before);
    // The journal carries out its jobs in order, so it stores this match after all jobs of the other match.
    let last = server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;
    let kept = [(live.id.to_string(), MatchState::Cancelled), (last.match_id, MatchState::Finished)];
    assert_eq!(store.states(), kept);
}

#[tokio::test]
async fn a_dropped_match_takes_no_player_and_no_entry() {
    let matches = Matches::with_clock(Limits::default(), None, Clock::manual());
    let seating = host(&matches, setup(2), &["", "greedy"], 1);
    let cancelled = host(&matches, setup(2), &["", ""], 1);
    for _ in 0..2 {
        cancelled.join(None, "agent").expect("a seat is open");
    }
    let seat = cancelled.with_referee(|referee| referee.to_act().first()).flatten().expect("a seat has to decide");
    for live in [&seating, &cancelled] {
        live.cancel("a test").expect("the match has not ended");
    }
    let before = entries(&cancelled);
    matches.advance(2 * matches.limits().match_idle);
    assert_eq!(matches.expire(), 2);

    let join = seating.join(None, "agent").expect_err("the match is dropped");
    let step = cancelled.step(seat, 1, 0).expect_err("the match is dropped");
    cancelled.forfeit(seat, Cause::Exited);

    assert_eq!([join.reason, step.reason], [ErrorReason::UnknownMatch; 2]);
    assert_eq!((seating.with_referee(|_| ()), entries(&cancelled)), (None, before));
}

#[tokio::test]
async fn a_seat_that_has_forfeited_is_not_asked_for_the_decisions_of_its_stand_in() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (held_up, mut keeper) = Scripted::held_up(SLOW.configure(2, &[]).expect("the defaults are valid"));
    let stand_in = Some(SLOW.bot("slow").expect("the game has the bot"));
    let terms = Terms { stand_in, ..Terms::default() };
    let live = matches.host(MatchConfig { terms, ..MatchConfig::new(held_up) }).expect("there is room");
    let created = server.describe(&live.id).await;
    let clients = [server.join(&created).await, server.join(&created).await];
    let to_act = clients[0].look().await.seats_to_act[0] as usize;
    let gone = &clients[to_act];
    assert!(gone.look().await.decision.is_some());

    live.forfeit(Seat::new(to_act).expect("a seat"), Cause::Exited);
    keeper.arrival().await;

    let seen = gone.look().await;
    assert_eq!((seen.seats_to_act, seen.decision), (vec![gone.seat], None), "its stand-in thinks");
}

#[tokio::test]
async fn a_step_is_answered_before_a_slow_bot_decides() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (held_up, mut keeper) = Scripted::held_up(SLOW.configure(2, &[]).expect("the defaults are valid"));
    let live = host(&matches, held_up, &["slow", ""], 1);
    let agent = server.join(&server.describe(&live.id).await).await;

    let mut steps = 0;
    let mut last = agent.look().await;
    while let Some(decision) = &last.decision {
        let answer = agent.step(decision.decision_id, decision.legal_ids[0]).await.expect("the action is legal");
        last = answer.observation.expect("the format was requested");
        steps += 1;
    }
    assert!(steps > 0, "the agent has the first decision");
    assert_eq!((last.seats_to_act.as_slice(), last.state()), (&[0][..], MatchState::Running));
    keeper.arrival().await;

    assert_eq!(agent.look().await, last, "the other calls are answered while the bot thinks");
    assert_eq!(server.list().await.len(), 1);
    let error = agent.step(steps + 1, 71).await.expect_err("the bot has to decide");
    assert_eq!(code(&error), is(Code::FailedPrecondition, "NOT_YOUR_DECISION"));

    drop(keeper);
    assert!(play_lowest(agent.clone()).await > 10);
    let record = live.with_referee(Referee::record).expect("the match has begun");
    assert_eq!((&*record.players[0].name, &*record.players[1].name), ("slow@1", "agent"));
    assert!(agent.look().await.result.is_some());
}

#[tokio::test]
async fn stand_ins_alone_finish_a_match() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let threads = Arc::<Mutex<Vec<bool>>>::default();
    let noted = Arc::clone(&threads);
    let note = move || noted.lock().expect("no thread panics").push(thread::current().name() == Some(POOL));
    let live = host(&matches, Scripted::bots(setup(2), note), &["", ""], 4);
    let created = server.describe(&live.id).await;
    let clients = [server.join(&created).await, server.join(&created).await];

    for _ in 0..2 {
        let to_act = clients[0].look().await.seats_to_act[0] as usize;
        let decision = clients[to_act].look().await.decision.expect("the seat has to decide");
        let illegal = (0..u32::MAX).find(|id| !decision.legal_ids.contains(id)).expect("an action is illegal");
        clients[to_act].step(decision.decision_id, illegal).await.expect_err("the action is illegal");
    }
    let described = server.describe_after(&live.id, MAX_WAIT).await.expect("the match is hosted");

    assert_eq!(forfeited(&described.result.expect("the match is finished").forfeits), [0, 1]);
    let by_stand_in = |entry: &&Entry| matches!(entry, Entry::Action { by: DecidedBy::StandIn, .. });
    let threads = threads.lock().expect("no thread panics").clone();
    assert_eq!(entries(&live).iter().filter(by_stand_in).count(), threads.len());
    let inline = threads.iter().take_while(|&&in_pool| !in_pool).count();
    let calls = 2;
    assert!((MAX_INLINE_DECISIONS..=calls * MAX_INLINE_DECISIONS).contains(&inline), "{inline} decisions within calls");
    assert!(threads.len() > inline && threads[inline..].iter().all(|&in_pool| in_pool), "the bot pool makes the rest");
}

#[tokio::test]
async fn a_bot_that_panics_voids_its_match_alone() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let broken: Vec<_> = (0..2 * threads as u64)
        .map(|seed| {
            host(&matches, Scripted::bots(setup(2), || panic!("a bot of the test")), &["random", "random"], seed)
        })
        .collect();

    server.finished(rappanui(2, &[(0, "greedy"), (1, "greedy")], 1)).await;

    for live in broken {
        let described = server.describe_after(&live.id, MAX_WAIT).await.expect("the match is hosted");
        assert_eq!((described.state(), described.result), (MatchState::Void, None));
        assert_eq!(described.end_reason, "a bot failed on the server");
        let record = live.with_referee(Referee::record).expect("the match has begun");
        assert_eq!(verify(&record), Ok(()));
    }
}

#[tokio::test]
async fn the_same_seed_and_bots_make_the_same_match() {
    let server = Server::start().await;
    let request = |seed: u64| MatchSpec {
        seed: seed.to_string(),
        ..rappanui(3, &[(0, "greedy"), (1, "random"), (2, "greedy")], 0)
    };
    let mut fingerprints = Vec::new();
    for seed in [7, 7, 8] {
        fingerprints.push(server.finished(request(seed)).await.result.expect("a result").fingerprint);
    }
    assert_eq!(fingerprints[0], fingerprints[1]);
    assert_ne!(fingerprints[0], fingerprints[2]);
}
