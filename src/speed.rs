//! `ahu speed`: measures the speed of the games.

use std::io::Write;
use std::time::Duration;

use ahu_core::Seed;
use ahu_host::speed::{Measurement, SpeedPlan};
use ahu_host::{AnyRules, GAMES, find};
use serde_json::{Value, json};

use crate::arguments::configure;
use crate::arguments::units::time;
use crate::{CliError, Done, print_json};

/// The minimum time of a loop in a round. A shorter loop might not complete one iteration.
const MIN_SLICE: Duration = Duration::from_millis(1);

/// Measure the speed of the games
#[derive(Debug, clap::Args)]
pub(super) struct Speed {
    /// The game to measure [default: all games]
    game: Option<String>,
    /// The number of seats, or a range such as 2-4 [default: all seat counts of the game]
    #[arg(short, long, value_name = "SEATS")]
    seats: Option<String>,
    /// Set an option of the game; may be provided multiple times
    #[arg(short, long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
    /// The seed from which the seeds of all games are derived
    #[arg(long, default_value = "0")]
    seed: Seed,
    /// The time for each seat count, over all rounds
    #[arg(long, default_value = "3s", value_parser = time("1ms", "1d"), allow_negative_numbers = true)]
    time: Duration,
    /// The number of rounds; figures are medians over rounds
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl Speed {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let games: Vec<&'static dyn AnyRules> = match &self.game {
            Some(game) => vec![find(game).map_err(CliError::usage)?],
            None => GAMES.to_vec(),
        };
        let plan =
            SpeedPlan { seed: self.seed, slice: self.slice()?, rounds: self.rounds as usize, ..SpeedPlan::default() };
        let mut values = Vec::new();
        for rules in games {
            for (row, seats) in self.seat_counts(rules)?.into_iter().enumerate() {
                let measured = configure(rules, seats, &self.options)?.measure_speed(plan);
                if self.json {
                    values.push(as_json(rules, seats, &measured));
                    continue;
                }
                if row == 0 {
                    show_head(rules, out)?;
                }
                show_speed(seats, &measured, out)?;
                out.flush()?;
            }
            if !self.json {
                explain(plan, out)?;
            }
        }
        if self.json { print_json("speed", json!({ "tables": values }), out) } else { Ok(()) }
    }

    /// Returns the time of a loop in a round. A round has two loops, and a shuffle that takes a tenth of a loop. One additional
    /// round warms up.
    fn slice(&self) -> Result<Duration, CliError> {
        let loops = 2.1 * f64::from(self.rounds + 1);
        let slice = self.time.div_f64(loops);
        if slice < MIN_SLICE {
            let least = MIN_SLICE.as_secs_f64() * loops;
            return Err(CliError::Usage(format!(
                "--time {:?} is too short for {} rounds: expected at least {least:.4}",
                self.time, self.rounds
            )));
        }
        Ok(slice)
    }

    fn seat_counts(&self, rules: &'static dyn AnyRules) -> Result<Vec<usize>, CliError> {
        let Some(text) = &self.seats else { return Ok(rules.seats().collect()) };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => {
                // Check both ends first: the list of a wrong range could be larger than memory.
                for end in [first, last] {
                    configure(rules, end, &self.options)?;
                }
                Ok((first..=last).collect())
            }
            _ => {
                Err(CliError::Usage(format!("expected --seats to be a number or a range such as 2-4, got \"{text}\"")))
            }
        }
    }
}

fn as_json(rules: &dyn AnyRules, seats: usize, measured: &Measurement) -> Value {
    let [plies, chosen, forced] = per_game(measured);
    json!({
        "game": rules.info().id, "seats": seats, "games": measured.games,
        "per_game": {"plies": plies, "chosen": chosen, "forced": forced},
        "engine": {
            "plies_per_second": measured.plies_per_second(), "decisions_per_second": measured.decisions_per_second(),
            "ply_ns": measured.engine_ply_ns,
        },
        "observed": {"decisions_per_second": measured.observed_per_second(), "decision_ns": measured.observed_decision_ns},
        "shuffle_ns": measured.shuffle_ns,
    })
}

/// Returns means over all games: plies, decisions between several actions, and forced decisions.
fn per_game(measured: &Measurement) -> [f64; 3] {
    [measured.plies, measured.chosen, measured.forced].map(|count| count as f64 / measured.games as f64)
}

fn show_head(rules: &dyn AnyRules, out: &mut impl Write) -> Done {
    writeln!(out, "{}: random play on one core", rules.info().id)?;
    writeln!(out, "                     per game                engine alone             observed       shuffle")?;
    writeln!(out, "seats   plies  chosen  forced    M plies/s  M decisions/s  M decisions/s   of 120 cards")?;
    Ok(())
}

fn show_speed(seats: usize, measured: &Measurement, out: &mut impl Write) -> Done {
    let [plies, chosen, forced] = per_game(measured);
    writeln!(
        out,
        "{seats:>5} {plies:>7.1} {chosen:>7.1} {forced:>7.1}    {:>9.2}  {:>13.2}  {:>13.2}  {:>10.0} ns",
        measured.plies_per_second() / 1e6,
        measured.decisions_per_second() / 1e6,
        measured.observed_per_second() / 1e6,
        measured.shuffle_ns,
    )?;
    Ok(())
}

fn explain(plan: SpeedPlan, out: &mut impl Write) -> Done {
    writeln!(
        out,
        "
A ply is one applied action or one settled chance outcome. A decision is one action of a seat; it is forced if only one
action is legal. Engine alone: rules, chance, legal actions, and the choice of an action. Observed: {} environments that
are stepped together, with the bits, numbers, and mask of every decision. Figures are medians over {} rounds; in each
round, each of these two loops runs for {} ms. The shuffle is timed in the same rounds, as a reference for the speed of
the machine.
",
        plan.environments,
        plan.rounds,
        plan.slice.as_millis()
    )?;
    Ok(())
}
