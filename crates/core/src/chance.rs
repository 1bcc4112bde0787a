//! Chance: every outcome is a function of the seed and the name of the event.
//!
//! A game stores no generator, so a clone of a game does not contain its future, and the outcome of an event does not
//! depend on earlier draws. Two games with the same seed share as much chance as the rules allow: the k-th card of a
//! deck, the n-th throw of the dice.
//!
//! The generator is ChaCha8 with the seed as key and the event's [`Stream`] as nonce. It is portable, and agents who
//! watch the draws cannot predict it. This file defines how numbers are taken from it, and known-answer tests check
//! the definition, because a seed must mean the same game for as long as a rules version exists.
//!
//! ChaCha8 comes with `rand` and is specified. SipHash-2-4 in counter mode needs no set-up and rolls one die in a fifth of
//! the time. But it takes a third longer for the order of a deck of 120 cards, and card games ask for orders; a single card
//! out of a hand costs the same with both (`cargo bench --bench choices` prints the ratios). A game draws from one deck many
//! times. So [`ChanceRng`] keeps the last order, with the set of cards in each stride of eight, and skips drawn cards eight
//! at a time.

use std::fmt;
use std::str::FromStr;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::ParseError;

/// The number that fixes all chance of one game. Every 64-bit number is a seed, 0 included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// Returns the `index`-th seed derived from this one, to seed many games from one number.
    #[must_use]
    pub fn child(self, index: u64) -> Self {
        // A kind of stream that no game uses: the kinds of games are below 0xFFFF.
        Self(keystream(self, u64::from(Stream::CHILDREN) << 48 | (index & 0xFFFF_FFFF_FFFF)).next_u64())
    }

    /// Returns this seed plus `n`, modulo 2^64. Vector environments are seeded this way, as trainers expect.
    #[must_use]
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n as u64))
    }
}

/// Returns a seed below 2^53 from 64 random bits: a number that floats hold, so that every language reads it.
pub const fn portable_seed(bits: u64) -> u64 {
    bits >> 11
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// As a text: JSON in JavaScript and jq has no numbers above 2^53. A number is read too.
#[cfg(feature = "serde")]
impl serde::Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "expected a whole number from 0 to 18446744073709551615, as a text or a number")]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Self(number)),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// A seed is read in decimal, or in hexadecimal after `0x`.
impl FromStr for Seed {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number
            .map(Self)
            .map_err(|_| ParseError::new(0, format!("expected a whole number from 0 to {}, got \"{text}\"", u64::MAX)))
    }
}

/// The name of one chance event, such as "the shuffle before the second pass".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    const CHILDREN: u16 = 0xFFFF;

    /// Creates the name of the `index`-th event of a kind. A game numbers its kinds from 0.
    pub const fn new(kind: u16, index: u32) -> Self {
        assert!(kind < Self::CHILDREN, "a kind is below 0xFFFF, which derived seeds use");
        Self((kind as u64) << 48 | index as u64)
    }
}

/// The largest number of things in an order, so that the bits of a `u128` can hold a pile of them.
pub const MAX_ORDER: usize = 128;

/// The number of things in a stride. A draw skips a whole stride if none of its things is in the pile.
const STRIDE: usize = 8;

/// The bits of a set of things as two words, which are cheaper to use than one `u128`.
type Halves = [u64; 2];

/// The chance of one game: the source of random numbers for [`Game::draw`](crate::Game::draw).
#[derive(Clone)]
pub struct ChanceRng {
    seed: Seed,
    /// The stream and the length of the last order. The order is kept because a deck is drawn from many times.
    kept: Option<(Stream, usize)>,
    order: [u8; MAX_ORDER],
    /// The things of the kept order, as one set for each stride.
    strides: [Halves; MAX_ORDER / STRIDE],
}

impl ChanceRng {
    /// Creates the chance of a game with this seed.
    pub fn new(seed: Seed) -> Self {
        Self { seed, kept: None, order: UNSHUFFLED, strides: [[0; 2]; MAX_ORDER / STRIDE] }
    }

    /// Returns the seed.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the order of the things 0 to `n` - 1 in `stream`, such as a shuffled deck.
    ///
    /// # Panics
    /// If `n` is above [`MAX_ORDER`].
    #[inline]
    pub fn order(&mut self, stream: Stream, n: usize) -> &[u8] {
        if self.kept != Some((stream, n)) {
            self.keep(stream, n);
        }
        &self.order[..n]
    }

    /// Returns the same order, but computes it only as far as the caller reads it.
    ///
    /// # Panics
    /// If `n` is above [`MAX_ORDER`].
    pub fn order_once(&self, stream: Stream, n: usize) -> impl Iterator<Item = u8> {
        Order::new(self.seed, stream, n)
    }

