//! Counts: the number of equal things of each kind, such as cards or Resources.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, Index, IndexMut, Sub};

use super::lines::joined_or;
use super::set::Set;
use crate::Numbered;
use crate::observation::packed_bytes;

/// The number of things of each kind. Equal things need no identity. `N` is the number of kinds, or [`WORD`]: then all
/// counts are one word, and one step adds or compares all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counts<K, const N: usize> {
    counts: [u8; N],
    kinds: PhantomData<K>,
}

/// The size of counts that fit into a word. There may be fewer kinds; their counts stay below 128.
pub const WORD: usize = 8;

impl<K, const N: usize> Counts<K, N> {
    /// No thing of any kind.
    pub const EMPTY: Self = Self::of([0; N]);

    /// Creates counts from the numbers of the first kinds, in the order of the kinds; the others are zero.
    pub const fn of<const M: usize>(numbers: [u8; M]) -> Self {
        let mut counts = [0; N];
        let mut n = 0;
        while n < M {
            counts[n] = numbers[n];
            n += 1;
        }
        Self { counts, kinds: PhantomData }
    }

    /// Returns the numbers in the order of the kinds.
    #[inline]
    pub const fn as_array(&self) -> &[u8; N] {
        &self.counts
    }

    /// Returns the numbers as binary digits, `width` for each kind, the first kind lowest.
    #[inline]
    pub fn digits(&self, width: usize) -> u64 {
        let mut digits = 0;
        for (bytes, first) in self.counts.chunks(8).zip((0..).step_by(8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            digits |= packed_bytes(all, width) << (first * width);
        }
        digits
    }

    /// Returns the number of things of all kinds.
    #[inline]
    pub fn total(&self) -> u8 {
        self.counts.iter().sum()
    }
}

impl<K: Numbered, const N: usize> Counts<K, N> {
    /// Returns the numbers in the order of the kinds.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.counts[..K::COUNT]
    }

    /// Returns true if `all` has at least as many things of each kind.
    pub fn is_within(&self, all: Self) -> bool {
        self.counts.iter().zip(all.counts).all(|(&own, other)| own <= other)
    }

    /// Iterates over all kinds with their numbers, zeros included.
    pub fn iter(self) -> impl Iterator<Item = (K, u8)> {
        K::all().zip(self.counts)
    }

    /// Returns the kinds with a number above 0.
    #[inline]
    pub fn kinds(&self) -> Set<K> {
        Set::from_bits((0..K::COUNT).fold(0, |bits, kind| bits | u64::from(self.counts[kind] > 0) << kind))
    }
}

/// The word with a one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte. All counts are below it.
const HIGHEST: u64 = ONES << 7;

impl<K: Numbered> Counts<K, WORD> {
    #[inline]
    const fn word(self) -> u64 {
        u64::from_le_bytes(self.counts)
    }

    /// Returns one bit for each kind, set if there are more things of it than in each of `others`.
    #[inline]
    pub fn more_than(self, others: impl IntoIterator<Item = Self>) -> u64 {
        let more = |other: Self| more_than(self.word(), other.word());
        gather(others.into_iter().fold(HIGHEST, |bits, other| bits & more(other)))
    }

    /// Returns one bit for each kind, set if there is a thing of it.
    #[inline]
    pub fn bits(self) -> u64 {
        self.more_than([Self::EMPTY])
    }

    /// Returns the kind of the thing at place `n`, from 0, in a row of all things, kind by kind; None beyond the row.
    #[inline]
    pub fn nth(self, n: usize) -> Option<K> {
        // In each byte, the number of things up to the end of its kind.
        let ends = self.word().wrapping_mul(ONES);
        let behind = more_than(ends, n.min(usize::from(u8::MAX >> 1)) as u64 * ONES);
        K::new(behind.trailing_zeros() as usize / 8)
    }
}

/// Returns the highest bit of each byte that is greater in `a` than in `b`.
#[inline]
const fn more_than(a: u64, b: u64) -> u64 {
    (a + (HIGHEST - ONES) - b) & HIGHEST
}

/// Returns the highest bits of the bytes, side by side.
#[inline]
const fn gather(highest: u64) -> u64 {
    (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> (u64::BITS - 8)
}

impl<K, const N: usize> Default for Counts<K, N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<K: Numbered, const N: usize> Index<K> for Counts<K, N> {
    type Output = u8;

    #[inline]
    fn index(&self, kind: K) -> &u8 {
        &self.counts[kind.index()]
    }
}

impl<K: Numbered, const N: usize> IndexMut<K> for Counts<K, N> {
    #[inline]
    fn index_mut(&mut self, kind: K) -> &mut u8 {
        &mut self.counts[kind.index()]
    }
}

impl<K, const N: usize> Add for Counts<K, N> {
    type Output = Self;

    #[inline]
    fn add(mut self, more: Self) -> Self {
        for (own, more) in self.counts.iter_mut().zip(more.counts) {
            *own += more;
        }
        self
    }
}

/// Subtraction of things that are there.
impl<K: Numbered, const N: usize> Sub for Counts<K, N> {
    type Output = Self;

    #[inline]
    fn sub(mut self, taken: Self) -> Self {
        debug_assert!(taken.is_within(self), "{:?} of {:?}", taken.counts, self.counts);
        for (own, taken) in self.counts.iter_mut().zip(taken.counts) {
            *own -= taken;
        }
        self
    }
}

impl<K: Numbered, const N: usize> FromIterator<K> for Counts<K, N> {
    fn from_iter<I: IntoIterator<Item = K>>(things: I) -> Self {
        things.into_iter().fold(Self::EMPTY, |mut counts, kind| {
            counts[kind] += 1;
            counts
        })
    }
}

/// Writes `lumberjack, fish x2`, or `nothing`.
impl<K: Numbered + fmt::Display, const N: usize> fmt::Display for Counts<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.iter().filter_map(|(kind, count)| match count {
            0 => None,
            1 => Some(kind.to_string()),
            _ => Some(format!("{kind} x{count}")),
        });
        f.pad(&joined_or(parts, ", ", "nothing"))
    }
}

impl<K, const N: usize> fmt::Debug for Counts<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.counts, f)
    }
}
