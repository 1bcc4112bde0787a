//! Luck: the seeds of the games of a block.
//!
//! Only players that forget share luck: in the second game of a block a player could know the cards. So a program of a duel
//! with shared luck is a fresh process in a scratch folder, and its matches stay sealed until the block has ended. The
//! scratch folder has copies of the small files of the working folder and links to its other files, since the command of a
//! program names files. Programs that may remember have a seed for each game.

use ahu_core::Seed;

/// A rule that names the seeds of the games of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Luck {
    /// All games of a block have one seed. A player that remembers one game knows the chance of the next, so all players
    /// have to forget.
    Shared,
    /// Every game has a seed of its own. This is the default.
    #[default]
    Own,
}

/// The first index of the seeds for blocks that are played again, above the indices of games.
const REPLAYS: u64 = 1 << 32;

impl Luck {
    /// Returns the seed of a game of a block. `attempt` counts from 0, and rises when a void block is played again
    /// on new seeds.
    pub fn seed(self, root: Seed, block: u64, attempt: u32, game: usize) -> Seed {
        let first = root.child(block);
        let seed = if attempt == 0 { first } else { first.child(REPLAYS + u64::from(attempt)) };
        match self {
            Self::Shared => seed,
            Self::Own => seed.child(game as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn with_luck_of_its_own_no_game_has_the_seed_of_another() {
        let mut seeds = HashSet::new();
        for (block, attempt) in (0..20).flat_map(|block| (0..3).map(move |attempt| (block, attempt))) {
            let shared = Luck::Shared.seed(Seed(7), block, attempt, 0);
            assert_eq!(Luck::Shared.seed(Seed(7), block, attempt, 11), shared);
            seeds.insert(shared);
            seeds.extend((0..60).map(|game| Luck::Own.seed(Seed(7), block, attempt, game)));
        }
        assert_eq!(seeds.len(), 20 * 3 * 61);
    }
}
