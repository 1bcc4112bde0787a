//! The answers of the program about the games and about itself: rules, completions, version, exit codes.

use ahu_host::{GAMES, rules_page};
use serde_json::Value;

use super::{printed, refused};

#[test]
fn rules_prints_the_page_that_the_catalog_serves() {
    for rules in GAMES {
        let id = rules.info().id;
        let out = printed(&["rules", id]);

        assert!(out.starts_with(&rules_page(*rules)), "{id}: {out}");
        for file in rules.data_files() {
            assert!(out.contains(&format!("\n* `{}`: {}", file.name, file.about)), "{id}: {out}");
        }
    }
}

#[test]
fn rules_prints_a_topic_a_ruling_or_a_word() {
    let turn = printed(&["rules", "giants", "turn"]);
    assert!(turn.starts_with("## Turn\n") && !turn.contains("## Scoring"), "{turn}");
    assert!(printed(&["rules", "giants", "g23"]).starts_with("* **G23** An opponent's Chief earns a point"));
    assert!(printed(&["rules", "giants", "tribe", "marker"]).starts_with("* **Tribe Marker** "));
    assert!(printed(&["rules", "rappanui", "combine_rule"]).contains("default: false"));

    let (code, error) = refused(&["rules", "giants", "trun"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("expected a topic of the rules (goal, ") && error.contains("did you mean \"turn\"?"),
        "{error}"
    );
    let (code, error) = refused(&["rules", "gaints"]);
    assert!(code == 2 && error.contains("did you mean \"giants\"?"), "{error}");
}

#[test]
fn rules_prints_a_data_file_as_json() {
    let value: Value = serde_json::from_str(&printed(&["rules", "giants", "giants/tiny"])).expect("it is JSON");
    assert_eq!(value["name"], "giants/tiny");
    let hexes = value["content"]["hexes"].as_array().expect("a list");
    assert_eq!((hexes.len(), value["content"]["ahus"].as_array().map(Vec::len)), (10, Some(4)));
    assert_eq!(value["content"]["@type"], "type.googleapis.com/ahu.giants.v1.Island");
    assert!(hexes.iter().any(|hex| hex["terrain"] == "TERRAIN_VILLAGE"), "{hexes:?}");

    let (code, error) = refused(&["rules", "giants", "giants/tin"]);
    assert!(code == 2 && error.contains("giants/v1, giants/tiny"), "{error}");
}

#[test]
fn completions_know_every_command() {
    let help = printed(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let names: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.len() > 10 && names.contains(&"rules"), "{names:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = printed(&["completions", shell]);
        for name in names.iter().filter(|name| !name.is_empty()) {
            assert!(out.contains(name), "{shell}: no {name}");
        }
    }
    assert_eq!(refused(&["completions", "tcsh"]).0, 2);
}

#[test]
fn the_version_names_the_build() {
    let out = printed(&["--version"]);
    let version =
        out.trim_end().strip_prefix(concat!("ahu ", env!("CARGO_PKG_VERSION"), " (")).expect("name and version");
    let build = version.strip_suffix(')').expect("the build is in parentheses");
    let is_commit = build.len() == 12 && build.bytes().all(|byte| byte.is_ascii_hexdigit());
    // A debug build has no commit in its version, since each commit would then build everything anew.
    assert!(if cfg!(debug_assertions) { build == "debug build" } else { is_commit }, "{out}");
}

#[test]
fn the_help_lists_the_exit_codes_that_commands_end_with() {
    let help = printed(&["--help"]);
    let codes = help.split("Exit codes:\n").nth(1).expect("the help has them");
    let listed: Vec<i32> =
        codes.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()?.parse().ok()).collect();
    assert_eq!(listed, [0, 1, 2, 3, 129, 130, 143], "{help}");

    assert_eq!(refused(&["replay", "/nowhere/at/all"]).0, 1, "a failure");
    assert_eq!(refused(&["fly"]).0, 2, "a wrong command");
    assert_eq!(refused(&["games", "--fly"]).0, 2, "a wrong argument");
    assert_eq!(refused(&["games", "chess"]).0, 2, "a wrong value");
}
