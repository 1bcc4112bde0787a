//! `ahu bench`: how fast the games are played, and how well the bots play them.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use ahu::core::Seed;
use ahu::host::bench::{Measured, Plan};
use ahu::host::blocks::{self, Standing};
use ahu::host::statistics::Estimate;
use ahu::host::{AnyRules, GAMES, find};
use serde_json::{Value, json};

use super::{CliError, Done, agree};

/// The longest time to measure a seat count, in seconds: a day. Longer is rather a slip.
const SECONDS_MAX: f64 = 86_400.0;
/// The shortest time for a loop in a round: in less it might not come round once.
const SLICE_MIN: Duration = Duration::from_millis(1);

/// Measure how fast the games are played, or let bots play each other
#[derive(Debug, clap::Args)]
pub(super) struct Bench {
    /// The game [default: all]
    game: Option<String>,
    /// How many seats: a number or a range such as 2-4 [default: all that the game has]
    #[arg(short, long, value_name = "SEATS")]
    seats: Option<String>,
    /// An option of the game; may be given several times
    #[arg(short, long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
    /// Where the seeds come from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds for each seat count, over all rounds; above 0 and at most a day
    #[arg(long, default_value_t = 3.0, value_parser = seconds, allow_negative_numbers = true)]
    seconds: f64,
    /// How many rounds; figures are medians over them
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Let bots play each other in blocks: the same seed, every rotation of the seats; the last one
    /// named fills the seats that are left
    #[arg(long, value_delimiter = ',', value_name = "BOT,...")]
    versus: Vec<String>,
    /// How many blocks: 2 or more, as the intervals are over them
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(2..))]
    blocks: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let games: Vec<&'static dyn AnyRules> = match &self.game {
            Some(game) => vec![find(game).map_err(CliError::usage)?],
            None => GAMES.to_vec(),
        };
        let plan =
            Plan { seed: Seed(self.seed), slice: self.slice()?, rounds: self.rounds as usize, ..Plan::default() };
        let mut values = Vec::new();
        for rules in games {
            for (row, seats) in self.seat_counts(rules)?.into_iter().enumerate() {
                match self.versus.is_empty() {
                    true => values.push(self.speed(rules, seats, plan, row == 0, out)?),
                    false => values.push(self.strength(rules, seats, out)?),
                }
                out.flush()?;
            }
            if !self.json && self.versus.is_empty() {
                explain(plan, out)?;
            }
        }
        if self.json {
            writeln!(out, "{:#}", Value::Array(values))?;
        }
        Ok(())
    }

    /// How long each loop runs in each round. In a round the shuffle takes a tenth of what the other
    /// two loops take, and a round more than asked for warms up.
    fn slice(&self) -> Result<Duration, CliError> {
        let loops = 2.1 * f64::from(self.rounds + 1);
        let slice = Duration::from_secs_f64(self.seconds / loops);
        if slice < SLICE_MIN {
            let least = SLICE_MIN.as_secs_f64() * loops;
            return Err(CliError::Usage(format!(
                "--seconds {} is too short for {} rounds: they take {least:.4} at least",
                self.seconds, self.rounds
            )));
        }
        Ok(slice)
    }

    fn seat_counts(&self, rules: &dyn AnyRules) -> Result<Vec<usize>, CliError> {
        let Some(text) = &self.seats else { return Ok(rules.seats().collect()) };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => {
                // Both ends before any list is made: a range can be longer than memory.
                for end in [first, last] {
                    agree(rules, end, &self.options)?;
                }
                Ok((first..=last).collect())
            }
            _ => Err(CliError::Usage(format!("--seats is a number or a range such as 2-4, not \"{text}\""))),
        }
    }

    fn speed(
        &self,
        rules: &dyn AnyRules,
        seats: usize,
        plan: Plan,
        first: bool,
        out: &mut impl Write,
    ) -> Result<Value, CliError> {
        let measured = rules.bench(&agree(rules, seats, &self.options)?, plan);
        if !self.json {
            if first {
                show_head(rules, out)?;
            }
            show_speed(seats, &measured, out)?;
        }
        let per_game = |count: u64| count as f64 / measured.games as f64;
        Ok(json!({
            "game": rules.info().id, "seats": seats, "games": measured.games,
            "per_game": {"plies": per_game(measured.plies), "chosen": per_game(measured.chosen), "forced": per_game(measured.forced)},
            "engine": {
                "plies_per_second": measured.plies_per_second(), "decisions_per_second": measured.decisions_per_second(),
                "ply_ns": measured.engine_ply_ns,
            },
            "observed": {"decisions_per_second": measured.observed_per_second(), "decision_ns": measured.observed_decision_ns},
            "shuffle_ns": measured.shuffle_ns,
        }))
    }

    fn strength(&self, rules: &'static dyn AnyRules, seats: usize, out: &mut impl Write) -> Result<Value, CliError> {
        let agreed = agree(rules, seats, &self.options)?;
        if self.versus.len() > seats {
            return Err(CliError::Usage(format!("{} bots do not fit {seats} seats", self.versus.len())));
        }
        let bots = self.versus.iter().map(|name| rules.bot(name)).collect::<Result<Vec<_>, _>>();
        let bots = bots.map_err(|error| CliError::usage(error.message))?;
        let count = self.blocks as usize;
        let standing = blocks::play(rules, &agreed, &bots, Seed(self.seed), count, |done| progress(done, count));
        if !self.json {
            show_standing(rules, seats, &self.versus, &standing, out)?;
        }
        let estimate = |estimate: Estimate| json!({"mean": estimate.mean, "margin": estimate.margin});
        let players = self.versus.iter().zip(&standing.players).map(|(name, player)| {
            json!({
                "bot": name, "wins": estimate(player.wins), "score": estimate(player.score), "rank": estimate(player.rank),
            })
        });
        Ok(json!({
            "game": rules.info().id, "seats": seats, "blocks": standing.blocks, "games": standing.games,
            "decisions_per_game": standing.decisions, "fair_share": 1.0 / seats as f64,
            "players": players.collect::<Value>(),
            "seat_wins": standing.seats.iter().map(|seat| estimate(*seat)).collect::<Value>(),
        }))
    }
}

