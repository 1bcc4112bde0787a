//! The views of each viewer. M32: everything is public except the total worth of others' Offering tiles.

use ahu_core::{Ask as _, View as _};
use ahu_games::rapanui_board::{Event, Resource};

use super::{PUBLIC, Table, table, viewer};
use crate::scripted::{observed, unwrapped};

/// M32, `private`.
#[test]
fn what_others_offerings_are_worth_is_covered_until_the_end() {
    let text = "0: offerings hut boat, has reeds\n1: offerings necklace\n2: tablet\nidle: 3";
    let game = table(text);
    let points = |who, game: &Table| game.view(who).shown().scores().values().to_vec();
    assert_eq!(points(viewer(0), &game), [8 + 11 + 1, 0, 3]);
    assert_eq!(points(viewer(1), &game), [1, 12, 3]);
    assert_eq!(points(PUBLIC, &game), [1, 0, 3]);
    assert_eq!(
        *game.view(PUBLIC).table.players[super::seat(0)].offerings.as_array(),
        [1, 0, 0, 1, 0],
        "the number of each type is shown"
    );
    assert_eq!(
        observed(&game.view(viewer(1)).shown(), "offered"),
        [12, -1, -1, 0],
        "own seat first; others are hidden, even without tiles"
    );
    let over = game.after("drop out, drop out, drop out");
    for who in [viewer(0), viewer(1), PUBLIC] {
        assert_eq!(points(who, &over), [20, 12, 3], "{who}");
    }
}

/// M32, `open`.
#[test]
fn what_offerings_are_worth_is_shown_where_that_is_agreed() {
    let game = table("0: offerings hut boat\n1: offerings necklace\noffering_view: open");
    assert_eq!(game.view(PUBLIC).shown().scores().values(), [19, 12, 0]);
}

#[test]
fn everything_that_happens_is_told_to_all() {
    let game = table("0: at 8 9, moai small\n1: tablet\non 9: chip_in")
        .after("transport small, step 8, step 9, erect chip_in");
    let event_texts = [
        "seat 0 transports a small Moai from the Crater",
        "seat 0 goes to space 8",
        "seat 0 goes to space 9",
        "seat 0 erects a small Moai on space 9 and takes the Ahu tile chip_in; the Transporter lies down",
        "seat 0 gains 1 reed",
    ];
    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        assert_eq!(game.event_texts(who), event_texts, "{who}");
    }
    let told = [
        "seat 0 plays skimp: the price is 2 Resources",
        "seat 0 chooses a chicken",
        "seat 0 takes a chicken worth 9 victory points for 1 egg, 1 wood",
    ];
    let mut game =
        table("0: at 10, has eggs*3 wood, tiles skimp\non 10: large").after("transport pukao, step 10, style");
    for (ply, text) in ["tile skimp", "offer stack chicken", "pay eggs wood"].into_iter().zip(told) {
        game.play(ply);
        assert_eq!(game.event_texts(viewer(1))[0], text);
    }
}

#[test]
fn one_of_a_thing_is_told_as_one() {
    let gained =
        |resource, count, lost_count| Event::Gained { seat: super::seat(0), resource, count, lost_count }.to_string();
    assert_eq!(gained(Resource::Eggs, 1, 0), "seat 0 gains 1 egg");
    assert_eq!(gained(Resource::Pearls, 1, 2), "seat 0 gains 1 pearl, and has no room for 2 more");
    assert_eq!(gained(Resource::Reeds, 0, 1), "seat 0 gains 0 reeds, and has no room for 1 more");
    let ended = |empty_ahus| Event::RoundEnded { round: 7, empty_ahus }.to_string();
    assert_eq!(ended(1), "round 7 is over; 1 ahu is empty");
    assert_eq!(ended(3), "round 7 is over; 3 ahus are empty");
}

