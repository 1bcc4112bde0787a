//! `ahu benchmark`: suites, reports, and their faults.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use ahu_contest::GamesLog;
use ahu_contest::PlannedGame;
use ahu_contest::cup::Salt;
use ahu_contest::suite::{GamePlace, LogClaim, PriceFile, Report, SCHEMA, Suite, SuiteCell, SuitePlan, plan_of};
use ahu_host::{Record, Referee, SeatPlayer, Terms, find};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::ahu;
use super::lines::program_of;
use super::shards::files;

/// A suite of two small cells. The first has a search among its opponents; those of the second count as held out.
pub(super) const SUITE: &str = r#"
name = "tiny"
quick = 1
minutes = 0.1
[clock]
startup = "60s"
limit = "60s"
[conduct]
stand_in = "greedy@2"
[[cell]]
name = "cards"
game = "rapanui_cards"
rules = 1
seats = 2
opponents = ["search@1:2"]
blocks = 2
decisions = 100
random = -0.9
reference = { bot = "greedy@2", utility = 0.1 }
[[cell]]
name = "deck"
game = "rappanui"
rules = 1
seats = 3
options = { combine_rule = "true" }
opponents = ["greedy@2", "random@1"]
held_out = true
blocks = 2
decisions = 100
random = -0.6
reference = { bot = "greedy@2", utility = 0.3 }
"#;

/// A program of the line protocol that chooses at random, from its agent seed and the decision.
const LINES: &str = r#"import json, os, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        random.seed(os.environ["AHU_AGENT_SEED"] + str(message["decision"]) + "".join(sys.argv[1:]))
        print(random.choice(message["legal"])["action_id"], flush=True)
"#;

/// A folder with a suite and an agent in it.
pub(super) struct SuiteFolder {
    folder: TempDir,
}

impl SuiteFolder {
    pub(super) fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::write(bench.path("tiny.toml"), SUITE).expect("it is new");
        fs::write(bench.path("agent.py"), LINES).expect("it is new");
        bench
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = ahu(&[&["benchmark"], arguments].concat());
        command.current_dir(self.folder.path());
        command
    }

    /// Runs a command that succeeds. Returns its output.
    pub(super) fn does(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a command that fails. Returns its code and its error.
    pub(super) fn refuses(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command(arguments).output().expect("it runs");
        let error = String::from_utf8(output.stderr).expect("text");
        assert!(!error.contains("panicked"), "{error}");
        (output.status.code().expect("it ended by itself"), error)
    }

    /// Plays the suite. Returns the report.
    pub(super) fn plays(&self, agent: &str, out: &str, more: &[&str]) -> Value {
        let all = [&["run", "tiny.toml", "--agent", agent, "--out", out, "--json"], more].concat();
        serde_json::from_str(&self.does(&all)).expect("JSON")
    }

    pub(super) fn check(&self, out: &str, more: &[&str]) -> Result<Value, String> {
        let all = [&["verify", out, "--suite", "tiny.toml", "--json"], more].concat();
        let output = self.command(&all).output().expect("it runs");
        let error = String::from_utf8(output.stderr).expect("text");
        assert!(!error.contains("panicked"), "{error}");
        let Ok(value) = serde_json::from_slice::<Value>(&output.stdout) else { return Err(error) };
        assert_eq!(output.status.success(), value["valid"] != false, "{error}");
        match value["valid"] == true {
            true => Ok(value),
            false => Err(value["faults"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|fault| fault.as_str().expect("text").to_owned() + "\n")
                .collect()),
        }
    }

    /// Copies a folder.
    fn copy(&self, from: &Path, to: &str) -> PathBuf {
        let to = self.path(to);
        copy(from, &to);
        to
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a file")),
        }
    }
}

/// Returns a report about a bot. All alterations change copies of it.
fn sound() -> &'static (SuiteFolder, PathBuf) {
    static SOUND: OnceLock<(SuiteFolder, PathBuf)> = OnceLock::new();
    SOUND.get_or_init(|| {
        let bench = SuiteFolder::new();
        bench.plays("greedy@1", "sound", &[]);
        bench.check("sound", &["--sample", "1"]).expect("it is sound");
        let folder = bench.path("sound");
        (bench, folder)
    })
}

fn plan(folder: &Path) -> (SuitePlan, Report) {
    let report = Report::read(&fs::read_to_string(folder.join("report.json")).expect("a file")).expect("a report");
    (plan_of(&report.manifest(), Suite::read(SUITE).expect("a suite")).expect("a plan"), report)
}

/// Returns the report without the values that times, machines, and interruptions change.
fn timeless(mut report: Value) -> Value {
    for cell in report["cells"].as_array_mut().expect("a list") {
        cell["decision_ms"] = Value::Null;
    }
    for key in ["time", "machine", "log"] {
        report[key] = Value::Null;
    }
    report["records"]["digest"] = Value::Null;
    report
}

#[test]
fn a_bot_plays_a_suite_and_its_report_is_sound() {
    let (bench, folder) = sound();
    let report: Value = serde_json::from_slice(&fs::read(folder.join("report.json")).expect("a file")).expect("JSON");
    assert_eq!(report["agent"]["player"], "greedy@1");
    assert_eq!(report["records"]["count"], 2 * 2 + 2 * 3);
    let normalised = &report["cells"][0]["normalised"]["mean"];
    let utility = report["cells"][0]["utility"]["mean"].as_f64().expect("a number");
    assert!((normalised.as_f64().expect("a number") - (utility + 0.9)).abs() < 1e-9, "{normalised} {utility}");
    let checked = bench.check("sound", &["--rerun", "2"]).expect("it is sound");
    assert_eq!(checked["records"], 10);
    assert!(checked["games_played_again"].as_u64() >= Some(4), "{checked}");
    let page = fs::read_to_string(folder.join("report.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    let cores = report["machine"]["cores"].as_u64().expect("a number");
    let deviation = report["cells"][0]["block_deviation"].as_f64().expect("a number");
    for part in [
        "<th scope=\"col\">blocks</th>".to_owned(),
        "<th scope=\"col\">ms a decision (median, 99 %)</th>".to_owned(),
        format!("<td>{deviation:.3}</td>"),
        "<th scope=\"row\">budget of a decision</th><td>none</td>".to_owned(),
        format!(", {cores} core"),
        "10 games, 0 forfeits, 1 run. ".to_owned(),
    ] {
        assert!(page.contains(&part), "expected {part}, got {page}");
    }
    // Each kind of opponents has one cell here.
    let [split, cells] = ["/aggregate/split", "/cells"].map(|place| report.pointer(place).expect("the report has it"));
    let [mean, low] = ["mean", "low"].map(|end| move |interval: &Value| interval[end].as_f64().expect("a number"));
    for (kind, cell) in [("familiar", 0), ("held_out", 1)] {
        let (own, of_cell) = (&split[kind], &cells[cell]["normalised"]);
        assert!(
            (mean(own) - mean(of_cell)).abs() < 1e-12 && (low(own) - low(of_cell)).abs() < 1e-12,
            "{own} {of_cell}"
        );
    }
    assert!((mean(&split["gap"]) - (mean(&split["familiar"]) - mean(&split["held_out"]))).abs() < 1e-12, "{split}");
    assert_eq!((&cells[0]["held_out"], &cells[1]["held_out"]), (&Value::Null, &json!(true)));
    assert_eq!(report["agent"]["declares"], json!({"trained-on-held-out": "no"}), "it is known of our bots");
    for part in ["With familiar opponents ", ": a gap of ", "Trained against held-out opponents: no."] {
        assert!(page.contains(part), "expected {part}, got {page}");
    }
    let again = bench.does(&["run", "tiny.toml", "--agent", "greedy@1", "--out", "sound", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&again).expect("JSON"), report, "nothing is left to play");
}

#[test]
fn two_runs_of_a_program_that_repeats_itself_agree_but_for_times() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    let agent = format!("det=jsonl:{python} agent.py");
    let [one, other] = ["one", "other"].map(|out| bench.plays(&agent, out, &["--concurrency", "2"]));
    assert_eq!(timeless(one.clone()), timeless(other));
    let [blocks, others] = ["one", "other"].map(|out| fs::read(bench.path(out).join("blocks.csv")).expect("a file"));
    assert_eq!(blocks, others);
    assert!(one["cells"][0]["decision_ms"]["p99"].is_u64(), "{one}");
    assert!(one["agent"]["files"]["agent.py"].is_string(), "{one}");
    bench.check("one", &["--rerun", "1"]).expect("it is sound");

    // The check refuses a program that differs from the program that played.
    let other = LINES.replace("message[\"decision\"]", "1 + message[\"decision\"]");
    fs::write(bench.path("agent.py"), other).expect("a file");
    let error = bench.check("one", &["--rerun", "1"]).expect_err("it is another program");
    let expected = "--rerun: expected the file agent.py of the agent with the SHA-256 ";
    assert!(error.contains(expected) && error.contains("is started in the current folder"), "{error}");
    bench.check("one", &[]).expect("without --rerun nobody needs the program");
    fs::rename(bench.path("agent.py"), bench.path("away.py")).expect("a file");
    let error = bench.check("one", &["--rerun", "1"]).expect_err("it is not here");
    assert!(error.contains("--rerun: cannot read agent.py, a file of the agent: "), "{error}");
    fs::rename(bench.path("away.py"), bench.path("agent.py")).expect("a file");
    let (code, error) = bench.refuses(&["run", "tiny.toml", "--agent", &agent, "--out", "one"]);
    assert_eq!(code, 2);
    assert!(error.contains("expected the same agent.files.agent.py as when the run in one began"), "{error}");
}

#[test]
fn the_timeless_digest_does_not_depend_on_the_name_of_the_agent() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    let [one, other] = ["one", "other"].map(|name| bench.plays(&format!("{name}=jsonl:{python} agent.py"), name, &[]));
    assert_eq!([&one["agent"]["name"], &other["agent"]["name"]], ["one", "other"]);
    assert_eq!(one["records"]["timeless_digest"], other["records"]["timeless_digest"]);
    let [blocks, others] = ["one", "other"].map(|out| fs::read(bench.path(out).join("blocks.csv")).expect("a file"));
    assert_eq!(blocks, others, "blocks.csv has the timeless digest of each block");
    // Other actions have another digest.
    fs::write(bench.path("agent.py"), LINES.replace("random.choice(message[\"legal\"])", "message[\"legal\"][0]"))
        .expect("a file");
    let first = bench.plays(&format!("one=jsonl:{python} agent.py"), "first", &[]);
    assert_ne!(one["records"]["timeless_digest"], first["records"]["timeless_digest"]);
}

