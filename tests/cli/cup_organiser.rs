//! The work of organisers beside the run of a cup: a check before it, interruptions, lost keys, annulled games, and exports.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::cup::{Cup, HEAD, LINES, SHORT, bots, free_port};
use super::cup_server::{Server, python_agent};
use crate::programs::python;

/// The process of a remote team, which nobody starts again.
pub(super) struct Team(Child);

impl Team {
    pub(super) fn start(cup: &Cup, name: &str, port: u16) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/python/random_agent.py");
        let mut agent = Command::new(python("agents"));
        agent.arg(script);
        Self::start_agent(cup, name, port, agent)
    }

    pub(super) fn start_agent(cup: &Cup, name: &str, port: u16, mut agent: Command) -> Self {
        let key = fs::read_to_string(cup.folder.path().join(format!("keys/{name}.key"))).expect("it was made");
        agent.env("AHU_ADDRESS", format!("127.0.0.1:{port}")).env("AHU_KEY", key.trim());
        agent.stdout(Stdio::null()).stderr(Stdio::null());
        Self(agent.spawn().expect("it runs"))
    }

    pub(super) fn is_running(&mut self) -> bool {
        self.0.try_wait().expect("a process").is_none()
    }

    /// Waits for the end of the process. Returns true if it succeeded.
    pub(super) fn ends(&mut self) -> bool {
        self.0.wait().expect("a process").success()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn interrupt(run: &Child) {
    let sent = Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("it runs");
    assert!(sent.success());
}

pub(super) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !holds() {
        assert!(Instant::now() < deadline, "expected {what} in time");
        thread::sleep(Duration::from_millis(20));
    }
}

fn remote(names: &[&str]) -> String {
    let agents: Vec<_> = names.iter().map(|name| format!("[[agent]]\nname = \"{name}\"\nremote = true\n")).collect();
    agents.concat()
}

