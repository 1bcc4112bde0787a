//! The options on which players agree, as the dossier recommends them.

use ahu_core::options;
use ahu_games::rapanui_board::Options;

fn listed(seats: usize, given: &[(&str, &str)]) -> Vec<String> {
    let options = options::read::<Options>(seats, given.iter().copied()).expect("these are options");
    options::list(&options).map(|(key, value)| format!("{key}={value}")).collect()
}

/// The defaults are the rulebook with the rulings, and the boards of the dossier.
#[test]
fn the_options_have_the_rulings_as_defaults() {
    let play = [
        "offerings=rn_v1",
        "resource_cap=8",
        "chief_timing=either",
        "choice_split=true",
        "take_your_pick=matching",
        "pass_other_quarry=true",
        "beginner_tiles=false",
        "stall_end=4",
        "max_rounds=15",
        "offering_view=private",
    ];
    let board = ["board=rn_34_v1", "quarry_small=5", "quarry_medium=4", "quarry_large=3", "star_spaces=4"];
    for seats in [3, 4] {
        assert_eq!(listed(seats, &[]), [&board[..], &play[..]].concat());
    }
    let board = ["board=rn_2_v1", "quarry_small=3", "quarry_medium=2", "quarry_large=2", "star_spaces=2"];
    assert_eq!(listed(2, &[]), [&board[..], &play[..]].concat());
}

#[test]
fn each_option_has_the_values_of_its_ruling_and_no_others() {
    for (key, value, right) in [
        ("board", "rn_34_v1", true),
        ("board", "rn_2_v1", false),
        ("board", "rn_5_v1", false),
        ("offerings", "rn_v1", true),
        ("offerings", "rn_v2", false),
        ("quarry_small", "9", true),
        ("quarry_small", "0", false),
        ("star_spaces", "6", true),
        ("star_spaces", "7", false),
        ("star_spaces", "2", false),
        ("resource_cap", "15", true),
        ("resource_cap", "0", false),
        ("chief_timing", "phase1", true),
        ("chief_timing", "phase2", true),
        ("chief_timing", "phase3", false),
        ("choice_split", "false", true),
        ("choice_split", "yes", false),
        ("take_your_pick", "any", true),
        ("take_your_pick", "all", false),
        ("pass_other_quarry", "false", true),
        ("beginner_tiles", "true", true),
        ("stall_end", "0", true),
        ("stall_end", "9", true),
        ("stall_end", "10", false),
        ("max_rounds", "30", true),
        ("max_rounds", "0", false),
        ("offering_view", "open", true),
        ("offering_view", "hidden", false),
        ("dice", "1", false),
    ] {
        assert_eq!(options::read::<Options>(3, [(key, value)]).is_ok(), right, "{key}={value}");
    }
}

/// Every player needs a star space for its Sorcerer.
#[test]
fn there_are_as_many_star_spaces_as_players() {
    assert!(options::read::<Options>(4, [("star_spaces", "4")]).is_ok());
    assert!(options::read::<Options>(4, [("star_spaces", "3")]).is_err());
    assert!(options::read::<Options>(2, [("star_spaces", "2")]).is_ok());
}

#[test]
fn a_side_of_the_board_is_for_its_players() {
    assert!(options::read::<Options>(2, [("board", "rn_34_v1")]).is_err());
    assert!(options::read::<Options>(2, [("board", "rn_2_v1")]).is_ok());
    assert!(options::read::<Options>(4, [("board", "rn_2_v1")]).is_err());
}
