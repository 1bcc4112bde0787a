//! Cups whose files and journals come from others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use ahu_contest::cup::{Cup, Journal};

const CUP: &str = "[cup]\nname = \"x\"\n[clock]\nlimit = \"5s\"\n";

/// Returns the file of a cup with these numbers of stages and agents.
fn file(stages: usize, agents: usize) -> String {
    let stage = |number: usize| {
        let advance = if number + 1 < stages { "advance = 2\n" } else { "" };
        format!("[[stage]]\nname = \"s{number}\"\ngame = \"rappanui\"\nseats = 2\nblocks = 1\n{advance}")
    };
    let agent = |number: usize| format!("[[agent]]\nname = \"a{number}\"\nbot = \"greedy@2\"\n");
    (0..stages).map(stage).chain((0..agents).map(agent)).fold(CUP.to_owned(), |file, table| file + &table)
}

#[test]
fn a_cup_has_a_bounded_number_of_agents_stages_and_challengers() {
    for (stages, agents, expected) in [
        (1, 1_000, None),
        (100, 4, None),
        (1, 1_001, Some("expected at most 1000 tables [[agent]], got 1001")),
        (101, 4, Some("expected at most 100 tables [[stage]], got 101")),
    ] {
        let refused = Cup::read(&file(stages, agents)).err().map(|error| error.to_string());
        let has = |part: &str| refused.as_ref().is_some_and(|text| text.contains(part));
        assert!(expected.map_or(refused.is_none(), has), "{stages} {agents}: {refused:?}");
    }
    let challengers = format!("kind = \"gauntlet\"\nchallengers = [{}]\n[[agent]]", "\"a0\", ".repeat(4));
    let gauntlet = file(1, 3).replacen("[[agent]]", &challengers, 1);
    let error = Cup::read(&gauntlet).expect_err("it names more challengers than there are agents").to_string();
    assert!(error.contains("expected at most 3 challengers, got 4"), "{error}");
}

/// An organiser may make the folder of a cup, for a salt of its own.
#[test]
fn a_journal_is_for_its_owner_alone_in_any_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = folder.path().join("journal.jsonl");
    Journal::lock(&path).expect("a new file");
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it tells who has which alias");
}
