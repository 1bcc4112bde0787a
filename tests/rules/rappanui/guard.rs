//! Rare combinations of rules. B5: deck and discard pile may both be empty.

use ahu_core::Game as _;
use ahu_core::GameExt as _;
use ahu_games::rappanui::RappaNui;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{PUBLIC, cards, seat, table, viewer};

/// B5: a draw of no card counts as a pass, with its limit (B6) and its end (B4).
#[test]
fn a_draw_from_nothing_is_a_pass() {
    for reshuffle in ["lazy", "eager"] {
        for (passes, discards, due) in [(0, 2, "seat 1: draw"), (1, 4, "seat 1: draw"), (2, 4, "over")] {
            let mut game = table(&format!(
                "reshuffle: {reshuffle}
                 passes: {passes}
                 hands: F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 / -
                 deck: -
                 discard: -"
            ));

            assert!(game.refuses("draw W1 W2 W3 W4"), "eroded cards stay in the erosion pile");
            game.play("draw, no event");
            assert_eq!((game.passes(), game.hand(0).as_str()), (passes + 1, "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10"));
            game.play("no meld");
            assert_eq!(game.due(), format!("seat 0: discard {discards}"));
            for card in 0..discards {
                game.play(&format!("discard F{}", card + 1));
            }

            assert_eq!(game.due(), due, "after {passes} passes, {reshuffle}");
        }
    }
}

/// B5: a player draws as many cards as there are. The last card completes a pass. The failed draw after it completes another
/// pass, once a turn.
#[test]
fn a_draw_that_fails_midway_is_a_pass_beside_that_of_the_last_card() {
    for reshuffle in ["lazy", "eager"] {
        for (before, deck, discard, draw, passes) in [
            // The deck suffices.
            (0, "F1 F2 F3 F4", "-", "draw F1 F2 F3 F4", 1),
            (0, "F1", "W1 W2 W3", "draw F1 W1 W2 W3", 2),
            // The draw fails by one card, by two, by three.
            (0, "F1 F2 F3", "-", "draw F1 F2 F3", 2),
            (0, "F1 F2", "-", "draw F1 F2", 2),
            (0, "F1", "-", "draw F1", 2),
            (0, "-", "W1", "draw W1", 2),
            // Two decks run out, and then the draw fails.
            (0, "F1", "W1 W2", "draw F1 W1 W2", 3),
            // The third pass ends the draw: nothing fails after it.
            (1, "F1", "-", "draw F1", 3),
            (1, "F1", "W1 W2", "draw F1 W1 W2", 3),
            (2, "F1", "-", "draw F1", 3),
            (2, "-", "W1", "draw W1", 3),
        ] {
            let mut game = table(&format!(
                "reshuffle: {reshuffle}\npasses: {before}\nhands: - / -\ndeck: {deck}\ndiscard: {discard}"
            ));

            game.play(draw);

            let case = format!("{before} passes, deck {deck}, discard {discard}, {reshuffle}");
            assert_eq!(game.passes(), passes, "{case}");
            assert_eq!(game.due(), "seat 0: conflict", "{case}");
            assert_eq!([game.deck(), game.discard()], ["", ""], "{case}");
        }
    }
}

/// B5: players who keep all cards cannot play forever.
#[test]
fn a_game_without_cards_to_draw_ends_after_three_turns() {
    let mut game = table("round: 1\nhands: F1 / F2\ndeck: -\ndiscard: -");

    let mut turns = 0;
    while game.due() != "over" {
        game.play("draw");
        if game.due().contains("conflict") {
            game.play("no event");
        }
        game.play("no meld");
        turns += 1;
    }

    assert_eq!((turns, game.passes()), (3, 3));
}

/// B5: the cards discarded after a failed draw become the next player's deck.
#[test]
fn a_failed_draw_leaves_the_next_player_what_is_discarded_since() {
    let mut game = table("hands: huri F1 W1 P1 S1 / -\ndeck: -\ndiscard: -");

    game.play("draw, huri +1, meld F1, meld W1, meld P1, meld S1");
    assert_eq!(game.passes(), 1);
    assert_eq!(game.discard(), "F1 P1 S1 huri");
    game.play("draw F1 P1 S1 huri");

    assert_eq!(game.passes(), 2);
    assert_eq!(game.hand(1), "F1 P1 S1 huri");
}

