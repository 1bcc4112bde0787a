//! A cup, read from its journal.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

use ahu_contest::cup::{
    JournalError, LadderRow, LadderTable, Position, Report, StageState, Standing, Standings, State,
};
use ahu_contest::ratings::SeasonRatings;
use ahu_host::api::ApiError;
use serde_json::Value;

use super::fits::Fits;
use crate::organiser::CupId;
use crate::proto::cup;
use crate::{lock, refusals};

/// The time for which an answer holds, at least.
const FRESH: Duration = Duration::from_secs(1);
/// An answer holds for at least this many times the time that the journal takes to read, so that a long journal that grows takes
/// a twentieth of a core however often somebody looks.
pub(super) const REST: u32 = 20;
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
    /// The turn of a fit, so that ratings take one thread at most.
    fits: Arc<tokio::sync::Mutex<()>>,
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
    /// The tables of the last state for which somebody has asked for them.
    tables: Mutex<Option<Arc<Tables>>>,
    /// The ratings of the ladder.
    fits: Arc<Fits>,
    /// The ratings and crosstables after the end, once somebody has asked for them.
    report: Mutex<Option<[Value; 2]>>,
    /// The length of the journal at the last checkpoint.
    checkpoint: Mutex<u64>,
}

/// The tables that follow from a state, for all who ask for them.
#[derive(Debug)]
pub(crate) struct Tables {
    of: Weak<State>,
    ratings: Arc<SeasonRatings>,
    /// The standings of all groups; those of a ladder are all its entrants.
    pub(crate) standings: Vec<cup::Standing>,
    /// The table of the ladder; None for a cup without one.
    pub(crate) ladder: Option<LadderTable>,
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
    /// The state with all that it knows, from which the reading goes on, and its place in the journal.
    whole: Option<Box<(State, Position)>>,
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
            reading.whole = None;
            *lock(&oldest.tables) = None;
        }
    }
}

impl CupReader {
    pub(crate) fn new(id: CupId, journal: &Path, recent: Recent) -> Self {
        let (last, turn, tables, report, checkpoint) = Default::default();
        let fits = Arc::new(Fits::new(Arc::clone(&recent.fits)));
        Self { id, journal: journal.to_owned(), last, turn, recent, tables, fits, report, checkpoint }
    }

    /// Returns the id of the cup.
    pub(crate) fn id(&self) -> CupId {
        self.id
    }

    /// Returns the state, as it was a second ago at the earliest, unless the journal is long.
    pub(crate) async fn state(self: &Arc<Self>) -> Result<Arc<State>, ApiError> {
        self.read(Self::read_state).await
    }

    /// Returns the state, and its tables. The ratings of a ladder may be a minute old, or more if a fit takes long.
    pub(crate) async fn tables(self: &Arc<Self>) -> Result<(Arc<State>, Arc<Tables>), ApiError> {
        let state = self.state().await?;
        let ratings = self.fits.ratings(&state).await?;
        self.read(move |cup| {
            let mut last = lock(&cup.tables);
            let is_it = |tables: &&Arc<Tables>| {
                tables.of.ptr_eq(&Arc::downgrade(&state)) && Arc::ptr_eq(&tables.ratings, &ratings)
            };
            if let Some(tables) = last.as_ref().filter(is_it) {
                return Ok((state, Arc::clone(tables)));
            }
            let tables = Arc::new(Tables::of(&state, ratings));
            *last = Some(Arc::clone(&tables));
            Ok((state, tables))
        })
        .await
    }

    /// Returns the ratings and the crosstables by game; empty lists before the end.
    pub(crate) async fn report(self: &Arc<Self>) -> Result<[Value; 2], ApiError> {
        self.read(Self::read_report).await
    }

