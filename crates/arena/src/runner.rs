//! The runner: plays the many games of a duel, a benchmark, or a cup.
//!
//! These commands differ in which game comes next and in what a result means. That is their [`Schedule`]: `duel/schedule.rs`,
//! `benchmark/schedule.rs`, `cup/director.rs`. A [`Venue`] hosts the matches. The runner does the rest once, for all of
//! them. It plays several games at once, plays void games again (`void_games.rs`: 5 attempts), and tells forfeits (the first
//! 3 of each player) and progress. It stops all games on an error, a signal, or a panic. What games with the same chance
//! must not learn of each other is held in one place: the logs and news of a game, and the seal of its match, wait until the
//! group of the game is whole.
//!
//! A game that is to be played has one type, `PlannedGame`: from the draw of a cup, the plan of a suite, or the block of a duel
//! to the slot that plays it. Each of the other forms of a game has its own reason:
//!
//! | type | reason |
//! |---|---|
//! | `cup::GameKey` | the key of a game in the journal of a cup |
//! | `MatchConfig`, `MatchHead` | what a server keeps before play |
//! | `Record` | what anybody can check |
//! | [`Played`] | a record with the output of programs |
//! | `cup::GameResult` | what the journal of a cup says of a game |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ahu_contest::PlannedGame;
use ahu_host::outcome::reason;
use tokio::runtime;

use crate::agent::Agent;
use crate::programs::on_first_signal;
use crate::schedule::{Effect, Next, Schedule};
use crate::venue::{Played, Slot, Surroundings, Venue};
use crate::void_games::VoidGames;
use crate::{Error, News, lock};

/// The number of forfeits of each player that are told as they happen. The results count the others.
const TOLD: u32 = 3;
/// The number of games in progress that are named when a run stops.
const NAMED: usize = 5;
const LOOK: Duration = Duration::from_millis(50);
/// The time after which a thread without a game looks at the schedule again, even if nobody has called: an agent may have become
/// absent.
const WAIT: Duration = Duration::from_secs(1);

/// The fate of games in progress when a run stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtStop {
    /// They are cancelled, and have no result.
    Cancel,
    /// Games in progress are played to their end first.
    LetEnd,
}

/// A run: plays the games of a schedule on a venue.
pub struct Runner<'a, S: Schedule> {
    venue: &'a dyn Venue,
    at_stop: AtStop,
    is_stopping: Arc<AtomicBool>,
    /// True if a signal has stopped the run.
    is_interrupted: Arc<AtomicBool>,
    /// True once the games in progress have no result any more: the run has failed, or it stops and the venue stands still.
    is_abandoned: AtomicBool,
    shared: Mutex<RunnerState<S>>,
    /// Wakes threads that wait for a game: a game has ended, an agent has called, or the run stops.
    changed: Condvar,
}

/// The state under the lock of the runner.
struct RunnerState<S: Schedule> {
    schedule: S,
    void_games: VoidGames,
    forfeits: BTreeMap<String, u32>,
    open: BTreeMap<S::GroupKey, Group<S::GameKey>>,
    /// The names of the games in progress.
    playing: BTreeSet<String>,
    /// True once the person at the terminal knows for which games a run waits that stops.
    has_told_wait: bool,
    /// News for the person at the terminal.
    news: Vec<String>,
    /// The first error, which ends the run.
    error: Option<Error>,
}

/// A game that a thread is to play.
struct Claim<K> {
    key: K,
    game: PlannedGame,
    /// The match in which it was played before the run was interrupted; None if there was none.
    earlier: Option<String>,
}

struct Group<K> {
    games: Vec<(K, Played)>,
    /// News that its players must not learn before it is whole.
    news: Vec<String>,
}

