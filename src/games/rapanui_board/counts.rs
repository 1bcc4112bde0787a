//! Kinds of things: their names, how many there are of each, sets of them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Sub};

/// One of a few kinds of things.
pub trait Kind: Copy {
    /// Its place among them, from 0.
    fn index(self) -> usize;
}

/// Gives an enum without fields its names: as options, actions and records write them.
macro_rules! named {
    ($type:ident, $what:literal, [$($variant:ident $name:literal),+ $(,)?]) => {
        impl $type {
            /// How many there are.
            pub const COUNT: usize = [$($name),+].len();
            /// Each of them, in order.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];

            /// The one in this place, counted from 0.
            #[inline]
            pub const fn new(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
            }

            /// What it is called in actions, records and texts.
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
                    let message = format!(concat!("no ", $what, " is called \"{}\"{} (there are {})"), text, hint, names);
                    $crate::core::ParseError::new(0, message)
                })
            }
        }
    };
}
pub(super) use named;

/// How many there are of each kind.
pub struct Counts<K, const N: usize> {
    counts: [u8; N],
    kinds: PhantomData<K>,
}

impl<K: Kind, const N: usize> Counts<K, N> {
    /// Nothing.
    pub const NONE: Self = Self::of([0; N]);

    /// So many of each, in the order of the kinds.
    pub const fn of(counts: [u8; N]) -> Self {
        Self { counts, kinds: PhantomData }
    }

    /// How many of each, in the order of the kinds.
    pub const fn as_array(&self) -> &[u8; N] {
        &self.counts
    }

    /// How many in all.
    pub fn total(&self) -> u8 {
        self.counts.iter().sum()
    }

    /// The kinds of which there is one.
    #[inline]
    pub fn kinds(&self) -> Kinds<K> {
        Kinds::of_bits((0..N).fold(0, |bits, kind| bits | u64::from(self.counts[kind] > 0) << kind))
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

/// A set of kinds; at most 64 of them.
pub struct Kinds<K> {
    bits: u64,
    kinds: PhantomData<K>,
}

impl<K> Kinds<K> {
    /// No kind.
    pub const NONE: Self = Self::of_bits(0);

    /// The kinds in the places of these bits.
    #[inline]
    pub const fn of_bits(bits: u64) -> Self {
        Self { bits, kinds: PhantomData }
    }

    /// Its kinds as bits, by place.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Whether nothing is in it.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl<K: Kind> Kinds<K> {
    /// The set without this one.
    #[inline]
    #[must_use]
    pub fn without(self, kind: K) -> Self {
        Self::of_bits(self.bits & !(1 << kind.index()))
    }
}

impl<K: Kind> FromIterator<K> for Kinds<K> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = K>>(kinds: I) -> Self {
        Self::of_bits(kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind.index()))
    }
}

impl<K> Sub for Kinds<K> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::of_bits(self.bits & !other.bits)
    }
}

impl<K> Clone for Kinds<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Kinds<K> {}

impl<K> fmt::Debug for Kinds<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:b}", self.bits)
    }
}
