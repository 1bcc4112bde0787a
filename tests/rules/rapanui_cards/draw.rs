//! Step 3: draws from the display, and its replenishing.

use super::table;

/// The first replenishing example: Stefan (seat 0) has played one card, takes a Hunter & Gatherer of grain, and has
/// three cards again. The Moai that he uncovered is scored.
#[test]
fn stefan_takes_grain_and_uncovers_a_moai() {
    let mut game = table(
        "hands: priest*2 fish / _
         displays: lumberjack moai / moai*2
         columns: grain moai lumberjack / fish fish / priest / lumberjack mulberry",
    );

    game.play("play priest, draw 1");

    assert_eq!(game.hand(0), "fish grain priest");
    assert_eq!(game.column(1), "moai lumberjack");
    assert_eq!(game.due(), "seat 0: take", "Moai are scored");
    game.play("take wood, take glory");
    assert_eq!((game.wood(), game.glory()), (vec![1, 0], vec![0, 3]));
    assert_eq!(game.due(), "seat 1: play");
}

/// The second replenishing example: Patrick (seat 0) has played two cards, takes the Moai, then the priest. That
/// column is empty now, so it gets four new cards at once. The lumberjack among them, uncovered last, is scored.
#[test]
fn patrick_takes_a_moai_and_a_priest_and_uncovers_a_lumberjack() {
    let mut game = table(
        "wood: 1 / 0
         hands: fish*2 grain / _
         displays: lumberjack / lumberjack*2
         columns: moai fish mulberry / priest / grain grain / lumberjack mulberry",
    );

    game.play("play fish 2, draw 1");
    assert_eq!((game.hand(0), game.due()), ("grain moai".to_owned(), "seat 0: draw".to_owned()), "one more");
    assert_eq!(game.column(1), "fish mulberry");
    assert_eq!(game.held(), [4, 4], "fish is not scored");
    let stack = game.game.table.stack;
    game.play("draw 2");
    assert_eq!((game.hand(0), game.due()), ("grain priest moai".to_owned(), "chance: column 2".to_owned()));
    game.play("cards lumberjack fish priest moai");

    assert_eq!(game.column(2), "lumberjack fish priest moai");
    assert_eq!(game.game.table.stack, stack - 4);
    assert_eq!(game.wood(), [1, 3], "lumberjacks are scored: 1, and 2 with the bonus");
    assert_eq!((game.glory(), game.held()), (vec![0, 0], vec![4, 4]), "and nothing else");
    assert_eq!(game.due(), "seat 1: play");
}

/// A player fills the hand up to exactly three cards.
#[test]
fn as_many_cards_are_drawn_as_were_played() {
    for (play, draws) in [("play fish 1", 1), ("play fish 2", 2), ("play fish 3", 3)] {
        let mut game = table("wood: 9 / 9\nhands: fish*3 / _\ndisplays: - / -");

        game.play(play);
        for column in 1..=draws {
            assert_eq!(game.due(), "seat 0: draw", "{play}");
            assert_eq!(game.legal(), "draw 1, draw 2, draw 3, draw 4", "{play}");
            game.play(&format!("draw {column}"));
        }

        assert_eq!(game.village(0).hand.total(), 3, "{play}");
        assert_eq!(game.due(), "seat 1: buy", "{play}");
        assert!(game.refuses("draw 1"), "{play}");
    }
}

/// D9: a player takes the second and the third card from any column, including the column of the card before.
#[test]
fn each_card_is_taken_from_any_column_the_same_one_too() {
    let text = "wood: 2 / 0
                displays: - / -
                hands: fish*3 / _
                columns: moai grain priest lumberjack / mulberry mulberry / fish fish / priest priest";
    for (draws, hand) in [
        ("draw 1, draw 1, draw 1", "grain priest moai"),
        ("draw 1, draw 2, draw 1", "mulberry grain moai"),
        ("draw 3, draw 4, draw 1", "fish priest moai"),
    ] {
        let mut game = table(text);

        game.play(&format!("play fish 3, {draws}"));

        assert_eq!(game.hand(0), hand, "{draws}");
    }
}

/// A player takes only the front card; the card behind it becomes the front card.
#[test]
fn the_front_card_is_taken() {
    let mut game = table("phase: draw\nhands: fish*2 / _\ncolumns: lumberjack grain priest moai / _ / _ / _");

    game.play("draw 1");

    assert_eq!(game.hand(0), "fish*2 lumberjack");
    assert_eq!(game.column(1), "grain priest moai");
}

