//! Duels: how many intervals of a share hold the truth, and how many sequential tests err.

use std::fmt;

use ahu_contest::blocks::{Design, Lineup, Seating};
use ahu_contest::statistics::{Bounds, Estimate, Hypotheses, Sprt, Verdict};
use ahu_core::{BySeat, Seat, Seats, ranks_by};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng as _};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::{WHOLE, normal, slack, trials};

/// The number of duels of a cell in CI.
const SMALL: usize = 150;
/// The numbers of blocks of a duel.
const BLOCKS: [usize; 4] = [10, 20, 50, 200];
/// The maximum of blocks of a sequential test.
const MAX_BLOCKS: usize = 5000;
/// The error rates that a sequential test is asked for.
const RATE: f64 = 0.05;
/// The greatest error rate that a sequential test may have.
const MAX_RATE: f64 = 0.06;
/// The least share of intervals that have to hold the truth.
const LEAST: f64 = 0.93;
/// The greatest share of intervals that may hold the truth, with at least [`MANY`] expected wins and losses.
const GREATEST: f64 = 0.97;
/// The greatest share after at most [`FEW_BLOCKS`] blocks. So few blocks of few games have few different means, and the
/// share jumps from one to the next.
const GREATEST_OF_FEW: f64 = 0.98;
const FEW_BLOCKS: usize = 20;
/// The number of expected wins and losses from which intervals must not be too wide. The number counts independent results:
/// games of a block that repeat each other count as one game.
const MANY: f64 = 10.0;

/// The part of chance that the games of a block share. Each game adds chance of its own, with a variance of 1.
#[derive(Clone, Copy, Debug)]
enum Chance {
    /// Nothing: every game has a seed of its own.
    Own,
    /// Luck that belongs to seats, so that all players have it in turn: the results of a block differ less.
    OfSeats,
    /// Luck that suits one player in all seats: the results of a block resemble each other.
    OfPlayers,
    /// Luck that suits one player in all seats, so strong that the games of a block are worth little more than one game.
    OfPlayersAlmostAlone,
}

/// The strengths at the table.
#[derive(Clone, Copy, Debug)]
enum Strength {
    Equal,
    Unequal,
    /// The first player almost never wins.
    NearZero,
    /// The first player never wins in most duels.
    AlmostZero,
    NearOne,
    /// About half of the pairs are ties, and the players are equal.
    Ties,
    TiesUnequal,
    /// A result other than a tie is an exception.
    AlmostOnlyTies,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Share {
    Wins,
    Pairs,
}

/// A table of players and the first player's share that is estimated.
#[derive(Clone, Copy, Debug)]
struct Setting {
    seats: usize,
    agents: usize,
    chance: Chance,
    strength: Strength,
    share: Share,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seats, agents, chance, strength, share } = self;
        write!(
            f,
            "{seats} seats {agents} agents {:<20} {:<14} {:<5}",
            format!("{chance:?}"),
            format!("{strength:?}"),
            format!("{share:?}")
        )
    }
}

fn settings() -> Vec<Setting> {
    let tables =
        [(2, 2, Share::Pairs), (4, 2, Share::Wins), (4, 2, Share::Pairs), (4, 4, Share::Wins), (4, 4, Share::Pairs)];
    let chances = [Chance::Own, Chance::OfSeats, Chance::OfPlayers, Chance::OfPlayersAlmostAlone];
    let strengths = [
        Strength::Equal,
        Strength::Unequal,
        Strength::NearZero,
        Strength::AlmostZero,
        Strength::NearOne,
        Strength::Ties,
        Strength::TiesUnequal,
        Strength::AlmostOnlyTies,
    ];
    let mut settings = Vec::new();
    for (seats, agents, share) in tables {
        for chance in chances {
            settings.extend(strengths.map(|strength| Setting { seats, agents, chance, strength, share }));
        }
    }
    settings
}

/// The blocks from which duels are drawn.
struct Population {
    blocks: Vec<f64>,
    mean: f64,
    /// The expected number of games that the first player wins and loses in a block; ties are neither.
    wins: f64,
    losses: f64,
    /// The number of independent games that a block is worth. It is lower if the games of a block resemble each other.
    independent: f64,
    games: f64,
}

impl Setting {
    /// Returns the advantage of the first player, and the width of a step of performance; performances of one step tie.
    fn parameters(self) -> (f64, f64) {
        let chance = match self.chance {
            Chance::Own => 1.0,
            Chance::OfPlayers => 1.2,
            Chance::OfSeats | Chance::OfPlayersAlmostAlone => 1.7,
        };
        match self.strength {
            Strength::Equal => (0.0, 0.0),
            Strength::Unequal => (0.7, 0.0),
            Strength::NearZero => (-2.6 * chance, 0.0),
            Strength::AlmostZero => (-4.0 * chance, 0.0),
            Strength::NearOne => (2.6 * chance, 0.0),
            Strength::Ties => (0.0, 2.5 * chance),
            Strength::TiesUnequal => (0.7, 2.5 * chance),
            Strength::AlmostOnlyTies => (0.7, 8.0 * chance),
        }
    }

