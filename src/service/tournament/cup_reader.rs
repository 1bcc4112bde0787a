//! The cup of a server, read from its journal.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cup::{Journal, JournalError, Report, State};
use crate::service::{lock, refusals};
use ahu_engine::host::api::ApiError;

/// The time for which an answer holds.
const FRESH: Duration = Duration::from_secs(1);

/// The cup of a server; None if it has none. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cup(pub(crate) Option<Arc<CupReader>>);

/// A cup. Its journal may still grow.
#[derive(Debug)]
pub(crate) struct CupReader {
    journal: PathBuf,
    last: Mutex<Option<(Instant, Arc<State>)>>,
    /// The ratings after the end, once somebody has asked for them.
    ratings: OnceLock<Value>,
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
        let cup = self.0.clone().ok_or_else(refusals::no_tournament)?;
        tokio::task::spawn_blocking(move || read(&cup)).await.map_err(|_| refusals::failed())?
    }
}

impl CupReader {
    pub(crate) fn new(journal: &Path) -> Self {
        Self { journal: journal.to_owned(), last: Mutex::default(), ratings: OnceLock::new() }
    }

    /// Returns the state, at most a second old. Blocks the thread while the journal is read.
    fn state(&self) -> Result<Arc<State>, ApiError> {
        let mut last = lock(&self.last);
        if let Some((at, state)) = last.as_ref()
            && (at.elapsed() < FRESH || state.has_ended())
        {
            return Ok(Arc::clone(state));
        }
        let read = Journal::read(&self.journal).map_err(|error: JournalError| error.to_string());
        let state = read.and_then(|(lines, _)| State::after(lines.iter().map(|line| &line.event)));
        let mut state = state.map_err(|reason| {
            tracing::error!(reason, "the journal of the cup cannot be read");
            refusals::failed()
        })?;
        state.forget_sealed_results();
        let state = Arc::new(state);
        *last = Some((Instant::now(), Arc::clone(&state)));
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
        Ok(self.ratings.get_or_init(of_games).clone())
    }
}
