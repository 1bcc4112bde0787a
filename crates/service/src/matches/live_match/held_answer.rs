//! The answer of a transaction, which waits until the changes behind it are stored.

use ahu_host::api::ApiError;

use super::LiveMatch;
use crate::matches::journal::LogWriter;

/// The answer of a transaction. It is held until the changes behind it are stored.
#[must_use]
pub(crate) struct Held<'a, T> {
    answer: Result<T, ApiError>,
    /// The number of changes behind it.
    changes: u64,
    log: Option<&'a LogWriter>,
}

impl<'a, T> Held<'a, T> {
    /// Returns an answer that depends on this number of changes.
    pub(super) fn new(live: &'a LiveMatch, answer: Result<T, ApiError>, changes: u64) -> Self {
        Self { answer, changes, log: live.log.as_ref() }
    }

    /// Waits until the changes behind the answer are stored, and returns it.
    pub(crate) async fn kept(self) -> Result<T, ApiError> {
        if let Some(log) = self.log {
            log.kept(self.changes).await?;
        }
        self.answer
    }

    /// Returns the answer without a wait: for a caller within this process, or for a call that waits for a later answer of
    /// the same match.
    pub(crate) fn at_once(self) -> Result<T, ApiError> {
        self.answer
    }
}
