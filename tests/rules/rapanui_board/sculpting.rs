//! Phase 2: the new turn order, and sculpting.

use std::collections::BTreeSet;

use super::{Table, table};

/// Returns every set of Moai that the player can take: small, medium, large.
fn sets(game: &Table) -> BTreeSet<[u8; 3]> {
    let seat = game.game.table.active.index();
    let mut sets = BTreeSet::new();
    for what in game.legal("sculpt").split(", ") {
        let after = game.after(&format!("sculpt {what}"));
        let more = if what == "done" { [game.moai(seat)].into() } else { self::sets(&after) };
        let count = sets.len() + more.len();
        sets.extend(more);
        assert_eq!(sets.len(), count, "each set has one spelling");
    }
    sets
}

fn has(sets: &BTreeSet<[u8; 3]>, set: [u8; 3]) -> bool {
    sets.contains(&set)
}

/// The rulebook's example: Moray becomes the first player, Dolphin remains second, Turtle becomes the third.
#[test]
fn totems_follow_the_sorcerers() {
    let mut game = table("phase: place\norder: 0 1 2\n0: at 13*4\n1: at 14*4\n2: at 21*4");
    // Turtle is seat 0, Dolphin seat 1, Moray seat 2.
    game.play("0: sorcerer 3, 1: sorcerer 2, 2: sorcerer 1");

    assert_eq!((game.order().as_str(), game.due().as_str()), ("2, 1, 0", "seat 2: sculpt"));
    game.pass_until("seat 2: transport");
    assert_eq!(game.order(), "2, 1, 0");
}

/// The rulebook's picture: Dolphin has 1-1-1, Turtle 1, Moray 2-1, Octopus none in the first column.
#[test]
fn each_player_takes_what_the_columns_entitle_to() {
    let picture = "seats: 4\nphase: sculpt
         0: sculptors small medium large
         1: sculptors small
         2: sculptors small*2 medium
         3: sculptors medium large";
    let dolphin = sets(&table(picture));
    assert!(has(&dolphin, [0, 0, 1]) && !has(&dolphin, [1, 0, 1]) && !has(&dolphin, [0, 1, 1]));
    let turtle = sets(&table(&format!("{picture}\nactive: 1")));
    assert_eq!(turtle, BTreeSet::from([[0, 0, 0], [1, 0, 0]]));
    let moray = sets(&table(&format!("{picture}\nactive: 2")));
    assert!(has(&moray, [1, 1, 0]) && !has(&moray, [0, 2, 0]) && !has(&moray, [2, 1, 0]));
    let octopus = table(&format!("{picture}\nactive: 3"));
    assert_eq!(octopus.legal(""), "sculpt done", "without a Sculptor in the first column there are no Moai");
}

/// Larger Moai come first, so no set has two spellings, also where Sculptors are left after a medium Moai for a large one.
#[test]
fn each_set_of_moai_has_one_order() {
    let all =
        (0..=3).flat_map(|small| (0..=3).flat_map(move |medium| (0..=3).map(move |large| [small, medium, large])));
    let fits = |&[small, medium, large]: &[u8; 3]| large <= 1 && small + medium + large <= 2;
    let sets = sets(&table("phase: sculpt\n0: sculptors small*2 medium*2, chief").after("chief large"));
    assert_eq!(sets, all.filter(fits).collect());
}

/// The rulebook's example: with the Chief, Moray can sculpt two medium Moai instead of a small and a medium one.
#[test]
fn the_chief_is_a_sculptor_too() {
    let moray = "phase: sculpt\n0: sculptors small*2 medium, chief";
    let without = sets(&table(moray).after("chief large"));
    assert!(has(&without, [1, 1, 0]) && !has(&without, [0, 2, 0]) && has(&without, [1, 0, 1]));
    let with = table(moray).after("chief medium");

    assert!(has(&sets(&with), [0, 2, 0]) && !has(&sets(&with), [1, 2, 0]));
    assert_eq!(with.after("sculpt medium, sculpt medium").legal("sculpt"), "done");
    let placed_before = table("phase: sculpt\n0: sculptors small*2 medium, chief medium");
    assert_eq!(sets(&placed_before), sets(&with));
    assert_eq!(placed_before.legal("chief"), "", "he has his place");
}

