//! Shards of duels and benchmarks (`docs/organise/shards.md`): together they make the report of one machine, and none may
//! be missing, come twice, or belong elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::benchmark::{SUITE, SuiteFolder};
use super::{ahu, json as value_of, printed, refused, run};

const PAGE: &str = include_str!("../../docs/organise/shards.md");

/// The arguments of the duel that most tests divide.
const DUEL: [&str; 8] = ["duel", "rapanui_cards", "greedy", "random", "--seed", "3", "--concurrency", "2"];

/// A duel of bots, whole and in 16 shards.
struct Duel {
    folder: TempDir,
}

impl Duel {
    /// Plays all shards of a duel of 32 blocks.
    fn of_shards() -> Self {
        let duel = Self { folder: tempfile::tempdir().expect("a folder") };
        for number in 1..=16 {
            duel.plays(&format!("{number}/16"), &number.to_string(), &[]);
        }
        duel
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn plays(&self, shard: &str, folder: &str, more: &[&str]) -> String {
        let folder = self.path(folder);
        let own = ["--blocks", "32", "--shard", shard, "--records", &folder];
        printed(&[&DUEL[..], &own, more].concat())
    }

    /// Returns the arguments of a merge of folders.
    fn merge(&self, folders: impl IntoIterator<Item = String>, more: &[&str]) -> Vec<String> {
        let folders = folders.into_iter().map(|name| self.path(&name));
        let more = more.iter().map(|&word| word.to_owned());
        ["duel", "merge"].into_iter().map(str::to_owned).chain(folders).chain(more).collect()
    }

    /// Checks that a merge of folders is refused with this error.
    fn refuses(&self, folders: impl IntoIterator<Item = String>, code: i32, expected: &str) {
        let (found, error) = refused(&words(&self.merge(folders, &[])));
        assert!(found == code && error.contains(expected), "expected {code} and \"{expected}\", got {found}: {error}");
    }
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

fn all() -> impl Iterator<Item = String> {
    (1..=16).map(|number| number.to_string())
}

/// Returns the table without times.
fn timeless(mut table: Value) -> Value {
    for key in ["seconds", "games_per_minute"] {
        table[key] = Value::Null;
    }
    for agent in table["agents"].as_array_mut().expect("a list") {
        agent["decision_ms"] = Value::Null;
    }
    table
}

/// Returns the files of a folder and of the folders in it, by their paths in it.
pub(super) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it lies below").to_owned();
                found.insert(name, fs::read(path).expect("a file"));
            }
        }
    }
    found
}

#[test]
fn sixteen_shards_of_a_duel_equal_one_run() {
    let duel = Duel::of_shards();
    let (whole, merged) = (duel.path("whole"), duel.path("merged"));
    let own = ["--blocks", "32", "--records", &whole];
    let text = printed(&[&DUEL[..], &own].concat());
    let merge = printed(&words(&duel.merge(all(), &["--records", &merged])));
    // The lines with times, and with the columns of times of the two agents.
    let timeless_lines = |text: &str| {
        let line = |line: &str| match line.len() {
            _ if line.starts_with("32 blocks, ") => line.split(" in ").next().unwrap_or_default().to_owned(),
            100.. => line[..98].trim_end().to_owned(),
            _ => line.to_owned(),
        };
        text.lines().map(line).collect::<Vec<_>>()
    };
    assert_eq!(timeless_lines(&merge), timeless_lines(&text));
    let kept = |folder: &str| {
        let mut files = files(Path::new(folder));
        // They have times.
        for name in ["games.jsonl", "run.json"] {
            files.remove(Path::new(name)).expect("a run has it");
        }
        files
    };
    assert_eq!(kept(&merged), kept(&whole), "the records and the table of results");

    let json = value_of(&[&DUEL[..], &["--blocks", "32", "--json"]].concat());
    // The order of the folders does not matter.
    let reversed: Vec<_> = all().collect::<Vec<_>>().into_iter().rev().collect();
    assert_eq!(timeless(value_of(&words(&duel.merge(reversed, &["--json"])))), timeless(json));

    let shard = duel.plays("3/16", "again", &["--json"]);
    let shard: Value = serde_json::from_str(&shard).expect("JSON");
    assert_eq!((&shard["shard"], &shard["blocks"], &shard["games"]), (&json!("3/16"), &json!(2), &json!(4)));
    let names: Vec<_> = files(Path::new(&duel.path("again"))).into_keys().collect();
    let records = ["00002-00.txt", "00002-01.txt", "00018-00.txt", "00018-01.txt"];
    let expected = [&records[..], &["games.jsonl", "results.csv", "run.json"]].concat();
    assert_eq!(names, expected.into_iter().map(PathBuf::from).collect::<Vec<_>>());
}

