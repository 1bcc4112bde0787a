//! `ahu duel`: comparisons of bots and programs, their statistics, and every fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ahu_core::Seed;
use ahu_host::{Entry, Record, verify};
use serde_json::Value;

use super::{ahu, json, printed, refused, run};

/// A program of the line protocol that plays the first legal action, as a shell function. `$l` has each line that asks for a
/// decision.
const PLAY: &str = r#"play() { while read -r l; do case $l in *'"decide"'*) decide;; esac; done; }
    first() { printf '%s\n' "$l" | sed 's/.*"legal":\[{"action_id":\([0-9]*\),.*/\1/'; }; decide() { first; }; "#;

/// Returns an agent of the line protocol.
fn agent(name: &str, script: &str) -> String {
    format!("{name}=jsonl:{PLAY}{script}")
}

/// Runs a duel in the card game of 2 seats, and returns the table.
fn duel(agents: &[&str], more: &[&str]) -> Value {
    json(&arguments(agents, more))
}

fn arguments<'a>(agents: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let agents = agents.iter().copied();
    ["duel", "rapanui_cards", "--json"].into_iter().chain(agents).chain(more.iter().copied()).collect()
}

/// Returns the table without the figures that depend on the machine.
fn timeless(mut table: Value) -> Value {
    for key in ["seconds", "games_per_minute", "concurrency"] {
        table[key] = Value::Null;
    }
    for agent in table["agents"].as_array_mut().expect("a list") {
        agent["decision_ms"] = Value::Null;
    }
    table
}

/// Returns the lines of a table of results, each by the names of its columns.
fn results(folder: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(folder.join("results.csv")).expect("it was written");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    lines.map(|line| head.iter().cloned().zip(line).collect()).collect()
}

#[test]
fn a_duel_of_bots_says_who_is_better() {
    let out = printed(&["duel", "rappanui", "greedy", "old=random", "--seed", "5"]);

    assert!(out.starts_with("Rappa Nui, the deck game, 2 seats, shared luck, seed 5\n"), "{out}");
    assert!(out.contains("\n  greedy@2  greedy@2\n  old       random@1\n"), "{out}");
    assert!(out.contains("\n200 blocks, 400 games of "), "{out}");
    assert!(out.contains("\ngreedy@2 is better than old: greedy@2 wins "), "{out}");
    assert!(out.contains("\n  wins by seat  "), "{out}");
}

