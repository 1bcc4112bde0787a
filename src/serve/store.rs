//! The store of a server: opened, waited for by a spare, and recovered.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use ahu_arena::programs::EndSignals;
use ahu_contest::cup::State;
use ahu_service::limits::{FIRST_STORE_RETRY, FOLDER_WAIT, PRUNE_PERIOD};
use ahu_service::store::{Lease, OpenError, Place, PostgresStore, SqliteOptions, SqliteStore, Store};
use ahu_service::{CupId, Environments, Limits, Listener, Matches, Recovered, Server};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Serve;
use crate::CliError;

/// The time in which the connections of a spare end that works from now on.
const SPARE_GRACE: Duration = Duration::from_millis(500);

/// The store of a server.
pub(super) enum Opened {
    /// There is none.
    InMemory,
    /// The store, with the lease of one in a database.
    Kept(Box<dyn Store>, Option<Lease>),
    /// The operator has ended a spare that waited.
    Ended,
}

impl Serve {
    /// Opens the store. A spare, which has the front of a server, answers on its listeners meanwhile that it
    /// does not work.
    pub(super) async fn store(
        &self,
        listeners: &[Listener],
        metrics: Option<&Listener>,
        limits: &Limits,
        front: &(impl Fn(Server) -> Server + Sync),
        signals: &mut EndSignals,
    ) -> Result<Opened, CliError> {
        let database = match &self.data {
            None => return Ok(Opened::InMemory),
            Some(Place::Folder(data)) => return Ok(Opened::Kept(Box::new(opened(data)?), None)),
            Some(Place::Database(database)) => database.clone(),
        };
        let is_spare = self.spare;
        let opening = tokio::task::spawn_blocking(move || PostgresStore::open(&database, is_spare));
        let kept = |store: PostgresStore| {
            let lease = store.lease();
            Opened::Kept(Box::new(store), Some(lease))
        };
        if !is_spare {
            return opening.await.map_err(CliError::failed)?.map(kept).map_err(CliError::failed);
        }
        let waiting = Server::from(Matches::new(*limits, None));
        let waiting = front(waiting.with_lease(Lease::default()));
        let (working, works) = watch::channel(false);
        let mut serving = JoinSet::new();
        let closed = || {
            let mut works = works.clone();
            async move { drop(works.wait_for(|&works| works).await) }
        };
        for listener in listeners {
            let listener = listener.try_clone().map_err(CliError::failed)?;
            serving.spawn(ahu_service::run(listener, waiting.clone(), closed()));
        }
        if let Some(metrics) = metrics {
            let metrics = metrics.try_clone().map_err(CliError::failed)?;
            let metrics = ahu_service::serve_metrics(metrics, waiting.clone(), closed());
            serving.spawn(async { Ok(metrics.await?) });
        }
        let opened = tokio::select! {
            opened = opening => opened.map_err(CliError::failed)?.map_err(CliError::failed)?,
            _ = signals.next() => return Ok(Opened::Ended),
        };
        tracing::info!("the spare works from now on");
        working.send_replace(true);
        // Whoever reads nothing does not hold up the others.
        let ended = async { while serving.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(SPARE_GRACE, ended).await;
        serving.shutdown().await;
        Ok(kept(opened))
    }

    /// Creates the server, and recovers the matches of its store.
    pub(super) fn server(
        &self,
        limits: Limits,
        store: Option<(Box<dyn Store>, Option<Lease>)>,
    ) -> Result<Server, CliError> {
        let environments = Environments::new(&limits);
        let (Some(data), Some((store, lease))) = (&self.data, store) else {
            return Ok(Server::new(Matches::new(limits, None), environments));
        };
        let matches = Matches::new(limits, Some(store));
        let mut server = Server::new(matches.clone(), environments);
        if let Place::Folder(data) = data {
            server = show_cup(data, server)?;
        }
        if let Some(lease) = lease {
            server = server.with_lease(lease);
        }
        let start = Instant::now();
        let recovered = move |Recovered { open, damaged }| {
            let ms = start.elapsed().as_millis();
            tracing::info!(open, damaged, ms, "all matches that had not ended are in memory");
        };
        let open = matches.recover(recovered).map_err(CliError::failed)?;
        tracing::info!(%data, open, "matches are kept");
        if let Some(keep) = self.keep {
            thread::spawn(move || {
                loop {
                    match matches.prune(&keep) {
                        Ok(0) => {}
                        Ok(removed) => tracing::info!(removed, "matches removed from the store"),
                        Err(error) => tracing::warn!(%error, "matches cannot be removed from the store"),
                    }
                    thread::sleep(PRUNE_PERIOD);
                }
            });
        }
        Ok(server)
    }
}

/// Waits until another server has taken the place of this one; for ever without a database.
pub(super) async fn died(lease: Option<&Lease>) {
    match lease {
        Some(lease) => lease.died().await,
        None => std::future::pending().await,
    }
}

/// Opens the store in a folder. If the disk is full, waits for room, so that the matches in the store go on as soon as there is
/// some.
fn opened(data: &Path) -> Result<SqliteStore, CliError> {
    let options = SqliteOptions { create: true, wait: FOLDER_WAIT, ..SqliteOptions::default() };
    let mut told = false;
    loop {
        match SqliteStore::open(data, &options) {
            Err(error @ OpenError::Full { .. }) => {
                if !told {
                    tracing::error!(%error, "the server waits until its store can be written");
                }
                told = true;
                thread::sleep(FIRST_STORE_RETRY);
            }
            opened => return opened.map_err(CliError::failed),
        }
    }
}

/// Makes the server show the cup that is kept in the folder, if there is one. A cup that has not ended is refused: its matches
/// would go on without the cup.
fn show_cup(data: &Path, server: Server) -> Result<Server, CliError> {
    let journal = data.join("journal.jsonl");
    if !journal.exists() {
        return Ok(server);
    }
    let (state, _) = State::read(&journal).map_err(CliError::failed)?;
    if !state.has_ended() {
        return Err(CliError::Failed(format!(
            "expected a cup that has ended in {}, got \"{}\", which has not; `ahu cup run` goes on with it and \
             serves it",
            data.display(),
            state.cup.header.name
        )));
    }
    tracing::info!(cup = state.cup.header.name, "a cup is shown");
    // The end of the cup has proven the hash.
    let id = CupId::of_salt_hash(&state.salt_hash).expect("a hash has 64 hexadecimal digits");
    Ok(server.with_cup(id, &journal))
}
