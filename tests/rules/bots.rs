//! The laws of bots, tested for ours and for a toy.

use std::num::NonZeroU32;

use ahu_core::{Action, ActionSet, Game as _, NoEvents, Policy, Seed, Viewer};
use ahu_games::{giants, rapanui_board, rapanui_cards, rappanui};
use ahu_host::search::{Budget, Search};
use ahu_host::{BotSeed, Cores, searches};
use rand::{Rng, RngExt as _};

use crate::toy::Bids;
use ahu_laws::bots::{law_of_policies, law_of_search};
use ahu_laws::laws::{asked_games, legal, observation, play_random, some_options, tables};

#[test]
fn a_search_does_not_depend_on_who_was_faster() {
    let search = searches::GIANTS;
    let budget = Budget::Playouts(NonZeroU32::new(16).expect("16 is above 0"));
    let mut met = 0;
    for (seed, seats) in (0..).zip(tables::<giants::Giants>()) {
        play_random::<giants::Giants>(&some_options::<giants::Giants>(seats, seed), seed, |game, _, rng| {
            let mut seats = game.turn().to_act().iter();
            let (Some(seat), Some(other)) = (seats.next(), seats.next()) else { return };
            if met >= 100 || legal(game, seat).len() < 2 {
                return;
            }
            met += 1;
            let mut later = game.clone();
            while later.turn().to_act().contains(other) {
                let id = legal(&later, other).nth(0).expect("an action is legal");
                later.apply(other, Action::from_id(id).expect("an action"), &mut NoEvents);
            }
            let numbers = BotSeed::new(Seed(rng.random()), 0).rng(seat, 1);
            let analyse = |game: &giants::Giants| {
                let view = game.view(Viewer::Seat(seat));
                search.analyse(&view, &legal(game, seat), budget, &mut numbers.clone(), Cores::Callers)
            };
            assert_eq!(analyse(game), analyse(&later), "seat {other} has sealed its bid");
        });
    }
    assert_eq!(met, 100);
}

/// Returns a search of the toy whose playouts take the lowest action. The search's own choice depends on everything that the
/// view shows.
fn toy_search<const LEAKS: bool>() -> Search<Bids<LEAKS>> {
    let choose = |view: &_, legal: &ActionSet, _: &mut dyn Rng| {
        let ones: u32 = observation(view).0.iter().map(|word: &u64| word.count_ones()).sum();
        let id = legal.nth(ones as usize % legal.len()).expect("n is below the count");
        Action::from_id(id).expect("legal actions have ids")
    };
    let choose_in = |_: &_, _, legal: &ActionSet, _: &mut dyn Rng| legal.actions().next().expect("an action is legal");
    Search { policy: Policy { choose, choose_in }, scale: 10.0, depth: 2, errors: 2.0, guide: None }
}

#[test]
fn a_policy_chooses_the_same_from_the_view_and_from_the_game() {
    law_of_policies(&[giants::GREEDY_1, giants::GREEDY_2]);
    law_of_policies(&[rapanui_board::GREEDY_1, rapanui_board::GREEDY_2]);
    law_of_policies(&[rapanui_cards::GREEDY_1, rapanui_cards::GREEDY_2]);
    law_of_policies(&[rappanui::GREEDY_1, rappanui::GREEDY_2]);
}

/// The board game has no secrets, so it is left out.
#[test]
fn a_search_is_a_function_of_what_the_seat_knows() {
    let positions = asked_games().unwrap_or(1_000) as usize / 3 + 1;
    let depth = 2;
    assert_eq!(law_of_search(&Search { depth, ..searches::GIANTS }, positions), Ok(positions));
    assert_eq!(law_of_search(&Search { depth, ..searches::RAPANUI_CARDS }, positions), Ok(positions));
    assert_eq!(law_of_search(&Search { depth, ..searches::RAPPANUI }, positions), Ok(positions));
    assert_eq!(law_of_search(&Search { depth, ..searches::RAPANUI_BOARD }, positions), Ok(0));
    // Fewer of the guided ones, whose playouts cost more.
    let guided = asked_games().unwrap_or(150) as usize / 3 + 1;
    assert_eq!(law_of_search(&searches::GIANTS_2, guided), Ok(guided));
    assert_eq!(law_of_search(&searches::RAPANUI_CARDS_2, guided), Ok(guided));
    assert_eq!(law_of_search(&searches::RAPPANUI_2, guided), Ok(guided));
    assert_eq!(law_of_search(&toy_search::<false>(), positions), Ok(positions));
    assert!(law_of_search(&toy_search::<true>(), positions).is_err(), "its view leaks");
}
