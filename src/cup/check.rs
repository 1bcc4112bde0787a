//! `ahu cup check`: plays one game with each command, before the cup begins.

use std::collections::VecDeque;
use std::io::Write;
use std::time::Duration;

use ahu_arena::programs::FREE_PORT;
use ahu_arena::{AtStop, Effect, LocalVenue, Logs, Next, Played, Runner, Schedule, Surroundings, Venue};
use ahu_contest::PlannedGame;
use ahu_contest::blocks::Luck;
use ahu_contest::cup::{Player, State};
use ahu_core::parts::lines::counted;
use ahu_core::{BySeat, Seat, Seed, hex, portable_seed};
use ahu_host::outcome::{reason, thinking};
use ahu_host::{DecidedBy, Entry, SeatPlayer};
use ahu_service::agent_key_hash;
use rand::TryRng as _;
use rand::rngs::SysRng;
use serde_json::{Value, json};

use super::run::{HostArguments, agents};
use super::{CupArguments, cup_id, is_before};
use crate::arguments::time_control::seconds;
use crate::arguments::{Concurrency, concurrency, cores};
use crate::terminal::progress::Progress;
use crate::{CliError, Done, print_json};

/// Check a cup before it begins: start each command once, and play one game of each stage's game with it
///
/// The opponents are the stand-in, and the clock and the conduct are those of the cup. Nothing is kept. A command that
/// forfeits fails the check. Name the server with which the cup will run: programs get no key there. Remote agents cannot
/// be checked here: their teams practise.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    #[command(flatten)]
    cup: CupArguments,
    #[command(flatten)]
    host: HostArguments,
    /// The number of games at once: a number, or `auto`, which is the number of cores
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A game of one command.
struct Trial {
    agent: usize,
    stage: usize,
    /// The outcome; None until the game was played.
    found: Option<Found>,
}

struct Found {
    /// The reason why the check failed; None if it passed.
    fault: Option<String>,
    decisions: u32,
    strikes: u32,
    /// The slowest decision, in milliseconds.
    slowest: u32,
}

/// The trials, as the runner plays them.
struct Trials<'a> {
    state: &'a State,
    all: Vec<Trial>,
    /// The numbers of the trials that are still to be played.
    left: VecDeque<usize>,
}

impl Check {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let wrong = |message| CliError::Usage(format!("{}: {message}", folder.file.display()));
        let state = State::drawn(&folder.text).map_err(wrong)?;
        let agents = agents(&state, None)?;
        let mut trials: Vec<Trial> = Vec::new();
        for (number, agent) in state.agents.iter().enumerate() {
            let is_command = matches!(agent.entrant.player, Player::Command { .. });
            let of = |stage: usize| {
                let info = &state.cup.stages[stage];
                (&info.game, info.seats, &info.options, info.luck)
            };
            for stage in 0..state.cup.stages.len() {
                let is_new = (0..stage).all(|earlier| of(earlier) != of(stage));
                if is_command && is_new {
                    trials.push(Trial { agent: number, stage, found: None });
                }
            }
        }
        // The trials of a cup are no part of it, but all checks of a cup have one id on the server.
        let trials_id = cup_id(&hex(&agent_key_hash(&format!("check {}", state.cup.header.name))));
        let venue: Box<dyn Venue> = match self.host.venue(&state, trials_id, None)? {
            Some(venue) => Box::new(venue),
            None => Box::new(LocalVenue::without_store(FREE_PORT)),
        };
        let trials = Trials { left: (0..trials.len()).collect(), state: &state, all: trials };
        let around = Surroundings {
            agents: &agents,
            logs: &Logs::open(None, &agents)?,
            patience: Duration::from_millis(state.cup.clock.startup.max(1000).into()),
            trusts: false,
            must_begin: false,
        };
        let at_once = self.concurrency.0.unwrap_or_else(cores);
        let mut progress = Progress::new();
        let played = Runner::play_all(trials, &*venue, AtStop::Cancel, around, at_once, &mut progress);
        progress.clear();
        let (trials, is_interrupted) = played?;
        if is_interrupted {
            return Err(CliError::Interrupted);
        }
        let warnings = warnings(&state);
        match self.json {
            true => print_json("cup-check", as_json(&trials, &warnings), out)?,
            false => show(&trials, &warnings, out)?,
        }
        out.flush()?;
        match trials.all.iter().filter(|trial| trial.fault().is_some()).count() {
            0 => Ok(()),
            failed => Err(CliError::No(format!("{failed} of {} checks failed", trials.all.len()))),
        }
    }
}

/// Returns what the organiser may have overlooked.
fn warnings(state: &State) -> Vec<String> {
    let mut warnings = Vec::new();
    let without_key =
        state.agents.iter().filter(|agent| matches!(agent.entrant.player, Player::Remote { key: None, .. }));
    let names: Vec<_> = without_key.map(|agent| agent.entrant.name.as_str()).collect();
    if !names.is_empty() {
        warnings.push(format!("no key yet for {}: `ahu cup keys` makes it", names.join(", ")));
    }
    let ends = state.cup.header.ends();
    if ends.is_some() && !is_before(ends) {
        warnings.push("until has passed: absent agents lose their games at once".to_owned());
    }
    let has_remote = state.agents.iter().any(|agent| matches!(agent.entrant.player, Player::Remote { .. }));
    if has_remote && state.cup.header.address.is_none() {
        warnings.push("no address in the file: teams are told the address on which `run` listens".to_owned());
    }
    warnings
}

