//! Chance: the games of a seed share as much of it as the rules allow.

use std::collections::HashSet;

use ahu_core::options as option_list;
use ahu_games::rapanui_cards::cards::Kind;
use ahu_games::rapanui_cards::{Action, Event, Options, RapanuiCards};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::play_through;

/// Returns the cards of a game in the order in which they are revealed, the starting player, and the colours.
fn shown(
    options: &Options,
    seed: u64,
    choose: impl FnMut(&RapanuiCards, &[Action]) -> Action,
) -> (Vec<Kind>, Vec<String>) {
    let (mut cards, mut setup) = (Vec::new(), Vec::new());
    play_through(options, seed, choose, |_, events| {
        for event in events {
            match event {
                Event::Uncovered { cards: more, .. } => cards.extend(more.iter()),
                Event::StartPlayer { .. } | Event::StartCards { .. } => setup.push(format!("{event:?}")),
                _ => {}
            }
        }
    });
    (cards, setup)
}

/// A decider for all seats.
type Player = Box<dyn FnMut(&RapanuiCards, &[Action]) -> Action>;

/// Returns different deciders: random deciders, a decider that takes the first action, a decider that takes the last action.
fn players() -> Vec<Player> {
    let mut players: Vec<Player> = vec![Box::new(|_, legal| legal[0]), Box::new(|_, legal| legal[legal.len() - 1])];
    for seed in 0..4 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        players.push(Box::new(move |_, legal| legal[rng.random_range(0..legal.len())]));
    }
    players
}

fn options(seats: usize, given: &[(&str, &str)]) -> Options {
    option_list::read(seats, given.iter().copied()).expect("they are options")
}

/// The n-th revealed card is the same in all games of a seed, regardless of the players' actions and number. At the
/// end all 50 cards have been revealed.
#[test]
fn the_nth_card_to_come_to_light_is_the_same_in_all_games_of_a_seed() {
    for seed in 0..20 {
        let mut orders = HashSet::new();
        for seats in 2..=4 {
            for edition in ["german", "english"] {
                for player in players() {
                    let (cards, _) = shown(&options(seats, &[("edition", edition)]), seed, player);
                    assert_eq!(cards.len(), 50);
                    orders.insert(cards);
                }
            }
        }
        assert_eq!(orders.len(), 1, "seed {seed}");
    }
}

/// With the front view, chance reveals cards one by one, and reveals fewer cards.
#[test]
fn with_the_front_view_the_nth_card_to_come_to_light_is_the_same_too() {
    for seed in 0..20 {
        let with_front = options(3, &[("display_view", "front")]);
        let games: Vec<Vec<Kind>> = players().into_iter().map(|player| shown(&with_front, seed, player).0).collect();
        let longest = games.iter().max_by_key(|cards| cards.len()).expect("there are games");

        assert!(games.iter().all(|cards| longest.starts_with(cards)), "seed {seed}");
    }
}

/// The setup is the starting player and the colours.
#[test]
fn the_setup_is_the_same_in_all_games_of_a_seed() {
    for seed in 0..20 {
        let games: HashSet<Vec<String>> =
            players().into_iter().map(|player| shown(&options(4, &[]), seed, player).1).collect();

        assert_eq!(games.len(), 1, "seed {seed}");
    }
}

#[test]
fn other_seeds_are_other_games() {
    let games: HashSet<Vec<Kind>> = (0..50).map(|seed| shown(&options(2, &[]), seed, |_, legal| legal[0]).0).collect();

    assert_eq!(games.len(), 50);
}
