//! A place for one game at a time: it starts the programs of a game, follows the game, and keeps programs that can play
//! another one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ahu::core::{BySeat, Seat, SeatSet};
use ahu::host::blocks::{DecisionTime, GameOutcome, Luck, PlayedGame};
use ahu::host::{Cause, DecidedBy, Ending, Entry, Referee};
use ahu::service::{LiveMatch, MatchConfig};
use tempfile::TempDir;

use super::contest::Contest;
use super::log::{Logs, ProgramLog};
use super::schedule::Job;
use super::scratch::Scratch;
use crate::cli::CliError;
use crate::cli::outcome::reason;
use crate::cli::player::Player;
use crate::cli::programs::{Launch, LocalMatches, Output, Programs, Resting};

/// A place for one game at a time.
pub(super) struct Slot<'a> {
    contest: &'a Contest,
    matches: &'a LocalMatches,
    logs: &'a Logs,
    /// The folder of scratch folders, if programs shall forget.
    scratch: Option<&'a Scratch>,
    /// The players whose programs have begun to play in some game.
    has_begun: &'a [AtomicBool],
    /// True when the duel ends early.
    is_stopped: &'a AtomicBool,
    /// The programs that wait for another seat, by player and by the number of the player's seat in a game.
    resting: HashMap<(usize, usize), (Resting, ProgramLog)>,
}

/// A game that was played.
pub(super) struct Played {
    pub(super) game: PlayedGame,
    pub(super) live: Arc<LiveMatch>,
    /// The forfeits of programs.
    pub(super) forfeits: Vec<Forfeited>,
    /// The logs of the programs.
    logs: Vec<ProgramLog>,
}

impl Played {
    /// Writes the lines that the logs of a sealed game have held back.
    pub(super) fn release_logs(&self) {
        self.logs.iter().for_each(ProgramLog::release);
    }
}

/// The forfeit of a seat.
pub(super) struct Forfeited {
    pub(super) player: usize,
    pub(super) seat: Seat,
    pub(super) cause: Cause,
    /// The last lines of the program.
    pub(super) last: Vec<String>,
}

/// A program in a game.
struct InPlay {
    player: usize,
    /// The number of the seat among those of its player.
    copy: usize,
    log: ProgramLog,
    has_begun: bool,
    /// The working folder of a program that shall forget. It is removed after the game.
    _scratch: Option<TempDir>,
}

impl<'a> Slot<'a> {
    /// Creates an empty place.
    pub(super) fn new(
        contest: &'a Contest,
        matches: &'a LocalMatches,
        logs: &'a Logs,
        scratch: Option<&'a Scratch>,
        has_begun: &'a [AtomicBool],
        is_stopped: &'a AtomicBool,
    ) -> Self {
        Self { contest, matches, logs, scratch, has_begun, is_stopped, resting: HashMap::new() }
    }

    /// Plays a game. Returns an error if a program cannot be started, or if an agent has not begun to play in its first
    /// game.
    pub(super) fn play(&mut self, job: Job) -> Result<Played, CliError> {
        let contest = self.contest;
        let seating = contest.seating(job.game);
        let bots = seating.values().iter().map(|&player| contest.agents[player].bot()).collect();
        let live = self.matches.host(MatchConfig {
            bots,
            seed: Some(contest.seed_of(job)),
            terms: contest.terms(job),
            is_private: true,
            is_sealed: contest.luck == Luck::Shared,
            game: if contest.luck == Luck::Shared { job.game as u64 } else { 0 },
            ..MatchConfig::new(contest.setup.clone())
        })?;
        let mut changes = live.changes();
        let mut programs = Programs::new(self.matches.clone(), Arc::clone(&live))?;
        let mut in_play = self.start(job, &mut programs)?;
        let is_over = || live.has_ended();
        while !is_over() {
            changes.mark_unchanged();
            for (seat, program) in &mut in_play {
                program.has_begun |= programs.has_begun(*seat);
            }
            if self.is_stopped.load(Ordering::Relaxed) || self.any_has_failed(&live, &in_play) {
                // Another call may have ended it.
                drop(live.cancel("the duel ends"));
            }
            if !is_over() {
                programs.wait(&mut changes, contest.patience);
            }
        }
        for (seat, program) in programs.rest() {
            let (player, copy, log) = {
                let own = &in_play.iter().find(|(own, _)| *own == seat).expect("the seat has a program").1;
                (own.player, own.copy, own.log.clone())
            };
            self.resting.insert((player, copy), (program, log));
        }
        programs.end();
        let forfeits = self.forfeits(&live, &in_play)?;
        let game = played_game(contest, job, &live);
        Ok(Played { game, live, forfeits, logs: in_play.into_iter().map(|(_, program)| program.log).collect() })
    }

    /// Returns true if a program has ended before it began to play, and its player has never begun.
    fn any_has_failed(&self, live: &LiveMatch, in_play: &[(Seat, InPlay)]) -> bool {
        let forfeits = live.with_referee(Referee::forfeits);
        let has_failed = |(seat, program): &(Seat, InPlay)| {
            let has_exited = forfeits.is_some_and(|forfeits| forfeits[*seat] == Some(Cause::Exited));
            has_exited && !program.has_begun && !self.has_begun[program.player].load(Ordering::Relaxed)
        };
        in_play.iter().any(has_failed)
    }

