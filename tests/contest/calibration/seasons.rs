//! Seasons: how many intervals of a ladder's ratings hold the truth, how soon the table has the true order, how long agents wait,
//! and what two accomplices gain.

use ahu_contest::cup::RANKED;
use ahu_contest::ratings::{ELO, SeasonRatings};
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::{WHOLE, normal, trials, uniform};
use crate::season_model::{Actor, BEGIN, MINUTE, SECOND, Season, file, whole};

/// The number of trials that a season stands for: the whole calibration has 50 seasons.
const SEASON: usize = 40;
/// The number of agents in the whole calibration, and in CI.
const AGENTS: usize = 200;
const FEWER_AGENTS: usize = 60;
/// The standard deviation of the strengths, and two strengths above all others, in Elo points.
const SPREAD: f64 = 122.0;
const BEST: [f64; 2] = [500.0, 700.0];
/// The mean numbers of games of an agent after which a season is measured.
const GAMES: [usize; 3] = [10, 40, 100];
/// The number of games below which an entrant has few.
const FEW: u32 = 60;
/// The bounds for the share of intervals that hold the truth.
const LEAST: f64 = 0.92;
const GREATEST: f64 = 0.98;
/// The greatest mean gain of an agent from its accomplice, in Elo points.
const MOST_GAIN: f64 = 20.0;
/// The wait within which 99 of 100 agents get a seat.
const WAIT: u64 = 60 * SECOND;

/// The numbers of cases that hold, and of all.
type Share = [f64; 2];
/// The places of shares: each tenth of strength after each number of games, entrants with few games, ranges of ranks, and seats.
const FEW_GAMES: usize = 10 * GAMES.len();
const RANKS: usize = FEW_GAMES + 1;
const SEATS: usize = FEW_GAMES + 2;
/// The places of sums: the rank correlations after each number of games, and the gain of the favoured accomplice in Elo points.
const GAIN: usize = GAMES.len();

/// The measures of some seasons.
struct Counts {
    shares: [Share; SEATS + 1],
    sums: [f64; GAIN + 1],
    waits: Vec<u64>,
}

impl Counts {
    fn new() -> Self {
        Self { shares: [[0.0; 2]; SEATS + 1], sums: [0.0; GAIN + 1], waits: Vec::new() }
    }

    fn note(&mut self, place: usize, holds: bool) {
        self.shares[place][0] += f64::from(u8::from(holds));
        self.shares[place][1] += 1.0;
    }

    fn add(mut self, other: Self) -> Self {
        let add = |one: &mut [f64], other: &[f64]| one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
        add(self.shares.as_flattened_mut(), other.shares.as_flattened());
        add(&mut self.sums, &other.sums);
        self.waits.extend(other.waits);
        self
    }
}

/// Returns a season with its agents, of which the first two are equal, and the times at which the others enter.
fn season(seats: usize, agents: usize, seed: u64, are_accomplices: bool) -> (Season, Vec<(u64, Actor)>) {
    let mut rng = ChaCha8Rng::seed_from_u64(1_000 + seed);
    let file = file(seats, "", "games_at_once = 1000\n", "[[agent]]\nname = \"anchor\"\nbot = \"greedy@2\"\n");
    let mut season = Season::new(&file, seed);
    let actor = |place: usize, rng: &mut ChaCha8Rng| {
        let best = BEST.get(agents - 1 - place).copied();
        let strength = if place < 2 { 0.0 } else { best.unwrap_or_else(|| SPREAD * normal(rng)) / ELO };
        let pause = whole(uniform(rng) * MINUTE as f64);
        let late = if place % 10 == 9 { whole(uniform(rng) * 150.0) * MINUTE } else { 0 };
        let actor = if place < 2 {
            Actor { strength, ..Actor::default() }
        } else {
            Actor { strength, pause, stay: 20 * MINUTE, ..Actor::default() }
        };
        (BEGIN + late, actor)
    };
    let mut entries: Vec<_> = (0..agents).map(|place| actor(place, &mut rng)).collect();
    entries.sort_by_key(|&(at, _)| at);
    season.accomplices = are_accomplices.then_some([1, 2]);
    (season, entries)
}

/// Plays a season until its agents have this mean number of games.
fn play(season: &mut Season, entries: &mut Vec<(u64, Actor)>, games: usize) -> SeasonRatings {
    let agents = season.actors.len() - 1 + entries.len();
    while season.ladder().games.len() * season.seats.len() < games * agents {
        while entries.first().is_some_and(|&(at, _)| at <= season.now) {
            let number = season.actors.len();
            season.enter(&format!("a{number}"), entries.remove(0).1).expect("a new account");
        }
        season.run(season.now + MINUTE);
    }
    season.ladder().fit(&season.state, season.ladder().games.len(), &season.ratings)
}

