//! Decline Phase: the hand limit.

use std::collections::BTreeSet;

use ahu_games::rappanui::hand_limit;

use super::{seat, table};

/// Decline Phase: 10 cards, 8 after the first pass, 6 after the second. B6: 6 after the third too.
#[test]
fn the_hand_limit_is_10_then_8_then_6() {
    let hand = "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12";
    for (passes, limit) in [(0, 10), (1, 8), (2, 6), (3, 6)] {
        assert_eq!(hand_limit(passes), limit, "after {passes} passes");
        for cards in 0..=12 {
            let held = hand.split(' ').take(cards).collect::<Vec<_>>().join(" ");
            let mut game = table(&format!("equal_turns: true\nphase: meld\npasses: {passes}\nhands: {held} / -"));

            game.play("no meld");

            match cards.saturating_sub(limit) {
                0 => assert!(!game.due().starts_with("seat 0"), "{cards} cards after {passes} passes"),
                excess => assert_eq!(game.due(), format!("seat 0: discard {excess}")),
            }
        }
    }
}

/// Decline Phase: a player discards the cards above the limit. B22: exactly these. B19: any cards.
#[test]
fn exactly_the_excess_is_discarded_and_the_player_chooses() {
    let mut game = table("phase: meld\nhands: F1 F2 W3 W4 P5 P6 S7 S8 raid huri famine fire / -");

    game.play("no meld");
    assert_eq!(
        game.legal(),
        "discard F1, discard F2, discard W3, discard W4, discard P5, discard P6, discard S7, discard S8, discard raid, \
         discard huri, discard fire",
        "the second discard follows in this order"
    );
    game.play("discard P5");
    assert_eq!(
        game.legal(),
        "discard P6, discard S7, discard S8, discard raid, discard huri, discard fire, discard famine"
    );
    assert!(game.refuses("discard P5") && game.refuses("discard F1") && game.refuses("no meld"));
    game.play("discard S8");

    assert_eq!(game.due(), "seat 1: draw", "exactly the excess");
    assert_eq!(game.discard(), "P5 S8");
    assert_eq!(game.hand(0), "F1 F2 W3 W4 P6 S7 raid huri fire famine");
}

/// B21: a player may discard events too, without effect.
#[test]
fn events_may_be_discarded_unplayed() {
    let mut game = table("phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 raid huri famine / W1 W2\npoints: 3 / 3");

    game.play("no meld, discard raid, discard huri");
    assert_eq!(game.discard(), "raid huri");

    assert_eq!(game.hand(1), "W1 W2");
    assert_eq!(game.points(), [3, 3]);
    assert_eq!(game.due(), "seat 1: draw");
}

/// B6: the limit of a pass applies at once, to the player who drew the last card.
#[test]
fn the_player_who_empties_the_deck_has_the_new_limit() {
    for (deck, due) in [("S1 S2 S3 S4", "seat 0: discard 2"), ("S1 S2 S3 S4 S5", "seat 1: draw")] {
        let mut game = table(&format!("hands: F1 F2 F3 F4 F5 F6 / -\ndeck: {deck}"));

        game.play("draw S1 S2 S3 S4, no event, no meld");

        assert_eq!(game.due(), due, "ten cards, and a deck of {deck}");
    }
}

/// B6: nobody discards out of turn.
#[test]
fn the_others_keep_their_cards_until_their_own_decline_phase() {
    let mut game = table("hands: - / F1 F2 F3 F4 F5 F6 F7 F8 F9 F10\ndeck: S1 S2 S3 S4\ndiscard: W1 W2 W3 W4 W5");

    game.play("draw S1 S2 S3 S4, no event, no meld");
    assert_eq!(game.passes(), 1);
    assert_eq!(game.due(), "seat 1: draw");
    assert_eq!(game.hand(1), "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10");
    game.play("draw W1 W2 W3 W4, no event, no meld");

    assert_eq!(game.due(), "seat 1: discard 6");
}

