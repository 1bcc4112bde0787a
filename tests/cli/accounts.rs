//! `ahu accounts`, `ahu keys`, `ahu audit`, and `ahu drain`, in a folder and over the admin socket.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ahu_service::accounts::{Accounts, Reply, SentCommand};
use ahu_service::proto::v1::join_match_request::Target;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    BotSeat, CreateMatchRequest, JoinMatchRequest, ListMatchesRequest, MatchSpec, ObserveRequest, WatchMatchRequest,
};
use ahu_service::store::{Place, SqliteOptions, SqliteStore};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::runtime::{self, Runtime};
use tonic::transport::Channel;
use tonic::{Request, Status};
use tonic_types::StatusExt as _;

/// The longest time for which a test waits for something that comes.
const LONG: Duration = Duration::from_secs(60);

fn ahu(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ahu"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    ahu(arguments).output().expect("it starts")
}

/// Returns the output of a command that succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = output(arguments);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {err}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).expect("JSON")
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_takes_commands_in_a_folder_with_a_long_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("d".repeat(110));
    std::fs::create_dir(&data).expect("it is new");
    let socket = data.join("uds");
    let _served = super::served::Served::start(&data, &["--uds", &socket.display().to_string()]);
    let drained = printed(&["drain", "--data", &data.display().to_string()]);
    assert!(drained.contains("reports that it is not ready"), "{drained}");
    assert!(socket.exists());
}

