//! Rapa Nui Phase: draws, and passes through the deck.

use std::collections::BTreeMap;

use super::{PUBLIC, Table, table};

/// Counts, for each card, the draws of `seeds` seeds that brought it.
fn drawn(game: &Table, seeds: u64) -> BTreeMap<String, u64> {
    let mut drawn = BTreeMap::new();
    for seed in 0..seeds {
        let outcome = game.draw(seed).to_string();
        outcome.split(' ').skip(1).for_each(|card| *drawn.entry(card.to_owned()).or_default() += 1);
    }
    drawn
}

/// Rapa Nui Phase: "Draw 4 cards and put them in your hand."
#[test]
fn a_player_draws_four_cards_into_the_hand() {
    let mut game = table("hands: F1 / W1");

    assert!(game.refuses("draw"));
    assert!(game.refuses("draw P1 P2 S1"));
    assert!(game.refuses("draw P1 P2 S1 S2 S3"));
    assert!(game.refuses("draw P1 P2 S1 F1.1"), "it is in a hand");
    game.play("draw P1 P2 S1 raid");

    assert_eq!(game.hand(0), "F1 P1 P2 S1 raid");
    assert_eq!(game.hand(1), "W1");
    assert_eq!(game.game.deck.len(), 120 - 2 - 4);
    assert_eq!(game.passes(), 0);
}

/// The Deck: all players share one deck.
#[test]
fn all_players_draw_from_one_deck() {
    let mut game = table("round: 1\nhands: - / -");

    game.play("draw P1.1 P2.1 S1.1 S2.1, no meld");

    assert_eq!(game.due(), "seat 1: draw");
    assert!(game.refuses("draw P1.1 P3.1 S3.1 S4.1"), "seat 0 has it");
    assert!(!game.refuses("draw P1.2 P3.1 S3.1 S4.1"));
}

/// Setup: the deck is shuffled; chance decides which of its cards come.
#[test]
fn every_card_of_the_deck_is_as_likely_to_be_drawn() {
    let game = table("hands: - / -\ndeck: F1 F2 F3 F4 W1 W2 W3 W4");

    let drawn = drawn(&game, 4_000);

    assert_eq!(drawn.len(), 8);
    assert!(drawn.values().all(|times| (1_800..2_200).contains(times)), "{drawn:?}");
}

/// Rapa Nui Phase: "If the deck runs out, shuffle the discard and draw from it." B3: the current draw goes on.
#[test]
fn a_draw_from_a_deck_that_runs_out_goes_on_from_the_discard_pile() {
    for reshuffle in ["lazy", "eager"] {
        let mut game = table(&format!(
            "reshuffle: {reshuffle}
             hands: - / -
             deck: F1 F2
             discard: W1 W2 W3"
        ));

        assert!(game.refuses("draw F1 F2"), "the draw goes on");
        assert!(game.refuses("draw F1 W1 W2 W3"), "the deck comes first");
        game.play("draw F1 F2 W1 W3");

        assert_eq!(game.hand(0), "F1 F2 W1 W3");
        assert_eq!([game.deck(), game.discard()], ["W2", ""], "{reshuffle}");
        assert_eq!(game.passes(), 1);
    }
}

#[test]
fn the_discard_pile_is_shuffled() {
    let game = table("hands: - / -\ndeck: F1 F2 F3\ndiscard: W1 W2 W3 W4");

    let drawn = drawn(&game, 4_000);

    assert_eq!(drawn.values().filter(|&&times| times == 4_000).count(), 3, "the deck is drawn whole: {drawn:?}");
    assert_eq!(drawn.values().filter(|times| (850..1_150).contains(*times)).count(), 4, "{drawn:?}");
}

/// A shuffle is a new order: the last card of one pass may be the first of the next.
#[test]
fn each_pass_has_an_order_of_its_own() {
    let orders = [0, 1, 2].map(|passes| {
        let game = table(&format!("passes: {passes}\nhands: - / -"));
        (0..50).filter(|&seed| game.draw(seed) == table("hands: - / -").draw(seed)).count()
    });

    assert_eq!(orders, [50, 0, 0], "seeds out of 50 that draw as in the first pass");
}

