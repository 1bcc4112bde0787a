//! Luck: everything that chance brings is a function of a seed and of the act's name.
//!
//! No generator is stored in a game, so no clone of a game holds its future, and the luck of an
//! act does not depend on what was asked before it. Two games with one seed share as much luck as
//! the rules allow: the k-th card of a deck, the n-th throw of the dice.
//!
//! The generator is ChaCha8 with the seed as key and the act's [`Stream`] as nonce: portable, and
//! not to be predicted by agents who watch the draws. How numbers are taken from it is fixed here
//! and held by known-answer tests, for a seed means the same game for ever within a rules version.

use std::fmt;
use std::str::FromStr;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::core::ParseError;

/// What fixes all luck of one game. Every number is a seed, 0 too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// The `index`-th seed that follows from this one, for many games from one number.
    #[must_use]
    pub fn child(self, index: u64) -> Self {
        // A stream of its own kind, which no game uses: kinds of games are below 0xFFFF.
        Self(keystream(self, u64::from(Stream::CHILDREN) << 48 | (index & 0xFFFF_FFFF_FFFF)).next_u64())
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Seed {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        text.parse()
            .map(Self)
            .map_err(|_| ParseError::new(0, "a seed is a whole number from 0 to 18446744073709551615"))
    }
}

/// The name of one act of chance, such as "the shuffle before the second pass".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    const CHILDREN: u16 = 0xFFFF;

    /// The `index`-th act of a kind. A game numbers its kinds from 0.
    pub const fn new(kind: u16, index: u32) -> Self {
        assert!(kind < Self::CHILDREN, "this kind is kept for the seeds of many games");
        Self((kind as u64) << 48 | index as u64)
    }
}

/// The most things that an order can have.
pub const ORDER_MAX: usize = 128;

/// The luck of one game: what [`Game::draw`](crate::core::Game::draw) may ask.
#[derive(Clone)]
pub struct Luck {
    seed: Seed,
    /// The order last asked for, since a deck is drawn from many times over.
    kept: Option<(Stream, usize)>,
    order: [u8; ORDER_MAX],
}

impl Luck {
    /// The luck that `seed` brings.
    pub fn new(seed: Seed) -> Self {
        Self { seed, kept: None, order: UNSHUFFLED }
    }

    /// The seed that it follows from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The order of the things 0 to `n` - 1 in `stream`: a shuffled deck. A draw takes the first
    /// of them that is in its pile, so that two games draw alike as long as their piles do.
    ///
    /// The things are single cards. A pile that is kept as counts of equal cards can't be drawn
    /// from like this: to pass over as many of a kind as are gone favours rare kinds. It takes the
    /// first of a new order at each draw, from a stream named by how much has been drawn.
    ///
    /// # Panics
    /// Where `n` is above [`ORDER_MAX`].
    #[inline]
    pub fn order(&mut self, stream: Stream, n: usize) -> &[u8] {
        if self.kept != Some((stream, n)) {
            let mut order = Order::new(self.seed, stream, n);
            for _ in 0..n {
                order.next();
            }
            self.order = order.things;
            self.kept = Some((stream, n));
        }
        &self.order[..n]
    }

    /// The same order, worked out only as far as it is asked for: for piles drawn from once.
    ///
    /// # Panics
    /// Where `n` is above [`ORDER_MAX`].
    pub fn order_once(&self, stream: Stream, n: usize) -> impl Iterator<Item = u8> + use<> {
        Order::new(self.seed, stream, n)
    }

    /// The `index`-th number of `stream`, from 0 to `below` - 1: a die.
    ///
    /// One of 2^64 values is scaled down, so no number is likelier than another by more than
    /// `below` in 2^64.
    ///
    /// # Panics
    /// Where `below` is 0.
    pub fn number(&self, stream: Stream, index: u32, below: u32) -> u32 {
        assert!(below > 0, "there is no number below 0");
        let mut keystream = keystream(self.seed, stream.0);
        keystream.set_word_pos(u128::from(index) * 2);
        ((u128::from(keystream.next_u64()) * u128::from(below)) >> 64) as u32
    }
}

impl fmt::Debug for Luck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Luck").field(&self.seed).finish()
    }
}

/// The keystream of an act: ChaCha8, key = the seed and the name of this use, nonce = the stream.
fn keystream(seed: Seed, stream: u64) -> ChaCha8Rng {
    let mut key = *b"........ahu luck, version 1.....";
    key[..8].copy_from_slice(&seed.0.to_le_bytes());
    let mut keystream = ChaCha8Rng::from_seed(key);
    keystream.set_stream(stream);
    keystream
}

const UNSHUFFLED: [u8; ORDER_MAX] = {
    let mut things = [0; ORDER_MAX];
    let mut n = 0;
    while n < ORDER_MAX {
        things[n] = n as u8;
        n += 1;
    }
    things
};

/// A shuffle in the making: Fisher and Yates from the front, so that what it has given stands.
struct Order {
    keystream: ChaCha8Rng,
    things: [u8; ORDER_MAX],
    next: usize,
    n: usize,
}

impl Order {
    fn new(seed: Seed, stream: Stream, n: usize) -> Self {
        assert!(n <= ORDER_MAX, "an order of {n} things");
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

/// A number from 0 to `n` - 1, each exactly as likely (Lemire, "Fast random integer generation in
/// an interval", 2019). Our own, since libraries may change theirs between versions.
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
