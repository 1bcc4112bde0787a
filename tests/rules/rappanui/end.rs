//! Victory: the end of the game, and the winners.

use ahu_core::{ActionSet, ChanceRng, Game as _, GameExt as _, NoEvents, PlayError, Seed, Viewer};
use ahu_games::rappanui::{Action, Event, GREEDY_1};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{seat, table};

/// Victory: the game ends when the players have gone through the deck three times; the player who draws the last card
/// may finish the turn.
#[test]
fn the_turn_of_the_third_last_card_is_played_to_its_end() {
    for (passes, due) in [(2, "over"), (1, "seat 2: draw")] {
        let mut game = table(&format!(
            "passes: {passes}
             player: 1
             hands: F12 / raid F5 W5 P5 S5 W6*2 W7 / W1
             deck: F1 F2 F3 F4"
        ));

        game.play("draw F1 F2 F3 F4");
        assert_eq!(game.passes(), passes + 1);
        assert_eq!(game.due(), "seat 1: conflict");
        game.play("raid +1, steal W1, meld F5, meld W5, meld P5, meld S5");
        // B6: the player may keep six cards, in the last turn too.
        assert_eq!(game.due(), "seat 1: discard 2");
        game.play("discard F1, discard F2");

        assert_eq!(game.due(), due, "{} passes", passes + 1);
        assert_eq!(game.points(), [0, 5, 0]);
    }
}

/// B4: the player who draws the last card for the third time draws no more.
#[test]
fn the_third_last_card_ends_the_draw() {
    let mut last = table("passes: 2\nhands: - / -\ndeck: F1 F2\ndiscard: W1 W2 W3");
    let mut second = table("passes: 1\nhands: - / -\ndeck: F1 F2\ndiscard: W1 W2 W3");

    assert!(last.refuses("draw F1 F2 W1 W2"));
    last.play("draw F1 F2");
    assert!(second.refuses("draw F1 F2"));
    second.play("draw F1 F2 W1 W2");

    assert_eq!(last.passes(), 3);
    assert_eq!(last.hand(0), "F1 F2");
    assert_eq!(last.due(), "seat 0: conflict");
    assert_eq!(second.passes(), 2);
    assert_eq!(second.hand(0), "F1 F2 W1 W2");
}

/// B4: no more turns. With `equal_turns`: turns up to the player before the first player.
#[test]
fn the_others_have_a_last_turn_only_where_that_is_agreed() {
    for (first, drawer, more) in [
        (0, 0, vec![1, 2]),
        (0, 1, vec![2]),
        (0, 2, vec![]),
        (1, 0, vec![]),
        (1, 1, vec![2, 0]),
        (1, 2, vec![0]),
        (2, 0, vec![1]),
        (2, 1, vec![]),
        (2, 2, vec![0, 1]),
    ] {
        for equal_turns in [false, true] {
            let mut game = table(&format!(
                "equal_turns: {equal_turns}
                 passes: 2
                 round: 9
                 first: {first}
                 player: {drawer}
                 hands: F1 / F2 / F3
                 deck: W1 W2 W3 W4"
            ));

            game.play("draw W1 W2 W3 W4, no event, no meld");
            let mut turns = Vec::new();
            while game.due() != "over" {
                let player = game.game.table.player.index();
                assert_eq!(game.due(), format!("seat {player}: conflict"), "without drawing");
                assert_eq!(game.game.table.round, 9);
                turns.push(player);
                game.play("no event, no meld");
            }

            let expected = if equal_turns { more.clone() } else { Vec::new() };
            assert_eq!(turns, expected, "seat {first} goes first, seat {drawer} draws the last card");
            assert_eq!(game.passes(), 3);
        }
    }
}

