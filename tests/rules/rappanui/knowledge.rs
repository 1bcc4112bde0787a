//! The knowledge of players about other hands. B9: only thief and victim of a Raid know the stolen card. The victim knows
//! that the thief has the card until an equal card leaves the thief's hand face up, or a third player raids the thief.

use super::{PUBLIC, Table, seat, table, take, viewer};

/// Returns a table at which seat 0 has stolen F7 from seat 1 and has to play a meld or none.
fn after_a_raid(hands: &str) -> Table {
    let mut game = table(&format!("phase: conflict\nhands: {hands}"));
    game.play("raid +1, steal F7");
    game
}

/// Ends the turn, and brings the next player to the Conflict Phase.
fn next_turn(game: &mut Table) {
    game.play("no meld");
    game.play("draw S1 S2 S3 S4");
}

/// B9.
#[test]
fn only_thief_and_victim_know_what_was_stolen() {
    let game = after_a_raid("raid F1 / F7 W3 / P1");

    assert_eq!(game.knows(1, 0), "F7");
    assert_eq!(game.view(viewer(0)).exposed[seat(1)].to_string(), "F7", "the thief knows that the victim knows");
    assert_eq!(game.knows(0, 1), "", "the thief knows no other card of the victim");
    assert_eq!([game.knows(2, 0), game.knows(2, 1)], ["", ""]);
    for other in [viewer(1), viewer(2), PUBLIC] {
        let view = game.view(other);
        assert!(view.exposed.values().iter().all(|cards| cards.is_empty()), "{other}");
    }
    let public = game.view(PUBLIC);
    assert!(public.known.values().iter().all(|cards| cards.is_empty()));
    assert!(game.view(viewer(0)).exposed[seat(2)].is_empty());
}

#[test]
fn before_a_raid_nobody_knows_a_card_of_another() {
    let game = table("phase: conflict\nhands: raid F1 / F7 W3 / P1");

    for index in 0..3 {
        for other in 0..3 {
            assert_eq!(game.knows(index, other), "", "seat {index} of seat {other}");
        }
    }
}

/// The front page, "Knowledge of hands": an equal card leaves the hand face up in a meld.
#[test]
fn the_victim_knows_until_such_a_card_is_laid() {
    let hands = "raid F1 W5 P5 S5 / F7 W3 / P1";
    let (mut same, mut other) = (after_a_raid(hands), after_a_raid(hands));

    same.play("meld F7");
    other.play("meld F1, meld W5, meld P5, meld S5");

    assert_eq!(same.knows(1, 0), "");
    assert_eq!(other.knows(1, 0), "F7");
}

/// The front page: an equal card leaves the hand face up in the Decline Phase.
#[test]
fn the_victim_knows_until_such_a_card_is_discarded() {
    for (discard, known) in [("discard F7", ""), ("discard F6", "F7")] {
        let mut game = table("passes: 2\nphase: conflict\nhands: raid F1 F2 F3 F4 F5 F6 / F7 W3 / P1");

        game.play("raid +1, steal F7, no meld");
        game.play(discard);

        assert_eq!(game.knows(1, 0), known, "{discard}");
    }
}

/// The front page: an equal card leaves the hand face up to a Disaster.
#[test]
fn the_victim_knows_until_such_a_card_is_lost() {
    for (lost, known) in [("lose F1 F7", ""), ("lose F1 F2", "F7")] {
        let mut game = after_a_raid("raid F1 F2 / F7 W3 famine / P1");
        next_turn(&mut game);

        game.play(&format!("famine +2, {lost}"));

        assert_eq!(game.knows(1, 0), known, "{lost}");
        assert_eq!(game.view(viewer(0)).exposed[seat(1)].to_string(), known, "{lost}");
    }
}

/// Equal cards look alike: any of them that leaves may be the stolen one.
#[test]
fn an_equal_card_that_leaves_may_be_the_stolen_one() {
    let turns =
        "no meld, draw S1 S2 S3 S4, no event, no meld, draw S5 S6 S7 S8, no event, no meld, draw S9 S10 S11 S12";
    let played = format!("{turns}, raid +2");
    for (hand, others, stolen, leaves) in [
        ("F7 W1 P1 S1", "", "F7", "meld F7"),
        ("F7 F1 F2 F3 F4 F5 F6 P2", "", "F7", "no meld, discard F7"),
        ("F7 F1", "fire", "F7", "no meld, draw S1 S2 S3 S4, fire +2, lose F7 F1"),
        ("raid", "", "raid", &played),
    ] {
        for copies in [[".1", ".2"], [".2", ".1"]] {
            let [own, other] = copies.map(|copy| format!("{stolen}{copy}"));
            let hand = hand.replacen(stolen, &own, 1);
            let mut game = table(&format!("passes: 1\nphase: conflict\nhands: {hand} raid.8 / {other} {others} / P9"));

            game.play(&format!("raid +1, steal {other}"));
            assert_eq!(game.knows(1, 0), stolen, "one of the two");
            game.play(leaves);

            assert_eq!(game.knows(1, 0), "", "seat 0 had {own}: {leaves}");
            assert!(game.hand(0).contains(stolen), "seat 0 still has one");
        }
    }
}