#[test]
fn other_actions_of_the_same_files_are_found() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    // The report has no hash of a file that the command does not name.
    let agent = LINES.replace("import json", "import pathlib; salt = pathlib.Path('salt').read_text()\nimport json");
    fs::write(bench.path("agent.py"), agent.replace("os.environ", "salt + os.environ")).expect("a file");
    fs::write(bench.path("salt"), "1").expect("it is new");
    bench.plays(&format!("det=jsonl:{python} agent.py"), "one", &[]);
    bench.check("one", &["--rerun", "1"]).expect("it is sound");
    fs::write(bench.path("salt"), "2").expect("a file");
    let error = bench.check("one", &["--rerun", "1"]).expect_err("it chooses otherwise");
    assert!(error.contains("expected the same actions from the agent, got others from entry "), "{error}");
}

#[test]
fn a_run_without_a_game_leaves_its_folder_to_the_next() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    let (_, error) = bench.refuses(&["run", "tiny.toml", "--agent", "net=jsonl:./nothing", "--out", "out"]);
    assert!(error.contains("agent net did not begin to play its first game"), "{error}");
    let agent = format!("net=jsonl:{python} agent.py");
    let report = bench.plays(&agent, "out", &["--quick"]);
    assert_eq!(report["agent"]["player"], agent.split_once('=').expect("a name").1);
    assert!(!fs::read_to_string(bench.path("out/logs/net.log")).expect("a log").contains("nothing"));
    // The log stays, and counts the games that were started for the other run.
    assert!(report["log"]["not_kept"].as_u64() >= Some(1), "{report}");
    bench.check("out", &[]).expect("it is sound");
    // A folder with a game is the folder of a run.
    let (code, error) = bench.refuses(&["run", "tiny.toml", "--agent", "greedy@1", "--out", "out"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("expected the same agent.declares.trained-on-held-out as when the run in out began, "),
        "{error}"
    );
    assert!(error.contains("; take another folder for another run"), "{error}");
}

#[test]
fn a_run_goes_on_with_more_blocks_and_not_with_fewer() {
    let bench = SuiteFolder::new();
    let first = bench.plays("greedy@1", "out", &["--first", "1"]);
    let before = files(&bench.path("out/records"));
    let report = bench.plays("greedy@1", "out", &["--first", "2"]);
    assert_eq!(report["log"]["started"].as_u64(), Some(2 * before.len() as u64), "no game is played twice");
    let after = files(&bench.path("out/records"));
    assert!(before.iter().all(|(name, record)| after.get(name) == Some(record)), "the first records stay");
    assert_eq!((&report["suite"]["first"], &first["suite"]["first"]), (&json!(null), &json!(1)));
    bench.check("out", &[]).expect("it is sound");
    let mut whole = bench.plays("greedy@1", "whole", &["--first", "2"]);
    assert_eq!(report["records"]["digest"], whole["records"]["digest"].take(), "the run is that of one command");
    let (code, error) = bench.refuses(&["run", "tiny.toml", "--agent", "greedy@1", "--out", "out", "--first", "1"]);
    assert_eq!(code, 2);
    let expected =
        "expected the same suite.first as when the run in out began, null, got 1; take another folder for another run";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn two_processes_do_not_play_into_one_folder() {
    let bench = SuiteFolder::new();
    fs::create_dir(bench.path("out")).expect("it is new");
    let folder = fs::File::open(bench.path("out")).expect("a folder");
    folder.lock().expect("nobody else has it");
    let (code, error) = bench.refuses(&["run", "tiny.toml", "--agent", "greedy@1", "--out", "out"]);
    assert_eq!(code, 2);
    assert!(error.contains("expected a folder of its own, got out, in which another process plays"), "{error}");
    drop(folder);
    bench.plays("greedy@1", "out", &["--quick"]);
}

/// Returns altered figures by the kind of opponents, each with its fault.
fn altered_splits() -> [(&'static str, Value, &'static str); 4] {
    [
        ("/aggregate/split/held_out/mean", json!(0.5), "all cells: aggregate.split.held_out.mean: "),
        ("/aggregate/split/gap/mean", json!(0.5), "all cells: aggregate.split.gap.mean: "),
        ("/aggregate/split", json!(null), "all cells: aggregate.split: expected {"),
        (
            "/cells/1/held_out",
            json!(false),
            "cell deck: held_out: expected true from the suite and the other figures, got null",
        ),
    ]
}

#[test]
fn a_report_without_records_is_checked_as_far_as_it_goes() {
    let (_, folder) = sound();
    let bench = SuiteFolder::new();
    let alone = bench.path("alone.json");
    fs::copy(folder.join("report.json"), &alone).expect("a file");
    let found = bench.check("alone.json", &[]).expect_err("nobody knows whether it is valid");
    assert_eq!(found, "", "no fault");
    let text = bench.does(&["verify", "alone.json", "--suite", "tiny.toml"]);
    assert!(text.starts_with("cells 2, blocks in blocks.csv none, records none\n"), "{text}");
    assert!(text.contains("not proved: that any game was played, "), "{text}");
    let verdict = "\nconsistent. Games started, by the log of the run: 10; started and not kept: 0.\n";
    assert!(text.ends_with(verdict), "{text}");

    let with_blocks = bench.path("with_blocks");
    fs::create_dir(&with_blocks).expect("it is new");
    for file in ["report.json", "blocks.csv"] {
        fs::copy(folder.join(file), with_blocks.join(file)).expect("a file");
    }
    let text = bench.does(&["verify", "with_blocks/report.json", "--suite", "tiny.toml"]);
    assert!(text.starts_with("cells 2, blocks in blocks.csv 4, records none\n"), "{text}");
    let error = bench.check("with_blocks", &[]).expect_err("a folder has records");
    let expected = "expected the records of 10 games in with_blocks/records, got none; `ahu benchmark verify \
                    with_blocks/report.json` checks the report without them\n";
    assert_eq!(error, expected);
    let (code, error) = bench.refuses(&["verify", "with_blocks/report.json", "--suite", "tiny.toml", "--rerun", "1"]);
    assert!(code == 2 && error.contains("--rerun: expected the folder of a report"), "{error}");
    let (_, error) = bench.refuses(&["verify", "none.json"]);
    assert!(error.contains("cannot read none.json: "), "{error}");

    // Figures that contradict the suite or each other.
    let report = fs::read_to_string(&alone).expect("a file");
    for (path, value, expected) in [
        ("/cells/0/normalised/mean", json!(0.5), "cell cards: normalised.mean: expected "),
        ("/cells/1/utility/low", json!(0.9), "cell deck: utility: expected low, mean, and high in rising order"),
        ("/cells/1/wins/high", json!(1.5), "cell deck: wins: expected low, mean, and high in rising order from 0 to 1"),
        ("/cells/0/anchors/random", json!(-1.0), "cell cards: anchors.random: expected -0.9 from the suite"),
        ("/cells/0/blocks", json!(3), "cell cards: blocks: expected 2 from the suite"),
        ("/cells/0/opponents/0", json!("random@1"), "cell cards: opponents: "),
        ("/cells/0/forfeits", json!({"exited": 9}), "cell cards: forfeits: expected at most 4, got 9"),
        ("/cells/1/name", json!("moai"), "cell deck: expected the cells cards, deck, got cards, moai"),
        ("/aggregate/normalised/mean", json!(0.5), "all cells: aggregate.normalised.mean: "),
        ("/aggregate/games", json!(9), "all cells: aggregate.games: expected 10 from "),
        ("/records/count", json!(9), "all cells: records.count: expected 10 from "),
        ("/records/digest", json!("12"), "all cells: records.digest: expected 64 hexadecimal digits"),
        ("/log/started", json!(9), "all cells: log.started: expected 10 from the games of the report, got 9"),
        ("/log/kept", json!(9), "all cells: log.kept: expected 10 from the games of the report, got 9"),
        ("/log/not_kept", json!(1), "all cells: log.not_kept: expected 0 from the games of the report, got 1"),
        ("/log/link", json!("12"), "all cells: log.link: expected 64 hexadecimal digits"),
        ("/suite/cells", json!(["cards"]), "cell deck: expected the cells cards, got cards, deck"),
        ("/suite/cells", json!(["dek"]), "unknown cell of the suite tiny \"dek\"; did you mean \"deck\"?"),
        ("/suite/cells", json!(["deck", "cards"]), "expected a part of the cells cards, deck in this order, each once"),
        ("/suite/cells", json!([]), "expected a part of the cells cards, deck in this order, each once, got "),
        ("/suite/sha256", json!("0".repeat(64)), "expected the suite tiny with the SHA-256 "),
        ("/server/rules/rappanui", json!(9), "server: expected the rules "),
        ("/seeds/salt", json!("0".repeat(64)), "expected a salt with the SHA-256 "),
    ]
    .into_iter()
    .chain(altered_splits())
    {
        fs::write(bench.path("report.json"), &report).expect("a file");
        set(bench.folder.path(), path, value);
        let error = bench.check("report.json", &[]).expect_err(path);
        assert!(error.contains(expected), "{path}: expected \"{expected}\", got {error}");
    }
    // Figures that contradict only the blocks, and blocks that contradict the report.
    for (path, value, expected) in [
        ("/cells/0/score/mean", json!(1.0), "blocks.csv: cell cards: score.mean: expected "),
        ("/cells/1/block_deviation", json!(7.0), "blocks.csv: cell deck: block_deviation: expected "),
        ("/aggregate/normalised/high", json!(1.9), "blocks.csv: all cells: aggregate.normalised.high: "),
        ("/cells/1/decisions", json!(7), "blocks.csv: cell deck: decisions: expected "),
        (
            "/cells/1/forfeits",
            json!({"exited": 1}),
            "blocks.csv: cell deck: forfeits: expected 0 from blocks.csv, got 1",
        ),
    ] {
        fs::write(with_blocks.join("report.json"), &report).expect("a file");
        set(&with_blocks, path, value);
        let error = bench.check("with_blocks/report.json", &[]).expect_err(path);
        assert!(error.contains(expected), "{path}: expected \"{expected}\", got {error}");
    }
    fs::write(with_blocks.join("report.json"), &report).expect("a file");
    let csv = fs::read_to_string(with_blocks.join("blocks.csv")).expect("a file");
    let lines: Vec<_> = csv.lines().collect();
    let values: Vec<_> = lines[1].split(',').collect();
    let other = [&values[..5], &["0.125"], &values[6..]].concat().join(",");
    for (altered, expected) in [
        (
            csv.replacen("0,cards,1,", "0,cards,2,", 1),
            "line 3: expected run 0, cell cards, block 1 with 2 games, got run 0",
        ),
        (lines[..4].join("\n"), "line 5: expected run 0, cell deck, block 1 with 3 games, got no block"),
        (format!("{csv}{}\n", lines[4]), "line 6: expected no block, got run 0, cell deck, block 1"),
        (
            csv.replacen(lines[1], &other, 1),
            "cell cards, block 0: expected the normalised score 1.025 of the utility 0.125, got ",
        ),
        (csv.replacen("run,cell", "run,moai", 1), "blocks.csv: expected the columns run,cell,"),
    ] {
        fs::write(with_blocks.join("blocks.csv"), altered).expect("a file");
        let error = bench.check("with_blocks/report.json", &[]).expect_err(expected);
        assert!(error.contains(expected), "expected \"{expected}\", got {error}");
        assert!(error.contains("records.blocks_csv: expected "), "{error}");
    }
}

#[test]
fn several_training_runs_make_one_report() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    fs::write(bench.path("a.pt"), "1").expect("it is new");
    let agent = format!("net=jsonl:{python} agent.py {{run}}");
    let report = bench.plays(&agent, "net", &["--run", "a.pt", "--run", "b.pt"]);
    assert_eq!(report["records"]["count"], 20);
    assert!(report["agent"]["runs"][0]["sha256"].is_string() && report["agent"]["runs"][1]["sha256"].is_null());
    let csv = fs::read_to_string(bench.path("net/blocks.csv")).expect("a file");
    assert_eq!(csv.lines().count(), 1 + 8);
    assert!(csv.contains("\n1,deck,1,3,"), "{csv}");
    bench.check("net", &[]).expect("it is sound");

    let (_, error) = bench.refuses(&["run", "tiny.toml", "--agent", "greedy@2", "--run", "a.pt", "--out", "x"]);
    assert!(error.contains("--run: expected a command with {run}"), "{error}");
    let (_, error) = bench.refuses(&["run", "tiny.toml", "--agent", &agent, "--out", "x"]);
    assert!(error.contains("expected --run CKPT for {run} in the command, got none"), "{error}");
}

