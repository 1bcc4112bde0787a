//! Programs of the line protocol (`docs/reference/lines.md`): their lines, the example bots, and every fault.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ahu_core::{ActionId, Seat, Viewer};
use ahu_host::{DecidedBy, Entry, GAMES, PlyEvent, Record, Referee, find, verify};
use ahu_service::proto::DESCRIPTORS;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::{Value, json as value};

use super::programs::{has, repository, typescript_agent};
use super::{ahu, assert_forfeited, json, printed, refused, run};

/// A bot that plays the first legal action, as a shell function. It runs two programs for the whole match, since a program for
/// each decision would take most of the time of a test.
const PLAY: &str = r#"play() { grep --line-buffered -o '"legal":\[{"action_id":[0-9]*' | sed -u 's/.*://'; }; "#;

/// Returns the path of an example bot.
fn bot(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/lines").join(name)
}

/// Returns the first of these programs that this machine has. Prints that a test is skipped if there is none.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(super) fn program_of<'a>(programs: &[&'a str]) -> Option<&'a str> {
    let starts = |program: &&&str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    let found = programs.iter().find(starts);
    if found.is_none() {
        println!("skipped: this machine has none of {programs:?}");
    }
    found.copied()
}

/// Plays a match of greedy against a program of the line protocol in seat 1. Returns the result, the record, and the error
/// output.
fn played(command: &str, more: &[&str]) -> (Value, Record, String) {
    played_with("7", command, more)
}

/// Does the same as [`played`], with this seed.
fn played_with(seed: &str, command: &str, more: &[&str]) -> (Value, Record, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("match.txt").display().to_string();
    let player = format!("jsonl:{command}");
    let arguments = ["play", "rappanui", "--seed", seed, "greedy", &player, "--json", "--record", &record];
    let output = run(&[&arguments[..], more].concat());
    let errors = String::from_utf8(output.stderr).expect("errors are text");
    assert!(output.status.success(), "{errors}");
    let record = Record::read(&fs::read(record).expect("it was written")).expect("it is a record");
    verify(&record).expect("it is valid");
    (serde_json::from_slice(&output.stdout).expect("JSON alone"), record, errors)
}

/// Returns the number of lines of the error output that contain this text.
fn count(errors: &str, text: &str) -> usize {
    errors.lines().filter(|line| line.contains(text)).count()
}

/// Returns the number of actions that the program in seat 1 chose itself.
fn chosen(record: &Record) -> usize {
    let is_own = |entry: &&Entry| matches!(entry, Entry::Action { seat, by, .. } if seat.index() == 1 && *by == DecidedBy::Player);
    record.entries.iter().filter(is_own).count()
}

/// Plays a match of every game, in which a bot takes two seats. It must not forfeit.
fn plays_every_game(command: &str) {
    let player = format!("jsonl:{command}");
    for game in GAMES {
        // A seat has fewer decisions at a larger table of these games, and at a smaller table of the other games.
        let seats = game.seats();
        let count = if ["rappanui", "giants"].contains(&game.info().id) { seats.end() } else { seats.start() };
        let bots = vec!["greedy"; count - 1];
        let seats = [&player, &player].into_iter().map(String::as_str).chain(bots[1..].iter().copied());
        let seats: Vec<&str> = seats.collect();
        let result = json(&[&["play", game.info().id, "--seed", "3", "--strict", "--json"][..], &seats].concat());
        assert_eq!(result["ending"], "finished", "{result}");
        for seat in 0..2 {
            assert_eq!(result["seats"][seat]["forfeit"], Value::Null, "{result}");
        }
    }
}

#[test]
fn the_bot_in_shell_plays_every_game() {
    plays_every_game(&format!("sh '{}'", bot("shortest.sh").display()));
}

#[test]
fn the_bot_in_cpp_plays_every_game() {
    let Some(compiler) = program_of(&["c++", "g++", "clang++"]) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("random");
    let built = Command::new(compiler)
        .args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &bot("random_bot.cpp")])
        .status();
    assert!(built.expect("it starts").success());
    plays_every_game(&format!("'{}'", program.display()));
}

