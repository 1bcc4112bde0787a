//! A cup, read from its journal.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

use ahu_contest::cup::{Journal, JournalError, Report, StageState, Standing, Standings, State};
use ahu_host::api::ApiError;
use serde_json::Value;

use crate::organiser::CupId;
use crate::proto::cup;
use crate::{lock, refusals};

/// The time for which an answer holds, at least.
const FRESH: Duration = Duration::from_secs(1);
/// An answer holds for at least this many times the time that the journal takes to read, so that a long journal that grows takes
/// a twentieth of a core however often somebody looks.
const REST: u32 = 20;
/// The maximum size of a part of a journal that a call reads, in bytes.
const PART: u64 = 1 << 20;

/// The maximum number of cups whose states are in memory.
const MAX_STATES: usize = 8;

/// The share of all readers of a server in its memory and its threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    /// The readers whose states are in memory, the one that was asked for last at the end.
    readers: Arc<Mutex<VecDeque<Weak<CupReader>>>>,
    /// The turn of a reader, so that journals take one thread at most.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// A cup. Its journal may still grow.
#[derive(Debug)]
pub(crate) struct CupReader {
    id: CupId,
    journal: PathBuf,
    last: Mutex<Option<Reading>>,
    /// The turn of a call, so that one thread at a time reads the journal.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// The readers of the server whose states are in memory.
    recent: Recent,
    /// The standings, once somebody has asked for them.
    standings: Mutex<Option<Arc<Vec<cup::Standing>>>>,
    /// The ratings and crosstables after the end, once somebody has asked for them.
    report: Mutex<Option<[Value; 2]>>,
}

/// The state of a cup as it was read.
#[derive(Debug)]
struct Reading {
    /// The time until which it holds.
    until: Instant,
    /// The length of the journal then, and the time of its last change.
    file: (u64, SystemTime),
    /// The state; an error if the journal is none, so that it is not read again either. None once it has left memory.
    state: Option<Result<Arc<State>, ApiError>>,
}

impl Recent {
    /// Notes that the state of this reader was asked for. The state that was asked for the longest time ago may leave memory.
    fn note(&self, reader: &Arc<CupReader>) {
        let (mut recent, reader) = (lock(&self.readers), Arc::downgrade(reader));
        recent.retain(|other| !other.ptr_eq(&reader));
        recent.push_back(reader);
        if recent.len() > MAX_STATES
            && let Some(oldest) = recent.pop_front().and_then(|oldest| oldest.upgrade())
            && let Ok(mut last) = oldest.last.try_lock()
            && let Some(reading) = last.as_mut()
        {
            // An error takes no room.
            reading.state.take_if(|state| state.is_ok());
        }
    }
}

impl CupReader {
    pub(crate) fn new(id: CupId, journal: &Path, recent: Recent) -> Self {
        let (last, turn, standings, report) = Default::default();
        Self { id, journal: journal.to_owned(), last, turn, recent, standings, report }
    }

    /// Returns the id of the cup.
    pub(crate) fn id(&self) -> CupId {
        self.id
    }

    /// Returns the state, as it was a second ago at the earliest, unless the journal is long.
    pub(crate) async fn state(self: &Arc<Self>) -> Result<Arc<State>, ApiError> {
        self.read(Self::read_state).await
    }

    /// Returns the state, and the standings of all groups.
    pub(crate) async fn standings(self: &Arc<Self>) -> Result<(Arc<State>, Arc<Vec<cup::Standing>>), ApiError> {
        self.read(|cup| {
            let state = cup.read_state()?;
            let standings = Arc::clone(lock(&cup.standings).get_or_insert_with(|| Arc::new(standings_of(&state))));
            Ok((state, standings))
        })
        .await
    }

    /// Returns the ratings and the crosstables by game; empty lists before the end.
    pub(crate) async fn report(self: &Arc<Self>) -> Result<[Value; 2], ApiError> {
        self.read(Self::read_report).await
    }

    /// Returns the part of the journal from this byte on, at most [`PART`]. `is_own` is true for the organiser of the cup; others
    /// may read the journal after the end.
    pub(crate) async fn part(self: &Arc<Self>, offset: u64, is_own: bool) -> Result<Vec<u8>, ApiError> {
        self.read(move |cup| {
            if !is_own && !cup.read_state()?.has_ended() {
                return Err(refusals::cup_not_ended(cup.id));
            }
            let read = || {
                let mut file = File::open(&cup.journal)?;
                let mut part = Vec::new();
                if offset < file.metadata()?.len() {
                    file.seek(SeekFrom::Start(offset))?;
                    file.take(PART).read_to_end(&mut part)?;
                }
                Ok(part)
            };
            read().map_err(|error: io::Error| match error.kind() {
                io::ErrorKind::NotFound => refusals::no_cup(cup.id),
                _ => cup.failed(&error.to_string()),
            })
        })
        .await
    }

