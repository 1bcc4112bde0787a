//! Scoring: the yield of the last uncovered card for all players.

use super::{Table, table};

/// Returns a table after seat 0 draws and uncovers `kind`.
fn uncover(kind: &str, text: &str) -> Table {
    let mut game = table(&format!("phase: draw\ncolumns: priest {kind} / _ / _ / _\n{text}"));
    game.play("draw 1");
    game
}

/// The example: Stefan (seat 1) alone has two lumberjacks, the others one each. He gets 3 wood, one for each
/// lumberjack and the bonus; the others get 1.
#[test]
fn stefan_alone_has_two_lumberjacks_and_gets_3_wood() {
    let game =
        uncover("lumberjack", "displays: lumberjack / lumberjack*2 / lumberjack / lumberjack\nwood: 0 / 1 / 2 / 3");

    assert_eq!(game.wood(), [1, 1 + 3, 2 + 1, 3 + 1]);
    assert_eq!((game.glory(), game.held()), (vec![0; 4], vec![4; 4]), "nothing else is scored");
    assert_eq!(game.due(), "seat 1: play");
}

/// The example: Patrick (seat 2) alone has a priest. He gets 1 glory point and no bonus: he has the majority, but not
/// two priests.
#[test]
fn patrick_alone_has_a_priest_and_gets_1_glory_point() {
    let game = uncover("priest", "displays: lumberjack / lumberjack / lumberjack priest / lumberjack");

    assert_eq!(game.glory(), [0, 0, 1, 0]);
    assert_eq!(game.wood(), [0; 4]);
}

/// The example: Sandra (seat 3) has a Moai, Arne (seat 0) two. Sandra can choose 1 glory point or 1 wood, Arne 3
/// glory points or 3 wood, since he has two and the sole majority (D15).
#[test]
fn sandra_takes_1_and_arne_3_in_glory_points_or_wood() {
    for (arne, sandra, glory, wood) in [
        ("glory", "glory", [3, 0, 0, 1], [0, 0, 0, 0]),
        ("glory", "wood", [3, 0, 0, 0], [0, 0, 0, 1]),
        ("wood", "glory", [0, 0, 0, 1], [3, 0, 0, 0]),
        ("wood", "wood", [0, 0, 0, 0], [3, 0, 0, 1]),
    ] {
        let mut game = uncover("moai", "displays: moai*2 / lumberjack / lumberjack / moai");

        assert_eq!((game.due(), game.legal()), ("seat 0: take".to_owned(), "take glory, take wood".to_owned()));
        game.play(&format!("take {arne}"));
        assert_eq!((game.due(), game.legal()), ("seat 3: take".to_owned(), "take glory, take wood".to_owned()));
        game.play(&format!("take {sandra}"));

        assert_eq!((game.glory(), game.wood()), (glory.into(), wood.into()), "{arne}, {sandra}");
        assert_eq!(game.due(), "seat 1: play", "no mixed payout, and no second one");
    }
}

/// The example: Patrick (seat 1) and Sandra (seat 2) have two Hunters & Gatherers of grain each, the
/// others none. They get one sacrifice card of grain each and no bonus: nobody has the majority alone.
#[test]
fn patrick_and_sandra_have_two_of_grain_each_and_get_a_card_each() {
    let game = uncover("grain", "displays: lumberjack / grain*2 / grain*2 / lumberjack");

    assert_eq!(game.held(), [4, 5, 5, 4]);
    assert_eq!(
        (game.cards(1).as_str(), game.cards(2).as_str()),
        ("fish mulberry sweet_potato grain*2", "fish mulberry sweet_potato grain*2")
    );
    assert_eq!(game.stock("grain"), 25 - 4 - 2);
    assert_eq!((game.wood(), game.glory()), (vec![0; 4], vec![0; 4]));
}

/// A lumberjack brings one wood. A10: a player with at least two lumberjacks and more than any other player gets the bonus.
#[test]
fn lumberjacks_bring_wood_with_the_bonus_for_the_sole_majority() {
    for (displays, wood) in [
        ("- / -", [0, 0]),
        ("lumberjack / -", [1, 0]),
        ("lumberjack / lumberjack", [1, 1]),
        ("lumberjack*2 / -", [3, 0]),
        ("lumberjack*2 / lumberjack", [3, 1]),
        ("lumberjack*2 / lumberjack*2", [2, 2]),
        ("lumberjack*2 / lumberjack*3", [2, 4]),
        ("lumberjack*4 / lumberjack*3", [5, 3]),
        ("lumberjack*3 / lumberjack*3", [3, 3]),
    ] {
        assert_eq!(uncover("lumberjack", &format!("displays: {displays}")).wood(), wood, "{displays}");
    }
    for (displays, wood) in [
        ("lumberjack*2 / lumberjack*2 / -", [2, 2, 0]),
        ("lumberjack*3 / lumberjack*2 / lumberjack*2", [4, 2, 2]),
        ("lumberjack / lumberjack*4 / lumberjack*4", [1, 4, 4]),
    ] {
        assert_eq!(uncover("lumberjack", &format!("displays: {displays}")).wood(), wood, "{displays}");
    }
}

/// A priest brings one glory point. D15: the bonus is additional.
#[test]
fn priests_bring_glory_points_with_the_bonus_for_the_sole_majority() {
    for (displays, glory) in [
        ("- / -", [0, 0]),
        ("priest / -", [1, 0]),
        ("priest*2 / -", [3, 0]),
        ("priest*2 / priest", [3, 1]),
        ("priest*2 / priest*2", [2, 2]),
        ("priest / priest*3", [1, 4]),
        ("priest*4 / priest*3", [5, 3]),
    ] {
        let game = uncover("priest", &format!("displays: {displays}"));
        assert_eq!((game.glory(), game.wood()), (glory.into(), vec![0, 0]), "{displays}");
    }
}

