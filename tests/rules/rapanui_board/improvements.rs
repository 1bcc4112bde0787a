//! Improvement tiles.

use ahu_games::rapanui_board::Improvement;

use super::table;

#[test]
fn improvements_cost_2_reeds_2_eggs_2_wood_or_3_pearls() {
    for (improvement, price, too_little) in [
        ("fervent", "reeds*2", "reeds eggs*8 wood*8 pearls*8"),
        ("artistic", "eggs*2", "eggs reeds*8 wood*8 pearls*8"),
        ("popular", "wood*2", "wood reeds*8 eggs*8 pearls*8"),
        ("chief", "pearls*3", "pearls*2 reeds*8 eggs*8 wood*8"),
    ] {
        let game = table(&format!("0: has {price}, at 13")).after(&format!("improve {improvement}"));
        assert_eq!(game.resources(0), [0, 0, 0, 0], "{improvement}");
        assert!(game.player(0).is(improvement.parse::<Improvement>().expect("an improvement")));
        // M15: no Resource is converted.
        assert!(table(&format!("0: has {too_little}, at 13")).refuses(&format!("improve {improvement}")));
    }
}

#[test]
fn only_three_of_the_four_are_bought_and_several_in_one_turn() {
    let mut game = table("0: has reeds*4 eggs*2 wood*2 pearls*3, at 13");
    game.play("improve fervent, improve artistic");
    assert_eq!(game.legal("improve"), "popular, chief", "there is one of each");
    game.play("improve chief");
    assert!(game.refuses("improve popular"), "the third notch was the last");
}

/// M43.
#[test]
fn improvements_are_bought_at_the_moments_of_ones_own_turn() {
    assert!(!table("phase: place\n0: has reeds*2").refuses("improve fervent"));
    let sculpting = table("phase: sculpt\n0: has reeds*2, sculptors small");
    assert!(!sculpting.refuses("improve fervent"));
    assert!(sculpting.after("sculpt small").refuses("improve fervent"), "before sculpting");

    let text =
        "0: at 8 3 10, has reeds*2 eggs*4, tiles barter, moai small\n1: has reeds*2, at 7\non 3: chip_in\non 10: large";
    let transport = table(text);
    assert!(!transport.refuses("improve fervent"), "before the transport");
    assert!(transport.refuses("1: improve fervent"), "in one's own turn");
    let under_way = transport.after("transport small");
    assert!(
        under_way.refuses("improve fervent") && under_way.refuses("tile barter eggs wood"),
        "nowhere inside a chain"
    );
    assert!(under_way.after("step 8").refuses("improve fervent"));
    let arrived = under_way.after("step 8, step 3, erect chip_in");
    assert!(
        !arrived.refuses("improve fervent") && !arrived.refuses("tile barter eggs wood"),
        "between arrival and gain"
    );
    let gained = arrived.after("gain shown");
    assert!(!gained.refuses("improve fervent") && !gained.refuses("tile barter eggs wood"), "after the transport");
    let styled = transport.after("transport pukao, step 10, style");
    assert!(
        styled.refuses("improve fervent") && styled.refuses("tile barter eggs wood"),
        "not between styling and exchange"
    );
    let paying = styled.after("offer stack chicken");
    assert!(paying.refuses("improve fervent") && paying.refuses("tile barter eggs wood"));
    assert!(!paying.after("pay eggs eggs eggs eggs").refuses("improve fervent"));
}

/// M43: nothing is played during the division of a gain, nor while others choose their tolls.
#[test]
fn nothing_is_played_while_tolls_are_chosen_or_a_gain_is_divided() {
    let text = "0: at 2 26, has reeds*2 eggs*2, fervent, moai small*2\n1: at 8 7 13 20, has reeds*2\n\
                on 2: small chip_in\non 26: skimp";
    let toll = table(text).after("transport small, step 8, step 7, step 2, erect chip_in");
    assert_eq!(toll.legal(""), "toll reeds, toll eggs");
    let shift = table(text).after("transport small, step 13, step 20, step 26, erect skimp, gain first 1");
    assert_eq!(shift.legal(""), "gain shown, gain shifted");
}

/// M20, with the rulebook's example: Wood for a Moai on a space of Eggs.
#[test]
fn fervent_takes_the_next_higher_resource_instead() {
    for (at, shown, shifted) in [
        ("8 9", [3, 0, 0, 0], [0, 3, 0, 0]),
        ("8 3", [0, 3, 0, 0], [0, 0, 3, 0]),
        ("8 3 2 1", [0, 0, 3, 0], [0, 0, 0, 3]),
    ] {
        let way = at.replace(' ', ", step ");
        let way = format!("step {way}");
        let space = at.split(' ').next_back().expect("a space");
        let text = |clause| format!("0: at {at}, {clause}moai medium\non {space}: chip_in");
        let game = table(&text("fervent, ")).after(&format!("transport medium, {way}, erect chip_in"));
        assert_eq!(game.legal("gain"), "shown, shifted", "{space}: the whole gain or none");
        assert_eq!(game.after("gain shown").resources(0), shown);
        assert_eq!(game.after("gain shifted").resources(0), shifted);
        let without = table(&text("")).after(&format!("transport medium, {way}, erect chip_in"));
        assert_eq!((without.resources(0), without.refuses("gain shifted")), (shown, true));
    }
}

