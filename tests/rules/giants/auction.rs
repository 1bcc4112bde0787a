//! Phase 2, the auction in the Moai quarry.

use ahu_core::Game as _;
use ahu_games::giants::{Bid, Bidding, Giants};

use super::{PUBLIC, table, viewer};

/// Example, Auction for 5 players: Blue 0, Green 1, Red 2, Yellow 3, Purple 4.
#[test]
fn the_auction_for_five_players() {
    let mut game = table(
        "seats: 5
         phase: roll
         behind: 3W 2T 3H / 3W 2T / 2W 1T 1H / 1W 1T 1H / 1W 2T",
    );
    game.play("roll 1 2 2 3 0");
    game.bid(["2T 3W", "2T 3W", "1T 2W", "1T 1W", "-"]);

    // Blue and Green bid the most. Blue has half-tablets, Green has none.
    assert_eq!(game.due(), "seat 0: pick");
    assert_eq!(game.legal(), "pick 1, pick 2, pick 3, decline");
    game.play("pick 3");
    assert_eq!(game.due(), "seat 1: pick");
    game.play("pick 1");
    // Red and Yellow bid 1 and have a half each; Red comes first in turn order.
    assert_eq!(game.due(), "seat 2: pick");
    assert_eq!(game.legal(), "pick 2, decline", "two Sculptors, and no Moai of size 1 is left");
    game.play("pick 2");
    // Yellow has one Sculptor and is not asked. Green has two left.
    assert_eq!(game.due(), "seat 1: pick");
    assert_eq!(game.legal(), "pick 2, decline");
    game.play("pick 2");

    assert_eq!(game.due(), "seat 0: place");
    let taken: Vec<String> = ["3a", "1a", "2a", "2b"].map(|moai| game.at(moai)).to_vec();
    assert_eq!(taken, ["front 0", "front 1", "front 2", "front 1"]);
    assert!(game.event_texts(PUBLIC).iter().all(|event_texts| !event_texts.contains("unclaimed")), "none is left");
}

#[test]
fn a_moai_takes_as_many_sculptors_as_its_size() {
    for (bid, legal) in [
        ("1T 1W", "pick 1, decline"),
        ("1T 2W", "pick 1, pick 2, decline"),
        ("1T 1W sorcerer", "pick 1, pick 2, decline"),
        ("1T sorcerer", "pick 1, decline"),
        ("1T chief", "pick 1, pick 2, pick 3, decline"),
        ("1T 3W", "pick 1, pick 2, pick 3, decline"),
    ] {
        let mut game = table("phase: bid 1 2 3\nbehind: 3W 1T");
        game.bid([bid, "-", "-"]);

        assert_eq!(game.legal(), legal, "{bid}");
    }
}

#[test]
fn the_most_tribe_markers_choose_first_then_the_most_halves_then_turn_order() {
    for (first, behind, bids, order) in [
        (0, "1W 1T 4H / 1W 2T / 1W 3T", ["1T 1W", "2T 1W", "3T 1W"], [2, 1, 0]),
        (0, "1W 3T 1H / 1W 3T 2H / 1W 3T", ["2T 1W", "2T 1W", "2T 1W"], [1, 0, 2]),
        (1, "1W 3T 1H / 1W 3T 1H / 1W 3T 1H", ["2T 1W", "2T 1W", "2T 1W"], [1, 2, 0]),
        (2, "1W 3T 1H / 1W 3T / 1W 3T", ["1T 1W", "1T 1W", "1T 1W"], [0, 2, 1]),
        // G43: a bid without Tribe Markers is the lowest bid, and ranks by the same rules.
        (2, "1W / 1W 1H / 1W 1T", ["1W", "1W", "1T 1W"], [2, 1, 0]),
    ] {
        let mut game = table(&format!("phase: bid 1 1 1\nfirst: {first}\nbehind: {behind}"));
        game.bid(bids);

        let mut asked = Vec::new();
        while game.due().contains("pick") {
            asked.push(game.game.turn().to_act().first().expect("somebody picks").index());
            game.play("pick 1");
        }
        assert_eq!(asked, order, "{bids:?}, seat {first} first");
    }
}

/// Only the Tribe Markers that were bid count; Tribe Markers in reserve do not.
#[test]
fn tribe_markers_that_were_not_bid_do_not_count() {
    let mut game = table("phase: bid 1\nbehind: 1W 6T / 1W 1T");
    game.bid(["1W", "1T 1W", "-"]);

    assert_eq!(game.due(), "seat 1: pick");
}

/// G3: any part of the goods behind the screen is a bid, including no goods, and Tribe Markers alone.
#[test]
fn any_part_of_what_is_behind_the_screen_is_a_bid() {
    let mut game = table("phase: bid 1\nbehind: 2W 1T / 1T");

    assert_eq!(game.legal(), "bid markers 0, bid markers 1");
    game.play("bid markers 1");
    assert_eq!(game.legal(), "bid workers 0, bid workers 1, bid workers 2");
    game.play("bid workers 2");
    assert_eq!(game.legal(), "bid leaders none, bid leaders sorcerer, bid leaders chief, bid leaders both");
    assert_eq!(game.legal_for(1), "bid markers 0, bid markers 1", "all players bid at the same time");
    game.play("bid leaders none");
    game.play("bid markers 1, bid workers 0, bid leaders none, bid markers 0, bid workers 0, bid leaders none");

    assert_eq!(game.due(), "seat 0: pick");
    assert_eq!([game.front(0), game.front(1), game.front(2)], ["2W 1T", "1T", "-"]);
    game.play("pick 1");
    assert_eq!(game.due(), "seat 0: place", "Tribe Markers alone bring no Moai");
}

