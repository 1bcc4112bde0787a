//! The ending of a match, and the check of its reason.
//!
//! A match ends for one reason: it is finished, cancelled, or void. A fault of a player never ends a match; it costs the seat. A
//! fault of the server never decides a match: a panic of rules or of a bot voids it, without the entries of the call that failed.
//! A match that nobody joins is cancelled with a reason, so that everyone who waits in it is told.

use ahu_core::parse::words;

use super::ensure;

/// The reason why a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The game is over.
    Finished,
    /// The match was cancelled, for this reason. It has no result.
    Cancelled(String),
    /// The match is void by a fault of the server, for this reason. It has no result.
    Void(String),
}

/// The maximum length of the reason of an ending, in bytes.
pub const MAX_REASON: usize = 200;

/// Checks the reason of an ending: a record writes it on one line.
pub fn check_reason(reason: &str) -> Result<(), String> {
    ensure((1..=MAX_REASON).contains(&reason.len()), || {
        format!("expected a reason of 1 to {MAX_REASON} bytes, got {}", reason.len())
    })?;
    let is_plain = words(reason).map(|(_, word)| word).collect::<Vec<_>>().join(" ") == reason;
    ensure(is_plain && !reason.contains(char::is_control), || {
        format!("expected a reason as one line of words with single spaces, got {reason:?}")
    })
}
