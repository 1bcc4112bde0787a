//! The matches of a store that are not in memory: read when somebody asks for them, and after a restart.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use ahu_host::api::ApiError;
use ahu_host::{check_match_id, find};
use rayon::prelude::*;
use tokio::task::{self, JoinError};

use crate::limits::{FIRST_STORE_RETRY, LAST_STORE_RETRY, LISTED_AT_ONCE, MAX_READERS, PRUNED_AT_ONCE};
use crate::matches::journal::Owner;
use crate::matches::{LiveMatch, Matches};
use crate::proto::v1::MatchState;
use crate::store::{Keep, Listed, NeededRules, OpenReader, Query, Request, StoreError, StoreReader};
use crate::{lock, refusals};

/// The number of locks of [`Archive::loading`].
const STRIPES: usize = 16;

/// The readers of a store.
pub(crate) struct Archive {
    open: OpenReader,
    readers: Mutex<Readers>,
    /// Tells those who wait that a reader is idle, or may be opened.
    freed: Condvar,
    /// Locks by the hash of a match's id, so that each match is read once.
    loading: [Mutex<()>; STRIPES],
    /// True if the archive reads on the thread of the caller alone.
    is_stepped: bool,
}

/// The open readers of a store.
#[derive(Default)]
struct Readers {
    /// Those that nobody uses now.
    idle: Vec<Box<dyn StoreReader>>,
    /// The number of all.
    open: usize,
}

/// A reader in use; None if it cannot be used again.
struct ReaderInUse<'a>(&'a Archive, Option<Box<dyn StoreReader>>);

impl Drop for ReaderInUse<'_> {
    fn drop(&mut self) {
        let mut readers = lock(&self.0.readers);
        match self.1.take() {
            Some(reader) => readers.idle.push(reader),
            None => readers.open -= 1,
        }
        drop(readers);
        self.0.freed.notify_one();
    }
}

/// The matches that a server found in its store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The number of matches that have not ended.
    pub open: usize,
    /// The number of damaged matches among them.
    pub damaged: usize,
}

/// The reason why a server cannot go on with the matches of its store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoveryError {
    /// Open matches need rules that this release does not have.
    #[error("this release does not have the rules of all matches in progress:{}", .0.iter().map(need).collect::<String>())]
    Rules(Vec<NeededRules>),
    /// The store cannot be read.
    #[error("the store cannot be read: {0}")]
    Store(StoreError),
}

/// Returns a line about rules that matches need.
fn need(NeededRules { game, rules, release, matches }: &NeededRules) -> String {
    let ours = find(game).map_or_else(
        |_| "which it does not have".to_owned(),
        |game| format!("of which it has version {}", game.info().rules),
    );
    format!("\n  {matches} of {game} need rules version {rules}, {ours}: finish them with release {release} of ahu")
}

impl Archive {
    pub(crate) fn new(open: OpenReader, is_stepped: bool) -> Self {
        Self { open, readers: Mutex::default(), freed: Condvar::new(), loading: Default::default(), is_stepped }
    }

    /// Does work that blocks a thread. The threads that answer calls do not wait for it.
    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
        if self.is_stepped { Ok(work()) } else { task::spawn_blocking(work).await }
    }

    /// Reads with an idle or a new reader, as soon as there are few enough. Blocks the thread.
    fn read<T>(&self, read: impl FnOnce(&dyn StoreReader) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let are_in_use = |readers: &mut Readers| readers.idle.is_empty() && readers.open >= MAX_READERS;
        let waited = self.freed.wait_while(lock(&self.readers), are_in_use);
        let mut readers = waited.unwrap_or_else(PoisonError::into_inner);
        let idle = readers.idle.pop();
        readers.open += usize::from(idle.is_none());
        drop(readers);
        let mut used = ReaderInUse(self, idle);
        let reader = match used.1.take() {
            Some(reader) => reader,
            None => (self.open)()?,
        };
        let found = read(&*reader);
        used.1 = Some(reader).filter(|_| !matches!(found, Err(StoreError::Failed(_))));
        found
    }

    /// Reads as [`Self::read`] does, without blocking the threads that answer calls.
    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&dyn StoreReader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let archive = Arc::clone(self);
        let found = self.work(move || archive.read(read)).await;
        found.map_err(|_| refusals::failed())?.map_err(|error| refusals::unreadable(&error))
    }

    /// Returns the lock under which a match is read.
    fn loading(&self, match_id: &str) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(match_id);
        lock(&self.loading[hash as usize % STRIPES])
    }
}

