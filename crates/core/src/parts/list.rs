//! Lists of a few things, without a heap.

use std::fmt;

use super::lines::joined;

/// A list of at most `N` things: after the last thing all places are None.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List<T, const N: usize>([Option<T>; N]);

impl<T: Copy, const N: usize> List<T, N> {
    /// Returns the things in their order.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }

    /// Returns the number of things.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns true if the list has no thing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Panics if there are more than `N` things.
impl<T, const N: usize> FromIterator<T> for List<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        let mut things = things.into_iter().fuse();
        let list = Self(std::array::from_fn(|_| things.next()));
        assert!(things.next().is_none(), "expected at most {N} things in a list");
        list
    }
}

/// Writes the things, separated by spaces.
impl<T: Copy + fmt::Display, const N: usize> fmt::Display for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(self.iter(), " "))
    }
}
