//! `ahu check-agent`: checks of an agent before it competes.

use std::io::Write;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu::core::{Seat, Seed};
use ahu::host::{AnyRules, Conduct, RANDOM, Referee, find};
use ahu::service::{LiveMatch, MatchConfig, Matches};
use serde_json::{Value, json};

use super::programs::Programs;
use super::{CliError, Done};

/// The number of decisions of the agent between two cuts of its connections.
const DECISIONS_BETWEEN_CUTS: u32 = 10;

/// Check that an agent plays legal actions, survives a lost connection, and exits by itself
///
/// Plays complete matches against the bot `random`. The first illegal action fails a check.
#[derive(Debug, clap::Args)]
pub(super) struct CheckAgent {
    /// The command that starts the agent, such as `python3 my_agent.py`
    command: String,
    /// The game to play
    #[arg(long, default_value = "rappanui")]
    game: String,
    /// The seed of the matches
    #[arg(long, default_value = "1")]
    seed: Seed,
    /// The maximum time for one decision of the agent, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    patience: u64,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// One match to play.
struct Check {
    seats: usize,
    seat: u32,
    /// True if the connection is cut repeatedly.
    cuts: bool,
}

impl Check {
    fn name(&self) -> String {
        let what = if self.cuts { "survives a lost connection" } else { "plays legal actions and exits" };
        format!("{what} ({} seats, seat {})", self.seats, self.seat)
    }
}

impl CheckAgent {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let rules = find(&self.game).map_err(CliError::usage)?;
        let (fewest, most) = (*rules.seats().start(), *rules.seats().end());
        let checks = [
            Check { seats: fewest, seat: 0, cuts: false },
            Check { seats: most, seat: most as u32 - 1, cuts: false },
            Check { seats: fewest, seat: 1, cuts: true },
        ];
        let mut values = Vec::new();
        let mut failed = 0;
        for check in &checks {
            let found = self.play(rules, check)?;
            failed += usize::from(found.is_err());
            let (passed, detail) = match &found {
                Ok(detail) => (true, detail),
                Err(reason) => (false, reason),
            };
            match self.json {
                true => values.push(json!({"check": check.name(), "passed": passed, "detail": detail})),
                false => writeln!(out, "{:<7} {}: {detail}", if passed { "ok" } else { "FAILED" }, check.name())?,
            }
            out.flush()?;
        }
        if self.json {
            writeln!(out, "{:#}", Value::Array(values))?;
        }
        match failed {
            0 => Ok(()),
            _ => Err(CliError::Failed(format!("{failed} of {} checks failed", checks.len()))),
        }
    }

    /// Plays one match. Returns the details of a check that passed, or the reason of a check that failed.
    fn play(&self, rules: &'static dyn AnyRules, check: &Check) -> Result<Result<String, String>, CliError> {
        let setup = rules.configure(check.seats, &[]).map_err(CliError::failed)?;
        let random = rules.bot(RANDOM).map_err(|error| CliError::failed(error.message))?;
        let mut bots = vec![Some(random); check.seats];
        bots[check.seat as usize] = None;
        let conduct = Conduct { strikes: std::num::NonZeroU8::new(1) };
        let config = MatchConfig { setup, bots, seed: Some(self.seed), conduct };
        let matches = Matches::default();
        let live = matches.host(config).map_err(|error| CliError::failed(error.message()))?;
        let mut programs = Programs::new(matches, Arc::clone(&live))?;
        let seat = match check.cuts {
            true => programs.start_behind_relay(check.seat, &self.command)?,
            false => programs.start(check.seat, &self.command)?,
        };
        let played = self.follow(&live, seat, &mut programs);
        let cuts = programs.cuts();
        let ended = programs.end();
        Ok(played.and_then(|decisions| {
            check_end(&ended)?;
            if check.cuts && cuts == 0 {
                return Err("the match ended before its connection could be cut".to_owned());
            }
            let cuts = if check.cuts { format!(", {cuts} cuts") } else { String::new() };
            Ok(format!("{decisions} decisions{cuts}"))
        }))
    }

    /// Follows the match to its end. Returns the number of decisions that the agent took, or the reason of a failure.
    fn follow(&self, live: &LiveMatch, seat: Seat, programs: &mut Programs) -> Result<u32, String> {
        let patience = Duration::from_secs(self.patience);
        let mut changes = live.changes();
        let (mut decisions, mut since) = (0, Instant::now());
        loop {
            changes.mark_unchanged();
            let now = |referee: &Referee| (referee.answered(seat), referee.forfeited().contains(seat));
            let (answered, is_out) = live.with_referee(now).unwrap_or_default();
            if is_out {
                return Err("the agent chose an illegal action".to_owned());
            }
            if answered > decisions {
                if answered / DECISIONS_BETWEEN_CUTS > decisions / DECISIONS_BETWEEN_CUTS {
                    programs.cut();
                }
                (decisions, since) = (answered, Instant::now());
            }
            let open = decisions + 1;
            // The order matters: an agent that exits in time exits after the match, so look at the agent first.
            let ended = programs.ended().first().map(|&(seat, status)| (seat, Some(status)));
            if live.is_finished() {
                return check_end(ended.as_slice()).map(|()| decisions);
            }
            if let Some((_, Some(status))) = ended {
                return Err(format!("the agent exited ({status}) at decision {open}, before the end of the match"));
            }
            if since.elapsed() > patience {
                return Err(format!("the agent has not answered decision {open} for {} s", self.patience));
            }
            programs.pause(&mut changes);
        }
    }
}

/// Checks that the agent exited by itself and without an error.
fn check_end(ended: &[(Seat, Option<ExitStatus>)]) -> Result<(), String> {
    match ended.first() {
        Some((_, Some(status))) if !status.success() => Err(format!("the agent failed after the match ({status})")),
        Some((_, None)) => Err("the agent did not exit by itself after the match".to_owned()),
        _ => Ok(()),
    }
}
