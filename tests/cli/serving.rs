//! `ahu serve` with shares, proxies, and metrics, and `ahu status`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use ahu_service::proto::v1;
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use serde_json::{Value, json as value};
use tokio::runtime::{self, Runtime};
use tonic::Request;

use crate::authority::Authority;
use crate::{ahu, json, printed, refused};

/// A server that ends when this value is dropped.
struct Server {
    process: Child,
    /// The lines of its output, up to the line about the metrics.
    lines: Vec<String>,
    runtime: Runtime,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let output = BufReader::new(process.stdout.take().expect("it is a pipe"));
        let mut lines = Vec::new();
        for line in output.lines() {
            lines.push(line.expect("text"));
            if lines.last().is_some_and(|line| line.starts_with("metrics are served on ")) {
                break;
            }
        }
        let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { process, lines, runtime }
    }

    /// Returns the rest of the line with this beginning.
    fn line(&self, start: &str) -> &str {
        self.lines.iter().find_map(|line| line.strip_prefix(start)).expect("a line")
    }

    fn address(&self) -> String {
        format!("http://{}", self.line("ahu listens on "))
    }

    /// Creates a match, and returns the message of the refusal.
    fn create(&self, from: &str) -> Result<(), String> {
        let spec = v1::MatchSpec { game: "rappanui".to_owned(), seat_count: 2, ..Default::default() };
        let request = v1::CreateMatchRequest { spec: Some(spec), request_id: String::new() };
        let mut request = Request::new(request);
        request.metadata_mut().insert("x-forwarded-for", from.parse().expect("ASCII"));
        self.runtime.block_on(async {
            let mut matches = MatchServiceClient::connect(self.address()).await.expect("the server listens");
            matches.create_match(request).await.map(drop).map_err(|error| error.message().to_owned())
        })
    }

    fn limits(&self) -> v1::Limits {
        self.runtime.block_on(async {
            let mut catalog = CatalogServiceClient::connect(self.address()).await.expect("the server listens");
            let info = catalog.get_server_info(v1::GetServerInfoRequest {}).await.expect("an answer");
            info.into_inner().limits.expect("limits")
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_server_shows_its_status_as_text_and_as_json() {
    let mut command = ahu(&["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]);
    let server = Server::start(&mut command);
    let place = server.line("metrics are served on http://").strip_suffix("/metrics").expect("the path").to_owned();
    server.create("203.0.113.1").expect("a match");
    for path in ["/", "/api/nothing"] {
        let mut stream = TcpStream::connect(server.address().trim_start_matches("http://")).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("it is sent");
        stream.read_to_end(&mut Vec::new()).expect("an answer");
    }

    let text = printed(&["status", &place]);
    for line in [
        "matches in memory: 1",
        "  rappanui: 1 seating",
        "matches since the start: 1 created, 0 ended",
        "forfeits: none",
        "refusals: none",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "no {line} in\n{text}");
    }
    // The server may not know yet that the connection is closed.
    assert!(
        ["matches 1", "connections 1, matches 1"].iter().any(|used| text.contains(&format!("\nin use: {used}\n"))),
        "{text}"
    );
    assert!(text.contains("\nahu.v1.MatchService/CreateMatch          1         0 "), "{text}");
    let counts = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let pages: Vec<_> = text.lines().filter(|line| line.starts_with("GET ")).map(counts).collect();
    assert!(pages.iter().any(|page| page[1] == "/" && page[2..4] == ["1", "0"]), "a page is no failure: {text}");
    assert!(pages.iter().any(|page| page[2..4] == ["1", "1"]), "an unknown path is one: {text}");

    let status = json(&["status", &place, "--json"]);
    assert_eq!(status["matches"], value!([{"game": "rappanui", "state": "seating", "value": 1.0}]));
    let calls = status["calls"].as_array().expect("a list");
    let call =
        calls.iter().find(|call| call["method"] != "GET /" && call["failed"] == value!({})).expect("CreateMatch");
    assert_eq!((&call["method"], &call["count"]), (&value!("ahu.v1.MatchService/CreateMatch"), &value!(1)));
    assert!(call["p99_at_most_seconds"].as_f64().is_some_and(|time| time > 0.0), "{call}");
    assert_eq!(status["commits"], value!(0.0));
}

#[test]
fn a_log_in_json_has_an_object_a_line() {
    let mut serve = ahu(&["serve", "--listen", "127.0.0.1:0", "--exit-with-stdin", "--log-format", "json"]);
    let output = serve.output().expect("it ends with its stdin");
    let log = String::from_utf8(output.stderr).expect("text");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(
        !lines.is_empty() && lines.iter().all(|line| line["level"] == "INFO" && line["message"].is_string()),
        "{log}"
    );
}

#[test]
fn the_metrics_on_a_socket_are_for_its_owner_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = format!("unix:{}", folder.path().join("metrics.sock").display());
    let server = Server::start(&mut ahu(&["serve", "--listen", "127.0.0.1:0", "--metrics", &place]));

    assert_eq!(server.line("metrics are served on "), place);
    let mode = fs::metadata(folder.path().join("metrics.sock")).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(printed(&["status", &place]).starts_with("matches in memory: 0\n"));
    drop(server);
    let (code, error) = refused(&["status", &place]);
    assert!(code == 1 && error.contains("`ahu serve --metrics` serves them"), "{error}");
}

#[test]
fn shares_and_proxies_are_set_and_the_error_names_the_limit() {
    let mut command = ahu(&["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--max-matches", "8"]);
    let server = Server::start(command.args(["--share", "matches=1", "--trust-proxy", "10.0.0.0/8,127.0.0.1"]));

    server.create("203.0.113.1").expect("a match");
    let error = server.create("203.0.113.1").expect_err("it has one");
    assert_eq!(error, "the address 203.0.113.1 has its share of 1 matches that have not ended (limit: matches)");
    server.create("203.0.113.2").expect("a share of its own");
    let shares = server.limits().shares.expect("shares");
    assert_eq!((shares.matches, shares.bot_matches), (1, 256), "nobody behind a proxy has those of this machine");

    for (arguments, expected) in [
        (&["serve", "--share", "games=1"][..], "a name of connections, calls, matches"),
        (&["serve", "--local-share", "matches"], "expected NAME=COUNT"),
        (&["serve", "--trust-proxy=unix", "--proxy-header=a b"], "--proxy-header: expected the name of a header"),
        (&["serve", "--trust-proxy", "10.0.0.0/99"], "expected a network such as 10.0.0.0/8, an address, or unix"),
        (&["serve", "--listen", "127.0.0.1:0", "--metrics", "unix:"], "expected a path after unix:"),
        (
            &["serve", "--data", "mysql://localhost/ahu"],
            "expected a folder, or a database as postgres://USER@HOST/DATABASE",
        ),
        (&["serve", "--data", "postgres://localhost"], "expected the name of a database in the URL"),
        (&["serve", "--data", "postgres://ahu:a:b@c@localhost"], "'postgres://ahu:…@localhost' for '--data <PLACE>'"),
        (&["serve", "--data", "matches", "--spare"], "--spare: expected --data postgres://…, got a folder"),
        (
            &["data", "backup", "--data", "postgres://localhost/ahu", "to"],
            "expected a folder, got the database postgres://",
        ),
    ] {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.contains(expected), "{error}");
    }
}

#[test]
fn the_server_raises_its_limit_of_file_descriptors_and_stays_within_it() {
    let program = env!("CARGO_BIN_EXE_ahu");
    let script = format!(
        "ulimit -S -n 100; ulimit -H -n 600; exec '{program}' serve --listen 127.0.0.1:0 --metrics 127.0.0.1:0"
    );
    let server = Server::start(Command::new("sh").args(["-c", &script]));

    let limits = fs::read_to_string(format!("/proc/{}/limits", server.process.id())).expect("Linux has the file");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("a line");
    let numbers: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers, ["600", "600"]);
    let limits = server.limits();
    assert_eq!(limits.connections, 344, "the store, its readers, and logs have 256");
    assert_eq!(limits.shares.expect("shares").connections, 323, "fifteen sixteenths");
}

#[test]
fn a_server_prints_the_name_by_which_clients_reach_it() {
    let authority = Authority::new();
    let [chain, key] = authority.issue().map(|file| file.display().to_string());
    let tls = &["--tls-cert", &chain, "--tls-key", &key][..];
    let named = |name: &str| ["--host-name", name, "--host-name", "other.example.org"].map(str::to_owned);
    for (listen, more, place, page) in [
        ("127.0.0.1", tls, "https://games.example.org", "https://games.example.org"),
        ("0.0.0.0", tls, "https://games.example.org", "https://games.example.org"),
        ("0.0.0.0", &[], "games.example.org", "http://games.example.org"),
        // A proxy on the same machine has the name, and another port.
        ("127.0.0.1", &[], "127.0.0.1", "http://127.0.0.1"),
    ] {
        let listen = format!("{listen}:0");
        let mut command = ahu(&["serve", "--metrics", "127.0.0.1:0", "--listen", &listen]);
        let server = Server::start(command.args(more).args(named("games.example.org")));
        let printed = server.line("ahu listens on ");
        let port = printed.strip_prefix(place).and_then(|rest| rest.strip_prefix(':')).expect(printed);
        assert!(server.lines[1].contains(&format!(", browsers {page}:{port}/;")), "{:?}", server.lines);
    }
}

#[test]
fn a_server_waits_for_an_operators_command_on_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    printed(&["accounts", "add", "Kim", "--data", &data]);
    let lock = File::open(folder.path().join("lock")).expect("the command has made it");
    lock.lock().expect("nobody uses the folder");
    let mut command = ahu(&["serve", "--listen", "127.0.0.1:0", "--data", &data]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let waits = |line: &String| line.contains(&format!("waiting: {data} is in use by another process"));
    let mut log = BufReader::new(process.stderr.take().expect("it is a pipe")).lines().map(|line| line.expect("text"));
    assert!(log.any(|line| waits(&line)), "it gives up at once");
    drop(lock);
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("it is a pipe")).read_line(&mut line).expect("text");
    assert!(line.starts_with("ahu listens on "), "{line}");
    process.kill().and_then(|()| process.wait()).expect("it is ours");
}

#[test]
fn a_server_without_room_for_its_threads_says_so_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let mut refused = 0;
    // The memory in which the program starts, but not all of its threads, depends on the build.
    for kib in (50_000..170_000).step_by(5_000) {
        let program = env!("CARGO_BIN_EXE_ahu");
        let script = format!(
            "ulimit -c 0 -v {kib} && exec {program} serve --listen 127.0.0.1:0 --data {data} --exit-with-stdin </dev/null"
        );
        let output = Command::new("bash").args(["-c", &script]).output().expect("bash starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!error.contains("panicked at") && output.status.code() != Some(101), "{kib}: {error}");
        if error.contains("error: the system starts no further thread: ") {
            assert_eq!(output.status.code(), Some(1), "{error}");
            refused += 1;
        }
    }
    assert!(refused > 0);
}
