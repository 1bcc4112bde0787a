//! Setup: the belongings of each player, tiles on the ahus, stacks of Offering tiles, the turn order.

use std::collections::BTreeSet;

use ahu_core::Seats;
use ahu_games::rapanui_board::{Chief, Offering, Outcome, Tile, Values};

use super::{Table, seat, set_up, table};

#[test]
fn everybody_begins_with_a_resource_of_each_type_four_villagers_a_sorcerer_and_a_tablet() {
    for seats in [3, 4] {
        let game = set_up(seats, 1, &[]);
        for index in 0..seats {
            let player = game.player(index);
            assert_eq!(game.resources(index), [1, 1, 1, 1]);
            assert_eq!((player.villagers, player.chief, player.has_tablet), (4, Chief::InVillage, true));
            assert_eq!((game.tiles(index).as_str(), player.improvements.bits()), ("", 0));
            assert_eq!(game.offered(index), 0);
        }
        assert_eq!(game.due(), format!("seat {}: place", game.game.table.order.first()));
    }
}

#[test]
fn there_are_21_moai_and_20_pukao_and_17_moai_with_two() {
    assert_eq!((set_up(4, 1, &[]).supply(), set_up(3, 1, &[]).supply()), ([8, 7, 6], [8, 7, 6]));
    assert_eq!(set_up(2, 1, &[]).supply(), [6, 6, 5], "a large, a medium and two small ones are in the box");
    assert_eq!(set_up(2, 1, &[]).game.table.pukao, 20);
}

/// Returns the numbers of tiles on the ahus, by kind.
fn on_ahus(game: &Table) -> [u8; 10] {
    let mut found = [0; 10];
    game.game.table.sites.iter().flat_map(|site| site.tiles()).for_each(|tile| found[tile as usize] += 1);
    found
}

#[test]
fn a_tile_lies_on_each_of_the_21_ahus_and_the_others_are_in_the_box() {
    let mut missing = BTreeSet::new();
    for seed in 0..60 {
        let game = set_up(3, seed, &[]);
        let found = on_ahus(&game);
        assert_eq!(found.iter().sum::<u8>(), 21);
        for tile in Tile::ALL {
            assert!(found[tile as usize] <= [4, 4, 4, 4, 2, 2, 3, 3, 1, 2][tile as usize]);
            if found[tile as usize] < [4, 4, 4, 4, 2, 2, 3, 3, 1, 2][tile as usize] {
                missing.insert(tile.name());
            }
        }
        assert_eq!((game.game.table.display.total(), game.game.table.aside.total()), (0, 0));
    }
    assert_eq!(missing.len(), 10, "each kind may be missing: {missing:?}");
}

/// M37.
#[test]
fn a_first_game_has_21_of_the_tiles_and_no_tablets() {
    let game = set_up(4, 1, &[("beginner_tiles", "true")]);

    assert_eq!(on_ahus(&game), [4, 4, 4, 4, 2, 0, 0, 0, 1, 2]);
    assert!((0..4).all(|index| !game.player(index).has_tablet));
}

/// M35: in the first round too the first player may not begin on the first star space.
#[test]
fn the_turn_order_of_the_first_round_is_random() {
    let mut firsts = BTreeSet::new();
    let mut orders = BTreeSet::new();
    for seed in 0..400 {
        let game = set_up(4, seed, &[]);
        firsts.insert(game.game.table.order.first());
        orders.insert(game.order());
        assert_eq!(game.legal("sorcerer"), "2, 3, 4", "{}", game.due());
    }
    assert_eq!((firsts.len(), orders.len()), (4, 24));
}

