//! The options that the dossier names. The tests of their effects are in the files of their chapters.

use ahu_core::options;
use ahu_games::giants::Options;

/// The defaults are the rulebook with the rulings.
#[test]
fn the_options_have_the_rulings_as_defaults() {
    let plain = options::read::<Options>(4, []).expect("nothing is agreed");

    let mut listed: Vec<_> = options::list(&plain).map(|(key, value)| format!("{key}={value}")).collect();
    listed.sort();
    assert_eq!(
        listed,
        [
            "allow_gift_pp=false",
            "auction_decline=true",
            "base_view=open",
            "board=v1",
            "chief_pp=per_unit",
            "chief_split=true",
            "dice_brown=011223",
            "dice_white=011223",
            "erect_needs_worker=false",
            "exhaustion_end=true",
            "max_turns=30",
            "quick_game=false",
            "screen_view=hidden",
            "tie_break=share",
            "top_own_only=false",
            "unclaimed_moai=remove",
            "unused_logs_return=false",
            "visible_score=false",
        ]
    );
}

#[test]
fn each_option_has_the_values_of_its_ruling_and_no_others() {
    for (key, right, wrong) in [
        ("board", vec!["v1", "tiny"], vec!["v2", ""]),
        ("dice_white", vec!["011223", "111223"], vec!["123456", "true"]),
        ("dice_brown", vec!["011223", "111223"], vec!["012", "0"]),
        ("unclaimed_moai", vec!["remove", "return"], vec!["keep"]),
        ("auction_decline", vec!["true", "false"], vec!["yes"]),
        ("chief_split", vec!["true", "false"], vec!["1"]),
        ("chief_pp", vec!["per_unit", "full_size"], vec!["none"]),
        ("erect_needs_worker", vec!["true", "false"], vec!["maybe"]),
        ("top_own_only", vec!["true", "false"], vec!["own"]),
        ("allow_gift_pp", vec!["true", "false"], vec![""]),
        ("unused_logs_return", vec!["true", "false"], vec!["return"]),
        ("base_view", vec!["open", "memory"], vec!["hidden"]),
        ("screen_view", vec!["hidden", "open"], vec!["memory"]),
        ("exhaustion_end", vec!["true", "false"], vec!["30"]),
        ("max_turns", vec!["1", "12", "30"], vec!["0", "31", "ten"]),
        ("quick_game", vec!["true", "false"], vec!["2"]),
        ("visible_score", vec!["true", "false"], vec!["open"]),
        ("tie_break", vec!["share", "halves"], vec!["turn_order"]),
        ("seats", vec![], vec!["3"]),
    ] {
        for value in right {
            assert!(options::read::<Options>(3, [(key, value)]).is_ok(), "{key}={value}");
        }
        for value in wrong {
            assert!(options::read::<Options>(3, [(key, value)]).is_err(), "{key}={value}");
        }
    }
}

/// The game is for 3 to 5 players; the text of the variant for two is not known.
#[test]
fn three_to_five_play() {
    for (seats, right) in [(1, false), (2, false), (3, true), (4, true), (5, true), (6, false)] {
        assert_eq!(options::read::<Options>(seats, []).is_ok(), right, "{seats}");
    }
}

/// G50: the legal actions would reveal the owners of hidden bases.
#[test]
fn hidden_bases_and_topping_own_moai_alone_do_not_go_together() {
    let read = |given: [(&str, &str); 2]| options::read::<Options>(3, given);

    assert!(read([("base_view", "memory"), ("top_own_only", "true")]).is_err());
    assert!(read([("base_view", "open"), ("top_own_only", "true")]).is_ok());
    assert!(read([("base_view", "memory"), ("top_own_only", "false")]).is_ok());
}
