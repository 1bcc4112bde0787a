//! Damage to the files of a store: flipped bits, lost commits, torn tails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use ahu_host::{Record, verify};
use ahu_service::proto::v1::{
    Action, AssignedSeat, CreateMatchRequest, CreateMatchResponse, GetMatchRequest, GetRecordRequest, JoinMatchRequest,
    JoinMatchResponse, ListMatchesRequest, MatchSpec, MatchState, Observation, ObserveRequest, RecordFormat,
    StepRequest, join_match_request,
};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rusqlite::{Connection, params};
use tempfile::TempDir;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::agents::{Caller, Habits, Route, formats};
use crate::findings::{Findings, report};
use crate::matches::generator;
use crate::plans::{request_id, time};
use crate::program::{Server, data, endpoint};
use crate::{seed, setting};

const HABITS: Habits = Habits {
    wait: Duration::from_secs(5),
    deadline: Duration::from_secs(30),
    patience: Duration::from_secs(30),
    duplicates: 0.0,
    repeats: 0.0,
    forgets: 0.0,
};

/// A folder with a server that has ended, and with two matches that have not.
struct Fixture {
    folder: TempDir,
    seats: Vec<Seat>,
}

/// The seat of an agent in a match against a bot, and the calls that led to it.
#[derive(Clone, Debug)]
struct Seat {
    create: CreateMatchRequest,
    created: CreateMatchResponse,
    join: JoinMatchRequest,
    joined: JoinMatchResponse,
    /// The last acknowledged answer.
    last: Option<StepRequest>,
}

impl Seat {
    /// Creates a match and takes its open seat.
    async fn take(folder: &Path, rng: &mut ChaCha8Rng) -> Self {
        let mut caller = caller(folder, rng);
        let bot = ahu_service::proto::v1::BotSeat { seat: Some(1), bot: "greedy".to_owned() };
        let spec = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, bots: vec![bot], ..MatchSpec::default() };
        let create = CreateMatchRequest { spec: Some(spec), request_id: request_id(rng) };
        let created = caller.call(&create).await.expect("a match").answer;
        let target = created.r#match.as_ref().map(|created| created.match_id.clone());
        let join = JoinMatchRequest {
            target: target.map(join_match_request::Target::MatchId),
            request_id: request_id(rng),
            ..JoinMatchRequest::default()
        };
        let joined = caller.call(&join).await.expect("a seat").answer;
        Self { create, created, join, joined, last: None }
    }

    fn match_id(&self) -> &str {
        self.created.r#match.as_ref().map_or("", |created| &created.match_id)
    }

    fn seat(&self) -> &AssignedSeat {
        self.joined.assigned.as_ref().expect("a seat")
    }

    fn observe(&self) -> ObserveRequest {
        ObserveRequest {
            match_id: self.match_id().to_owned(),
            seat: self.seat().seat,
            formats: Some(formats()),
            wait: time(HABITS.wait),
            ..Default::default()
        }
    }

    /// Returns a client with the token of the seat.
    fn caller(&self, folder: &Path, rng: &mut ChaCha8Rng) -> Caller {
        let mut caller = caller(folder, rng);
        caller.set_token(&self.seat().seat_token);
        caller
    }

    /// Takes this number of actions, or fewer if the match ends.
    async fn play(&mut self, folder: &Path, actions: usize, rng: &mut ChaCha8Rng) -> Observation {
        let mut caller = self.caller(folder, rng);
        let observe = self.observe();
        let mut observation = caller.call(&observe).await.expect("an answer").answer.observation;
        let mut taken = 0;
        loop {
            let now = observation.expect("an observation");
            let Some(decision) = now.decision.as_ref().filter(|_| taken < actions) else {
                if now.state() == MatchState::Running && taken < actions {
                    observation = caller.call(&observe).await.expect("an answer").answer.observation;
                    continue;
                }
                return now;
            };
            let step = StepRequest {
                match_id: self.match_id().to_owned(),
                seat: self.seat().seat,
                decision_id: decision.decision_id,
                action: Some(Action::from(decision.legal_ids[0])),
                formats: Some(formats()),
                ..StepRequest::default()
            };
            observation = caller.call(&step).await.expect("an answer").answer.observation;
            self.last = Some(step);
            taken += 1;
        }
    }

    /// Checks that the seat still has its match, its token, and its last answer.
    async fn is_kept(&self, folder: &Path, rng: &mut ChaCha8Rng) {
        let mut caller = self.caller(folder, rng);
        let created = caller.call(&self.create).await.expect("the request is known").answer;
        assert_eq!(created.owner_token, self.created.owner_token);
        let joined = caller.call(&self.join).await.expect("the request is known").answer;
        assert_eq!(joined.assigned, self.joined.assigned);
        let last = self.last.clone().expect("the seat has acted");
        assert!(caller.call(&last).await.expect("the last answer is known").answer.replayed);
    }

    /// Does the same as [`Seat::is_kept`], and plays the match to its end.
    async fn goes_on(&mut self, folder: &Path, rng: &mut ChaCha8Rng) {
        self.is_kept(folder, rng).await;

        let end = self.play(folder, usize::MAX, rng).await;

        assert_eq!(end.state(), MatchState::Finished);
        let caller = self.caller(folder, rng);
        let record = record(&caller, self.match_id()).await.expect("the match is finished");
        assert_eq!(verify(&Record::read(&record).expect("a record")), Ok(()));
    }

    /// Checks that every call for the match is refused because the match is damaged.
    async fn is_set_aside(&self, folder: &Path, rng: &mut ChaCha8Rng, part: &str) {
        let caller = self.caller(folder, rng);
        let match_id = self.match_id().to_owned();
        let described = GetMatchRequest { match_id: match_id.clone(), wait: None };
        let record = GetRecordRequest { match_id: match_id.clone(), ..GetRecordRequest::default() };
        let last = self.last.clone().expect("the seat has acted");
        for (call, status) in [
            ("GetMatch", caller.once(&described).await.map(drop)),
            ("GetRecord", caller.once(&record).await.map(drop)),
            ("Observe", caller.once(&self.observe()).await.map(drop)),
            ("Step", caller.once(&last).await.map(drop)),
            // A repeated request must neither create another match nor take another seat.
            ("CreateMatch", caller.once(&self.create).await.map(drop)),
            ("JoinMatch", caller.once(&self.join).await.map(drop)),
        ] {
            let status = status.expect_err(&format!("{part}: {call} for a damaged match"));
            let (code, reason, named) = reason(&status);
            assert_eq!((code, reason.as_str()), (Code::DataLoss, "MATCH_DAMAGED"), "{part}: {call}: {status}");
            assert_eq!(named.as_deref(), Some(match_id.as_str()), "{part}: {call}: {status}");
        }
    }
}

