//! `ahu cup`: cups, their interruptions, and their faults.

use std::fs;
use std::iter;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::lines::program_of;
use super::{ahu, refused};
use crate::programs::python;

/// The beginning of every cup.
pub(super) const HEAD: &str =
    "[cup]\nname = \"Test Cup\"\nanchor = \"greedy\"\n[clock]\nbank = \"60s\"\nstartup = \"60s\"\n";

/// The options that make a game of giants short.
pub(super) const SHORT: &str = "options = { board = \"tiny\", max_turns = \"3\" }\n";

/// A program of the line protocol that chooses at random, from its agent seed and the decision.
pub(super) const LINES: &str = r#"import json, os, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        random.seed(os.environ["AHU_AGENT_SEED"] + str(message["decision"]))
        print(random.choice(message["legal"])["action_id"], flush=True)
"#;

/// A cup in a folder of its own.
pub(super) struct Cup {
    pub(super) folder: TempDir,
}

impl Cup {
    /// Writes the file of a cup.
    pub(super) fn new(text: &str) -> Self {
        let cup = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::write(cup.file(), text).expect("it is new");
        cup
    }

    pub(super) fn file(&self) -> PathBuf {
        self.folder.path().join("cup.toml")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("cup.data")
    }

    /// Puts a salt into the folder, so that two cups have the same seeds.
    pub(super) fn with_salt(self) -> Self {
        fs::create_dir_all(self.data()).expect("a folder");
        fs::write(self.data().join("salt"), format!("{:064}\n", 7)).expect("it is new");
        self
    }

    pub(super) fn command(&self, command: &str, more: &[&str]) -> Command {
        let file = self.file().display().to_string();
        let arguments: Vec<_> = ["cup", command, &file].into_iter().chain(more.iter().copied()).collect();
        let mut command = ahu(&arguments);
        command.current_dir(self.folder.path());
        command
    }

