//! `ahu play --web` and `--pause`: the author of an agent beside a match.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{ahu, printed, refused, typed};

/// A program of the line protocol for a shell, which plays the first legal action.
const FIRST: &str = r#"jsonl:while read -r l; do case $l in *'"decide"'*) printf '%s\n' "$l" | sed 's/.*"legal":\[{"action_id":\([0-9]*\),.*/\1/';; esac; done"#;

/// A match in progress.
struct Playing {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Playing {
    fn start(arguments: &[&str]) -> Self {
        let mut command = ahu(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, stdin, stdout }
    }

    /// Returns the next line that has this text.
    fn line_with(&mut self, text: &str) -> String {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(self.stdout.read_line(&mut line).expect("text") > 0, "expected a line with {text:?}, got the end");
        }
        line
    }

    fn types(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("it reads");
    }

    /// Waits for the end. Returns the rest of the output.
    fn ends(mut self) -> String {
        drop(self.stdin);
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("text");
        assert!(self.child.wait().expect("it ends").success());
        rest
    }
}

/// Sends a request. Returns the status and the body.
pub(super) fn send(host: &str, request: &str, cookie: &str, body: &str) -> (u16, String) {
    let mut socket = TcpStream::connect(host).expect("it listens");
    let length = body.len();
    write!(
        socket,
        "{request} HTTP/1.0\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .expect("it reads");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("the head has an end");
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}

#[test]
fn decisions_wait_for_enter() {
    let arguments = ["play", "rappanui", "greedy", "random", "--seed", "7"];
    let mut playing = Playing::start(&[&arguments[..], &["--pause"]].concat());
    playing.line_with("Enter releases");
    playing.line_with("draws 4 cards");
    thread::sleep(Duration::from_millis(200));
    playing.types("");
    let first = playing.line_with("plays ");
    playing.types("go");
    playing.types("next");
    playing.types("next 1");
    playing.types("run");
    let rest = playing.ends();
    let whole = printed(&arguments);
    let (_, after) = whole.split_once(&first).expect("the same decision comes first");
    assert_eq!(rest, after, "the match is the same, one by one and without stops");

    // Without input, nobody could release a decision.
    let output = typed(&[&arguments[..], &["--pause"]].concat(), "\n\n");
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.ends_with(after), "{error}");
}

#[test]
fn the_page_of_a_match_shows_the_seat_of_its_program_and_stays() {
    let mut playing =
        Playing::start(&["play", "rappanui", FIRST, "greedy", "--seed", "7", "--web", "--no-open", "--pause"]);
    let line = playing.line_with("The page as seat 0 sees it: ");
    let address = line.trim().rsplit_once("http://").expect("an address").1;
    let (page, secret) = address.split_once('#').expect("a token");
    let (host, path) = page.split_once('/').expect("a path");
    let token = secret.strip_prefix("seat=0&token=").expect("the token of seat 0");
    let cookie = format!("ahu-seat-0={token}");
    assert_eq!(send(host, &format!("GET /{path}"), "", "").0, 200);
    let api = format!("/api/{path}");
    assert_eq!(send(host, &format!("POST {api}/seat"), "", &format!("{{\"token\": \"{token}\"}}")).0, 204);
    let describe = |cookie: &str| -> Value {
        let (status, body) = send(host, &format!("GET {api}"), cookie, "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    };
    let described = describe(&cookie);
    assert_eq!((&described["state"], &described["debugged"]), (&"running".into(), &true.into()));
    assert_eq!(described["may_watch"], serde_json::json!(["public", "0"]));
    assert_eq!(describe("")["may_watch"], serde_json::json!(["public"]), "others see no hand");
    let change_to =
        |pace: &str| send(host, &format!("POST {api}/debug?as=0"), &cookie, &format!("{{\"pace\": \"{pace}\"}}"));
    assert_eq!(change_to("step").0, 204);
    playing.line_with("seat 0 plays ");
    assert_eq!(change_to("run").0, 204);
    playing.line_with("The page stays at ");
    let (_, states) = send(host, &format!("GET {api}/debug?as=0"), &cookie, "");
    assert!(states.contains("\"pausing\":false,\"answers\":[{\"decision\":"), "{states}");
    assert_eq!(describe("")["state"], "finished");
    playing.types("");
    assert_eq!(playing.ends(), "");
    assert!(TcpStream::connect(host).is_err(), "the page ends with the program");
}

#[test]
fn a_person_plays_on_the_page_and_the_terminal_asks_nothing() {
    let mut playing =
        Playing::start(&["play", "rapanui_cards", "human", "greedy", "--seed", "7", "--web", "--no-open"]);
    let line = playing.line_with("Play seat 0 here: ");
    let (page, secret) =
        line.trim().rsplit_once("http://").and_then(|(_, address)| address.split_once('#')).expect("a token");
    let (host, path) = page.split_once('/').expect("a path");
    let token = secret.strip_prefix("seat=0&token=").and_then(|rest| rest.strip_suffix("&play=1")).expect("the token");
    let cookie = format!("ahu-seat-0={token}");
    let post = |method: &str, value: Value| {
        send(host, &format!("POST /api/{path}/{method}?as=0"), &cookie, &value.to_string())
    };
    let mut decision = 1;
    let state = || {
        let (_, described) = send(host, &format!("GET /api/{path}"), &cookie, "");
        serde_json::from_str::<Value>(&described).expect("JSON")["state"].clone()
    };
    while state() == "running" {
        let (status, drafted) = post("draft", serde_json::json!({"decision": decision, "actions": []}));
        if status == 409 {
            // The bot decides, or the match has just ended.
            std::thread::sleep(std::time::Duration::from_millis(5));
            continue;
        }
        let drafted: Value = serde_json::from_str(&drafted).expect("JSON");
        let steps = drafted["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .chain(drafted["legal"].as_array().expect("a list").first());
        let actions: Vec<Value> = steps.map(|step| step["id"].clone()).collect();
        let count = actions.len();
        assert_eq!(post("answer", serde_json::json!({"decision": decision, "actions": actions})).0, 204);
        decision += count;
    }
    playing.line_with("The page stays at ");
    playing.types("");
    assert_eq!(playing.ends(), "");
}

#[test]
fn the_result_on_stdout_is_json_beside_a_page() {
    let output = typed(&["play", "giants", "random", "random", "random", "--web", "--no-open", "--json"], "");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    assert_eq!(result["game"], "giants");
    assert!(error.contains("The page: http://127.0.0.1:") && error.contains("The page stays at http://"), "{error}");
}

#[test]
fn people_and_clocks_do_not_go_with_a_pause() {
    for (more, expected) in [
        (&["human", "greedy", "--pause"][..], "--pause cannot be used with a human seat"),
        (&["greedy", "greedy", "--pause", "--tc", "5"], "cannot be used with"),
        (&["greedy", "greedy", "--pause", "--patience", "5"], "cannot be used with"),
        (&["greedy", "greedy", "--no-open"], "--web"),
    ] {
        let (code, error) = refused(&[&["play", "rappanui"], more].concat());
        assert!(code == 2 && error.contains(expected), "{more:?}: {error}");
    }
}