/// The text names the phase, the pieces, and the end of the game.
#[test]
fn a_view_is_a_text_for_people() {
    let game = table("round: 3\n0: at 8 9_, has reeds*3, tiles rest, offerings hut\n1: chief 13, tablet\non 9: large^");
    let text = game.view(viewer(1)).shown().to_string();
    let line = |part: &str| text.lines().any(|line| line.contains(part));
    assert!(unwrapped(&text).contains("round 3, seat 0: phase 3, transport something or drop out"), "{text}");
    assert!(line("0:i") && line("0:_") && line("1:C"), "{text}");
    assert!(line("tiles: rest") && line("tablet") && line("offerings: hut"), "{text}");
    assert!(line("turn order  0, 1, 2; star spaces: 4"), "{text}");
    assert!(line("R reeds, E eggs, W wood, P pearls"), "{text}");
    let over = table("idle: 3").after("drop out, drop out, drop out").view(PUBLIC).to_string();
    assert!(over.contains("empty ahus  21\n"), "{over}");
    let end = |given: &str| {
        let text = table(given).view(PUBLIC).shown().to_string();
        let text = unwrapped(&text);
        let end = text.split_once("the game is over at the end of a round ").expect("the text tells the end").1;
        end.split_once(" turn order ").expect("the line after it").0.to_owned()
    };
    assert_eq!(end("idle: 0"), "with 3 or fewer, of round 15, or of 4 in a row without a Moai erected or styled");
    assert_eq!(end("idle: 3"), "with 3 or fewer, of round 15, or of this one without a Moai erected or styled");
    assert_eq!(end("stall_end: 0\nmax_rounds: 9\nseats: 4"), "with 4 or fewer, or of round 9");
}

/// Returns the question for seat 0 after these actions.
fn asked(text: &str, actions: &str) -> String {
    let game = if actions.is_empty() { table(text) } else { table(text).after(actions) };
    game.view(viewer(0)).shown().question()
}

#[test]
fn a_decision_is_asked_with_its_prices_yields_and_limits() {
    let offers = asked("0: at 10, has reeds*4 eggs*4\non 10: large", "transport pukao, step 10, style");
    assert!(offers.contains("hut 8 points for 4 reeds; chicken 9 points for 4 eggs; hatchet "), "{offers}");
    assert!(!offers.contains("outstanding") && !offers.contains("Skimp"), "{offers}");
    let offers = asked(
        "0: at 10, has reeds*4, artistic, tiles take_your_pick skimp\non 10: large",
        "transport pukao, step 10, style",
    );
    assert!(offers.contains("hut 8 points or 10 points outstanding for 4 reeds; "), "{offers}");
    assert!(offers.contains("With Artistic, ") && offers.contains("Skimp makes it 2 Resources"), "{offers}");
    let pay = asked("0: at 10, has reeds*4 eggs*4\non 10: large", "transport pukao, step 10, style, offer stack hut");
    assert!(pay.contains("the hut, worth 8 points? Its price is 4 reeds;"), "{pay}");
    let place = asked("phase: place\n0: has eggs*2", "");
    assert!(place.contains("on a space, 1 to 27, that is empty or yours"), "{place}");
    assert!(place.ends_with("You can buy Improvement tiles (improve): artistic 2 eggs."), "{place}");
    let sculpt = asked("phase: sculpt\n0: sculptors small medium", "");
    assert!(sculpt.contains("You have 1 small, 1 medium, 0 large, less those that are used."), "{sculpt}");
    let transport = asked("0: at 8 9, moai small, has reeds*3", "");
    assert!(transport.contains("You keep at most 8 of a type, and lose the rest; you have 3 reeds."), "{transport}");
    assert!(asked("phase: place\nseats: 2", "").contains("on a space, 1 to 19, "));
}

#[test]
fn the_scores_say_that_they_leave_out_the_offering_tiles_of_others() {
    let uncounted = |text: &str| table(text).view(viewer(0)).shown().uncounted();
    assert_eq!(uncounted("0: offerings hut"), Some("Offering tiles of others"));
    assert_eq!(uncounted("offering_view: open"), None);
}
