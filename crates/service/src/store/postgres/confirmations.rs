//! The commits that are under way: what a reader sees may belong to one that is still waiting for a replica and never gets there.

use std::sync::{Condvar, Mutex, PoisonError};

use super::ServerIdentity;
use crate::limits::DATABASE_CALL;
use crate::store::StoreError;

/// The commits that were sent and answered, and whether the last one was confirmed.
#[derive(Debug, Default)]
pub(super) struct Confirmations {
    state: Mutex<Confirmed>,
    changed: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct Confirmed {
    /// The database that the store writes.
    pub(super) server: ServerIdentity,
    pub(super) sent: u64,
    pub(super) answered: u64,
    /// True after a commit whose fate is unknown, until it is settled.
    pub(super) is_unknown: bool,
}

impl Confirmations {
    /// Changes the state, and wakes those who wait.
    pub(super) fn set(&self, of: impl FnOnce(&mut Confirmed)) {
        of(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Returns the database that the store writes.
    pub(super) fn server(&self) -> ServerIdentity {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).server.clone()
    }

    /// Waits until the commits that are under way have been confirmed, so that what was read before from a database is safe to
    /// tell.
    ///
    /// # Errors
    /// If it is unknown whether they are, or if the store writes another database now: after a failover, the one before may
    /// answer still.
    pub(super) fn wait(&self, server: &ServerIdentity) -> Result<(), StoreError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = state.sent;
        let is_open = |state: &mut Confirmed| state.answered < sent;
        let waited = self.changed.wait_timeout_while(state, DATABASE_CALL, is_open);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.server != *server {
            return Err(StoreError::Failed("the database that was read is not the one that is written".to_owned()));
        }
        match state.answered >= sent && !state.is_unknown {
            true => Ok(()),
            false => Err(StoreError::Failed("the database has not confirmed its last commit".to_owned())),
        }
    }
}
