//! Matches under faults: kills, restarts, broken connections, damaged stores, full disks.
//!
//! Each test starts `ahu serve` as a process of its own, and agents that send their calls again play on it. `AHU_KILLS` sets
//! the number of kills, `AHU_CHAOS` the number of matches with broken connections, and `AHU_SEED` the seed of all random
//! choices.

mod agents;
mod chaos;
mod database;
mod findings;
mod full;
mod kills;
mod matches;
mod operator;
mod pauses;
mod plans;
#[path = "../shared/postgres.rs"]
#[expect(dead_code, reason = "the tests of stores use more of it")]
mod postgres;
mod program;
mod proxy;
mod season;
mod stored;
mod wire;

/// Returns the number in an environment variable, or `usual` without one.
fn setting(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("expected a number in {name}, got \"{text}\"")),
        Err(_) => usual,
    }
}

/// Returns the seed of all random choices of a test.
fn seed() -> u64 {
    setting("AHU_SEED", 18)
}