    fn population(self, size: usize, rng: &mut ChaCha8Rng) -> Population {
        let seats = Seats::new(self.seats).expect("a table");
        let seatings = Lineup::filled(self.agents, seats).expect("it fits").seatings(Design::Neighbour);
        let games = seatings.len() as f64;
        let (mut wins, mut losses, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0);
        let mut block = || {
            let mut values = 0.0;
            let results = self.block(&seatings, rng);
            for (value, place) in results {
                wins += f64::from(u8::from(place == std::cmp::Ordering::Greater));
                losses += f64::from(u8::from(place == std::cmp::Ordering::Less));
                (sum, squares) = (sum + value, squares + value * value);
                values += value;
            }
            values / games
        };
        let blocks: Vec<f64> = (0..size).map(|_| block()).collect();
        let count = size as f64;
        let mean = blocks.iter().sum::<f64>() / count;
        let variance = blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / count;
        let variance_of_games = squares / (count * games) - (sum / (count * games)).powi(2);
        let independent = (variance_of_games / variance).min(games);
        Population { blocks, mean, wins: wins / count, losses: losses / count, independent, games }
    }

    /// Plays a block, and returns the first player's share in each game, and if it won (`Greater`), lost, or neither.
    fn block(self, seatings: &[Seating], rng: &mut ChaCha8Rng) -> Vec<(f64, std::cmp::Ordering)> {
        let (advantage, step) = self.parameters();
        let (of_seats, of_players) = match self.chance {
            Chance::Own => (0.0, 0.0),
            Chance::OfSeats => (1.5, 0.0),
            Chance::OfPlayers => (0.0, 0.7),
            Chance::OfPlayersAlmostAlone => (0.0, 1.5),
        };
        let seats = seatings[0].seats();
        let luck_of_seats = BySeat::from_fn(seats, |_| of_seats * normal(rng));
        let luck_of_players = BySeat::from_fn(seats, |_| of_players * normal(rng));
        let play = |seating: &Seating| {
            let performances = BySeat::from_fn(seats, |seat| {
                let player = seating[seat];
                let own = if player == 0 { advantage } else { 0.0 };
                // The first seats are better.
                let of_seat = 0.3 - 0.2 * seat.index() as f64;
                let player = seats.get(player).expect("fewer players than seats");
                let performance = own + of_seat + luck_of_seats[seat] + luck_of_players[player] + normal(rng);
                let steps = if step > 0.0 { (performance / step).round() } else { performance * 1e9 };
                steps as i64
            });
            self.share(seating, ranks_by(&performances))
        };
        seatings.iter().map(play).collect()
    }

    /// Returns the first player's share in a game with these ranks, written without the code under test.
    fn share(self, seating: &Seating, ranks: BySeat<u8>) -> (f64, std::cmp::Ordering) {
        let own = seating.iter().find(|&(_, player)| player == 0).map(|(seat, _)| seat).expect("it plays");
        let others: Vec<Seat> = seating.seats().others(own).collect();
        let (value, even) = match self.share {
            Share::Wins if ranks[own] > 1 => (0.0, f64::MIN_POSITIVE),
            Share::Wins => {
                let winners = ranks.iter().filter(|&(_, rank)| rank == 1).count();
                (1.0 / winners as f64, if winners == 1 { 0.5 } else { 1.0 / winners as f64 })
            }
            Share::Pairs => {
                let won = others.iter().map(|&other| match ranks[own].cmp(&ranks[other]) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                });
                (won.sum::<f64>() / others.len() as f64, 0.5)
            }
        };
        (value, value.partial_cmp(&even).expect("shares are numbers"))
    }
}

impl Population {
    fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        let index = (u128::from(rng.next_u64()) * self.blocks.len() as u128) >> 64;
        self.blocks[index as usize]
    }

    /// Returns the share of intervals over this many blocks that hold the true mean.
    fn coverage(&self, blocks: usize, duels: usize, rng: &mut ChaCha8Rng) -> f64 {
        let mut held = 0;
        for _ in 0..duels {
            let samples: Vec<f64> = (0..blocks).map(|_| self.draw(rng)).collect();
            let estimate = Estimate::of_bounded(&samples, Bounds::SHARE);
            assert!(estimate.low < estimate.high, "{estimate}");
            // The mean of the population is a sum, so it is exact up to rounding.
            held += usize::from(estimate.low <= self.mean + 1e-9 && self.mean - 1e-9 <= estimate.high);
        }
        held as f64 / duels as f64
    }

    /// Returns the share of tests that accept the wrong hypothesis, under H0 and under H1, and the mean of their blocks.
    fn errors(&self, difference: f64, duels: usize, rng: &mut ChaCha8Rng) -> [(f64, f64); 2] {
        let truth = self.mean - 0.5;
        [(truth, truth + difference, Verdict::H1), (truth - difference, truth, Verdict::H0)].map(|(mu0, mu1, wrong)| {
            let hypotheses = Hypotheses::new(mu0, mu1, RATE, RATE).expect("they differ");
            let (mut errors, mut blocks) = (0, 0);
            for _ in 0..duels {
                let mut sprt = Sprt::new(hypotheses, MAX_BLOCKS).expect("a maximum");
                let verdict = loop {
                    if let Some(verdict) = sprt.enter(self.draw(rng)) {
                        break verdict;
                    }
                };
                errors += usize::from(verdict == wrong);
                blocks += sprt.blocks();
            }
            (errors as f64 / duels as f64, blocks as f64 / duels as f64)
        })
    }
}

