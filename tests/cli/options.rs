//! Options and answers of all commands: exit codes, files that are not replaced, and `-`.

use std::fs;
use std::process::Stdio;

use super::{ahu, json, printed, refused, run, typed};

/// The page with the table of the exit codes.
const PAGE: &str = include_str!("../../docs/reference/commands.md");

/// A program that plays and chooses an illegal action.
const ILLEGAL: &str = "jsonl:while read -r line; do echo 60000; done";

#[test]
fn a_command_that_cannot_do_its_work_exits_with_1_and_one_whose_answer_is_no_with_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (record, journal, none) = (path("match.txt"), path("cup.data"), path("none"));
    printed(&["play", "rappanui", "greedy", "random", "--seed", "3", "--record", &record]);
    let text = fs::read_to_string(&record).expect("it was written");
    fs::write(&record, text.replacen("seed 3", "seed 4", 1)).expect("it is ours");
    fs::create_dir(&journal).expect("it is new");
    fs::write(folder.path().join("cup.data/journal.jsonl"), "no line of a journal\n").expect("it is new");
    let cup = concat!(
        "game = \"rappanui\"\nseats = 2\nblocks = 1\n[cup]\nname = \"Cup\"\n[[agent]]\nname = \"a\"\ncmd = \"exit 3\"\n",
        "[[agent]]\nname = \"b\"\nbot = \"greedy\"\n"
    );
    fs::write(path("cup.toml"), cup).expect("it is new");
    for (failing, refusing) in [
        (&["replay", "--verify", &none][..], &["replay", "--verify", &record][..]),
        (&["records", "verify", &none], &["records", "verify", &record]),
        (&["cup", "verify", &none], &["cup", "verify", &journal]),
        (&["cup", "check", &none], &["cup", "check", &path("cup.toml")]),
        (&["check-agent", "true", "--positions", &none], &["check-agent", "exit 3", "--game", "rappanui"]),
        (
            &["play", "rappanui", ILLEGAL, "greedy", "--strict", "--strikes", "1", "--record", "/nowhere/match.txt"],
            &["play", "rappanui", ILLEGAL, "greedy", "--strict", "--strikes", "1"],
        ),
        (
            &[
                "duel",
                "rappanui",
                &format!("a={ILLEGAL}"),
                "greedy",
                "--strict",
                "--blocks",
                "2",
                "--records",
                "/dev/null/x",
            ],
            &["duel", "rappanui", &format!("a={ILLEGAL}"), "greedy", "--strict", "--blocks", "2", "--strikes", "1"],
        ),
    ] {
        let (code, error) = refused(failing);
        assert_eq!(code, 1, "{failing:?}: {error}");
        let (code, error) = refused(refusing);
        assert_eq!(code, 3, "{refusing:?}: {error}");
    }
    // The tests of benchmarks and of data folders see their code 3.
    for failing in
        [&["benchmark", "verify", &none][..], &["data", "verify", "--data", &none], &["status", "127.0.0.1:1"]]
    {
        assert_eq!(refused(failing).0, 1, "{failing:?}");
    }
    let codes = |text: &str, before: &str| -> Vec<String> {
        let lines =
            text.lines().filter_map(|line| line.strip_prefix(before)?.split([' ', '|']).next()?.parse::<u8>().ok());
        lines.map(|code| code.to_string()).collect()
    };
    let help = printed(&["--help"]);
    let listed = codes(help.split("Exit codes:\n").nth(1).expect("the help has them"), "  ");
    assert_eq!(codes(PAGE, "| ")[..], listed[..4], "the page has the codes of the help");
}

