//! Game preparation.

use std::collections::HashMap;

use ahu_core::{BySeat, Game as _, options};
use ahu_games::rapanui_cards::{Colour, Event, Options, Outcome};

use super::{DECK, Table, before_setup, seat};

/// The number of seeds in the tests of chance.
const SEEDS: u64 = 6_000;

/// Returns the outcome of the colours for `seats` seats.
const fn colours(seats: usize) -> &'static str {
    match seats {
        2 => "colours red violet",
        3 => "colours red violet lightblue",
        _ => "colours red violet lightblue yellowgreen",
    }
}

/// The columns of the setup, with the front cards moai, priest, lumberjack, fish.
const COLUMNS: &str = "cards moai mulberry grain fish, cards priest lumberjack sweet_potato fish, \
                       cards lumberjack grain priest moai, cards fish moai mulberry grain";

fn set_up(text: &str, start: &str, colours: &str) -> Table {
    let mut game = before_setup(text);
    game.play(&format!("{start}, {colours}, {COLUMNS}"));
    game
}

/// The game is for two to four players.
#[test]
fn two_to_four_play() {
    for (seats, right) in [(0, false), (1, false), (2, true), (3, true), (4, true), (5, false), (6, false)] {
        assert_eq!(options::read::<Options>(seats, []).is_ok(), right, "{seats} seats");
    }
}

/// Each player takes the four start cards of a colour: the lumberjack lies in front, the three
/// Hunters & Gatherers are the hand.
#[test]
fn each_player_has_a_lumberjack_in_the_display_and_three_hunters_and_gatherers_in_hand() {
    for seats in 2..=4 {
        let game = set_up(&format!("seats: {seats}"), "start 1", colours(seats));

        for index in 0..seats {
            assert_eq!(game.display(index), "lumberjack", "seat {index} of {seats}");
        }
        // Red lacks sweet potatoes, violet grain, light blue mulberries, yellow-green fish.
        let hands = [
            "fish mulberry grain",
            "fish mulberry sweet_potato",
            "fish sweet_potato grain",
            "mulberry sweet_potato grain",
        ];
        assert_eq!((0..seats).map(|index| game.hand(index)).collect::<Vec<_>>(), hands[..seats]);
    }
}

/// With fewer than four players the leftover start cards are not used; nothing else changes (A17): 50 cards, 16 of
/// them in the columns, and 100 sacrifice cards.
#[test]
fn with_fewer_players_only_start_cards_are_left_out() {
    for seats in 2..=4 {
        let game = set_up(&format!("seats: {seats}"), "start 0", colours(seats));
        let table = &game.game.table;

        assert_eq!(table.stack, 34, "{seats} seats");
        assert_eq!(table.unseen.total(), 34, "{seats} seats");
        assert_eq!(table.columns.map(|pile| pile.len), [4; 4], "{seats} seats");
        for food in ["fish", "mulberry", "sweet_potato", "grain"] {
            assert_eq!(usize::from(game.stock(food)), 25 - seats, "{seats} seats: {food}");
        }
        // All lumberjacks of the deck, and one for each seat.
        let villages = table.villages.values().iter();
        let lumberjacks: u8 = villages.map(|village| village.display["lumberjack".parse().expect("a kind")]).sum();
        assert_eq!(usize::from(lumberjacks), seats);
    }
}

/// Chance lays out the columns one after the other, four cards each, from the top of the stack.
#[test]
fn the_display_has_four_columns_of_four_cards() {
    let mut game = before_setup("seats: 2");
    game.play("start 0, colours red violet");
    let mut due = vec![game.due()];
    for cards in COLUMNS.split(',') {
        game.play(cards);
        due.push(game.due());
    }

    assert_eq!(
        due,
        ["chance: column 1", "chance: column 2", "chance: column 3", "chance: column 4", "seat 0: play"],
        "a player with two wood can buy nothing (A22)"
    );
    assert_eq!(game.column(1), "moai mulberry grain fish");
    assert_eq!(game.column(2), "priest lumberjack sweet_potato fish");
    assert_eq!(game.column(3), "lumberjack grain priest moai");
    assert_eq!(game.column(4), "fish moai mulberry grain");
}

#[test]
fn an_outcome_has_one_to_four_cards_and_differs_from_one_with_other_cards() {
    let read = |text: &str| text.parse::<Outcome>().map_err(|error| error.to_string());

    assert_eq!(read("cards fish moai"), read("cards fish  moai"));
    for other in ["cards fish", "cards fish priest", "cards moai fish", "cards fish moai moai"] {
        assert_ne!(read("cards fish moai"), read(other), "{other}");
    }
    for text in ["cards", "cards fish fish fish fish fish"] {
        let error = read(text).expect_err("a column has four cards");
        assert!(error.contains("expected 1 to 4 cards"), "{text}: {error}");
    }
}

