//! `ahu data`, beside servers that are stopped and killed.

mod wrong_starts;

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use ahu_core::hex;
use ahu_host::{Record, Transcript};
use ahu_service::proto::v1;
use ahu_service::proto::v1::MatchState;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::store::maintenance;
use rusqlite::Connection;
use rusqlite::types::Value as Sql;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::runtime::{self, Runtime};
use tonic::Code;
use tonic::transport::Channel;

use crate::{ahu, json, printed, refused, run};

/// A server with a store, and a client of it.
struct Server {
    process: Process,
    matches: MatchServiceClient<Channel>,
    runtime: Runtime,
}

/// A process that is killed when this value is dropped.
struct Process(Child);

/// A seat that the test plays.
#[derive(Clone, Debug)]
struct Agent {
    match_id: String,
    token: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = ahu(&["serve", "--listen", "127.0.0.1:0", "--data", &text(folder)])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();
        let [first, _, kept] = [(); 3].map(|()| lines.next().expect("the server starts").expect("text"));
        let address = first.strip_prefix("ahu listens on ").expect("where it listens").to_owned();
        assert_eq!(kept, format!("matches are kept in {}", folder.display()));
        let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let matches = runtime.block_on(MatchServiceClient::connect(format!("http://{address}")));
        Self { process: Process(child), matches: matches.expect("the server listens"), runtime }
    }

    /// Creates a match of rappanui with greedy in the seats from `first_bot` on, and returns its id and owner token.
    fn create(&mut self, first_bot: u32) -> (String, String) {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let bot = |seat| v1::BotSeat { seat: Some(seat), bot: "greedy".to_owned() };
        let spec = v1::MatchSpec {
            game: "rappanui".to_owned(),
            seat_count: 2,
            bots: (first_bot..2).map(bot).collect(),
            seed: "7".to_owned(),
            ..Default::default()
        };
        let request_id = format!("create-match-number-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let request = v1::CreateMatchRequest { spec: Some(spec), request_id };
        let created = self.runtime.block_on(self.matches.create_match(request)).expect("an answer").into_inner();
        (created.r#match.expect("a match").match_id, created.owner_token)
    }

    fn join(&mut self, match_id: &str) -> Agent {
        let request = v1::JoinMatchRequest {
            target: Some(v1::join_match_request::Target::MatchId(match_id.to_owned())),
            name: "ann".to_owned(),
            request_id: format!("join-match-{match_id}"),
            ..Default::default()
        };
        let joined = self.runtime.block_on(self.matches.join_match(request)).expect("an answer").into_inner();
        Agent {
            match_id: match_id.to_owned(),
            token: format!("Bearer {}", joined.assigned.expect("a seat").seat_token),
        }
    }

    fn with_token<T>(message: T, token: &str) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.metadata_mut().insert("authorization", token.parse().expect("a token is ASCII"));
        request
    }

    fn observe(&mut self, agent: &Agent) -> v1::Observation {
        let request = v1::ObserveRequest {
            match_id: agent.match_id.clone(),
            seat: Some(0),
            formats: Some(v1::ObservationFormats { legal_ids: true, text: true, ..Default::default() }),
            wait: Some(prost_types::Duration { seconds: 30, nanos: 0 }),
            ..Default::default()
        };
        let request = Self::with_token(request, &agent.token);
        let observed = self.runtime.block_on(self.matches.observe(request)).expect("an answer").into_inner();
        observed.observation.expect("an observation")
    }

    /// Plays the lowest legal action; false if the match has ended.
    fn step(&mut self, agent: &Agent) -> bool {
        let Some(decision) = self.observe(agent).decision else { return false };
        let request = v1::StepRequest {
            match_id: agent.match_id.clone(),
            seat: Some(0),
            decision_id: decision.decision_id,
            action: Some(v1::Action::from(decision.legal_ids[0])),
            comment: "The lowest legal action.".to_owned(),
            ..Default::default()
        };
        let request = Self::with_token(request, &agent.token);
        self.runtime.block_on(self.matches.step(request)).expect("the action is legal");
        true
    }

    fn cancel(&mut self, match_id: &str, owner_token: &str) {
        let request = v1::CancelMatchRequest { match_id: match_id.to_owned(), reason: "the hall closes".to_owned() };
        let request = Self::with_token(request, &format!("Bearer {owner_token}"));
        self.runtime.block_on(self.matches.cancel_match(request)).expect("the owner may cancel");
    }

    fn get(&mut self, match_id: &str) -> v1::Match {
        let request = v1::GetMatchRequest { match_id: match_id.to_owned(), wait: None };
        let found = self.runtime.block_on(self.matches.get_match(request)).expect("an answer").into_inner();
        found.r#match.expect("a match")
    }

    /// Returns the record of a match with its comments.
    fn get_record(&mut self, match_id: &str) -> v1::GetRecordResponse {
        let request = v1::GetRecordRequest { match_id: match_id.to_owned(), format: v1::RecordFormat::Binary.into() };
        self.runtime.block_on(self.matches.get_record(request)).expect("the match has ended").into_inner()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.process.0.id().to_string()]).status();
        assert!(sent.expect("there is kill").success());
    }

    fn stop(self) {
        self.signal("TERM");
        let Self { mut process, matches, runtime } = self;
        // The server waits for connections to close.
        drop((matches, runtime));
        assert!(process.0.wait().expect("it ends").success());
    }

    fn kill(mut self) {
        self.signal("KILL");
        self.process.0.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended. A test that failed leaves no process behind.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The folder of a server that was stopped, with a match in each state.
struct Fixture {
    folder: TempDir,
    /// The ids of the matches, by state.
    finished: String,
    running: String,
    cancelled: String,
    agent: Agent,
}

/// Returns the fixture, which no test changes.
fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Server::start(folder.path());
        let (finished, _) = server.create(1);
        let agent = server.join(&finished);
        while server.step(&agent) {}
        let (running, _) = server.create(1);
        let agent = server.join(&running);
        for _ in 0..5 {
            server.step(&agent);
        }
        server.create(1);
        let (cancelled, owner) = server.create(1);
        server.join(&cancelled);
        server.cancel(&cancelled, &owner);
        server.stop();
        Fixture { folder, finished, running, cancelled, agent }
    })
}

/// Returns a copy of the fixture's folder.
fn copy() -> TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for file in fs::read_dir(fixture().folder.path()).expect("the fixture") {
        let file = file.expect("a file");
        fs::copy(file.path(), copy.path().join(file.file_name())).expect("it can be copied");
    }
    copy
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn db(folder: &TempDir) -> PathBuf {
    folder.path().join("ahu.db")
}

/// Changes the file of a store with SQL, and brings the change into the file itself.
fn sql(folder: &TempDir, sql: &str) {
    let connection = Connection::open(db(folder)).expect("a store");
    connection.execute_batch(sql).expect("the statements are valid");
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("nobody else has it open");
}

