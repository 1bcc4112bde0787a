//! `ahu check-agent`: checks an agent before it competes.

mod positions;

use std::io::Write;
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu_arena::programs::{FREE_PORT, LocalMatches, ProgramSpec, Programs, Protocol, agent_seed};
use ahu_core::parts::lines::counted;
use ahu_core::{Seat, Seed, Viewer};
use ahu_host::outcome::{Thinking, fault, thinking};
use ahu_host::{AnyRules, Conduct, Consequence, DecidedBy, Entry, GAMES, RANDOM, Referee, Terms, TimeControl, find};
use ahu_service::{LiveMatch, MatchConfig, SupervisorConfig};
use serde_json::json;

use crate::arguments::time_control::{self, seconds};
use crate::files::position;
use crate::terminal;
use crate::{CliError, Done, print_json};

/// The connections of the agent are cut after every tenth decision.
const DECISIONS_BETWEEN_CUTS: u32 = 10;

/// Check that an agent plays legal actions, keeps its time, survives a lost connection, and exits by itself
///
/// Plays complete matches of every game against the bot `random`. The first illegal or unreadable action fails a check.
/// Use --game to check an agent that plays one game. With --positions, lets the agent decide at given points of records
/// instead, and fails if it decides otherwise than expected.
#[derive(Debug, clap::Args)]
pub(super) struct CheckAgent {
    /// The command that starts the agent, such as `python3 my_agent.py`, or `jsonl:COMMAND` for a program that reads and
    /// writes a line of JSON for each decision (docs/reference/lines.md)
    #[arg(value_name = "AGENT")]
    command: String,
    /// The game to play [default: all games]
    #[arg(long)]
    game: Option<String>,
    /// Check the choices of the agent at the positions in this file, which `ahu analyse --agent --positions` writes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "tc"])]
    positions: Option<PathBuf>,
    /// The seed of the matches
    #[arg(long, default_value = "1")]
    seed: Seed,
    /// The maximum time until the agent first calls the server or writes a line; also that of one decision, without a clock
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = time_control::patience, allow_negative_numbers = true)]
    patience: Duration,
    /// The time control of the check of the clock, as `ahu play --tc` reads it
    #[arg(long, value_name = "TIME", default_value = "10+0.5,startup=60", allow_negative_numbers = true)]
    tc: TimeControl,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// One match, which checks one thing.
struct Check {
    rules: &'static dyn AnyRules,
    kind: Kind,
    seats: usize,
    seat: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The agent plays legal actions and exits by itself.
    Actions,
    /// The connection is cut repeatedly.
    Cuts,
    /// The agent plays with a clock.
    Clock,
}

impl Check {
    /// Returns the checks of one game. A program that speaks the line protocol has no connection to cut.
    fn of(rules: &'static dyn AnyRules, protocol: Protocol) -> impl Iterator<Item = Self> {
        let (fewest, most) = (*rules.seats().start(), *rules.seats().end());
        let check = |kind, seats, seat| Self { rules, kind, seats, seat };
        let cuts = (protocol == Protocol::Grpc).then(|| check(Kind::Cuts, fewest, 1));
        let actions = [check(Kind::Actions, fewest, 0), check(Kind::Actions, most, most as u32 - 1)];
        actions.into_iter().chain(cuts).chain([check(Kind::Clock, fewest, 0)])
    }

    fn name(&self) -> String {
        let what = match self.kind {
            Kind::Actions => "plays legal actions and exits",
            Kind::Cuts => "survives a lost connection",
            Kind::Clock => "keeps its time",
        };
        format!("{what} ({} seats, seat {})", self.seats, self.seat)
    }
}

