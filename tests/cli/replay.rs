//! `ahu replay`, as a person at a terminal and a script use it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::at_terminal::{AtTerminal, plain};
use super::{printed, run};

const ASKS: &str = "(? for help): ";

/// Returns the path of a new record of a match of Rappa Nui.
fn record(folder: &Path, name: &str) -> String {
    let path = folder.join(name).display().to_string();
    printed(&["play", "rappanui", "greedy", "random", "--seed", "3", "--record", &path]);
    path
}

#[test]
fn a_person_leafs_through_a_record_in_both_directions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    let mut person = AtTerminal::start(&["replay", &file], &[("NO_COLOR", "1")]);
    person.until(ASKS);

    let told = |person: &mut AtTerminal, keys: &str| plain(&person.keys(&format!("{keys}\r"), ASKS));
    assert!(told(&mut person, "").contains("   1  deal first "));
    assert!(told(&mut person, "").contains("   2  draw "));
    assert!(told(&mut person, "b").contains("   1  deal first "));
    assert!(told(&mut person, "b").contains("this is the first ply"));
    let beginning = told(&mut person, "0");
    assert!(beginning.contains("this is the beginning") && !beginning.contains("deal first"), "{beginning}");
    assert!(told(&mut person, "").contains("   1  deal first "));
    let help = told(&mut person, "x");
    assert!(help.contains("expected one of these commands, got \"x\"") && help.contains("/TEXT"), "{help}");
    assert!(told(&mut person, "").contains("   2  draw "), "an unknown command does not go on");
    let turn = told(&mut person, "N");
    assert!(turn.contains("--- turn 1: seat 1 ---"), "{turn}");
    assert!(told(&mut person, "20").contains("  20  "));
    let found = told(&mut person, "/steals");
    assert!(found.contains(" steals "), "{found}");
    assert!(told(&mut person, "/").contains(" steals "));
    assert!(told(&mut person, "/no such text").contains("no ply has the text \"no such text\""));
    assert!(told(&mut person, "9999").contains("expected a ply up to "));
    let table = told(&mut person, "t");
    assert!(table.contains("seat 0 has hand ") && table.contains("seat 1 has hand "), "all hands: {table}");
    person.types("q");
    let (status, shown) = person.end();
    assert!(status.success() && !shown.contains("fingerprint"), "{shown}");
}

#[test]
fn the_last_ply_leads_to_the_final_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    let mut person = AtTerminal::start(&["replay", &file], &[]);
    person.until(ASKS);

    person.keys("/the game is over\r", "Enter shows the end");
    person.types("");

    let (status, shown) = person.end();
    assert!(status.success() && shown.contains("fingerprint"), "{shown}");
}

#[test]
fn tables_stand_at_the_beginning_of_each_turn_in_pipes_and_with_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    let piped = printed(&["replay", &file]);
    let turns = piped.matches("--- turn ").count();
    assert_eq!(piped.matches("\nRappa Nui: ").count(), turns + 1, "{piped}");
    assert_eq!(piped.matches("\nseat 1 has hand ").count(), turns + 1, "with all hands: {piped}");

    let mut person = AtTerminal::start(&["replay", &file, "--all"], &[]);
    person.until("fingerprint");
    let shown = plain(&person.end().1);
    assert_eq!(shown.matches("\nRappa Nui: ").count(), turns + 1, "{shown}");
}

#[test]
fn a_viewer_and_an_unfinished_record_show_no_other_hands() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    assert!(!printed(&["replay", &file, "--as", "0"]).contains("seat 1 has hand "));
    assert!(!printed(&["replay", &file, "--as", "public"]).contains(" has hand "));

    let text = fs::read_to_string(&file).expect("it was written");
    let cut = folder.path().join("cut.txt").display().to_string();
    fs::write(&cut, &text[..text.len() / 2]).expect("it can be written");
    let output = run(&["replay", &cut]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains(" has hand "));
}

