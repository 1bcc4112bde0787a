//! Guesses of people who have not read the docs: commands of other programs, short options, and hexadecimal seeds.

use super::{json, printed, refused};

#[test]
fn a_command_of_other_programs_leads_to_the_one_that_does_its_work() {
    for (guess, command) in [
        ("bots", &["games", "rappanui"][..]),
        ("compare", &["duel", "--help"]),
        ("init", &["play", "rappanui", "--help"]),
        ("list", &["games"]),
        ("tournament", &["cup", "--help"]),
        ("verify", &["replay", "--verify", "--help"]),
        ("version", &["--version"]),
        ("watch", &["play", "--web", "--help"]),
    ] {
        let (code, error) = refused(&[guess]);
        let tips: Vec<_> = error.lines().filter(|line| line.starts_with("  tip: ")).collect();
        assert_eq!((code, tips.len()), (2, 1), "{error}");
        assert!(tips[0].contains(&format!("ahu {}", command[0])), "{error}");
        printed(command);
    }
    let (_, error) = refused(&["serv"]);
    assert!(error.contains("similar subcommand") && error.contains("'serve'"), "{error}");
    let (_, error) = refused(&["records", "watch"]);
    assert!(!error.contains("tip: "), "the table is of commands alone: {error}");
}

#[test]
fn no_tip_says_to_pass_an_option_as_a_player() {
    for (arguments, tip) in [
        (&["play", "rappanui", "-n", "3"][..], None),
        (&["duel", "rappanui", "greedy", "random", "-n", "3"], None),
        (&["duel", "rappanui", "greedy", "random", "--block", "3"], Some("a similar argument exists: '--blocks'")),
        (&["--seed", "3", "play"], Some("'play --seed' exists")),
    ] {
        let (code, error) = refused(arguments);
        assert_eq!((code, error.contains(" as a value")), (2, false), "{error}");
        assert_eq!(error.contains("tip: "), tip.is_some(), "{error}");
        assert!(error.contains(tip.unwrap_or_default()), "{error}");
    }
}

#[test]
fn a_seed_may_be_hexadecimal() {
    let play = |seed: &str| json(&["play", "rappanui", "greedy", "random", "--json", "--seed", seed]);
    let table = play("0x1F");
    assert_eq!((&table, &table["seed"]), (&play("31"), &"31".into()));
    for wrong in ["0x", "0x1g", "1f", "0x10000000000000000"] {
        let (code, error) = refused(&["play", "rappanui", "greedy", "random", "--seed", wrong]);
        let expected = "expected a whole number from 0 to 18446744073709551615";
        assert_eq!((code, error.contains(expected)), (2, true), "{error}");
    }
}
