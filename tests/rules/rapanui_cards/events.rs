//! The events that each viewer is told. All facts are public except the foods of face-down cards.

use super::{PUBLIC, Table, before_setup, table, viewer};

/// Returns the events that the seats 0 and 1 and the public are told.
fn event_texts(game: &Table) -> [Vec<String>; 3] {
    [viewer(0), viewer(1), PUBLIC].map(|who| game.event_texts(who))
}

#[test]
fn everybody_is_told_of_the_setup() {
    let mut game = before_setup("seats: 2");

    game.play(
        "start 1, colours red violet, cards moai mulberry grain fish, cards priest lumberjack sweet_potato fish, \
         cards lumberjack grain priest moai, cards fish moai mulberry grain",
    );

    for (who, event_texts) in ["seat 0", "seat 1", "public"].iter().zip(event_texts(&game)) {
        assert_eq!(
            event_texts,
            [
                "seat 1 begins",
                "start cards: seat 0 has red, seat 1 has violet",
                "column 1 shows moai mulberry grain fish",
                "column 2 shows priest lumberjack sweet_potato fish",
                "column 3 shows lumberjack grain priest moai",
                "column 4 shows fish moai mulberry grain",
                "--- turn 1: seat 1 ---",
            ],
            "{who}"
        );
    }
}

/// Displays, wood, glory, the columns, and the supply are public.
#[test]
fn everybody_is_told_what_happens_openly() {
    for (text, plies, sentences) in [
        ("phase: buy\nwood: 9 / 0", "buy fish", vec!["seat 0 buys a sacrifice card for 5 wood: fish"]),
        ("phase: buy\nwood: 9 / 0", "buy nothing", vec!["seat 0 buys nothing"]),
        ("hands: priest fish grain / _", "play priest", vec!["seat 0 plays a priest"]),
        ("hands: priest fish grain / _", "play fish 1", vec!["seat 0 plays a Hunter & Gatherer (fish)"]),
        (
            "wood: 1 / 0\nhands: fish*2 grain / _",
            "play fish 2",
            vec!["seat 0 plays 2 Hunters & Gatherers (fish) for 1 wood"],
        ),
        // D13: to build a Moai is to play it.
        ("wood: 7 / 0\nhands: moai*3 / _", "build moai", vec!["seat 0 builds a Moai for 7 wood"]),
        ("hands: moai*3 / _", "box moai", vec!["seat 0 puts a Moai out of the game"]),
        (
            "phase: supply\nmoai_supply_sacrifice: optional",
            "supply nothing",
            vec!["seat 0 adds nothing from the supply"],
        ),
        (
            "phase: draw\ndisplays: lumberjack*2 / lumberjack\ncolumns: moai lumberjack / _ / _ / _",
            "draw 1",
            vec![
                "seat 0 takes a Moai from column 1",
                "lumberjacks are scored",
                "seat 0 gains 3 wood, with the bonus",
                "seat 1 gains 1 wood",
                "--- turn 10: seat 1 ---",
            ],
        ),
        // Clockwise from the active player; a player without a gain causes no event.
        (
            "phase: draw\nactive: 1\ndisplays: priest / priest*3 / -\ncolumns: moai priest / _ / _ / _",
            "draw 1",
            vec![
                "seat 1 takes a Moai from column 1",
                "priests are scored",
                "seat 1 gains 4 glory points, with the bonus",
                "seat 0 gains 1 glory point",
                "--- turn 10: seat 2 ---",
            ],
        ),
        (
            "phase: draw\ndisplays: moai / -\ncolumns: fish moai / _ / _ / _",
            "draw 1, take wood",
            vec![
                "seat 0 takes a Hunter & Gatherer (fish) from column 1",
                "Moai are scored",
                "seat 0 gains 1 wood",
                "--- turn 10: seat 1 ---",
            ],
        ),
        (
            "phase: draw\ndisplays: fish*2 / fish\ncolumns: moai fish / _ / _ / _",
            "draw 1",
            vec![
                "seat 0 takes a Moai from column 1",
                "Hunters & Gatherers are scored: fish",
                "seat 0 gains 2 sacrifice cards: fish, with the bonus",
                "seat 1 gains a sacrifice card: fish",
                "--- turn 10: seat 1 ---",
            ],
        ),
        (
            "depleted_pick: may_decline\nphase: draw\ndisplays: fish*2 / fish\nstock: grain*5\n\
             columns: moai fish / _ / _ / _",
            "draw 1, pick grain, pick nothing, pick nothing",
            vec![
                "seat 0 takes a Moai from column 1",
                "Hunters & Gatherers are scored: fish",
                "seat 0 takes another sacrifice card: grain",
                "seat 0 takes no other sacrifice card",
                "seat 1 takes no other sacrifice card",
                "--- turn 10: seat 1 ---",
            ],
        ),
        (
            "phase: draw\ndisplays: - / -\ncolumns: moai / _ / _ / _",
            "draw 1, cards priest lumberjack moai moai",
            vec![
                "seat 0 takes a Moai from column 1",
                "column 1 shows priest lumberjack moai moai",
                "priests are scored",
                "--- turn 10: seat 1 ---",
            ],
        ),
    ] {
        let mut game = table(text);

        game.play(plies);

        for (who, event_texts) in ["seat 0", "seat 1", "public"].iter().zip(event_texts(&game)) {
            assert_eq!(event_texts, sentences, "{who}: {plies}");
        }
    }
}