#[test]
fn shards_of_a_duel_of_programs_equal_one_run() {
    let duel = Duel { folder: tempfile::tempdir().expect("a folder") };
    let play = r#"a=jsonl:while read -r l; do case $l in *'"decide"'*) printf '%s\n' "$l" | sed 's/.*"legal":\[{"action_id":\([0-9]*\),.*/\1/';; esac; done"#;
    let salt = "ab".repeat(32);
    let own = ["duel", "rapanui_cards", play, "greedy", "--blocks", "4", "--seed", "5"];
    let own = [&own[..], &["--salt", &salt, "--concurrency", "2"]].concat();
    for shard in ["1", "2"] {
        let (part, folder) = (format!("{shard}/2"), duel.path(shard));
        let out = printed(&[&own[..], &["--shard", &part, "--records", &folder, "--strict"]].concat());
        assert!(!out.contains(&salt), "programs of other shards may read it: {out}");
    }
    let merged = value_of(&words(&duel.merge(["1".to_owned(), "2".to_owned()], &["--json"])));
    let whole = value_of(&[&own[..], &["--json"]].concat());
    let timed = |table: &Value| table["agents"][0]["decision_ms"]["timed"].clone();
    assert!(timed(&merged).as_u64() > Some(100) && timed(&merged) == timed(&whole), "{merged}");
    assert_eq!((&merged["salt"], timeless(merged.clone())), (&json!(salt), timeless(whole)));
}

#[test]
fn a_shard_of_a_duel_that_is_missing_doubled_or_foreign_is_named() {
    let duel = Duel::of_shards();
    let without = |left_out: &[&str]| all().filter(|name| !left_out.contains(&name.as_str())).collect::<Vec<_>>();
    let with = |left_out: &str, further: &str| [without(&[left_out]), vec![further.to_owned()]].concat();
    duel.refuses(without(&["3", "7"]), 2, "error: expected all 16 shards, got none for 3/16, 7/16\n");
    duel.plays("3/16", "again", &[]);
    let doubled = format!("expected each shard once, got 3/16 in {} and in {}\n", duel.path("3"), duel.path("again"));
    duel.refuses(with("", "again"), 2, &doubled);

    let first = duel.path("1");
    for (name, shard, more, expected) in [
        ("seed", "3/16", ["--seed", "4"], format!("the same seed as in {first}, \"3\", got \"4\"\n")),
        ("blocks", "3/16", ["--blocks", "40"], format!("the same blocks as in {first}, 32, got 40\n")),
        ("options", "3/16", ["--design", "cyclic"], format!("the same arguments.design as in {first}, ")),
        ("salt", "3/16", ["--salt", &"0".repeat(64)], format!("the same salt_sha256 as in {first}, null, got ")),
        ("count", "3/8", ["--seed", "3"], format!("one of 16 shards, as in {first}, got 3/8\n")),
    ] {
        // The last value of an option would be an error: leave out the first.
        let own = ["--blocks", "32"];
        let base: Vec<_> = [&DUEL[..], &own].concat();
        let kept = base.chunks(2).filter(|pair| pair[0] != more[0]).flatten().copied();
        let folder = duel.path(name);
        let arguments: Vec<_> = kept.chain(more).chain(["--shard", shard, "--records", &folder]).collect();
        printed(&arguments);
        duel.refuses(with("3", name), 2, &format!("error: {folder}: expected {expected}"));
    }
    let file = |name: &str| Path::new(&duel.path("3")).join(name);
    let text = fs::read_to_string(file("run.json")).expect("a file");
    let version = text.replacen("\"version\": \"", "\"version\": \"9.", 1);
    fs::write(file("run.json"), version).expect("a file");
    duel.refuses(all(), 2, "expected the same version as in ");
    fs::write(file("run.json"), text.replacen("3/16", "0/16", 1)).expect("a file");
    duel.refuses(all(), 1, "expected a shard such as 3/16, ");
    fs::remove_file(file("run.json")).expect("a file");
    duel.refuses(all(), 1, "expected the folder of a shard, with run.json, got none\n");
    fs::write(file("run.json"), text).expect("a file");
    // A game of another block, and none.
    let record = fs::read(file("00018-01.txt")).expect("a record");
    fs::write(file("00018-01.txt"), fs::read(file("00002-01.txt")).expect("a record")).expect("a file");
    duel.refuses(all(), 1, &format!("{}: expected the record that games.jsonl keeps", file("00018-01.txt").display()));
    fs::remove_file(file("00018-01.txt")).expect("a file");
    let expected = "expected 4 records of the shard 3/16, got 3; the same command as before plays the others\n";
    duel.refuses(all(), 1, expected);
    duel.plays("3/16", "3", &[]);
    assert_eq!(fs::read(file("00018-01.txt")).expect("a file"), record, "the same game");
    printed(&words(&duel.merge(all(), &[])));
}