#[test]
fn an_outcome_that_is_not_due_is_refused_with_the_one_that_is() {
    let mut game = before_setup("seats: 2");
    for (other, expected, due) in [
        ("colours red violet", "expected a starting player", "start 0"),
        ("start 0", "expected the colours of the seats", "colours red violet"),
        ("start 0", "expected cards for column 1", "cards moai mulberry grain fish"),
    ] {
        assert_eq!(game.clone().ply(other), Err(expected.to_owned()));
        game.play(due);
    }
}

#[test]
fn a_column_of_more_or_fewer_cards_or_of_cards_that_are_not_there_is_refused() {
    let mut game = before_setup("seats: 2");
    game.play("start 0, colours red violet");

    assert!(!game.refuses("cards moai mulberry grain fish"));
    assert!(game.refuses("cards mulberry grain fish"));
    assert!(game.refuses("start 0"));
    assert!(game.refuses("colours red violet"));
    game.play("cards fish fish fish fish");
    assert!(!game.refuses("cards grain grain grain fish"), "the fifth");
    assert!(game.refuses("cards grain grain fish fish"), "the sixth and the fifth");
}

/// Each player takes one sacrifice card of each food.
#[test]
fn each_player_has_one_sacrifice_card_of_each_food() {
    for seats in 2..=4 {
        let game = set_up(&format!("seats: {seats}"), "start 0", colours(seats));

        for index in 0..seats {
            assert_eq!(game.cards(index), "fish mulberry sweet_potato grain", "seat {index} of {seats}");
        }
        assert_eq!(game.held(), vec![4; seats]);
        assert_eq!(game.stone(), "-");
        assert_eq!(game.top(), "empty");
        assert_eq!(game.glory(), vec![0; seats]);
    }
}

/// The starting player takes 2 wood, and the next players clockwise take 3, 4, and 5. A17: the wood goes by turn order,
/// not by seat.
#[test]
fn start_wood_goes_by_turn_order_from_the_starting_player() {
    for (seats, start, wood) in [
        (2, 0, vec![2, 3]),
        (2, 1, vec![3, 2]),
        (3, 0, vec![2, 3, 4]),
        (3, 1, vec![4, 2, 3]),
        (3, 2, vec![3, 4, 2]),
        (4, 0, vec![2, 3, 4, 5]),
        (4, 1, vec![5, 2, 3, 4]),
        (4, 2, vec![4, 5, 2, 3]),
        (4, 3, vec![3, 4, 5, 2]),
    ] {
        let game = set_up(&format!("seats: {seats}"), &format!("start {start}"), colours(seats));

        assert_eq!(game.wood(), wood, "seat {start} of {seats} begins");
    }
}

/// Beginning with the starting player, turns go clockwise.
#[test]
fn the_starting_player_begins_and_turns_go_clockwise() {
    for start in 0_usize..3 {
        let mut game = set_up("seats: 3", &format!("start {start}"), colours(3));
        let mut turns = Vec::new();
        for column in [1, 1, 1, 2, 2] {
            turns.push((game.game.table.active.index(), game.game.table.turn));
            while !game.due().ends_with("draw") {
                let play =
                    game.legal().split(", ").last().expect("a seat that has to act has a legal action").to_owned();
                game.play(&play);
            }
            while game.due().ends_with("draw") {
                game.play(&format!("draw {column}"));
            }
            while game.due().ends_with("take") {
                game.play("take glory");
            }
        }

        let left = |k| (start + k) % 3;
        assert_eq!(turns, [(left(0), 1), (left(1), 2), (left(2), 3), (left(0), 4), (left(1), 5)]);
    }
}

/// A1: chance chooses the starting player, each seat equally likely; or it is seat 0.
#[test]
fn each_player_is_as_likely_to_begin() {
    for seats in 2..=4 {
        let game = before_setup(&format!("seats: {seats}"));
        assert_eq!(game.due(), "chance: start");

        let mut first = vec![0; seats];
        for seed in 0..SEEDS {
            match game.chance(seed) {
                Outcome::Start(seat) => first[seat.index()] += 1,
                outcome => panic!("{outcome} does not say who begins"),
            }
        }
        for (index, &times) in first.iter().enumerate() {
            let expected = SEEDS / seats as u64;
            assert!((expected * 9 / 10..expected * 11 / 10).contains(&times), "seat {index} of {seats}: {times}");
        }
    }
    let game = before_setup("seats: 3");
    assert!(!game.refuses("start 2"));
    assert!(game.refuses("start 3"), "there is no such seat");
    assert!(game.refuses("colours red violet lightblue"), "not yet");
}

