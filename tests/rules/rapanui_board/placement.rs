//! Phase 1: placing figurines.

use ahu_games::rapanui_board::{Chief, Size};

use super::table;

/// The rulebook's example: the first player may not begin on the first space; another player may.
#[test]
fn the_first_player_may_not_begin_with_the_sorcerer_on_the_first_space() {
    // Turtle (seat 0) was the first player of the last turn. Moray (seat 2) was not.
    let game = table("phase: place\norder: 0 1 2");

    assert_eq!(game.legal("sorcerer"), "2, 3, 4");
    assert!(game.refuses("0: sorcerer 1"));
    let game = game.after("0: transporter 13, 1: transporter 14");
    assert_eq!(game.legal("sorcerer"), "1, 2, 3, 4");
    let game = game.after("2: sorcerer 1");
    assert_eq!(game.legal("sorcerer"), "2, 3, 4", "each star space has room for one");
}

/// M1.
#[test]
fn the_ban_is_lifted_with_the_first_players_second_figurine() {
    let game = table("phase: place").after("0: sculptor small, 1: transporter 13, 2: transporter 14");

    assert_eq!(game.due(), "seat 0: place");
    assert!(!game.refuses("sorcerer 1"));
}

/// M1.
#[test]
fn a_tile_or_an_improvement_is_not_the_first_action() {
    let game = table("phase: place\n0: has reeds*2 eggs*3 wood*2, tiles barter");
    for plies in ["tile barter eggs pearls", "improve fervent", "improve popular", "improve artistic"] {
        let game = game.after(plies);
        assert_eq!(game.due(), "seat 0: place", "{plies}");
        assert!(game.refuses("sorcerer 1"), "{plies}");
    }
}

/// M1: the Chief is a figurine.
#[test]
fn the_chief_is_a_first_action() {
    let game = table("phase: place\n0: chief").after("0: chief small, 1: transporter 13, 2: transporter 14");

    assert!(!game.refuses("0: sorcerer 1"));
}

/// M1, M35: the ban applies in round 1 too, and only to the first player.
#[test]
fn the_ban_holds_in_the_first_round() {
    let game = table("phase: place\nround: 1\norder: 1 2 0");

    assert!(game.refuses("1: sorcerer 1"));
    assert!(!game.after("1: sorcerer 4").refuses("2: sorcerer 1"));
}

/// M2.
#[test]
fn a_sorcerer_goes_to_any_free_star_space_and_gaps_do_not_count() {
    let mut game = table("phase: place\n0: at 13*4\n1: at 14*4\n2: at 21*4\norder: 0 1 2\nstar_spaces: 6");
    assert_eq!(game.legal("sorcerer"), "1, 2, 3, 4, 5, 6", "Villagers were placed before");

    game.play("0: sorcerer 6, 1: sorcerer 3, 2: sorcerer 2");

    assert_eq!(game.order(), "2, 1, 0");
    assert_eq!(game.due(), "seat 2: sculpt");
    assert!(table("phase: place\n0: at 13*4\nstar_spaces: 3").refuses("sorcerer 4"));
}

#[test]
fn each_turn_one_figurine_is_placed_until_all_are() {
    let mut game = table("phase: place\norder: 2 0 1");
    for turn in 0..5 {
        for (seat, space) in [(2, 13), (0, 14), (1, 21)] {
            assert_eq!(game.due(), format!("seat {seat}: place"));
            match turn {
                4 => game.play(&format!("sorcerer {}", seat + 1)),
                _ => game.play(&format!("{seat}: transporter {space}")),
            }
        }
    }
    assert_eq!(game.due(), "seat 0: sculpt");
    assert_eq!(game.transporters(13), (4, 0));
}

/// M3.
#[test]
fn nobody_passes_and_who_has_nothing_is_skipped() {
    let mut game = table("phase: place\n0: at 13*3\n1: at 14*4, star 2\n2: at 21*4");

    game.play("0: transporter 13");
    assert_eq!(game.due(), "seat 2: place", "seat 1 has placed all");
    assert_eq!(game.legal(""), "sorcerer 1, sorcerer 3, sorcerer 4", "a Sorcerer has to be placed");
    game.play("2: sorcerer 1");
    assert_eq!(game.legal(""), "sorcerer 3, sorcerer 4");
    game.play("0: sorcerer 4");
    assert_eq!(game.due(), "seat 2: sculpt");
}

#[test]
fn a_transporter_stands_on_any_space_without_an_opponents() {
    let game = table("phase: place\n0: at 13\n1: at 14 21*2");

    assert!(!game.refuses("transporter 13"), "several of a player's own may share a space");
    assert!(game.refuses("transporter 14") && game.refuses("transporter 21"));
    let all: Vec<_> = (1..=27).filter(|n| ![14, 21].contains(n)).map(|n| n.to_string()).collect();
    assert_eq!(game.legal("transporter"), all.join(", "));
    assert_eq!(game.after("transporter 13").transporters(13), (2, 0));
}

#[test]
fn the_side_of_two_players_has_19_spaces_to_stand_on() {
    let game = table("seats: 2\nphase: place");
    assert!(!game.refuses("transporter 19") && game.refuses("transporter 20"));
}

