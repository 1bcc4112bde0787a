//! Step 2: plays from the hand.

use super::table;

/// "1 Lumberjack or 1 Priest or 1 Moai or 1-3 Hunters & Gatherers (of the same type!)".
#[test]
fn each_play_has_its_price() {
    for (hand, play, price, left, display) in [
        ("lumberjack*2 fish", "play lumberjack", 0, "fish lumberjack", "lumberjack*2"),
        ("priest*2 fish", "play priest", 0, "fish priest", "lumberjack priest"),
        ("moai*2 fish", "build moai", 7, "fish moai", "lumberjack moai"),
        ("fish*3", "play fish 1", 0, "fish*2", "fish lumberjack"),
        ("fish*3", "play fish 2", 1, "fish", "fish*2 lumberjack"),
        ("fish*3", "play fish 3", 2, "-", "fish*3 lumberjack"),
        ("mulberry*2 grain", "play mulberry 2", 1, "grain", "mulberry*2 lumberjack"),
        ("sweet_potato*3", "play sweet_potato 3", 2, "-", "sweet_potato*3 lumberjack"),
        ("grain*2 moai", "play grain 2", 1, "moai", "grain*2 lumberjack"),
    ] {
        let mut game = table(&format!("wood: 9 / 0\nhands: {hand} / _"));

        game.play(play);

        assert_eq!(game.wood(), [9 - price, 0], "{play}");
        assert_eq!(game.hand(0), left, "{play}");
        assert_eq!(game.display(0), display, "{play}");
        assert_eq!(game.glory(), [0, 0], "{play}: no effect when it is played");
        assert_eq!(game.held(), [4, 4], "{play}: no effect when it is played");
    }
}

/// The rulebook's example: Stefan (seat 0) plays two more Hunters & Gatherers of fish. The play costs him 1 wood, since he
/// plays two cards at once. The card in his display does not matter.
#[test]
fn stefan_plays_two_more_fish_for_one_wood() {
    for before in ["lumberjack fish", "lumberjack", "lumberjack fish*2"] {
        let mut game = table(&format!("wood: 3 / 0\ndisplays: {before} / lumberjack\nhands: fish*2 priest / _"));

        game.play("play fish 2");

        assert_eq!(game.wood(), [2, 0], "{before}");
        assert_eq!(game.hand(0), "priest");
        assert_eq!(game.due(), "seat 0: draw");
    }
}

#[test]
fn several_hunters_and_gatherers_cannot_be_played_without_the_wood() {
    for (wood, plays) in [
        (0, "play fish 1"),
        (1, "play fish 1, play fish 2"),
        (2, "play fish 1, play fish 2, play fish 3"),
        (9, "play fish 1, play fish 2, play fish 3"),
    ] {
        let game = table(&format!("wood: {wood} / 9\nhands: fish*3 / _"));

        assert_eq!(game.legal(), plays, "{wood} wood");
    }
    let poor = table("wood: 1 / 0\nhands: fish*3 / _");
    assert!(poor.refuses("play fish 3"));
    assert!(!poor.refuses("play fish 2"));
}

/// A player plays only cards of one food, and only cards in hand.
#[test]
fn no_more_hunters_and_gatherers_are_played_than_the_hand_has_of_the_food() {
    let game = table("wood: 9 / 0\ndisplays: fish*3 / -\nhands: fish mulberry*2 / grain*3");

    assert_eq!(game.legal(), "play fish 1, play mulberry 1, play mulberry 2");
    assert!(game.refuses("play fish 2"), "mulberries are no fish, nor do those in the display count");
    assert!(game.refuses("play grain 1"), "the card is in another hand");
}