/// A gain of two cards has the bonus only with the sole majority; an unpaid bonus is not reported.
#[test]
fn a_bonus_is_told_of_where_it_is_paid() {
    let mut game = table(
        "phase: draw
         displays: fish*2 / -
         stock: fish grain*5
         columns: moai fish / _ / _ / _",
    );

    game.play("draw 1, pick grain");

    assert_eq!(
        game.event_texts(PUBLIC)[1..4],
        [
            "Hunters & Gatherers are scored: fish",
            "seat 0 gains a sacrifice card: fish",
            "seat 0 takes another sacrifice card: grain",
        ]
    );
}

/// The active player's sacrifice lies face down: nobody else is told its food.
#[test]
fn only_the_builder_is_told_what_lies_face_down() {
    for food in ["fish", "grain"] {
        let mut game = table("phase: sacrifice\nwood: 0 / 0");

        game.play(&format!("sacrifice {food}"));

        let hidden = vec!["seat 0 sacrifices a card, face down".to_owned()];
        assert_eq!(event_texts(&game), [vec![format!("seat 0 sacrifices {food}, face down")], hidden.clone(), hidden]);
    }
}

/// A19: the end reveals everything: the face-down cards, all cards on the stone, their worth, and the points. The
/// example of the final values: 4 grain, 4 mulberries, 2 fish, 1 sweet potato.
#[test]
fn everybody_is_told_everything_at_the_end() {
    let mut game = table(
        "phase: draw
         glory: 1 / 0
         cards: grain*2 mulberry fish*3 sweet_potato / mulberry fish*5 sweet_potato*2
         stone: grain*4 mulberry*3 fish sweet_potato
         face_down: 0 mulberry, 1 fish
         columns: grain / _ / _ / _
         stack: priest moai",
    );

    game.play("draw 1, cards moai priest");

    for (who, event_texts) in ["seat 0", "seat 1", "public"].iter().zip(event_texts(&game)) {
        assert_eq!(
            event_texts,
            [
                "seat 0 takes a Hunter & Gatherer (grain) from column 1",
                "column 1 shows moai priest",
                "the game is over; face down were: seat 0 mulberry / seat 1 fish; on the stone: fish x2, \
                 mulberry x4, sweet_potato, grain x4; sacrifice cards: seat 0 fish x3, mulberry, sweet_potato, grain x2 / \
                 seat 1 fish x5, mulberry, sweet_potato x2; a card is worth: fish 2, mulberry 3, sweet_potato 1, grain 3; \
                 seat 0 has 17, seat 1 has 15",
            ],
            "{who}"
        );
    }
    assert_eq!(game.scores(), [17, 15]);
}
