//! The example of a whole turn on the last pages, from the dice to the last headdress. Seats: Green 0, Red 1, Blue 2.
//!
//! The dossier maps the example to this island: A is hex 8, B hex 32 (3/8), C hex 30 (5/6). Erratum of the rulebook:
//! after "Blue: Takes a Rongo Half-Tablet" its tables still give Blue 1 Tribe Marker and 1 half; he has none and 2.

use super::{PUBLIC, Table, table};

fn at_the_beginning() -> Table {
    table(
        "turn: 5
         phase: roll
         behind: 3W 2T 2H / 3W 5L 3T 1H / 4W 3T 1H
         pieces: 1a@23 of 0, 2a@22 of 2, ha@27",
    )
}

fn elements(game: &Table) -> [String; 3] {
    [0, 1, 2].map(|seat| game.behind(seat))
}

fn auction(game: &mut Table) {
    game.play("roll 1 2 3");
    game.bid(["2T 1W", "2T chief", "2T 1W"]);
    // Green has two halves and chooses first; with one Worker he can take only size 1.
    assert_eq!((game.due().as_str(), game.legal().as_str()), ("seat 0: pick", "pick 1, decline"));
    game.play("pick 1");
    // Red comes before Blue in turn order.
    assert_eq!((game.due().as_str(), game.legal().as_str()), ("seat 1: pick", "pick 2, pick 3, decline"));
    game.play("pick 3");
}

#[test]
fn the_auction_of_the_turn_example() {
    let mut game = at_the_beginning();
    auction(&mut game);

    // Blue has one Worker: the Moai of size 2 cannot be sculpted and is removed from the game.
    assert!(game.event_texts(PUBLIC).contains(&"unclaimed Moai leave the game: 1 of size 2".to_owned()));
    assert_eq!(elements(&game), ["chief sorcerer 2W 2H", "sorcerer 3W 1T 5L 1H", "chief sorcerer 3W 1T 1H"]);
    assert_eq!([game.at("1b"), game.at("3a"), game.at("2b")], ["front 0", "front 1", "rock"]);
    assert_eq!(game.due(), "seat 0: place");
}

fn placement(game: &mut Table) {
    game.play("place sorcerer, at 22, use power");
    game.play("place worker 2 logs, at 34");
    game.play("place chief, at 30");
    assert_eq!(elements(game), ["chief 3W 2H", "sorcerer 2W 1T 3L 1H", "sorcerer 3W 1T 1H"]);

    game.play("place chief, at 22, use power");
    game.play("place worker 2 logs, at 33");
    game.play("place worker, at 28");
    assert_eq!(elements(game), ["4W", "sorcerer 1W 1T 1L 1H", "sorcerer 2W 1T 1H"]);

    game.play("place worker, at 15");
    game.play("place worker, at 31");
    game.play("place sorcerer, at 27, use power");
    assert_eq!(elements(game), ["3W", "sorcerer 1T 1L 1H", "2W 1T 1H"]);

    game.play("place worker, at 8");
    game.play("place sorcerer 1 log, at 32, reserve a17");
    game.play("take half");
    // Erratum: Blue's Tribe Marker is spent, and he has two halves.
    assert_eq!(elements(game), ["2W", "1T 1H", "2W 2H"]);

    game.play("place worker, at 32");
    assert_eq!(game.legal(), "take half, pass");
    game.play("pass");
    game.play("place worker, at 29");
    assert_eq!(elements(game), ["1W", "1T 1H", "1W 2H"]);

    game.play("place worker, at 22");
    game.play("place worker, at 31");
}

#[test]
fn the_placement_of_the_turn_example() {
    let mut game = at_the_beginning();
    auction(&mut game);
    placement(&mut game);

    let event_texts = game.event_texts(PUBLIC);
    assert!(
        event_texts.iter().filter(|event_texts| event_texts.ends_with("has nothing left to do and passes")).count()
            == 2,
        "{event_texts:?}"
    );
    assert_eq!(game.due(), "seat 0: transport");
    assert_eq!(elements(&game), ["-", "1T 1H", "2H"]);
    let pieces = ["1a", "1b", "2a", "3a", "ha", "hb"].map(|piece| game.at(piece));
    assert_eq!(pieces, ["23 of 0", "front 0", "22 of 2", "front 1", "27", "front 2"]);
    assert_eq!(game.figures(0), "W@8 W@15 W@22 W@32 S@22 C@22");
    assert_eq!(game.figures(1), "W@31 W@33 W@34 S@32");
    assert_eq!(game.figures(2), "W@28 W@29 W@31 S@27 C@30");
}

#[test]
fn the_transport_of_the_turn_example() {
    let mut game = at_the_beginning();
    auction(&mut game);
    placement(&mut game);

    // Green has no Moai erected and no Tribe Marker left for the abandoned headdress.
    assert!(game.refuses("lift ha"));
    game.play("lift 1a, enter 15, enter 8, erect a7");
    assert_eq!((game.ahu("a7").as_str(), game.behind(0).as_str()), ("of 0 1a", "1T"));
    assert_eq!(game.points(), [0, 0, 0]);

    game.play("lift ha, enter 28, enter 29, enter 30, enter 31, enter 32, mark");
    assert_eq!(game.points(), [0, 0, 3], "+3 PP for Blue");

    game.play("lift 2a, enter 31, enter 30, erect a13");
    assert_eq!(game.points(), [0, 1, 3], "+1 PP for Red");
    assert_eq!(game.behind(2), "1T 2H");

    game.play("lift 1b, mark");
    assert_eq!(game.at("1b"), "25 of 0");

    game.play("lift 3a, enter 34, enter 33, enter 32, erect a17");
    assert_eq!(game.points(), [1, 1, 3], "+1 PP for Green");

    game.play("lift hb, enter 28, enter 29, enter 30, top a13");
    // The example does not say so, but Green, who could still move his marked Moai, passes.
    game.play("pass");
    game.play("lift ha, top a17");

    assert_eq!(game.points(), [1, 1, 3]);
    assert_eq!([game.ahu("a17"), game.ahu("a13")], ["of 1 3a ha", "of 2 2a hb"]);
    // Green 4; Red 3 x 3 and 8; Blue 2 x 5 and 6, and a tablet.
    assert_eq!(game.scores(), [1 + 4, 1 + 9 + 8, 3 + 10 + 6 + 3]);
    // The turn ends: all figures are behind the screens, and Green may take his Tribe Marker back.
    assert_eq!(game.due(), "seat 0: recover 1b");
    assert_eq!(elements(&game), ["chief sorcerer 5W 2T", "chief sorcerer 3W 3T 1H", "chief sorcerer 4W 4T 2H"]);
    assert_eq!(game.logs(), (22, 5));
    game.play("keep");
    assert_eq!(game.due(), "roll");
}