fn data(command: &str, arguments: &[&str]) -> Vec<String> {
    ["data", command].iter().chain(arguments).map(|&word| word.to_owned()).collect()
}

/// Runs `ahu data verify`, and returns its exit code and both outputs.
fn checked(folder: &Path, more: &[&str]) -> (i32, String, String) {
    let folder = text(folder);
    let output = run(&[&["data", "verify", "--data", &folder], more].concat());
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    assert!(!error.contains("panicked"), "{error}");
    (output.status.code().expect("it ends by itself"), out, error)
}

fn assert_intact(folder: &Path) {
    let (code, out, error) = checked(folder, &[]);
    assert!(code == 0 && out.contains("\n  no damage\n"), "{out}{error}");
}

/// Returns the names and contents of the files in a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().expect("text"), fs::read(entry.path()).expect("it can be read"))
    };
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"));
    // A server that was killed leaves its socket.
    let mut files: Vec<_> = entries.filter(|entry| entry.file_name() != "admin.sock").map(file).collect();
    files.sort();
    files
}

/// Returns the rows of all tables.
fn rows(file: &Path) -> Vec<Vec<Sql>> {
    let connection = Connection::open(file).expect("a store");
    let mut all = Vec::new();
    for table in ["meta", "match", "seat", "entry", "request"] {
        let mut query = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).expect("the table exists");
        let columns = query.column_count();
        let rows = query.query_map([], |row| (0..columns).map(|column| row.get(column)).collect()).expect("rows");
        all.extend(rows.map(|row| row.expect("the row can be read")));
    }
    all
}

#[test]
fn an_intact_store_is_called_so_and_not_changed() {
    let folder = copy();
    let mut server = Server::start(folder.path());
    // A match that never began is one of them.
    let (early, owner) = server.create(1);
    server.cancel(&early, &owner);
    server.step(&fixture().agent);
    // The last commits stay in the write-ahead log.
    server.kill();
    let content = || files(folder.path()).into_iter().filter(|(name, _)| name != "ahu.db-shm").collect::<Vec<_>>();
    let before = content();
    assert!(before.iter().any(|(name, bytes)| name == "ahu.db-wal" && !bytes.is_empty()));

    let (code, out, error) = checked(folder.path(), &[]);

    assert_eq!(code, 0, "{error}");
    assert!(out.starts_with(&format!("{}: schema 9, ", folder.path().display())), "{out}");
    assert!(out.contains("  matches: 5 (1 seating, 1 running, 1 finished, 2 cancelled, 0 void), "), "{out}");
    assert!(out.contains("matches, 2 in progress; which this release has\n"), "{out}");
    assert!(out.ends_with("  no damage\n"), "{out}");
    assert_eq!(content(), before, "a check changes nothing");

    let value = json(&["data", "verify", "--data", &text(folder.path()), "--json"]);
    let states = ["seating", "running", "finished", "cancelled", "void"].map(|state| value["matches"][state].clone());
    assert_eq!(states, [1, 1, 1, 2, 0]);
    assert_eq!((&value["usable"], &value["schema"], &value["lost_commits"]), (&true.into(), &9.into(), &0.into()));
    assert_eq!((&value["requests"], &value["replayed"]), (&8.into(), &5.into()));
    let lock = fs::read_to_string(folder.path().join("lock")).expect("the number of commits");
    let commits = format!("commits {:020}\n", value["commits"].as_u64().expect("a number"));
    assert!(lock.starts_with(&commits), "{lock}: {commits}");
    let record = Record::read(&record(folder.path(), &fixture().finished)).expect("a record");
    assert!(value["entries"].as_u64().expect("a number") > record.entries.len() as u64, "{value}");
    assert_eq!(value["rules"][0]["game"], "rappanui");
    assert_eq!((&value["rules"][0]["known"], &value["rules"][0]["in_progress"]), (&true.into(), &2.into()));
    assert_eq!(value["damaged"], Value::Array(Vec::new()));
}

/// Returns the record of a match that a server on this folder hands out.
fn record(folder: &Path, match_id: &str) -> Vec<u8> {
    let mut server = Server::start(folder);
    let record = server.get_record(match_id).record;
    server.stop();
    record.to_vec()
}

/// Returns the SQL of data with a seal, as the store writes it.
fn sealed(context: &str, data: &[u8]) -> String {
    let length = (context.len() as u64).to_le_bytes();
    let seal = Sha256::new().chain_update(length).chain_update(context).chain_update(data).finalize();
    format!("x'{}{}'", hex(data), hex(&seal[..8]))
}

/// Damages to the entries of a match, each with the text of the check. The table `it` has the number of the match, and the
/// places of its second and last row of entries.
const DAMAGED_ENTRIES: [(&str, &str); 8] = [
    (
        "UPDATE entry SET body = randomblob(length(body)) FROM it WHERE match = number AND n = second",
        ": its bytes have changed",
    ),
    (
        "UPDATE entry SET link = randomblob(32) FROM it WHERE match = number AND n = second",
        ": the chain of entries is broken",
    ),
    ("UPDATE entry SET at_ms = at_ms + 1 FROM it WHERE match = number AND n = last", ": its bytes have changed"),
    ("UPDATE entry SET count = 'x' FROM it WHERE match = number AND n = second", "its entries from "),
    ("DELETE FROM entry WHERE (match, n) IN (SELECT number, second FROM it)", "next, got entry "),
    ("DELETE FROM entry WHERE match = (SELECT number FROM it)", " entries, got 0"),
    (
        "UPDATE log SET link = randomblob(32) WHERE match = (SELECT number FROM it)",
        "the end of its log: expected another last link",
    ),
    ("UPDATE match SET state = 1 FROM it WHERE match.number = it.number", "its entries: "),
];

