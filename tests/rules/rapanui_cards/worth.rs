//! The worth of sacrifice cards at the end, by the number of sacrifices of each food.

use super::table;

const FOODS: [&str; 4] = ["fish", "mulberry", "sweet_potato", "grain"];

/// Returns the glory points of a card of each food, at a table where each of four players has one card of each food.
fn worth(stone: &str, zero_count: &str) -> Vec<i32> {
    let game = table(&format!(
        "phase: over\nzero_count_types: {zero_count}\nstone: {stone}\ncards: fish / mulberry / sweet_potato / grain"
    ));
    game.scores()
}

/// Returns the line of a stone with these numbers of each food.
fn stone(counts: [u8; 4]) -> String {
    let names = FOODS.iter().zip(counts).map(|(food, count)| format!("{food}*{count}"));
    names.collect::<Vec<_>>().join(" ")
}

/// The example: 4 grain, 4 mulberries, 2 fish, 1 sweet potato. Grain and mulberries are worth 3 each,
/// fish 2, sweet potatoes 1.
const EXAMPLE: &str = "grain*4 mulberry*4 fish*2 sweet_potato";

#[test]
fn of_4_4_2_1_the_first_two_are_worth_3_then_2_then_1() {
    assert_eq!(worth(EXAMPLE, "ranked"), [2, 3, 1, 3]);
}

/// The example goes on: Sandra has 2 grain, 1 mulberry, 3 fish, and 1 sweet potato, worth 16. Stefan has no grain, 1
/// mulberry, 5 fish, and 2 sweet potatoes, worth 15.
#[test]
fn sandras_cards_are_worth_16_and_stefans_15() {
    let game = table(&format!(
        "phase: over\nstone: {EXAMPLE}\ncards: grain*2 mulberry fish*3 sweet_potato / mulberry fish*5 sweet_potato*2"
    ));

    assert_eq!(game.scores(), [16, 15]);
    assert_eq!(game.ranks(), [1, 2]);
}

/// Every shape of four numbers, the highest first: each pattern of ties, with a lowest number of zero and without. A row has
/// the numbers, the worth of each food, and the worth with `worth_0`. A12: tied foods are worth the same in every place, and
/// the next food has the next value.
const SHAPES: [([u8; 4], [i32; 4], [i32; 4]); 18] = [
    // Four numbers.
    ([5, 4, 2, 1], [3, 2, 1, 0], [3, 2, 1, 0]),
    ([5, 4, 2, 0], [3, 2, 1, 0], [3, 2, 1, 0]),
    // "With 2 types tied only values 3, 2 and 1 will be assigned": for the most, in the middle, for the least.
    ([4, 4, 2, 1], [3, 3, 2, 1], [3, 3, 2, 1]),
    ([4, 4, 2, 0], [3, 3, 2, 1], [3, 3, 2, 0]),
    ([4, 2, 2, 1], [3, 2, 2, 1], [3, 2, 2, 1]),
    ([4, 2, 2, 0], [3, 2, 2, 1], [3, 2, 2, 0]),
    ([4, 3, 1, 1], [3, 2, 1, 1], [3, 2, 1, 1]),
    ([4, 3, 0, 0], [3, 2, 1, 1], [3, 2, 0, 0]),
    // "With 3 types tied, or 2 and 2 types tied, only values 3 and 2."
    ([3, 3, 3, 1], [3, 3, 3, 2], [3, 3, 3, 2]),
    ([3, 3, 3, 0], [3, 3, 3, 2], [3, 3, 3, 0]),
    ([4, 1, 1, 1], [3, 2, 2, 2], [3, 2, 2, 2]),
    ([5, 0, 0, 0], [3, 2, 2, 2], [3, 0, 0, 0]),
    ([3, 3, 1, 1], [3, 3, 2, 2], [3, 3, 2, 2]),
    ([3, 3, 0, 0], [3, 3, 2, 2], [3, 3, 0, 0]),
    // "If all types are tied, then all types get a value of 3."
    ([2, 2, 2, 2], [3, 3, 3, 3], [3, 3, 3, 3]),
    ([1, 1, 1, 1], [3, 3, 3, 3], [3, 3, 3, 3]),
    // No sacrifices: all foods are worth nothing (A13).
    ([0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
    // One card, which is the most.
    ([1, 0, 0, 0], [3, 2, 2, 2], [3, 0, 0, 0]),
];

/// D5, A12: all tie shapes, for all assignments of foods.
#[test]
fn tied_foods_are_worth_the_same_and_leave_no_gap() {
    for (counts, ranked, worth_0) in SHAPES {
        for order in orders() {
            let of = |values: [i32; 4]| order.map(|place| values[place]).to_vec();
            let stone = stone(order.map(|place| counts[place]));

            assert_eq!(worth(&stone, "ranked"), of(ranked), "{stone}");
            assert_eq!(worth(&stone, "worth_0"), of(worth_0), "{stone}");
        }
    }
}

/// Returns the 24 orders of four things.
fn orders() -> Vec<[usize; 4]> {
    let mut orders = Vec::new();
    for code in 0..256 {
        let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
        if (0..4).all(|place| order.contains(&place)) {
            orders.push(order);
        }
    }
    assert_eq!(orders.len(), 24);
    orders
}

/// Each two neighbours are equal or not, with and without a lowest number of zero.
#[test]
fn the_table_has_every_tie_shape() {
    for ties in 0..8 {
        for none in [false, true] {
            let has_shape = |counts: &[u8; 4]| {
                (0..3).all(|n| (counts[n] == counts[n + 1]) == (ties >> n & 1 == 1)) && (counts[3] == 0) == none
            };
            assert!(SHAPES.iter().any(|(counts, ..)| has_shape(counts)), "ties {ties:03b}, a food with none: {none}");
        }
    }
}

/// For any numbers, the highest is worth 3, equal numbers are worth the same, and each lower number that occurs is
/// worth one less.
#[test]
fn each_lower_number_is_worth_one_less() {
    for code in 1..625_u16 {
        let counts = [code % 5, code / 5 % 5, code / 25 % 5, code / 125].map(|count| count as u8 * 2);
        let worth = worth(&stone(counts), "ranked");

        let mut pairs: Vec<_> = counts.into_iter().zip(worth).collect();
        pairs.sort_unstable();
        assert_eq!(pairs[3].1, 3, "{counts:?}");
        for pair in pairs.windows(2) {
            assert_eq!(pair[1].1 - pair[0].1, i32::from(pair[1].0 != pair[0].0), "{counts:?}");
        }
    }
}

/// A13: nobody built a Moai, and the stone is empty.
#[test]
fn with_nothing_on_the_stone_all_cards_are_worth_nothing() {
    for option in ["ranked", "worth_0"] {
        let game = table(&format!("phase: over\nzero_count_types: {option}\ncards: fish*9 / grain*2 mulberry*7"));

        assert_eq!(game.scores(), [0, 0], "{option}");
    }
}

/// A13: the stone decides, not the Moai: a player built one, and nobody sacrificed.
#[test]
fn a_moai_without_a_sacrifice_makes_no_card_worth_anything() {
    let game = table("phase: over\ndisplays: moai / -\ncards: - / grain*2");

    assert_eq!(game.scores(), [4, 0]);
}

/// The values are the same for all players.
#[test]
fn the_values_apply_to_all_players() {
    let game = table(&format!("phase: over\nstone: {EXAMPLE}\ncards: fish / fish / fish / fish"));

    assert_eq!(game.scores(), [2, 2, 2, 2]);
}
