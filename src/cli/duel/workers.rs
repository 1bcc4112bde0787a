//! The games of a contest with programs: several at once, each in a slot of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ahu_engine::host::blocks::Tally;
use ahu_engine::host::statistics::Sprt;

use super::archive::Archive;
use super::contest::Contest;
use super::progress::Progress;
use super::schedule::{Effect, Job, Schedule};
use crate::cli::outcome::reason;
use crate::cli::pairing::{Logs, Played, Queues, Scratch, Slot, Surroundings};
use crate::cli::programs::{LocalMatches, on_first_signal};
use crate::cli::{CliError, lock};

/// The interval at which the progress is shown.
const LOOK: Duration = Duration::from_millis(50);
/// The number of forfeits of each player that are told at once. The table counts the others.
const TOLD: u32 = 3;

/// The result of a contest with programs.
pub(super) struct Outcome {
    pub(super) tally: Tally,
    /// True if a signal ended the duel before its last block.
    pub(super) is_interrupted: bool,
}

/// The state that all slots share.
struct Shared {
    schedule: Schedule,
    /// The blocks that are not whole yet.
    open: BTreeMap<u64, OpenBlock>,
    /// The news for the person at the terminal.
    news: Vec<String>,
    /// The number of forfeits of each player that were told.
    told: Vec<u32>,
    /// The first error, which ends the duel.
    error: Option<CliError>,
}

/// A block that is not whole yet. What it has to tell stays here if its players must not learn of each other's games.
#[derive(Default)]
struct OpenBlock {
    games: Vec<(Job, Played)>,
    /// The games that do not count, because the block was begun anew.
    dropped: Vec<Played>,
    news: Vec<String>,
}

/// Plays a contest with programs, until it is decided or a signal comes.
pub(super) fn play(
    contest: &Contest,
    blocks: u64,
    sprt: Option<Sprt>,
    concurrency: usize,
    archive: Option<&Archive>,
    logs: &Logs,
    progress: &mut Progress<'_>,
) -> Result<Outcome, CliError> {
    let matches = LocalMatches::new();
    let tally = Tally::new(contest.lineup.clone(), contest.seatings.clone(), sprt);
    let schedule = Schedule::new(tally, contest.seatings.len(), blocks, contest.may_remember);
    let told = vec![0; contest.agents.len()];
    let shared = Mutex::new(Shared { schedule, open: BTreeMap::new(), news: Vec::new(), told, error: None });
    let has_begun: Vec<_> = contest.agents.iter().map(|_| AtomicBool::new(false)).collect();
    let is_stopped = Arc::new(AtomicBool::new(false));
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let scratch = if contest.may_remember { None } else { Some(Scratch::new()?) };
    on_first_signal({
        let flags = [Arc::clone(&is_stopped), Arc::clone(&is_interrupted)];
        move || flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed))
    })
    .map_err(CliError::failed)?;
    let work = || {
        let _stop = StopOnPanic(&is_stopped);
        let mut slot = Slot::new(Surroundings {
            agents: &contest.agents,
            patience: contest.patience,
            matches: &matches,
            logs,
            scratch: scratch.as_ref(),
            queues: Queues::new(),
            has_begun: Some(&has_begun),
            is_stopped: &is_stopped,
        });
        if let Err(error) = work(&mut slot, contest, &shared, archive, &is_stopped) {
            lock(&shared).error.get_or_insert(error);
            is_stopped.store(true, Ordering::Relaxed);
        }
        slot.end();
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..concurrency).map(|_| scope.spawn(work)).collect();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(LOOK);
            let mut shared = lock(&shared);
            for line in std::mem::take(&mut shared.news) {
                progress.tell(&line);
            }
            progress.show(&shared.schedule.tally);
        }
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    // What open blocks had to tell is no secret any more.
    for line in shared.news.iter().chain(shared.open.values().flat_map(|open| &open.news)) {
        progress.tell(line);
    }
    shared.open.values().for_each(OpenBlock::release_logs);
    progress.clear();
    let is_interrupted = is_interrupted.load(Ordering::Relaxed);
    shared.error.map_or_else(|| Ok(Outcome { tally: shared.schedule.tally, is_interrupted }), Err)
}

