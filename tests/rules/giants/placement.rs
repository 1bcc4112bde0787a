//! Phase 3: the placement of figures, and the powers of Sorcerer and Chief.

use super::{PUBLIC, Table, table};

/// Returns the actions that place a figure, for every hex of the large island.
fn all_hexes() -> String {
    (0..42).map(|hex| format!("at {hex}")).collect::<Vec<_>>().join(", ")
}

/// Example, Placement Phase: Blue 0, Yellow 1, Red 2, Green 3.
#[test]
fn the_placement_example() {
    let mut game = table(
        "seats: 4
         turn: 1
         phase: place
         behind: 1W / 1W / 1W / 1T
         front: 2T / 2T chief / 2T chief / 1T 1W
         pieces: 1a front 1",
    );
    let left = |game: &Table| [0, 1, 2, 3].map(|seat| game.behind(seat));
    assert_eq!(left(&game), ["chief sorcerer 1W", "sorcerer 1W", "sorcerer 1W", "chief sorcerer 1T"]);

    game.play("place worker, at 24");
    game.play("place sorcerer, at 28, use power");
    assert_eq!(
        game.event_texts(PUBLIC),
        ["seat 1 places the Sorcerer on hex 28", "seat 1 uses the Sorcerer's power and takes a Tribe Marker"]
    );
    game.play("place sorcerer, at 14, use power");
    assert_eq!(game.event_texts(PUBLIC)[1], "seat 2 uses the Sorcerer's power and takes 4 logs");
    game.play("place sorcerer, at 22, use power");
    assert_eq!(game.event_texts(PUBLIC)[1], "seat 3 uses the Sorcerer's power and takes a Worker");
    assert_eq!(left(&game), ["chief sorcerer", "1W 1T", "1W 4L", "chief 1W 1T"]);

    game.play("place sorcerer, at 28, use power");
    game.play("place worker, at 34");
    game.play("place worker 1 log, at 34");
    game.play("take half");
    // The example's table does not list Green's half in front of the screen, but it is there.
    assert_eq!(left(&game), ["chief 1T", "1T", "3L", "chief 1W 1H"]);

    game.play("place chief, at 32");
    game.play("take half");
    // Red can do nothing with logs alone: she passes without being asked (G17, G47).
    assert_eq!(game.event_texts(PUBLIC).last().map(String::as_str), Some("seat 2 has nothing left to do and passes"));
    assert_eq!(game.due(), "seat 3: place");
    game.play("place worker, at 33");
    assert_eq!(left(&game), ["1T", "1H", "3L", "chief 1H"]);

    // Blue wishes to keep his Tribe Marker.
    game.play("pass");
    assert_eq!(game.due(), "seat 3: place", "Yellow has nothing and passes, Red has passed");
    game.play("place chief, at 34");

    assert_eq!(game.due(), "seat 1: transport", "Green has nothing left; the phase ends");
    assert_eq!(game.figures(0), "W@24 S@28 C@32");
    assert_eq!(game.figures(1), "W@34 S@28");
    assert_eq!(game.figures(2), "W@34 S@14");
    assert_eq!(game.figures(3), "W@33 S@22 C@34");
    assert_eq!(game.logs_at(34), 1);
}

/// Placing has no restriction. G30: the quarries are allowed, too. G29: no figure or piece blocks another.
#[test]
fn a_figure_is_placed_on_any_hex_whoever_is_there() {
    let game = table("phase: place\nbehind: 1W\nfigures: 1W@25 1C@25 2S@27 0S@27\npieces: 1a@25 of 1");

    for what in ["place worker", "place chief"] {
        assert_eq!(game.legal_after(what), all_hexes(), "{what}");
    }
    let mut quarry = game.clone();
    quarry.play("place worker, at 25");
    assert_eq!(quarry.figures(0), "W@25 S@27");
}

#[test]
fn players_place_in_turn_order_one_at_a_time_until_all_pass() {
    let mut game = table(
        "phase: place\nfirst: 1\nbehind: 2W / 2W / 2W\nfront: chief sorcerer / chief sorcerer / chief sorcerer\npieces: 1a front 0, 1b front 1, 1c front 2",
    );

    let mut asked = Vec::new();
    for ply in ["place worker, at 24", "pass", "place worker, at 34", "place worker, at 24", "place worker, at 24"] {
        asked.push(game.due());
        game.play(ply);
    }

    assert_eq!(asked, ["seat 1: place", "seat 2: place", "seat 0: place", "seat 1: place", "seat 0: place"]);
    assert_eq!(game.due(), "seat 1: transport", "passing is final, and the others have nothing left to place");
    assert_eq!(game.behind(2), "2W");
}

