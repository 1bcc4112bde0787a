//! The program, as a person at a terminal or a script uses it.

mod about;
mod accounts;
mod agents;
mod analysis;
mod at_terminal;
mod author;
#[path = "../shared/authority.rs"]
mod authority;
mod benchmark;
mod cup;
mod cup_organiser;
mod cup_results;
mod cup_server;
#[cfg(target_os = "linux")]
mod cup_stops;
mod cup_tls;
mod data;
mod demo;
mod duel;
mod guesses;
mod ladder;
mod lines;
mod log;
mod mcp;
mod nets;
mod options;
mod positions;
#[path = "../shared/programs.rs"]
mod programs;
mod prompt;
mod records;
mod replay;
mod served;
mod serving;
mod shards;
mod upgrade;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::{NonZeroU8, NonZeroU32};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use ahu_core::{ActionId, Seed, hex};
use ahu_host::{Cause, Conduct, Consequence, MatchTime, Referee, SeatPlayer, Terms, TimeControl, find};
use ahu_service::proto::v1;
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use serde_json::{Value, json as value};
use tokio::runtime::{self, Runtime};
use tonic::transport::Channel;

use self::programs::rust_agent;

fn ahu(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ahu"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    ahu(arguments).output().expect("the program starts")
}

/// Runs the program and returns its output. Panics if it fails.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it prints text")
}

/// Returns the object that a command prints, which names its format.
fn json(arguments: &[&str]) -> Value {
    let value: Value = serde_json::from_str(&printed(arguments)).expect("it prints JSON and nothing else");
    let format = value["format"].as_str().unwrap_or_else(|| panic!("{arguments:?}: expected a format, got {value}"));
    assert!(format.starts_with("ahu-") && format.ends_with("-1"), "{format}");
    value
}

/// Runs the program and returns its exit code and its error output.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = run(arguments);
    let error = String::from_utf8(output.stderr).expect("errors are text");
    assert!(!error.contains("panicked"), "{error}");
    (output.status.code().expect("it ended by itself"), error)
}

/// Runs the program with a person who types these lines.
fn typed(arguments: &[&str], lines: &str) -> Output {
    let mut child =
        ahu(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // The program may exit before it has read all lines.
    let _ = child.stdin.take().expect("it is a pipe").write_all(lines.as_bytes());
    child.wait_with_output().expect("it ends")
}

#[test]
fn bots_play_a_match_and_its_result_is_shown() {
    let out = printed(&["play", "rappanui", "greedy", "random", "random", "--seed", "7"]);

    assert!(out.starts_with("Rappa Nui, the deck game, seed 7\n  seat 0: greedy@2\n"), "{out}");
    assert!(out.contains("the cards are dealt, seat "), "{out}");
    assert!(out.contains("Moai points; eroded: "), "{out}");
    assert!(out.contains("  seat  player    points  rank  return\n"), "{out}");
    assert!(out.contains("\n  seed 7, "), "{out}");
    assert_eq!(out, printed(&["play", "rappanui", "greedy", "random", "random", "--seed", "7"]), "it repeats");
}

#[test]
fn a_spectator_is_shown_no_hand() {
    let out = printed(&["play", "rappanui", "greedy", "random", "--seed", "7"]);

    assert!(out.contains("draws 4 cards") && !out.contains(" has F"), "{out}");
    for line in out.lines().filter(|line| line.contains(" draws ")) {
        assert!(line.ends_with(" cards") || line.ends_with(" a card") || line.ends_with(" nothing"), "{line}");
    }
}

#[test]
fn a_match_as_json_is_json_alone() {
    let value = json(&["play", "rappanui", "greedy", "random", "--seed", "7", "-o", "tie=fewest_cards", "--json"]);

    assert_eq!(value["game"], "rappanui");
    assert_eq!(value["seed"], "7");
    assert_eq!(value["options"]["tie"], "fewest_cards");
    assert_eq!(value["seats"][0]["player"], "greedy@2");
    let ranks: Vec<_> = value["seats"].as_array().expect("seats").iter().map(|seat| seat["rank"].clone()).collect();
    assert_eq!(ranks, [1, 2]);
}

#[test]
fn a_record_is_written_shown_again_and_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["match.txt", "match.bin"] {
        let file = folder.path().join(name).display().to_string();
        let played = printed(&["play", "rappanui", "greedy", "random", "--seed", "3", "--record", &file]);
        assert!(played.contains(&file), "{played}");

        let shown = printed(&["replay", &file]);
        assert!(shown.contains("   1  deal first ") && shown.contains("Rappa Nui: the game is over"), "{shown}");
        assert!(!shown.contains("Enter: next ply"), "no pause without a terminal");
        let own = printed(&["replay", &file, "--as", "1"]);
        assert!(own.contains("your hand: ") && own.contains("; seat 1 has "), "{own}");
        assert!(printed(&["replay", &file, "--verify"]).contains(": valid, "));
        assert_eq!(json(&["replay", &file, "--verify", "--json"])["valid"], true);
        let (code, error) = refused(&["replay", &file, "--as", "2"]);
        assert_eq!((code, error.as_str()), (2, "error: expected --as to be public or a seat from 0 to 1, got \"2\"\n"));
    }
}

#[test]
fn a_record_that_could_not_be_written_is_refused_before_the_match() {
    let (code, error) = refused(&["play", "rappanui", "greedy", "human", "--record", "/nowhere/match.txt"]);

    assert!(code == 1 && error.starts_with("error: cannot write /nowhere/match.txt: "), "{error}");
}

#[test]
fn a_record_shown_as_a_viewer_tells_what_that_viewer_was_told_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    printed(&["play", "rappanui", "greedy", "random", "--seed", "3", "--record", &file]);

    assert!(printed(&["replay", &file]).contains("\n   2  draw W5.1 W10.2 huri.3 climate-change\n"));
    for (viewer, first, second) in [
        ("public", "seat 0 draws 4 cards", "seat 1 draws 4 cards"),
        ("0", "seat 0 draws W5 W10 huri climate-change", "seat 1 draws 4 cards"),
        ("1", "seat 0 draws 4 cards", "seat 1 draws F1 W3 raid huri"),
    ] {
        let shown = printed(&["replay", &file, "--as", viewer]);
        assert!(shown.contains(&format!("\n   2  {first}\n")), "{viewer}: {shown}");
        assert!(shown.contains(&format!("\n   4  {second}\n")), "{viewer}: {shown}");
        assert!(!shown.contains("  deal ") && !shown.contains("  draw "), "no raw entry: {shown}");
        let head = shown.lines().next().expect("a line");
        assert!(!head.contains("seed"), "the seed is shown at the end: {head}");
    }
}

