//! A full disk: matches stand still, and go on when the disk has room again.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{BotSeat, CreateMatchRequest, GetMatchRequest, MatchSpec, TimeControl};
use ahu_service::store::{SqliteOptions, SqliteStore};
use ahu_service::{Limits, Matches};
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::agents::{Habits, Route};
use crate::findings::Findings;
use crate::matches::Hall;
use crate::plans::{Generosity, plan, time};
use crate::program::{Server, data, endpoint, socket};
use crate::seed;

/// The time limit of a seat. The time without room is longer.
const LIMIT: Duration = Duration::from_secs(3);
const FULL: Duration = Duration::from_millis(3_500);

const HABITS: Habits = Habits {
    wait: Duration::from_secs(5),
    deadline: Duration::from_secs(30),
    patience: Duration::from_secs(30),
    duplicates: 0.0,
    repeats: 0.05,
    forgets: 0.0,
};

const MATCHES: u32 = 8;

/// Waits until the server refuses another call because a match is suspended. Returns false if it refuses none.
async fn suspends(findings: &Findings) -> bool {
    let mut suspended = findings.suspended.subscribe();
    let before = *suspended.borrow();
    // The returned value holds a lock.
    let refused = async { suspended.wait_for(|&now| now > before).await.map(drop) };
    timeout(Duration::from_secs(20), refused).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_on_a_full_disk_stand_still_with_their_clocks_and_go_on_when_it_has_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let max_pages = Arc::new(AtomicU32::new(u32::MAX - 1));
    let options = SqliteOptions { create: true, max_pages: Some(Arc::clone(&max_pages)), ..Default::default() };
    let store = SqliteStore::open(&data(folder.path()), &options).expect("the folder is new");
    let matches = Matches::new(Limits::default(), Some(Box::new(store)));
    let listener = UnixListener::bind(socket(folder.path())).expect("the folder is new");
    let (shutdown, is_shut) = oneshot::channel::<()>();
    let serving = tokio::spawn(ahu_service::run(listener, matches, async {
        is_shut.await.expect("the test sends it");
    }));
    let route = Route::Shared(endpoint(folder.path()).connect_lazy());
    let hall = Hall {
        routes: Arc::new(vec![route.clone()]),
        safe: route,
        habits: HABITS,
        generosity: Generosity { limit: LIMIT, absence: LIMIT },
        findings: Arc::default(),
        stuck: Duration::from_secs(30),
        seed: seed(),
    };
    let findings = Arc::clone(&hall.findings);
    findings.starts(Instant::now());
    let finished = hall.play(0, async {}).await.expect("a match");

    let mut playing = JoinSet::new();
    for number in 1..=MATCHES {
        let mut rng = hall.rng(number);
        let planned = plan(number, hall.generosity, &mut rng);
        let control = match number % 2 {
            0 => TimeControl { bank: time(LIMIT), increment: time(LIMIT / 10), ..TimeControl::default() },
            _ => TimeControl { limit: time(LIMIT), ..TimeControl::default() },
        };
        let request = MatchSpec { bots: Vec::new(), time_control: Some(control), conduct: None, ..planned };
        let hall = hall.clone();
        playing.spawn(async move { hall.play_as_planned(request, rng, None, async {}).await.is_some() });
    }
    for full in 1..=2 {
        let mut acknowledged = findings.acknowledged.subscribe();
        let before = *acknowledged.borrow();
        acknowledged.wait_for(|&now| now >= before + 50).await.expect("the sender is borrowed");
        // The size cannot be less than the size of the file so far.
        max_pages.store(1, Ordering::SeqCst);
        assert!(suspends(&findings).await, "expected MATCH_SUSPENDED on full disk {full}, got only answers");
        findings.has_ended();
        // Stored matches can be read.
        hall.check_again(&finished).await;
        sleep(FULL).await;
        assert!(suspends(&findings).await, "expected MATCH_SUSPENDED until disk {full} has room, got only answers");
        max_pages.store(u32::MAX - 1, Ordering::SeqCst);
        findings.starts(Instant::now());
    }
    let verified = playing.join_all().await.into_iter().filter(|&verified| verified).count();

    findings.assert_none("full", hall.seed);
    assert_eq!(verified, MATCHES as usize);
    shutdown.send(()).expect("the server runs");
    drop(hall);
    serving.await.expect("the server does not panic").expect("the server ends without an error");
}

