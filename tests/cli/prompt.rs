//! The prompt of `ahu play`, as a person at a terminal uses it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ahu_host::GAMES;
use serde_json::Value;

use super::at_terminal::{AtTerminal, plain};
use super::{ahu, json, printed, refused, run, typed, with_a_program_that_starts_another};

const PLAY: &[&str] = &["play", "rappanui", "human", "greedy", "--seed", "2"];
const ASKS: &str = "your action (? for help): ";
const ONLY: &str = "your action (? for help, Enter: #1): ";
const SURE: &str = "(y/n) ";
const MORE: &str = "q: enough -- ";

#[test]
fn a_line_is_edited_completed_and_recalled() {
    let mut person = AtTerminal::start(PLAY, &[]);
    person.until(ASKS);

    // Ctrl-A goes to the beginning of the line.
    person.keys("ist\x01l\r", "#1 no meld");
    // The Tab key completes an action; Ctrl-U clears the line; the arrow up brings an earlier line.
    person.until(ASKS);
    person.keys("no \t", "meld");
    let told = plain(&person.keys("\x15quot\r", ASKS));
    assert!(told.contains("Did you mean \"quit\"?"), "{told}");
    person.keys("\x1b[A\x7f\x7fit\r", SURE);
    person.keys("y\r", "seat 0 quit");
    assert_eq!(person.end().0.code(), Some(1));
}

#[test]
fn ctrl_c_at_the_prompt_writes_the_record_and_exits_with_130() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    let mut person = AtTerminal::start(&[PLAY, &["--record", &file]].concat(), &[]);
    person.until(ASKS);

    person.types("\x03");

    let (status, shown) = person.end();
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(printed(&["replay", &file, "--verify"]).contains("a signal ended the program"));
}

#[test]
fn colours_are_for_terminals_and_no_color_removes_them() {
    const BOLD: &str = "\x1b[1m";
    const OWN_SEAT: &str = "\x1b[38;5;33m0\x1b[39m";
    const FOOD: &str = "\x1b[38;5;64mF";
    for (variables, more, has_colours) in [
        (&[][..], &[][..], true),
        (&[("NO_COLOR", "1")], &[], false),
        (&[("TERM", "dumb")], &[], false),
        (&[("NO_COLOR", "1")], &["--color", "always"], true),
        (&[], &["--color", "never"], false),
    ] {
        let mut person = AtTerminal::start(&[PLAY, more].concat(), variables);
        person.until(ASKS);
        person.keys("quit\r", SURE);
        person.keys("y\r", "cancelled");
        let shown = person.end().1;
        for style in [BOLD, OWN_SEAT, FOOD] {
            assert_eq!(shown.contains(style), has_colours, "{variables:?} {more:?}: {shown}");
        }
    }
    let output = typed(PLAY, "quit\n");
    assert!(!String::from_utf8_lossy(&output.stdout).contains('\x1b'), "a pipe has no colours");
    let output = typed(&[PLAY, &["--color", "always"]].concat(), "quit\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains(OWN_SEAT), "unless they are asked for");
    let values = printed(&["play", "rapanui_cards", "greedy", "greedy", "--seed", "1", "--json", "--color", "always"]);
    assert!(!values.contains('\x1b'), "JSON has no colours: {values}");
}

#[test]
fn every_game_fits_80_columns_and_calls_the_own_seat_you() {
    for rules in GAMES {
        let game = rules.info().id;
        let mut person = AtTerminal::start(&["play", game, "--seed", "3"], &[]);
        let asks = [ASKS, ONLY, MORE, "fingerprint"];
        let mut shown = person.until_one_of(&asks);
        while !shown.contains("fingerprint") {
            person.types(if shown.ends_with(MORE) { "" } else { "#1" });
            shown += &person.until_one_of(&asks);
        }
        let (status, shown) = person.end();
        assert!(status.success(), "{shown}");
        let text = plain(&shown);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{game}: {line}");
        }
        assert!(text.contains("seat 0 (you) "), "{game}: {text}");
        let own = |line: &&str| {
            let line = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim();
            line.starts_with("seat 0 ") && !line.starts_with("seat 0 (you) ")
        };
        assert_eq!(text.lines().filter(|line| !line.contains(": human")).find(own), None, "{game}");
    }
}

