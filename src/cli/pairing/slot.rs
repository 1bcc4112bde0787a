//! A place for one game at a time: it starts the programs of a game, follows the game, and keeps programs that can play
//! another one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ahu::service::{AssignedSeat, LiveMatch, MatchConfig};
use ahu_engine::core::{BySeat, Seat};
use ahu_engine::host::blocks::{GameOutcome, PlayedGame};
use ahu_engine::host::{Cause, DecidedBy, Entry, Referee};
use tempfile::TempDir;

use super::log::{Logs, ProgramLog};
use super::scratch::Scratch;
use super::{Agent, AgentPlayer, Pairing, Queues};
use crate::cli::CliError;
use crate::cli::outcome::reason;
use crate::cli::programs::{Launch, LocalMatches, Output, Programs, Resting};

/// A place for one game at a time.
pub(in crate::cli) struct Slot<'a> {
    shared: Surroundings<'a>,
    /// The programs that wait for another seat, by player and by the number of the player's seat in a game.
    resting: HashMap<(usize, usize), (Resting, ProgramLog)>,
}

/// The surroundings that all slots share.
pub(in crate::cli) struct Surroundings<'a> {
    pub(in crate::cli) agents: &'a [Agent],
    /// The maximum time until a program begins to play.
    pub(in crate::cli) patience: Duration,
    pub(in crate::cli) matches: &'a LocalMatches,
    pub(in crate::cli) logs: &'a Logs,
    /// The folder of scratch folders, for programs that shall forget.
    pub(in crate::cli) scratch: Option<&'a Scratch>,
    /// The queues of agents elsewhere, by player.
    pub(in crate::cli) queues: Queues,
    /// The players whose programs have begun to play in some game. None: a program that never begins forfeits, and is no
    /// error.
    pub(in crate::cli) has_begun: Option<&'a [AtomicBool]>,
    /// True when the games are to end early.
    pub(in crate::cli) is_stopped: &'a AtomicBool,
}

/// A game that was played.
pub(in crate::cli) struct Played {
    pub(in crate::cli) game: PlayedGame,
    pub(in crate::cli) live: Arc<LiveMatch>,
    /// The forfeits of programs.
    pub(in crate::cli) forfeits: Vec<Forfeited>,
    /// The logs of the programs.
    pub(in crate::cli) logs: Vec<ProgramLog>,
}

impl Played {
    /// Writes the lines that the logs of a sealed game have held back.
    pub(in crate::cli) fn release_logs(&self) {
        self.logs.iter().for_each(ProgramLog::release);
    }
}

/// The forfeit of a seat.
pub(in crate::cli) struct Forfeited {
    pub(in crate::cli) player: usize,
    pub(in crate::cli) seat: Seat,
    pub(in crate::cli) cause: Cause,
    /// The last lines of the program.
    pub(in crate::cli) last: Vec<String>,
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
    pub(in crate::cli) fn new(shared: Surroundings<'a>) -> Self {
        Self { shared, resting: HashMap::new() }
    }

    /// Hosts the match of a game. It begins when [`Self::play`] has joined for all agents.
    pub(in crate::cli) fn host(&self, pairing: &Pairing) -> Result<Arc<LiveMatch>, CliError> {
        self.shared.matches.host(MatchConfig {
            bots: pairing.bots.clone(),
            seed: Some(pairing.seed),
            terms: pairing.terms.clone(),
            is_private: true,
            is_pinned: pairing.is_pinned,
            is_sealed: pairing.is_sealed,
            game: pairing.game,
            ..MatchConfig::new(pairing.setup.clone())
        })
    }