#[test]
fn an_agent_that_dies_in_the_middle_forfeits_and_the_run_goes_on() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    let dying =
        LINES.replace("        random.seed", "        message[\"decision\"] == 5 and sys.exit(3)\n        random.seed");
    fs::write(bench.path("agent.py"), dying).expect("a file");
    let report = bench.plays(&format!("mortal=jsonl:{python} agent.py"), "out", &[]);
    assert_eq!(report["aggregate"]["forfeits"], 10);
    assert_eq!(report["cells"][1]["forfeits"]["exited"], 6);
    assert_eq!(report["cells"][1]["utility"]["mean"], -1.0);
    assert_eq!(report["cells"][1]["score"]["mean"], Value::Null);
    bench.check("out", &["--rerun", "1"]).expect("it is sound");
    let table = bench.does(&["table", "out"]);
    assert!(table.contains("| mortal | tiny | public | 10 | "), "{table}");
    let page = fs::read_to_string(bench.path("out/report.html")).expect("a page");
    for cell in ["<td>2</td>", "<td>4 (4 exited)</td>"] {
        assert!(page.contains(cell), "{page}");
    }
    let strict =
        ["run", "tiny.toml", "--agent", &format!("mortal=jsonl:{python} agent.py"), "--out", "out", "--strict"];
    assert_eq!(bench.refuses(&strict), (3, "error: --strict: expected no forfeit, got 10\n".to_owned()));
}

