//! Exchanging Resources for Offering tiles: prices, conversion, Skimp, Artistic, Take Your Pick.

use std::collections::BTreeSet;

use ahu_games::rapanui_board::Payment;

use super::{Table, table};

/// Returns a game in an exchange: seat 0 has just styled a Moai beside the Pukao Quarry, and has what `clauses` say.
fn styling(clauses: &str, more: &str) -> Table {
    table(&format!("0: at 10, {clauses}\non 10: large\n{more}")).after("transport pukao, step 10, style")
}

const RISING: [&str; 4] = ["reeds", "eggs", "wood", "pearls"];

/// Returns the ways to pay one of the prices by the rulebook: a Resource may be converted into a Resource of lower value.
fn ways_to_pay(prices: &[&[usize]]) -> BTreeSet<String> {
    let mut ways = BTreeSet::new();
    for n in 0..Payment::COUNT {
        let payment = Payment::new(n).expect("a payment").to_string();
        let mut paid: Vec<usize> = payment
            .split(' ')
            .map(|name| RISING.iter().position(|&other| other == name).expect("a Resource"))
            .collect();
        paid.sort_unstable();
        // The cheapest Resource of the payment pays for the cheapest Resource of the price, and so on. If this pairing
        // fails, every pairing fails.
        if prices
            .iter()
            .any(|price| paid.len() == price.len() && paid.iter().zip(*price).all(|(paid, asked)| paid >= asked))
        {
            ways.insert(payment);
        }
    }
    ways
}

fn paid(game: &Table, offering: &str) -> BTreeSet<String> {
    game.after(&format!("offer {offering}")).legal("pay").split(", ").map(str::to_owned).collect()
}

#[test]
fn four_resources_buy_the_top_tile_of_their_type() {
    for (has, offering, value) in [
        ("reeds*4", "hut", 8),
        ("eggs*4", "chicken", 9),
        ("reeds eggs wood pearls", "hatchet", 10),
        ("wood*4", "boat", 11),
        ("pearls*4", "necklace", 12),
    ] {
        let pay = super::words(has).flat_map(|(name, count)| vec![name; count.into()]).collect::<Vec<_>>().join(" ");
        let game = styling(&format!("has {has}"), "").after(&format!("offer stack {offering}, pay {pay}"));
        assert_eq!((game.offered(0), game.resources(0)), (value, [0, 0, 0, 0]), "{offering}");
        assert_eq!(game.player(0).offerings.total(), 1);
    }
    let second = styling("has reeds*4", "1: offerings hut*3").after("offer stack hut, pay reeds reeds reeds reeds");
    assert_eq!(second.offered(0), 6, "the lowest is at the bottom");
}

/// M15: Pearls > Wood > Eggs > Reeds, down any number of steps.
#[test]
fn resources_are_converted_into_lower_ones_and_never_into_higher_ones() {
    let all = styling("has reeds*4 eggs*4 wood*4 pearls*4", "");
    for (offering, price) in
        [("hut", [0; 4]), ("chicken", [1; 4]), ("hatchet", [0, 1, 2, 3]), ("boat", [2; 4]), ("necklace", [3; 4])]
    {
        assert_eq!(paid(&all, &format!("stack {offering}")), ways_to_pay(&[&price]), "{offering}");
    }
    assert_eq!(paid(&all, "stack hut").len(), 35);
    assert_eq!(styling("has wood*3 pearls", "").legal("offer"), "stack hut, stack chicken, stack hatchet, stack boat");
    assert!(styling("has reeds*4", "").refuses("offer stack chicken"));
    assert_eq!(
        styling("has pearls*4", "").legal("offer"),
        "stack hut, stack chicken, stack hatchet, stack boat, stack necklace"
    );
}

#[test]
fn only_what_one_has_is_paid() {
    let game = styling("has reeds*2 eggs*2 wood pearls", "").after("offer stack hut");
    assert!(game.refuses("pay reeds reeds reeds eggs") && game.refuses("pay reeds reeds"));
    assert_eq!(game.after("pay reeds eggs wood pearls").resources(0), [1, 1, 0, 0]);
    assert!(table("0: at 10, has reeds*2 eggs\non 10: large").refuses("transport pukao"));
}

/// M40.
#[test]
fn a_type_that_is_used_up_is_not_bought() {
    let game = styling("has wood*4", "1: offerings boat*4");
    assert_eq!(game.legal("offer"), "stack hut, stack chicken");
    let all = "1: offerings hut*4 chicken*4 hatchet*4 boat*4";
    assert!(
        table(&format!("0: at 10, has wood*4\non 10: large\n{all}")).refuses("transport pukao"),
        "and nothing is styled"
    );
}

