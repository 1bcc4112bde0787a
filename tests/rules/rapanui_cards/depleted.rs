//! Scoring of a food with too few sacrifice cards in the supply (A7).

use super::{Table, table};

/// Returns a table after seat 0 draws and uncovers fish; `text` has the other lines.
fn score_fish(text: &str) -> Table {
    let mut game = table(&format!("phase: draw\ncolumns: priest fish / _ / _ / _\n{text}"));
    game.play("draw 1");
    game
}

/// "Players can instead pick a different Sacrifice card than the type being scored": any other food in the supply.
#[test]
fn from_a_depleted_stack_another_card_is_picked() {
    let mut game = score_fish("displays: fish / -\nstock: mulberry*2 grain");
    assert_eq!((game.due(), game.legal()), ("seat 0: pick 1 for fish".into(), "pick mulberry, pick grain".into()));
    assert!(game.refuses("pick fish"), "depleted");
    assert!(game.refuses("pick sweet_potato"), "depleted too");
    assert!(game.refuses("pick nothing"));

    game.play("pick grain");

    assert_eq!(game.cards(0), "fish mulberry sweet_potato grain*2");
    assert_eq!((game.stock("grain"), game.stock("mulberry")), (0, 2));
    assert_eq!(game.due(), "seat 1: play");
}

/// D8: clockwise from the active player, "then his left neighbour etc.". With two cards left, the later players get no card.
#[test]
fn who_draws_takes_first_and_then_the_left_neighbours() {
    for (active, substitute) in [(0, 2), (1, 0), (2, 1)] {
        let mut game = table(&format!(
            "phase: draw\nactive: {active}\ndisplays: fish / fish / fish\ncolumns: priest fish / _ / _ / _\n\
             stock: fish*2 grain*5"
        ));

        game.play("draw 1");

        assert_eq!(game.due(), format!("seat {substitute}: pick 1 for fish"));
        assert_eq!((0..3).filter(|&index| game.held()[index] == 4).collect::<Vec<_>>(), [substitute]);
        assert_eq!(game.stock("fish"), 0);
        game.play("pick grain");
        assert_eq!(game.held(), [5, 5, 5]);
    }
}

/// Each player takes the base card before the bonus card, and both before the next player's cards.
#[test]
fn each_player_resolves_base_and_bonus_before_the_next() {
    // Seat 0 has the majority: two cards are due to it, and one to each other player.
    for (fish, picks) in [
        (4, vec![]),
        (3, vec!["seat 2: pick 1 for fish"]),
        (2, vec!["seat 1: pick 1 for fish", "seat 2: pick 1 for fish"]),
        (1, vec!["seat 0: pick 1 for fish", "seat 1: pick 1 for fish", "seat 2: pick 1 for fish"]),
        (
            0,
            vec![
                "seat 0: pick 2 for fish",
                "seat 0: pick 1 for fish",
                "seat 1: pick 1 for fish",
                "seat 2: pick 1 for fish",
            ],
        ),
    ] {
        let mut game = score_fish(&format!("displays: fish*2 / fish / fish\nstock: fish*{fish} grain*9"));

        let mut asked = Vec::new();
        while game.due().contains("pick") {
            asked.push(game.due());
            game.play("pick grain");
        }

        assert_eq!(asked, picks, "{fish} fish");
        assert_eq!(game.held(), [6, 5, 5], "{fish} fish");
        assert_eq!((game.stock("fish"), usize::from(game.stock("grain"))), (0, 9 - picks.len()), "{fish} fish");
    }
}

/// The two substitutes of one player may be of different foods.
#[test]
fn base_and_bonus_may_be_different_cards() {
    let mut game = score_fish("displays: fish*2 / -\nstock: mulberry grain");

    game.play("pick mulberry");
    assert_eq!((game.due(), game.legal()), ("seat 0: pick 1 for fish".into(), "pick grain".into()));
    game.play("pick grain");

    assert_eq!(game.cards(0), "fish mulberry*2 sweet_potato grain*2");
    assert_eq!(game.due(), "seat 1: play");
}

/// If the supply is empty, nothing is due, and nobody is asked (A22).
#[test]
fn from_an_empty_supply_nobody_gets_anything() {
    for option in ["choice", "may_decline"] {
        let game = score_fish(&format!("depleted_pick: {option}\ndisplays: fish*2 / fish\nstock: -"));
        assert_eq!((game.due(), game.held()), ("seat 1: play".to_owned(), vec![4, 4]), "{option}");

        let mut game = score_fish(&format!("depleted_pick: {option}\ndisplays: fish*2 / fish\nstock: grain"));
        assert_eq!(game.due(), "seat 0: pick 2 for fish", "{option}");
        game.play("pick grain");
        assert_eq!((game.due(), game.held()), ("seat 1: play".to_owned(), vec![5, 4]), "{option}");
    }
}

/// A player without a Hunter & Gatherer of the food gets no substitute.
#[test]
fn only_who_would_get_a_card_gets_a_substitute() {
    let mut game = score_fish("displays: grain*3 / fish / -\nstock: grain*9");

    assert_eq!(game.due(), "seat 1: pick 1 for fish");
    game.play("pick grain");

    assert_eq!(game.due(), "seat 1: play");
    assert_eq!(game.held(), [4, 5, 4]);
}

/// `may_decline`: "so dürfen sich diese Spieler …" (these players may). A player declines each substitute separately.
#[test]
fn with_may_decline_each_substitute_may_be_left() {
    let mut game = score_fish("depleted_pick: may_decline\ndisplays: fish*2 / fish\nstock: mulberry grain*2");
    assert_eq!(
        (game.due(), game.legal()),
        ("seat 0: pick 2 for fish".to_owned(), "pick mulberry, pick grain, pick nothing".to_owned())
    );

    game.play("pick nothing");
    assert_eq!(game.due(), "seat 0: pick 1 for fish");
    game.play("pick grain");
    assert_eq!(game.due(), "seat 1: pick 1 for fish");
    game.play("pick nothing");

    assert_eq!((game.due(), game.held()), ("seat 1: play".to_owned(), vec![5, 4]));
    assert_eq!(game.stock("grain"), 1);
}

#[test]
fn by_default_a_substitute_must_be_taken() {
    let game = score_fish("displays: fish / -\nstock: grain");

    assert_eq!(game.legal(), "pick grain", "a single legal action, yet a question (A22)");
    assert!(game.refuses("pick nothing"));
}

/// D14: the editions do not differ.
#[test]
fn both_editions_replace_the_cards_of_a_depleted_stack() {
    for edition in ["german", "english"] {
        let game = score_fish(&format!("edition: {edition}\ndisplays: fish / -\nstock: mulberry grain"));

        assert_eq!(game.legal(), "pick mulberry, pick grain", "{edition}");
    }
}

/// While the stack has cards, there is no choice.
#[test]
fn while_the_stack_lasts_no_other_card_is_picked() {
    let game = score_fish("displays: fish*2 / fish\nstock: fish*3 grain*9");

    assert_eq!((game.due(), game.held()), ("seat 1: play".to_owned(), vec![6, 5]));
}
