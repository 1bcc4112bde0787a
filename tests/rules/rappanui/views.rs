//! The views of the table. B18: the piles lie face up, hands are hidden, and all counts are public.

use ahu_core::{Ask as _, View as _};
use ahu_games::rappanui::{Phase, View};

use super::{PUBLIC, Table, cards, seat, table, viewer};
use crate::scripted::observed;

/// B18.
#[test]
fn a_hand_is_seen_by_its_player_alone() {
    let game = table("phase: conflict\nhands: raid F7 / W3 W3 / -");

    assert_eq!(game.view(viewer(0)).hand, cards("F7 raid"));
    assert_eq!(game.view(viewer(1)).hand, cards("W3 W3"));
    assert_eq!(game.view(viewer(2)).hand, cards("-"));
    assert_eq!(game.view(PUBLIC).hand, cards("-"));
}

/// B18.
#[test]
fn everybody_sees_the_piles_and_all_that_can_be_counted() {
    let game = table(
        "phase: conflict
         first: 2
         player: 1
         round: 5
         passes: 1
         hands: raid F7 / W3 W3 W4 / -
         points: 3 / 0 / 12
         deck: S1 S2 S3 S4 S5
         eroded: W12 F12",
    );

    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        let view = game.view(who);
        assert_eq!((view.table.first, view.table.player, view.table.round), (seat(2), seat(1), 5), "{who}");
        assert_eq!((view.deck, view.table.passes), (5, 1), "{who}");
        assert_eq!(view.hand_sizes.values(), [2, 3, 0], "{who}");
        assert_eq!(view.table.points.values(), [3, 0, 12], "{who}");
        assert_eq!(view.scores().values(), [3, 0, 12], "{who}");
        assert_eq!(view.ranks().values(), [2, 3, 1], "{who}");
        assert_eq!((view.table.discard.to_string(), view.table.eroded), (game.discard(), cards("F12 W12")), "{who}");
        assert_eq!((view.viewer, view.table.phase), (who, Phase::Conflict));
        assert_eq!(view.table.options, game.game.table.options);
    }
}

/// Two tables look the same to a viewer if they differ only in facts that it cannot see.
#[test]
fn nobody_sees_anothers_hand_or_the_deck() {
    let one = table("phase: meld\nhands: F1 W1 P1 S1 / W3 W4 / P5\ndeck: F7 raid\ndiscard: -");
    let other = table("phase: meld\nhands: F1 W1 P1 S1 / F7 P5 / W3\ndeck: W4 raid\ndiscard: -");

    assert_eq!(one.view(viewer(0)), other.view(viewer(0)));
    assert_eq!(one.view(viewer(0)).to_string(), other.view(viewer(0)).to_string());
    assert_eq!(one.view(PUBLIC), other.view(PUBLIC));
    assert_ne!(one.view(viewer(1)), other.view(viewer(1)));
    assert_ne!(one.view(viewer(2)), other.view(viewer(2)));
}

/// B23: the pending decision does not reveal whether a hand has an event or a meld.
#[test]
fn what_is_due_tells_nothing_of_the_hand() {
    let mut able = table("hands: raid F1 W1 P1 / F2");
    let mut unable = table("hands: F3 F4 F5 F6 / F2");
    let sights = |game: &Table| (game.view(viewer(1)), game.view(PUBLIC), game.legal_for(1), game.due());

    for plies in ["draw S1 S2 S3 S4", "no event", "no meld"] {
        able.play(plies);
        unable.play(plies);
        assert_eq!(sights(&able), sights(&unable), "after {plies}");
        assert_eq!(able.event_texts(PUBLIC), unable.event_texts(PUBLIC), "{plies}");
    }
}

/// Front page, "Equal cards": nobody can tell copies apart.
#[test]
fn equal_cards_look_the_same_to_all() {
    let with = |own: &str, other: &str| {
        table(&format!("phase: meld\nhands: {own} W1 P1 S1 raid.3 / {other} W2\ndeck: F9 F9\ndiscard: huri.2"))
    };
    let (mut one, mut two) = (with("F7.1", "F7.2"), with("F7.2", "F7.1"));

    for plies in ["meld F7", "meld W1", "meld P1, meld S1"] {
        one.play(plies);
        two.play(plies);
        for who in [viewer(0), viewer(1), PUBLIC] {
            assert_eq!(one.view(who), two.view(who), "after {plies}, {who}");
            assert_eq!(one.event_texts(who), two.event_texts(who), "{plies}, {who}");
        }
    }
    assert_eq!(one.view(viewer(0)).hand, cards("raid"));
    assert_eq!(one.view(PUBLIC).table.discard, cards("P1 S1 huri"));
}