    /// Draws the first `count` things of `pile` in the order of `stream`, or all of them if there are fewer. Two
    /// games draw alike as long as their piles are equal.
    ///
    /// The things are single cards. A pile that is kept as counts of equal cards needs another method: skipping as
    /// many cards of a kind as are gone would favour rare kinds. Such a pile takes the first card of a new order at
    /// each draw, from a stream whose name contains the number of cards drawn so far.
    ///
    /// # Panics
    /// If `n` is above [`MAX_ORDER`].
    #[inline]
    pub fn draw(&mut self, stream: Stream, n: usize, pile: u128, count: usize) -> u128 {
        self.order(stream, n);
        let pile = halves(pile);
        let (mut drawn, mut left) = (0, count);
        for (stride, things) in self.strides.iter().zip(self.order.chunks_exact(STRIDE)) {
            if left == 0 {
                break;
            }
            if (stride[0] & pile[0]) | (stride[1] & pile[1]) != 0 {
                take_first(things.iter().copied(), pile, &mut drawn, &mut left);
            }
        }
        drawn
    }

    /// Draws the same things, but computes the order only as far as needed: for a pile that is drawn from once, such
    /// as a hand.
    ///
    /// # Panics
    /// If `n` is above [`MAX_ORDER`].
    pub fn draw_once(&self, stream: Stream, n: usize, pile: u128, count: usize) -> u128 {
        let (mut drawn, mut left) = (0, count);
        take_first(self.order_once(stream, n), halves(pile), &mut drawn, &mut left);
        drawn
    }

    #[cold]
    fn keep(&mut self, stream: Stream, n: usize) {
        let mut order = Order::new(self.seed, stream, n);
        self.strides = [[0; 2]; MAX_ORDER / STRIDE];
        for place in 0..n {
            let thing = order.next().expect("an order of n things has n of them");
            self.strides[place / STRIDE][usize::from(thing / 64)] |= 1 << (thing % 64);
        }
        self.order = order.things;
        self.kept = Some((stream, n));
    }

    /// Returns the `index`-th number of `stream`, from 0 to `below` - 1, such as a die roll.
    ///
    /// The method scales down one of 2^64 values, so no number is likelier than another by more than `below` in 2^64.
    ///
    /// # Panics
    /// If `below` is 0.
    pub fn number(&self, stream: Stream, index: u32, below: u32) -> u32 {
        assert!(below > 0, "expected an upper bound above 0, got 0");
        let mut keystream = keystream(self.seed, stream.0);
        keystream.set_word_pos(u128::from(index) * 2);
        ((u128::from(keystream.next_u64()) * u128::from(below)) >> 64) as u32
    }
}

impl fmt::Debug for ChanceRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ChanceRng").field(&self.seed).finish()
    }
}

fn halves(pile: u128) -> Halves {
    [pile as u64, (pile >> 64) as u64]
}

/// Adds the `things` that are in `pile` to `drawn`, until `left` is 0.
#[inline]
fn take_first(things: impl Iterator<Item = u8>, pile: Halves, drawn: &mut u128, left: &mut usize) {
    for thing in things {
        if *left == 0 {
            return;
        }
        if pile[usize::from(thing / 64 % 2)] >> (thing % 64) & 1 == 1 {
            *drawn |= 1 << thing;
            *left -= 1;
        }
    }
}

/// Returns the keystream of a chance event.
fn keystream(seed: Seed, stream: u64) -> ChaCha8Rng {
    labelled_keystream(seed, CHANCE_LABEL, stream)
}

/// The label of all chance events.
pub const CHANCE_LABEL: &[u8; 24] = b"ahu luck, version 1.....";

/// Returns a keystream: ChaCha8 with the seed and a label as key, and the stream as nonce. Chance has one label, and
/// each other use of a seed has its own, so that none of them tells anything about another.
pub fn labelled_keystream(seed: Seed, label: &[u8; 24], stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.0.to_le_bytes());
    key[8..].copy_from_slice(label);
    let mut keystream = ChaCha8Rng::from_seed(key);
    keystream.set_stream(stream);
    keystream
}

const UNSHUFFLED: [u8; MAX_ORDER] = {
    let mut things = [0; MAX_ORDER];
    let mut n = 0;
    while n < MAX_ORDER {
        things[n] = n as u8;
        n += 1;
    }
    things
};

/// An unfinished shuffle (Fisher-Yates from the front): the things that it has returned keep their places.
struct Order {
    keystream: ChaCha8Rng,
    things: [u8; MAX_ORDER],
    next: usize,
    n: usize,
}

impl Order {
    fn new(seed: Seed, stream: Stream, n: usize) -> Self {
        assert!(n <= MAX_ORDER, "expected at most {MAX_ORDER} things in an order, got {n}");
        Self { keystream: keystream(seed, stream.0), things: UNSHUFFLED, next: 0, n }
    }
}

