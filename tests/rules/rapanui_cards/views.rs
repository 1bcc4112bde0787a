//! The views of the table.

use ahu_core::{Ask as _, Encode as _, Layout, Tensor, View as _, Viewer};
use ahu_games::rapanui_cards::{Phase, View};

use super::{PUBLIC, Table, names, seat, table, viewer};

/// Returns the observation in full: the numbers and the text.
fn observation(view: View) -> (Vec<u64>, Vec<i16>, String) {
    let view = view.shown();
    let mut layout = Layout::default();
    view.write(&mut layout);
    let (mut bits, mut numbers) = (vec![u64::MAX; layout.bit_count().div_ceil(64)], vec![7; layout.number_count()]);
    Tensor::fill(&mut bits, &mut numbers, &view);
    (bits, numbers, view.to_string())
}

/// Returns true if a viewer is shown the same at both tables. This compares the observations and the shown views, from
/// which typed messages are made.
fn look_alike(one: &Table, other: &Table, who: Viewer) -> bool {
    let [seen, seen_there] = [one, other].map(|game| game.view(who).shown());
    let alike = seen == seen_there;
    assert!(
        !alike || observation(one.view(who)) == observation(other.view(who)),
        "the observation follows from the view"
    );
    alike
}

/// Returns a line without its alignment spaces.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Two tables that differ only in a player's face-down card, and so in the player's sacrifice cards, look the same to all
/// other viewers.
#[test]
fn nobody_else_sees_a_card_that_lies_face_down() {
    for stone_view in ["top_only", "all_face_up"] {
        for phase in ["play", "draw", "supply"] {
            let with = |face_down: &str, cards: &str| {
                table(&format!(
                    "stone_view: {stone_view}\nphase: {phase}\ncards: {cards} / fish / grain\nstone: fish grain\n\
                     face_down: 0 {face_down}, 1 mulberry"
                ))
            };
            let (one, other) = (with("fish", "grain mulberry"), with("grain", "fish mulberry"));

            assert!(!look_alike(&one, &other, viewer(0)), "its own");
            for who in [viewer(1), viewer(2), PUBLIC] {
                assert_eq!(one.view(who), other.view(who), "{who}, {phase}");
                assert!(look_alike(&one, &other, who), "{who}, {phase}");
            }
        }
    }
}

/// The tables also look the same during the round, in the events told, and in the legal actions of others.
#[test]
fn a_sacrifice_face_down_looks_the_same_whatever_it_is() {
    let round = |food: &str| {
        let mut game = table("wood: 7 / 0 / 0\nhands: moai priest*2 / _ / _\ncolumns: fish priest / _ / _ / _");
        game.play(&format!("build moai, sacrifice fish, sacrifice grain, sacrifice {food}"));
        game
    };
    let (mut one, mut other) = (round("fish"), round("mulberry"));

    for plies in ["supply grain", "draw 1", "play priest"] {
        for who in [viewer(1), viewer(2), PUBLIC] {
            assert_eq!(one.view(who), other.view(who), "before {plies}: {who}");
            assert_eq!(one.event_texts(who), other.event_texts(who), "before {plies}: {who}");
        }
        assert!(!look_alike(&one, &other, viewer(0)), "before {plies}");
        assert_eq!(
            (one.due(), one.legal_for(1), one.legal_for(2)),
            (other.due(), other.legal_for(1), other.legal_for(2))
        );
        if plies != "play priest" {
            one.play(plies);
            other.play(plies);
        }
    }
}

#[test]
fn each_player_knows_the_own_face_down_cards() {
    let game = table("cards: fish / grain*2 / -\nface_down: 0 mulberry, 1 fish, 0 grain\nstone: fish");
    let known = |who| game.view(who).known.map(|food| food.map(|food| food.to_string()))[..4].to_vec();
    let food = |name: &str| Some(name.to_owned());

    assert_eq!(known(viewer(0)), [food("mulberry"), None, food("grain"), None]);
    assert_eq!(known(viewer(1)), [None, food("fish"), None, None]);
    assert_eq!(known(viewer(2)), [None, None, None, None]);
    assert_eq!(known(PUBLIC), [None, None, None, None]);
    assert_eq!(names(game.view(viewer(0)).own_hidden()), "mulberry grain");
    assert_eq!(names(game.view(viewer(0)).own_cards()), "fish");
    assert_eq!(names(game.view(viewer(1)).own_cards()), "grain*2");
    assert_eq!(names(game.view(PUBLIC).own_cards()), "-");
}

/// Only its player is shown a hand, though it follows from public facts (A21).
#[test]
fn an_observation_shows_no_other_hand() {
    // A priest and a Moai are swapped between the hands of seats 1 and 2.
    let one = table("hands: fish*2 grain / priest*2 moai / moai*2 priest");
    let other = table("hands: fish*2 grain / priest*3 / moai*3");

    assert!(look_alike(&one, &other, viewer(0)));
    assert!(look_alike(&one, &other, PUBLIC));
    assert!(!look_alike(&one, &other, viewer(1)));
    assert!(!look_alike(&one, &other, viewer(2)));
    assert_ne!(one.view(viewer(0)), other.view(viewer(0)), "A21: every view knows it");
    let hands = |who| [0, 1, 2].map(|index| names(one.view(who).shown().table.villages[seat(index)].hand));
    assert_eq!(hands(viewer(1)), ["-", "priest*2 moai", "-"]);
    assert_eq!(hands(PUBLIC), ["-", "-", "-"]);
}

