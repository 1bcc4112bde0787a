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

/// A block that has no place in the results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultsError {
    /// A game of the block is void, for this reason.
    #[error("expected a block with results, got void block {block}: {reason}")]
    Void {
        /// The number of the block.
        block: u64,
        /// The reason.
        reason: String,
    },
    /// A player without an agent.
    #[error("expected an agent for each player, got {players} agents and player {player} in block {block}")]
    NoAgent {
        /// The number of the block.
        block: u64,
        /// The player.
        player: usize,
        /// The number of players that have an agent.
        players: usize,
    },
    /// An agent that is not in the cup.
    #[error("expected an agent below {agents}, got agent {agent}")]
    UnknownAgent {
        /// The number of the agent.
        agent: usize,
        /// The number of agents of the cup.
        agents: usize,
    },
    /// A game whose players differ from the players of the first game of its block.
    #[error("expected the same players in all games of block {block}, got others in game {game}")]
    OtherPlayers {
        /// The number of the block.
        block: u64,
        /// The index of the game in its block.
        game: usize,
    },
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
    pub fn add(&mut self, block: &Block, agents: &[usize]) -> Result<(), ResultsError> {
        let (number, players) = (block.number, agents.len());
        if let Some(reason) = block.void() {
            return Err(ResultsError::Void { block: number, reason: reason.to_owned() });
        }
        let unknown = agents.iter().find(|&&agent| agent >= self.agents);
        unknown.map_or(Ok(()), |&agent| Err(ResultsError::UnknownAgent { agent, agents: self.agents }))?;
        let mut table: Option<Vec<usize>> = None;
        let mut pairs: Vec<Pairs> = Vec::new();
        for (game, (seating, result)) in block.results().enumerate() {
            let unknown = seating.values().iter().find(|&&player| player >= players);
            unknown.map_or(Ok(()), |&player| Err(ResultsError::NoAgent { block: number, player, players }))?;
            let seated = seating.map(|player| agents[player]);
            let mut together = seated.values().to_vec();
            together.sort_unstable();
            together.dedup();
            let is_same = *table.get_or_insert_with(|| together.clone()) == together;
            ensure(is_same, || ResultsError::OtherPlayers { block: number, game })?;
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