/// Damages to other parts of a match in progress.
const DAMAGED_PARTS: [(&str, &str); 12] = [
    (
        "UPDATE match SET head = randomblob(length(head)) FROM it WHERE match.number = it.number",
        "its head: its bytes have",
    ),
    ("UPDATE match SET created_ms = created_ms + 1 FROM it WHERE match.number = it.number", "its head: its bytes have"),
    ("UPDATE match SET private = 1 FROM it WHERE match.number = it.number", "its head: its bytes have changed"),
    (
        "UPDATE match SET game = 'giants' FROM it WHERE match.number = it.number",
        "its game and rules version: expected rappa",
    ),
    (
        "UPDATE match SET pinned = 1 FROM it WHERE match.number = it.number",
        "its pin: expected a match that is not pinned as in its head, got a pinned match",
    ),
    (
        "UPDATE match SET ended_ms = 1 FROM it WHERE match.number = it.number",
        "its time of the end: expected none, got 1 ms",
    ),
    (
        "UPDATE match SET state = 9 FROM it WHERE match.number = it.number",
        "its state: expected a state from 1 to 5, got 9",
    ),
    (
        "UPDATE seat SET taken = randomblob(length(taken)) FROM it WHERE match = number",
        "seat 0: its bytes have changed",
    ),
    (
        "UPDATE comment SET comment = randomblob(length(comment)) FROM it WHERE match = number AND n = 2",
        "comment 2: its bytes have changed",
    ),
    ("UPDATE comment SET n = 99 FROM it WHERE match = number AND n = 2", "comment 99: its bytes have changed"),
    (
        "UPDATE comment SET comment = other.comment FROM comment AS other, it WHERE comment.match = number AND \
         comment.n = 1 AND other.match != number AND other.n = 1",
        "comment 1: its bytes have changed",
    ),
    ("UPDATE request SET match = number FROM it WHERE match != number", "one of its requests: its bytes have changed"),
];

/// Damages to the last entry and the end of a finished match.
const DAMAGED_ENDS: [(&str, &str); 4] = [
    ("DELETE FROM entry WHERE (match, n) IN (SELECT number, last FROM it)", "the end of its log: expected "),
    (
        "UPDATE match SET state = 4 FROM it WHERE match.number = it.number",
        "expected the state MATCH_STATE_FINISHED after its entries, got MATCH_STATE_CANCELLED",
    ),
    ("UPDATE match SET ended_ms = NULL FROM it WHERE match.number = it.number", "its time of the end: expected a time"),
    (
        "UPDATE match SET description = randomblob(length(description)) FROM it WHERE match.number = it.number",
        "its description: its bytes have changed",
    ),
];

#[test]
fn each_damaged_part_is_named_with_its_match() {
    let Fixture { finished, running, .. } = fixture();
    // An end of another match, with a correct seal.
    let lie = v1::Match { match_id: finished.clone(), state: MatchState::Finished.into(), ..Default::default() };
    let lie = sealed(&format!("description {finished}"), &prost::Message::encode_to_vec(&lie));
    let lie = format!("UPDATE match SET description = {lie} FROM it WHERE match.number = it.number");
    let lies = [(&*lie, "its description: expected a record with the digest ")];
    let damages = [&DAMAGED_ENTRIES[..], &DAMAGED_PARTS].concat().into_iter().map(|damage| (running, damage));
    let ends = [&DAMAGED_ENDS[..], &lies].concat().into_iter().map(|damage| (finished, damage));
    for (id, (damage, expected)) in damages.chain(ends) {
        let folder = copy();
        let it = format!(
            "CREATE TEMP TABLE it AS SELECT match.number, (SELECT n FROM entry WHERE match = number ORDER BY n LIMIT 1, 1) \
             AS second, (SELECT max(n) FROM entry WHERE match = number) AS last FROM match WHERE id = '{id}'"
        );
        sql(&folder, &format!("{it}; {damage}"));
        let (code, out, error) = checked(folder.path(), &[]);
        let named = |line: &str| line.starts_with(&format!("  damaged: match {id}, ")) && line.contains(expected);
        assert!(code == 3 && out.lines().any(named), "{damage}: {out}{error}");
        assert!(!out.contains("no damage"), "{out}");
        assert!(
            error.starts_with(&format!("error: {}: ", text(folder.path()))) && error.contains("damaged"),
            "{error}"
        );
        let value: Value = serde_json::from_str(&checked(folder.path(), &["--json"]).1).expect("JSON alone");
        assert_eq!(value["usable"], false);
        let parts = value["damaged"].as_array().expect("a list");
        assert!(parts.iter().any(|part| part["match_id"] == **id), "{damage}: {value}");
    }
}

#[test]
fn damage_that_belongs_to_no_match_is_named() {
    let finished = &fixture().finished;
    let gone = format!("DELETE FROM match WHERE id = '{finished}'");
    for (damage, expected) in [
        (&*gone, " rows of entries of match number 1: expected a match with this number, got none\n"),
        (&*gone, "  damaged: 1 seats of match number 1: "),
        (&*gone, "  damaged: 2 requests of match number 1: "),
        (&*gone, " comments of match number 1: "),
        ("DELETE FROM meta WHERE key = 'token_key'", "  damaged: token_key: "),
        ("UPDATE meta SET value = x'00' WHERE key = 'token_key'", "  damaged: token_key: "),
        ("UPDATE meta SET value = 'soon' WHERE key = 'time_ms'", "  damaged: time_ms: "),
        (
            // While the index has another condition, the match does not come back into the index.
            "UPDATE match SET state = 3 WHERE number = 2; PRAGMA writable_schema = ON; \
             UPDATE sqlite_schema SET sql = replace(sql, 'state < 3', 'state < 0') WHERE name = 'match_open'; \
             PRAGMA writable_schema = RESET; UPDATE match SET state = 2 WHERE number = 2; PRAGMA writable_schema = ON; \
             UPDATE sqlite_schema SET sql = replace(sql, 'state < 0', 'state < 3') WHERE name = 'match_open'; \
             PRAGMA writable_schema = RESET",
            "  damaged: the file: row 2 missing from index match_open\n",
        ),
    ] {
        let folder = copy();
        sql(&folder, damage);
        let (code, out, error) = checked(folder.path(), &[]);
        assert!(code == 3 && out.contains(expected), "{damage}: {out}{error}");
        // A compaction builds the indexes anew.
        if expected.contains(" missing from index ") {
            printed(&["data", "compact", "--data", &text(folder.path())]);
            assert_intact(folder.path());
        }
    }
}

#[test]
fn a_flipped_bit_is_found_wherever_it_changes_what_the_store_says() {
    let folder = copy();
    let file = db(&folder);
    sql(&folder, "");
    let (intact, expected) = (fs::read(&file).expect("the store"), rows(&file));
    let (mut found, mut unused) = (0, 0);
    // The step is odd, so that all places in a page occur.
    for at in (0..intact.len()).step_by(401) {
        let mut bytes = intact.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&file, &bytes).expect("it can be written");
        let check = maintenance::verify(folder.path(), false, &|_| ());
        match check {
            Ok(check) if check.faults.is_empty() && check.lost == 0 => {
                assert_eq!(rows(&file), expected, "the bit at byte {at} changes the store, and nobody noticed");
                unused += 1;
            }
            Ok(_) | Err(_) => found += 1,
        }
        for side in ["ahu.db-wal", "ahu.db-shm"] {
            // Most often there is no such file.
            let _ = fs::remove_file(folder.path().join(side));
        }
    }
    assert!(found > 30, "{found} were found, {unused} change nothing");
}

