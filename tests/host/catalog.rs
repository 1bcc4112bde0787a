//! The catalog: its games, their options and names, and errors for unknown games, options, and names.

use ahu_core::{ActionId, FieldKind, OptionError, OptionKind, Viewer, hex};
use ahu_host::{AnyRules, GAMES, Setup, find};
use sha2::{Digest, Sha256};

/// The facts that a rules version fixes: the layout hash, and the SHA-256 of the texts of all actions in the order of their ids.
/// A row never changes: a new layout or a new action table is a new rules version, with a row of its own.
const FIXED: [(&str, u32, &str, &str); 4] = [
    (
        "rappanui",
        1,
        "26a22e64262a101d4498ac961208d61180f8d5ad9e6e0af0d4b2fd9f1d593b64",
        "f7d5766025afd25a3dacfe9ebb4678b2d49b60c30b42d0ce8b5636f391e89e95",
    ),
    (
        "rapanui_cards",
        1,
        "40f8607cc8d7028b7d10503e5839b8b828c938bf581ff8911fbf33ea7ece7de4",
        "cbbd01e2cbf00a2d63cbaeb137d13e351bd6cd9bbc567b1422a86c53d52ae2f3",
    ),
    (
        "giants",
        1,
        "0f631d5b342f4d933162cd1132be2632f50f84395c0c0aa5c3610d42e128b420",
        "6a9b36dcdd99808b57a68e8930519f7b6584e6941f1ea29ba5f9541afe02ddfa",
    ),
    (
        "rapanui_board",
        2,
        "6328371d6dd953dfa26b6ce160f1368a3f8b3798b33aa21a9b16f39955a417d5",
        "cde0a16893b3a2b02157958c175c74b83eb16f5c1b00cfcbf579e7aca932b4f7",
    ),
];

#[test]
fn a_new_layout_or_action_table_is_a_new_rules_version() {
    let ours = GAMES.iter().map(|rules| {
        let texts = (0..rules.action_count()).filter_map(|id| rules.action_text(ActionId(id as u16)));
        let actions = hex(&Sha256::digest(texts.collect::<Vec<_>>().join("\n")));
        (rules.info().id, rules.info().rules, hex(&rules.layout().hash()), actions)
    });
    let ours: Vec<_> = ours.collect();
    for (game, version, layout, actions) in &ours {
        let is_fixed = FIXED.contains(&(game, *version, layout, actions));
        assert!(is_fixed, "{game} has another layout or action table: raise INFO.rules, and add a row; now {ours:#?}");
    }
}

#[test]
fn every_game_can_be_found_and_says_whose_it_is() {
    for rules in GAMES {
        let info = rules.info();
        assert_eq!(find(info.id).map(AnyRules::info), Ok(info));
        assert!(info.credit.contains("unofficial") && info.credit.contains("no affiliation"), "{}", info.id);
        assert!(!info.about.is_empty() && info.rules > 0);
        assert!(rules.bots().iter().any(|(name, _)| *name == "random@1"), "{}", info.id);
        assert!(rules.bots().iter().any(|(name, _)| *name == "greedy@1"), "{}", info.id);
    }
}

#[test]
fn an_unknown_game_suggests_the_nearest_id() {
    let message = |id: &str| find(id).map(|rules| rules.info().id).expect_err("there is none").to_string();
    let ids = GAMES.iter().map(|rules| rules.info().id).collect::<Vec<_>>().join(", ");
    assert!(ids.starts_with("rappanui, rapanui_cards"), "{ids}");
    assert_eq!(
        message("rapanui"),
        format!("unknown game \"rapanui\"; did you mean \"rappanui\"? (expected one of {ids})")
    );
    assert_eq!(message("chess"), format!("unknown game \"chess\" (expected one of {ids})"));
}

#[test]
fn unknown_options_and_values_are_refused_by_name() {
    let rules = find("rappanui").expect("it is in the catalog");
    let refused = |seats, given: &[(&str, &str)]| rules.configure(seats, given).expect_err("it is refused");

    assert_eq!(refused(1, &[]), OptionError::Seats { asked: 1, min: 2, max: 6 });
    assert_eq!(refused(7, &[]).to_string(), "expected 2 to 6 seats, got 7");
    let unknown = refused(2, &[("combine", "true")]).to_string();
    assert!(unknown.contains("unknown option \"combine\"; did you mean \"combine_rule\"?"), "{unknown}");
    let kind = OptionKind::Choice(&["lazy", "eager"]);
    let value = OptionError::Value { key: "reshuffle".to_owned(), value: "late".to_owned(), kind };
    assert_eq!(refused(2, &[("reshuffle", "late")]), value);
    assert_eq!(value.to_string(), "option \"reshuffle\": expected lazy or eager, got \"late\"");
    let flag = refused(2, &[("combine_rule", "yes")]).to_string();
    assert_eq!(flag, "option \"combine_rule\": expected true or false, got \"yes\"");
    let twice = refused(2, &[("tie", "share"), ("tie", "share")]).to_string();
    assert_eq!(twice, "expected option \"tie\" once, got it twice");
}