impl Trial {
    /// Returns the reason why the check failed; None if it passed.
    fn fault(&self) -> Option<&str> {
        match &self.found {
            Some(found) => found.fault.as_deref(),
            None => Some("was not played"),
        }
    }
}

impl Schedule for Trials<'_> {
    type GameKey = usize;
    type GroupKey = usize;

    fn next(&mut self) -> Result<Next<usize>, ahu_arena::Error> {
        Ok(self.left.pop_front().map_or(Next::Done, Next::Play))
    }

    fn planned(&self, key: usize) -> Result<PlannedGame, ahu_arena::Error> {
        let Trial { agent, stage, .. } = self.all[key];
        let info = &self.state.cup.stages[stage];
        let setup = info.setup().map_err(CliError::Failed)?;
        let terms = self.state.cup.terms(info).map_err(CliError::Failed)?;
        let stand_in = terms.stand_in_of(setup.rules());
        let name = self.state.name(agent);
        let player = |seat: Seat| match seat.index() {
            0 => SeatPlayer::external(name),
            _ => SeatPlayer::bot(stand_in),
        };
        let number = || SysRng.try_next_u64().map_err(CliError::failed);
        let game = PlannedGame {
            name: format!("check of {}", info.name),
            seating: BySeat::new(setup.seats(), agent),
            players: setup.seats().iter().map(player).collect(),
            terms,
            seed: Seed(number()?),
            is_shared: info.luck == Luck::Shared,
            index: 0,
            beginning: Vec::new(),
            is_passing: false,
            agent_seeds: BySeat::new(setup.seats(), portable_seed(number()?)),
            setup,
        };
        Ok(game.with_clocks_of_agents())
    }

    fn group(&self, key: usize) -> usize {
        key
    }

    fn enter(&mut self, key: usize, _: &PlannedGame, played: &Played) -> Result<Effect, ahu_arena::Error> {
        let (record, result) = match played.finished() {
            Ok(finished) => finished,
            Err(reason) => {
                self.left.push_back(key);
                return Ok(Effect::Again("a check".to_owned(), reason));
            }
        };
        let seat = result.forfeits.iter().map(|(seat, _)| seat).next().expect("a game has seats");
        let count = |is: &dyn Fn(&Entry) -> bool| record.entries.iter().filter(|entry| is(entry)).count() as u32;
        self.all[key].found = Some(Found {
            fault: result.forfeits[seat].map(|cause| reason(cause).to_owned()),
            decisions: count(
                &|entry| matches!(entry, Entry::Action { seat: own, by: DecidedBy::Player, .. } if *own == seat),
            ),
            strikes: count(&|entry| matches!(entry, Entry::Strike { seat: own, .. } if *own == seat)),
            slowest: thinking(record.setup.seats(), &record.entries)[seat].slowest,
        });
        Ok(Effect::Whole)
    }

    fn progress(&self) -> String {
        let played = self.all.iter().filter(|trial| trial.found.is_some()).count();
        format!("{played} of {} checks", self.all.len())
    }
}

fn show(trials: &Trials<'_>, warnings: &[String], out: &mut impl Write) -> Done {
    for trial in &trials.all {
        let (name, stage) = (trials.state.name(trial.agent), &trials.state.cup.stages[trial.stage]);
        let word = if trial.fault().is_some() { "FAILED" } else { "ok" };
        let detail = match (&trial.found, trial.fault()) {
            (_, Some(fault)) => fault.to_owned(),
            (Some(Found { decisions, strikes, slowest, .. }), None) => {
                let strikes = if *strikes > 0 { format!(", {strikes} strikes") } else { String::new() };
                format!("{}, the slowest took {} s{strikes}", counted(decisions, "decision"), seconds(*slowest))
            }
            (None, None) => String::new(),
        };
        writeln!(out, "{word:<7} {name}: {}, {} seats: {detail}", stage.game, stage.seats)?;
    }
    let remote =
        trials.state.agents.iter().filter(|agent| matches!(agent.entrant.player, Player::Remote { .. })).count();
    if remote > 0 {
        writeln!(out, "{remote} remote agents are not checked: their teams practise")?;
    }
    for warning in warnings {
        writeln!(out, "note: {warning}")?;
    }
    Ok(())
}

fn as_json(trials: &Trials<'_>, warnings: &[String]) -> Value {
    let trial = |trial: &Trial| {
        let stage = &trials.state.cup.stages[trial.stage];
        let found = trial.found.as_ref();
        json!({
            "agent": trials.state.name(trial.agent), "stage": stage.name, "game": stage.game, "seats": stage.seats,
            "passed": trial.fault().is_none(), "fault": trial.fault(), "decisions": found.map(|found| found.decisions),
            "strikes": found.map(|found| found.strikes), "slowest_ms": found.map(|found| found.slowest),
        })
    };
    json!({ "checks": trials.all.iter().map(trial).collect::<Vec<_>>(), "notes": warnings })
}
