//! Two servers on a database, one of them a spare: the server, its connection, and the database fail at random moments.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu_service::proto::v1::ListMatchesRequest;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::agents::{Habits, Route};
use crate::findings::{Fault, Findings, report};
use crate::matches::{Finished, Hall};
use crate::plans::Generosity;
use crate::postgres::Cluster;
use crate::program::{Run, Server, endpoint, path, socket};
use crate::wire::Wire;
use crate::{seed, setting};

/// The number of matches that are played at once until the last fault.
const LIVE: u32 = 60;

/// The maximum number of acknowledged actions between two faults.
const ACTIONS: u64 = 1_000;

/// The lease of a server, after which a spare takes its place.
const LEASE: Duration = Duration::from_secs(5);

/// The time in which a server has to work again.
const PATIENCE: Duration = Duration::from_secs(90);

const HABITS: Habits = Habits {
    wait: Duration::from_secs(20),
    deadline: Duration::from_secs(25),
    patience: PATIENCE,
    duplicates: 0.0,
    repeats: 0.05,
    forgets: 0.2,
};

/// No seat may forfeit by a fault.
const GENEROSITY: Generosity = Generosity { limit: Duration::from_secs(600), absence: Duration::from_secs(600) };

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Blow {
    /// The server is killed.
    Kill,
    /// The server is killed after the database has answered a commit, and before the server has the answer.
    KillBeforeAnswer,
    /// The process stands still for up to three leases.
    Stop,
    /// The server is asked to end.
    Terminate,
    /// The connections to the database are closed.
    Cut,
    /// The answers of the database wait for up to a lease, and then the connections are closed.
    Silence,
    /// The server has no answers from the database until the spare works, and its callers reach it meanwhile.
    Isolate,
    /// The database crashes and starts again.
    Restart,
}

/// The faults in their order, so that each 20 have the same mixture.
const BLOWS: [Blow; 20] = {
    use Blow::{Cut, Isolate, Kill, KillBeforeAnswer, Restart, Silence, Stop, Terminate};
    [
        Cut,
        Terminate,
        KillBeforeAnswer,
        Restart,
        Cut,
        Silence,
        Terminate,
        Cut,
        Restart,
        Silence,
        Cut,
        Terminate,
        Stop,
        Cut,
        Restart,
        Silence,
        Terminate,
        Isolate,
        Kill,
        Restart,
    ]
};

/// A server that may be started again, and the proxy before its database.
struct Slot {
    server: Server,
    wire: Wire,
    folder: TempDir,
}

/// Two servers, one of which works. A link leads to its socket.
struct Pair {
    folder: TempDir,
    slots: [Slot; 2],
    /// The slot that works.
    working: usize,
    runs: [Option<Run>; 2],
}

impl Slot {
    fn new(cluster: &Cluster) -> Self {
        let (folder, wire) = (tempfile::tempdir().expect("a folder"), Wire::start(cluster.folder()));
        let own = socket(folder.path());
        let server =
            Server::new(folder.path(), &["--uds", path(&own), "--no-web", "--spare", "--data", &wire.url("pair")]);
        Self { server, wire, folder }
    }

