//! The wooden logs on the island: who placed which, and how many of them were needed.

use super::board::{HEXES_MAX, Hex, Hexes};
use super::set::Numbered;
use crate::core::Seat;

/// How many logs there are.
pub const LOGS: u8 = 27;

/// A log on the island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Where it lies.
    pub hex: Hex,
    /// Who placed it.
    pub seat: Seat,
}

/// The logs on the island, in the order in which they were placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logs {
    count: u8,
    /// Behind the last one all are alike.
    placed: [Log; LOGS as usize],
    /// By hex, the most logs that one entry needed (G26).
    used: [u8; HEXES_MAX],
}

impl Default for Logs {
    fn default() -> Self {
        Self { count: 0, placed: [Log::default(); LOGS as usize], used: [0; HEXES_MAX] }
    }
}

impl Logs {
    /// The logs, the first placed first.
    pub fn placed(&self) -> &[Log] {
        &self.placed[..self.count.into()]
    }

    /// One more.
    ///
    /// # Panics
    /// Where all are placed.
    pub fn place(&mut self, log: Log) {
        self.placed[usize::from(self.count)] = log;
        self.count += 1;
    }

    /// How many lie on `hex`.
    pub fn count(&self, hex: Hex) -> u8 {
        self.placed().iter().map(|log| u8::from(log.hex == hex)).sum()
    }

    /// How many lie on the island.
    pub const fn total(&self) -> u8 {
        self.count
    }

    /// The hexes with logs.
    pub fn hexes(&self) -> Hexes {
        self.placed().iter().map(|log| log.hex).collect()
    }

    /// An entry of `hex` needed so many.
    pub(super) fn use_on(&mut self, hex: Hex, needed: u8) {
        let used = &mut self.used[hex.index()];
        *used = (*used).max(needed);
    }

    /// By hex, the most that one entry needed.
    pub const fn used(&self) -> &[u8; HEXES_MAX] {
        &self.used
    }

    /// The logs that no entry needed, last placed first: of each hex what is above the most that one did.
    pub(super) fn unused(&self) -> impl Iterator<Item = Log> {
        let mut spare: [u8; HEXES_MAX] =
            std::array::from_fn(|hex| Hex::new(hex).map_or(0, |at| self.count(at).saturating_sub(self.used[hex])));
        self.placed().iter().rev().copied().filter(move |log| {
            let spare = &mut spare[log.hex.index()];
            let goes_back = *spare > 0;
            *spare = spare.saturating_sub(1);
            goes_back
        })
    }
}
