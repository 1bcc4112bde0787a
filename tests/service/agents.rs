//! Agents in other languages, as programs of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use ahu::host::record::{self, Record};
use ahu::host::{Entry, Referee, Terms};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The interpreter that has what the Python agents need; installed where it is not yet.
fn python(what: &str) -> String {
    let made = Command::new("bash").arg(repository().join("agents/python/environment")).arg(what).output();
    let made = made.expect("bash is there");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("a path is text").trim().to_owned()
}

/// The agent in Rust, which `cargo test` builds beside this test.
fn rust_agent() -> PathBuf {
    let folder = std::env::current_exe().expect("this test is a file");
    let folder = folder.parent().and_then(Path::parent).expect("it lies in target/…/deps");
    folder.join("examples").join(format!("random-agent{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn a_python_agent_plays_a_rust_agent_and_a_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt");
    let python = format!("'{}' '{}' 1", python("agents"), repository().join("agents/python/random_agent.py").display());
    let seats = format!("{python},'{}' 2,greedy", rust_agent().display());

    let played = Command::new(env!("CARGO_BIN_EXE_ahu"))
        .args(["play", "rappanui", "--seed", "7", "--seats", &seats, "--record"])
        .arg(&file)
        .output()
        .expect("the program is there");

    let (out, err) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{out}{err}");
    assert!(err.contains("[seat 0] seat 0: ") && err.contains("[seat 1] seat 1: "), "the agents saw the end: {err}");
    let record = Record::read(&std::fs::read(&file).expect("it was written")).expect("it can be read");
    assert_eq!(record.names, ["random_agent.py", "random-agent", "greedy"]);
    assert_eq!(record::verify(&record), Ok(()));
    assert!(!record.entries.iter().any(|entry| matches!(entry, Entry::Forfeit(_))), "nobody forfeited");

    // The host alone, with the same seed and choices.
    let mut referee =
        Referee::new(record.rules, record.agreed.clone(), record.seed, record.names.clone(), Terms::default());
    for entry in &record.entries {
        if let Entry::Action { seat, id, .. } = entry {
            let decision = referee.decision(*seat).expect("the seat owes one here too");
            referee.act(*seat, decision, *id).expect("the action is legal here too");
        }
    }
    assert_eq!(referee.fingerprint(), record.fingerprint);
    assert!(out.contains(&record.fingerprint.to_string()), "the final table shows it");
}

#[test]
fn a_program_that_ends_early_is_played_for_by_a_stand_in() {
    let played = Command::new(env!("CARGO_BIN_EXE_ahu"))
        .args(["play", "rappanui", "--seed", "7", "--seats", "greedy,sh -c 'exit 3'"])
        .output()
        .expect("the program is there");

    let (out, err) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{out}{err}");
    assert!(err.contains("[seat 1] the program has ended (exit status: 3): a stand-in plays on"), "{err}");
    assert!(out.contains("forfeited"), "{out}");
}

#[test]
fn the_python_stubs_are_those_of_the_protos() {
    let folder = tempfile::tempdir().expect("a folder");
    python("tools");
    let generated = Command::new("bash").arg(repository().join("agents/python/generate")).arg(folder.path()).output();
    let generated = generated.expect("bash is there");
    assert!(generated.status.success(), "{}", String::from_utf8_lossy(&generated.stderr));

    let stubs = std::fs::read_dir(folder.path().join("ahu/v1")).expect("stubs were generated");
    let mut compared = 0;
    for stub in stubs {
        let stub = stub.expect("a file");
        let kept = repository().join("agents/python/ahu/v1").join(stub.file_name());
        let (fresh, kept) = (std::fs::read_to_string(stub.path()), std::fs::read_to_string(&kept));
        let name = stub.file_name();
        assert_eq!(kept.ok(), fresh.ok(), "{name:?} is not fresh: run agents/python/generate");
        compared += 1;
    }
    assert!(compared >= 9, "{compared} stubs");
}
