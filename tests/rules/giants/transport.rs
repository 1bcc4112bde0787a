//! Phase 4: the transport and marking of Moai and headdresses.

use super::{PUBLIC, table};

/// Example, Moai transportation: Blue 0, Yellow 1, Red 2. A is hex 34, B 33, C 32 and D 24.
#[test]
fn the_moai_transportation_example() {
    let mut game = table("figures: 0W@24 1C@34 0W+1@33 0W@32 2W@32\npieces: 2a front 0");

    game.play("lift 2a");
    assert_eq!(game.legal(), "enter 34", "on D there is one Worker, which is not enough");
    assert!(game.refuses("enter 24"));
    game.play("enter 34");
    assert_eq!(game.points(), [0, 2, 0], "the yellow player scores 2 points");
    game.play("enter 33");
    assert_eq!(game.points(), [0, 2, 0], "a Worker and a log: Blue needs nobody else");
    game.play("enter 32");
    assert_eq!(game.points(), [0, 2, 1], "1 point to the Red Player");
}

/// Example, Transportation with logs: Yellow 0, Red 1. A is hex 34, B 33.
#[test]
fn the_transportation_with_logs_example() {
    let mut game = table("figures: 1W+2@34 0W+1@33\npieces: 2a front 0");

    game.play("lift 2a, enter 34");
    assert_eq!(game.points(), [0, 1, 0], "not the logs without at least one Worker");
    game.play("enter 33, stop");

    assert_eq!(game.points(), [0, 1, 0], "no help, no points");
    assert_eq!(game.at("2a"), "33 held 0");
}

/// Example, Moai and Headdress erecting: Red 0, Yellow 1, Blue 2. A is hex 22, B 31, C 32 and D 21.
#[test]
fn the_erecting_example() {
    let mut game = table(
        "figures: 2C@32 0W@31 1W@31 1W@31
         pieces: 3a@22 held 0, ha@21 held 1",
    );

    assert_eq!(game.legal_after("lift 3a"), "enter 31, enter 32");
    assert!(game.refuses("lift 3a, enter 32, erect a17"), "none of the figures on C are of her colour");
    game.play("lift 3a, enter 31");
    assert_eq!(game.points(), [0, 2, 0], "Yellow scores 2 points");
    assert_eq!(game.legal(), "enter 32, stop, erect a15, erect a16", "one of the two emplacements available");
    game.play("erect a16");
    assert_eq!((game.ahu("a16"), game.bases(0)), ("of 0 3a".to_owned(), 6));

    game.play("lift ha, enter 31, top a16");
    assert_eq!(game.ahu("a16"), "of 0 3a ha");
    assert_eq!(game.points(), [0, 2, 0], "a yellow Worker carries her headdress");
}

/// Example, Moai marking: Blue 0. A is hex 34.
#[test]
fn the_marking_example() {
    let mut game = table("behind: 1T\nfigures: 0C@34\npieces: 3a front 0");

    game.play("lift 3a, enter 34");
    assert_eq!(game.legal(), "stop, mark", "he cannot go any farther");
    game.play("mark");

    assert_eq!((game.at("3a"), game.behind(0)), ("34 of 0".to_owned(), "chief sorcerer".to_owned()));
    let mut without = table("figures: 0C@34\npieces: 3a front 0");
    without.play("lift 3a, enter 34");
    assert_eq!(without.legal(), "stop", "without a Tribe Marker behind the screen");
}

/// Example, Take possession of an abandoned headdress: Blue 0, Red 1, Yellow 2. A is hex 28, B 29, C 30.
#[test]
fn the_abandoned_headdress_example() {
    let mut game = table("behind: 1T\nfigures: 1W@28 0W@29 2W@30\npieces: ha@27");

    game.play("lift ha, enter 28, enter 29, enter 30");
    assert_eq!(game.points(), [0, 1, 1]);
    assert_eq!(game.legal(), "mark", "he has to mark it");
    game.play("mark");

    assert_eq!((game.at("ha"), game.behind(0)), ("30 of 0".to_owned(), "chief sorcerer 1W".to_owned()));
}