#[test]
fn a_bad_record_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    printed(&["play", "rappanui", "greedy", "random", "--seed", "3", "--record", &file]);
    let text = std::fs::read_to_string(&file).expect("it was written");

    std::fs::write(&file, &text[..text.len() / 2]).expect("it can be written");
    let (code, error) = refused(&["replay", &file]);
    assert!(code == 1 && error.ends_with("the record is incomplete: it ends before its digest\n"), "{error}");
    std::fs::write(&file, text.replacen("seed 3", "seed 4", 1)).expect("it can be written");
    let (code, error) = refused(&["replay", &file, "--verify"]);
    assert!(code == 3 && error.contains("was altered"), "{error}");
    let invalid = ahu(&["replay", &file, "--verify", "--json"]).output().expect("it starts");
    assert_eq!(invalid.status.code(), Some(3));
    assert_eq!(serde_json::from_slice::<Value>(&invalid.stdout).expect("JSON")["valid"], false);
    std::fs::write(&file, "hello").expect("it can be written");
    assert!(refused(&["replay", &file]).1.contains("expected a record that begins with"));
    let (code, error) = refused(&["replay", "/no/such/file"]);
    assert!(code == 1 && error.contains("cannot read /no/such/file"), "{error}");
}

#[test]
fn what_makes_no_sense_is_refused_with_what_would_be_right() {
    let usage = |arguments: &[&str], expected: &str| {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.contains(expected), "{arguments:?}: {error}");
    };
    usage(&["play", "rapanui", "greedy", "random"], "unknown game \"rapanui\"; did you mean \"rappanui\"?");
    usage(&["play", "rappanui", "greedy"], "expected 2 to 6 seats, got 1");
    usage(&["play", "rappanui", "a", "a", "a", "a", "a", "a", "a"], "expected 2 to 6 seats, got 7");
    usage(&["play", "rappanui", "gready", "random"], "unknown bot \"gready\"; did you mean \"greedy\"?");
    usage(&["play", "rappanui", "greedy", "random", "-o", "combine=true"], "did you mean \"combine_rule\"?");
    usage(
        &["play", "rappanui", "greedy", "random", "-o", "tie"],
        "expected an option of the form KEY=VALUE, got \"tie\"",
    );
    usage(&["play", "rappanui", "greedy", "human", "--json"], "--json cannot be used with a human seat");
    usage(&["play", "rappanui", "greedy", "random", "--strikes", "0"], "0 is not in 1..=255");
    usage(&["games", "chess"], "unknown game \"chess\"");
    usage(
        &["speed", "rappanui", "--seats", "two"],
        "expected --seats to be a number or a range such as 2-4, got \"two\"",
    );
    usage(&["play"], "<GAME>");
    usage(&["play", "--seed", "1", "--continue", "match.txt"], "cannot be used with '--continue <FILE>'");
    usage(&["play", "rappanui", "--at", "3"], "--at: expected --continue with it, got a new game");
    usage(&["play", "--continue", "/nowhere/match.txt"], "cannot read /nowhere/match.txt");
    usage(&["speed", "rappanui", "--seats", "7"], "expected 2 to 6 seats, got 7");
    usage(&["speed", "rappanui", "--seats", "1-18446744073709551615"], "expected 2 to 6 seats, got 1");
    usage(&["speed", "rappanui", "--seats", "2-18446744073709551615"], "got 18446744073709551615");
    for seconds in ["0", "-1", "nan", "inf", "86401", "soon"] {
        usage(&["speed", "rappanui", "--time", seconds], "expected a time from 1ms to 1d");
    }
    usage(&["speed", "rappanui", "--time", "1ms"], "is too short for 7 rounds: expected at least 0.0168");
    usage(&["serve", "--decision-idle", "0"], "expected a time from 1s to 1d");
    usage(&["serve", "--port", "1", "--listen", "127.0.0.1:0"], "cannot be used with");
    for time in ["0", "-1", "soon", "10+", "5/turn", "86401", "startup=5", "1=0/move"] {
        usage(&["play", "rappanui", "greedy", "human", "--tc", time], "expected a ");
    }
    for (time, expected) in [
        ("2=5/move", "--tc 2=5/move: expected one of 0, 1, got \"2\""),
        ("0=5/move", "--tc 0=5/move: expected a program or a person, got the bot greedy@2, which has no clock"),
        ("1=5/move,6/move", "expected one limit, got two"),
    ] {
        usage(&["play", "rappanui", "greedy", "human", "--tc", time], expected);
    }
    let twice = &["play", "rappanui", "greedy", "human", "--tc", "5", "--tc", "6"];
    usage(twice, "--tc 6: expected one time control for each player and one for all, got two");
    for seconds in ["0", "-1", "nan", "86401", "soon"] {
        usage(&["play", "rappanui", "greedy", "random", "--patience", seconds], "a time from 1ms to 1d");
    }
    usage(&["check-agent", "true", "--tc", "-1"], "expected a time from 0 to 86400 seconds");
    usage(&["check-agent", "true", "--game", "chess"], "unknown game \"chess\"");
    usage(&["replay", "match.txt", "--digest", &"0".repeat(64)], "--verify");
    usage(&["replay", "match.txt", "--verify", "--digest", "ab"], "64 hexadecimal digits");
    usage(&["serve", "--listen", "nowhere"], "invalid value 'nowhere'");
    usage(&["fly"], "unrecognized subcommand 'fly'");
}

#[test]
fn every_command_has_help() {
    for command in
        ["play", "games", "replay", "records", "duel", "speed", "serve", "status", "check-agent", "data", "analyse"]
    {
        let help = printed(&[command, "--help"]);
        assert!(help.contains("Usage: ahu ") && help.contains("Options:"), "{help}");
        assert!(printed(&["--help"]).contains(command));
    }
}

