//! The options, which the dossier names as worth having.

use ahu_core::options;
use ahu_games::rappanui::Options;

/// The defaults are the rulebook with the rulings.
#[test]
fn the_five_options_have_the_rulings_as_defaults() {
    let plain = options::read::<Options>(4, []).expect("no option is an error");

    let listed: Vec<_> = options::list(&plain).map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(
        listed,
        ["combine_rule=false", "reshuffle=lazy", "equal_turns=false", "require_effect=false", "tie=share"]
    );
    assert_eq!(plain.seats.count(), 4);
}

#[test]
fn each_option_has_the_values_of_its_ruling_and_no_others() {
    for (key, value, right) in [
        ("combine_rule", "true", true),
        ("combine_rule", "false", true),
        ("combine_rule", "both", false),
        ("reshuffle", "lazy", true),
        ("reshuffle", "eager", true),
        ("reshuffle", "never", false),
        ("equal_turns", "true", true),
        ("equal_turns", "yes", false),
        ("require_effect", "true", true),
        ("require_effect", "", false),
        ("tie", "share", true),
        ("tie", "fewest_cards", true),
        ("tie", "most_cards", false),
        ("deal", "7", false),
    ] {
        assert_eq!(options::read::<Options>(2, [(key, value)]).is_ok(), right, "{key}={value}");
    }
}
