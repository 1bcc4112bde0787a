//! Locks whose holders leave what is locked whole, so that a panic elsewhere is no reason to stop.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value, also after a panic of an earlier holder.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