#[test]
fn nobody_bids_more_than_there_is_behind_the_screen() {
    let game = table("phase: bid 1\nbehind: 2W 1T\nfront: sorcerer");

    assert!(game.refuses("bid markers 2"));
    assert!(game.refuses("bid markers 1, bid workers 3"));
    assert!(game.refuses("bid markers 1, bid workers 2, bid leaders both"));
    assert!(!game.refuses("bid markers 1, bid workers 2, bid leaders chief"));
    assert!(game.refuses("pick 1"), "the bids are not shown yet");
}

/// G3: bids that can make no Moai leave all Moai unclaimed.
#[test]
fn where_nobody_can_take_a_moai_nobody_is_asked() {
    let mut game = table("phase: bid 2 3\nbehind: 2W 1T");
    game.bid(["1T 1W", "-", "-"]);

    assert_eq!(game.due(), "seat 0: place");
}

/// G2: Moai that nobody can sculpt leave the game, as in the last example of the rulebook. `unclaimed_moai`.
#[test]
fn moai_that_nobody_takes_leave_the_game_or_go_back_to_the_supply() {
    for (option, supply, event_texts) in [
        ("remove", [16, 11, 5], "unclaimed Moai leave the game: 1 of size 2"),
        ("return", [16, 12, 5], "unclaimed Moai go back to the supply: 1 of size 2"),
    ] {
        let mut game = table(&format!("phase: roll\nunclaimed_moai: {option}\nbehind: 1W 2T / 2T / 1W 2T"));
        game.play("roll 1 2 3");
        game.bid(["2T 1W", "1T chief", "1W"]);
        game.play("pick 1, pick 3");

        assert_eq!(game.supply(), supply, "{option}");
        assert_eq!(game.at("2a"), "rock");
        assert!(game.event_texts(PUBLIC).contains(&event_texts.to_owned()), "{:?}", game.event_texts(PUBLIC));
        assert_eq!(game.due(), "seat 0: place");
    }
}

/// G4: a player who can take a Moai may decline, which ends the player's picks. `auction_decline`.
#[test]
fn who_declines_takes_no_more_in_this_auction() {
    let mut game = table("phase: bid 1 1 1\nbehind: 3W 1T / 1W");
    game.bid(["1T 3W", "1W", "-"]);

    game.play("pick 1, pick 1");
    assert_eq!(game.due(), "seat 0: pick");
    game.play("decline");
    assert_eq!(game.due(), "seat 0: place");

    let mut declined = table("phase: bid 1 1 1\nbehind: 3W 1T / 1W");
    declined.bid(["1T 3W", "1W", "-"]);
    declined.play("decline, pick 1");
    assert_eq!(declined.due(), "seat 0: place", "seat 0 is not asked again");

    let mut must = table("phase: bid 1 1 1\nbehind: 3W 1T / 1W\nauction_decline: false");
    must.bid(["1T 3W", "1W", "-"]);
    assert_eq!(must.legal(), "pick 1");
    assert!(must.refuses("decline"));
}

/// G5: each round goes in the order of the bids, among the players who can still take a Moai.
#[test]
fn further_rounds_go_in_the_same_order() {
    let mut game = table("seats: 5\nphase: bid 1 1 1 1 2\nbehind: 2W 1T / 3W 3T / 2W 2T");
    game.bid(["1T 2W", "3T 3W", "2T 2W", "-", "-"]);

    let mut asked = Vec::new();
    for pick in ["pick 1", "pick 2", "pick 1", "pick 1", "pick 1"] {
        asked.push(game.due());
        game.play(pick);
    }

    assert_eq!(asked, ["seat 1: pick", "seat 2: pick", "seat 0: pick", "seat 1: pick", "seat 0: pick"]);
    assert_eq!(game.due(), "seat 0: place");
}

