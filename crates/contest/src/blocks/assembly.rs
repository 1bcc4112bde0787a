//! The assembly of blocks from games, which end in any order.

use std::collections::BTreeMap;

use super::game::{Block, PlayedGame};

/// The games of blocks that are not whole yet.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The number of games of a block.
    games: usize,
    blocks: BTreeMap<u64, Vec<Option<PlayedGame>>>,
}

impl Assembly {
    /// Creates an assembly of blocks of this many games.
    pub fn new(games: usize) -> Self {
        Self { games, blocks: BTreeMap::new() }
    }

    /// Adds the `index`-th game of a block. Returns the block if this was its last game.
    ///
    /// # Panics
    /// If a block has no such game, or has it already.
    pub fn add(&mut self, block: u64, index: usize, game: PlayedGame) -> Option<Block> {
        let games = self.blocks.entry(block).or_insert_with(|| vec![None; self.games]);
        assert!(index < games.len(), "expected a game below {}, got game {index} of block {block}", games.len());
        assert!(games[index].is_none(), "expected each game once, got game {index} of block {block} again");
        games[index] = Some(game);
        if games.iter().any(Option::is_none) {
            return None;
        }
        let games = self.blocks.remove(&block).expect("it was entered above");
        Some(Block { number: block, games: games.into_iter().flatten().collect() })
    }

    /// Forgets the games of a block that is not whole, so that it can be played again.
    pub fn forget(&mut self, block: u64) {
        self.blocks.remove(&block);
    }
}
