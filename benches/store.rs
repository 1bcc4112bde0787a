//! The cost of a store on disk: `cargo bench --bench store [durable | database | recovery | size]`.
//!
//! * `durable`: actions that are acknowledged, and so on disk, by the number of decisions under way: actions a second and
//!   the time until a `Step` is answered, within this process and over gRPC, beside commits of one action each. Once with
//!   the disk as it is, and once with commits that take at least 4 ms, as on a disk that waits for its medium.
//! * `database`: the same over gRPC with a store in PostgreSQL, beside SQLite, both with commits of at least 4 ms; and what the
//!   database does for an action. Needs PostgreSQL on this machine.
//! * `recovery`: the time until a server has ten thousand matches in memory that were in progress.
//! * `size`: the bytes of a match from its creation to its end, on disk and in memory: as the server counts them, and as the
//!   resident memory of the process grows.
//!
//! The store is in a folder of the present one, since a temporary folder may be in memory. `AHU_BENCH_DIR` names another.

#![expect(clippy::print_stdout, reason = "a bench prints")]

#[path = "../tests/shared/postgres.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod postgres;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use ahu_core::Seed;
use ahu_host::{GAMES, MatchTime, Referee, SeatPlayer, Terms, find};
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::match_service_server::MatchService;
use ahu_service::proto::v1::{
    Action, BotSeat, CreateMatchRequest, JoinMatchRequest, MatchSpec, MatchState, Observation, ObservationFormats,
    ObserveRequest, StepRequest, join_match_request,
};
use ahu_service::store::{
    Change, Database, Facts, MatchHead, OpenReader, PostgresStore, Refused, SqliteOptions, SqliteStore, Store,
    StoreError,
};
use ahu_service::{Limits, MatchConfig, Matches};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::Request;
use tonic::transport::Channel;

type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The numbers of decisions under way.
const UNDER_WAY: [usize; 5] = [1, 16, 64, 128, 256];
/// The time of each measurement.
const TIME: Duration = Duration::from_secs(4);
/// The time of a commit on a slow disk.
const SLOW: Duration = Duration::from_millis(4);
/// The connections of the clients over gRPC.
const CONNECTIONS: usize = 4;
/// The matches in progress of `recovery`.
const OPEN: usize = 10_000;
/// The decisions of each of them.
const DECISIONS: usize = 40;
/// The matches of each game of `size`.
const FINISHED: u64 = 500;

/// Returns a folder for a store, on a disk.
fn folder() -> Done<TempDir> {
    let parent = std::env::var_os("AHU_BENCH_DIR").unwrap_or_else(|| ".".into());
    Ok(tempfile::Builder::new().prefix("ahu-bench-").tempdir_in(parent)?)
}

fn open(folder: &Path) -> Done<SqliteStore> {
    Ok(SqliteStore::open(folder, &SqliteOptions { create: true, ..SqliteOptions::default() })?)
}

/// A store whose commits take at least this time.
#[derive(Debug)]
struct SlowDisk(Box<dyn Store>, Duration);

impl Store for SlowDisk {
    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn create(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        self.0.create(head)
    }

    fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
        self.0.append(change, at)
    }

    fn commit(&mut self, now: MatchTime) -> Result<Vec<Refused>, StoreError> {
        let start = Instant::now();
        let refused = self.0.commit(now)?;
        std::thread::sleep(self.1.saturating_sub(start.elapsed()));
        Ok(refused)
    }

    fn release(&mut self, match_id: &str) {
        self.0.release(match_id);
    }

    fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
        self.0.delete(match_id)
    }

    fn readers(&self) -> OpenReader {
        self.0.readers()
    }
}

/// The way to the server.
#[derive(Clone)]
enum Caller {
    /// The handlers in this process.
    Direct(Matches),
    /// A connection.
    Network(MatchServiceClient<Channel>),
}

/// Calls a method of either.
macro_rules! call {
    ($caller:expr, $method:ident, $request:expr) => {
        match $caller {
            Caller::Direct(matches) => MatchService::$method(matches, $request).await,
            Caller::Network(client) => client.$method($request).await,
        }
    };
}

/// An agent that plays one match after the other against the bot `random`.
struct Agent {
    caller: Caller,
    seed: u64,
    seat: Option<Seat>,
}

struct Seat {
    match_id: String,
    token: String,
    observation: Observation,
    choice: usize,
}