#[test]
fn a_person_plays_at_the_prompt() {
    let arguments = &["play", "rappanui", "human", "random", "--seed", "7"];
    let lines = "?\ntable\nlist\nhint\nmeld F13\nraid +1\n#99\nno meld\nquit\n";

    let output = typed(arguments, lines);

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("your hand: "), "{out}");
    assert!(out.contains("Type an action from the list"), "{out}");
    assert!(out.contains("The search advises: "), "{out}");
    assert!(out.contains("  meld F13\n       ^\nexpected a card, got \"F13\""), "{out}");
    assert!(out.contains("\"raid +1\" is not legal now. Play a meld, or none?"), "{out}");
    assert!(out.contains("expected a number of the list, #1 to #"), "{out}");
    assert!(out.contains("seat 0 (you) plays no meld"), "{out}");
    let err = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), err.as_str()), (Some(1), "error: the match was cancelled: seat 0 quit\n"));
}

#[test]
fn a_person_who_always_takes_the_first_in_the_list_comes_to_the_end_of_every_game() {
    for game in ahu_host::GAMES {
        let arguments = &["play", game.info().id, "human", "greedy", "human", "--seed", "7"];
        let output = typed(arguments, &"#1\n\n".repeat(10_000));

        let out = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success(), "{out}");
        assert!(out.contains("--- seat 2 plays next; press Enter when nobody else is looking ---"), "{out}");
        assert!(out.contains("  points  rank  return"), "{out}");
    }
}

#[test]
fn the_prompt_helps_in_the_words_of_the_game() {
    let output = typed(&["play", "rapanui_cards", "human", "greedy", "--seed", "5"], "?\nquit\n");

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("from the list, such as: play grain 1\n"), "{out}");
    assert!(out.contains("in the list with a #, such as: #3\n"), "{out}");
}

/// Returns the path of a new record of a short match, in a folder that the caller keeps.
fn record_in(folder: &Path) -> String {
    let path = folder.join("match.txt").to_str().expect("a path is text").to_owned();
    printed(&["play", "giants", "greedy", "greedy", "greedy", "-o", "max_turns=2", "--seed", "4", "--record", &path]);
    path
}

#[test]
fn an_analysis_of_a_record_is_a_table_and_a_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = record_in(folder.path());
    // Ply 1 is the roll, and all seats bid at once.
    let table = printed(&["analyse", &record, "--at", "2", "--bot", "search:60"]);
    let (seen, figures) = table.split_once("\nplayed: bid markers ").expect("the action of the record");
    assert!(seen.starts_with("Giants, ply 2, seat 0\n\nGiants: turn 1/2, "), "{table}");
    assert!(seen.contains("|0 8/7--|") && !seen.contains("In a hex"), "the table as the seat saw it: {table}");
    assert!(
        figures.contains("visits   mean  +-s.e.  points  ranks") && figures.contains("search chooses: "),
        "{table}"
    );

    let analysis = json(&["analyse", &record, "--at", "2", "--bot", "search:60", "--json"]);
    assert_eq!((&analysis["game"], &analysis["ply"], &analysis["seat"]), (&value!("giants"), &value!(2), &value!(0)));
    assert_eq!(analysis["bot"], "search@2:60");
    let actions = analysis["actions"].as_array().expect("a list");
    let visits: u64 = actions.iter().map(|action| action["visits"].as_u64().expect("a count")).sum();
    assert!(visits <= 60 && analysis["playouts"] == visits && visits >= 30, "{analysis}");
    let ranks =
        |action: &Value| -> u64 { action["ranks"].as_array().expect("a list").iter().filter_map(Value::as_u64).sum() };
    assert!(
        actions.iter().all(|action| action["visits"] == ranks(action) && action["ranks"][2].is_u64()),
        "{analysis}"
    );
    assert!(actions.iter().any(|action| action["action"] == analysis["choice"]), "{analysis}");
    let again = json(&["analyse", &record, "--at", "2", "--bot", "search:60", "--json"]);
    assert_eq!(again, analysis, "the budget is in playouts");
    let other = json(&["analyse", &record, "--at", "2", "--seat", "1", "--bot", "search:6", "--json"]);
    assert_eq!((&other["seat"], &other["played"], &other["cost"]), (&value!(1), &Value::Null, &Value::Null));
}

#[test]
fn the_decisions_that_cost_most_are_listed_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = record_in(folder.path());
    let list = json(&["analyse", &record, "--all", "--top", "5", "--bot", "search:20", "--json"]);
    let costs: Vec<f64> =
        list["listed"].as_array().expect("a list").iter().map(|one| one["cost"].as_f64().unwrap_or(0.0)).collect();
    assert_eq!(costs.len(), 5);
    assert!(costs.is_sorted_by(|a, b| a >= b) && costs[0] > 0.0, "{costs:?}");
    let table = printed(&["analyse", &record, "--all", "--top", "5", "--bot", "search:20"]);
    assert_eq!(table.lines().count(), 7, "{table}");
    assert!(table.contains(" decisions between several actions, by search@2:20; those that cost most\n"), "{table}");
}

#[test]
fn an_analysis_that_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = record_in(folder.path());
    for (arguments, message) in [
        (&["--at", "0"][..], "expected a ply from 1 to "),
        (&["--at", "99999"], "expected a ply from 1 to "),
        (&["--at", "1"], "expected the ply of a decision, got 1, which chance made"),
        (&["--at", "1", "--seat", "1"], "seat 1 has nothing to decide at ply 1, which chance made"),
        (&["--at", "2", "--seat", "3"], "expected a seat from 0 to 2, got 3"),
        (&["--at", "2", "--bot", "greedy"], "expected a search, such as search:800, got the bot \"greedy@2\""),
        (&["--at", "2", "--bot", "search:0"], "expected from 1 to 1000000 playouts, got \"0\""),
    ] {
        let (code, error) = refused(&[&["analyse", &record], arguments].concat());
        assert!(code == 2 && error.contains(message), "{error}");
    }
    assert!(refused(&["analyse", "no such file", "--at", "1"]).1.contains("cannot read no such file"));
}

#[test]
fn what_a_person_types_by_mistake_costs_no_strike() {
    let arguments = &["play", "rappanui", "human", "random", "--seed", "7", "--strikes", "1"];

    let output = typed(arguments, "raid +1\nraid +1\nhint\nno meld\nquit\n");

    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(out.matches("\"raid +1\" is not legal now").count(), 2, "{out}");
    assert!(out.contains("The search advises: meld F9. ") && out.contains(" (you) plays no meld"), "{out}");
    assert_eq!((output.status.code(), err.as_ref()), (Some(1), "error: the match was cancelled: seat 0 quit\n"));
}