/// G12: each Worker or Sorcerer brings up to two logs, and logs pile up. G13: a Chief brings none.
#[test]
fn a_worker_or_a_sorcerer_brings_up_to_two_logs() {
    for (logs, legal) in [
        ("", "place worker, place sorcerer, place chief, pass"),
        (" 1L", "place worker, place worker 1 log, place sorcerer, place sorcerer 1 log, place chief, pass"),
        (
            " 3L",
            "place worker, place worker 1 log, place worker 2 logs, place sorcerer, place sorcerer 1 log, place sorcerer 2 \
             logs, place chief, pass",
        ),
    ] {
        assert_eq!(table(&format!("phase: place\nbehind: 1W{logs}")).legal(), legal);
    }

    let mut piled = table("phase: place\nbehind: 1W 5L\npassed: 1 2");
    piled.play("place worker 2 logs, at 30, place sorcerer 2 logs, at 30, no power");
    assert_eq!((piled.logs_at(30), piled.behind(0)), (4, "chief 1L".to_owned()));
}

/// A player places logs at the same time, and on the same hex, as a figure.
#[test]
fn logs_are_not_placed_alone() {
    // G17: a player with logs alone is not asked.
    let mut game = table("phase: place\nbehind: 1W 2L / 2L\nfront: chief sorcerer / chief sorcerer");

    game.play("place worker, at 3");

    assert_eq!(game.due(), "seat 2: place");
    assert!(game.event_texts(PUBLIC).contains(&"seat 1 has nothing left to do and passes".to_owned()));
    assert_eq!(game.behind(0), "2L", "they stay behind the screen");
}

/// B: a Sorcerer in the village takes a Worker, at the hut a Tribe Marker.
#[test]
fn village_and_hut_give_a_worker_and_a_tribe_marker_from_the_receptacle() {
    for (hex, after) in [(22, "chief 2W 1T"), (28, "chief 1W 2T")] {
        let mut game = table("phase: place\nbehind: 1W 1T");

        assert_eq!(game.legal_after(&format!("place sorcerer, at {hex}")), "no power, use power");
        game.play(&format!("place sorcerer, at {hex}, use power"));

        assert_eq!(game.behind(0), after);
        assert_eq!(game.due(), "seat 1: place");
    }
}

/// Note: a player may use the gain of a Sorcerer right away, in this phase.
#[test]
fn what_a_sorcerer_obtains_may_be_used_right_away() {
    let mut game = table("phase: place\npassed: 1 2\nbehind: 1T\nfront: chief");

    game.play("place sorcerer, at 22, use power");
    assert_eq!(game.legal(), "place worker, take half, pass");
    game.play("place worker, at 25");
    assert_eq!(game.figures(0), "W@25 S@22");
}

/// G10, G46: a colour has six Workers and six Tribe Markers. If none is left there is no power, but the placement is
/// legal.
#[test]
fn where_the_receptacle_is_empty_there_is_no_power() {
    for (hex, six, five) in [(22, "6W", "5W"), (28, "6T", "5T")] {
        let mut none = table(&format!("phase: place\nbehind: {six} 2H"));
        none.play(&format!("place sorcerer, at {hex}"));
        assert_eq!(none.due(), "seat 1: place", "{hex}: nothing is asked");

        let one = table(&format!("phase: place\nbehind: {five} 2H"));
        assert_eq!(one.legal_after(&format!("place sorcerer, at {hex}")), "no power, use power");
        assert_eq!(one.legal_after(&format!("place chief, at {hex}")), "no power, use power");

        // No Chief breaks a tablet for nothing.
        let mut chief = table(&format!("phase: place\nbehind: {six} 2H"));
        chief.play(&format!("place chief, at {hex}"));
        assert!(chief.behind(0).ends_with("2H"), "{hex}: {}", chief.behind(0));
    }
    // Workers and Tribe Markers in front, on the island, or on pieces are not in the receptacle either.
    let mut spread = table("phase: place\nbehind: 2W\nfront: 2W\nfigures: 0W@3 0W@4");
    spread.play("place sorcerer, at 22");
    assert_eq!(spread.due(), "seat 1: place");
    let mut marked = table("phase: place\nbehind: 3T\nfront: 2T\npieces: 1a@3 of 0");
    marked.play("place sorcerer, at 28");
    assert_eq!(marked.due(), "seat 1: place");
}