/// A player plays one card of one kind a turn, except for Hunters & Gatherers.
#[test]
fn only_one_kind_is_played_a_turn() {
    for play in ["play lumberjack", "play priest", "play grain 1"] {
        let mut game = table("wood: 20 / 0\nhands: lumberjack priest grain / _");

        game.play(play);

        assert_eq!(game.due(), "seat 0: draw", "{play}");
        for second in ["play lumberjack", "play priest", "play grain 1", "build moai"] {
            assert!(game.refuses(second), "{play}, {second}");
        }
    }
    let two = table("wood: 9 / 0\nhands: lumberjack*2 priest / _");
    assert_eq!(two.legal(), "play lumberjack, play priest", "a player cannot play two cards");
}

/// Playing is mandatory: a player can neither skip the play nor draw before it.
#[test]
fn a_card_must_be_played() {
    let game = table("wood: 9 / 0\nhands: lumberjack priest grain / _");

    assert_eq!(game.legal(), "play lumberjack, play priest, play grain 1");
    assert!(game.refuses("draw 1"));
    assert!(game.refuses("buy nothing"));
    assert!(game.refuses("box moai"));
}

/// "1 Moai. Cost to play the card: 7 Wood."
#[test]
fn a_moai_costs_seven_wood() {
    for (wood, legal) in [(6, "play priest"), (7, "play priest, build moai"), (8, "play priest, build moai")] {
        let game = table(&format!("wood: {wood} / 0\nhands: moai*2 priest / _"));

        assert_eq!(game.legal(), legal, "{wood} wood");
        assert_eq!(game.refuses("build moai"), wood < 7, "{wood} wood");
    }
}

/// Special situation: with three Moai in hand and too little wood, one Moai goes back into the box. A15: the Moai is shown,
/// and the turn goes on with drawing one card and scoring.
#[test]
fn with_three_moai_and_too_little_wood_one_goes_out_of_the_game() {
    let mut game = table("wood: 6 / 0\nhands: moai*3 / _\ncolumns: fish lumberjack priest / _ / _ / _");
    assert_eq!(game.legal(), "box moai");
    assert!(game.refuses("build moai"));

    game.play("box moai");

    assert_eq!(game.hand(0), "moai*2");
    assert_eq!(game.display(0), "lumberjack", "it is not played");
    assert_eq!(game.game.table.boxed, 1);
    assert_eq!(game.wood(), [6, 0], "for nothing");
    assert_eq!(game.due(), "seat 0: draw", "no sacrifice round");
    game.play("draw 1");
    assert_eq!(game.hand(0), "fish moai*2");
    assert_eq!(game.wood(), [6 + 1, 1], "lumberjacks are scored");
    assert_eq!(game.due(), "seat 1: play");
}

/// A3: with three Moai in hand and enough wood, the player must build one.
#[test]
fn with_three_moai_and_seven_wood_one_must_be_built() {
    let game = table("wood: 7 / 0\nhands: moai*3 / _");

    assert_eq!(game.legal(), "build moai");
    assert!(game.refuses("box moai"));
}

/// A3: any other hand has a card that costs nothing, so no other card goes out of the game.
#[test]
fn any_other_hand_has_a_free_play() {
    for (hand, plays) in [
        ("moai*2 lumberjack", "play lumberjack"),
        ("moai*2 priest", "play priest"),
        ("moai*2 fish", "play fish 1"),
        ("moai grain*2", "play grain 1"),
    ] {
        let game = table(&format!("wood: 0 / 0\nhands: {hand} / _"));

        assert_eq!(game.legal(), plays, "{hand}");
        assert!(game.refuses("box moai"), "{hand}");
    }
}

/// A Moai that is out of the game never comes back, and is worth nothing.
#[test]
fn a_moai_out_of_the_game_is_worth_nothing() {
    let with = |wood| {
        let mut game = table(&format!("wood: {wood} / 0\nhands: moai*3 / _\ncards: - / -\nstock: -"));
        let play = game.legal();
        game.play(&play);
        game.scores()
    };

    assert_eq!(with(4), [0, 0]);
    assert_eq!(with(7), [4, 0], "one in the display is worth 4");
}