#[test]
fn a_run_that_is_killed_goes_on_and_ends_as_it_would_have() {
    let Some(python) = program_of(&["python3"]) else { return };
    let bench = SuiteFolder::new();
    let agent = format!("det=jsonl:{python} agent.py");
    let whole = bench.plays(&agent, "whole", &[]);
    let mut run = bench.command(&["run", "tiny.toml", "--agent", &agent, "--out", "cut", "--concurrency", "1"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let records = || fs::read_dir(bench.path("cut/records/cards")).map_or(0, Iterator::count);
    let deadline = Instant::now() + Duration::from_secs(120);
    while records() < 2 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    run.kill().expect("it runs");
    run.wait().expect("it ends");
    assert!(!bench.path("cut/report.json").exists());
    let (_, error) = bench.refuses(&["verify", "cut", "--suite", "tiny.toml"]);
    assert!(error.contains("got a run that has not ended"), "{error}");
    let cut = bench.plays(&agent, "cut", &[]);
    assert_eq!(timeless(cut.clone()), timeless(whole));
    let count = |key: &str| cut["log"][key].as_u64().expect("a number");
    assert_eq!((count("kept"), count("started") - count("not_kept")), (10, 10));
    bench.check("cut", &[]).expect("it is sound");
}

/// No game is left to begin, and all are in progress: the run has not ended.
#[test]
fn a_run_that_is_stopped_in_its_last_games_is_interrupted() {
    let bench = SuiteFolder::new();
    let script = r#"n=0; while read -r l; do case $l in *'"decide"'*) n=$((n+1)); [ $n -gt 1 ] && { echo >>asleep; sleep 1000; }; printf '%s\n' "$l" | sed 's/.*"legal":\[{"action_id":\([0-9]*\),.*/\1/';; esac; done"#;
    let games = bench.plays("greedy@1", "other", &["--quick", "--cell", "cards"])["log"]["kept"].as_u64();
    let (games, agent) = (games.expect("a number"), format!("slow=jsonl:{script}"));
    let own = ["run", "tiny.toml", "--quick", "--cell", "cards", "--agent", &agent, "--out", "out", "-c", "16"];
    let mut run = bench.command(&own);
    let run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
    let asleep = || fs::read_to_string(bench.path("asleep")).map_or(0, |lines| lines.lines().count() as u64);
    let deadline = Instant::now() + Duration::from_secs(60);
    while asleep() < games {
        assert!(Instant::now() < deadline, "all games are in progress");
        thread::sleep(Duration::from_millis(10));
    }
    let stopped = Command::new("kill").args(["-s", "INT", &run.id().to_string()]).status();
    assert!(stopped.expect("it starts").success());
    let output = run.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains(&format!("0 of {games} games are kept in out; the same command goes on\n")), "{told}");
}

#[test]
fn an_agent_that_calls_the_service_plays() {
    let bench = SuiteFolder::new();
    let report = bench.plays(&format!("rust={} 7", crate::rust_agent().display()), "out", &["--first", "1"]);
    assert_eq!((&report["agent"]["kind"], &report["suite"]["first"]), (&json!("command"), &json!(1)));
    bench.check("out", &[]).expect("it is sound");
}

#[test]
fn an_organiser_holds_the_seeds_while_a_remote_agent_plays() {
    let bench = SuiteFolder::new();
    let address = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("it is bound");
    let (run, address) =
        (["run", "tiny.toml", "--agent", "far=remote", "--out", "far", "--json", "--listen"], address.to_string());
    let mut organiser = bench.command(&[&run[..], &[&address]].concat());
    let organiser = organiser.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(120);
    let key = bench.path("far/agent.key");
    while !fs::read_to_string(&key).is_ok_and(|key| key.ends_with('\n')) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(10));
    }
    let run_file = fs::read_to_string(bench.path("far/run.json")).expect("a file");
    let salt = fs::read_to_string(bench.path("far/salt")).expect("a file");
    assert!(!run_file.contains(salt.trim()), "the salt is secret before the end");
    let key = fs::read_to_string(&key).expect("a key");
    // The server may need another moment to listen.
    let agent = loop {
        let mut agent = Command::new(crate::rust_agent());
        agent.env("AHU_ADDRESS", &address).env("AHU_KEY", key.trim());
        let output = agent.output().expect("`cargo build --examples` builds it");
        if output.status.success() || Instant::now() > deadline {
            break output;
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(agent.status.success(), "{}", String::from_utf8_lossy(&agent.stderr));
    let output = organiser.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = fs::read_to_string(bench.path("far/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(
        report["seeds"],
        json!({
            "kind": "server", "salt": salt.trim(), "source": null,
            "salt_sha256": Salt::parse(salt.trim()).expect("a salt").hash(),
        })
    );
    assert_eq!(report["aggregate"]["forfeits"], 0);
    // The log is with the organiser.
    assert_eq!((&report["log"]["started"], &report["log"]["not_kept"]), (&json!(10), &json!(0)));
    assert_eq!(fs::read_to_string(bench.path("far/games.jsonl")).expect("a file").lines().count(), 20);
    bench.check("far", &[]).expect("it is sound");
    let (_, error) = bench.refuses(&["verify", "far", "--suite", "tiny.toml", "--rerun", "1"]);
    assert!(
        error.contains("--rerun: expected a bot or a command, which this machine can start, got far=remote"),
        "{error}"
    );
}

#[test]
fn sealed_seeds_are_other_games_and_the_report_names_their_source() {
    let bench = SuiteFolder::new();
    let salt = "5a".repeat(32);
    let sealed = format!("sealed:{salt}");
    let report = bench.plays("greedy@2", "sealed", &["--seeds", &sealed, "--source", "beacon 7"]);
    assert_eq!((&report["seeds"]["salt"], &report["seeds"]["source"]), (&json!(salt), &json!("beacon 7")));
    bench.check("sealed", &[]).expect("it is sound");
    let markdown = fs::read_to_string(bench.path("sealed/report.md")).expect("a file");
    assert!(markdown.contains("Sealed seeds from beacon 7"), "{markdown}");
    let public = bench.plays("greedy@2", "public", &[]);
    let table = bench.does(&["table", "sealed", "public"]);
    assert!(table.contains("| greedy@2 | tiny | sealed | 0 | "), "{table}");
    assert!(table.contains("\ngreedy@2: Sealed seeds from beacon 7; SHA-256 of the salt "), "{table}");
    assert_ne!(public["records"]["digest"], report["records"]["digest"]);
    let (code, error) = bench.refuses(&["compare", "sealed", "public"]);
    assert_eq!(code, 2);
    assert!(error.contains("expected two reports with the same seeds"), "{error}");
}

#[test]
fn two_reports_are_compared_block_by_block() {
    let bench = SuiteFolder::new();
    let more =
        SUITE.replace("blocks = 2", "blocks = 12").replace("search@1:2", "greedy@2").replace("\"tiny\"", "\"more\"");
    fs::write(bench.path("tiny.toml"), more).expect("a file");
    bench.plays("greedy@2", "strong", &[]);
    bench.plays("random@1", "weak", &["--first", "10"]);
    let text = bench.does(&["compare", "strong", "weak"]);
    assert!(text.starts_with("more/10: normalised score of greedy@2 less that of random@1"), "{text}");
    assert!(text.contains("\ngreedy@2 is better than random@1 by "), "{text}");
    let turned: Value = serde_json::from_str(&bench.does(&["compare", "weak", "strong", "--json"])).expect("JSON");
    assert!(turned["verdict"].as_str().expect("text").starts_with("greedy@2 is better than random@1 by "), "{turned}");
    assert_eq!(turned["cells"][0]["blocks"], 10);
    let equal: Value = serde_json::from_str(&bench.does(&["compare", "weak", "weak", "--json"])).expect("JSON");
    assert!(equal["verdict"].as_str().expect("text").starts_with("No difference between "), "{equal}");
    // Ten equal blocks do not show that all other blocks are equal.
    for difference in [&equal["difference"], &equal["cells"][0]["difference"], &equal["cells"][1]["difference"]] {
        let end = |key: &str| difference[key].as_f64().expect("an end");
        assert!(difference["mean"] == 0.0 && end("low") < -0.1 && end("high") > 0.1, "{equal}");
    }

    let (_, other) = sound();
    let (code, error) = bench.refuses(&["compare", "strong", &other.display().to_string()]);
    assert_eq!(code, 2);
    assert!(error.contains("expected two reports of one suite, got more ("), "{error}");
    let table = bench.does(&["table", "strong", "weak"]);
    let heads = "| agent | suite | seeds | forfeits | all | familiar | held-out | gap | cards | deck |\n|---|---|---|---|---|---|---|---|---|---|\n";
    assert!(table.starts_with(&format!("{heads}| greedy@2 | more | public | 0 |")), "{table}");
    assert!(table.ends_with("\ngreedy@2, random@1: Public seeds, for development.\n"), "{table}");
    let latex = bench.does(&["table", "strong", "weak/report.json", "--format", "latex"]);
    assert!(latex.contains("\\toprule") && latex.contains("random@1 & more/10 & public & 0 & "), "{latex}");
    let note = "\\multicolumn{10}{l}{\\footnotesize greedy@2, random@1: Public seeds, for development.} \\\\\n";
    assert!(latex.contains(note), "{latex}");
}

/// Replays a game in which another bot plays the seat of an opponent, under the name of the opponent.
fn forged(plan: &SuitePlan, report: &Report, place: GamePlace, opponent: &str) -> Vec<u8> {
    let planned = plan.game(&report.agent, place).expect("a match");
    let agent = plan.seat(place).index();
    let weak = planned.setup.rules().bot(opponent).expect("a bot");
    let players = planned.players.iter().enumerate();
    let players = players.map(|(seat, player)| if seat == agent { player.clone() } else { SeatPlayer::bot(weak) });
    let mut referee = Referee::new(planned.setup.clone(), planned.seed, players.collect(), planned.terms.clone());
    referee.play_bots();
    Record { players: planned.players, ..referee.record() }.to_bytes()
}

/// Plays a game anew after a change of its match.
fn played(plan: &SuitePlan, report: &Report, place: GamePlace, change: impl FnOnce(&mut PlannedGame)) -> Vec<u8> {
    let mut planned = plan.game(&report.agent, place).expect("a match");
    change(&mut planned);
    let mut referee = planned.referee();
    referee.play_bots();
    referee.record().to_bytes()
}

/// An alteration of a folder, and the words that the refusal has.
type Alteration<'a> = (&'a str, &'a dyn Fn(&Path), &'a [&'a str]);

/// Checks that each alteration of a sound report is refused with these words.
fn refuses_all(alterations: &[Alteration<'_>]) {
    let (_, folder) = sound();
    for (name, alter, words) in alterations {
        let bench = SuiteFolder::new();
        let altered = bench.copy(folder, "altered");
        alter(&altered);
        let error = bench.check("altered", &["--sample", "1"]).expect_err(name);
        for word in *words {
            assert!(error.contains(word), "{name}: expected \"{word}\", got {error}");
        }
    }
}

/// Changes a value of the report, which its path names.
fn set(folder: &Path, path: &str, value: impl Into<Value>) {
    let file = folder.join("report.json");
    let mut report: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    *report.pointer_mut(path).expect(path) = value.into();
    fs::write(file, format!("{report:#}\n")).expect("a file");
}

#[test]
fn altered_figures_are_refused_with_their_cell() {
    let figure = |path: &'static str, value: fn() -> Value| move |folder: &Path| set(folder, path, value());
    let half = || json!(0.5);
    refuses_all(&[
        ("mean", &figure("/cells/0/normalised/mean", half), &["cell cards: normalised.mean: expected ", "got 0.5"]),
        ("low", &figure("/cells/1/utility/low", half), &["cell deck: utility.low: expected "]),
        ("high", &figure("/cells/1/wins/high", half), &["cell deck: wins.high: expected "]),
        ("score", &figure("/cells/0/score/mean", half), &["cell cards: score.mean: expected "]),
        ("no low", &figure("/cells/0/score/low", || Value::Null), &["cell cards: score.low: expected "]),
        ("deviation", &figure("/cells/1/block_deviation", half), &["cell deck: block_deviation: expected "]),
        ("decisions", &figure("/cells/1/decisions", || json!(7)), &["cell deck: decisions: expected "]),
        ("games", &figure("/cells/0/games", || json!(5)), &["cell cards: games: expected 4 from the records, got 5"]),
        (
            "blocks",
            &figure("/cells/0/blocks", || json!(3)),
            &["cell cards: blocks: expected 2 from the records, got 3"],
        ),
        ("forfeits", &figure("/cells/0/forfeits", || json!({"exited": 1})), &["cell cards: forfeits.exited: "]),
        ("times", &figure("/cells/0/decision_ms/p50", || json!(1)), &["cell cards: decision_ms.p50: "]),
        ("opponents", &figure("/cells/0/opponents", || json!(["search@1:9"])), &["cell cards: opponents: "]),
        (
            "options",
            &figure("/cells/1/options/combine_rule", || json!("false")),
            &["cell deck: options.combine_rule: "],
        ),
        ("seats", &figure("/cells/1/seats", || json!(4)), &["cell deck: seats: expected 3 from the records, got 4"]),
        ("game", &figure("/cells/1/game", || json!("giants")), &["cell deck: game: "]),
        (
            "name",
            &figure("/cells/1/name", || json!("moai")),
            &["cell deck: expected the cells cards, deck, got cards, moai"],
        ),
        ("aggregate", &figure("/aggregate/normalised/mean", half), &["all cells: aggregate.normalised.mean: "]),
        ("gap", &figure("/aggregate/split/gap/high", half), &["all cells: aggregate.split.gap.high: "]),
    ]);
}

#[test]
fn altered_blocks_and_hashes_are_refused() {
    let csv = |folder: &Path, of: &dyn Fn(Vec<&str>) -> Vec<String>| {
        let file = folder.join("blocks.csv");
        let text = fs::read_to_string(&file).expect("a file");
        fs::write(file, of(text.lines().collect()).join("\n") + "\n").expect("a file");
    };
    let owned = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let zeros = || json!("0".repeat(64));
    refuses_all(&[
        (
            "a value",
            &|folder| {
                csv(folder, &|lines| {
                    owned(lines).iter().map(|line| line.replace("0,deck,1,3,", "0,deck,1,4,")).collect()
                });
            },
            &["blocks.csv: cell deck, block 1: expected the line \"0,deck,1,3,", "records.blocks_csv"],
        ),
        (
            "no block",
            &|folder| {
                csv(folder, &|lines| owned(lines.into_iter().filter(|line| !line.starts_with("0,cards,1,")).collect()));
            },
            &["blocks.csv: cell cards, block 1: expected the line "],
        ),
        (
            "a block more",
            &|folder| {
                csv(folder, &|lines| {
                    let mut lines = owned(lines);
                    lines.push(lines[4].clone());
                    lines
                });
            },
            &["blocks.csv: cell deck: expected no line after its last block"],
        ),
        (
            "two blocks exchanged",
            &|folder| {
                csv(folder, &|lines| {
                    let mut lines = owned(lines);
                    lines.swap(1, 2);
                    lines
                });
            },
            &["blocks.csv: cell cards, block 0: "],
        ),
        ("digest", &|folder| set(folder, "/records/digest", zeros()), &["all cells: records.digest: expected "]),
        (
            "timeless",
            &|folder| set(folder, "/records/timeless_digest", zeros()),
            &["all cells: records.timeless_digest: "],
        ),
        ("csv hash", &|folder| set(folder, "/records/blocks_csv", zeros()), &["all cells: records.blocks_csv: "]),
        (
            "count",
            &|folder| set(folder, "/records/count", 9),
            &["all cells: records.count: expected 10 from the records, got 9"],
        ),
        (
            "page",
            &|folder| fs::write(folder.join("report.md"), "best").expect("a file"),
            &["report.md: expected the one that follows"],
        ),
    ]);
}

#[test]
fn altered_claims_are_refused() {
    let other = Salt([9; 32]);
    refuses_all(&[
        (
            "agent",
            &|folder| set(folder, "/agent/player", "greedy@2"),
            &["cell cards, block 0, game 0: expected the player of seat"],
        ),
        (
            "suite",
            &|folder| set(folder, "/suite/sha256", "0".repeat(64)),
            &["expected the suite tiny with the SHA-256 "],
        ),
        (
            "first",
            &|folder| set(folder, "/suite/first", 1),
            &["cell cards: expected no further record, got records/cards/00-00001-00.rec", "cell deck: "],
        ),
        (
            "no blocks",
            &|folder| set(folder, "/suite/first", 0),
            &["expected the first 1 to 2 blocks of each cell, got 0"],
        ),
        ("salt", &|folder| set(folder, "/seeds/salt", other.to_hex()), &["expected a salt with the SHA-256 "]),
        (
            "seeds",
            &|folder| {
                set(folder, "/seeds/salt", other.to_hex());
                set(folder, "/seeds/salt_sha256", other.hash());
                set(folder, "/seeds/kind", "sealed");
            },
            &["cell cards, block 0, game 0: expected the seed ", "cell deck, block 1, game 2: expected the seed "],
        ),
        (
            "kind",
            &|folder| set(folder, "/seeds/kind", "sealed"),
            &["expected seeds of the kind public for this salt, got sealed"],
        ),
        ("rules", &|folder| set(folder, "/server/rules/rappanui", 9), &["server: expected the rules "]),
    ]);
}

#[test]
fn altered_records_are_refused_with_their_cell_and_block() {
    let (_, sound_folder) = sound();
    let (plan, report) = plan(sound_folder);
    let place = |cell, block, game| GamePlace { run: 0, cell, block, game };
    let path = |folder: &Path, place: GamePlace| folder.join(place.record(&plan.suite));
    let write = |folder: &Path, at: GamePlace, bytes: Vec<u8>| fs::write(path(folder, at), bytes).expect("a file");
    let at = place(1, 1, 2);
    let read = || fs::read(path(sound_folder, at)).expect("a file");
    let rules = find("rappanui").expect("a game");
    refuses_all(&[
        (
            "missing",
            &|folder| fs::remove_file(path(folder, at)).expect("a file"),
            &["cell deck, block 1, game 2: cannot read the record"],
        ),
        (
            "too many",
            &|folder| fs::write(folder.join("records/deck/00-00007-00.rec"), read()).expect("a file"),
            &["cell deck: expected no further record, got records/deck/00-00007-00.rec"],
        ),
        ("cut", &|folder| write(folder, at, read()[..100].to_vec()), &["cell deck, block 1, game 2: "]),
        (
            "a bit",
            &|folder| {
                let mut bytes = read();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                write(folder, at, bytes);
            },
            &["cell deck, block 1, game 2: "],
        ),
        (
            "another game of the block",
            &|folder| write(folder, at, fs::read(path(folder, place(1, 1, 0))).expect("a file")),
            &["cell deck, block 1, game 2: expected the player of seat 0"],
        ),
        (
            "the same game of another block",
            &|folder| write(folder, at, fs::read(path(folder, place(1, 0, 2))).expect("a file")),
            &["cell deck, block 1, game 2: expected the seed "],
        ),
        (
            "a weak opponent",
            &|folder| write(folder, at, forged(&plan, &report, at, "random@1")),
            &["cell deck, block 1, game 2: ply ", "the choice of greedy@2 in seat "],
        ),
        (
            "a weak search",
            &|folder| write(folder, place(0, 0, 1), forged(&plan, &report, place(0, 0, 1), "greedy@1")),
            &["cell cards, block 0, game 1: ply ", "the choice of search@1:2 in seat "],
        ),
        (
            "another agent",
            &|folder| {
                let bytes = played(&plan, &report, at, |planned| {
                    let seat = plan.seat(at).index();
                    planned.players[seat] = SeatPlayer::bot(rules.bot("greedy@2").expect("a bot"));
                });
                write(folder, at, bytes);
            },
            &["cell deck, block 1, game 2: expected the player of seat 1 greedy@1, got greedy@2"],
        ),
        (
            "other options",
            &|folder| {
                let bytes =
                    played(&plan, &report, at, |planned| planned.setup = rules.configure(3, &[]).expect("a game"));
                write(folder, at, bytes);
            },
            &["cell deck, block 1, game 2: expected the game rappanui seats=3 combine_rule=true"],
        ),
        (
            "another stand-in",
            &|folder| {
                let stand_in = Some(rules.bot("random@1").expect("a bot"));
                let bytes = played(&plan, &report, at, |planned| {
                    planned.terms = Terms { stand_in, ..planned.terms.clone() };
                });
                write(folder, at, bytes);
            },
            &["cell deck, block 1, game 2: expected the stand-in greedy@2, got random@1"],
        ),
        (
            "a record without an end",
            &|folder| {
                let planned = plan.game(&report.agent, at).expect("a match");
                write(folder, at, planned.referee().record().to_bytes());
            },
            &["cell deck, block 1, game 2: expected a finished game, got one without a result"],
        ),
    ]);
}

#[test]
fn a_fault_is_told_once_and_an_own_suite_needs_its_file() {
    let (_, folder) = sound();
    let bench = SuiteFolder::new();
    set(&bench.copy(folder, "altered"), "/cells/0/wins/mean", 0.25);
    let output = bench.command(&["verify", "altered", "--suite", "tiny.toml"]).output().expect("it runs");
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    assert_eq!(out.matches("cell cards: wins.mean: expected ").count(), 1, "{out}");
    assert_eq!(error, "error: the report is not valid: 3 faults\n", "both pages contradict the report too");
    bench.copy(folder, "sound");
    let output = bench.command(&["verify", "sound"]).output().expect("it runs");
    let out = String::from_utf8(output.stdout).expect("text");
    let expected = "expected --suite FILE with the file of the suite tiny (SHA-256 ";
    assert!(output.status.code() == Some(3) && out.contains(expected), "{out}");
}

/// Writes the log anew: each game starts, and its record is kept but for these games.
fn write_log(folder: &Path, plan: &SuitePlan, but: &[GamePlace]) {
    let mut log = GamesLog::default();
    let mut text = String::new();
    for place in plan.games() {
        let name = place.record(&plan.suite).display().to_string();
        text += &log.start(&name, "2026-01-01T00:00:00Z".to_owned());
        if !but.contains(&place) {
            let bytes = fs::read(folder.join(&name)).expect("a record");
            text += &log.keep(&name, &bytes, "2026-01-01T00:00:00Z".to_owned());
        }
    }
    fs::write(folder.join("games.jsonl"), text).expect("a file");
}

#[test]
fn games_that_are_played_again_are_counted() {
    let (_, folder) = sound();
    let bench = SuiteFolder::new();
    let again = bench.copy(folder, "again");
    let before: Value = serde_json::from_slice(&fs::read(folder.join("report.json")).expect("a file")).expect("JSON");
    assert_eq!((&before["log"]["started"], &before["log"]["not_kept"]), (&json!(10), &json!(0)));
    let log = fs::read_to_string(again.join("games.jsonl")).expect("a file");
    assert_eq!(log.lines().count(), 20);
    // Somebody deletes the games of a cell, and a kill has cut off the last line.
    fs::remove_dir_all(again.join("records/deck")).expect("a folder");
    fs::write(again.join("games.jsonl"), log.clone() + &log[..50]).expect("a file");
    let report = bench.plays("greedy@1", "again", &[]);
    let LogClaim { started, kept, not_kept, link } =
        serde_json::from_value(report["log"].clone()).expect("the log of a report");
    assert_eq!((started, kept, not_kept), (16, 10, 6));
    assert_eq!(report["records"], before["records"], "a bot repeats itself");
    let whole = fs::read_to_string(again.join("games.jsonl")).expect("a file");
    assert!(
        whole.starts_with(&log) && whole.lines().count() == 32 && whole.ends_with(&format!("{link}\"}}\n")),
        "{whole}"
    );
    let sentence = "Games started, by the log of the run: 16; started and not kept: 6.";
    for file in ["report.md", "report.html"] {
        let page = fs::read_to_string(again.join(file)).expect("a page");
        assert!(page.contains(sentence) && page.contains(&link), "{page}");
    }
    let text = bench.does(&["verify", "again", "--suite", "tiny.toml"]);
    assert!(text.ends_with(&format!("\nvalid. {sentence}\n")), "{text}");
    assert!(text.contains("owner can play in another folder and show the better run"), "{text}");
    assert_eq!(bench.check("again", &[]).expect("it is sound")["log"], report["log"]);
    let text = bench.does(&["verify", "again/report.json", "--suite", "tiny.toml"]);
    assert!(text.ends_with(&format!("\nconsistent. {sentence}\n")), "{text}");
}

#[test]
fn altered_logs_are_refused() {
    let (_, sound_folder) = sound();
    let (plan, _) = plan(sound_folder);
    let lines = |folder: &Path, of: &dyn Fn(Vec<&str>) -> Vec<String>| {
        let file = folder.join("games.jsonl");
        let text = fs::read_to_string(&file).expect("a file");
        fs::write(file, of(text.lines().collect()).concat()).expect("a file");
    };
    let owned = |lines: Vec<&str>| lines.into_iter().map(|line| line.to_owned() + "\n").collect::<Vec<_>>();
    let last = plan.games().last().expect("a game");
    refuses_all(&[
        (
            "a line less",
            &|folder| lines(folder, &|lines| [&owned(lines.clone())[..4], &owned(lines)[5..]].concat()),
            &["games.jsonl: line 5: expected the link "],
        ),
        (
            "the last lines less",
            &|folder| lines(folder, &|lines| owned(lines)[..6].to_vec()),
            &[
                "all cells: log.started: expected ",
                " from games.jsonl, got 10",
                "all cells: log.link: expected ",
                "cell deck, block 1, game ",
                ": expected a line of games.jsonl that keeps the record, got none",
            ],
        ),
        (
            "two lines exchanged",
            &|folder| {
                lines(folder, &|lines| {
                    let mut lines = owned(lines);
                    lines.swap(2, 3);
                    lines
                });
            },
            &["games.jsonl: line 3: expected the link "],
        ),
        (
            "no log",
            &|folder| fs::remove_file(folder.join("games.jsonl")).expect("a file"),
            &["games.jsonl: No such file"],
        ),
        ("another log", &|folder| write_log(folder, &plan, &[]), &["all cells: log.link: expected "]),
        (
            "a record that is not kept",
            &|folder| write_log(folder, &plan, &[last]),
            &["cell deck, block 1, game 2: expected a line of games.jsonl that keeps the record, got none"],
        ),
        (
            "fewer games",
            &|folder| set(folder, "/log/started", 9),
            &["all cells: log.started: expected 10 from games.jsonl, got 9"],
        ),
        (
            "fewer games that were not kept",
            &|folder| {
                let file = folder.join("games.jsonl");
                let (mut log, _) = GamesLog::read(&fs::read(&file).expect("a file")).expect("a log");
                let line = log.start("records/deck/00-00000-00.rec", "2026-01-01T00:00:00Z".to_owned());
                fs::write(&file, fs::read_to_string(&file).expect("a file") + &line).expect("a file");
            },
            &["all cells: log.not_kept: expected 1 from games.jsonl, got 0"],
        ),
    ]);
    // Beside a report alone, the log is compared with the report.
    let bench = SuiteFolder::new();
    fs::create_dir(bench.path("alone")).expect("it is new");
    for file in ["report.json", "games.jsonl"] {
        fs::copy(sound_folder.join(file), bench.path("alone").join(file)).expect("a file");
    }
    let alone = ["verify", "alone/report.json", "--suite", "tiny.toml"];
    assert!(bench.does(&alone).contains("\nconsistent. "));
    lines(&bench.path("alone"), &|lines| owned(lines)[..6].to_vec());
    let output = bench.command(&alone).output().expect("it runs");
    let out = String::from_utf8(output.stdout).expect("text");
    let expected = "all cells: log.started: expected ";
    assert!(output.status.code() == Some(3) && out.contains(expected), "{out}");
}

#[test]
fn an_agent_of_one_game_plays_a_part_of_a_suite() {
    let (_, whole) = sound();
    let bench = SuiteFolder::new();
    let report = bench.plays("greedy@1", "part", &["--game", "rappanui"]);
    assert_eq!(report["suite"]["cells"], json!(["deck"]));
    assert_eq!(report["cells"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["aggregate"]["normalised"]["mean"], report["cells"][0]["normalised"]["mean"]);
    assert_eq!(report["aggregate"]["split"], Value::Null, "one kind of opponents is no comparison");
    assert_eq!(report["server"]["rules"], json!({"rappanui": 1}), "the games that were played");
    // The games are those of the whole suite.
    let blocks = |folder: &Path| fs::read_to_string(folder.join("blocks.csv")).expect("a file");
    let deck: Vec<_> = blocks(whole).lines().filter(|line| line.contains(",deck,")).map(str::to_owned).collect();
    assert_eq!(blocks(&bench.path("part")).lines().skip(1).collect::<Vec<_>>(), deck);
    // Nothing presents the part as the suite.
    let markdown = fs::read_to_string(bench.path("part/report.md")).expect("a file");
    assert!(markdown.starts_with("# greedy@1 on tiny deck\n"), "{markdown}");
    assert!(markdown.contains("\nNormalised score over these cells alone, no score of tiny: **"), "{markdown}");
    let page = fs::read_to_string(bench.path("part/report.html")).expect("a file");
    assert!(page.contains("greedy@1 on tiny deck") && page.contains("no score of tiny: <strong>"), "{page}");
    bench.copy(whole, "whole");
    let table = bench.does(&["table", "whole", "part"]);
    let [first, second] = [2, 3].map(|line| table.lines().nth(line).expect("a row"));
    assert!(first.starts_with("| greedy@1 | tiny | public | 0 | ") && !first.contains("over"), "{table}");
    assert!(second.starts_with("| greedy@1 | tiny deck | public | 0 | "), "{table}");
    assert!(second.contains(") over 1 cell | - | "), "{table}");
    let latex = bench.does(&["table", "part", "--format", "latex"]);
    assert!(latex.contains("greedy@1 & tiny deck & ") && latex.contains("] over 1 cell} & "), "{latex}");
    bench.check("part", &["--sample", "1", "--rerun", "1"]).expect("it is sound");
    assert!(bench.does(&["verify", "part/report.json", "--suite", "tiny.toml"]).contains("\nconsistent. "));

    // The same cells go on with the run, and other cells do not.
    let same = bench.plays("greedy@1", "part", &["--cell", "deck"]);
    assert_eq!(same, report);
    for (more, now) in [(&[][..], "null"), (&["--cell", "cards"], "[\"cards\"]")] {
        let (code, error) =
            bench.refuses(&[&["run", "tiny.toml", "--agent", "greedy@1", "--out", "part"], more].concat());
        let expected = format!("expected the same suite.cells as when the run in part began, [\"deck\"], got {now}");
        assert!(code == 2 && error.contains(&expected), "{error}");
    }
    let both = ["--cell", "cards", "--game", "rappanui", "--first", "1"];
    let both = bench.plays("greedy@1", "both", &both);
    assert_eq!((&both["suite"]["cells"], &both["suite"]["first"]), (&Value::Null, &json!(1)), "all cells are no part");
    let first =
        bench.does(&["run", "tiny.toml", "--agent", "greedy@2", "--cell", "cards", "--quick", "--out", "first"]);
    assert!(first.starts_with("tiny/1 cards: 2 of 2 games left; "), "{first}");

    let (code, error) = bench.refuses(&["compare", "part", "whole"]);
    let expected = "expected two reports on the same cells, since all cells together decide, got tiny deck and tiny; ";
    assert!(code == 2 && error.contains(expected), "{error}");
    let own = bench.does(&["compare", "part", "part"]);
    assert!(own.starts_with("tiny deck: normalised score of greedy@1"), "{own}");
}

/// The strongest forgery: the records of weak opponents, and a report that `run` itself makes from them.
#[test]
fn a_report_that_follows_from_forged_records_is_refused() {
    let (_, folder) = sound();
    let (plan, report) = plan(folder);
    let bench = SuiteFolder::new();
    let forged_folder = bench.copy(folder, "forged");
    for at in plan.games().filter(|at| at.cell == 1) {
        fs::write(forged_folder.join(at.record(&plan.suite)), forged(&plan, &report, at, "random@1")).expect("a file");
    }
    let (code, error) = bench.refuses(&["run", "tiny.toml", "--agent", "greedy@1", "--out", "forged"]);
    assert_eq!(code, 1);
    let expected = "records/deck/00-00000-00.rec: expected the record that games.jsonl keeps, with the SHA-256 ";
    assert!(error.contains(expected) && error.contains("; delete it to play the game again"), "{error}");
    write_log(&forged_folder, &plan, &[]);
    let better = bench.plays("greedy@1", "forged", &[]);
    assert_ne!(better["cells"][1]["utility"]["mean"].as_f64(), report.cells[1].utility.mean);
    let error = bench.check("forged", &[]).expect_err("forged");
    let games = plan.games().filter(|at| at.cell == 1).map(|at| at.name(&plan.suite, 1));
    let named: BTreeSet<_> =
        error.lines().filter_map(|line| line.split_once(": ply ")).map(|(game, _)| game.to_owned()).collect();
    assert_eq!(named, games.collect());
}

#[test]
fn wrong_arguments_are_refused() {
    let bench = SuiteFolder::new();
    for (arguments, expected) in [
        (&["v9", "--agent", "greedy@2"][..], "unknown suite \"v9\"; did you mean \"v1\"?"),
        (&["tiny.toml", "--agent", "greedy@7"], "unknown bot \"greedy@7\"; did you mean \"greedy@2\"?"),
        (
            &["tiny.toml", "--agent", "greedy@2", "--declare", "trained-on-held-out=never"],
            "expected trained-on-held-out=yes or trained-on-held-out=no, got trained-on-held-out=never",
        ),
        (&["tiny.toml", "--agent", "a=search:0"], "expected from 1 to 1000000 playouts, got \"0\""),
        (&["tiny.toml", "--agent", "a=search:1s"], "expected a budget in playouts"),
        (
            &["tiny.toml", "--agent", "greedy@2", "--budget", "iterations:0"],
            "with a number above 0, got \"iterations:0\"",
        ),
        (
            &["tiny.toml", "--agent", "greedy@2", "--cell", "dek"],
            "unknown cell of the suite tiny \"dek\"; did you mean \"deck\"? (expected one of cards, deck)",
        ),
        (
            &["tiny.toml", "--agent", "greedy@2", "--game", "rapanui"],
            "unknown game of the suite tiny \"rapanui\"; did you mean \"rappanui\"? (expected one of rapanui_cards, rappanui)",
        ),
        (
            &["tiny.toml", "--agent", "greedy@2", "--game", "giants"],
            "unknown game of the suite tiny \"giants\" (expected one of rapanui_cards, rappanui)",
        ),
        (&["tiny.toml", "--agent", "greedy@2", "--first", "0"], "--first: expected 1 to 2 blocks"),
        (
            &["tiny.toml", "--agent", "greedy@2", "--seeds", "sealed:12"],
            "expected public, or sealed: and 64 hexadecimal digits",
        ),
        (&["tiny.toml", "--agent", "greedy@2", "--source", "x"], "--source: expected --seeds sealed:HEX"),
        (&["tiny.toml", "--agent", "../x=jsonl:cat"], "agent ../x: expected a name of 1 to 64 letters, digits, "),
        (&["tiny.toml", "--agent", "a=remote"], "expected --listen ADDRESS:PORT for a remote agent, got none"),
        (&["tiny.toml", "--agent", "a=callable"], "ahu.benchmark of the Python package plays its 10 games"),
        (&["tiny.toml", "--agent", "greedy@2", "--declare", "x"], "--declare: expected KEY=VALUE, got \"x\""),
        (&["tiny.toml", "--agent", "greedy@2", "--file", "none"], "cannot read none: "),
        (&["tiny.toml", "--agent", "greedy@2", "--concurrency", "0"], "expected auto, or 1 to 1024 games"),
    ] {
        let all = [&["run"], arguments, &["--out", "out"]].concat();
        let (code, error) = bench.refuses(&all);
        assert!([1, 2].contains(&code) && error.contains(expected), "{arguments:?}: {error}");
        let _ = fs::remove_dir_all(bench.path("out"));
    }
    fs::create_dir(bench.path("full")).expect("it is new");
    fs::write(bench.path("full/x"), "").expect("it is new");
    let (_, error) = bench.refuses(&["run", "tiny.toml", "--agent", "greedy@2", "--out", "full"]);
    assert!(error.contains("expected a new folder, or one of a run, got full, which has other files"), "{error}");
}

#[test]
fn faults_of_a_suite_file_have_their_line_and_their_key() {
    let bench = SuiteFolder::new();
    for (from, to, expected) in [
        ("name = \"tiny\"", "name = \"v1\"", "line 2: name: expected the suite v1 with the SHA-256 "),
        ("name = \"tiny\"", "name = \".tiny\"", "line 2: name: expected a name of 1 to 64 letters, digits, "),
        ("name = \"tiny\"", "name = \"CON\"", "line 2: name: expected a name of 1 to 64 letters, digits, "),
        ("quick = 1", "quik = 1", "line 3: unknown key \"quik\"; did you mean \"quick\"?"),
        ("quick = 1", "", "line 1: missing field \"quick\""),
        ("quick = 1", "quick = 0", "line 3: quick: expected at least 1 block, got 0"),
        ("minutes = 0.1", "minutes = -1", "line 4: minutes: expected a time of at least 0, got -1"),
        ("minutes = 0.1", "minutes = ", "line 4: "),
        ("limit = \"60s\"", "limit = \"60x\"", "line 7: limit: expected a time such as "),
        ("limit = \"60s\"", "", "line 5: clock: expected a bank or a limit above 0"),
        ("stand_in = \"greedy@2\"", "timeout = \"refusal\"", "line 8: conduct: expected a strike or a forfeit"),
        ("stand_in = \"greedy@2\"", "stand_in = \"greedy\"", "line 9: cell cards: stand_in: expected a bot with its "),
        ("name = \"cards\"", "name = \"a/b\"", "line 11: cell a/b: name: expected a name of 1 to 64 letters, digits, "),
        ("name = \"deck\"", "name = \"cards\"", "line 21: cell cards: name: expected a name of its own for each cell"),
        ("game = \"rappanui\"", "game = \"rapanui\"", "line 22: cell deck: game: unknown game \"rapanui\""),
        ("rules = 1", "rules = 7", "line 13: cell cards: rules: expected rules version 1 of rapanui_cards, got 7"),
        ("seats = 3", "seats = 9", "line 24: cell deck: seats: expected 2 to 6 seats in rappanui, got 9"),
        ("combine_rule", "combine", "line 25: cell deck: options: "),
        (
            "search@1:2",
            "search:2",
            "line 15: cell cards: opponents: expected a bot with its version, such as \"search@2:2\"",
        ),
        ("search@1:2", "search@1:1s", "line 15: cell cards: opponents: expected a bot with its version"),
        (
            "greedy@2\", \"random@1",
            "greedy@2\", \"greeedy@1",
            "line 26: cell deck: opponents: unknown bot \"greeedy@1\"; did",
        ),
        (
            "\", \"random@1",
            "\", \"greedy@1\", \"random@1",
            "line 26: cell deck: opponents: expected 1 opponent, or one for ",
        ),
        ("blocks = 2", "blocks = 0", "line 16: cell cards: blocks: expected 1 to 1000000 blocks, got 0"),
        ("blocks = 2", "blocks = \"2\"", "line 16: blocks: invalid type: string \"2\""),
        (
            "decisions = 100",
            "decisions = 9223372036854775807",
            "line 17: cell cards: decisions: expected at most 1000000",
        ),
        ("random = -0.9", "random = -1.5", "line 18: cell cards: random: expected a utility from -1 to 1, got -1.5"),
        (
            "random = -0.9",
            "random = 0.5",
            "line 19: cell cards: reference: expected a utility above 0.5, that of random",
        ),
        (
            "bot = \"greedy@2\"",
            "bot = \"gredy@2\"",
            "line 19: cell cards: reference: unknown bot \"gredy@2\"; did you mean",
        ),
        ("utility = 0.1", "utility = []", "line 19: utility: invalid type: sequence"),
    ] {
        assert!(SUITE.contains(from), "{from}");
        fs::write(bench.path("other.toml"), SUITE.replacen(from, to, 1)).expect("a file");
        let (code, error) = bench.refuses(&["run", "other.toml", "--agent", "greedy@2", "--out", "out"]);
        assert!(
            code == 2 && error.contains(&format!("other.toml: {expected}")),
            "{to}: expected {expected}, got {error}"
        );
    }
    let (head, _) = SUITE.split_once("[[cell]]").expect("a cell");
    fs::write(bench.path("other.toml"), head.replacen("[clock]", "cell = []\n[clock]", 1)).expect("a file");
    let (_, error) = bench.refuses(&["run", "other.toml", "--agent", "greedy@2", "--out", "out"]);
    assert!(error.contains("other.toml: line 5: cell: expected a [[cell]], got none"), "{error}");
}

/// The page has the table that the command prints.
#[test]
fn the_first_blocks_of_a_suite_have_their_decisions_and_hours() {
    let bench = SuiteFolder::new();
    let table = bench.does(&["plan", "v1"]);
    let rows: Vec<_> = table.lines().collect();
    assert_eq!(rows[0], "| suite | games | decisions | hours at 1 s | hours at 10 s |");
    let page = include_str!("../../docs/organise/benchmark.md");
    for row in &rows[2..] {
        assert!(page.contains(row.trim_end_matches('|')), "docs/organise/benchmark.md: expected {row}");
    }
    let suite = Suite::named("v1").expect("the program has it");
    let [games, decisions] = [suite.games(None), suite.decisions(None)];
    let hours = decisions as f64 / 3600.0;
    assert_eq!(rows[8..], [format!("| v1 | {games} | {decisions} | {hours:.1} | {:.1} |", 10.0 * hours)]);
    // The suite has 100 decisions in 2 blocks of each cell.
    let part = bench.does(&["plan", "tiny.toml", "--cell", "deck"]);
    let part: Vec<_> = part.lines().skip(2).collect();
    assert_eq!(part, ["| tiny/1 deck | 3 | 50 | 0.0 | 0.1 |", "| tiny deck | 6 | 100 | 0.0 | 0.3 |"]);
    let (code, error) = bench.refuses(&["plan", "tiny.toml", "--game", "moai"]);
    assert!(code == 2 && error.contains("unknown game of the suite tiny \"moai\""), "{error}");
}

/// The page has an example of a suite file.
#[test]
fn the_suite_on_the_page_can_be_read() {
    let page = include_str!("../../docs/organise/benchmark.md");
    let mut blocks = page.split("```toml\n").skip(1).map(|block| block.split_once("```").expect("its end").0);
    let prices = PriceFile::read(blocks.next().expect("prices")).expect("prices");
    assert_eq!(prices.models["some-model"].of(1_000_000, 1_000_000), "2.05 to 2.50");
    let suite = Suite::read(blocks.next().expect("a suite")).expect("a suite");
    assert_eq!((suite.name.as_str(), suite.cells.len()), ("mine", 2));
}

/// Checks a value against a schema that uses the words of `report.schema.json`.
fn fits(schema: &Value, value: &Value, root: &Value, path: &str) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).expect(reference),
        None => schema,
    };
    let kinds: Vec<_> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let is = |kind: &&str| match *kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        kind => panic!("{path}: unknown type {kind}"),
    };
    assert!(kinds.is_empty() || kinds.iter().any(is), "{path}: expected {kinds:?}, got {value}");
    assert!(schema["const"].is_null() || schema["const"] == *value, "{path}: {value}");
    assert!(schema["enum"].as_array().is_none_or(|all| all.contains(value)), "{path}: {value}");
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(&schema["items"], item, root, &format!("{path}/{index}"));
    }
    let Some(object) = value.as_object() else { return };
    for required in schema["required"].as_array().into_iter().flatten() {
        assert!(object.contains_key(required.as_str().expect("a name")), "{path}: expected {required}");
    }
    for (key, value) in object {
        let known = &schema["properties"][key];
        let own = if known.is_null() { &schema["additionalProperties"] } else { known };
        assert!(own.is_object(), "{path}: {key} is not in the schema");
        fits(own, value, root, &format!("{path}/{key}"));
    }
}