impl CheckAgent {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        if let Some(file) = &self.positions {
            return self.check_positions(file, out);
        }
        let games = match &self.game {
            Some(game) => vec![find(game).map_err(CliError::usage)?],
            None => GAMES.to_vec(),
        };
        let spec = ProgramSpec::new(&self.command)?;
        let checks: Vec<Check> = games.into_iter().flat_map(|game| Check::of(game, spec.protocol)).collect();
        let mut values = Vec::new();
        let mut failed = 0;
        for check in &checks {
            let found = self.play(check, &spec)?;
            failed += usize::from(found.is_err());
            let (passed, detail) = match &found {
                Ok(detail) => (true, detail),
                Err(reason) => (false, reason),
            };
            let (game, name) = (check.rules.info().id, check.name());
            match self.json {
                true => values.push(json!({"game": game, "check": name, "passed": passed, "detail": detail})),
                false => writeln!(out, "{:<7} {game}: {name}: {detail}", if passed { "ok" } else { "FAILED" })?,
            }
            out.flush()?;
        }
        if self.json {
            print_json("agent-check", json!({ "checks": values }), out)?;
        }
        match failed {
            0 => Ok(()),
            _ => Err(CliError::No(format!("{failed} of {} checks failed", checks.len()))),
        }
    }

    /// Lets the agent decide at each position of a file.
    fn check_positions(&self, file: &Path, out: &mut impl Write) -> Done {
        let spec = ProgramSpec::new(&self.command)?;
        let all = position::read(file, true)?;
        let (mut values, mut failed) = (Vec::new(), 0);
        for (line, record, position) in &all {
            let seed = agent_seed(self.seed, "position", *line as u32);
            let spec = ProgramSpec { agent_seed: Some(seed), ..spec.clone() };
            let found = positions::check(record, position, &spec, self.patience)?;
            failed += usize::from(found.is_err());
            let (passed, detail) = match &found {
                Ok(action) => (true, format!("chose {action}")),
                Err(reason) => (false, reason.clone()),
            };
            if self.json {
                values.push(json!({
                    "line": line, "record": position.record, "ply": position.ply, "passed": passed, "detail": detail,
                    "note": position.note,
                }));
                continue;
            }
            let word = if passed { "ok" } else { "FAILED" };
            let note = if passed || position.note.is_empty() { String::new() } else { format!(" ({})", position.note) };
            let (ply, record) = (position.ply, position.record.display());
            writeln!(out, "{word:<7} line {line}, ply {ply} of {record}: {detail}{note}")?;
            out.flush()?;
        }
        if self.json {
            print_json("agent-check", json!({ "checks": values }), out)?;
        }
        match failed {
            0 => Ok(()),
            _ => Err(CliError::No(format!("{failed} of {} positions failed", all.len()))),
        }
    }

    /// Returns the terms of a match, in which the first fault forfeits the seat.
    fn terms(&self, check: &Check) -> Terms {
        let conduct = Conduct {
            unreadable: Consequence::Strike,
            ..Conduct::with_strikes(NonZeroU8::new(1).expect("1 is not 0"))
        };
        let mut clocks = vec![TimeControl::default(); check.seats];
        if check.kind == Kind::Clock {
            clocks[check.seat as usize] = self.tc;
        }
        Terms { conduct, clocks, ..Terms::default() }
    }

    /// Plays one match. Returns Ok with details if the check passed, and Err with the reason if it failed.
    fn play(&self, check: &Check, spec: &ProgramSpec) -> Result<Result<String, String>, CliError> {
        let setup = check.rules.configure(check.seats, &[]).map_err(CliError::failed)?;
        let random = check.rules.bot(RANDOM).map_err(|error| CliError::failed(error.message))?;
        let mut bots = vec![Some(random); check.seats];
        bots[check.seat as usize] = None;
        let supervisor = Some(SupervisorConfig::Author { pauses: false });
        let (seed, terms) = (Some(self.seed), self.terms(check));
        let config = MatchConfig { bots, seed, terms, supervisor, ..MatchConfig::new(setup) };
        let matches = LocalMatches::new(FREE_PORT);
        let live = matches.host(config)?;
        let mut programs = Programs::new(matches, Arc::clone(&live))?;
        let agent_seed = Some(agent_seed(self.seed, "match", check.seat));
        let output = Some(terminal::output_of_seat(check.seat));
        let spec = &ProgramSpec { agent_seed, output, ..spec.clone() };
        let seat = match check.kind {
            Kind::Cuts => programs.start_behind_relay(check.seat, spec)?,
            Kind::Actions | Kind::Clock => programs.start(check.seat, spec)?,
        };
        let played = self.follow(&live, seat, spec.protocol, &mut programs);
        let cuts = programs.cuts();
        let skipped = programs.skipped(seat).map_or_else(String::new, |first| {
            format!("; skipped the lines whose type is not \"action\", such as {first}")
        });
        if let Err(reason) = played {
            // A program that has failed need not exit by itself.
            programs.stop();
            return Ok(Err(with_refusal(reason, &live, seat)));
        }
        let ended = programs.end();
        Ok(played.and_then(|decisions| {
            check_end(&ended)?;
            let detail = match check.kind {
                Kind::Actions => String::new(),
                Kind::Cuts if cuts == 0 => return Err("the match ended before its connection could be cut".to_owned()),
                Kind::Cuts => format!(", {cuts} deliberate cuts"),
                Kind::Clock => self.clock_detail(&live, seat),
            };
            Ok(format!("{}{detail}{skipped}", counted(decisions, "decision")))
        }))
    }

    /// Describes the slowest decision of the agent and the time that its bank has left.
    fn clock_detail(&self, live: &LiveMatch, seat: Seat) -> String {
        let times = |referee: &Referee| {
            let thinking = thinking(referee.setup().seats(), referee.entries());
            (thinking[seat], referee.banks(Viewer::Seat(seat))[seat])
        };
        let Some((Thinking { slowest, slowest_decision, .. }, bank)) = live.with_referee(times) else {
            return String::new();
        };
        let left = bank.map_or(String::new(), |bank| format!(", {} s left", seconds(bank)));
        let (slowest, control) = (seconds(slowest), self.tc);
        format!(", the slowest (decision {slowest_decision}) took {slowest} s{left} of {control}")
    }

    /// Follows the match to its end. Returns the number of decisions that the agent made, or the reason why the check failed.
    fn follow(&self, live: &LiveMatch, seat: Seat, protocol: Protocol, programs: &mut Programs) -> Result<u32, String> {
        let mut changes = live.changes();
        let (mut decisions, mut since) = (0, Instant::now());
        let mut has_begun = false;
        loop {
            changes.mark_unchanged();
            // Look at the agent before the match. The other order could mistake an exit just after the end for one before it.
            let ended = programs.ended().first().map(|&(seat, status)| (seat, Some(status)));
            let now = |referee: &Referee| (referee.answered(seat), forfeit(referee, seat), referee.is_over());
            let (answered, forfeit, is_over) = live.with_referee(now).unwrap_or_default();
            if let Some(reason) = forfeit {
                return Err(reason);
            }
            if !has_begun && programs.has_begun(seat) {
                (has_begun, since) = (true, Instant::now());
            }
            if answered > decisions {
                if answered / DECISIONS_BETWEEN_CUTS > decisions / DECISIONS_BETWEEN_CUTS {
                    programs.cut(seat);
                }
                (decisions, since) = (answered, Instant::now());
            }
            let open = decisions + 1;
            if is_over {
                return check_end(ended.as_slice()).map(|()| decisions);
            }
            if let Some((_, Some(status))) = ended {
                return Err(format!("the agent exited ({status}) at decision {open}, before the end of the match"));
            }
            if since.elapsed() > self.patience {
                let what = match has_begun {
                    true => format!("answered decision {open}"),
                    false => protocol.first_sign().to_owned(),
                };
                return Err(format!("the agent has not {what} for {} s", self.patience.as_secs_f64()));
            }
            programs.pause(&mut changes);
        }
    }
}