#[test]
fn a_ply_is_shown_with_the_table_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    let whole = printed(&["replay", &file]);
    let shown = printed(&["replay", &file, "--at", "37"]);
    let (table, ply) = shown.split_once("\n\n").map_or((&*shown, ""), |_| {
        let at = shown.find("\n  37  ").expect("the ply");
        shown.split_at(at + 1)
    });
    assert!(table.starts_with("Rappa Nui: ") && ply.starts_with("  37  ") && whole.contains(ply), "{shown}");
    let own = printed(&["replay", &file, "--at", "1", "--as", "0"]);
    assert!(!own.contains("deal first") && !own.contains("seat 1 has hand "), "{own}");

    let output = run(&["replay", &file, "--at", "0"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("--at: expected a ply from 1 to ") && error.contains(", got 0"), "{error}");
    assert_eq!(run(&["replay", &file, "--at", "1", "--json"]).status.code(), Some(2));
}

#[test]
fn a_record_as_json_is_a_line_for_each_ply() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let out = printed(&[&["replay", &file, "--json"], arguments].concat());
        out.lines().map(|line| serde_json::from_str(line).expect("a value")).collect()
    };

    let all = lines(&[]);
    let (last, plies) = all.split_last().expect("lines");
    assert_eq!(last["plies"].as_u64(), Some(plies.len() as u64), "{last}");
    assert!(plies.iter().enumerate().all(|(n, ply)| ply["ply"] == n as u64 + 1));
    assert!(plies[0]["entry"].as_str().is_some_and(|entry| entry.starts_with("deal first ")), "{}", plies[0]);
    let action = plies.iter().find(|ply| ply["seat"] == 0).expect("seat 0 acts");
    assert!(action["action"].is_string() && action["action_id"].is_u64(), "{action}");
    assert_eq!(plies[plies.len() - 1]["scores"][0], last["seats"][0]["score"]);

    let own = lines(&["--as", "0"]);
    let told: Vec<&Value> = own.iter().filter(|value| value.get("ply").is_some()).collect();
    assert!(!told.is_empty() && told.iter().all(|ply| ply.get("entry").is_none() && ply.get("action").is_none()));
    let draws = |seat: u8| {
        let texts = told.iter().flat_map(|ply| ply["events"].as_array().expect("events"));
        let begin = format!("seat {seat} draws ");
        texts.filter_map(Value::as_str).find(|text| text.starts_with(&begin)).expect("it draws").to_owned()
    };
    assert_eq!(draws(1), "seat 1 draws 4 cards");
    assert_ne!(draws(0), "seat 0 draws 4 cards");
}

#[test]
fn what_is_intact_of_a_cut_record_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["match.txt", "match.bin"] {
        let file = record(folder.path(), name);
        let bytes = fs::read(&file).expect("it was written");
        let whole = printed(&["replay", &file]);
        let cut = folder.path().join(format!("cut-{name}")).display().to_string();
        for kept in [bytes.len() - 1, bytes.len() * 3 / 4, bytes.len() / 2] {
            fs::write(&cut, &bytes[..kept]).expect("it can be written");

            let output = run(&["replay", &cut]);

            let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            if output.status.success() {
                // Only the line end after the digest is missing, in the text format.
                assert_eq!((name, kept), ("match.txt", bytes.len() - 1));
                continue;
            }
            assert_eq!(output.status.code(), Some(1));
            assert!(error.ends_with("the record is incomplete: it ends before its digest\n"), "{error}");
            let plies: usize = out
                .split_once("The record is incomplete. Intact: ")
                .and_then(|(_, rest)| rest.split_once(" plies.\n"))
                .and_then(|(count, _)| count.parse().ok())
                .expect(&out);
            assert!(plies > 50, "{plies}");
            let last = out.lines().find(|line| line.starts_with(&format!("{plies:>4}  "))).expect("the ply");
            assert!(whole.contains(last), "{last}");
        }
        // The file ends before the match.
        fs::write(&cut, &bytes[..40]).expect("it can be written");
        assert!(run(&["replay", &cut]).stdout.is_empty());
        let verified = run(&["replay", &cut, "--verify"]);
        assert_eq!(verified.status.code(), Some(3));
    }
}