#[test]
fn people_at_one_terminal_are_told_everything_but_each_other_s_cards() {
    let output = typed(&["play", "rappanui", "human", "human", "--seed", "7"], &"\n#1\n".repeat(60));

    let out = String::from_utf8(output.stdout).expect("text");
    let mut looks = out.split("\n--- seat ");
    let before = looks.next().expect("the announcement");
    assert!(!before.contains("the cards are dealt"), "no player is at the screen yet: {before}");
    let mut drawn = [0; 2];
    for look in looks {
        let (seat, shown) =
            look.split_once(" plays next; press Enter when nobody else is looking ---").expect("a pause");
        let other = if seat == "0" { "1" } else { "0" };
        for line in shown.lines().filter(|line| !line.starts_with("points so far: ")) {
            assert!(!line.contains(&format!("seat {other} has ")), "seat {seat} is told: {line}");
            let hidden = line.ends_with(" cards") || line.ends_with(" a card") || line.ends_with(" nothing");
            assert!(!line.contains(&format!("seat {other} draws ")) || hidden, "seat {seat} is told: {line}");
        }
        drawn[usize::from(seat == "1")] += shown.matches(" (you) draws ").count();
    }
    assert!(drawn.iter().all(|&count| count > 3), "each is told what it drew: {drawn:?}");
    assert_eq!(
        out.matches("; seat 0 (you) has ").count() + out.matches("; seat 1 (you) has ").count(),
        2,
        "each is told its own hand, once: {out}"
    );
}

#[test]
fn when_the_terminal_is_closed_the_match_is_cancelled_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();

    let (code, error) = refused(&["play", "rappanui", "human", "greedy", "--seed", "7", "--record", &file]);

    assert_eq!((code, error.as_str()), (1, "error: the match was cancelled: stdin was closed\n"));
    assert!(printed(&["replay", &file]).ends_with("\nThe match was cancelled: stdin was closed.\n"));
    let verified = printed(&["replay", &file, "--verify"]);
    assert!(
        verified.contains(": valid, ") && verified.contains("\nthe match was cancelled: stdin was closed; digest ")
    );
}