impl Agent {
    /// Answers the next decision, and returns the time until it is acknowledged.
    async fn step(&mut self) -> Done<Duration> {
        loop {
            if self.seat.is_none() {
                self.seat = Some(self.join().await?);
            }
            let seat = self.seat.as_mut().ok_or("expected a seat")?;
            if let Some(decision) = &seat.observation.decision {
                seat.choice = seat.choice.wrapping_mul(31).wrapping_add(7);
                let mut request = Request::new(StepRequest {
                    match_id: seat.match_id.clone(),
                    seat: Some(0),
                    decision_id: decision.decision_id,
                    action: Some(Action::from(decision.legal_ids[seat.choice % decision.legal_ids.len()])),
                    formats: Some(formats()),
                    ..StepRequest::default()
                });
                request.metadata_mut().insert("authorization", seat.token.parse()?);
                let start = Instant::now();
                let response = call!(&mut self.caller, step, request)?.into_inner();
                let time = start.elapsed();
                seat.observation = response.observation.ok_or("expected an observation")?;
                return Ok(time);
            }
            self.seat = None;
            self.seed += 1;
        }
    }

    async fn join(&mut self) -> Done<Seat> {
        let bots = vec![BotSeat { seat: Some(1), bot: "random".to_owned() }];
        let (game, seed) = ("rappanui".to_owned(), self.seed.to_string());
        let spec = MatchSpec { game, seat_count: 2, bots, seed, ..Default::default() };
        let request = Request::new(CreateMatchRequest { spec: Some(spec), ..Default::default() });
        let created = call!(&mut self.caller, create_match, request)?.into_inner();
        let match_id = created.r#match.ok_or("expected a match")?.match_id;
        let target = Some(join_match_request::Target::MatchId(match_id.clone()));
        let request = Request::new(JoinMatchRequest { target, ..Default::default() });
        let joined = call!(&mut self.caller, join_match, request)?.into_inner().assigned.ok_or("expected a seat")?;
        let token = format!("Bearer {}", joined.seat_token);
        let wait = Some(Duration::from_secs(30).try_into()?);
        let request = ObserveRequest {
            match_id: match_id.clone(),
            seat: Some(0),
            formats: Some(formats()),
            wait,
            ..Default::default()
        };
        let mut request = Request::new(request);
        request.metadata_mut().insert("authorization", token.parse()?);
        let observed = call!(&mut self.caller, observe, request)?.into_inner();
        let observation = observed.observation.ok_or("expected an observation")?;
        Ok(Seat { match_id, token, observation, choice: self.seed as usize })
    }
}

fn formats() -> ObservationFormats {
    ObservationFormats { legal_ids: true, ..Default::default() }
}

/// Plays with this many agents at once. Returns the actions a second, and the median and 99th percentile of the time
/// until an action is acknowledged, in milliseconds.
async fn measure(callers: &[Caller], agents: usize) -> Done<(f64, f64, f64)> {
    let start = Instant::now();
    let mut running = JoinSet::new();
    for n in 0..agents {
        let mut agent = Agent { caller: callers[n % callers.len()].clone(), seed: (n as u64) << 32, seat: None };
        running.spawn(async move {
            let mut times = Vec::new();
            // The first seconds fill the caches.
            while start.elapsed() < TIME / 4 {
                agent.step().await?;
            }
            while start.elapsed() < TIME * 5 / 4 {
                times.push(agent.step().await?);
            }
            Done::Ok(times)
        });
    }
    let mut times = Vec::new();
    while let Some(done) = running.join_next().await {
        times.extend(done??);
    }
    times.sort_unstable();
    let ms = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
    Ok((times.len() as f64 / TIME.as_secs_f64(), ms(50), ms(99)))
}

/// Commits one action at a time, as a store without a journal would. Returns the commits a second.
fn one_by_one(commit: Duration) -> Done<f64> {
    let folder = folder()?;
    let mut store = SlowDisk(Box::new(open(folder.path())?), commit);
    let head = head(1, 0, "rappanui", 2)?;
    store.create(&head)?;
    let entries = played(&head, 1_000).entries().to_vec();
    let start = Instant::now();
    let mut commits = 0;
    while start.elapsed() < TIME {
        let entry = entries[commits % entries.len()].clone();
        store.append(&change(&head, commits, vec![entry], MatchState::Running), MatchTime(0))?;
        store.commit(MatchTime(0))?;
        commits += 1;
    }
    Ok(commits as f64 / start.elapsed().as_secs_f64())
}

async fn durable() -> Done {
    println!(
        "actions that are on disk when their Step is answered, by the number of decisions under way; {TIME:?} each"
    );
    for (disk, commit) in [("the disk as it is", Duration::ZERO), ("commits of at least 4 ms", SLOW)] {
        println!();
        durable_on(disk, commit).await?;
    }
    Ok(())
}

/// Serves matches, and returns the connections of clients.
async fn served(matches: Matches) -> Done<Vec<Caller>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    tokio::spawn(ahu_service::run(listener, matches, std::future::pending()));
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS {
        let channel = Channel::from_shared(address.clone())?.tcp_nodelay(true).connect().await?;
        callers.push(Caller::Network(MatchServiceClient::new(channel)));
    }
    Ok(callers)
}

