//! The optional Combine rule: several cards of a suit count together in a meld.

use super::{Table, table};

/// Plays a meld of all cards of seat 0's hand.
fn melded(meld: &str) -> Table {
    let mut game = table(&format!("combine_rule: true\nphase: meld\nhands: {meld} / -"));
    game.play(&format!("meld {}, done", meld.replace(' ', ", meld ")));
    game
}

/// Optional Combine Rule. B14: it is an option, off by default.
#[test]
fn several_cards_of_a_suit_may_be_combined_where_that_is_agreed() {
    let hands = "phase: meld\nhands: F3 F4 W8 P7 S9 / -";
    let mut combined = table(&format!("combine_rule: true\n{hands}"));
    let mut plain = table(&format!("combine_rule: false\n{hands}"));

    combined.play("meld F3");
    plain.play("meld F3");

    assert_eq!(combined.legal(), "meld F4, meld W8");
    assert_eq!(plain.legal(), "meld W8");
    assert_eq!(table(hands).game, table(&format!("combine_rule: false\n{hands}")).game, "off by default");
}

/// Optional Combine Rule: "you may".
#[test]
fn one_card_of_each_suit_is_a_meld_still() {
    let mut game = table("combine_rule: true\nphase: meld\nhands: F3 F4 W8 W9 P7 S9 / -");

    game.play("meld F4, meld W8, meld P7, meld S9, done");

    assert_eq!(game.points(), [4, 0]);
    assert_eq!(game.hand(0), "F3 W9");
}

#[test]
fn a_combined_meld_lacks_no_suit() {
    for hand in ["F3 F4 W8 P7", "F3 F4 W8 S9", "W7 W8 P7 S9"] {
        assert_eq!(table(&format!("combine_rule: true\nphase: meld\nhands: {hand} / -")).legal(), "no meld", "{hand}");
    }
    let mut game = table("combine_rule: true\nphase: meld\nhands: F3 F4 W8 P7 S9 / -");
    for ply in ["meld F3", "meld F4", "meld W8", "meld P7"] {
        game.play(ply);
        assert!(game.refuses("done") && game.refuses("no meld"), "after {ply}");
    }
}

/// A meld goes suit by suit, in rising order within a suit: each meld has one spelling.
#[test]
fn combined_cards_are_laid_in_rising_order() {
    let mut game = table("combine_rule: true\nphase: meld\nhands: F3 F5*2 F9 W8 P7 P8 S9 / -");

    game.play("meld F5");
    assert_eq!(game.legal(), "meld F5, meld F9, meld W8");
    game.play("meld F5");
    assert_eq!(game.legal(), "meld F9, meld W8");
    game.play("meld W8");
    assert_eq!(game.legal(), "meld P7, meld P8");
    game.play("meld P8");

    assert_eq!(game.legal(), "meld S9");
}

/// B23, for the meld: the game asks for "done" even if the player could lay no other card.
#[test]
fn a_combined_meld_ends_when_the_player_says_so() {
    let mut game = table("combine_rule: true\nphase: meld\nhands: F3 W8 P7 S9 S12 / -");

    game.play("meld F3, meld W8, meld P7, meld S9");
    assert_eq!(game.legal(), "meld S12, done");
    assert_eq!(game.points(), [0, 0]);
    game.play("meld S12");
    assert_eq!(game.legal(), "done");
    assert_eq!(game.points(), [0, 0]);
    game.play("done");

    assert_eq!(game.due(), "seat 1: draw");
    assert_eq!(game.points(), [3, 0]);
}

#[test]
fn without_the_rule_nobody_has_to_say_done() {
    let mut game = table("phase: meld\nhands: F3 W8 P7 S9 S12 / -");

    game.play("meld F3, meld W8, meld P7");
    assert!(game.refuses("done"));
    game.play("meld S9");

    assert_eq!(game.due(), "seat 1: draw");
}