#[test]
fn the_bot_in_javascript_plays_every_game() {
    let Some(node) = program_of(&["node", "nodejs"]) else { return };
    plays_every_game(&format!("{node} '{}'", bot("random_bot.js").display()));
}

#[test]
fn the_bot_in_python_plays_every_game() {
    let Some(python) = program_of(&["python3"]) else { return };
    // The module `site` may import other modules first, so it is turned off: the test is that no file of the folder hides a
    // module that the bot needs.
    plays_every_game(&format!("{python} -S '{}'", bot("random_bot.py").display()));
}

/// Plays a match of the card game, in which a bot that searches beats greedy. In each language it plays the same.
fn wins_the_card_game(command: &str) {
    let player = format!("jsonl:{command} '{}'", env!("CARGO_BIN_EXE_ahu"));
    let result = json(&["play", "rapanui_cards", "--seed", "8", "--strict", "--json", "greedy", &player]);
    assert_eq!(
        (&result["seats"][1]["rank"], &result["fingerprint"]),
        (&value!(1), &value!("3b3aecea8cadc3fd")),
        "{result}"
    );
}

#[test]
fn the_bot_in_cpp_that_searches_wins() {
    let Some(compiler) = program_of(&["c++", "g++", "clang++"]) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("search");
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &bot("search_bot.cpp")])
        .status();
    assert!(built.expect("it starts").success());
    wins_the_card_game(&format!("'{}'", program.display()));
}

