//! Agents as programs, in several languages.

use std::path::Path;
use std::process::Command;

use ahu_host::{Entry, GAMES, Record, verify};
use ahu_service::proto::DESCRIPTORS;
use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};

use crate::authority::Authority;
use crate::programs::{go_agent, has, python, repository, rust_agent, typescript_agent};

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
        let (record, out) = play("rappanui", &seats.collect::<Vec<_>>());

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
        assert!(out.contains(&record.fingerprint.to_string()), "the final table shows it");
    }
}

/// Plays a match of these players. Returns its record and the output.
fn play(game: &str, seats: &[&str]) -> (Record, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.txt");
    let played = Command::new(env!("CARGO_BIN_EXE_ahu"))
        .args(["play", game, "--seed", "7", "--record"])
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

/// Plays a match of every game, in which an agent takes two seats and `greedy` the others. It must not forfeit, and with a
/// seed it plays the same game again.
fn plays_every_game(agent: &str) {
    for game in GAMES {
        let (seeded, id) = (format!("{agent} 1"), game.info().id);
        let bots = game.seats().start() - 1;
        let seats: Vec<_> = [&*seeded, &*seeded].into_iter().chain(vec!["greedy"; bots - 1]).collect();
        let (record, _) = play(id, &seats);
        assert!(!record.entries.iter().any(|entry| matches!(entry, Entry::Forfeit { .. })), "{id}: a seat forfeited");
        assert_eq!(verify(&record), Ok(()), "{id}");
        assert_eq!(play(id, &seats).0.fingerprint, record.fingerprint, "{id}: the choices follow from the seed");
    }
}

#[test]
fn the_agent_in_typescript_plays_every_game() {
    if let Some(agent) = typescript_agent() {
        plays_every_game(&agent);
    }
}

#[test]
fn the_agent_in_go_plays_every_game() {
    if let Some(agent) = go_agent() {
        plays_every_game(&agent);
    }
}

#[test]
fn agents_pass_the_tests_of_a_host() {
    let authority = Authority::new();
    let files = authority.issue();
    let package = repository().join("agents/python");
    let interpreter = python("agents");
    let example = format!("'{interpreter}' '{}'", package.join("random_agent.py").display());
    let rust = format!("'{}'", rust_agent().display());
    for agent in [Some(example), Some(rust), typescript_agent(), go_agent()].into_iter().flatten() {
        let mut host = Command::new(&interpreter);
        host.arg(package.join("tests/agent_host.py")).arg(&agent).args(&files).arg(authority.file());
        host.env("PYTHONPATH", &package).env("AHU_PROGRAM", env!("CARGO_BIN_EXE_ahu"));
        let done = host.output().expect("Python is installed");
        assert!(done.status.success(), "{agent}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn agents_in_typescript_and_go_survive_lost_connections() {
    for agent in [typescript_agent(), go_agent()].into_iter().flatten() {
        let arguments = ["check-agent", &agent, "--game", "rappanui"];
        let checked = Command::new(env!("CARGO_BIN_EXE_ahu")).args(arguments).output();
        let checked = checked.expect("cargo builds the program");
        let out = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success(), "{out}");
        assert!(out.contains(" deliberate cuts") && !out.contains(" 0 deliberate cuts"), "{out}");
    }
}

#[test]
fn the_agent_in_go_is_not_built_with_a_protobuf_that_cannot_read_its_messages() {
    if go_agent().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let old = folder.path().join("go/src/github.com/golang/protobuf/proto");
    std::fs::create_dir_all(&old).expect("it is new");
    std::fs::write(old.join("lib.go"), "package proto\nconst ProtoPackageIsVersion3 = true\n").expect("it is new");
    let build = repository().join("agents/go/build");
    let made = Command::new("bash").arg(build).env("CARGO_TARGET_DIR", folder.path()).output();
    let made = made.expect("bash is installed");
    let error = String::from_utf8_lossy(&made.stderr);
    assert!(!made.status.success() && error.contains("golang-github-golang-protobuf-1-5-dev"), "{error}");
}

/// Returns the bytes of the descriptor that the generated Go code contains.
fn go_descriptor() -> Vec<u8> {
    let code = std::fs::read_to_string(repository().join("agents/go/ahuv1/match_service.pb.go")).expect("it is kept");
    let (_, bytes) = code.split_once("_rawDesc = []byte{").expect("the code has the descriptor");
    let (bytes, _) = bytes.split_once('}').expect("a list ends");
    let bytes = bytes.split(',').map(str::trim).filter(|byte| !byte.is_empty());
    bytes.map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16).expect("a byte")).collect()
}

