//! Clocks across restarts: they stand still while no server runs, and keep the time that passed before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu_service::proto::v1::{Conduct, MatchSpec, TimeControl};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::agents::{Habits, Route, Thinking};
use crate::findings::Findings;
use crate::matches::Hall;
use crate::plans::{Generosity, plan, time};
use crate::program::{Run, Server, endpoint};
use crate::seed;

/// The time limit of a seat. The pause without a server is longer.
const LIMIT: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(3_500);

const HABITS: Habits = Habits {
    wait: Duration::from_secs(5),
    deadline: Duration::from_secs(30),
    patience: Duration::from_secs(30),
    duplicates: 0.0,
    repeats: 0.0,
    forgets: 0.0,
};

/// The number of matches: each game with each clock.
const MATCHES: u32 = 16;

fn hall(folder: &std::path::Path) -> Hall {
    let route = Route::Shared(endpoint(folder).connect_lazy());
    Hall {
        routes: Arc::new(vec![route.clone()]),
        safe: route,
        habits: HABITS,
        generosity: Generosity { limit: LIMIT, absence: LIMIT },
        findings: Arc::default(),
        stuck: Duration::from_secs(30),
        seed: seed(),
    }
}

fn start(server: &Server, findings: &Findings) -> Run {
    let run = server.start();
    findings.starts(run.started);
    run
}

/// Waits for this number of further acknowledged actions.
async fn act(actions: u64, findings: &Findings) {
    let mut acknowledged = findings.acknowledged.subscribe();
    let before = *acknowledged.borrow();
    acknowledged.wait_for(|&now| now >= before + actions).await.expect("the sender is borrowed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_that_is_longer_than_every_limit_is_charged_to_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::with_data(folder.path(), &[]);
    let hall = hall(folder.path());
    let findings = Arc::clone(&hall.findings);
    let mut run = start(&server, &findings);

    let mut playing = JoinSet::new();
    for number in 0..MATCHES {
        let mut rng = hall.rng(number);
        let planned = plan(number, hall.generosity, &mut rng);
        let (limit, lag, increment) = (time(LIMIT), time(Duration::ZERO), time(Duration::from_millis(200)));
        // The games take turns, so each game has each of these clocks.
        let (time_control, conduct) = match number / 4 {
            0 => (TimeControl { bank: limit, increment, ..TimeControl::default() }, None),
            1 => (TimeControl { bank: limit, increment, lag, ..TimeControl::default() }, None),
            2 => (TimeControl { limit, lag, ..TimeControl::default() }, None),
            _ => (TimeControl::default(), Some(Conduct { absence_limit: limit, ..Conduct::default() })),
        };
        let request = MatchSpec { bots: Vec::new(), time_control: Some(time_control), conduct, ..planned };
        let hall = hall.clone();
        playing.spawn(async move { hall.play_as_planned(request, rng, None, async {}).await.is_some() });
    }
    act(200, &findings).await;
    run.kill().expect("the server runs");
    findings.has_ended();
    sleep(PAUSE).await;
    let run = start(&server, &findings);
    act(200, &findings).await;
    let status = run.terminate().await;
    findings.has_ended();
    sleep(PAUSE).await;
    let run = start(&server, &findings);
    act(200, &findings).await;
    // The whole process stands still.
    run.signal("-STOP");
    findings.has_ended();
    sleep(PAUSE).await;
    findings.starts(Instant::now());
    run.signal("-CONT");
    let verified = playing.join_all().await.into_iter().filter(|&verified| verified).count();

    findings.assert_none("pauses", hall.seed);
    assert_eq!(verified, MATCHES as usize);
    assert!(status.success(), "expected exit 0 after SIGTERM, got {status}");
}

#[tokio::test]
async fn the_time_that_an_agent_thought_before_a_kill_stays_charged() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::with_data(folder.path(), &[]);
    let hall = hall(folder.path());
    let findings = Arc::clone(&hall.findings);
    let mut run = start(&server, &findings);
    let mut rng = hall.rng(0);
    let bank = TimeControl { bank: time(Duration::from_secs(60)), ..TimeControl::default() };
    let request =
        MatchSpec { bots: Vec::new(), time_control: Some(bank), conduct: None, ..plan(0, hall.generosity, &mut rng) };
    let (begins, has_begun) = oneshot::channel();
    let (end, ends) = oneshot::channel();
    let thinking = Thinking { decision: 3, begins, ends };
    let playing = hall.play_as_planned(request, rng, Some(thinking), async {});
    let killing = async {
        has_begun.await.expect("the agent has a third decision");
        let begun = Instant::now();
        // A killed server may forget one and a half seconds of this time.
        sleep(Duration::from_millis(2_500)).await;
        run.kill().expect("the server runs");
        findings.has_ended();
        let run = start(&server, &findings);
        end.send(()).expect("the agent thinks");
        (run, findings.running(begun, Instant::now()))
    };
    let (finished, (_run, thought)) = tokio::join!(playing, killing);

    // The record is compared with the time that the agent measured.
    findings.assert_none("thinking", hall.seed);
    assert!(finished.is_some());
    assert!(thought >= 2_500, "expected a run of at least 2500 ms, got {thought}");
}