/// Stops the other slots if the thread of one panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Plays games until there is none left, or the duel is stopped.
fn work(
    slot: &mut Slot<'_>,
    contest: &Contest,
    shared: &Mutex<Shared>,
    archive: Option<&Archive>,
    is_stopped: &AtomicBool,
) -> Result<(), CliError> {
    while !is_stopped.load(Ordering::Relaxed) {
        let Some(job) = lock(shared).schedule.next() else { break };
        let pairing = contest.pairing(job);
        let live = slot.host(&pairing)?;
        let played = slot.play(&pairing, live)?;
        if is_stopped.load(Ordering::Relaxed) {
            // The match was cancelled with the duel.
            break;
        }
        let whole = lock(shared).enter(contest, job, played)?;
        let Some(whole) = whole else { continue };
        for (job, played) in &whole.games {
            played.live.unseal();
            if let Some(archive) = archive {
                played.live.with_referee(|referee| archive.add(contest, job.block, job.game, referee));
            }
        }
        whole.release_logs();
        if lock(shared).schedule.tally.verdict().is_some() {
            // The games in progress belong to blocks that do not count.
            is_stopped.store(true, Ordering::Relaxed);
        }
    }
    Ok(())
}

impl OpenBlock {
    /// Writes the lines that the logs of sealed games have held back.
    fn release_logs(&self) {
        for played in self.games.iter().map(|(_, played)| played).chain(&self.dropped) {
            played.release_logs();
        }
    }
}

impl Shared {
    /// Enters a game. Returns its block if that is whole.
    fn enter(&mut self, contest: &Contest, job: Job, played: Played) -> Result<Option<OpenBlock>, CliError> {
        let mut news = self.forfeits_of(contest, job, &played);
        let effect = self.schedule.enter(job, played.game.clone()).map_err(CliError::Failed)?;
        if let Effect::Again(reason) = &effect {
            news.push(format!("block {} is played again: {reason}", job.block));
        }
        let open = self.open.entry(job.block).or_default();
        match effect {
            Effect::Open | Effect::Whole => open.games.push((job, played)),
            Effect::Stale => open.dropped.push(played),
            Effect::Again(_) => {
                open.dropped.extend(open.games.drain(..).map(|(_, played)| played));
                open.dropped.push(played);
            }
        }
        if contest.may_remember {
            // Nothing is secret: each game has luck of its own, or the players are trusted.
            self.news.append(&mut news);
            open.release_logs();
        }
        open.news.append(&mut news);
        if effect != Effect::Whole {
            return Ok(None);
        }
        let mut whole = self.open.remove(&job.block).unwrap_or_default();
        self.news.append(&mut whole.news);
        Ok(Some(whole))
    }

    /// Returns a line for each of the first forfeits of each player, with the last lines of the program.
    fn forfeits_of(&mut self, contest: &Contest, job: Job, played: &Played) -> Vec<String> {
        let mut lines = Vec::new();
        for forfeited in &played.forfeits {
            let told = &mut self.told[forfeited.player];
            *told += 1;
            if *told > TOLD {
                continue;
            }
            let (name, cause) = (&contest.agents[forfeited.player].name, reason(forfeited.cause));
            let (block, game, seat) = (job.block, job.game, forfeited.seat);
            let mut line = format!("{name} forfeits game {block}.{game} (block.game) in seat {seat}: {cause}");
            for last in &forfeited.last {
                line = format!("{line}\n    {last}");
            }
            if *told == TOLD {
                line = format!("{line}\n  (more forfeits of {name} are counted in the table)");
            }
            lines.push(line);
        }
        lines
    }
}