/// Describes the fault with which the agent forfeited; None if it has not.
fn forfeit(referee: &Referee, seat: Seat) -> Option<String> {
    let cause = referee.forfeits()[seat]?;
    let strike = referee.entries().iter().rev().find_map(|entry| match entry {
        Entry::Strike { seat: own, decision, cause, action } if *own == seat => Some((*decision, *cause, *action)),
        _ => None,
    });
    // Actions of the stand-in do not count: it has played on since the forfeit.
    let is_own =
        |entry: &&Entry| matches!(entry, Entry::Action { seat: own, by: DecidedBy::Player, .. } if *own == seat);
    let open = referee.entries().iter().filter(is_own).count() as u32 + 1;
    let (decision, cause, action) = strike.unwrap_or((open, cause, None));
    Some(format!("the agent {} at decision {decision}", fault(referee.setup().rules(), cause, action)))
}

/// Adds the last answer of the agent that was refused to the reason of a failure, with the reason of the refusal.
fn with_refusal(reason: String, live: &LiveMatch, seat: Seat) -> String {
    match live.last_refusal(seat) {
        // The conversation of a line program has quoted the line.
        Some((answer, refusal)) if answer.starts_with('"') => format!("{reason}: {answer}: {refusal}"),
        Some((answer, refusal)) => format!("{reason}: {answer:?}: {refusal}"),
        None => reason,
    }
}

/// Checks that the agent exited by itself and with success.
fn check_end(ended: &[(Seat, Option<ExitStatus>)]) -> Result<(), String> {
    match ended.first() {
        Some((_, Some(status))) if !status.success() => Err(format!("the agent failed after the match ({status})")),
        Some((_, None)) => Err("the agent did not exit by itself after the match".to_owned()),
        _ => Ok(()),
    }
}