/// B15: the points are the lowest of the four sums. B16: a sum has no limit.
#[test]
fn a_combined_meld_brings_its_lowest_sum() {
    for (meld, points) in [
        ("F3 F4 W8 P7 S9", 7),
        ("F3 F4 W6 P7 S9", 6),
        ("F1 F1 W1 W2 P1 P3 S1 S4", 2),
        ("F1 F2 F3 F4 W11 P12 S12", 10),
        ("F5 F6 W5 W6 P11 S12", 11),
        ("F12 W12 P12 S12", 12),
        ("F6 F7 W12 W12 P12 P12 S12 S12", 13),
        ("F12 F12 W12 W12 P12 P12 S12 S12", 24),
        ("F10 F11 F12 W10 W11 W12 P10 P11 P12 S9 S10 S11", 30),
    ] {
        assert_eq!(melded(meld).points(), [points, 0], "{meld}");
    }
}

/// B15: Deforestation compares sums; only the highest card of a suit erodes, of Wood too.
#[test]
fn of_a_combined_suit_that_erodes_the_highest_card_does() {
    for (meld, eroded, discarded) in [
        // Wood always erodes.
        ("F2 W3 W4 P2 S2", "W4", "F2 W3 P2 S2"),
        ("F1 W9 W9 P1 S1", "W9", "F1 W9 P1 S1"),
        // Food 7 is above Wood 6.
        ("F3 F4 W6 P7 S7", "F4 W6", "F3 P7 S7"),
        // Food 5 is not above Wood 6, though it is above each 3.
        ("F5 W3 W3 P6 S1", "W3 P6", "F5 W3 S1"),
        // Equal cards: one erodes, the other does not.
        ("F6 F6 W11 P12 S1", "F6 W11", "F6 P12 S1"),
        // People 16 is above Food 1.
        ("F1 W1 P2 P5 P9 S12", "W1 P9", "F1 P2 P5 S12"),
        // People 5 is not above Food 8.
        ("F4 F4 W9 P5 S6", "W9 S6", "F4 F4 P5"),
        // Food 3 is not above Wood 4: all Food cards go to the discard pile.
        ("F1 F2 W4 P4 S5", "W4 P4 S5", "F1 F2"),
        // Stone 2 is above People 1.
        ("F1 W1 P1 S1 S1", "W1 S1", "F1 P1 S1"),
        // Stone 12 is not above People 13.
        ("F1 W1 P6 P7 S5 S7", "W1 P7", "F1 P6 S5 S7"),
        // Equal sums.
        ("F3 F5 W8 P8 S2 S6", "W8", "F3 F5 P8 S2 S6"),
        // Each suit is above the suit before it.
        ("F1 F2 W1 W1 P2 P2 S1 S4", "F2 W1 P2 S4", "F1 W1 P2 S1"),
    ] {
        let game = melded(meld);
        assert_eq!([game.eroded(), game.discard()], [eroded, discarded], "{meld}");
    }
}

/// A player can complete every legal action into a meld, and each meld has one spelling.
#[test]
fn every_combined_meld_can_be_laid_in_one_way() {
    for (hand, melds) in [
        ("F1 F2 F3 F4 W1 W2 W3 W4 P1 P2 P3 S1 S2 S3", 15 * 15 * 7 * 7),
        ("F1 F2 W1 P1 S1 S2 S3", 3 * 7),
        // F7 F7: one or both; W3 W3 W4: five subsets.
        ("F7*2 W3*2 W4 P1 S1*2 raid famine", 2 * 5 * 2),
        ("F7 W3 P1 raid", 0),
    ] {
        let game = table(&format!("combine_rule: true\nphase: meld\nhands: {hand} / -"));

        let mut decisions = game.decisions();

        assert_eq!(decisions.len(), melds + 1, "{hand}");
        decisions.sort();
        decisions.dedup();
        assert_eq!(decisions.len(), melds + 1, "{hand}");
        assert!(decisions.iter().all(|chain| chain == "no meld" || chain.ends_with(", done")));
    }
}

#[test]
fn a_whole_hand_may_be_one_meld() {
    let meld = "F1 F2 F3 F4 W1 W2 W3 W4 P1 P2 P3 S1 S2 S3";

    let game = melded(meld);

    assert_eq!(game.hand(0), "");
    assert_eq!(game.points(), [6, 0]);
    // Food 10 is not above Wood 10, People 6 not above Food 10, Stone 6 not above People 6.
    assert_eq!(game.eroded(), "W4");
    assert_eq!(game.discard(), meld.replace("W4 ", ""));
}
