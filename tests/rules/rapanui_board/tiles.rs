//! The Ahu tiles that are played in phase 3, and the Rongorongo Tablet. Chip In and Change Jobs are in `sculpting.rs`,
//! Skimp and Take Your Pick in `offerings.rs`.

use ahu_games::rapanui_board::Chief;

use super::table;

#[test]
fn a_tile_is_used_right_away_or_kept() {
    let text = "0: at 8 9 3, moai small*2\non 9: rest\non 3: chip_in";
    let game = table(text).after("transport small, step 8, step 9, erect rest");
    assert_eq!((game.due().as_str(), game.legal("")), ("seat 0: end turn", "tile rest 9, end turn".to_owned()));
    assert_eq!(game.after("tile rest 9").transporters(9), (1, 0));

    let kept = game.after("end turn, 1: drop out, 2: drop out");
    assert_eq!(kept.tiles(0), "rest");
    assert!(!kept.refuses("tile rest 9"));
}

/// M21.
#[test]
fn rest_stands_one_fatigued_transporter_up_where_it_is() {
    let game = table("0: at 9_*2 13, tiles rest*2\n1: at 14_, tiles rest");
    assert_eq!(game.legal("tile"), "rest 9", "only the player's own spaces with a lying Transporter");
    let game = game.after("tile rest 9");
    assert_eq!((game.transporters(9), game.tiles(0).as_str()), ((1, 1), "rest"));
    assert!(game.refuses("1: tile rest 14"), "in one's own turn");
    assert_eq!(game.after("tile rest 9").transporters(9), (2, 0), "several at once");
}

/// M21: Rest is played before or after the transport, not between arrival and gain.
#[test]
fn rest_is_not_played_between_arrival_and_gain() {
    let game = table("0: at 8 9, fervent, tiles rest, moai small\non 9: chip_in")
        .after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.legal(""), "gain shown, gain shifted");
    assert!(!game.after("gain shown").refuses("tile rest 9"));
    assert!(table("0: at 9_, tiles rest").after("tile rest 9").refuses("tile rest 9"));
}

/// M22, with the rulebook's example: 3 Eggs for 3 Pearls.
#[test]
fn barter_exchanges_three_of_one_type_for_three_of_another() {
    let game = table("0: has eggs*3 wood*2, tiles barter, at 13");
    assert_eq!(
        game.legal("tile"),
        "barter eggs reeds, barter eggs wood, barter eggs pearls",
        "of Wood there are too few"
    );
    assert_eq!(game.after("tile barter eggs pearls").resources(0), [0, 0, 2, 3]);
    let full = table("0: has eggs*3 wood*7, tiles barter, at 13").after("tile barter eggs wood");
    assert_eq!(full.resources(0), [0, 0, 8, 0], "Resources without room are lost");
    assert!(table("0: has eggs*3, at 13").refuses("tile barter eggs pearls"), "without the tile");
}

/// M15: Barter does not convert Resources.
#[test]
fn barter_needs_three_of_one_type() {
    assert_eq!(table("0: has eggs*2 wood*2 pearls*2, tiles barter, at 13").legal("tile"), "");
}

/// M42.
#[test]
fn take_two_and_three_more_are_played_between_arrival_and_gain() {
    let text = "0: at 8 9, tiles take_two_more take_three_more, moai small\non 9: chip_in\nresource_cap: 15";
    assert!(table(text).legal("tile").is_empty(), "not before the transport");
    let game = table(text).after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.legal(""), "tile take_two_more, tile take_three_more, gain shown");
    assert_eq!(game.after("tile take_two_more, gain shown").resources(0), [3, 0, 0, 0]);
    assert_eq!(game.after("tile take_three_more, gain shown").resources(0), [4, 0, 0, 0]);
    let both = game.after("tile take_two_more, tile take_three_more");
    assert_eq!((both.resources(0), both.tiles(0).as_str()), ([6, 0, 0, 0], "chip_in"), "they add up");
    let late = game.after("gain shown");
    assert!(late.refuses("tile take_two_more"), "not after the gain");
}

