//! `ahu mcp`: tools for one client over stdin and stdout.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::served::Served;
use super::{ahu, printed, refused};

/// The program, and its client.
struct Tools {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    calls: u64,
}

impl Tools {
    fn start(arguments: &[&str]) -> Self {
        let state = tempfile::tempdir().expect("a folder");
        Self::start_in(state.path(), arguments)
    }

    /// Starts the program for a user whose programs keep their state in this folder.
    fn start_in(state: &Path, arguments: &[&str]) -> Self {
        let mut command = ahu(&[&["mcp"], arguments].concat());
        command.env("XDG_STATE_HOME", state);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (stdin, stdout) = (process.stdin.take().expect("a pipe"), process.stdout.take().expect("a pipe"));
        let mut tools = Self { process, stdin, stdout: BufReader::new(stdout), calls: 0 };
        let client = json!({"name": "test", "version": "1"});
        let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = tools.answer("initialize", &begin);
        assert_eq!(answer["result"]["serverInfo"]["name"], json!("ahu"), "{answer}");
        tools.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        tools
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("it reads");
    }

    /// Sends a request, and returns its answer.
    fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}).to_string());
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(answer["id"], json!(self.calls), "{answer}");
        answer
    }

    /// Calls a tool. Returns its text; the error is its text too.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        let answer = self.answer("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        if result["isError"] == json!(true) { Err(text) } else { Ok(text) }
    }

    /// Plays the first listed action of each decision to the end of the match.
    fn play(&mut self, mut text: String) -> String {
        while !text.contains("The match is finished.") {
            let (number, legal) = question(&text);
            text = self.call("act", &json!({"decision": number, "actions": [legal[0]]})).expect("it is legal");
        }
        text
    }

    /// Closes the side of the client, and waits for the end of the program.
    fn end(self) {
        let Self { mut process, stdin, stdout, .. } = self;
        drop(stdin);
        assert_eq!(stdout.lines().count(), 0, "nothing follows the last answer");
        assert!(process.wait().expect("it ends").success());
    }
}

/// Returns the number of the open decision in a text, and the legal actions.
fn question(text: &str) -> (u64, Vec<String>) {
    let (_, rest) = text.split_once("\nDecision ").unwrap_or_else(|| panic!("{text}"));
    let number = rest.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    (number, rest.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect())
}

fn records(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    files.map(|file| std::fs::read_to_string(file).expect("a record")).collect()
}

#[test]
fn a_match_in_this_process_begins_at_once_and_leaves_its_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("records");
    let arguments = ["--local", "rappanui", "--opponents", "random", "--seats", "3", "--seat", "1", "--seed", "8"];
    let more = ["--name", "a model", "--records", kept.to_str().expect("a path")];
    let mut tools = Tools::start(&[&arguments[..], &more].concat());
    let text = tools.call("look", &json!({})).expect("the match is there");
    assert!(text.contains("You have seat 1.") && !text.contains("Time left"), "{text}");
    // The same call again takes no second seat.
    let [first, again] = [0, 1].map(|_| tools.call("join", &json!({})).expect("the match goes on"));
    assert_eq!(first, again);
    assert!(first.contains("rappanui at 3 seats") && first.contains("seat 1: player \"a model\"\n"), "{first}");
    let end = tools.play(text);
    assert!(end.contains("seat 1 (you): rank "), "{end}");
    // The next match has the next seed.
    let next = tools.call("join", &json!({})).expect("a new match begins");
    assert!(next.contains("You have seat 1.") && next.lines().next() != first.lines().next(), "{next}");
    let end = tools.play(next);
    assert!(!end.contains("seed"), "{end}");
    tools.end();
    let mut seeds: Vec<_> = records(&kept).iter().filter_map(|record| seed(record)).collect();
    seeds.sort();
    assert_eq!(seeds, ["8", "9"]);
}

#[test]
fn a_call_for_the_open_match_takes_no_second_seat_and_one_for_another_game_begins_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("records");
    let arguments = ["--local", "rappanui", "--opponents", "random", "--records", kept.to_str().expect("a path")];
    let mut tools = Tools::start(&arguments);
    let [first, named] = [json!({}), json!({"game": "rappanui", "seats": 2, "seat": 0, "options": {}})]
        .map(|asked| tools.call("join", &asked).expect("the match goes on"));
    assert_eq!(first, named);
    for (asked, expected) in [
        (json!({"seats": 3}), "rappanui at 3 seats"),
        (json!({"game": "rapanui_cards"}), "rapanui_cards at 2 seats"),
        (json!({"game": "giants", "seats": "4"}), "giants at 4 seats"),
        (json!({"game": "rappanui", "opponents": "greedy"}), "bot \"greedy@"),
    ] {
        let text = tools.call("join", &asked).expect("a match begins");
        assert!(
            text.contains(expected) && text.contains("Decision 1 is yours.") || text.contains("waiting:"),
            "{text}"
        );
        assert_ne!(text.lines().next(), first.lines().next());
    }
    let refused = tools.call("join", &json!({"game": "giants", "seats": 6})).expect_err("giants has no such seats");
    assert!(refused.starts_with("BAD_SEAT_COUNT: "), "{refused}");
    tools.end();

    // The folder is in use by then.
    let mut tools = Tools::start(&arguments);
    let text = tools.call("look", &json!({})).expect("the match is there");
    tools.play(text);
    tools.end();
    let records = records(&kept);
    let abandoned = records.iter().filter(|record| record.contains("the player left")).count();
    assert_eq!((records.len(), abandoned), (6, 5), "{records:?}");
}