#[test]
fn shards_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("records").display().to_string();
    let usage = |arguments: &[&str], expected: &str| {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.contains(expected), "{arguments:?}: {error}");
    };
    let suite = ["benchmark", "run", "v1", "--agent", "greedy", "--out", &records];
    for shard in ["0/16", "17/16", "a/b", "16", "1/0"] {
        let expected =
            format!("expected a shard such as 3/16, with a number from 1 to the number of shards, got \"{shard}\"");
        usage(&[&DUEL[..], &["--records", &records, "--shard", shard]].concat(), &expected);
        usage(&[&suite[..], &["--shard", shard]].concat(), &expected);
    }
    let duel = |more: &[&str], expected: &str| usage(&[&DUEL[..], more, &["--shard", "1/3"]].concat(), expected);
    duel(&[], "the following required arguments were not provided:\n  --records <DIR>");
    let sprt = ["--records", &records, "--sprt", "0,0.05"];
    duel(&sprt, "the argument '--sprt <H0,H1>' cannot be used with '--shard <NUMBER/COUNT>'");
    duel(&["--records", &records, "--blocks", "2"], "--shard: expected at most 2 shards, one for each block, got 3");
    let program = ["duel", "rapanui_cards", "a=jsonl:true", "greedy", "--records", &records];
    let program = [&program[..], &["--shard", "1/3"]].concat();
    usage(&program, "--shard: expected --seed, so that all shards belong to one duel, got none");
    usage(
        &[&program[..], &["--seed", "1"]].concat(),
        "--shard: expected --salt or, for programs of your own, --trust, so that all shards belong to one duel",
    );
    usage(&["duel", "merge"], "<DIR>...");
    usage(&["duel", "merge", "x", "--seed", "1"], "unexpected argument '--seed'");
    let more = [&suite[..], &["--shard", "1/3"]].concat();
    usage(&[&more[..], &["--strict"]].concat(), "cannot be used with");
    usage(&[&more[..], &["--listen", "127.0.0.1:0"]].concat(), "cannot be used with");
    usage(
        &[&suite[..], &["--first", "1", "--cell", "cards-2-greedy", "--shard", "1/2"]].concat(),
        "--shard: expected at most 1 shards, one for each block, got 2",
    );
    let (code, error) = refused(&["duel", "merge", "/nowhere"]);
    assert!(
        code == 1 && error.contains("/nowhere: expected the folder of a shard, with run.json, got none\n"),
        "{error}"
    );
    assert!(!Path::new(&records).exists(), "nothing was played");
}

