//! Every limit that the server puts on its clients, with its reason.

use std::time::Duration;

/// The longest that `Observe` waits. Long enough that waiting costs next to nothing, short enough
/// that proxies and clients with a deadline of a minute are content.
pub const WAIT_MAX: Duration = Duration::from_secs(30);

/// The most matches that are kept. A match takes some 100 KB with its log, so these take a gigabyte.
/// At the limit, the match that was finished first is dropped.
pub const MATCHES_MAX: usize = 10_000;

/// The largest request, in bytes. The largest that makes sense, a match with all its options, has
/// less than a tenth of it.
pub const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// The most calls under way on one connection. An agent with a thousand seats may wait for all of
/// them on one connection.
pub const STREAMS_MAX: u32 = 2048;

/// The longest message of an error, in bytes as it is percent-encoded. Errors travel as trailers, which
/// clients cap at 8 KiB; a message goes in up to three times, and most of it a third longer as base64.
pub const MESSAGE_BYTES_MAX: usize = 512;

/// The longest value in the metadata of an error, in bytes: the legal ids of a game of a thousand
/// actions, as ranges, seldom need more.
pub const METADATA_BYTES_MAX: usize = 1024;

/// How long calls under way have to end when the server closes, before connections are cut.
pub const CLOSING_GRACE: Duration = Duration::from_secs(5);