#[test]
fn a_file_is_replaced_only_with_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let record = path("match.txt");
    let play = ["play", "rappanui", "greedy", "random", "--seed", "3", "--record", &record];
    printed(&play);
    let gif = path("match.gif");
    let pictures = path("pictures");
    for again in [
        &play[..],
        &["replay", &record, "--gif", &gif, "--step", "turn", "--width", "100"],
        &["replay", &record, "--svg", &pictures],
    ] {
        if again[0] == "replay" {
            printed(again);
        }
        let (code, error) = refused(again);
        assert_eq!((code, error.contains(" exists: use --force to replace it")), (2, true), "{error}");
        printed(&[again, &["--force"]].concat());
    }
    fs::write(&record, "something else").expect("it is ours");
    refused(&play);
    assert_eq!(fs::read_to_string(&record).expect("a file"), "something else");
}

#[test]
fn a_dash_is_stdout_for_a_record_and_stdin_for_what_reads_one() {
    let play = ["play", "rappanui", "greedy", "random", "--seed", "3", "--record", "-"];
    let record = printed(&play);
    assert!(record.starts_with("ahu record ") && !record.contains("--- turn"), "{record}");
    let (code, error) = refused(&[&play[..], &["--json"]].concat());
    assert_eq!((code, error.contains("--record -: expected no --json")), (2, true), "{error}");
    let human = refused(&["play", "rappanui", "human", "random", "--record", "-"]);
    assert_eq!((human.0, human.1.contains("--record - cannot be used with a human seat")), (2, true), "{}", human.1);

    let verified = typed(&["replay", "-", "--verify"], &record);
    assert!(String::from_utf8_lossy(&verified.stdout).starts_with("-: valid, "), "{verified:?}");
    let analysed = typed(&["analyse", "-", "--at", "30", "--bot", "search:5", "--json"], &record);
    assert!(analysed.status.success(), "{analysed:?}");
    let mut replay = ahu(&["replay", "-", "--gif", "-", "--step", "turn", "--width", "100"]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt");
    fs::write(&file, &record).expect("it is new");
    let gif = replay.stdin(Stdio::from(fs::File::open(&file).expect("a file"))).output().expect("it runs");
    assert!(
        gif.status.success() && gif.stdout.starts_with(b"GIF89a") && gif.stdout.ends_with(&[0x3b]),
        "a picture alone"
    );
}

#[test]
fn a_duel_has_a_number_of_games_that_is_whole_blocks() {
    let table = json(&["duel", "rappanui", "greedy", "random", "--games", "6", "--seed", "1", "--json"]);
    assert_eq!((&table["blocks"], &table["games"]), (&3.into(), &6.into()), "{table}");
    for (games, near) in [("7", "6 or 8"), ("3", "4 or 6"), ("2", "4 or 6"), ("0", "4 or 6")] {
        let (code, error) = refused(&["duel", "rappanui", "greedy", "random", "--games", games]);
        let expected =
            format!("--games: expected a multiple of 2 from 4 on, such as {near}, got {games}: a block has 2 games");
        assert_eq!((code, error.contains(&expected)), (2, true), "{error}");
    }
    let (_, error) = refused(&["duel", "rappanui", "greedy", "random", "--games", "4", "--blocks", "2"]);
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn a_server_listens_on_a_port_of_this_machine() {
    let output = run(&["serve", "--port", "0", "--exit-with-stdin"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && out.starts_with("ahu listens on 127.0.0.1:"), "{out}");
}

#[test]
fn times_have_units_or_are_in_seconds() {
    for time in ["1.5s/move,startup=2", "1500ms/move,startup=2000ms", "1.5/move,startup=2s"] {
        let table = json(&["play", "rappanui", "greedy", "exit 3", "--seed", "1", "--tc", time, "--json"]);
        let control = &table["seats"][1]["time_control"];
        assert_eq!((&control["limit_ms"], &control["startup_ms"]), (&1500.into(), &2000.into()), "{table}");
    }
    for time in ["60ms", "0.06s", "0.06"] {
        let output = run(&["check-agent", "jsonl:sleep 20", "--game", "rappanui", "--patience", time]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains("the agent has not written a line for 0.06 s"), "{out}");
    }
}
