//! The salts of the days of a season: a chain in which each salt is SHA-256 of the next day's, so that a salt that is published
//! late proves all earlier ones.

use ahu_core::hex;
use sha2::{Digest as _, Sha256};

use crate::cup::seeds::Salt;

/// The number of days of a chain. A season that outlives it begins another one.
pub const CHAIN_DAYS: u64 = 4_000;

impl Salt {
    /// Returns the salt of a day of a season, from the secret of the cup. The salt before the first day of a chain is public:
    /// see [`Self::before_chain`].
    #[must_use]
    pub fn of_day(&self, day: u64) -> Self {
        (0..CHAIN_DAYS - 1 - day % CHAIN_DAYS)
            .fold(self.last_of_chain(day / CHAIN_DAYS), |salt, _| salt.of_day_before())
    }

    /// Returns the public salt with which a chain begins: SHA-256 of the salt of its first day.
    #[must_use]
    pub fn before_chain(&self, chain: u64) -> Self {
        self.of_day(chain * CHAIN_DAYS).of_day_before()
    }

    /// Returns the salt of the day before this salt's day.
    #[must_use]
    pub fn of_day_before(&self) -> Self {
        Self(Sha256::digest(self.0).into())
    }

    fn last_of_chain(&self, chain: u64) -> Self {
        Self(self.tag(&format!("chain {chain}")))
    }

    /// Returns the noise of a candidate for a seat of a game, in thousandths of the standard deviation: the sum of 12 numbers
    /// below 2^16, which is almost normal, and the same on every platform.
    pub(super) fn noise(&self, game: usize, agent: &str) -> i64 {
        let tag = self.tag(&format!("draw {game} {agent}"));
        let sum: i64 = tag.chunks(2).take(12).map(|pair| i64::from(u16::from_le_bytes([pair[0], pair[1]]))).sum();
        (sum - 6 * 65_535) * 1_000 / 65_536
    }
}

/// Checks that `salt` belongs to the day after that of `before`.
pub(super) fn check_next(salt: &Salt, before: &Salt, day: u64) -> Result<(), String> {
    match salt.of_day_before() == *before {
        true => Ok(()),
        false => Err(format!("expected a salt of day {day} whose SHA-256 is {}, got {}", hex(&before.0), hex(&salt.0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_salt_of_a_day_is_the_hash_of_the_next() {
        let root = Salt([7; 32]);
        for day in [0, 1, 2, CHAIN_DAYS - 2, CHAIN_DAYS, CHAIN_DAYS + 5] {
            assert_eq!(root.of_day(day + 1).of_day_before(), root.of_day(day), "day {day}");
            assert_eq!(check_next(&root.of_day(day + 1), &root.of_day(day), day + 1), Ok(()));
        }
        assert_ne!(root.of_day(CHAIN_DAYS).of_day_before(), root.of_day(CHAIN_DAYS - 1), "a chain of its own");
        assert_eq!(root.of_day(CHAIN_DAYS).of_day_before(), root.before_chain(1));
        let error = check_next(&root.of_day(2), &root.of_day(0), 1).expect_err("a day is missing");
        assert!(error.starts_with("expected a salt of day 1 whose SHA-256 is"), "{error}");
    }

    #[test]
    fn noise_is_almost_normal() {
        let values: Vec<_> = (0..10_000).map(|game| Salt([3; 32]).noise(game, "moai") as f64 / 1000.0).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