#[test]
fn a_store_that_lost_commits_is_refused_until_the_loss_is_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(folder.path());
    let (first, _) = server.create(1);
    let agent = server.join(&first);
    for _ in 0..5 {
        server.step(&agent);
    }
    let last = server.observe(&agent).decision.expect("it goes on").decision_id;
    server.kill();
    // The tail of the write-ahead log is torn.
    let wal = File::options().write(true).open(folder.path().join("ahu.db-wal")).expect("the server was killed");
    let length = wal.metadata().expect("a file").len();
    wal.set_len(length - 10_000).expect("it can be cut");
    let place = &text(folder.path());

    let (code, out, error) = checked(folder.path(), &[]);
    assert!(code == 3 && out.contains("  lost: ") && error.contains(": restore a backup, or accept"), "{out}{error}");
    let (code, error) = refused(&["serve", "--listen", "127.0.0.1:0", "--data", place]);
    assert!(code == 1 && error.contains(" has lost ") && error.contains("`ahu data verify --accept-loss`"), "{error}");
    // A backup has the rest of the matches, and reports the loss.
    let backup = text(&folder.path().join("left.db"));
    assert!(printed(&["data", "backup", "--data", place, &backup]).contains("  the store had lost "));

    let (code, out, error) = checked(folder.path(), &["--accept-loss"]);
    assert!(code == 0 && out.contains("; a server takes the store as it is from now on\n"), "{out}{error}");
    assert_intact(folder.path());
    let mut server = Server::start(folder.path());
    let decision = server.observe(&agent).decision.expect("it goes on").decision_id;
    assert!(decision < last, "expected a decision before {last}, got {decision}");
    server.stop();
}

#[test]
fn a_store_that_is_gone_with_its_log_is_lost_and_not_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    // The file of a store is empty until its first log is written to it.
    File::create(db(&folder)).expect("it can be created");
    fs::write(folder.path().join("lock"), format!("commits {:020}\nprocess {:010}\n", 5, 1)).expect("written");

    let (code, out, error) = checked(folder.path(), &[]);
    assert!(code == 3 && out.contains("  lost: 5 commits, "), "{out}{error}");
    let (code, out, error) = checked(folder.path(), &["--accept-loss"]);
    assert!(code == 0 && out.contains("; a server takes the store as it is from now on\n"), "{out}{error}");
    let (code, _, error) = checked(folder.path(), &[]);
    assert!(code == 1 && error.contains("expected a store in "), "{error}");
    Server::start(folder.path()).stop();
    assert_intact(folder.path());
}

#[test]
fn a_backup_beside_a_server_is_restored_and_the_match_goes_on_from_there() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let Fixture { agent, running, finished, .. } = fixture();
    let (to, restored) = (other.path().join("backup.db"), other.path().join("restored"));
    let mut server = Server::start(folder.path());
    server.step(agent);
    let then = server.observe(agent);
    // A backup includes the write-ahead log. The file alone has fewer commits.
    let out = printed(&["data", "backup", "--data", &text(folder.path()), &text(&to)]);
    while server.step(agent) {}
    server.stop();

    assert!(out.starts_with(&format!("{}: 4 matches, ", to.display())) && out.contains("keep it secret"), "{out}");
    assert_eq!(fs::metadata(&to).expect("the backup").permissions().mode() & 0o777, 0o600);
    let names: Vec<_> = files(other.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["backup.db"], "a backup is one file");
    let out = printed(&["data", "restore", &text(&to), "--data", &text(&restored)]);
    assert_eq!(out, format!("{}: 4 matches from {}\n", restored.display(), to.display()));
    assert_eq!(fs::metadata(restored.join("ahu.db")).expect("the store").permissions().mode() & 0o777, 0o600);
    assert_intact(&restored);
    let mut server = Server::start(&restored);
    assert_eq!(server.observe(agent).text, then.text, "the table is that of the backup");
    while server.step(agent) {}
    assert_eq!(server.get(running).state(), MatchState::Finished);
    assert!(server.get(finished).result.is_some());
    server.stop();
    assert_intact(&restored);
}

/// The first machine has a server that is backed up while it plays, and is lost. The second, a standby, gets the
/// file of the backup.
#[test]
fn a_standby_has_what_was_committed_when_the_backup_began_and_lacks_the_rest() {
    let (first, second) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let backup = first.path().join("backup.db");
    let data = first.path().join("matches");
    let mut server = Server::start(&data);
    let (early, open) = (server.create(1).0, server.create(1).0);
    let agent = server.join(&early);
    for _ in 0..3 {
        server.step(&agent);
    }
    let decision = |server: &mut Server| server.observe(&agent).decision.map(|decision| decision.decision_id);
    let acknowledged = decision(&mut server).expect("the match goes on");
    thread::scope(|scope| {
        let backup = scope.spawn(|| printed(&["data", "backup", "--data", &text(&data), &text(&backup)]));
        while !backup.is_finished() && server.step(&agent) {}
        assert!(
            backup
                .join()
                .expect("no panic")
                .starts_with(&format!("{}: 2 matches, ", text(&first.path().join("backup.db"))))
        );
    });
    // What follows is not in the backup: a seat, a match, and the end of a match.
    let late = server.join(&open);
    let unknown = server.create(1).0;
    while server.step(&agent) {}
    assert_eq!(server.get(&early).state(), MatchState::Finished);
    server.kill();

    let copy = second.path().join("from-the-first.db");
    fs::copy(&backup, &copy).expect("the network copies files");
    drop(first);
    let data = second.path().join("matches");
    printed(&["data", "restore", &text(&copy), "--data", &text(&data)]);
    let mut standby = Server::start(&data);
    assert_eq!(standby.get(&early).state(), MatchState::Running, "its end came after the backup");
    let now = decision(&mut standby).expect("the match goes on");
    assert!(now >= acknowledged, "{now} is before {acknowledged}, which was acknowledged before the backup began");
    // The seat was never taken, so its token is of no use, and anybody may take the seat.
    assert_eq!(standby.get(&open).state(), MatchState::Seating);
    let code = |standby: &mut Server, agent: &Agent| {
        let request = v1::ObserveRequest { match_id: agent.match_id.clone(), seat: Some(0), ..Default::default() };
        let request = Server::with_token(request, &agent.token);
        standby.runtime.block_on(standby.matches.observe(request)).map(drop).map_err(|status| status.code())
    };
    assert_eq!(code(&mut standby, &late), Err(Code::PermissionDenied));
    let request = v1::GetMatchRequest { match_id: unknown, wait: None };
    let error = standby.runtime.block_on(standby.matches.get_match(request)).expect_err("it was created too late");
    assert_eq!(error.code(), Code::NotFound);
    // Agents go on with the tokens that they have, once they look where their match stands.
    let again = standby.join(&open);
    for agent in [&agent, &again] {
        while standby.step(agent) {}
        assert_eq!(standby.get(&agent.match_id).state(), MatchState::Finished);
    }
    standby.stop();
    assert_intact(&data);
}

