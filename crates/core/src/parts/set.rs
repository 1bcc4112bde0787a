//! Sets of numbered things, such as hexes or pieces, with one bit for each thing.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

use crate::Numbered;

/// A set of numbered things.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Set<T> {
    bits: u64,
    of: PhantomData<T>,
}

impl<T: Numbered> Set<T> {
    /// The empty set.
    pub const EMPTY: Self = Self::from_bits(0);

    /// Creates the set of the things whose bits are set. Each bit must be the number of a thing.
    pub const fn from_bits(bits: u64) -> Self {
        const { assert!(T::COUNT <= 64, "a word has a bit for each thing") };
        Self { bits, of: PhantomData }
    }

    /// Returns the bits: bit `i` is set if the set contains the thing with number `i`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Returns true if the set contains `thing`.
    #[inline]
    pub fn contains(self, thing: T) -> bool {
        self.bits >> thing.index() & 1 == 1
    }

    /// Returns the number of things in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Returns true if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Returns true if the two sets have a thing in common.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.bits & other.bits != 0
    }

    /// Returns the thing with the lowest number; None if the set is empty.
    #[inline]
    pub fn first(self) -> Option<T> {
        T::new(self.bits.trailing_zeros() as usize)
    }

    /// Returns the thing with the highest number; None if the set is empty.
    #[inline]
    pub fn last(self) -> Option<T> {
        T::new(self.bits.checked_ilog2()? as usize)
    }

    /// Returns the things in rising order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = T> {
        let mut rest = self.bits;
        std::iter::from_fn(move || {
            let thing = T::new(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(thing)
        })
    }
}

impl<T: Numbered> Default for Set<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T: Numbered> From<T> for Set<T> {
    #[inline]
    fn from(thing: T) -> Self {
        Self::from_bits(1 << thing.index())
    }
}

impl<T: Numbered> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        things.into_iter().fold(Self::EMPTY, |set, thing| set | thing.into())
    }
}

impl<T: Numbered> BitOr for Set<T> {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self::from_bits(self.bits | other.bits)
    }
}

impl<T: Numbered> BitAnd for Set<T> {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self::from_bits(self.bits & other.bits)
    }
}

/// The difference: the things of the left set without the things of the right set.
impl<T: Numbered> Sub for Set<T> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::from_bits(self.bits & !other.bits)
    }
}

impl<T: Numbered> BitOrAssign for Set<T> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<T: Numbered> BitAndAssign for Set<T> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<T: Numbered> SubAssign for Set<T> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<T: Numbered + fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Writes the things in rising order, separated by commas.
impl<T: Numbered + fmt::Display> fmt::Display for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, thing) in self.iter().enumerate() {
            write!(f, "{}{thing}", if n == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