#[test]
fn without_players_a_person_plays_against_greedy() {
    for rules in GAMES {
        let output = typed(&["play", rules.info().id, "--seed", "2"], "quit\n");
        let out = String::from_utf8(output.stdout).expect("text");
        assert!(out.contains("  seat 0: human\n  seat 1: greedy@"), "{out}");
        assert_eq!(out.matches(": greedy@").count(), rules.seats().start() - 1, "{out}");
    }
}

#[test]
fn a_forced_move_is_played_and_told() {
    let out = |lines: &str| String::from_utf8(typed(PLAY, lines).stdout).expect("text");
    // Each question has two or more actions, except for the last action of a chain that can still be taken back.
    let all = out(&"#1\n".repeat(1000));
    assert!(all.contains("your only legal action: no meld\n"), "{all}");
    for question in all.split(ASKS).filter(|question| question.contains("\n\n#1 ") && !question.contains(ONLY)) {
        assert!(question.contains("#2 "), "{question}");
    }
}

#[test]
fn an_unfinished_chain_is_taken_back() {
    let arguments = &["play", "giants", "human", "greedy", "greedy", "--seed", "4"];
    let output = typed(arguments, "undo\nbid markers 2\nbid workers 1\nUNDO\nundo\nbid markers 1\n0\nnone\nquit\n");

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("nothing can be taken back"), "{out}");
    assert!(out.contains("so far: bid markers 2, bid workers 1 (\"undo\" takes the last one back)"), "{out}");
    assert!(out.contains("taken back: bid workers 1\n") && out.contains("taken back: bid markers 2\n"), "{out}");
    assert!(out.contains("seat 0 (you) bids 1 Tribe Marker; seat 1 bids "), "{out}");
}

#[test]
fn a_forced_move_alone_is_nothing_to_take_back() {
    let arguments = &["play", "rappanui", "--seed", "4"];
    let out = |lines: &str| String::from_utf8(typed(arguments, lines).stdout).expect("text");
    let forced = "so far: no meld (the only one)\n";
    let all = out(&"#1\n".repeat(1000));
    let before = all.split_once(forced).expect("a forced move before a choice").0;

    let undone = out(&format!("{}undo\n", "#1\n".repeat(before.matches(ASKS).count())));

    let after = undone.split_once(forced).expect("the same game").1;
    assert!(after.contains("nothing can be taken back: you have chosen nothing since others were told"), "{after}");
}

