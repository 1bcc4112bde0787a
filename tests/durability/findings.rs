//! The faults that a test has found, and its figures.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// Prints the figures of a test, whether it passes or fails.
pub(crate) fn report(figures: &str) {
    // Unlike `println!`, this is not captured. An error leaves the test without its figures.
    let _ = writeln!(io::stderr(), "{figures}");
}

/// A fault of the server.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// An acknowledged answer of the server is gone.
    Lost(String),
    /// An action was applied that nobody sent, or twice.
    Doubled(String),
    /// Another fault.
    Other(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(what) => write!(f, "lost: {what}"),
            Self::Doubled(what) => write!(f, "doubled: {what}"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

/// The faults and figures of a test, which its tasks share.
#[derive(Debug)]
pub(crate) struct Findings {
    faults: Mutex<Vec<Fault>>,
    /// The number of acknowledged actions.
    pub(crate) acknowledged: watch::Sender<u64>,
    /// The number of calls that were refused because a match was suspended.
    pub(crate) suspended: watch::Sender<u64>,
    /// The number of acknowledged answers that agents asked for again.
    pub(crate) repeated: AtomicUsize,
    /// The number of calls that were sent again because their answer did not arrive.
    pub(crate) resent: AtomicUsize,
    /// The number of requests that were sent twice at once.
    pub(crate) duplicated: AtomicUsize,
    /// The number of actions that the server took although their answer did not arrive.
    pub(crate) unacknowledged: AtomicUsize,
    /// The spans in which a server ran. The last span may go on.
    runs: Mutex<Vec<(Instant, Option<Instant>)>>,
    /// True if clocks may stand still while a server runs, since its store fails.
    have_stopped_clocks: bool,
    /// The times of acknowledged actions, by match.
    acted: Mutex<HashMap<String, Vec<Instant>>>,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            faults: Mutex::default(),
            acknowledged: watch::Sender::new(0),
            suspended: watch::Sender::new(0),
            repeated: AtomicUsize::new(0),
            resent: AtomicUsize::new(0),
            duplicated: AtomicUsize::new(0),
            unacknowledged: AtomicUsize::new(0),
            runs: Mutex::default(),
            have_stopped_clocks: false,
            acted: Mutex::default(),
        }
    }
}

impl Findings {
    /// Returns the findings of a test in which clocks may stand still while a server runs.
    pub(crate) fn of_stopped_clocks() -> Self {
        Self { have_stopped_clocks: true, ..Self::default() }
    }

    /// Notes an acknowledged action of a match.
    pub(crate) fn acts(&self, match_id: &str) {
        self.acknowledged.send_modify(|count| *count += 1);
        let mut acted = self.acted.lock().expect("no task panics with the lock");
        acted.entry(match_id.to_owned()).or_default().push(Instant::now());
    }

    /// Returns the time from this moment to the next acknowledged action of each match that had one before.
    pub(crate) fn resumed_after(&self, at: Instant) -> Vec<Duration> {
        let acted = self.acted.lock().expect("no task panics with the lock");
        let next = |times: &Vec<Instant>| {
            let place = times.partition_point(|time| *time < at);
            times.get(place).filter(|_| place > 0).map(|next| *next - at)
        };
        acted.values().filter_map(next).collect()
    }

    /// Returns the matches that had an acknowledged action since this moment.
    pub(crate) fn acted_since(&self, at: Instant) -> Vec<String> {
        let acted = self.acted.lock().expect("no task panics with the lock");
        let since = acted.iter().filter(|(_, times)| times.last().is_some_and(|last| *last >= at));
        since.map(|(match_id, _)| match_id.clone()).collect()
    }

    /// Notes a fault.
    pub(crate) fn add(&self, fault: Fault) {
        self.faults.lock().expect("no task panics with the lock").push(fault);
    }

    /// Adds 1 to a figure.
    pub(crate) fn count(figure: &AtomicUsize) {
        figure.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the numbers of lost and of doubled answers, and the number of all faults.
    pub(crate) fn faults(&self) -> (usize, usize, usize) {
        let faults = self.faults.lock().expect("no task panics with the lock");
        let of = |is: fn(&Fault) -> bool| faults.iter().filter(|fault| is(fault)).count();
        (of(|fault| matches!(fault, Fault::Lost(_))), of(|fault| matches!(fault, Fault::Doubled(_))), faults.len())
    }

    /// Panics with the first faults, if there are any.
    pub(crate) fn assert_none(&self, test: &str, seed: u64) {
        let faults = self.faults.lock().expect("no task panics with the lock");
        let first: Vec<_> = faults.iter().take(20).map(ToString::to_string).collect();
        assert!(first.is_empty(), "{test}, AHU_SEED={seed}: {} faults, such as\n{}", faults.len(), first.join("\n"));
    }

    /// Notes that a server was started at this time.
    pub(crate) fn starts(&self, at: Instant) {
        self.runs.lock().expect("no task panics with the lock").push((at, None));
    }

    /// Notes that the server has ended by now.
    pub(crate) fn has_ended(&self) {
        let mut runs = self.runs.lock().expect("no task panics with the lock");
        let last = runs.last_mut().expect("a server was started");
        last.1 = Some(Instant::now());
    }

    /// Returns the least time in milliseconds for which clocks ran between two times: see [`Self::running`].
    pub(crate) fn least_running(&self, from: Instant, to: Instant) -> u32 {
        if self.have_stopped_clocks { 0 } else { self.running(from, to) }
    }

    /// Returns the number of ends of a server between two times.
    pub(crate) fn ends(&self, from: Instant, to: Instant) -> u32 {
        let runs = self.runs.lock().expect("no task panics with the lock");
        let ends = runs.iter().rev().map_while(|(_, end)| Some(end.unwrap_or(to)).filter(|&end| end > from));
        ends.filter(|&end| end < to).count() as u32
    }

    /// Returns the time in milliseconds, rounded up, for which a server ran between two times.
    pub(crate) fn running(&self, from: Instant, to: Instant) -> u32 {
        let runs = self.runs.lock().expect("no task panics with the lock");
        let within = runs.iter().rev().take_while(|(_, end)| end.is_none_or(|end| end > from));
        let times =
            within.map(|&(start, end)| end.map_or(to, |end| end.min(to)).saturating_duration_since(start.max(from)));
        let total: Duration = times.sum();
        u32::try_from(total.as_millis()).expect("a test takes less than 49 days") + 1
    }
}
