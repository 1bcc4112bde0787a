//! Every limit that the server puts on its clients, with its reason.

use std::time::Duration;

/// The limits that whoever runs a server may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most matches that are kept. At the limit, the match that was finished first is dropped; where
    /// none is finished, no more are taken.
    pub matches: usize,
    /// How long a match is kept in which nothing happens: nobody joins, nobody steps.
    pub match_idle: Duration,
    /// The most environments that are open at a time, over all streams.
    pub environments: usize,
    /// The most streams of environments at a time. Each has a thread.
    pub environment_streams: usize,
}

impl Default for Limits {
    /// A match takes some 100 KB with its log when it is finished, so that ten thousand take a gigabyte.
    /// An hour is long enough for a person who went to lunch, and for an organiser who fetches records
    /// when all is over. An environment takes some 3 KB, so that a quarter of a million take less than a gigabyte, and
    /// up to four batches wait for a client that does not read them.
    fn default() -> Self {
        Self {
            matches: 10_000,
            match_idle: Duration::from_secs(3600),
            environments: 262_144,
            environment_streams: 2048,
        }
    }
}

/// The longest that `Observe` waits. Long enough that waiting costs next to nothing, short enough
/// that proxies and clients with a deadline of a minute are content.
pub const MAX_WAIT: Duration = Duration::from_secs(30);

/// The largest request, in bytes. The largest that makes sense, a match with all its options, has
/// less than a tenth of it.
pub const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// The largest request within a stream of environments, in bytes: an action, a number and a seed for each of the most
/// environments that it can have.
pub const MAX_RUN_REQUEST_BYTES: usize = 1024 * 1024;

/// The most environments of one stream: far beyond the thousand or two from which on a decision costs the same.
pub const MAX_STREAM_ENVIRONMENTS: u32 = 65_536;

/// The largest batch, in bytes, were all its episodes to end at once. Clients have to allow for it, and the server for two of
/// each group.
pub const MAX_BATCH_BYTES: usize = 128 * 1024 * 1024;

/// What a batch takes besides its rows, in bytes: keys, lengths and single numbers.
pub const BATCH_FRAME_BYTES: usize = 1024;

/// What the summary of an episode takes, and the seed of the next, in bytes: six seats with a bot, three numbers and what is
/// around them in each, below 256.
pub const EPISODE_BYTES: usize = 256;

/// The most calls under way on one connection. An agent with a thousand seats may wait for all of
/// them on one connection.
pub const MAX_STREAMS: u32 = 2048;

/// How often a silent connection is asked whether anybody is there: below the minute after which
/// middleboxes forget it.
pub const KEEPALIVE: Duration = Duration::from_secs(30);

/// How long no connection is taken after one could not be: long enough not to spin where the system is
/// out of file descriptors.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The most events in one answer: with text and message some 200 bytes each, far below the 4 MiB
/// that clients take by default. Games seldom have so many.
pub const MAX_ANSWER_EVENTS: usize = 1000;

/// The most matches on a page of `ListMatches`, and how many there are where nothing else is asked
/// for: a match takes up to 2 KiB, so that a page stays below 4 MiB.
pub const MAX_PAGE: usize = 1000;
/// See [`MAX_PAGE`].
pub const PAGE_DEFAULT: usize = 100;

/// How long a `request_id` is, in characters: from what cannot be guessed to twice a UUID.
pub const REQUEST_ID: std::ops::RangeInclusive<usize> = 16..=64;

/// The longest message of an error, in bytes as it is percent-encoded. Errors travel as trailers, which
/// clients cap at 8 KiB; a message goes in up to three times, and most of it a third longer as base64.
pub const MAX_MESSAGE_BYTES: usize = 512;

/// The longest value in the metadata of an error, in bytes: the legal ids of a game of a thousand
/// actions, as ranges, seldom need more.
pub const MAX_METADATA_BYTES: usize = 1024;

/// The most appends that share a commit of the journal: what comes later waits for the next one, which
/// bounds how long the first in line waits.
pub const MAX_COMMIT_APPENDS: usize = 256;

/// How often it is looked for matches in which nothing happens, at most.
pub const EXPIRY_PERIOD: Duration = Duration::from_secs(30);

/// How long calls under way have to end when the server closes, before it gives up waiting for them.
pub const CLOSING_GRACE: Duration = Duration::from_secs(5);
