//! The laws of bots, over random play: the choice of a bot depends only on facts that its seat knows.

use std::num::NonZeroU32;

use ahu_core::{Action as _, Fingerprint, Policy, Seed, View as _, Viewer};
use ahu_host::search::{Budget, Search};
use ahu_host::{BotSeed, Cores};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use crate::Secrets;
use crate::laws::{few_games_of, legal, play_random, some_options, tables};

/// Checks that a policy makes the same choice from the shown view and from the game, with the same numbers.
pub fn law_of_policies<G: Secrets<L>, L>(policies: &[Policy<G>]) {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>().min(40) {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, _| {
                for seat in game.turn().to_act().iter() {
                    let (view, legal) = (game.view(Viewer::Seat(seat)).shown(), legal(game, seat));
                    let numbers = || ChaCha8Rng::seed_from_u64(seed);
                    for (version, policy) in policies.iter().enumerate() {
                        let (mut first, mut second) = (numbers(), numbers());
                        let from_view = (policy.choose)(&view, &legal, &mut first);
                        let from_game = (policy.choose_in)(game, seat, &legal, &mut second);
                        assert_eq!(from_view, from_game, "version {version}, seat {seat}, seed {seed}\n{view}");
                        assert!(legal.contains(from_game.id()));
                        assert_eq!(first.random::<u64>(), second.random::<u64>(), "they took as many numbers");
                    }
                }
            });
        }
    }
}

/// Checks that a search is a function of the view: two games that a seat cannot tell apart have the same analysis and the
/// same choice, on one core and on all. Returns the number of positions with two different games.
pub fn law_of_search<G: Secrets<L>, L>(search: &Search<G>, positions: usize) -> Result<usize, String> {
    // Enough for the tree below an action, where there are few.
    let budget = Budget::Playouts(NonZeroU32::new(16).expect("16 is above 0"));
    let (mut met, mut leak) = (0, None);
    for seed in 0.. {
        for seats in tables::<G>() {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, rng| {
                if leak.is_some() || rng.random_range(0..4) > 0 {
                    return;
                }
                for seat in game.turn().to_act().iter() {
                    let other = game.shuffle_secrets(Viewer::Seat(seat), None, rng).0;
                    let legal = legal(game, seat);
                    if met >= positions || legal.len() < 2 || Fingerprint::of(game) == Fingerprint::of(&other) {
                        continue;
                    }
                    met += 1;
                    let numbers = BotSeed::new(Seed(rng.random()), 0).rng(seat, 1);
                    let analyse = |game: &G, cores| {
                        let view = game.view(Viewer::Seat(seat));
                        search.analyse(&view, &legal, budget, &mut numbers.clone(), cores)
                    };
                    let analysis = analyse(game, Cores::Callers);
                    assert_eq!(analysis, analyse(game, Cores::CallersPool), "the number of cores makes no difference");
                    assert!(analysis.playouts <= 16 && legal.contains(analysis.choice));
                    if analysis != analyse(&other, Cores::Callers) {
                        leak = Some(format!("the search of seat {seat} reads a secret, seed {seed}"));
                    }
                }
            });
        }
        if let Some(leak) = leak {
            return Err(leak);
        }
        // A game without secrets has no such positions.
        if met >= positions || met == 0 && seed == 20 {
            break;
        }
    }
    Ok(met)
}
