//! Work in parts, for the caller and a pool of threads: whoever is free takes the next part.
//!
//! A thread of a pool that sleeps needs some ten microseconds to wake up, which is as long as the work on a few hundred
//! rows. So the caller does not wait for its threads: it takes parts from the first moment on. And a thread that has run out
//! of parts looks for new ones for a while before it sleeps, since a trainer asks for the next batch soon. There is no clock
//! here: a while is a number of rounds.

use std::cell::Cell;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, Yield};

/// The rounds in which a thread looks for new work: about 100 us, several times as long as Python needs between two calls.
const LINGER: u32 = 200;

/// The pauses of a round, about half a microsecond.
const PAUSES: u32 = 16;

/// The pauses for which the caller waits awake for the last parts of others: about 50 us, as long as a part takes.
const AWAKE: u32 = 1600;

thread_local! {
    static LINGERS: Cell<bool> = const { Cell::new(false) };
}

/// Does `work` on all parts, on the core of the caller and the cores of the pool. A panic of a part unwinds the caller, once all
/// threads have ended their parts.
pub fn share_out<T: Send>(pool: &ThreadPool, parts: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let left = AtomicUsize::new(parts.len());
    let parts = Mutex::new(parts);
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        while let Some(part) = next() {
            work(part);
            left.fetch_sub(1, Ordering::Release);
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads() {
            scope.spawn(|_| {
                take();
                linger_later();
            });
        }
        take();
        // A caller that sleeps wakes up late, too.
        for _ in 0..AWAKE {
            if left.load(Ordering::Acquire) == 0 {
                break;
            }
            hint::spin_loop();
        }
    });
}

/// Makes the thread of the pool linger as soon as it has ended its present job.
fn linger_later() {
    if !LINGERS.replace(true) {
        rayon::spawn(linger);
    }
}

/// Does jobs until there has been none for a while.
fn linger() {
    let mut rounds = 0;
    while rounds < LINGER {
        match rayon::yield_now() {
            Some(Yield::Executed) => rounds = 0,
            Some(Yield::Idle) | None => {
                rounds += 1;
                (0..PAUSES).for_each(|_| hint::spin_loop());
            }
        }
    }
    LINGERS.set(false);
}

#[cfg(test)]
mod tests {
    use std::panic::{self, AssertUnwindSafe};

    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn each_part_is_done_once_and_a_panic_reaches_the_caller() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("the system has threads");
        for count in [0, 1, 2, 1000] {
            let mut done = vec![0_u32; count];
            share_out(&pool, done.iter_mut(), |part| *part += 1);
            assert_eq!(done, vec![1; count]);
        }
        let share = || share_out(&pool, 0..100, |part| assert_ne!(part, 60, "a planted fault"));
        panic::catch_unwind(AssertUnwindSafe(share)).expect_err("a part panics");
        let mut done = [false; 50];
        share_out(&pool, done.iter_mut(), |part| *part = true);
        assert_eq!(done, [true; 50], "the pool works on after a panic");
    }
}
