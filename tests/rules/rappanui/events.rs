//! The events that each viewer is told.

use super::{PUBLIC, Table, table, viewer};

/// Returns the events that the seats 0, 1, and 2 and the public are told.
fn event_texts(game: &Table) -> [Vec<String>; 4] {
    [viewer(0), viewer(1), viewer(2), PUBLIC].map(|who| game.event_texts(who))
}

/// B9: only thief and victim are told the card.
#[test]
fn only_thief_and_victim_are_told_what_a_raid_took() {
    let mut game = table("phase: conflict\nplayer: 2\nhands: F1 W3 / P4 / raid");

    game.play("raid +1, steal W3");

    let open = "seat 2 plays raid against seat 0".to_owned();
    let full = vec![open.clone(), "seat 2 steals W3 from seat 0".to_owned()];
    let hidden = vec![open, "seat 2 steals a card from seat 0".to_owned()];
    assert_eq!(event_texts(&game), [full.clone(), hidden.clone(), full, hidden]);
}

/// Setup and Rapa Nui Phase: hands are hidden.
#[test]
fn each_player_is_told_the_own_cards() {
    let mut game = table("phase: deal\nround: 0\nhands: - / - / -");

    game.play("deal first 1 / F1 F2 F3 F4 F5 F6 / W1 W2 W3 W4 W5 W6 / P1 P2 P3 P4 P5 P6");
    let dealt =
        |hand: &str| vec![format!("the cards are dealt, seat 1 goes first{hand}"), "--- turn 1: seat 1 ---".to_owned()];
    assert_eq!(
        event_texts(&game),
        [
            dealt("; seat 0 has F1 F2 F3 F4 F5 F6"),
            dealt("; seat 1 has W1 W2 W3 W4 W5 W6"),
            dealt("; seat 2 has P1 P2 P3 P4 P5 P6"),
            dealt(""),
        ]
    );
    game.play("draw S1 S2 raid famine");

    let hidden = vec!["seat 1 draws 4 cards".to_owned()];
    assert_eq!(
        event_texts(&game),
        [hidden.clone(), vec!["seat 1 draws S1 S2 raid famine".to_owned()], hidden.clone(), hidden]
    );
}

/// B18: everything else is public.
#[test]
fn everybody_is_told_what_happens_openly() {
    for (text, plies, sentences) in [
        ("phase: conflict\nhands: F1 / - / -", "no event", vec!["seat 0 plays no event"]),
        (
            "phase: conflict\nhands: huri / - / -\npoints: 0 / 1 / 9",
            "huri +2",
            vec!["seat 0 plays huri against seat 2", "seat 2 loses 2 Moai points"],
        ),
        (
            "phase: conflict\nhands: civil-war / F1 W2 P3 / -",
            "civil-war +1, lose F1 P3",
            vec!["seat 0 plays civil-war against seat 1", "seat 1 loses F1 P3"],
        ),
        (
            "phase: conflict\nhands: raid / - / -",
            "raid +2",
            vec!["seat 0 plays raid against seat 2", "seat 2 has no card to lose"],
        ),
        (
            "phase: conflict\nhands: famine / - / -",
            "famine +2",
            vec!["seat 0 plays famine against seat 2", "seat 2 has no card to lose"],
        ),
        ("phase: meld\nhands: F1 / - / -", "no meld", vec!["seat 0 plays no meld", "--- turn 3: seat 1 ---"]),
        (
            "phase: meld\nhands: F6 W5 P6 S7 / - / -",
            "meld F6, meld W5, meld P6, meld S7",
            vec![
                "seat 0 lays F6",
                "seat 0 lays W5",
                "seat 0 lays P6",
                "seat 0 lays S7",
                "seat 0 gains 5 Moai points; eroded: F6 W5 S7; discarded: P6",
                "--- turn 3: seat 1 ---",
            ],
        ),
        (
            "phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 raid huri / - / -",
            "no meld, discard raid",
            vec!["seat 0 plays no meld", "seat 0 discards raid", "--- turn 3: seat 1 ---"],
        ),
        (
            "phase: meld\npasses: 3\nhands: F1 / - / -\npoints: 1 / 0 / 20",
            "no meld",
            vec!["seat 0 plays no meld", "the game is over: seat 0 has 1, seat 1 has 0, seat 2 has 20"],
        ),
    ] {
        let mut game = table(text);

        game.play(plies);

        for (who, event_texts) in ["seat 0", "seat 1", "seat 2", "public"].iter().zip(event_texts(&game)) {
            assert_eq!(event_texts, sentences, "{who}: {plies}");
        }
    }
}