/// B5 with B4, `equal_turns`: a failed draw ends the game like any third pass.
#[test]
fn after_a_third_pass_by_a_failed_draw_the_others_have_their_last_turn() {
    for (equal_turns, due) in [(true, "seat 2: conflict"), (false, "over")] {
        let mut game =
            table(&format!("equal_turns: {equal_turns}\npasses: 2\nplayer: 1\nhands: - / - / -\ndeck: -\ndiscard: -"));

        game.play("draw, no event, no meld");

        assert_eq!(game.due(), due);
    }
}

/// B3, B6, B7: a pass, a full hand, and another pass make eight discards at once.
#[test]
fn eight_cards_are_discarded_at_once_after_two_passes() {
    let mut game = table(
        "hands: - / F1 F2 F3 F4 F5 F6 F7 F8 F9 F10
         deck: S1 S2 S3 S4
         discard: W1 W2 W3 W4",
    );

    game.play("draw S1 S2 S3 S4, no event, no meld, draw W1 W2 W3 W4, no event, no meld");
    assert_eq!(game.passes(), 2);
    assert_eq!(game.due(), "seat 1: discard 8");
    game.play("discard F3, discard F4, discard F5, discard F6, discard F7, discard F8, discard F9, discard W4");

    assert_eq!(game.hand(1), "F1 F2 F10 W1 W2 W3");
    assert_eq!(game.due(), "seat 0: draw");
}

/// B3: two decks may run out in one draw.
#[test]
fn two_decks_may_run_out_in_one_draw() {
    for reshuffle in ["lazy", "eager"] {
        let mut game = table(&format!("reshuffle: {reshuffle}\nhands: - / -\ndeck: F1 F2\ndiscard: W1 W2"));

        game.play("draw F1 F2 W1 W2");

        assert_eq!(game.passes(), 2, "{reshuffle}");
        assert_eq!(game.deck(), "", "{reshuffle}");
        assert_eq!(game.discard(), "", "{reshuffle}");
    }
}

/// B3, `eager`: with no discarded cards, the third pass has nothing to shuffle.
#[test]
fn eagerly_nothing_is_shuffled_after_the_third_pass() {
    let mut game = table(
        "reshuffle: eager
         equal_turns: true
         passes: 2
         hands: raid F5 W5 P5 S5 / W9 W10
         deck: F1 F2 F3 F4
         discard: -",
    );

    game.play("draw F1 F2 F3 F4, raid +1, steal W9, meld F5, meld W5, meld P5, meld S5");

    assert_eq!(game.due(), "seat 1: conflict");
    assert_eq!([game.deck(), game.discard()], ["", "F5 P5 S5 raid"]);
}

/// Conflict Phase: a Raid can take the last card of a victim.
#[test]
fn a_raid_may_take_the_last_card() {
    let mut game = table("phase: conflict\nhands: raid / W3 / -");

    game.play("raid +1, steal W3, no meld, draw F1 F2 F3 F4");

    assert_eq!([game.hand(0), game.hand(1)], ["W3", "F1 F2 F3 F4"]);
}

/// A player without cards still takes turns.
#[test]
fn a_player_with_an_empty_hand_has_a_turn() {
    let mut game = table("equal_turns: true\npasses: 3\nphase: conflict\nhands: - / raid");

    assert_eq!(game.legal(), "no event");
    game.play("no event");
    assert_eq!(game.legal(), "no meld");
    game.play("no meld");

    assert_eq!(game.due(), "seat 1: conflict");
}

/// Resampling: all viewers can infer that the player holds seven more Disasters of higher kinds than the discarded
/// one. The position is legal, though chance seldom deals it.
#[test]
fn a_rare_hand_can_be_resampled() {
    let disasters = "disease famine civil-war deforestation extinction drought climate-change clan-war collapse";
    let mut game = table(&format!("phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 {disasters} / -"));
    game.play("no meld, discard famine");
    assert_eq!(game.due(), "seat 0: discard 7");
    assert_eq!(game.legal(), "discard civil-war");

    for who in [viewer(1), PUBLIC] {
        let world = RappaNui::resample(&game.view(who), &mut ChaCha8Rng::seed_from_u64(1));

        assert_eq!(world.view(who), game.view(who));
        assert!(disasters.split(' ').skip(2).all(|name| world.hands[seat(0)].to_string().contains(name)), "{who}");
    }
}