/// Reads how long to measure.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= SECONDS_MAX);
    seconds.ok_or_else(|| format!("a number above 0 and at most {SECONDS_MAX} belongs here"))
}

fn show_head(rules: &dyn AnyRules, out: &mut impl Write) -> Done {
    writeln!(out, "{}: random play on one core", rules.info().id)?;
    writeln!(out, "                     per game                engine alone             observed       shuffle")?;
    writeln!(out, "seats   plies  chosen  forced    M plies/s  M decisions/s  M decisions/s   of 120 cards")?;
    Ok(())
}

fn show_speed(seats: usize, measured: &Measured, out: &mut impl Write) -> Done {
    let per_game = |count: u64| count as f64 / measured.games as f64;
    writeln!(
        out,
        "{seats:>5} {:>7.1} {:>7.1} {:>7.1}    {:>9.2}  {:>13.2}  {:>13.2}  {:>10.0} ns",
        per_game(measured.plies),
        per_game(measured.chosen),
        per_game(measured.forced),
        measured.plies_per_second() / 1e6,
        measured.decisions_per_second() / 1e6,
        measured.observed_per_second() / 1e6,
        measured.shuffle_ns,
    )?;
    Ok(())
}

fn explain(plan: Plan, out: &mut impl Write) -> Done {
    writeln!(
        out,
        "
Counted: a ply is an applied action or a settled act of chance; a decision is an action, forced where one alone is
legal. Engine alone: rules, luck, legal actions and the choice. Observed: {} environments stepped together, which also
write bits, numbers and mask for every decision. Medians of {} rounds of {} ms, the two in turn; the shuffle is timed in
the same rounds, as a yardstick for the machine.
",
        plan.environments,
        plan.rounds,
        plan.slice.as_millis()
    )?;
    Ok(())
}

fn show_standing(
    rules: &dyn AnyRules,
    seats: usize,
    bots: &[String],
    standing: &Standing,
    out: &mut impl Write,
) -> Done {
    writeln!(
        out,
        "{}, {seats} seats: {} blocks, {} games, {:.1} decisions a game; intervals are 95 %, over blocks",
        rules.info().id,
        standing.blocks,
        standing.games,
        standing.decisions
    )?;
    let fair = 1.0 / seats as f64;
    writeln!(out, "  {:<16} {:<18} {:<18} {:<16}", "bot", format!("wins (even: {fair:.3})"), "points", "place")?;
    for (name, player) in bots.iter().zip(&standing.players) {
        let (wins, score, rank) =
            (player.wins.to_string(), format!("{:.2}", player.score), format!("{:.2}", player.rank));
        writeln!(out, "  {name:<16} {wins:<18} {score:<18} {rank:<16}")?;
    }
    write!(out, "  wins by seat    ")?;
    for wins in &standing.seats {
        write!(out, " {wins} ")?;
    }
    writeln!(out, "\n")?;
    Ok(())
}

/// A line that counts up, where a person watches.
fn progress(done: usize, of: usize) {
    let mut err = io::stderr();
    if err.is_terminal() && (done.is_multiple_of(16) || done == of) {
        // Where nobody reads errors, there is nobody to tell.
        let _ =
            write!(err, "\r{done} of {of} blocks{}", if done == of { "\r                            \r" } else { "" });
    }
}
