//! Plans: how often a difference that a plan can resolve is shown.

use ahu_contest::ratings::{Bootstrap, ELO, POWER, Ratings, Resolution};
use ahu_core::Seed;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::simulation::{Cup, Games, all_tables, drawn_tables};
use super::trials;

/// The number of cups of a cell in CI.
const SMALL: usize = 100;

/// The agents, the seats, the blocks at each table, and the games of a block.
const PLANS: [(usize, usize, usize, usize); 7] =
    [(2, 2, 100, 2), (4, 2, 10, 2), (12, 2, 10, 2), (3, 3, 30, 6), (4, 4, 20, 12), (5, 4, 10, 12), (12, 4, 1, 12)];

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_a_resolvable_difference_is_shown_in_80_percent_of_cups() {
    let trials = trials(SMALL);
    // A tenth for the formula, which assumes that the agents are equal, and four standard errors.
    let tolerance = 0.1 * POWER + 4.0 * (POWER * (1.0 - POWER) / trials as f64).sqrt();
    println!("plan, resolvable difference in Elo points, share of cups that show it");
    for (agents, seats, blocks, games) in PLANS {
        let tables = match agents {
            12 if seats == 4 => drawn_tables(agents, 40, &mut ChaCha8Rng::seed_from_u64(0)),
            _ => all_tables(agents, seats),
        };
        let plan = Resolution { agents, seats, blocks: blocks * tables.len(), games, variance_ratio: 1.0 };
        let difference = plan.resolvable_difference();
        // One agent is stronger and one agent is weaker than the other agents, who are equal.
        let mut strengths = vec![0.0; agents];
        (strengths[0], strengths[1]) = (difference / ELO / 2.0, -difference / ELO / 2.0);
        let cup = Cup { tables, blocks, games: Games::Model, strengths, gift: None };
        let shown = (0..trials).into_par_iter().filter(|&number| {
            let results = cup.play(cup.blocks, &mut ChaCha8Rng::seed_from_u64(number as u64));
            let ratings = Ratings::of(&results, 1, Bootstrap { replicates: 199, seed: Seed(number as u64) });
            ratings.agents[0].strength.low > 0.0
        });
        let shown = shown.count() as f64 / trials as f64;
        println!("{agents:>2} agents {seats} seats {:>3} blocks  {difference:>5.1}  {shown:.3}", plan.blocks);
        assert!((shown - POWER).abs() < tolerance, "{plan:?}: {shown}");
    }
}