#[test]
fn the_commands_of_the_prompt_answer_in_any_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("so far.txt").display().to_string();
    let lines =
        format!("RULES\n? huri\nrules meld\n? xyzzy\nLOG\nlog 1\nSave {file}\nsave {file}\nsave /nowhere/x\nQuit\n");
    let output = typed(PLAY, &lines);

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("meld <card>"), "{out}");
    assert!(out.contains("nothing is known of \"xyzzy\""), "{out}");
    assert!(out.matches("the cards are dealt").count() > 1, "the log tells it again: {out}");
    assert!(out.contains(&format!("Wrote the record so far to {file}")), "{out}");
    assert!(out.contains("cannot write /nowhere/x: "), "{out}");
    assert!(printed(&["replay", &file, "--verify"]).contains("the match was not finished"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: the match was cancelled: seat 0 quit\n");
}

#[test]
fn after_the_first_decision_the_status_is_short() {
    let output = typed(&["play", "giants", "human", "greedy", "greedy", "--seed", "4"], "0\n0\nnone\ntable\nquit\n");

    let out = String::from_utf8(output.stdout).expect("text");
    assert_eq!(out.matches("|26 9/4-").count(), 2, "the island is drawn at first, and when it is asked for: {out}");
    assert!(out.matches("points so far: seat 0 (you) has 0, seat 1 has 0, seat 2 has 0").count() >= 3, "{out}");
    assert!(out.contains("you have behind the screen 1 Worker, 2 Tribe Markers"), "{out}");
}

#[test]
fn the_final_table_has_the_sources_of_points() {
    for (game, sources) in [
        ("giants", "prestige  Moai  headdresses  tablets  points"),
        ("rapanui_board", "offerings  resources  tablet  Gain Favor  points"),
        ("rapanui_cards", "glory  Moai  wood  sacrifice cards  points"),
    ] {
        let count = GAMES.iter().find(|rules| rules.info().id == game).map_or(2, |rules| *rules.seats().start());
        let seats = vec!["greedy"; count];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("match.txt").display().to_string();
        let out = printed(&[&["play", game, "--seed", "3", "--record", &file][..], &seats].concat());
        let (head, rows) = out.split_once(&format!("  seat  player    {sources}  rank  return\n")).expect(&out);
        assert!(!head.is_empty());
        for row in rows.lines().take(count) {
            let numbers: Vec<i32> = row.split_whitespace().skip(2).map_while(|word| word.parse().ok()).collect();
            let parts = numbers.len() - 2;
            assert_eq!(numbers[..parts].iter().sum::<i32>(), numbers[parts], "{row}");
        }
        assert!(printed(&["replay", &file]).contains(sources));
        let value = json(&[&["play", game, "--seed", "3", "--json"][..], &seats].concat());
        for seat in value["seats"].as_array().expect("seats") {
            let parts = seat["score_parts"].as_object().expect("the points by source");
            assert_eq!(parts.values().filter_map(Value::as_i64).sum::<i64>(), seat["score"].as_i64().expect("a score"));
            assert!(parts.keys().all(|source| sources.contains(source)), "{seat}");
        }
    }
}

/// Starts a match without people that takes a while, and waits for its first line.
fn long_match(file: &Path) -> (Child, impl BufRead) {
    let file = file.display().to_string();
    let mut child = ahu(&[&["play", "giants", "--seed", "3", "--record", &file][..], &["search:300"; 4]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut first = String::new();
    while !first.contains("--- turn 1") {
        assert!(lines.read_line(&mut first).expect("text") > 0, "{first}");
    }
    (child, lines)
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(sent.expect("there is kill").success());
}

#[test]
fn a_signal_writes_the_record_so_far() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        for name in ["match.txt", "match.bin"] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join(name);
            let (child, _lines) = long_match(&file);

            send(signal, &child);

            let output = child.wait_with_output().expect("it ends");
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), &*error), (Some(code), "error: interrupted before the end\n"));
            let verified = printed(&["replay", &file.display().to_string(), "--verify"]);
            assert!(verified.contains("the match was cancelled: a signal ended the program"), "{verified}");
        }
    }
}

#[test]
fn a_match_that_is_killed_leaves_no_empty_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt");
    let (mut child, _lines) = long_match(&file);

    child.kill().expect("it runs");
    child.wait().expect("it ends");

    assert!(!file.exists());
    fs::write(&file, "an older record").expect("it can be written");
    assert_eq!(refused(&["play", "rappanui", "greedy", "x", "--record", &file.display().to_string()]).0, 2);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "an older record");
}

#[test]
fn programs_end_when_the_match_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, _errors, mut pipe) = with_a_program_that_starts_another(folder.path());

    child.kill().expect("it runs");
    child.wait().expect("it ends");

    let mut late = String::new();
    pipe.read_to_string(&mut late).expect("text");
    assert_eq!(late, "", "it was stopped before it could write");
}

#[test]
fn the_output_of_a_program_cannot_change_the_terminal() {
    let output = run(&["play", "rappanui", "--seed", "7", "greedy", "printf '\\033[2Jhello\\a\\n'"]);

    let error = String::from_utf8(output.stderr).expect("text");
    assert!(error.contains("[seat 1] \\u{1b}[2Jhello\\u{7}\n"), "{error}");
}