/// The conditions for each size to pass, from the three lists of the rulebook.
#[test]
fn a_piece_enters_a_hex_whose_figures_and_logs_carry_its_size() {
    for (figures, one, two, three) in [
        ("", false, false, false),
        ("0W@34", true, false, false),
        ("0S@34", true, false, false),
        ("0W+1@34", true, true, false),
        ("0W@34 0W@34", true, true, false),
        ("0W@34 0S@34", true, true, false),
        ("0W+2@34", true, true, true),
        ("0S+2@34", true, true, true),
        ("0W+1@34 0W@34", true, true, true),
        ("0W@34 0W@34 0W@34", true, true, true),
        ("0C@34", true, true, true),
        ("1C@34", true, true, true),
        ("1W@34", true, false, false),
        ("1W+1@34", true, true, false),
        ("1W+2@34", true, true, true),
        ("0W@34 1W@34", true, true, false),
        ("0W@34 1W@34 2W@34", true, true, true),
        ("1W+1@34 2W@34", true, true, true),
    ] {
        for (piece, passes) in [("1a", one), ("2a", two), ("3a", three), ("ha", one)] {
            let start = if piece == "ha" { 33 } else { 25 };
            let game = table(&format!("figures: {figures}\npieces: {piece}@{start} of 0"));
            let enters = !game.refuses(&format!("lift {piece}")) && !game.refuses(&format!("lift {piece}, enter 34"));
            assert_eq!(enters, passes, "{piece} into a hex with \"{figures}\"");
        }
    }
}

#[test]
fn the_starting_hex_needs_nobody() {
    let mut game = table("figures: 0W@34\npieces: 1a front 0");

    game.play("lift 1a, enter 34, stop");
    assert_eq!(game.at("1a"), "34");
}

/// Moai start at the Moai quarry, headdresses at the headdress quarry.
#[test]
fn a_piece_in_front_of_a_screen_starts_at_its_quarry() {
    let game = table("figures: 0C@34 0W@24 0W@26 0W@28 0S@21\npieces: 1a front 0, ha front 0");

    assert_eq!(game.legal_after("lift 1a"), "enter 24, enter 34");
    assert_eq!(game.legal_after("lift ha"), "enter 26, enter 28");
}

/// A piece moves only to a neighbouring hex.
#[test]
fn no_hex_is_jumped_over() {
    let game = table("figures: 0W@34 0W@32\npieces: 1a front 0");

    assert_eq!(game.legal_after("lift 1a"), "enter 34");
    assert_eq!(game.legal_after("lift 1a, enter 34"), "stop", "33 is empty, and 32 is no neighbour");
}

/// A piece may pass any hex, including special hexes and quarries (G30).
#[test]
fn special_hexes_and_quarries_are_passed_as_any() {
    let mut game = table("figures: 0W@22 0W@21 0W@25 0S@34 0C@23\npieces: 1a@24 of 0");

    game.play("lift 1a, enter 25, enter 34, stop");
    assert_eq!(game.at("1a"), "34 of 0");
    let mut village = table("figures: 0W@22 0W@21 0W@28 0S@27\npieces: 1a@23 of 0, ha@26 of 0");
    village.play("lift 1a, enter 22, enter 21, stop, lift ha, enter 27, enter 28, stop");
    assert_eq!([village.at("1a"), village.at("ha")], ["21 of 0", "28 of 0"]);
}

/// A piece may not pass twice through the same hex in a turn; the start counts.
#[test]
fn no_piece_enters_a_hex_twice_in_a_turn() {
    let mut game = table("figures: 0W@24 0W@34 0W@33 0W@25 0S@23\npieces: 1a front 0\nahus: a19 of 2");

    game.play("lift 1a, enter 24");
    assert_eq!(game.legal(), "enter 23, enter 33, enter 34, stop", "25 is where it started");
    game.play("enter 33, stop");
    // G19: the same rule holds in a later action of the phase.
    assert_eq!(game.due(), "seat 0: transport");
    assert_eq!(game.legal_after("lift 1a"), "enter 23, enter 34");
    game.play("lift 1a, enter 34, stop");
    assert_eq!(game.due(), "roll", "24, 25, and 33 were visited: the player can only pass");
    // In the next turn the piece may enter them again.
    let mut next = table("figures: 0W@24 0W@34\npieces: 1a@34 of 0");
    assert_eq!(next.legal_after("lift 1a"), "enter 24");
    next.play("lift 1a, enter 24, stop");
}

/// A figure or a log can serve several transports in the same phase.
#[test]
fn figures_and_logs_serve_several_transports() {
    let mut game = table("figures: 1W+1@34 2W@24\npieces: 2a front 0, 2b front 0");

    game.play("lift 2a, enter 34, stop, lift 2b, enter 34, stop");

    assert_eq!(game.points(), [0, 2, 0], "figures are paid each time");
    assert_eq!([game.at("2a"), game.at("2b")], ["34", "34"], "G29: pieces do not block each other; the phase is over");
}