#[test]
fn an_equal_card_that_leaves_another_hand_is_not_the_stolen_one() {
    let mut game = after_a_raid("raid F1 / F7 W3 / F7 W1 P1 S1");
    next_turn(&mut game);
    game.play("no event, no meld, draw W5 W6 W7 W8, no event");

    game.play("meld F7");

    assert_eq!(game.knows(1, 0), "F7");
}

/// A player who knows of two equal cards still knows of one when the other leaves.
#[test]
fn of_two_stolen_cards_one_stays_known_when_the_other_leaves() {
    let mut game = table("phase: conflict\nhands: raid*2 W1 P1 S1 / F7*2 W3");

    game.play("raid +1, steal F7");
    next_turn(&mut game);
    game.play("no event, no meld, draw W11 W11 W12 W12, raid +1, steal F7");
    assert_eq!(game.knows(1, 0), "F7 F7");
    game.play("meld F7");

    assert_eq!(game.knows(1, 0), "F7");
}

/// A Raid by a third player takes a card that the first victim does not see.
#[test]
fn the_victim_knows_until_a_third_player_raids_the_thief() {
    for (stolen, own) in [("F1", "F1"), ("F7", "F7")] {
        let mut game = after_a_raid("raid F1 / F7 W3 / raid P1");
        next_turn(&mut game);
        game.play("no event, no meld, draw W5 W6 W7 W8");
        assert_eq!(game.knows(1, 0), "F7");

        game.play(&format!("raid +1, steal {stolen}"));

        assert_eq!(game.knows(1, 0), "", "{stolen} was stolen from the thief");
        assert_eq!(game.view(viewer(0)).exposed[seat(1)].to_string(), "");
        assert_eq!(game.knows(1, 2), "", "the card may be there, but seat 1 cannot know");
        assert_eq!(game.knows(0, 2), own, "the thief is a victim now");
    }
}

/// Of two equal cards that the victim knew, at least one has stayed; any other card may have gone.
#[test]
fn of_two_equal_cards_one_is_still_known_after_a_third_player_raids_the_thief() {
    for stolen in ["F7.1", "F7.2", "W3", "F1"] {
        let mut game = table("player: 2\nphase: conflict\nhands: F1 F7*2 W3 / P9 / raid P1");
        game.game.known[seat(1)] = take(&mut game.game.hands[seat(0)].clone(), "F7 F7 W3");

        game.play(&format!("raid +1, steal {stolen}"));

        assert_eq!(game.knows(1, 0), "F7", "{stolen}");
    }
}

#[test]
fn a_raid_on_somebody_else_changes_nothing_of_what_is_known() {
    let mut game = after_a_raid("raid F1 / F7 W3 / raid P1");
    next_turn(&mut game);
    game.play("no event, no meld, draw W5 W6 W7 W8");

    game.play("raid +2, steal W3");

    assert_eq!(game.knows(1, 0), "F7");
    assert_eq!(game.knows(1, 2), "W3");
}

/// A victim that raids the thief in turn sees the card that it takes.
#[test]
fn the_victim_goes_on_knowing_when_it_raids_the_thief_itself() {
    for (stolen, known, thief_knows) in [("F1", "F7", "F1"), ("F7", "", "F7")] {
        let mut game = after_a_raid("raid F1 / F7 W3 raid / P1");
        next_turn(&mut game);

        game.play(&format!("raid +2, steal {stolen}"));

        assert_eq!(game.knows(1, 0), known, "{stolen}");
        assert_eq!(game.knows(0, 1), thief_knows, "{stolen}");
    }
}

/// The victim cannot tell equal cards apart: of two F7 it knew one, and took one.
#[test]
fn the_victim_that_takes_an_equal_card_back_knows_of_no_other() {
    for back in ["F7.1", "F7.2"] {
        let mut game = after_a_raid("raid F1 F7 / F7 W3 raid / P1");
        next_turn(&mut game);

        game.play(&format!("raid +2, steal {back}"));

        assert_eq!(game.knows(1, 0), "", "{back}");
        assert_eq!(game.hand(1), "F7 W3 S1 S2 S3 S4");
    }
}

