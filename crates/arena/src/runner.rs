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

use std::collections::BTreeMap;
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
        let (void_games, forfeits, open) = (VoidGames::default(), BTreeMap::new(), BTreeMap::new());
        let shared = Mutex::new(RunnerState { schedule, void_games, forfeits, open, news: Vec::new(), error: None });
        Ok(Self { venue, at_stop, is_stopping, is_interrupted, shared, changed: Condvar::new() })
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
        let never = AtomicBool::new(false);
        let is_cancelled = if self.at_stop == AtStop::Cancel { &*self.is_stopping } else { &never };
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
            let played = slot.play(&game, earlier.as_deref(), &mut started)?;
            if is_cancelled.load(Ordering::Relaxed) {
                // The match was cancelled with the run, so it has no result.
                break;
            }
            let mut shared = lock(&self.shared);
            let effect = self.enter(&mut shared, key, &game, played, around);
            self.changed.notify_all();
            let whole = effect?;
            drop(shared);
            for (_, played) in &whole {
                played.release_logs();
                if game.is_shared {
                    self.venue.unseal(&played.match_id);
                }
            }
        }
        Ok(())
    }

    /// Waits for the next game; None if no game will come.
    fn claim(&self) -> Result<Option<Claim<S::GameKey>>, Error> {
        let mut shared = lock(&self.shared);
        while !self.is_stopping() {
            match shared.schedule.next()? {
                Next::Play(key) => {
                    let schedule = &shared.schedule;
                    let (game, earlier) = (schedule.planned(key)?, schedule.earlier(key));
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
        self.changed.notify_all();
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
    /// Counts the forfeits of a game. Returns a line for each of the first [`TOLD`] forfeits of a player, with the last lines of
    /// its program.
    fn forfeits_of(&mut self, game: &PlannedGame, played: &Played, agents: &[Agent]) -> Vec<String> {
        let Ok((_, result)) = played.finished() else { return Vec::new() };
        let mut lines = Vec::new();
        for seat in game.setup.seats().iter() {
            let (Some(cause), name) = (result.forfeits[seat], &agents[game.seating[seat]].name) else { continue };
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
mod tests {
    use std::panic::{self, AssertUnwindSafe};

    use ahu_contest::blocks::{Design, Lineup};
    use ahu_core::{BySeat, Seed};
    use ahu_host::{BotName, Cause, SeatPlayer, Terms, find};

    use super::*;
    use crate::programs::FREE_PORT;
    use crate::{LocalVenue, Logs, MAX_ATTEMPTS};

    /// Nobody listens.
    struct Silence;

    impl News for Silence {
        fn tell(&mut self, _: &str) {}

        fn progress(&mut self, _: &dyn Fn() -> String) {}
    }

    /// Games of bots in groups of two. An error of `outcome` makes a game void.
    struct Games<F> {
        left: Vec<u32>,
        entered: Vec<u32>,
        published: Vec<u32>,
        is_shared: bool,
        outcome: F,
    }

    impl<F: FnMut(u32, &Played) -> Result<(), String> + Send> Schedule for Games<F> {
        type GameKey = u32;
        type GroupKey = u32;

        fn next(&mut self) -> Result<Next<u32>, Error> {
            Ok(self.left.pop().map_or(Next::Done, Next::Play))
        }

        fn planned(&self, key: u32) -> Result<PlannedGame, Error> {
            let setup = find("rapanui_cards").expect("a game").configure(2, &[]).expect("two seats");
            let bot: BotName = setup.rules().bot("random").expect("a bot");
            let lineup = Lineup::filled(2, setup.seats()).expect("they fit");
            Ok(PlannedGame {
                name: key.to_string(),
                seating: lineup.seatings(Design::Neighbour)[0],
                players: vec![SeatPlayer::bot(bot); 2],
                terms: Terms::default(),
                seed: Seed(key.into()),
                is_shared: self.is_shared,
                index: 0,
                beginning: Vec::new(),
                agent_seeds: BySeat::new(setup.seats(), 0),
                setup,
            })
        }

        fn group(&self, key: u32) -> u32 {
            key / 2
        }

        fn enter(&mut self, key: u32, _: &PlannedGame, played: &Played) -> Result<Effect, Error> {
            if let Err(reason) = (self.outcome)(key, played) {
                self.left.push(key);
                return Ok(Effect::Again(format!("game {key}"), reason));
            }
            self.entered.push(key);
            let is_whole = self.entered.contains(&(key ^ 1));
            Ok(if is_whole { Effect::Whole } else { Effect::Open })
        }

        fn publish(&mut self, key: u32, _: &Played) {
            self.published.push(key);
        }

        fn progress(&self) -> String {
            String::new()
        }
    }

    fn agents() -> Vec<Agent> {
        let rules = find("rapanui_cards").expect("a game");
        ["a", "b"].map(|name| Agent::read(rules, name, "random").expect("a bot")).into()
    }

    /// Plays games `0..count` in this many threads, and returns the schedule.
    fn play<F: FnMut(u32, &Played) -> Result<(), String> + Send>(
        count: u32,
        threads: usize,
        outcome: F,
    ) -> Result<Games<F>, Error> {
        let (left, entered, published) = ((0..count).rev().collect(), Vec::new(), Vec::new());
        let venue = LocalVenue::without_store(FREE_PORT);
        let runner =
            Runner::new(Games { left, entered, published, is_shared: false, outcome }, &venue, AtStop::Cancel)?;
        let (agents, logs) = (agents(), Logs::open(None, &[])?);
        let around = Surroundings { agents: &agents, logs: &logs, patience: WAIT, trusts: false, must_begin: false };
        runner.play(around, threads, &mut Silence)?;
        runner.finish(&mut Silence).map(|(games, _)| games)
    }

    #[test]
    fn games_are_published_once_their_group_is_whole() {
        let games = play(5, 1, |_, _| Ok(())).expect("all are played");
        assert_eq!((games.entered, games.published), (vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3]));
    }

    #[test]
    fn a_void_game_is_played_again_and_one_that_is_void_each_time_ends_the_run() {
        let mut tries = 0;
        let void_once = |key, _: &Played| {
            tries += u32::from(key == 1);
            if key == 1 && tries < MAX_ATTEMPTS { Err("the rules failed".to_owned()) } else { Ok(()) }
        };
        assert_eq!(play(2, 1, void_once).expect("it ends").entered, [0, 1]);
        let Err(Error::Failed(error)) = play(2, 1, |_, _| Err("the rules failed".to_owned())) else {
            panic!("expected an error")
        };
        assert_eq!(error, "game 0 was void 5 times: the rules failed");
    }

    #[test]
    fn a_panic_ends_the_run_of_all_threads() {
        const GAMES: u32 = 100_000;
        let mut entered = 0;
        let panics = |key, _: &Played| {
            entered += 1;
            if key == 1 { panic!("a test") } else { Ok(()) }
        };
        assert!(panic::catch_unwind(AssertUnwindSafe(|| play(GAMES, 2, panics).map(drop))).is_err());
        assert!(entered < GAMES / 2, "the other thread goes on: {entered} games");
    }

    #[test]
    fn the_first_forfeits_of_a_player_are_told_and_those_of_shared_chance_once_their_group_is_whole() {
        for is_shared in [false, true] {
            let venue = LocalVenue::without_store(FREE_PORT);
            let (left, entered, published) = (Vec::new(), Vec::new(), Vec::new());
            let schedule = Games { left, entered, published, is_shared, outcome: |_, _: &Played| Ok(()) };
            let runner = Runner::new(schedule, &venue, AtStop::Cancel).expect("a run");
            let (agents, logs) = (agents(), Logs::open(None, &[]).expect("no files"));
            let around =
                Surroundings { agents: &agents, logs: &logs, patience: WAIT, trusts: false, must_begin: false };
            let (never, begun) = (AtomicBool::new(false), [AtomicBool::new(false), AtomicBool::new(false)]);
            let mut news = Vec::new();
            for key in 0..5 {
                let game = runner.with(|games| games.planned(key)).expect("a game");
                let mut played =
                    venue.slot(around, &never, &begun).play(&game, None, &mut |_| Ok(())).expect("it is played");
                let record = played.record.as_mut().expect("it has one");
                let mut result = record.result.expect("bots play to the end");
                result.forfeits = result.forfeits.map(|_| Some(Cause::Timeout));
                record.result = Some(result);
                let shared = &mut *lock(&runner.shared);
                runner.enter(shared, key, &game, played, around).expect("it is entered");
                news.push(shared.news.len());
            }
            let told = lock(&runner.shared).news.clone();
            assert_eq!(news, if is_shared { [0, 4, 4, 6, 6] } else { [2, 4, 6, 6, 6] });
            assert_eq!(told[0], "a forfeits game 0 in seat 0: its time ran out");
            assert!(told[4].ends_with("\n  (more forfeits of a are counted in the table)"), "{told:?}");
        }
    }
}
