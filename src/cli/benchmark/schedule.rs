//! The schedule of a benchmark for the runner.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ahu::suite::{AgentClaim, GamePlace, Plan};
use ahu_engine::host::{PlannedGame, Record};

use super::agent::players;
use crate::cli::CliError;
use crate::cli::runner::{AgentQueue, AtStop, Effect, Logs, Next, Played, Runner, Schedule, Surroundings, Venue};
use crate::cli::terminal::progress::{Progress, bar, time_left};

/// The function that gets the record of each finished game.
pub(super) type Keep<'a> = Box<dyn FnMut(GamePlace, &Record) -> Result<(), CliError> + Send + 'a>;

/// The games that are left, in their order. They are played a cell of a run at a time, since a program may know only one game.
pub(super) struct BenchmarkSchedule<'a> {
    plan: &'a Plan,
    agent: &'a AgentClaim,
    keep: Keep<'a>,
    /// The queue of an agent elsewhere; None for any other agent.
    queue: Option<Arc<dyn AgentQueue>>,
    left: VecDeque<GamePlace>,
    /// The run and the cell in progress.
    cell: Option<(usize, usize)>,
    /// The number of all games, of games that have ended, and of games that had ended before this run.
    all: u64,
    done: u64,
    done_before: u64,
    start: Instant,
}

impl<'a> BenchmarkSchedule<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        agent: &'a AgentClaim,
        keep: Keep<'a>,
        queue: Option<Arc<dyn AgentQueue>>,
        all: u64,
        left: &[GamePlace],
    ) -> Self {
        let (done, start) = (all - left.len() as u64, Instant::now());
        let left = left.iter().copied().collect();
        Self { plan, agent, keep, queue, left, cell: None, all, done, done_before: done, start }
    }

    /// Plays the games, `at_once` at a time. The output of programs goes to files in the folder `logs`, if one is given.
    pub(super) fn play(self, venue: &dyn Venue, logs: Option<&Path>, at_once: usize) -> Result<(), CliError> {
        let (plan, agent, must_begin) = (self.plan, self.agent, self.queue.is_none());
        let (runner, mut progress) = (Runner::new(self, venue, AtStop::Cancel)?, Progress::new());
        while let Some(first) = runner.with(Self::begin_cell).filter(|_| !runner.is_stopping()) {
            let agents = &players(agent, &plan.suite, &plan.suite.cells[first.cell], first.run)?;
            let patience = Duration::from_millis(plan.suite.clock.startup.max(1000).into());
            let logs = &Logs::open(logs, agents)?;
            runner.play(Surroundings { agents, logs, patience, trusts: true, must_begin }, at_once, &mut progress)?;
        }
        let (games, is_interrupted) = runner.finish(&mut progress)?;
        match is_interrupted && games.done < games.all {
            true => Err(CliError::Interrupted),
            false => Ok(()),
        }
    }

    /// Begins the next cell. Returns its first game; None if no game is left.
    fn begin_cell(&mut self) -> Option<GamePlace> {
        let first = self.left.front().copied();
        self.cell = first.map(|place| (place.run, place.cell));
        first
    }
}

impl Schedule for BenchmarkSchedule<'_> {
    type GameKey = GamePlace;
    type GroupKey = GamePlace;

    fn next(&mut self) -> Result<Next<GamePlace>, CliError> {
        let in_cell = self.left.front().filter(|place| self.cell == Some((place.run, place.cell))).copied();
        Ok(match in_cell {
            None => Next::Done,
            Some(_) if self.queue.as_ref().is_some_and(|queue| !queue.is_waiting()) => Next::Wait,
            Some(place) => {
                self.left.pop_front();
                Next::Play(place)
            }
        })
    }

    fn planned(&self, place: GamePlace) -> Result<PlannedGame, CliError> {
        self.plan.game(self.agent, place).map_err(CliError::Usage)
    }

    fn group(&self, place: GamePlace) -> GamePlace {
        place
    }

    fn enter(&mut self, place: GamePlace, game: &PlannedGame, played: &Played) -> Result<Effect, CliError> {
        match played.finished() {
            Ok((record, _)) => {
                (self.keep)(place, record)?;
                self.done += 1;
                Ok(Effect::Whole)
            }
            Err(reason) => {
                self.left.push_front(place);
                Ok(Effect::Again(format!("game {}", game.name), reason))
            }
        }
    }

    fn progress(&self) -> String {
        let Self { all, done, .. } = *self;
        let new = done - self.done_before;
        let left = match new {
            0 => String::new(),
            new => format!(", {} left", time_left(all - done, new, self.start.elapsed())),
        };
        format!("{} {done} of {all} games{left}", bar(done, all))
    }
}