#[test]
fn what_is_agreed_names_every_option() {
    let rules = find("rappanui").expect("it is in the catalog");

    let setup = rules.configure(3, &[("tie", "fewest_cards"), ("combine_rule", "true")]).expect("these are options");

    let text = "seats=3 combine_rule=true reshuffle=lazy equal_turns=false require_effect=false tie=fewest_cards";
    assert_eq!(setup.to_string(), text);
}

/// The flags and one-hot fields whose entries are places, cards, pieces, or positions in an order, by game.
const WITHOUT_NAMES: [(&str, &[&str]); 4] = [
    ("rappanui", &["hand", "discard", "shuffled", "laid", "eroded", "known", "exposed"]),
    ("rapanui_cards", &[]),
    ("giants", &["figures", "logs_needed", "cut", "marked", "topped", "peeked", "piece", "visited", "hex"]),
    ("rapanui_board", &["held", "at", "visited", "tolls"]),
];

#[test]
fn flags_and_one_hot_fields_name_their_values() {
    for rules in GAMES {
        let game = rules.info().id;
        let (_, without) = WITHOUT_NAMES.iter().find(|(id, _)| *id == game).expect("every game has its list");
        for (_, field) in &rules.layout().bits {
            let is_by_name = matches!(field.kind, FieldKind::Flags | FieldKind::OneHot) && !field.shape.is_empty();
            let is_seats = field.by_seat && field.axis == 0;
            let expects_names = is_by_name && !is_seats && !without.contains(&field.name);
            assert!(!expects_names || !field.values.is_empty(), "{game}: {} names no values", field.name);
            let is_name =
                |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_=".contains(c));
            assert!(field.values.iter().all(|name| is_name(name)), "{game}: {}: {:?}", field.name, field.values);
        }
        for name in *without {
            let is_field = rules.layout().bits.iter().any(|(_, field)| field.name == *name && field.values.is_empty());
            assert!(is_field, "{game}: {name} is on the list in vain");
        }
    }
}

/// Returns the setups of a game: for each seat count the defaults, and the defaults with one other value.
fn setups(rules: &'static dyn AnyRules) -> Vec<Setup> {
    let mut setups = Vec::new();
    for seats in rules.seats() {
        let defaults = rules.configure(seats, &[]).expect("the defaults");
        for option in rules.options() {
            let default = &option.defaults[seats - *rules.seats().start()];
            let values = match option.kind {
                OptionKind::Flag => vec!["false".to_owned(), "true".to_owned()],
                OptionKind::Choice(words) => words.iter().map(|&word| word.to_owned()).collect(),
                OptionKind::Number { min, max } => vec![min.to_string(), max.to_string()],
            };
            let others = values.iter().filter(|value| *value != default);
            // Some values are valid only with another option.
            setups.extend(others.filter_map(|value| rules.configure(seats, &[(option.key, value)]).ok()));
        }
        setups.push(defaults);
    }
    setups
}

#[test]
fn setups_are_equal_if_game_seats_and_options_are() {
    let setups: Vec<Setup> = GAMES.iter().flat_map(|rules| setups(*rules)).collect();
    assert!(setups.len() > 100, "{} setups", setups.len());
    for (place, setup) in setups.iter().enumerate() {
        let given = setup.options();
        let given: Vec<(&str, &str)> = given.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let same = setup.rules().configure(setup.seats().count(), &given).expect("they are its options");
        assert!(*same == **setup, "{same:?} and {setup:?}");
        for (other_place, other) in setups.iter().enumerate() {
            assert_eq!(**setup == **other, place == other_place, "{setup:?} and {other:?}");
        }
    }
}

#[test]
fn a_setup_makes_games_of_its_own_seats_and_options() {
    for setup in GAMES.iter().flat_map(|rules| setups(*rules)) {
        let text = setup.to_string();
        assert!(text.starts_with(&format!("seats={}", setup.seats())), "{text}");
        assert!(setup.options().iter().all(|(key, value)| text.contains(&format!(" {key}={value}"))), "{text}");
        let names: Vec<_> = setup.rules().options().iter().map(|option| option.key).collect();
        assert_eq!(setup.options().iter().map(|(key, _)| *key).collect::<Vec<_>>(), names, "in the game's order");
        assert_eq!(setup.game().view(Viewer::Public).scores().seats(), setup.seats());
    }
}