#[test]
fn the_go_stubs_are_up_to_date() {
    let kept = FileDescriptorProto::decode(&*go_descriptor()).expect("a descriptor");
    let files = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read").file;
    let proto = files.into_iter().find(|file| file.name() == kept.name()).expect("the proto is there");
    assert_eq!(kept, FileDescriptorProto { source_code_info: None, ..proto }, "run agents/go/generate");

    // Comments are not part of the descriptor, and other versions of the tools write other code.
    let folder = repository().join("agents/go/ahuv1");
    let kept = std::fs::read_to_string(folder.join("match_service.pb.go")).expect("it is kept");
    if !has("the comments of the Go stubs", &["protoc", "protoc-gen-go", "protoc-gen-go-grpc"]) {
        return;
    }
    let fresh = tempfile::tempdir().expect("a folder");
    let generated = Command::new("bash").arg(folder.join("../generate")).arg(fresh.path()).status();
    assert!(generated.expect("bash is installed").success());
    let fresh = std::fs::read_to_string(fresh.path().join("ahuv1/match_service.pb.go")).expect("it was generated");
    let versions = |code: &str| code.lines().take(4).map(str::to_owned).collect::<Vec<_>>();
    assert!(versions(&fresh) != versions(&kept) || fresh == kept, "the comments are old: run agents/go/generate");
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
    let checks = checks["checks"].as_array().expect("a list of checks");
    assert_eq!((code, checks.len()), (Some(0), 4), "{out}");
    assert!(checks.iter().all(|check| check["passed"] == true), "{out}");
    let cuts = checks[2]["detail"].as_str().expect("a text");
    assert!(cuts.ends_with(" deliberate cuts") && !cuts.contains(" 0 "), "the connection was cut: {cuts}");
    assert!(checks[3]["detail"].as_str().is_some_and(|clock| clock.contains(", the slowest (decision ")), "{out}");

    let (code, out) = check("exit 3", &["--game", "rappanui"]);
    assert_eq!(code, Some(3));
    assert!(out.contains("the agent exited (exit status: 3) at decision 1, before the end of the match"), "{out}");
    let (code, out) = check("sleep 60", &["--game", "rappanui", "--patience", "0.1"]);
    assert_eq!(code, Some(3));
    assert!(out.contains("the agent has not called the server for 0.1 s"), "{out}");
}

#[test]
fn a_stand_in_plays_for_a_program_that_ends_early() {
    let played = Command::new(env!("CARGO_BIN_EXE_ahu"))
        .args(["play", "rappanui", "--seed", "7", "greedy", "sh -c 'exit 3'"])
        .output()
        .expect("cargo builds the program");

    let (out, err) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success(), "{out}{err}");
    assert!(err.contains("[seat 1] the program has ended (exit status: 3)\n"), "{err}");
    assert!(out.contains("seat 1 forfeits: its program exited; greedy@2 plays on\n"), "{out}");
    assert!(out.contains("  forfeited: its program exited (before ply "), "{out}");
}

#[test]
fn the_python_stubs_are_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    python("tools");
    let generated = Command::new("bash").arg(repository().join("agents/python/generate")).arg(folder.path()).output();
    let generated = generated.expect("bash is installed");
    assert!(generated.status.success(), "{}", String::from_utf8_lossy(&generated.stderr));

    let mut compared = 0;
    for package in ["."].into_iter().chain(ahu_host::GAMES.iter().map(|rules| rules.info().id)) {
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
