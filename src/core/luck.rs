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

    /// This one plus `n`, modulo 2^64: for many environments from one number, as trainers are used to.
    #[must_use]
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n as u64))
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

/// The most things that an order can have: a pile of them is the bits of a `u128`.
pub const ORDER_MAX: usize = 128;

/// How many things of an order are passed over at once, where none of them is in the pile.
const STRIDE: usize = 8;

/// The bits of a set of things, as two words: cheaper than the one that they are.
type Halves = [u64; 2];

/// The luck of one game: what [`Game::draw`](crate::core::Game::draw) may ask.
#[derive(Clone)]
pub struct Luck {
    seed: Seed,
    /// The order last asked for, since a deck is drawn from many times over.
    kept: Option<(Stream, usize)>,
    order: [u8; ORDER_MAX],
    /// The same order, as the sets of the things in each stride.
    strides: [Halves; ORDER_MAX / STRIDE],
}

impl Luck {
    /// The luck that `seed` brings.
    pub fn new(seed: Seed) -> Self {
        Self { seed, kept: None, order: UNSHUFFLED, strides: [[0; 2]; ORDER_MAX / STRIDE] }
    }

    /// The seed that it follows from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The order of the things 0 to `n` - 1 in `stream`: a shuffled deck.
    ///
    /// # Panics
    /// Where `n` is above [`ORDER_MAX`].
    #[inline]
    pub fn order(&mut self, stream: Stream, n: usize) -> &[u8] {
        if self.kept != Some((stream, n)) {
            self.keep(stream, n);
        }
        &self.order[..n]
    }

    /// The same order, worked out only as far as it is asked for.
    ///
    /// # Panics
    /// Where `n` is above [`ORDER_MAX`].
    pub fn order_once(&self, stream: Stream, n: usize) -> impl Iterator<Item = u8> {
        Order::new(self.seed, stream, n)
    }

    /// A draw: the first `count` things in the order of `stream` that are in `pile`, or as many as
    /// there are. Two games draw alike as long as their piles do.
    ///
    /// The things are single cards. A pile that is kept as counts of equal cards can't be drawn
    /// from like this: to pass over as many of a kind as are gone favours rare kinds. It takes the
    /// first of a new order at each draw, from a stream named by how much has been drawn.
    ///
    /// # Panics
    /// Where `n` is above [`ORDER_MAX`].
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

    /// The same draw, the order being worked out only as far as it is needed: for piles that are
    /// drawn from once, such as a hand.
    ///
    /// # Panics
    /// Where `n` is above [`ORDER_MAX`].
    pub fn draw_once(&self, stream: Stream, n: usize, pile: u128, count: usize) -> u128 {
        let (mut drawn, mut left) = (0, count);
        take_first(self.order_once(stream, n), halves(pile), &mut drawn, &mut left);
        drawn
    }

    #[cold]
    fn keep(&mut self, stream: Stream, n: usize) {
        let mut order = Order::new(self.seed, stream, n);
        self.strides = [[0; 2]; ORDER_MAX / STRIDE];
        for place in 0..n {
            let thing = order.next().expect("an order has all its things");
            self.strides[place / STRIDE][usize::from(thing / 64)] |= 1 << (thing % 64);
        }
        self.order = order.things;
        self.kept = Some((stream, n));
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

fn halves(pile: u128) -> Halves {
    [pile as u64, (pile >> 64) as u64]
}

/// Puts things that are in `pile` into `drawn`, until none is `left` to draw.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out with another implementation of ChaCha8, from what the documentation above says. If
    /// this test fails, every seed means another game: that takes a new version of all rules.
    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut luck = Luck::new(Seed(7));
        let order = luck.order(Stream::new(1, 0), 120);
        assert_eq!(order[..12], [5, 80, 109, 49, 59, 1, 115, 35, 99, 82, 100, 46]);
        assert_eq!(order[116..], [6, 18, 36, 22]);
        assert_eq!(Luck::new(Seed(0)).order(Stream::new(0, 3), 5), [2, 0, 4, 3, 1]);
        assert_eq!(Luck::new(Seed(u64::MAX)).order(Stream::new(2, 12), 8), [0, 2, 4, 6, 3, 1, 5, 7]);

        let dice: Vec<u32> = (0..10).map(|index| luck.number(Stream::new(0, 0), index, 6)).collect();
        assert_eq!(dice, [1, 0, 4, 5, 2, 2, 2, 4, 5, 0]);
        assert_eq!(luck.number(Stream::new(3, 9), 40, 1_000_000), 602_175);

        assert_eq!(Seed(0).child(0), Seed(10_292_283_734_964_088_396));
        assert_eq!(Seed(7).child(1), Seed(1_195_615_280_799_236_013));
        assert_eq!(Seed(u64::MAX).child(1 << 40), Seed(8_805_846_192_642_305_944));
    }

    #[test]
    fn an_order_has_each_thing_once() {
        let mut luck = Luck::new(Seed(3));
        for n in [0, 1, 2, 50, ORDER_MAX] {
            for index in 0..20 {
                let mut order = luck.order(Stream::new(4, index), n).to_vec();
                assert!(luck.order_once(Stream::new(4, index), n).eq(order.iter().copied()), "the same order");
                order.sort_unstable();
                assert!(order.into_iter().eq(0..n as u8));
            }
        }
    }

    #[test]
    fn a_draw_takes_the_first_in_the_order_that_are_in_the_pile() {
        let mut luck = Luck::new(Seed(5));
        for n in [1, 7, 8, 9, 100, ORDER_MAX] {
            for index in 0..40 {
                let stream = Stream::new(5, index);
                let pile = (u128::MAX >> (ORDER_MAX - n))
                    & (u128::from(Seed(9).child(index.into()).0) << 33 | u128::MAX << 90 | 1);
                for count in [0, 1, 4, 120] {
                    let first = luck.order(stream, n).iter().filter(|&&thing| pile >> thing & 1 == 1).take(count);
                    let expected = first.fold(0, |drawn: u128, thing| drawn | 1 << thing);
                    assert_eq!(luck.draw(stream, n, pile, count), expected);
                    assert_eq!(luck.draw_once(stream, n, pile, count), expected);
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
            let mut luck = Luck::new(Seed(seed));
            *orders.entry(luck.order(Stream::new(0, 0), 4).to_vec()).or_insert(0_usize) += 1;
            numbers[luck.number(Stream::new(1, 0), 5, 6) as usize] += 1;
        }
        // Chi-squared, with 23 and 5 degrees of freedom: above these with one seed in 10,000.
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
