//! The reasons for which the file of a net is refused.

use super::file::{MAX_NET_FILE, TITLE};
use crate::UnknownGame;

/// The reason why the file of a net is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The content does not begin like a net.
    #[error("expected a net that begins with \"{TITLE}\", got another file")]
    NotANet,
    /// The file is larger than any net.
    #[error("expected a net of at most {MAX_NET_FILE} bytes, got {size}")]
    TooLarge {
        /// The size of the file, in bytes.
        size: usize,
    },
    /// The file ends in the middle, or goes on after its end.
    #[error("expected a net of {expected} bytes, as its header says, got {size}")]
    OtherSize {
        /// The size by the header, in bytes.
        expected: usize,
        /// The size of the file, in bytes.
        size: usize,
    },
    /// The digest does not match the content.
    #[error("the net was altered: its digest does not match its content")]
    Altered,
    /// A line of the header does not follow the format.
    #[error("line {line} of the header: {reason}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The description of the fault and of the expected text.
        reason: String,
    },
    /// The catalog has no such game.
    #[error(transparent)]
    UnknownGame(UnknownGame),
    /// The net was made for another version of the game.
    #[error("expected a net for {what} {ours} of {game}, got one for {what} {theirs}")]
    OtherVersion {
        /// The game.
        game: &'static str,
        /// The part that differs.
        what: &'static str,
        /// Our value.
        ours: usize,
        /// The value of the net.
        theirs: usize,
    },
    /// The net reads a field that the layout does not have, or has in another form.
    #[error("expected a net for the layout of {game}, got one that reads the field \"{field}\" as: {theirs}")]
    OtherField {
        /// The game.
        game: &'static str,
        /// The name of the field.
        field: String,
        /// The line of the field in the table of the net.
        theirs: String,
    },
    /// A weight of the net is out of range.
    #[error("expected {what}, got {got}")]
    Weight {
        /// The expected value.
        what: &'static str,
        /// The value in the file.
        got: i64,
    },
    /// Another net of this process has the same name.
    #[error("another net is loaded whose digest begins with the same 16 digits: {name}")]
    SameName {
        /// The name.
        name: String,
    },
}
