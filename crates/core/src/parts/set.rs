//! Sets of numbered things, such as hexes or pieces, with one bit for each thing.

use std::fmt;
use std::marker::PhantomData;

use super::lines::joined;
use crate::{Numbered, set_operators};

/// A set of numbered things.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
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

    /// Returns the set with `thing` added.
    #[inline]
    #[must_use]
    pub fn with(self, thing: T) -> Self {
        self | thing.into()
    }

    /// Returns the set with `thing` removed.
    #[inline]
    #[must_use]
    pub fn without(self, thing: T) -> Self {
        self - thing.into()
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
        things.into_iter().fold(Self::EMPTY, Self::with)
    }
}

set_operators!(Set<T>, bits, Self::from_bits, T: Numbered);

impl<T: Numbered + fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Writes the things in rising order, separated by commas.
impl<T: Numbered + fmt::Display> fmt::Display for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(self.iter(), ", "))
    }
}

/// Implements the operators of a set whose things are the bits of one field: `|`, `&`, and `-`, the things of the left set
/// without the things of the right set. It takes the type, the field, the function that creates a set from bits, and perhaps a
/// parameter of the type with its bound.
#[macro_export]
macro_rules! set_operators {
    ($set:ty, $bits:tt, $new:path $(, $($generics:tt)+)?) => {
        $crate::set_operators! { @one ($set, $bits, $new, $($($generics)+)?) BitOr bitor BitOrAssign bitor_assign | }
        $crate::set_operators! { @one ($set, $bits, $new, $($($generics)+)?) BitAnd bitand BitAndAssign bitand_assign & }
        $crate::set_operators! { @one ($set, $bits, $new, $($($generics)+)?) Sub sub SubAssign sub_assign & ! }
    };
    (
        @one ($set:ty, $bits:tt, $new:path, $($generics:tt)*)
        $operator:ident $method:ident $assignment:ident $assign:ident $($sign:tt)+
    ) => {
        impl<$($generics)*> std::ops::$operator for $set {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                $new(self.$bits $($sign)+ other.$bits)
            }
        }

        impl<$($generics)*> std::ops::$assignment for $set {
            #[inline]
            fn $assign(&mut self, other: Self) {
                *self = std::ops::$operator::$method(*self, other);
            }
        }
    };
}