/// The exact rule of the shortage: the size minus the mover's figures and logs. Without a figure of the mover, the shortage
/// is at least one unit, for any number of logs.
#[test]
fn what_is_short_is_paid_to_opponents() {
    for (figures, size, points) in [
        ("0W@34", 1, [0, 0, 0]),
        ("1W@34", 1, [0, 1, 0]),
        ("1W+2@34", 1, [0, 1, 0]),
        ("1W+1@34", 2, [0, 1, 0]),
        ("1W+2@34", 2, [0, 1, 0]),
        ("1W@34 1W@34", 2, [0, 2, 0]),
        ("0W@34 1W@34", 2, [0, 1, 0]),
        ("0W+1@34 1W@34", 2, [0, 0, 0]),
        ("1W+2@34", 3, [0, 1, 0]),
        ("1W+1@34 1W@34", 3, [0, 2, 0]),
        ("1W@34 1W@34 1S@34", 3, [0, 3, 0]),
        ("0W@34 1W@34 1W@34", 3, [0, 2, 0]),
        ("0W+1@34 1W@34", 3, [0, 1, 0]),
        ("0W+1@34 1W+1@34", 3, [0, 0, 0]),
        ("0W@34 0S@34 1W@34", 3, [0, 1, 0]),
        ("0C@34 1W@34", 3, [0, 0, 0]),
        // G25: logs of any player earn nothing.
        ("1W+1@34 2W+1@34 0W@34", 3, [0, 0, 0]),
        ("0W+2@34 1W@34", 3, [0, 0, 0]),
        // A Chief: 1, 2, 3 by the size.
        ("1C@34", 1, [0, 1, 0]),
        ("1C@34", 2, [0, 2, 0]),
        ("1C@34", 3, [0, 3, 0]),
        ("1C@34 1W+2@34", 3, [0, 1, 0]),
        // G23: only units that are really needed.
        ("0W@34 1C@34", 2, [0, 1, 0]),
        ("0W@34 1C@34", 3, [0, 2, 0]),
        ("0W+1@34 1C@34", 3, [0, 1, 0]),
    ] {
        let mut game = table(&format!("figures: {figures}\npieces: {size}a front 0"));

        game.play(&format!("lift {size}a, enter 34"));

        assert_eq!(game.points(), points, "size {size} into {figures}");
        assert_eq!(game.due(), format!("seat 0: carry {size}a"), "there is no choice: G24, G47");
    }
    let mut headdress = table("figures: 1C@28\npieces: ha front 0");
    headdress.play("lift ha, enter 28");
    assert_eq!(headdress.points(), [0, 1, 0], "a headdress weighs 1");
}

/// Note: the mover chooses between figures of different players. G24: the mover pays exactly the shortage, after its own
/// figures.
#[test]
fn the_mover_chooses_whom_to_pay() {
    let one = table("figures: 1W@34 2W@34\npieces: 1a front 0");
    assert_eq!(one.legal_after("lift 1a, enter 34"), "pay +1, pay +2");
    for (pay, points) in [("pay +1", [0, 1, 0]), ("pay +2", [0, 0, 1])] {
        let mut game = one.clone();
        game.play(&format!("lift 1a, enter 34, {pay}, stop"));
        assert_eq!(game.points(), points);
        assert_eq!(game.at("1a"), "34", "the phase is over, and the piece is abandoned");
    }

    // Seat 2 moves: +1 is seat 0, +2 is seat 1.
    let mut left = table("player: 2\nfigures: 1W@34 0W@34\npieces: 1a front 2");
    left.play("lift 1a, enter 34, pay +2");
    assert_eq!(left.points(), [0, 1, 0]);
    assert!(one.refuses("lift 1a, enter 34, pay +3"), "three play");
    assert!(one.refuses("lift 1a, enter 34, stop"), "the piece is not there yet");
    assert!(one.refuses("lift 1a, enter 34, enough"));
}

/// The mover pays one Prestige Point at a time, from the mover's left on, so that each division has exactly one
/// sequence.
#[test]
fn a_payment_is_divided_among_opponents_as_the_mover_likes() {
    let game = table("seats: 4\nfigures: 1W@34 1W@34 2W@34 3W@34\npieces: 3a front 0");
    // Seats 2 and 3 cannot make up three units without seat 1, so the game pays seat 1's first unit without asking.
    assert_eq!(game.legal_after("lift 3a, enter 34"), "pay +1, pay +2");
    assert_eq!(game.legal_after("lift 3a, enter 34, pay +1"), "pay +2, pay +3", "seat 1 has no third figure there");
    for (chain, points) in
        [("pay +1, pay +2", [0, 2, 1, 0]), ("pay +1, pay +3", [0, 2, 0, 1]), ("pay +2", [0, 1, 1, 1])]
    {
        let mut paid = game.clone();
        paid.play(&format!("lift 3a, enter 34, {chain}"));
        assert_eq!((paid.due().as_str(), paid.points()), ("seat 0: carry 3a", points.to_vec()), "{chain}");
    }

    let two_each = table("seats: 4\nfigures: 1W@34 1W@34 2W@34 2W@34 3W@34 3W@34\npieces: 3a front 0");
    assert_eq!(two_each.legal_after("lift 3a, enter 34"), "pay +1, pay +2", "seat 3 alone cannot lend three");
    assert_eq!(two_each.legal_after("lift 3a, enter 34, pay +2"), "pay +2, pay +3", "not back to the left");
    assert!(two_each.refuses("lift 3a, enter 34, pay +2, pay +1"));
}

