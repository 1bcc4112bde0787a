//! The order of the games of a duel: blocks by their numbers. A void block is played again as a whole.

use std::collections::{BTreeMap, VecDeque};

use ahu_arena::Effect;
use ahu_contest::blocks::{Assembly, Entered, GameOutcome, PlayedGame, Tally};

/// A game that is to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Job {
    pub(super) block: u64,
    /// The number of the game in its block.
    pub(super) game: usize,
    /// The number of times that the block began again on new seeds.
    pub(super) attempt: u32,
    /// The number of times that the block began again.
    round: u32,
}

impl Job {
    /// Returns a game of a block that is played for the first time.
    pub(super) fn first(block: u64, game: usize) -> Self {
        Self { block, game, attempt: 0, round: 0 }
    }
}

/// The games that are left, and the results so far.
pub(super) struct BlockQueue {
    pub(super) tally: Tally,
    assembly: Assembly,
    games: usize,
    /// The blocks that have never begun.
    left: Box<dyn Iterator<Item = u64> + Send>,
    /// The block of which some games have never begun, and the number of the first of them.
    begun: Option<(u64, usize)>,
    /// The games of void blocks, which come first.
    again: VecDeque<Job>,
    /// The number of times that each block began again, for blocks that did.
    rounds: BTreeMap<u64, u32>,
    /// True if a block that is played again gets new seeds, because a program could remember the old ones.
    renews_seeds: bool,
}

impl BlockQueue {
    /// Creates a queue of these blocks, with `games` games each. With `may_remember`, a void block is played again on new seeds.
    pub(super) fn new(
        tally: Tally,
        games: usize,
        blocks: impl Iterator<Item = u64> + Send + 'static,
        may_remember: bool,
    ) -> Self {
        Self {
            tally,
            assembly: Assembly::new(games),
            games,
            left: Box::new(blocks),
            begun: None,
            again: VecDeque::new(),
            rounds: BTreeMap::new(),
            renews_seeds: may_remember,
        }
    }

    /// Returns the next game; None if none is left. A void game in progress may bring further games.
    pub(super) fn next(&mut self) -> Option<Job> {
        if self.tally.verdict().is_some() {
            return None;
        }
        if let Some(job) = self.again.pop_front() {
            return Some(job);
        }
        let (block, game) = match self.begun {
            Some(next) => next,
            None => (self.left.next()?, 0),
        };
        self.begun = (game + 1 < self.games).then_some((block, game + 1));
        Some(self.job(block, game))
    }

    fn job(&self, block: u64, game: usize) -> Job {
        let round = self.rounds.get(&block).copied().unwrap_or(0);
        Job { block, game, attempt: if self.renews_seeds { round } else { 0 }, round }
    }

    /// Returns true if a game counts. A game does not if its block began again after the game had begun.
    pub(super) fn counts(&self, job: Job) -> bool {
        self.rounds.get(&job.block).is_none_or(|&current| current == job.round)
    }