impl<'a, S: Schedule> Runner<'a, S> {
    /// Creates a run. The first signal stops it.
    pub fn new(schedule: S, venue: &'a dyn Venue, at_stop: AtStop) -> Result<Self, Error> {
        let (is_stopping, is_interrupted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        on_first_signal({
            let flags = [Arc::clone(&is_stopping), Arc::clone(&is_interrupted)];
            move || flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed))
        })
        .map_err(Error::failed)?;
        let (void_games, forfeits, open, playing, news) = Default::default();
        let (has_told_wait, error) = (false, None);
        let shared = RunnerState { schedule, void_games, forfeits, open, playing, has_told_wait, news, error };
        let (is_abandoned, shared, changed) = (AtomicBool::new(false), Mutex::new(shared), Condvar::new());
        Ok(Self { venue, at_stop, is_stopping, is_interrupted, is_abandoned, shared, changed })
    }

    /// Plays all games of a schedule with these agents. Returns the schedule, and true if a signal stopped the run.
    pub fn play_all(
        schedule: S,
        venue: &'a dyn Venue,
        at_stop: AtStop,
        around: Surroundings<'_>,
        at_once: usize,
        news: &mut dyn News,
    ) -> Result<(S, bool), Error> {
        let runner = Self::new(schedule, venue, at_stop)?;
        let played = runner.play(around, at_once, news);
        let finished = runner.finish(news)?;
        played.map(|()| finished)
    }

    /// Plays games, `at_once` at a time, until none is left for these agents or the run stops.
    pub fn play(&self, around: Surroundings<'_>, at_once: usize, news: &mut dyn News) -> Result<(), Error> {
        let is_cancelled = if self.at_stop == AtStop::Cancel { &*self.is_stopping } else { &self.is_abandoned };
        let has_begun: Vec<_> = around.agents.iter().map(|_| AtomicBool::new(false)).collect();
        let work = || {
            let _stop = StopOnPanic(&self.is_stopping);
            let mut slot = self.venue.slot(around, is_cancelled, &has_begun);
            if let Err(error) = self.work(&mut *slot, around, is_cancelled) {
                self.stop(&mut lock(&self.shared), error);
            }
        };
        let waits = runtime::Builder::new_current_thread().enable_time().build().map_err(Error::failed)?;
        let mut calls = self.venue.calls();
        thread::scope(|scope| {
            let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
            let mut shown = Instant::now();
            while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
                // An agent that calls may be the agent for which a game waits.
                let called = waits.block_on(async { tokio::time::timeout(LOOK, calls.changed()).await });
                if called.is_ok() || self.is_stopping() {
                    let _shared = lock(&self.shared);
                    self.changed.notify_all();
                }
                if self.is_stopping() && self.venue.stands_still() {
                    self.abandon();
                }
                if shown.elapsed() >= LOOK {
                    shown = Instant::now();
                    self.tell(news);
                    news.progress(&|| lock(&self.shared).schedule.progress());
                }
            }
        });
        Ok(())
    }

    /// Prints the news.
    fn tell(&self, news: &mut dyn News) {
        let shared = &mut *lock(&self.shared);
        shared.news.extend(self.venue.news());
        match shared.schedule.look() {
            Ok(news) => shared.news.extend(news),
            Err(error) => self.stop(shared, error),
        }
        if self.is_stopping() && self.at_stop == AtStop::LetEnd && !shared.has_told_wait {
            shared.has_told_wait = true;
            shared.news.extend(shared.waits());
        }
        shared.news.drain(..).for_each(|line| news.tell(&line));
    }

    /// Plays games in a slot until none is left or the run stops.
    fn work(
        &self,
        slot: &mut (dyn Slot + '_),
        around: Surroundings<'_>,
        is_cancelled: &AtomicBool,
    ) -> Result<(), Error> {
        while let Some(Claim { key, game, earlier }) = self.claim()? {
            let mut started = |match_id: &str| lock(&self.shared).schedule.started(key, match_id);
            let played = slot.play(&game, earlier.as_deref(), &mut started);
            if played.is_err() && self.is_stopping() && self.venue.stands_still() {
                self.abandon();
            }
            if is_cancelled.load(Ordering::Relaxed) {
                // The match was cancelled or left with the run, so it has no result.
                break;
            }
            let played = played?;
            let mut shared = lock(&self.shared);
            shared.playing.remove(&game.name);
            let effect = self.enter(&mut shared, key, &game, played, around);
            self.changed.notify_all();
            let whole = effect?;
            drop(shared);
            for (_, played) in &whole {
                played.release_logs();
                if game.is_shared && !S::BREAKS_SEALS {
                    self.venue.unseal(&played.match_id)?;
                }
            }
        }
        Ok(())
    }

    /// Waits for the next game; None if no game will come.
    fn claim(&self) -> Result<Option<Claim<S::GameKey>>, Error> {
        let mut shared = lock(&self.shared);
        while !self.is_stopping() {
            if self.venue.stands_still() {
                shared = self.wait(shared);
                continue;
            }
            match shared.schedule.next()? {
                Next::Play(key) => {
                    let schedule = &shared.schedule;
                    let (game, earlier) = (schedule.planned(key)?, schedule.earlier(key));
                    shared.playing.insert(game.name.clone());
                    return Ok(Some(Claim { key, game, earlier }));
                }
                Next::Wait => shared = self.wait(shared),
                Next::Done => {
                    self.changed.notify_all();
                    break;
                }
            }
        }
        Ok(None)
    }

    fn wait<'s>(&self, shared: MutexGuard<'s, RunnerState<S>>) -> MutexGuard<'s, RunnerState<S>> {
        self.changed.wait_timeout(shared, WAIT).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Enters the result of a game. If its group is whole now, returns the games of the group.
    fn enter(
        &self,
        shared: &mut RunnerState<S>,
        key: S::GameKey,
        game: &PlannedGame,
        played: Played,
        around: Surroundings<'_>,
    ) -> Result<Vec<(S::GameKey, Played)>, Error> {
        let mut news = shared.forfeits_of(game, &played, around.agents);
        let effect = shared.schedule.enter(key, game, &played)?;
        if let Effect::Again(what, reason) = &effect
            && !self.is_stopping()
        {
            news.push(shared.void_games.play_again(what, reason)?);
        }
        let group_key = shared.schedule.group(key);
        let mut group = shared.open.remove(&group_key).unwrap_or_else(|| Group { games: Vec::new(), news: Vec::new() });
        if around.hides(game) {
            group.news.append(&mut news);
        } else {
            played.release_logs();
            shared.news.append(&mut news);
        }
        group.games.push((key, played));
        match effect {
            Effect::Open | Effect::Again(..) => {
                shared.open.insert(group_key, group);
                return Ok(Vec::new());
            }
            Effect::Whole => {}
            Effect::Decided => self.is_stopping.store(true, Ordering::Relaxed),
        }
        let Group { games, mut news } = group;
        shared.news.append(&mut news);
        for (key, played) in &games {
            shared.schedule.publish(*key, played);
        }
        Ok(games)
    }

    /// Calls `look` with the schedule, under the lock.
    pub fn with<T>(&self, look: impl FnOnce(&mut S) -> T) -> T {
        look(&mut lock(&self.shared).schedule)
    }

    /// Returns true if the run plays no further game.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Stops the run. Keeps the error if it is the first.
    fn stop(&self, shared: &mut RunnerState<S>, error: Error) {
        shared.error.get_or_insert(error);
        self.is_stopping.store(true, Ordering::Relaxed);
        self.abandon();
        self.changed.notify_all();
    }

    /// Leaves the games in progress.
    fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        self.venue.give_up();
    }

    /// Ends the run. Returns its first error, or else the schedule, and true if a signal stopped the run.
    pub fn finish(self, news: &mut dyn News) -> Result<(S, bool), Error> {
        self.tell(news);
        let shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        // No further game is played, so open groups have no secrets any more.
        for Group { games, news: held } in shared.open.values() {
            for line in held {
                news.tell(line);
            }
            for (_, played) in games {
                played.release_logs();
            }
        }
        shared.error.map_or_else(|| Ok((shared.schedule, self.is_interrupted.load(Ordering::Relaxed))), Err)
    }
}