    /// Starts the programs of a game, or gives their seats to those that wait.
    fn start(&mut self, job: Job, programs: &mut Programs) -> Result<Vec<(Seat, InPlay)>, CliError> {
        let contest = self.contest;
        let seating = contest.seating(job.game);
        let mut in_play: Vec<(Seat, InPlay)> = Vec::new();
        for (seat, &player) in contest.setup.seats().iter().zip(seating.values()) {
            let Player::Program(launch) = &contest.agents[player].player else { continue };
            let copy = in_play.iter().filter(|(_, other)| other.player == player).count();
            let waiting = self.resting.remove(&(player, copy)).filter(|(program, _)| program.is_running());
            let scratch = self.scratch.map(Scratch::create).transpose()?;
            let log = waiting.as_ref().map_or_else(|| self.logs.of(player), |(_, log)| log.clone());
            log.begin(format!("[{}.{} seat {seat}]", job.block, job.game), !contest.may_remember);
            let launch = Launch {
                agent_seed: Some(contest.agent_seed(job, seat)),
                folder: scratch.as_ref().map(|folder| folder.path().to_owned()),
                output: Some(Output::new("", log.clone())),
                ..launch.clone()
            };
            let number = seat.index() as u32;
            match waiting {
                Some((program, _)) => programs.resume(number, program, &launch)?,
                None if contest.may_remember => programs.start_for_many(number, &launch)?,
                None => programs.start(number, &launch)?,
            };
            in_play.push((seat, InPlay { player, copy, log, has_begun: false, _scratch: scratch }));
        }
        Ok(in_play)
    }

    /// Returns the forfeits of programs, and notes which programs have begun. A program that has never begun makes no
    /// opponent: the duel ends with an error.
    fn forfeits(&self, live: &LiveMatch, in_play: &[(Seat, InPlay)]) -> Result<Vec<Forfeited>, CliError> {
        let found = live.with_referee(|referee| (referee.forfeits(), answers(referee)));
        let Some((forfeits, answers)) = found else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (seat, program) in in_play {
            let InPlay { player, log, .. } = program;
            let known = &self.has_begun[*player];
            if program.has_begun || answers[*seat] > 0 {
                known.store(true, Ordering::Relaxed);
            }
            let Some(cause) = forfeits[*seat] else { continue };
            let last = log.last();
            if !known.load(Ordering::Relaxed) && matches!(cause, Cause::Exited | Cause::Timeout) {
                let name = &self.contest.agents[*player].name;
                let output = if last.is_empty() { "it printed nothing".to_owned() } else { last.join("\n  ") };
                return Err(CliError::Failed(format!(
                    "agent {name} did not begin to play its first game: {}; `ahu check-agent` tells more\n  {output}",
                    reason(cause)
                )));
            }
            found.push(Forfeited { player: *player, seat: *seat, cause, last });
        }
        Ok(found)
    }

    /// Ends the programs that wait.
    pub(super) fn end(&mut self) {
        Resting::end(self.resting.drain().map(|(_, (program, _))| program).collect());
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns the number of decisions that the player of each seat took itself.
fn answers(referee: &Referee) -> BySeat<u32> {
    let mut answers = BySeat::new(referee.setup().seats(), 0);
    for entry in referee.entries() {
        if let Entry::Action { seat, by: DecidedBy::Player, .. } = entry {
            answers[*seat] += 1;
        }
    }
    answers
}

/// Returns the result of a game for the statistics.
fn played_game(contest: &Contest, job: Job, live: &LiveMatch) -> PlayedGame {
    let seating = contest.seating(job.game);
    let read = |referee: &Referee| {
        let outcome = match (referee.ending(), referee.result()) {
            (Some(Ending::Finished), Some(result)) => GameOutcome::Finished(result),
            (Some(Ending::Cancelled(reason) | Ending::Void(reason)), _) => GameOutcome::Void(reason),
            _ => GameOutcome::Void("the match has no result".to_owned()),
        };
        let actions = referee.entries().iter().filter_map(|entry| match entry {
            Entry::Action { seat, by, time, .. } => Some((*seat, *by, time.measured)),
            _ => None,
        });
        let is_timed = |seat: Seat| contest.agents[seating[seat]].is_program();
        // A program may start in its first decision.
        let mut has_decided = SeatSet::EMPTY;
        let times = actions.clone().filter(|&(seat, by, _)| {
            let is_first = !has_decided.contains(seat);
            has_decided = has_decided.with(seat);
            by == DecidedBy::Player && is_timed(seat) && !is_first
        });
        let times = times.map(|(seat, _, measured)| DecisionTime { seat, nanos: u64::from(measured) * 1_000_000 });
        PlayedGame { seating, outcome, decisions: actions.count() as u32, times: times.collect() }
    };
    live.with_referee(read).unwrap_or_else(|| PlayedGame {
        seating,
        outcome: GameOutcome::Void("the match did not begin".to_owned()),
        decisions: 0,
        times: Vec::new(),
    })
}
