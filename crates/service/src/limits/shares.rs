//! The shares and rates of each address: the parts of a server that an address may use at a time, and the work that it may
//! begin in a second.

use std::ops::{Index, IndexMut};

use ahu_core::named;

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

named! {
    /// A part of a server of which each address has a share.
    pub enum Share("share") {
        /// Open connections.
        Connections = "connections",
        /// Calls in progress, over all connections.
        Calls = "calls",
        /// Matches that the address created, and that have not ended.
        Matches = "matches",
        /// Matches that the address created, that have not ended, and that bots alone play.
        BotMatches = "bot-matches",
        /// Playouts for one decision of each search bot, in the matches of the address and in its open environments.
        Playouts = "playouts",
        /// Open environments.
        Environments = "environments",
        /// Streams of environments.
        EnvironmentStreams = "environment-streams",
        /// Streams of environments that have not sent their `open`.
        UnopenedStreams = "unopened-streams",
        /// Streams that watch matches.
        Watchers = "watchers",
        /// Bytes under way, in bodies that are not handled and answers that are not sent. A call waits for its share of them. A
        /// seat has a share of its own, of [`SEAT_BYTES`](super::SEAT_BYTES).
        Bytes = "bytes",
    }

    /// A rate at which each address may begin something. A call or a connection that comes too early waits; the shares bound how
    /// many can wait.
    pub enum Rate("rate") {
        /// Calls by their cost, over all connections. A quick call counts once, a call with more work counts as often as its work
        /// demands, and each KiB of an answer or of headers counts as well. A seat has this rate for itself: the calls of its
        /// player do not count for the address.
        Calls = "calls",
        /// Connections.
        Connections = "connections",
        /// Frames of HTTP/2. A frame that begins a call counts once. A frame that HTTP/2 answers or forgets, such as a ping or a
        /// reset, or that cannot hold a message, counts four times. Eight other frames, such as data and flow control, count once
        /// together.
        Frames = "frames",
    }
}

impl Share {
    /// The things that are counted, in the plural, in the order of the parts.
    const COUNTED: [&str; Self::COUNT] = [
        "open connections",
        "calls in progress",
        "matches that have not ended",
        "matches of bots alone in progress",
        "playouts for the decisions of its search bots",
        "open environments",
        "streams of environments",
        "streams without `open`",
        "streams that watch matches",
        "bytes of bodies and answers under way",
    ];

    /// Iterates over the parts of which each account has a share. Connections come before any key, so their address has them.
    pub fn of_accounts() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.into_iter().filter(|share| *share != Self::Connections)
    }

    /// Returns the things that are counted, in the plural.
    pub(crate) const fn counted(self) -> &'static str {
        Self::COUNTED[self as usize]
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
