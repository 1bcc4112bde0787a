//! Conflict Phase: events.

use std::collections::BTreeMap;

use ahu_games::rappanui::cards::{Card, Effect, EventKind};

use super::table;

/// Conflict Phase.
#[test]
fn a_player_may_play_an_event_or_none() {
    let mut game = table("phase: conflict\nhands: raid huri famine F7 / F1 F2 F3");

    assert_eq!(game.legal(), "no event, raid +1, huri +1, famine +1");
    assert!(game.refuses("drought +1"), "it is not in the hand");
    assert!(game.refuses("no meld"), "that is the next phase's");
    game.play("no event");

    assert_eq!(game.due(), "seat 0: meld");
    assert_eq!(game.hand(0), "F7 raid huri famine");
}

#[test]
fn a_player_plays_at_most_one_event() {
    for (event, outcome) in [("raid +1", ", steal F1"), ("huri +1", ""), ("famine +1", ", lose F1 F2")] {
        let mut game = table("phase: conflict\nhands: raid*2 huri*2 famine fire F7 / F1 F2 F3");

        game.play(&format!("{event}{outcome}"));

        assert_eq!(game.due(), "seat 0: meld", "after {event}");
        assert!(game.refuses("raid +1") && game.refuses("huri +1") && game.refuses("fire +1"), "after {event}");
    }
}

/// B23: otherwise the others would learn that the player has no event.
#[test]
fn a_player_without_events_is_asked_too() {
    let mut game = table("hands: F7 / F1 F2 F3");

    game.play("draw W1 W2 P1 P2");

    assert_eq!(game.due(), "seat 0: conflict");
    assert_eq!(game.legal(), "no event");
}

/// Conflict Phase: an event has one target, an opponent.
#[test]
fn an_event_is_played_against_any_one_opponent() {
    for (seats, legal) in [
        (2, "no event, raid +1"),
        (3, "no event, raid +1, raid +2"),
        (6, "no event, raid +1, raid +2, raid +3, raid +4, raid +5"),
    ] {
        let game = table(&format!("phase: conflict\nplayer: 1\nhands: F1{}", " / raid".repeat(seats - 1)));
        assert_eq!(game.legal(), legal, "{seats} seats");
    }
    assert!(table("phase: conflict\nhands: raid / F1 / F2").refuses("raid +3"), "that would be oneself");
}

/// A target's number counts seats from the player to the left, around the table.
#[test]
fn a_target_is_so_many_seats_to_the_left() {
    for (player, left, victim) in [(0, 1, 1), (0, 5, 5), (4, 1, 5), (4, 2, 0), (5, 1, 0), (5, 5, 4), (3, 4, 1)] {
        let hands = "raid / raid / raid / raid / raid / raid";
        let mut game = table(&format!("phase: conflict\nplayer: {player}\nhands: {hands}"));

        game.play(&format!("raid +{left}"));

        assert_eq!(game.due(), format!("seat {player}: steal from seat {victim}"), "+{left} of seat {player}");
    }
}

/// Conflict Phase, Raid: one card moves from the victim to the thief.
#[test]
fn a_raid_steals_one_card() {
    let mut game = table("phase: conflict\nhands: raid F7 / W3 P4 / W3");

    game.play("raid +1");
    assert!(game.refuses("steal S9"), "nobody holds it");
    assert!(game.refuses("steal F7.1"), "the thief holds it");
    assert!(game.refuses("steal W3.2"), "a third player holds it");
    assert!(game.refuses("lose W3"));
    game.play("steal P4");

    assert_eq!(game.hand(0), "F7 P4");
    assert_eq!(game.hand(1), "W3");
    assert_eq!(game.hand(2), "W3");
    assert_eq!(game.discard(), "raid");
}

#[test]
fn each_card_of_the_victim_is_as_likely_to_be_stolen() {
    let mut game = table("phase: conflict\nhands: raid / F1 F12 S7.2 raid*2");
    game.play("raid +1");

    let mut stolen = BTreeMap::new();
    (0..5_000).for_each(|seed| *stolen.entry(game.draw(seed).to_string()).or_insert(0) += 1);

    assert_eq!(stolen.len(), 5, "{stolen:?}");
    assert!(stolen.values().all(|times| (850..1_150).contains(times)), "{stolen:?}");
}

