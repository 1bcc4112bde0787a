//! `ahu analyse --agent`, and the positions that it writes for `ahu check-agent`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{json, printed, refused};

/// A program of the line protocol that plays the first or the last legal action.
fn line_bot(which: &str) -> String {
    format!(
        "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    \
         if message['type'] == 'decide':\n        print(message['legal'][{which}]['action_id'], flush=True)\n"
    )
}

/// Plays a duel of two bots. Returns the folder of its records.
fn duel(folder: &Path) -> String {
    let records = folder.join("records").display().to_string();
    let agents = ["a=greedy@1", "b=greedy@2"];
    printed(&[&["duel", "rapanui_cards", "--blocks", "2", "--seed", "5", "--records", &records], &agents[..]].concat());
    records
}

fn sum(list: &Value, figure: &str) -> f64 {
    list.as_array().expect("a list").iter().map(|one| one[figure].as_f64().expect("a number")).sum()
}

#[test]
fn the_decisions_of_an_agent_are_summed_by_kind_and_by_phase() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = duel(folder.path());
    let arguments = ["analyse", &records, "--agent", "a", "--bot", "search:20", "--top", "3"];
    let found = json(&[&arguments[..], &["--json"]].concat());
    let game = &found["games"][0];
    assert_eq!((&game["game"], &game["records"]), (&"rapanui_cards".into(), &4.into()));
    for sums in [&game["kinds"], &game["phases"]] {
        assert!((sum(sums, "cost") - game["cost"].as_f64().expect("a number")).abs() < 1e-9, "{game}");
        assert!((sum(sums, "decisions") - game["decisions"].as_f64().expect("a number")).abs() < 0.5, "{game}");
        let costs: Vec<_> = sums.as_array().expect("a list").iter().map(|one| one["cost"].as_f64()).collect();
        assert!(costs.is_sorted_by(|a, b| a >= b), "{costs:?}");
    }
    let phases: Vec<_> = game["phases"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert!(phases.contains(&&"buy".into()) && !phases.contains(&&"-".into()), "{phases:?}");
    // The command opens the position, and the analysis there agrees.
    let worst = &game["listed"][0];
    let command = worst["command"].as_str().expect("a text");
    let words: Vec<_> = command.strip_prefix("ahu ").expect("a command").split(' ').collect();
    let opened = json(&[&words[..], &["--bot", "search:20", "--json"]].concat());
    assert_eq!((&opened["cost"], &opened["played"]), (&worst["cost"], &worst["played"]));
    let text = printed(&arguments);
    assert!(text.contains("a in 4 games of rapanui_cards: ") && text.contains("  kind of action"), "{text}");
    assert!(text.contains(&format!("          {command}\n")), "{text}");
    let (code, error) = refused(&["analyse", &records, "--agent", "nobody"]);
    assert!(code == 1 && error.contains("expected records with the player \"nobody\""), "{error}");

    // One seat of one record.
    let record = format!("{records}/00000-00.txt");
    let all = json(&["analyse", &record, "--all", "--bot", "search:5", "--json"]);
    let seats = [0, 1].map(|seat| {
        let found = json(&["analyse", &record, "--all", "--seat", &format!("{seat}"), "--bot", "search:5", "--json"]);
        let listed = found["listed"].as_array().expect("a list");
        assert!(listed.iter().all(|one| one["seat"] == seat), "{found}");
        found["decisions"].as_u64().expect("a number")
    });
    assert_eq!(seats[0] + seats[1], all["decisions"].as_u64().expect("a number"));
}

#[test]
fn a_costly_decision_becomes_a_test_of_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = duel(folder.path());
    let positions = folder.path().join("positions.jsonl").display().to_string();
    let query = ["analyse", &records, "--agent", "b", "--bot", "search:20", "--top", "2", "--positions", &positions];
    assert!(printed(&query).starts_with("2 positions added to "));
    let text = fs::read_to_string(&positions).expect("a file");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line["none_of"].as_array().is_some_and(|all| all.len() == 1)));
    assert!(lines[0]["record"].as_str().is_some_and(|path| path.starts_with("records/")), "{text}");

    // At the first position, one of two agents chooses the first legal action, and the other the last.
    let (record, ply) = (lines[0]["record"].as_str().expect("a path"), lines[0]["ply"].to_string());
    let path = folder.path().join(record).display().to_string();
    let analysis = json(&["analyse", &path, "--at", &ply, "--bot", "search:5", "--json"]);
    let mut actions: Vec<_> = analysis["actions"].as_array().expect("a list").clone();
    actions.sort_by_key(|action| action["id"].as_u64());
    let first = actions[0]["action"].as_str().expect("a text");
    let position = serde_json::json!({ "record": record, "ply": lines[0]["ply"], "one_of": [first], "note": "a test" });
    fs::write(&positions, format!("{position}\n\n")).expect("a file");
    for (which, passes) in [("0", true), ("-1", false)] {
        let program = folder.path().join(format!("bot{which}.py"));
        fs::write(&program, line_bot(which)).expect("a file");
        let agent = format!("jsonl:python3 {}", program.display());
        let output = super::run(&["check-agent", &agent, "--positions", &positions]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.success(), passes, "{text}");
        let expected = match passes {
            true => format!("ok      line 1, ply {ply} of {record}: chose {first}\n"),
            false => format!(", expected {first} (a test)\n"),
        };
        assert!(text.ends_with(&expected), "{text}");
        assert!(
            String::from_utf8_lossy(&output.stderr).lines().count() <= 1,
            "nothing is said of the end of the program"
        );
    }
    // Rust agents call the server.
    let agent = super::rust_agent().display().to_string();
    let checked = super::run(&["check-agent", &agent, "--positions", &positions, "--json"]);
    let checked: Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    assert!(
        checked["checks"][0]["passed"].is_boolean()
            && checked["checks"][0]["detail"].as_str().is_some_and(|text| text.contains("chose "))
    );

    let fly = serde_json::json!({ "record": record, "ply": lines[0]["ply"], "one_of": ["fly"] }).to_string();
    for (line, message) in [
        ("{", "line 1: "),
        ("", "expected a position in each line, got none"),
        (r#"{"record":"records/00000-00.txt","ply":1}"#, "line 1: expected either one_of or none_of"),
        (r#"{"record":"records/00000-00.txt","ply":9999,"one_of":["x"]}"#, "expected a ply from 1 to "),
        (r#"{"record":"records/00000-00.txt","ply":1,"one_of":["x"]}"#, "expected the ply of a decision, got 1, which"),
        (&fly, "expected a legal action at ply "),
    ] {
        fs::write(&positions, format!("{line}\n")).expect("a file");
        let (code, error) = refused(&["check-agent", &agent, "--positions", &positions]);
        assert!(code == 2 && error.contains(message), "{line}: {error}");
    }
}

#[test]
fn a_check_that_fails_tells_the_answer_and_the_reason_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("bot.py");
    fs::write(&program, line_bot("0").replace("message['legal'][0]['action_id']", "'\"fly\"'")).expect("a file");
    let agent = format!("jsonl:python3 {}", program.display());
    let output = super::run(&["check-agent", &agent, "--game", "rappanui"]);
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let told = "FAILED  rappanui: plays legal actions and exits (2 seats, seat 0): the agent sent an unreadable action at \
                decision 1: \"\\\"fly\\\"\": unknown action ";
    assert!(out.starts_with(told) && out.contains("unknown action \"fly\""), "{out}");
    assert!(!error.contains("did not exit by itself"), "{error}");
}