impl Matches {
    /// Returns the match with this id, from memory or from the store.
    pub(crate) async fn find(&self, match_id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        if let Some(live) = self.find_in_memory(match_id) {
            return Ok(live);
        }
        let Some(archive) = self.archive.as_ref().filter(|_| check_match_id(match_id).is_ok()) else {
            return Err(refusals::unknown_match(match_id, self.has_store()));
        };
        let (matches, id) = (self.clone(), match_id.to_owned());
        let found = archive.work(move || matches.find_blocking(&id)).await;
        found.map_err(|_| refusals::broken(match_id))?
    }

    /// Returns the match with this id, even if [`Self::recover`] has not come to it yet, or if it has ended and left memory.
    /// Blocks the thread while the store is read.
    ///
    /// # Errors
    /// If there is no such match, or it is damaged, or the store cannot be read now.
    pub fn find_blocking(&self, match_id: &str) -> Result<Arc<LiveMatch>, ApiError> {
        let loaded = match self.find_in_memory(match_id) {
            Some(live) => Some(live),
            None => self.load(match_id).map_err(|error| refusals::stored(&error, match_id))?,
        };
        loaded.ok_or_else(|| refusals::unknown_match(match_id, self.has_store()))
    }

    /// Returns true if matches outlive the server.
    pub fn has_store(&self) -> bool {
        self.archive.is_some()
    }

    pub(crate) fn find_in_memory(&self, match_id: &str) -> Option<Arc<LiveMatch>> {
        lock(&self.registry).by_id.get(match_id).cloned()
    }

    /// Returns the match that an earlier request with this id led to, from memory or from the store.
    pub(crate) async fn known(&self, request: Option<Request>) -> Result<Option<Arc<LiveMatch>>, ApiError> {
        let known = lock(&self.registry).known(request)?;
        let (None, Some(request), Some(archive)) = (&known, request, &self.archive) else { return Ok(known) };
        match archive.ask(move |reader| reader.request(&request.id)).await? {
            Some(known) if known.content != request.content => Err(refusals::request_id_reused()),
            Some(known) => self.find(&known.match_id).await.map(Some),
            None => Ok(None),
        }
    }

    /// Looks at some matches of the store, from this number on: see [`StoreReader::list`].
    pub(crate) async fn listed(&self, from: u64, query: Query) -> Result<Vec<(u64, Option<Listed>)>, ApiError> {
        let Some(archive) = &self.archive else { return Ok(Vec::new()) };
        archive.ask(move |reader| reader.list(from, &query, LISTED_AT_ONCE)).await
    }

    /// Reads a match from the store, unless another call has done so. Blocks the thread.
    fn load(&self, match_id: &str) -> Result<Option<Arc<LiveMatch>>, StoreError> {
        let Some(archive) = &self.archive else { return Ok(None) };
        let _loading = archive.loading(match_id);
        if let Some(live) = self.find_in_memory(match_id) {
            return Ok(Some(live));
        }
        let Some(stored) = archive.read(|reader| reader.read(match_id))? else { return Ok(None) };
        let requests = stored.requests.clone();
        let live = LiveMatch::resume(stored, self.context.clone())?;
        let mut registry = lock(&self.registry);
        registry.insert(&live, requests);
        let left = registry.make_room(self.limits());
        drop(registry);
        drop(left);
        live.wake();
        Ok(Some(live))
    }

