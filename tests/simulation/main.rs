//! The simulation of a server: the real service on one thread, with a disk, a clock, and a schedule that follow from a seed.
//!
//! Agents play, watchers watch, the disk fails, and the server is killed and starts again. At the end the laws of `laws.rs`
//! hold: nothing that was acknowledged is lost, a decision has one effect, clocks charge no more than was used, every call is
//! answered, a watcher is told each event once, and the store leads to the state that the server had in memory.
//!
//! `AHU_SEED=7 cargo test --test simulation -- --nocapture` prints the steps of the seed 7, and `AHU_SEEDS=10000` runs so
//! many seeds. `planted/` has faults that the laws have to find: see `planted.py` beside them.

#![expect(clippy::print_stdout, reason = "it prints histories and figures")]

mod claims;
mod disk;
mod laws;
mod plan;
mod world;

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::plan::{plan_of, shortened};
use crate::world::{Counts, World};

/// The number of seeds without `AHU_SEEDS`.
const SEEDS: u64 = 200;

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|number| number.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// Runs these seeds on all cores, and returns what happened in all of them, and the seeds that break a law.
fn run(seeds: u64) -> (Counts, Vec<(u64, String)>) {
    let next = AtomicU64::new(0);
    let work = || {
        let (mut counts, mut broken) = (Counts::default(), Vec::new());
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds {
                return (counts, broken);
            }
            let end = World::run(&plan_of(seed), false);
            counts.add(&end.counts);
            broken.extend(end.broken.map(|law| (seed, law)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a simulation catches its panics")).collect()
    });
    let (mut counts, mut broken) = (Counts::default(), Vec::new());
    for (part, found) in parts {
        counts.add(&part);
        broken.extend(found);
    }
    broken.sort();
    (counts, broken)
}

/// Returns the shortest history of a seed that breaks a law, with the law.
fn shortest(seed: u64) -> String {
    let plan = plan_of(seed);
    let name = |law: &str| law.split(':').next().map(str::to_owned);
    let Some(law) = World::run(&plan, false).broken else { return String::new() };
    let breaks_it = |plan: &[_]| World::run(plan, false).broken.is_some_and(|found| name(&found) == name(&law));
    let short = shortened(&plan, breaks_it);
    let end = World::run(&short, true);
    let law = end.broken.expect("the short plan breaks the law");
    format!("seed {seed} breaks a law in {} of {} steps:\n{}\n{law}", short.len(), plan.len(), end.history.join("\n"))
}

#[test]
fn every_seed_keeps_the_laws() {
    if let Some(seed) = number("AHU_SEED") {
        let end = World::run(&plan_of(seed), true);
        println!("{}\n{}", end.history.join("\n"), end.counts);
        assert!(end.broken.is_none(), "{}", shortest(seed));
        return;
    }
    let seeds = number("AHU_SEEDS").unwrap_or(SEEDS);
    let (counts, broken) = run(seeds);
    println!("{seeds} seeds: {counts}");
    if let Some((seed, _)) = broken.first() {
        let all: Vec<_> = broken.iter().map(|(seed, law)| format!("{seed}: {law}")).collect();
        panic!("{} of {seeds} seeds break a law:\n{}\n\n{}", broken.len(), all.join("\n"), shortest(*seed));
    }
    // A simulation in which nothing happens keeps every law.
    let each = [counts.steps, counts.kills, counts.failures, counts.messages, counts.timeouts, counts.ended];
    assert!(each.iter().all(|count| *count > seeds / 10), "too little happens: {counts}");
}

/// Seeds that broke a law before a fault was mended.
#[test]
fn no_mended_fault_comes_back() {
    // 3758: a match began while a watcher who asked for all events waited, and it was not told the first events.
    let mended = [3758_u64];
    assert!(
        mended.iter().all(|seed| World::run(&plan_of(*seed), false).broken.is_none()),
        "{}",
        mended.map(shortest).concat()
    );
}

#[test]
fn the_same_seed_has_the_same_history() {
    let histories = [(); 2].map(|()| World::run(&plan_of(3), true).history);
    assert!(histories[0].len() > 300);
    assert_eq!(histories[0], histories[1]);
}

/// `planted.py` plants them, which takes minutes.
#[test]
fn the_planted_faults_can_be_planted() {
    let folder = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let patches = folder.join("tests/simulation/planted").read_dir().expect("the folder is there");
    let patches: Vec<_> = patches.map(|patch| patch.expect("the folder can be read").path()).collect();
    let apply = Command::new("git").current_dir(folder).args(["apply", "--check"]).args(&patches).output();
    let apply = apply.expect("git is there");
    assert!(apply.status.success() && patches.len() >= 5, "{}", String::from_utf8_lossy(&apply.stderr));
}
