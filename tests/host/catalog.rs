//! What is asked of the catalog and is not there.

use ahu::core::{OptionError, OptionKind};
use ahu::host::{AnyRules, GAMES, find};

#[test]
fn every_game_can_be_found_and_says_whose_it_is() {
    for rules in GAMES {
        let info = rules.info();
        assert_eq!(find(info.id).map(AnyRules::info), Ok(info));
        assert!(info.credit.contains("unofficial") && info.credit.contains("no affiliation"), "{}", info.id);
        assert!(!info.about.is_empty() && info.rules > 0);
        assert!(rules.bots().iter().any(|(name, _)| *name == "random"), "{}", info.id);
        assert!(rules.bots().iter().any(|(name, _)| *name == "greedy"), "{}", info.id);
    }
}

#[test]
fn an_unknown_game_suggests_the_nearest_id() {
    let message = |id: &str| find(id).map(|rules| rules.info().id).expect_err("there is none").to_string();
    let ids = GAMES.iter().map(|rules| rules.info().id).collect::<Vec<_>>().join(", ");
    assert!(ids.starts_with("rappanui, rapanui_cards"), "{ids}");
    assert_eq!(
        message("rapanui"),
        format!("no game is called \"rapanui\"; did you mean \"rappanui\"? (there are {ids})")
    );
    assert_eq!(message("chess"), format!("no game is called \"chess\" (there are {ids})"));
}

#[test]
fn unknown_options_and_values_are_refused_by_name() {
    let rules = find("rappanui").expect("it is in the catalog");
    let refused = |seats, given: &[(&str, &str)]| rules.agree(seats, given).expect_err("it is refused");

    assert_eq!(refused(1, &[]), OptionError::Seats { asked: 1, min: 2, max: 6 });
    assert_eq!(refused(7, &[]).to_string(), "the game is for 2 to 6 seats, not 7");
    let unknown = refused(2, &[("combine", "true")]).to_string();
    assert!(unknown.contains("no option \"combine\"; did you mean \"combine_rule\"?"), "{unknown}");
    let kind = OptionKind::Choice(&["lazy", "eager"]);
    let value = OptionError::Value { key: "reshuffle".to_owned(), value: "late".to_owned(), kind };
    assert_eq!(refused(2, &[("reshuffle", "late")]), value);
    assert_eq!(value.to_string(), "option \"reshuffle\" is lazy or eager, not \"late\"");
    let flag = refused(2, &[("combine_rule", "yes")]).to_string();
    assert_eq!(flag, "option \"combine_rule\" is true or false, not \"yes\"");
    let twice = refused(2, &[("tie", "share"), ("tie", "share")]).to_string();
    assert_eq!(twice, "option \"tie\" is given twice");
}

#[test]
fn what_is_agreed_names_every_option() {
    let rules = find("rappanui").expect("it is in the catalog");

    let agreed = rules.agree(3, &[("tie", "fewest_cards"), ("combine_rule", "true")]).expect("these are options");

    let text = "seats=3 combine_rule=true reshuffle=lazy equal_turns=false require_effect=false tie=fewest_cards";
    assert_eq!(agreed.to_string(), text);
}