/// M17.
#[test]
fn skimp_asks_two_resources_of_the_price() {
    let game = styling("has reeds*4 eggs*4 wood*4 pearls*4, tiles skimp", "").after("tile skimp");
    for (offering, prices) in [
        ("hut", vec![[0, 0]]),
        ("chicken", vec![[1, 1]]),
        ("hatchet", vec![[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
        ("boat", vec![[2, 2]]),
        ("necklace", vec![[3, 3]]),
    ] {
        let prices: Vec<&[usize]> = prices.iter().map(<[usize; 2]>::as_slice).collect();
        assert_eq!(paid(&game, &format!("stack {offering}")), ways_to_pay(&prices), "{offering}");
    }
    assert_eq!(paid(&game, "stack hatchet").len(), 9, "any two but two Reeds");
    assert_eq!(game.tiles(0), "", "it is returned to the box");
    let game = game.after("offer stack necklace, pay pearls pearls");
    assert_eq!((game.offered(0), game.resources(0)), (12, [4, 4, 4, 2]));
}

/// M17.
#[test]
fn there_is_one_skimp_a_styling_and_only_if_it_leads_somewhere() {
    let game = styling("has eggs*4, tiles skimp*2, tablet", "");
    assert_eq!((game.legal("tile"), game.legal("tablet")), ("skimp".into(), "skimp".into()));
    let skimped = game.after("tile skimp");
    assert!(skimped.refuses("tile skimp") && skimped.refuses("tablet skimp"));
    assert!(styling("has eggs*4", "").refuses("tile skimp"));
    assert!(styling("has eggs*4, tiles rest", "").refuses("tablet skimp"));
    let poor = table("0: at 10, has reeds*2, tiles skimp\non 10: large");
    assert!(!poor.refuses("transport pukao"), "two Resources will do");
    assert_eq!(poor.after("transport pukao, step 10, style").legal(""), "tile skimp");
    assert!(table("0: at 10, has reeds, tiles skimp\non 10: large").refuses("transport pukao"));
    assert!(poor.refuses("tile skimp"), "only when styling");
}

/// M18, with the rulebook's example: spend 4 Eggs, but take a Hatchet.
#[test]
fn artistic_takes_the_next_higher_type() {
    let game = styling("has eggs*4, artistic", "");
    assert_eq!(game.legal("offer"), "stack hut, stack chicken, stack hatchet", "it is a choice");
    assert_eq!(game.after("offer stack hatchet, pay eggs eggs eggs eggs").offered(0), 10);
    assert!(styling("has eggs*4", "").refuses("offer stack hatchet"));

    let all = styling("has reeds*4 eggs*4 wood*4 pearls*4, artistic", "");
    for (offering, prices) in [
        ("hut", vec![[0; 4]]),
        ("chicken", vec![[1; 4], [0; 4]]),
        ("hatchet", vec![[0, 1, 2, 3], [1; 4]]),
        ("boat", vec![[2; 4], [0, 1, 2, 3]]),
        ("necklace", vec![[3; 4], [2; 4]]),
    ] {
        let prices: Vec<&[usize]> = prices.iter().map(<[usize; 4]>::as_slice).collect();
        assert_eq!(paid(&all, &format!("stack {offering}")), ways_to_pay(&prices), "{offering}");
    }
}

/// M18.
#[test]
fn artistic_needs_no_tile_of_the_type_that_is_paid() {
    let game = styling("has eggs*4, artistic", "1: offerings chicken*4");
    assert_eq!(game.legal("offer"), "stack hut, stack hatchet");
    let none = styling("has pearls*4, artistic", "1: offerings necklace*4");
    assert!(none.refuses("offer stack necklace"), "above Necklaces is none");
    let necklace = styling("has wood*4, artistic", "1: offerings boat*4");
    assert_eq!(necklace.after("offer stack necklace, pay wood wood wood wood").offered(0), 12);
}

/// M17, M18.
#[test]
fn skimp_goes_with_artistic() {
    let game = styling("has wood*2, artistic, tiles skimp", "").after("tile skimp");
    assert_eq!(game.after("offer stack necklace, pay wood wood").offered(0), 12);
    let reeds = styling("has reeds*2, artistic, tiles skimp", "").after("tile skimp");
    assert_eq!(reeds.legal("offer"), "stack hut, stack chicken");
    let mixed = styling("has reeds eggs, artistic, tiles skimp", "").after("tile skimp");
    assert_eq!(
        mixed.legal("offer"),
        "stack hut, stack chicken, stack hatchet, stack boat",
        "two different ones are a Hatchet's price"
    );
}

/// M19, `matching`.
#[test]
fn take_your_pick_gives_the_best_outstanding_tile_of_the_type() {
    let game = styling("has eggs*4, tiles take_your_pick", "");
    assert_eq!(game.legal("offer"), "stack hut, outstanding hut, stack chicken, outstanding chicken");
    let game = game.after("offer outstanding chicken, pay eggs eggs eggs eggs");
    assert_eq!((game.offered(0), game.tiles(0).as_str()), (11, "take_your_pick"), "its effect is permanent");
    assert_eq!(*game.game.table.outstanding_taken.as_array(), [0, 1, 0, 0, 0]);
    assert_eq!(*game.game.table.stack_taken.as_array(), [0; 5]);
    assert!(styling("has eggs*4", "").refuses("offer outstanding chicken"));
    let second = styling("has eggs*4, tiles take_your_pick*2", "1: outstanding chicken");
    assert_eq!(second.after("offer outstanding chicken, pay eggs eggs eggs eggs").offered(0), 10);
    assert!(
        styling("has eggs*4, tiles take_your_pick", "1: outstanding chicken*2").refuses("offer outstanding chicken")
    );
}

/// M19, M40, with Artistic, Skimp and an empty stack.
#[test]
fn take_your_pick_goes_with_artistic_and_skimp_and_an_empty_stack() {
    let game =
        styling("has eggs*2, artistic, tiles skimp take_your_pick", "1: offerings hatchet*4").after("tile skimp");
    assert!(game.refuses("offer stack hatchet"));
    assert_eq!(game.after("offer outstanding hatchet, pay eggs eggs").offered(0), 12);
    assert!(!game.refuses("offer outstanding boat"), "two Eggs are an Egg and a Reed, the price of a Hatchet");
    assert!(game.refuses("offer outstanding necklace"));
}

/// M19: the effect lasts from the moment the tile is taken.
#[test]
fn take_your_pick_works_from_the_moment_it_is_taken_and_is_never_played() {
    let mut game =
        table("0: at 13 12 11 10 10, popular, has eggs*4, moai small\non 4: small medium\non 10: take_your_pick");
    game.play("transport small, step 13, step 12, step 11, step pukao_quarry, step 10, erect take_your_pick");
    game.pass_until("seat 1: transport");
    game.play("1: drop out, 2: drop out, 0: transport pukao, step 10, style");
    assert!(!game.refuses("offer outstanding chicken"));
    assert!(table("0: tiles take_your_pick, at 13").legal("tile").is_empty());
}

/// M19, `any`.
#[test]
fn take_your_pick_gives_any_outstanding_tile_where_that_is_agreed() {
    let text = "1: offerings hut*4\ntake_your_pick: any";
    let game = styling("has reeds*4, tiles take_your_pick", text);
    let all = "outstanding hut, outstanding chicken, outstanding hatchet, outstanding boat, outstanding necklace";
    assert_eq!(game.legal("offer"), all, "whatever is paid, and though Huts are sold out");
    assert_eq!(game.after("offer outstanding necklace, pay reeds reeds reeds reeds").offered(0), 14);
    assert!(styling("has reeds*4, tiles take_your_pick", "").refuses("offer outstanding necklace"), "matching");
    assert!(styling("has reeds*4", "take_your_pick: any").refuses("offer outstanding necklace"), "without the tile");
}

/// M19, `any`, with Skimp: any two Resources.
#[test]
fn take_your_pick_of_any_tile_goes_with_skimp() {
    let game = styling("has reeds*2, tiles skimp take_your_pick", "take_your_pick: any").after("tile skimp");
    assert_eq!(game.after("offer outstanding necklace, pay reeds reeds").offered(0), 14);
    assert!(game.refuses("offer stack chicken"), "of the stacks the price holds");
}

/// M46.
#[test]
fn in_a_first_game_the_outstanding_tiles_are_not_taken() {
    let game = styling("has pearls*4", "beginner_tiles: true");
    assert_eq!(game.legal("offer"), "stack hut, stack chicken, stack hatchet, stack boat, stack necklace");
}