/// B7: before the Decline Phase a hand may have any number of cards.
#[test]
fn the_limit_does_not_count_before_the_decline_phase() {
    let mut game = table("hands: raid F1 F2 F3 F4 F5 F6 F7 F8 F9 / W9");

    game.play("draw F10 F11 P2 S3, raid +1, steal W9");
    assert_eq!(game.game.hands[seat(0)].len(), 14);
    assert_eq!(game.due(), "seat 0: meld");
    game.play("meld F1, meld W9, meld P2, meld S3");

    assert_eq!(game.due(), "seat 1: draw", "ten cards are left");
}

#[test]
fn discards_lie_on_the_discard_pile() {
    let mut game = table("phase: meld\nhands: F1*2 F2*2 F3*2 F4*2 F5*2 F6 / -\ndeck: -\ndiscard: W1");
    let eroded = game.eroded();

    game.play("no meld, discard F1");

    assert_eq!(game.discard(), "F1 W1");
    assert_eq!(game.eroded(), eroded);
    assert_eq!(game.hand(0), "F1 F2 F2 F3 F3 F4 F4 F5 F5 F6");
}

/// A player may discard both of two equal cards, one after the other.
#[test]
fn equal_cards_are_discarded_one_after_the_other() {
    let mut game = table("phase: meld\npasses: 2\nhands: F1 F7*2 W2 W3 W4 W5 W6 / -");

    game.play("no meld, discard F7");
    assert_eq!(game.legal(), "discard F7, discard W2, discard W3, discard W4, discard W5, discard W6");
    game.play("discard F7");

    assert_eq!(game.hand(0), "F1 W2 W3 W4 W5 W6");
}

/// Cards are discarded in the order of their kinds, so a discard that leaves too few cards of later kinds is not legal.
#[test]
fn no_discard_is_offered_that_leaves_too_few_behind_it() {
    let mut game = table("phase: meld\npasses: 2\nhands: F1 F2 F3 F4 W5*2 W6 S7*2 / -");

    game.play("no meld");
    assert_eq!(game.due(), "seat 0: discard 3");
    assert_eq!(game.legal(), "discard F1, discard F2, discard F3, discard F4, discard W5, discard W6");
    game.play("discard W6");
    assert_eq!(game.legal(), "discard S7");
    game.play("discard S7");
    assert_eq!(game.legal(), "discard S7");
    game.play("discard S7");

    assert_eq!(game.hand(0), "F1 F2 F3 F4 W5 W5");
}

/// The dossier: 8 of 14 different cards are 3,003 sets. Each is legal in exactly one order.
#[test]
fn every_set_of_discards_can_be_chosen_in_one_way() {
    for (hand, passes, sets) in [
        ("F1 F2 F3 F4 W1 W2 W3 W4 P1 P2 P3 raid huri famine", 2, 3_003),
        ("F1 F2 F3 F4 W1 W2 W3 W4 P1 P2 P3 raid huri famine", 1, 3_003),
        ("F1 F2 F3 F4 W1 W2 W3 W4 P1 P2 P3 raid huri famine", 0, 1_001),
        // Two of F7 F7 W3 W3 raid and five others: 8 kinds, 28 pairs of them, and three doubles.
        ("F7*2 W3*2 raid*3 P1 P2 P3 P4 P5", 0, 28 + 3),
    ] {
        let mut game = table(&format!("phase: meld\npasses: {passes}\nhands: {hand} / -"));
        game.play("no meld");

        let decisions = game.decisions();

        assert_eq!(decisions.len(), sets, "{hand}");
        let different: BTreeSet<_> = decisions
            .iter()
            .map(|chain| {
                let mut chain: Vec<_> = chain.split(", ").collect();
                chain.sort_unstable();
                chain
            })
            .collect();
        assert_eq!(different.len(), sets, "{hand}");
    }
}

#[test]
fn nobody_else_discards() {
    let mut game = table("phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 F6 F7 / W1 W2 W3 W4 W5 W6 W7");

    game.play("no meld");

    assert_eq!(game.legal_for(1), "");
    assert_eq!(game.due(), "seat 0: discard 1");
}