/// M5.
#[test]
fn the_chief_in_the_first_column_is_enough() {
    assert_eq!(
        sets(&table("phase: sculpt\n0: sculptors medium, chief small")),
        BTreeSet::from([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    );
    assert_eq!(sets(&table("phase: sculpt\n0: sculptors medium, chief large")), BTreeSet::from([[0, 0, 0]]));
    assert_eq!(table("phase: sculpt\n0: chip_ins small").legal("sculpt"), "small, done");
}

/// "If you only have Sculptors in the first and third columns, you can only take small Moai."
#[test]
fn without_the_second_column_moai_are_small() {
    assert_eq!(
        sets(&table("phase: sculpt\n0: sculptors small*2 large")),
        BTreeSet::from([[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    );
}

/// M6, M7: a Moai takes one Sculptor of the first column. A medium or large Moai also takes a Sculptor of the second column,
/// and a large Moai also takes a Sculptor of the third column.
#[test]
fn a_player_combines_its_sculptors_as_it_likes() {
    for (a, b, c) in (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..3).map(move |c| (a, b, c)))) {
        let columns = [("small", a), ("medium", b), ("large", c)].map(|(column, count)| format!("{column}*{count}"));
        let game = table(&format!("phase: sculpt\n0: chip_ins {}", columns.join(" ")));
        let all = (0..4).flat_map(|s| (0..4).flat_map(move |m| (0..4).map(move |l| [s, m, l])));
        let right = all.filter(|[s, m, l]| s + m + l <= a && m + l <= b && *l <= c);
        assert_eq!(sets(&game), right.collect(), "{a}-{b}-{c}");
    }
}

/// M7: a smaller Moai replaces a Moai of a size that is used up.
#[test]
fn a_size_that_is_used_up_is_replaced_by_a_smaller_one() {
    let no_medium = "phase: sculpt\n0: sculptors small*2 medium*2\n1: moai medium*7";
    assert_eq!(sets(&table(no_medium)), BTreeSet::from([[0, 0, 0], [1, 0, 0], [2, 0, 0]]));
    let no_large = "phase: sculpt\n0: sculptors small medium large\n1: moai large*6";
    assert_eq!(sets(&table(no_large)), BTreeSet::from([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), "a medium or a small one");
    let no_small = "phase: sculpt\n0: sculptors small*2\n1: moai small*8";
    assert_eq!(table(no_small).legal("sculpt"), "done", "nothing is smaller");
    let one_large = "phase: sculpt\n0: chip_ins small*2 medium*2 large*2\n1: moai large*5";
    assert!(!has(&sets(&table(one_large)), [0, 0, 2]) && has(&sets(&table(one_large)), [0, 1, 1]));
}

#[test]
fn sculpting_goes_in_the_new_order_and_takes_from_the_supply() {
    let mut game = table("phase: sculpt\norder: 2 0 1\n0: sculptors small\n2: sculptors small medium");
    game.play("2: sculpt medium");
    assert_eq!((game.supply(), game.moai(2)), ([8, 6, 6], [0, 1, 0]));
    game.play("2: sculpt done, 0: sculpt small, 0: sculpt done, 1: sculpt done");
    assert_eq!((game.supply(), game.due().as_str()), ([7, 6, 6], "seat 2: transport"));
}

/// M23.
#[test]
fn chip_in_is_a_virtual_sculptor_also_where_the_quarry_is_full() {
    let mut game = table("phase: sculpt\n0: tiles chip_in*3, sculptors large\n1: sculptors large*2");
    assert_eq!(game.legal("tile"), "chip_in small, chip_in medium, chip_in large");
    assert_eq!(game.legal("sculpt"), "done");

    game.play("tile chip_in small, tile chip_in medium");
    assert_eq!(game.tiles(0), "chip_in", "they are returned to the box");
    assert!(has(&sets(&game), [0, 0, 1]), "each is one virtual Sculptor");
    assert!(!has(&sets(&game), [1, 0, 1]));
    let large = game.after("tile chip_in large");
    assert_eq!(*large.player(0).chip_ins.as_array(), [1, 1, 1]);
    let mut next = game.after("sculpt done");
    next.pass_until("seat 0: place");
    assert_eq!(next.player(0).chip_ins.total(), 0, "for this evaluation only");
}

/// M26: plays are legal before the first Moai is taken, and only in the player's own step.
#[test]
fn tiles_of_phase_2_are_played_before_sculpting_in_ones_own_step() {
    let game = table(
        "phase: sculpt\n0: sculptors small*2, chief, tiles chip_in change_jobs barter, has eggs*3 reeds*2\n\
         1: tiles chip_in",
    );
    assert!(!game.legal("tile").is_empty() && !game.legal("improve").is_empty() && !game.legal("chief").is_empty());
    assert!(game.refuses("1: tile chip_in small"));

    assert_eq!(game.after("sculpt small").legal(""), "sculpt small, sculpt done");
    assert_eq!(game.after("sculpt done").legal("tile"), "chip_in small, chip_in medium, chip_in large");
    let phase_3 = table("0: tiles chip_in change_jobs, sculptors small");
    assert_eq!(phase_3.legal("tile"), "", "not in phase 3");
}

/// M24.
#[test]
fn change_jobs_makes_the_sorcerer_a_sculptor_without_a_free_place() {
    let game =
        table("phase: sculpt\norder: 2 0 1\nactive: 0\n0: tiles change_jobs, sculptors small\n1: sculptors large*3");
    let game = game.after("tile change_jobs large");
    assert_eq!(*game.player(0).sculptors.as_array(), [1, 0, 1]);
    assert_eq!((game.order().as_str(), game.tiles(0).as_str()), ("2, 0, 1", ""), "the turn order stays");
    let first = table("phase: sculpt\n0: tiles change_jobs").after("tile change_jobs small");
    assert_eq!(first.legal("sculpt"), "small, done", "M5: he counts in the first column");
}

/// M24.
#[test]
fn change_jobs_makes_the_sorcerer_a_transporter_on_an_empty_or_own_space() {
    let game = table("phase: sculpt\n0: tiles change_jobs, at 13\n1: at 14");
    assert!(game.refuses("tile change_jobs 14"));
    assert_eq!(game.after("tile change_jobs 13").transporters(13), (2, 0));
    let spaces: Vec<_> = (1..=27).filter(|&n| n != 14).map(|n| format!("change_jobs {n}")).collect();
    assert_eq!(
        game.legal("tile"),
        format!("change_jobs small, change_jobs medium, change_jobs large, {}", spaces.join(", "))
    );
    assert!(game.after("tile change_jobs 8").refuses("tile change_jobs 8"), "it is used");
}

/// M24: the Sorcerer is like a Villager then, and goes back to the hand in the next round.
#[test]
fn the_sorcerer_at_work_tires_rests_and_is_lent() {
    let mut game = table("phase: sculpt\n0: tiles change_jobs rest, at 14 9_, moai small*2\non 9: chip_in");
    game.play("tile change_jobs 9, sculpt done, sculpt done, sculpt done");
    assert_eq!(game.due(), "seat 0: transport");
    game.play("transport small, step 14, step 9, erect chip_in");
    assert_eq!(game.transporters(9), (0, 2));
    assert!(!game.refuses("tile rest 9"));

    let lent = table("0: works, sculptors small, tiles lend_a_hand").after("tile lend_a_hand sculptor 9");
    assert_eq!(lent.transporters(9), (1, 0));
    game.pass_until("seat 0: place");
    assert_eq!(game.legal("sorcerer"), "2, 3, 4");
    assert!(
        table("phase: sculpt\n0: works, at 13, tiles change_jobs").legal("tile").is_empty(),
        "he has changed already"
    );
}

/// M28: in phase 2 the Chief sculpts at once.
#[test]
fn a_chief_bought_before_sculpting_sculpts_at_once() {
    let mut game = table("phase: sculpt\n0: has pearls*3, sculptors small");
    assert_eq!(game.legal("chief"), "");
    game.play("improve chief, chief medium");
    assert!(has(&sets(&game), [0, 1, 0]));

    let late = table("phase: sculpt\n0: has pearls*3, sculptors small\nchief_timing: phase1").after("improve chief");
    assert_eq!(late.legal("chief"), "", "variant phase1: from the next round on");
    let mut next = late.clone();
    next.pass_until("seat 0: place");
    assert_eq!(next.legal("chief"), "small, medium, large");
}

/// M28: Popular in phase 2 brings the Villager for the next round.
#[test]
fn popular_bought_in_phase_2_waits_for_the_next_round() {
    let mut game = table("phase: sculpt\n0: has wood*2, at 13*4").after("improve popular");
    assert_eq!((game.player(0).villagers, game.legal("transporter").as_str()), (1, ""));
    game.pass_until("seat 0: place");
    assert_eq!(game.player(0).villagers, 5);
}
