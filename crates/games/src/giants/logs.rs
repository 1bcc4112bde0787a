//! The wooden logs on the island, with their players and the numbers that transports needed.

use ahu_core::Seat;
use ahu_core::bytes::read_count;
use borsh::{BorshDeserialize, BorshSerialize, io};

use super::board::{Hex, Hexes, MAX_HEXES};

/// The number of logs.
pub const LOGS: u8 = 27;

/// A log on the island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Log {
    /// The hex of the log.
    pub hex: Hex,
    /// The player who placed it.
    pub seat: Seat,
}

/// The logs on the island, in the order in which they were placed.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Logs {
    #[borsh(deserialize_with = "read_logs")]
    count: u8,
    /// The logs; the entries after the first `count` have the default value, so that equal states compare equal.
    placed: [Log; LOGS as usize],
    /// The most logs that one entry of each hex needed (G26).
    used: [u8; MAX_HEXES],
}

fn read_logs(bytes: &mut impl io::Read) -> io::Result<u8> {
    read_count(bytes, LOGS.into(), "logs")
}

impl Default for Logs {
    fn default() -> Self {
        Self { count: 0, placed: [Log::default(); LOGS as usize], used: [0; MAX_HEXES] }
    }
}

impl Logs {
    /// Returns the logs, the first placed first.
    pub fn placed(&self) -> &[Log] {
        &self.placed[..self.count.into()]
    }

    /// Adds a log.
    ///
    /// # Panics
    /// If all logs are placed.
    pub fn place(&mut self, log: Log) {
        self.placed[usize::from(self.count)] = log;
        self.count += 1;
    }

    /// Returns the logs on `hex`, the first placed first.
    pub fn on(&self, hex: Hex) -> impl Iterator<Item = Log> {
        self.placed().iter().copied().filter(move |log| log.hex == hex)
    }

    /// Returns the number of logs on `hex`.
    pub fn count(&self, hex: Hex) -> u8 {
        self.on(hex).count() as u8
    }

    /// Returns the number of logs on the island.
    pub const fn total(&self) -> u8 {
        self.count
    }

    /// Returns the hexes with logs.
    pub fn hexes(&self) -> Hexes {
        self.placed().iter().map(|log| log.hex).collect()
    }

    /// Records that an entry of `hex` needed this number of logs.
    pub(super) fn use_on(&mut self, hex: Hex, needed: u8) {
        let used = &mut self.used[hex.index()];
        *used = (*used).max(needed);
    }

    /// Returns the most logs that one entry of each hex needed.
    pub const fn used(&self) -> &[u8; MAX_HEXES] {
        &self.used
    }

    /// Returns the logs that no entry needed, last placed first: on each hex those above the most that one entry
    /// needed.
    pub(super) fn unused(&self) -> impl Iterator<Item = Log> {
        let mut spare = self.used;
        Hex::all().zip(&mut spare).for_each(|(hex, spare)| *spare = self.count(hex).saturating_sub(*spare));
        self.placed().iter().rev().copied().filter(move |log| {
            let spare = &mut spare[log.hex.index()];
            let goes_back = *spare > 0;
            *spare = spare.saturating_sub(1);
            goes_back
        })
    }
}
