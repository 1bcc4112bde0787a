//! Ladders of `ahu cup`: a season from its first wave to its final, and what is wrong with one.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::cup::{Cup, LINES};
use super::refused;

/// A ladder of eight programs of lines, with these keys.
fn ladder(keys: &str) -> String {
    let agent = |number: usize| format!("[[agent]]\nname = \"a{number}\"\ncmd = \"jsonl:python3 lines.py\"\n");
    let agents: String = (0..8).map(agent).collect();
    let stage = "[[stage]]\nname = \"ladder\"\nkind = \"ladder\"\ngame = \"rapanui_cards\"\nadvance = 2\n";
    let last = "[[stage]]\nname = \"final\"\ngame = \"rapanui_cards\"\nblocks = 1\n";
    format!("{stage}{keys}{last}[clock]\nbank = \"60s\"\n[cup]\nname = \"Season\"\n{agents}")
}

#[test]
fn a_season_is_played_to_its_final_and_proved() {
    let end = SystemTime::now() + Duration::from_secs(6);
    let until = prost_types::Timestamp { nanos: 0, ..end.into() };
    let cup = Cup::new(&ladder(&format!("ladder = {{ until = {until}, ratings_every = \"1s\" }}\n")));
    fs::write(cup.folder.path().join("lines.py"), LINES).expect("it is new");
    let plan = cup.does("plan", &[]);
    assert!(plan.contains("a game takes at most 2.3 minutes, at the limit of all clocks"), "{plan}");

    let table = cup.plays(&[]);

    assert_eq!(cup.forfeits(), Vec::<Value>::new());
    let ladder = &table["ladder"];
    let rows = ladder["rows"].as_array().expect("a list");
    assert_eq!((rows.len(), &ladder["in_progress"]), (8, &0.into()), "{ladder}");
    let games = ladder["games"].as_u64().expect("a number");
    let of_agents: u64 = rows.iter().filter_map(|row| row["games"].as_u64()).sum();
    assert!(games >= 4 && of_agents == 2 * games, "{ladder}");
    let advance = table["stages"][0]["advance"].as_array().expect("a list").clone();
    let best = |row: &Value| (row["rating"].as_f64().expect("a rating"), row["agent"].clone());
    let mut best: Vec<_> = rows.iter().map(best).collect();
    best.sort_by(|one, other| other.0.total_cmp(&one.0));
    // Ratings are entered in whole points, so equals may be in another order.
    assert!(advance.iter().all(|name| best[..3].iter().any(|(_, other)| other == name)), "{advance:?} {best:?}");
    assert!(cup.does("table", &[]).contains("ladder ladder: rapanui_cards, 2 seats, "));

    let out = cup.folder.path().join("results").display().to_string();
    cup.does("export", &["--out", &out]);
    let verified = super::printed(&["cup", "verify", &out]);
    assert!(verified.contains("seeds of") && verified.ends_with("valid\n"), "{verified}");
    let csv = fs::read_to_string(format!("{out}/ladder.csv")).expect("a file");
    assert!(csv.starts_with("place,agent,owner,status,rating,margin,") && csv.lines().count() == 9, "{csv}");
    let page = fs::read_to_string(format!("{out}/index.html")).expect("a page");
    assert!(page.contains("<h2>Ladder ladder</h2>") && page.contains("<h2>Stage final</h2>"), "{page}");

    // Anybody has the journal, without records.
    let alone = cup.folder.path().join("alone");
    fs::create_dir(&alone).expect("it is new");
    fs::copy(format!("{out}/journal.jsonl"), alone.join("journal.jsonl")).expect("a file");
    let verified = super::printed(&["cup", "verify", &alone.display().to_string()]);
    assert!(verified.contains("\nno records are here: the results of ") && verified.ends_with("valid\n"), "{verified}");

    // A record of another game in its place is named.
    let record = |game: usize| format!("{out}/records/ladder/{game:05}-00.txt");
    fs::copy(record(0), record(1)).expect("a file");
    let (code, _) = refused(&["cup", "verify", &out]);
    assert_eq!(code, 3);
    let found: Value = serde_json::from_slice(&super::run(&["cup", "verify", &out, "--json"]).stdout).expect("JSON");
    let message = found["faults"][0]["message"].as_str().expect("a text");
    assert!(message.starts_with("game ladder/1.0, "), "{found}");
}

#[test]
fn a_file_of_a_ladder_that_makes_no_sense_is_refused_with_its_line() {
    let whole = ladder("ladder = { until = 2030-01-01T00:00:00Z }\n");
    for (from, to, message) in [
        (
            "bank = \"60s\"",
            "limit = \"60s\"",
            "expected a bank with which no game of the ladder takes longer than 24 hours",
        ),
        (
            "bank = \"60s\"",
            "bank = \"13h\"",
            "expected a bank with which no game of the ladder takes longer than 24 hours",
        ),
        (
            "ladder = { until = 2030-01-01T00:00:00Z }\n",
            "",
            "expected a ladder with until, since another stage follows",
        ),
        ("until = 2030-01-01T00:00:00Z", "until = 2030-01-01", "expected a date and time with an offset"),
        ("kind = \"ladder\"\n", "", "expected the rules of a ladder with kind = \"ladder\" only"),
        ("{ until", "{ games_at_once = 0, until", "expected 1 to 1000, got 0"),
        ("{ until", "{ untill = 3, until", "unknown key \"untill\"; did you mean \"until\"?"),
        ("[cup]\n", "[cup]\nanonymous = true\n", "expected names in a cup with a ladder"),
        ("name = \"final\"\n", "name = \"final\"\nkind = \"ladder\"\n", "expected a ladder as the first stage only"),
    ] {
        assert!(whole.contains(from), "{from}");
        let (code, error) = Cup::new(&whole.replace(from, to)).refuses("plan", &[]);
        assert!(code == 2 && error.contains(message), "{to:?}: expected {message:?}, got {error:?}");
    }
}

#[test]
fn who_enters_is_told_what_is_missing() {
    let (code, error) = refused(&["cup", "enter", "moai"]);
    assert!(code == 2 && error.contains("expected --server, or the variable AHU_ADDRESS, got neither"), "{error}");
    let key = tempfile::NamedTempFile::new().expect("a file");
    fs::write(key.path(), "key\n").expect("a file");
    let key = key.path().display().to_string();
    let (code, error) = refused(&["cup", "enter", "moai", "--server", "127.0.0.1:1", "--key-file", &key]);
    assert!(code == 1 && error.contains("cannot reach a server at 127.0.0.1:1"), "{error}");
}