#[test]
fn a_backup_never_takes_the_place_of_the_store_or_of_another_file_unasked() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let (store, before) = (text(folder.path()), files(folder.path()));
    let backup = |to: &Path, more: &[&str]| {
        let output = run(&[&["data", "backup", "--data", &store, &text(to)], more].concat());
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{}: {error}", to.display());
        error
    };
    for name in ["ahu.db", "ahu.db-wal", "ahu.db-shm", "lock", "ahu.db.before-restore-1"] {
        for to in [folder.path().join(name), folder.path().join(".").join(name)] {
            let error = backup(&to, &["--force"]);
            assert!(error.contains("which is a file of the store itself"), "{error}");
        }
    }
    let [linked, symbolic] = ["linked", "symbolic"].map(|name| other.path().join(name));
    fs::hard_link(db(&folder), &linked).expect("the same disk");
    std::os::unix::fs::symlink(db(&folder), &symbolic).expect("it can be linked");
    for to in [&linked, &symbolic] {
        assert!(backup(to, &["--force"]).contains("which is a file of the store itself"));
    }
    assert!(backup(other.path(), &["--force"]).contains("expected a file, got the folder "));
    assert!(backup(Path::new("/no/such/folder/b.db"), &[]).contains("cannot use the folder /no/such/folder: "));
    let mine = other.path().join("mine.txt");
    fs::write(&mine, "mine").expect("it can be written");
    assert!(backup(&mine, &[]).contains("which exists: replace it with --force"));
    assert_eq!(fs::read(&mine).expect("it is there"), b"mine");
    assert_eq!(files(folder.path()), before, "the store is as it was");

    let value = json(&["data", "backup", "--data", &store, &text(&mine), "--force", "--json"]);
    assert_eq!((&value["matches"], &value["lost_commits"]), (&4.into(), &0.into()));
    assert_eq!(value["bytes"], fs::metadata(&mine).expect("the backup").len());
    assert_eq!(rows(&mine), rows(&db(&folder)));
    let (code, error) =
        refused(&["data", "backup", "--data", &text(other.path()), &text(&other.path().join("new.db"))]);
    assert!(code == 1 && error.contains("expected a store in ") && error.contains(", got none"), "{error}");
}

#[test]
fn a_restore_refuses_all_that_is_no_intact_backup_and_leaves_the_store_alone() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let store = text(folder.path());
    let good = other.path().join("good.db");
    printed(&["data", "backup", "--data", &store, &text(&good)]);
    let bytes = fs::read(&good).expect("the backup");
    let file = |name: &str, content: &[u8]| {
        let path = other.path().join(name);
        fs::write(&path, content).expect("it can be written");
        path
    };
    let change = |name: &str, statements: &str| {
        let path = file(name, &bytes);
        Connection::open(&path).and_then(|connection| connection.execute_batch(statements)).expect("valid");
        path
    };
    let theirs = other.path().join("theirs.db");
    Connection::open(&theirs).and_then(|theirs| theirs.execute_batch("CREATE TABLE theirs (x)")).expect("valid");
    let mut damaged = bytes.clone();
    damaged[3 * 4096..4 * 4096].fill(0xAA);
    let before = files(folder.path());
    for (from, expected) in [
        (other.path().join("none.db"), "cannot read "),
        (other.path().to_owned(), "expected a file, got the folder "),
        (file("empty.db", b""), "expected a store of ahu, got another file: "),
        (file("text.db", &b"a text ".repeat(2000)), "expected a store of ahu, got another file: "),
        (theirs, "expected a store of ahu, got another file: "),
        (file("cut.db", &bytes[..bytes.len() / 2]), " is damaged: "),
        (file("damaged.db", &damaged), " is damaged: "),
        (change("later.db", "PRAGMA user_version = 99"), "got schema 99, written by a later release of ahu: "),
        (db(&folder), "which is a file of the store itself"),
    ] {
        let (code, error) = refused(&["data", "restore", &text(&from), "--data", &store, "--force"]);
        assert!(code == 1 && error.contains(expected) && error.contains(&text(&from)), "{expected}: {error}");
        assert_eq!(files(folder.path()), before, "{expected}: the store is as it was");
    }
    let (code, error) = refused(&["data", "restore", &text(&good), "--data", &store]);
    assert!(code == 1 && error.contains("expected a folder without a store, got "), "{error}");
    assert!(error.contains("--force"), "{error}");
    assert_eq!(files(folder.path()), before);
    // A refused backup does not create the folder.
    let new = other.path().join("new");
    refused(&["data", "restore", &text(&other.path().join("text.db")), "--data", &text(&new)]);
    assert!(!new.exists());
}

#[test]
fn a_forced_restore_moves_the_store_aside_with_its_log_and_its_count() {
    let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let store = text(folder.path());
    let [early, late] = ["early.db", "late.db"].map(|name| text(&other.path().join(name)));
    let mut server = Server::start(folder.path());
    let (first, _) = server.create(1);
    let agent = server.join(&first);
    printed(&["data", "backup", "--data", &store, &early]);
    let then = server.observe(&agent).text;
    while server.step(&agent) {}
    printed(&["data", "backup", "--data", &store, &late]);
    // The log stays, and `lock` states more commits than the backup has.
    server.kill();
    assert!(fs::metadata(folder.path().join("ahu.db-wal")).expect("the log stays").len() > 0);

    let out = printed(&["data", "restore", &early, "--data", &store, "--force"]);

    let aside = folder.path().join("ahu.db.before-restore-1");
    assert_eq!(out, format!("{store}: 1 match from {early}\n  the store before is now {}\n", aside.display()));
    let mut server = Server::start(folder.path());
    assert_eq!(server.observe(&agent).text, then);
    server.stop();
    assert_intact(folder.path());
    assert_eq!(rows(&aside), rows(Path::new(&late)), "the store before is complete");
    // The next copy gets another name, and the first copy can be used like any backup.
    let value = json(&["data", "restore", &text(&aside), "--data", &store, "--force", "--json"]);
    assert_eq!(value["moved_aside"], text(&folder.path().join("ahu.db.before-restore-2")));
    assert_eq!(rows(&aside), rows(Path::new(&late)), "a restore does not change its source");
    let mut server = Server::start(folder.path());
    assert_eq!(server.get(&first).state(), MatchState::Finished);
    server.stop();
    // A file that is not a store is moved aside too.
    fs::write(db(&folder), "garbage ".repeat(1000)).expect("it can be written");
    let value = json(&["data", "restore", &late, "--data", &store, "--force", "--json"]);
    assert_eq!(value["moved_aside"], text(&folder.path().join("ahu.db.before-restore-3")));
    assert_intact(folder.path());
    // A log without its store does not become part of a restored store.
    fs::rename(folder.path().join("ahu.db"), folder.path().join("ahu.db-wal")).expect("it can be renamed");
    let value = json(&["data", "restore", &early, "--data", &store, "--json"]);
    assert_eq!((&value["matches"], &value["moved_aside"]), (&1.into(), &Value::Null));
    assert_intact(folder.path());
}