    /// Plays the match of a game, from its begin or from where it was interrupted. Returns an error if a program cannot be
    /// started, or if an agent that must begin to play in its first game does not.
    pub(in crate::cli) fn play(&mut self, pairing: &Pairing, live: Arc<LiveMatch>) -> Result<Played, CliError> {
        let shared = &self.shared;
        let mut changes = live.changes();
        let mut programs = Programs::new(shared.matches.clone(), Arc::clone(&live))?;
        let is_over = || live.has_ended();
        let mut in_play = Vec::new();
        // A match that was interrupted may have ended before its host came back.
        if !is_over() {
            in_play = self.start(pairing, &mut programs)?;
            self.assign(pairing, &live)?;
        }
        while !is_over() {
            changes.mark_unchanged();
            for (seat, program) in &mut in_play {
                program.has_begun |= programs.has_begun(*seat);
            }
            if self.shared.is_stopped.load(Ordering::Relaxed) || self.any_has_failed(&live, &in_play) {
                // Another call may have ended it.
                drop(live.cancel("the host ends all games"));
            }
            if !is_over() {
                programs.wait(&mut changes, self.shared.patience);
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
        let game = self.played_game(pairing, &live);
        Ok(Played { game, live, forfeits, logs: in_play.into_iter().map(|(_, program)| program.log).collect() })
    }

    /// Gives the seats of agents elsewhere to them.
    fn assign(&self, pairing: &Pairing, live: &Arc<LiveMatch>) -> Result<(), CliError> {
        for (seat, player) in pairing.seating.iter() {
            let Some(queue) = self.shared.queues.get(&player).filter(|_| pairing.bots[seat.index()].is_none()) else {
                continue;
            };
            let joined = || live.join(Some(seat.index() as u32), &pairing.names[seat.index()]);
            let token = match live.token_of(seat) {
                Some(token) => token,
                None => joined().map_err(|error| CliError::failed(error.message()))?.1,
            };
            let (live, agent_seed) = (Arc::clone(live), Some(pairing.agent_seeds[seat]));
            queue.add(AssignedSeat { live, seat, token, agent_seed });
        }
        Ok(())
    }

    /// Returns true if a program that must not has ended before it began to play.
    fn any_has_failed(&self, live: &LiveMatch, in_play: &[(Seat, InPlay)]) -> bool {
        let Some(known) = self.shared.has_begun else { return false };
        let forfeits = live.with_referee(Referee::forfeits);
        let has_failed = |(seat, program): &(Seat, InPlay)| {
            let has_exited = forfeits.is_some_and(|forfeits| forfeits[*seat] == Some(Cause::Exited));
            has_exited && !program.has_begun && !known[program.player].load(Ordering::Relaxed)
        };
        in_play.iter().any(has_failed)
    }

    /// Starts the programs of a game, or gives their seats to those that wait.
    fn start(&mut self, pairing: &Pairing, programs: &mut Programs) -> Result<Vec<(Seat, InPlay)>, CliError> {
        let mut in_play: Vec<(Seat, InPlay)> = Vec::new();
        for (seat, player) in pairing.seating.iter() {
            let AgentPlayer::Program(launch) = &self.shared.agents[player].player else { continue };
            if pairing.bots[seat.index()].is_some() {
                continue;
            }
            let copy = in_play.iter().filter(|(_, other)| other.player == player).count();
            let waiting = self.resting.remove(&(player, copy)).filter(|(program, _)| program.is_running());
            let scratch = self.shared.scratch.filter(|_| !pairing.may_remember).map(Scratch::create).transpose()?;
            let log = waiting.as_ref().map_or_else(|| self.shared.logs.of(player), |(_, log)| log.clone());
            log.begin(format!("[{} seat {seat}]", pairing.name), !pairing.may_remember);
            let launch = Launch {
                player: Some(pairing.names[seat.index()].clone()),
                agent_seed: Some(pairing.agent_seeds[seat]),
                folder: scratch.as_ref().map(|folder| folder.path().to_owned()),
                output: Some(Output::new("", log.clone())),
                ..launch.clone()
            };
            let number = seat.index() as u32;
            match waiting {
                Some((program, _)) => programs.resume(number, program, &launch)?,
                None if pairing.may_remember => programs.start_for_many(number, &launch)?,
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
            let known = self.shared.has_begun.map(|known| &known[*player]);
            if program.has_begun || answers[*seat] > 0 {
                known.inspect(|known| known.store(true, Ordering::Relaxed));
            }
            let Some(cause) = forfeits[*seat] else { continue };
            let last = log.last();
            let must_begin = known.is_some_and(|known| !known.load(Ordering::Relaxed));
            if must_begin && matches!(cause, Cause::Exited | Cause::Timeout) {
                let name = &self.shared.agents[*player].name;
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

    /// Returns the result of a game for the statistics.
    fn played_game(&self, pairing: &Pairing, live: &LiveMatch) -> PlayedGame {
        let seating = pairing.seating;
        let is_timed = |seat: Seat| self.shared.agents[seating[seat]].is_program();
        let read = |referee: &Referee| {
            PlayedGame::new(seating, referee.ending(), referee.result(), referee.entries(), is_timed)
        };
        live.with_referee(read).unwrap_or_else(|| PlayedGame {
            seating,
            outcome: GameOutcome::Void("the match did not begin".to_owned()),
            decisions: 0,
            times: Vec::new(),
        })
    }

    /// Ends the programs that wait.
    pub(in crate::cli) fn end(&mut self) {
        Resting::end(&self.resting.drain().map(|(_, (program, _))| program).collect::<Vec<_>>());
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
