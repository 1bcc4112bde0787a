//! The bootstrap: replicates of blocks.

use ahu_core::Seed;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

/// The replicates from which intervals and tests come. The same results and bootstrap give the same intervals with any
/// number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// The number of replicates.
    pub replicates: u32,
    /// The seed of the draws.
    pub seed: Seed,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { replicates: 1000, seed: Seed(0) }
    }
}

impl Bootstrap {
    /// Calls `of` with the generator of each replicate, on all threads of the current pool of rayon, and returns the
    /// results in the order of the replicates.
    pub fn map<T: Send>(self, of: impl Fn(&mut ChaCha8Rng) -> T + Sync) -> Vec<T> {
        let replicate = |index| of(&mut ChaCha8Rng::seed_from_u64(self.seed.child(u64::from(index)).0));
        (0..self.replicates).into_par_iter().map(replicate).collect()
    }
}

/// Draws as many of `blocks` blocks with replacement, and returns the number of times that each was drawn.
pub fn draw(blocks: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut counts = vec![0.0; blocks];
    for _ in 0..blocks {
        counts[((u128::from(rng.next_u64()) * blocks as u128) >> 64) as usize] += 1.0;
    }
    counts
}