/// 3) The forest. G11: each is harvested once a game, by Sorcerer or Chief, for its number.
#[test]
fn a_forest_gives_its_logs_once_a_game() {
    for (hex, logs) in [(13, 5), (14, 4), (7, 4), (6, 3), (12, 3), (20, 4), (21, 4)] {
        let mut game = table("phase: place\nbehind: 2H / 1W 2H");
        game.play(&format!("place sorcerer, at {hex}, use power"));
        assert_eq!(game.behind(0), format!("chief {logs}L 2H"), "{hex}");
        assert_eq!(game.logs(), (27 - logs, 0));

        game.play(&format!("place sorcerer, at {hex}"));
        assert_eq!(game.due(), "seat 2: place", "no other Sorcerer harvests there");
        game.play("pass");
        game.play("pass");
        game.play(&format!("place chief, at {hex}"));
        assert_eq!(game.behind(1), "1W 2H", "nor does a Chief");
    }

    let mut chief = table("phase: place\nbehind: 2H / 1W");
    chief.play("place chief, at 13, use power");
    assert_eq!(chief.behind(0), "sorcerer 5L");
    chief.play("place sorcerer, at 13");
    assert_eq!(chief.due(), "seat 2: place", "nor does a Sorcerer where a Chief did");
}

/// G11: only a harvest cuts the forest. G9: a harvest is optional.
#[test]
fn a_figure_placed_without_its_power_leaves_the_forest_uncut() {
    let mut game = table("phase: place\nbehind: 1W");
    game.play("place sorcerer, at 13, no power, place sorcerer, at 13, use power");

    assert_eq!(game.behind(0), "chief 1W");
    assert_eq!(game.behind(1), "chief 5L");

    let mut worker = table("phase: place\nbehind: 1W");
    worker.play("place worker, at 13");
    assert_eq!(worker.due(), "seat 1: place", "a Worker has no power");
}

/// G11: a forest gives no more logs than are in stock. G46: without logs in stock there is no power.
#[test]
fn a_forest_gives_no_more_logs_than_are_in_stock() {
    for (gone, logs) in [(22, 5), (23, 4), (25, 2), (26, 1)] {
        let mut game = table(&format!("phase: place\ngone: {gone}"));
        game.play("place sorcerer, at 13, use power");
        assert_eq!(game.behind(0), format!("chief {logs}L"), "{gone} are gone");
        assert_eq!(game.logs(), (27 - gone - logs, gone));
    }
    let mut none = table("phase: place\ngone: 27");
    none.play("place sorcerer, at 13");
    assert_eq!(none.due(), "seat 1: place");
}

/// G37: the Sorcerer is placed with his logs first; the logs that he finds come too late.
#[test]
fn a_sorcerer_cannot_bring_the_logs_that_he_finds() {
    let game = table("phase: place");
    assert!(game.refuses("place sorcerer 1 log"));

    let mut with = table("phase: place\nbehind: 1L");
    assert!(with.refuses("place sorcerer 2 logs"));
    with.play("place sorcerer 1 log, at 13, use power");
    assert_eq!((with.logs_at(13), with.behind(0)), (1, "chief 5L".to_owned()));
}

/// 5) Sculpt a headdress. G38: as long as a headdress is left.
#[test]
fn the_headdress_quarry_gives_a_headdress_in_front_of_the_screen() {
    let mut game = table("phase: place");
    game.play("place sorcerer, at 27, use power");
    assert_eq!(game.at("ha"), "front 0");
    assert_eq!(game.event_texts(PUBLIC)[1], "seat 0 uses the Sorcerer's power and sculpts ha");

    let all = "ha@1, hb@1, hc@1, hd@1, he@1, hf@1, hg@1, hh@1, hi@1, hj@1, hk@1, hl@1, hm@1";
    let mut last = table(&format!("phase: place\npieces: {all}"));
    last.play("place sorcerer, at 27, use power");
    assert_eq!(last.at("hn"), "front 0");
    last.play("place sorcerer, at 27");
    assert_eq!(last.due(), "seat 2: place", "the fourteen are used up");
}