#[test]
fn an_observation_shows_how_many_sacrifice_cards_others_have_not_which() {
    // Others know the possible foods of seat 1's face-down card, but their observations do not show these foods.
    let one = table("cards: fish / grain*2 / mulberry\nface_down: 1 fish");
    let other = table("cards: fish / grain mulberry / grain\nface_down: 1 fish");

    assert!(look_alike(&one, &other, viewer(0)));
    assert!(look_alike(&one, &other, PUBLIC));
    assert!(!look_alike(&one, &other, viewer(1)));
    assert!(
        !look_alike(&one, &table("cards: fish / grain / mulberry grain\nface_down: 1 fish"), viewer(0)),
        "the number is shown"
    );
}

/// D3: in the English edition a viewer sees all face-up cards.
#[test]
fn of_the_stone_the_german_edition_shows_the_top_card_alone() {
    for (edition, shows_all) in [("german", false), ("english", true)] {
        // The cards below differ, and so do seat 1's sacrifice cards, which are not shown.
        let one = table(&format!("edition: {edition}\ncards: fish / grain / -\nstone: fish*2 grain mulberry"));
        let other = table(&format!("edition: {edition}\ncards: fish / fish / -\nstone: fish grain*2 mulberry"));

        for who in [viewer(0), viewer(2), PUBLIC] {
            assert_eq!(look_alike(&one, &other, who), !shows_all, "{edition}: {who}");
        }
        let text = one.view(PUBLIC).shown().to_string();
        assert!(text.contains("mulberry on top"), "{edition}: {text}");
        assert_eq!(text.contains("on the stone"), shows_all, "{edition}: {text}");
        assert!(
            !look_alike(
                &one,
                &table(&format!("edition: {edition}\ncards: fish / grain / -\nstone: fish*2 mulberry grain")),
                viewer(0)
            ),
            "the top card is visible"
        );
    }
}

/// D3: if the builder's face-down card is on top, no card of the stone is visible.
#[test]
fn with_a_face_down_card_on_top_nothing_is_seen() {
    let of = |cards: &str, stone: &str| {
        table(&format!("cards: fish / {cards} / -\nstone: {stone}\nface_down: 0 grain\ntop: face_down"))
    };
    let (one, other) = (of("grain", "fish*2 grain"), of("fish", "fish grain*2"));

    assert!(!look_alike(&one, &other, viewer(1)), "the viewer itself has another card");
    assert!(look_alike(&one, &other, viewer(2)));
    assert!(look_alike(&one, &other, PUBLIC));
    let text = one.view(PUBLIC).shown().to_string();
    assert!(text.contains("a face-down card on top"), "{text}");
}

/// A19: at the end the whole stone is revealed, in both editions.
#[test]
fn at_the_end_everybody_sees_the_whole_stone() {
    for edition in ["german", "english"] {
        let game = table(&format!(
            "edition: {edition}\nphase: over\ncards: fish / grain*2\nstone: fish grain mulberry\nface_down: 0 fish, 1 grain"
        ));

        for who in [viewer(0), viewer(1), PUBLIC] {
            let view = game.view(who).shown();
            assert_eq!(view.sacrificed().map(names), Some("fish*2 mulberry grain*2".to_owned()), "{who}");
            assert_eq!(view.cards_of(seat(1)).map(names), Some("grain*2".to_owned()), "{who}");
            assert_eq!(view.scores().values(), [3, 6], "{who}");
        }
        assert_eq!(table("stone: fish").view(viewer(0)).sacrificed(), None, "not before");
    }
}

/// A16: with the front view, nobody sees the cards behind the front.
#[test]
fn with_the_front_view_nobody_sees_buried_cards() {
    let game = table("display_view: front\ncolumns: moai ? ? ? / fish ? / priest / grain ? ?");

    for who in [viewer(0), viewer(1), PUBLIC] {
        let text = words(&game.view(who).to_string());
        assert!(text.contains("1 moai ? ? ? 2 fish ? 3 priest 4 grain ? ?"), "{who}: {text}");
    }
    let open = words(&table("columns: moai priest grain fish / _ / _ / _").view(PUBLIC).to_string());
    assert!(open.contains("1 moai priest grain fish"), "the front card first: {open}");
}