/// The player holds six of the seven higher Disasters, and the viewer knows that the seventh is in a third hand.
#[test]
fn a_rare_hand_is_resampled_without_the_known_cards_of_other_hands() {
    let disasters = "disease famine civil-war deforestation extinction drought climate-change clan-war";
    let mut game = table(&format!("phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 {disasters} / - / collapse"));
    game.game.known[seat(1)] = cards("collapse");
    game.play("no meld, discard famine");
    assert_eq!((game.due().as_str(), game.legal().as_str()), ("seat 0: discard 6", "discard civil-war"));

    let world = RappaNui::resample(&game.view(viewer(1)), &mut ChaCha8Rng::seed_from_u64(1));

    assert_eq!(world.view(viewer(1)), game.view(viewer(1)));
    assert_eq!(world.hands[seat(2)].to_string(), "collapse");
    assert!(disasters.split(' ').skip(2).all(|name| world.hands[seat(0)].to_string().contains(name)));
}

/// Seven Disasters fit and the player needs six. One of them was not in the deck at its last shuffle, as the other six cards of
/// the hand, so the player surely has it: without it, the hand would have no room.
#[test]
fn a_rare_hand_is_resampled_with_the_cards_that_are_surely_held() {
    let mut game = table(
        "phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 disease famine deforestation extinction drought climate-change \
         clan-war collapse / -",
    );
    let shuffled = cards("deforestation extinction drought climate-change clan-war");
    game.game.table.shuffled = (game.game.deck | shuffled).unmarked();
    game.play("no meld, discard famine");
    assert_eq!(game.due(), "seat 0: discard 6");
    assert_eq!(game.view(viewer(1)).surely_held().unmarked(), cards("F1 F2 F3 F4 F5 disease collapse"));

    for seed in 0..20 {
        let world = RappaNui::resample(&game.view(viewer(1)), &mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(world.view(viewer(1)), game.view(viewer(1)));
        assert!(world.hands[seat(0)].to_string().contains("collapse"), "{seed}");
    }
}

/// Every card is in exactly one place, and a player knows only of cards that are in another hand.
#[test]
fn a_position_that_cannot_be_is_told_from_one_that_can() {
    let whole = table("hands: raid F7 / W3\ndiscard: P5").game;
    let fault = |spoil: fn(&mut RappaNui)| {
        let mut game = whole.clone();
        spoil(&mut game);
        game.check_invariants().expect_err("the position is broken")
    };

    assert_eq!(whole.check_invariants(), Ok(()));
    assert_eq!(fault(|game| game.table.discard |= cards("F7")), "cards in two places: F7");
    assert_eq!(fault(|game| game.hands[seat(1)] = cards("-")), "cards in no place: W3");
    assert!(
        fault(|game| game.known[seat(0)] = cards("F7")).starts_with("seat 0 knows cards that are in no other hand")
    );
    assert!(
        fault(|game| game.known[seat(1)] = cards("P5")).starts_with("seat 1 knows cards that are in no other hand")
    );
    assert_eq!(fault(|game| game.table.passes = 4), "expected at most 3 passes, got 4");
    assert_eq!(
        fault(|game| game.table.player = seat(2)),
        "expected hands, a first player, and a player at a table of 2 seats"
    );
}

/// Rounds count from the first player: the other players' turns have the same number.
#[test]
fn a_round_ends_with_the_player_before_the_first() {
    let mut game = table("round: 4\nfirst: 2\nplayer: 5\nhands: - / - / - / - / - / -");

    let mut turns = Vec::new();
    for _ in 0..5 {
        turns.push((game.game.table.player.index(), game.game.table.round));
        game.play(&game.draw(1).to_string());
        game.play("no event, no meld");
    }

    assert_eq!(turns, [(5, 4), (0, 4), (1, 4), (2, 5), (3, 5)]);
}