#[test]
fn a_column_of_the_quarry_has_so_many_places() {
    let game = table("phase: place\n0: sculptors large\n1: sculptors large*2\n2: sculptors small*3 medium");
    assert_eq!(game.legal("sculptor"), "small, medium");
    assert!(game.refuses("sculptor large"));
    assert!(!table("phase: place\n1: sculptors large*2").refuses("sculptor large"));

    let game = table("seats: 4\nphase: place\n0: sculptors small*2\n1: sculptors small*3\n2: sculptors medium*4");
    assert_eq!(game.legal("sculptor"), "large", "columns have 5, 4 and 3 places");
    let game = table("seats: 2\nphase: place\n0: sculptors small*3\n1: sculptors medium*2 large*2\n");
    assert_eq!(game.legal("sculptor"), "", "with two players 3, 2 and 2");
}

/// M4, `either`.
#[test]
fn the_chief_may_be_placed_in_phase_1_as_a_figurine() {
    let game = table("phase: place\n0: chief, sculptors small*2\n1: sculptors small*3\nquarry_small: 5");
    assert_eq!((game.legal("chief"), game.legal("sculptor")), ("small, medium, large".into(), "medium, large".into()));

    let game = game.after("0: chief small");
    assert_eq!(game.player(0).chief, Chief::InQuarry(Size::Small), "the Chief needs no free place");
    assert_eq!(game.due(), "seat 1: place", "it takes the turn");
    assert_eq!(table("phase: place").legal("chief"), "", "a player without the Chief's tile has no Chief");
}

/// M4: the Chief is placed below a column, not in it.
#[test]
fn the_chief_takes_no_place_from_others() {
    let game = table("phase: place\n0: chief small, sculptors small*2\n1: sculptors small*2\nactive: 1");
    assert!(!game.refuses("1: sculptor small"), "the fifth place is free");
    assert!(game.after("1: sculptor small").refuses("2: sculptor small"), "there is no sixth");
}

/// M4, `either`.
#[test]
fn who_has_the_chief_alone_left_is_skipped() {
    let text = "phase: place\n0: chief, at 13*4, star 1\n1: at 14*4\n2: at 21*4, star 3\nactive: 1";
    let game = table(text).after("1: sorcerer 2");

    assert_eq!(game.due(), "seat 0: sculpt");
    assert_eq!(game.legal("chief"), "small, medium, large");
}

/// M4, `phase1`.
#[test]
fn the_chief_must_be_placed_in_phase_1_where_that_is_agreed() {
    let text = "phase: place\n0: chief, at 13*3, sculptors small, star 1\n1: at 14*4\n2: at 21*4, star 3\n\
                active: 1\nchief_timing: phase1";
    let game = table(text).after("1: sorcerer 2");

    assert_eq!(game.due(), "seat 0: place");
    assert_eq!(game.legal(""), "chief small, chief medium, chief large");
    assert_eq!(game.after("chief medium").due(), "seat 0: sculpt");
    assert_eq!(table("phase: sculpt\n0: chief, at 13*4\nchief_timing: phase1").legal("chief"), "");
}

/// M4, `phase2`.
#[test]
fn the_chief_waits_for_phase_2_where_that_is_agreed() {
    assert_eq!(table("phase: place\n0: chief\nchief_timing: phase2").legal("chief"), "");
    assert_eq!(table("phase: sculpt\n0: chief, at 13*4\nchief_timing: phase2").legal("chief"), "small, medium, large");
}

/// M28, M43: a purchase takes no turn, and the Villager can be placed in the same phase.
#[test]
fn popular_bought_in_phase_1_brings_a_villager_at_once() {
    let mut game =
        table("phase: place\n0: has wood*2, at 13*4, star 2\n1: at 14*3, star 1\n2: at 21*4, star 3\nactive: 1");
    game.play("1: transporter 14");
    assert_eq!(game.due(), "seat 1: sculpt", "no turn, no purchase: seat 0 had nothing to place");

    let mut game = table("phase: place\n0: has wood*2, at 13*3, star 2\n1: at 14*4, star 1\n2: at 21*4, star 3");
    game.play("improve popular, transporter 13");
    assert_eq!((game.due().as_str(), game.resources(0)), ("seat 0: place", [0, 0, 0, 0]));
    game.play("transporter 13");
    assert_eq!(game.transporters(13), (5, 0));
}

/// M43.
#[test]
fn in_phase_1_one_barters_and_buys_and_plays_nothing_else() {
    let kinds = "rest barter skimp chip_in take_three_more change_jobs lend_a_hand take_two_more";
    let mut game = table(&format!("phase: place\n0: tiles {kinds}, tablet, has eggs*3, at 13_, sculptors small"));
    assert_eq!(game.legal("tile"), "barter eggs reeds, barter eggs wood, barter eggs pearls");
    assert_eq!(game.legal("tablet"), game.legal("tile"));
    assert_eq!(game.legal("improve"), "artistic");

    game.play("tile barter eggs pearls, improve chief");
    assert_eq!((game.due().as_str(), game.resources(0)), ("seat 0: place", [0, 0, 0, 0]));
    assert_eq!(game.legal("chief"), "small, medium, large", "bought in phase 1, he can be placed");
    assert!(!game.refuses("0: transporter 14") && game.refuses("1: transporter 14"));
}