/// Returns a client of the server in a folder.
fn caller(folder: &Path, rng: &mut ChaCha8Rng) -> Caller {
    Caller::new(Route::Own(endpoint(folder).into()), HABITS, rng, &Arc::<Findings>::default())
}

/// Returns the code and the reason of a refusal, and the match that it names.
fn reason(status: &Status) -> (Code, String, Option<String>) {
    let details = status.get_error_details();
    let info = details.error_info();
    let reason = info.map_or(String::new(), |info| info.reason.clone());
    (status.code(), reason, info.and_then(|info| info.metadata.get("match_id").cloned()))
}

async fn record(caller: &Caller, match_id: &str) -> Result<Vec<u8>, Status> {
    let format = RecordFormat::Binary.into();
    let request = GetRecordRequest { match_id: match_id.to_owned(), format };
    Ok(caller.once(&request).await?.record.to_vec())
}

impl Fixture {
    /// Plays the beginning of two matches. Then the server ends: killed, or by SIGTERM.
    async fn new(is_killed: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut rng = generator(seed(), 0);
        let mut run = Server::with_data(folder.path(), &[]).start();
        run.ready().await.expect("the server starts");
        let mut seats = Vec::new();
        for _ in 0..2 {
            let mut seat = Seat::take(folder.path(), &mut rng).await;
            seat.play(folder.path(), 12, &mut rng).await;
            seats.push(seat);
        }
        if is_killed {
            run.kill().expect("the server runs");
        } else {
            assert!(run.terminate().await.success());
            empty_log(folder.path());
        }
        Self { folder, seats }
    }

