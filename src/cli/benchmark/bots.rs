//! The games of a benchmark of a bot, in this process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use ahu::suite::{AgentClaim, GamePlace, Plan, PlannedMatch};
use ahu_engine::host::{Record, Referee};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use crate::cli::{CliError, lock};

/// Plays games of a bot, on all threads of the current pool of rayon, until `is_stopped`. Games in progress end.
pub(super) fn play(
    plan: &Plan,
    agent: &AgentClaim,
    places: &[GamePlace],
    is_stopped: &AtomicBool,
    keep: impl Fn(GamePlace, &Record) -> Result<(), CliError> + Sync,
) -> Result<(), CliError> {
    let failed = Mutex::new(None);
    // Games are handed out in order.
    places.iter().take_while(|_| !is_stopped.load(Ordering::Relaxed)).par_bridge().for_each(|&place| {
        if let Err(error) = record(plan, agent, place).and_then(|record| keep(place, &record)) {
            lock(&failed).get_or_insert(error);
            is_stopped.store(true, Ordering::Relaxed);
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Plays a game of bots alone.
fn record(plan: &Plan, agent: &AgentClaim, place: GamePlace) -> Result<Record, CliError> {
    let PlannedMatch { setup, seed, players, terms } = plan.game(agent, place).map_err(CliError::Usage)?;
    let mut referee = Referee::new(setup, seed, players, terms);
    referee.play_bots();
    Ok(referee.record())
}