#[test]
fn a_report_fits_its_schema() {
    let (_, folder) = sound();
    let report: Value = serde_json::from_slice(&fs::read(folder.join("report.json")).expect("a file")).expect("JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    fits(&schema, &report, &schema, "");
    assert!(!SCHEMA.contains("\"additionalProperties\": false"), "a later release may add keys");
}

#[test]
fn keys_that_a_later_release_adds_to_a_report_are_ignored() {
    let (_, folder) = sound();
    let text = fs::read_to_string(folder.join("report.json")).expect("a file");
    let mut later: Value = serde_json::from_str(&text).expect("JSON");
    for place in [
        "",
        "/suite",
        "/server",
        "/agent",
        "/seeds",
        "/machine",
        "/time",
        "/cells/0",
        "/cells/0/normalised",
        "/aggregate",
        "/aggregate/normalised",
        "/aggregate/split",
        "/aggregate/split/gap",
        "/records",
        "/log",
    ] {
        let object = later.pointer_mut(place).and_then(Value::as_object_mut).unwrap_or_else(|| panic!("{place}"));
        object.insert("future".to_owned(), json!({"x": 1}));
    }

    assert_eq!(Report::read(&later.to_string()).map(|report| report.to_text()), Ok(text));
}

#[test]
fn the_games_that_are_left_are_told_to_another_host() {
    let bench = SuiteFolder::new();
    let all = ["run", "tiny.toml", "--agent", "me=callable", "--out", "out", "--planned"];
    let left: Value = serde_json::from_str(&bench.does(&all)).expect("JSON");
    let games = left["games"].as_array().expect("a list");
    assert_eq!((left["suite"].as_str(), games.len()), (Some("tiny"), 10));
    let record = Record::read(games[9]["record"].as_str().expect("text").as_bytes()).expect("a record");
    assert!(
        record.entries.is_empty()
            && record.seed.0 == games[9]["seed"].as_str().expect("a seed").parse::<u64>().expect("a number")
    );
    let players = games[9]["players"].as_array().expect("a list");
    let seat = games[9]["seat"].as_u64().expect("a seat") as usize;
    assert!(players[seat].is_null() && players.contains(&json!("greedy@2")) && players.contains(&json!("random@1")));
}

/// The file of the suite v1 never changes: another suite has another name.
#[test]
fn the_suites_are_frozen() {
    for (name, sha256) in [
        ("v1", "83a3cde96821bf86f4e4a8708fb4f258ddb81f571e877fad247c07354d6945d8"),
        ("v2", "8b97809bba7c151f3ef31383276d4d28094e3075fc9304f5ec8d5e0c867ddead"),
    ] {
        let suite = Suite::named(name).expect("the program has it");
        assert_eq!(suite.sha256, sha256, "{name} is frozen");
        assert!(include_str!("../../docs/organise/benchmark.md").contains(sha256), "the page has it");
        let plan = SuitePlan::new(suite.clone(), Some(suite.quick), 1, suite.public_salt());
        assert_eq!(plan.games().count() as u64, suite.games(Some(suite.quick)));
        let games: BTreeSet<_> = suite.cells.iter().map(|cell| cell.setup.rules().info().id).collect();
        assert_eq!(games.len(), 4, "all four games");
    }
    let v2 = Suite::named("v2").expect("the program has it");
    let is_held_out = |cell: &&SuiteCell| cell.opponents.iter().all(|bot| bot.name().starts_with("heldout@"));
    assert!(
        v2.cells.iter().all(|cell| cell.held_out == is_held_out(&cell)),
        "the cells say which opponents are held out"
    );
}