    /// Returns the part of the journal from this byte on, at most [`PART`]. `is_own` is true for the organiser of the cup; others
    /// may read the journal after the end, and that of a ladder at any time.
    pub(crate) async fn part(self: &Arc<Self>, offset: u64, is_own: bool) -> Result<Vec<u8>, ApiError> {
        self.read(move |cup| {
            if !is_own {
                let state = cup.read_state()?;
                if !state.has_ended() && state.ladder_rules().is_none() {
                    return Err(refusals::cup_not_ended(cup.id));
                }
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
            None => *lock(&self.report) = None,
        }
        let whole = self.read_whole(last.take().and_then(|reading| reading.whole));
        let (state, whole) = match whole {
            Ok(whole) => {
                let mut state = whole.0.clone();
                state.forget_sealed_results();
                (Ok(Arc::new(state)), Some(whole))
            }
            Err(error) => (Err(error), None),
        };
        let rest = began.elapsed() * REST;
        // A journal that is none yet may be one after the next part.
        let until = Instant::now() + if state.is_ok() || rest > FRESH { FRESH.max(rest) } else { Duration::ZERO };
        *last = Some(Reading { until, file, state: Some(state.clone()), whole });
        state
    }

    /// Reads the journal, from the end of the last reading on if it has only grown since.
    fn read_whole(&self, last: Option<Box<(State, Position)>>) -> Result<Box<(State, Position)>, ApiError> {
        // An organiser elsewhere may write anything into its copy: what is no journal of this cup is no cup.
        let is_none = |reason: &str| {
            tracing::debug!(reason, cup = %self.id, "the journal of a cup is none");
            refusals::no_cup(self.id)
        };
        if let Some(mut whole) = last
            && let Ok(end) = whole.0.read_on(&self.journal, &whole.1)
        {
            whole.1 = end;
            self.write_checkpoint(&whole);
            return Ok(whole);
        }
        let whole = match State::read(&self.journal) {
            Err(error @ JournalError::Io(..)) => return Err(self.failed(&error.to_string())),
            read => read.map_err(|error| is_none(&error.to_string()))?,
        };
        match CupId::of_salt_hash(&whole.0.salt_hash) == Some(self.id) {
            true => {
                self.write_checkpoint(&whole);
                Ok(Box::new(whole))
            }
            false => Err(is_none("it is that of another cup")),
        }
    }

    /// Writes a checkpoint of a long ladder, so that the next start of the server need not read all of its journal.
    fn write_checkpoint(&self, (state, end): &(State, Position)) {
        let mut last = lock(&self.checkpoint);
        match state.write_checkpoint(&self.journal, *last, end) {
            Ok(newest) => *last = newest,
            Err(error) => tracing::warn!(%error, cup = %self.id, "the checkpoint of a cup cannot be written"),
        }
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

impl Tables {
    fn of(state: &Arc<State>, ratings: Arc<SeasonRatings>) -> Self {
        let ladder = state.ladder().map(|_| LadderTable::of(state, SeasonRatings::clone(&ratings)));
        let rows = ladder.iter().flat_map(|table| &table.rows).filter_map(|row| rated_standing(state, row));
        let standings = rows.chain(standings_of(state)).collect();
        Self { of: Arc::downgrade(state), ratings, standings, ladder }
    }
}

/// Returns the standing of an entrant of a ladder.
fn rated_standing(state: &State, row: &LadderRow) -> Option<cup::Standing> {
    let own = &state.ladder()?.agents[row.agent];
    let [pairs, half_pairs] = own.by_seat.iter().fold([0, 0], |sum, seat| [sum[0] + seat[0], sum[1] + seat[1]]);
    let rating = row.rating.as_ref().map(|rating| {
        let (best, worst) = row.place.map_or((0, 0), |_| (*rating.ranks.start(), *rating.ranks.end()));
        cup::SeasonRating {
            elo: rating.elo,
            margin: rating.margin,
            best_place: best as u32,
            worst_place: worst as u32,
            last_played_time: own.last_played.map(|at| (SystemTime::UNIX_EPOCH + Duration::from_millis(at)).into()),
        }
    });
    Some(cup::Standing {
        stage: state.cup.stages[0].name.clone(),
        group: 0,
        place: row.place.unwrap_or(0) as u32,
        agent: state.public_name(row.agent),
        game_count: own.games,
        share: if pairs > 0 { f64::from(half_pairs) / f64::from(2 * pairs) } else { 0.5 },
        margin: 0.0,
        wins: own.wins,
        forfeit_count: own.forfeits.values().sum(),
        rating,
    })
}

/// Returns the standings of all groups.
fn standings_of(state: &State) -> impl Iterator<Item = cup::Standing> {
    let groups = |(number, stage): (usize, &StageState)| (0..stage.groups.len()).map(move |group| (number, group));
    state.stages.iter().enumerate().flat_map(groups).flat_map(move |(number, group)| {
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
            rating: None,
        };
        Standings::of(state, number, group).rows.into_iter().map(standing)
    })
}