/// G23, `chief_pp: full_size`: an opponent's Chief earns the full size, and is then the only payee for the hex.
#[test]
fn a_chief_may_earn_the_full_size_by_option() {
    let game = |figures: &str, size: u8| {
        let mut game = table(&format!("chief_pp: full_size\nfigures: {figures}\npieces: {size}a front 0"));
        game.play(&format!("lift {size}a, enter 34"));
        game
    };

    assert_eq!(game("0W@34 1C@34", 2).points(), [0, 2, 0], "one unit is short; the Chief earns two");
    assert_eq!(game("0W@34 1C@34", 3).points(), [0, 3, 0]);
    assert_eq!(game("1C@34", 1).points(), [0, 1, 0]);
    assert_eq!(game("1C+0@34 1W+2@34", 3).legal(), "pay +1, pay chief +1");
    assert_eq!(game("0C@34 1C@34", 3).points(), [0, 0, 0], "an own Chief suffices");
    assert_eq!(game("0W+2@34 1C@34", 3).points(), [0, 0, 0], "own figures and logs suffice");

    let both = game("0W@34 1C@34 2W@34", 2);
    assert_eq!(both.legal(), "pay +2, pay chief +1");
    let mut chief = both.clone();
    chief.play("pay chief +1");
    assert_eq!((chief.points(), chief.due()), (vec![0, 2, 0], "seat 0: carry 2a".to_owned()));
    let mut worker = both;
    worker.play("pay +2");
    assert_eq!(worker.points(), [0, 0, 1]);

    // The shortage is two units, and Workers can lend only one: only the Chief can help, alone.
    let alone = game("0W@34 1C@34 2W@34", 3);
    assert_eq!((alone.points(), alone.due()), (vec![0, 3, 0], "seat 0: carry 3a".to_owned()));
    // The Chief is the only payee for the hex, so the mover cannot pay him after it has paid units.
    let two = game("1C@34 1W@34 2W@34", 2);
    assert_eq!(two.legal(), "pay +1, pay chief +1");
    assert!(two.refuses("pay +1, pay chief +1"));
    assert!(two.refuses("pay chief +1, pay +2"));
    let mut units = two;
    units.play("pay +1");
    assert_eq!(units.points(), [0, 1, 1], "the second unit is seat 2's Worker");
    // If units of one player bring the same points, paying his Chief is no further choice.
    let same = game("1C@34 1W@34 1W@34", 2);
    assert_eq!((same.points(), same.due()), (vec![0, 2, 0], "seat 0: carry 2a".to_owned()));
    // Without the option there is no such action.
    assert!(table("figures: 0W@34 1C@34 2W@34\npieces: 2a front 0").refuses("lift 2a, enter 34, pay chief +1"));
}

/// G24, `allow_gift_pp`: any total from the shortage up to the size.
#[test]
fn gifts_up_to_the_size_are_allowed_by_option() {
    let gifts = |figures: &str, plies: &str| {
        let mut game = table(&format!("allow_gift_pp: true\nfigures: {figures}\npieces: 2a front 0"));
        game.play(&format!("lift 2a, enter 34{plies}"));
        (game.due(), game.legal(), game.points())
    };
    let carrying = "seat 0: carry 2a";

    let (due, legal, points) = gifts("0W@34 0W@34 1W@34 2W@34", "");
    assert_eq!((due.as_str(), legal.as_str(), points), ("seat 0: pay at 34", "pay +1, pay +2, enough", vec![0, 0, 0]));
    assert_eq!(gifts("0W@34 0W@34 1W@34 2W@34", ", enough").0, carrying);
    assert_eq!(gifts("0W@34 0W@34 1W@34 2W@34", ", pay +1").1, "pay +2, enough");
    let (due, _, points) = gifts("0W@34 0W@34 1W@34 2W@34 2W@34", ", pay +1, pay +2");
    assert_eq!((due.as_str(), points), (carrying, vec![0, 1, 1]), "no more than the size");
    // The shortage is one unit, which comes first.
    assert_eq!(gifts("0W@34 1W@34 2W@34", "").1, "pay +1, pay +2");
    assert_eq!(gifts("0W@34 1W@34 2W@34", ", pay +1").1, "pay +2, enough");
    // No opponent is there to get a gift.
    assert_eq!(gifts("0W@34 0W@34", "").0, carrying);
    // No player lends more than the figures there.
    let (due, _, points) = gifts("0W@34 0W@34 1W@34", ", pay +1");
    assert_eq!((due.as_str(), points), (carrying, vec![0, 1, 0]));
    // Without the option the player pays exactly the shortage.
    let mut plain = table("figures: 0W@34 0W@34 1W@34 2W@34\npieces: 2a front 0");
    plain.play("lift 2a, enter 34");
    assert_eq!((plain.due().as_str(), plain.points()), (carrying, vec![0, 0, 0]));
}

