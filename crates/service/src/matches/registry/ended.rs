//! The matches in memory that have ended, in the order of their ends, with the memory that they take.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use crate::lock;

/// The matches in memory that have ended, by number, and the memory that they take.
#[derive(Debug, Default)]
pub(crate) struct Ended(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    /// The numbers in the order of the ends. Matches that have left memory may still be in it.
    order: VecDeque<u64>,
    /// The memory of each, in bytes.
    sizes: HashMap<u64, usize>,
    bytes: usize,
}

impl Ended {
    /// Adds a match that has ended, which takes this memory, in bytes. The lock of the match is held.
    pub(crate) fn add(&self, number: u64, bytes: usize) {
        let mut contents = lock(&self.0);
        if contents.sizes.insert(number, bytes).is_none() {
            contents.order.push_back(number);
            contents.bytes += bytes;
        }
    }

    /// Removes a match that leaves memory.
    pub(crate) fn remove(&self, number: u64) {
        let mut contents = lock(&self.0);
        if let Some(bytes) = contents.sizes.remove(&number) {
            contents.bytes -= bytes;
        }
        while contents.order.front().is_some_and(|first| !contents.sizes.contains_key(first)) {
            contents.order.pop_front();
        }
    }

    /// Returns the match that ended first, if all ended matches together take more than this memory in bytes.
    pub(crate) fn first_beyond(&self, bytes: usize) -> Option<u64> {
        let contents = lock(&self.0);
        contents.order.front().copied().filter(|_| contents.bytes > bytes)
    }

    /// Returns the memory of all, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        lock(&self.0).bytes
    }

    /// Returns the number of matches.
    pub(crate) fn count(&self) -> usize {
        lock(&self.0).sizes.len()
    }
}