/// B9: the thief may use the stolen card at once.
#[test]
fn a_stolen_card_may_be_used_in_the_same_turn() {
    let mut game = table("phase: conflict\nhands: raid F5 W6 P7 / S8");

    game.play("raid +1, steal S8, meld F5, meld W6, meld P7, meld S8");

    assert_eq!(game.points(), [5, 0]);
}

#[test]
fn a_stolen_event_is_no_second_event() {
    let mut game = table("phase: conflict\nhands: raid F5 / famine");

    game.play("raid +1, steal famine");

    assert_eq!(game.legal(), "no meld");
}

/// Conflict Phase, Huri Moai: two points fewer, never below zero.
#[test]
fn a_huri_moai_takes_two_points_as_far_as_there_are_any() {
    for (before, after) in [(12, 10), (3, 1), (2, 0), (1, 0), (0, 0)] {
        let mut game = table(&format!("phase: conflict\nhands: huri / F1 / F2\npoints: 7 / 9 / {before}"));

        game.play("huri +2");

        // B20: nobody gains the points.
        assert_eq!(game.points(), [7, 9, after], "of {before}");
        assert_eq!([game.discard(), game.due()], ["huri", "seat 0: meld"]);
        assert_eq!([game.hand(1), game.hand(2)], ["F1", "F2"], "no card is lost");
    }
}

/// Conflict Phase, Disaster: two cards at random go to the discard pile. B10: or fewer, if the hand has fewer.
#[test]
fn a_disaster_makes_the_victim_discard_two_cards_as_far_as_there_are_any() {
    for (before, lost, after) in [
        ("F1 W2 raid", "F1 raid", "W2"),
        ("F1 F1 W1 W1 P1", "F1 F1", "W1 W1 P1"),
        ("F1 F1", "F1 F1", ""),
        ("F1", "F1", ""),
    ] {
        let mut game = table(&format!("phase: conflict\nhands: famine S9 / {before}"));

        game.play("famine +1");
        assert_eq!(game.due(), "seat 0: loss of seat 1");
        game.play(&format!("lose {lost}"));

        assert_eq!([game.hand(0), game.hand(1)], ["S9", after], "of {before}");
        assert_eq!(game.discard(), format!("{lost} famine"), "of {before}");
        assert_eq!(game.due(), "seat 0: meld");
    }
}

#[test]
fn a_disaster_takes_two_cards_no_more_and_no_fewer() {
    let mut game = table("phase: conflict\nhands: famine S9 / F1 W2 P3 / F4");
    game.play("famine +1");

    assert!(!game.refuses("lose F1 W2"));
    assert!(game.refuses("lose"));
    assert!(game.refuses("lose F1"));
    assert!(game.refuses("lose F1 W2 P3"));
    assert!(game.refuses("lose F1 F4"), "a third player's card");
    assert!(game.refuses("lose F1 S9"), "the player's own card");
    assert!(game.refuses("steal F1"));
}

#[test]
fn each_two_cards_of_the_victim_are_as_likely_to_be_lost() {
    let mut game = table("phase: conflict\nhands: famine / F1 W2 P3 S4");
    game.play("famine +1");

    let mut lost = BTreeMap::new();
    (0..6_000).for_each(|seed| *lost.entry(game.draw(seed).to_string()).or_insert(0) += 1);

    assert_eq!(lost.len(), 6, "{lost:?}");
    assert!(lost.values().all(|times| (850..1_150).contains(times)), "{lost:?}");
}

/// The Deck: names have no effect in play. Front page: the action names the Disaster.
#[test]
fn all_disasters_do_the_same() {
    for disaster in EventKind::all().filter(|event| event.effect() == Effect::Disaster) {
        let mut game = table(&format!("phase: conflict\nhands: {disaster} / F1 W2 P3"));

        assert_eq!(game.legal(), format!("no event, {disaster} +1"));
        game.play(&format!("{disaster} +1, lose F1 W2"));

        assert_eq!(game.discard(), format!("F1 W2 {disaster}"));
        assert_eq!(game.points(), [0, 0]);
    }
}

