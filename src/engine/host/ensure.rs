//! Checks: a condition, or else an error.

/// Returns an error if a condition does not hold.
pub fn ensure<E>(holds: bool, error: impl FnOnce() -> E) -> Result<(), E> {
    if holds { Ok(()) } else { Err(error()) }
}
