//! The program, as a person at a terminal or a script uses it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use serde_json::Value;

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

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).expect("it prints JSON and nothing else")
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
    let out = printed(&["play", "rappanui", "--seats", "greedy,random,random", "--seed", "7"]);

    assert!(out.starts_with("Rappa Nui, the deck game, seed 7\n  seat 0: greedy\n"), "{out}");
    assert!(out.contains("the cards are dealt, seat "), "{out}");
    assert!(out.contains("Moai points; eroded: "), "{out}");
    assert!(out.contains("  seat  player  points  rank  return\n"), "{out}");
    assert!(out.contains("\n  seed 7, "), "{out}");
    assert_eq!(out, printed(&["play", "rappanui", "--seats", "greedy,random,random", "--seed", "7"]), "it repeats");
}

#[test]
fn a_spectator_is_shown_no_hand() {
    let out = printed(&["play", "rappanui", "--seats", "greedy,random", "--seed", "7"]);

    assert!(out.contains("draws 4 cards") && !out.contains(" has F"), "{out}");
    for line in out.lines().filter(|line| line.contains(" draws ")) {
        assert!(line.ends_with(" cards") || line.ends_with(" a card") || line.ends_with(" nothing"), "{line}");
    }
}

#[test]
fn a_match_as_json_is_json_alone() {
    let value =
        json(&["play", "rappanui", "--seats", "greedy,random", "--seed", "7", "-o", "tie=fewest_cards", "--json"]);

    assert_eq!(value["game"], "rappanui");
    assert_eq!(value["seed"], 7);
    assert_eq!(value["options"]["tie"], "fewest_cards");
    assert_eq!(value["seats"][0]["player"], "greedy");
    let ranks: Vec<_> = value["seats"].as_array().expect("seats").iter().map(|seat| seat["rank"].clone()).collect();
    assert_eq!(ranks, [1, 2]);
}

#[test]
fn a_record_is_written_shown_again_and_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["match.txt", "match.bin"] {
        let file = folder.path().join(name).display().to_string();
        let played = printed(&["play", "rappanui", "--seats", "greedy,random", "--seed", "3", "--record", &file]);
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
    let (code, error) = refused(&["play", "rappanui", "--seats", "greedy,human", "--record", "/nowhere/match.txt"]);

    assert!(code == 1 && error.starts_with("error: cannot write /nowhere/match.txt: "), "{error}");
}

#[test]
fn a_record_shown_as_a_viewer_tells_what_that_viewer_was_told_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    printed(&["play", "rappanui", "--seats", "greedy,random", "--seed", "3", "--record", &file]);

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
    printed(&["play", "rappanui", "--seats", "greedy,random", "--seed", "3", "--record", &file]);
    let text = std::fs::read_to_string(&file).expect("it was written");

    std::fs::write(&file, &text[..text.len() / 2]).expect("it can be written");
    let (code, error) = refused(&["replay", &file]);
    assert!(code == 1 && error.ends_with("the record is incomplete: it ends before its digest\n"), "{error}");
    std::fs::write(&file, text.replacen("seed 3", "seed 4", 1)).expect("it can be written");
    let (code, error) = refused(&["replay", &file, "--verify"]);
    assert!(code == 1 && error.contains("was altered"), "{error}");
    let invalid = ahu(&["replay", &file, "--verify", "--json"]).output().expect("it starts");
    assert_eq!(invalid.status.code(), Some(1));
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
    usage(&["play", "rapanui", "--seats", "greedy,random"], "unknown game \"rapanui\"; did you mean \"rappanui\"?");
    usage(&["play", "rappanui", "--seats", "greedy"], "expected 2 to 6 seats, got 1");
    usage(&["play", "rappanui", "--seats", "a,a,a,a,a,a,a"], "expected 2 to 6 seats, got 7");
    usage(&["play", "rappanui", "--seats", "gready,random"], "unknown bot \"gready\"; did you mean \"greedy\"?");
    usage(&["play", "rappanui", "--seats", "greedy,random", "-o", "combine=true"], "did you mean \"combine_rule\"?");
    usage(
        &["play", "rappanui", "--seats", "greedy,random", "-o", "tie"],
        "expected an option of the form KEY=VALUE, got \"tie\"",
    );
    usage(&["play", "rappanui", "--seats", "greedy,human", "--json"], "--json cannot be used with a human seat");
    usage(&["play", "rappanui"], "<--seats <PLAYER,...>|--seat <PLAYER>>");
    usage(&["play", "rappanui", "--seats", "greedy,random", "--seat", "greedy"], "cannot be used with");
    usage(&["play", "rappanui", "--seats", "greedy,random", "--strikes", "0"], "0 is not in 1..=255");
    usage(&["games", "chess"], "unknown game \"chess\"");
    usage(
        &["bench", "rappanui", "--seats", "two"],
        "expected --seats to be a number or a range such as 2-4, got \"two\"",
    );
    usage(&["bench", "rappanui", "--seats", "7"], "expected 2 to 6 seats, got 7");
    usage(&["bench", "rappanui", "--seats", "1-18446744073709551615"], "expected 2 to 6 seats, got 1");
    usage(&["bench", "rappanui", "--seats", "2-18446744073709551615"], "got 18446744073709551615");
    for seconds in ["0", "-1", "nan", "inf", "86401", "soon"] {
        usage(&["bench", "rappanui", "--seconds", seconds], "expected a number greater than 0 and at most 86400");
    }
    usage(&["bench", "rappanui", "--seconds", "1e-9"], "is too short for 7 rounds: expected at least 0.0168");
    usage(&["bench", "rappanui", "--seats", "2", "--versus", "greedy,random,random"], "expected at most 2 bots, got 3");
    usage(&["bench", "rappanui", "--seats", "2", "--versus", "gredy"], "did you mean \"greedy\"?");
    usage(&["serve", "--listen", "nowhere"], "invalid value 'nowhere'");
    usage(&["fly"], "unrecognized subcommand 'fly'");
}