/// M20.
#[test]
fn pearls_stay_pearls() {
    let text = "0: at 13 12 11 10, fervent, moai medium\non 10: chip_in";
    let game =
        table(text).after("transport medium, step 13, step 12, step 11, step pukao_quarry, step 10, erect chip_in");
    assert_eq!(
        (game.resources(0), game.refuses("gain shifted")),
        ([0, 0, 0, 3], true),
        "there is no choice, so nothing is asked"
    );
}

/// M20.
#[test]
fn fervent_does_not_change_tolls() {
    let game = table("0: at 3, moai small\n1: at 8, fervent\non 3: chip_in")
        .after("transport small, step 8, step 3, erect chip_in");
    assert_eq!((game.resources(1), game.due().as_str()), ([1, 0, 0, 0], "seat 1: transport"));
    let game = table("0: at 2, moai small\n1: at 8 7, fervent\non 2: small chip_in");
    assert_eq!(game.after("transport small, step 8, step 7, step 2, erect chip_in").legal(""), "toll reeds, toll eggs");
}

/// M20: for each of two colours, Fervent shifts all Resources taken in it or none.
#[test]
fn fervent_decides_for_each_of_two_colours() {
    let text = "0: at 13 20 26, fervent, moai large\non 26: chip_in";
    let game = table(text).after("transport large, step 13, step 20, step 26, erect chip_in");
    assert_eq!(game.legal("gain"), "first 0, first 1, first 2, first 3, first 4, first 5");
    let divided = game.after("gain first 2");
    assert_eq!(divided.legal(""), "gain shown, gain shifted");
    for (plies, expected) in [
        ("gain shown, gain shown", [2, 3, 0, 0]),
        ("gain shown, gain shifted", [2, 0, 3, 0]),
        ("gain shifted, gain shown", [0, 5, 0, 0]),
        ("gain shifted, gain shifted", [0, 2, 3, 0]),
    ] {
        let gained = divided.after(plies);
        assert_eq!((gained.resources(0), gained.legal("gain")), (expected, String::new()), "{plies}");
    }
    assert_eq!(
        game.after("gain first 5, gain shifted").resources(0),
        [0, 5, 0, 0],
        "no Eggs are taken, so no shift of Eggs is asked"
    );
    assert_eq!(game.after("gain first 0, gain shifted").resources(0), [0, 0, 5, 0]);
}

/// M20, M11 with `choice_split` false: all Resources are of one colour, and Fervent shifts all of them or none.
#[test]
fn fervent_shifts_the_one_colour_that_is_taken_where_gains_are_not_divided() {
    let text = "0: at 13 20 26, fervent, moai large\non 26: chip_in\nchoice_split: false";
    let game = table(text).after("transport large, step 13, step 20, step 26, erect chip_in");
    assert_eq!(game.legal("gain"), "first 0, first 5");
    for (plies, expected) in [
        ("gain first 5, gain shown", [5, 0, 0, 0]),
        ("gain first 5, gain shifted", [0, 5, 0, 0]),
        ("gain first 0, gain shown", [0, 5, 0, 0]),
        ("gain first 0, gain shifted", [0, 0, 5, 0]),
    ] {
        assert_eq!(game.after(plies).resources(0), expected, "{plies}");
    }
}

/// M20, M43: Fervent bought between arrival and gain works at once; a Barter may pay for it.
#[test]
fn fervent_bought_between_arrival_and_gain_works_for_this_gain() {
    let mut game = table("0: at 8 3, has pearls*3, moai medium\non 3: barter")
        .after("transport medium, step 8, step 3, erect barter");
    assert_eq!(game.due(), "seat 0: gain 3");
    game.play("tile barter pearls reeds, improve fervent, gain shifted");
    assert_eq!(game.resources(0), [1, 0, 3, 0]);
}

/// M44: the gain is asked only if there is a choice left.
#[test]
fn a_gain_without_a_choice_left_is_taken_by_itself() {
    let mut game = table("0: at 8 3, has eggs*2, moai small\non 3: chip_in")
        .after("transport small, step 8, step 3, erect chip_in");
    assert_eq!(game.legal(""), "improve artistic, gain shown");
    game.play("improve artistic");
    assert_eq!((game.resources(0), game.due().as_str()), ([0, 1, 0, 0], "seat 1: transport"));
}

/// M28: a Villager bought in phase 3 comes in the next round.
#[test]
fn popular_brings_a_fifth_villager_for_the_rest_of_the_game() {
    let mut game = table("stall_end: 0\n0: at 13, has wood*2").after("improve popular");
    game.pass_until("seat 0: place");
    assert_eq!(game.player(0).villagers, 5);
    game.pass_until("seat 1: sculpt");
    game.pass_until("seat 0: place");
    assert_eq!(game.player(0).villagers, 5);
    assert_eq!(game.player(1).villagers, 4);
}

/// M28.
#[test]
fn who_has_dropped_out_buys_nothing() {
    let game = table("0: at 13, has reeds*2\n1: has reeds*2").after("0: drop out");
    assert!(game.refuses("0: improve fervent") && !game.refuses("1: improve fervent"));
}
