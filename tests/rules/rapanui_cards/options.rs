//! The options, and the differences between the editions.

use ahu_core::options as option_list;
use ahu_games::rapanui_cards::{Edition, Options, RapanuiCards, StoneView};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{PUBLIC, before_setup, play_through, table, viewer};
use ahu_laws::laws::{carry_out, few_games, play_random};

fn read(given: &[(&str, &str)]) -> Options {
    option_list::read(3, given.iter().copied()).expect("they are options")
}

/// The defaults are the German edition with the rulings.
#[test]
fn the_options_have_the_rulings_as_defaults() {
    let listed: Vec<_> = option_list::list(&read(&[])).map(|(key, value)| format!("{key}={value}")).collect();

    assert_eq!(
        listed,
        [
            "edition=german",
            "start_player=random",
            "stone_view=top_only",
            "display_view=all",
            "moai_supply_sacrifice=mandatory",
            "depleted_pick=choice",
            "zero_count_types=ranked",
            "start_set_yellowgreen_lacks=fish",
            "start_set_lightblue_lacks=mulberry",
            "start_set_red_lacks=sweet_potato",
            "start_set_violet_lacks=grain",
        ]
    );
}

#[test]
fn each_option_has_the_values_of_its_ruling_and_no_others() {
    for (key, right, wrong) in [
        ("edition", vec!["german", "english"], "french"),
        ("start_player", vec!["random", "seat0"], "seat1"),
        ("stone_view", vec!["top_only", "all_face_up"], "all"),
        ("display_view", vec!["all", "front"], "none"),
        ("moai_supply_sacrifice", vec!["mandatory", "optional"], "none"),
        ("depleted_pick", vec!["choice", "may_decline"], "random"),
        ("zero_count_types", vec!["ranked", "worth_0"], "0"),
        ("start_set_red_lacks", vec!["fish", "mulberry", "sweet_potato", "grain"], "priest"),
    ] {
        for value in right {
            let options = read(&[(key, value)]);
            assert!(option_list::text(&options).contains(&format!(" {key}={value}")), "{key}={value}");
        }
        assert!(option_list::read::<Options>(3, [(key, wrong)]).is_err(), "{key}={wrong}");
    }
    assert!(option_list::read::<Options>(3, [("start_set_blue", "fish")]).is_err());
    assert!(option_list::read::<Options>(3, [("hand_size", "4")]).is_err());
}

/// The edition is a preset: English shows the face-up cards of the stone (D3). An explicit option overrides the edition,
/// in either order.
#[test]
fn the_edition_sets_what_is_seen_of_the_stone() {
    use {Edition::*, StoneView::*};
    for (given, edition, stone_view) in [
        (vec![], German, TopOnly),
        (vec![("edition", "german")], German, TopOnly),
        (vec![("edition", "english")], English, AllFaceUp),
        (vec![("edition", "english"), ("stone_view", "top_only")], English, TopOnly),
        (vec![("stone_view", "top_only"), ("edition", "english")], English, TopOnly),
        (vec![("stone_view", "all_face_up"), ("edition", "german")], German, AllFaceUp),
        (vec![("stone_view", "all_face_up")], German, AllFaceUp),
    ] {
        let options = read(&given);

        assert_eq!((options.edition, options.stone_view), (edition, stone_view), "{given:?}");
    }
}

/// D1 to D15: nothing else differs. The same plies lead to the same table in both editions.
#[test]
fn the_editions_are_played_alike() {
    let [german, english] = ["german", "english"].map(|edition| read(&[("edition", edition)]));
    for seed in 0..few_games() {
        let mut game = before_setup("seats: 3\nedition: english").game;
        play_random::<RapanuiCards>(&german, seed, |other, next, _| {
            let mut table = game.table;
            table.options = other.table.options;
            assert_eq!(table, other.table, "seed {seed}");
            assert_eq!(game.hidden, other.hidden, "seed {seed}");
            if let Some(next) = next {
                carry_out(&mut game, next, &mut Vec::new());
            }
        });
        assert_eq!(game.table.options, english);
    }
}

/// D11: mulberries are paper mulberries in the German edition, in texts for people. Actions use one name.
#[test]
fn the_german_edition_calls_mulberries_paper_mulberries() {
    for (edition, is_paper) in [("german", true), ("english", false)] {
        let game = table(&format!("edition: {edition}\nphase: buy\nwood: 9 / 0"));
        let text = game.view(viewer(0)).to_string();

        assert_eq!(text.contains("paper mulberry"), is_paper, "{edition}: {text}");
        assert!(text.contains("mulberry"), "{edition}: {text}");
        assert!(!game.refuses("buy mulberry"), "{edition}");
    }
}

/// A20, [R]: the food that a colour lacks is data. Each colour's hand has the three other foods.
#[test]
fn the_start_sets_say_which_food_a_colour_lacks() {
    let hands = [
        ("fish", "mulberry sweet_potato grain"),
        ("mulberry", "fish sweet_potato grain"),
        ("sweet_potato", "fish mulberry grain"),
        ("grain", "fish mulberry sweet_potato"),
    ];
    for (place, colour) in ["yellowgreen", "lightblue", "red", "violet"].into_iter().enumerate() {
        for (lacking, hand) in hands {
            let mut game = before_setup(&format!("start_player: seat0\nstart_set_{colour}_lacks: {lacking}"));
            let other = if colour == "red" { "violet" } else { "red" };

            game.play(&format!("colours {colour} {other}"));

            assert_eq!(game.hand(0), hand, "{colour} lacks {lacking}");
            let usual = if other == "red" { "fish mulberry grain" } else { "fish mulberry sweet_potato" };
            assert_eq!(game.hand(1), usual, "{other} is as ever");
        }
        let mut game = before_setup("start_player: seat0");
        let other = if colour == "red" { "violet" } else { "red" };
        game.play(&format!("colours {colour} {other}"));
        assert_eq!(game.hand(0), hands[place].1, "{colour}, by default");
    }
}

/// Two colours may lack the same food.
#[test]
fn start_sets_may_be_alike() {
    let mut game = before_setup("start_player: seat0\nstart_set_red_lacks: grain\nstart_set_violet_lacks: grain");

    game.play("colours red violet");

    assert_eq!(
        (game.hand(0), game.hand(1)),
        ("fish mulberry sweet_potato".into(), "fish mulberry sweet_potato".into())
    );
}

/// The turn and the legal actions do not change.
#[test]
fn the_views_change_nothing_in_play() {
    for seed in 0..20 {
        let plays = |key, value| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut asked = Vec::new();
            let end = play_through(
                &read(&[(key, value)]),
                seed,
                |game, legal| {
                    asked.push((game.table.phase, legal.to_vec()));
                    legal[rng.random_range(0..legal.len())]
                },
                |_, _| {},
            );
            (asked, end.table.villages)
        };

        assert_eq!(plays("stone_view", "top_only"), plays("stone_view", "all_face_up"), "seed {seed}");
    }
    // All viewers are told the same: the events of the stone are public when they happen.
    for who in [viewer(0), viewer(1), PUBLIC] {
        let event_texts = ["top_only", "all_face_up"].map(|stone_view| {
            let mut game =
                table(&format!("stone_view: {stone_view}\nphase: sacrifice 1\nwood: 0 / 0\nhands: priest*2 / _"));
            game.play("sacrifice fish, sacrifice grain, supply fish");
            game.event_texts(who)
        });
        assert_eq!(event_texts[0], event_texts[1]);
    }
}
