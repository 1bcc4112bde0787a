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
use super::tally::Tally;
use crate::statistics::Sprt;

/// A comparison of bots alone.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The players of the table.
    pub lineup: Lineup,
    /// The bot of each player, with its name.
    pub bots: Vec<SeatPlayer>,
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
    /// Returns an empty tally of the blocks of this cell.
    pub fn tally(&self, sprt: Option<Sprt>) -> Tally {
        Tally::new(self.lineup.clone(), self.lineup.seatings(self.design), sprt)
    }

    /// Plays these blocks, or fewer if the test ends before or `is_stopping` becomes true, on all threads of the current pool of
    /// rayon, and enters them in the tally. Calls `on_game` with the block and the game, on the thread that played it, and
    /// `on_block` whenever more blocks count. The result but for times is the same with any number of threads. Games of blocks
    /// after the end of a test may be played and do not count.
    ///
    /// # Panics
    /// If the numbers of bots and players differ, or the numbers of seats; if a player is no bot, or one with a budget of time; if a block has no
    /// place in the tally.
    pub fn play(
        &self,
        blocks: impl Iterator<Item = u64> + Send,
        tally: Tally,
        is_stopping: &AtomicBool,
        on_game: impl Fn(u64, usize, &Referee) + Sync,
        on_block: impl FnMut(&Tally) + Send,
    ) -> Tally {
        let Self { lineup, bots, .. } = self;
        assert_eq!(bots.len(), lineup.players(), "expected a bot for each player");
        assert!(
            bots.iter().all(|player| player.bot.is_some_and(BotName::is_reproducible)),
            "expected budgets in playouts, got {bots:?}"
        );
        assert_eq!(self.setup.seats(), lineup.seats, "expected a line-up for the seats of the game");
        let seatings = lineup.seatings(self.design);
        let progress =
            Mutex::new(Progress { assembly: Assembly::new(seatings.len()), shown: tally.blocks(), tally, on_block });
        let has_ended = AtomicBool::new(progress.lock().is_ok_and(|progress| progress.tally.verdict().is_some()));
        let goes_on = || ![&has_ended, is_stopping].iter().any(|flag| flag.load(Ordering::Relaxed));
        // Single games are handed out in order, so that few blocks are in progress at a time.
        let games = blocks.flat_map(|block| (0..seatings.len()).map(move |game| (block, game)));
        games.take_while(|_| goes_on()).par_bridge().for_each(|(block, game)| {
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
        let players = seating.values().iter().map(|&player| self.bots[player].clone()).collect();
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