/// Returns the error of a command that fails.
fn refused(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A server that ends when this value is dropped.
struct Server {
    process: Child,
    address: String,
    metrics: String,
    runtime: Runtime,
}

impl Server {
    fn start(data: &str, log: &Path, more: &[&str]) -> Self {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--data", data];
        let mut command = ahu(&[&arguments[..], more].concat());
        let log = fs::File::create(log).expect("a file");
        let mut process =
            command.env("AHU_LOG", "debug").stdout(Stdio::piped()).stderr(log).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stdout.take().expect("it is a pipe")).lines();
        let mut after = |start: &str| {
            let line = lines.by_ref().map(|line| line.expect("text")).find(|line| line.starts_with(start));
            line.expect("the line")[start.len()..].to_owned()
        };
        let (address, metrics) = (after("ahu listens on "), after("metrics are served on http://"));
        let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { process, address, metrics: metrics.trim_end_matches("/metrics").to_owned(), runtime }
    }

    fn matches(&self) -> MatchServiceClient<Channel> {
        let connect = MatchServiceClient::connect(format!("http://{}", self.address));
        self.runtime.block_on(connect).expect("the server listens")
    }

    fn list(&self, key: &str) -> Result<(), Status> {
        let request = with("ahu-key", key, ListMatchesRequest::default());
        self.runtime.block_on(self.matches().list_matches(request)).map(drop)
    }

    /// Ends the server as an operator does, and waits for its end.
    fn end(&mut self) {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, Signal::TERM).expect("it runs");
        self.process.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn with<T>(name: &'static str, value: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert(name, value.parse().expect("ASCII"));
    request
}

fn reason(error: &Status) -> String {
    error.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

#[test]
fn accounts_and_keys_are_made_listed_and_revoked_without_a_server() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = &*folder.path().join("data").display().to_string();
    assert!(refused(&["accounts", "list", "--data", data]).contains("expected a store in"));
    printed(&["accounts", "add", "moai", "--data", data]);
    printed(&["accounts", "add", "Rongo 2", "--kind", "bot", "--data", data]);
    for (wrong, expected) in [
        (["accounts", "add", "M0AI"], "which looks like \"moai\""),
        (["accounts", "add", "greedy"], "neither that of a bot"),
        (["accounts", "add", "mo/ai"], "expected a name of 1 to 64"),
        (["accounts", "disable", "nobody"], "expected the name or the id of an account, got \"nobody\""),
        (["keys", "revoke", "abcdefghijkl"], "expected the id of a key"),
        (["keys", "new", "nobody"], "expected the name or the id of an account"),
    ] {
        let error = refused(&[&wrong[..], &["--data", data]].concat());
        assert!(error.contains(expected), "{wrong:?}: {error}");
    }

    let key = printed(&["keys", "new", "moai", "--expires", "90d", "--label", "laptop", "--data", data]);
    let key = key.trim();
    assert!(key.len() == 76 && key.starts_with("ahu_"), "{key}");
    let file = folder.path().join("rongo.key");
    let path = &*file.display().to_string();
    let told = printed(&["keys", "new", "Rongo 2", "--scope", "play,watch", "--out", path, "--data", data]);
    let secret = fs::read_to_string(&file).expect("a key");
    assert!(!told.contains(&secret.trim()[17..]) && told.contains("play,watch"), "{told}");
    assert_eq!(file.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(refused(&["keys", "new", "moai", "--out", path, "--data", data]).contains("exists"));
    let other = folder.path().join("other.key").display().to_string();
    refused(&["keys", "new", "nobody", "--out", &other, "--data", data]);
    assert!(!Path::new(&other).exists(), "a refused command leaves no key");

    let keys = &json(&["keys", "list", "--data", data, "--json"])["keys"];
    assert_eq!(
        (&keys[1]["account"], &keys[1]["label"], &keys[1]["valid"]),
        (&"moai".into(), &"laptop".into(), &true.into())
    );
    assert_eq!(keys[1]["scopes"], serde_json::json!(["play", "create", "train", "watch"]));
    printed(&["keys", "revoke", &key[4..16], "--data", data]);
    let keys = &json(&["keys", "list", "moai", "--data", data, "--json"])["keys"];
    assert_eq!((keys.as_array().map(Vec::len), &keys[0]["revoked"]), (Some(1), &true.into()));

    printed(&["accounts", "set", "moai", "--share", "matches=3", "--rename", "Moai", "--data", data]);
    printed(&["accounts", "disable", "Rongo 2", "--data", data]);
    let accounts = &json(&["accounts", "list", "--data", data, "--json"])["accounts"];
    assert_eq!((&accounts[0]["name"], &accounts[0]["shares"]["matches"]), (&"Moai".into(), &3.into()));
    assert_eq!((&accounts[1]["disabled"], &accounts[1]["valid_keys"]), (&true.into(), &0.into()));
    assert!(printed(&["data", "verify", "--data", data]).contains("accounts: 2, 2 keys"));

    let audit = printed(&["audit", "show", "--data", data]);
    for part in ["add_accounts moai: ok", "revoke_key", "disable_account Rongo 2: ok", "set_account moai: ok"] {
        assert!(audit.contains(part), "{part}: {audit}");
    }
    assert!(!audit.contains(&key[17..]) && !audit.contains(&secret.trim()[17..]), "{audit}");
    let revoked = printed(&[
        "audit",
        "show",
        "--data",
        data,
        "--what",
        "revoke_key",
        "--who",
        "operator",
        "--since",
        "1d",
        "--json",
    ]);
    assert_eq!(revoked.lines().count(), 2, "{revoked}");
    let mut file = fs::File::options().append(true).open(Path::new(data).join("audit.jsonl")).expect("a file");
    file.write_all(b"{\"at\":1,\"who\":\"m\xC3").expect("it is written");
    assert_eq!(
        printed(&["audit", "show", "--data", data, "--who", "anonymous"]),
        "",
        "a line that was cut off is skipped"
    );
}

#[test]
fn a_table_becomes_accounts_with_keys_or_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, table) = (&*path("data"), &*path("teams.csv"));
    let names = |listed: &Value| listed["accounts"].as_array().expect("a list").len();
    fs::write(table, "name,kind,scopes\nmoai,bot,\nrongo,person,play watch\n").expect("a file");
    let told = printed(&["accounts", "import", table, "--out", &path("keys"), "--data", data]);
    assert!(told.contains("wrote 2 keys"), "{told}");
    assert_eq!(names(&json(&["accounts", "list", "--data", data, "--json"])), 2);
    let key = fs::read_to_string(folder.path().join("keys/rongo.key")).expect("a key");
    assert!(key.starts_with("ahu_"));

    for (content, expected) in [
        ("name,kind\nmana,bot\nm0ai,bot\n", "looks like \"moai\""),
        ("name,kind\nmana,bot\nMANA,bot\n", "looks like \"mana\""),
        (
            "name,kind\nmana,bot\ntiki,god\n",
            "line 3: unknown kind of accounts \"god\"; did you mean \"bot\"? (expected one of person, bot, organiser)",
        ),
        ("name,scopes\nmana,root\n", "line 2: unknown scope \"root\" (expected one of play, create"),
        ("name\nmana\n../tiki\n", "line 3: expected a name"),
        ("kind\nbot\n", "expected a column name"),
        ("name\n", "expected a row"),
    ] {
        fs::write(table, content).expect("a file");
        let error = refused(&["accounts", "import", table, "--out", &path("more"), "--data", data]);
        assert!(error.contains(expected), "{content:?}: {error}");
        assert_eq!(names(&json(&["accounts", "list", "--data", data, "--json"])), 2, "{content:?}");
        let left = fs::read_dir(path("more")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{content:?} leaves no keys");
    }
}

#[test]
fn an_import_that_is_killed_applies_all_or_nothing() {
    const ROWS: usize = 400;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rows: Vec<_> = (0..ROWS).map(|number| format!("team-a{number}b")).collect();
    fs::write(path("teams.csv"), format!("name\n{}\n", rows.join("\n"))).expect("a file");
    let (mut seen, mut wait) = ([0, 0], Duration::from_millis(2));
    for turn in 0..12 {
        let (data, out) = (path(&format!("data{turn}")), path(&format!("keys{turn}")));
        printed(&["accounts", "add", "moai", "--data", &data]);
        let begin = Instant::now();
        let arguments = ["accounts", "import", &path("teams.csv"), "--out", &out, "--data", &data];
        let mut import = ahu(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        thread::sleep(wait);
        // It may have ended.
        let _ = import.kill();
        import.wait().expect("it ends");
        let accounts =
            json(&["accounts", "list", "--data", &data, "--json"])["accounts"].as_array().map_or(0, Vec::len);
        assert!([1, 1 + ROWS].contains(&accounts), "{accounts} accounts after {wait:?}");
        if accounts > 1 {
            let keys = fs::read_dir(&out).expect("the folder of the keys").count();
            assert_eq!(keys, ROWS, "no account is without its key");
        }
        seen[usize::from(accounts > 1)] += 1;
        // The next kill comes later after a kill that was too early, and earlier after one that was too late.
        wait = if accounts > 1 { wait.mul_f64(0.8) } else { wait.mul_f64(1.7) };
        assert!(begin.elapsed() < LONG);
    }
    assert!(seen[0] > 0, "{seen:?}");
}

/// Stands for a server that carries out the next command in a folder, and dies before it answers.
fn die_before_the_answer(data: &Path) -> thread::JoinHandle<()> {
    let store = SqliteStore::open(data, &SqliteOptions { create: true, ..SqliteOptions::default() }).expect("a store");
    let accounts = Accounts::open(&Place::from(data)).expect("the store has accounts");
    let socket = UnixListener::bind(data.join("admin.sock")).expect("the path is short");
    thread::spawn(move || {
        let mut line = String::new();
        let (stream, _) = socket.accept().expect("a connection");
        BufReader::new(&stream).read_line(&mut line).expect("a command");
        let command: SentCommand = serde_json::from_str(&line).expect("a command");
        let reply = accounts.execute(command);
        assert!(!matches!(reply, Reply::Refused { .. }), "{reply:?}");
        drop((socket, store, accounts));
    })
}

#[test]
fn a_command_whose_server_dies_before_its_answer_gets_the_answer_and_keeps_its_keys() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let data = &*path("data");
    fs::create_dir(data).expect("a new folder");
    fs::write(path("teams.csv"), "name\nmoai\nrongo\n").expect("a file");
    let during = |arguments: &[&str]| {
        let server = die_before_the_answer(Path::new(data));
        let told = printed(&[arguments, &["--data", data]].concat());
        server.join().expect("it has carried out the command");
        fs::remove_file(path("data/admin.sock")).expect("a killed server leaves it");
        told
    };
    let told = during(&["accounts", "import", &path("teams.csv"), "--out", &path("keys")]);
    assert!(told.contains("wrote 2 keys"), "{told}");
    during(&["keys", "new", "moai", "--out", &path("new.key")]);
    let keys = ["keys/moai.key", "keys/rongo.key", "new.key"].map(|name| fs::read_to_string(path(name)).expect(name));
    let listed = printed(&["keys", "list", "--data", data]);
    assert!(keys.iter().all(|key| listed.contains(&key[4..16])) && listed.lines().count() == 3, "{listed}");
    during(&["accounts", "set", "moai", "--rename", "tangata"]);
    during(&["keys", "revoke", &keys[0][4..16]]);
    during(&["accounts", "disable", "rongo"]);
    let audit = printed(&["audit", "show", "--data", data]);
    assert_eq!((audit.lines().count(), audit.matches(": ok").count()), (5, 5), "{audit}");
}

#[test]
fn a_running_server_takes_commands_over_its_socket_and_logs_no_secret() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = &*folder.path().join("data").display().to_string();
    let log = folder.path().join("log");
    let organiser = folder.path().join("organiser.key");
    let organiser_path = organiser.display().to_string();
    let mut server = Server::start(data, &log, &["--require-key", "--organiser-key", &organiser_path]);
    let socket = folder.path().join("data/admin.sock");
    assert_eq!(socket.metadata().expect("a socket").permissions().mode() & 0o777, 0o600);

    printed(&["accounts", "add", "moai", "--data", data]);
    let new = |scopes: &str| printed(&["keys", "new", "moai", "--scope", scopes, "--data", data]).trim().to_owned();
    let (key, watcher) = (new("play,create,watch"), new("watch"));
    server.list(&key).expect("the key is valid at once");
    let unknown = format!("{}{}", &key[..20], &watcher[20..]);
    assert_eq!(reason(&server.list(&unknown).expect_err("no key")), "BAD_KEY");

    let mut matches = server.matches();
    let bots = vec![BotSeat { seat: Some(1), bot: "random".to_owned() }];
    let create = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, bots, ..Default::default() };
    let create = CreateMatchRequest { spec: Some(create), request_id: String::new() };
    let created = server.runtime.block_on(matches.create_match(with("ahu-key", &key, create)));
    let created = created.expect("a match").into_inner();
    let match_id = created.r#match.expect("a match").match_id;
    let join = JoinMatchRequest { target: Some(Target::MatchId(match_id.clone())), ..Default::default() };
    let bearer = format!("Bearer {key}");
    let joined = server.runtime.block_on(matches.join_match(with("authorization", &bearer, join)));
    let joined = joined.expect("a seat").into_inner().assigned.expect("a seat");
    let bearer = format!("Bearer {}", joined.seat_token);
    let observe = ObserveRequest { match_id: match_id.clone(), ..Default::default() };
    server.runtime.block_on(matches.observe(with("authorization", &bearer, observe))).expect("the token suffices");
    let watch = WatchMatchRequest { match_id: match_id.clone(), public_view: true, ..Default::default() };
    let streamed = server.runtime.block_on(async {
        let mut stream = matches.watch_match(with("ahu-key", &watcher, watch)).await?.into_inner();
        stream.message().await?;
        let revoked = thread::spawn({
            let (data, id) = (data.to_owned(), watcher[4..16].to_owned());
            move || printed(&["keys", "revoke", &id, "--data", &data])
        });
        let error = tokio::time::timeout(LONG, async {
            loop {
                if let Err(error) = stream.message().await {
                    return error;
                }
            }
        });
        let error = error.await.expect("the stream ends");
        revoked.join().expect("the command succeeds");
        Ok::<_, Status>(error)
    });
    assert_eq!(reason(&streamed.expect("it begins")), "BAD_KEY");
    let session = format!("{{\"key\":\"{key}\"}}");
    let page = http(&server.address, "POST /api/session", "Sec-Fetch-Site: same-origin\r\n", &session);
    let cookie = page.split_once("ahu-session=").and_then(|(_, rest)| rest.split(';').next()).expect("a cookie");
    http(&server.address, "GET /api/account", &format!("Cookie: ahu-session={cookie}\r\n"), "");

    let drained = printed(&["drain", "--data", data]);
    assert!(drained.contains("reports that it is not ready"), "{drained}");
    assert!(printed(&["drain", "--data", data, "--undo"]).contains("reports that it is ready"));
    let metrics = http(&server.metrics, "GET /metrics", "", "");
    assert!(metrics.contains("ahu_refusals_total{reason=\"BAD_KEY\"}"), "{metrics}");
    server.end();
    assert!(!socket.exists(), "the socket ends with the server");
    assert!(refused(&["drain", "--data", data]).contains("expected a server that uses"));

    let log = fs::read_to_string(&log).expect("a log");
    assert!(log.contains("DEBUG") && log.contains(&match_id), "{log}");
    let audit = fs::read_to_string(folder.path().join("data/audit.jsonl")).expect("an audit");
    for what in ["add_accounts", "new_key", "revoke_key", "drain", "CreateMatch", "refused_key"] {
        assert!(audit.contains(&format!("\"what\":\"{what}\"")), "{what}: {audit}");
    }
    let organiser = fs::read_to_string(&organiser).expect("a key");
    assert!(organiser.starts_with("ahu_"), "{organiser}");
    let secrets = [&key[17..], &watcher[17..], &unknown[17..], &joined.seat_token, &created.owner_token, cookie];
    for secret in secrets.into_iter().chain([organiser.trim()]) {
        for (name, text) in [("the log", &log), ("the audit", &audit), ("the metrics", &metrics)] {
            assert!(!text.contains(secret), "{name} has a secret");
        }
    }
    let check = printed(&["data", "verify", "--data", data]);
    assert!(check.contains("accounts: 1, 2 keys") && check.contains("no damage"), "{check}");
}

/// Sends a request of a browser, and returns the answer.
fn http(address: &str, request: &str, lines: &str, body: &str) -> String {
    let mut socket = TcpStream::connect(address).expect("the listener accepts");
    let length = body.len();
    let text = format!("{request} HTTP/1.0\r\nHost: {address}\r\n{lines}Content-Length: {length}\r\n\r\n{body}");
    socket.write_all(text.as_bytes()).expect("it is open");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}
