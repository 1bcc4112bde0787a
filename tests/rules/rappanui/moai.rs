//! Moai Phase: melds. For the Combine rule, see `combine.rs`.

use ahu_games::rappanui::Action;

use super::{seat, table};

/// Moai Phase: a meld has a card of each of the four suits.
#[test]
fn a_meld_has_one_card_of_each_suit() {
    let mut game = table("phase: meld\nhands: F3 F7 W5 P4 P7 S9 raid / -");

    assert_eq!(game.legal(), "no meld, meld F3, meld F7");
    game.play("meld F7");
    assert_eq!(game.legal(), "meld W5");
    game.play("meld W5");
    assert_eq!(game.legal(), "meld P4, meld P7");
    assert!(game.refuses("no meld"), "the meld is begun");
    game.play("meld P4, meld S9");

    assert_eq!(game.hand(0), "F3 P7 raid");
    assert_eq!(game.points(), [4, 0]);
    assert_eq!(game.due(), "seat 1: draw");
}

#[test]
fn a_meld_lacks_no_suit() {
    for hand in ["W5 P7 S9", "F3 P7 S9", "F3 W5 S9", "F3 W5 P7", "F3 F4 W5 W6 P7 P8 raid huri famine", "-"] {
        let game = table(&format!("phase: meld\nhands: {hand} / F1 W1 P1 S1"));

        assert_eq!(game.legal(), "no meld", "{hand}");
        assert!(game.refuses("meld F3"), "{hand}");
    }
    assert_eq!(table("phase: meld\nhands: F3 W5 P7 S9 / -").legal(), "no meld, meld F3");
}

#[test]
fn events_are_no_part_of_a_meld() {
    for event in ["raid", "huri", "famine"] {
        let error = format!("meld {event}").parse::<Action>().expect_err(event);

        assert!(error.to_string().contains("expected a resource"), "{error}");
    }
}

/// B14: without the Combine rule.
#[test]
fn a_meld_has_no_second_card_of_a_suit() {
    let mut game = table("phase: meld\nhands: F3 F7 W5 P7 S9 S10 / -");

    game.play("meld F3");
    assert!(game.refuses("meld F7"));
    game.play("meld W5, meld P7, meld S9");

    assert_eq!(game.due(), "seat 1: draw", "the fourth card completes it");
    assert_eq!(game.hand(0), "F7 S10");
}

/// Moai Phase: "You may". B23: the game also asks a player without a meld.
#[test]
fn a_player_may_play_no_meld() {
    for hand in ["F3 W5 P7 S9", "F3"] {
        let mut game = table(&format!("phase: conflict\nhands: {hand} / -"));

        game.play("no event");
        assert_eq!(game.due(), "seat 0: meld", "{hand}");
        game.play("no meld");

        assert_eq!(game.due(), "seat 1: draw");
        assert_eq!(game.hand(0), hand);
        assert_eq!(game.points(), [0, 0]);
        assert_eq!([game.discard(), game.eroded()], ["", ""]);
    }
}

/// Moai Phase: a meld scores as many points as its lowest number.
#[test]
fn a_meld_brings_the_value_of_its_lowest_card() {
    for (meld, points) in [
        ("F1 W1 P1 S1", 1),
        ("F12 W12 P12 S12", 12),
        ("F2 W9 P9 S9", 2),
        ("F9 W3 P9 S9", 3),
        ("F9 W9 P4 S9", 4),
        ("F9 W9 P9 S5", 5),
        ("F6 W6 P7 S8", 6),
        ("F12 W11 P10 S9", 9),
    ] {
        let mut game = table(&format!("phase: meld\nplayer: 1\nfirst: 1\nhands: - / {meld} / -\npoints: 2 / 40 / 1"));

        game.play(&format!("meld {}", meld.replace(' ', ", meld ")));

        assert_eq!(game.points(), [2, 40 + points, 1], "{meld}");
    }
}

/// B12: at most one meld a turn.
#[test]
fn a_player_plays_at_most_one_meld_a_turn() {
    let mut game = table("phase: meld\npasses: 2\nhands: F1*2 W1*2 P1*2 S1*2 F9 W9 P9 S9 / -");

    game.play("meld F1, meld W1, meld P1, meld S1");

    assert_eq!(game.due(), "seat 0: discard 2");
    assert!(game.refuses("meld F1") && game.refuses("no meld"));
    assert_eq!(game.points(), [1, 0]);
}

/// B12: a player plays a meld only in the player's own turn.
#[test]
fn nobody_plays_a_meld_in_anothers_turn() {
    let game = table("phase: meld\nplayer: 1\nhands: F1 W1 P1 S1 / F2 W2 P2 S2 / F3 W3 P3 S3");

    assert_eq!(game.legal_for(1), "no meld, meld F2");
    assert_eq!([game.legal_for(0), game.legal_for(2)], ["", ""]);
}

#[test]
fn the_last_cards_of_a_hand_may_be_a_meld() {
    let mut game = table("phase: meld\nhands: F3 W5 P7 S9 / -");

    game.play("meld F3, meld W5, meld P7, meld S9");
    assert_eq!([game.hand(0), game.due()], ["", "seat 1: draw"]);
    game.play("draw F1 F1 F2 F2, no event, no meld, draw W1 W1 W2 W2");

    assert_eq!(game.hand(0), "W1 W1 W2 W2");
}

/// Front page, "Equal cards".
#[test]
fn of_equal_cards_the_first_copy_is_laid() {
    let mut game = table("phase: meld\nhands: F3.2 F3.1 W5.2 P7 S9 / -");

    assert_eq!(game.legal(), "no meld, meld F3");
    game.play("meld F3, meld W5, meld P7, meld S9");

    let left: Vec<_> = game.game.hands[seat(0)].iter().map(|card| card.to_string()).collect();
    assert_eq!(left, ["F3.2"]);
}

/// The dossier: a hand of 14 has at most 145 whole decisions, each with one spelling.
#[test]
fn a_full_hand_has_144_melds_and_none() {
    let game = table("phase: meld\nhands: F1 F2 F3 F4 W1 W2 W3 W4 P1 P2 P3 S1 S2 S3 / -");

    let mut decisions = game.decisions();

    assert_eq!(decisions.len(), 145);
    assert!(decisions.contains(&"no meld".to_owned()));
    assert!(decisions.contains(&"meld F4, meld W1, meld P3, meld S2".to_owned()));
    decisions.sort();
    decisions.dedup();
    assert_eq!(decisions.len(), 145);
}

/// Laid cards have left the hand and are in no pile yet.
#[test]
fn a_meld_lies_on_the_table_until_it_is_complete() {
    let mut game = table("phase: meld\nhands: F3 W5 P7 S9 / -");

    game.play("meld F3, meld W5, meld P7");

    assert_eq!(game.due(), "seat 0: meld after F3 W5 P7");
    assert_eq!([game.hand(0), game.discard(), game.eroded()], ["S9", "", ""]);
    assert_eq!(game.points(), [0, 0]);
}