/// Rapa Nui Phase: all players see that the deck runs out, and that the discard pile becomes the deck.
#[test]
fn everybody_is_told_of_passes_and_shuffles() {
    for (passes, deck, discard, draw, sentences) in [
        (0, "F1 F2 F3 F4", "W1", "draw F1 F2 F3 F4", vec!["the deck is used up, 1 of 3: the hand limit is now 8"]),
        (
            1,
            "F1 F2",
            "W1 W2 W3",
            "draw F1 F2 W1 W2",
            vec!["the deck is used up, 2 of 3: the hand limit is now 6", "the discard pile becomes the deck, 3 cards"],
        ),
        (2, "F1 F2", "W1 W2", "draw F1 F2", vec!["the deck is used up for the last time"]),
        (0, "-", "-", "draw", vec!["the deck is used up, 1 of 3: the hand limit is now 8"]),
    ] {
        let mut game = table(&format!("passes: {passes}\nhands: - / - / -\ndeck: {deck}\ndiscard: {discard}"));

        game.play(draw);

        for sight in event_texts(&game) {
            assert_eq!(sight[1..], sentences, "{deck}, {discard}");
        }
    }
}

/// The leak law carries out one outcome in all games that a viewer could be in. In this test the outcomes differ, and a
/// viewer who may not know the outcome is told and shown the same.
#[test]
fn of_hidden_cards_others_are_told_nothing() {
    let raid = "phase: conflict\nhands: raid / F1 W3 F1 / P4 / -";
    let draw = "hands: raid / F1 W3 / P4 / -";
    let last = "hands: raid / F1 W3 / P4 / -\ndeck: S9\ndiscard: W8 W9 W10 W11";
    let deal = "phase: deal\nround: 0\nhands: - / - / - / -";
    let rest = "S1 S2 S3 S4 S5 S6 / P1 P2 P3 P4 P5 P6";
    let dealt = [
        format!("deal first 3 / F1 F2 F3 F4 F5 F6 / W1 W2 W3 W4 W5 W6 / {rest}"),
        format!("deal first 3 / W7 F2 raid F4 huri F6 / W1 F1 W3 W4 famine W6 / {rest}"),
    ];
    for (text, [one, other], who_may_know) in [
        (raid, ["raid +1, steal F1", "raid +1, steal W3"], [0, 1].as_slice()),
        (draw, ["draw S1 S2 S3 S4", "draw raid huri famine F1"], &[0]),
        (last, ["draw S9 W8 W9 W10", "draw S9 W11 W9 W10"], &[0]),
        (deal, [&dealt[0], &dealt[1]], &[0, 1]),
    ] {
        let [one, other] = [one, other].map(|plies| {
            let mut game = table(text);
            game.play(plies);
            game
        });

        for index in 0..4 {
            let same = one.event_texts(viewer(index)) == other.event_texts(viewer(index));
            assert_eq!(same, !who_may_know.contains(&index), "{text}: what seat {index} is told");
            let same = one.view(viewer(index)) == other.view(viewer(index));
            assert_eq!(same, !who_may_know.contains(&index), "{text}: what seat {index} sees");
        }
        assert_eq!(
            (one.event_texts(PUBLIC), one.view(PUBLIC)),
            (other.event_texts(PUBLIC), other.view(PUBLIC)),
            "{text}"
        );
    }
}

/// Front page, "Equal cards": an event does not reveal the copy.
#[test]
fn equal_cards_are_told_alike() {
    for (text, [one, other]) in [
        ("phase: conflict\nhands: raid / F7*2 / -", ["raid +1, steal F7.1", "raid +1, steal F7.2"]),
        ("phase: conflict\nhands: fire / F7*2 W1 / -", ["fire +1, lose F7.1 W1", "fire +1, lose F7.2 W1"]),
        ("hands: - / - / -", ["draw F7.1 raid.1 W1 W2", "draw F7.2 raid.8 W1 W2"]),
    ] {
        let [one, other] = [one, other].map(|plies| {
            let mut game = table(text);
            game.play(plies);
            [viewer(0), viewer(1), viewer(2), PUBLIC].map(|who| (game.seen(who), game.view(who)))
        });
        assert_eq!(one, other, "{text}");
    }
}