/// A Moai brings one glory point or one wood. D15: the bonus is additional. A9: the bonus has the chosen form too.
#[test]
fn moai_bring_glory_points_or_wood_with_the_bonus_for_the_sole_majority() {
    for (displays, plies, glory, wood) in [
        ("moai / -", "take glory", [1, 0], [0, 0]),
        ("moai*2 / moai*2", "take wood, take glory", [0, 2], [2, 0]),
        ("moai*3 / moai*2", "take wood, take wood", [0, 0], [4, 2]),
        ("moai / moai*3", "take glory, take glory", [1, 4], [0, 0]),
    ] {
        let mut game = uncover("moai", &format!("displays: {displays}"));

        game.play(plies);

        assert_eq!((game.glory(), game.wood()), (glory.into(), wood.into()), "{displays}: {plies}");
        assert_eq!(game.due(), "seat 1: play", "{displays}");
    }
}

/// A9: clockwise from the active player, one after the other. A22: a player without Moai is not asked.
#[test]
fn the_yield_of_moai_is_chosen_clockwise_from_the_active_player() {
    for (active, displays, order) in [
        (0, "moai / moai / moai / moai", "0123"),
        (2, "moai / moai / moai / moai", "2301"),
        (2, "moai / - / - / moai", "30"),
        (1, "moai / - / moai / -", "20"),
        (3, "- / - / - / moai*2", "3"),
        (3, "- / - / - / -", ""),
    ] {
        let mut game =
            table(&format!("phase: draw\nactive: {active}\ndisplays: {displays}\ncolumns: fish moai / _ / _ / _"));
        game.play("draw 1");

        for who in order.chars() {
            assert_eq!(game.due(), format!("seat {who}: take"), "{displays}");
            game.play("take wood");
        }
        assert_eq!(game.due(), format!("seat {}: play", (active + 1) % 4), "{displays}");
    }
}

/// A Moai in hand or out of the game, and a lumberjack in hand, bring nothing.
#[test]
fn only_cards_in_the_display_are_scored() {
    let game = uncover("moai", "displays: - / -\nhands: moai*2 / moai*3\nboxed: 1");
    assert_eq!(game.due(), "seat 1: play");

    let game = uncover("lumberjack", "displays: lumberjack / -\nhands: lumberjack*2 / lumberjack*3");
    assert_eq!(game.wood(), [1, 0]);

    let game = uncover("fish", "displays: - / fish\nhands: fish*2 / fish");
    assert_eq!(game.held(), [4, 5]);
}

/// One or more Hunters & Gatherers of the food bring exactly one card, and the bonus brings another card. D4: the bonus is
/// for the majority in the scored food, regardless of other foods.
#[test]
fn hunters_and_gatherers_bring_one_card_with_the_bonus_for_the_sole_majority_of_the_food() {
    for (displays, gained) in [
        ("- / -", [0, 0]),
        ("fish / -", [1, 0]),
        ("fish / fish", [1, 1]),
        ("fish*2 / -", [2, 0]),
        ("fish*2 / fish", [2, 1]),
        ("fish*2 / fish*2", [1, 1]),
        ("fish*2 / fish*3", [1, 2]),
        ("fish*3 / fish*2", [2, 1]),
        // D4: the majority in all Hunters & Gatherers does not matter.
        ("fish*2 / fish grain*4", [2, 1]),
        ("fish grain*2 / fish", [1, 1]),
        ("fish grain*3 / fish*2 mulberry", [1, 2]),
        ("fish*2 grain*3 / fish*2", [1, 1]),
        ("fish*2 grain*4 / fish*3 mulberry", [1, 2]),
        ("grain*3 / mulberry", [0, 0]),
    ] {
        let game = uncover("fish", &format!("displays: {displays}"));

        assert_eq!(game.held(), gained.map(|cards| 4 + cards), "{displays}");
        assert_eq!(u16::from(game.stock("fish")), 23 - u16::from(gained[0] + gained[1]), "{displays}");
        assert_eq!((game.wood(), game.glory()), (vec![0, 0], vec![0, 0]), "{displays}");
        assert_eq!(game.due(), "seat 1: play", "{displays}: nobody is asked");
    }
}

/// Each food brings its own cards.
#[test]
fn each_food_brings_cards_of_its_own() {
    for (food, cards) in [
        ("fish", "fish*2 mulberry sweet_potato grain"),
        ("mulberry", "fish mulberry*2 sweet_potato grain"),
        ("sweet_potato", "fish mulberry sweet_potato*2 grain"),
        ("grain", "fish mulberry sweet_potato grain*2"),
    ] {
        let game = uncover(food, &format!("displays: {food} / lumberjack priest moai"));

        assert_eq!((game.cards(0).as_str(), game.cards(1).as_str()), (cards, "fish mulberry sweet_potato grain"));
    }
}

/// D7: not at the end of each round.
#[test]
fn a_card_is_scored_at_the_end_of_each_turn() {
    let mut game = table(
        "hands: lumberjack*3 / lumberjack*3 / _
         displays: priest / - / -
         columns: fish priest priest priest / _ / _ / _",
    );

    game.play("play lumberjack, draw 1");
    assert_eq!(game.glory(), [1, 0, 0]);
    game.play("play lumberjack, draw 1");
    assert_eq!(game.glory(), [2, 0, 0]);
}

/// Scoring comes after playing: cards played this turn count.
#[test]
fn what_was_played_this_turn_counts() {
    let mut game = table(
        "hands: priest fish*2 / _
         displays: priest / priest
         columns: fish priest / _ / _ / _",
    );

    game.play("play priest, draw 1");

    assert_eq!(game.glory(), [3, 1]);
}
