//! Calibration: do the statistics keep their promises?
//!
//! Each cell has a population of simulated blocks, so that its truth is known. Duels and cups draw blocks from it, and
//! the tests count how many intervals hold the truth, and how many tests err. CI runs a small calibration;
//! `AHU_CALIBRATION=2000` (in `.ci/test --long`) the whole one, with 2,000 duels or cups a cell. It prints every cell:
//!
//! ```text
//! AHU_CALIBRATION=2000 cargo test --release --test contest calibration -- --nocapture
//! ```

mod cups;
mod duels;
mod influence;
mod resolution;
mod seasons;
mod simulation;

use rand::Rng as _;
use rand::rngs::ChaCha8Rng;

/// The number of trials of a cell in the whole calibration.
const WHOLE: usize = 2000;

/// Returns the number of trials of a cell: `small` in CI.
fn trials(small: usize) -> usize {
    let Ok(text) = std::env::var("AHU_CALIBRATION") else { return small };
    text.parse().unwrap_or_else(|_| panic!("expected AHU_CALIBRATION to be a number of trials, got {text:?}"))
}

/// Returns by how much a rate may miss its limit by chance: nothing in the whole calibration, four standard errors in a
/// smaller one.
fn slack(trials: usize) -> f64 {
    if trials >= WHOLE { 0.0 } else { 4.0 * (0.05 * 0.95 / trials as f64).sqrt() }
}

/// Returns a number between 0 and 1, without 0.
pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON / 4.0
}

/// Returns a sample of the normal distribution (Box and Muller, 1958).
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (uniform(rng), uniform(rng));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