#[test]
fn the_match_goes_on_while_nobody_types() {
    let mut child = ahu(&["play", "rappanui", "human", "greedy", "--seed", "2", "--tc", "0=0.2/move,startup=0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Nothing is typed, and stdin stays open until the end.
    let input = child.stdin.take();

    let mut out = String::new();
    child.stdout.take().expect("it is a pipe").read_to_string(&mut out).expect("text");

    assert!(child.wait().expect("it ends").success(), "{out}");
    assert!(
        out.contains(
            "the decision is no longer open\n      seat 0 (you) forfeits: its time ran out; greedy@2 plays on\n"
        ),
        "{out}"
    );
    drop(input);
}

#[test]
fn the_logs_of_the_server_have_no_colours_with_no_color() {
    for (variables, has_colours) in [(&[][..], true), (&[("NO_COLOR", "1")], false)] {
        let mut server = AtTerminal::start(&["serve", "--listen", "127.0.0.1:0", "--exit-with-stdin"], variables);
        server.until("ahu listens on ");
        // Ctrl-D ends the input.
        server.types("\x04");
        let shown = server.end().1;
        assert_eq!(shown.contains("\x1b["), has_colours, "{shown}");
    }
}

#[test]
fn a_question_has_prices_limits_and_what_the_points_leave_out() {
    let out =
        |game: &str, lines: &str| String::from_utf8(typed(&["play", game, "--seed", "2"], lines).stdout).expect("text");
    let cards = out("rapanui_cards", "#1\n#1\nquit\n");
    assert!(cards.contains("Play which card? A lumberjack and a priest cost nothing; "), "{cards}");
    assert!(cards.contains("points so far without sacrifice cards: seat 0 (you) has 0, seat 1 has 0\n"), "{cards}");
    let board = out("rapanui_board", "#1\n#1\nquit\n");
    assert!(
        board.contains("points so far without Offering tiles of others: seat 0 (you) has 7, seat 1 has 7\n"),
        "{board}"
    );
}

#[test]
fn an_action_that_is_not_legal_is_answered_with_the_question() {
    let arguments = &["play", "rapanui_cards", "--seed", "2"];
    let out = String::from_utf8(typed(arguments, "build moai\nundo 2\nquit\n").stdout).expect("text");
    assert!(out.contains("\"build moai\" is not legal now. Play which card? "), "{out}");
    assert!(out.contains("a Moai 7 wood. You have 2 wood.\nYou have hand mulberry, "), "{out}");
    assert!(out.contains("expected \"undo\" alone, got \"2\" after it"), "{out}");
}

#[test]
fn the_last_forced_action_of_a_chain_can_still_be_taken_back() {
    let mut person = AtTerminal::start(&["play", "rappanui", "human", "greedy", "--seed", "4"], &[]);
    let mut shown = person.until_one_of(&[ASKS, ONLY]);
    // After the last choice of each list, the next decisions are forced.
    while !shown.ends_with(ONLY) {
        let last = plain(&shown).matches('#').count();
        person.types(&format!("#{last}"));
        shown = person.until_one_of(&[ASKS, ONLY]);
    }
    assert!(plain(&shown).contains("\"undo\" takes the last one"), "{shown}");
    let undone = plain(&person.keys("undo\r", ASKS));
    assert!(undone.contains("taken back: "), "{undone}");
    assert!(undone.contains("#2 "), "the choice is open again: {undone}");
    person.types("\x04");
    assert_eq!(person.end().0.code(), Some(1));
}

#[test]
fn a_person_is_asked_once_before_the_match_or_the_seat_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.txt").display().to_string();
    let mut person = AtTerminal::start(&[PLAY, &["--record", &file]].concat(), &[]);
    person.until(ASKS);
    assert!(plain(&person.keys("resign\r", SURE)).contains("forfeit the seat? A bot plays on."));
    person.keys("n\r", ASKS);
    let asked = plain(&person.keys("quit\r", SURE)).replace('\n', "").replace("  ", " ");
    assert!(asked.contains("cancel the match? Its record goes to"), "{asked}");
    person.keys("\r", ASKS);
    person.keys("quit\r", SURE);
    person.keys("YES\r", "Wrote the record so far");
    let (status, shown) = person.end();
    assert_eq!(status.code(), Some(1), "{shown}");
    assert!(printed(&["replay", &file, "--verify"]).contains("seat 0 quit"));
}

#[test]
fn the_file_of_the_record_is_named_when_a_match_is_cut_short() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.txt").display().to_string();
    let arguments = &[PLAY, &["--record", &file]].concat();
    let named = format!(
        "Wrote the record so far to {file}; use `ahu replay {file}` to show it, and `ahu play --continue` to play on."
    );
    let quit = typed(arguments, "quit\n");
    assert!(String::from_utf8_lossy(&quit.stdout).contains(&named), "{quit:?}");
    let mut person = AtTerminal::start(&[&arguments[..], &["--force"]].concat(), &[]);
    person.until(ASKS);
    person.types("\x03");
    let (status, shown) = person.end();
    assert_eq!(status.code(), Some(130));
    assert!(shown.contains("Wrote the record so far to"), "{shown}");
}

