//! Work in parts, for one core or several: whoever is free takes the next part.
//!
//! A thread of a pool that sleeps needs some ten microseconds to wake up, which is as long as the work on a few hundred
//! rows. So the caller does not wait for its threads: it takes parts from the first moment on. And a thread that has run out
//! of parts looks for new ones for a while before it sleeps, since a trainer asks for the next batch soon. There is no clock
//! here: a while is a number of rounds.

use std::cell::Cell;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
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

/// The cores that do some work. The result does not depend on them.
#[derive(Clone, Debug)]
pub enum Cores {
    /// The core of the caller.
    Callers,
    /// The cores of the rayon pool to which the calling thread belongs; the global pool if it belongs to none.
    CallersPool,
    /// The core of the caller and those of helpers. The caller does its part at once, while they wake up.
    CallersAnd(Arc<Helpers>),
}

/// Threads that help one caller at a time: another caller works alone, and waits for nobody.
#[derive(Debug)]
pub struct Helpers {
    pool: ThreadPool,
    /// True if they look for new parts for a while before they sleep, which takes from others on a busy machine.
    linger: bool,
    taken: Mutex<()>,
}

impl Helpers {
    /// Creates helpers of the threads of a pool.
    pub fn new(pool: ThreadPool, linger: bool) -> Self {
        Self { pool, linger, taken: Mutex::new(()) }
    }
}

impl Cores {
    /// Returns how many they are.
    pub fn count(&self) -> usize {
        match self {
            Self::Callers => 1,
            Self::CallersPool => rayon::current_num_threads(),
            Self::CallersAnd(helpers) => helpers.pool.current_num_threads() + 1,
        }
    }

    /// Does `work` on all parts, and returns the results in the order of the parts. A panic of a part unwinds the caller, once
    /// all cores have ended their parts.
    pub fn map<T: Send, R: Send>(&self, parts: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
        match self {
            Self::CallersPool if parts.len() > 1 => parts.into_par_iter().map(work).collect(),
            Self::CallersAnd(helpers) if parts.len() > 1 => share_out(helpers, parts, work),
            Self::Callers | Self::CallersPool | Self::CallersAnd(_) => parts.into_iter().map(work).collect(),
        }
    }
}

fn share_out<T: Send, R: Send>(helpers: &Helpers, parts: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let Helpers { pool, linger, taken } = helpers;
    let _guard = match taken.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return parts.into_iter().map(work).collect(),
    };
    let helping = pool.current_num_threads().min(parts.len() - 1);
    let left = AtomicUsize::new(parts.len());
    let mut results: Vec<Option<R>> = parts.iter().map(|_| None).collect();
    let parts = Mutex::new(parts.into_iter().zip(&mut results));
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        while let Some((part, result)) = next() {
            *result = Some(work(part));
            left.fetch_sub(1, Ordering::Release);
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..helping {
            scope.spawn(|_| {
                take();
                if *linger {
                    linger_later();
                }
            });
        }
        take();
        // A caller that sleeps wakes up late, too.
        for _ in 0..if *linger { AWAKE } else { 0 } {
            if left.load(Ordering::Acquire) == 0 {
                break;
            }
            hint::spin_loop();
        }
    });
    results.into_iter().map(|result| result.expect("all parts are done")).collect()
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
        for linger in [true, false] {
            let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("the system has threads");
            let cores = Cores::CallersAnd(Arc::new(Helpers::new(pool, linger)));
            let within = |part| cores.map(vec![part; 3], |part| part).len();
            assert_eq!(cores.map(vec![1; 9], within), [3; 9], "helpers that are taken keep nobody waiting");
            for count in [0, 1, 2, 1000] {
                assert_eq!(
                    cores.map((0..count).collect(), |part| 2 * part),
                    (0..count).map(|part| 2 * part).collect::<Vec<_>>()
                );
            }
            let share = || cores.map((0..100).collect(), |part| assert_ne!(part, 60, "a planted fault"));
            panic::catch_unwind(AssertUnwindSafe(share)).expect_err("a part panics");
            assert_eq!(cores.map(vec![false; 50], |part| !part), [true; 50], "the pool works on after a panic");
        }
    }
}
