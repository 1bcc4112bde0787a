//! Phase 1, drawing Moai from the quarry.

use ahu_core::{ChanceRng, Game, Seed};

use super::table;

/// Game preparation, Dice: 3 white dice are always used, one brown die for 4 players, both for 5.
#[test]
fn as_many_dice_are_rolled_as_there_are_players() {
    for (seats, roll, wrong) in [
        (3, "roll 1 2 0", ["roll 1 2", "roll 1 2 0 1"]),
        (4, "roll 1 2 0 3", ["roll 1 2 0", "roll 1 2 0 3 1"]),
        (5, "roll 1 2 0 3 1", ["roll 1 2 0 3", "roll"]),
    ] {
        let mut game = table(&format!("seats: {seats}\nphase: roll"));

        assert!(wrong.iter().all(|wrong| game.refuses(wrong)), "{seats} seats");
        game.play(roll);

        assert!(game.due().ends_with(": bid"), "{}", game.due());
    }
}

#[test]
fn the_dice_say_which_moai_may_be_sculpted() {
    let mut game = table("phase: roll\nseats: 5");

    game.play("roll 1 2 2 3 0");

    assert_eq!(game.due(), "seat 0, 1, 2, 3, 4: bid");
    assert_eq!(game.supply(), [17 - 1, 12 - 2, 6 - 1]);
    assert!(game.event_texts(super::PUBLIC)[1].ends_with("1 of size 1, 2 of size 2, 1 of size 3"), "{:?}", game.events);
}

/// In the first turn only, 0 counts as 1, and 3 as 2.
#[test]
fn in_the_first_turn_a_0_is_a_1_and_a_3_is_a_2() {
    for (turn, supply) in [(1, [17 - 2, 12 - 2, 6]), (2, [17 - 1, 12 - 1, 6 - 1])] {
        let mut game = table(&format!("phase: roll\nseats: 4\nturn: {turn}"));

        game.play("roll 0 1 2 3");

        assert_eq!(game.supply(), supply, "turn {turn}");
    }
}

/// The event explains a face that is not a size, and names the broken Moai.
#[test]
fn the_event_says_what_the_faces_mean() {
    for (turn, supply, roll, told) in [
        (1, "17 12 6", "roll 0 2 3", "0 (counts as 1), 2, 3 (counts as 2); Moai on offer: 1 of size 1, 2 of size 2"),
        (2, "17 12 6", "roll 0 2 3", "0 (no Moai), 2, 3; Moai on offer: 1 of size 2, 1 of size 3"),
        (2, "5 1 0", "roll 2 2 3", "2, 2, 3; Moai on offer: 1 of size 2; broken: 1 of size 2, 1 of size 3"),
        (2, "17 12 6", "roll 0 0 0", "0 (no Moai), 0 (no Moai), 0 (no Moai); Moai on offer: none"),
    ] {
        let mut game = table(&format!("phase: roll\nturn: {turn}\nsupply: {supply}"));
        game.play(roll);

        assert_eq!(game.event_texts(super::PUBLIC)[1], format!("the dice show {told}"));
    }
}

/// G1: dice are resolved one by one; surplus dice are broken Moai.
#[test]
fn a_die_whose_size_is_used_up_brings_no_moai() {
    let mut game = table("phase: roll\nsupply: 5 1 0\nbehind: 2W / 2W / 2W");

    game.play("roll 2 2 3");
    assert_eq!(game.supply(), [5, 0, 0]);
    game.bid(["2W", "2W", "2W"]);

    assert_eq!(game.legal(), "pick 2, decline");
    game.play("pick 2");
    assert!(game.due().ends_with("place"), "there was one of size 2, and the 3 was broken: {}", game.due());
}

/// G44: without any Moai there is no auction.
#[test]
fn where_the_dice_bring_no_moai_nobody_bids() {
    for (supply, roll, due) in [
        ("17 12 6", "roll 0 0 0", "seat 1: place"),
        ("17 0 0", "roll 2 3 0", "seat 1: place"),
        ("17 0 0", "roll 2 3 1", "seat 0, 1, 2: bid"),
    ] {
        let mut game = table(&format!("phase: roll\nfirst: 1\nsupply: {supply}\nbehind: 1W 1T / 1W 1T / 1W 1T"));

        game.play(roll);

        assert_eq!(game.due(), due, "{roll}");
    }
}

/// The faces are a reconstruction: 0, 1, 1, 2, 2, 3 on every die, or no 0 with `111223`.
#[test]
fn each_die_shows_its_own_faces() {
    let plain = table("phase: roll\nseats: 5");
    let white = table("phase: roll\nseats: 5\ndice_white: 111223");
    let brown = table("phase: roll\nseats: 5\ndice_brown: 111223");

    assert!(!plain.refuses("roll 0 0 0 0 0"));
    for (zero, is_white) in
        [("roll 0 1 1 1 1", true), ("roll 1 1 0 1 1", true), ("roll 1 1 1 0 1", false), ("roll 1 1 1 1 0", false)]
    {
        assert!(!plain.refuses(zero));
        assert_eq!(white.refuses(zero), is_white, "{zero}");
        assert_eq!(brown.refuses(zero), !is_white, "{zero}");
    }
}

/// In 6,000 rolls of five dice, each face comes as often as it is on the die, within a tenth.
#[test]
fn a_face_comes_as_often_as_it_is_on_the_die() {
    for (options, expected) in [("dice_white: 011223", [1, 2, 2, 1]), ("dice_white: 111223", [0, 3, 2, 1])] {
        let game = table(&format!("phase: roll\nseats: 5\n{options}")).game;
        let mut counts = [[0_usize; 4]; 5];
        for seed in 0..6_000 {
            let roll = game.draw(&mut ChanceRng::new(Seed(seed)));
            for (die, &face) in roll.faces().iter().enumerate() {
                counts[die][usize::from(face)] += 1;
            }
        }
        for (die, counts) in counts.iter().enumerate() {
            let sides = if die < 3 { expected } else { [1, 2, 2, 1] };
            for (face, (&count, sides)) in counts.iter().zip(sides).enumerate() {
                let fair = 1_000 * sides;
                assert!(count.abs_diff(fair) <= fair / 10, "die {die} showed {face} {count} times: {options}");
            }
        }
    }
}

/// Each turn has its own dice: the outcomes of different turns are independent.
#[test]
fn each_turn_rolls_anew() {
    let rolls: Vec<String> = (1..=30)
        .map(|turn| table(&format!("phase: roll\nturn: {turn}")).game.draw(&mut ChanceRng::new(Seed(1))).to_string())
        .collect();

    assert!(rolls.windows(2).any(|two| two[0] != two[1]), "{rolls:?}");
    assert!(rolls.iter().collect::<std::collections::HashSet<_>>().len() > 10, "{rolls:?}");
}
