//! The small types that threads of the service share, in many interleavings of their threads: shuttle decides at each use of
//! a lock or an atomic which thread goes on.
//!
//! The files of these types take the primitives of threads from `ahu_service::sync`. Here they are compiled with the primitives
//! of shuttle. `AHU_INTERLEAVINGS=100000 cargo test --test interleavings` tries more of them.

// A part of each type is used elsewhere, and unit tests have no harness here.
#![allow(dead_code, unreachable_pub, unused_imports)]
#![expect(clippy::print_stdout, reason = "it is its own harness")]

#[path = "../../crates/service/src/matches/bot_pool.rs"]
mod bot_pool;
#[path = "../../crates/service/src/matches/clock.rs"]
mod clock;
#[path = "../../crates/service/src/matches/live_match/presence.rs"]
mod presence;
#[path = "../../crates/service/src/matches/timer.rs"]
mod timer;

// The other modules of the service that the types use, with the primitives of shuttle.

mod sync {
    pub(crate) use shuttle::sync::*;
    pub(crate) use shuttle::thread;
}

mod admission {
    /// The owner of a job.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) struct Principal(pub(crate) u8);

    impl Principal {
        pub(crate) fn at(_: Option<std::net::IpAddr>) -> Self {
            Self(0)
        }
    }
}

mod background {
    pub(crate) const BOTS: i32 = 0;
    pub(crate) const BOTS_ALONE: i32 = 0;

    pub(crate) fn lower_priority(_: i32) {}
}

mod limits {
    use std::time::Duration;

    pub(crate) const CLOCK_BEAT: Duration = Duration::from_millis(250);
    pub(crate) const CLOCK_PAUSE: Duration = Duration::from_secs(1);
    pub(crate) const BOT_THREADS: usize = 3;
    pub(crate) const PRESENCE_GRACE: Duration = Duration::from_secs(10);
}

mod matches {
    pub(crate) use crate::clock::Clock;
}

use std::env;

use ahu_host::MatchTime;

use self::admission::Principal;
use self::bot_pool::{BotPool, Urgency};
use self::clock::Clock;
use self::presence::Presence;
use self::sync::atomic::{AtomicUsize, Ordering};
use self::sync::{Arc, Mutex, mpsc, thread};
use self::timer::{Timed, Timer};

fn lock<T>(mutex: &sync::Mutex<T>) -> sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(sync::PoisonError::into_inner)
}