/// Plays on a store in a database and on one in a folder, in turns.
async fn database() -> Done {
    let Some(cluster) = postgres::Cluster::start() else {
        println!("expected PostgreSQL on this machine, got none");
        return Ok(());
    };
    println!("actions over gRPC, commits of at least 4 ms; actions/s, and ms until an action is acknowledged");
    println!("under way      SQLite  p50   p99    PostgreSQL  p50   p99   commits  rows  bytes of the log, an action");
    for agents in UNDER_WAY {
        let folder = folder()?;
        let store = SlowDisk(Box::new(open(folder.path())?), SLOW);
        let (rate, p50, p99) =
            measure(&served(Matches::new(Limits::default(), Some(Box::new(store)))).await?, agents).await?;
        let name = format!("bench{agents}");
        let url = Database::read(&cluster.database(&name))?;
        let store = tokio::task::spawn_blocking(move || PostgresStore::open(&url, false)).await??;
        let figures = || -> Done<[f64; 3]> {
            let select = "SELECT pg_stat_force_next_flush(); SELECT xact_commit, tup_inserted + tup_updated, \
                          pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') FROM pg_stat_database WHERE datname = current_database()";
            let row = cluster.sql(&name, select);
            let row: Vec<_> = row.trim().split('|').map(|cell| cell.trim().parse()).collect::<Result<_, _>>()?;
            row.try_into().map_err(|row| format!("expected three figures, got {row:?}").into())
        };
        let before = figures()?;
        let matches = Matches::new(Limits::default(), Some(Box::new(SlowDisk(Box::new(store), SLOW))));
        let (other, other_p50, other_p99) = measure(&served(matches).await?, agents).await?;
        // The measurement has a quarter more actions before it.
        let actions = other * TIME.as_secs_f64() * 1.25;
        let after = figures()?;
        let [commits, rows, bytes] = [0, 1, 2].map(|figure: usize| (after[figure] - before[figure]) / actions);
        println!(
            "{agents:>9} {rate:>11.0} {p50:>5.2} {p99:>5.2} {other:>13.0} {other_p50:>5.2} {other_p99:>5.2} {commits:>9.3} \
             {rows:>5.2} {bytes:>6.0}"
        );
    }
    Ok(())
}

async fn durable_on(disk: &str, commit: Duration) -> Done {
    println!("{disk:<25} within the process                  over gRPC");
    println!("commits one by one: {:.0} actions/s", one_by_one(commit)?);
    println!("under way    actions/s   p50 ms   p99 ms         actions/s   p50 ms   p99 ms");
    for agents in UNDER_WAY {
        let folder = folder()?;
        let store = SlowDisk(Box::new(open(folder.path())?), commit);
        let matches = Matches::new(Limits::default(), Some(Box::new(store)));
        let (rate, p50, p99) = measure(&[Caller::Direct(matches.clone())], agents).await?;
        let network = measure(&served(matches).await?, agents).await?;
        println!(
            "{agents:>9} {rate:>12.0} {p50:>8.2} {p99:>8.2} {:>17.0} {:>8.2} {:>8.2}",
            network.0, network.1, network.2
        );
    }
    println!("commits one by one: {:.0} actions/s", one_by_one(commit)?);
    Ok(())
}

/// Returns the head of a match of agents alone.
fn head(number: u64, seed: u64, game: &str, seats: usize) -> Done<MatchHead> {
    let setup = find(game)?.configure(seats, &[])?;
    Ok(MatchHead {
        number,
        id: format!("{number:016x}").into(),
        created: std::time::SystemTime::UNIX_EPOCH,
        bots: vec![None; seats],
        setup,
        terms: Terms::default(),
        reservations: Vec::new(),
        is_pinned: false,
        cup: None,
        is_sealed: false,
        spectator_delay: 0,
        has_distinct_owners: false,
        is_unlisted: false,
        labels: std::collections::BTreeMap::default(),
        seed: Seed(seed),
        seed_given: true,
        salt: [0; 32],
        specification: String::new(),
    })
}

/// Returns the match of a head after this many decisions of random bots.
fn played(head: &MatchHead, decisions: usize) -> Referee {
    let players = head.bots.iter().map(|_| SeatPlayer::external("agent")).collect();
    let mut referee = Referee::new(head.setup.clone(), head.seed, players, head.terms.clone());
    for n in 0..decisions {
        let Some(seat) = referee.to_act().first() else { break };
        let decision = referee.decision(seat).expect("the seat has to decide");
        let legal: Vec<_> = referee.legal_actions(seat).iter().collect();
        referee.act(seat, decision, legal[(n * 31 + 7) % legal.len()]).expect("the action is legal");
    }
    referee
}