/// "Public: displays, wood, glory, number of sacrifice cards held, supply counts, the whole display".
#[test]
fn everybody_sees_what_lies_open() {
    let game = table(
        "phase: draw
         active: 1
         turn: 12
         displays: lumberjack priest*2 / moai fish / -
         wood: 4 / 11 / 0
         glory: 3 / 0 / 12
         cards: fish*2 / - / grain
         stock: fish*3 mulberry*25
         columns: moai fish / _ / _ / _
         stack: 10",
    );

    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        let view = game.view(who).shown();
        assert_eq!(
            (view.viewer, view.table.phase, view.table.active, view.table.turn),
            (who, Phase::Draw, seat(1), 12)
        );
        let each = |of: fn(&ahu_games::rapanui_cards::Village) -> String| {
            view.table.villages.values().iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(each(|village| names(village.display)), ["lumberjack priest*2", "fish moai", "-"], "{who}");
        assert_eq!(each(|village| village.wood.to_string()), ["4", "11", "0"], "{who}");
        assert_eq!(each(|village| village.glory.to_string()), ["3", "0", "12"], "{who}");
        assert_eq!(each(|village| village.held.to_string()), ["2", "0", "1"], "{who}");
        assert_eq!(names(view.table.stock), "fish*3 mulberry*25", "{who}");
        assert_eq!(view.table.stack, 10, "{who}");
        assert_eq!(view.table.columns, game.game.table.columns, "{who}");
        // Tiles, 4 for each Moai, 1 for 5 wood; sacrifice cards do not count before the end.
        assert_eq!(view.scores().values(), [3, 4 + 2, 12], "{who}");
        assert_eq!(view.ranks().values(), [3, 2, 1], "{who}");
        assert_eq!(view.table.options, game.game.table.options);
    }
}

/// The text shows people everything on the table.
#[test]
fn a_view_is_a_text_for_people() {
    let game = table(
        "phase: buy
         turn: 12
         displays: lumberjack fish*2 / moai
         hands: moai fish grain / _
         wood: 6 / 11
         glory: 3 / 0
         cards: fish*2 grain / mulberry
         stone: fish grain
         face_down: 0 mulberry
         columns: moai fish / priest / lumberjack grain grain grain / lumberjack fish
         stack: 10",
    );

    let lines: Vec<_> = game.view(viewer(0)).shown().to_string().lines().map(words).collect();
    let has = |parts: &[&str]| lines.iter().any(|line| parts.iter().all(|part| line.contains(part)));

    assert!(has(&["turn 12, seat 0", "step 1, buy a sacrifice card"]), "{lines:#?}");
    assert!(has(&["the front card first", "stack 10"]), "{lines:#?}");
    assert!(has(&["1 moai fish"]) && has(&["3 lumberjack grain grain grain"]), "{lines:#?}");
    assert!(has(&["> 0 4 3 6 3 ", "lumberjack", "fish x2", "(you)"]) && has(&["1 6 0 11 1 moai"]), "{lines:#?}");
    assert!(has(&["your hand: fish, grain, moai"]), "{lines:#?}");
    assert!(has(&["grain on top", "laid face down so far: 1"]), "{lines:#?}");
    // Fish costs 3 wood, the other foods 5; the viewer has two fish and grain, and a mulberry lies face down.
    let row = |name: &str| {
        let line = lines.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {lines:#?}"));
        line[name.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("price for you, wood"), ["3", "5", "5", "5"]);
    assert_eq!(row("your sacrifice cards"), ["2", "0", "0", "1"]);
    assert_eq!(row("laid face down by you"), ["0", "1", "0", "0"]);
    assert_eq!(row("supply"), ["22", "23", "25", "23"]);

    let public = game.view(PUBLIC).shown().to_string();
    for own in ["your hand", "your sacrifice cards", "laid face down by you", "price for you", "(you)"] {
        assert!(!public.contains(own), "{own} in {public}");
    }
}

#[test]
fn a_decision_is_asked_with_its_prices_and_yields() {
    let asked = |text: &str| table(text).view(viewer(0)).shown().question();
    let buy = asked("phase: buy\nwood: 7 / 0\ndisplays: lumberjack mulberry grain*2 / lumberjack");
    assert!(buy.contains("The prices in wood: fish 5, mulberry 4, sweet_potato 5, grain 3; you have 7 wood."), "{buy}");
    let payout = asked("phase: payout 0\nwood: 4 / 0\ndisplays: moai*2 / moai");
    assert!(payout.starts_with("Take 3 glory points or 3 wood for your Moai, with the bonus?"), "{payout}");
    let payout = asked("phase: payout 0\ndisplays: moai / moai");
    assert!(payout.starts_with("Take 1 glory point or 1 wood for your Moai?"), "{payout}");
    let draw = asked("phase: draw\ncolumns: priest grain / moai / fish fish fish / _");
    assert!(
        draw.contains("Columns: 1 priest, then grain; 2 moai, then four new cards; 3 fish, then fish; 4 "),
        "{draw}"
    );
    assert!(asked("phase: play\nwood: 3 / 0").ends_with("a Moai 7 wood. You have 3 wood."));
    assert!(asked("phase: sacrifice 0").contains("face down"), "the builder");
    assert_eq!(asked("phase: sacrifice 1"), "", "another has to decide");
}

#[test]
fn the_scores_say_that_they_leave_out_the_sacrifice_cards_before_the_end() {
    assert_eq!(table("phase: play").view(viewer(0)).shown().uncounted(), Some("sacrifice cards"));
    assert_eq!(table("phase: over").view(viewer(0)).shown().uncounted(), None);
}