/// M42.
#[test]
fn take_three_more_may_be_the_tile_just_taken() {
    let mut game = table("0: at 8 9, moai large\non 9: take_three_more")
        .after("transport large, step 8, step 9, erect take_three_more");
    assert_eq!(game.due(), "seat 0: gain 5");
    game.play("tile take_three_more");
    assert_eq!((game.resources(0), game.tiles(0).as_str()), ([8, 0, 0, 0], ""));
}

/// M20, M42: "You can combine this effect with the Fervent Improvement tile."
#[test]
fn fervent_shifts_what_is_taken_more_too() {
    let game = table("0: at 8 9, fervent, tiles take_two_more, moai small\non 9: chip_in")
        .after("transport small, step 8, step 9, erect chip_in, tile take_two_more");
    assert_eq!(game.after("gain shifted").resources(0), [0, 3, 0, 0]);
    assert_eq!(game.after("gain shown").resources(0), [3, 0, 0, 0]);
}

/// M42: the added Resources are in the colours of the one gain.
#[test]
fn more_is_divided_with_the_gain() {
    let game = table("0: at 13 20 26, tiles take_three_more, moai small\non 26: chip_in")
        .after("transport small, step 13, step 20, step 26, erect chip_in, tile take_three_more");
    assert_eq!(game.legal("gain"), "first 0, first 1, first 2, first 3, first 4");
    assert_eq!(game.after("gain first 1").resources(0), [1, 3, 0, 0]);
}

/// Tolls are not gains of erecting, so no tile adds to them.
#[test]
fn more_is_taken_by_who_erects_alone() {
    let game = table("0: at 3, moai small\n1: at 8, tiles take_two_more\non 3: chip_in")
        .after("transport small, step 8, step 3, erect chip_in");
    assert_eq!((game.resources(1), game.tiles(1).as_str()), ([1, 0, 0, 0], "take_two_more"));
    let styling =
        table("0: at 10, has eggs*4, tiles take_two_more\non 10: large").after("transport pukao, step 10, style");
    assert!(styling.refuses("tile take_two_more"));
}

/// M25.
#[test]
fn lend_a_hand_makes_a_sculptor_a_transporter_on_an_empty_or_own_space() {
    let game = table("0: at 8, sculptors medium, tiles lend_a_hand, moai small\n1: at 13\non 9: chip_in");
    assert!(game.refuses("tile lend_a_hand sculptor 13"), "an opponent is there");
    assert!(game.refuses("tile lend_a_hand chief 9"), "the Chief's tile is not bought");
    assert!(game.refuses("transport small"));
    let game = game.after("tile lend_a_hand sculptor 9");
    assert_eq!(
        (game.transporters(9), game.player(0).sculptors.total(), game.moai(0)),
        ((1, 0), 0, [1, 0, 0]),
        "sculpted Moai stay"
    );
    let game = game.after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.transporters(9), (0, 1), "he tires like any");
    let own = table("0: at 8, sculptors large, tiles lend_a_hand").after("tile lend_a_hand sculptor 8");
    assert_eq!(own.transporters(8), (2, 0));
    assert!(
        table("0: at 8, tiles lend_a_hand, chip_ins small").legal("tile").is_empty(),
        "a virtual Sculptor lends nothing"
    );
}

/// M25: Lend a Hand is played in the player's own turn, after all Moai are sculpted.
#[test]
fn lend_a_hand_is_played_in_phase_3() {
    assert!(table("phase: sculpt\n0: sculptors small, tiles lend_a_hand").legal("tile").is_empty());
    assert!(table("phase: place\n0: sculptors small, tiles lend_a_hand").legal("tile").is_empty());
    let game =
        table("0: at 8 9, sculptors small, tiles lend_a_hand, moai small\non 9: chip_in").after("transport small");
    assert!(game.refuses("tile lend_a_hand sculptor 3"), "not during the transport");
    assert!(!game.after("step 8, step 9, erect chip_in").refuses("tile lend_a_hand sculptor 3"), "after the transport");
}