/// Draws and other gains of the thief do not matter, nor a Huri Moai, nor losses of the victim.
#[test]
fn the_victim_knows_over_many_turns() {
    let mut game = after_a_raid("raid*2 F1 / F7 W3 / huri famine P1");
    next_turn(&mut game);
    game.play("no event, no meld, draw W5 W6 W7 W8, huri +1, no meld");

    game.play("draw P5 P6 P7 P8, raid +2, steal W5, no meld, draw S5 S6 S7 S8, no event, no meld");
    game.play("draw S9 S10 S11 S12, famine +2, lose W3 S1");

    assert_eq!(game.knows(1, 0), "F7");
    assert_eq!(game.knows(2, 0), "W5");
    let exposed = game.view(viewer(0)).exposed;
    assert_eq!(exposed[seat(1)].to_string(), "F7");
    assert_eq!(exposed[seat(2)].to_string(), "W5");
}

/// The front page: the contents of the deck at its last shuffle are public.
#[test]
fn everybody_knows_what_went_into_the_deck() {
    let mut game = table("hands: - / S1 raid / S2\ndeck: F1\ndiscard: W1 W2 W3 W4 W5");
    assert_eq!(game.view(PUBLIC).table.shuffled.len(), 120, "the first deck is all cards");

    game.play("draw F1 W1 W2 W3");

    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        assert_eq!(game.view(who).table.shuffled.to_string(), "W1 W2 W3 W4 W5", "{who}");
    }
}

#[test]
fn what_is_shuffled_eagerly_is_known_as_soon() {
    for (reshuffle, cards) in [("eager", "W1 W2 W3 W4 W5"), ("lazy", "W1 W2 W3 W4 W5 raid")] {
        let mut game =
            table(&format!("reshuffle: {reshuffle}\nhands: raid / -\ndeck: F1 F2 F3 F4\ndiscard: W1 W2 W3 W4 W5"));

        game.play("draw F1 F2 F3 F4");
        assert_eq!(game.view(PUBLIC).table.shuffled.len(), if reshuffle == "eager" { 5 } else { 120 });
        game.play("raid +1, no meld, draw W1 W2 W3 W4");

        assert_eq!(game.view(PUBLIC).table.shuffled.to_string(), cards, "{reshuffle}");
    }
}

/// A viewer sees its hand, the piles, and the laid cards; the other cards are unseen.
#[test]
fn unseen_is_what_lies_in_the_deck_and_in_other_hands() {
    let mut game = table(
        "phase: meld
         hands: F1 W1 P1 S1 S2 / F2 W2
         deck: F3 W3 F1
         discard: P4 P5",
    );

    assert_eq!(game.view(viewer(0)).unseen().to_string(), "F1 F2 F3 W2 W3");
    assert_eq!(game.view(viewer(1)).unseen().to_string(), "F1 F1 F3 W1 W3 P1 S1 S2");
    assert_eq!(game.view(PUBLIC).unseen().to_string(), "F1 F1 F2 F3 W1 W2 W3 P1 S1 S2");
    game.play("meld F1, meld W1");
    assert_eq!(game.view(viewer(0)).unseen().to_string(), "F1 F2 F3 W2 W3");
    assert_eq!(game.view(viewer(1)).unseen().to_string(), "F1 F3 W3 P1 S1 S2");
    assert_eq!(game.view(PUBLIC).unseen().to_string(), "F1 F2 F3 W2 W3 P1 S1 S2");
}

/// A card that was in a hand at the last shuffle is not in the deck.
#[test]
fn what_was_not_shuffled_is_surely_held() {
    let mut game = table(
        "hands: P1 / S1 F9 raid / S2
         deck: F1
         discard: W1 W2 W3 W4 W5 F9",
    );
    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        assert_eq!(game.view(who).surely_held().to_string(), "", "{who}: all were in the first deck");
    }

    game.play("draw F1 W1 W2 W3");

    // One of the two F9 was shuffled, so some player holds the other.
    assert_eq!(game.view(viewer(0)).surely_held().to_string(), "F9 S1 S2 raid");
    assert_eq!(game.view(viewer(1)).surely_held().to_string(), "F1 P1 S2");
    assert_eq!(game.view(viewer(2)).surely_held().to_string(), "F1 F9 P1 S1 raid");
    assert_eq!(game.view(PUBLIC).surely_held().to_string(), "F1 F9 P1 S1 S2 raid");
}

/// A card that is seen again is no longer surely held.
#[test]
fn what_is_discarded_is_surely_held_no_more() {
    let mut game = table("hands: P1 raid / S1 S2\ndeck: F1\ndiscard: W1 W2 W3 W4 W5");

    game.play("draw F1 W1 W2 W3");
    assert_eq!(game.view(viewer(1)).surely_held().to_string(), "F1 P1 raid");
    game.play("raid +1, steal S1");

    assert_eq!(game.view(viewer(1)).surely_held().to_string(), "F1 P1 S1");
    assert_eq!(game.view(viewer(1)).known[seat(0)].to_string(), "S1");
}