/// "Immediately replenish that column with 4 new cards": before the player takes the next card, which may be a new card.
#[test]
fn an_empty_column_is_replenished_at_once() {
    let mut game = table(
        "wood: 2 / 0
         displays: - / -
         hands: fish*3 / _
         columns: priest / _ / _ / _",
    );

    game.play("play fish 3, draw 1");
    assert_eq!(game.due(), "chance: column 1");
    assert_eq!(game.legal_for(0), "", "not before it is replenished");
    game.play("cards grain fish moai moai");
    assert_eq!(game.due(), "seat 0: draw");
    assert_eq!(game.held(), [4, 4], "two cards are still to be drawn: nothing is scored");
    game.play("draw 1, draw 1");

    assert_eq!(game.hand(0), "fish grain priest");
    assert_eq!(game.column(1), "moai moai");
}

/// A column gets exactly four cards of the stack.
#[test]
fn a_column_is_replenished_with_four_cards_of_the_stack() {
    let mut game =
        table("phase: draw\ncolumns: priest / fish*5 / _ / _".replace("fish*5", "fish fish fish fish").as_str());
    game.play("draw 1");

    assert!(!game.refuses("cards moai priest grain lumberjack"));
    assert!(game.refuses("cards priest grain lumberjack"));
    assert!(game.refuses("cards fish fish fish fish"), "the stack has fewer of them");
    assert!(game.refuses("start 0"));
}

/// A column with cards left is not replenished.
#[test]
fn a_column_that_is_not_empty_is_not_replenished() {
    let mut game = table("phase: draw\ndisplays: - / -\ncolumns: priest moai / _ / _ / _");

    game.play("draw 1");

    assert_eq!((game.column(1).as_str(), game.due().as_str()), ("moai", "seat 1: play"));
}

/// A8: only the last uncovered card is scored, however many cards a player draws.
#[test]
fn only_the_card_that_was_uncovered_last_is_scored() {
    for (draws, wood, glory, held) in [
        // Column 1 has a priest behind the fish, column 2 a lumberjack, column 3 grain.
        ("draw 1, draw 2, draw 3", [0, 0], [0, 0], [4, 5]),
        ("draw 3, draw 1, draw 2", [1, 0], [0, 0], [4, 4]),
        ("draw 2, draw 3, draw 1", [0, 0], [0, 1], [4, 4]),
    ] {
        let mut game = table(
            "wood: 2 / 0
             displays: lumberjack / priest grain
             hands: fish*3 / _
             columns: fish priest moai / fish lumberjack moai / mulberry grain moai / _",
        );

        game.play(&format!("play fish 3, {draws}"));

        assert_eq!((game.wood(), game.glory(), game.held()), (wood.into(), glory.into(), held.into()), "{draws}");
    }
}

/// A16: by default all cards of the columns are visible. With `front` only the front cards are visible.
#[test]
fn with_the_front_view_a_card_comes_to_light_when_it_is_uncovered() {
    let mut game = table(
        "display_view: front
         wood: 1 / 0
         displays: priest / -
         hands: fish*2 grain / _
         columns: fish ? ? / lumberjack ? ? ? / lumberjack ? ? ? / lumberjack ? ? ?",
    );

    game.play("play fish 2, draw 1");
    assert_eq!((game.column(1), game.due()), ("? ?".to_owned(), "chance: column 1".to_owned()));
    assert!(game.refuses("cards moai moai"), "one card");
    game.play("cards moai");
    assert_eq!((game.column(1), game.due()), ("moai ?".to_owned(), "seat 0: draw".to_owned()));
    game.play("draw 1, cards priest");

    assert_eq!((game.column(1), game.hand(0)), ("priest".to_owned(), "fish grain moai".to_owned()));
    assert_eq!(game.glory(), [1, 0], "the priest is scored");
}

/// A16: a replenished column too shows its front card alone.
#[test]
fn with_the_front_view_a_replenished_column_shows_one_card() {
    let mut game = table(
        "display_view: front
         displays: lumberjack*2 / -
         phase: draw
         columns: fish / lumberjack ? ? ? / lumberjack ? ? ? / lumberjack ? ? ?",
    );
    let stack = game.game.table.stack;

    game.play("draw 1, cards lumberjack");

    assert_eq!(game.column(1), "lumberjack ? ? ?");
    assert_eq!(game.game.table.stack, stack - 4);
    assert_eq!(game.wood(), [3, 0], "the lumberjack is scored");
}

/// A16: by default chance decides only the replenishing.
#[test]
fn with_all_cards_in_view_nothing_comes_to_light_but_by_replenishing() {
    let mut game = table("phase: draw\ndisplays: - / -\ncolumns: moai priest fish / _ / _ / _");

    assert_eq!(game.column(1), "moai priest fish");
    game.play("draw 1");

    assert_eq!(game.due(), "seat 1: play");
}