/// M25: the Chief does not become fatigued.
#[test]
fn a_lent_chief_erects_and_styles_any_number_of_times_and_nobody_lies_down() {
    let mut game = table(
        "0: at 17, chief small, has pearls*8, tiles lend_a_hand, moai small\n1: at 13 12 11\non 16: large chip_in",
    );
    game.play("tile lend_a_hand chief 16");
    assert_eq!(
        (game.transporters(16), game.player(0).lent_chief().map(|space| space.to_string())),
        ((0, 0), Some("16".into()))
    );
    game.play("transport small, step 13, step 12, step 11, step pukao_quarry, step 17, step 16, erect chip_in");
    game.play("1: toll eggs");
    game.pass_until("seat 1: transport");
    assert_eq!((game.transporters(16), game.site(16).moai().total()), ((0, 0), 2));
    game.play("1: drop out, 2: drop out");
    for left in [1, 0] {
        game.play("0: transport pukao, step 17, step 16, style, offer stack necklace, pay pearls pearls pearls pearls");
        assert_eq!((game.transporters(16), game.site(16).unstyled()), ((0, 0), left));
        if game.due() == "seat 0: end turn" {
            game.play("end turn");
        }
    }
    assert!(game.refuses("transport pukao"), "nothing is left to style");
}

/// M25: a Villager beside the Chief need not lie down.
#[test]
fn beside_the_chief_nobody_tires() {
    let game =
        table("0: at 8 9, chief 9, moai small\non 9: chip_in").after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.transporters(9), (1, 0));
    let lying = table("0: at 8 9_, chief 9, moai small\non 9: chip_in");
    assert!(!lying.refuses("transport small"), "the Chief can end the transport");
}

/// M25: the Chief may be lent from any place if his tile is bought, even in this phase, but not twice a round.
#[test]
fn the_chief_is_lent_once_a_round_if_he_is_bought() {
    assert!(!table("0: at 8, chief, tiles lend_a_hand").refuses("tile lend_a_hand chief 9"), "never assigned");
    assert!(!table("0: at 8, chief large, tiles lend_a_hand").refuses("tile lend_a_hand chief 9"));
    let bought = table("0: at 8, has pearls*3, tiles lend_a_hand").after("improve chief");
    assert!(matches!(bought.after("tile lend_a_hand chief 9").player(0).chief, Chief::OnSpace(_)));
    let twice = table("0: at 8, chief small, tiles lend_a_hand*2").after("tile lend_a_hand chief 9");
    assert!(twice.legal("tile").is_empty());
    let mut next = table("0: chief 9");
    next.pass_until("seat 0: place");
    assert_eq!((next.player(0).chief, next.player(0).held.len()), (Chief::InHand, 0), "he comes back");
}

/// M38, M25: the Chief bars opponents from his space, and earns tolls from them like any Transporter.
#[test]
fn a_lent_chief_is_a_transporter_to_others() {
    let game = table(
        "0: chief 8, has reeds\n1: at 3, sculptors small, tiles lend_a_hand, moai small\nactive: 1\non 3: chip_in",
    );
    assert!(game.refuses("tile lend_a_hand sculptor 8"));
    assert_eq!(
        game.after("transport small, step 8, step 3, erect chip_in").resources(0),
        [2, 0, 0, 0],
        "he earns a toll"
    );
}

/// Gain Favor is worth three victory points at the end, and is never played.
#[test]
fn gain_favor_is_worth_three_points() {
    let game = table("0: tiles gain_favor, at 13\n1: has reeds");
    assert_eq!(game.scores(), [3, 1, 0]);
    assert!(game.legal("tile").is_empty());
}

/// M27: the tablet has eight powers, each at its moment, even if nobody has the tile.
#[test]
fn a_tablet_copies_any_tile_at_its_moment_but_two() {
    let place = table("phase: place\n0: tablet, has eggs*3");
    assert_eq!(place.legal("tablet"), "barter eggs reeds, barter eggs wood, barter eggs pearls");
    let sculpt = table("phase: sculpt\n0: tablet, at 13, sculptors small");
    assert!(sculpt.legal("tablet").starts_with("chip_in small, chip_in medium, chip_in large, change_jobs small"));
    assert_eq!(sculpt.legal("tablet").split(", ").count(), 3 + 3 + 27);
    let transport = table("0: tablet, at 9_, sculptors small, chief small");
    let powers = transport.legal("tablet");
    assert_eq!(powers.split(", ").count(), 1 + 27 + 27, "Rest, and Lend a Hand with a Sculptor or the Chief");
    assert!(powers.starts_with("rest 9, lend_a_hand sculptor 1,"));
    let gain =
        table("0: tablet, at 8 9, moai small\non 9: chip_in").after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(gain.legal("tablet"), "take_two_more, take_three_more");
    let exchange = table("0: tablet, at 10, has eggs*2\non 10: large").after("transport pukao, step 10, style");
    assert_eq!(exchange.legal(""), "tablet skimp");
}

