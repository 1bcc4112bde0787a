//! The seed that a program gets for its own random choices: `AHU_AGENT_SEED`.

use ahu_core::{Seed, portable_seed};
use sha2::{Digest as _, Sha256};

/// The label, which separates these seeds from other uses of SHA-256.
const LABEL: &[u8] = b"ahu agent seed 1";

/// Returns the agent seed of a seat in a game, below 2^53. It is made of the first eight bytes of SHA-256 over a label, the seed
/// of all games, the seat, and the name of the game. The name differs between games with shared chance, and so do their agent
/// seeds. An agent seed tells nothing about chance to a program that cannot guess the seed of the games.
pub fn agent_seed(seed: Seed, game: &str, seat: u32) -> u64 {
    let digest = Sha256::new()
        .chain_update(LABEL)
        .chain_update(seed.0.to_le_bytes())
        .chain_update([seat as u8])
        .chain_update(game)
        .finalize();
    portable_seed(u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a seed with another implementation:
    /// `int.from_bytes(sha256(b"ahu agent seed 1" + (7).to_bytes(8, "little") + b"\x01" + b"new 3.0").digest()[:8],
    /// "little") >> 11`.
    #[test]
    fn an_agent_seed_is_the_same_for_ever() {
        assert_eq!(agent_seed(Seed(7), "new 3.0", 1), EXPECTED);
        assert_ne!(agent_seed(Seed(7), "new 3.0", 0), EXPECTED);
        assert_ne!(agent_seed(Seed(7), "new 3.1", 1), EXPECTED);
    }

    const EXPECTED: u64 = 2_247_187_110_974_088;
}
