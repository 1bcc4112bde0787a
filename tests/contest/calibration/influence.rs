//! Influence: how often it is found in honest fields, and how often the test finds an agent that makes gifts.

use ahu_contest::ratings::{Bootstrap, Finding, Influence};
use ahu_core::Seed;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::simulation::{Cup, Games, Gift, all_tables, drawn_tables, even_strengths};
use super::{WHOLE, slack, trials};

/// The number of cups of a cell in CI.
const SMALL: usize = 60;

/// The greatest share of honest cups with a suspect: 5 %, and a margin for the chance of the calibration.
const MAX_ACCUSED: f64 = 0.06;

/// The rates at which the test finds suspects in a cup.
struct Rates {
    /// The share of cups with a suspect other than the agent that gets gifts from its giver.
    accused: f64,
    /// The share of cups whose first finding is the agent that gets gifts, with its giver.
    found: f64,
}

fn influence(cup: &Cup, cups: usize) -> Rates {
    let agents = cup.strengths.len();
    let gift = cup.gift.map(|gift| (gift.agent, gift.giver));
    let play = |number: usize| {
        let results = cup.play(cup.blocks, &mut ChaCha8Rng::seed_from_u64(1000 + number as u64));
        let replicates = if cups >= WHOLE { 1000 } else { 199 };
        let influence = Influence::of(&results, Bootstrap { replicates, seed: Seed(number as u64) });
        let (tested, pairs) = (influence.findings.len(), agents * (agents - 1));
        assert!(
            tested + influence.untested == pairs && 10 * tested > 9 * pairs,
            "{tested} of {pairs} pairs are tested"
        );
        let is_given = |finding: &Finding| gift == Some((finding.agent, finding.giver));
        let first_is_given = influence.suspicious().next().is_some_and(is_given);
        (usize::from(influence.suspicious().any(|finding| !is_given(finding))), usize::from(first_is_given))
    };
    let sums = (0..cups).into_par_iter().map(play).reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1));
    Rates { accused: sums.0 as f64 / cups as f64, found: sums.1 as f64 / cups as f64 }
}

/// Returns the tables of four of a cup with this many agents.
fn tables(agents: usize) -> Vec<Vec<usize>> {
    match agents {
        12 => drawn_tables(agents, 60, &mut ChaCha8Rng::seed_from_u64(0)),
        _ => all_tables(agents, 4),
    }
}

fn cup(agents: usize, blocks: usize, games: Games, gift: f64) -> Cup {
    let gift = Some(Gift { giver: 1, agent: 2, strength: gift }).filter(|gift| gift.strength > 0.0);
    Cup { tables: tables(agents), blocks, games, strengths: even_strengths(agents, 1.0), gift }
}

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_influence_is_seldom_found_in_an_honest_field() {
    let trials = trials(SMALL);
    let limit = MAX_ACCUSED + slack(trials);
    println!("agents, blocks a table, games, share of honest cups with a suspect");
    let mut faults = Vec::new();
    for (agents, blocks) in [(5, 10), (5, 40), (6, 10), (12, 1)] {
        // A small calibration takes a part of the cells.
        for games in Games::ALL.into_iter().filter(|&games| trials >= WHOLE || (games == Games::Ties) != (blocks == 10))
        {
            let Rates { accused, .. } = influence(&cup(agents, blocks, games, 0.0), trials);
            let row = format!("{agents:>2} {blocks:>3} {:<14} {accused:.4}", format!("{games:?}"));
            println!("{row}");
            if accused > limit {
                faults.push(row);
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The power of the test, which its documentation states: the agents, the blocks at each table, the strength of the
/// gift, and the least share of cups in which it is found.
const STATED: [(usize, usize, f64, f64); 4] =
    [(5, 10, 1.0, 0.75), (5, 40, 0.5, 0.78), (6, 10, 0.5, 0.8), (12, 1, 0.7, 0.75)];

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_gifts_are_found_at_the_stated_rate() {
    let trials = trials(SMALL);
    for (agents, blocks, gift, least) in STATED {
        let Rates { found, .. } = influence(&cup(agents, blocks, Games::Model, gift), trials);
        println!("{agents:>2} agents, {blocks:>2} blocks a table, gifts of {gift}: found in {found:.3}");
        assert!(found > least - slack(trials), "{agents} agents, {blocks} blocks a table: {found}");
    }
    if trials < WHOLE {
        return;
    }
    println!(
        "agents, blocks a table, games, then for each strength of gifts the shares of cups with the gift and others"
    );
    for (agents, blocks) in [(5, 10), (5, 40), (6, 10), (12, 1)] {
        for games in Games::ALL {
            let rates = [0.3, 0.5, 0.7, 1.0].map(|gift| {
                let Rates { found, accused } = influence(&cup(agents, blocks, games, gift), trials / 4);
                format!("  {gift}: {found:.3} {accused:.3}")
            });
            println!("{agents:>2} {blocks:>3} {:<14}{}", format!("{games:?}"), rates.concat());
        }
    }
}