    /// Runs a command that succeeds. Returns its output.
    pub(super) fn does(&self, command: &str, more: &[&str]) -> String {
        let output = self.command(command, more).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{command} {more:?}: {error}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs the cup to its end, verifies it, and returns the table.
    pub(super) fn plays(&self, more: &[&str]) -> Value {
        let arguments: Vec<_> = ["--json"].into_iter().chain(more.iter().copied()).collect();
        let table: Value = serde_json::from_str(&self.does("run", &arguments)).expect("JSON");
        self.does("verify", &["--salt-hash", table["salt_hash"].as_str().expect("text")]);
        table
    }

    /// Runs a command that fails. Returns the code and the error.
    pub(super) fn refuses(&self, command: &str, more: &[&str]) -> (i32, String) {
        let output = self.command(command, more).output().expect("it runs");
        (output.status.code().expect("no signal"), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Returns the events of the journal so far.
    pub(super) fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.data().join("journal.jsonl")).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Returns the results with a forfeit.
    pub(super) fn forfeits(&self) -> Vec<Value> {
        let has_forfeit = |event: &Value| {
            event["forfeits"].as_array().is_some_and(|all| all.iter().any(|forfeit| !forfeit.is_null()))
        };
        self.events().into_iter().filter(has_forfeit).collect()
    }

    pub(super) fn results(&self) -> usize {
        self.events().iter().filter(|event| event["event"] == "result").count()
    }

    /// Starts the cup, and returns once it has this number of results, or has ended.
    pub(super) fn starts_until(&self, results: usize, more: &[&str]) -> Child {
        let mut run = self.command("run", more);
        run.stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = run.spawn().expect("it runs");
        let deadline = Instant::now() + Duration::from_secs(120);
        while self.results() < results && run.try_wait().expect("a process").is_none() {
            assert!(Instant::now() < deadline, "expected {results} results in time, got {}", self.results());
            thread::sleep(Duration::from_millis(10));
        }
        run
    }
}

pub(super) fn bots(names: &[&str]) -> String {
    let agents: Vec<_> = names.iter().map(|name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n")).collect();
    agents.concat()
}

/// Returns the standings of a group as names and shares.
fn shares(table: &Value, stage: usize, group: usize) -> Vec<(String, f64)> {
    let rows = table["stages"][stage]["groups"][group].as_array().expect("a list");
    rows.iter()
        .map(|row| (row["agent"].as_str().expect("a name").to_owned(), row["share"].as_f64().expect("a share")))
        .collect()
}

#[test]
fn a_cup_of_bots_has_groups_and_a_final() {
    let stages = "[[stage]]\nname = \"groups\"\ngame = \"rapanui_cards\"\nblocks = 1\ngroups = 2\nadvance = 1\n\
                  [[stage]]\nname = \"final\"\ngame = \"rappanui\"\nblocks = 2\n";
    let text = format!("{HEAD}{stages}{}", bots(&["a", "b", "c", "d"]));
    let cup = Cup::new(&text);

    let plan = cup.does("plan", &[]);
    assert!(
        plan.contains("stage groups: rapanui_cards, 2 seats, 5 agents\n  6 tables of 2 games: 12 games\n"),
        "{plan}"
    );
    assert!(plan.contains("all stages: 24 games, at most "), "{plan}");
    let table = cup.plays(&[]);

    assert_eq!((&table["games"], &table["games_done"], &table["has_ended"]), (&24.into(), &24.into(), &true.into()));
    for group in 0..2 {
        let shares = shares(&table, 0, group);
        assert_eq!(shares.len(), 3, "two agents and the anchor");
        assert_eq!(shares[2].0, "greedy", "the anchor takes no place");
        assert!(shares[0].1 >= shares[1].1);
    }
    let advance: Vec<_> = table["stages"][0]["advance"].as_array().expect("a list").clone();
    let finalists: Vec<_> = shares(&table, 1, 0).into_iter().map(|(name, _)| Value::from(name)).collect();
    assert!(!advance.is_empty() && advance.iter().all(|name| finalists.contains(name)), "{advance:?} {finalists:?}");
    // The salt has the hash that was public, and the table is the same when the cup is shown later.
    let salt = table["salt"].as_str().expect("it is public");
    assert_eq!(salt, fs::read_to_string(cup.data().join("salt")).expect("a file").trim());
    let shown: Value = serde_json::from_str(&cup.does("table", &["--json"])).expect("JSON");
    assert_eq!(shown, table);
    assert_eq!(cup.plays(&[]), table, "a cup that has ended is not played again");
    assert!(cup.does("table", &[]).contains("the cup has ended; its salt is "));
}

#[test]
fn the_same_salt_gives_the_same_cup_at_any_concurrency() {
    let text = format!("game = \"rapanui_cards\"\nblocks = 2\nluck = \"shared\"\n{HEAD}{}", bots(&["a", "b", "c"]));
    let [one, four] = ["1", "4"].map(|concurrency| Cup::new(&text).with_salt().plays(&["--concurrency", concurrency]));
    assert_eq!(one, four);
}

/// Returns a free port of this machine that no connection gets by itself: a client that looks for a server at such a port
/// may find itself.
pub(super) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + u16::try_from(std::process::id() % 10_000).expect("it is small");
    // Each port is returned once: the tests of this process run at the same time.
    let mut ports = iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed)).take(1000);
    ports.find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).expect("a free port")
}

/// A remote agent, which is stopped when this value is dropped.
pub(super) struct Remote(pub(super) Child);