#[test]
fn a_file_that_is_replaced_stays_behind_its_link_and_a_backup_readable_for_its_group() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let (store, backup, real) =
        (text(folder.path()), other.path().join("backup.db"), other.path().join("elsewhere.db"));
    fs::write(&real, "old").expect("the folder is new");
    std::os::unix::fs::symlink(&real, &backup).expect("the folder is new");
    for (mode, expected) in [(0o640, 0o640), (0o644, 0o640), (0o600, 0o600)] {
        fs::set_permissions(&real, fs::Permissions::from_mode(mode)).expect("it is ours");
        printed(&["data", "backup", "--data", &store, &text(&backup), "--force"]);
        assert_eq!(fs::metadata(&real).expect("a file").permissions().mode() & 0o777, expected, "{mode:o}");
        assert_eq!(fs::read_link(&backup).expect("a link"), real);
    }
    assert_eq!(rows(&real), rows(&db(&folder)));
    // The store itself is on another disk.
    let moved = other.path().join("moved.db");
    fs::copy(db(&folder), &moved).and_then(|_| fs::remove_file(db(&folder))).expect("the disk has room");
    std::os::unix::fs::symlink(&moved, db(&folder)).expect("it has moved");
    printed(&["data", "compact", "--data", &store]);
    printed(&["data", "restore", &text(&backup), "--data", &store, "--force"]);
    assert_eq!(fs::read_link(db(&folder)).expect("a link"), moved);
    assert!(other.path().join("moved.db.before-restore-1").exists());
    assert_intact(folder.path());
}

#[test]
fn a_compacted_store_is_smaller_and_keeps_what_it_should() {
    let folder = copy();
    let store = text(folder.path());
    let Fixture { finished, running, cancelled, agent, .. } = fixture();
    // A removed table leaves free room.
    sql(&folder, "CREATE TABLE filler AS SELECT randomblob(4000000) AS x; DROP TABLE filler");
    let large = fs::metadata(db(&folder)).expect("the store").len();
    assert!(large > 4_000_000, "{large}");
    let before = rows(&db(&folder)).len();

    let value = json(&["data", "compact", "--data", &store, "--json"]);

    let small = fs::metadata(db(&folder)).expect("the store").len();
    assert_eq!((&value["removed"], &value["matches"]), (&0.into(), &4.into()));
    assert_eq!((value["bytes_before"].as_u64(), value["bytes_after"].as_u64()), (Some(large), Some(small)));
    assert!(small < 1_000_000, "{small}");
    assert_eq!(rows(&db(&folder)).len(), before);
    assert_eq!(fs::metadata(db(&folder)).expect("the store").permissions().mode() & 0o777, 0o600);
    assert_intact(folder.path());
    // Servers ran for an hour after the end of one match.
    let hour = |sign| format!("UPDATE meta SET value = value {sign} 3600000 WHERE key = 'time_ms'");
    sql(&folder, &format!("UPDATE match SET ended_ms = ended_ms + 3600000 WHERE id != '{finished}'; {}", hour('+')));
    let out = printed(&["data", "compact", "--data", &store, "--keep", "1h,10GB"]);
    assert!(out.starts_with(&format!("{store}: ")) && out.ends_with(" now; 1 match removed, 3 kept\n"), "{out}");
    let out = printed(&["data", "compact", "--data", &store, "--keep", "1B"]);
    assert!(out.ends_with(" now; 1 match removed, 2 kept\n"), "matches in progress are kept: {out}");
    sql(&folder, &hour('-'));
    assert_intact(folder.path());
    let mut server = Server::start(folder.path());
    for gone in [finished, cancelled] {
        let request = v1::GetMatchRequest { match_id: gone.clone(), wait: None };
        let answer = server.runtime.block_on(server.matches.get_match(request));
        assert_eq!(answer.expect_err("it was removed").code(), tonic::Code::NotFound);
    }
    assert!(server.step(agent), "the match goes on");
    assert_eq!(server.get(running).state(), MatchState::Running);
    server.stop();
    let names: Vec<_> = files(folder.path()).into_iter().map(|(name, _)| name).collect();
    assert!(
        names.iter().all(|name| ["ahu.db", "ahu.db-shm", "ahu.db-wal", "audit.jsonl", "lock"].contains(&&**name)),
        "{names:?}"
    );
}

#[test]
fn a_backup_and_a_compaction_keep_the_comments() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let comments = |folder: &Path| {
        let mut server = Server::start(folder);
        let comments = server.get_record(&fixture().finished).comments;
        server.stop();
        comments
    };
    let before = comments(folder.path());
    assert!(before.len() > 10, "{before:?}");
    let backup = text(&other.path().join("backup.db"));
    printed(&["data", "compact", "--data", &text(folder.path())]);
    assert_eq!(comments(folder.path()), before);
    printed(&["data", "backup", "--data", &text(folder.path()), &backup]);
    let restored = other.path().join("restored");
    printed(&["data", "restore", &backup, "--data", &text(&restored)]);
    assert_eq!(comments(&restored), before);
}