    /// Returns a new folder with a copy of the store.
    fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().expect("a folder");
        fs::create_dir(data(copy.path())).expect("the folder is empty");
        for entry in fs::read_dir(data(self.folder.path())).expect("the store is a folder") {
            let file = entry.expect("the folder can be read").path();
            // The index of the write-ahead log and the socket belong to the process that has ended.
            if file.extension().is_none_or(|extension| extension != "db-shm" && extension != "sock") {
                let to = data(copy.path()).join(file.file_name().expect("a file has a name"));
                fs::copy(&file, to).expect("the disk has room");
            }
        }
        copy
    }
}

/// Returns a file of the store in a folder.
fn file(folder: &Path, name: &str) -> PathBuf {
    data(folder).join(name)
}

/// Moves everything from the write-ahead log into the file of a store, so that the file has all matches.
fn empty_log(folder: &Path) {
    let connection = Connection::open(file(folder, "ahu.db")).expect("the store is a database");
    let moved = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    assert_eq!(moved, Ok(0), "no server uses the store");
}

/// Runs `ahu data verify` on the store in a folder.
fn check(folder: &Path) -> Output {
    data_command(folder, &["verify"])
}

/// Runs `ahu data` with these arguments on the store in a folder.
fn data_command(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ahu"));
    command.arg("data").args(arguments).arg("--data").arg(data(folder)).output().expect("the program starts")
}

/// Returns the output and the errors of a program.
fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

/// A part of a match in the store.
#[derive(Debug)]
struct Part {
    /// The name of the part in errors.
    name: &'static str,
    table: &'static str,
    column: &'static str,
    /// The condition of one row, which has the number of the match as ?1.
    row: &'static str,
}

const PARTS: [Part; 7] = [
    Part { name: "entr", table: "entry", column: "body", row: "match = ?1 AND n >= 4" },
    Part { name: "entr", table: "entry", column: "link", row: "match = ?1 AND n >= 4" },
    Part { name: "its head", table: "match", column: "head", row: "number = ?1" },
    Part { name: "seat 0", table: "seat", column: "taken", row: "match = ?1 AND seat = 0" },
    Part { name: "one of its requests", table: "request", column: "content", row: "match = ?1" },
    // The first entries, and the last ones.
    Part { name: "entr", table: "entry", column: "body", row: "match = ?1 AND n = 0" },
    Part {
        name: "entr",
        table: "entry",
        column: "body",
        row: "match = ?1 AND n = (SELECT max(n) FROM entry WHERE match = ?1)",
    },
];

impl Part {
    /// Flips one bit of this part of a match.
    fn flip(&self, store: &Path, match_id: &str, rng: &mut ChaCha8Rng) {
        let Self { table, column, row, .. } = self;
        let connection = Connection::open(store).expect("the store is a database");
        let number = "SELECT number FROM match WHERE id = ?";
        let number: i64 = connection.query_row(number, [match_id], |row| row.get(0)).expect("the store has the match");
        let select = format!("SELECT {column} FROM {table} WHERE {row} LIMIT 1");
        let before: Vec<u8> =
            connection.query_row(&select, [number], |row| row.get(0)).expect("the match has the part");
        let mut after = before.clone();
        flip(&mut after, rng);
        let update = format!("UPDATE {table} SET {column} = ?2 WHERE {row} AND {column} = ?3");
        assert_eq!(connection.execute(&update, params![number, after, before]), Ok(1), "{self:?}");
    }
}

