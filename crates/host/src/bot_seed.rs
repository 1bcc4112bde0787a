//! The random numbers of bots, in games and in searches.
//!
//! The choice of a bot is a function of bot seed, seat, and decision, so nothing depends on the order of computation. The games
//! of a block have bot seeds of their own.

use std::convert::Infallible;

use ahu_core::{Seat, Seed, labelled_keystream};
use rand::{Rng, TryRng};

/// The source of all random choices that bots make in one game.
///
/// The bot seed comes from the seed of the match under a label of its own, never from a stream of chance. So no choice
/// of a bot tells anything about the chance of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotSeed(u64);

impl BotSeed {
    /// Returns the bot seed of the `game`-th game with this seed. A match and an episode are game 0; a block plays
    /// several games with one seed.
    pub fn new(seed: Seed, game: u64) -> Self {
        Self(labelled_keystream(seed, BOTS_LABEL, game).next_u64())
    }

    /// Returns the generator for one decision of a seat. Decisions count from 1 for each seat; number 0 is the draw of
    /// the bot itself from a mixture.
    #[inline]
    pub fn rng(self, seat: Seat, decision: u32) -> BotRng {
        let place = (seat.index() as u64) << 32 | u64::from(decision);
        BotRng(mix(self.0.wrapping_add(place.wrapping_mul(GAMMA))))
    }
}

/// The label of all bot seeds.
const BOTS_LABEL: &[u8; 24] = b"ahu bots, version 1.....";

/// Returns the label of all bot seeds as a record names it.
pub(super) fn bots_label() -> &'static str {
    str::from_utf8(BOTS_LABEL).expect("the label is ASCII").trim_end_matches('.')
}

/// The generator for one decision of a bot: `SplitMix64` (Steele, Lea, and Flood, "Fast splittable pseudorandom number
/// generators", 2014). It costs nothing to set up, which a cipher does, and it is written out, because a seed must mean
/// the same game for as long as a bot's version exists.
#[derive(Clone, Debug)]
pub struct BotRng(u64);

impl BotRng {
    /// Returns the generator in this state.
    pub const fn of_state(state: u64) -> Self {
        Self(state)
    }

    /// Returns the generator for the `index`-th use of this one's next number.
    pub(super) fn child(base: u64, index: u64) -> Self {
        Self(mix(base.wrapping_add(index.wrapping_mul(GAMMA))))
    }

    /// Returns a number from 0 to `below` - 1, each as likely.
    pub(super) fn below(&mut self, below: u64) -> u64 {
        number(self, below)
    }

    /// Draws one of `items` with probability proportional to its weight.
    ///
    /// # Panics
    /// If no weight is above 0.
    pub(super) fn weighted<T: Copy>(&mut self, items: &[(T, u32)]) -> T {
        let total = items.iter().map(|&(_, weight)| u64::from(weight)).sum();
        let mut left = number(self, total);
        for &(item, weight) in items {
            match left.checked_sub(weight.into()) {
                Some(rest) => left = rest,
                None => return item,
            }
        }
        panic!("expected a weight above 0")
    }
}

impl TryRng for BotRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next_u64() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(GAMMA);
        Ok(mix(self.0))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// Returns a number from 0 to `below` - 1. The function scales down one of 2^64 values, so no number is likelier than
/// another by more than `below` in 2^64.
pub(super) fn number(rng: &mut (impl Rng + ?Sized), below: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(below)) >> 64) as u64
}

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of `SplitMix64`.
#[inline]
const fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ahu_core::CHANCE_LABEL;

    use super::*;

    /// Checks the first outputs that the reference implementation gives for the state 1234567.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut rng = BotRng(1_234_567);
        let first = [(); 3].map(|()| rng.next_u64());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_bot_seed_means_the_same_for_ever() {
        let seeds = [(Seed(0), 0), (Seed(7), 0), (Seed(7), 1), (Seed(u64::MAX), 5)];
        let bot_seeds = seeds.map(|(seed, game)| BotSeed::new(seed, game).0);
        let expected = [
            14_490_529_244_610_945_075,
            1_501_194_505_866_231_527,
            16_515_520_759_919_243_157,
            17_188_675_488_414_664_019,
        ];
        assert_eq!(bot_seeds, expected);
        let seat = Seat::new(3).expect("a seat");
        assert_eq!(BotSeed::new(Seed(7), 0).rng(seat, 12).next_u64(), 2_994_820_847_111_933_176);
    }

    #[test]
    fn no_stream_of_bots_is_a_stream_of_chance() {
        let mut words = HashSet::new();
        let mut count = 0;
        let mut add = |rng: &mut dyn Rng| {
            words.extend([(); 4].map(|()| rng.next_u64()));
            count += 4;
        };
        for seed in (0..20).map(Seed) {
            for game in 0..20 {
                add(&mut labelled_keystream(seed, BOTS_LABEL, game));
                for (seat, decision) in (0..6).flat_map(|seat| (0..20).map(move |decision| (seat, decision))) {
                    add(&mut BotSeed::new(seed, game).rng(Seat::new(seat).expect("a seat"), decision));
                }
            }
            for (kind, index) in (0..20).flat_map(|kind| (0..20).map(move |index| (kind, index))) {
                add(&mut labelled_keystream(seed, CHANCE_LABEL, kind << 48 | index));
            }
        }
        assert_eq!(words.len(), count, "all words differ");
    }
}