/// G23 and G24 together: a Chief never earns more than the size, and he is the only payee.
#[test]
fn a_chief_of_full_size_may_be_a_gift() {
    let game = table("allow_gift_pp: true\nchief_pp: full_size\nfigures: 0W@34 0W@34 1C@34 2W@34\npieces: 2a front 0");

    assert_eq!(game.legal_after("lift 2a, enter 34"), "pay +2, pay chief +1, enough");
    let mut chief = game;
    chief.play("lift 2a, enter 34, pay chief +1");
    assert_eq!((chief.due(), chief.points()), ("seat 0: carry 2a".to_owned(), vec![0, 2, 0]));
}

/// Erecting requires a figure of the mover on the hex. G21: a figure of any kind, or with `erect_needs_worker` a Worker.
#[test]
fn to_erect_takes_an_own_figure_on_the_hex() {
    for (figure, any, worker) in [("0W", true, true), ("0S", true, false), ("0C", true, false), ("1W", false, false)] {
        for (option, expected) in [(false, any), (true, worker)] {
            let game = table(&format!(
                "erect_needs_worker: {option}\nbehind: 1T\nfigures: {figure}@32 1S@32\npieces: 1a@31 of 0, ha@31 of 0\nahus: a17 of 1 1b"
            ));

            assert_eq!(!game.refuses("lift 1a, enter 32, erect a18"), expected, "{figure}, {option}");
            // Topping requires a figure of the mover, of any kind.
            assert_eq!(!game.refuses("lift ha, enter 32, top a17"), any, "{figure}, {option}");
        }
    }
}

/// A Moai needs a free Ahu, which has no Moai and no reservation, or an Ahu that the mover has reserved (G51).
#[test]
fn a_moai_is_erected_on_a_free_or_an_own_reserved_ahu() {
    let game = table(
        "figures: 0W@31 0W@32 0W@30\npieces: 1b@22 of 0, 1a@22 of 0\nahus: a15 of 1, a16 of 0, a17 of 0 1c, a18 of 2 1d",
    );

    let mut own = game.clone();
    own.play("lift 1a, enter 31");
    assert_eq!(own.legal(), "enter 30, enter 32, stop, erect a16");
    own.play("erect a16");
    assert_eq!((own.ahu("a16"), own.bases(0)), ("of 0 1a".to_owned(), 5), "the base that lies there is used");
    assert_eq!(game.legal_after("lift 1a, enter 32"), "enter 31, stop");
    let mut free = game;
    free.play("lift 1a, enter 31, enter 30, erect a14");
    assert_eq!((free.ahu("a14"), free.bases(0)), ("of 0 1a".to_owned(), 4), "a free Ahu takes a base from the hand");
}

/// G40: a player without a base in hand may erect only on an Ahu that this player has reserved.
#[test]
fn without_a_base_in_hand_only_a_reserved_ahu_is_erected_on() {
    let six = "a0 of 0, a1 of 0, a2 of 0, a3 of 0, a4 of 0, a5 of 0";
    let none = table(&format!("behind: 1T\nfigures: 0W@31\npieces: 1a@22 of 0\nahus: {six}, a15 of 0"));
    assert_eq!(none.legal_after("lift 1a, enter 31"), "stop, erect a15");
    let one = table(&format!("behind: 1T\nfigures: 0W@31\npieces: 1a@22 of 0\nahus: {six}"));
    assert_eq!(one.legal_after("lift 1a, enter 31"), "stop, erect a15, erect a16");
}

/// Note: players can move neither an erected Moai nor a headdress on it.
#[test]
fn what_is_erected_stays() {
    let game = table("behind: 2T\nfigures: 0C@32 0W@31\npieces: 1b@31 of 0\nahus: a17 of 0 1a ha");

    assert_eq!(game.legal(), "pass, lift 1b");
}

