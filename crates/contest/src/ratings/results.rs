//! The results of a cup: the pairs that the agents won against each other, by block.

use ahu_host::ensure;

use crate::blocks::{Block, pair};

/// The results of a cup, block by block. Blocks are the unit of every statistic. Not all agents have to meet: each block
/// has a table of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    agents: usize,
    blocks: Vec<BlockPairs>,
}

/// The pairs of one block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlockPairs {
    /// The agents at the table, in rising order.
    pub(super) agents: Vec<usize>,
    /// The pairs of each two agents at the table.
    pub(super) pairs: Vec<Pairs>,
}

/// The pairs of two agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pairs {
    pub(super) one: usize,
    /// The other agent, above `one`.
    pub(super) other: usize,
    /// The number of pairs.
    pub(super) played: f64,
    /// The number of pairs that `one` won; a tie is a half.
    pub(super) won: f64,
}

impl Results {
    /// Creates empty results of a cup with this many agents.
    pub fn new(agents: usize) -> Self {
        Self { agents, blocks: Vec::new() }
    }

    /// Adds a block. `agents` has the agent of each player of the block, such as a [`Lineup`] has; two players may
    /// be one agent. A pair with a seat that forfeited is the loss of that seat, or a tie if both did.
    ///
    /// All statistics are functions of the blocks in the order in which they are added: the caller adds them in an order
    /// that does not depend on the time at which they ended.
    ///
    /// # Errors
    /// If the block is void, a player has no agent of the cup, or the games have different players. The results are
    /// then as before.
    ///
    /// [`Lineup`]: crate::blocks::Lineup
    pub fn add(&mut self, block: &Block, agents: &[usize]) -> Result<(), String> {
        let (number, players) = (block.number, agents.len());
        if let Some(reason) = block.void() {
            return Err(format!("expected a block with results, got void block {number}: {reason}"));
        }
        let unknown = agents.iter().find(|&&agent| agent >= self.agents);
        unknown.map_or(Ok(()), |agent| Err(format!("expected an agent below {}, got agent {agent}", self.agents)))?;
        let mut table: Option<Vec<usize>> = None;
        let mut pairs: Vec<Pairs> = Vec::new();
        for (game, (seating, result)) in block.results().enumerate() {
            let unknown = seating.values().iter().find(|&&player| player >= players);
            unknown.map_or(Ok(()), |player| {
                let got = format!("{players} agents and player {player} in block {number}");
                Err(format!("expected an agent for each player, got {got}"))
            })?;
            let seated = seating.map(|player| agents[player]);
            let mut together = seated.values().to_vec();
            together.sort_unstable();
            together.dedup();
            let is_same = *table.get_or_insert_with(|| together.clone()) == together;
            ensure(is_same, || {
                format!("expected the same players in all games of block {number}, got others in game {game}")
            })?;
            for (seat, one) in seated.iter() {
                for (opposite, other) in seated.iter().filter(|&(_, other)| one < other) {
                    let won = pair(result, seat, opposite);
                    match pairs.iter_mut().find(|pairs| (pairs.one, pairs.other) == (one, other)) {
                        Some(pairs) => (pairs.played, pairs.won) = (pairs.played + 1.0, pairs.won + won),
                        None => pairs.push(Pairs { one, other, played: 1.0, won }),
                    }
                }
            }
        }
        self.blocks.push(BlockPairs { agents: table.unwrap_or_default(), pairs });
        Ok(())
    }

    /// Returns the number of agents of the cup.
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the number of pairs that an agent played against others, and the number that it won.
    pub(super) fn pairs_of(&self, agent: usize) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for pairs in self.blocks.iter().flat_map(|block| &block.pairs) {
            let won = match agent {
                _ if agent == pairs.one => pairs.won,
                _ if agent == pairs.other => pairs.played - pairs.won,
                _ => continue,
            };
            sums = (sums.0 + pairs.played, sums.1 + won);
        }
        sums
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &BlockPairs> {
        self.blocks.iter()
    }
}
