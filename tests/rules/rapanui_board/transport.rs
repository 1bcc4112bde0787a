//! Phase 3: transports, tolls, erecting and styling.

use super::{PUBLIC, table};

/// The rulebook's example: all Transporters on the way are Moray's own, so Dolphin earns nothing; a large Moai on a
/// space of Reeds brings 5.
#[test]
fn a_transport_by_ones_own_transporters_earns_nobody_anything() {
    let mut game = table("0: at 14 9, moai large\n1: at 8, moai small medium\non 9: chip_in");

    game.play("0: transport large, step 14, step 9, erect chip_in");

    assert_eq!((game.resources(0), game.resources(1)), ([5, 0, 0, 0], [0, 0, 0, 0]));
    assert_eq!(game.transporters(9), (0, 1), "the Transporter there lies down");
    assert_eq!(game.transporters(14), (1, 0));
    assert_eq!((game.tiles(0).as_str(), *game.site(9).moai().as_array()), ("chip_in", [0, 0, 1]));
    assert_eq!(game.moai(0), [0, 0, 0]);
}

/// The rulebook's example: the small Moai brings Moray 1 Reed and Dolphin 1 Egg. On a later turn, the medium Moai brings
/// 1 Reed and 3 Eggs.
#[test]
fn a_transport_by_anothers_transporter_earns_what_its_space_shows() {
    // Moray is seat 0, Dolphin seat 1.
    let mut game = table("active: 1\n0: at 8 21\n1: at 3 27, moai small medium\non 3: chip_in\non 27: chip_in");

    game.play("1: transport small, step 8, step 3, erect chip_in");
    assert_eq!((game.resources(0), game.resources(1)), ([1, 0, 0, 0], [0, 1, 0, 0]));
    assert_eq!(game.transporters(3), (0, 1));
    game.play("2: drop out, 0: drop out, 1: transport medium, step 21, step 27, erect chip_in");
    assert_eq!((game.resources(0), game.resources(1)), ([2, 0, 0, 0], [0, 4, 0, 0]));
    assert_eq!(game.transporters(27), (0, 1));
}

/// The rulebook's example: a Pukao brings Dolphin 1 Reed on any space; Moray exchanges 4 Eggs for a Chicken worth 8.
#[test]
fn a_pukao_earns_reeds_whatever_the_space_shows_and_brings_an_offering() {
    let mut game = table("0: at 16, has eggs*4\n1: at 17\n2: offerings chicken\non 16: medium chip_in");

    game.play("0: transport pukao, step 17, step 16, style");
    assert_eq!(game.resources(1), [1, 0, 0, 0], "17 shows Pearls");
    assert_eq!(game.transporters(16), (0, 1));
    game.play("offer stack chicken, pay eggs eggs eggs eggs");
    assert_eq!((game.offered(0), game.resources(0)), (8, [0, 0, 0, 0]));
    assert_eq!((game.site(16).styled(), game.game.table.pukao), (1, 19));
}

/// The rulebook's example: Dolphin exchanges 4 Pearls for a Necklace worth 12.
#[test]
fn four_pearls_buy_the_top_necklace() {
    let mut game = table("0: at 17, has pearls\n1: at 16, has pearls*4\nactive: 1\non 16: small chip_in");

    game.play("1: transport pukao, step 17, step 16, style, offer stack necklace, pay pearls pearls pearls pearls");

    assert_eq!((game.offered(1), game.resources(0), game.resources(1)), (12, [1, 0, 0, 1], [0, 0, 0, 0]));
}

#[test]
fn a_chain_crosses_sides_and_not_corners() {
    assert!(table("0: at 9, moai small").refuses("transport small"), "9 touches the Crater at a corner");
    assert!(table("0: at 8 15, moai small").refuses("transport small"), "8 and 15 touch nowhere");
    let game = table("0: at 8 9, moai small").after("transport small");
    assert_eq!(game.legal(""), "step 8");
    assert_eq!(game.after("step 8").legal("step"), "9");
}