/// Returns the population of each setting, with the number of the setting. A small calibration takes a part of them.
fn populations(duels: usize) -> Vec<(Setting, Population, u64)> {
    let whole = duels >= WHOLE;
    let settings: Vec<_> = (0..).zip(settings()).filter(|(number, _)| whole || number % 3 == 0).collect();
    let population = |&(number, setting): &(u64, Setting)| {
        let mut rng = ChaCha8Rng::seed_from_u64(number);
        let population = setting.population(if whole { 100_000 } else { 4000 }, &mut rng);
        (setting, population, number)
    };
    settings.par_iter().map(population).collect()
}

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_intervals_hold_the_truth_as_often_as_they_say() {
    let duels = trials(SMALL);
    let slack = slack(duels);
    let cell = |(setting, population, number): &(Setting, Population, u64)| {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + number);
        BLOCKS.map(|blocks| {
            let coverage = population.coverage(blocks, duels, &mut rng);
            let expected = blocks as f64 * population.wins.min(population.losses);
            let independent = expected * population.independent / population.games;
            let is_strict = independent >= MANY;
            let greatest = if blocks <= FEW_BLOCKS { GREATEST_OF_FEW } else { GREATEST };
            let mark = match () {
                () if coverage < LEAST - slack => "LOW",
                () if is_strict && coverage > greatest + slack => "HIGH",
                () if is_strict => "strict",
                () if expected >= MANY => "dependent",
                () => "",
            };
            (
                format!("{setting} {blocks:>4} {:>7.4} {expected:>7.1} {coverage:.4} {mark}", population.mean),
                coverage,
                mark,
            )
        })
    };
    let rows: Vec<_> = populations(duels).par_iter().map(cell).collect();
    println!("cell, blocks, true share, lesser of expected wins and losses, coverage");
    rows.iter().flatten().for_each(|(row, ..)| println!("{row}"));

    // Few duels say little about one cell, but enough about all cells together.
    let strict: Vec<f64> =
        rows.iter().flatten().filter(|(.., mark)| *mark == "strict").map(|(_, coverage, _)| *coverage).collect();
    let mean = strict.iter().sum::<f64>() / strict.len() as f64;
    println!("{} strict cells with a mean coverage of {mean:.4}", strict.len());
    assert!(strict.len() * 4 > rows.len(), "{} cells are strict", strict.len());
    assert!((0.945..0.965).contains(&mean), "{mean}");
    let faults: Vec<_> = rows.iter().flatten().filter(|(.., mark)| ["LOW", "HIGH"].contains(mark)).collect();
    assert!(faults.is_empty(), "{} of {} cells: {faults:#?}", faults.len(), rows.len() * BLOCKS.len());
}

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_a_sequential_test_errs_no_more_often_than_it_may() {
    let duels = trials(SMALL);
    let limit = MAX_RATE + slack(duels);
    let cell = |(setting, population, number): &(Setting, Population, u64)| {
        // A share of wins is even at 1/n, and a test has pairs.
        if setting.share == Share::Wins {
            return None;
        }
        let difference = 0.05f64.min(population.mean / 2.0).min((1.0 - population.mean) / 2.0);
        let [(first, blocks0), (second, blocks1)] =
            population.errors(difference, duels, &mut ChaCha8Rng::seed_from_u64(2000 + number));
        let is_fault = first > limit || second > limit;
        let row = format!(
            "{setting} {:>7.4} {difference:.4} {first:.4} {second:.4} {blocks0:>6.0} {blocks1:>6.0}{}",
            population.mean,
            if is_fault { " HIGH" } else { "" }
        );
        Some((row, is_fault))
    };
    let rows: Vec<_> = populations(duels).par_iter().filter_map(cell).collect();
    println!("cell, true share, difference of the hypotheses, errors under H0 and H1, mean blocks under H0 and H1");
    for (row, _) in &rows {
        println!("{row}");
    }

    assert!(rows.len() >= 10, "{} cells", rows.len());
    let faults: Vec<_> = rows.iter().filter(|(_, is_fault)| *is_fault).collect();
    assert!(faults.is_empty(), "{} of {} cells: {faults:#?}", faults.len(), rows.len());
}