#[test]
fn a_file_of_something_else_is_not_replaced_without_a_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.txt");
    fs::write(&file, "my letter").expect("it can be written");
    let path = file.display();
    let out = |lines: &str| String::from_utf8(typed(PLAY, lines).stdout).expect("text");

    let refused = out(&format!("save {path}\nquit\n"));
    assert!(refused.contains(&format!("{path} is there already; \"save! {path}\" replaces it")), "{refused}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "my letter");

    let saved = out(&format!("save! {path}\nsave {path}\nquit\n"));
    assert_eq!(saved.matches("Wrote the record so far to").count(), 2, "its own file is replaced: {saved}");
}

#[test]
fn rules_and_tables_longer_than_the_screen_are_shown_page_by_page() {
    let mut person = AtTerminal::start(PLAY, &[("NO_COLOR", "1")]);
    person.until(ASKS);
    let first = plain(&person.keys("rules\r", MORE));
    assert!(first.contains("# Rappa Nui") && !first.contains("## Scoring"), "{first}");
    assert!(first.lines().count() <= 26, "{first}");
    assert!(plain(&person.keys("\r", MORE)).contains("**Conflict Phase**"));
    person.keys("q\r", ASKS);
    person.types("\x04");
    person.end();

    let mut board = AtTerminal::start(&["play", "rapanui_board", "--seed", "3"], &[]);
    let page = plain(&board.until(MORE));
    assert!(page.contains("[Crater]") && !page.contains("your action"), "{page}");
    board.keys("q\r", ASKS);
    board.types("\x04");
    board.end();

    // The table of Giants fits without its legend.
    let mut giants = AtTerminal::start(&["play", "giants", "--seed", "3"], &[]);
    let page = plain(&giants.until_one_of(&[MORE, ASKS]));
    assert!(page.contains("|0 8/7--|") && page.ends_with(ASKS) && !page.contains("In a hex"), "{page}");
    giants.types("\x04");
    giants.end();

    let mut alone = AtTerminal::start(&["rules", "giants"], &[]);
    alone.until(MORE);
    alone.types("q");
    assert!(alone.end().0.success());
    let mut paged = AtTerminal::start(&["rules", "giants"], &[("PAGER", "tail -n 1 | tr a-z A-Z")]);
    paged.until("TINY");
    assert!(paged.end().0.success());
    assert!(printed(&["rules", "giants"]).len() > 10_000, "a pipe has all of it");
}

#[test]
fn the_legend_is_shown_once_and_when_it_is_asked_for() {
    let legend = "In a hex: its number";
    let out = |lines: &str| {
        String::from_utf8(typed(&["play", "giants", "--seed", "3"], lines).stdout)
            .expect("text")
            .matches(legend)
            .count()
    };
    assert_eq!((out("quit\n"), out("table\ntable\nquit\n"), out("table\nlegend\nquit\n")), (1, 1, 2));
}

#[test]
fn the_tab_key_lists_and_completes_and_inserts_nothing_else() {
    let mut person = AtTerminal::start(PLAY, &[("NO_COLOR", "1")]);
    person.until(ASKS);
    let listed = plain(&person.keys("\t", "resign"));
    assert!(listed.contains("meld F2") && listed.contains("no meld"), "{listed}");
    person.until(ASKS);
    // The line is still empty: otherwise "quit" would follow an inserted action.
    person.keys("qui\t\r", SURE);
    person.keys("n\r", ASKS);
    person.types("\x04");
    person.end();
}

#[test]
fn a_hint_advises_a_legal_action_with_what_it_brings_and_how_sure_it_is() {
    for seed in ["2", "3", "5"] {
        let arguments = &["play", "rappanui", "--seed", seed];
        let out = String::from_utf8(typed(arguments, "hint\nquit\n").stdout).expect("text");
        let (before, told) = out.split_once("The search advises: ").expect("the sentences of a hint");
        let (advised, rest) = told.split_once(". ").expect("an action");
        assert!(before.contains(&format!(" {advised}")), "it is in the list: {out}");
        let rest = rest.split_once("your action").expect("the next question").0;
        assert!(rest.contains(": you end with ") && rest.contains(" and first place in "), "{rest}");
        assert!(rest.contains(" It is ") && rest.contains(" comes next, with "), "{rest}");
    }
}

