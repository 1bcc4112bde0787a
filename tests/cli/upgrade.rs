//! Files and clients of the state before version 0.4.0 (`tests/upgrade`), with the present program; and files of later versions,
//! which are refused by the name of what is not known.
//!
//! | file | made by |
//! |---|---|
//! | `GAME.txt`, `rappanui.bin` | `ahu play GAME greedy random … --seed 5 --record` |
//! | `duel.json` | `ahu duel rappanui greedy random --games 4 --seed 5 --json` |
//! | `report/` | `ahu benchmark run v1 --first 1 --cell rappanui-2-greedy --agent random` |
//! | `cup/` | `ahu cup run`, ended in the middle |
//! | `store.db`, `store.json` | a backup of a server with an ended match, one in progress, and an account; what clients know |
//! | `rappanui.net`, `net.txt` | random weights, and a match with them against `greedy` |
//! | `client.zip` | the Python package without the extension module |
//! | `random_bot.py` | a line program |

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::nets::net_bytes::net_bytes;
use super::programs::{python, repository};
use super::{ahu, json, printed, refused};

fn kept(name: &str) -> String {
    repository().join("tests/upgrade").join(name).display().to_string()
}

/// Copies a folder of kept files.
fn copied(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let done = Command::new("cp").args(["-r", &format!("{}/.", kept(name))]).arg(folder.path()).status();
    assert!(done.expect("it is there").success());
    folder
}