#[test]
fn a_restarted_program_finds_its_seat_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let accounts = data.to_str().expect("a path");
    printed(&["accounts", "add", "moai", "--data", accounts]);
    // A key that plays and creates, and may ask about no match.
    let key = folder.path().join("key");
    let file = key.to_str().expect("a path");
    printed(&["keys", "new", "moai", "--scope", "play,create", "--out", file, "--data", accounts]);
    let served = Served::start(&data, &["--require-key"]);
    let (address, state) = (served.address.clone(), folder.path().join("state"));
    let start = || Tools::start_in(&state, &["--server", &address, "--account-key", file]);
    let mut tools = start();
    let asked = json!({"game": "rappanui", "opponents": ["random"]});
    let joined = tools.call("join", &asked).expect("there is room");
    let handle = joined.lines().next().and_then(|line| line.strip_prefix("match: ")).expect("a name").to_owned();
    // Another process beside it has no seat of it.
    let mut other = start();
    other.call("look", &json!({})).expect_err("it has no match");
    other.end();
    tools.process.kill().expect("it runs");
    tools.process.wait().expect("it ends");

    let mut tools = start();
    let seen = tools.call("look", &json!({})).expect("the seat is kept");
    assert_eq!(question(&seen), question(&joined));
    let (number, legal) = question(&seen);
    let text =
        tools.call("act", &json!({"match": handle, "decision": number, "actions": legal[0]})).expect("it plays on");
    tools.play(text);
    tools.end();
    let mut tools = start();
    tools.call("look", &json!({})).expect_err("the match has ended");
    tools.end();
    let files: Vec<_> = std::fs::read_dir(state.join("ahu/mcp")).expect("a folder").collect();
    for file in files {
        let mode = file.and_then(|file| file.metadata()).expect("a file").permissions().mode();
        assert_eq!(mode & 0o77, 0, "it has tokens");
    }
}

/// Returns the seed in a record.
fn seed(record: &str) -> Option<String> {
    record.lines().find_map(|line| line.strip_prefix("seed ")).map(str::to_owned)
}

#[test]
fn lines_that_are_no_messages_are_skipped_or_refused_and_the_client_goes_on() {
    let mut tools = Tools::start(&["--local", "rappanui"]);
    for line in ["", "{", "nonsense", "\u{7}\u{1b}[2J", &"[".repeat(100_000), &"x".repeat(1_000_000)] {
        tools.send(line);
    }
    tools.call("look", &json!({})).expect("it goes on");
    let error = tools.call("act", &json!({"decision": 1, "actions": ["sing"]})).expect_err("it is no action");
    assert!(error.starts_with("BAD_ACTION: ") && error.contains("Decision 1 is open."), "{error}");
    let unknown = tools.answer("tools/call", &json!({"name": "seed", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], json!(-32602), "{unknown}");
    let resource = tools.answer("resources/read", &json!({"uri": "file:///etc/passwd"}));
    let message = resource["error"]["message"].as_str().expect("an error");
    assert_eq!(message, "expected a resource of the list, got \"file:///etc/passwd\"");
    let rules = tools.answer("resources/read", &json!({"uri": "ahu://rules/giants"}));
    assert!(rules["result"]["contents"][0]["text"].as_str().expect("a text").starts_with("# Giants"), "{rules}");
    tools.end();
}

#[test]
fn a_seat_of_a_server_is_played_over_a_connection_that_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut served = Served::start(&folder.path().join("data"), &[]);
    let address = served.address.clone();
    let mut tools = Tools::start(&["--server", &address, "--name", "moai"]);
    let asked = json!({"game": "rappanui", "opponents": ["random"]});
    let joined = tools.call("join", &asked).expect("there is room");
    let (number, legal) = question(&joined);
    let handle = joined.lines().next().and_then(|line| line.strip_prefix("match: ")).expect("a name");
    assert!(!handle.contains(':'), "the program keeps the token: {handle}");
    served.crash();
    let text = tools.call("act", &json!({"decision": number, "actions": [legal[0]]})).expect("it connects again");
    assert!(text.starts_with(&format!("Applied at decision {number}: {}", legal[0])), "{text}");
    served.crash();
    assert_eq!(question(&tools.call("look", &json!({})).expect("it connects again")), question(&text));
    tools.end();
}

#[test]
fn arguments_that_cannot_be_are_refused_before_anything_is_served() {
    for (arguments, expected) in [
        (&["mcp"][..], "--server <HOST:PORT>|--local <GAME>"),
        (&["mcp", "--server", "x:1", "--local", "giants"], "cannot be used with"),
        (&["mcp", "--server", "x:1", "--seed", "5"], "cannot be used with"),
        (&["mcp", "--local", "giants", "--account-key", "x"], "cannot be used with"),
        (&["mcp", "--local", "chess"], "chess"),
        (&["mcp", "--local", "giants", "--opponents", "wise"], "--opponents: "),
        (&["mcp", "--local", "giants", "--opponents", "greedy,greedy,greedy,greedy,greedy"], "6"),
        (&["mcp", "--local", "giants", "--seats", "4", "--opponents", "greedy,random"], "expected 1 bot or 3"),
        (&["mcp", "--local", "giants", "--seat", "7"], "7"),
        (&["mcp", "--local", "giants", "--option", "x=1"], "x"),
        (&["mcp", "--local", "giants", "--name", "a  b"], "name"),
        (&["mcp", "--server", "http:///"], "--server: expected HOST:PORT"),
    ] {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.contains(expected), "{arguments:?}: {code} {error}");
    }
    let (code, error) = refused(&["mcp", "--server", "127.0.0.1:1"]);
    assert!(code == 1 && error.contains("cannot reach a server at 127.0.0.1:1"), "{error}");
}
