//! Kinds of things: their names, numbers of each kind, sets of kinds.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Sub};

/// One of a few kinds of things.
pub trait Kind: Copy {
    /// Returns the index of the kind, from 0.
    fn index(self) -> usize;
}

/// Gives the variants of an enum without fields their names for options, actions, and records.
macro_rules! named {
    ($type:ident, $what:literal, [$($variant:ident $name:literal),+ $(,)?]) => {
        impl $type {
            /// The number of kinds.
            pub const COUNT: usize = [$($name),+].len();
            /// All kinds, in order.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];
            /// The names of all kinds, in order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Returns the kind with this index, from 0; None if there is none.
            #[inline]
            pub const fn new(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
            }

            /// Returns the name of the kind in actions, records, and texts.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl $crate::games::rapanui_board::counts::Kind for $type {
            #[inline]
            fn index(self) -> usize {
                self as usize
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::core::ParseError;

            fn from_str(text: &str) -> Result<Self, $crate::core::ParseError> {
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| {
                    let names = Self::ALL.map(Self::name);
                    let hint = $crate::core::parse::did_you_mean(text, names);
                    let names = names.join(", ");
                    let message =
                        format!(concat!("unknown ", $what, " \"{}\"{} (expected one of {})"), text, hint, names);
                    $crate::core::ParseError::new(0, message)
                })
            }
        }
    };
}
pub(super) use named;

/// The number of things of each kind.
pub struct Counts<K, const N: usize> {
    counts: [u8; N],
    kinds: PhantomData<K>,
}

impl<K: Kind, const N: usize> Counts<K, N> {
    /// None of any kind.
    pub const EMPTY: Self = Self::of([0; N]);

    /// Creates the numbers of each kind, in the order of the kinds.
    pub const fn of(counts: [u8; N]) -> Self {
        Self { counts, kinds: PhantomData }
    }

    /// Returns the numbers of each kind, in the order of the kinds.
    pub const fn as_array(&self) -> &[u8; N] {
        &self.counts
    }

    /// Returns the total number.
    pub fn total(&self) -> u8 {
        self.counts.iter().sum()
    }

    /// Returns the kinds with a number above 0.
    #[inline]
    pub fn kinds(&self) -> KindSet<K> {
        KindSet::of_bits((0..N).fold(0, |bits, kind| bits | u64::from(self.counts[kind] > 0) << kind))
    }
}

impl<K: Kind, const N: usize> Index<K> for Counts<K, N> {
    type Output = u8;

    #[inline]
    fn index(&self, kind: K) -> &u8 {
        &self.counts[kind.index()]
    }
}

impl<K: Kind, const N: usize> IndexMut<K> for Counts<K, N> {
    #[inline]
    fn index_mut(&mut self, kind: K) -> &mut u8 {
        &mut self.counts[kind.index()]
    }
}

impl<K, const N: usize> Clone for Counts<K, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, const N: usize> Copy for Counts<K, N> {}

impl<K, const N: usize> PartialEq for Counts<K, N> {
    fn eq(&self, other: &Self) -> bool {
        self.counts == other.counts
    }
}

impl<K, const N: usize> Eq for Counts<K, N> {}

impl<K, const N: usize> std::hash::Hash for Counts<K, N> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.counts.hash(state);
    }
}

impl<K, const N: usize> fmt::Debug for Counts<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.counts, f)
    }
}

/// A set of kinds; there are at most 64 kinds.
pub struct KindSet<K> {
    bits: u64,
    kinds: PhantomData<K>,
}

impl<K> KindSet<K> {
    /// No kind.
    pub const EMPTY: Self = Self::of_bits(0);

    /// Creates the set of the kinds with these bits, by index.
    #[inline]
    pub const fn of_bits(bits: u64) -> Self {
        Self { bits, kinds: PhantomData }
    }

    /// Returns the kinds as bits, by index.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Returns true if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl<K: Kind> KindSet<K> {
    /// Returns the set without `kind`.
    #[inline]
    #[must_use]
    pub fn without(self, kind: K) -> Self {
        Self::of_bits(self.bits & !(1 << kind.index()))
    }
}

impl<K: Kind> FromIterator<K> for KindSet<K> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = K>>(kinds: I) -> Self {
        Self::of_bits(kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind.index()))
    }
}

impl<K> Sub for KindSet<K> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::of_bits(self.bits & !other.bits)
    }
}

impl<K> Clone for KindSet<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for KindSet<K> {}

impl<K> fmt::Debug for KindSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:b}", self.bits)
    }
}