#[test]
fn every_command_has_help() {
    for command in ["play", "games", "replay", "bench", "serve", "check-agent"] {
        let help = printed(&[command, "--help"]);
        assert!(help.contains("Usage: ahu ") && help.contains("Options:"), "{help}");
        assert!(printed(&["--help"]).contains(command));
    }
}

#[test]
fn a_person_plays_at_the_prompt() {
    let arguments = &["play", "rappanui", "--seats", "human,random", "--seed", "7"];
    let lines = "?\ntable\nlist\nhint\nmeld F13\nraid +1\n99\nno meld\nquit\n";

    let output = typed(arguments, lines);

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("your hand: "), "{out}");
    assert!(out.contains("Type an action from the list"), "{out}");
    assert!(out.contains("greedy would choose: "), "{out}");
    assert!(out.contains("  meld F13\n       ^\nexpected a card, got \"F13\""), "{out}");
    assert!(out.contains("this action is not legal now"), "{out}");
    assert!(out.contains("expected a number from 1 to "), "{out}");
    assert!(out.contains("seat 0 plays no meld"), "{out}");
    let err = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), err.as_str()), (Some(1), "error: the match was aborted\n"));
}

#[test]
fn a_person_who_always_takes_the_first_in_the_list_comes_to_the_end_of_every_game() {
    for game in ahu::host::GAMES {
        let arguments = &["play", game.info().id, "--seats", "human,greedy,human", "--seed", "7"];
        let output = typed(arguments, &"1\n\n".repeat(10_000));

        let out = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success(), "{out}");
        assert!(out.contains("--- seat 2 plays next; press Enter when nobody else is looking ---"), "{out}");
        assert!(out.contains("  seat  player  points  rank  return\n"), "{out}");
    }
}

#[test]
fn the_prompt_helps_in_the_words_of_the_game() {
    let output = typed(&["play", "rapanui_cards", "--seats", "human,greedy", "--seed", "5"], "?\nquit\n");

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("from the list, such as: play grain 1\n"), "{out}");
    assert!(out.contains("or its number, such as: 3\n"), "{out}");
}

#[test]
fn what_a_person_types_by_mistake_costs_no_strike() {
    let arguments = &["play", "rappanui", "--seats", "human,random", "--seed", "7", "--strikes", "1"];

    let output = typed(arguments, "raid +1\nraid +1\nhint\nno meld\nquit\n");

    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(out.matches("this action is not legal now").count(), 2, "{out}");
    assert!(out.contains("greedy would choose: no meld") && out.contains("seat 0 plays no meld"), "{out}");
    assert_eq!((output.status.code(), err.as_ref()), (Some(1), "error: the match was aborted\n"));
}

#[test]
fn people_at_one_terminal_are_told_everything_but_each_other_s_cards() {
    let output = typed(&["play", "rappanui", "--seats", "human,human", "--seed", "7"], &"\n1\n".repeat(60));

    let out = String::from_utf8(output.stdout).expect("text");
    let mut looks = out.split("\n--- seat ");
    let before = looks.next().expect("the announcement");
    assert!(!before.contains("the cards are dealt"), "no player is at the screen yet: {before}");
    let mut drawn = [0; 2];
    for look in looks {
        let (seat, shown) =
            look.split_once(" plays next; press Enter when nobody else is looking ---").expect("a pause");
        let other = if seat == "0" { "1" } else { "0" };
        for line in shown.lines() {
            assert!(!line.contains(&format!("seat {other} has ")), "seat {seat} is told: {line}");
            let hidden = line.ends_with(" cards") || line.ends_with(" a card") || line.ends_with(" nothing");
            assert!(!line.contains(&format!("seat {other} draws ")) || hidden, "seat {seat} is told: {line}");
        }
        drawn[usize::from(seat == "1")] += shown.matches(&format!("seat {seat} draws ")).count();
    }
    assert!(drawn.iter().all(|&count| count > 3), "each is told what it drew: {drawn:?}");
    for own in ["; seat 0 has ", "; seat 1 has "] {
        assert_eq!(out.matches(own).count(), 1, "each is told its own hand, once: {out}");
    }
}

