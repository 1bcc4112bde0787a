//! The sacrifice round, and the Stone of Sacrifice.

use super::{PUBLIC, table, viewer};

/// The rulebook's example: Arne (seat 0) builds a Moai; Stefan (1), Patrick (2), and Sandra (3) sit to his left.
const ARNE: &str = "seats: 4\nwood: 8 / 0 / 0 / 0\nhands: moai lumberjack priest / _ / _ / _";

/// The example: Stefan begins (D1) with a sweet potato, Patrick sacrifices grain, Sandra grain too,
/// then Arne a card, face down. As he built the Moai, he adds a mulberry from the supply.
#[test]
fn arne_builds_a_moai_and_his_left_neighbour_opens_the_sacrifice_round() {
    let mut game = table(ARNE);
    let mut due = vec![game.due()];

    for ply in [
        "build moai",
        "sacrifice sweet_potato",
        "sacrifice grain",
        "sacrifice grain",
        "sacrifice fish",
        "supply mulberry",
    ] {
        game.play(ply);
        due.push(format!("{}, {} on top", game.due(), game.top()));
    }

    assert_eq!(
        due,
        [
            "seat 0: play",
            "seat 1: sacrifice, empty on top",
            "seat 2: sacrifice, sweet_potato on top",
            "seat 3: sacrifice, grain on top",
            "seat 0: sacrifice, grain on top",
            "seat 0: supply, face down on top",
            "seat 0: draw, mulberry on top",
        ]
    );
    assert_eq!(game.stone(), "fish mulberry sweet_potato grain*2");
    assert_eq!(
        [0, 1, 2, 3].map(|index| game.cards(index)),
        [
            "mulberry sweet_potato grain",
            "fish mulberry grain",
            "fish mulberry sweet_potato",
            "fish mulberry sweet_potato"
        ]
    );
    assert_eq!(game.held(), [3; 4], "the card from the supply is not one of his own");
    assert_eq!(game.stock("mulberry"), 25 - 4 - 1);
    assert_eq!(game.stock("fish"), 25 - 4);
    assert_eq!((game.wood(), game.display(0)), (vec![1, 0, 0, 0], "lumberjack moai".to_owned()));
}

/// The same round, as each player and the public are told of it: only Arne is told his sacrifice, and the others'
/// cards lie face up (D2).
#[test]
fn nobody_else_is_told_what_arne_sacrificed() {
    let mut game = table(ARNE);

    game.play("build moai, sacrifice sweet_potato, sacrifice grain, sacrifice grain, sacrifice fish, supply mulberry");

    let event_texts = |own: &str| {
        [
            "seat 0 builds a Moai for 7 wood",
            "seat 1 sacrifices sweet_potato",
            "seat 2 sacrifices grain",
            "seat 3 sacrifices grain",
            own,
            "seat 0 adds mulberry from the supply",
        ]
        .map(str::to_owned)
    };
    assert_eq!(game.event_texts(viewer(0)), event_texts("seat 0 sacrifices fish, face down"));
    for who in [viewer(1), viewer(2), viewer(3), PUBLIC] {
        assert_eq!(game.event_texts(who), event_texts("seat 0 sacrifices a card, face down"), "{who}");
    }
}

/// D1: the active player's left neighbour begins, regardless of the starting player.
#[test]
fn the_round_begins_to_the_left_of_the_active_player() {
    for (seats, active, order) in [
        (2, 1, vec![0, 1]),
        (3, 0, vec![1, 2, 0]),
        (3, 2, vec![0, 1, 2]),
        (4, 1, vec![2, 3, 0, 1]),
        (4, 3, vec![0, 1, 2, 3]),
    ] {
        let hands: Vec<_> = (0..seats).map(|index| if index == active { "moai*2 priest" } else { "_" }).collect();
        let wood = vec!["7"; seats].join(" / ");
        let mut game = table(&format!("seats: {seats}\nactive: {active}\nwood: {wood}\nhands: {}", hands.join(" / ")));

        game.play("build moai");
        for who in order {
            assert_eq!(game.due(), format!("seat {who}: sacrifice"), "{seats} seats, seat {active} builds");
            assert_eq!((0..seats).filter(|&index| !game.legal_for(index).is_empty()).collect::<Vec<_>>(), [who]);
            game.play("sacrifice grain");
        }
        assert_eq!(game.due(), format!("seat {active}: supply"));
    }
}

/// D10: the round takes place at once, before step 3.
#[test]
fn the_round_takes_place_before_drawing() {
    let mut game = table(ARNE);

    game.play("build moai");

    assert!(game.refuses("draw 1"));
    assert_eq!(game.legal_for(0), "", "Arne has to wait");
}

/// A player cannot sacrifice a card that it does not have.
#[test]
fn each_sacrifices_one_of_the_own_cards() {
    let mut game = table("wood: 7 / 0\nhands: moai fish*2 / _\ncards: mulberry*3 / fish*2 grain");
    game.play("build moai");

    assert_eq!(game.legal(), "sacrifice fish, sacrifice grain", "seat 1 has these");
    assert!(game.refuses("sacrifice mulberry"));
    assert!(game.refuses("supply fish"));
    assert_eq!(game.legal_for(0), "");
    game.play("sacrifice fish");
    assert_eq!(game.legal(), "sacrifice mulberry", "a single legal action, yet a question (A22)");
    assert!(game.refuses("sacrifice fish"));
    game.play("sacrifice mulberry");
    assert_eq!((game.cards(0), game.cards(1)), ("mulberry*2".to_owned(), "fish grain".to_owned()));
}

