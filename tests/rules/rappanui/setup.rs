//! Setup, and the turn sequence.

use ahu_core::{BySeat, GameExt as _, NoEvents, options};
use ahu_games::rappanui::{Options, Outcome};

use super::{Table, seat, table};

/// The number of seeds in the tests of chance.
const SEEDS: u64 = 6_000;

fn before_the_deal(seats: usize) -> Table {
    table(&format!("phase: deal\nround: 0\nhands: {}", vec!["-"; seats].join("/")))
}

/// Introduction: the game is for two or more players. B1: up to six.
#[test]
fn two_to_six_play() {
    for (seats, right) in [(0, false), (1, false), (2, true), (3, true), (4, true), (5, true), (6, true), (7, false)] {
        assert_eq!(options::read::<Options>(seats, []).is_ok(), right, "{seats} seats");
    }
}

/// Setup: each player gets six cards; the rest is the deck.
#[test]
fn each_player_is_dealt_six_cards() {
    for seats in 2..=6 {
        let mut game = before_the_deal(seats);

        game.play(&game.draw(1).to_string());

        assert!(game.game.hands.values().iter().all(|hand| hand.len() == 6), "{seats} seats");
        assert_eq!(game.game.deck.len(), 120 - 6 * seats);
        assert_eq!(game.discard(), "");
        assert_eq!(game.eroded(), "");
        assert_eq!(game.passes(), 0);
        assert_eq!(game.points(), vec![0; seats], "{seats} seats");
    }
}

#[test]
fn a_deal_of_more_or_fewer_cards_or_of_one_card_twice_is_refused() {
    let game = before_the_deal(2);

    assert!(!game.refuses("deal first 1 / F1 F2 F3 F4 F5 F6 / W1 W2 W3 W4 W5 W6"));
    assert!(game.refuses("deal first 1 / F1 F2 F3 F4 F5 F6 / W1 W2 W3 W4 W5"));
    assert!(game.refuses("deal first 1 / F1 F2 F3 F4 F5 F6 F7 / W1 W2 W3 W4 W5 W6"));
    assert!(game.refuses("deal first 1 / F1.1 F2 F3 F4 F5 F6 / F1.1 W2 W3 W4 W5 W6"));
    assert!(game.refuses("deal first 1 / F1 F2 F3 F4 F5 F6 / W1 W2 W3 W4 W5 W6 / P1 P2 P3 P4 P5 P6"));
    assert!(game.refuses("draw F1 F2 F3 F4"));
}

/// Setup: the highest cut goes first. B2: each player is equally likely.
#[test]
fn each_player_is_as_likely_to_go_first() {
    for seats in 2..=6 {
        let game = before_the_deal(seats);

        let mut first = vec![0; seats];
        for seed in 0..SEEDS {
            match game.draw(seed) {
                Outcome::Deal { first: seat, .. } => first[seat.index()] += 1,
                outcome => panic!("expected a deal, got {outcome}"),
            }
        }

        for (index, &times) in first.iter().enumerate() {
            let expected = SEEDS / seats as u64;
            assert!((expected * 9 / 10..expected * 11 / 10).contains(&times), "seat {index} of {seats}: {times}");
        }
    }
}

/// Setup: the deck is shuffled: each hand gets each card equally often.
#[test]
fn the_deck_is_shuffled_before_the_deal() {
    let game = before_the_deal(3);

    let mut dealt = BySeat::new(game.game.table.options.seats, [0_u64; 120]);
    for seed in 0..SEEDS {
        let Outcome::Deal { hands, .. } = game.draw(seed) else { panic!("the cards are dealt") };
        for (seat, hand) in hands.iter() {
            (0..120).for_each(|card| dealt[seat][card] += (hand.bits() >> card & 1) as u64);
        }
    }

    let expected = SEEDS * 6 / 120;
    for times in dealt.values().iter().flatten() {
        assert!((expected * 7 / 10..expected * 13 / 10).contains(times), "{times} times, not about {expected}");
    }
}

/// Setup: play goes clockwise, and the first player has the first turn.
#[test]
fn the_first_player_begins_and_play_proceeds_clockwise() {
    let mut game = before_the_deal(3);

    game.play("deal first 1 / F1 F2 F3 F4 F5 F6 / W1 W2 W3 W4 W5 W6 / P1 P2 P3 P4 P5 P6");
    let mut turns = Vec::new();
    for _ in 0..5 {
        turns.push((game.game.table.player.index(), game.game.table.round));
        game.play(&game.draw(7).to_string());
        while game.due().contains("meld") || game.due().contains("discard") {
            let first = game.legal().split(", ").next().expect("a seat that has to act has a legal action").to_owned();
            game.play(&first);
        }
    }

    assert_eq!(turns, [(1, 1), (2, 1), (0, 1), (1, 2), (2, 2)]);
}

#[test]
fn the_hands_are_those_of_the_deal() {
    let mut game = before_the_deal(2);

    game.play("deal first 1 / F1 F2 F3 F4 raid huri / W1.1 W1.2 W3 W4 W5 famine");

    assert_eq!(game.hand(0), "F1 F2 F3 F4 raid huri");
    assert_eq!(game.hand(1), "W1 W1 W3 W4 W5 famine");
    assert_eq!(game.game.deck.count("W1".parse().expect("a kind")), 0);
    assert_eq!(game.due(), "seat 1: draw");
}

/// Turn Sequence: Rapa Nui, Conflict, Moai, Deforestation, Decline.
#[test]
fn a_turn_has_its_phases_in_their_order() {
    let mut game = table(
        "hands: raid F1 W2 P3 S4 S5 S6 S7 S8 S9 / W9
         deck: F11 F11 F12 F12",
    );
    let mut due = vec![game.due()];

    let plies = "draw F11 F11 F12 F12, raid +1, steal W9, meld F1, meld W2, meld P3, meld S4, discard F11, discard W9";
    for ply in plies.split(", ") {
        game.play(ply);
        due.push(game.due());
    }

    assert_eq!(
        due,
        [
            "seat 0: draw",
            "seat 0: conflict",
            "seat 0: steal from seat 1",
            "seat 0: meld",
            "seat 0: meld after F1",
            "seat 0: meld after F1 W2",
            "seat 0: meld after F1 W2 P3",
            // Deforestation has no decision. The deck has run out: 10 cards are 2 too many.
            "seat 0: discard 2",
            "seat 0: discard 1",
            "seat 1: draw",
        ]
    );
}

#[test]
fn nobody_decides_while_cards_are_dealt_or_drawn() {
    for mut game in [before_the_deal(2), table("hands: raid F1 / F2")] {
        let no_event = "no event".parse().expect("an action");

        assert_eq!([game.legal_for(0), game.legal_for(1)], ["", ""]);
        assert!(game.game.play_checked(seat(0), no_event, &mut NoEvents).is_err());
    }
}