    /// Continues the matches of the store that have not ended. Matches with open seats are read before this returns, so that
    /// they can be found; the others are read in the background. Returns their number. Calls `done` at the end, with the
    /// number of damaged matches. Blocks the thread.
    pub fn recover(&self, done: impl FnOnce(Recovered) + Send + 'static) -> Result<usize, RecoveryError> {
        let Some(archive) = &self.archive else { return Ok(0) };
        let mut needed = archive.read(|reader| reader.needed_rules()).map_err(RecoveryError::Store)?;
        needed.retain(|needed| find(&needed.game).map_or(true, |game| game.info().rules != needed.rules));
        if !needed.is_empty() {
            return Err(RecoveryError::Rules(needed));
        }
        let open = |state| {
            let query = Query { states: vec![state], with_unlisted: true, ..Query::default() };
            let listed =
                archive.read(|reader| reader.list(0, &query, usize::MAX >> 1)).map_err(RecoveryError::Store)?;
            Ok(listed.into_iter().filter_map(|(_, listed)| Some(listed?.id)).collect::<Vec<_>>())
        };
        let (seating, running) = (open(MatchState::Seating)?, open(MatchState::Running)?);
        let open = seating.len() + running.len();
        let (mut damaged, mut left) = self.load_all(&seating);
        left.extend(running);
        let (matches, is_stepped) = (self.clone(), archive.is_stepped);
        let load_rest = move || {
            let mut pause = FIRST_STORE_RETRY;
            loop {
                let (more, unread) = matches.load_all(&left);
                (damaged, left) = (damaged + more, unread);
                if left.is_empty() || is_stepped || *matches.closing.borrow() {
                    break;
                }
                thread::sleep(pause);
                pause = LAST_STORE_RETRY.min(2 * pause);
            }
            done(Recovered { open, damaged: damaged + left.len() });
        };
        if archive.is_stepped {
            load_rest();
        } else {
            let recovery = thread::Builder::new().name("recovery".to_owned());
            recovery.spawn(load_rest).expect("the system has threads");
        }
        Ok(open)
    }

    /// Reads these matches. Returns the number of damaged matches, and the matches that the store cannot read now.
    fn load_all(&self, ids: &[String]) -> (usize, Vec<String>) {
        let load = |id: &String| {
            let error = self.load(id).err()?;
            if !matches!(error, StoreError::Failed(_)) {
                tracing::error!(%error, "a match is set aside");
            }
            Some((id.clone(), error))
        };
        let failed: Vec<_> = match self.archive.as_ref().is_some_and(|archive| archive.is_stepped) {
            true => ids.iter().filter_map(load).collect(),
            false => ids.par_iter().filter_map(load).collect(),
        };
        let (unread, damaged): (Vec<_>, Vec<_>) =
            failed.into_iter().partition(|(_, error)| matches!(error, StoreError::Failed(_)));
        if let Some((_, error)) = unread.first() {
            tracing::warn!(matches = unread.len(), %error, "matches cannot be read now; the server tries again");
        }
        (damaged.len(), unread.into_iter().map(|(id, _)| id).collect())
    }

    /// Removes ended matches from the store until it is within its bounds. Returns the number of removed matches. Blocks the
    /// thread.
    pub fn prune(&self, keep: &Keep) -> Result<usize, StoreError> {
        let (Some(archive), Some(journal)) = (&self.archive, &self.context.journal) else { return Ok(0) };
        let mut removed = 0;
        loop {
            let excess = archive.read(|reader| reader.excess(keep, self.context.clock.now(), PRUNED_AT_ONCE))?;
            if excess.is_empty() {
                return Ok(removed);
            }
            removed += excess.len();
            for id in excess {
                lock(&self.registry).drop_deleted(&id);
                journal.delete(id.into());
            }
            if !journal.flush() {
                return Err(StoreError::Failed("matches cannot be removed now".to_owned()));
            }
        }
    }
}