/// A face-down card is gone: its player cannot sacrifice it again.
#[test]
fn a_card_that_lies_face_down_is_no_longer_its_players() {
    let mut game = table("wood: 9 / 9\nhands: moai*2 fish / moai fish*2\ncards: fish grain / fish*3\nactive: 0");
    game.play("build moai, sacrifice fish, sacrifice fish, supply fish, draw 1");
    while !game.due().ends_with("play") {
        let first = game.legal().split(", ").last().expect("something").to_owned();
        game.play(&first);
    }
    game.play("build moai");

    assert_eq!(game.due(), "seat 0: sacrifice");
    assert!(game.refuses("sacrifice fish"));
    assert!(!game.refuses("sacrifice grain"));
}

/// A4: "if a player has such a card at all". An active player without a card is skipped too, but still adds the card from
/// the supply.
#[test]
fn who_has_no_sacrifice_card_is_passed_over() {
    for (cards, order) in [
        ("fish / fish / fish", "12 0"),
        ("fish / - / fish", "2 0"),
        ("fish / fish / -", "1 0"),
        ("- / fish / fish", "12 "),
        ("fish / - / -", " 0"),
        ("- / - / -", " "),
    ] {
        let mut game = table(&format!("cards: {cards}\nwood: 7 / 0 / 0\nhands: moai*3 / _ / _"));
        game.play("build moai");

        let (others, own) = order.split_once(' ').expect("the others, the builder");
        for who in others.chars().chain(own.chars()) {
            assert_eq!(game.due(), format!("seat {who}: sacrifice"), "{cards}");
            game.play("sacrifice fish");
        }
        assert_eq!(game.due(), "seat 0: supply", "{cards}");
        assert_eq!(
            game.top(),
            if own == "0" {
                "face down"
            } else if others.is_empty() {
                "empty"
            } else {
                "fish"
            }
        );
        game.play("supply grain");
        assert_eq!(game.top(), "grain", "{cards}");
    }
}

/// A5: the active player must add a card of any food in the supply.
#[test]
fn a_card_from_the_supply_must_be_added() {
    let text = "phase: supply\nface_down: 0 fish";
    assert_eq!(table(text).legal(), "supply fish, supply mulberry, supply sweet_potato, supply grain");
    assert!(table(text).refuses("supply nothing"));
    assert!(table(text).refuses("draw 1"));

    let mut scarce = table(&format!("{text}\nstock: mulberry grain*9\ntop: face_down"));
    assert_eq!(scarce.legal(), "supply mulberry, supply grain");
    assert!(scarce.refuses("supply fish"));
    scarce.play("supply mulberry");
    assert_eq!((scarce.stock("mulberry"), scarce.top()), (0, "mulberry".to_owned()));
    assert_eq!(scarce.due(), "seat 0: draw");
}

/// A5: "optional", as in the example ("he can pick another card").
#[test]
fn with_the_optional_supply_card_it_may_be_left() {
    let text = "phase: supply\nface_down: 0 fish\nmoai_supply_sacrifice: optional";
    let mut game = table(text);
    assert_eq!(game.legal(), "supply fish, supply mulberry, supply sweet_potato, supply grain, supply nothing");

    game.play("supply nothing");

    assert_eq!((game.stone(), game.top(), game.due()), ("fish".into(), "face down".into(), "seat 0: draw".into()));
    assert_eq!(game.event_texts(PUBLIC).len(), 1, "all are told: {:?}", game.event_texts(PUBLIC));
    assert!(!table(text).refuses("supply grain"));
}

/// A5, A22: if the supply is empty, nobody is asked.
#[test]
fn from_an_empty_supply_nothing_is_added() {
    for option in ["mandatory", "optional"] {
        let mut game =
            table(&format!("moai_supply_sacrifice: {option}\nwood: 7 / 0\nhands: moai fish*2 / _\nstock: -"));

        game.play("build moai, sacrifice fish, sacrifice grain");

        assert_eq!((game.due(), game.top()), ("seat 0: draw".to_owned(), "face down".to_owned()), "{option}");
    }
}

/// A6: players sacrifice one after the other, and each sees the sacrifices before.
#[test]
fn each_sees_the_cards_that_were_sacrificed_before() {
    let mut game = table(ARNE);

    game.play("build moai, sacrifice sweet_potato");

    assert_eq!(game.due(), "seat 2: sacrifice");
    let text = game.view(viewer(2)).to_string();
    assert!(text.contains("sweet_potato on top"), "{text}");
    game.play("sacrifice grain");
    let text = game.view(viewer(3)).to_string();
    assert!(text.contains("grain on top"), "{text}");
}

/// "The face down cards on the Stone of Sacrifice stay face down till the end of the game!" All of them are revealed
/// then.
#[test]
fn cards_stay_face_down_to_the_end() {
    let mut game = table(&format!("{ARNE}\nstack: 2\ncolumns: fish / _ / _ / _"));
    game.play("build moai, sacrifice sweet_potato, sacrifice grain, sacrifice grain, sacrifice fish, supply mulberry");
    for who in [viewer(1), viewer(2), viewer(3), PUBLIC] {
        assert_eq!(game.view(who).known, [None; 9], "{who}");
        assert_eq!(game.view(who).cards_of(super::seat(0)), None, "{who}");
    }

    game.play("draw 1");
    let outcome = game.chance(1).to_string();
    game.play(&outcome);

    assert_eq!(game.due(), "over");
    for who in [viewer(0), viewer(1), viewer(2), viewer(3), PUBLIC] {
        assert_eq!(game.view(who).known[0], Some("fish".parse().expect("a food")), "{who}");
        let event_texts = game.event_texts(who).pop().expect("the end");
        assert!(event_texts.contains("face down were: seat 0 fish / "), "{event_texts}");
    }
}