#[test]
fn the_bot_in_go_that_searches_wins() {
    if !has("the bot in Go that searches", &["go"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("search");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).args([&program, &bot("search_bot.go"), &bot("positions.go")]);
    assert!(build.status().expect("it starts").success());
    wins_the_card_game(&format!("'{}'", program.display()));
}

#[test]
fn the_bot_in_typescript_that_searches_wins() {
    if typescript_agent().is_some() {
        let program = repository().join("agents/typescript/dist/search_bot.js");
        wins_the_card_game(&format!("node '{}'", program.display()));
    }
}

/// Returns the keys of an object.
fn keys(line: &Value) -> BTreeSet<&str> {
    line.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Returns the lines that a bot in seat 1 of a match with greedy gets, and the record of the match.
fn transcript(game: &str, seats: usize) -> (Vec<Value>, Record) {
    let folder = tempfile::tempdir().expect("a folder");
    let (lines, record) = (folder.path().join("lines"), folder.path().join("match.txt"));
    let player = format!("jsonl:tee {} | ({PLAY}play)", lines.display());
    let record = record.display().to_string();
    let mut arguments = vec!["play", game, "--seed", "11", "--record", &record, "--strict", "--tc", "60+1"];
    for seat in 0..seats {
        arguments.push(if seat == 1 { player.as_str() } else { "greedy" });
    }
    printed(&arguments);
    let text = fs::read_to_string(lines).expect("the lines are text");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON"));
    (lines.collect(), Record::read(&fs::read(record).expect("it was written")).expect("it is a record"))
}

/// Returns the events that a viewer was told after the first `told` of them.
fn events(referee: &Referee, viewer: Viewer, told: usize) -> Vec<Value> {
    let of = |event: &PlyEvent| {
        let actors: Vec<_> = event.actors().iter().map(Seat::index).collect();
        Some(value!({"text": event.event.text_for(viewer)?, "actor_seats": actors}))
    };
    referee.events().iter().filter_map(of).skip(told).collect()
}

#[test]
fn a_line_has_all_that_its_seat_knows_and_nothing_else() {
    let pool = DescriptorPool::decode(DESCRIPTORS).expect("descriptors");
    let place = ["type", "match", "game", "rules_version", "seat", "seats"];
    for game in GAMES {
        let seats = *game.seats().start();
        let (lines, record) = transcript(game.info().id, seats);
        let seat = Seat::new(1).expect("a seat");
        let viewer = Viewer::Seat(seat);
        let [start, decides @ .., end] = &lines[..] else { panic!("expected lines, got {lines:?}") };

        let with = |more: &[&'static str]| place.into_iter().chain(more.iter().copied()).collect::<BTreeSet<_>>();
        assert_eq!(keys(start), with(&["protocol", "options", "clocks", "tries", "strikes"]));
        assert_eq!((&start["type"], &start["protocol"]), (&value!("start"), &value!(1)));
        let options: serde_json::Map<_, _> =
            record.setup.options().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        assert_eq!(start["options"], Value::Object(options));
        let control =
            value!({"startup_ms": 10_000, "limit_ms": null, "bank_ms": 60_000, "increment_ms": 1_000, "lag_ms": 0});
        assert_eq!(start["clocks"][1], control);
        for line in &lines {
            assert_eq!((&line["game"], &line["match"]), (&value!(game.info().id), &start["match"]));
            assert_eq!((&line["seat"], &line["seats"]), (&value!(1), &value!(seats)));
            assert_eq!(line["rules_version"], game.info().rules);
        }

        // A referee of this test plays the record again. Each line has to show the knowledge of the seat at this point.
        let fold = |entries: &[Entry]| {
            let (setup, players, terms) = (record.setup.clone(), record.players.clone(), record.terms.clone());
            Referee::fold(setup, record.seed, players, terms, entries).expect("it is valid")
        };
        let own = record.entries.iter().enumerate().filter_map(|(at, entry)| match entry {
            Entry::Action { seat, id, .. } if seat.index() == 1 => Some((at, *id)),
            _ => None,
        });
        let own: Vec<(usize, ActionId)> = own.collect();
        assert_eq!(decides.len(), own.len());
        let (mut from, mut told) = (0, 0);
        for (number, (line, (at, id))) in (1..).zip(decides.iter().zip(own)) {
            // The line was written when the decision was open. Others who decide at the same time may act before the bot.
            let is_then = |referee: &Referee| {
                let is_open = referee.decision(seat) == Some(number);
                is_open
                    && line["text"] == referee.view(viewer).text()
                    && line["events"] == value!(events(referee, viewer, told))
            };
            let then = (from..=at).map(|count| fold(&record.entries[..count])).find(is_then);
            let then = then.unwrap_or_else(|| panic!("decision {number} of {seats} seats never looked so: {line}"));
            (from, told) = (at + 1, then.event_count(viewer));
            let decide = ["decision", "attempt", "clock", "forfeits", "events", "text", "legal", "typed", "view"];
            assert_eq!(keys(line), with(&decide));
            assert_eq!((&line["type"], &line["decision"]), (&value!("decide"), &value!(number)));
            assert_eq!(line["attempt"], 1);
            let bytes = BASE64_STANDARD.decode(line["view"].as_str().expect("text")).expect("Base64");
            assert_eq!(Some(bytes), then.view_bytes(viewer));
            let text = |id| game.action_text(id).expect("it is an action");
            let legal = then.legal_actions(seat);
            let legal: Vec<Value> = legal.iter().map(|id| value!({"action_id": id.0, "text": text(id)})).collect();
            assert_eq!(line["legal"], Value::Array(legal));
            assert_eq!(line["legal"][0]["action_id"], id.0, "the bot plays the first");
            assert_eq!(line["forfeits"], value!(vec![Value::Null; seats]));
            assert_eq!(keys(&line["clock"]), ["left_ms", "banks_ms"].into());
            let left = line["clock"]["left_ms"].as_u64().expect("a time");
            assert!(left > 0 && line["clock"]["banks_ms"][0].is_null(), "{line}");
            assert_eq!(line["clock"]["banks_ms"][1].as_u64(), then.banks(viewer)[seat].map(u64::from));

            let name = game.message_names().observation;
            let descriptor = pool.get_message_by_name(&name).expect("it has a descriptor");
            let typed = DynamicMessage::deserialize(descriptor, &line["typed"]).expect("it is this message");
            assert_eq!(typed.encode_to_vec(), canonical(&pool, &name, &then.view(viewer).message().value), "{line}");
        }

        let last = fold(&record.entries);
        assert_eq!(keys(end), with(&["ending", "reason", "result", "events", "text"]));
        assert_eq!((&end["type"], &end["ending"], &end["reason"]), (&value!("end"), &value!("finished"), &Value::Null));
        let result = record.result.expect("it has a result");
        let expected = value!({
            "scores": result.scores.values(), "ranks": result.ranks.values(), "forfeits": vec![Value::Null; seats],
        });
        assert_eq!(end["result"], expected);
        assert_eq!(end["events"], value!(events(&last, viewer, told)));
        assert_eq!(end["text"], last.view(viewer).text());
    }
}

/// Returns a message in the order of its descriptor.
fn canonical(pool: &DescriptorPool, name: &str, bytes: &[u8]) -> Vec<u8> {
    let descriptor = pool.get_message_by_name(name).expect("it has a descriptor");
    DynamicMessage::decode(descriptor, bytes).expect("it decodes").encode_to_vec()
}

#[test]
fn the_page_of_the_protocol_shows_lines_and_answers_as_they_are() {
    let page = include_str!("../../docs/reference/lines.md");
    let (lines, _) = transcript("rappanui", 2);
    let [start, decide, .., end] = &lines[..] else { panic!("expected lines, got {lines:?}") };
    let shown = page.lines().filter(|line| line.starts_with("{\"type\":")).map(|line| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        value
    });
    let shown: Vec<Value> = shown.collect();

    assert_eq!(shown.len(), 3);
    for (shown, real) in shown.iter().zip([start, decide, end]) {
        assert_eq!((&shown["type"], keys(shown)), (&real["type"], keys(real)));
        for part in ["options", "clock", "result"].iter().filter(|part| shown.get(part).is_some()) {
            assert_eq!(keys(&shown[part]), keys(&real[part]));
        }
        for field in keys(shown).iter().filter(|field| !["seats", "match"].contains(field)) {
            assert!(
                page.contains(&format!("`{field}`")) || page.contains(&format!("`{field}.")),
                "{field} is explained"
            );
        }
    }
    assert_eq!(keys(&shown[0]["clocks"][0]), keys(&start["clocks"][0]));
    for field in keys(&shown[1]["typed"]) {
        assert!(decide["typed"].get(field).is_some(), "{field}");
    }
    let (_, code) = page.split_once("```python\n").expect("the page has a bot");
    let (code, _) = code.split_once("```").expect("it has an end");
    assert!(include_str!("../../agents/lines/random_bot.py").ends_with(code), "it is the example");

    let (_, answers) = page.split_once("```text\n").expect("the page has answers");
    let (answers, _) = answers.split_once("```").expect("they have an end");
    // The position that the page shows.
    for answer in answers.lines() {
        let play = format!("read -r start; read -r one; echo '{answer}'; {PLAY}play");
        let (result, record, errors) = played_with("5", &play, &["--strict"]);
        let meld = find("rappanui").expect("a game").parse_action("meld F6").expect("an action");
        let first = actions(&record).into_iter().find(|(seat, _)| seat.index() == 1);
        assert_eq!((meld, first.map(|(_, id)| id)), (ActionId(77), Some(meld)), "{answer}: {errors}");
        assert_eq!((&result["seats"][1]["forfeit"], errors.as_str()), (&Value::Null, ""));
    }
}

#[test]
fn a_default_value_is_written() {
    let (lines, _) = transcript("rappanui", 2);

    assert_eq!(lines[1]["typed"]["passes"], 0);
    assert_eq!(lines[1]["typed"]["players"][0]["known_cards"], value!([]));
}

#[test]
fn a_program_that_prints_garbage_for_ever_forfeits() {
    let (result, record, errors) = played("yes garbage", &[]);

    assert_forfeited(&result, "unreadable");
    assert_eq!(chosen(&record), 0);
    let refused = "[seat 1] (refused for decision 1: \"garbage\": expected an action id such as 5, an action text, or \
                   {\"action\": ...}; as a text: ";
    assert_eq!(count(&errors, refused), 50, "{errors}");
}

#[test]
fn a_program_that_repeats_an_illegal_action_forfeits() {
    let (result, _, errors) = played("while read -r line; do echo 60000; done", &[]);

    assert_forfeited(&result, "illegal");
    assert_eq!(count(&errors, "(refused for decision 1: \"60000\": expected "), 50, "{errors}");
    let (result, record, errors) = played("while read -r line; do echo 0; done", &["--strikes", "4"]);
    assert_forfeited(&result, "illegal");
    assert_eq!(result["seats"][1]["strikes"], 4);
    let strikes = record.entries.iter().filter(|entry| matches!(entry, Entry::Strike { .. }));
    assert_eq!((strikes.count(), count(&errors, "(refused for decision ")), (4, 4), "{errors}");
}

#[test]
fn a_refused_answer_is_asked_for_again_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("lines");
    let program = format!(
        "tee {} | (read -r start; read -r one; echo '{{\"action\": \"melt F7\"}}'; read -r again; echo 60000; {PLAY}play)",
        log.display()
    );
    let (result, _, errors) = played(&program, &["--tc", "20/move"]);

    assert_eq!(result["seats"][1]["forfeit"], Value::Null, "{result}");
    let text = fs::read_to_string(log).expect("text");
    let lines: Vec<Value> =
        text.lines().skip(1).take(4).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (line, attempt, error) in
        [(0, 1, None), (1, 2, Some("(at byte 0)")), (2, 3, Some("expected an action id from 0 to "))]
    {
        let line: &Value = &lines[line];
        assert_eq!((&line["decision"], &line["attempt"]), (&value!(1), &value!(attempt)));
        let given = line.get("error").map(|error| error.as_str().expect("text"));
        assert_eq!(given.is_some(), error.is_some(), "{line}");
        assert!(given.unwrap_or_default().contains(error.unwrap_or_default()), "{line}");
        for same in ["events", "text", "legal", "typed"] {
            assert_eq!(line[same], lines[0][same]);
        }
    }
    assert_eq!((&lines[3]["decision"], &lines[3]["attempt"]), (&value!(2), &value!(1)));
    assert_eq!(count(&errors, "[seat 1] (refused for decision 1: "), 2, "{errors}");
}

/// Returns the actions of a record.
fn actions(record: &Record) -> Vec<(Seat, ActionId)> {
    let action = |entry: &Entry| match entry {
        Entry::Action { seat, id, .. } => Some((*seat, *id)),
        _ => None,
    };
    record.entries.iter().filter_map(action).collect()
}

#[test]
fn stray_lines_put_no_program_out_of_step() {
    let plain = actions(&played(&format!("{PLAY}play"), &[]).1);
    let long = "head -c 150000 /dev/zero | tr '\\0' x; echo";
    for (stray, refused, times) in [
        ("echo 'I am ready!'", "\"I am ready!\": expected an action id", 1),
        ("echo", "\"\": expected an action id", 1),
        (r"printf 'caf\351\n'", "got bytes that are not UTF-8", 1),
        (r#"echo '{"decision": 9, "action": 0}'"#, "expected an answer to decision 1, got one to decision 9", 1),
        (r#"echo '{"action": 5'"#, "as JSON: EOF while parsing", 1),
        (long, "\"...: expected a line of at most 65536 bytes, got a longer one", 2),
    ] {
        let (result, record, errors) = played(&format!("{stray}; {PLAY}play"), &["--strict"]);

        assert_eq!(result["seats"][1]["forfeit"], Value::Null, "{stray}");
        assert_eq!((count(&errors, refused), count(&errors, "(refused ")), (times, times), "{stray}: {errors}");
        assert!(actions(&record) == plain, "{stray}");
    }
}

/// Says something of another type before the first decision, and before each answer.
const TALK: &str = r#"echo '{"type":"hello","protocol":2}'; talk() { while read -r id; do echo '{"type":"info","action":5}'; echo "$id"; done; }; "#;

#[test]
fn lines_of_another_type_are_skipped_without_a_fault_or_an_attempt() {
    let plain = actions(&played(&format!("{PLAY}play"), &[]).1);
    let folder = tempfile::tempdir().expect("a folder");
    let told = folder.path().join("told").display().to_string();

    let (result, record, errors) = played(&format!("{PLAY}{TALK}tee {told} | (play | talk)"), &["--strict"]);

    assert_eq!(result["seats"][1]["forfeit"], Value::Null, "{errors}");
    assert!(actions(&record) == plain, "{errors}");
    let first = "(skipped, with all lines of other types than \"action\": \"{\\\"type\\\":\\\"hello\\\"";
    assert_eq!((count(&errors, first), errors.lines().count()), (1, 1), "{errors}");
    let told = fs::read_to_string(told).expect("the lines are text");
    assert_eq!(told.lines().count(), chosen(&record) + 2, "one line for each decision, and the start and the end");

    let checked = run(&["check-agent", &format!("jsonl:{PLAY}{TALK}play | talk"), "--game", "rappanui"]);
    let out = String::from_utf8_lossy(&checked.stdout);
    assert_eq!((checked.status.code(), out.lines().count()), (Some(0), 3), "{out}");
    assert!(
        out.lines().all(|line| line.contains("; skipped the lines whose type is not \"action\", such as ")),
        "{out}"
    );
}

#[test]
fn a_program_that_writes_nothing_but_lines_of_another_type_forfeits() {
    let (result, _, errors) = played("yes '{\"type\":\"info\"}'", &[]);

    assert_forfeited(&result, "unreadable");
    assert_eq!(count(&errors, "expected at most 1048576 bytes of lines with another type"), 50, "{errors}");
}

#[test]
fn with_strikes_a_check_counts_stray_lines_too() {
    let command = format!("jsonl:echo hello; {PLAY}play");
    let output = run(&["check-agent", &command, "--game", "rappanui"]);

    let out = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(3), 3), "{out}");
    assert!(
        lines.iter().all(|line| line.contains(": the agent sent an unreadable action at decision 1: \"hello\": ")),
        "{out}"
    );
}

#[test]
fn a_line_without_an_end_forfeits() {
    let (result, _, errors) = played("tr '\\0' x < /dev/zero", &[]);

    assert_forfeited(&result, "unreadable");
    assert_eq!(count(&errors, "(refused for decision 1: \"xxx"), 50);
    assert!(errors.lines().all(|line| line.len() < 300), "an excerpt is shown");
}

#[test]
fn a_program_that_does_not_answer_runs_out_of_time() {
    for program in ["cat > /dev/null", "sleep 20", "printf 71; sleep 20"] {
        let (result, _, _) = played(program, &["--tc", "0.2/move,startup=0"]);
        assert_forfeited(&result, "timeout");
    }
    let (result, _, errors) = played("cat > /dev/null", &["--patience", "0.1", "--tc", "none"]);
    assert_forfeited(&result, "timeout");
    assert!(errors.starts_with("[seat 1] the program has not written a line for 0.1 s\n"), "{errors}");
}

#[test]
fn a_program_that_has_written_a_line_may_think_for_as_long_as_its_clock_says() {
    let think = "(read -r start; read -r one; printf '%s\\n' \"$one\" | play; sleep 3; play)";
    let (result, _, errors) = played(&format!("{PLAY}{think}"), &["--patience", "2", "--tc", "none", "--strict"]);

    assert_eq!((&result["seats"][1]["forfeit"], errors.as_str()), (&Value::Null, ""));
}

#[test]
fn a_program_that_writes_without_reading_waits_until_its_time_runs_out() {
    // Each refused answer is a new line for the program. The pipe is full long before the fiftieth.
    let (result, record, errors) = played("while :; do echo 60000; done", &["--tc", "1.5/move,startup=0"]);

    assert_forfeited(&result, "timeout");
    assert_eq!(chosen(&record), 0);
    let refused = count(&errors, "(refused for decision 1: ");
    assert!((1..50).contains(&refused), "{refused}");
}

#[test]
fn a_program_that_exits_forfeits() {
    for (program, status, message) in [
        ("exit 3", "exit status: 3", ""),
        ("./no/such/bot", "exit status: 127", "not found"),
        ("no-such-bot --fast", "exit status: 127", "not found"),
        ("kill -s KILL $$", "signal: 9 (SIGKILL)", ""),
        ("echo 'out of ideas' >&2; exit 1", "exit status: 1", "[seat 1] out of ideas\n"),
    ] {
        let (result, record, errors) = played(program, &[]);
        assert_forfeited(&result, "exited");
        assert_eq!(chosen(&record), 0);
        assert!(errors.ends_with(&format!("[seat 1] the program has ended ({status})\n")), "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn the_last_answer_of_a_program_counts_before_its_exit() {
    let program = format!("{PLAY}(read -r start; read -r one; printf '%s\\n' \"$one\" | play; exit 4)");
    let (result, record, errors) = played(&program, &[]);

    assert_forfeited(&result, "exited");
    assert_eq!(chosen(&record), 1);
    assert!(errors.ends_with("[seat 1] the program has ended (exit status: 4)\n"), "{errors}");
}

#[test]
fn a_program_that_closes_a_pipe_is_stopped_and_forfeits() {
    for (program, pipe) in
        [("exec >&-; cat > /dev/null; sleep 20", "stdout"), ("exec <&-; echo 60000; sleep 20", "stdin")]
    {
        let (result, _, errors) = played(program, &[]);
        assert_forfeited(&result, "exited");
        assert!(errors.contains(&format!("[seat 1] the program has closed its {pipe} and is stopped\n")), "{errors}");
        assert!(errors.ends_with("[seat 1] the program has ended (signal: 9 (SIGKILL))\n"), "{errors}");
    }
}

#[test]
fn a_program_resigns_with_a_line() {
    let (result, _, errors) = played("read -r start; read -r one; echo '{\"resign\": true}'; cat > /dev/null", &[]);

    assert_forfeited(&result, "resigned");
    assert_eq!(errors, "", "it reads to the end, and exits");
}

#[test]
fn a_program_has_its_place_in_variables_and_lines_alone() {
    let (_, _, errors) =
        played("read -r start; echo \"$start\" >&2; echo \"$AHU_MATCH $AHU_SEAT ${AHU_TOKEN-none}\" >&2; exit 1", &[]);

    let lines: Vec<&str> = errors.lines().collect();
    let start: Value = serde_json::from_str(lines[0].strip_prefix("[seat 1] ").expect("its line")).expect("JSON");
    assert_eq!(lines[1], format!("[seat 1] {} 1 none", start["match"].as_str().expect("an id")));
}

#[test]
fn a_player_without_a_command_is_refused() {
    for arguments in [
        &["play", "rappanui", "greedy", "jsonl:"][..],
        &["play", "rappanui", "greedy", "jsonl: "],
        &["check-agent", "jsonl:"],
        &["check-agent", ""],
    ] {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.starts_with("error: expected a command such as \""), "{error}");
    }
    let (code, error) = refused(&["play", "rappanui", "greedy", "josnl:my_bot"]);
    assert!(code == 2 && error.contains("or jsonl:COMMAND"), "{error}");
}

#[test]
fn the_help_names_the_protocol() {
    for command in ["play", "check-agent"] {
        let help = printed(&[command, "--help"]);
        assert!(help.contains("jsonl:COMMAND") && help.contains("docs/reference/lines.md"), "{help}");
    }
}

#[test]
fn a_good_bot_passes_the_checks_of_every_game() {
    let command = format!("jsonl:{PLAY}play");
    let out = printed(&["check-agent", &command, "--tc", "60+1"]);

    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3 * GAMES.len(), "{out}");
    assert!(lines.iter().all(|line| line.starts_with("ok      ")), "{out}");
    assert!(!out.contains("connection"), "there is none to cut: {out}");
}

#[test]
fn a_check_names_the_fault_of_a_bot() {
    for (program, fault) in [
        ("exit 3", "the agent exited (exit status: 3) at decision 1, before the end of the match"),
        ("while read -r line; do echo 60000; done", "the agent chose an illegal action at decision 1"),
        ("while read -r line; do echo '{}'; done", "the agent sent an unreadable action at decision 1"),
        ("cat > /dev/null", "the agent has not written a line for 0.3 s"),
        ("echo '{\"resign\":true}'; cat > /dev/null", "the agent resigned at decision 1"),
        (
            "exec >&-; cat > /dev/null; sleep 20",
            "the agent exited (signal: 9 (SIGKILL)) at decision 1, before the end of the match",
        ),
    ] {
        let patience = if fault.ends_with("0.3 s") { "0.3" } else { "60" };
        let output =
            run(&["check-agent", &format!("jsonl:{program}"), "--game", "rapanui_cards", "--patience", patience]);
        let out = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!((output.status.code(), lines.len()), (Some(3), 3), "{out}");
        assert!(lines.iter().all(|line| line.contains(fault)), "{out}");
    }
    let output = run(&["check-agent", &format!("jsonl:{PLAY}play; exit 5"), "--game", "rapanui_cards"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(out.lines().count(), 3, "{out}");
    assert!(out.lines().all(|line| line.ends_with(": the agent failed after the match (exit status: 5)")), "{out}");
}

/// Starts a match of two bots that never answer. Each bot writes a word into its own pipe when its stdin ends. Returns the
/// match and both pipes when both bots run.
fn with_waiting_bots(folder: &Path) -> (std::process::Child, Vec<File>) {
    let pipes = [folder.join("one"), folder.join("two")];
    let players = pipes.each_ref().map(|pipe| {
        assert!(Command::new("mkfifo").arg(pipe).status().expect("there is mkfifo").success());
        format!("jsonl:exec 3> {}; echo ready >&2; cat > /dev/null; echo gone >&3", pipe.display())
    });
    let child = ahu(&["play", "rappanui", &players[0], &players[1]])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // This waits until the other ends of the pipes are open too.
    let pipes = pipes.map(|pipe| File::open(pipe).expect("it can be read"));
    (child, pipes.into())
}

#[test]
fn programs_see_the_end_of_their_stdin_when_the_match_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, pipes) = with_waiting_bots(folder.path());
    let mut errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
    for _ in 0..2 {
        let mut line = String::new();
        errors.read_line(&mut line).expect("text");
        assert!(line.ends_with("ready\n"), "{line}");
    }

    child.kill().expect("it runs");
    child.wait().expect("it ends");

    for mut pipe in pipes {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("text");
        assert_eq!(text, "gone\n", "no other process holds the pipe");
    }
}

#[test]
fn programs_are_stopped_when_a_signal_ends_the_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, pipes) = with_waiting_bots(folder.path());

    let kill = format!("kill -s TERM {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is a shell").success());

    assert_eq!(child.wait().expect("it ends").code(), Some(143));
    for mut pipe in pipes {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("text");
        // The end of the pipe says that no process holds it: the program was stopped, or has seen the end of its stdin.
        assert!(text.is_empty() || text == "gone\n", "{text}");
    }
}