impl Remote {
    /// Makes the keys of a cup, and starts the agent "far", which tries again until the server accepts its key.
    pub(super) fn start(cup: &Cup, agent: &str, port: u16) -> Self {
        cup.does("keys", &["--out", "keys"]);
        let key = fs::read_to_string(cup.folder.path().join("keys/far.key")).expect("it was made");
        let mut far = Command::new("sh");
        far.args(["-c", &format!("while ! {agent}; do sleep 0.2; done")]);
        far.env("AHU_ADDRESS", format!("127.0.0.1:{port}")).env("AHU_KEY", key.trim());
        far.stdout(Stdio::null()).stderr(Stdio::null());
        // The shell and its agent end together.
        std::os::unix::process::CommandExt::process_group(&mut far, 0);
        Self(far.spawn().expect("it runs"))
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Returns a cup in two stages: commands in Python and in Rust, a command of the line protocol, a remote agent, and a bot.
fn five_agents() -> (Cup, Remote, u16) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let agent = format!("'{}' '{}'", python("agents"), folder.join("agents/python/random_agent.py").display());
    let games = std::env::var("AHU_KILLS").map_or(1, |_| 4);
    let text = format!(
        "{HEAD}[[stage]]\nname = \"groups\"\ngame = \"rapanui_cards\"\nblocks = {games}\nadvance = 3\n\
         [[stage]]\nname = \"final\"\ngame = \"giants\"\n{SHORT}seats = 3\nblocks = {games}\ndesign = \"cyclic\"\n\
         [[agent]]\nname = \"py\"\ncmd = \"{agent}\"\n\
         [[agent]]\nname = \"rust\"\ncmd = \"'{}'\"\n\
         [[agent]]\nname = \"lines\"\ncmd = \"jsonl:python3 lines.py\"\n\
         [[agent]]\nname = \"far\"\nremote = true\n\
         [[agent]]\nname = \"greedy\"\nbot = \"greedy\"\n",
        crate::rust_agent().display(),
    );
    let cup = Cup::new(&text).with_salt();
    fs::write(cup.folder.path().join("lines.py"), LINES).expect("it is new");
    let port = free_port();
    let far = Remote::start(&cup, &agent, port);
    (cup, far, port)
}

#[test]
fn a_cup_that_is_killed_ends_as_one_that_was_not() {
    let (cup, far, port) = five_agents();
    let listen = format!("127.0.0.1:{port}");
    let whole = cup.plays(&["--listen", &listen]);
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
    drop(far);
    let games = usize::try_from(whole["games"].as_u64().expect("a number")).expect("some");

    let (cup, _far, port) = five_agents();
    let listen = format!("127.0.0.1:{port}");
    let mut killed = 0;
    // The thresholds are spread over the cup, and fixed.
    for percent in [2, 21, 40, 63, 90] {
        let mut run = cup.starts_until(games * percent / 100, &["--listen", &listen]);
        killed += usize::from(run.try_wait().expect("a process").is_none());
        run.kill().expect("it is ours");
        run.wait().expect("it is ours");
    }
    assert!(killed >= 4, "expected a running cup to be killed, got {killed} kills");
    let table = cup.plays(&["--listen", &listen]);

    assert_eq!(table, whole, "the final table");
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
}

#[test]
fn an_agent_that_leaves_loses_the_games_that_are_left_and_one_that_comes_moves_no_seed() {
    let text = format!(
        "game = \"giants\"\n{SHORT}seats = 3\nblocks = 8\ndesign = \"cyclic\"\n{HEAD}{}",
        bots(&["a", "b", "c"])
    );
    // A slow bot keeps the cup running until the command has begun.
    let cup = Cup::new(&text.replacen("\"random\"", "\"search:10\"", 1)).with_salt();
    let mut run = cup.starts_until(4, &["--concurrency", "1"]);
    // The running cup makes the change.
    assert_eq!(
        cup.does("withdraw", &["b", "--reason", "no \"network\""]),
        "b is out, and loses the games that are left\n"
    );
    assert!(run.wait().expect("a process").success());
    cup.does("verify", &[]);
    let events = cup.events();
    let left = events.iter().position(|event| event["event"] == "withdraw").expect("it is kept");
    let of_b = |event: &&Value| {
        event["event"] == "result" && event["agents"].as_array().is_some_and(|all| all.contains(&"b".into()))
    };
    let seat = |event: &Value| {
        event["agents"].as_array().expect("a list").iter().position(|name| name == "b").expect("b plays")
    };
    let begun: Vec<_> = events[..left].iter().filter(|event| event["event"] == "start").collect();
    let mut lost = 0;
    for event in events[left..].iter().filter(of_b) {
        let was_running =
            begun.iter().any(|start| ["stage", "table", "game"].iter().all(|key| start[key] == event[key]));
        let has_left = event["forfeits"][seat(event)] == "left";
        assert!(was_running || has_left, "{event}");
        lost += usize::from(has_left);
    }
    assert!(lost > 0, "no game was left when b went out");
    let table: Value = serde_json::from_str(&cup.does("table", &["--json"])).expect("JSON");
    assert_eq!(table["agents"][1]["status"], "withdrawn");
    assert_eq!(table["agents"][1]["reason"], "no \"network\"");

    let (code, error) = cup.refuses("withdraw", &["x"]);
    assert_eq!(code, 2);
    assert!(error.contains("expected no event after the end of the cup"), "{error}");

    // An added agent is drawn after all other agents, so the seeds of the games do not change.
    let seeds = |cup: &Cup| -> Vec<String> {
        let is_record = |event: &&Value| event["event"] == "result" && !event["match"].is_null();
        let record = |event: &Value| {
            let path = format!("records/main/{:05}-{:02}.txt", event["table"].as_u64()?, event["game"].as_u64()?);
            let text = fs::read_to_string(cup.data().join(path)).ok()?;
            let seed = text.lines().find(|line| line.starts_with("seed "))?.to_owned();
            Some(format!("{} {} {seed}", event["table"], event["game"]))
        };
        let mut all: Vec<_> = cup.events().iter().filter(is_record).filter_map(record).collect();
        all.sort();
        all
    };
    let other = Cup::new(&text).with_salt();
    let mut run = other.starts_until(2, &["--concurrency", "1"]);
    run.kill().expect("it is ours");
    run.wait().expect("it is ours");
    fs::write(other.file(), format!("{text}{}", bots(&["late"]))).expect("a file");
    let (code, error) = other.refuses("run", &[]);
    assert_eq!(code, 2);
    assert!(error.contains("agent \"late\" is new: `ahu cup add ") && error.contains("line "), "{error}");
    other.does("add", &["late"]);
    let table = other.plays(&[]);
    assert!(table["games"].as_u64() > Some(72), "{table}");
    let (before, after) = (seeds(&cup), seeds(&other));
    assert!(before.len() > 4 && before.iter().all(|seed| after.contains(seed)), "{before:?} {after:?}");
    assert_eq!(other.refuses("add", &["late"]).0, 2, "it is in the cup");
}

#[test]
fn ctrl_c_lets_the_games_in_progress_end() {
    let text = format!("game = \"rapanui_cards\"\nblocks = 20\n{HEAD}{}", bots(&["a", "b", "c"]));
    let cup = Cup::new(&text);
    let mut run = cup.starts_until(5, &["--concurrency", "2"]);
    let interrupted = Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("it runs");
    assert!(interrupted.success());
    assert_eq!(run.wait().expect("a process").code(), Some(130));
    let events = cup.events();
    let [started, ended] = ["start", "result"].map(|kind| events.iter().filter(|event| event["event"] == kind).count());
    assert_eq!(started, ended, "every game that began has ended");
    assert!(ended < 240, "{ended}");
    assert_eq!(cup.plays(&[])["games_done"], 240);
}

#[test]
fn a_tie_is_broken_by_extra_blocks_and_by_lot() {
    // Two agents play alike, with a seed for each game, so they may tie. An agent advances in any case.
    let stages = "[[stage]]\nname = \"first\"\ngame = \"rapanui_cards\"\nblocks = 1\nadvance = 2\n\
                  [[stage]]\nname = \"last\"\ngame = \"rapanui_cards\"\nblocks = 1\n";
    let head = HEAD.replace("anchor", "tiebreak = [\"extra_blocks\"]\nanchor");
    let mut extra = 0;
    for salt in 0..6 {
        let cup = Cup::new(&format!("{head}{stages}{}", bots(&["a", "b", "c"]))).with_salt();
        fs::write(cup.data().join("salt"), format!("{salt:064}\n")).expect("a file");
        let table = cup.plays(&[]);
        assert_eq!(table["stages"][0]["advance"].as_array().map(Vec::len), Some(2));
        extra += cup.events().iter().filter(|event| event["event"] == "draw" && event["extra"] == true).count();
        assert_eq!(shares(&table, 1, 0).len(), 3);
    }
    assert!(extra > 0, "some of six cups have a tie at the line");
}

#[test]
fn agents_of_one_owner_do_not_meet() {
    let agent =
        |name: &str, owner: &str| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\nowner = \"{owner}\"\n");
    let agents = [("a", "t"), ("b", "t"), ("c", "u"), ("d", "u")].map(|(name, owner)| agent(name, owner)).concat();
    let cup = Cup::new(&format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}{agents}"));
    cup.plays(&[]);
    for event in cup.events().iter().filter(|event| event["event"] == "result") {
        let names: Vec<_> = event["agents"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert!(names != ["a", "b"] && names != ["b", "a"] && names != ["c", "d"] && names != ["d", "c"], "{names:?}");
    }
    let both = agent("a", "t") + &agent("b", "t");
    let cup = Cup::new(&format!("game = \"giants\"\nseats = 3\n{HEAD}{both}"));
    let (code, error) = cup.refuses("run", &[]);
    assert_eq!(code, 2);
    assert!(error.contains("agents of one owner must not meet") && !cup.data().exists(), "{error}");
}

#[test]
fn a_program_that_never_starts_forfeits_and_the_cup_goes_on() {
    let text = format!(
        "game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"dead\"\ncmd = \"echo no luck; exit 3\"\n{}",
        bots(&["a"])
    );
    let cup = Cup::new(&text);
    let output = cup.command("run", &["--json"]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("dead forfeits game main/") && error.contains("its program exited\n    no luck"), "{error}");
    let table: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let row =
        table["stages"][0]["groups"][0].as_array().expect("a list").iter().find(|row| row["agent"] == "dead").cloned();
    assert_eq!(row.expect("it has a place")["forfeits"], 4);
    let log = fs::read_to_string(cup.data().join("logs/dead.log")).expect("its output is kept");
    assert_eq!(log.matches("no luck").count(), 4, "{log}");
}

#[test]
fn a_bad_cup_is_refused_with_the_line() {
    let cup = |text: &str| Cup::new(text).refuses("run", &[]);
    let text = format!("game = \"rapanui_cards\"\n{HEAD}{}", bots(&["a", "b"]));
    for (from, to, message) in [
        ("bank = \"60s\"", "bank = \"0s\"", "line 5: expected a bank or a limit above 0"),
        ("game =", "gama =", "line 1: unknown key \"gama\"; did you mean \"game\"?"),
        ("name = \"b\"", "name = \"a\"", "expected a name of its own for each agent, got \"a\" twice"),
        (
            "anchor = \"greedy\"",
            "anchor = \"gredy\"",
            "line 4: agent \"gredy\" in stage \"main\": unknown bot \"gredy\"",
        ),
    ] {
        let (code, error) = cup(&text.replace(from, to));
        assert_eq!(code, 2, "{to}");
        assert!(error.contains(message), "{to}: expected {message:?}, got {error}");
    }
    let (code, error) = refused(&["cup", "run", "/no/cup.toml"]);
    assert!(code == 1 && error.contains("cannot read /no/cup.toml"), "{error}");
    let (_, error) = Cup::new(&text).refuses("table", &[]);
    assert!(error.contains("expected a cup that has begun"), "{error}");

    // The folder of another cup.
    let first = Cup::new(&text);
    first.plays(&[]);
    let other = Cup::new(&text.replace("Test Cup", "Other Cup"));
    let data = first.data().display().to_string();
    let (code, error) = other.refuses("run", &["--data", &data]);
    assert!(code == 2 && error.contains("which is that of \"Test Cup\""), "{error}");
    // A changed file.
    let changed = text.replace("bank = \"60s\"", "bank = \"61s\"");
    fs::write(first.file(), changed).expect("a file");
    let (code, error) = first.refuses("run", &[]);
    assert!(code == 2 && error.contains("line 5: clock was") && error.contains("put it back"), "{error}");
}

#[test]
fn a_file_that_gets_keys_keeps_its_mode_and_stays_behind_its_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let cup =
        Cup::new(&format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"far\"\nremote = true\n"));
    let real = cup.folder.path().join("shared.toml");
    fs::rename(cup.file(), &real).and_then(|()| symlink("shared.toml", cup.file())).expect("the folder is new");
    // The mask of the process would take the first bit of the group away.
    fs::set_permissions(&real, fs::Permissions::from_mode(0o620)).expect("it is ours");

    cup.does("keys", &["--out", "keys"]);

    assert_eq!(fs::read_link(cup.file()).expect("a link"), Path::new("shared.toml"));
    assert_eq!(fs::metadata(&real).expect("a file").permissions().mode() & 0o777, 0o620);
    assert!(fs::read_to_string(&real).expect("a file").contains("key = \""));
    assert!(!cup.folder.path().join("shared.toml.new").exists());
}