fn change(head: &MatchHead, expected: usize, entries: Vec<ahu_host::Entry>, state: MatchState) -> Change {
    let (match_id, seats, comments) = (head.id.clone(), Vec::new(), Vec::new());
    Change { match_id, seats, request: None, expected, entries, comments, state, unseals: false, end: None }
}

/// Writes matches in progress of all games, and times their recovery.
fn recovery() -> Done {
    let folder = folder()?;
    let mut store = open(folder.path())?;
    let mut entries = 0;
    for number in 0..OPEN {
        let rules = GAMES[number % GAMES.len()];
        let seats = *rules.seats().start() + number % 2;
        let head = head(number as u64 + 1, number as u64, rules.info().id, seats)?;
        let referee = played(&head, DECISIONS);
        store.create(&head)?;
        let taken = head.setup.seats().iter().map(|seat| ahu_service::store::TakenSeat {
            seat,
            name: "agent".to_owned(),
            token: [1; 32],
            request: None,
            player: None,
            at: std::time::SystemTime::UNIX_EPOCH,
        });
        // Each decision is a row of its own, as a server writes it.
        let mut written = 0;
        let mut first = Change { seats: taken.collect(), ..change(&head, 0, Vec::new(), MatchState::Running) };
        for row in referee.entries().chunk_by(|_, next| !matches!(next, ahu_host::Entry::Action { .. })) {
            let change = Change { expected: written, entries: row.to_vec(), ..first.clone() };
            store.append(&change, MatchTime(0))?;
            first.seats.clear();
            written += row.len();
        }
        entries += written;
        if number % 256 == 255 {
            store.commit(MatchTime(0))?;
        }
    }
    store.commit(MatchTime(0))?;
    drop(store);
    for _ in 0..3 {
        let store = loop {
            match open(folder.path()) {
                Ok(store) => break store,
                // The last server's thread still has the folder.
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let start = Instant::now();
        let matches = Matches::new(Limits::default(), Some(Box::new(store)));
        let (done, is_done) = std::sync::mpsc::channel();
        let open = matches.recover(move |recovered| done.send(recovered).expect("the bench waits"))?;
        let listens = start.elapsed();
        let recovered = is_done.recv()?;
        println!(
            "recovery of {} matches in progress with {entries} entries ({} damaged): {:.2} s; the server listens after {:.2} s",
            recovered.open,
            recovered.damaged,
            start.elapsed().as_secs_f64(),
            listens.as_secs_f64(),
        );
        assert_eq!((open, recovered.damaged), (OPEN, 0), "all matches are recovered");
    }
    Ok(())
}

/// Plays matches of bots alone, and prints the bytes of each on disk.
async fn size() -> Done {
    println!("a finished match of greedy bots, {FINISHED} of each game, at the most seats; bytes");
    println!("                          on disk    in memory   resident    entries");
    for rules in GAMES {
        let before = resident()?;
        let folder = folder()?;
        let matches = Matches::new(Limits::default(), Some(Box::new(open(folder.path())?)));
        let seats = *rules.seats().end();
        let greedy = rules.bot("greedy").map_err(|error| error.to_string())?;
        let mut hosted = Vec::new();
        for seed in 0..FINISHED {
            let setup = rules.configure(seats, &[])?;
            let config =
                MatchConfig { bots: vec![Some(greedy); seats], seed: Some(Seed(seed)), ..MatchConfig::new(setup) };
            hosted.push(matches.host(config).map_err(|error| error.message())?);
        }
        let mut entries = 0;
        for live in hosted {
            while !live.has_ended() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            entries += live.with_referee(|referee| referee.entries().len()).unwrap_or(0);
        }
        assert!(matches.flush(), "the store works");
        let size = SqliteStore::reader(folder.path())?.size()?;
        println!(
            "{:<15} {seats} seats {:>10} {:>12} {:>10} {:>10}",
            rules.info().id,
            size / FINISHED,
            matches.ended_bytes() / FINISHED as usize,
            resident()?.saturating_sub(before) / FINISHED as usize,
            entries / FINISHED as usize
        );
    }
    Ok(())
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> Done<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("expected a line VmRSS")?;
    let kilobytes = line.split_whitespace().next().ok_or("expected a number")?;
    Ok(kilobytes.parse::<usize>()? * 1024)
}

#[tokio::main]
async fn main() -> Done {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    if is_asked("durable") {
        durable().await?;
    }
    if is_asked("database") {
        database().await?;
    }
    if is_asked("recovery") {
        tokio::task::block_in_place(recovery)?;
    }
    if is_asked("size") {
        size().await?;
    }
    Ok(())
}
