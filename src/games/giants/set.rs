//! Sets of numbered things: hexes, Ahus, pieces. A bit a thing.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

/// A thing that has a number below 64.
pub trait Numbered: Copy + Eq + 'static {
    /// How many there are at most.
    const COUNT: usize;

    /// The one of this number, from 0 to [`Self::COUNT`] - 1.
    fn new(index: usize) -> Option<Self>;

    /// Its number, for arrays.
    fn index(self) -> usize;

    /// All that there are at most, in rising order.
    fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).filter_map(Self::new)
    }
}

/// A set of numbered things.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Set<T> {
    bits: u64,
    of: PhantomData<T>,
}

impl<T: Numbered> Set<T> {
    /// Nothing.
    pub const EMPTY: Self = Self::from_bits(0);

    /// The things whose bits are set; their numbers have to exist.
    pub(super) const fn from_bits(bits: u64) -> Self {
        const { assert!(T::COUNT <= 64, "a bit a thing") };
        Self { bits, of: PhantomData }
    }

    /// Bit `i` tells of the thing of number `i`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Whether `thing` is in it.
    #[inline]
    pub fn contains(self, thing: T) -> bool {
        self.bits >> thing.index() & 1 == 1
    }

    /// How many things it has.
    #[inline]
    pub const fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether it has none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether it and `other` have a thing in common.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.bits & other.bits != 0
    }

    /// The thing of the lowest number.
    #[inline]
    pub fn first(self) -> Option<T> {
        T::new(self.bits.trailing_zeros() as usize)
    }

    /// Its things, in rising order.
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

/// What is in the one and not in the other.
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

/// In rising order, with commas between them.
impl<T: Numbered + fmt::Display> fmt::Display for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, thing) in self.iter().enumerate() {
            write!(f, "{}{thing}", if n == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