/// B4 with B6, `equal_turns`: such a turn has events, a meld, and a limit of six cards.
#[test]
fn a_turn_after_the_last_card_lacks_nothing_but_the_draw() {
    let mut game = table(
        "equal_turns: true
         passes: 2
         hands: F12 / raid F5 W5 P5 S5 S6 S7 S8 S9 S10 S11
         deck: W1 W2 W3 W4
         discard: P1 P2 P3 P4 P6 P7",
    );

    game.play("draw W1 W2 W3 W4, no event, no meld");
    assert_eq!(game.due(), "seat 1: conflict");
    game.play("raid +1, steal F12, meld F5, meld W5, meld P5, meld S5");
    assert_eq!(game.due(), "seat 1: discard 1");
    game.play("discard S11");

    assert_eq!(game.due(), "over");
    assert_eq!(game.points(), [0, 5]);
    assert_eq!(game.deck(), "", "the discard pile stays where it is");
}

#[test]
fn nobody_does_anything_after_the_end() {
    let mut game = table("phase: over\npasses: 3\nhands: raid F1 W1 P1 S1 / raid");
    let no_event = "no event".parse().expect("an action");

    assert_eq!([game.legal_for(0), game.legal_for(1)], ["", ""]);
    assert_eq!(game.game.play_checked(seat(0), no_event, &mut NoEvents), Err(PlayError::Over));
    assert!(game.refuses("draw F2 F2 F3 F3"));
}

/// Victory. B17: players who tie share the place. With `fewest_cards`, the player with fewer cards in hand comes first.
#[test]
fn the_most_moai_points_win() {
    for (points, hands, share, fewest_cards) in [
        ("5 / 9 / 7", "- / F1 F2 / -", [3, 1, 2], [3, 1, 2]),
        ("9 / 9 / 7", "F1 / F2 F3 / -", [1, 1, 3], [1, 2, 3]),
        ("9 / 9 / 7", "F1 F2 / F3 / -", [1, 1, 3], [2, 1, 3]),
        ("9 / 9 / 7", "F1 / F2 / F3", [1, 1, 3], [1, 1, 3]),
        ("0 / 0 / 0", "F1 F2 / - / F3", [1, 1, 1], [3, 1, 2]),
        ("4 / 8 / 4", "- / F1 F2 F3 / -", [2, 1, 2], [2, 1, 2]),
        ("4 / 8 / 4", "F1 / - / F2 F3", [2, 1, 2], [2, 1, 3]),
        ("0 / 12 / 0", "- / raid / famine", [2, 1, 2], [2, 1, 3]),
    ] {
        for (tie, ranks) in [("share", share), ("fewest_cards", fewest_cards)] {
            let game = table(&format!("tie: {tie}\nphase: over\npasses: 3\nhands: {hands}\npoints: {points}"));
            assert_eq!(game.ranks(), ranks, "{points} points, {hands}, {tie}");
        }
    }
}

/// The dossier, B1: the number of turns of a game among greedy players, as measured with another engine.
#[test]
fn a_game_has_about_as_many_turns_as_were_measured() {
    const GAMES: u64 = 200;
    for (seats, measured) in [(2, 59), (3, 55), (4, 51), (5, 46), (6, 42)] {
        let mut turns = 0;
        for seed in 0..GAMES {
            let mut game = table(&format!("phase: deal\nround: 0\nhands: {}", vec!["-"; seats].join("/"))).game;
            let (mut chance, mut rng) = (ChanceRng::new(Seed(seed)), ChaCha8Rng::seed_from_u64(seed));
            let mut events: Vec<Event> = Vec::new();
            game.settle_all(&mut chance, &mut events);
            while let Some(player) = game.turn().to_act().first() {
                let mut legal = ActionSet::of::<Action>();
                game.legal_actions(player, &mut legal);
                let action = (GREEDY_1.choose)(&game.view(Viewer::Seat(player)), &legal, &mut rng);
                game.apply(player, action, &mut events);
                game.settle_all(&mut chance, &mut events);
            }
            turns += events.iter().filter(|event| matches!(event, Event::TurnBegan { .. })).count() as u64;
        }
        assert!((measured - 1..=measured + 1).contains(&(turns / GAMES)), "{seats} seats: {} turns", turns / GAMES);
    }
}