#[test]
fn the_table_of_a_duel_is_complete_as_json() {
    let more = ["--seats", "4", "--blocks", "30", "--seed", "9", "--field", "random"];
    let table = duel(&["a=greedy", "b=greedy@1"], &more);

    assert_eq!((&table["seats"], &table["games_per_block"], &table["games"]), (&4.into(), &12.into(), &360.into()));
    assert_eq!(
        (&table["design"], &table["luck"], &table["seed"]),
        (&"neighbour".into(), &"shared".into(), &"9".into())
    );
    let agents = table["agents"].as_array().expect("a list");
    let names: Vec<_> = agents.iter().map(|agent| (agent["name"].as_str(), agent["seats"].as_u64())).collect();
    assert_eq!(names, [(Some("a"), Some(1)), (Some("b"), Some(1)), (Some("field"), Some(2))]);
    assert_eq!(agents[0]["player"], "greedy@2");
    let wins: f64 = agents
        .iter()
        .map(|agent| agent["wins"]["mean"].as_f64().expect("a share") * agent["seats"].as_f64().expect("a number"))
        .sum();
    assert!((wins - 1.0).abs() < 1e-9, "each game is won once: {table}");
    for figure in ["wins", "pairs", "margin", "utility", "score", "rank"] {
        let [low, mean, high] = ["low", "mean", "high"].map(|key| agents[2][figure][key].as_f64().expect("a number"));
        assert!(low < mean && mean < high, "{figure}: {table}");
    }
    let mean = |agent: usize, figure: &str| agents[agent][figure]["mean"].as_f64().expect("a number");
    // Returns are numbers of 32 bits.
    let is = |figure: f64, expected: f64| (figure - expected).abs() < 1e-5;
    let others = (mean(1, "score") + 2.0 * mean(2, "score")) / 3.0;
    assert!(is(mean(0, "margin"), mean(0, "score") - others), "points above the mean of the others: {table}");
    assert!(is(mean(0, "utility"), 2.0 * mean(0, "pairs") - 1.0), "pairs from -1 to 1: {table}");
    let times = &agents[0]["decision_ms"];
    let [p50, p99] = ["p50", "p99"].map(|share| times[share].as_f64().expect("it was measured"));
    assert!(0.0 < p50 && p50 <= p99, "{table}");
    let pairs = table["pairs"].as_array().expect("a list");
    let verdict = |pair: &Value| (pair["agent"].clone(), pair["other"].clone(), pair["verdict"].clone());
    let expected = [("a", "b", "not_shown"), ("a", "field", "better"), ("b", "field", "better")];
    assert_eq!(pairs.iter().map(verdict).collect::<Vec<_>>(), expected.map(|(a, b, c)| (a.into(), b.into(), c.into())));
    assert_eq!(table["without_flagged"], Value::Null);
    assert_eq!(table["verdict"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_duel_has_the_same_table_and_the_same_records_at_any_concurrency() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folders = ["1", "3"].map(|concurrency| scratch.path().join(concurrency));
    let tables = folders.clone().map(|folder| {
        let concurrency = folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let records = folder.display().to_string();
        let more = ["--sprt", "0,0.2", "--seed", "3", "--records", &records, "--concurrency", &concurrency];
        timeless(duel(&["greedy", "random"], &more))
    });
    assert_eq!(tables[0], tables[1]);
    let names = |folder: &Path| -> BTreeSet<_> {
        fs::read_dir(folder).expect("it is a folder").map(|entry| entry.expect("an entry").file_name()).collect()
    };
    assert_eq!(names(&folders[0]), names(&folders[1]), "games after the end of the test have no record");
    let games = tables[0]["games"].as_u64().expect("a number");
    // The table, the claims, and the log are beside the records.
    assert_eq!(names(&folders[0]).len() as u64, games + 3);
    let rows = results(&folders[1]);
    assert_eq!(rows.len() as u64, 2 * games);
    assert_eq!(rows, results(&folders[0]), "the rows are sorted");
    for row in rows.iter().take(8) {
        let record = Record::read(&fs::read(folders[1].join(&row["record"])).expect("it exists")).expect("it reads");
        verify(&record).expect("it is valid");
        let seat = row["seat"].parse::<usize>().expect("a number");
        assert_eq!(record.seed, Seed(row["seed"].parse().expect("a seed")));
        let result = record.result.expect("it is finished");
        assert_eq!(result.scores.values()[seat].to_string(), row["score"]);
        assert_eq!(record.players[seat].name, row["agent"]);
    }
}

#[test]
fn blocks_begin_at_the_positions_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let record = |name: &str| Record::read(&fs::read(path(name)).expect("a file")).expect("a record");
    duel(&["greedy@1", "random"], &["--blocks", "2", "--seed", "5", "--records", &path("old")]);
    let positions = path("positions.jsonl");
    let from = [("old/00001-01.txt", 20), ("old/00000-00.txt", 12), ("old/00001-01.txt", 33)];
    let line = |(record, ply): &(&str, u32)| format!("{{\"record\": \"{record}\", \"ply\": {ply}}}\n");
    fs::write(&positions, from.iter().map(line).collect::<String>()).expect("it is written");

    let bots = ["greedy@2", "greedy@1"];
    let all = ["--positions", &positions, "--seed", "3"];
    let with = |more: &[&str]| timeless(duel(&bots, &[&all[..], more].concat()));
    let table = with(&["--records", &path("new"), "--concurrency", "1"]);
    let figures = ["positions", "blocks", "games", "luck"].map(|key| table[key].clone());
    assert_eq!(Value::from_iter(figures), serde_json::json!([3, 3, 6, "shared"]));
    for (block, (old, ply)) in from.iter().enumerate() {
        let old = record(old);
        let begun = old.entries_before(*ply).expect("it has the ply");
        let new = [0, 1].map(|game| record(&format!("new/{block:05}-{game:02}.txt")));
        for game in &new {
            verify(game).expect("it is valid");
            assert_eq!((game.seed, &game.entries[..begun]), (old.seed, &old.entries[..begun]));
        }
        assert_ne!(new[0].players, new[1].players, "the players take both seats");
    }
    // It goes on, as a whole and in shards; with other positions it does not.
    with(&["--blocks", "2", "--records", &path("grown")]);
    assert_eq!(with(&["--records", &path("grown")]), table);
    let shards = ["1/2", "2/2"].map(|shard| {
        let own = path(&shard.replace('/', "-"));
        duel(&bots, &[&all[..], &["--shard", shard, "--records", &own]].concat());
        own
    });
    assert_eq!(timeless(json(&["duel", "merge", &shards[0], &shards[1], "--json"])), table);
    // Another seed changes what a bot chooses by chance alone.
    let random = |seed: &str| timeless(duel(&["random", "greedy"], &["--positions", &positions, "--seed", seed]));
    assert_eq!(random("1")["agents"], random("1")["agents"]);
    assert_ne!(random("1")["agents"], random("2")["agents"]);
    // The decisions before the position are neither counted nor timed.
    let programs =
        duel(&[&agent("one", "play"), "greedy"], &["--positions", &positions, "--records", &path("programs")]);
    let games = (0..3).flat_map(|block| [0, 1].map(|game| record(&format!("programs/{block:05}-{game:02}.txt"))));
    let own: usize = games.zip([20, 20, 12, 12, 33, 33]).map(|(game, ply)| {
        let begun = game.entries_before(ply).expect("it has the ply");
        let own = |entry: &&Entry| matches!(entry, Entry::Action { seat, .. } if game.players[seat.index()].name == "one");
        game.entries[begun..].iter().filter(own).count() - 1
    }).sum();
    assert_eq!(programs["agents"][0]["decision_ms"]["timed"], own, "each but the first of a game: {programs}");

    let refuses = |text: &str, more: &[&str], expected: &str| {
        fs::write(&positions, text).expect("it is written");
        let (code, error) = refused(&arguments(&bots, &[&all[..], more].concat()));
        assert!(code == 2 && error.contains(expected), "{text}: {error}");
    };
    let good: String = from.iter().map(line).collect();
    refuses(&good, &["--blocks", "4"], "--positions: expected a position for each of 4 blocks, got 3");
    refuses(&good, &["--luck", "own"], "cannot be used with");
    refuses(&line(&from[0]), &[], "--positions: expected a position for each of 2 blocks, got 1");
    refuses(&line(&("old/00001-01.txt", 9999)), &[], "00001-01.txt: expected a ply from 1 to ");
    refuses(&line(&("old/none.txt", 1)), &[], "line 1: cannot read ");
    refuses(
        &good,
        &["--seats", "3"],
        "line 1: expected a record of rapanui_cards with the seats and options of the duel",
    );
    refuses(&good.replace("12", "13"), &["--records", &path("new")], "expected the same positions as when the run");
}

#[test]
fn a_sequential_test_stops_a_duel() {
    let table = duel(&["greedy", "random"], &["--sprt", "0,0.05", "--seed", "1"]);
    assert_eq!(table["sprt"]["verdict"], "H1");
    let blocks = table["blocks"].as_u64().expect("a number");
    assert!((20..5000).contains(&blocks), "{table}");
    assert!(table["verdict"][0].as_str().is_some_and(|text| text.starts_with("The test accepts H1 after ")));

    let more = ["--sprt", "0,0.05", "--alpha", "0.01", "--beta", "0.1", "--max-blocks", "25", "--seed", "1"];
    let table = duel(&["a=greedy", "b=greedy"], &more);
    assert_eq!((&table["sprt"]["verdict"], &table["blocks"]), (&"inconclusive".into(), &25.into()));
    assert_eq!((&table["sprt"]["alpha"], &table["sprt"]["beta"]), (&0.01.into(), &0.1.into()));
}

#[test]
fn programs_play_a_duel_with_logs_and_records() {
    let scratch = tempfile::tempdir().expect("a folder");
    let [records, logs] = ["records", "logs"].map(|name| scratch.path().join(name).display().to_string());
    let line = agent("line", r#"printf 'seed %s \033[1m\n' "$AHU_AGENT_SEED" >&2; play"#);
    let more = ["--blocks", "3", "--seed", "4", "--records", &records, "--logs", &logs, "--strict"];

    let table = duel(&[&line, "greedy"], &more);

    assert_eq!((&table["luck"], &table["blocks"]), (&"own".into(), &3.into()));
    assert_eq!(table["agents"][0]["forfeits"], serde_json::json!({}));
    assert!(table["agents"][0]["decision_ms"]["timed"].as_u64() > Some(100), "{table}");
    assert_eq!(table["agents"][1]["decision_ms"]["p50"], Value::Null, "the server does not time its bots");
    let log = fs::read_to_string(Path::new(&logs).join("line.log")).expect("it was written");
    let seeds: BTreeSet<_> = log.lines().map(|line| line.split("seed ").nth(1).expect("it was told")).collect();
    assert_eq!((log.lines().count(), seeds.len()), (6, 6), "each game has a seed of its own: {log}");
    assert!(log.lines().all(|line| line.starts_with('[') && line.ends_with(" \\u{1b}[1m")), "{log}");
    assert!(log.contains("[2.1 seat 1] seed "), "{log}");
    let rows = results(Path::new(&records));
    let seeds: BTreeSet<_> = rows.iter().map(|row| &row["seed"]).collect();
    assert_eq!((rows.len(), seeds.len()), (12, 6), "each game has luck of its own");

    let again = scratch.path().join("again").display().to_string();
    let salt = table["salt"].as_str().expect("programs play on a salt that they do not know").to_owned();
    let more = ["--blocks", "3", "--seed", "4", "--salt", &salt, "--logs", &again, "--concurrency", "3"];
    assert_eq!(timeless(duel(&[&line, "greedy"], &more)), timeless(table));
    let sorted = |text: String| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let other = fs::read_to_string(Path::new(&again).join("line.log")).expect("it was written");
    assert_eq!(sorted(other), sorted(log), "the seeds of agents repeat with the seed and salt of the duel");
}

#[test]
fn a_salt_is_drawn_where_a_program_could_guess_the_seed() {
    let line = agent("line", "play");
    let table = |agents: &[&str], more: &[&str]| duel(agents, &[&["--blocks", "2", "--seed", "4"][..], more].concat());
    let salts: Vec<_> = (0..2).map(|_| table(&[&line, "greedy"], &[])["salt"].clone()).collect();
    assert!(salts.iter().all(|salt| salt.as_str().is_some_and(|salt| salt.len() == 64)) && salts[0] != salts[1]);
    assert_eq!(table(&[&line, "greedy"], &["--trust"])["salt"], Value::Null);
    assert_eq!(table(&["random", "greedy"], &[])["salt"], Value::Null);
    let given = "ab".repeat(32);
    let [salted, again] = [(); 2].map(|()| table(&["random", "greedy"], &["--salt", &given]));
    assert_eq!((&salted["salt"], timeless(again)), (&given.clone().into(), timeless(salted.clone())));
    assert_ne!(salted["agents"], table(&["random", "greedy"], &[])["agents"], "the salt changes all games");
    let out = printed(&["duel", "rappanui", "greedy", "random", "--blocks", "2", "--salt", &given]);
    let (begin, table) = out.split_once("\n\n").expect("the table comes after the games");
    assert!(begin.contains("\nSHA-256 of the salt ") && !begin.contains(&given), "programs may read it: {begin}");
    assert!(table.contains(&format!(", salt {given}\n")), "{table}");
    let (code, error) = refused(&arguments(&["random", "greedy"], &["--salt", "12"]));
    assert!(code == 2 && error.contains("expected 64 hexadecimal digits"), "{error}");
}

/// Plays a program that notes the cards that it sees. Returns the number of games in which it found notes, and the number
/// of different seeds of the four games.
fn games_with_notes(more: &[&str]) -> (usize, usize) {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("work");
    fs::create_dir(&folder).expect("it is new");
    let home = scratch.path().join("home");
    fs::create_dir(&home).expect("it is new");
    fs::write(folder.join("noting.sh"), format!("{PLAY}{NOTE}")).expect("it is written");
    let fixed = ["--blocks", "2", "--logs", "../logs", "--records", "../records", "-c", "1"];
    let mut command = ahu(&arguments(&["noting=jsonl:. ./noting.sh", "greedy"], &[&fixed[..], more].concat()));
    let output = command.current_dir(&folder).env("HOME", &home).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs::read_to_string(scratch.path().join("logs/noting.log")).expect("it was written");
    let count = |text: &str| log.lines().filter(|line| line.ends_with(text)).count();
    assert_eq!(count("no notes") + count("has notes"), 4, "{log}");
    let seeds: BTreeSet<_> = results(&scratch.path().join("records")).iter().map(|row| row["seed"].clone()).collect();
    (count("has notes"), seeds.len())
}

/// Notes everything that the program is shown, in its working folder and in the folder for temporary files.
const NOTE: &str = r#"
    if [ -s notes ] || [ -s "${TMPDIR:-.}/notes" ] || [ -s "$HOME/notes" ]; then echo "has notes" >&2; else echo "no notes" >&2; fi
    decide() { printf '%s\n' "$l" >>notes; printf '%s\n' "$l" >>"${TMPDIR:-.}/notes"; printf '%s\n' "$l" >>"$HOME/notes"; first; }
    play"#;

#[test]
fn a_program_that_notes_cards_never_finds_its_notes_where_luck_is_shared() {
    assert_eq!(games_with_notes(&["--luck", "shared"]), (0, 2), "each game has a scratch folder of its own");
    assert_eq!(games_with_notes(&["--luck", "own"]), (3, 4), "notes are of no use where each game has luck of its own");
    assert_eq!(games_with_notes(&["--trust"]), (3, 2), "a program that is trusted works in the folder of the duel");
}

#[test]
fn a_program_that_does_not_begin_ends_the_duel_with_its_last_lines() {
    for (script, expected) in [
        ("no_such_program --fast", "not found"),
        ("echo I am broken >&2; exit 3", "I am broken\n  the program has ended (exit status: 3)"),
        ("sleep 60", " is stopped"),
        ("exec sleep 60 <&- >&-", " is stopped"),
    ] {
        let broken = format!("broken=jsonl:{script}");
        let more = ["--patience", "0.3", "--tc", "startup=0,0.3/move"];
        let (code, error) = refused(&arguments(&[&broken, "greedy"], &more));
        assert_eq!(code, 1, "{error}");
        assert!(error.starts_with("error: agent broken did not begin to play its first game: its "), "{error}");
        assert!(error.contains(expected), "{script}: {error}");
    }
    let (code, error) = refused(&arguments(&["a=no_such_program --fast", "greedy"], &[]));
    assert!(code == 1 && error.contains("agent a did not begin") && error.contains("not found"), "{error}");
}

#[test]
fn faults_in_the_middle_are_forfeits_by_cause() {
    for (script, more, cause) in [
        (
            "decide() { n=$((n+1)); if [ $n -gt 5 ]; then echo crashed >&2; exit 1; fi; first; }; play",
            &[][..],
            "exited",
        ),
        ("decide() { n=$((n+1)); if [ $n -gt 5 ]; then echo garbage; else first; fi; }; play", &[], "unreadable"),
        (
            "decide() { n=$((n+1)); if [ $n -gt 5 ]; then sleep 9; fi; first; }; play",
            &["--tc", "b=0.3/move"],
            "timeout",
        ),
        (
            "decide() { n=$((n+1)); if [ $n -gt 5 ]; then echo 0; else first; fi; }; play",
            &["--strikes", "1"],
            "illegal",
        ),
    ] {
        let program = agent("b", script);
        let arguments =
            arguments(&["a=greedy", &program], &[&["--blocks", "2", "--seed", "1", "-c", "4"][..], more].concat());
        let output = run(&arguments);
        let errors = String::from_utf8(output.stderr).expect("errors are text");
        assert!(output.status.success(), "{errors}");
        let table: Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
        let forfeits = table["agents"][1]["forfeits"][cause].as_u64().unwrap_or_default();
        assert!(forfeits >= 1 && table["flagged_games"] == forfeits, "{cause}: {table}");
        assert!(errors.contains("b forfeits game ") && errors.contains(" in seat "), "{errors}");
        assert_eq!(errors.contains("    crashed\n"), cause == "exited", "{errors}");
        if forfeits == 4 {
            assert_eq!(table["agents"][0]["pairs"]["mean"], 1.0, "a forfeit is a loss: {table}");
            assert!(errors.contains("(more forfeits of b are counted in the table)"), "{errors}");
        }
        let strict = run(&[&arguments[..], &["--strict"]].concat());
        let errors = String::from_utf8(strict.stderr).expect("errors are text");
        assert_eq!(strict.status.code(), Some(3));
        assert!(
            errors.contains(&format!("--strict: expected no forfeit, got {forfeits} of b ({forfeits} {cause})")),
            "{errors}"
        );
    }
}

#[test]
fn the_pairs_of_others_at_a_table_with_a_forfeit_are_flagged() {
    let crash = agent("c", "decide() { n=$((n+1)); if [ $n -gt 3 ]; then exit 1; fi; first; }; play");
    let more = ["--seats", "3", "--blocks", "2", "--seed", "1"];
    let out = printed(
        &[&arguments(&["a=greedy", "b=random", &crash], &more)[..]]
            .concat()
            .into_iter()
            .filter(|word| *word != "--json")
            .collect::<Vec<_>>(),
    );

    assert!(out.contains("  forfeits: 12 of c (12 exited)\n"), "{out}");
    assert!(out.contains("\nwithout flagged results, those of others in 12 games with a forfeit:\n"), "{out}");
    assert!(out.contains("share of pairs won by the row against the column"), "{out}");
}

#[test]
fn what_a_duel_cannot_do_is_refused_before_it_begins() {
    let usage = |arguments: &[&str], expected: &str| {
        let (code, error) = refused(arguments);
        assert!(code == 2 && error.contains(expected), "{arguments:?}: {error}");
    };
    let with = |agents: &[&str], more: &[&str], expected: &str| usage(&arguments(agents, more), expected);
    let two = &["a=greedy", "b=random"];
    with(&["a=greedy", "a=random"], &[], "expected a name of its own for each agent, got a twice");
    with(&["greedy", "greedy"], &[], "got greedy@2 twice");
    with(&["greedy"], &[], "expected at least two agents, or one agent and --field, got one agent");
    with(&["a=greedy", "b=random", "c=random"], &["--seats", "2"], "expected 1 to 2 agents for 2 seats, got 3");
    with(
        two,
        &["--seats", "2", "--field", "greedy"],
        "expected 1 to 1 agents beside the field player for 2 seats, got 2",
    );
    with(two, &["--seats", "7"], "expected 2 to 4 seats, got 7");
    with(two, &["--blocks", "0"], "invalid value '0' for '--blocks");
    with(two, &["--blocks", "1"], "invalid value '1' for '--blocks");
    with(
        two,
        &["--sprt", "0.05,0.05"],
        "--sprt: expected two hypotheses of which the first is lower, such as 0,0.05; got 0.05,0.05",
    );
    with(two, &["--sprt", "-0.6,0"], "above -0.5 and below 0.5, got -0.6");
    with(two, &["--sprt", "0.05"], "--sprt: expected two hypotheses such as 0,0.05, got \"0.05\"");
    with(two, &["--sprt", "0,0.6"], "above -0.5 and below 0.5, got 0.6");
    with(two, &["--sprt", "0,0.1", "--alpha", "0.5"], "expected an error rate above 0 and below 0.5, got 0.5");
    with(two, &["--sprt", "0,0.1", "--max-blocks", "19"], "expected a maximum of at least 20 blocks, got 19");
    with(two, &["--sprt", "0,0.1", "--blocks", "30"], "cannot be used with");
    with(two, &["--alpha", "0.1"], "--sprt");
    with(two, &["--luck", "good"], "expected shared or own, got \"good\"");
    with(two, &["--design", "full"], "unknown design \"full\" (expected one of cyclic, neighbour)");
    with(two, &["--concurrency", "0"], "expected auto, or 1 to 1024 games");
    with(two, &["--tc", "10"], "--tc: expected a program, got bots alone");
    with(
        &["a=jsonl:true", "b=random"],
        &["--tc", "b=10"],
        "--tc b=10: expected a program or a person, got the bot random@1",
    );
    with(&["a=jsonl:true", "b=random"], &["--tc", "c=10"], "--tc c=10: expected one of a, b, got \"c\"");
    with(&["a=jsonl:true", "b=random"], &["--tc", "a=10", "--tc", "a=9"], "got two");
    with(&["1=jsonl:true", "b=random"], &["--tc", "1=x"], "--tc 1=x: expected a time from 0");
    with(
        &["a=search:2s", "b=random"],
        &[],
        "agent a: expected a budget in playouts, such as search:200, got \"search@2:2s\"",
    );
    with(&["a=jsonl:true", "b=random"], &["--tc", "soon"], "expected a time from 0 to 86400 seconds");
    with(&["a=gredy", "b=random"], &[], "agent a: unknown bot \"gredy\"; did you mean \"greedy\"?");
    with(&["a=human", "b=random"], &[], "agent a: unknown bot \"human\"");
    with(&["a=jsonl:", "b=random"], &[], "agent a: expected a command such as \"jsonl:./my_bot.sh\", got \"jsonl:\"");
    with(&["python my.py", "b=random"], &[], "expected an agent as NAME=PLAYER, such as new=\"python my.py\"");
    with(&["gredy", "b=random"], &[], "did you mean \"greedy\"?");
    with(&["=greedy", "b=random"], &[], "expected a name of 1 to 32 letters");
    with(&["field=greedy", "b=random"], &[], "other than field, startup, and lag; got \"field\"");
    usage(&["duel", "chess", "greedy", "random"], "unknown game \"chess\"");
    usage(&["duel", "rapanui_cards"], "<PLAYER>...");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("old.txt"), "an earlier duel").expect("it is written");
    let path = folder.path().display().to_string();
    with(two, &["--logs", &path], &format!("--logs: expected a new or empty folder, got {path}, which has files"));
    let expected = format!("--records: expected a new folder, or one of a run, got {path}, which has other files");
    with(two, &["--records", &path], &expected);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing was added");
    let (code, error) = refused(&arguments(two, &["--records", "/dev/null/records"]));
    assert!(code == 1 && error.contains("cannot create /dev/null/records: "), "{error}");
}

/// Returns true if the process exists.
fn exists(process: u32) -> bool {
    let status = Command::new("kill").args(["-0", &process.to_string()]).stderr(Stdio::null()).status();
    status.expect("it starts").success()
}

/// Returns true if the programs of these tests ignore the signal: SIGHUP, where the tests run under `nohup`.
fn is_ignored(signal: &str) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default().trim();
    signal == "HUP" && u64::from_str_radix(ignored, 16).is_ok_and(|ignored| ignored & 1 == 1)
}

