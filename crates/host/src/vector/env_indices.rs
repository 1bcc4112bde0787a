//! The environments that a call names: a run of numbers, or a list.

/// The numbers of some environments of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvIndices<'a> {
    /// A run of environments: the first number, and the count.
    Run(u32, usize),
    /// The environments with these numbers, in rising order.
    These(&'a [u32]),
}

impl EnvIndices<'_> {
    /// Returns the number of environments.
    pub const fn len(self) -> usize {
        match self {
            Self::Run(_, count) => count,
            Self::These(numbers) => numbers.len(),
        }
    }

    /// Returns true if there is no environment.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the number at place `n`.
    #[inline]
    pub(super) fn nth(self, n: usize) -> u32 {
        match self {
            Self::Run(first, _) => first + n as u32,
            Self::These(numbers) => numbers[n],
        }
    }

    /// Returns the numbers.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(move |n| self.nth(n))
    }

    pub(super) fn split_at(self, n: usize) -> (Self, Self) {
        match self {
            Self::Run(first, count) => (Self::Run(first, n), Self::Run(first + n as u32, count - n)),
            Self::These(numbers) => {
                let (front, back) = numbers.split_at(n);
                (Self::These(front), Self::These(back))
            }
        }
    }

    /// Splits them into parts with `size` indices; the last one may have fewer.
    pub(super) fn chunks(mut self, size: usize) -> Vec<Self> {
        let mut chunks = Vec::with_capacity(self.len().div_ceil(size));
        while self.len() > size {
            let (front, back) = self.split_at(size);
            chunks.push(front);
            self = back;
        }
        chunks.push(self);
        chunks
    }
}