impl Iterator for Order {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.next == self.n {
            return None;
        }
        let other = self.next + below(&mut self.keystream, (self.n - self.next) as u32) as usize;
        self.things.swap(self.next, other);
        self.next += 1;
        Some(self.things[self.next - 1])
    }
}

/// Returns a number from 0 to `n` - 1, all exactly equally likely (Lemire, "Fast random integer generation in an
/// interval", 2019). The function is our own, since libraries may change theirs between versions.
#[inline]
fn below(keystream: &mut ChaCha8Rng, n: u32) -> u32 {
    let mut product = u64::from(keystream.next_u32()) * u64::from(n);
    if (product as u32) < n {
        let threshold = n.wrapping_neg() % n;
        while (product as u32) < threshold {
            product = u64::from(keystream.next_u32()) * u64::from(n);
        }
    }
    (product >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks values that another implementation of ChaCha8 computed from the documentation above. If this test
    /// fails, every seed means another game, and all rules need a new version.
    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut chance = ChanceRng::new(Seed(7));
        let order = chance.order(Stream::new(1, 0), 120);
        assert_eq!(order[..12], [5, 80, 109, 49, 59, 1, 115, 35, 99, 82, 100, 46]);
        assert_eq!(order[116..], [6, 18, 36, 22]);
        assert_eq!(ChanceRng::new(Seed(0)).order(Stream::new(0, 3), 5), [2, 0, 4, 3, 1]);
        assert_eq!(ChanceRng::new(Seed(u64::MAX)).order(Stream::new(2, 12), 8), [0, 2, 4, 6, 3, 1, 5, 7]);

        let dice: Vec<u32> = (0..10).map(|index| chance.number(Stream::new(0, 0), index, 6)).collect();
        assert_eq!(dice, [1, 0, 4, 5, 2, 2, 2, 4, 5, 0]);
        assert_eq!(chance.number(Stream::new(3, 9), 40, 1_000_000), 602_175);

        assert_eq!(Seed(0).child(0), Seed(10_292_283_734_964_088_396));
        assert_eq!(Seed(7).child(1), Seed(1_195_615_280_799_236_013));
        assert_eq!(Seed(u64::MAX).child(1 << 40), Seed(8_805_846_192_642_305_944));
    }

    #[test]
    fn an_order_has_each_thing_once() {
        let mut chance = ChanceRng::new(Seed(3));
        for n in [0, 1, 2, 50, MAX_ORDER] {
            for index in 0..20 {
                let mut order = chance.order(Stream::new(4, index), n).to_vec();
                assert!(chance.order_once(Stream::new(4, index), n).eq(order.iter().copied()), "the same order");
                order.sort_unstable();
                assert!(order.into_iter().eq(0..n as u8));
            }
        }
    }

    #[test]
    fn a_draw_takes_the_first_in_the_order_that_are_in_the_pile() {
        let mut chance = ChanceRng::new(Seed(5));
        for n in [1, 7, 8, 9, 100, MAX_ORDER] {
            for index in 0..40 {
                let stream = Stream::new(5, index);
                let pile = (u128::MAX >> (MAX_ORDER - n))
                    & (u128::from(Seed(9).child(index.into()).0) << 33 | u128::MAX << 90 | 1);
                for count in [0, 1, 4, 120] {
                    let first = chance.order(stream, n).iter().filter(|&&thing| pile >> thing & 1 == 1).take(count);
                    let expected = first.fold(0, |drawn: u128, thing| drawn | 1 << thing);
                    assert_eq!(chance.draw(stream, n, pile, count), expected);
                    assert_eq!(chance.draw_once(stream, n, pile, count), expected);
                }
            }
        }
    }

    #[test]
    fn each_order_and_each_number_is_as_likely() {
        const SEEDS: usize = 24_000;
        let mut orders = std::collections::HashMap::new();
        let mut numbers = [0; 6];
        for seed in 0..SEEDS as u64 {
            let mut chance = ChanceRng::new(Seed(seed));
            *orders.entry(chance.order(Stream::new(0, 0), 4).to_vec()).or_insert(0_usize) += 1;
            numbers[chance.number(Stream::new(1, 0), 5, 6) as usize] += 1;
        }
        // Chi-squared with 23 and 5 degrees of freedom: one seed in 10,000 exceeds these limits.
        let chi_squared = |counts: &[usize]| {
            let expected = SEEDS as f64 / counts.len() as f64;
            counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum::<f64>()
        };
        let orders: Vec<usize> = orders.into_values().collect();
        assert_eq!(orders.len(), 24);
        assert!(chi_squared(&orders) < 54.0, "{orders:?}");
        assert!(chi_squared(&numbers) < 26.0, "{numbers:?}");
    }
}
