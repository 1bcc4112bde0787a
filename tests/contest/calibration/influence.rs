//! Influence: how often the interval of a gain holds the gain of an endless cup.

use ahu_contest::ratings::Influence;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::simulation::{Cup, Games, Gift, all_tables, drawn_tables, even_strengths};
use super::{WHOLE, slack, trials};

/// The number of cups of a cell in CI.
const SMALL: usize = 60;

/// The least share of intervals that hold the truth: 95 %, and a margin for the chance of the calibration.
const LEAST_COVERAGE: f64 = 0.94;

/// The factor of blocks of the cup that stands for an endless one.
const ENDLESS: usize = 200;

/// Returns the share of intervals that hold the truth, over all pairs of agents and cups.
fn coverage(cup: &Cup, cups: usize) -> f64 {
    let pairs = cup.strengths.len() * (cup.strengths.len() - 1);
    let play = |blocks: usize, seed: u64| Influence::of(&cup.play(blocks, &mut ChaCha8Rng::seed_from_u64(seed)));
    let truth = play(ENDLESS * cup.blocks, 0).pairs;
    assert_eq!(truth.len(), pairs, "an endless cup measures all pairs");
    let held = |number: usize| {
        let influence = play(cup.blocks, 1000 + number as u64);
        let measured = influence.pairs.len();
        assert!(measured + influence.unmeasured == pairs && 10 * measured > 9 * pairs, "{measured} of {pairs} pairs");
        let truth = |agent, other| truth.iter().find(|pair| (pair.agent, pair.other) == (agent, other));
        let held = influence.pairs.iter().filter(|pair| {
            let truth = truth(pair.agent, pair.other).expect("all pairs are measured");
            pair.gained.holds(truth.gained.mean)
        });
        held.count() as f64 / measured as f64
    };
    (0..cups).into_par_iter().map(held).sum::<f64>() / cups as f64
}

/// Returns the tables of four of a cup with this many agents.
fn tables(agents: usize) -> Vec<Vec<usize>> {
    match agents {
        12 => drawn_tables(agents, 60, &mut ChaCha8Rng::seed_from_u64(0)),
        _ => all_tables(agents, 4),
    }
}

/// The cells cover the honest, and agents that help another in a part of the games.
#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_intervals_of_gains_hold_the_truth() {
    let trials = trials(SMALL);
    println!("agents, blocks a table, games, strength of gifts, share of intervals that hold the truth");
    let mut faults = Vec::new();
    for (agents, blocks) in [(5, 10), (5, 40), (6, 10), (12, 1)] {
        // A small calibration takes a part of the cells.
        for games in Games::ALL.into_iter().filter(|&games| trials >= WHOLE || (games == Games::Ties) != (blocks == 10))
        {
            for strength in [0.0, 0.7] {
                let gift = Some(Gift { giver: 1, agent: 2, strength }).filter(|gift| gift.strength > 0.0);
                let strengths = even_strengths(agents, 1.0);
                let cup = Cup { tables: tables(agents), blocks, games, strengths, gift };
                let coverage = coverage(&cup, trials);
                let row = format!("{agents:>2} {blocks:>3} {:<14} {strength} {coverage:.4}", format!("{games:?}"));
                println!("{row}");
                if coverage < LEAST_COVERAGE - slack(trials) {
                    faults.push(row);
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