    async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (cup, turn) = (Arc::clone(self), Arc::clone(&self.turn).lock_owned().await);
        let of_all = match self.is_fresh() {
            true => None,
            false => Some(Arc::clone(&self.recent.turn).lock_owned().await),
        };
        let reading = move || {
            // A call that is cancelled does not end its thread, which keeps the turns.
            let _turns = (turn, of_all);
            read(&cup)
        };
        let done = tokio::task::spawn_blocking(reading).await.map_err(|_| refusals::failed())?;
        self.recent.note(self);
        done
    }

    /// Returns true if the state is in memory, and holds.
    fn is_fresh(&self) -> bool {
        lock(&self.last).as_ref().is_some_and(|last| last.state.is_some() && Instant::now() < last.until)
    }

    fn failed(&self, reason: &str) -> ApiError {
        tracing::error!(reason, cup = %self.id, "the journal of a cup cannot be read");
        refusals::failed()
    }

    /// Returns the state. Blocks the thread while the journal is read.
    fn read_state(&self) -> Result<Arc<State>, ApiError> {
        let mut last = lock(&self.last);
        let began = Instant::now();
        if let Some(Reading { until, state: Some(state), .. }) = last.as_ref()
            && began < *until
        {
            return state.clone();
        }
        // An organiser's cup may have no journal yet.
        let file = std::fs::metadata(&self.journal).and_then(|file| Ok((file.len(), file.modified()?)));
        let file = file.map_err(|_| refusals::no_cup(self.id))?;
        match last.as_mut().filter(|reading| reading.file == file) {
            Some(Reading { until, state: Some(state), .. }) => {
                *until = began + FRESH;
                return state.clone();
            }
            Some(_) => {}
            None => (*lock(&self.standings), *lock(&self.report)) = (None, None),
        }
        let state = self.read_anew();
        let rest = began.elapsed() * REST;
        // A journal that is none yet may be one after the next part.
        let until = Instant::now() + if state.is_ok() || rest > FRESH { FRESH.max(rest) } else { Duration::ZERO };
        *last = Some(Reading { until, file, state: Some(state.clone()) });
        state
    }

    fn read_anew(&self) -> Result<Arc<State>, ApiError> {
        // An organiser elsewhere may write anything into its copy: what is no journal of this cup is no cup.
        let is_none = |reason: &str| {
            tracing::debug!(reason, cup = %self.id, "the journal of a cup is none");
            refusals::no_cup(self.id)
        };
        let (lines, _) = match Journal::read(&self.journal) {
            Err(error @ JournalError::Io(..)) => return Err(self.failed(&error.to_string())),
            read => read.map_err(|error| is_none(&error.to_string()))?,
        };
        let mut state = State::after(lines.iter().map(|line| &line.event)).map_err(|reason| is_none(&reason))?;
        if CupId::of_salt_hash(&state.salt_hash) != Some(self.id) {
            return Err(is_none("it is that of another cup"));
        }
        state.forget_sealed_results();
        Ok(Arc::new(state))
    }

    /// Returns the ratings and the crosstables by game after the end, and empty lists before it: each state would need a thousand
    /// fits anew. Blocks the thread.
    fn read_report(&self) -> Result<[Value; 2], ApiError> {
        let state = self.read_state()?;
        if !state.has_ended() {
            return Ok([const { Value::Array(Vec::new()) }; 2]);
        }
        let of_games = || {
            let games = Report::of(&state).games;
            let ratings = games.iter().map(|game| game.ratings_json(&state)).collect();
            [ratings, games.iter().map(|game| game.crosstable_json(&state)).collect()]
        };
        Ok(lock(&self.report).get_or_insert_with(of_games).clone())
    }
}

/// Returns the standings of all groups.
fn standings_of(state: &State) -> Vec<cup::Standing> {
    let groups = |(number, stage): (usize, &StageState)| (0..stage.groups.len()).map(move |group| (number, group));
    let rows = state.stages.iter().enumerate().flat_map(groups).flat_map(|(number, group)| {
        let standing = move |row: Standing| cup::Standing {
            stage: state.cup.stages[number].name.clone(),
            group: group as u32,
            place: row.shown_place().unwrap_or(0) as u32,
            agent: state.public_name(row.agent),
            game_count: row.games as u32,
            share: row.share(),
            margin: row.mean_margin(),
            wins: row.wins,
            forfeit_count: row.forfeits as u32,
        };
        Standings::of(state, number, group).rows.into_iter().map(standing)
    });
    rows.collect()
}