/// G18, G49: a piece beside an Ahu may be erected or topped without moving; leaving it in place is no action.
#[test]
fn a_piece_beside_an_ahu_is_erected_or_topped_without_moving() {
    let mut game = table("figures: 0W@31\npieces: 1b@31 of 0, ha@31 of 0\nahus: a15 of 1 1a");

    assert_eq!(game.legal_after("lift 1b"), "erect a16");
    assert_eq!(game.legal_after("lift ha"), "top a15");
    assert!(game.refuses("lift 1b, stop"), "stopping unmoved is no action");
    game.play("lift 1b, erect a16");
    assert_eq!(game.legal_after("lift ha"), "top a15, top a16");
    // A piece without any legal use is not offered.
    let stuck = table("figures: 0W@30 0W@29\npieces: 1a@31 of 0, 1b@40 of 0");
    assert_eq!(stuck.legal(), "pass, lift 1a");
}

/// Topping, G22: any untopped Moai of the hex; the points go to the player who erected it. `top_own_only`: only a Moai of
/// the mover.
#[test]
fn a_headdress_goes_on_any_untopped_moai_of_the_hex() {
    for (own_only, at_31, at_32) in [(false, "top a15", "top a17"), (true, "", "top a17")] {
        let game = table(&format!(
            "top_own_only: {own_only}
             figures: 0W@31 0W@32
             pieces: hb@22 of 0
             ahus: a15 of 1 1a, a17 of 0 1b, a18 of 0 1c ha"
        ));
        let legal =
            |hex: u8, top: &str| format!("enter {}, stop{}{top}", 63 - hex, if top.is_empty() { "" } else { ", " });

        assert_eq!(game.legal_after("lift hb, enter 31"), legal(31, at_31), "{own_only}");
        assert_eq!(game.legal_after("lift hb, enter 32"), legal(32, at_32), "{own_only}: a18 is topped");
        let mut topped = game;
        topped.play("lift hb, enter 32, top a17");
        assert_eq!(topped.ahu("a17"), "of 0 1b hb");
    }
    // The points go to the owner of the base.
    let mut given = table("figures: 0W@31\npieces: ha@22 of 0\nahus: a15 of 1 1a");
    let before = given.scores();
    given.play("lift ha, enter 31, top a15");
    assert_eq!(given.scores(), [before[0], before[1] + 7, 0]);
    // No headdress goes on an Ahu without a Moai, and no Moai on a Moai.
    let none = table("figures: 0W@31\npieces: ha@22 of 0, 1b@22 of 0\nahus: a15 of 0, a16 of 0 1a");
    assert_eq!(none.legal_after("lift ha, enter 31"), "stop, top a16");
    assert_eq!(none.legal_after("lift 1b, enter 31"), "stop, erect a15");
}

/// A player moves or marks one piece, and then the others play.
#[test]
fn players_transport_one_piece_at_a_time_in_turn_order() {
    let mut game = table("first: 1\nfigures: 0W@24 1W@34\npieces: 1a front 0, 1b front 1, 1c front 1");

    game.play("lift 1b, enter 34, stop");
    assert_eq!(game.due(), "seat 0: transport", "seat 2 has nothing to do and has passed");
    game.play("pass");
    assert_eq!(game.due(), "seat 1: transport");
    game.play("lift 1c, enter 34, stop");
    assert_eq!(game.due(), "seat 1: transport", "passing is final, for seat 0 too");
    assert_eq!(game.legal(), "pass, lift 1b, lift 1c");
}

/// Only its player moves a marked piece. G27: pieces in front of a screen are out of reach.
#[test]
fn nobody_moves_what_is_marked_by_another_or_in_front_of_another_screen() {
    let game =
        table("behind: 1T / 1T\nfigures: 0C@24 1W@34 0W@33 0W@23\npieces: 1a@25 of 1, 1b front 1, 1c front 0, 1d@24");

    assert_eq!(game.legal(), "pass, lift 1c, lift 1d");
    assert!(game.refuses("lift 1a") && game.refuses("lift 1b"));
}

/// G27: a piece in front stays out of reach even if its player has passed.
#[test]
fn what_is_in_front_of_who_has_passed_stays_out_of_reach() {
    let mut game = table("player: 1\nbehind: 1T\nfigures: 0W@24\npieces: 1a front 1, 1b front 0");
    game.play("pass, lift 1b, enter 24");
    game.play("mark");

    assert_eq!(game.at("1a"), "25", "it went to the quarry when the phase was over");
    let mut now = table("player: 1\nbehind: 1T\nfigures: 0W@24\npieces: 1a front 1, 1b front 0");
    now.play("pass");
    assert_eq!(now.legal(), "pass, lift 1b");
}

