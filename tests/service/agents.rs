//! Agents as programs, in several languages.

use std::path::{Path, PathBuf};
use std::process::Command;

use ahu::host::{Entry, Record, verify};

use crate::matches::by_the_host_alone;

pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the interpreter of a virtual environment: see `agents/python/environment`, which installs it if necessary.
pub(crate) fn python(what: &str) -> String {
    let made = Command::new("bash").arg(repository().join("agents/python/environment")).arg(what).output();
    let made = made.expect("bash is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("a path is text").trim().to_owned()
}

/// Returns the path of the agent in Rust, which `cargo build --examples` builds.
pub(crate) fn rust_agent() -> PathBuf {
    let folder = std::env::current_exe().expect("this test is a file");
    let folder = folder.parent().and_then(Path::parent).expect("it lies in target/…/deps");
    folder.join("examples").join(format!("random-agent{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn python_agents_play_rust_agents_and_bots() {
    let python = format!("'{}' '{}' 1", python("agents"), repository().join("agents/python/random_agent.py").display());
    let rust = format!("'{}' 2", rust_agent().display());
    for players in [
        &["python", "rust"][..],
        &["rust", "greedy", "python"],
        &["greedy", "rust", "python", "rust", "random", "python"],
    ] {
        let seats = players.iter().map(|&player| match player {
            "python" => python.as_str(),
            "rust" => rust.as_str(),
            bot => bot,
        });
        let (record, out) = play(&seats.collect::<Vec<_>>());

        let names = players.iter().map(|&player| match player {
            "python" => "random_agent.py",
            "rust" => "random-agent",
            "greedy" => "greedy@2",
            _ => "random@1",
        });
        let players = record.players.iter().map(|player| player.name.as_str());
        assert!(players.eq(names), "{:?}", record.players);
        assert_eq!(verify(&record), Ok(()));
        assert!(!record.entries.iter().any(|entry| matches!(entry, Entry::Forfeit { .. })), "no seat forfeited");
        assert_eq!(by_the_host_alone(&record).fingerprint(), record.fingerprint);
        assert!(out.contains(&record.fingerprint.to_string()), "the final table shows it");
    }
}

/// Plays a match of these players. Returns its record and the output.
fn play(seats: &[&str]) -> (Record, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt");
    let seats = seats.iter().flat_map(|seat| ["--seat", seat]);
    let played = Command::new(env!("CARGO_BIN_EXE_ahu"))
        .args(["play", "rappanui", "--seed", "7", "--record"])
        .arg(&file)
        .args(seats)
        .output()
        .expect("cargo builds the program");
    let (out, err) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{out}{err}");
    assert!(err.contains(": ") && err.contains(" points, place "), "the agents print the result: {err}");
    (
        Record::read(&std::fs::read(&file).expect("the record was written")).expect("a record can be read"),
        out.into_owned(),
    )
}

#[test]
fn an_agent_is_checked_before_it_competes() {
    let check = |command: &str, more: &[&str]| {
        let checked = Command::new(env!("CARGO_BIN_EXE_ahu")).args(["check-agent", command]).args(more).output();
        let checked = checked.expect("cargo builds the program");
        (checked.status.code(), String::from_utf8_lossy(&checked.stdout).into_owned())
    };

    let (code, out) = check(&format!("'{}'", rust_agent().display()), &["--game", "rappanui", "--json"]);
    let checks: serde_json::Value = serde_json::from_str(&out).expect("the output is JSON");
    let checks = checks.as_array().expect("a list of checks");
    assert_eq!((code, checks.len()), (Some(0), 4), "{out}");
    assert!(checks.iter().all(|check| check["passed"] == true), "{out}");
    let cuts = checks[2]["detail"].as_str().expect("a text");
    assert!(cuts.ends_with(" deliberate cuts") && !cuts.contains(" 0 "), "the connection was cut: {cuts}");
    assert!(checks[3]["detail"].as_str().is_some_and(|clock| clock.contains(", the slowest (decision ")), "{out}");

    let (code, out) = check("exit 3", &["--game", "rappanui"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("the agent exited (exit status: 3) at decision 1, before the end of the match"), "{out}");
    let (code, out) = check("sleep 60", &["--game", "rappanui", "--startup", "0.1"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("the agent has not called the server for 0.1 s"), "{out}");
}

#[test]
fn a_stand_in_plays_for_a_program_that_ends_early() {
    let played = Command::new(env!("CARGO_BIN_EXE_ahu"))
        .args(["play", "rappanui", "--seed", "7", "--seats", "greedy,sh -c 'exit 3'"])
        .output()
        .expect("cargo builds the program");

    let (out, err) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{out}{err}");
    assert!(err.contains("[seat 1] the program has ended (exit status: 3)\n"), "{err}");
    assert!(out.contains("seat 1 forfeits: its program exited; greedy@2 plays on\n"), "{out}");
    assert!(out.contains("  forfeited: its program exited\n"), "{out}");
}

#[test]
fn the_python_stubs_are_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    python("tools");
    let generated = Command::new("bash").arg(repository().join("agents/python/generate")).arg(folder.path()).output();
    let generated = generated.expect("bash is installed");
    assert!(generated.status.success(), "{}", String::from_utf8_lossy(&generated.stderr));

    let mut compared = 0;
    for package in ["."].into_iter().chain(ahu::host::GAMES.iter().map(|rules| rules.info().id)) {
        let package = Path::new("ahu").join(package).join("v1");
        for stub in std::fs::read_dir(folder.path().join(&package)).expect("stubs were generated") {
            let stub = stub.expect("a file");
            let kept = repository().join("agents/python").join(&package).join(stub.file_name());
            let (fresh, kept) = (std::fs::read_to_string(stub.path()), std::fs::read_to_string(&kept));
            let name = stub.file_name();
            assert_eq!(kept.ok(), fresh.ok(), "{name:?} is out of date: run agents/python/generate");
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared} stubs");
}