/// Laid cards are public.
#[test]
fn everybody_sees_the_meld_that_is_being_laid() {
    let mut game = table("phase: meld\nhands: F7.2 W1 P1 S1 / -");

    game.play("meld F7, meld W1");

    for who in [viewer(0), viewer(1), PUBLIC] {
        assert_eq!(game.view(who).table.phase.laid(), cards("F7 W1"), "{who}");
        assert_eq!(game.view(who).hand_sizes[seat(0)], 2, "{who}");
    }
}

/// The text shows people everything on the table.
#[test]
fn a_view_is_a_text_for_people() {
    let mut game = table(
        "passes: 1
         hands: raid F7 / W3 W4 P9 / S1
         points: 3 / 0 / 12
         discard: F2 F2 huri*2 famine W12 S6 S6
         eroded: W12",
    );
    game.play("draw F1 F1 P1 P1, raid +1, steal P9");

    let text = |who| game.view(who).to_string().lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        text(viewer(1)),
        [
            "Rappa Nui: turn 3, seat 0: Moai Phase; seat 0 went first",
            "deck 101 (used up 1 of 3 times), discard 9, eroded 1, hand limit 8",
            "    seat  points  cards",
            "  > 0          3      6  has P9",
            "    1          0      2  (you)",
            "    2         12      1",
            "your hand: W3 W4",
            "discarded: F2 F2 W12 S6 S6 raid huri huri famine",
            "eroded: W12",
            "seen of this deck: W3 W4 raid",
        ]
    );
    assert_eq!(
        text(PUBLIC)[3..],
        [
            "  > 0          3      6",
            "    1          0      2",
            "    2         12      1",
            "discarded: F2 F2 W12 S6 S6 raid huri huri famine",
            "eroded: W12",
            "seen of this deck: raid",
        ],
        "no hand is shown"
    );
}

/// Returns the indexes of the set bits of a field.
fn set(view: &View, name: &str) -> Vec<usize> {
    let values = observed(view, name);
    (0..values.len()).filter(|&n| values[n] == 1).collect()
}

/// Fields by seat begin with the viewer's seat and go to the left. Absent seats are zero.
#[test]
fn an_observation_is_seen_from_the_own_seat() {
    let game = table(
        "phase: conflict
         first: 1
         player: 0
         hands: raid F7 / W3 W3 W4 / -
         points: 3 / 0 / 12",
    );

    for (who, player, first, points, sizes) in [
        (viewer(0), 0, 1, [3, 0, 12, 0, 0, 0], [2, 3, 0, 0, 0, 0]),
        (viewer(1), 2, 0, [0, 12, 3, 0, 0, 0], [3, 0, 2, 0, 0, 0]),
        (viewer(2), 1, 2, [12, 3, 0, 0, 0, 0], [0, 2, 3, 0, 0, 0]),
        (PUBLIC, 0, 1, [3, 0, 12, 0, 0, 0], [2, 3, 0, 0, 0, 0]),
    ] {
        let view = game.view(who);
        assert_eq!(set(&view, "player"), [player], "{who}");
        assert_eq!(set(&view, "first"), [first], "{who}");
        assert_eq!(set(&view, "present"), [0, 1, 2], "{who}");
        assert_eq!(observed(&view, "points"), points, "{who}");
        assert_eq!(observed(&view, "hand_sizes"), sizes, "{who}");
        assert_eq!(set(&view, "phase"), [0], "{who}");
    }
}

/// The bits are, in this order: at least one copy of a resource, both copies, counts of Raids and Huri Moai, the Disasters.
#[test]
fn an_observation_shows_cards_as_bits() {
    let game = table(
        "phase: meld
         passes: 1
         hands: F7 W3*2 raid*2 huri famine / S12
         deck: F1
         eroded: S12 W12",
    );
    let view = game.view(viewer(0));

    // Famine is the fifth Disaster. W3 is kind 14, and the hand has both copies.
    assert_eq!(set(&view, "hand"), [6, 14, 48 + 14, 96, 97, 104, 108 + 4]);
    assert_eq!(set(&view, "eroded"), [23, 47]);
    assert_eq!(set(&view, "laid"), Vec::<usize>::new());
    assert_eq!(set(&view, "passes"), [0]);
    assert_eq!(observed(&view, "deck"), [1]);
    assert_eq!(observed(&view, "hand_limit"), [8]);
    assert_eq!(observed(&view, "round"), [3]);
    assert_eq!(set(&game.view(PUBLIC), "hand"), Vec::<usize>::new());
    assert_eq!(observed(&view, "discard").iter().sum::<i16>(), 120 - 7 - 1 - 1 - 2);
}

