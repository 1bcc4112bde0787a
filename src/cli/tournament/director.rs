//! The director of a cup: it hands out games, and enters their results in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, SystemTime};

use ahu::core::{BySeat, hex};
use ahu::cup::{Event, Forfeit, GameResult, Journal, Place, PlannedGame, Salt, State};
use ahu::host::{Ending, MatchTime, Referee};
use ahu::service::{LiveMatch, SeatQueue};

use super::folder::CupFolder;
use crate::cli::outcome::reason;
use crate::cli::pairing::{Played, Queues};
use crate::cli::programs::LocalMatches;
use crate::cli::{CliError, lock};

/// The maximum number of times that a game is played. A fault that comes back each time ends the run.
const MAX_ATTEMPTS: u32 = 5;
/// The time after which a thread without a game looks again: an agent may have come.
const LOOK: Duration = Duration::from_millis(200);
/// The number of forfeits of each agent that are told at once. The table counts the others.
const TOLD: u32 = 3;

/// The director of a cup.
pub(super) struct Director<'a> {
    folder: &'a CupFolder,
    salt: Salt,
    matches: &'a LocalMatches,
    /// The queues of remote agents. Those of agents that are added come later.
    queues: RwLock<Queues>,
    /// The time from which absent agents lose their games.
    until: Option<SystemTime>,
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
    sealed: BTreeMap<(usize, usize), Vec<Played>>,
    told: BTreeMap<String, u32>,
    absent: BTreeSet<usize>,
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
        matches: &'a LocalMatches,
        until: Option<SystemTime>,
        is_ending: &'a AtomicBool,
    ) -> Self {
        let shared = Shared {
            journal,
            state,
            running: BTreeSet::new(),
            going_on: BTreeSet::new(),
            attempts: BTreeMap::new(),
            sealed: BTreeMap::new(),
            told: BTreeMap::new(),
            absent: BTreeSet::new(),
            news: Vec::new(),
            error: None,
            round: (0, 0),
        };
        let since = matches.now();
        Self {
            folder,
            salt,
            matches,
            queues: RwLock::default(),
            until,
            since,
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
    pub(super) fn add_queues(&self, new: impl IntoIterator<Item = (usize, SeatQueue)>) {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        queues.extend(new.into_iter().map(|(agent, queue)| (agent, Arc::new(queue))));
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
        let busy: BTreeSet<usize> = shared
            .running
            .iter()
            .filter_map(|&place| shared.state.seating(place))
            .flat_map(|seating| seating.values().to_vec())
            .collect();
        let queues = self.queues();
        let mut later = None;
        for place in shared.state.open_games().filter(|place| !shared.running.contains(place)) {
            if shared.state.walkover(place).is_some() {
                return Some(place);
            }
            let seating = shared.state.seating(place)?;
            let is_free = |agent: &usize| match queues.get(agent) {
                // An agent elsewhere plays one game at a time.
                Some(queue) => !busy.contains(agent) && (is_late || queue.is_waiting()),
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
    pub(super) fn started(&self, place: Place, live: &LiveMatch) -> Result<(), CliError> {
        lock(&self.shared).commit(Event::Start { place, match_id: live.id.to_string() })
    }

    /// Enters a game that was played.
    pub(super) fn enter(&self, planned: &PlannedGame, played: Played) -> Result<(), CliError> {
        let place = planned.place;
        let result = played.live.with_referee(|referee| self.result(planned, &played.live, referee));
        let result = match result.transpose()?.flatten() {
            Some(result) => Ok(result),
            None => Err(void_reason(&played.live)),
        };
        let mut shared = lock(&self.shared);
        shared.running.remove(&place);
        self.changed.notify_all();
        match result {
            Ok(result) => {
                shared.tell_forfeits(planned, &result, &played);
                shared.enter(place, result)?;
                shared.unseal(planned, played);
                Ok(())
            }
            // The run was stopped.
            Err(_) if self.is_ending.load(Ordering::Relaxed) => Ok(()),
            Err(reason) => {
                let attempts = shared.attempts.entry(place).or_default();
                *attempts += 1;
                if *attempts == MAX_ATTEMPTS {
                    return Err(CliError::Failed(format!(
                        "game {} was void {MAX_ATTEMPTS} times: {reason}",
                        planned.name
                    )));
                }
                shared.news.push(format!("game {} is played again: {reason}", planned.name));
                Ok(())
            }
        }
    }

    /// Returns the result of a finished match, and keeps its record; None if it is void.
    fn result(
        &self,
        planned: &PlannedGame,
        live: &LiveMatch,
        referee: &Referee,
    ) -> Result<Option<GameResult>, CliError> {
        let record = referee.record();
        let (Some(Ending::Finished), Some(result)) = (&record.ending, &record.result) else { return Ok(None) };
        let state = &lock(&self.shared).state;
        let path = self.folder.record(state, planned.place);
        let cannot = |error| CliError::Failed(format!("cannot write {}: {error}", path.display()));
        if let Some(parent) = path.parent() {
            super::folder::create(parent)?;
        }
        std::fs::write(&path, record.to_text()).map_err(cannot)?;
        let decisions: BySeat<u32> = BySeat::from_fn(planned.setup.seats(), |seat| referee.answered(seat));
        let forfeit = |(seat, cause): (_, Option<ahu::host::Cause>)| match planned.has_left[seat] {
            true => Some(Forfeit::Left),
            false => cause.map(Forfeit::Game),
        };
        Ok(Some(GameResult {
            match_id: Some(live.id.to_string()),
            agents: planned.seating.values().iter().map(|&agent| state.name(agent).to_owned()).collect(),
            scores: result.scores.values().to_vec(),
            ranks: result.ranks.values().to_vec(),
            forfeits: result.forfeits.iter().map(forfeit).collect(),
            digest: Some(hex(&record.digest())),
            decisions: decisions.values().iter().sum(),
        }))
    }

    /// Decides what becomes of the matches that were interrupted: a finished one has its result; one with a remote agent
    /// goes on; any other is cancelled, and its game is played anew.
    pub(super) fn resume(&self) {
        let shared = &mut *lock(&self.shared);
        let places: Vec<_> = shared.state.open_games().collect();
        for place in places {
            let table = shared.state.table(place).expect("it is open");
            let Some(match_id) = table.started[place.game].clone() else { continue };
            let Ok(live) = self.matches.matches().find_blocking(&match_id) else { continue };
            if live.has_ended() {
                continue;
            }
            let seating = shared.state.seating(place).expect("it is open");
            match seating.values().iter().any(|agent| self.queues().contains_key(agent)) {
                true => drop(shared.going_on.insert(place)),
                false => drop(live.cancel("the run was interrupted: the game is played anew")),
            }
        }
        let going_on = shared.going_on.len();
        if going_on > 0 {
            let matches =
                if going_on == 1 { "match of remote agents goes on" } else { "matches of remote agents go on" };
            shared.news.push(format!("{going_on} {matches}"));
        }
    }

    /// Returns the match in which a game goes on, or has ended while nobody looked.
    pub(super) fn match_of(&self, match_id: &str) -> Option<Arc<LiveMatch>> {
        let live = self.matches.matches().find_blocking(match_id).ok()?;
        let is_usable =
            live.with_referee(|referee| !matches!(referee.ending(), Some(Ending::Cancelled(_) | Ending::Void(_))));
        is_usable.unwrap_or(!live.has_ended()).then_some(live)
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
        let done = shared.state.apply(&event);
        done?;
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
    pub(super) fn news(&self, now: MatchTime, absent: Duration) -> Vec<String> {
        let shared = &mut *lock(&self.shared);
        for (&agent, queue) in self.queues().iter() {
            let since = queue.last_asked().map_or(self.since, |asked| asked.max(self.since));
            let is_busy = shared
                .running
                .iter()
                .any(|&place| shared.state.seating(place).is_some_and(|seating| seating.values().contains(&agent)));
            let is_absent = !is_busy && now.0.saturating_sub(since.0) > absent.as_millis() as u64;
            let name = shared.state.name(agent);
            if is_absent && shared.absent.insert(agent) {
                shared.news.push(format!("{name} is absent: its games wait until it asks for a seat"));
            } else if !is_absent && shared.absent.remove(&agent) {
                shared.news.push(format!("{name} is back"));
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
        shared.sealed.values().flatten().for_each(Played::release_logs);
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

    /// Keeps a sealed game until its table is whole. Any other tells at once what it has to tell.
    fn unseal(&mut self, planned: &PlannedGame, played: Played) {
        let place = planned.place;
        if !planned.is_shared {
            played.release_logs();
            return;
        }
        let key = (place.stage, place.table);
        self.sealed.entry(key).or_default().push(played);
        if self.state.table(place).is_some_and(ahu::cup::TableState::is_whole) {
            for played in self.sealed.remove(&key).unwrap_or_default() {
                played.live.unseal();
                played.release_logs();
            }
        }
    }

    /// Tells the first forfeits of each agent, with the last lines of its program.
    fn tell_forfeits(&mut self, planned: &PlannedGame, result: &GameResult, played: &Played) {
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
            let last = played.forfeits.iter().find(|found| found.seat == seat).filter(|_| !planned.is_shared);
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
fn void_reason(live: &LiveMatch) -> String {
    match live.with_referee(Referee::ending).flatten() {
        Some(Ending::Cancelled(reason) | Ending::Void(reason)) => reason,
        _ => "the match has no result".to_owned(),
    }
}
