//! The games of a contest with programs: several at once, each in a slot of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ahu::host::blocks::Tally;
use ahu::host::statistics::Sprt;

use super::archive::Archive;
use super::contest::Contest;
use super::log::Logs;
use super::progress::Progress;
use super::schedule::{Effect, Job, Schedule};
use super::slot::{Played, Slot};
use crate::cli::CliError;
use crate::cli::programs::LocalMatches;

/// The interval at which the progress is shown.
const LOOK: Duration = Duration::from_millis(50);

/// The state that all slots share.
struct Shared {
    schedule: Schedule,
    /// The games of blocks that are not whole yet.
    sealed: BTreeMap<u64, Vec<(Job, Played)>>,
    /// The news for the person at the terminal.
    news: Vec<String>,
    /// The forfeits of each player that were told.
    told: Vec<u32>,
}

/// The number of forfeits of each player that are told at once. The table counts the others.
const TOLD: u32 = 3;

/// Plays a contest with programs.
pub(super) fn play(
    contest: &Contest,
    blocks: u64,
    sprt: Option<Sprt>,
    concurrency: usize,
    archive: Option<&Archive>,
    logs: &Logs,
    progress: &mut Progress<'_>,
) -> Result<Tally, CliError> {
    let matches = LocalMatches::new();
    let tally = Tally::new(contest.lineup.clone(), contest.seatings.clone(), sprt);
    let schedule = Schedule::new(tally, contest.seatings.len(), blocks, contest.may_remember);
    let told = vec![0; contest.agents.len()];
    let shared = Mutex::new(Shared { schedule, sealed: BTreeMap::new(), news: Vec::new(), told });
    let has_begun: Vec<_> = contest.agents.iter().map(|_| AtomicBool::new(false)).collect();
    let is_stopped = AtomicBool::new(false);
    let work = || {
        let mut slot = Slot::new(contest, &matches, logs, &has_begun, &is_stopped);
        let done = work(&mut slot, contest, &shared, archive);
        if done.is_err() {
            is_stopped.store(true, Ordering::Relaxed);
        }
        slot.end();
        done
    };
    let mut failed = None;
    thread::scope(|scope| {
        let mut workers: Vec<_> = (0..concurrency).map(|_| scope.spawn(work)).collect();
        while !workers.is_empty() {
            thread::sleep(LOOK);
            {
                let mut shared = lock(&shared);
                for line in shared.news.drain(..) {
                    progress.tell(&line);
                }
                progress.show(&shared.schedule.tally);
            }
            let (ended, others): (Vec<_>, Vec<_>) =
                workers.into_iter().partition(thread::ScopedJoinHandle::is_finished);
            workers = others;
            for worker in ended {
                let done = worker.join().unwrap_or_else(|_| Err(CliError::Failed("a game panicked".to_owned())));
                failed = failed.take().or(done.err());
            }
        }
    });
    match failed {
        Some(error) => {
            progress.clear();
            Err(error)
        }
        None => Ok(shared.into_inner().unwrap_or_else(PoisonError::into_inner).schedule.tally),
    }
}

/// Plays games until there is none left.
fn work(
    slot: &mut Slot<'_>,
    contest: &Contest,
    shared: &Mutex<Shared>,
    archive: Option<&Archive>,
) -> Result<(), CliError> {
    loop {
        let Some(job) = lock(shared).schedule.next() else { return Ok(()) };
        let played = slot.play(job)?;
        let mut shared = lock(shared);
        shared.tell(contest, job, &played);
        let game = played.game.clone();
        let whole = match shared.schedule.enter(job, game).map_err(CliError::Failed)? {
            Effect::Open => {
                shared.sealed.entry(job.block).or_default().push((job, played));
                continue;
            }
            Effect::Whole => {
                let mut whole = shared.sealed.remove(&job.block).unwrap_or_default();
                whole.push((job, played));
                whole
            }
            // The games do not count, and have no record.
            Effect::Again(reason) => {
                shared.news.push(format!("block {} is played again: {reason}", job.block));
                let dropped = shared.sealed.remove(&job.block).unwrap_or_default();
                for (_, played) in &dropped {
                    played.release_logs();
                }
                played.release_logs();
                continue;
            }
            Effect::Stale => {
                played.release_logs();
                continue;
            }
        };
        drop(shared);
        for (job, played) in whole {
            played.live.unseal();
            played.release_logs();
            if let Some(archive) = archive {
                played.live.with_referee(|referee| archive.add(contest, job.block, job.game, referee));
            }
        }
    }
}

impl Shared {
    /// Notes the first forfeits of each player, with the last lines of the program.
    fn tell(&mut self, contest: &Contest, job: Job, played: &Played) {
        for forfeited in &played.forfeits {
            let told = &mut self.told[forfeited.player];
            *told += 1;
            if *told > TOLD {
                continue;
            }
            let name = &contest.agents[forfeited.player].name;
            let cause = crate::cli::outcome::reason(forfeited.cause);
            let mut line = format!(
                "{name} forfeits game {}.{} (block.game) in seat {}: {cause}",
                job.block, job.game, forfeited.seat
            );
            for last in &forfeited.last {
                line.push_str("\n    ");
                line.push_str(last);
            }
            if *told == TOLD {
                line = format!("{line}\n  (more forfeits of {name} are counted in the table)");
            }
            self.news.push(line);
        }
    }
}

/// Locks a value that every holder leaves whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
