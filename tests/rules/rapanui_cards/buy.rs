//! Step 1: the purchase of a sacrifice card.

use super::table;

/// The rulebook's example: Sandra (seat 0) has 7 wood and in her display a lumberjack, a Hunter &
/// Gatherer of mulberries and two of grain.
const SANDRA: &str = "phase: buy\nwood: 7 / 0\ndisplays: lumberjack mulberry grain*2 / lumberjack";

/// The example: a mulberry costs her 4 wood, 5 - 1; grain 3, 5 - 2; fish and sweet potatoes 5 each. But she may also
/// buy none.
#[test]
fn sandra_pays_4_for_a_mulberry_3_for_grain_5_for_the_others() {
    let game = table(SANDRA);
    assert_eq!(game.legal(), "buy fish, buy mulberry, buy sweet_potato, buy grain, buy nothing");

    for (food, price) in [("mulberry", 4), ("grain", 3), ("fish", 5), ("sweet_potato", 5)] {
        let mut game = game.clone();
        let stock = game.stock(food);

        game.play(&format!("buy {food}"));

        assert_eq!(game.wood(), [7 - price, 0], "{food}");
        assert_eq!(game.held(), [5, 4], "{food}");
        assert!(game.cards(0).contains(&format!("{food}*2")), "{food}: {}", game.cards(0));
        assert_eq!(game.stock(food), stock - 1, "{food}");
        assert_eq!(game.due(), "seat 0: play", "{food}: exactly one");
    }
    let mut game = game;
    game.play("buy nothing");
    assert_eq!((game.wood(), game.held(), game.due().as_str()), (vec![7, 0], vec![4, 4], "seat 0: play"));
}

/// The price is one wood lower for each Hunter & Gatherer of the food, and never below zero: with a start card a
/// player can have six.
#[test]
fn each_hunter_and_gatherer_makes_the_food_a_wood_cheaper_down_to_nothing() {
    for (count, price) in [(0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0), (6, 0)] {
        let at = |wood: u16| table(&format!("phase: buy\nwood: {wood} / 0\ndisplays: lumberjack fish*{count} / -"));
        let mut game = at(9);
        assert_eq!(game.village(0).price("fish".parse().expect("a food")), price, "{count}");

        game.play("buy fish");

        assert_eq!(game.wood()[0], 9 - price, "{count}");
        assert!(!at(price).refuses("buy fish"), "{count}: exactly enough");
        assert!(price == 0 || at(price - 1).refuses("buy fish"), "{count}: one too little");
        assert_eq!(at(price).refuses("buy grain"), price < 5, "{count}: no other food is cheaper");
    }
}

/// D6: Hunters & Gatherers count in the own display, not in hand or in other displays.
#[test]
fn only_hunters_and_gatherers_in_ones_own_display_make_it_cheaper() {
    let mut game = table("phase: buy\nwood: 5 / 0\nhands: fish*3 / _\ndisplays: lumberjack / lumberjack fish*3");
    assert!(!game.refuses("buy fish"));

    game.play("buy fish");

    assert_eq!(game.wood(), [0, 0]);
    let poorer = table("phase: buy\nwood: 4 / 0\nhands: fish*3 / _\ndisplays: grain / lumberjack fish*3");
    assert!(poorer.refuses("buy fish"));
    assert!(!poorer.refuses("buy grain"));
}

/// A player cannot choose a food without an open stack.
#[test]
fn what_is_not_in_the_supply_cannot_be_bought() {
    let game = table("phase: buy\nwood: 9 / 0\nstock: fish mulberry grain*3");

    assert_eq!(game.legal(), "buy fish, buy mulberry, buy grain, buy nothing");
    assert!(game.refuses("buy sweet_potato"));
    assert!(!game.refuses("buy fish"), "the last one");
}

#[test]
fn who_cannot_pay_cannot_buy() {
    let game = table("phase: buy\nwood: 4 / 0\ndisplays: lumberjack mulberry grain*2 / -");

    assert_eq!(game.legal(), "buy mulberry, buy grain, buy nothing");
    assert!(game.refuses("buy fish"));
    assert!(game.refuses("buy sweet_potato"));
}

/// The active player can buy exactly one card.
#[test]
fn no_second_card_can_be_bought() {
    let mut game = table("phase: buy\nwood: 20 / 20");

    game.play("buy fish");

    assert_eq!(game.due(), "seat 0: play");
    assert!(game.refuses("buy fish"));
    assert!(game.refuses("buy nothing"));
    assert_eq!(game.legal_for(1), "", "nobody else may buy either");
}

/// A2: the steps are strictly in order. A player who buys may then lack the wood for a Moai, even with three Moai in
/// hand. One of the three then goes out of the game.
#[test]
fn buying_comes_before_playing_and_may_cost_a_moai() {
    let mut game = table("phase: buy\nwood: 8 / 0\nhands: moai*3 / _");
    assert!(game.refuses("build moai"), "buying first");
    assert!(game.refuses("box moai"));

    let mut kept = game.clone();
    kept.play("buy nothing");
    assert_eq!(kept.legal(), "build moai");

    game.play("buy fish");
    assert_eq!(game.legal(), "box moai");
}

/// A22: a player who can afford no card on offer is not asked, and plays at once.
#[test]
fn who_can_buy_nothing_is_not_asked() {
    for (wood, displays, stock, due) in [
        (4, "- / -", "fish mulberry sweet_potato grain", "seat 1: play"),
        (5, "- / -", "fish mulberry sweet_potato grain", "seat 1: buy"),
        (5, "- / -", "-", "seat 1: play"),
        (9, "- / -", "sweet_potato", "seat 1: buy"),
        (4, "- / grain", "fish mulberry sweet_potato grain", "seat 1: buy"),
        (4, "- / grain", "fish mulberry sweet_potato", "seat 1: play"),
        (3, "- / grain", "fish mulberry sweet_potato grain", "seat 1: play"),
        (0, "- / grain*5", "grain", "seat 1: buy"),
        (0, "- / grain*5", "fish", "seat 1: play"),
        (4, "grain / -", "grain", "seat 1: play"),
    ] {
        // Priests are scored, and nobody has a priest.
        let mut game = table(&format!(
            "phase: draw\nwood: 0 / {wood}\ndisplays: {displays}\nstock: {stock}\ncolumns: fish priest / _ / _ / _"
        ));

        game.play("draw 1");

        assert_eq!(game.due(), due, "{wood} wood, {displays}, supply {stock}");
    }
}

/// A22: the game does not ask if "nothing" is the only legal action; it does ask if a food is legal too.
#[test]
fn one_food_that_can_be_afforded_is_offered_with_nothing() {
    let game = table("phase: buy\nwood: 4 / 0\ndisplays: fish / -");

    assert_eq!(game.legal(), "buy fish, buy nothing");
}