/// G6: a Chief is worth three Sculptors of the pool. With `chief_split` false he makes one Moai whole, and the
/// player may assign Moai to Sculptors afterwards.
#[test]
fn the_three_sculptors_of_a_chief_may_be_split() {
    for (bid, picks, split, whole) in [
        ("chief", "pick 1", "pick 1, pick 2, decline", "due 1"),
        ("chief 1W", "pick 3", "pick 1, decline", "pick 1, decline"),
        ("chief 1W", "pick 1", "pick 1, pick 2, pick 3, decline", "pick 1, pick 2, pick 3, decline"),
        ("chief 1W", "pick 2", "pick 1, pick 2, decline", "pick 1, decline"),
        ("chief 2W", "pick 2", "pick 1, pick 2, pick 3, decline", "pick 1, pick 2, pick 3, decline"),
        ("chief sorcerer", "pick 1", "pick 1, pick 2, pick 3, decline", "pick 1, pick 2, pick 3, decline"),
        ("chief sorcerer", "pick 1, pick 1", "pick 1, pick 2, decline", "due 1"),
        ("3W", "pick 1", "pick 1, pick 2, decline", "pick 1, pick 2, decline"),
    ] {
        for (chief_split, expected) in [(true, split), (false, whole)] {
            let mut game =
                table(&format!("phase: bid 1 1 1 2 2 3 3\nbehind: 3W 1T / 3W\nchief_split: {chief_split}\nplayer: 0"));
            game.bid([&format!("1T {bid}"), "-", "-"]);
            game.play(picks);

            let case = format!("{bid}, {picks}, chief_split {chief_split}");
            match expected {
                "due 1" => assert_eq!(game.due(), "seat 0: place", "{case}"),
                legal => assert_eq!(game.legal(), legal, "{case}"),
            }
        }
    }
}

/// G7: figures that were bid and did not sculpt are spent for this turn, too.
#[test]
fn all_that_was_bid_is_spent_for_the_turn() {
    let mut game = table("phase: bid 1\nbehind: 3W 3T / 1W\nfigures: 2W@5");
    game.bid(["2T 2W chief", "-", "-"]);
    assert_eq!([game.front(0), game.behind(0)], ["chief 2W 2T", "sorcerer 1W 1T"]);
    game.play("pick 1");

    assert_eq!(
        game.legal(),
        "place worker, place sorcerer, take half, pass",
        "the Chief and two Workers cannot be placed"
    );
    game.play("place worker, at 20, pass, pass, take half");
    assert_eq!(game.due(), "seat 0: place");
    assert_eq!(game.legal(), "place sorcerer, pass", "nor can the Tribe Markers that were bid");
}

/// Bids are secret until all bids are sealed.
#[test]
fn bids_are_shown_together() {
    let mut game = table("phase: bid 1\nbehind: 1W 1T / 1W");
    game.play("bid markers 1, bid workers 1, bid leaders none");
    assert_eq!(game.event_texts(viewer(0)), ["seat 0 bids 1 Tribe Marker and 1 Worker"]);
    assert!(game.event_texts(viewer(1)).is_empty() && game.event_texts(PUBLIC).is_empty());
    assert_eq!(game.due(), "seat 1, 2: bid");
    assert_eq!((game.front(0), game.behind(0)), ("-".to_owned(), "chief sorcerer 1W 1T".to_owned()));

    game.play("bid markers 0, bid workers 1, bid leaders none, bid markers 0, bid workers 0, bid leaders none");

    let shown = "seat 0 bids 1 Tribe Marker and 1 Worker; seat 1 bids 1 Worker; seat 2 bids nothing";
    assert_eq!(game.event_texts(PUBLIC), [shown]);
    assert_eq!(game.event_texts(viewer(0)), [shown]);
    assert_eq!(game.event_texts(viewer(1)), ["seat 1 bids 1 Worker", shown]);
}

/// Players may bid in any order; nobody can change a sealed bid.
#[test]
fn who_has_sealed_a_bid_owes_none() {
    let mut game = table("phase: bid 1\nbehind: 1W 1T / 1W 1T / 1W 1T");
    game.seal(2, "1T 1W");

    assert_eq!(game.due(), "seat 0, 1: bid");
    assert!(game.act(super::seat(2), super::bid_actions("1T")[0]).is_err());
    assert_eq!(game.legal_for(2), "");
}

/// A position has bids only in an auction, only such as their players can make, and not all of them sealed.
#[test]
fn a_position_with_bids_that_cannot_be_is_told_from_one_that_can() {
    let [auction, roll] = ["bid 1", "roll"].map(|phase| table(&format!("phase: {phase}\nbehind: 2W 2T / 2W 2T")).game);
    assert_eq!((auction.check_invariants(), roll.check_invariants()), (Ok(()), Ok(())));
    let fault = |start: &Giants, spoil: &dyn Fn(&mut Giants)| {
        let mut game = start.clone();
        spoil(&mut game);
        game.check_invariants().expect_err("the position is broken")
    };
    for (bidding, text) in [
        (Bidding::Workers { markers: 3 }, "3 Tribe Markers"),
        (Bidding::Leaders { markers: 3, workers: 0 }, "3 Tribe Markers"),
        (Bidding::Leaders { markers: 2, workers: 3 }, "2 Tribe Markers and 3 Workers"),
    ] {
        let begun = |game: &mut Giants| game.bids[super::seat(1)] = bidding;
        assert_eq!(fault(&auction, &begun), format!("seat 1 cannot bid {text}"));
        assert_eq!(fault(&roll, &begun), "seat 1 has a bid outside the auction");
    }
    let sealed = |game: &mut Giants| game.bids = game.bids.map(|_| Bidding::Sealed(Bid::EMPTY));
    assert_eq!(fault(&auction, &sealed), "all bids are sealed, but not shown");
    assert_eq!(fault(&auction, &|game| game.table.turn = 0), "expected a turn from 1 to 30, got 0");
}
