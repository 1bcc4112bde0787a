//! A store of logs that a test can read, hold up, and break.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use ahu::host::{Entry, LogError, MatchLog};
use tokio::sync::mpsc;

use crate::server::Client;

/// A store that the test can read, hold up, and break.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) appended: HashMap<String, Vec<Entry>>,
    /// The committed part of it.
    kept: HashMap<String, Vec<Entry>>,
    commits: usize,
    /// The match whose log cannot be written.
    pub(crate) broken: Option<String>,
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

impl Store {
    pub(crate) fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().expect("no thread panicked with the lock")
    }

    pub(crate) fn kept(&self, client: &Client) -> Vec<Entry> {
        self.contents().kept.get(&client.match_id).cloned().unwrap_or_default()
    }

    pub(crate) fn commits(&self) -> usize {
        self.contents().commits
    }

    /// Makes all later commits wait for the keeper.
    pub(crate) fn hold_up(&self) -> Keeper {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let (go_on, told) = std::sync::mpsc::channel();
        self.contents().gate = Some(Gate { arrived, go_on: Arc::new(Mutex::new(told)) });
        Keeper { arrivals, go_on }
    }
}

impl MatchLog for Store {
    fn append(&mut self, match_id: &str, expected: usize, entries: &[Entry]) -> Result<(), LogError> {
        let mut contents = self.contents();
        if contents.broken.as_deref() == Some(match_id) {
            return Err(LogError::Failed("the disk is full".to_owned()));
        }
        let log = contents.appended.entry(match_id.to_owned()).or_default();
        assert_eq!(log.len(), expected, "appends are in order");
        log.extend_from_slice(entries);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), LogError> {
        let gate = self.contents().gate.as_ref().map(|gate| (gate.arrived.clone(), Arc::clone(&gate.go_on)));
        if let Some((arrived, go_on)) = gate
            && arrived.send(()).is_ok()
        {
            // After the end of the test, no commit waits.
            let _ = go_on.lock().expect("no thread panicked with the lock").recv();
        }
        let mut contents = self.contents();
        contents.commits += 1;
        let Contents { appended, kept, .. } = &mut *contents;
        kept.clone_from(appended);
        Ok(())
    }

    fn read(&self, match_id: &str, from: usize) -> Result<Vec<Entry>, LogError> {
        Ok(self.contents().kept.get(match_id).map_or(&[][..], |log| &log[from..]).to_vec())
    }

    fn forget(&mut self, match_id: &str) -> Result<(), LogError> {
        self.contents().appended.remove(match_id);
        Ok(())
    }
}
