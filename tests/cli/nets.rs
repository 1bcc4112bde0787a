//! Players as texts: `net:FILE` and `--net`, and what files in the folder do not change.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use ahu_host::find;
use tempfile::TempDir;

use super::{ahu, json, printed, refused};

#[path = "../shared/net_bytes.rs"]
pub(super) mod net_bytes;

/// Writes a net of a game into a folder, and returns its path and its player.
fn net(folder: &TempDir, game: &str, seed: u64) -> (PathBuf, String) {
    let path = folder.path().join(format!("{game}-{seed}.net"));
    let rules = find(game).expect("it is in the catalog");
    fs::write(&path, net_bytes::net_bytes(rules, &[8], seed)).expect("it is new");
    let player = format!("net:{}", path.display());
    (path, player)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

#[test]
fn a_net_plays_and_its_record_verifies() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, player) = net(&folder, "rapanui_cards", 1);
    let record = folder.path().join("match.txt");
    printed(&["play", "rapanui_cards", &player, "greedy", "--seed", "3", "--record", text(&record)]);

    let written = fs::read_to_string(&record).expect("a record");
    assert!(written.contains("\nseat 0 bot net:") && !written.contains(text(&path)), "{written}");
    assert!(printed(&["replay", text(&record)]).contains("greedy@2"), "a record can be read without the net");
    for more in [&[][..], &["--net", text(&path)]] {
        let shown = printed(&[&["replay", text(&record), "--verify"], more].concat());
        assert!(shown.contains(": valid, "), "{shown}");
    }

    // A duel names a net without its path, too.
    let name = written.split("seat 0 bot ").nth(1).and_then(|rest| rest.lines().next()).expect("a name");
    let table = json(&["duel", "rapanui_cards", &player, "greedy", "--blocks", "2", "--json"]);
    assert_eq!((&table["agents"][0]["name"], &table["agents"][0]["player"]), (&name.into(), &name.into()), "{table}");
}

#[test]
fn a_net_that_cannot_play_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, player) = net(&folder, "giants", 1);
    let cut = folder.path().join("cut.net");
    let bytes = fs::read(&path).expect("a net");
    fs::write(&cut, &bytes[..bytes.len() - 5]).expect("it is new");
    let (code, message) = refused(&["play", "rappanui", &player, "greedy"]);
    assert_eq!((code, message.contains("expected a net for rappanui, got one for giants")), (2, true), "{message}");
    let (code, message) = refused(&["play", "rappanui", &format!("net:{}", cut.display()), "greedy"]);
    assert_eq!((code, message.contains(&format!("expected a net of {} bytes", bytes.len()))), (2, true), "{message}");
    let (code, message) = refused(&["play", "rappanui", "net:none.net", "greedy"]);
    assert_eq!((code, message.contains("cannot read none.net: ")), (2, true), "{message}");
    for name in ["", "a b", "0123456789abcdef", "House", "v1.2"] {
        let (code, message) = refused(&["play", "rappanui", "--net", &format!("{name}={}", path.display())]);
        assert_eq!((code, message.contains("expected a name of 1 to 32 letters")), (2, true), "{message}");
    }
}

#[test]
fn the_form_of_a_text_says_whether_it_is_a_bot_a_net_or_a_command() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["greedy", "my_bot"] {
        let file = folder.path().join(name);
        fs::write(&file, "#!/bin/sh\n: > started\n").expect("it is new");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let started = folder.path().join("started");
    let path = format!("{}:{}", folder.path().display(), env::var("PATH").expect("a path"));
    let play = |player: &str| {
        let mut command = ahu(&["play", "rappanui", player, "random"]);
        let output = command.current_dir(folder.path()).env("PATH", &path).output().expect("it starts");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    assert_eq!((play("greedy").0, started.exists()), (Some(0), false), "a bot is a bot beside a file of its name");
    for (player, error) in [("my_bot", "unknown bot \"my_bot\""), ("net:my_bot", "unknown bot \"net:my_bot\"")] {
        let (code, message) = play(player);
        assert_eq!((code, message.contains(error), started.exists()), (Some(2), true, false), "{message}");
    }
    for command in ["./my_bot", "./greedy", "cmd:my_bot", "cmd:greedy", "cmd:./my_bot", "jsonl:my_bot"] {
        play(command);
        assert!(started.exists(), "{command}");
        fs::remove_file(&started).expect("it exists");
    }
}

#[test]
fn a_path_with_an_equals_sign_is_not_split() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, _) = net(&folder, "giants", 1);
    fs::rename(path, folder.path().join("lr=1.net")).expect("it is ours");
    let plays = |net: &str| {
        let output = ahu(&["play", "rappanui", "random", "random", "--net", net])
            .current_dir(folder.path())
            .output()
            .expect("it starts");
        (output.status.success(), String::from_utf8(output.stderr).expect("text"))
    };
    assert!(plays("./lr=1.net").0 && plays("house=lr=1.net").0);
    let (done, message) = plays("lr=1.net");
    assert!(!done && message.contains("cannot read 1.net"), "{message}");
}

#[test]
fn only_commands_that_read_players_or_records_take_nets() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, _) = net(&folder, "giants", 1);
    for command in
        [&["cup", "plan"][..], &["records", "list"], &["data", "verify"], &["duel", "merge"], &["benchmark", "verify"]]
    {
        let help = printed(&[command, &["--help"]].concat());
        assert!(help.contains("--net <[NAME=]FILE>"), "{help}");
    }
    for command in [&["games"][..], &["keys", "list"], &["status"], &["completions"], &["speed"]] {
        let (code, message) = refused(&[command, &["--net", text(&path)]].concat());
        assert_eq!((code, message.contains("unexpected argument '--net'")), (2, true), "{message}");
    }
}
