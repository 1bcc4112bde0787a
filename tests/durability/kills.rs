//! Servers that are killed at random moments and start again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::agents::{Habits, Route};
use crate::findings::{Fault, Findings, report};
use crate::matches::{Finished, Hall};
use crate::plans::Generosity;
use crate::program::{Run, Server, endpoint};
use crate::{seed, setting};

/// The number of matches that are played at once until the last kill.
const LIVE: u32 = 100;

/// The number of connections that the agents share.
const CONNECTIONS: usize = 8;

/// The maximum number of acknowledged actions between a start and the kill after it.
const ACTIONS: u64 = 2_000;

/// The number of kills for each end by SIGTERM.
const DRAIN: u64 = 8;

/// The maximum pause between a kill and the next start.
const PAUSE: Duration = Duration::from_millis(50);

/// The time in which a server has to start, and in which agents have to reach the next kill.
const PATIENCE: Duration = Duration::from_secs(60);

const HABITS: Habits = Habits {
    wait: Duration::from_secs(5),
    deadline: Duration::from_secs(30),
    patience: PATIENCE,
    duplicates: 0.0,
    repeats: 0.02,
    forgets: 0.2,
};

/// The limits are long: a busy machine may need seconds for the starts of a server, and no seat may forfeit by them.
const GENEROSITY: Generosity = Generosity { limit: Duration::from_secs(60), absence: Duration::from_secs(60) };

/// The moment of a kill.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// This time after the start of the program, which may be before the server listens.
    Starting(Duration),
    /// After this number of acknowledged actions.
    After(u64),
}

