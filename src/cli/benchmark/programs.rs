//! The games of a benchmark of programs: commands that this process starts, and agents elsewhere.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ahu::service::SeatQueue;
use ahu::suite::{AgentClaim, GamePlace, Plan, PlannedMatch};
use ahu_engine::core::Seat;
use ahu_engine::host::blocks::GameOutcome;
use ahu_engine::host::{Record, Referee};

use super::agent::players;
use crate::cli::outcome::reason;
use crate::cli::pairing::{Agent, Logs, Pairing, Queues, Slot, Surroundings};
use crate::cli::programs::LocalMatches;
use crate::cli::{CliError, lock};

/// The interval of the checks whether an agent elsewhere waits for a seat.
const LOOK: Duration = Duration::from_millis(20);
/// The number of times that a game is played that the server cannot finish.
const MAX_ATTEMPTS: u32 = 5;
/// The number of forfeits that are told at once. The report counts the others.
const TOLD: usize = 3;

/// The surroundings of all games with programs.
pub(super) struct Programs<'a> {
    pub(super) plan: &'a Plan,
    pub(super) agent: &'a AgentClaim,
    pub(super) matches: &'a LocalMatches,
    /// The seats of an agent elsewhere.
    pub(super) queue: Option<Arc<SeatQueue>>,
    /// The folder for the output of programs; None: it is not kept.
    pub(super) logs: Option<&'a Path>,
    /// The number of games at once.
    pub(super) concurrency: usize,
    pub(super) is_stopped: &'a AtomicBool,
}

impl Programs<'_> {
    /// Plays games, cell after cell, until `is_stopped`. Games in progress are cancelled then. `tell` gets the news.
    pub(super) fn play(
        &self,
        places: &[GamePlace],
        keep: &(dyn Fn(GamePlace, &Record) -> Result<(), CliError> + Sync),
        tell: &(dyn Fn(String) + Sync),
    ) -> Result<(), CliError> {
        // Programs play one cell of one run at a time: they may know a single game.
        for part in places.chunk_by(|one, other| (one.run, one.cell) == (other.run, other.cell)) {
            self.play_cell(part, keep, tell)?;
            if self.is_stopped.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    fn play_cell(
        &self,
        places: &[GamePlace],
        keep: &(dyn Fn(GamePlace, &Record) -> Result<(), CliError> + Sync),
        tell: &(dyn Fn(String) + Sync),
    ) -> Result<(), CliError> {
        let Some(first) = places.first() else { return Ok(()) };
        let cell = &self.plan.suite.cells[first.cell];
        let agents = players(self.agent, &self.plan.suite, cell, first.run)?;
        let logs = match self.logs {
            Some(folder) => Logs::append(folder, &agents)?,
            None => Logs::create(None, &agents)?,
        };
        let queues: Queues = self.queue.iter().map(|queue| (0, Arc::clone(queue))).collect();
        let has_begun: Vec<_> = agents.iter().map(|_| AtomicBool::new(false)).collect();
        let left = Mutex::new(places.iter().copied().collect::<VecDeque<_>>());
        let failed = Mutex::new(None);
        let told = Mutex::new(0);
        let work = || {
            let mut slot = Slot::new(Surroundings {
                agents: &agents,
                patience: Duration::from_millis(self.plan.suite.clock.startup.max(1000).into()),
                matches: self.matches,
                logs: &logs,
                scratch: None,
                queues: queues.clone(),
                has_begun: self.queue.is_none().then_some(&has_begun),
                is_stopped: self.is_stopped,
            });
            while !self.is_stopped.load(Ordering::Relaxed) {
                let Some(place) = lock(&left).pop_front() else { break };
                let tell_forfeit = |line: String| {
                    let mut told = lock(&told);
                    *told += 1;
                    if *told <= TOLD {
                        tell(line);
                    }
                };
                if let Err(error) = self.play_game(&mut slot, &agents, place, keep, &tell_forfeit) {
                    lock(&failed).get_or_insert(error);
                    self.is_stopped.store(true, Ordering::Relaxed);
                }
            }
            slot.end();
        };
        thread::scope(|scope| {
            for _ in 0..self.concurrency {
                scope.spawn(work);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Plays a game until it has a result. A game that the server could not finish is played again.
    fn play_game(
        &self,
        slot: &mut Slot<'_>,
        agents: &[Agent],
        place: GamePlace,
        keep: &(dyn Fn(GamePlace, &Record) -> Result<(), CliError> + Sync),
        tell: &dyn Fn(String),
    ) -> Result<(), CliError> {
        let pairing = self.pairing(agents, place)?;
        let name = place.name(&self.plan.suite, self.plan.runs);
        let mut last = String::new();
        for _ in 0..MAX_ATTEMPTS {
            if !self.wait_for_agent() {
                return Ok(());
            }
            let live = slot.host(&pairing)?;
            let played = slot.play(&pairing, live)?;
            if self.is_stopped.load(Ordering::Relaxed) {
                // The match was cancelled with the run.
                return Ok(());
            }
            for forfeited in &played.forfeits {
                let first = format!("{name}: {} forfeits: {}", self.agent.name, reason(forfeited.cause));
                let lines: Vec<_> = [first].into_iter().chain(forfeited.last.iter().cloned()).collect();
                tell(lines.join("\n    "));
            }
            match played.game.outcome {
                GameOutcome::Finished(_) => {
                    let record = played.live.with_referee(Referee::record);
                    return record.map_or(Ok(()), |record| keep(place, &record));
                }
                GameOutcome::Void(reason) => last = reason,
            }
        }
        Err(CliError::Failed(format!("{name} was void {MAX_ATTEMPTS} times: {last}")))
    }

    /// Waits until an agent elsewhere asks for a seat. Returns false if the run is stopped.
    fn wait_for_agent(&self) -> bool {
        let Some(queue) = &self.queue else { return true };
        while !queue.is_waiting() {
            if self.is_stopped.load(Ordering::Relaxed) {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    fn pairing(&self, agents: &[Agent], place: GamePlace) -> Result<Pairing, CliError> {
        let PlannedMatch { setup, seed, players, terms } =
            self.plan.game(self.agent, place).map_err(CliError::Usage)?;
        let seating = self.plan.seating(place);
        let name = |(_, player): (Seat, usize)| agents[player].name.clone();
        Ok(Pairing {
            setup,
            seating,
            seed,
            game: 0,
            terms,
            agent_seeds: self.plan.agent_seeds(place),
            names: seating.iter().map(name).collect(),
            bots: players.iter().map(|player| player.bot).collect(),
            is_sealed: false,
            is_pinned: false,
            may_remember: true,
            name: format!("{} {}.{}", self.plan.suite.cells[place.cell].name, place.block, place.game),
        })
    }
}