#[test]
fn every_space_of_the_chain_needs_a_transporter() {
    assert!(table("0: at 3, moai small").refuses("transport small"));
    assert!(
        !table("0: at 3, moai small\n1: at 8_").refuses("transport small"),
        "any player's Transporter is enough, fatigued or not"
    );
    assert!(table("0: at 16, has eggs*4\non 16: small").refuses("transport pukao"));
}

#[test]
fn a_moai_is_erected_by_ones_own_transporter_who_is_not_fatigued() {
    assert!(table("0: at 8 9_, moai small").refuses("transport small"));
    assert!(table("0: at 8, moai small\n1: at 9").refuses("transport small"), "9 is another's");
    let game =
        table("0: at 8 9_ 9, moai small*2\non 9: chip_in").after("transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.transporters(9), (0, 2));
    assert!(table("0: at 8_ 9, moai small").after("transport small").refuses("erect chip_in"));
}

/// M13: a player without a place to end begins no transport.
#[test]
fn a_transport_ends_in_erecting_or_styling() {
    assert!(table("0: at 8 14, moai small").refuses("transport small"), "8 and 14 have no ahu");
    assert!(table("0: at 8 9, moai small\non 9: small").refuses("transport small"), "that ahu has its Moai");
    assert!(table("0: at 8 9").refuses("transport small"), "there is no Moai to transport");
    let game = table("0: at 8 9, moai small").after("transport small");
    assert!(game.refuses("drop out") && game.refuses("end turn") && game.refuses("step crater"));
}

#[test]
fn moai_bring_one_three_or_five_resources() {
    for (size, reeds) in [("small", 1), ("medium", 3), ("large", 5)] {
        let mut game = table(&format!("0: at 8 9, moai {size}\non 9: chip_in"));
        game.play(&format!("transport {size}, step 8, step 9, erect chip_in"));
        assert_eq!(game.resources(0), [reeds, 0, 0, 0]);
    }
}

#[test]
fn a_row_that_is_full_gains_nothing_more() {
    let game = table("0: at 8 9, has reeds*6, fervent, moai large\non 9: chip_in")
        .after("transport large, step 8, step 9, erect chip_in");
    assert_eq!(game.after("gain shown").resources(0), [8, 0, 0, 0], "the eighth space is the rightmost");
    let cap = table("0: at 8 9, moai large\non 9: chip_in\nresource_cap: 4")
        .after("transport large, step 8, step 9, erect chip_in");
    assert_eq!(cap.resources(0), [4, 0, 0, 0]);
}

/// M8.
#[test]
fn a_moai_may_pass_the_pukao_quarry_and_a_pukao_the_crater_without_toll() {
    let through = "0: at 13 12 11 10, moai small\non 10: chip_in";
    let game =
        table(through).after("transport small, step 13, step 12, step 11, step pukao_quarry, step 10, erect chip_in");
    assert_eq!(game.resources(0), [0, 0, 0, 1]);
    assert!(table(&format!("{through}\npass_other_quarry: false")).refuses("transport small"));

    let back = "0: at 3, has eggs*4\n1: at 11 12 13 8\non 3: small";
    let game = table(back).after("transport pukao, step 11, step 12, step 13, step crater, step 8, step 3, style");
    assert_eq!(game.resources(1), [4, 0, 0, 0]);
    assert!(table(&format!("{back}\npass_other_quarry: false")).refuses("transport pukao"));
}

/// M8, M9: a transport does not return to the quarry in which it began.
#[test]
fn a_transport_enters_no_area_twice() {
    let game = table("0: at 13 8 14 3, moai small\non 3: chip_in").after("transport small");
    assert_eq!(game.legal("step"), "8", "no way leads on from 13 and 14");
    assert_eq!(game.after("step 8").legal("step"), "3");

    let ring = table("0: at 8 7 2 3, moai small\non 3: chip_in\non 2: small medium").after("transport small, step 8");
    assert_eq!(ring.legal("step"), "3, 7");
    let ring = ring.after("step 7, step 2");
    assert_eq!(ring.legal("step"), "3", "not back to 7");
    assert_eq!(ring.after("step 3").legal(""), "erect chip_in", "8 has been visited");
}

/// M9.
#[test]
fn a_space_pays_once_however_many_transporters_are_there_and_detours_pay_more() {
    let text = "0: at 3, moai small\n1: at 8*3\n2: at 7 2\non 3: chip_in\non 2: small medium";
    let straight = table(text).after("transport small, step 8, step 3, erect chip_in");
    assert_eq!((straight.resources(1), straight.resources(2)), ([1, 0, 0, 0], [0, 0, 0, 0]));

    let detour = table(text).after("transport small, step 8, step 7, step 2, step 3, erect chip_in, 2: toll eggs");
    assert_eq!((detour.resources(1), detour.resources(2)), ([1, 0, 0, 0], [0, 2, 0, 0]), "2 shows Eggs too");
}

/// M9: the order of steps makes no difference.
#[test]
fn two_ways_over_the_same_spaces_of_others_lead_to_the_same_position() {
    let text = "0: at 2 13 8, moai small\n1: at 7\non 2: small chip_in";
    let one = table(text).after("transport small, step 13, step 7, step 2, erect chip_in, 1: toll reeds");
    let other = table(text).after("transport small, step 8, step 7, step 2, erect chip_in, 1: toll reeds");
    assert_eq!(one.game, other.game);
    assert_eq!(one.resources(1), [1, 0, 0, 0]);
}

/// M10.
#[test]
fn a_toll_for_a_full_row_is_lost_and_who_dropped_out_earns_too() {
    let text = "0: at 3, moai small\n1: at 8, has reeds*8, out\non 3: chip_in";
    let game = table(text).after("transport small, step 8, step 3, erect chip_in");
    assert_eq!(game.resources(1), [8, 0, 0, 0]);
    assert!(game.event_texts(PUBLIC).contains(&"seat 1 earns nothing on space 8: its row of reeds is full".to_owned()));

    let game = table("0: at 3, moai small\n1: at 8, out\non 3: chip_in")
        .after("transport small, step 8, step 3, erect chip_in");
    assert_eq!(game.resources(1), [1, 0, 0, 0]);
}

/// M11: tolls on spaces with two colours are asked on arrival, in board order, before the Moai stands.
#[test]
fn who_earns_chooses_between_two_colours_in_board_order() {
    let text = "0: at 4, moai small\n1: at 13 12\n2: at 7 6 5\non 4: small chip_in";
    let mut game = table(text).after("transport small, step 13, step 12, step 6, step 5, step 4, erect chip_in");

    assert_eq!((game.due().as_str(), game.legal("")), ("seat 1: toll", "toll eggs, toll wood".to_owned()));
    assert_eq!(game.resources(1), [0, 1, 0, 0], "13 shows Eggs alone, which is no choice");
    assert_eq!(game.resources(2), [0, 1, 1, 0], "6 and 5");
    assert_eq!((game.resources(0), game.site(4).moai().total()), ([0, 0, 0, 0], 1), "the mover has gained nothing yet");
    assert!(game.refuses("1: toll reeds") && game.refuses("0: toll wood"));
    game.play("1: toll wood");
    assert_eq!((game.resources(1), game.resources(0)), ([0, 1, 1, 0], [0, 0, 1, 0]));

    let two = table(text).after("transport small, step 13, step 7, step 6, step 5, step 4, erect chip_in");
    assert_eq!((two.due().as_str(), two.legal("toll").as_str()), ("seat 2: toll", "reeds, eggs"));
}

/// M11: 7 comes before 12 in board order, regardless of the order of the steps.
#[test]
fn tolls_are_chosen_row_by_row_whatever_the_way() {
    let text = "0: at 2, moai small\n1: at 13 12\n2: at 6 7\non 2: small chip_in";
    let game = table(text).after("transport small, step 13, step 12, step 6, step 7, step 2, erect chip_in");
    assert_eq!(
        (game.due().as_str(), game.legal("toll").as_str()),
        ("seat 2: toll", "reeds, eggs"),
        "7, which came last"
    );
    let game = game.after("2: toll reeds");
    assert_eq!((game.due().as_str(), game.legal("toll").as_str()), ("seat 1: toll", "eggs, wood"), "12");
    let game = game.after("1: toll wood");
    assert_eq!((game.resources(1), game.resources(2), game.resources(0)), ([0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 0]));
}

/// M11, M10.
#[test]
fn a_toll_may_be_chosen_for_a_full_row() {
    let text = "0: at 2, moai small\n1: at 8 7, has reeds*8\non 2: small chip_in";
    let game = table(text).after("transport small, step 8, step 7, step 2, erect chip_in");
    assert_eq!(game.legal("toll"), "reeds, eggs");
    assert_eq!(game.after("toll reeds").resources(1), [8, 0, 0, 0]);
    assert_eq!(game.after("toll eggs").resources(1), [8, 1, 0, 0]);
}

/// A Pukao earns Reeds on spaces with two colours too, so no toll is asked.
#[test]
fn a_pukao_leaves_no_toll_to_choose() {
    let game = table("0: at 24, has eggs*4\n1: at 11 18, has reeds\non 24: small")
        .after("transport pukao, step 11, step 18, step 24, style");
    assert_eq!((game.due().as_str(), game.resources(1)), ("seat 0: exchange", [3, 0, 0, 0]));
}

/// M11: on a space with two colours each Resource is chosen.
#[test]
fn the_gain_on_a_space_with_two_colours_is_divided() {
    let text = "0: at 13 20 26, moai medium\non 26: chip_in";
    let game = table(text).after("transport medium, step 13, step 20, step 26, erect chip_in");
    assert_eq!(game.legal(""), "gain first 0, gain first 1, gain first 2, gain first 3");
    for reeds in 0..=3 {
        assert_eq!(game.after(&format!("gain first {reeds}")).resources(0), [reeds, 3 - reeds, 0, 0]);
    }
    let unsplit = table(&format!("{text}\nchoice_split: false"))
        .after("transport medium, step 13, step 20, step 26, erect chip_in");
    assert_eq!(unsplit.legal("gain"), "first 0, first 3");
}

/// M12.
#[test]
fn the_mover_picks_the_ahu_and_equal_tiles_are_one_choice() {
    let text = "0: at 13 20 19 25, moai small*3\non 25: chip_in skimp chip_in";
    let mut game = table(text).after("transport small, step 13, step 20, step 19, step 25");
    assert_eq!(game.legal("erect"), "skimp, chip_in");
    assert!(game.refuses("erect rest"));
    game.play("erect chip_in, gain first 1");
    assert_eq!(game.tiles(0), "chip_in");
    assert_eq!(
        game.site(25).tiles().map(ahu_games::rapanui_board::Tile::name).collect::<Vec<_>>(),
        ["skimp", "chip_in"]
    );
}

/// M14: any player may have erected it.
#[test]
fn anybodys_unstyled_moai_may_be_styled() {
    let text = "0: at 10, has eggs*4";
    assert!(!table(&format!("{text}\non 10: large")).refuses("transport pukao"));
    assert!(table(&format!("{text}\non 10: large^")).refuses("transport pukao"), "it has its headdress");
    assert!(table(text).refuses("transport pukao"), "there is no Moai");
    assert!(table("0: at 10_, has eggs*4\non 10: large").refuses("transport pukao"), "he is fatigued");
    let two = table("0: at 16 17, has eggs*4\non 16: small large^").after("transport pukao, step 17, step 16");
    assert_eq!(two.legal(""), "style", "which of them is not asked");
}

/// M16: "You can only style a Moai if you can exchange Resources for an Offering tile."
#[test]
fn without_an_exchange_nothing_is_styled() {
    assert!(table("0: at 10, has eggs*3\non 10: large").refuses("transport pukao"));
    let mut game = table("0: at 10, has eggs*8\non 10: large").after("transport pukao, step 10, style");
    assert!(game.refuses("end turn") && game.refuses("drop out"), "the exchange is mandatory");
    game.play("offer stack chicken, pay eggs eggs eggs eggs");
    assert!(game.due() != "seat 0: exchange" && game.player(0).offerings.total() == 1, "and there is only one");
}

/// M45.
#[test]
fn without_a_pukao_in_the_supply_nothing_is_styled() {
    let all = "on 1: small^\non 2: small^*2\non 3: small^\non 4: small^*2\non 9: small^\non 15: small^ medium^
         on 16: medium^*2\non 22: medium^\non 23: medium^\non 24: medium^*2\non 25: large^*3\non 26: large^\non 27: large^";
    let game = table(&format!("0: at 10, has eggs*4\n{all}\non 10: large"));
    assert_eq!(game.game.table.pukao, 0, "20 of 21 Moai have theirs");
    assert!(game.refuses("transport pukao"));
    let one_left =
        table(&format!("0: at 10, has eggs*4\n{}\non 10: large", all.replace("on 1: small^", "on 1: small")));
    assert!(!one_left.refuses("transport pukao"));
}

#[test]
fn each_turn_is_one_transport_or_dropping_out_until_all_have() {
    let mut game = table(
        "order: 1 2 0\n0: at 21 27, moai small\n1: at 8 9 3, moai small*2\non 9: chip_in\non 3: chip_in\non 27: chip_in",
    );
    game.play("1: transport small, step 8, step 9, erect chip_in");
    assert_eq!(game.due(), "seat 2: transport");
    game.play("2: drop out, 0: transport small, step 21, step 27, erect chip_in");
    assert_eq!(game.due(), "seat 1: transport", "round the table");
    game.play("1: transport small, step 8, step 3, erect chip_in, 0: drop out");
    assert_eq!(game.due(), "seat 1: transport", "a player who has dropped out is skipped");
    game.play("1: drop out");
    assert_eq!(game.due(), "seat 1: place");
}

#[test]
fn who_has_nothing_to_transport_drops_out() {
    let game = table("0: at 13");
    assert_eq!(game.legal(""), "drop out");
    assert!(game.refuses("end turn"));
}

/// M44, for a Moai: the tolls, the Moai stands, the tile, the Transporter lies down, plays, the gain.
#[test]
fn an_arrival_has_its_order() {
    let mut game = table("0: at 2, fervent, moai small\n1: at 8 7\non 2: small chip_in");
    game.play("transport small, step 8, step 7, step 2, erect chip_in, 1: toll eggs, gain shifted");
    assert_eq!(
        game.event_texts(PUBLIC)[4..],
        [
            "seat 1 earns 1 reed on space 8",
            "seat 1 earns 1 egg on space 7",
            "seat 0 erects a small Moai on space 2 and takes the Ahu tile chip_in; the Transporter lies down",
            "seat 0 gains 1 wood",
        ]
    );
    assert_eq!(game.due(), "seat 1: transport", "nothing can be played, so the end of the turn is not asked");
}

/// M44, for a Pukao: the Pukao stands, the Transporter lies down, then the exchange, then the rest of the turn.
#[test]
fn styling_has_its_order_and_leaves_the_rest_of_the_turn() {
    let mut game =
        table("0: at 10, has eggs*4 wood*3, tiles barter\non 10: large").after("transport pukao, step 10, style");
    assert_eq!((game.transporters(10), game.site(10).styled()), ((0, 1), 1));
    assert_eq!(
        game.legal(""),
        "offer stack hut, offer stack chicken",
        "nothing is played or bought before the exchange"
    );
    game.play("offer stack chicken, pay eggs eggs eggs eggs");
    assert_eq!(game.due(), "seat 0: end turn");
    assert!(
        !game.refuses("tile barter wood pearls") && !game.refuses("improve popular") && game.refuses("transport pukao")
    );
    game.play("end turn");
    assert_eq!(game.due(), "seat 1: transport");
}