/// The figures of the restarts.
#[derive(Debug, Default)]
struct Restarts {
    kills: u64,
    /// The kills before the server listened.
    early: u64,
    /// The ends by SIGTERM.
    terminated: u64,
    /// The times from the start of the program to the first acknowledged action.
    resumed: Vec<Duration>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_killed_server_loses_and_doubles_no_acknowledged_action() {
    let (kills, seed) = (setting("AHU_KILLS", 20), seed());
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::with_data(folder.path(), &[]);
    let findings = Arc::<Findings>::default();
    let routes = (0..CONNECTIONS).map(|_| Route::Shared(endpoint(folder.path()).connect_lazy())).collect();
    let hall = Hall {
        routes: Arc::new(routes),
        safe: Route::Own(endpoint(folder.path()).into()),
        habits: HABITS,
        generosity: GENEROSITY,
        findings: Arc::clone(&findings),
        stuck: PATIENCE,
        seed,
    };
    let start = Instant::now();
    // The number of ends of a server; None after the last.
    let (ends, ended) = watch::channel(Some(0_u64));

    let mut playing: JoinSet<Vec<Finished>> = JoinSet::new();
    for first in 0..LIVE {
        let (hall, ended) = (hall.clone(), ended.clone());
        playing.spawn(async move {
            let mut finished = Vec::new();
            for number in (first..).step_by(LIVE as usize) {
                finished.extend(Box::pin(hall.play(number, late(number, ended.clone()))).await);
                if ended.borrow().is_none() {
                    break;
                }
            }
            finished
        });
    }
    let rng = hall.rng(u32::MAX - 1);
    let (run, restarts) = kill_again_and_again(&server, kills, &findings, &ends, rng).await;
    let killed = start.elapsed();
    ends.send_replace(None);
    let finished: Vec<_> = playing.join_all().await.into_iter().flatten().collect();

    // The records outlive the server too.
    let status = run.terminate().await;
    findings.has_ended();
    let run = server.start();
    findings.starts(run.started);
    for finished in &finished {
        hall.check_again(finished).await;
    }
    drop(run);

    let mut resumed = restarts.resumed.clone();
    resumed.sort();
    let (lost, doubled, all) = findings.faults();
    let count = |figure: &AtomicUsize| figure.load(Ordering::Relaxed);
    report(&format!(
        "kills: {} kills ({} while starting) and {} ends by SIGTERM in {:.1} s, {} matches verified, {} acknowledged \
         actions, {} asked for again, {} taken without an acknowledgement, {} calls sent again; {lost} lost, {doubled} \
         doubled, {all} faults; resumed after {:.0} ms (median of {}); {:.1} s",
        restarts.kills,
        restarts.early,
        restarts.terminated,
        killed.as_secs_f64(),
        finished.len(),
        *findings.acknowledged.borrow(),
        count(&findings.repeated),
        count(&findings.unacknowledged),
        count(&findings.resent),
        resumed.get(resumed.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3),
        resumed.len(),
        start.elapsed().as_secs_f64(),
    ));
    findings.assert_none("kills", seed);
    assert!(status.success(), "expected exit 0 after SIGTERM, got {status}");
    assert!(finished.len() >= LIVE as usize, "expected at least {LIVE} matches, got {}", finished.len());
    assert_eq!(restarts.kills, kills);
    assert!(!server.log().contains("panicked"), "expected no panic, got\n{}", server.log());
}

/// Returns at once for most matches. Waits for the next end of the server for the others, so that a server ends while
/// some matches have open seats.
async fn late(number: u32, mut ended: watch::Receiver<Option<u64>>) {
    if number.is_multiple_of(8) {
        let now = *ended.borrow_and_update();
        // An error means that the test is over.
        let _ = ended.wait_for(|ends| now.is_none() || *ends != now).await;
    }
}

/// Ends and starts the server again until it was killed `kills` times. Returns its last run.
async fn kill_again_and_again(
    server: &Server,
    kills: u64,
    findings: &Findings,
    ends: &watch::Sender<Option<u64>>,
    mut rng: ChaCha8Rng,
) -> (Run, Restarts) {
    let mut restarts = Restarts::default();
    let mut starting = Duration::from_millis(300);
    loop {
        let mut run = server.start();
        findings.starts(run.started);
        let moment = match rng.random_range(0..10) {
            0..4 => Moment::Starting(starting.mul_f64(rng.random_range(0.0..1.2))),
            _ => Moment::After(rng.random_range(0..ACTIONS)),
        };
        let is_last = restarts.kills == kills;
        let reached = match moment {
            Moment::Starting(after) if !is_last => {
                // The moment is a time, since the server tells nothing of its start.
                let listens = timeout(after, run.ready()).await;
                if let Ok(Ok(_)) = listens {
                    sleep(after.saturating_sub(run.started.elapsed())).await;
                } else {
                    restarts.early += 1;
                }
                Ok(())
            }
            Moment::Starting(_) => listen(&mut run, &mut starting).await,
            Moment::After(actions) => match listen(&mut run, &mut starting).await {
                Ok(()) => act(actions, &run, findings, &mut restarts.resumed).await,
                Err(fault) => Err(fault),
            },
        };
        if let Err(fault) = reached {
            findings.add(Fault::Other(format!("after {} kills: {fault}", restarts.kills)));
            return (run, restarts);
        }
        if is_last {
            return (run, restarts);
        }
        let is_to_drain = matches!(moment, Moment::After(_)) && restarts.kills >= DRAIN * (restarts.terminated + 1);
        let done = if is_to_drain {
            restarts.terminated += 1;
            let status = run.terminate().await;
            status.success().then_some(()).ok_or_else(|| format!("expected exit 0 after SIGTERM, got {status}"))
        } else {
            restarts.kills += 1;
            run.kill()
        };
        findings.has_ended();
        if let Err(fault) = done {
            findings.add(Fault::Other(format!("after {} kills: {fault}", restarts.kills)));
        }
        ends.send_modify(|ends| *ends = ends.map(|ends| ends + 1));
        sleep(PAUSE.mul_f64(rng.random_range(0.0..1.0))).await;
    }
}

/// Waits until the server listens, and notes the time that it took.
async fn listen(run: &mut Run, starting: &mut Duration) -> Result<(), String> {
    let listens = timeout(PATIENCE, run.ready()).await;
    *starting = run.started.elapsed();
    match listens {
        Ok(listens) => listens.map(drop),
        Err(_) => {
            Err(format!("expected a server that listens within {PATIENCE:?}; its log ends with\n{}", run.log_end()))
        }
    }
}

/// Waits for this number of acknowledged actions, and notes the time of the first action.
async fn act(actions: u64, run: &Run, findings: &Findings, resumed: &mut Vec<Duration>) -> Result<(), String> {
    let mut acknowledged = findings.acknowledged.subscribe();
    let before = *acknowledged.borrow();
    let acting = async {
        if actions > 0 {
            let first = acknowledged.wait_for(|&now| now > before).await.map(drop);
            first.expect("the sender is borrowed");
            resumed.push(run.started.elapsed());
        }
        let all = acknowledged.wait_for(|&now| now >= before + actions).await.map(drop);
        all.expect("the sender is borrowed");
    };
    let in_time = timeout(PATIENCE, acting).await;
    in_time.map_err(|_| {
        let now = *findings.acknowledged.borrow() - before;
        format!("expected {actions} actions within {PATIENCE:?}, got {now}; the log ends with\n{}", run.log_end())
    })
}
