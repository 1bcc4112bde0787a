//! A cell of bots, which plays in process.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ahu_core::Seed;
use ahu_host::{BotName, BotSeed, Conduct, Referee, SeatPlayer, Setup};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use super::assembly::Assembly;
use super::game::{DecisionTime, GameOutcome, PlayedGame};
use super::luck::Luck;
use super::seatings::{Design, Lineup, Seating};
use super::shard::BlockShard;
use super::tally::Tally;
use crate::statistics::Sprt;

/// A comparison of bots alone.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The players of the table.
    pub lineup: Lineup,
    /// The bot of each player.
    pub bots: Vec<BotName>,
    /// The seatings of a block.
    pub design: Design,
    /// The seeds of the games of a block. Bots forget, so that shared luck is fair.
    pub luck: Luck,
    /// The seed from which the seeds of all games derive.
    pub seed: Seed,
    /// The clock that measures the decisions of every eighth block, in nanoseconds from any start; None for no times.
    pub clock: Option<fn() -> u64>,
}

/// One of this many blocks is timed, since reading a clock takes as long as a decision of some bots.
const TIMED_BLOCKS: u64 = 8;

/// The tally and the games of blocks in progress.
struct Progress<F> {
    assembly: Assembly,
    tally: Tally,
    shown: u64,
    on_block: F,
}

impl Cell {
    /// Plays `blocks` blocks, or fewer if the test ends before, on all threads of the current pool of rayon. Calls
    /// `on_game` with the block and the game, on the thread that played it, and `on_block` whenever more blocks count. The
    /// result but for times is the same with any number of threads. Games of blocks after the end of a test may be played
    /// and do not count.
    ///
    /// # Panics
    /// If the numbers of bots and players differ, or the numbers of seats; if a bot has a budget of time.
    pub fn play(
        &self,
        blocks: u64,
        sprt: Option<Sprt>,
        on_game: impl Fn(u64, usize, &Referee) + Sync,
        on_block: impl FnMut(&Tally) + Send,
    ) -> Tally {
        self.play_shard(BlockShard::WHOLE, blocks, sprt, on_game, on_block)
    }

    /// Plays the blocks of a shard among the first `blocks` blocks, as [`play`](Self::play) does.
    ///
    /// # Panics
    /// As [`play`](Self::play).
    pub fn play_shard(
        &self,
        shard: BlockShard,
        blocks: u64,
        sprt: Option<Sprt>,
        on_game: impl Fn(u64, usize, &Referee) + Sync,
        on_block: impl FnMut(&Tally) + Send,
    ) -> Tally {
        let Self { lineup, bots, .. } = self;
        assert_eq!(bots.len(), lineup.players(), "expected a bot for each player");
        assert!(bots.iter().all(|bot| bot.is_reproducible()), "expected budgets in playouts, got {bots:?}");
        assert_eq!(self.setup.seats(), lineup.seats, "expected a line-up for the seats of the game");
        let seatings = lineup.seatings(self.design);
        let progress = Mutex::new(Progress {
            assembly: Assembly::new(seatings.len()),
            tally: Tally::new(lineup.clone(), seatings.clone(), sprt).of_shard(shard),
            shown: 0,
            on_block,
        });
        let has_ended = AtomicBool::new(false);
        // Single games are handed out in order, so that few blocks are in progress at a time.
        let own = (0..shard.blocks(blocks)).map(|index| shard.block(index));
        let games = own.flat_map(|block| (0..seatings.len()).map(move |game| (block, game)));
        games.take_while(|_| !has_ended.load(Ordering::Relaxed)).par_bridge().for_each(|(block, game)| {
            let (played, referee) = self.play_seating(block, game, seatings[game]);
            on_game(block, game, &referee);
            let mut progress = progress.lock().expect("a thread that panics ends the cell");
            let Progress { assembly, tally, shown, on_block } = &mut *progress;
            if let Some(block) = assembly.add(block, game, played) {
                tally.enter(block);
                if tally.blocks() > *shown {
                    *shown = tally.blocks();
                    on_block(tally);
                }
                has_ended.store(tally.verdict().is_some(), Ordering::Relaxed);
            }
        });
        progress.into_inner().expect("a thread that panics ends the cell").tally
    }

    /// Plays the `game`-th game of a block.
    ///
    /// # Panics
    /// If a block has no such game.
    pub fn play_one(&self, block: u64, game: usize) -> PlayedGame {
        self.play_seating(block, game, self.lineup.seatings(self.design)[game]).0
    }

    fn play_seating(&self, block: u64, game: usize, seating: Seating) -> (PlayedGame, Referee) {
        let seed = self.luck.seed(self.seed, block, 0, game);
        let players = seating.values().iter().map(|&player| SeatPlayer::bot(self.bots[player])).collect();
        // The games of a block may share their chance, but the bots make new choices in each.
        let bot_seed = BotSeed::new(seed, game as u64);
        let mut referee = Referee::new(self.setup.clone(), seed, players, Conduct::default()).with_bot_seed(bot_seed);
        let mut times = Vec::new();
        if let Some(clock) = self.clock.filter(|_| block.is_multiple_of(TIMED_BLOCKS)) {
            times = play_timed(&mut referee, clock);
        }
        // Nothing is left to play in a game that was timed.
        referee.play_bots();
        let decisions = self.setup.seats().iter().map(|seat| referee.answered(seat)).sum();
        let result = referee.result().expect("bots play to the end");
        (PlayedGame { seating, outcome: GameOutcome::Finished(result), decisions, times }, referee)
    }
}

/// Computes and applies all decisions, and returns the time that the bots took for each.
fn play_timed(referee: &mut Referee, clock: fn() -> u64) -> Vec<DecisionTime> {
    let mut times = Vec::new();
    while let Some((seat, _)) = referee.bot_to_act() {
        let due = referee.due_bot().expect("a bot has to act");
        let start = clock();
        let answer = due.choose();
        times.push(DecisionTime { seat, nanos: clock().saturating_sub(start) });
        referee.answer(answer);
    }
    times
}
