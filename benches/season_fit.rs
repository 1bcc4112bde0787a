//! The time and the memory of a fit of a season: `cargo bench --package ahu-contest --bench season_fit`.
//!
//! 1,000 agents have played a million games of four seats. The cold fit starts from nothing, the warm one from the fit of all
//! games but the last 500. `season_fit AGENTS GAMES SEATS` takes other numbers.

use std::fs;

use ahu_contest::ratings::{ELO, SeasonGames, SeasonRatings};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

/// The numbers of agents, games, and seats.
const WHOLE: [usize; 3] = [1_000, 1_000_000, 4];
/// The standard deviation of the strengths, in Elo points.
const SPREAD: f64 = 122.0;
/// The number of games that the warm fit does not know.
const NEW: usize = 500;

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Returns a season of games that follow the model of Plackett and Luce, among agents of any strength.
fn season(agents: usize, games: usize, seats: usize) -> SeasonGames {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let normal =
        |rng: &mut ChaCha8Rng| (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos();
    let strengths: Vec<_> = (0..agents).map(|_| SPREAD / ELO * normal(&mut rng)).collect();
    let mut season = SeasonGames::new(seats);
    for _ in 0..games {
        let mut table = Vec::new();
        while table.len() < seats {
            let agent = rng.random_range(0..agents);
            if !table.contains(&agent) {
                table.push(agent);
            }
        }
        let luck: Vec<_> = table.iter().map(|&agent| strengths[agent] - (-uniform(&mut rng).ln()).ln()).collect();
        let rank = |own: &f64| 1 + luck.iter().filter(|other| *other > own).count() as u8;
        season.push(&table, &luck.iter().map(rank).collect::<Vec<_>>());
    }
    season
}

/// Returns the seconds of processor time of this process so far: its ticks are hundredths of a second.
fn processor_time() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.split(' ').skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Returns the greatest memory of this process so far, in MB.
fn memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

#[expect(clippy::print_stdout, reason = "a bench prints")]
fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let [agents, games, seats] = if let [agents, games, seats] = numbers[..] { [agents, games, seats] } else { WHOLE };
    let season = season(agents, games, seats);
    let (fixed, is_ranked, before) = (vec![None; agents], vec![true; agents], memory());
    println!("{agents} agents, {games} games of {seats} seats; the games take the process to {before:.0} MB");
    let nothing = SeasonRatings::default();
    let earlier = SeasonRatings::of(&season.first(games.saturating_sub(NEW)), &fixed, &is_ranked, &nothing);
    for (name, start) in [("cold", &nothing), ("warm", &earlier)] {
        let begin = processor_time();
        let ratings = SeasonRatings::of(&season, &fixed, &is_ranked, start);
        let (time, memory) = (processor_time() - begin, memory());
        let sum: f64 = ratings.agents.iter().flatten().map(|rating| rating.elo.abs() + rating.margin).sum();
        println!("{name}: {time:.2} s of a core, up to {memory:.0} MB (sum of ratings and margins: {sum:.9})");
    }
}