#[test]
fn remote_agents_have_keys_and_wrong_ones_are_refused() {
    let text = format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"far\"\nremote = true\n");
    let cup = Cup::new(&text);
    let (code, error) = cup.refuses("run", &[]);
    assert!(
        code == 2 && error.contains("expected a key for each remote agent, got none for far; `ahu cup keys"),
        "{error}"
    );
    fs::write(cup.folder.path().join("teams.csv"), "name,owner\nfar,t1\n\"more\",\"t, 2\"\n").expect("a file");
    let out = cup.does("keys", &["--from", "teams.csv", "--out", "keys"]);
    assert!(out.starts_with("keys in keys: 2"), "{out}");
    let file = fs::read_to_string(cup.file()).expect("a file");
    assert!(file.contains("owner = \"t, 2\"\nremote = true\nkey = \""), "{file}");
    let key = fs::read_to_string(cup.folder.path().join("keys/far.key")).expect("a file");
    assert!(!file.contains(key.trim()), "the file has hashes alone");
    assert!(cup.does("keys", &["--out", "keys"]).contains("every remote agent has a key"));
    cup.does("keys", &["--renew", "far", "--out", "keys"]);
    assert_ne!(fs::read_to_string(cup.folder.path().join("keys/far.key")).expect("a file"), key);
    assert_eq!(cup.refuses("keys", &["--renew", "greedy", "--out", "keys"]).0, 2);
    // A team keeps the key that it has.
    let account_key = ahu_service::accounts::new_key();
    fs::write(cup.folder.path().join("keys/old.key"), format!("{}\n", account_key.secret())).expect("a file");
    fs::write(cup.folder.path().join("more.csv"), "name\nold\n").expect("a file");
    let out = cup.does("keys", &["--from", "more.csv", "--out", "keys"]);
    assert!(out.starts_with("keys in keys: 1"), "{out}");
    let hash = ahu_core::hex(&account_key.hash());
    assert!(fs::read_to_string(cup.file()).expect("a file").contains(&hash), "the file expects the key of the account");
    assert_eq!(
        fs::read_to_string(cup.folder.path().join("keys/old.key")).expect("a file").trim(),
        account_key.secret()
    );
    // One key for two agents.
    let file = fs::read_to_string(cup.file()).expect("a file");
    let hashes: Vec<_> = file.lines().filter(|line| line.starts_with("key = ")).collect();
    fs::write(cup.file(), file.replace(hashes[1], hashes[0])).expect("a file");
    let (code, error) = cup.refuses("run", &[]);
    assert!(
        code == 2 && error.contains("expected a key of its own for each agent, got that of \"far\" again"),
        "{error}"
    );
}