#[test]
fn a_program_inherits_the_environment_without_the_keys_of_its_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = folder.path().join("environment");
    let keys = ["AHU_ACCOUNT_KEY", "AHU_ACCOUNT_KEY_FILE", "AHU_KEY", "AHU_KEY_FILE"];
    // Its command may give it a key of its own.
    for (before, expected) in [("", None), ("AHU_ACCOUNT_KEY_FILE=bot.key ", Some("AHU_ACCOUNT_KEY_FILE=bot.key"))] {
        for protocol in ["jsonl:", ""] {
            let player = format!("{protocol}{before}env > '{}'", told.display());
            let mut play = ahu(&["play", "rappanui", "greedy", &player, "--json"]);
            play.envs(keys.map(|name| (name, "secret"))).env("CUDA_VISIBLE_DEVICES", "3").env("OPENAI_API_KEY", "own");
            play.output().expect("it runs");
            let told = fs::read_to_string(&told).expect("the program has started");
            let lines: Vec<_> = told.lines().collect();
            assert!(lines.contains(&"CUDA_VISIBLE_DEVICES=3") && lines.contains(&"OPENAI_API_KEY=own"), "{told}");
            let own: Vec<_> = lines.into_iter().filter(|line| keys.iter().any(|key| line.starts_with(key))).collect();
            assert_eq!(own, expected.into_iter().collect::<Vec<_>>(), "{player}");
        }
    }
}