#[test]
fn a_saved_match_is_played_on_with_its_seed_its_options_and_its_players() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (saved, whole, rest) = (path("saved.txt"), path("whole.txt"), path("rest.txt"));
    let arguments = &["play", "rappanui", "-o", "tie=fewest_cards", "human", "greedy", "--seed", "4"];
    let chosen = format!("#1\nsave {saved}\n");
    let all = "#1\n".repeat(1000);
    assert!(typed(&[arguments, &["--record", &whole][..]].concat(), &format!("{chosen}{all}")).status.success());

    let output = typed(&["play", "--continue", &saved, "--record", &rest], &format!("log\n{all}"));

    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("seed 4\n  seat 0: human\n  seat 1: greedy@"), "{out}");
    let plies = |file: &str| printed(&["replay", file, "--json"]).lines().count() - 1;
    assert!(out.contains(&format!("\nContinues {saved} before ply {}\n", plies(&saved) + 1)), "{out}");
    let (before, after) = out.split_once("your action").expect("a question");
    assert!(
        !before.contains("the cards are dealt") && after.contains("the cards are dealt"),
        "only \"log\" tells it: {out}"
    );
    assert!(printed(&["replay", &rest, "--verify"]).contains("valid"));
    // The entries have times, which differ.
    let events = |file: &str| {
        let told = printed(&["replay", file, "--json"]);
        let value = |line: &str| serde_json::from_str::<Value>(line).expect("a value")["events"].clone();
        told.lines().map(value).collect::<Vec<_>>()
    };
    assert_eq!(events(&whole), events(&rest), "the same choices again");
}

#[test]
fn a_finished_match_is_played_on_from_an_earlier_ply_with_other_players() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (first, other) = (path("first.txt"), path("other.bin"));
    printed(&["play", "rappanui", "greedy", "random", "--seed", "4", "--record", &first]);

    let (code, error) = refused(&["play", "--continue", &first]);
    assert!(code == 2 && error.contains("the match is finished: use --at with a ply from 1 to "), "{error}");
    let (code, error) = refused(&["play", "--continue", &first, "--at", "9999"]);
    assert!(
        code == 2 && error.contains("first.txt: expected a ply from 1 to ") && error.contains("got 9999"),
        "{error}"
    );
    let (code, error) = refused(&["play", "--continue", &first, "--at", "9", "greedy", "greedy", "greedy"]);
    assert!(code == 2 && error.contains("expected 2 players, got 3"), "{error}");

    printed(&["play", "--continue", &first, "--at", "20", "random", "greedy", "--record", &other]);

    assert!(printed(&["replay", &other, "--verify"]).contains("valid"));
    let plies = |file: &str| printed(&["replay", file, "--json"]).lines().map(str::to_owned).collect::<Vec<_>>();
    let (first, other) = (plies(&first), plies(&other));
    assert_eq!(first[..19], other[..19]);
    assert_ne!(first[19..], other[19..], "the players have changed places");
}

#[test]
fn a_program_joins_a_match_that_is_played_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (first, other) = (path("first.txt"), path("other.txt"));
    let program = "jsonl:while read line; do echo '{\"action\": 0}'; done";
    let seats = ["greedy", program];
    let started = [&["play", "rappanui", "--seed", "4", "--strikes", "1", "--record", &first][..], &seats].concat();
    assert!(printed(&started).contains("forfeits"), "action 0 is not always legal");

    let (code, error) = refused(&["play", "--continue", &first, "--at", "9"]);
    assert!(code == 2 && error.contains("seat 1 is ") && error.contains("name the players of all seats"), "{error}");
    printed(&[&["play", "--continue", &first, "--at", "9", "--strikes", "1", "--record", &other][..], &seats].concat());

    assert!(printed(&["replay", &other, "--verify"]).contains("valid"), "the forfeit follows from its own strikes");
}

#[test]
fn a_long_name_of_a_player_makes_no_line_too_wide() {
    let command = format!("true # {}", "a long command ".repeat(8));
    let mut viewer = AtTerminal::start(&["play", "rappanui", "greedy", &command, "--seed", "3"], &[("NO_COLOR", "1")]);
    viewer.until("fingerprint");
    let shown = plain(&viewer.end().1);
    assert!(shown.contains("seat 1: true # a long command"), "{shown}");
    let wide: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(wide, Vec::<&str>::new());
}