/// B3: a pass is complete when a player draws the last card, even if it is the last of the four.
#[test]
fn a_pass_is_complete_when_the_last_card_is_drawn() {
    for (deck, passes) in [("F1 F2 F3 F4", 1), ("F1 F2 F3 F4 F5", 0)] {
        let mut game = table(&format!("hands: - / -\ndeck: {deck}"));

        game.play("draw F1 F2 F3 F4");

        assert_eq!(game.passes(), passes, "{deck}");
    }
}

/// B3, `reshuffle: lazy`: cards discarded later in the same turn are in the next deck.
#[test]
fn lazily_the_discard_pile_becomes_the_deck_when_a_card_has_to_be_drawn() {
    let mut game = table(
        "reshuffle: lazy
         hands: raid / W9
         deck: F1 F2 F3 F4
         discard: P1 P2 P3 P4",
    );

    game.play("draw F1 F2 F3 F4, raid +1, steal W9");
    assert_eq!([game.deck(), game.discard()], ["", "P1 P2 P3 P4 raid"]);
    game.play("no meld, draw P1 P2 P3 raid");

    assert_eq!(game.hand(1), "P1 P2 P3 raid");
    assert_eq!([game.deck(), game.discard()], ["P4", ""]);
    assert_eq!(game.passes(), 1, "the pass was complete before");
}

/// B3, `reshuffle: eager`: cards discarded later in the same turn are not in the next deck.
#[test]
fn eagerly_the_discard_pile_becomes_the_deck_as_soon_as_the_last_card_is_drawn() {
    let mut game = table(
        "reshuffle: eager
         hands: raid / W9
         deck: F1 F2 F3 F4
         discard: P1 P2 P3 P4 P5",
    );

    game.play("draw F1 F2 F3 F4");
    assert_eq!([game.deck(), game.discard()], ["P1 P2 P3 P4 P5", ""]);
    game.play("raid +1, steal W9, no meld");

    assert_eq!([game.deck(), game.discard()], ["P1 P2 P3 P4 P5", "raid"]);
    assert!(game.refuses("draw P1 P2 P3 raid"));
    game.play("draw P1 P2 P3 P4");
    assert_eq!(game.passes(), 1);
}

/// B3: with no discarded cards, even `eager` waits for the next draw.
#[test]
fn an_empty_discard_pile_becomes_the_deck_at_the_next_draw() {
    let mut game = table(
        "reshuffle: eager
         hands: raid F5 W5 P5 S5 / W9
         deck: F1 F2 F3 F4
         discard: -",
    );

    game.play("draw F1 F2 F3 F4");
    assert_eq!(game.deck(), "");
    assert_eq!(game.discard(), "");
    assert_eq!(game.passes(), 1);
    assert_eq!(
        game.event_texts(PUBLIC),
        ["seat 0 draws 4 cards", "the deck is used up, 1 of 3: the hand limit is now 8"]
    );
    game.play("raid +1, steal W9, meld F5, meld W5, meld P5, meld S5");
    assert_eq!([game.deck(), game.discard()], ["", "F5 P5 S5 raid"]);
    game.play("draw F5 P5 S5 raid");

    assert_eq!(game.hand(1), "F5 P5 S5 raid");
    assert_eq!(game.passes(), 2, "this deck of four has run out too");
}

/// B3 and B4: after the third pass there is no reshuffle.
#[test]
fn the_discard_pile_stays_after_the_third_pass() {
    for reshuffle in ["lazy", "eager"] {
        let mut game = table(&format!(
            "reshuffle: {reshuffle}
             passes: 2
             hands: - / -
             deck: F1 F2
             discard: W1 W2 W3"
        ));

        assert!(game.refuses("draw F1 F2 W1 W2"), "no more than the deck has");
        game.play("draw F1 F2");

        assert_eq!([game.deck(), game.discard()], ["", "W1 W2 W3"], "{reshuffle}");
        assert_eq!(game.passes(), 3);
    }
}

/// Erosion Pile: its cards are out of the game, and it is not the discard pile.
#[test]
fn eroded_cards_do_not_come_back_with_the_discard_pile() {
    let mut game = table(
        "hands: - / -
         deck: F1
         discard: W1 W2 W3 W4",
    );
    let eroded = game.eroded();

    assert!(game.refuses("draw F1 W1 W2 S1.1"));
    game.play("draw F1 W1 W2 W3");

    assert_eq!(game.deck(), "W4");
    assert_eq!(game.discard(), "");
    assert_eq!(game.eroded(), eroded);
    assert!(game.eroded().contains("S1 S1"));
}