/// A player marks a piece at the end of a move, or without moving. G48: a piece in front goes to its quarry.
#[test]
fn a_piece_may_be_marked_without_moving() {
    let mut game = table("behind: 3T\npieces: 1a front 0, ha front 0, 1b@30");

    assert_eq!(game.legal(), "pass, lift 1a, lift 1b, lift ha");
    for (piece, hex) in [("1a", 25), ("ha", 27), ("1b", 30)] {
        assert_eq!(game.legal_after(&format!("lift {piece}")), "mark", "{piece}");
        game.play(&format!("lift {piece}, mark"));
        assert_eq!(game.at(piece), format!("{hex} of 0"));
    }
    assert_eq!(game.due(), "seat 0: recover 1a", "no Tribe Marker is left and the phase ends");
    // Without a Tribe Marker a player has nothing to do.
    let none = table("player: 1\nbehind: - / 1T\npieces: 1a front 0, 1b front 1");
    let mut none = none;
    none.play("lift 1b, mark");
    assert_eq!(none.due(), "seat 1: recover 1b", "seat 0 was not asked");
}

/// G48: a marked piece keeps its mark when it stops, and is not marked again.
#[test]
fn a_marked_piece_keeps_its_mark() {
    let mut game = table("behind: 2T\nfigures: 0W@34 0W@33\npieces: 1a@25 of 0");

    assert_eq!(game.legal_after("lift 1a"), "enter 34");
    assert_eq!(game.legal_after("lift 1a, enter 34"), "enter 33, stop");
    game.play("lift 1a, enter 34, stop");
    assert_eq!((game.at("1a"), game.behind(0)), ("34 of 0".to_owned(), "chief sorcerer 2T".to_owned()));
}

/// G28: the Tribe Marker returns when the piece is erected or put on top, and may be reused at once.
#[test]
fn the_marker_of_an_erected_or_topping_piece_may_be_reused_at_once() {
    for (piece, other, end, site) in [("1b", "1c", "erect a16", "of 0 1b"), ("ha", "1b", "top a15", "of 0 1a ha")] {
        let mut game = table(&format!("figures: 0W@31\npieces: {piece}@31 of 0, {other} front 0\nahus: a15 of 0 1a"));
        assert_eq!(game.legal(), format!("pass, lift {piece}"), "there is no marker for {other}");

        game.play(&format!("lift {piece}, {end}"));

        assert_eq!(game.ahu(&end[end.len() - 3..]), site);
        assert_eq!(game.behind(0), "chief sorcerer 1T");
        game.play(&format!("lift {other}, mark"));
        assert_eq!(game.at(other), "25 of 0");
    }
}

/// G19: in this phase others may not take a piece that its player moved and left unmarked. The player may move it
/// again.
#[test]
fn who_moved_a_piece_keeps_it_until_the_phase_ends() {
    let mut game = table("behind: 1T / 1T\nfigures: 0W@34 0W@33 1W@24 0W@32\npieces: 1a front 0, 1b front 1");
    game.play("lift 1a, enter 34, stop");

    assert_eq!(game.legal(), "pass, lift 1b", "seat 1 cannot take 1a");
    game.play("lift 1b, enter 24, stop");
    assert_eq!(game.due(), "seat 0: transport");
    assert_eq!(game.legal_after("lift 1a"), "enter 24, enter 33, mark");
    let mut marked = game.clone();
    marked.play("lift 1a, mark");
    assert_eq!(marked.at("1a"), "34 of 0");
    game.play("lift 1a, enter 33, enter 32, erect a17");
    assert_eq!(game.ahu("a17"), "of 0 1a");
}

/// In the next Transport Phase another player may take the piece.
#[test]
fn what_was_left_unmarked_is_abandoned_in_the_next_turn() {
    let mut game = table("figures: 0W@34\npieces: 1a front 0\nbehind: - / 1T");
    game.play("lift 1a, enter 34, stop");
    assert_eq!(game.at("1a"), "34");
    assert_eq!(game.due(), "roll");

    game.play("roll 0 0 0");
    game.play("pass, pass, pass");
    assert_eq!(game.due(), "seat 1: transport");
    assert_eq!(game.legal(), "pass, lift 1a");
    assert_eq!(game.legal_after("lift 1a"), "mark");
}