/// M27: the tablet works even if the player has the tile, and is discarded.
#[test]
fn a_tablet_is_discarded_and_works_beside_the_tile() {
    let game = table("0: tablet, at 9_*2, tiles rest");
    assert_eq!(game.scores(), [3, 0, 0], "three points, if it is not used");
    let by_tablet = game.after("tablet rest 9");
    assert_eq!(
        (by_tablet.transporters(9), by_tablet.tiles(0).as_str(), by_tablet.player(0).has_tablet),
        ((1, 1), "rest", false)
    );
    assert_eq!(by_tablet.scores(), [0, 0, 0]);
    let by_tile = game.after("tile rest 9");
    assert_eq!((by_tile.tiles(0).as_str(), by_tile.player(0).has_tablet), ("", true));
    assert!(by_tablet.refuses("tablet rest 9"));
}

/// Each power has the same effect by the tablet and by the tile.
#[test]
fn a_tablet_does_what_the_tile_does() {
    let text = "0: at 13 9_, sculptors small, chief small, has eggs*3, ";
    for play in ["barter eggs wood", "rest 9", "lend_a_hand sculptor 3", "lend_a_hand chief 3"] {
        let kind = play.split(' ').next().expect("a kind");
        let [mut by_tile, mut by_tablet] = ["tile", "tablet"].map(|means| {
            let clause = if means == "tile" { format!("tiles {kind}") } else { "tablet".to_owned() };
            table(&format!("{text}{clause}")).after(&format!("{means} {play}"))
        });
        for game in [&mut by_tile, &mut by_tablet] {
            game.game.table.sites.iter_mut().for_each(|site| site.set_ahus([], site.moai(), site.styled()));
        }
        assert_eq!(by_tile.game, by_tablet.game, "{play}");
    }
}

/// M27, in the other phases, and at the gain.
#[test]
fn a_tablet_does_in_every_phase_what_the_tile_does() {
    let sculpt = "phase: sculpt\n0: at 13, sculptors small, ";
    let gain = "0: at 8 9, moai small, fervent, ";
    for (text, way, play) in [
        ("phase: place\n0: has eggs*3, ", "", "barter eggs wood"),
        (sculpt, "", "chip_in medium"),
        (sculpt, "", "change_jobs medium"),
        (sculpt, "", "change_jobs 13"),
        (gain, "transport small, step 8, step 9, erect gain_favor", "take_two_more"),
        (gain, "transport small, step 8, step 9, erect gain_favor", "take_three_more"),
        ("0: at 10, has eggs*2, ", "transport pukao, step 10, style", "skimp"),
    ] {
        let kind = play.split(' ').next().expect("a kind");
        let [mut by_tile, mut by_tablet] = ["tile", "tablet"].map(|means| {
            let clause = if means == "tile" { format!("tiles {kind}") } else { "tablet".to_owned() };
            let game = table(&format!("{text}{clause}\non 9: gain_favor\non 10: large"));
            let game = if way.is_empty() { game } else { game.after(way) };
            game.after(&format!("{means} {play}"))
        });
        for game in [&mut by_tile, &mut by_tablet] {
            game.game.table.sites.iter_mut().for_each(|site| site.set_ahus([], site.moai(), site.styled()));
        }
        assert_eq!(by_tile.game, by_tablet.game, "{play}");
    }
}

/// M38.
#[test]
fn transporters_of_two_players_are_never_on_one_space() {
    let game = table("0: at 8, chief small, sculptors small, tiles lend_a_hand, tablet\n1: at 13 14_");
    for what in [
        "tile lend_a_hand sculptor",
        "tile lend_a_hand chief",
        "tablet lend_a_hand sculptor",
        "tablet lend_a_hand chief",
    ] {
        let spaces = game.legal(what);
        assert_eq!(spaces.split(", ").count(), 25, "{what}");
        assert!(spaces.split(", ").all(|space| space != "13" && space != "14"));
    }
}
