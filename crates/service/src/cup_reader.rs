//! The cup of a server, read from its journal.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use ahu_contest::cup::{Journal, Report, State};
use ahu_host::api::ApiError;
use serde_json::Value;

use crate::{lock, refusals};

/// The time for which an answer holds.
const FRESH: Duration = Duration::from_secs(1);

/// The cup of a server; None if it has none. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cup(pub(crate) Option<Arc<CupReader>>);

/// A cup. Its journal may still grow.
#[derive(Debug)]
pub(crate) struct CupReader {
    journal: PathBuf,
    last: Mutex<Option<Reading>>,
    /// The ratings after the end, once somebody has asked for them, with the hash of the salt of their cup.
    ratings: Mutex<Option<(String, Value)>>,
}

/// The state of a cup as it was read.
#[derive(Debug)]
struct Reading {
    at: Instant,
    /// The length of the journal then, and the time of its last change.
    file: (u64, SystemTime),
    state: Arc<State>,
}

impl Cup {
    /// Returns the state, at most a second old.
    pub(crate) async fn state(&self) -> Result<Arc<State>, ApiError> {
        self.read(CupReader::state).await
    }

    /// Returns the ratings by game; an empty list before the end.
    pub(crate) async fn ratings(&self) -> Result<Value, ApiError> {
        self.read(CupReader::ratings).await
    }

    async fn read<T: Send + 'static>(&self, read: fn(&CupReader) -> Result<T, ApiError>) -> Result<T, ApiError> {
        let cup = self.0.clone().ok_or_else(refusals::no_cup)?;
        tokio::task::spawn_blocking(move || read(&cup)).await.map_err(|_| refusals::failed())?
    }
}

impl CupReader {
    pub(crate) fn new(journal: &Path) -> Self {
        Self { journal: journal.to_owned(), last: Mutex::default(), ratings: Mutex::default() }
    }

    /// Returns the state, at most a second old. Blocks the thread while the journal is read.
    fn state(&self) -> Result<Arc<State>, ApiError> {
        let mut last = lock(&self.last);
        if let Some(Reading { at, state, .. }) = last.as_ref()
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(state));
        }
        // An organiser's cup may have no journal yet.
        let file = std::fs::metadata(&self.journal).and_then(|file| Ok((file.len(), file.modified()?)));
        let file = file.map_err(|_| refusals::no_cup())?;
        if let Some(reading) = last.as_mut().filter(|reading| reading.file == file) {
            reading.at = Instant::now();
            return Ok(Arc::clone(&reading.state));
        }
        let failed = |reason: String| {
            tracing::error!(reason, "the journal of the cup cannot be read");
            refusals::failed()
        };
        let (lines, _) = Journal::read(&self.journal).map_err(|error| failed(error.to_string()))?;
        if lines.is_empty() {
            return Err(refusals::no_cup());
        }
        let mut state = State::after(lines.iter().map(|line| &line.event)).map_err(failed)?;
        state.forget_sealed_results();
        let state = Arc::new(state);
        *last = Some(Reading { at: Instant::now(), file, state: Arc::clone(&state) });
        Ok(state)
    }

    /// Returns the ratings by game after the end, and an empty list before it: each state would need a thousand fits anew.
    /// Blocks the thread.
    fn ratings(&self) -> Result<Value, ApiError> {
        let state = self.state()?;
        if !state.has_ended() {
            return Ok(Value::Array(Vec::new()));
        }
        let of_games = || Report::of(&state).games.iter().map(|game| game.ratings_json(&state)).collect();
        let mut ratings = lock(&self.ratings);
        match &*ratings {
            Some((cup, known)) if *cup == state.salt_hash => Ok(known.clone()),
            _ => Ok(ratings.insert((state.salt_hash.clone(), of_games())).1.clone()),
        }
    }
}