    /// Waits until the server works.
    async fn works(&self) {
        let channel = endpoint(self.folder.path()).connect_lazy();
        let mut client = MatchServiceClient::new(channel);
        while client.list_matches(ListMatchesRequest { page_size: 1, ..Default::default() }).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Pair {
    fn new(cluster: &Cluster) -> Self {
        let slots = [(), ()].map(|()| Slot::new(cluster));
        Self { folder: tempfile::tempdir().expect("a folder"), slots, working: 0, runs: [None, None] }
    }

    /// Starts both, and waits until one of them works.
    async fn begin(cluster: &Cluster) -> Self {
        cluster.database("pair");
        let mut pair = Self::new(cluster);
        pair.start(0).await.expect("the database is empty");
        pair.slots[0].works().await;
        pair.link();
        pair.start(1).await.expect("it waits");
        pair
    }

    /// Returns a hall for matches on the server that works.
    fn hall(&self) -> Hall {
        let findings = Arc::new(Findings::of_stopped_clocks());
        findings.starts(Instant::now());
        let own = || Route::Own(Box::new(endpoint(self.folder.path())));
        Hall {
            routes: Arc::new(vec![own()]),
            safe: own(),
            habits: HABITS,
            generosity: GENEROSITY,
            findings,
            stuck: PATIENCE,
            seed: seed(),
        }
    }

    /// Ends the primary, and goes on with the replica.
    async fn fail_over(&mut self, primary: &Cluster, replica: &Cluster) {
        primary.crash();
        replica.promote();
        self.slots.iter().for_each(|slot| slot.wire.lead_to(replica.folder()));
        self.recover(true).await.expect("one of them goes on");
    }

    /// Lets the link lead to the server that works.
    fn link(&self) {
        let (new, link) = (self.folder.path().join("new"), socket(self.folder.path()));
        symlink(socket(self.slots[self.working].folder.path()), &new).expect("there is no such link");
        std::fs::rename(new, link).expect("the folder is ours");
    }

    async fn start(&mut self, slot: usize) -> Result<(), String> {
        let mut run = self.slots[slot].server.start();
        run.ready().await?;
        self.runs[slot] = Some(run);
        Ok(())
    }

    fn run(&self) -> &Run {
        self.runs[self.working].as_ref().expect("it works")
    }

    /// Waits until the working server works again, or the other one in its place; then starts a spare if there is none.
    async fn recover(&mut self, may_return: bool) -> Result<(), String> {
        let (own, other) = (self.working, 1 - self.working);
        let recovered = async {
            tokio::select! {
                () = self.slots[own].works(), if may_return => own,
                () = self.slots[other].works() => other,
            }
        };
        let working = timeout(PATIENCE, recovered).await.map_err(|_| {
            let logs = self.slots.iter().map(|slot| slot.server.log()).collect::<Vec<_>>().join("\n");
            format!("expected a server that works within {PATIENCE:?}; the logs are\n{logs}")
        })?;
        self.working = working;
        self.link();
        if working == other {
            // The server before has ended, or ends by itself.
            if let Some(mut before) = self.runs[own].take() {
                timeout(PATIENCE, before.ended()).await.map_err(|_| "expected the end of a dead server".to_owned())?;
            }
            self.start(own).await?;
        }
        Ok(())
    }

    async fn strike(&mut self, blow: Blow, cluster: &Cluster, rng: &mut ChaCha8Rng) -> Result<(), String> {
        let part = |rng: &mut ChaCha8Rng, of: Duration| of.mul_f64(rng.random_range(0.0..1.0));
        let wire = &self.slots[self.working].wire;
        match blow {
            Blow::Kill => self.runs[self.working].take().expect("it works").kill()?,
            Blow::KillBeforeAnswer => {
                wire.hold(1).await;
                self.runs[self.working].take().expect("it works").kill()?;
                self.slots[self.working].wire.set_silent(false);
            }
            Blow::Stop => {
                self.run().signal("-STOP");
                sleep(part(rng, 3 * LEASE)).await;
                self.run().signal("-CONT");
            }
            Blow::Terminate => {
                let status = self.runs[self.working].take().expect("it works").terminate().await;
                if !status.success() {
                    return Err(format!("expected exit 0 after SIGTERM, got {status}"));
                }
            }
            Blow::Cut => wire.cut(),
            Blow::Silence => {
                wire.hold(1).await;
                sleep(part(rng, LEASE)).await;
                wire.cut();
                wire.set_silent(false);
            }
            Blow::Isolate => {
                wire.hold(1).await;
                timeout(PATIENCE, self.slots[1 - self.working].works())
                    .await
                    .map_err(|_| "expected the spare to work")?;
                self.slots[self.working].wire.set_silent(false);
            }
            Blow::Restart => cluster.restart(),
        }
        self.recover(!matches!(blow, Blow::Kill | Blow::KillBeforeAnswer | Blow::Terminate | Blow::Isolate)).await
    }
}

/// Plays matches until the sender sends true.
fn play(hall: &Hall) -> (watch::Sender<bool>, JoinSet<Vec<Finished>>) {
    let (ends, ended) = watch::channel(false);
    let mut playing: JoinSet<Vec<Finished>> = JoinSet::new();
    for first in 0..LIVE {
        let (hall, ended) = (hall.clone(), ended.clone());
        playing.spawn(async move {
            let mut finished = Vec::new();
            for number in (first..).step_by(LIVE as usize) {
                finished.extend(Box::pin(hall.play(number, async {})).await);
                if *ended.borrow() {
                    break;
                }
            }
            finished
        });
    }
    (ends, playing)
}

/// Waits for this number of further acknowledged actions.
async fn act(actions: u64, findings: &Findings) {
    let mut acknowledged = findings.acknowledged.subscribe();
    let until = *acknowledged.borrow() + actions;
    let acted = timeout(PATIENCE, acknowledged.wait_for(|&now| now >= until)).await.map(drop);
    acted.unwrap_or_else(|_| panic!("expected {until} actions, got {}", *findings.acknowledged.borrow()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_failover_to_a_synchronous_replica_loses_nothing() {
    let Some(cluster) = Cluster::start() else {
        report("skipped: a failover of the database needs PostgreSQL");
        return;
    };
    let replica = cluster.replica(true);
    let mut pair = Pair::begin(&cluster).await;
    let hall = pair.hall();
    let (ends, playing) = play(&hall);
    act(1_000, &hall.findings).await;
    pair.fail_over(&cluster, &replica).await;
    act(1_000, &hall.findings).await;
    ends.send_replace(true);
    let finished: Vec<_> = playing.join_all().await.into_iter().flatten().collect();
    for finished in &finished {
        hall.check_again(finished).await;
    }
    hall.findings.assert_none("a synchronous replica", hall.seed);
    assert!(finished.len() >= LIVE as usize);
}

/// Commits that only the primary has are lost with it. Each match that has lost some is named in the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_failover_to_an_asynchronous_replica_names_what_was_lost() {
    let Some(cluster) = Cluster::start() else {
        report("skipped: a failover of the database needs PostgreSQL");
        return;
    };
    let replica = cluster.replica(false);
    let mut pair = Pair::begin(&cluster).await;
    let hall = pair.hall();
    let (_ends, mut playing) = play(&hall);
    act(1_000, &hall.findings).await;
    replica.sql("postgres", "ALTER SYSTEM SET primary_conninfo = ''");
    replica.sql("postgres", "SELECT pg_reload_conf()");
    while !replica.sql("postgres", "SELECT pid FROM pg_stat_wal_receiver").trim().is_empty() {
        sleep(Duration::from_millis(20)).await;
    }
    let cut = Instant::now();
    act(500, &hall.findings).await;
    let lost = hall.findings.acted_since(cut);
    pair.fail_over(&cluster, &replica).await;
    playing.abort_all();
    while playing.join_next().await.is_some() {}
    let log = pair.slots[pair.working].server.log();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("has lost entries that were acknowledged")).collect();
    assert!(lost.len() > 10, "expected many matches, got {}", lost.len());
    for match_id in &lost {
        let is_named = lines.iter().any(|line| line.contains(&**match_id));
        assert!(is_named, "match {match_id} has lost entries, and is not among {}", lines.join("\n"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn two_servers_on_a_database_lose_and_double_no_acknowledged_action() {
    let Some(cluster) = Cluster::start() else {
        report("skipped: two servers on a database need PostgreSQL");
        return;
    };
    let (blows, seed) = (setting("AHU_KILLS", 20), seed());
    let mut pair = Pair::begin(&cluster).await;
    let hall = pair.hall();
    let findings = Arc::clone(&hall.findings);
    let (ends, playing) = play(&hall);
    let mut rng = hall.rng(u32::MAX - 1);
    let mut pauses: Vec<(Blow, Instant)> = Vec::new();
    let mut acknowledged = findings.acknowledged.subscribe();
    for number in 0..blows {
        let until = *acknowledged.borrow() + rng.random_range(1..ACTIONS);
        let has_acted = timeout(PATIENCE, acknowledged.wait_for(|&now| now >= until)).await.is_ok();
        let blow = BLOWS[number as usize % BLOWS.len()];
        let at = Instant::now();
        let struck = match has_acted {
            true => pair.strike(blow, &cluster, &mut rng).await,
            false => Err(format!("expected {until} actions, got {}", *findings.acknowledged.borrow())),
        };
        if let Err(fault) = struck {
            findings.add(Fault::Other(format!("after {number} faults, {blow:?}: {fault}")));
            break;
        }
        pauses.push((blow, at));
    }
    ends.send_replace(true);
    let finished: Vec<_> = playing.join_all().await.into_iter().flatten().collect();
    // The records outlive both servers too.
    pair.strike(Blow::Terminate, &cluster, &mut rng).await.expect("the spare goes on");
    for finished in &finished {
        hall.check_again(finished).await;
    }

    let (lost, doubled, all) = findings.faults();
    report(&format!(
        "database: {} faults, {} matches verified, {} acknowledged actions; {lost} lost, {doubled} doubled, {all} faults",
        pauses.len(),
        finished.len(),
        *findings.acknowledged.borrow(),
    ));
    for kind in BLOWS.iter().collect::<std::collections::BTreeSet<_>>() {
        let mut times: Vec<_> =
            pauses.iter().filter(|(blow, _)| blow == kind).flat_map(|(_, at)| findings.resumed_after(*at)).collect();
        times.sort();
        let at = |percent: usize| times.get(times.len() * percent / 100).map_or(f64::NAN, Duration::as_secs_f64);
        report(&format!("  {kind:?}: a match goes on after {:.2} s (median), {:.2} s (p99)", at(50), at(99)));
    }
    findings.assert_none("database", seed);
    assert!(finished.len() >= LIVE as usize, "expected at least {LIVE} matches, got {}", finished.len());
    for slot in &pair.slots {
        assert!(!slot.server.log().contains("panicked"), "expected no panic, got\n{}", slot.server.log());
    }
}