/// G20: a player who takes an abandoned piece must mark, erect, or top it in that action, and may not leave it
/// unmarked.
#[test]
fn an_abandoned_piece_is_marked_erected_or_topped() {
    let mut game = table("behind: 1T\nfigures: 0W@33 0W@32\npieces: 1b@34, ha@34\nahus: a17 of 2 1a");

    assert_eq!(game.legal_after("lift 1b"), "enter 33, mark");
    assert_eq!(game.legal_after("lift 1b, enter 33"), "enter 32, mark, erect a19");
    assert_eq!(game.legal_after("lift ha, enter 33, enter 32"), "mark, top a17");
    assert!(game.refuses("lift 1b, enter 33, stop"));
    game.play("lift 1b, enter 33, erect a19");
    assert_eq!(game.ahu("a19"), "of 0 1b");
}

/// G20: without a Tribe Marker, a player may take an abandoned piece only if an Ahu is in reach, and carry it only
/// to hexes from which the Ahu stays in reach.
#[test]
fn without_a_marker_an_abandoned_piece_has_to_reach_an_ahu() {
    // Hex 33 has an Ahu, and 24 leads there too. Hex 23 leads only back over 33 or 24.
    let game = table("figures: 0W@33 1W@24 1W@34\npieces: 1a@25");
    assert_eq!(game.legal(), "pass, lift 1a");
    assert_eq!(game.legal_after("lift 1a"), "enter 24, enter 34");
    assert_eq!(game.legal_after("lift 1a, enter 24"), "enter 33, enter 34");
    assert_eq!(game.legal_after("lift 1a, enter 24, enter 34"), "enter 33");
    assert_eq!(game.legal_after("lift 1a, enter 34, enter 33"), "erect a19", "24 is a dead end");

    // A way without a return to the Ahu is not offered.
    let side = table("figures: 0W@33 1W@34 1W@24 1W@16\npieces: 1a@25");
    assert_eq!(side.legal_after("lift 1a, enter 24"), "enter 33, enter 34", "16 is a dead end");

    // Without a figure of the mover beside an Ahu, the piece cannot be lifted.
    let none = table("player: 0\nfigures: 1W@33 1W@24 0W@34\npieces: 1a@25, 1b front 0");
    assert_eq!(none.legal(), "pass, lift 1b");
    // A headdress without a Moai to top cannot be lifted either.
    let headdress = table("figures: 0W@28 0W@29 0W@30\npieces: ha@27, hb front 0");
    assert_eq!(headdress.legal(), "pass, lift hb");
    let mut top = table("figures: 0W@28 0W@29 0W@30\npieces: ha@27\nahus: a13 of 1 1a");
    assert_eq!(top.legal(), "pass, lift ha");
    top.play("lift ha, enter 28, enter 29, enter 30, top a13");
    assert_eq!(top.ahu("a13"), "of 1 1a ha");
}

/// G20: an abandoned piece may be marked or erected in place.
#[test]
fn an_abandoned_piece_may_be_marked_or_erected_where_it_lies() {
    let mut game = table("figures: 0W@31\npieces: 1a@31");
    assert_eq!(game.legal_after("lift 1a"), "erect a15, erect a16");
    game.play("lift 1a, erect a15");
    assert_eq!(game.ahu("a15"), "of 0 1a");

    let mut mark = table("behind: 1T\npieces: 3a@25");
    mark.play("lift 3a, mark");
    assert_eq!(mark.at("3a"), "25 of 0");
}

/// G20 with G47: a player who can do nothing with any piece is not asked and has passed.
#[test]
fn who_can_do_nothing_with_any_piece_has_passed() {
    let mut game = table("player: 2\nbehind: - / - / 1T\nfigures: 0W@12\npieces: 1a@25, 1b front 0, 1c front 2");

    game.play("lift 1c, mark");

    assert_eq!(game.due(), "seat 2: recover 1c");
    let event_texts = game.event_texts(PUBLIC);
    for seat in 0..3 {
        assert!(event_texts.contains(&format!("seat {seat} has nothing left to do and passes")), "{event_texts:?}");
    }
    assert_eq!([game.at("1a"), game.at("1b")], ["25", "25"]);
}

/// G23, G24: each payment goes to an opponent for figures on the entered hex. All points that an opponent earns in one
/// ply are one event.
#[test]
fn events_tell_who_was_paid_for_what() {
    let mut game = table("figures: 1C@34 2W+1@33\npieces: 2a front 0");

    game.play("lift 2a, enter 34, enter 33, stop");

    let event_texts = game.event_texts(PUBLIC);
    let paid: Vec<&String> = event_texts.iter().filter(|text| text.contains("earns")).collect();
    assert_eq!(
        paid,
        [
            "seat 1 earns 2 Prestige Points for helping seat 0 on hex 34",
            "seat 2 earns 1 Prestige Point for helping seat 0 on hex 33"
        ]
    );
    assert_eq!(game.points(), [0, 2, 1]);
}