impl<S: Schedule> RunnerState<S> {
    /// Says for which games a run waits that stops; None if it waits for none.
    fn waits(&self) -> Option<String> {
        let names: Vec<_> = self.playing.iter().take(NAMED).map(String::as_str).collect();
        let more = self
            .playing
            .len()
            .checked_sub(NAMED + 1)
            .map_or_else(String::new, |more| format!(" and {} more", more + 1));
        let names = names.join(", ");
        (!names.is_empty()).then(|| {
            format!("the run ends after the games in progress: {names}{more}; a second signal ends it at once")
        })
    }

    /// Counts the forfeits of a game. Returns a line for each of the first [`TOLD`] forfeits of a player, with the last lines of
    /// its program.
    fn forfeits_of(&mut self, game: &PlannedGame, played: &Played, agents: &[Agent]) -> Vec<String> {
        let Ok((_, result)) = played.finished() else { return Vec::new() };
        let mut lines = Vec::new();
        for seat in game.setup.seats().iter() {
            let Some(cause) = result.forfeits[seat] else { continue };
            let agent = agents.get(game.seating[seat]);
            let name = agent.map_or(&game.players[seat.index()].name, |agent| &agent.name);
            let told = self.forfeits.entry(name.clone()).or_default();
            *told += 1;
            if *told > TOLD {
                continue;
            }
            let mut line = format!("{name} forfeits game {} in seat {seat}: {}", game.name, reason(cause));
            for last in played.last_lines(seat) {
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

/// Stops the run if the thread that holds this panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