/// The limit of a file, in KiB: a new store fits, and some matches.
#[cfg(target_os = "linux")]
const FILE_LIMIT: u32 = 1024;

/// The system sends a signal that ends a process at its first write beyond the limit (`ulimit -f`).
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_at_the_limit_of_its_files_stands_still_and_goes_on_when_it_is_lifted() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::with_data(folder.path(), &[]).with_file_limit(FILE_LIMIT);
    // The log is at the limit from the beginning.
    fs::write(folder.path().join("log.txt"), "\n".repeat(FILE_LIMIT as usize * 1024))
        .expect("the folder can be written");
    let mut run = server.start();
    run.ready().await.expect("a new store is smaller");
    let mut matches = MatchServiceClient::new(endpoint(folder.path()).connect().await.expect("it listens"));
    let bots = |seat| BotSeat { seat: Some(seat), bot: "random".to_owned() };
    let spec = MatchSpec {
        game: "rappanui".to_owned(),
        seat_count: 2,
        bots: (0..2).map(bots).collect(),
        ..Default::default()
    };
    let game = CreateMatchRequest { spec: Some(spec), request_id: String::new() };

    let mut created = 0;
    let error = loop {
        match matches.create_match(game.clone()).await {
            Ok(_) => created += 1,
            Err(error) => break error,
        }
    };
    assert!(created > 0 && error.message().contains("store"), "after {created} matches: {error}");
    matches.create_match(game.clone()).await.expect_err("nothing has changed");

    run.lift_file_limit();
    let goes_on = async {
        while matches.create_match(game.clone()).await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(20), goes_on).await.unwrap_or_else(|_| panic!("it goes on:\n{}", run.log_end()));
    assert!(run.terminate().await.success(), "the process lives to its end");
    assert!(server.log().contains(" lines of the log were dropped"), "{}", server.log().trim());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_was_killed_on_a_full_disk_starts_there_and_waits_for_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let limited = Server::with_data(folder.path(), &[]).with_file_limit(FILE_LIMIT);
    let mut run = limited.start();
    run.ready().await.expect("a new store is smaller");
    let create = async || {
        let mut matches = MatchServiceClient::new(endpoint(folder.path()).connect().await.expect("it listens"));
        let spec = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, ..Default::default() };
        let game = CreateMatchRequest { spec: Some(spec), request_id: String::new() };
        matches.create_match(game).await.map(|created| created.into_inner().r#match.expect("a match").match_id)
    };
    let mut created = Vec::new();
    while let Ok(id) = create().await {
        created.push(id);
    }
    run.kill().expect("it runs");

    // The limit is below the size of the file, so that the server cannot write at first, and above the size of its log.
    let limited = limited.with_file_limit(FILE_LIMIT / 4);
    let mut run = limited.start();
    let waits = async {
        while !limited.log().contains("the server waits until its store can be written") {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), waits).await.unwrap_or_else(|_| panic!("it waits:\n{}", run.log_end()));
    run.lift_file_limit();
    run.ready().await.expect("it has room");
    let mut matches = MatchServiceClient::new(endpoint(folder.path()).connect().await.expect("it listens"));
    for match_id in created {
        let described = matches.get_match(GetMatchRequest { match_id, wait: None }).await;
        described.expect("nothing that was acknowledged is lost");
    }
    create().await.expect("the store is written");
    assert!(run.terminate().await.success());
}
