//! The director of a cup: it hands out games, and enters their results in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, SystemTime};

use ahu::cup::{Event, Forfeit, GameResult, Journal, Place, PlannedGame, Salt, State, TableState};
use ahu_engine::core::hex;
use ahu_engine::host::{Cause, Ending, Entry, MatchTime, Record};

use super::folder::{CupFolder, create};
use super::venue::{Finished, Queues, Venue};
use crate::cli::outcome::reason;
use crate::cli::{CliError, lock};

/// The maximum number of times that a game is played. A fault that comes back each time ends the run.
const MAX_ATTEMPTS: u32 = 5;
/// The time after which a thread without a game looks again, though nobody has called: an agent may have become absent.
const LOOK: Duration = Duration::from_secs(1);
/// The number of forfeits of each agent that are told at once. The table counts the others.
const TOLD: u32 = 3;

/// The director of a cup.
pub(super) struct Director<'a> {
    folder: &'a CupFolder,
    salt: Salt,
    venue: &'a dyn Venue,
    /// The queues of remote agents. Those of agents that are added come later.
    queues: RwLock<Queues>,
    /// The time from which absent agents lose their games.
    until: Option<SystemTime>,
    /// The time after which an agent that does not ask for a seat is absent.
    absent: Duration,
    shared: Mutex<Shared>,
    /// Announces that a game has ended, or that the run ends.
    changed: Condvar,
    /// The time of the begin of the run.
    since: MatchTime,
    /// True once no further game begins.
    pub(super) is_ending: &'a AtomicBool,
}

/// The state under the lock.
struct Shared {
    journal: Journal,
    state: State,
    /// The games in progress.
    running: BTreeSet<Place>,
    /// The games whose matches go on after an interruption. Their agents play them already, and their clocks run.
    going_on: BTreeSet<Place>,
    attempts: BTreeMap<Place, u32>,
    /// The games of tables whose games share their luck, until the table is whole.
    sealed: BTreeMap<(usize, usize), Vec<Finished>>,
    told: BTreeMap<String, u32>,
    /// The last time at which each remote agent was there.
    seen: BTreeMap<usize, MatchTime>,
    /// The remote agents that are absent, with the time at which this was noticed.
    absent: BTreeMap<usize, MatchTime>,
    news: Vec<String>,
    error: Option<CliError>,
    /// The number of agents and of stages when the threads started: they start anew when it changes.
    round: (usize, usize),
}

/// The next work of a thread.
pub(super) enum Next {
    /// A game; with the match in which it was interrupted, if it goes on.
    Play(Box<PlannedGame>, Option<String>),
    /// No more games for the agents that this thread knows.
    Done,
}

impl<'a> Director<'a> {
    pub(super) fn new(
        folder: &'a CupFolder,
        (journal, state, salt): (Journal, State, Salt),
        venue: &'a dyn Venue,
        is_ending: &'a AtomicBool,
    ) -> Self {
        let until = state.cup.until.as_deref().and_then(time);
        let absent = Duration::from_millis(state.cup.absent);
        let shared = Shared {
            journal,
            state,
            running: BTreeSet::new(),
            going_on: BTreeSet::new(),
            attempts: BTreeMap::new(),
            sealed: BTreeMap::new(),
            told: BTreeMap::new(),
            seen: BTreeMap::new(),
            absent: BTreeMap::new(),
            news: Vec::new(),
            error: None,
            round: (0, 0),
        };
        Self {
            folder,
            salt,
            venue,
            queues: RwLock::default(),
            until,
            absent,
            since: venue.now(),
            shared: Mutex::new(shared),
            changed: Condvar::new(),
            is_ending,
        }
    }

    /// Returns the queues of remote agents.
    pub(super) fn queues(&self) -> RwLockReadGuard<'_, Queues> {
        self.queues.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the queues of remote agents that have none.
    pub(super) fn add_queues(&self, new: Queues) {
        self.queues.write().unwrap_or_else(PoisonError::into_inner).extend(new);
    }

    /// Begins a round: appends all events that are due. Returns the state, in which the agents and the stage stay as they
    /// are until the round ends; None if the cup or the run has ended.
    pub(super) fn begin_round(&self) -> Option<State> {
        let shared = &mut *lock(&self.shared);
        if let Err(error) = shared.settle(&self.salt) {
            shared.error.get_or_insert(error);
        }
        shared.round = shared.place();
        let is_over = shared.error.is_some() || shared.state.has_ended() || self.is_ending.load(Ordering::Relaxed);
        (!is_over).then(|| shared.state.clone())
    }