    /// Enters the result of a game. A game that does not count changes nothing.
    pub(super) fn enter(&mut self, job: Job, played: PlayedGame) -> Effect {
        let Job { block, game, round, .. } = job;
        let again = |reason| Effect::Again(format!("block {block}"), reason);
        if !self.counts(job) {
            return Effect::Open;
        }
        if let GameOutcome::Void(reason) = &played.outcome {
            self.rounds.insert(block, round + 1);
            self.assembly.forget(block);
            self.again.retain(|job| job.block != block);
            // Games of this block that have never begun are still ahead, and will belong to the new round.
            let begun = self.begun.filter(|&(own, _)| own == block).map_or(self.games, |(_, next)| next);
            self.again.extend((0..begun).map(|game| self.job(block, game)).collect::<Vec<_>>());
            return again(reason.clone());
        }
        let Some(whole) = self.assembly.add(block, game, played) else { return Effect::Open };
        match self.tally.enter(whole) {
            Entered::Counted | Entered::Late if self.tally.verdict().is_some() => Effect::Decided,
            Entered::Counted | Entered::Late => Effect::Whole,
            Entered::Void(reason) => again(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use ahu_contest::blocks::{BlockShard, Design, Lineup};
    use ahu_core::{BySeat, Seats, ranks_by};
    use ahu_host::MatchResult;

    use super::*;

    fn queue(blocks: u64, may_remember: bool) -> BlockQueue {
        shard_queue(BlockShard::WHOLE, blocks, may_remember)
    }

    fn shard_queue(shard: BlockShard, blocks: u64, may_remember: bool) -> BlockQueue {
        let seats = Seats::new(2).expect("two seats");
        let lineup = Lineup::filled(2, seats).expect("they fit");
        let seatings = lineup.seatings(Design::Neighbour);
        let tally = Tally::new(lineup, seatings.clone(), None).of_shard(shard);
        BlockQueue::new(tally, seatings.len(), shard.numbers(blocks), may_remember)
    }

    fn played(game: usize, outcome: Option<&str>) -> PlayedGame {
        let seats = Seats::new(2).expect("two seats");
        let seating = Lineup::filled(2, seats).expect("they fit").seatings(Design::Neighbour)[game];
        let scores = BySeat::from_fn(seats, |seat| seat.index() as i32);
        let forfeits = BySeat::new(seats, None);
        let result = MatchResult { scores, ranks: ranks_by(&scores), forfeits };
        let outcome = match outcome {
            None => GameOutcome::Finished(result),
            Some(reason) => GameOutcome::Void(reason.to_owned()),
        };
        PlayedGame { seating, outcome, decisions: 9, times: Vec::new() }
    }

    fn places(queue: &mut BlockQueue) -> Vec<(u64, usize, u32)> {
        std::iter::from_fn(|| queue.next()).map(|job| (job.block, job.game, job.attempt)).collect()
    }

    /// Returns the effect of a void game of the first block.
    fn block_again(reason: &str) -> Effect {
        Effect::Again("block 0".to_owned(), reason.to_owned())
    }

    #[test]
    fn games_come_block_by_block() {
        assert_eq!(places(&mut queue(2, true)), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]);
    }

    #[test]
    fn a_shard_has_its_own_blocks_alone_and_plays_a_void_block_again() {
        let shard = "2/3".parse().expect("a shard");
        assert_eq!(places(&mut shard_queue(shard, 6, true)), [(1, 0, 0), (1, 1, 0), (4, 0, 0), (4, 1, 0)]);
        let mut queue = shard_queue(shard, 6, true);
        let first = queue.next().expect("four games");
        assert_eq!(queue.enter(first, played(0, Some("x"))), Effect::Again("block 1".to_owned(), "x".to_owned()));
        let jobs: Vec<_> = std::iter::from_fn(|| queue.next()).collect();
        let place = |job: &Job| (job.block, job.game, job.attempt);
        assert_eq!(jobs.iter().map(place).collect::<Vec<_>>(), [(1, 0, 1), (1, 1, 1), (4, 0, 0), (4, 1, 0)]);
        for job in jobs {
            queue.enter(job, played(job.game, None));
        }
        assert_eq!((queue.tally.blocks(), queue.tally.due()), (2, 7));
    }

    #[test]
    fn a_void_game_brings_its_whole_block_again_on_new_seeds_if_somebody_could_remember() {
        for (may_remember, attempt) in [(true, 1), (false, 0)] {
            let mut queue = queue(2, may_remember);
            let jobs = [(); 3].map(|()| queue.next().expect("there are four"));
            assert_eq!(queue.enter(jobs[0], played(0, None)), Effect::Open);
            let void = queue.enter(jobs[1], played(1, Some("a bot failed")));
            assert_eq!(void, block_again("a bot failed"));
            assert_eq!(places(&mut queue), [(0, 0, attempt), (0, 1, attempt), (1, 1, 0)]);
            assert_eq!(queue.tally.blocks(), 0);
        }
    }

    #[test]
    fn a_game_that_began_before_its_block_became_void_does_not_count() {
        let mut queue = queue(1, true);
        let first = queue.next().expect("two games");
        // The second game has not begun, so it comes once, in the new round.
        assert_eq!(queue.enter(first, played(0, Some("x"))), block_again("x"));
        let again = queue.next().expect("it comes again");
        let second = queue.next().expect("it comes for the first time");
        assert_eq!((again.game, second.game, second.attempt), (0, 1, 1));
        assert_eq!(queue.next(), None);
        assert_eq!(queue.enter(second, played(1, None)), Effect::Open);
        assert_eq!(queue.enter(again, played(0, Some("y"))), block_again("y"));
        let [third, fourth] = [(); 2].map(|()| queue.next().expect("both come again"));
        assert_eq!(queue.enter(second, played(1, None)), Effect::Open);
        assert_eq!(queue.enter(third, played(0, None)), Effect::Open);
        assert_eq!(queue.enter(fourth, played(1, None)), Effect::Whole);
        assert_eq!(queue.tally.blocks(), 1);
    }
}
