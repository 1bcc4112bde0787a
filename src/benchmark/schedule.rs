//! The schedule of a benchmark for the runner.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ahu_arena::{AgentQueue, AtStop, Effect, Logs, Next, Played, Runner, Schedule, Surroundings, Venue};
use ahu_contest::PlannedGame;
use ahu_contest::suite::{AgentClaim, GamePlace, SuitePlan};
use ahu_host::Record;

use super::agent::players;
use crate::CliError;
use crate::terminal::progress::{Pace, Progress};

/// The function that is told of each game: without a record when it starts, perhaps not for the first time, and with its record
/// when it has ended.
pub(super) type Tell<'a> = Box<dyn FnMut(GamePlace, Option<&Record>) -> Result<(), CliError> + Send + 'a>;

/// The games that are left, in their order. They are played a cell of a run at a time, since a program may know only one game.
pub(super) struct BenchmarkSchedule<'a> {
    plan: &'a SuitePlan,
    agent: &'a AgentClaim,
    tell: Tell<'a>,
    /// The queue of an agent elsewhere; None for any other agent.
    queue: Option<Arc<dyn AgentQueue>>,
    left: VecDeque<GamePlace>,
    /// The run and the cell in progress.
    cell: Option<(usize, usize)>,
    /// The number of all games, and of games that have ended.
    all: u64,
    done: u64,
    pace: Pace,
}

impl<'a> BenchmarkSchedule<'a> {
    pub(super) fn new(
        plan: &'a SuitePlan,
        agent: &'a AgentClaim,
        tell: Tell<'a>,
        queue: Option<Arc<dyn AgentQueue>>,
        all: u64,
        left: &[GamePlace],
    ) -> Self {
        let done = all - left.len() as u64;
        let left = left.iter().copied().collect();
        Self { plan, agent, tell, queue, left, cell: None, all, done, pace: Pace::new(done) }
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
        let finished = runner.finish(&mut progress);
        progress.clear();
        let (games, is_interrupted) = finished?;
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

    fn next(&mut self) -> Result<Next<GamePlace>, ahu_arena::Error> {
        let in_cell = self.left.front().filter(|place| self.cell == Some((place.run, place.cell))).copied();
        Ok(match in_cell {
            None => Next::Done,
            Some(_) if self.queue.as_ref().is_some_and(|queue| !queue.is_waiting()) => Next::Wait,
            Some(place) => {
                self.left.pop_front();
                (self.tell)(place, None)?;
                Next::Play(place)
            }
        })
    }

    fn planned(&self, place: GamePlace) -> Result<PlannedGame, ahu_arena::Error> {
        self.plan.game(self.agent, place).map_err(ahu_arena::Error::Usage)
    }

    fn group(&self, place: GamePlace) -> GamePlace {
        place
    }

    fn enter(&mut self, place: GamePlace, game: &PlannedGame, played: &Played) -> Result<Effect, ahu_arena::Error> {
        match played.finished() {
            Ok((record, _)) => {
                (self.tell)(place, Some(record))?;
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
        self.pace.text(self.done, self.all, "games")
    }
}

#[cfg(test)]
mod tests {
    use ahu_arena::LocalVenue;
    use ahu_arena::programs::FREE_PORT;
    use ahu_contest::suite::{AgentKind, Budget, BudgetKind, RunClaim, Suite};

    use super::*;

    fn plan() -> SuitePlan {
        let suite = Suite::named("v1").expect("the program has it");
        let salt = suite.public_salt();
        SuitePlan::new(suite, Some(1), 1, salt)
    }

    fn agent() -> AgentClaim {
        AgentClaim {
            name: "greedy@2".to_owned(),
            kind: AgentKind::Bot,
            player: "greedy@2".to_owned(),
            files: [].into(),
            runs: vec![RunClaim { name: "greedy@2".to_owned(), sha256: None }],
            budget: Budget { kind: BudgetKind::None, amount: None },
            declares: [].into(),
        }
    }

    /// A game that is void starts again: the log counts it twice.
    #[test]
    fn each_start_of_a_game_is_told_before_the_game_is_played() {
        let (plan, agent) = (plan(), agent());
        let place = plan.games().next().expect("a game");
        let mut told = Vec::new();
        let tell = |place, record: Option<&Record>| {
            told.push((place, record.is_none()));
            Ok(())
        };
        let mut games = BenchmarkSchedule::new(&plan, &agent, Box::new(tell), None, 1, &[place]);
        games.begin_cell();
        let venue = LocalVenue::without_store(FREE_PORT);
        let never = std::sync::atomic::AtomicBool::new(false);
        let logs = Logs::open(None, &[]).expect("no files");
        let patience = Duration::from_secs(1);
        let around = Surroundings { agents: &[], logs: &logs, patience, trusts: true, must_begin: false };
        let game = games.planned(place).expect("a game");
        let mut played = venue.slot(around, &never, &[]).play(&game, None, &mut |_| Ok(())).expect("bots play");
        let record = played.record.take();
        assert_eq!(games.next().expect("a game"), Next::Play(place));
        let again = games.enter(place, &game, &played).expect("it is void");
        assert!(matches!(again, Effect::Again(..)), "{again:?}");
        assert_eq!(games.next().expect("a game"), Next::Play(place));
        played.record = record;
        assert_eq!(games.enter(place, &game, &played).expect("it is kept"), Effect::Whole);
        assert_eq!(games.next().expect("no game"), Next::Done);
        drop(games);
        assert_eq!(told, [(place, true), (place, true), (place, false)]);
    }
}