    /// Waits for a game to play.
    pub(super) fn next(&self) -> Next {
        let mut shared = lock(&self.shared);
        loop {
            if self.is_ending.load(Ordering::Relaxed) || shared.error.is_some() {
                return Next::Done;
            }
            if let Err(error) = shared.settle(&self.salt) {
                self.end(&mut shared, error);
                return Next::Done;
            }
            if shared.place() != shared.round || shared.state.has_ended() {
                self.changed.notify_all();
                return Next::Done;
            }
            if let Some(place) = self.choose(&mut shared) {
                let Some(result) = shared.state.walkover(place) else {
                    shared.running.insert(place);
                    let started = shared.state.table(place).and_then(|table| table.started[place.game].clone());
                    return Next::Play(Box::new(shared.state.planned(place, &self.salt)), started);
                };
                if let Err(error) = shared.enter(place, result) {
                    self.end(&mut shared, error);
                }
                continue;
            }
            shared = self.changed.wait_timeout(shared, LOOK).expect("a thread that panics ends the run").0;
        }
    }

    /// Returns a game that can be played now: the first whose remote agents wait for a seat. Agents on probation come last.
    fn choose(&self, shared: &mut Shared) -> Option<Place> {
        // Nobody waits for the agents of a match that goes on: they are in it.
        if let Some(place) = shared.going_on.pop_first() {
            return Some(place);
        }
        let is_late = self.until.is_some_and(|until| SystemTime::now() >= until);
        let busy = shared.busy();
        let queues = self.queues();
        let mut later = None;
        for place in shared.state.open_games().filter(|place| !shared.running.contains(place)) {
            if shared.state.walkover(place).is_some() {
                return Some(place);
            }
            let seating = shared.state.seating(place)?;
            let is_free = |agent: &usize| match queues.get(agent) {
                // All games that an absent agent loses can be played at once.
                Some(_) if is_late && shared.absent.contains_key(agent) => true,
                // An agent elsewhere plays one game at a time.
                Some(queue) => queue.is_waiting() && !busy.contains(agent),
                None => true,
            };
            if !seating.values().iter().all(is_free) {
                continue;
            }
            if !seating.values().iter().any(|&agent| shared.state.is_on_probation(agent)) {
                return Some(place);
            }
            later = later.or(Some(place));
        }
        later
    }

    /// Notes the match in which a game is played.
    pub(super) fn started(&self, place: Place, match_id: &str) -> Result<(), CliError> {
        lock(&self.shared).commit(Event::Start { place, match_id: match_id.to_owned() })
    }

    /// Enters a game that was played. `state` is that of the round.
    pub(super) fn enter(&self, state: &State, planned: &PlannedGame, finished: Finished) -> Result<(), CliError> {
        let place = planned.place;
        let result = self.result(state, planned, &finished)?;
        let mut shared = lock(&self.shared);
        shared.running.remove(&place);
        self.changed.notify_all();
        if let Some(result) = result {
            shared.tell_forfeits(planned, &result, &finished);
            shared.enter(place, result)?;
            let told = shared.unsealed(planned, finished);
            drop(shared);
            for finished in told {
                if planned.is_shared {
                    self.venue.unseal(&finished.match_id);
                }
                finished.release_logs();
            }
            return Ok(());
        }
        // The run was stopped.
        if self.is_ending.load(Ordering::Relaxed) {
            return Ok(());
        }
        let reason = void_reason(finished.record.as_ref());
        let attempts = shared.attempts.entry(place).or_default();
        *attempts += 1;
        if *attempts == MAX_ATTEMPTS {
            return Err(CliError::Failed(format!("game {} was void {MAX_ATTEMPTS} times: {reason}", planned.name)));
        }
        shared.news.push(format!("game {} is played again: {reason}", planned.name));
        Ok(())
    }

