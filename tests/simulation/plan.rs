//! Plans: the steps of a simulation, which follow from a seed, and the shortest part of a plan that still finds a fault.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// One step of a simulation. `pick` chooses among the things to which the step can happen. So a step has a meaning whatever
/// came before it, and a plan may leave out any of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    pub(crate) pick: u32,
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Somebody creates a match.
    Create,
    /// An agent begins its next call: it joins, waits for its decision, or answers it.
    Act,
    /// An agent sends a call that a careful agent would not send.
    Stray,
    /// A call or a stream that was woken goes on.
    Poll,
    /// A client gives up a call.
    GiveUp,
    /// A watcher begins a stream, goes on after a lost one, or leaves.
    Watch,
    /// Somebody looks at a match.
    Look,
    /// The journal takes a turn.
    Commit,
    /// The disk begins to fail, or works again.
    Disk,
    /// A bot decides.
    Decide,
    /// Time passes.
    Pass,
    /// The tasks of the server that move watchers forward go on.
    Tasks,
    /// The server is killed, and starts again.
    Kill,
    /// The server is killed after a commit of which nobody has learned.
    KillAfterCommit,
    /// The server ends in an orderly way, and starts again.
    Restart,
    /// The creator of a match cancels it.
    Cancel,
    /// The server drops matches that are idle.
    Expire,
}

/// The kinds of steps, with their shares among all steps.
const SHARES: [(Kind, u32); 17] = [
    (Kind::Create, 4),
    (Kind::Act, 60),
    (Kind::Stray, 12),
    (Kind::Poll, 120),
    (Kind::GiveUp, 4),
    (Kind::Watch, 10),
    (Kind::Look, 4),
    (Kind::Commit, 50),
    (Kind::Disk, 6),
    (Kind::Decide, 16),
    (Kind::Pass, 16),
    (Kind::Tasks, 24),
    (Kind::Kill, 1),
    (Kind::KillAfterCommit, 1),
    (Kind::Restart, 1),
    (Kind::Cancel, 1),
    (Kind::Expire, 1),
];

/// The number of steps of a plan.
const STEPS: usize = 1_000;

/// Returns the plan of a seed.
pub(crate) fn plan_of(seed: u64) -> Vec<Step> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let all: u32 = SHARES.iter().map(|(_, share)| share).sum();
    let mut step = |_| {
        let mut left = rng.random_range(0..all);
        let kind = SHARES.iter().find(|(_, share)| {
            let is_it = left < *share;
            left = left.saturating_sub(*share);
            is_it
        });
        Step { kind: kind.expect("the number is below the sum of the shares").0, pick: rng.random() }
    };
    let begin = [Kind::Create, Kind::Create, Kind::Poll, Kind::Poll, Kind::Commit, Kind::Poll, Kind::Poll];
    let begin = begin.map(|kind| Step { kind, ..step(0) });
    begin.into_iter().chain((0..STEPS).map(&mut step)).collect()
}

/// Returns a short part of a plan for which `fails` is still true: without any of its steps it would not be.
pub(crate) fn shortened(plan: &[Step], fails: impl Fn(&[Step]) -> bool) -> Vec<Step> {
    let mut plan = plan.to_vec();
    let mut size = plan.len() / 2;
    while size > 0 {
        let (mut start, mut is_shorter) = (0, false);
        while start < plan.len() {
            let end = (start + size).min(plan.len());
            let rest = [&plan[..start], &plan[end..]].concat();
            if fails(&rest) {
                (plan, is_shorter) = (rest, true);
            } else {
                start = end;
            }
        }
        if size > 1 || !is_shorter {
            size /= 2;
        }
    }
    plan
}