/// A check, and its name.
type Check = (&'static str, fn());

const CHECKS: [Check; 5] = [
    ("a_clock_never_goes_back_or_counts_the_time_at_which_it_stood_still", a_clock_counts_the_time_that_it_ran),
    ("a_call_that_ends_leaves_its_seat_present", a_call_that_ends_leaves_its_seat_present),
    ("the_pool_does_every_job_once", the_pool_does_every_job_once),
    ("the_pool_keeps_the_order_of_an_owner", the_pool_keeps_the_order_of_an_owner),
    ("the_timer_tells_every_owner_that_is_due", the_timer_tells_every_owner_that_is_due),
];

/// Runs the checks whose names have a word of the arguments, as the harness of Rust does.
fn main() {
    let interleavings = env::var("AHU_INTERLEAVINGS").map_or(1_000, |count| count.parse().expect("a number"));
    let words: Vec<_> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (name, check) in CHECKS {
        if words.is_empty() || words.iter().any(|word| name.contains(word)) {
            shuttle::check_pct(check, interleavings, 3);
            shuttle::check_random(check, interleavings);
            println!("test {name} ... ok ({} interleavings)", 2 * interleavings);
        }
    }
}

/// The journal stops the clock while the store fails. Readers see the time go on by what passed while the clock ran.
fn a_clock_counts_the_time_that_it_ran() {
    let clock = Clock::manual();
    clock.go_on_from(MatchTime(100));
    let journal = {
        let clock = clock.clone();
        thread::spawn(move || {
            clock.stop();
            // The store fails for a while.
            clock.set(MatchTime(1_000));
            clock.go_on();
        })
    };
    let mut before = MatchTime(0);
    for _ in 0..3 {
        let now = clock.now();
        assert!(before <= now, "the time goes from {before:?} to {now:?}");
        assert_eq!(now, MatchTime(100), "the clock stood still all the time");
        before = now;
    }
    journal.join().expect("the journal does not panic");
}

/// A deadline may be checked at the moment at which a call ends.
fn a_call_that_ends_leaves_its_seat_present() {
    let (clock, presence) = (Clock::manual(), Arc::<Presence>::default());
    clock.set(MatchTime(0));
    let call = presence.enter(&clock);
    clock.set(MatchTime(60_000));
    let client = thread::spawn(move || drop(call));
    assert!(presence.is_present(MatchTime(60_000)), "the call ends at this time");
    client.join().expect("the client does not panic");
    assert!(presence.is_present(MatchTime(60_000)) && !presence.is_present(MatchTime(70_000)));
}

fn the_pool_does_every_job_once() {
    let (pool, done) = (BotPool::new(), Arc::new([const { AtomicUsize::new(0) }; 6].map(|_| AtomicUsize::new(0))));
    let (ended, is_ended) = mpsc::channel();
    let owners: Vec<_> = (0..2)
        .map(|owner| {
            let (pool, done, ended) = (pool.clone(), Arc::clone(&done), ended.clone());
            thread::spawn(move || {
                for n in 0..3 {
                    let (done, ended) = (Arc::clone(&done), ended.clone());
                    let job = move || {
                        done[owner * 3 + n].fetch_add(1, Ordering::SeqCst);
                        ended.send(()).expect("the check waits");
                    };
                    let urgency = if n == 1 { Urgency::BotsAlone } else { Urgency::Agents };
                    pool.submit(urgency, Some(Principal(owner as u8)), Box::new(job));
                }
            })
        })
        .collect();
    // A job without a thread would leave this thread waiting for ever, which shuttle finds.
    for _ in 0..6 {
        is_ended.recv().expect("the jobs have senders");
    }
    for owner in owners {
        owner.join().expect("an owner does not panic");
    }
    assert!(done.iter().all(|count| count.load(Ordering::SeqCst) == 1));
    assert_eq!(pool.queued(), [0, 0]);
}

fn the_pool_keeps_the_order_of_an_owner() {
    let (pool, begun) = (BotPool::new(), Arc::<Mutex<Vec<u32>>>::default());
    let (ended, is_ended) = mpsc::channel();
    for n in 0..3 {
        let (begun, ended) = (Arc::clone(&begun), ended.clone());
        let job = move || {
            lock(&begun).push(n);
            ended.send(()).expect("the check waits");
        };
        pool.submit(Urgency::BotsAlone, None, Box::new(job));
    }
    for _ in 0..3 {
        is_ended.recv().expect("the jobs have senders");
    }
    assert_eq!(*lock(&begun), [0, 1, 2]);
}

/// An owner of one entry.
struct Due(AtomicUsize, Mutex<mpsc::Sender<()>>);

impl Timed for Due {
    fn time_out(&self, _: MatchTime) {
        self.0.fetch_add(1, Ordering::SeqCst);
        lock(&self.1).send(()).expect("the check waits");
    }
}

fn the_timer_tells_every_owner_that_is_due() {
    // The clock of the system begins at 0, so both entries are due.
    let timer = Timer::start(Clock::system());
    let (told, is_told) = mpsc::channel();
    let due: Vec<_> = (0..2).map(|_| Arc::new(Due(AtomicUsize::new(0), Mutex::new(told.clone())))).collect();
    let matches: Vec<_> = (1..)
        .zip(&due)
        .map(|(number, due)| {
            let (timer, due) = (timer.clone(), Arc::clone(due));
            thread::spawn(move || {
                let due: Arc<dyn Timed> = due;
                timer.schedule(number, None, Some(MatchTime(0)), || Arc::downgrade(&due));
            })
        })
        .collect();
    for _ in 0..2 {
        is_told.recv().expect("the owners have senders");
    }
    for live in matches {
        live.join().expect("a match does not panic");
    }
    assert!(due.iter().all(|due| due.0.load(Ordering::SeqCst) == 1));
    assert!(!timer.is_waiting());
}