/// The Moai quarry is no special hex.
#[test]
fn the_moai_quarry_and_open_land_give_nothing() {
    for hex in [25, 15, 23, 5, 36] {
        let mut game = table("phase: place\nbehind: 2H");
        game.play(&format!("place sorcerer, at {hex}"));
        assert_eq!(game.due(), "seat 1: place", "{hex}");
    }
}

/// 4) Reserve an Ahu. G14: any free Ahu of the hex. From then on only that player may erect there.
#[test]
fn a_sorcerer_reserves_a_free_ahu_of_his_hex() {
    let mut game = table("phase: place\nahus: a8 of 1");
    assert_eq!(game.legal_after("place sorcerer, at 9"), "no power, reserve a9", "a8 is reserved");
    game.play("place sorcerer, at 9, reserve a9");
    assert_eq!((game.ahu("a9"), game.bases(0)), ("of 0".to_owned(), 6));
    assert_eq!(game.event_texts(PUBLIC)[1], "seat 0 uses the Sorcerer's power and reserves a9");

    let two = table("phase: place");
    assert_eq!(two.legal_after("place sorcerer, at 31"), "no power, reserve a15, reserve a16");
    assert!(two.refuses("place sorcerer, at 31, reserve a17"), "a17 touches hex 32 alone");
    assert!(two.refuses("place sorcerer, at 31, use power"));

    let erected = table("phase: place\nahus: a15 of 0 1a, a16 of 0");
    let mut none = erected.clone();
    none.play("place sorcerer, at 31");
    assert_eq!(none.due(), "seat 1: place", "no Ahu is free, not even for the owner of the base (G46)");
}

/// G14, G46: a reservation requires a base in hand.
#[test]
fn without_a_base_in_hand_nothing_is_reserved() {
    let six = "ahus: a0 of 0, a1 of 0, a2 of 0, a3 of 0, a4 of 0, a5 of 0";
    let mut last = table(&format!("phase: place\n{six}"));
    last.play("place sorcerer, at 31, reserve a15");
    assert_eq!(last.bases(0), 0);

    let mut none = table(&format!("phase: place\nbehind: 1W 2H\n{six}, a6 of 0"));
    none.play("place sorcerer, at 31");
    assert_eq!(none.due(), "seat 1: place");
    none.play("pass, pass, place chief, at 32");
    assert_eq!(none.behind(0), "1W 2H", "nor by a Chief, and his tablet is whole");
}

/// G14: a player cannot remove the base of a reserved Ahu: no action does it.
#[test]
fn a_reserved_ahu_stays_so_at_the_end_of_the_turn() {
    let mut game = table("phase: place\npassed: 1 2\nfront: chief");
    game.play("place sorcerer, at 31, reserve a15");

    assert_eq!(game.due(), "roll");
    assert_eq!((game.ahu("a15"), game.bases(0)), ("of 0".to_owned(), 6));
}

/// G9: every power is optional, and a placement brings at most one.
#[test]
fn a_power_is_never_a_must_and_one_at_a_placement() {
    for hex in [22, 28, 13, 27, 31] {
        let mut game = table("phase: place");
        assert!(game.legal_after(&format!("place sorcerer, at {hex}")).starts_with("no power, "));
        game.play(&format!("place sorcerer, at {hex}, no power"));
        assert_eq!((game.due(), game.behind(0)), ("seat 1: place".to_owned(), "chief".to_owned()), "{hex}");
    }
    let mut two = table("phase: place");
    two.play("place sorcerer, at 31, reserve a15");
    assert_eq!((two.due(), two.ahu("a16")), ("seat 1: place".to_owned(), "free".to_owned()));
}

/// G8: a Sorcerer who was bid is in front of the screen and cannot be placed.
#[test]
fn a_sorcerer_who_sculpted_has_no_power() {
    let game = table("phase: place\nbehind: 1W\nfront: sorcerer");

    assert!(game.refuses("place sorcerer"));
    assert_eq!(game.legal(), "place worker, place chief, pass");
}