#[test]
fn when_the_terminal_is_closed_the_match_is_broken_off_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();

    let (code, error) = refused(&["play", "rappanui", "--seats", "human,greedy", "--seed", "7", "--record", &file]);

    assert_eq!((code, error.as_str()), (1, "error: the match was aborted: stdin was closed\n"));
    assert!(printed(&["replay", &file]).contains("The match was not finished."));
    assert!(printed(&["replay", &file, "--verify"]).contains(": valid, "));
}

#[test]
fn when_nobody_reads_on_the_program_ends_without_a_word() {
    let mut child = ahu(&["play", "rappanui", "--seats", "greedy,random"])
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
    for part in ["unofficial implementation", "combine_rule", "meld <card>", "greedy", "bit 0", "hand_sizes"] {
        assert!(one.contains(part), "{part} in {one}");
    }
    let all = json(&["games", "--json"]);
    assert_eq!(all[0], json(&["games", "rappanui", "--json"]));
    assert_eq!(all[0]["action_count"], 183);
    assert_eq!(all[0]["layout"]["hash"].as_str().map(str::len), Some(64));
}

#[test]
fn the_bench_says_what_it_counted() {
    let out = printed(&["bench", "rappanui", "--seats", "2-3", "--seconds", "0.3", "--rounds", "1"]);
    assert!(
        out.contains("\n    2 ") && out.contains("\n    3 ") && out.contains("A ply is one applied action"),
        "{out}"
    );

    let value = json(&["bench", "rappanui", "--seats", "2", "--seconds", "0.3", "--rounds", "1", "--json"]);
    let per_game = &value[0]["per_game"];
    let number = |key: &str| per_game[key].as_f64().expect("a number");
    assert!(number("plies") > number("chosen") + number("forced") && number("forced") > 1.0, "{value}");
}

#[test]
fn bots_are_compared_in_blocks() {
    let arguments = ["bench", "rappanui", "--seats", "2-3", "--versus", "greedy,random", "--blocks", "40"];

    let out = printed(&arguments);
    assert!(out.contains("rappanui, 3 seats: 40 blocks, 120 games, "), "{out}");
    let value = json(&[&arguments[..], &["--json"]].concat());
    for table in value.as_array().expect("a table a seat count") {
        let wins = table["players"][0]["wins"]["mean"].as_f64().expect("a share");
        let fair = table["fair_share"].as_f64().expect("a share");
        assert!(wins > fair, "greedy beats random: {table}");
        let seats: f64 = table["seat_wins"]
            .as_array()
            .expect("seats")
            .iter()
            .map(|seat| seat["mean"].as_f64().expect("a share"))
            .sum();
        assert!((seats - 1.0).abs() < 1e-9, "each game is won once: {table}");
    }
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
    // Close the connection again: the server would wait for it.
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

    assert!(code == 1 && error.starts_with(&format!("error: cannot listen on {address}: ")), "{error}");
}

#[test]
fn what_a_program_prints_is_passed_on_with_its_seat() {
    let mut child = ahu(&["play", "rappanui", "--seats", "greedy,sh -c 'echo hello; exit 1'", "--seed", "1"])
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
    let seats = seats.iter().flat_map(|seat| ["--seat", seat]);
    let arguments: Vec<&str> = ["play", "rappanui", "--seed", "1"].into_iter().chain(seats).collect();
    let output = run(&arguments);
    let error = String::from_utf8(output.stderr).expect("errors are text");
    assert!(output.status.success(), "{error}");
    error
}

#[test]
fn the_last_lines_of_a_program_come_before_the_news_of_its_end() {
    let error = passed_on(&["greedy", "seq 20000; exit 3"]);

    let lines: Vec<&str> = error.lines().collect();
    let ended = "[seat 1] the program has ended (exit status: 3): a stand-in plays on";
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
    let seats = commands.iter().flat_map(|(command, _)| ["--seat", command]);
    let arguments: Vec<&str> = ["play", "rappanui", "--json"].into_iter().chain(seats).collect();

    let value = json(&arguments);

    for (seat, (command, name)) in commands.iter().enumerate() {
        assert_eq!(value["seats"][seat]["player"], *name, "{command}");
    }
}

/// Starts a match of a person and a program that has started a child process. Returns the match, its error output, and
/// the output of the child, which is a word if the child is not stopped. All three processes run when it returns.
fn with_a_program_that_starts_another(folder: &Path) -> (Child, BufReader<ChildStderr>, File) {
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let seats = format!("human,sh -c '(echo ready; exec > {}; sleep 20; echo late); true'", pipe.display());
    let mut child = ahu(&["play", "rappanui", "--seed", "7", "--seats", &seats])
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
    for signal in ["INT", "TERM"] {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut child, _errors, pipe) = with_a_program_that_starts_another(folder.path());

        // `wait` closes stdin, which would end the match too.
        let _input = child.stdin.take();
        let kill = format!("kill -s {signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is a shell").success());

        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{signal}");
        assert_eq!(rest(pipe), "", "it was stopped before it could write, by {signal}");
    }
}