    /// Returns the result of a finished match, and keeps its record; None if it is void.
    fn result(
        &self,
        state: &State,
        planned: &PlannedGame,
        finished: &Finished,
    ) -> Result<Option<GameResult>, CliError> {
        let Some(record) = &finished.record else { return Ok(None) };
        let (Some(Ending::Finished), Some(result)) = (&record.ending, &record.result) else { return Ok(None) };
        let path = self.folder.record(state, planned.place);
        let cannot = |error| CliError::Failed(format!("cannot write {}: {error}", path.display()));
        path.parent().map_or(Ok(()), create)?;
        std::fs::write(&path, record.to_text()).map_err(cannot)?;
        let is_decision = |entry: &&Entry| matches!(entry, Entry::Action { .. });
        let forfeit = |(seat, cause): (_, Option<Cause>)| match planned.has_left[seat] {
            true => Some(Forfeit::Left),
            false => cause.map(Forfeit::Game),
        };
        Ok(Some(GameResult {
            match_id: Some(finished.match_id.clone()),
            agents: planned.seating.values().iter().map(|&agent| state.name(agent).to_owned()).collect(),
            scores: result.scores.values().to_vec(),
            ranks: result.ranks.values().to_vec(),
            forfeits: result.forfeits.iter().map(forfeit).collect(),
            digest: Some(hex(&record.digest())),
            decisions: record.entries.iter().filter(is_decision).count() as u32,
        }))
    }

    /// Decides what becomes of the matches that were interrupted: a finished one has its result; one with a remote agent
    /// goes on; any other is cancelled, and its game is played anew.
    pub(super) fn resume(&self) -> Result<(), CliError> {
        let shared = &mut *lock(&self.shared);
        let places: Vec<_> = shared.state.open_games().collect();
        for place in places {
            let table = shared.state.table(place).expect("it is open");
            let Some(match_id) = table.started[place.game].as_deref().filter(|id| self.venue.is_going(id)) else {
                continue;
            };
            let seating = shared.state.seating(place).expect("it is open");
            match seating.values().iter().any(|agent| self.queues().contains_key(agent)) {
                true => drop(shared.going_on.insert(place)),
                false => self.venue.cancel(match_id, "the run was interrupted: the game is played anew")?,
            }
        }
        let going_on = shared.going_on.len();
        if going_on > 0 {
            let matches =
                if going_on == 1 { "match of remote agents goes on" } else { "matches of remote agents go on" };
            shared.news.push(format!("{going_on} {matches}"));
        }
        Ok(())
    }

    /// Applies a change that somebody asks for.
    pub(super) fn change(&self, event: Event) -> Result<(), String> {
        let mut shared = lock(&self.shared);
        if !matches!(
            event,
            Event::Add { .. } | Event::Withdraw { .. } | Event::Readmit { .. } | Event::Disqualify { .. }
        ) {
            return Err("expected a change of the agents".to_owned());
        }
        shared.state.apply(&event)?;
        let text = match &event {
            Event::Add { agent } => format!("{} takes part", agent.name),
            Event::Withdraw { agent, .. } => format!("{agent} is out"),
            Event::Readmit { agent } => format!("{agent} is back"),
            Event::Disqualify { agent, reason } => format!("{agent} is excluded: {reason}"),
            _ => String::new(),
        };
        shared.news.push(text);
        let appended = shared.journal.append(event).map(drop).map_err(CliError::failed);
        if let Err(error) = appended {
            self.end(&mut shared, error);
        }
        self.changed.notify_all();
        Ok(())
    }

    /// Ends the run with this error, unless it has one.
    pub(super) fn fail(&self, error: CliError) {
        self.end(&mut lock(&self.shared), error);
    }

    fn end(&self, shared: &mut Shared, error: CliError) {
        shared.error.get_or_insert(error);
        self.is_ending.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Wakes all threads, so that they see the end of the run.
    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Returns the number of matches that go on after an interruption, and that nobody follows yet.
    pub(super) fn going_on(&self) -> usize {
        lock(&self.shared).going_on.len()
    }

    /// Returns the news since the last call. Says which agents have become absent, or have come back.
    pub(super) fn news(&self) -> Vec<String> {
        let shared = &mut *lock(&self.shared);
        shared.news.extend(self.venue.news());
        let (now, busy) = (self.venue.now(), shared.busy());
        for (&agent, queue) in self.queues().iter() {
            let asked = queue.last_asked();
            let name = shared.state.name(agent);
            if let Some(noticed) = shared.absent.get(&agent) {
                if asked.is_some_and(|asked| asked > *noticed) {
                    shared.absent.remove(&agent);
                    shared.news.push(format!("{name} is back"));
                }
                continue;
            }
            let seen = shared.seen.entry(agent).or_insert(self.since);
            *seen = if busy.contains(&agent) { now } else { asked.map_or(*seen, |asked| asked.max(*seen)) };
            if now.0.saturating_sub(seen.0) > self.absent.as_millis() as u64 {
                shared.absent.insert(agent, now);
                shared.news.push(format!("{name} is absent: its games wait until it asks for a seat"));
            }
        }
        std::mem::take(&mut shared.news)
    }

    /// Returns the state, and the number of games in progress.
    pub(super) fn look<T>(&self, look: impl FnOnce(&State, usize) -> T) -> T {
        let shared = lock(&self.shared);
        look(&shared.state, shared.running.len())
    }

    /// Ends the direction. Returns the first error, or the state.
    pub(super) fn finish(self) -> Result<State, CliError> {
        let shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.sealed.values().flatten().for_each(Finished::release_logs);
        shared.error.map_or(Ok(shared.state), Err)
    }
}

impl Shared {
    /// Returns the number of agents and of stages.
    fn place(&self) -> (usize, usize) {
        (self.state.agents.len(), self.state.stages.len())
    }