/// C: the Chief has the Sorcerer's power if he breaks a tablet: two halves, which go back to the draw.
#[test]
fn a_chief_uses_a_power_for_two_halves() {
    for (hex, power, after) in [
        (22, "use power", "sorcerer 1W 1H"),
        (28, "use power", "sorcerer 1T 1H"),
        (13, "use power", "sorcerer 5L 1H"),
        (27, "use power", "sorcerer 1H"),
        (31, "reserve a15", "sorcerer 1H"),
    ] {
        let mut game = table("phase: place\nbehind: 3H");
        assert_eq!(game.draw(), 27);

        game.play(&format!("place chief, at {hex}, {power}"));

        assert_eq!(game.behind(0), after, "{hex}");
        assert_eq!(game.draw(), 29);
        assert_eq!(game.due(), "seat 1: place");
    }
    // One half is no tablet.
    for hex in [22, 28, 13, 27, 31] {
        let mut game = table("phase: place\nbehind: 1H");
        game.play(&format!("place chief, at {hex}"));
        assert_eq!((game.due(), game.behind(0)), ("seat 1: place".to_owned(), "sorcerer 1H".to_owned()));
    }
    let mut kept = table("phase: place\nbehind: 2H");
    kept.play("place chief, at 22, no power");
    assert_eq!(kept.behind(0), "sorcerer 2H", "G9: without the power the tablet is not broken");
}

/// G15: the Chief has one power a turn, at his own placement, for any number of tablets. Halves taken in this turn
/// count.
#[test]
fn a_chief_has_one_action_a_turn_with_halves_of_this_turn_too() {
    let mut game = table("phase: place\npassed: 1 2\nbehind: 3T 4H");
    game.play("place chief, at 22, use power");
    assert_eq!(game.legal(), "place worker, place sorcerer, take half, pass", "and no further action of the Chief");

    let mut late = table("phase: place\npassed: 1 2\nbehind: 2T\nfront: sorcerer");
    late.play("take half, take half");
    assert_eq!(late.behind(0), "chief 2H");
    late.play("place chief, at 22, use power");
    assert_eq!(late.behind(0), "1W");

    let mut early = table("phase: place\npassed: 1 2\nbehind: 2T 1H\nfront: sorcerer");
    early.play("place chief, at 22");
    early.play("take half");
    assert_eq!(early.legal(), "take half, pass", "a tablet completed after his placement comes too late");
}

/// D: a Tribe Marker goes in front of the screen for a half-tablet. G16: as long as the draw has any.
#[test]
fn a_tribe_marker_is_spent_for_a_half_tablet() {
    let mut game = table("phase: place\nbehind: 2T");
    game.play("take half");
    assert_eq!((game.behind(0), game.front(0)), ("chief sorcerer 1T 1H".to_owned(), "1T".to_owned()));
    assert_eq!(game.draw(), 29);
    assert_eq!(game.due(), "seat 1: place", "it is the action of this round");
    assert!(game.refuses("take half"), "seat 1 has no Tribe Marker");

    let empty = table("phase: place\nbehind: 1T 10H / 10H / 10H");
    assert_eq!(empty.draw(), 0);
    assert_eq!(empty.legal(), "place sorcerer, place chief, pass");
    let mut alone = table("phase: place\nbehind: 10H / 1T 10H / 10H\nfront: - / chief sorcerer");
    alone.play("pass");
    assert_eq!(alone.due(), "seat 2: place", "G47: a Tribe Marker alone is no use if the draw is empty");
}

/// G47: a player who could only pass has passed, whatever the others do later.
#[test]
fn who_could_only_pass_has_passed_for_good() {
    let mut game = table(
        "phase: place
         behind: 1W 10H / 1T 10H / 10H
         front: sorcerer / chief sorcerer / chief sorcerer",
    );
    game.play("place worker, at 3");
    assert_eq!(game.due(), "seat 0: place", "seat 1 has a Tribe Marker, and the draw is empty");

    game.play("place chief, at 22, use power");

    assert_eq!((game.draw(), game.due().as_str()), (2, "seat 0: place"), "now it is not, and seat 1 has passed");
}

/// E, G17: a pass is final; the last player goes on alone, one action at a time.
#[test]
fn the_last_who_has_not_passed_goes_on_alone() {
    let mut game = table("phase: place\nbehind: 2W / 2W / 3W\nfront: - / - / chief sorcerer\npieces: 1a front 1");
    game.play("pass, pass");
    assert_eq!(game.due(), "seat 2: place");

    game.play("place worker, at 24");
    assert_eq!(game.due(), "seat 2: place");
    game.play("place worker, at 24");
    assert_eq!(game.legal(), "place worker, pass");
    game.play("pass");

    assert_eq!(game.due(), "seat 1: transport");
    assert_eq!([game.behind(0), game.behind(2)], ["chief sorcerer 2W", "1W"]);
}
