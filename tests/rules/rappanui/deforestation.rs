//! Deforestation Phase: the piles that the cards of a meld go to. For the Combine rule, see `combine.rs`.

use super::table;

/// Deforestation Phase: the Wood erodes, and so do Food above the Wood, People above the Food, and Stone above the
/// People. B13: by the printed numbers, strictly, regardless of the pile that the other card went to.
#[test]
fn a_card_erodes_that_is_above_the_one_that_it_lives_on() {
    for (meld, eroded, discarded) in [
        // All above, all below, all equal.
        ("F2 W1 P3 S4", "F2 W1 P3 S4", ""),
        ("F11 W12 P10 S9", "W12", "F11 P10 S9"),
        ("F7 W7 P7 S7", "W7", "F7 P7 S7"),
        // One of them above.
        ("F6 W5 P6 S6", "F6 W5", "P6 S6"),
        ("F5 W5 P6 S6", "W5 P6", "F5 S6"),
        ("F5 W5 P5 S6", "W5 S6", "F5 P5"),
        // One of them equal.
        ("F5 W5 P6 S7", "W5 P6 S7", "F5"),
        ("F6 W5 P6 S7", "F6 W5 S7", "P6"),
        ("F6 W5 P7 S7", "F6 W5 P7", "S7"),
        // One of them below.
        ("F4 W5 P6 S7", "W5 P6 S7", "F4"),
        ("F6 W5 P4 S7", "F6 W5 S7", "P4"),
        ("F6 W5 P7 S4", "F6 W5 P7", "S4"),
        // The number of the Wood does not matter for People and Stone, nor does the number of the Food for Stone.
        ("F1 W9 P2 S3", "W9 P2 S3", "F1"),
        ("F9 W1 P8 S7", "F9 W1", "P8 S7"),
        ("F1 W9 P8 S2", "W9 P8", "F1 S2"),
        ("F9 W1 P2 S3", "F9 W1 S3", "P2"),
        ("F12 W12 P1 S12", "W12 S12", "F12 P1"),
    ] {
        let mut game = table(&format!("phase: meld\nhands: {meld} / -"));

        game.play(&format!("meld {}", meld.replace(' ', ", meld ")));

        assert_eq!([game.eroded(), game.discard()], [eroded, discarded], "{meld}");
    }
}

/// The same rule for all 81 orders of four cards of three numbers.
#[test]
fn each_suit_is_compared_with_the_one_before_it() {
    let numbers = [3, 7, 11];
    for index in 0..81 {
        let [food, wood, people, stone] = [27, 9, 3, 1].map(|place| numbers[index / place % 3]);
        let meld = format!("F{food} W{wood} P{people} S{stone}");
        let mut game = table(&format!("phase: meld\nhands: {meld} / -"));

        game.play(&format!("meld {}", meld.replace(' ', ", meld ")));

        let gone = [food > wood, true, people > food, stone > people];
        let names: Vec<_> = meld.split(' ').collect();
        let pile = |erodes| (0..4).filter(|&n| gone[n] == erodes).map(|n| names[n]).collect::<Vec<_>>().join(" ");
        assert_eq!((game.eroded(), game.discard()), (pile(true), pile(false)), "{meld}");
    }
}

/// Deforestation Phase: without a meld nothing erodes.
#[test]
fn without_a_meld_nothing_erodes() {
    let mut game = table("phase: meld\nhands: F3 W5 P7 S9 / -\ndeck: -\ndiscard: F1 F2");
    let eroded = game.eroded();

    game.play("no meld");

    assert_eq!(game.eroded(), eroded);
    assert_eq!(game.discard(), "F1 F2");
}

#[test]
fn the_piles_keep_what_they_had() {
    let mut game = table("phase: meld\nhands: F3 W5 P7 S9 / -\ndeck: F4 F4\ndiscard: F1 F2");
    let before = game.game.table.eroded.len();

    game.play("meld F3, meld W5, meld P7, meld S9");

    assert_eq!(game.discard(), "F1 F2 F3");
    assert_eq!(game.game.table.eroded.len(), before + 3);
    assert_eq!(game.deck(), "F4 F4");
}