#[test]
fn a_folder_in_use_is_refused_by_all_commands_but_backup() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let (store, backup) = (text(folder.path()), text(&other.path().join("backup.db")));
    let server = Server::start(folder.path());
    let process = server.process.0.id();
    printed(&["data", "backup", "--data", &store, &backup]);
    for arguments in [
        data("verify", &["--data", &store]),
        data("compact", &["--data", &store]),
        data("restore", &[&backup, "--data", &store, "--force"]),
        vec!["serve".to_owned(), "--listen=127.0.0.1:0".to_owned(), "--data".to_owned(), store.clone()],
    ] {
        let (code, error) = refused(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(code == 1, "{arguments:?}");
        let expected = format!("error: {store} is in use by another process ({process})\n");
        assert!(error.ends_with(&expected), "{arguments:?}: {error}");
    }
    server.stop();
    // A backup in progress keeps the file in its place.
    let held = File::open(db(&folder)).expect("the store");
    held.try_lock_shared().expect("nobody else has it");
    for arguments in [data("compact", &["--data", &store]), data("restore", &[&backup, "--data", &store, "--force"])] {
        let (code, error) = refused(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(code == 1 && error.contains("is in use by another `ahu data` command"), "{arguments:?}: {error}");
    }
    printed(&["data", "backup", "--data", &store, &backup, "--force"]);
    drop(held);
    assert_intact(folder.path());
}

/// A function that writes the file of a store.
type Write<'a> = &'a dyn Fn(&Path);

#[test]
fn a_folder_that_has_no_store_of_ours_is_refused_and_not_changed() {
    let store = copy();
    sql(&store, "");
    let bytes = fs::read(db(&store)).expect("the store");
    let theirs = |path: &Path| {
        Connection::open(path).and_then(|theirs| theirs.execute_batch("CREATE TABLE theirs (x)")).expect("valid");
    };
    let cases: [(&str, Write<'_>); 6] = [
        ("expected a store of ahu, got another file: ", &|path| {
            fs::write(path, "garbage ".repeat(1000)).expect("written");
        }),
        ("expected a store of ahu, got another file: ", &|path| fs::write(path, "short").expect("written")),
        ("expected a store of ahu, got another file: ", &theirs),
        (" is damaged: ", &|path| fs::write(path, &bytes[..bytes.len() / 2]).expect("written")),
        (" is damaged: ", &|path| fs::write(path, &bytes[..5000]).expect("written")),
        ("expected a store with schema 9, got schema 8, written by an earlier release of ahu: ", &|path| {
            fs::write(path, &bytes).expect("written");
            Connection::open(path).and_then(|store| store.execute_batch("PRAGMA user_version = 8")).expect("valid");
        }),
    ];
    for (expected, write) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        write(&db(&folder));
        let before = fs::read(db(&folder)).expect("the file");
        let (store, to) = (text(folder.path()), text(&folder.path().join("backup")));
        for arguments in [
            &["data", "verify", "--data", &store][..],
            &["data", "backup", "--data", &store, &to],
            &["data", "compact", "--data", &store],
            &["serve", "--listen", "127.0.0.1:0", "--data", &store],
        ] {
            let (code, error) = refused(arguments);
            assert!(
                code == 1 && error.contains(expected) && error.contains(&text(&db(&folder))),
                "{arguments:?}: {error}"
            );
            assert_eq!(fs::read(db(&folder)).expect("the file"), before, "{arguments:?}");
            assert!(!Path::new(&to).exists(), "{arguments:?}");
        }
    }
    let empty = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    File::create(db(&empty[1])).expect("it can be created");
    for nothing in ["/no/such/folder", &text(empty[0].path()), &text(empty[1].path())] {
        for arguments in [
            &["data", "verify", "--data", nothing][..],
            &["data", "backup", "--data", nothing, "x"],
            &["data", "compact", "--data", nothing],
        ] {
            let (code, error) = refused(arguments);
            assert_eq!(
                (code, error),
                (1, format!("error: expected a store in {nothing}, got none\n")),
                "{arguments:?}"
            );
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    // Nobody can create a file there, not even root.
    for arguments in
        [&["data", "verify", "--data", "/proc/self"][..], &["serve", "--listen", "127.0.0.1:0", "--data", "/proc/self"]]
    {
        let (code, error) = refused(arguments);
        assert!(code == 1 && error.contains("cannot write to /proc/self/lock: "), "{arguments:?}: {error}");
    }
    let folder = copy();
    let (code, error) = refused(&["data", "backup", "--data", &text(folder.path()), "/proc/self/backup.db"]);
    assert!(code == 1 && error.contains("cannot write /proc/self/backup.db.partial: "), "{error}");
}

/// Runs the program with a limit for the size of files, in blocks of 512 bytes.
fn limited(blocks: u32, arguments: &[&str]) -> Output {
    // The system ends a program with a signal unless it ignores the signal.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_ahu")])
        .args(arguments)
        .output()
        .expect("there is a shell")
}

#[test]
fn a_full_disk_leaves_the_store_as_it_was_and_no_part_of_a_copy() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let (store, backup) = (text(folder.path()), text(&other.path().join("backup.db")));
    printed(&["data", "backup", "--data", &store, &backup]);
    let before = rows(&db(&folder));
    let new = text(&other.path().join("new.db"));
    for arguments in [
        &["data", "backup", "--data", &store, &new][..],
        &["data", "compact", "--data", &store],
        &["data", "restore", &backup, "--data", &store, "--force"],
    ] {
        let output = limited(40, arguments);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{arguments:?}: {error}");
        let names = [files(folder.path()), files(other.path())].concat();
        assert!(names.iter().all(|(name, _)| !name.contains("partial") && name != "new.db"), "{arguments:?}: {error}");
        assert_eq!(rows(&db(&folder))[3..], before[3..], "{arguments:?}");
    }
    assert_intact(folder.path());
}

#[test]
fn a_folder_whose_name_looks_like_an_address_is_a_folder() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("file:store?mode=memory");
    fs::create_dir(&folder).expect("it is new");
    let source = copy();
    printed(&["data", "backup", "--data", &text(source.path()), &text(&parent.path().join("file:copy"))]);
    for (arguments, expected) in [
        (&["data", "restore", "file:copy", "--data", "file:store?mode=memory"][..], ": 4 matches from file:copy\n"),
        (&["data", "verify", "--data", "file:store?mode=memory"], "\n  no damage\n"),
        (&["data", "compact", "--data", "file:store?mode=memory"], ", 4 kept\n"),
        (&["data", "backup", "--data", "file:store?mode=memory", "file:again"], "file:again: 4 matches, "),
    ] {
        let output = ahu(arguments).current_dir(parent.path()).output().expect("it starts");
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && out.contains(expected), "{arguments:?}: {out}{error}");
    }
    assert_eq!(rows(&folder.join("ahu.db"))[3..], rows(&parent.path().join("file:again"))[3..]);
}

#[test]
fn what_the_commands_do_not_understand_is_a_usage_error() {
    for (arguments, expected) in [
        (&["data"][..], "Usage: ahu data [OPTIONS] <COMMAND>"),
        (&["data", "mend"], "unrecognized subcommand 'mend'"),
        (&["data", "verify"], "<PLACE>"),
        (&["data", "backup", "--data", "x"], "<TO>"),
        (&["data", "restore", "x"], "<PLACE>"),
        (&["data", "compact", "--data", "x", "--keep", "30"], "expected an age and a size at most"),
        (&["data", "compact", "--data", "x", "--keep", "30d,1h"], "got \"1h\""),
    ] {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.contains(expected), "{arguments:?}: {error}");
    }
    for command in ["verify", "backup", "restore", "compact"] {
        let help = printed(&["data", command, "--help"]);
        assert!(help.contains("Usage: ahu data ") && help.contains("--json"), "{help}");
    }
    assert!(printed(&["data", "backup", "--help"]).contains("the key of all tokens and the seeds"));
    assert!(printed(&["data", "compact", "--help"]).contains("the disk needs room for a copy"));
}