fn kinds<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
fn an_organiser_walks_from_the_check_to_the_export() {
    let stages = format!(
        "[[stage]]\nname = \"groups\"\ngame = \"rapanui_cards\"\nblocks = 2\nadvance = 3\n\
         [[stage]]\nname = \"final\"\ngame = \"giants\"\n{SHORT}seats = 3\nblocks = 2\n"
    );
    let command = "[[agent]]\nname = \"typed\"\ncmd = \"jsonl:python3 lines.py\"\n";
    let text = format!("{HEAD}{stages}{}{command}", remote(&["near", "far"]));
    let cup = Cup::new(&text.replace("lines.py", "liens.py"));
    fs::write(cup.folder.path().join("lines.py"), LINES).expect("it is new");
    cup.does("keys", &["--out", "keys"]);

    // A mistyped command is named before it loses games.
    let output = cup.command("check", &[]).output().expect("it runs");
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{found}");
    assert!(found.contains("FAILED  typed: rapanui_cards, 2 seats: its program exited"), "{found}");
    assert!(
        found.contains("FAILED  typed: giants, 3 seats") && found.contains("2 remote agents are not checked"),
        "{found}"
    );
    assert!(!cup.data().exists(), "a check keeps nothing");
    let file = fs::read_to_string(cup.file()).expect("a file");
    fs::write(cup.file(), file.replace("liens.py", "lines.py")).expect("a file");
    let checked: Value = serde_json::from_str(&cup.does("check", &["--json"])).expect("JSON");
    let checks = checked["checks"].as_array().expect("a list");
    assert!(
        checks.len() == 2
            && checks.iter().all(|check| check["passed"] == true && check["decisions"].as_u64() > Some(0))
    );

    // Ctrl-C and a kill leave the teams waiting.
    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    let mut teams = ["near", "far"].map(|name| Team::start(&cup, name, port));
    let mut run = cup.starts_until(3, &["--listen", &listen]);
    interrupt(&run);
    assert_eq!(run.wait().expect("a process").code(), Some(130));
    assert!(teams.iter_mut().all(Team::is_running), "an interruption dismisses nobody");
    let mut run = cup.starts_until(6, &["--listen", &listen]);
    run.kill().expect("it is ours");
    run.wait().expect("it is ours");
    assert!(teams.iter_mut().all(Team::is_running));

    // A game is annulled while nobody runs the cup, a late team is added, and a key is lost while the cup runs.
    let first = kinds(&cup.events(), "result")[0].clone();
    let game = format!("groups/{}.{}", first["table"], first["game"]);
    assert!(cup.does("annul", &[&game, "--reason", "a fault of the host"]).contains("is annulled"));
    let file = fs::read_to_string(cup.file()).expect("a file");
    fs::write(cup.file(), format!("{file}{}", remote(&["late"]))).expect("a file");
    cup.does("keys", &["--out", "late"]);
    fs::copy(cup.folder.path().join("late/late.key"), cup.folder.path().join("keys/late.key")).expect("it was made");
    cup.does("add", &["late"]);
    let late = Team::start(&cup, "late", port);
    let mut run = cup.starts_until(cup.results() + 1, &["--listen", &listen]);
    cup.does("keys", &["--renew", "far", "--out", "keys"]);
    until("the old key to be refused", || !teams[1].is_running());
    assert!(!teams[1].ends(), "the old key is wrong");
    teams[1] = Team::start(&cup, "far", port);
    assert!(run.wait().expect("a process").success());
    let [near, far] = &mut teams;
    let mut late = late;
    assert!(near.ends() && far.ends() && late.ends(), "after the end, all teams are told to go");

    let events = cup.events();
    assert_eq!((kinds(&events, "annul").len(), kinds(&events, "close").len()), (1, 2));
    assert_eq!(cup.forfeits(), Vec::<Value>::new(), "nobody lost a game by an interruption");
    let table: Value = serde_json::from_str(&cup.does("table", &["--json"])).expect("JSON");
    assert_eq!(table["annulled"][0]["game"], game.as_str());
    assert_eq!(table["games_done"], table["games"]);

    // A stranger verifies the export, which a web server may serve.
    cup.does("export", &["--out", "export"]);
    let export = cup.folder.path().join("export");
    let path = export.display().to_string();
    let verified = crate::printed(&["cup", "verify", &path]);
    assert!(verified.contains(&format!("the organiser annulled game {game}: a fault of the host")), "{verified}");
    assert!(
        verified.contains("results.csv, results.json, annulled.csv") && verified.ends_with("valid\n"),
        "{verified}"
    );
    for (name, mode) in [("", 0o755), ("records", 0o755), ("records/groups", 0o755), ("index.html", 0o644)] {
        let found = fs::metadata(export.join(name)).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(found, mode, "{name:?}: {found:o}");
    }
    let record =
        fs::read_dir(export.join("records/groups")).expect("a folder").next().expect("a record").expect("a file");
    assert_eq!(record.metadata().expect("a file").permissions().mode() & 0o777, 0o644);
    for name in ["salt", "keys/far.key"] {
        let path = if name == "salt" { cup.data().join(name) } else { cup.folder.path().join(name) };
        assert_eq!(fs::metadata(path).expect("it is there").permissions().mode() & 0o777, 0o600, "{name}");
    }
    let page = fs::read_to_string(export.join("index.html")).expect("a page");
    assert!(page.contains("Annulled games") && page.contains("Winner"), "{page}");
    for name in ["results.csv", "results.json", "annulled.csv", "table.json", "standings.csv", "index.html"] {
        let path = export.join(name);
        let before = fs::read_to_string(&path).expect("a file");
        for other in [&before.replacen(',', ";", 1), "[]"] {
            fs::write(&path, other).expect("a file");
            let output = crate::ahu(&["cup", "verify", &export.display().to_string()]).output().expect("it runs");
            let found = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.code() == Some(3) && found.contains(&format!("\n{name}, line ")), "{name}: {found}");
        }
        fs::write(&path, before).expect("a file");
    }
}

#[test]
fn a_running_cup_stops_an_annulled_game_and_plays_it_again() {
    let text = format!("game = \"rapanui_cards\"\nblocks = 3\n{HEAD}{}", bots(&["a", "b"]));
    // A slow bot keeps the cup running until the commands have begun.
    let cup = Cup::new(&text.replacen("\"random\"", "\"search:50\"", 1));
    let mut run = cup.starts_until(2, &["--concurrency", "1"]);
    let table = kinds(&cup.events(), "start").last().expect("a game runs")["table"].clone();
    let annulled = cup.does("annul", &[&format!("main/{table}"), "--reason", "a test"]);
    assert!(annulled.ends_with(" is annulled, and is played again\n"), "{annulled}");
    assert!(run.wait().expect("a process").success());
    cup.does("verify", &[]);
    let events = cup.events();
    let [annul] = kinds(&events, "annul")[..] else { panic!("expected one annulment") };
    assert_eq!((&annul["table"], &annul["game"], &annul["reason"]), (&table, &Value::Null, &"a test".into()));
    let table: Value = serde_json::from_str(&cup.does("table", &["--json"])).expect("JSON");
    assert_eq!((&table["has_ended"], &table["games_done"]), (&true.into(), &table["games"]));
    let (code, error) = cup.refuses("annul", &["main/0", "--reason", "late"]);
    assert!(code == 2 && error.contains("expected no event after the end of the cup"), "{error}");
    let (code, error) = cup.refuses("annul", &["man/0", "--reason", "late"]);
    assert!(code == 2 && error.contains("did you mean \"main\"?"), "{error}");
}