#[test]
fn when_nobody_reads_on_the_program_ends_without_a_word() {
    let mut child = ahu(&["play", "rappanui", "greedy", "random"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().expect("it is a pipe")).read_line(&mut first).expect("a line");

    let output = child.wait_with_output().expect("it ends");

    assert!(first.starts_with("Rappa Nui"), "{first}");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn the_games_are_listed_for_people_and_for_programs() {
    let out = printed(&["games"]);
    assert!(out.contains("rappanui         2 to 6 seats  Rappa Nui, the deck game"), "{out}");
    let one = printed(&["games", "rappanui"]);
    for part in
        ["unofficial implementation", "combine_rule", "meld <card>", "greedy@1 ", "random@1 ", "bit 0", "hand_sizes"]
    {
        assert!(one.contains(part), "{part} in {one}");
    }
    let all = json(&["games", "--json"]);
    let (first, mut one) = (&all["games"][0], json(&["games", "rappanui", "--json"]));
    let format = one.as_object_mut().and_then(|one| one.remove("format"));
    assert_eq!((&all["format"], format), (&"ahu-games-1".into(), Some("ahu-game-1".into())));
    assert_eq!(*first, one);
    assert_eq!(first["action_count"], 183);
    assert_eq!(first["layout"]["hash"].as_str().map(str::len), Some(64));
}

#[test]
fn the_measurement_of_speed_says_what_it_counted() {
    let out = printed(&["speed", "rappanui", "--seats", "2-3", "--time", "300ms", "--rounds", "1"]);
    assert!(
        out.contains("\n    2 ") && out.contains("\n    3 ") && out.contains("A ply is one applied action"),
        "{out}"
    );

    let value = json(&["speed", "rappanui", "--seats", "2", "--time", "300ms", "--rounds", "1", "--json"]);
    assert_eq!(value["format"], "ahu-speed-1");
    let per_game = &value["tables"][0]["per_game"];
    let number = |key: &str| per_game[key].as_f64().expect("a number");
    assert!(number("plies") > number("chosen") + number("forced") && number("forced") > 1.0, "{value}");
}

#[test]
fn the_server_says_where_it_listens_and_ends_when_it_is_asked_to() {
    let mut child = ahu(&["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();

    let first = lines.next().expect("a line").expect("text");
    let address = first.strip_prefix("ahu listens on ").expect("where it listens");
    // The connection is closed again, since the server would wait for it.
    let connected = TcpStream::connect(address).map(drop);
    let terminated = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status();

    assert!(terminated.expect("there is a shell").success());
    assert!(child.wait().expect("it ends").success());
    assert!(connected.is_ok(), "{first}: {connected:?}");
}

#[test]
fn a_unix_socket_takes_the_place_of_one_that_nobody_listens_at_and_of_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let (socket, file) = (folder.path().join("ahu.socket"), folder.path().join("notes.txt"));
    fs::write(&file, "mine").expect("it can be written");
    drop(UnixListener::bind(&socket).expect("it can be bound"));

    let (code, error) = refused(&["serve", "--uds", &file.display().to_string()]);
    assert!(code == 1 && error.contains("cannot listen on unix:"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine");

    let mut child = ahu(&["serve", "--uds", &socket.display().to_string(), "--exit-with-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();
    let first = lines.next().expect("a line").expect("text");
    let another = refused(&["serve", "--uds", &socket.display().to_string()]);
    drop(child.stdin.take());

    assert_eq!(first, format!("ahu listens on unix:{}", socket.display()));
    assert!(another.1.contains("another server listens there"), "{}", another.1);
    assert!(child.wait().expect("it ends").success());
    assert!(!socket.exists(), "the server removes its socket");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("it is bound").to_string();

    let (code, error) = refused(&["serve", "--listen", &address]);

    let expected =
        "another program listens there; choose another port with --listen, such as 127.0.0.1:0 for a free one";
    assert_eq!((code, error), (1, format!("error: cannot listen on {address}: {expected}\n")));
}

#[test]
fn what_a_program_prints_is_passed_on_with_its_seat() {
    let mut child = ahu(&["play", "rappanui", "greedy", "sh -c 'echo hello; exit 1'", "--seed", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut error = String::new();
    child.stderr.take().expect("it is a pipe").read_to_string(&mut error).expect("text");

    assert!(child.wait().expect("it ends").success());
    assert!(error.contains("[seat 1] hello\n"), "{error}");
}

/// Plays a match of these programs and returns the error output.
fn passed_on(seats: &[&str]) -> String {
    let output = run(&[&["play", "rappanui", "--seed", "1"][..], seats].concat());
    let error = String::from_utf8(output.stderr).expect("errors are text");
    assert!(output.status.success(), "{error}");
    error
}

#[test]
fn the_last_lines_of_a_program_come_before_the_news_of_its_end() {
    let error = passed_on(&["greedy", "seq 20000; exit 3"]);

    let lines: Vec<&str> = error.lines().collect();
    let ended = "[seat 1] the program has ended (exit status: 3)";
    assert_eq!(lines.len(), 20_001);
    assert_eq!(lines[19_999..], ["[seat 1] 20000", ended]);
}

#[test]
fn what_is_no_text_is_passed_on_as_well_as_can_be() {
    let error = passed_on(&["greedy", r"printf 'a\377b\r\nsecond\nlast'; exit 1"]);

    assert!(error.starts_with("[seat 1] a\u{fffd}b\n[seat 1] second\n[seat 1] last\n[seat 1] the program"), "{error}");
}

#[test]
fn a_command_is_what_a_shell_takes_it_for() {
    let error = passed_on(&["GREETING=hello sh -c 'echo $GREETING, you'", "cd / && pwd"]);

    assert!(error.contains("[seat 0] hello, you\n"), "{error}");
    assert!(error.contains("[seat 1] /\n"), "{error}");
}

#[test]
fn a_program_is_called_after_its_file() {
    let commands = [
        ("false bots/careful.py --rate 0.5 out/log.txt", "careful.py"),
        ("/usr/bin/false a.py", "false"),
        ("/no/python3.12 a.py 1", "a.py"),
        ("RATE=0.5 PATH=/bin:/usr/bin false 0.5", "false"),
        ("cd /tmp && ./bot 2", "bot"),
        ("false '--name=./x' 1", "false"),
    ];
    let seats = commands.iter().map(|(command, _)| *command);
    let arguments: Vec<&str> = ["play", "rappanui", "--json"].into_iter().chain(seats).collect();

    let value = json(&arguments);

    for (seat, (command, name)) in commands.iter().enumerate() {
        assert_eq!(value["seats"][seat]["player"], *name, "{command}");
    }
}

/// Starts a match of a person and a program that has started a child process. Returns the match, its error output, and the
/// output of the child, which is a word if the child is not stopped. Returns when all three processes run.
fn with_a_program_that_starts_another(folder: &Path) -> (Child, BufReader<ChildStderr>, File) {
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let program = format!("sh -c '(echo ready; exec > {}; sleep 20; echo late); true'", pipe.display());
    let mut child = ahu(&["play", "rappanui", "human", &program, "--seed", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let mut ready = String::new();
    errors.read_line(&mut ready).expect("text");
    assert_eq!(ready, "[seat 1] ready\n");
    // This waits until the other end of the pipe is open too.
    (child, errors, File::open(pipe).expect("it can be read"))
}

fn rest(mut source: impl Read) -> String {
    let mut text = String::new();
    source.read_to_string(&mut text).expect("text");
    text
}

#[test]
fn what_a_program_has_started_is_stopped_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, errors, pipe) = with_a_program_that_starts_another(folder.path());

    child.stdin.take().expect("it is a pipe").write_all(b"quit\n").expect("it reads");

    assert_eq!(rest(pipe), "", "it was stopped before it could write");
    let errors = rest(errors);
    assert!(errors.starts_with("[seat 1] the program did not exit by itself and is stopped\n"), "{errors}");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn programs_are_stopped_when_a_signal_ends_the_match() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut child, _errors, pipe) = with_a_program_that_starts_another(folder.path());

        // `wait` closes stdin, which would end the match too.
        let _input = child.stdin.take();
        let kill = format!("kill -s {signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is a shell").success());

        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}");
        assert_eq!(rest(pipe), "", "it was stopped before it could write, by {signal}");
    }
}

/// A match or a check whose program passes its connection on to the test, which plays the seat.
struct Remote {
    child: Child,
    errors: BufReader<ChildStderr>,
    runtime: Runtime,
    seat: Option<RemoteSeat>,
}

/// A seat that the test plays for a program.
struct RemoteSeat {
    matches: MatchServiceClient<Channel>,
    match_id: String,
    seat: u32,
    token: String,
    /// The program runs until this end of a pipe is dropped.
    _program: File,
}

/// The command of a program that writes its connection and waits until the test has opened and dropped a pipe.
fn program(pipe: &Path) -> String {
    if !pipe.exists() {
        assert!(Command::new("mkfifo").arg(pipe).status().expect("there is mkfifo").success());
    }
    let pipe = pipe.display();
    format!("echo remote $AHU_ADDRESS $AHU_MATCH $AHU_SEAT $AHU_TOKEN; exec cat {pipe} 2> {pipe}.err")
}

impl Remote {
    fn start(arguments: &[&str]) -> Self {
        let mut child = ahu(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { child, errors, runtime, seat: None }
    }

    /// Takes over the seat of the next program.
    fn take_over(&mut self, pipe: &Path) -> &mut Self {
        let mut line = String::new();
        while !line.contains("remote ") {
            line.clear();
            assert!(self.errors.read_line(&mut line).expect("text") > 0, "a program starts");
        }
        let words: Vec<&str> = line.split_whitespace().skip_while(|word| *word != "remote").skip(1).collect();
        let [address, match_id, seat, token] = words[..] else { panic!("expected four words, got {line}") };
        // This waits until the program reads.
        let program = File::options().write(true).open(pipe).expect("the pipe can be opened");
        let channel = self
            .runtime
            .block_on(async { Channel::from_shared(format!("http://{address}")).expect("an address").connect().await });
        self.seat = Some(RemoteSeat {
            matches: MatchServiceClient::new(channel.expect("the server listens")),
            match_id: match_id.to_owned(),
            seat: seat.parse().expect("a seat"),
            token: format!("Bearer {token}"),
            _program: program,
        });
        self
    }

    fn seat(&mut self) -> (&Runtime, &mut RemoteSeat) {
        (&self.runtime, self.seat.as_mut().expect("the seat was taken over"))
    }

    /// Waits until the seat has a decision, and returns its number and the lowest legal id.
    fn decision(&mut self) -> (u32, u32) {
        let (runtime, seat) = self.seat();
        let request = seat.request(v1::ObserveRequest {
            match_id: seat.match_id.clone(),
            seat: Some(seat.seat),
            formats: Some(v1::ObservationFormats { legal_ids: true, ..Default::default() }),
            wait: Some(prost_types::Duration { seconds: 30, nanos: 0 }),
            ..Default::default()
        });
        let observed = runtime.block_on(seat.matches.observe(request)).expect("an answer").into_inner();
        let decision = observed.observation.and_then(|observation| observation.decision).expect("a decision");
        (decision.decision_id, decision.legal_ids[0])
    }

    /// Answers a decision; true if the action was taken.
    fn step(&mut self, decision_id: u32, action: v1::Action) -> bool {
        let (runtime, seat) = self.seat();
        let request = seat.request(v1::StepRequest {
            match_id: seat.match_id.clone(),
            seat: Some(seat.seat),
            decision_id,
            action: Some(action),
            ..Default::default()
        });
        runtime.block_on(seat.matches.step(request)).is_ok()
    }

    /// Resigns; true if the answer arrived.
    fn resign(&mut self) -> bool {
        let (runtime, seat) = self.seat();
        let request = seat.request(v1::ResignSeatRequest { match_id: seat.match_id.clone(), seat: Some(seat.seat) });
        runtime.block_on(seat.matches.resign_seat(request)).is_ok()
    }

    /// Tells the program to exit.
    fn leave(&mut self) -> &mut Self {
        self.seat = None;
        self
    }

    /// Waits for the end. Returns exit code, output, and error output.
    fn end(mut self) -> (i32, String, String) {
        self.leave();
        let errors = rest(&mut self.errors);
        let output = self.child.wait_with_output().expect("it ends");
        let out = String::from_utf8(output.stdout).expect("text");
        (output.status.code().expect("it ended by itself"), out, errors)
    }
}

impl RemoteSeat {
    fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.metadata_mut().insert("authorization", self.token.parse().expect("a token is ASCII"));
        request
    }
}

/// Plays a match of greedy against a program whose seat `play` plays. Returns the result as JSON.
fn played_remotely(more: &[&str], play: impl FnOnce(&mut Remote)) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let (program, record) = (program(&pipe), folder.path().join("match.txt").display().to_string());
    let arguments = ["play", "rappanui", "--seed", "7", "greedy", &program, "--json"];
    let mut remote = Remote::start(&[&arguments[..], &["--record", &record], more].concat());
    play(remote.take_over(&pipe));
    let (code, out, errors) = remote.end();
    assert_eq!(code, 0, "{errors}");
    let result: Value = serde_json::from_str(&out).expect("JSON alone");
    let verified = json(&["replay", &record, "--verify", "--json"]);
    for field in ["ending", "digest", "fingerprint"] {
        assert_eq!(verified[field], result[field], "{field}");
    }
    assert_eq!(verified["seats"][1]["forfeit"], result["seats"][1]["forfeit"]);
    result
}

/// Checks the fields of a match that seat 1 forfeited for this cause. The match has a result.
fn assert_forfeited(result: &Value, cause: &str) {
    let seats = &result["seats"];
    assert_eq!((&result["ending"], &result["reason"]), (&value!("finished"), &Value::Null), "{result}");
    assert_eq!((&seats[0]["forfeit"], &seats[1]["forfeit"]), (&Value::Null, &value!(cause)), "{result}");
    assert_eq!((&seats[0]["rank"], &seats[1]["rank"]), (&value!(1), &value!(2)), "{result}");
    assert_eq!(result["stand_in"], "greedy@2");
}

#[test]
fn a_program_that_exits_forfeits_and_the_others_finish() {
    let arguments = ["play", "rappanui", "--seed", "7", "greedy", "exit 3"];

    let out = printed(&arguments);
    assert!(out.contains("\n      seat 1 forfeits: its program exited; greedy@2 plays on\n"), "{out}");
    assert!(out.contains("  forfeited: its program exited (before ply "), "{out}");
    assert_forfeited(&json(&[&arguments[..], &["--json"]].concat()), "exited");
}

#[test]
fn with_strict_a_forfeit_is_an_error_after_the_result() {
    let output = run(&["play", "rappanui", "--seed", "7", "--strict", "--json", "greedy", "exit 3"]);

    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(
        error.ends_with("error: --strict: expected no forfeit, got that of seat 1 (its program exited)\n"),
        "{error}"
    );
    assert_forfeited(&serde_json::from_slice(&output.stdout).expect("JSON"), "exited");
    printed(&["play", "rappanui", "--seed", "7", "--strict", "greedy", "random"]);
}

#[test]
fn a_program_that_never_moves_runs_out_of_time_in_every_game() {
    for game in ahu_host::GAMES {
        let more = ["--seed", "7", "--tc", "0=0.05/move,startup=0", "--json"];
        let bots = ["greedy"].repeat(*game.seats().start() - 1);
        let result = json(&[&["play", game.info().id, "sleep 20"][..], &bots, &more].concat());

        assert_eq!((&result["ending"], &result["seats"][0]["forfeit"]), (&value!("finished"), &value!("timeout")));
        assert_eq!(result["seats"][0]["rank"], *game.seats().start(), "{result}");
        let control = value!({"startup_ms": 0, "limit_ms": 50, "bank_ms": null, "increment_ms": 0, "lag_ms": 0});
        assert_eq!(result["seats"][0]["time_control"], control);
        assert_eq!(result["seats"][1]["time_control"], Value::Null);
    }
}

#[test]
fn a_program_that_never_calls_runs_out_of_time() {
    for time in [&[][..], &["--tc", "600+5"], &["--tc", "none"]] {
        let arguments = ["play", "rappanui", "--seed", "7", "greedy", "sleep 20", "--patience", "0.1"];
        let output = run(&[&arguments[..], time].concat());
        let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(out.contains("  forfeited: its time ran out (before ply "), "{out}");
        assert!(errors.starts_with("[seat 1] the program has not called the server for 0.1 s\n"), "{errors}");
        assert_forfeited(&json(&[&arguments[..], time, &["--json"]].concat()), "timeout");
    }
}

#[test]
fn a_program_that_calls_and_then_hangs_runs_out_of_time() {
    let hang = |remote: &mut Remote| {
        remote.decision();
        // The match goes on without the program, which still runs.
        let mut byte = [0];
        let read = remote.child.stdout.as_mut().expect("it is a pipe").read(&mut byte);
        assert_eq!((read.ok(), byte), (Some(1), *b"{"));
    };
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let program = program(&pipe);
    let arguments = ["play", "rappanui", "--seed", "7", "greedy", &program, "--json"];
    let mut remote = Remote::start(&[&arguments[..], &["--patience", "5", "--tc", "0.3,startup=0"]].concat());
    hang(remote.take_over(&pipe));
    let (code, out, _) = remote.end();

    assert_eq!(code, 0);
    assert_forfeited(&serde_json::from_str(&format!("{{{out}")).expect("JSON"), "timeout");
}

#[test]
fn illegal_actions_forfeit_with_the_agreed_number_of_strikes() {
    let result = played_remotely(&["--strikes", "2"], |remote| {
        let (decision, _) = remote.decision();
        for id in [60_000, 60_001] {
            assert!(!remote.step(decision, v1::Action::from(id)));
        }
    });

    assert_forfeited(&result, "illegal");
    assert_eq!(result["seats"][1]["strikes"], 2);
}

#[test]
fn a_program_that_sends_garbage_for_ever_forfeits() {
    let result = played_remotely(&[], |remote| {
        let (decision, _) = remote.decision();
        for n in 0..50 {
            assert!(!remote.step(decision, v1::Action::from(format!("garbage {n}"))));
        }
    });

    assert_forfeited(&result, "unreadable");
}

#[test]
fn a_program_that_resigns_forfeits() {
    assert_forfeited(&played_remotely(&[], |remote| assert!(remote.resign())), "resigned");
}

#[test]
fn the_result_has_the_times_of_programs() {
    let head = printed(&["play", "rappanui", "greedy", "exit 3", "--tc", "60+1,startup=0"]);
    assert!(head.contains("\n  seat 0: greedy@2\n  seat 1: exit 3, time control 60+1,startup=0\n"), "{head}");
    let out = played_remotely(&["--tc", "60+1,startup=0"], |remote| {
        let (decision, id) = remote.decision();
        assert!(remote.step(decision, v1::Action::from(id)));
        assert!(remote.resign());
    });

    let thinking = &out["seats"][1]["thinking"];
    let bank = thinking["bank_ms"].as_u64().expect("a bank");
    assert!((1..=61_000).contains(&bank), "{out}");
    assert!(thinking["slowest_ms"].as_u64() <= thinking["total_ms"].as_u64(), "{out}");
    assert_eq!(out["seats"][1]["time_control"]["increment_ms"], 1000);
}

#[test]
fn a_person_may_resign_and_a_bot_plays_on() {
    let output = typed(&["play", "rappanui", "human", "greedy", "--seed", "7"], "resign\n");

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("      seat 0 (you) forfeits: its player resigned; greedy@2 plays on\n"), "{out}");
    assert!(out.contains("  forfeited: its player resigned (before ply "), "{out}");
}

/// Returns a match of two agents, with clocks and strikes.
fn agreed_match() -> Referee {
    let setup = find("rappanui").expect("the game").configure(2, &[]).expect("two seats");
    let control = TimeControl { limit: NonZeroU32::new(5_000), ..TimeControl::default() };
    let conduct = Conduct {
        timeout: Consequence::Strike,
        absence_limit: NonZeroU32::new(60_000),
        ..Conduct::with_strikes(NonZeroU8::new(2).expect("2 is not 0"))
    };
    let players = ["ann", "bob"].map(SeatPlayer::external).to_vec();
    Referee::new(setup, Seed(7), players, Terms { conduct, clocks: vec![control; 2], ..Terms::default() })
}

#[test]
fn a_replay_tells_times_strikes_forfeits_and_endings() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    let replayed = |referee: &Referee, more: &[&str]| {
        fs::write(&file, referee.record().to_text()).expect("it can be written");
        assert!(printed(&["replay", &file, "--verify"]).contains(": valid, "));
        printed(&[&["replay", &file], more].concat())
    };
    let mut referee = agreed_match();
    let seat = referee.to_act().iter().next().expect("a seat has to decide");
    referee.start_clocks();
    referee.set_time(MatchTime(1_234));
    let illegal =
        (0..1_000).map(ActionId).find(|id| !referee.legal_actions(seat).contains(*id)).expect("an illegal action");
    referee.act(seat, 1, illegal).expect_err("it is illegal");
    let legal = referee.legal_actions(seat).iter().next().expect("a legal action");
    referee.act(seat, 1, legal).expect("it is legal");

    let shown = replayed(&referee, &[]);
    assert!(shown.contains("  seat 0: ann, time control 5/move,startup=0\n"), "{shown}");
    let text = referee.setup().rules().action_text(illegal).expect("the game has it");
    let strike = format!(
        "seat {seat} gets a strike for decision 1: its player chose the illegal action {illegal}, \"{text}\"\n"
    );
    assert!(shown.contains(&strike), "{shown}");
    assert!(shown.contains("1234 ms"), "{shown}");
    assert!(shown.ends_with("\nThe match was not finished.\n"), "{shown}");
    let other = (1 - seat.index()).to_string();
    assert!(!replayed(&referee, &["--as", &other]).contains("strike"), "only its own player is told");
    assert!(replayed(&referee, &["--as", &seat.to_string()]).contains(&strike));

    for (cause, words) in [
        (Cause::Illegal, "its player chose illegal actions"),
        (Cause::Unreadable, "its player sent unreadable actions"),
        (Cause::Timeout, "its time ran out"),
        (Cause::Exited, "its program exited"),
        (Cause::Absent, "its player was absent for too long"),
        (Cause::Resigned, "its player resigned"),
    ] {
        let mut referee = agreed_match();
        let seat = referee.to_act().iter().next().expect("a seat has to decide");
        referee.start_clocks();
        match cause {
            Cause::Illegal => {
                for id in [60_000, 60_001] {
                    referee.act(seat, 1, ActionId(id)).expect_err("no such action");
                }
            }
            Cause::Unreadable => {
                for n in 0..50_u8 {
                    referee.act_unreadably(seat, 1, &[n]).expect("the decision is open");
                }
            }
            Cause::Timeout => {
                for now in [6_000, 12_000] {
                    referee.set_time(MatchTime(now));
                    referee.expire();
                }
            }
            Cause::Exited | Cause::Absent => referee.fault(seat, cause),
            Cause::Resigned => referee.resign(seat).expect("it may resign"),
        }
        let shown = replayed(&referee, &["--as", "public"]);
        assert!(shown.contains(&format!("      seat {seat} forfeits: {words}; greedy@2 plays on\n")), "{shown}");
    }

    let mut cancelled = agreed_match();
    cancelled.cancel("the hall closes").expect("it has not ended");
    let mut void = agreed_match();
    void.void("the disk is full").expect("it has not ended");
    for (referee, state, reason, words) in [
        (&cancelled, "cancelled", "the hall closes", "The match was cancelled: the hall closes."),
        (&void, "void", "the disk is full", "The match is void by a fault of the server: the disk is full."),
    ] {
        for more in [&[][..], &["--as", "public"]] {
            let shown = replayed(referee, more);
            assert!(shown.ends_with(&format!("\n{words}\n")), "{shown}");
            assert_eq!(shown.matches(reason).count(), 1, "it is told once: {shown}");
        }
        let verified = json(&["replay", &file, "--verify", "--json"]);
        assert_eq!((&verified["ending"], &verified["reason"]), (&value!(state), &value!(reason)));
        assert_eq!((&verified["valid"], &verified["seats"][0]["score"]), (&value!(true), &Value::Null));
    }
}

#[test]
fn a_record_is_compared_with_the_published_digest() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    let mut referee = agreed_match();
    referee.cancel("the hall closes").expect("it has not ended");
    let record = referee.record();
    fs::write(&file, record.to_text()).expect("it can be written");
    let (own, other) = (hex(&record.digest()), "0".repeat(64));

    assert!(printed(&["replay", &file, "--verify", "--digest", &own]).contains(&format!("digest {own}\n")));
    assert_eq!(json(&["replay", &file, "--verify", "--digest", &own, "--json"])["digest"], own);
    let (code, error) = refused(&["replay", &file, "--verify", "--digest", &other]);
    let expected = format!("error: {file}: expected the digest {other}, got a record with the digest {own}\n");
    assert_eq!((code, error), (3, expected));
    let help = printed(&["replay", "--help"]);
    assert!(
        help.contains("Does not check the names of players and that other bots took their actions, the layout hash"),
        "{help}"
    );
}

#[test]
fn the_server_ends_a_decision_after_the_given_time() {
    let mut child = ahu(&["serve", "--listen", "127.0.0.1:0", "--decision-idle", "7", "--exit-with-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();
    let first = lines.next().expect("a line").expect("text");
    let address = first.strip_prefix("ahu listens on ").expect("where it listens").to_owned();
    let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let info = runtime.block_on(async {
        let mut catalog = CatalogServiceClient::connect(format!("http://{address}")).await.expect("the server listens");
        catalog.get_server_info(v1::GetServerInfoRequest {}).await.expect("an answer").into_inner()
    });
    drop(runtime);
    drop(child.stdin.take());

    let idle = info.limits.and_then(|limits| limits.decision_idle);
    assert_eq!(idle, Some(prost_types::Duration { seconds: 7, nanos: 0 }));
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn an_agent_is_checked_in_every_game_and_each_verdict_names_the_game() {
    let output = run(&["check-agent", "exit 3", "--json"]);

    let verdicts: Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    let games: Vec<&str> = verdicts["checks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|check| check["game"].as_str().expect("a game"))
        .collect();
    let expected: Vec<&str> = ahu_host::GAMES.iter().flat_map(|game| [game.info().id; 4]).collect();
    assert_eq!((output.status.code(), games), (Some(3), expected));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.ends_with("error: 16 of 16 checks failed\n"), "{error}");
}

#[test]
fn a_good_agent_passes_the_checks_of_a_game() {
    let agent = format!("'{}'", rust_agent().display());

    let output = run(&["check-agent", &agent, "--game", "rapanui_cards", "--tc", "20+1,startup=5"]);

    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{errors}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert!(lines.iter().all(|line| line.starts_with("ok      rapanui_cards: ")), "{out}");
    assert!(lines[2].ends_with(" deliberate cuts"), "{out}");
    assert!(errors.contains("[seat 1] (check-agent cuts the connection on purpose)\n"), "{errors}");
    assert!(lines[3].contains("keeps its time") && lines[3].contains(", the slowest (decision "), "{out}");
    assert!(lines[3].ends_with(" s left of 20+1,startup=5"), "{out}");
}

#[test]
fn an_agent_that_is_too_slow_fails_the_check_that_it_exceeds() {
    let arguments =
        ["check-agent", "sleep 20", "--game", "rappanui", "--patience", "0.3", "--tc", "0.05/move,startup=0"];
    let output = run(&arguments);

    let out = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(3), 4), "{out}");
    for line in &lines[..3] {
        assert!(line.ends_with(": the agent has not called the server for 0.3 s"), "{out}");
    }
    assert!(lines[3].ends_with(": the agent ran out of time at decision 1"), "{out}");
}

#[test]
fn a_check_names_the_fault_of_an_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let program = program(&pipe);
    let mut remote = Remote::start(&["check-agent", &program, "--game", "rappanui", "--patience", "3"]);

    let (decision, _) = remote.take_over(&pipe).decision();
    remote.step(decision, v1::Action::from(60_000));
    let (decision, _) = remote.leave().take_over(&pipe).decision();
    remote.step(decision, v1::Action::from("garbage".to_owned()));
    // The agent calls, and then does not answer.
    remote.leave().take_over(&pipe).decision();
    // The check ends with the first fault, perhaps before the answer arrives.
    remote.take_over(&pipe).resign();
    let (code, out, _) = remote.end();

    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((code, lines.len()), (3, 4), "{out}");
    assert!(lines[0].contains(": the agent chose an illegal action at decision 1: \"action 60000\": "), "{out}");
    assert!(lines[1].contains(": the agent sent an unreadable action at decision 1: \"garbage\": "), "{out}");
    assert!(lines[2].ends_with(": the agent has not answered decision 1 for 3 s"), "{out}");
    assert!(lines[3].ends_with(": the agent resigned at decision 1"), "{out}");
}