/// The rows of known cards begin with the left neighbour.
#[test]
fn an_observation_shows_what_is_known_of_each_hand() {
    for thief in 0..3 {
        for left in 1..3 {
            let victim = (thief + left) % 3;
            let hands = [0, 1, 2].map(|index| if index == victim { "F7 W3" } else { "raid S1" });
            let mut game = table(&format!("phase: conflict\nplayer: {thief}\nhands: {}", hands.join("/")));

            game.play(&format!("raid +{left}, steal F7"));

            // The row counts seats from the victim to the thief on its left; F7 is the seventh kind.
            let row = (thief + 3 - victim) % 3 - 1;
            for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
                let view = game.view(who);
                let known = if who == viewer(victim) { vec![62 * row + 6] } else { Vec::new() };
                let exposed = if who == viewer(thief) { vec![6] } else { Vec::new() };
                assert_eq!(
                    (set(&view, "known"), set(&view, "exposed")),
                    (known, exposed),
                    "{who}: {thief} and {victim}"
                );
            }
        }
    }
}

#[test]
fn an_observation_shows_the_options_that_change_play() {
    for (n, option) in
        ["combine_rule: true", "reshuffle: eager", "equal_turns: true", "require_effect: true", "tie: fewest_cards"]
            .iter()
            .enumerate()
    {
        assert_eq!(set(&table(option).view(PUBLIC), "options"), [n], "{option}");
    }
    assert_eq!(set(&table("hands: - / -").view(PUBLIC), "options"), Vec::<usize>::new());
}

#[test]
fn an_observation_counts_the_discards_still_to_come() {
    let mut game = table("phase: meld\npasses: 2\nhands: F1 F2 F3 F4 F5 F6 F7 F8 / -");

    game.play("no meld, discard F1");

    assert_eq!(observed(&game.view(viewer(1)), "excess"), [1]);
    assert_eq!(set(&game.view(viewer(1)), "phase"), [2]);
    assert_eq!(observed(&game.view(viewer(1)), "hand_limit"), [6]);
}

/// The text names the cards that cannot be in the deck, so that some player holds them.
#[test]
fn a_view_says_what_others_surely_hold() {
    let mut game = table("hands: - / S1 raid / S2\ndeck: F1\ndiscard: W1 W2 W3 W4 W5");

    game.play("draw F1 W1 W2 W3");

    let text = game.view(viewer(0)).to_string();
    assert!(text.contains("surely in other hands: S1 S2 raid\n"), "{text}");
}

#[test]
fn a_discard_is_asked_with_its_order_and_a_meld_with_its_points() {
    let asked = |text: &str, actions: &str| {
        let mut game = table(text);
        game.play(actions);
        game.view(viewer(0)).shown().question()
    };
    let hand = "phase: meld\nhands: F1 F2 W3 W4 P5 P6 S7 S8 raid huri famine fire / -";
    let first = asked(hand, "no meld");
    assert!(
        first.starts_with("Discard which card first? 2 cards are left to discard, in the order Food, Wood,"),
        "{first}"
    );
    assert!(first.ends_with("a card before the one that you choose stays in your hand."), "{first}");
    assert_eq!(asked(hand, "no meld, discard P5"), "Discard which card? 1 card is left to discard.");
    let meld = table(hand).view(viewer(0)).shown().question();
    assert!(meld.starts_with("Play a meld, or none? A meld has one card of each suit, "), "{meld}");
    let event = table("phase: conflict\nhands: raid / F1 / F2").view(viewer(0)).shown().question();
    assert!(event.ends_with("+1 is seat 1, +2 is seat 2."), "{event}");
    assert_eq!(table(hand).view(viewer(1)).shown().question(), "", "the other has nothing to decide");
}

#[test]
fn cards_that_are_surely_in_hands_are_in_other_hands_for_a_player_alone() {
    let mut game = table("phase: meld\nhands: F1 / F2");
    game.game.table.shuffled = cards("-");
    assert!(game.view(viewer(0)).shown().to_string().contains("\nsurely in other hands: "), "{}", game.view(viewer(0)));
    assert!(game.view(PUBLIC).shown().to_string().contains("\nsurely in hands: "), "{}", game.view(PUBLIC));
}