fn measure(seats: usize, agents: usize, seed: u64) -> Counts {
    let (mut season, mut entries) = self::season(seats, agents, seed, false);
    let mut counts = Counts::new();
    for (place, games) in GAMES.into_iter().enumerate() {
        let fit = play(&mut season, &mut entries, games);
        let (ladder, truth) = (season.ladder(), |agent: usize| season.actors[agent].strength * ELO);
        // The anchor has no true strength, and is drawn for hardly anybody.
        let mut played: Vec<_> = (1..fit.agents.len()).filter(|&agent| fit.agents[agent].is_some()).collect();
        played.sort_by(|&one, &other| truth(one).total_cmp(&truth(other)));
        let mean = |of: &dyn Fn(usize) -> f64| played.iter().map(|&agent| of(agent)).sum::<f64>() / played.len() as f64;
        let rating = |agent: usize| fit.agents[agent].as_ref().expect("it has played");
        let (mean_truth, mean_rating) = (mean(&truth), mean(&|agent| rating(agent).elo));
        let is_ranked = |agent: usize| ladder.agents[agent].games >= RANKED;
        for (order, &agent) in played.iter().enumerate() {
            let distance = (rating(agent).elo - mean_rating) - (truth(agent) - mean_truth);
            let holds = distance.abs() <= rating(agent).margin;
            counts.note(10 * place + 10 * order / played.len(), holds);
            if place + 1 == GAMES.len() && ladder.agents[agent].games < FEW {
                counts.note(FEW_GAMES, holds);
            }
            if place > 0 && is_ranked(agent) {
                let better = played.iter().filter(|&&other| is_ranked(other) && truth(other) > truth(agent)).count();
                counts.note(RANKS, rating(agent).ranks.contains(&(1 + better)));
            }
        }
        let mut by_rating = played.clone();
        by_rating.sort_by(|&one, &other| rating(one).elo.total_cmp(&rating(other).elo));
        let of_rating = |agent: usize| by_rating.iter().position(|&other| other == agent).expect("it is among them");
        let squares = played.iter().enumerate().map(|(order, &agent)| (order as f64 - of_rating(agent) as f64).powi(2));
        let count = played.len() as f64;
        counts.sums[place] = 1.0 - 6.0 * squares.sum::<f64>() / (count * (count * count - 1.0));
        let of_seats = season.seats.iter().sum::<f64>() / seats as f64;
        for (&(effect, margin), seat) in fit.seats.iter().zip(&season.seats) {
            counts.note(SEATS, (effect - (seat - of_seats) * ELO).abs() <= margin);
        }
    }
    let last = |season: &mut Season, entries: &mut Vec<_>| {
        play(season, entries, GAMES[2]).agents[2].as_ref().map(|rating| rating.elo)
    };
    let honest = last(&mut season, &mut entries);
    let (mut dishonest, mut entries) = self::season(seats, agents, seed, true);
    let favoured = last(&mut dishonest, &mut entries);
    counts.sums[GAIN] = favoured.zip(honest).map(|(one, other)| one - other).expect("both have played");
    counts.waits = season.waits;
    counts
}

#[expect(clippy::print_stdout, reason = "the table is for whoever calibrates")]
#[test]
fn calibration_ratings_of_seasons_hold_the_truth_whoever_comes_goes_or_loses_on_purpose() {
    let trials = trials(SEASON);
    let (seasons, is_whole) = ((trials / SEASON).max(1), trials >= WHOLE);
    let agents = if is_whole { AGENTS } else { FEWER_AGENTS };
    for seats in [2, 4] {
        let all = (0..seasons).into_par_iter().map(|seed| measure(seats, agents, seed as u64));
        let Counts { shares, sums, mut waits } = all.reduce(Counts::new, Counts::add);
        let listed = |shares: &[Share]| {
            shares.iter().map(|[held, all]| format!("{:.3}", held / all)).collect::<Vec<_>>().join(" ")
        };
        for (games, tenths) in GAMES.iter().zip(shares.chunks(10)) {
            println!("{seats} seats, {games:>3} games: intervals by tenth of strength {}", listed(tenths));
        }
        let means = sums.map(|sum| sum / seasons as f64);
        waits.sort_unstable();
        let wait = waits[waits.len() * 99 / 100];
        println!(
            "{seats} seats: below {FEW} games, ranges of ranks, seats {}, rank correlations {:.3?}, wait p50 {:.1} p99 {:.1} s, \
             gain {:.1} Elo",
            listed(&shares[FEW_GAMES..]),
            &means[..GAIN],
            waits[waits.len() / 2] as f64 / 1e3,
            wait as f64 / 1e3,
            means[GAIN]
        );
        for (place, [held, all]) in shares.into_iter().enumerate().skip(10) {
            // Four standard errors in a small calibration, and where few cases are independent.
            let slack = if is_whole && place != SEATS { 0.0 } else { 4.0 * (0.05 * 0.95 / (all / 2.0)).sqrt() };
            let greatest = if place < RANKS { GREATEST + slack } else { 1.0 };
            assert!(
                (LEAST - slack..=greatest).contains(&(held / all)),
                "{seats} seats, share {place}: {held} of {all}"
            );
        }
        assert!(wait <= WAIT, "{wait} ms");
        // The gain in one season is mostly chance.
        assert!(means[GAIN] <= if is_whole { MOST_GAIN } else { MOST_GAIN + 150.0 }, "{}", means[GAIN]);
    }
}