#[test]
fn an_interrupted_shard_of_a_duel_tells_what_it_keeps() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("records");
    let slow = r#"slow=jsonl:while read -r l; do case $l in *'"decide"'*) sleep 0.002; printf '%s\n' "$l" | sed 's/.*"legal":\[{"action_id":\([0-9]*\),.*/\1/';; esac; done"#;
    let path = records.display().to_string();
    let own = ["duel", "rapanui_cards", slow, "greedy", "--blocks", "100000", "--seed", "1"];
    let own = [&own[..], &["--trust", "--shard", "2/3", "--records", &path, "--json"]].concat();
    let child = ahu(&own).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_dir(&records).map_or(0, Iterator::count) < 4 {
        assert!(Instant::now() < deadline, "a block is played");
        thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(killed.expect("it starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let told = String::from_utf8_lossy(&output.stderr);
    let kept = format!(" games are kept in {path}; the same command goes on\nerror: interrupted before the end\n");
    assert!(told.ends_with(&kept) && told.contains(" of 66666 games are kept"), "{told}");
    let table = fs::read_to_string(records.join("results.csv")).expect("a file");
    let blocks: Vec<u64> = table
        .lines()
        .skip(1)
        .map(|line| line[..line.find(',').expect("a column")].parse().expect("a number"))
        .collect();
    assert!(blocks.len() >= 4 && blocks.iter().all(|block| block % 3 == 1), "{blocks:?}");
    // A record for each game of two seats, the table, the claims, and the log.
    assert_eq!(fs::read_dir(&records).expect("a folder").count(), blocks.len() / 2 + 3);
    let (code, error) = refused(&["duel", "merge", &path]);
    assert!(code == 2 && error.contains("expected all 3 shards, got none for 1/3, 3/3"), "{error}");
}

/// Returns a folder with a suite of 16 blocks in its quick form.
fn quick_suite() -> SuiteFolder {
    let bench = SuiteFolder::new();
    let suite = SUITE.replace("quick = 1", "quick = 8").replace("blocks = 2", "blocks = 10");
    fs::write(bench.path("tiny.toml"), suite).expect("a file");
    bench
}

/// Plays a shard of the quick suite.
fn plays_shard(bench: &SuiteFolder, number: u64, out: &str, more: &[&str]) -> String {
    let shard = format!("{number}/16");
    let own =
        ["run", "tiny.toml", "--quick", "--agent", "greedy@1", "--concurrency", "2", "--shard", &shard, "--out", out];
    bench.does(&[&own[..], more].concat())
}

/// Returns the arguments of a merge of the shards of the quick suite in `whole`, with other folders than usual.
fn merge_of<'a>(folders: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let folders = folders.iter().map(String::as_str);
    ["merge"].into_iter().chain(folders).chain(["--suite", "tiny.toml"]).chain(more.iter().copied()).collect()
}

#[test]
fn sixteen_shards_of_a_quick_suite_equal_one_run() {
    let bench = quick_suite();
    let whole = bench.plays("greedy@1", "whole", &["--quick"]);
    assert_eq!(whole["suite"]["first"], 8);
    let folders: Vec<_> = (1..=16).map(|number| format!("s{number}")).collect();
    for number in 1..=16 {
        let out = plays_shard(&bench, number, &format!("s{number}"), &[]);
        assert!(out.starts_with(&format!("tiny/8, shard {number}/16: ")) && out.contains(" kept in s"), "{out}");
        assert!(!bench.path(&format!("s{number}/report.json")).exists(), "a shard has no report");
    }
    let merged: Value =
        serde_json::from_str(&bench.does(&merge_of(&folders, &["--out", "m", "--json"]))).expect("JSON");
    let timeless = |report: &Value| {
        let mut report = report.clone();
        report["time"] = Value::Null;
        report["log"]["link"] = Value::Null;
        report
    };
    assert_eq!(timeless(&merged), timeless(&whole));
    let seconds = merged["time"]["seconds"].as_f64().expect("a number");
    assert!(seconds >= 0.0 && merged["time"]["started"].as_str() <= merged["time"]["ended"].as_str(), "{merged}");
    let of = |folder: &str| {
        let mut files = files(&bench.path(folder));
        // The files with times: the claims, the log, and the pages made from the report.
        files.retain(|name, _| name.starts_with("records") || name == Path::new("blocks.csv"));
        files
    };
    assert_eq!(of("m"), of("whole"));
    assert_eq!(of("m").len(), 8 * 2 + 8 * 3 + 1);
    bench.check("m", &["--sample", "1", "--rerun", "1"]).expect("it is sound");
    // The folder is that of a run: nothing is left to play.
    let again: Value = serde_json::from_str(&bench.does(&[
        "run",
        "tiny.toml",
        "--quick",
        "--agent",
        "greedy@1",
        "--out",
        "m",
        "--json",
    ]))
    .expect("JSON");
    assert_eq!(again, merged);
    let (code, error) = bench.refuses(&merge_of(&folders, &["--out", "m"]));
    assert!(code == 2 && error.contains("--out: expected a new or empty folder, got m, which has files"), "{error}");
}

#[test]
fn a_shard_of_a_suite_that_is_missing_doubled_or_foreign_is_named() {
    let bench = quick_suite();
    let mut folders: Vec<_> = (1..=16).map(|number| format!("s{number}")).collect();
    for number in 1..=16 {
        plays_shard(&bench, number, &format!("s{number}"), &[]);
    }
    let refuses = |folders: &[String], code: i32, expected: &str| {
        let (found, error) = bench.refuses(&merge_of(folders, &["--out", "m"]));
        assert!(found == code && error.contains(expected), "expected {code} and \"{expected}\", got {found}: {error}");
        assert!(!bench.path("m").exists(), "{expected}: nothing was written");
    };
    refuses(&folders[..15], 2, "error: expected all 16 shards, got none for 16/16\n");
    plays_shard(&bench, 3, "again", &[]);
    refuses(
        &[&folders[..], &["again".to_owned()]].concat(),
        2,
        "expected each shard once, got 3/16 in s3 and in again\n",
    );
    let sealed = format!("sealed:{}", "5a".repeat(32));
    plays_shard(&bench, 3, "foreign", &["--seeds", &sealed]);
    folders[2] = "foreign".to_owned();
    refuses(&folders, 2, "foreign: expected the same claims.seeds.kind as in s1, \"public\", got \"sealed\"\n");
    bench.does(&["run", "tiny.toml", "--quick", "--agent", "greedy@1", "--shard", "3/4", "--out", "of_four"]);
    folders[2] = "of_four".to_owned();
    refuses(&folders, 2, "of_four: expected one of 16 shards, as in s1, got 3/4\n");
    bench.plays("greedy@1", "whole", &["--quick"]);
    folders[2] = "whole".to_owned();
    refuses(&folders, 2, "whole: expected the folder of a shard, got one of a whole run\n");
    folders[2] = "s3".to_owned();
    let run_file = fs::read_to_string(bench.path("s3/run.json")).expect("a file");
    let other = run_file.replacen("\"build\": \"", "\"build\": \"0", 1);
    fs::write(bench.path("s3/run.json"), other).expect("a file");
    refuses(&folders, 2, "s3: expected the same server.build as in s1, ");
    fs::write(bench.path("s3/run.json"), run_file).expect("a file");

    // A shard that was cut off, or whose record was exchanged. The first goes on.
    let records: Vec<_> = files(&bench.path("s3")).into_keys().filter(|name| name.starts_with("records")).collect();
    let [first, second] = [0, 1].map(|index| bench.path("s3").join(&records[index]));
    let content = fs::read(&second).expect("a record");
    fs::write(&second, fs::read(&first).expect("a record")).expect("a file");
    refuses(&folders, 1, "expected the record that games.jsonl keeps, with the SHA-256 ");
    fs::write(&second, content).expect("a file");
    fs::remove_file(&first).expect("a record");
    let all = records.len();
    let expected = format!(
        "s3: expected {all} records of the shard 3/16, got {}; the same command as before plays the others\n",
        all - 1
    );
    refuses(&folders, 1, &expected);
    let own = ["run", "tiny.toml", "--quick", "--agent", "greedy@1", "--out", "s3"];
    let (code, error) = bench.refuses(&[&own[..], &["--shard", "4/16"]].concat());
    assert_eq!(code, 2);
    let expected = "expected the same shard as when the run in s3 began, \"3/16\", got \"4/16\"; take another folder";
    assert!(error.contains(expected), "{error}");
    let out: Value = serde_json::from_str(&plays_shard(&bench, 3, "s3", &["--json"])).expect("JSON");
    let format = "ahu-benchmark-shard-1";
    assert_eq!(out, json!({"format": format, "suite": "tiny/8", "shard": "3/16", "games": all}));
    let merged: Value =
        serde_json::from_str(&bench.does(&merge_of(&folders, &["--out", "m", "--json"]))).expect("JSON");
    assert_eq!(merged["log"]["not_kept"], 1, "the game that was played again counts: {merged}");
    bench.check("m", &[]).expect("it is sound");
}

#[test]
fn the_example_of_xargs_on_the_page_does_what_it_says() {
    let (_, example) = PAGE.split_once("\n## One machine\n").expect("it is on the page");
    let script: String = example
        .lines()
        .skip_while(|line| !line.starts_with("    "))
        .take_while(|line| line.starts_with("    "))
        .fold(String::new(), |script, line| script + line + "\n");
    assert!(script.contains("xargs") && script.contains("ahu duel merge"), "{script}");
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(env!("CARGO_BIN_EXE_ahu")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a path"));
    let output = Command::new("sh").args(["-e", "-c", &script]).env("PATH", path).current_dir(folder.path()).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("shard 16/16: 10 of 160 blocks, 20 games in "), "{out}");
    assert!(
        out.contains("\n160 blocks, 320 games of ") && out.contains("\ngreedy@2 is better than random@1: "),
        "{out}"
    );
    let whole = run(&["duel", "rapanui_cards", "greedy", "random", "--blocks", "160", "--seed", "1"]);
    let whole = String::from_utf8(whole.stdout).expect("text");
    let verdict = whole.lines().last().expect("a verdict");
    assert!(verdict.starts_with("greedy@2 is better") && out.ends_with(&format!("\n{verdict}\n")), "{out}");
}