/// Conflict Phase: no events on the first two turns. B11: on each player's own first two.
#[test]
fn no_event_is_played_on_ones_first_two_turns() {
    let mut game = table("phase: draw\nround: 1\nfirst: 1\nplayer: 1\nhands: raid F1 / raid W1 / raid P1");

    let mut asked = Vec::new();
    for _ in 0..9 {
        game.play(&game.draw(3).to_string());
        let conflict = game.due().contains("conflict");
        asked.push((game.game.table.player.index(), game.game.table.round, conflict));
        if conflict {
            assert!(game.legal().contains("raid +1"));
            game.play("no event");
        } else {
            assert!(game.refuses("no event") && game.refuses("raid +1"));
        }
        game.play("no meld");
        while game.due().contains("discard") {
            let first = game.legal().split(", ").find(|action| *action != "discard raid").map(str::to_owned);
            game.play(&first.expect("not all cards are Raids"));
        }
    }

    let round = |number, conflict| [1, 2, 0].map(|player| (player, number, conflict));
    assert_eq!(asked, [round(1, false), round(2, false), round(3, true)].concat());
}

/// Conflict Phase: a played event goes to the discard pile. B24: it does so before it takes effect.
#[test]
fn an_event_is_discarded_before_it_takes_effect() {
    for event in ["raid", "famine"] {
        let mut game = table(&format!("phase: conflict\nhands: {event} F7 / W3 P4 S5"));

        game.play(&format!("{event} +1"));

        assert!(game.due().contains("seat 1"), "its effect is still due");
        assert_eq!(game.hand(0), "F7", "{event}");
        assert_eq!(game.discard(), event);
    }
}

/// B8: a player may also play an event that takes nothing.
#[test]
fn an_event_may_be_played_where_it_takes_nothing() {
    let hands = "raid huri famine / -";
    assert_eq!(
        table(&format!("phase: conflict\nhands: {hands}")).legal(),
        "no event, raid +1, huri +1, famine +1",
        "a target without a card or a point"
    );

    for event in ["raid", "huri", "famine"] {
        let mut game = table(&format!("phase: conflict\nhands: {hands}\npoints: 4 / 0"));

        game.play(&format!("{event} +1"));

        assert_eq!(game.due(), "seat 0: meld", "{event} is over at once");
        assert_eq!(game.discard(), event);
        assert_eq!(game.points(), [4, 0]);
        assert_eq!(game.hand(1), "");
        assert!(!game.hand(0).contains(event));
    }
}

/// B8, `require_effect`: Raid and Disaster need a target with a card, and Huri Moai needs a target with a point.
#[test]
fn an_event_must_take_something_where_that_is_agreed() {
    let text = "require_effect: true
                phase: conflict
                hands: raid huri famine / - / F1 / -
                points: 5 / 0 / 0 / 1";
    let game = table(text);

    assert_eq!(game.legal(), "no event, raid +2, huri +3, famine +2");
    assert!(game.refuses("raid +1") && game.refuses("famine +3") && game.refuses("huri +2"));

    let free = table(&text.replace("true", "false"));
    assert_eq!(
        free.legal(),
        "no event, raid +1, raid +2, raid +3, huri +1, huri +2, huri +3, famine +1, famine +2, famine +3"
    );
}

/// B23 with B8: the game also asks a player who has an event and no target for it.
#[test]
fn a_player_without_a_target_is_asked_too() {
    let mut game = table(
        "require_effect: true
         hands: raid huri / -
         points: 5 / 0",
    );

    game.play("draw W1 W2 P1 P2");

    assert_eq!([game.due(), game.legal()], ["seat 0: conflict", "no event"]);
}

/// Front page, "Equal cards".
#[test]
fn of_equal_events_the_first_copy_is_played() {
    let mut game = table("phase: conflict\nhands: raid.5 raid.2 / -");

    assert_eq!(game.legal(), "no event, raid +1");
    game.play("raid +1");

    assert_eq!(game.game.table.discard, "raid.2".parse::<Card>().expect("a card").into());
}

/// Conflict Phase: only the player whose turn it is plays an event.
#[test]
fn nobody_plays_an_event_in_anothers_turn() {
    let game = table("phase: conflict\nplayer: 1\nhands: raid / raid / raid");

    assert_eq!(game.legal_for(1), "no event, raid +1, raid +2");
    assert_eq!([game.legal_for(0), game.legal_for(2)], ["", ""]);
}