/// The programs and their child processes end with the duel, also if the duel is killed. A program that computes ends too.
#[test]
fn programs_end_with_a_duel_that_is_killed_or_stopped() {
    // The duels run at the same time, since each of them waits until the guard has stopped its programs.
    thread::scope(|scope| {
        for signal in ["KILL", "TERM", "INT", "HUP"].into_iter().filter(|signal| !is_ignored(signal)) {
            scope.spawn(move || programs_end_at(signal));
        }
    });
}

/// Starts a duel, sends it the signal, and waits until its programs have ended.
fn programs_end_at(signal: &str) {
    let program = agent("busy", "decide() { sleep 1000 & echo \"own $$ $!\" >&2; while :; do :; done; }; play");
    let logs = tempfile::tempdir().expect("a folder");
    let path = logs.path().join("logs").display().to_string();
    let mut child = ahu(&arguments(&[&program, "greedy"], &["--logs", &path, "-c", "1"]))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    let processes: Vec<u32> = loop {
        let log = fs::read_to_string(Path::new(&path).join("busy.log")).unwrap_or_default();
        if let Some((_, own)) = log.lines().find_map(|line| line.split_once("own ")) {
            break own.split(' ').map(|number| number.parse().expect("a number")).collect();
        }
        assert!(Instant::now() < deadline, "the program has begun");
        thread::sleep(Duration::from_millis(10));
    };
    assert!(processes.len() == 2 && processes.iter().all(|process| exists(*process)), "{processes:?}");
    let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(killed.expect("it starts").success());
    child.wait().expect("it ends");
    let errors = BufReader::new(child.stderr.take().expect("it is a pipe")).lines().map_while(Result::ok);
    assert!(!errors.collect::<Vec<_>>().concat().contains("panicked"));
    while processes.iter().any(|process| exists(*process)) {
        assert!(Instant::now() < deadline, "{signal}: {processes:?} run on");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn programs_leave_no_process_behind() {
    let marks = tempfile::tempdir().expect("a folder");
    let mark = marks.path().join("marks").display().to_string();
    for script in [
        "sleep 1000 & echo $! >>MARK; play",
        "setsid sh -c 'sleep 1000 & echo $! >>MARK; exec sleep 1000' & play",
        "decide() { n=$((n+1)); if [ $n -gt 3 ]; then sleep 1000 & echo $! >>MARK; exit 0; fi; first; }; play",
    ] {
        let program = agent("forks", &script.replace("MARK", &mark));
        let output = run(&arguments(&[&program, "greedy"], &["--blocks", "2"]));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = fs::read_to_string(&mark).expect("it was written");
    let processes: Vec<u32> = text.lines().map(|line| line.parse().expect("a number")).collect();
    assert!(processes.len() >= 12, "{text}");
    for process in processes {
        // A process that has been stopped exists until somebody collects it.
        let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "{state}");
    }
}

#[test]
fn bots_make_new_choices_in_each_game_of_a_block() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("records").display().to_string();
    // A drawn salt would give two games the same scores in some runs.
    let salt = "ab".repeat(32);
    let more = ["--seats", "3", "--blocks", "2", "--luck", "shared", "--records", &records, "--salt", &salt];
    duel(&[&agent("a", "play"), "b=random", "c=random"], &more);
    let rows = results(Path::new(&records));
    let scores: BTreeSet<Vec<&String>> =
        rows.chunks(3).map(|game| game.iter().map(|row| &row["score"]).collect()).collect();
    assert_eq!(rows.len(), 36);
    assert_eq!(scores.len(), 12, "two games with a in the same seat differ in the choices of the bots");
}

/// Returns the arguments of a duel that takes long, and the folder of its records.
fn long_duel(folder: &Path) -> (Vec<String>, std::path::PathBuf) {
    let records = folder.join("records");
    let slow = agent("slow", "decide() { sleep 0.002; first; }; play");
    let path = records.display().to_string();
    let more = ["--blocks", "100000", "--records", &path, "--luck", "shared", "-c", "2"];
    (arguments(&[&slow, "greedy"], &more).into_iter().map(str::to_owned).collect(), records)
}

#[test]
fn after_ctrl_c_the_table_of_whole_blocks_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let (arguments, records) = long_duel(folder.path());
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).expect("it is new");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let child = ahu(&arguments)
        .env("TMPDIR", &scratch)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_dir(&records).map_or(0, Iterator::count) < 6 {
        assert!(Instant::now() < deadline, "two blocks are played");
        thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(killed.expect("it starts").success());

    let output = child.wait_with_output().expect("it ends");

    assert_eq!(output.status.code(), Some(130));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.ends_with("; the same command goes on\nerror: interrupted before the end\n"), "{told}");
    let table: Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    let blocks = table["blocks"].as_u64().expect("a number");
    assert!(blocks >= 2, "{table}");
    assert_eq!(table["agents"][0]["forfeits"], serde_json::json!({}), "the games in progress do not count");
    // The table has each record that is kept, also of blocks that wait for one before them.
    let kept = fs::read_dir(&records).expect("a folder").flatten();
    let kept = kept.filter(|file| file.path().extension().is_some_and(|ending| ending == "txt")).count();
    assert_eq!(results(&records).len(), 2 * kept);
    assert!(kept as u64 >= 2 * blocks, "{kept} of {blocks} blocks");
    assert_eq!(fs::read_dir(&scratch).expect("it exists").count(), 0, "no scratch folder is left");
}

