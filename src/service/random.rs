//! Random numbers that nobody can predict: for tokens, ids, salts, and seeds.

use rand::TryRng;
use rand::rngs::SysRng;

/// Returns random bytes of the operating system.
pub(super) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).expect("the system has random numbers");
    bytes
}
