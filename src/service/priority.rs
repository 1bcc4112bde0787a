//! The priorities of threads that compute, so that a call gets a core at once although they occupy all of them.

/// The niceness of the threads that compute the decisions of bots, from 0 to 19: they get about a tenth of a contended core.
pub(super) const BOTS: i32 = 10;

/// The niceness of the threads that compute the decisions of bots that play alone: they get about a third of the core of a bot for
/// which an agent waits.
pub(super) const BOTS_ALONE: i32 = 15;

/// The niceness of the threads that step environments: they get about a quarter of a contended core.
pub(super) const ENVIRONMENTS: i32 = 5;

/// Raises the niceness of this thread, which begins with that of its parent. Linux has a priority for each thread; elsewhere it
/// stays as it is.
pub(super) fn lower(niceness: i32) {
    // An error leaves the priority as it is.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(niceness);
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
