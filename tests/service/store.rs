//! A store that a test can read, hold up, and break.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use ahu_host::{Entry, MatchTime};
use ahu_service::proto::v1::MatchState;
use ahu_service::store::{
    Change, Facts, Keep, Listed, MatchHead, NeededRules, OpenError, OpenReader, Query, Refused, SqliteOptions,
    SqliteStore, Store, StoreError, StoreReader, StoredMatch, StoredRequest,
};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::server::Client;

/// Returns a temporary folder, in memory if the system has a folder in memory: these tests are not about the disk.
pub(crate) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    folder.expect("a temporary folder can be created")
}

/// Opens the store in a folder, as soon as a server before it has ended.
pub(crate) fn open(folder: &Path) -> SqliteStore {
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    loop {
        match SqliteStore::open(folder, &options) {
            Err(OpenError::InUse { .. }) => std::thread::yield_now(),
            opened => return opened.expect("the store can be opened"),
        }
    }
}

/// The test's side of a store.
#[derive(Clone, Debug)]
pub(crate) struct TestStore {
    folder: Arc<TempDir>,
    orders: Arc<Mutex<Orders>>,
}

/// The orders of a test to its store.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    commits: usize,
    /// The match whose changes the store refuses for good.
    pub(crate) refused: Option<String>,
    /// True if no commit succeeds, as on a full disk.
    pub(crate) is_full: bool,
    /// The number of next matches that cannot be read, as without file descriptors.
    pub(crate) unreadable: usize,
    gate: Option<Gate>,
}

/// A gate for commits: each commit reports its arrival and waits until the test lets it pass.
#[derive(Debug)]
struct Gate {
    arrived: mpsc::UnboundedSender<()>,
    go_on: Arc<Mutex<std::sync::mpsc::Receiver<()>>>,
}

/// The test's side of a gate.
pub(crate) struct Keeper {
    arrivals: mpsc::UnboundedReceiver<()>,
    go_on: std::sync::mpsc::Sender<()>,
}

impl Keeper {
    pub(crate) async fn arrival(&mut self) {
        self.arrivals.recv().await.expect("the store exists");
    }

    pub(crate) fn let_one_pass(&self) {
        self.go_on.send(()).expect("the store exists");
    }
}

impl Default for TestStore {
    fn default() -> Self {
        Self { folder: Arc::new(folder()), orders: Arc::default() }
    }
}

impl TestStore {
    /// Opens the store for a server. The folder is removed when both this value and the store are dropped.
    pub(crate) fn open(&self) -> Box<dyn Store> {
        Box::new(OpenStore { inner: open(self.folder.path()), test: self.clone() })
    }

    pub(crate) fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().expect("no thread panicked with the lock")
    }

    /// Reads the committed part of the store.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&dyn StoreReader) -> Result<T, StoreError>) -> T {
        let file = self.folder.path().to_owned();
        let reader = SqliteStore::reader(&file).expect("the store can be read");
        read(&*reader).expect("the store can be read")
    }

    /// Returns a match from the store.
    pub(crate) fn stored(&self, match_id: &str) -> StoredMatch {
        self.read(|reader| reader.read(match_id)).expect("the store has the match")
    }

    /// Returns the committed entries of the match of a client.
    pub(crate) fn kept(&self, client: &Client) -> Vec<Entry> {
        self.stored(&client.match_id).steps.into_iter().flat_map(|step| step.entries).collect()
    }

    /// Returns the ids of all matches in the store, each with its state, the oldest first.
    pub(crate) fn states(&self) -> Vec<(String, MatchState)> {
        let query = Query { with_unlisted: true, ..Query::default() };
        let listed = self.read(|reader| reader.list(0, &query, 10_000)).into_iter();
        listed.filter_map(|(_, listed)| listed).map(|listed| (listed.id, listed.state)).collect()
    }

    /// Changes the file behind the back of the server.
    pub(crate) fn sql(&self, script: &str) {
        let file = rusqlite::Connection::open(self.folder.path().join("ahu.db")).expect("the file can be opened");
        file.execute_batch(script).expect("the script is valid");
    }

    pub(crate) fn commits(&self) -> usize {
        self.orders().commits
    }

    /// Makes all later commits wait for the keeper.
    pub(crate) fn hold_up(&self) -> Keeper {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let (go_on, told) = std::sync::mpsc::channel();
        self.orders().gate = Some(Gate { arrived, go_on: Arc::new(Mutex::new(told)) });
        Keeper { arrivals, go_on }
    }
}

/// The server's side of a store.
#[derive(Debug)]
struct OpenStore {
    inner: SqliteStore,
    test: TestStore,
}

impl Store for OpenStore {
    fn facts(&self) -> Facts {
        self.inner.facts()
    }

    fn create(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        self.inner.create(head)
    }

    fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
        if self.test.orders().refused.as_deref() == Some(&*change.match_id) {
            let (match_id, expected) = (change.match_id.to_string(), change.expected);
            return Err(StoreError::OtherLength { match_id, expected, found: expected + 1 });
        }
        self.inner.append(change, at)
    }

    fn commit(&mut self, now: MatchTime) -> Result<Vec<Refused>, StoreError> {
        let gate = self.test.orders().gate.as_ref().map(|gate| (gate.arrived.clone(), Arc::clone(&gate.go_on)));
        if let Some((arrived, go_on)) = gate
            && arrived.send(()).is_ok()
        {
            // After the end of the test, no commit waits.
            let _ = go_on.lock().expect("no thread panicked with the lock").recv();
        }
        if self.test.orders().is_full {
            self.inner.roll_back();
            return Err(StoreError::Failed("the disk is full".to_owned()));
        }
        let refused = self.inner.commit(now)?;
        self.test.orders().commits += 1;
        Ok(refused)
    }

    fn release(&mut self, match_id: &str) {
        self.inner.release(match_id);
    }

    fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
        self.inner.delete(match_id)
    }

    fn readers(&self) -> OpenReader {
        let (open, test) = (self.inner.readers(), self.test.clone());
        Arc::new(move || Ok(Box::new(TestReader { inner: open()?, test: test.clone() })))
    }
}

/// A reader of the store.
#[derive(Debug)]
struct TestReader {
    inner: Box<dyn StoreReader>,
    test: TestStore,
}

impl StoreReader for TestReader {
    fn read(&self, match_id: &str) -> Result<Option<StoredMatch>, StoreError> {
        let unreadable = &mut self.test.orders().unreadable;
        if let Some(left) = unreadable.checked_sub(1) {
            *unreadable = left;
            return Err(StoreError::Failed("unable to open database file".to_owned()));
        }
        self.inner.read(match_id)
    }

    fn request(&self, id: &[u8; 32]) -> Result<Option<StoredRequest>, StoreError> {
        self.inner.request(id)
    }

    fn list(&self, from: u64, query: &Query, max: usize) -> Result<Vec<(u64, Option<Listed>)>, StoreError> {
        self.inner.list(from, query, max)
    }

    fn needed_rules(&self) -> Result<Vec<NeededRules>, StoreError> {
        self.inner.needed_rules()
    }

    fn excess(&self, keep: &Keep, now: MatchTime, max: usize) -> Result<Vec<String>, StoreError> {
        self.inner.excess(keep, now, max)
    }

    fn size(&self) -> Result<u64, StoreError> {
        self.inner.size()
    }
}