/// Returns the content of a head whose record states rules version 999.
fn other_rules(head: &[u8]) -> Vec<u8> {
    let mut head = head.to_vec();
    let start = head.windows(8).position(|bytes| bytes == b"AHUREC2\n").expect("a record");
    // The length of the record precedes it: two groups of 7 bits.
    let length = usize::from(head[start - 2] & 0x7F) | usize::from(head[start - 1]) << 7;
    // The version follows the magic, and the name of the game with its length.
    let version = start + 8 + 4 + "rappanui".len();
    head[version..version + 4].copy_from_slice(&999_u32.to_le_bytes());
    let digest = Sha256::digest(&head[start..start + length - 32]);
    head[start + length - 32..start + length].copy_from_slice(&digest);
    head
}

#[test]
fn a_match_with_other_rules_is_named_with_the_release_that_has_them() {
    let folder = copy();
    let store = text(folder.path());
    // The head, which is sealed, states the rules too. In a store of another release, both have the other version.
    let connection = Connection::open(db(&folder)).expect("a store");
    let heads = "SELECT number, id, release, created_ms, private, head FROM match";
    let mut query = connection.prepare(heads).expect("valid");
    let rows = query.query_map([], |row| {
        Ok((
            row.get::<_, u64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
            row.get::<_, u64>(3)?,
            row.get::<_, bool>(4)?,
            row.get::<_, Vec<u8>>(5)?,
        ))
    });
    for (number, id, release, created, is_unlisted, head) in rows.expect("rows").map(|row| row.expect("a row")) {
        assert!(!release.is_empty());
        let content = other_rules(&head[..head.len() - 8]);
        let head = sealed(&format!("head {number} {id} 0.0.9 {created} {is_unlisted}"), &content);
        let update = format!("UPDATE match SET rules = 999, release = '0.0.9', head = {head} WHERE number = {number}");
        connection.execute_batch(&update).expect("valid");
    }
    drop(query);
    drop(connection);

    let (code, out, error) = checked(folder.path(), &[]);

    assert_eq!(code, 3, "{out}{error}");
    assert!(out.contains("rappanui, rules version 999: 4 matches, 2 in progress; this release has version "), "{out}");
    assert!(out.contains(", and release 0.0.9 of ahu has it\n  4 matches could not be replayed\n"), "{out}");
    assert!(out.contains("no damage"), "{out}");
    assert!(error.contains("2 matches in progress need rappanui with rules version 999"), "{error}");
    assert!(error.contains("finish them with release 0.0.9 of ahu"), "{error}");
    let (code, error) = refused(&["serve", "--listen", "127.0.0.1:0", "--data", &store]);
    assert!(code == 1 && error.contains("need rules version 999") && error.contains("release 0.0.9"), "{error}");
    a_record_of_other_rules_is_read(&folder);
    // Matches that have ended need no rules to start.
    sql(&folder, "UPDATE match SET state = 4, ended_ms = 1 WHERE state < 3");
    let (code, out, error) = checked(folder.path(), &[]);
    assert!(code == 0 && out.contains("  4 matches could not be replayed\n"), "{out}{error}");
}

/// Checks what commands say of the one finished match in a store of rules version 999.
fn a_record_of_other_rules_is_read(folder: &TempDir) {
    let (store, finished) = (text(folder.path()), &fixture().finished);
    // The server of the other release has published the digest of its own record.
    let (code, error) = refused(&["records", "list", &store]);
    assert!(code == 1 && error.contains(&format!("match {finished} is damaged in its description")), "{error}");
    let own = copy();
    let known = Record::read(&record(own.path(), finished)).expect("a record");
    let expected = Transcript { rules_version: 999, ..Transcript::from(&known) };
    let connection = Connection::open(db(folder)).expect("a store");
    let select = "SELECT description FROM match WHERE id = ?";
    let mut description: Vec<u8> = connection.query_row(select, [finished], |row| row.get(0)).expect("it has one");
    description.truncate(description.len() - 8);
    let digest = known.digest();
    let at = description.windows(32).position(|bytes| bytes == digest).expect("it has the digest");
    description[at..at + 32].copy_from_slice(&expected.digest());
    let description = sealed(&format!("description {finished}"), &description);
    let update = format!("UPDATE match SET description = {description} WHERE id = '{finished}'");
    connection.execute_batch(&update).expect("valid");
    drop(connection);

    let files = tempfile::tempdir().expect("a folder");
    let listed = run(&["records", "list", &store]);
    let (out, error) = (String::from_utf8_lossy(&listed.stdout), String::from_utf8_lossy(&listed.stderr));
    assert!(listed.status.success() && out.starts_with(finished) && out.contains("rappanui"), "{out}{error}");
    assert!(error.starts_with("1 records listed, 3 matches without a record; "), "{error}");
    let exported = printed(&["records", "export", &store, "--files", &text(files.path())]);
    let exported: Value = serde_json::from_str(&exported).expect("one line of JSON");
    assert_eq!((&exported["rules_version"], &exported["format"]), (&999.into(), &"ahu-record-1".into()));
    assert_eq!(exported["digest"], ahu_core::hex(&expected.digest()));
    let written = fs::read(files.path().join(format!("{finished}.txt"))).expect("a file");
    assert_eq!(exported["record"].as_str().map(str::as_bytes), Some(&*written));
    assert_eq!(Transcript::read(&written), Ok(expected));

    // The file is read like any other, beside a record of present rules.
    fs::write(files.path().join("present.bin"), known.to_bytes()).expect("it is new");
    let folder_of_files = text(files.path());
    let listed = run(&["records", "list", &folder_of_files]);
    assert!(listed.status.success() && String::from_utf8_lossy(&listed.stdout).lines().count() == 2);
    let verified = run(&["records", "verify", &store, &folder_of_files]);
    let error = String::from_utf8_lossy(&verified.stderr);
    assert!(error.starts_with("3 records without a fault, 3 matches without a record; "), "{error}");
    assert!(
        error.ends_with(
            "error: 2 records under rules that this release does not have: only digest and chain are right\n"
        )
    );
    assert_eq!(verified.status.code(), Some(1), "whoever forges a record may name any rules");
    let (_, error) = refused(&["replay", &text(&files.path().join(format!("{finished}.txt")))]);
    assert!(error.contains("expected a record of rappanui under rules version 1, got rules version 999"), "{error}");
    // A changed id of an action breaks the digest.
    let changed = String::from_utf8(written).expect("text").replacen(" seat 0: ", " seat 0: 1", 1);
    fs::write(files.path().join("changed.txt"), changed).expect("it is new");
    let (_, error) = refused(&["records", "verify", &folder_of_files]);
    assert!(error.contains("changed.txt: the record was altered"), "{error}");
}