#[test]
fn a_remote_agent_that_never_comes_forfeits_when_the_time_is_up() {
    let head = HEAD
        .replace("anchor", "until = 2020-01-01T00:00:00Z\nabsent = \"0.5s\"\nanchor")
        .replace("startup = \"60s\"", "startup = \"0.1s\"");
    let text = format!(
        "game = \"rapanui_cards\"\nblocks = 1\n{}[[agent]]\nname = \"far\"\nremote = true\n",
        head.replace("60s", "0.2s")
    );
    let cup = Cup::new(&text);
    cup.does("keys", &["--out", "keys"]);
    let table = cup.plays(&[]);
    assert_eq!(table["has_ended"], true);
    assert_eq!(shares(&table, 0, 0)[0], ("far".to_owned(), 0.0));
}

#[test]
fn a_remote_agent_reaches_a_cup_without_other_programs() {
    let text = format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"far\"\nremote = true\n");
    let cup = Cup::new(&text);
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/python/random_agent.py");
    let port = free_port();
    let _far = Remote::start(&cup, &format!("'{}' '{}'", python("agents"), agent.display()), port);
    // With `--json` the command does not ask for the address.
    cup.plays(&["--listen", &format!("127.0.0.1:{port}")]);
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
}

#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
#[test]
fn a_program_in_a_jail_reaches_the_server_through_its_socket_alone() {
    let Some(jail) = program_of(&["bwrap"]) else { return };
    let python = python("agents");
    let probe = Command::new(jail).args(["--unshare-all", "--ro-bind", "/", "/", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("skipped: bwrap may not create namespaces here");
        return;
    }
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/python/random_agent.py");
    let wrapper = "wrapper = [\"bwrap\", \"--unshare-all\", \"--die-with-parent\", \"--ro-bind\", \"/\", \"/\", \"--dev\", \"/dev\", \
                   \"--proc\", \"/proc\", \"--bind\", \"{socket}\", \"{socket}\"]";
    let text = format!(
        "game = \"rapanui_cards\"\nblocks = 1\n{HEAD}[[agent]]\nname = \"jailed\"\ncmd = \"'{python}' '{}'\"\n{wrapper}\n",
        agent.display()
    );
    let table = Cup::new(&text).plays(&[]);
    let rows = table["stages"][0]["groups"][0].as_array().expect("a list");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["forfeits"] == 0), "{table}");
}
