//! Cups: how many intervals of ratings hold the truth, and in how many cups the ranges of ranks hold all places.

use ahu_contest::ratings::{Bootstrap, Crosstable, Ratings};
use ahu_core::Seed;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::simulation::{Cup, Games, all_tables, drawn_tables, even_strengths};
use super::{WHOLE, slack, trials};

/// The number of cups of a cell in CI.
const SMALL: usize = 60;
/// The shares of intervals that have to hold the truth, for each agent.
const LEAST: f64 = 0.93;
const GREATEST: f64 = 0.97;
/// The greatest share in cups of at most [`FEW_BLOCKS`], where the replicates say little about the variance.
const GREATEST_OF_FEW: f64 = 0.98;
const FEW_BLOCKS: usize = 20;
/// The greatest share of cups with a false finding: a pair is said not to fit its ratings. The model of the ratings holds in
/// the first case. In the second, players or seats have luck that the model does not know.
const UNFIT: f64 = 0.07;
const UNFIT_WITHOUT_MODEL: f64 = 0.08;

/// Returns the cups of the calibration with their names.
fn cups() -> Vec<(String, Cup)> {
    let mut cups = Vec::new();
    let shapes = [(2, 4, 10), (2, 4, 100), (2, 12, 10), (4, 4, 10), (4, 4, 50), (4, 5, 10), (4, 5, 40), (4, 12, 1)];
    for (seats, agents, blocks) in shapes {
        let tables = match agents {
            12 if seats == 4 => drawn_tables(agents, 40, &mut ChaCha8Rng::seed_from_u64(0)),
            _ => all_tables(agents, seats),
        };
        let kinds = Games::ALL.map(|games| (games, 1.0));
        for (games, spread) in kinds.into_iter().chain([(Games::Model, 0.0), (Games::Model, 2.5)]) {
            let strengths = even_strengths(agents, spread);
            let name = format!("{seats} seats {agents:>2} agents {blocks:>3} blocks a table {spread:.1} {games:?}");
            cups.push((name, Cup { tables: tables.clone(), blocks, games, strengths, gift: None }));
        }
    }
    cups
}

/// Returns the true ratings of the agents: their strengths where the model holds, and the ratings after a hundred times
/// as many blocks elsewhere.
fn truth(cup: &Cup, anchor: usize) -> Vec<f64> {
    if cup.games == Games::Model {
        return cup.strengths.iter().map(|strength| strength - cup.strengths[anchor]).collect();
    }
    let results = cup.play(100 * cup.blocks, &mut ChaCha8Rng::seed_from_u64(0));
    let ratings = Ratings::of(&results, anchor, Bootstrap { replicates: 0, seed: Seed(0) });
    ratings.agents.iter().map(|rating| rating.strength.mean).collect()
}

struct Counts {
    /// The number of cups in which the interval of each agent holds the truth.
    held: Vec<f64>,
    /// The number of cups in which all ranges of ranks hold the true places.
    ranks: f64,
    /// The mean number of places in a range.
    places: f64,
    /// The number of cups in which a difference of the crosstable is marked the wrong way.
    differences: f64,
    /// The number of cups in which two agents are said not to fit their ratings.
    intransitive: f64,
}

fn calibrate(cup: &Cup, cups: usize) -> Counts {
    let agents = cup.strengths.len();
    let anchor = agents / 2;
    let truth = truth(cup, anchor);
    let better = |agent: usize| cup.strengths.iter().filter(|&&other| other > cup.strengths[agent]).count();
    let places: Vec<_> = (0..agents).map(|agent| 1 + better(agent)).collect();
    let play = |number: usize| {
        let results = cup.play(cup.blocks, &mut ChaCha8Rng::seed_from_u64(1000 + number as u64));
        let replicates = if cups >= WHOLE { 1000 } else { 199 };
        let bootstrap = Bootstrap { replicates, seed: Seed(number as u64) };
        let ratings = Ratings::of(&results, anchor, bootstrap);
        let crosstable = Crosstable::of(&results, bootstrap);
        let rows = ratings.agents.iter();
        let wrong = |one: usize, other: usize| {
            let cell = crosstable.cells[one][other].filter(|cell| cell.differs() && cell.share.mean > 0.5);
            cell.is_some() && cup.strengths[one] <= cup.strengths[other]
        };
        let count = |condition: bool| f64::from(u8::from(condition));
        Counts {
            held: rows.clone().zip(&truth).map(|(rating, &truth)| count(rating.strength.holds(truth))).collect(),
            ranks: count(rows.clone().zip(&places).all(|(rating, place)| rating.ranks.contains(place))),
            places: rows.map(|rating| rating.ranks.clone().count() as f64).sum::<f64>() / agents as f64,
            differences: count((0..agents).any(|one| (0..agents).any(|other| wrong(one, other)))),
            intransitive: count(!crosstable.intransitive.is_empty()),
        }
    };
    let add = |mut one: Counts, other: Counts| {
        one.held.iter_mut().zip(other.held).for_each(|(one, other)| *one += other);
        Counts {
            held: one.held,
            ranks: one.ranks + other.ranks,
            places: one.places + other.places,
            differences: one.differences + other.differences,
            intransitive: one.intransitive + other.intransitive,
        }
    };
    let sums = (0..cups).into_par_iter().map(play).reduce_with(add).expect("there are cups");
    let share = |count: f64| count / cups as f64;
    let mut held: Vec<_> = sums.held.into_iter().map(share).collect();
    held.remove(anchor);
    Counts {
        held,
        ranks: share(sums.ranks),
        places: share(sums.places),
        differences: share(sums.differences),
        intransitive: share(sums.intransitive),
    }
}

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_ratings_ranks_and_crosstables_hold_the_truth_as_often_as_they_say() {
    let trials = trials(SMALL);
    let slack = slack(trials);
    println!("cell: intervals of ratings, least and greatest of an agent; ranks and places; differences; intransitive");
    let (mut faults, mut means) = (Vec::new(), Vec::new());
    let cups: Vec<_> =
        cups().into_iter().enumerate().filter(|(number, _)| trials >= WHOLE || number % 5 == 0).collect();
    for (_, (name, cup)) in cups {
        let Counts { held, ranks, places, differences, intransitive } = calibrate(&cup, trials);
        let mean = held.iter().sum::<f64>() / held.len() as f64;
        let least = held.iter().copied().fold(1.0, f64::min);
        let greatest = held.iter().copied().fold(0.0, f64::max);
        let row = format!(
            "{name:<52} {mean:.4} {least:.4} {greatest:.4}  {ranks:.4} {places:>5.2}  {differences:.4}  {intransitive:.4}"
        );
        println!("{row}");
        means.push(mean);
        let most = if cup.blocks * cup.tables.len() <= FEW_BLOCKS { GREATEST_OF_FEW } else { GREATEST };
        let unfit = if cup.games == Games::Model { UNFIT } else { UNFIT_WITHOUT_MODEL };
        let is_fault = least < LEAST - slack
            || greatest > most + slack
            || ranks < LEAST - slack
            || differences > 1.0 - LEAST + slack
            || intransitive > unfit + slack;
        if is_fault {
            faults.push(row);
        }
    }
    // Few cups say little about one cell, but enough about all cells together.
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    assert!((0.94..0.965).contains(&mean), "{mean}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
