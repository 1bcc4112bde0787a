//! The schedule of a duel for the runner.

use ahu_arena::{Effect, Next, Played, Schedule};
use ahu_contest::PlannedGame;
use ahu_contest::blocks::PlayedGame;

use super::archive::Archive;
use super::block_queue::{BlockQueue, Job};
use super::matchup::Matchup;
use super::progress;
use crate::terminal::progress::Pace;

/// The games of a duel, in groups of a block. News and records of a game wait until its block is whole.
pub(super) struct DuelSchedule<'a> {
    pub(super) matchup: &'a Matchup,
    pub(super) queue: BlockQueue,
    pub(super) archive: Option<&'a Archive>,
    /// The maximum number of blocks.
    pub(super) blocks: u64,
    pub(super) pace: Pace,
}

impl Schedule for DuelSchedule<'_> {
    type GameKey = Job;
    type GroupKey = u64;

    fn next(&mut self) -> Result<Next<Job>, ahu_arena::Error> {
        let Some(job) = self.queue.next() else { return Ok(Next::Done) };
        if let Some(archive) = self.archive {
            archive.start(job.block, job.game);
        }
        Ok(Next::Play(job))
    }

    fn planned(&self, job: Job) -> Result<PlannedGame, ahu_arena::Error> {
        Ok(self.matchup.planned(job))
    }

    fn group(&self, job: Job) -> u64 {
        job.block
    }

    fn enter(&mut self, job: Job, game: &PlannedGame, played: &Played) -> Result<Effect, ahu_arena::Error> {
        let is_timed = |seat| self.matchup.agents[game.seating[seat]].is_program();
        let void = |reason| PlayedGame::void(game.seating, reason);
        let mut entered = played
            .finished()
            .map_or_else(void, |(record, _)| PlayedGame::of(record, game.seating, game.beginning.len(), is_timed));
        entered.times.extend(&played.times);
        Ok(self.queue.enter(job, entered))
    }

    fn publish(&mut self, job: Job, played: &Played) {
        if let (Some(archive), Some(record)) = (self.archive, &played.record)
            && self.queue.counts(job)
        {
            archive.add(self.matchup, job.block, job.game, record);
        }
    }

    fn progress(&self) -> String {
        progress::text(self.matchup, self.blocks, self.pace, &self.queue.tally)
    }
}