#[test]
fn no_game_begins_before_its_time_and_an_agent_that_is_out_may_go() {
    let begin = SystemTime::now() + Duration::from_secs(3);
    let begin = prost_types::Timestamp { nanos: 0, ..begin.into() };
    let head = HEAD.replace("anchor", &format!("begin = {begin}\naddress = \"cup.example.org:5\"\nanchor"));
    let cup = Cup::new(&format!("game = \"rapanui_cards\"\nblocks = 1\n{head}{}", remote(&["in", "out"])));
    assert!(cup.does("keys", &["--out", "keys"]).contains("AHU_ADDRESS=cup.example.org:5 and AHU_KEY_FILE=NAME.key"));
    let port = free_port();
    let mut run = cup.command("run", &["--listen", &format!("127.0.0.1:{port}")]);
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    until("the draw", || !kinds(&cup.events(), "draw").is_empty());
    let mut teams = ["in", "out"].map(|name| Team::start(&cup, name, port));
    cup.does("disqualify", &["out", "--reason", "help"]);
    assert!(teams[1].ends(), "no more games come for an agent that is out");
    assert!(run.wait().expect("a process").success() && teams[0].ends());
    let mut told = String::new();
    run.stderr.take().expect("a pipe").read_to_string(&mut told).expect("text");
    assert!(told.contains(&format!("the cup begins at {begin}; until then, remote agents can practise")), "{told}");
    let mut out = String::new();
    run.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
    assert!(out.contains("agents connect to cup.example.org:5; "), "{out}");
    let events = cup.events();
    let games: Vec<_> = [kinds(&events, "start"), kinds(&events, "result")].concat();
    let at = |event: &&Value| event["at"].as_str().expect("a time").parse::<prost_types::Timestamp>().expect("a time");
    assert!(!games.is_empty() && games.iter().all(|event| at(event).seconds >= begin.seconds), "{games:?}");
}

#[test]
fn a_server_elsewhere_shows_the_cup_and_keeps_its_teams_through_an_interruption() {
    let mut server = Server::start();
    let options = server.options();
    let options = options.each_ref().map(String::as_str);
    let text = format!(
        "game = \"rapanui_cards\"\nblocks = 2\n{}{}[[agent]]\nname = \"py\"\ncmd = \"{}\"\n",
        HEAD.replace("anchor", "anonymous = true\nanchor"),
        remote(&["far"]),
        python_agent()
    );
    let cup = Cup::new(&text);
    cup.does("keys", &["--out", "keys"]);
    let mut far = Team::start(&cup, "far", server.port());
    let run = cup.starts_until(2, &options);
    interrupt(&run);
    let mut run = run;
    assert_eq!(run.wait().expect("a process").code(), Some(130));
    assert!(far.is_running(), "an interruption dismisses nobody");
    let shown = shown_cup(&server.served.address);
    assert_eq!((&shown["title"], &shown["state"]), (&"Test Cup".into(), &"running".into()));
    let rows = shown["stages"][0]["standings"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["name"].as_str().is_some_and(|name| name.starts_with("agent-"))), "{shown}");
    let text = shown.to_string();
    assert!(!text.contains("random_agent.py"), "the file of the cup has commands: {text}");
    // The copy of the journal outlives the server.
    server.served.crash();
    assert_eq!(shown_cup(&server.served.address)["games_done"], shown["games_done"]);
    cup.plays(&options);
    assert!(far.ends(), "after the end, all teams are told to go");
    let shown = shown_cup(&server.served.address);
    assert_eq!((&shown["state"], &shown["games_done"]), (&"ended".into(), &shown["games_planned"]));
    assert!(!shown["winners"].as_array().expect("a list").is_empty(), "{shown}");
}

/// Returns the cup of a server, as its web page has it.
fn shown_cup(address: &str) -> Value {
    let id = get(address, "/api/cups")["id"].as_str().expect("an id").to_owned();
    get(address, &format!("/api/cups/{id}"))
}

/// Returns what the web page of a server answers.
fn get(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    let body = body.find('{').zip(body.rfind('}')).map_or("", |(start, end)| &body[start..=end]);
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}