/// Flips one bit.
fn flip(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    let place = rng.random_range(0..bytes.len());
    bytes[place] ^= 1 << rng.random_range(0..8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_with_a_flipped_bit_is_named_and_set_aside_and_the_others_go_on() {
    let fixture = Fixture::new(false).await;
    let mut rng = generator(seed(), 1);
    let [damaged, sound] = &fixture.seats[..] else { panic!("expected two matches") };
    let whole = check(fixture.folder.path());
    assert!(whole.status.success(), "a sound store: {}", text(&whole));

    for part in &PARTS {
        let folder = fixture.copy();
        part.flip(&file(folder.path(), "ahu.db"), damaged.match_id(), &mut rng);
        let server = Server::with_data(folder.path(), &[]);

        let checked = check(folder.path());
        assert_eq!(checked.status.code(), Some(3), "{part:?}: {}", text(&checked));
        let is_named = |text: &str| {
            let mut lines = text.lines().filter(|line| line.contains(damaged.match_id()));
            lines.any(|line| line.contains(part.name))
        };
        assert!(is_named(&text(&checked)), "{part:?}: {}", text(&checked));
        assert!(!text(&checked).contains(sound.match_id()), "{part:?}: {}", text(&checked));

        let mut run = server.start();
        run.ready().await.expect("a damaged match does not stop the server");
        damaged.is_set_aside(folder.path(), &mut rng, &format!("{part:?}")).await;
        let list = ListMatchesRequest { page_size: 1000, ..ListMatchesRequest::default() };
        let listed = caller(folder.path(), &mut rng).once(&list).await.expect("a list").matches;
        let listed: Vec<_> = listed.iter().map(|listed| listed.match_id.as_str()).collect();
        assert!(listed.contains(&sound.match_id()), "{part:?}: {listed:?}");
        sound.clone().goes_on(folder.path(), &mut rng).await;
        assert!(run.terminate().await.success());
        // The log is whole when the server has ended; until then, a thread writes it.
        assert!(is_named(&server.log()), "{part:?}: {}", server.log());
    }
}

/// The damage to a write-ahead log.
#[derive(Clone, Copy, Debug)]
enum LogDamage {
    /// The last bytes are gone, and with them the last commit.
    CutAtTheEnd,
    /// Half of the log is gone.
    CutInTheMiddle,
    /// A bit of the last commit has flipped.
    FlippedAtTheEnd,
    /// A bit in the middle has flipped.
    FlippedInTheMiddle,
    /// A bit in the head of the log has flipped.
    FlippedHead,
    /// The file is empty.
    Emptied,
    /// The file is gone.
    Deleted,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_refuses_a_store_that_has_lost_acknowledged_commits() {
    use LogDamage as Damage;

    let fixture = Fixture::new(true).await;
    let mut rng = generator(seed(), 2);
    for damage in [
        Damage::CutAtTheEnd,
        Damage::CutInTheMiddle,
        Damage::FlippedAtTheEnd,
        Damage::FlippedInTheMiddle,
        Damage::FlippedHead,
        Damage::Emptied,
        Damage::Deleted,
    ] {
        let folder = fixture.copy();
        let log = file(folder.path(), "ahu.db-wal");
        let mut bytes = fs::read(&log).expect("a killed server leaves its log");
        let length = bytes.len();
        let middle = length / 3..length / 2;
        match damage {
            Damage::CutAtTheEnd => bytes.truncate(length - rng.random_range(1..4_000)),
            Damage::CutInTheMiddle => bytes.truncate(rng.random_range(middle)),
            // The last page of the last commit.
            Damage::FlippedAtTheEnd => flip(&mut bytes[length - 4_000..], &mut rng),
            Damage::FlippedInTheMiddle => flip(&mut bytes[middle], &mut rng),
            // The salts, which each page repeats.
            Damage::FlippedHead => flip(&mut bytes[16..24], &mut rng),
            Damage::Emptied => bytes.clear(),
            Damage::Deleted => {}
        }
        match damage {
            Damage::Deleted => fs::remove_file(&log).expect("the log exists"),
            _ => fs::write(&log, &bytes).expect("the disk has room"),
        }

        let checked = check(folder.path());
        let server = Server::with_data(folder.path(), &[]);
        let refused = server.start().ready().await.expect_err("the store has lost commits");

        assert!(refused.contains(" has lost ") && refused.contains(": expected "), "{damage:?}: {refused}");
        assert!(!refused.contains("panicked"), "{damage:?}: {refused}");
        let found = text(&checked);
        assert_eq!(checked.status.code(), Some(3), "{damage:?}: {found}");
        assert!(found.contains("  lost: ") && found.contains("--accept-loss"), "{damage:?}: {found}");

        // The owner can go on with the rest.
        let accepted = data_command(folder.path(), &["verify", "--accept-loss"]);
        assert!(accepted.status.success(), "{damage:?}: {}", text(&accepted));
        let mut run = server.start();
        run.ready().await.unwrap_or_else(|error| panic!("{damage:?}: {error}"));
        assert!(run.terminate().await.success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_torn_tail_that_nobody_was_told_of_is_no_loss() {
    let fixture = Fixture::new(true).await;
    let mut rng = generator(seed(), 3);
    for torn in [0, 1, 24, 2_000, 4_119, 4_120, 9_000] {
        let folder = fixture.copy();
        let log = file(folder.path(), "ahu.db-wal");
        let mut bytes = fs::read(&log).expect("a killed server leaves its log");
        // A page with its frame: the beginning of a commit that was not finished.
        let last = bytes[bytes.len() - 4_120..].to_vec();
        bytes.extend(last.iter().cycle().take(torn));
        fs::write(&log, &bytes).expect("the disk has room");

        let mut run = Server::with_data(folder.path(), &[]).start();
        run.ready().await.unwrap_or_else(|error| panic!("{torn} bytes: {error}"));
        let [first, second] = &fixture.seats[..] else { panic!("expected two matches") };
        second.is_kept(folder.path(), &mut rng).await;
        first.clone().goes_on(folder.path(), &mut rng).await;
        assert!(run.terminate().await.success());
    }
}

/// The number of random bits that are flipped in the file of a store, one at a time.
const FLIPS: u64 = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_flipped_bit_in_a_store_leads_to_a_wrong_match() {
    let fixture = Fixture::new(false).await;
    let mut rng = generator(seed(), 4);
    // Two matches are finished, and two go on.
    let mut run = Server::with_data(fixture.folder.path(), &[]).start();
    run.ready().await.expect("the server starts");
    let mut finished = Vec::new();
    for _ in 0..2 {
        let mut seat = Seat::take(fixture.folder.path(), &mut rng).await;
        seat.play(fixture.folder.path(), usize::MAX, &mut rng).await;
        let caller = caller(fixture.folder.path(), &mut rng);
        let record = record(&caller, seat.match_id()).await.expect("the match is finished");
        finished.push((seat, record));
    }
    assert!(run.terminate().await.success());
    empty_log(fixture.folder.path());

    let (mut refused, mut harmed, mut unharmed) = (0, 0, 0);
    for number in 0..setting("AHU_FLIPS", FLIPS) {
        let folder = fixture.copy();
        let file = file(folder.path(), "ahu.db");
        let mut bytes = fs::read(&file).expect("the store has a file");
        flip(&mut bytes, &mut rng);
        fs::write(&file, &bytes).expect("the disk has room");
        let place = format!("flip {number}, AHU_SEED={}", seed());

        let checked = check(folder.path());
        assert!(!text(&checked).contains("panicked"), "{place}: {}", text(&checked));
        let server = Server::with_data(folder.path(), &[]);
        let mut run = server.start();
        if let Err(error) = run.ready().await {
            assert!(error.contains("error: ") && !error.contains("panicked"), "{place}: {error}");
            // It may be unable to read the file at all.
            let found = matches!(checked.status.code(), Some(1 | 3));
            assert!(found, "{place}: the check finds what stops a server: {error}");
            refused += 1;
            continue;
        }
        let mut refusals = Vec::new();
        for (seat, expected) in &finished {
            match record(&caller(folder.path(), &mut rng), seat.match_id()).await {
                Ok(found) => assert!(found == *expected, "{place}: another record of match {}", seat.match_id()),
                Err(refusal) => refusals.push(refusal),
            }
        }
        for seat in &fixture.seats {
            let last = seat.last.clone().expect("the seat has acted");
            match seat.caller(folder.path(), &mut rng).once(&last).await {
                Ok(answer) => assert!(answer.replayed, "{place}: match {} has lost an action", seat.match_id()),
                Err(refusal) => refusals.push(refusal),
            }
        }
        for refusal in &refusals {
            let (code, reason, _) = reason(refusal);
            // The id of a match may be the part that is damaged, or the token of a seat.
            let is_plain = [(Code::DataLoss, "MATCH_DAMAGED"), (Code::NotFound, "UNKNOWN_MATCH")];
            assert!(is_plain.contains(&(code, reason.as_str())), "{place}: {refusal}\n{}", server.log());
            let errors = text(&checked);
            assert_eq!(checked.status.code(), Some(3), "{place}: {refusal}, and the check finds: {errors}");
        }
        match refusals.is_empty() {
            true => unharmed += 1,
            false => harmed += 1,
        }
        assert!(run.terminate().await.success(), "{place}: {}", server.log());
        assert!(!server.log().contains("panicked"), "{place}: {}", server.log());
    }
    report(&format!(
        "stored: {refused} flipped bits stopped the server, {harmed} harmed matches, which are named, {unharmed} harmed none"
    ));
}