#[test]
fn chance_brings_a_whole_turn_order_and_as_many_tiles_as_there_are_ahus() {
    let game = table("phase: order");
    for (outcome, is_right) in
        [("order 2 0 1", true), ("order 1 0", false), ("order 0 1 2 3", false), ("tiles rest", false)]
    {
        assert_eq!(!game.refuses(outcome), is_right, "{outcome}");
    }
    let game = game.after("order 2 0 1");
    assert_eq!(game.due(), "Ahu tiles");
    let all = |tiles: &[(&str, usize)]| {
        let names = tiles.iter().flat_map(|&(name, count)| vec![name; count]);
        format!("tiles {}", names.collect::<Vec<_>>().join(" "))
    };
    let right = [("rest", 4), ("barter", 4), ("skimp", 4), ("chip_in", 4), ("change_jobs", 3), ("lend_a_hand", 2)];
    assert!(!game.refuses(&all(&right)));
    assert!(game.refuses(&all(&right[..5])), "two ahus are without");
    let two_favors = [("rest", 4), ("barter", 4), ("skimp", 4), ("chip_in", 4), ("change_jobs", 3), ("gain_favor", 2)];
    assert!(game.refuses(&all(&two_favors)), "there is one Gain Favor");
    let game = game.after(&all(&right));
    assert_eq!(game.due(), "seat 2: place");
    let on_first = |number: usize| game.site(number).tiles().map(Tile::name).collect::<Vec<_>>();
    assert_eq!((on_first(1), on_first(2), on_first(3)), (vec!["rest"], vec!["rest", "rest"], vec!["rest"]));
    assert_eq!((on_first(4), on_first(5), on_first(16)), (vec!["barter", "barter"], vec![], vec!["skimp", "skimp"]));
}

/// The dossier's table. Two tiles of each stack have the same value. With two players, one of these two tiles is missing.
#[test]
fn the_stacks_have_the_highest_value_on_top() {
    let tiles = Values::RnV1.tiles();
    let [two, three] = [2, 3].map(|count| Seats::new(count).expect("seats"));
    let all: [(&[u8], &[u8], &[u8]); 5] = [
        (&[8, 7, 7, 6], &[8, 7, 6], &[10, 9]),
        (&[9, 8, 8, 7], &[9, 8, 7], &[11, 10]),
        (&[10, 9, 9, 8], &[10, 9, 8], &[12]),
        (&[11, 10, 10, 9], &[11, 10, 9], &[13]),
        (&[12, 11, 11, 10], &[12, 11, 10], &[14]),
    ];
    for (offering, (stack, of_two, outstanding)) in Offering::ALL.into_iter().zip(all) {
        assert_eq!(tiles.stack(offering, three).values(), stack, "{offering}");
        assert_eq!(tiles.stack(offering, two).values(), of_two, "{offering}");
        // M34: all seven Outstanding Offering tiles, with two players too.
        assert_eq!(tiles.outstanding(offering).values(), outstanding, "{offering}");
        assert!(stack.iter().chain(outstanding).all(|value| (6..=14).contains(value)));
    }
}

#[test]
fn types_of_offerings_rise_from_huts_to_necklaces() {
    assert_eq!(Offering::ALL.map(Offering::name), ["hut", "chicken", "hatchet", "boat", "necklace"]);
    let prices = Offering::ALL.map(|offering| *offering.price().as_array());
    assert_eq!(prices, [[4, 0, 0, 0], [0, 4, 0, 0], [1, 1, 1, 1], [0, 0, 4, 0], [0, 0, 0, 4]]);
}

#[test]
fn the_first_player_begins() {
    let game = table("phase: place\norder: 2 0 1\nround: 1");
    assert_eq!(game.due(), "seat 2: place");
    assert_eq!(game.game.table.active, seat(2));
}

#[test]
fn an_outcome_has_at_most_all_29_ahu_tiles_and_differs_from_one_with_other_tiles() {
    let read = |count: usize| format!("tiles{}", " rest".repeat(count)).parse::<Outcome>();
    assert_eq!(read(29), read(29));
    assert_ne!(read(29), read(28));
    assert_ne!("tiles rest skimp".parse::<Outcome>(), "tiles skimp rest".parse());
    let error = read(30).expect_err("there are 29").to_string();
    assert!(error.contains("expected at most 29 Ahu tiles"), "{error}");
}