/// Starts a duel, and sends it the signal once it keeps more records than before. Returns its exit code and its output.
fn stop(arguments: &[&str], records: &Path, signal: &str) -> (Option<i32>, String) {
    let before = fs::read_dir(records).map_or(0, Iterator::count);
    let child = ahu(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_dir(records).map_or(0, Iterator::count) < before + 20 {
        assert!(Instant::now() < deadline, "some games are played");
        thread::sleep(Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(killed.expect("it starts").success());
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Bots play with nothing said about seeds, so the folder has the seed.
#[test]
fn a_duel_that_was_stopped_goes_on_and_ends_as_one_that_was_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let [records, whole] = ["records", "whole"].map(|name| folder.path().join(name));
    let [path, other] = [&records, &whole].map(|path| path.display().to_string());
    let long = ["duel", "giants", "best=greedy", "random", "-c", "2", "--json"];
    let of =
        |blocks: &'static str, records: &'static str| [&long[..], &["--blocks", blocks, "--records", records]].concat();
    let (path, other): (&'static str, &'static str) = (path.leak(), other.leak());
    for (signal, code) in [("KILL", None), ("TERM", Some(143)), ("HUP", Some(129)), ("INT", Some(130))] {
        if is_ignored(signal) {
            continue;
        }
        let (found, told) = stop(&of("100000", path), &records, signal);
        assert_eq!(found, code, "{signal}");
        if code.is_some() {
            let table: Value = serde_json::from_str(&told).expect("the table of what ended");
            assert!(table["blocks"].as_u64() >= Some(1), "{signal}: {table}");
        }
    }
    let kept = fs::read_dir(&records).expect("a folder").count();
    let error = refused(&of("2", path));
    assert_eq!(error.0, 2);
    assert!(error.1.contains("expected the same blocks as when the run in "), "{}", error.1);
    // The same duel with fewer blocks, in one go.
    let run: Value =
        serde_json::from_str(&fs::read_to_string(records.join("run.json")).expect("a file")).expect("JSON");
    let seed = run["claims"]["seed"].as_str().expect("a text").to_owned();
    let table: Value =
        serde_json::from_str(&printed(&[&of("20", other)[..], &["--seed", &seed]].concat())).expect("JSON");
    assert_eq!(table["blocks"], 20);
    let mut equal = 0;
    for file in fs::read_dir(&whole).expect("a folder").flatten() {
        let (name, path) = (file.file_name(), file.path());
        if path.extension().is_some_and(|ending| ending == "txt") && records.join(&name).exists() {
            assert_eq!(fs::read(path).expect("a record"), fs::read(records.join(&name)).expect("a record"), "{name:?}");
            equal += 1;
        }
    }
    assert!(equal > 0 && kept > 20, "{equal} of {kept}");
    // It grows, and plays only what is missing.
    let before: BTreeSet<_> = results(&whole).into_iter().map(|row| row["seed"].clone()).collect();
    let grown: Value = serde_json::from_str(&printed(&of("30", other))).expect("JSON");
    let once = json(&[&long[..], &["--blocks", "30", "--seed", &seed]].concat());
    assert_eq!((&grown["agents"][0]["pairs"], &grown["verdict"]), (&once["agents"][0]["pairs"], &once["verdict"]));
    let lines = fs::read_to_string(whole.join("games.jsonl")).expect("a log");
    assert_eq!(
        lines.lines().count(),
        2 * results(&whole).len() / 3,
        "each game of three was started once and kept once"
    );
    assert!(before.is_subset(&results(&whole).into_iter().map(|row| row["seed"].clone()).collect()));
    // The name that was given is the one in the records.
    let named = fs::read_to_string(whole.join("00000-00.txt")).expect("a record");
    assert!(named.contains("bot greedy@2 as best\n"), "{named}");
}

#[test]
fn a_duel_that_is_killed_leaves_no_scratch_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let (arguments, records) = long_duel(folder.path());
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).expect("it is new");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut child = ahu(&arguments).env("TMPDIR", &scratch).stdout(Stdio::null()).spawn().expect("it starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    // The claims, the log, the salt, and the records of a block.
    while fs::read_dir(&records).map_or(0, Iterator::count) < 5 {
        assert!(Instant::now() < deadline, "a block is played");
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    while fs::read_dir(&scratch).expect("it exists").count() > 0 {
        assert!(Instant::now() < deadline, "the guard removes it");
        thread::sleep(Duration::from_millis(10));
    }
    // The salt was drawn. It stays the same when the duel goes on, and nobody else may read it.
    let claims = || fs::read_to_string(records.join("run.json")).expect("a file");
    let before = claims();
    let logs = folder.path().join("logs").display().to_string();
    let (code, told) = stop(&[&arguments[..], &["--logs", &logs]].concat(), &records, "INT");
    assert_eq!(code, Some(130), "{told}");
    let of = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["claims"].clone();
    assert_eq!(of(&before), of(&claims()));
    let salt = fs::read_to_string(records.join("salt")).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&told).expect("JSON")["salt"], salt.trim());
    let mode = fs::metadata(records.join("salt")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    // With the logs of before.
    let (code, _) = stop(&[&arguments[..], &["--logs", &logs]].concat(), &records, "TERM");
    assert_eq!(code, Some(143));
}

#[test]
fn a_record_that_cannot_be_written_costs_no_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("records").display().to_string();
    let program = env!("CARGO_BIN_EXE_ahu");
    let limited = format!(
        "trap '' XFSZ; ulimit -f 4; exec '{program}' duel giants greedy random --blocks 12 --records '{records}'"
    );
    let output = Command::new("sh").args(["-c", &limited]).output().expect("there is a shell");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    assert!(out.contains("\n12 blocks, ") && out.contains(" is better than "), "{out}");
    assert!(errors.starts_with("error: cannot write "), "{errors}");
}
