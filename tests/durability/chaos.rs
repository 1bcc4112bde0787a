//! Agents with broken connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tokio::task::JoinSet;
use tonic::transport::Endpoint;

use crate::agents::{Habits, Route};
use crate::findings::{Findings, report};
use crate::matches::Hall;
use crate::plans::Generosity;
use crate::program::{self, Run, Server};
use crate::proxy::Proxy;
use crate::{seed, setting};

/// The habits of agents that do not trust their connection.
const HABITS: Habits = Habits {
    wait: Duration::from_millis(500),
    deadline: Duration::from_secs(2),
    patience: Duration::from_secs(30),
    duplicates: 0.1,
    repeats: 0.02,
    forgets: 0.0,
};

/// The grace of a seat is far longer than any fault of the proxy lasts.
const GENEROSITY: Generosity = Generosity { limit: Duration::from_secs(60), absence: Duration::from_secs(30) };

/// The maximum number of matches at once.
const AT_ONCE: u32 = 50;

/// The maximum number of acknowledged actions between two kills of the server.
const ACTIONS: u64 = 3_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_over_broken_connections_end_with_nothing_lost_doubled_or_forfeited() {
    let (matches, seed) = (setting("AHU_CHAOS", 50) as u32, seed());
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::with_data(folder.path(), &["--listen", "127.0.0.1:0"]);
    let findings = Arc::<Findings>::default();
    let start = Instant::now();
    let (mut run, address) = start_again(&server, &findings).await;
    let mut hall = Hall {
        routes: Arc::default(),
        safe: Route::Own(program::endpoint(folder.path()).into()),
        habits: HABITS,
        generosity: GENEROSITY,
        findings: Arc::clone(&findings),
        stuck: Duration::from_secs(30),
        seed,
    };
    let mut rng = hall.rng(u32::MAX - 1);
    let proxy = Proxy::start(address, ChaCha8Rng::from_rng(&mut rng)).await;
    hall.routes = Arc::new(vec![Route::Own(endpoint(proxy.address).into())]);

    let playing = async {
        let mut playing = JoinSet::new();
        let mut verified = 0;
        for number in 0..matches {
            if number >= AT_ONCE {
                let ended = playing.join_next().await.expect("there are matches");
                verified += usize::from(ended.expect("no panic"));
            }
            let hall = hall.clone();
            playing.spawn(async move { hall.play(number, async {}).await.is_some() });
        }
        verified + playing.join_all().await.into_iter().filter(|&verified| verified).count()
    };
    let mut kills = 0;
    let killing = async {
        loop {
            let mut acknowledged = findings.acknowledged.subscribe();
            let next = *acknowledged.borrow() + rng.random_range(0..ACTIONS);
            acknowledged.wait_for(|&now| now > next).await.expect("the sender is borrowed");
            run.kill().expect("the server runs");
            kills += 1;
            findings.has_ended();
            let (again, address) = start_again(&server, &findings).await;
            run = again;
            proxy.server.send_replace(address);
        }
    };
    let verified = tokio::select! {
        verified = playing => verified,
        () = killing => 0,
    };

    let faults = &proxy.faults;
    let [dropped, delayed, half_open] =
        [&faults.dropped, &faults.delayed, &faults.half_open].map(|faults| faults.load(Ordering::Relaxed));
    let count = |figure: &std::sync::atomic::AtomicUsize| figure.load(Ordering::Relaxed);
    let (resent, duplicated) = (count(&findings.resent), count(&findings.duplicated));
    let acknowledged = *findings.acknowledged.borrow();
    let (lost, doubled, all) = findings.faults();
    report(&format!(
        "chaos: {matches} matches, {verified} verified, {acknowledged} actions, {kills} kills, {dropped} connections \
         dropped, {half_open} half-open, {delayed} delays, {resent} calls sent again, {duplicated} sent twice; {lost} lost, \
         {doubled} doubled, {all} faults; {:.1} s",
        start.elapsed().as_secs_f64()
    ));
    findings.assert_none("chaos", seed);
    assert_eq!(verified, matches as usize);
    assert!(dropped > 0 && delayed > 0 && half_open > 0 && duplicated > 0, "the proxy breaks connections");
    run.ready().await.expect("the server starts");
    assert!(run.terminate().await.success());
}

/// Starts the server. Returns it with the port that it listens on.
async fn start_again(server: &Server, findings: &Findings) -> (Run, SocketAddr) {
    let mut run = server.start();
    findings.starts(run.started);
    let address = run.ready().await.expect("the server starts");
    (run, address.parse().expect("an address"))
}

fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{address}")).expect("an address")
}
