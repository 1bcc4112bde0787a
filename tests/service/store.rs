//! A store of logs that a test looks into, holds up and breaks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use ahu::host::{Entry, LogError, MatchLog};
use tokio::sync::mpsc;

use crate::server::Client;

/// A store that the test looks into, holds up and breaks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) appended: HashMap<String, Vec<Entry>>,
    /// What of it was committed.
    kept: HashMap<String, Vec<Entry>>,
    commits: usize,
    /// The match whose log cannot be written.
    pub(crate) broken: Option<String>,
    gate: Option<Gate>,
}

/// Where commits wait: each says that it is there, and goes on when it is told to.
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
        self.arrivals.recv().await.expect("the store is there");
    }

    pub(crate) fn let_one_pass(&self) {
        self.go_on.send(()).expect("the store is there");
    }
}

impl Store {
    pub(crate) fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().expect("nobody panicked with it")
    }

    pub(crate) fn kept(&self, client: &Client) -> Vec<Entry> {
        self.contents().kept.get(&client.match_id).cloned().unwrap_or_default()
    }

    pub(crate) fn commits(&self) -> usize {
        self.contents().commits
    }

    /// From now on commits wait.
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
        assert_eq!(log.len(), expected, "appends come in order");
        log.extend_from_slice(entries);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), LogError> {
        let gate = self.contents().gate.as_ref().map(|gate| (gate.arrived.clone(), Arc::clone(&gate.go_on)));
        if let Some((arrived, go_on)) = gate
            && arrived.send(()).is_ok()
        {
            // Where the test is over, nothing is held up any more.
            let _ = go_on.lock().expect("nobody panicked with it").recv();
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