/// A1.
#[test]
fn with_start_player_seat0_it_is_not_left_to_chance() {
    let mut game = before_setup("seats: 3\nstart_player: seat0");

    assert_eq!(game.due(), "chance: colours");
    assert!(game.refuses("start 1"));
    game.play(&format!("{}, {COLUMNS}", colours(3)));

    assert_eq!(game.events[0], Event::StartPlayer { seat: seat(0) }, "players are told as with a random one");
    assert!(matches!(game.events[1], Event::StartCards { .. }), "{:?}", game.events[1]);
    assert_eq!(game.game.table.active, seat(0));
    assert_eq!(game.wood(), [2, 3, 4]);
}

/// A20: the seats get different colours at random; with fewer than four players the colours in play are random too.
#[test]
fn each_player_is_as_likely_to_have_each_colour() {
    for seats in 2..=4 {
        let mut game = before_setup(&format!("seats: {seats}"));
        game.play("start 0");

        let mut given = BySeat::new(game.game.table.options.seats, [0_u64; 4]);
        let mut deals = HashMap::<String, u64>::new();
        for seed in 0..SEEDS {
            let Outcome::Colours(given_out) = game.chance(seed) else { panic!("the colours are given out") };
            for (seat, colour) in given_out.iter() {
                given[seat][Colour::ALL.iter().position(|&other| other == colour).expect("one of four")] += 1;
            }
            *deals.entry(given_out.values().iter().map(Colour::to_string).collect()).or_default() += 1;
        }

        for times in given.values().iter().flatten() {
            assert!((SEEDS / 4 * 9 / 10..SEEDS / 4 * 11 / 10).contains(times), "{seats} seats: {times} times");
        }
        let all = if seats == 2 { 12 } else { 24 };
        assert_eq!(deals.len(), all, "{seats} seats: no colour twice, and each deal");
        let expected = SEEDS / all as u64;
        assert!(deals.values().all(|times| (expected * 7 / 10..expected * 13 / 10).contains(times)), "{deals:?}");
    }
}

/// A20.
#[test]
fn a_colour_that_is_given_twice_or_to_nobody_is_refused() {
    let mut game = before_setup("seats: 3");
    game.play("start 0");

    assert!(!game.refuses("colours red violet lightblue"));
    assert!(!game.refuses("colours yellowgreen lightblue red"));
    assert!(game.refuses("colours red violet red"));
    assert!(game.refuses("colours red violet"));
    assert!(game.refuses("colours red violet lightblue yellowgreen"));
    assert!(game.refuses("cards fish fish fish fish"));
}

/// The 50 cards are shuffled: each place of the display gets each card equally often.
#[test]
fn the_deck_is_shuffled() {
    for display_view in ["all", "front"] {
        let mut found = HashMap::<(usize, String), u64>::new();
        for seed in 0..SEEDS {
            let mut game = before_setup(&format!("start_player: seat0\ndisplay_view: {display_view}"));
            for _ in 0..5 {
                let outcome = game.chance(seed);
                game.play(&outcome.to_string());
            }
            for column in 1..=4 {
                let cards = game.column(column);
                let cards = cards.split(' ').enumerate().filter(|(_, card)| *card != "?");
                cards.for_each(|(place, card)| *found.entry((column * 4 + place, card.to_owned())).or_default() += 1);
            }
        }

        let places = if display_view == "all" { 16 } else { 4 };
        assert_eq!(found.len(), places * 7, "{display_view}");
        for ((place, card), times) in found {
            let (_, count) = DECK.iter().find(|(name, _)| *name == card).expect("a card of the deck");
            let expected = SEEDS * *count as u64 / 50;
            assert!((expected * 8 / 10..expected * 12 / 10).contains(&times), "{card} in place {place}: {times}");
        }
    }
}

/// The deck has five Hunters & Gatherers of each food, twelve lumberjacks, nine priests, nine Moai: chance reveals no
/// more.
#[test]
fn the_deck_has_the_cards_that_the_rulebook_counts() {
    let game = before_setup("seats: 2").game;

    let unseen: Vec<_> = game.table.unseen.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    assert_eq!(unseen, ["fish 5", "mulberry 5", "sweet_potato 5", "grain 5", "lumberjack 12", "priest 9", "moai 9"]);
    assert_eq!(game.table.stack, 50);
    assert_eq!(game.turn(), ahu_core::Turn::Chance);
}

/// No seat decides anything before the display is laid out.
#[test]
fn nobody_is_asked_during_setup() {
    let mut game = before_setup("seats: 2");
    for ply in format!("start 0, {}, {COLUMNS}", colours(2)).split(',') {
        assert!(game.due().starts_with("chance"), "{}", game.due());
        assert_eq!([game.legal_for(0), game.legal_for(1)], ["", ""]);
        game.play(ply);
    }
    assert_eq!(game.legal_for(0), "play fish 1, play mulberry 1, play grain 1");
    assert_eq!(game.legal_for(1), "");
}