    /// Applies an event, and appends it to the journal.
    fn commit(&mut self, event: Event) -> Result<(), CliError> {
        self.state.apply(&event).map_err(CliError::Failed)?;
        self.journal.append(event).map(drop).map_err(CliError::failed)
    }

    fn enter(&mut self, place: Place, result: GameResult) -> Result<(), CliError> {
        self.commit(Event::Result { place, result })
    }

    /// Appends all events that are due.
    fn settle(&mut self, salt: &Salt) -> Result<(), CliError> {
        while let Some(event) = self.state.due(salt).map_err(CliError::Failed)? {
            if let Event::Close { stage, advance, by_lot } = &event
                && !advance.is_empty()
            {
                let lot = if by_lot.is_empty() { String::new() } else { format!(" (by lot: {})", by_lot.join(", ")) };
                self.news.push(format!(
                    "stage {} has ended: {} advance{lot}",
                    self.state.cup.stages[*stage].name,
                    advance.join(", ")
                ));
            }
            if let Event::Draw { stage, extra: true, tables } = &event {
                let stage = &self.state.cup.stages[*stage].name;
                self.news.push(format!("stage {stage}: {} extra blocks decide a tie", tables.len()));
            }
            self.commit(event)?;
        }
        Ok(())
    }

    /// Returns the agents of the games in progress.
    fn busy(&self) -> BTreeSet<usize> {
        let seatings = self.running.iter().filter_map(|&place| self.state.seating(place));
        seatings.flat_map(|seating| seating.values().to_vec()).collect()
    }

    /// Returns the games of which all may be told after this one: the game itself, or, if it shares its luck, all games of
    /// its table once that is whole.
    fn unsealed(&mut self, planned: &PlannedGame, finished: Finished) -> Vec<Finished> {
        let place = planned.place;
        if !planned.is_shared {
            return vec![finished];
        }
        let key = (place.stage, place.table);
        self.sealed.entry(key).or_default().push(finished);
        match self.state.table(place).is_some_and(TableState::is_whole) {
            true => self.sealed.remove(&key).unwrap_or_default(),
            false => Vec::new(),
        }
    }

    /// Tells the first forfeits of each agent, with the last lines of its program.
    fn tell_forfeits(&mut self, planned: &PlannedGame, result: &GameResult, finished: &Finished) {
        for (seat, forfeit) in planned.setup.seats().iter().zip(&result.forfeits) {
            let Some(Forfeit::Game(cause)) = forfeit else { continue };
            let name = &result.agents[seat.index()];
            let told = self.told.entry(name.clone()).or_default();
            *told += 1;
            if *told > TOLD {
                continue;
            }
            let mut line = format!("{name} forfeits game {} in seat {seat}: {}", planned.name, reason(*cause));
            // The last lines of a sealed game may tell what its other games have in store.
            let last = finished.forfeits.iter().find(|found| found.seat == seat).filter(|_| !planned.is_shared);
            for last in last.iter().flat_map(|found| &found.last) {
                line = format!("{line}\n    {last}");
            }
            if *told == TOLD {
                line = format!("{line}\n  (more forfeits of {name} are counted in the table)");
            }
            self.news.push(line);
        }
    }
}

/// Returns the reason for which a match has no result.
fn void_reason(record: Option<&Record>) -> String {
    match record.and_then(|record| record.ending.clone()) {
        Some(Ending::Cancelled(reason) | Ending::Void(reason)) => reason,
        _ => "the match has no result".to_owned(),
    }
}

/// Returns the time that RFC 3339 writes so.
fn time(text: &str) -> Option<SystemTime> {
    text.parse::<prost_types::Timestamp>().ok().and_then(|time| SystemTime::try_from(time).ok())
}
