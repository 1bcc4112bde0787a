//! The shares and rates of each address: the parts of a server that an address may use at a time, and the work that it may
//! begin in a second.

use std::fmt;
use std::ops::{Index, IndexMut};

/// Makes a table of numbers readable and writable by its keys.
macro_rules! indexed {
    ($table:ty, $key:ty) => {
        impl Index<$key> for $table {
            type Output = u32;

            fn index(&self, key: $key) -> &u32 {
                &self.0[key as usize]
            }
        }

        impl IndexMut<$key> for $table {
            fn index_mut(&mut self, key: $key) -> &mut u32 {
                &mut self.0[key as usize]
            }
        }
    };
}

/// A part of a server of which each address has a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Open connections.
    Connections,
    /// Calls in progress, over all connections.
    Calls,
    /// Matches that the address created, and that have not ended.
    Matches,
    /// Matches that the address created, that have not ended, and that bots alone play.
    BotMatches,
    /// Playouts for one decision of each search bot, in the matches of the address and in its open environments.
    Playouts,
    /// Open environments.
    Environments,
    /// Streams of environments.
    EnvironmentStreams,
    /// Streams of environments that have not sent their `open`.
    UnopenedStreams,
    /// Streams that watch matches.
    Watchers,
    /// Bytes under way, in bodies that are not handled and answers that are not sent. A call waits for its share of them. A
    /// seat has a share of its own, of [`SEAT_BYTES`](super::SEAT_BYTES).
    Bytes,
}

impl Share {
    /// The parts in the order of their numbers, each with its name and with the things that are counted.
    const TABLE: [(Self, &str, &str); 10] = [
        (Self::Connections, "connections", "open connections"),
        (Self::Calls, "calls", "calls in progress"),
        (Self::Matches, "matches", "matches that have not ended"),
        (Self::BotMatches, "bot-matches", "matches of bots alone in progress"),
        (Self::Playouts, "playouts", "playouts for the decisions of its search bots"),
        (Self::Environments, "environments", "open environments"),
        (Self::EnvironmentStreams, "environment-streams", "streams of environments"),
        (Self::UnopenedStreams, "unopened-streams", "streams without `open`"),
        (Self::Watchers, "watchers", "streams that watch matches"),
        (Self::Bytes, "bytes", "bytes of bodies and answers under way"),
    ];

    /// The number of parts.
    pub const COUNT: usize = Self::TABLE.len();

    /// Iterates over all parts, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Self::TABLE.into_iter().map(|(share, ..)| share)
    }

    /// Iterates over the parts of which each account has a share. Connections come before any key, so their address has them.
    pub fn of_accounts() -> impl Iterator<Item = Self> + Clone {
        Self::all().filter(|share| *share != Self::Connections)
    }

    /// Returns the name of the part, in options and errors.
    pub const fn name(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// Returns the things that are counted, in the plural.
    pub(crate) const fn counted(self) -> &'static str {
        Self::TABLE[self as usize].2
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The most that an address may have of each part at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares([u32; Share::COUNT]);

impl Shares {
    /// The shares of an address elsewhere. They suffice for a laboratory behind one address with dozens of agents or a
    /// trainer of hundreds of streams, and are at most half of the server. Fifty thousand playouts are fifty seats of the
    /// strongest search that the server permits. Eight MiB are sixteen of the largest answers.
    pub(super) const REMOTE: Self = Self([512, 4_096, 2_000, 256, 50_000, 131_072, 1_024, 128, 512, 8 << 20]);

    /// The shares of the server's own machine: nearly everything, since its users are the operator's, such as the agents of a
    /// cup or a trainer. But no program on the machine can lock out the rest of the world.
    pub(super) const LOCAL: Self = Self([4_096, 32_768, 9_000, 2_048, 500_000, 245_760, 1_920, 512, 1_920, 64 << 20]);
}

indexed!(Shares, Share);

/// A rate at which each address may begin something. A call or a connection that comes too early waits; the shares bound how
/// many can wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Calls by their cost, over all connections. A quick call counts once, a call with more work counts as often as its work
    /// demands, and each KiB of an answer counts as well. A seat has this rate for itself: the calls of its player do not
    /// count for the address.
    Calls,
    /// Connections.
    Connections,
    /// Frames of HTTP/2. A frame that begins a call counts once. A frame that HTTP/2 answers or forgets, such as a ping or a
    /// reset, or that cannot hold a message, counts four times. Eight other frames, such as data and flow control, count once
    /// together.
    Frames,
}

impl Rate {
    /// The rates in the order of their numbers, with their names.
    const TABLE: [(Self, &str); 3] =
        [(Self::Calls, "calls"), (Self::Connections, "connections"), (Self::Frames, "frames")];

    /// The number of rates.
    pub const COUNT: usize = Self::TABLE.len();

    /// Iterates over all rates, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Self::TABLE.into_iter().map(|(rate, _)| rate)
    }

    /// Returns the name of the rate, in options and metrics.
    pub const fn name(self) -> &'static str {
        Self::TABLE[self as usize].1
    }
}

/// The most that an address may begin in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates([u32; Rate::COUNT]);

impl Rates {
    /// The rates of an address elsewhere. A quick call takes some 20 us of a core, so the calls of one address take at most a
    /// sixth of a core; a hundred agents with a round trip of 20 ms make 5,000 calls a second.
    pub(super) const REMOTE: Self = Self([8_000, 100, 12_000]);

    /// The rates of the server's own machine, whose users are the operator's: about as many calls as agents on two cores can
    /// make.
    pub(super) const LOCAL: Self = Self([20_000, 500, 32_000]);
}

indexed!(Rates, Rate);