#[test]
fn no_line_at_a_terminal_is_wider_than_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for (game, seats) in [("rappanui", 2), ("rapanui_cards", 2), ("rapanui_board", 3)] {
        let file = folder.path().join(game).display().to_string();
        let long = ["edition=english", "start_player=seat0", "stone_view=all_face_up", "display_view=front"];
        let options: Vec<&str> =
            long.iter().filter(|_| game == "rapanui_cards").flat_map(|option| ["-o", option]).collect();
        let seats = vec!["greedy"; seats];
        printed(&[&["play", game, "--seed", "3", "--record", &file], &*options, &*seats].concat());
        let mut person = AtTerminal::start(&["replay", &file, "--all"], &[("NO_COLOR", "1")]);
        person.until("fingerprint");
        let shown = plain(&person.end().1);
        let wide: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, Vec::<&str>::new());
        assert!(!shown.contains("surely in other hands"), "{shown}");
    }
    let mut person =
        AtTerminal::start(&["replay", "/nowhere/at/all/with/a/name/that/is/longer/than/others", "--all"], &[]);
    person.until("error");
    let shown = plain(&person.end().1);
    assert!(shown.lines().count() > 1 && shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn the_end_of_a_game_is_told_clause_by_clause() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    printed(&["play", "rapanui_cards", "greedy", "greedy", "--seed", "3", "--record", &file]);
    let mut person = AtTerminal::start(&["replay", &file, "--all"], &[("NO_COLOR", "1")]);
    person.until("fingerprint");
    let shown = plain(&person.end().1);
    let begins = |clause: &&str| shown.lines().any(|line| line.trim_start().starts_with(*clause));
    let clauses = ["the game is over;", "face down were: ", "on the stone: ", "sacrifice cards: ", "a card is worth: "];
    assert_eq!(clauses.iter().filter(|clause| begins(clause)).count(), clauses.len(), "{shown}");
}

#[test]
fn a_record_is_written_as_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = record(folder.path(), "match.txt");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let names = |name: &str| {
        let entries = fs::read_dir(path(name)).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
        names.sort();
        names
    };

    let plies = printed(&["replay", &file, "--svg", &path("plies")]);
    let turns = printed(&["replay", &file, "--svg", &path("turns"), "--step", "turn", "--as", "1"]);

    let (all, some) = (names("plies"), names("turns"));
    assert_eq!(plies, format!("{}: {} pictures\n", path("plies"), all.len()));
    assert_eq!(turns, format!("{}: {} pictures\n", path("turns"), some.len()));
    assert!(some.len() > 10 && all.len() > 2 * some.len(), "{} and {}", some.len(), all.len());
    assert_eq!((&*all[0], &*all[1]), ("0000.svg", "0001.svg"));
    assert_eq!(all.last(), some.last(), "both end with the last ply");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a picture");
    let (public, own) = (read("plies/0001.svg"), read(&format!("turns/{}", some[1])));
    assert!(public.starts_with("<svg ") && !public.contains("your hand") && own.contains("your hand"));
    assert!(!read("plies/0000.svg").contains("class=\"new\"") && public.contains("class=\"new\""));
}

#[test]
fn a_record_is_written_in_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt").display().to_string();
    // A picture takes long to paint, and this match has few turns.
    let short = ["-o", "board=tiny", "-o", "max_turns=3", "greedy", "random", "greedy"];
    printed(&[&["play", "giants", "--seed", "3", "--record", &file][..], &short].concat());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let small = ["--step", "turn", "--width", "100"];

    printed(&[&["replay", &file, "--png", &path("png")][..], &small].concat());
    let said = printed(&[&["replay", &file, "--gif", &path("match.gif"), "--delay", "0.5"][..], &small].concat());

    let count = fs::read_dir(path("png")).expect("a folder").count();
    assert!(count > 3, "{count} pictures");
    assert_eq!(said, format!("{}: {count} pictures\n", path("match.gif")));
    assert!(fs::read(path("png/0000.png")).expect("a picture").starts_with(b"\x89PNG"));
    assert!(fs::read(path("match.gif")).expect("a picture").starts_with(b"GIF89a"));
    let refused = |arguments: &[&str]| run(&[&["replay", &file][..], arguments].concat());
    for (arguments, expected) in [
        (&["--gif", "x.gif", "--width", "4"][..], "4 is not in 100..=1600"),
        (&["--gif", "x.gif", "--delay", "0"], "expected a time from 100ms to 60s"),
        (&["--svg", &file], "cannot create "),
        (&["--gif", "/no/such/folder/x.gif", "--width", "100"], "cannot write /no/such/folder/x.gif: "),
        (&["--svg", "x", "--json"], "cannot be used with"),
    ] {
        let output = refused(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{arguments:?}: {error}");
    }
}
