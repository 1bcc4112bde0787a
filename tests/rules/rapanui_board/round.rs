//! The end of a round.

use ahu_games::rapanui_board::Sorcerer;

use super::{PUBLIC, table};

#[test]
fn figurines_go_back_and_erected_moai_stay() {
    let mut game = table(
        "order: 1 2 0\nactive: 2\nround: 3
         0: at 8 9_, sculptors small, chip_ins small, chief 3, popular, out
         1: at 13_, works, out
         2: at 14, sculptors large
         on 2: small^ rest",
    );
    game.play("2: drop out");

    assert_eq!((game.due().as_str(), game.game.table.round, game.order().as_str()), ("seat 1: place", 4, "1, 2, 0"));
    for index in 0..3 {
        let player = game.player(index);
        assert_eq!((player.sorcerer, player.held.len(), player.sculptors.total()), (Sorcerer::InHand, 0, 0));
        assert_eq!((player.villagers, player.has_dropped_out), (if index == 0 { 5 } else { 4 }, false));
    }
    assert!((1..=27).all(|number| game.transporters(number) == (0, 0)));
    assert_eq!((game.site(2).moai().total(), game.site(2).styled()), (1, 1));
}

/// M29, M39.
#[test]
fn moai_that_are_not_erected_return_to_the_supply_at_the_end_of_the_round() {
    let mut game = table("0: moai small*2 large, at 13\n1: at 14");
    game.play("0: drop out");
    assert_eq!((game.moai(0), game.supply()), ([2, 0, 1], [6, 7, 5]), "not when their player drops out");
    game.play("1: drop out, 2: drop out");
    assert_eq!((game.moai(0), game.supply()), ([0, 0, 0], [8, 7, 6]));
}

/// The Sorcerers of the round before set the turn order.
#[test]
fn the_next_round_begins_with_the_new_first_player() {
    let mut game =
        table("phase: place\n0: at 13*4\n1: at 14*4\n2: at 21*4").after("0: sorcerer 2, 1: sorcerer 1, 2: sorcerer 3");
    game.pass_until("seat 1: place");
    assert_eq!((game.order().as_str(), game.legal("sorcerer").as_str()), ("1, 0, 2", "2, 3, 4"));
}

#[test]
fn the_end_of_a_round_is_told() {
    let mut game = table("active: 2\n0: out\n1: out, at 8\n2: at 9").after("2: drop out");
    assert_eq!(game.event_texts(PUBLIC), ["seat 2 drops out", "round 2 is over; 21 ahus are empty", "--- round 3 ---"]);
    game.play("0: transporter 3");
    assert_eq!(game.event_texts(PUBLIC), ["seat 0 places a Transporter on space 3"]);
}
