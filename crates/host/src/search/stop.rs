//! A request to end the searches of some threads early.
//!
//! The threads that search carry the request, and not the arguments of every bot: the threads belong to one call of the
//! extension module, and end with it. Threads of the service carry none.

use std::cell::RefCell;
use std::panic::{self, UnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static OWN: RefCell<Vec<Stop>> = const { RefCell::new(Vec::new()) };
}

/// A request to end searches early, which another thread may make. Clones share it.
///
/// A search that is stopped plays no further playouts, and its choice means nothing: the caller has to drop the result.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Makes the searches of the current thread obey this request from now on.
    pub fn govern_thread(&self) {
        OWN.with_borrow_mut(|own| own.push(self.clone()));
    }

    /// Makes the searches of the current thread obey this request as well, for as long as `work` runs.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T + UnwindSafe) -> T {
        self.govern_thread();
        let result = panic::catch_unwind(work);
        OWN.with_borrow_mut(Vec::pop);
        result.unwrap_or_else(|cause| panic::resume_unwind(cause))
    }

    /// Ends the searches that obey this request.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once the end is requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns true if the searches of the current thread have to end.
pub(super) fn is_requested() -> bool {
    OWN.with_borrow(|own| own.iter().any(Stop::is_requested))
}
