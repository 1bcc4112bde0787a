//! `ahu check-agent`: whether an agent is fit to play.

use std::io::Write;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu::core::{Seat, Seed};
use ahu::host::{AnyRules, RANDOM, Referee, Terms, find};
use ahu::service::{Hosted, Matches, Spec};
use serde_json::{Value, json};

use super::programs::Programs;
use super::{CliError, Done};

/// After how many decisions of the agent its connections are cut, each time.
const DECISIONS_BETWEEN_CUTS: u32 = 10;

/// Check that an agent plays legal actions, survives a lost connection, and ends by itself
///
/// Plays whole matches against the bot `random`, in which the first illegal action fails.
#[derive(Debug, clap::Args)]
pub(super) struct CheckAgent {
    /// The command that starts the agent, such as `python3 my_agent.py`
    command: String,
    /// The game that it plays
    #[arg(long, default_value = "rappanui")]
    game: String,
    /// What fixes the luck of the matches
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How long the agent may take for a decision, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    patience: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One match to be played.
struct Check {
    seats: usize,
    seat: u32,
    /// Whether the connection is cut again and again.
    cuts: bool,
}

impl Check {
    fn name(&self) -> String {
        let what = if self.cuts { "survives a lost connection" } else { "plays legal actions and ends" };
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

    /// Plays one match: what there is to say if all was well, or what was wrong.
    fn play(&self, rules: &'static dyn AnyRules, check: &Check) -> Result<Result<String, String>, CliError> {
        let agreed = rules.agree(check.seats, &[]).map_err(CliError::failed)?;
        let random = rules.bot(RANDOM).map_err(|error| CliError::failed(error.message))?;
        let mut bots = vec![Some((RANDOM.to_owned(), random)); check.seats];
        bots[check.seat as usize] = None;
        let terms = Terms { strikes: std::num::NonZeroU8::new(1) };
        let spec = Spec { rules, agreed, bots, seed: Some(Seed(self.seed)), terms };
        let matches = Matches::default();
        let hosted = matches.host(spec).map_err(|fault| CliError::failed(fault.message()))?;
        let mut programs = Programs::new(matches, Arc::clone(&hosted));
        let seat = match check.cuts {
            true => programs.start_behind_relay(check.seat, &self.command)?,
            false => programs.start(check.seat, &self.command)?,
        };
        let played = self.follow(&hosted, seat, &mut programs);
        let cuts = programs.cuts();
        let ended = programs.end();
        Ok(played.and_then(|decisions| {
            check_end(&ended)?;
            if check.cuts && cuts == 0 {
                return Err("the match was over before its connection could be cut".to_owned());
            }
            let cuts = if check.cuts { format!(", {cuts} cuts") } else { String::new() };
            Ok(format!("{decisions} decisions{cuts}"))
        }))
    }

    /// Watches the match to its end: how many decisions the agent took, or what went wrong.
    fn follow(&self, hosted: &Hosted, seat: Seat, programs: &mut Programs) -> Result<u32, String> {
        let patience = Duration::from_secs(self.patience);
        let mut changes = hosted.changes();
        let (mut decisions, mut since) = (0, Instant::now());
        loop {
            changes.mark_unchanged();
            let now = |referee: &Referee| (referee.answered(seat), referee.forfeited().contains(seat));
            let (answered, is_out) = hosted.with_referee(now).unwrap_or_default();
            if is_out {
                return Err("one of its answers was not legal".to_owned());
            }
            if answered > decisions {
                if answered / DECISIONS_BETWEEN_CUTS > decisions / DECISIONS_BETWEEN_CUTS {
                    programs.cut();
                }
                (decisions, since) = (answered, Instant::now());
            }
            let open = decisions + 1;
            // In this order: whoever has ended in time has done so after the match.
            let ended = programs.ended().first().map(|&(seat, status)| (seat, Some(status)));
            if hosted.is_finished() {
                return check_end(ended.as_slice()).map(|()| decisions);
            }
            if let Some((_, Some(status))) = ended {
                return Err(format!("it ended ({status}) before the match did, at decision {open}"));
            }
            if since.elapsed() > patience {
                return Err(format!("it has not answered decision {open} for {} s", self.patience));
            }
            programs.pause(&mut changes).map_err(|_| "it was not started".to_owned())?;
        }
    }
}

/// Whether the agent ended by itself, and well.
fn check_end(ended: &[(Seat, Option<ExitStatus>)]) -> Result<(), String> {
    match ended.first() {
        Some((_, Some(status))) if !status.success() => Err(format!("after the match it ended badly ({status})")),
        Some((_, None)) => Err("it did not end by itself when the match was over".to_owned()),
        _ => Ok(()),
    }
}
