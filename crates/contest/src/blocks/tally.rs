//! The tally: blocks in the order of their numbers, in whatever order they end.

use std::collections::BTreeMap;

use ahu_host::Cause;

use super::game::Block;
use super::scoring::{Each, Kind, Mean, Scope, Values};
use super::seatings::{Lineup, Seating};
use super::shard::BlockShard;
use super::times::Times;
use crate::statistics::{Sprt, Verdict};

/// The effect of a block that is handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The block counts, now or once all blocks before it have come.
    Counted,
    /// A game of the block is void, for this reason: the whole block has to be played again.
    Void(String),
    /// The test has ended before this block, which does not count.
    Late,
}

/// The results of blocks so far. They enter in the order of their numbers, so that a table does not depend on which of
/// them ended first. A test ([`Sprt`]) looks at each block as it enters, and with its end no more blocks count.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The line-up.
    pub lineup: Lineup,
    pub(super) seatings: Vec<Seating>,
    /// The test, if there is one.
    pub sprt: Option<Sprt>,
    /// The blocks that enter.
    shard: BlockShard,
    /// The number of blocks so far.
    count: u64,
    /// Blocks that came before their turn.
    early: BTreeMap<u64, Block>,
    pub(super) all: Series,
    pub(super) unflagged: Series,
    pub(super) decisions: u64,
    pub(super) games: u64,
    /// The games in which a seat forfeited.
    pub(super) flagged_games: u64,
    /// The number of forfeits of each player, by cause.
    pub(super) forfeits: Vec<BTreeMap<Cause, u64>>,
    pub(super) times: Vec<Times>,
}

/// The samples of blocks, in order.
#[derive(Clone, Debug)]
pub(super) struct Series {
    scope: Scope,
    pub(super) samples: Each<Samples>,
}

/// The samples of one value.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// The mean of each block that has one.
    pub(super) blocks: Vec<f64>,
    /// The values of single games, for players only.
    pub(super) games: Spread,
}

/// The spread of single games around their mean (Welford, 1962).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub(super) count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        self.squares += before * (value - self.mean);
    }

    /// Returns the variance of single games.
    pub(super) fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }
}

impl Tally {
    /// Creates an empty tally of blocks with these seatings. The test is about the pairs that the first player wins.
    ///
    /// # Panics
    /// If there is a test and only one player.
    pub fn new(lineup: Lineup, seatings: Vec<Seating>, sprt: Option<Sprt>) -> Self {
        let players = lineup.players();
        let series = |scope| Series { scope, samples: Each::new(players, lineup.seats.count()) };
        assert!(sprt.is_none() || players > 1, "expected two players for a test, got one");
        Self {
            sprt,
            shard: BlockShard::WHOLE,
            count: 0,
            early: BTreeMap::new(),
            all: series(Scope::All),
            unflagged: series(Scope::Unflagged),
            decisions: 0,
            games: 0,
            flagged_games: 0,
            forfeits: vec![BTreeMap::new(); players],
            times: vec![Times::default(); players],
            lineup,
            seatings,
        }
    }

    /// Returns the tally with the blocks of one shard alone.
    #[must_use]
    pub fn of_shard(self, shard: BlockShard) -> Self {
        Self { shard, ..self }
    }

    /// Hands in a block. A void block leaves no trace, so that it can come again under its number.
    ///
    /// # Panics
    /// If the block came before, is in another shard, or has other seatings than the tally.
    pub fn enter(&mut self, block: Block) -> Entered {
        if self.verdict().is_some() {
            return Entered::Late;
        }
        let number = block.number;
        assert!(
            number >= self.due() && !self.early.contains_key(&number),
            "expected each block once, got block {number} again"
        );
        assert!(self.shard.has(number), "expected a block of the shard {}, got block {number}", self.shard);
        assert!(
            block.games.iter().map(|game| &game.seating).eq(&self.seatings),
            "expected the seatings of the tally, got others in block {number}"
        );
        if let Some(reason) = block.void() {
            return Entered::Void(reason.to_owned());
        }
        self.early.insert(number, block);
        while self.verdict().is_none()
            && let Some(block) = self.early.remove(&self.due())
        {
            self.count(&block);
        }
        if self.verdict().is_some() {
            let is_late = number >= self.due();
            self.early.clear();
            if is_late {
                return Entered::Late;
            }
        }
        Entered::Counted
    }

    /// Returns the number of blocks that count: all before the first that is missing.
    pub fn blocks(&self) -> u64 {
        self.count
    }

    /// Returns the number of the next block to enter. No block from this number on counts.
    pub fn due(&self) -> u64 {
        self.shard.block(self.count)
    }

    /// Returns the number of blocks that wait for one before them.
    pub fn waiting(&self) -> usize {
        self.early.len()
    }

    /// Returns the end of the test, if there is one and it has come.
    pub fn verdict(&self) -> Option<Verdict> {
        self.sprt.as_ref().and_then(Sprt::verdict)
    }

    /// Counts the next block.
    fn count(&mut self, block: &Block) {
        self.count += 1;
        for (game, (seating, result)) in block.games.iter().zip(block.results()) {
            self.games += 1;
            self.decisions += u64::from(game.decisions);
            self.flagged_games += u64::from(!result.forfeited().is_empty());
            for (seat, player) in seating.iter() {
                if let Some(cause) = result.forfeits[seat] {
                    *self.forfeits[player].entry(cause).or_default() += 1;
                }
            }
            for time in &game.times {
                self.times[seating[time.seat]].add(time.nanos);
            }
        }
        self.all.count(block);
        self.unflagged.count(block);
        if let Some(sprt) = &mut self.sprt {
            let pairs = self.all.samples.players[0][Kind::Pairs as usize].blocks.last();
            sprt.enter(*pairs.expect("a test is about a player with opponents"));
        }
    }
}

impl Series {
    fn count(&mut self, block: &Block) {
        let (players, seats) = (self.samples.players.len(), self.samples.seats.len());
        let mut whole = Values::new(players, seats);
        for (seating, result) in block.results() {
            let mut single = Values::new(players, seats);
            single.add(seating, result, self.scope);
            whole.merge(&single);
            let samples = self.samples.players.iter_mut().flatten();
            each(samples, single.players.iter().flatten(), |samples, mean| samples.games.add(mean));
        }
        each(self.samples.iter_mut(), whole.iter(), |samples, mean| samples.blocks.push(mean));
    }
}

/// Calls `of` with the samples of each value that has a mean.
fn each<'a, 'b>(
    samples: impl Iterator<Item = &'a mut Samples>,
    values: impl Iterator<Item = &'b Mean>,
    of: impl Fn(&mut Samples, f64),
) {
    for (samples, value) in samples.zip(values) {
        if let Some(mean) = value.get() {
            of(samples, mean);
        }
    }
}