/// Returns the plies of a record, with its result and fingerprint.
fn plies(record: &str) -> &str {
    let (_, rest) = record.split_once("\nplies\n").expect("a record has plies");
    rest.split_once("\ndigest ").expect("and a digest").0
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

#[test]
fn records_are_read_and_verified() {
    for name in ["rappanui.txt", "rappanui.bin", "rapanui_cards.txt", "giants.txt", "rapanui_board.txt"] {
        let verified = json(&["replay", &kept(name), "--verify", "--json"]);
        assert_eq!(verified["valid"], true, "{name}");
    }
    let text = fs::read_to_string(kept("rappanui.txt")).expect("it is kept");
    let folder = tempfile::tempdir().expect("a folder");
    let newer = folder.path().join("newer.txt");
    fs::write(&newer, text.replacen("ahu record 2", "ahu record 3", 1)).expect("it is new");
    assert!(refused(&["replay", path(&newer)]).1.contains("expected a record that begins with \"ahu record 2\""));
}

#[test]
fn the_same_seeds_lead_to_the_same_games() {
    for game in ["rappanui", "rapanui_cards", "giants", "rapanui_board"] {
        let before = fs::read_to_string(kept(&format!("{game}.txt"))).expect("it is kept");
        let now = printed(&["play", game, "greedy", "random", "greedy", "--seed", "5", "--record", "-"]);
        assert_eq!(plies(&now), plies(&before), "{game}");
    }
    let before: Value =
        serde_json::from_str(&fs::read_to_string(kept("duel.json")).expect("it is kept")).expect("JSON");
    let now = json(&["duel", "rappanui", "greedy", "random", "--games", "4", "--seed", "5", "--json"]);
    for key in before.as_object().expect("an object").keys() {
        assert!(now.get(key).is_some(), "a report of a duel has {key}");
    }
    assert_eq!(now["pairs"], before["pairs"]);
}

#[test]
fn a_report_of_a_benchmark_verifies() {
    let folder = copied("report");
    assert!(printed(&["benchmark", "verify", path(folder.path())]).contains("valid. Games started"));
    let report = folder.path().join("report.json");
    let text = fs::read_to_string(&report).expect("it is there");
    fs::write(&report, text.replace("ahu-benchmark-report-1", "ahu-benchmark-report-2")).expect("it can be written");
    assert!(refused(&["benchmark", "verify", path(folder.path())]).1.contains("ahu-benchmark-report-"));
}

#[test]
fn a_cup_goes_on_in_the_middle() {
    let folder = copied("cup");
    let cup = folder.path().join("cup.toml");
    let before = fs::read_to_string(folder.path().join("cup.data/journal.jsonl")).expect("it is kept");
    printed(&["cup", "run", path(&cup)]);
    let after = fs::read_to_string(folder.path().join("cup.data/journal.jsonl")).expect("it is there");
    assert!(after.starts_with(&before) && after.contains("\"event\":\"end\""), "{after}");
    printed(&["cup", "verify", path(&folder.path().join("cup.data"))]);
}

#[test]
fn a_net_plays_the_same() {
    let file = PathBuf::from(kept("rappanui.net"));
    if std::env::var_os("AHU_BLESS").is_some() && !file.exists() {
        fs::write(&file, net_bytes(ahu_host::find("rappanui").expect("a game"), &[8], 5)).expect("it is new");
    }
    let net = format!("net:{}", file.display());
    let record = printed(&["play", "rappanui", &net, "greedy", "--seed", "5", "--record", "-"]);
    let before = PathBuf::from(kept("net.txt"));
    if std::env::var_os("AHU_BLESS").is_some() && !before.exists() {
        fs::write(&before, &record).expect("it is new");
    }
    assert_eq!(plies(&record), plies(&fs::read_to_string(before).expect("it is kept")));
}

/// The old store with the present server, and the old clients on it: a match goes on, keys and tokens are those of before, and
/// the record of an ended match has its digest.
#[test]
fn a_store_and_its_clients_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    printed(&["data", "restore", "--data", path(&data), &kept("store.db")]);
    assert!(printed(&["data", "verify", "--data", path(&data)]).contains("no damage"));
    let known: Value =
        serde_json::from_str(&fs::read_to_string(kept("store.json")).expect("it is kept")).expect("JSON");
    let known = |name: &str| known[name].as_str().map_or_else(|| known[name].to_string(), str::to_owned);
    let mut command = ahu(&["serve", "--listen", "127.0.0.1:0", "--require-key", "--data", path(&data)]);
    let mut server = command.env("AHU_LOG", "warn").stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(server.stdout.take().expect("it is a pipe")).lines();
    let line = lines.next().expect("it listens").expect("text");
    let address = line.strip_prefix("ahu listens on ").expect("an address");
    let script = "import ahu, os\n\
        client = ahu.Client(os.environ['AHU_ADDRESS'])\n\
        ended = client.get_match(os.environ['ENDED'])\n\
        assert ended.result.record_digest.hex() == os.environ['DIGEST'], ended\n\
        seat = client.seat(os.environ['AHU_MATCH'], int(os.environ['AHU_SEAT']), os.environ['AHU_TOKEN'])\n\
        assert seat.observe(wait=5).decision.decision_id == int(os.environ['DECISION'])\n\
        print(ahu.connect(lambda turn: turn.legal[0], seat=seat))\n\
        other = client.join(client.create_match('rapanui_board', 2, bots={1: 'random'}, seed=3).match_id)\n\
        print(ahu.connect(lambda turn: turn.legal_ids[0], seat=other))\n";
    let client = Command::new(python("agents"))
        .args(["-c", script])
        .env("PYTHONPATH", kept("client.zip"))
        .envs([("AHU_ADDRESS", address), ("AHU_ACCOUNT_KEY", &known("key")), ("ENDED", &known("ended"))])
        .envs([("AHU_MATCH", &known("match")), ("AHU_SEAT", &known("seat")), ("AHU_TOKEN", &known("token"))])
        .envs([("DIGEST", &known("digest")), ("DECISION", &known("decision"))])
        .output()
        .expect("Python is installed");
    let (told, errors) = (String::from_utf8_lossy(&client.stdout), String::from_utf8_lossy(&client.stderr));
    server.kill().and_then(|()| server.wait()).expect("it is ours");
    assert!(client.status.success() && told.matches("points").count() == 2, "{told}{errors}");
    let bot = format!("jsonl:python3 {}", kept("random_bot.py"));
    assert!(printed(&["play", "rappanui", &bot, "greedy", "--seed", "5"]).contains("points  rank"));
}

/// A program that knows less names it: a store and a net of a later form are refused.
#[test]
fn files_of_a_later_form_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store.db");
    fs::copy(kept("store.db"), &store).expect("it is kept");
    let mut bytes = fs::read(&store).expect("it is there");
    // The user version of SQLite.
    bytes[63] += 1;
    fs::write(&store, &bytes).expect("it can be written");
    let data = folder.path().join("data");
    let (_, error) = refused(&["data", "restore", "--data", path(&data), path(&store)]);
    assert!(error.contains("expected a store with schema 9, got schema 10, written by a later release"), "{error}");

    let net = folder.path().join("later.net");
    let bytes = fs::read(kept("rappanui.net")).expect("it is kept");
    let place = bytes.windows(9).position(|part| part == b"ahu net 1").expect("its format");
    let mut later = bytes.clone();
    later[place + 8] = b'2';
    fs::write(&net, later).expect("it is new");
    let (_, error) = refused(&["play", "rappanui", &format!("net:{}", net.display()), "greedy", "--seed", "5"]);
    assert!(error.contains("ahu net 1"), "{error}");
}
