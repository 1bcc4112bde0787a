//! The matches of a cup in this process.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ahu::service::store::{SqliteOptions, SqliteStore};
use ahu::service::{Clock, Limits, LiveMatch, Matches, Page, PracticeOffer};
use ahu_engine::host::{Ending, MatchTime, Referee};
use tokio::sync::watch;

use super::{Finished, Queues, RemoteAgent, Surroundings, Venue, VenueSlot};
use crate::cli::pairing::{self, Pairing, Played, Scratch, Slot};
use crate::cli::programs::LocalMatches;
use crate::cli::{CliError, lock};

/// The matches of this process, with a store.
pub(in crate::cli::tournament) struct LocalVenue {
    matches: LocalMatches,
    scratch: Scratch,
    queues: Mutex<pairing::Queues>,
    /// True for no game: a cup lets its games end.
    is_stopped: AtomicBool,
}

impl LocalVenue {
    /// Opens the store of the cup, and shows the cup with this journal to those who ask the server.
    pub(in crate::cli::tournament) fn open(data: &Path, journal: &Path, listen: SocketAddr) -> Result<Self, CliError> {
        let options = SqliteOptions { create: true, ..SqliteOptions::default() };
        let store = SqliteStore::open(data, &options).map_err(CliError::failed)?;
        let clock = Clock::system();
        let matches = Matches::with_clock(Limits::default(), Some(Box::new(store)), clock.clone());
        matches.recover(|_| {}).map_err(CliError::failed)?;
        matches.show_cup(journal);
        matches.serve_page(Page::default());
        let matches = LocalMatches::of(matches, clock, listen);
        let (queues, is_stopped) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { matches, scratch: Scratch::new()?, queues, is_stopped })
    }

    fn find(&self, match_id: &str) -> Option<Arc<LiveMatch>> {
        self.matches.matches().find_blocking(match_id).ok()
    }
}

impl Venue for LocalVenue {
    fn address(&self) -> Result<String, CliError> {
        self.matches.address().map(|address| address.to_string())
    }

    fn now(&self) -> MatchTime {
        self.matches.now()
    }

    fn open_queues(&self, agents: Vec<RemoteAgent>) -> Result<Queues, CliError> {
        let mut queues = lock(&self.queues);
        let mut opened: Queues = HashMap::new();
        for RemoteAgent { number, name, key_hash, practice } in agents {
            let queue = Arc::new(self.matches.matches().seat_queue_with_key(key_hash));
            queue.offer_practice(Some(PracticeOffer { config: practice, name }));
            queues.insert(number, Arc::clone(&queue));
            opened.insert(number, queue);
        }
        Ok(opened)
    }

    fn close_queues(&self) {
        lock(&self.queues).values().for_each(|queue| queue.close());
    }

    fn calls(&self) -> watch::Receiver<u64> {
        self.matches.matches().seat_queue_calls()
    }

    fn is_going(&self, match_id: &str) -> bool {
        self.find(match_id).is_some_and(|live| !live.has_ended())
    }

    fn cancel(&self, match_id: &str, reason: &str) -> Result<(), CliError> {
        // Another call may have ended it.
        drop(self.find(match_id).map(|live| live.cancel(reason)));
        Ok(())
    }

    fn unseal(&self, match_id: &str) {
        if let Some(live) = self.find(match_id) {
            live.unseal();
        }
    }

    fn slot<'a>(&'a self, Surroundings { agents, logs, patience }: Surroundings<'a>) -> Box<dyn VenueSlot + 'a> {
        let slot = Slot::new(pairing::Surroundings {
            agents,
            patience: Duration::from_millis(patience.into()),
            matches: &self.matches,
            logs,
            scratch: Some(&self.scratch),
            queues: lock(&self.queues).clone(),
            has_begun: None,
            is_stopped: &self.is_stopped,
        });
        Box::new(LocalSlot { venue: self, slot })
    }

    fn news(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A place for one game at a time.
struct LocalSlot<'a> {
    venue: &'a LocalVenue,
    slot: Slot<'a>,
}

impl VenueSlot for LocalSlot<'_> {
    fn play(
        &mut self,
        pairing: &Pairing,
        earlier: Option<&str>,
        has_started: &mut dyn FnMut(&str) -> Result<(), CliError>,
    ) -> Result<Finished, CliError> {
        let going_on = earlier.and_then(|match_id| self.venue.find(match_id)).filter(|live| is_usable(live));
        let live = if let Some(live) = going_on {
            live
        } else {
            let live = self.slot.host(pairing)?;
            has_started(&live.id)?;
            live
        };
        let Played { live, forfeits, logs, .. } = self.slot.play(pairing, live)?;
        let record = live.with_referee(Referee::record);
        Ok(Finished { match_id: live.id.to_string(), record, forfeits, logs })
    }
}

/// Returns true if a match goes on, or has ended with a result while nobody looked.
fn is_usable(live: &LiveMatch) -> bool {
    let ending = live.with_referee(Referee::ending);
    ending.map_or(!live.has_ended(), |ending| !matches!(ending, Some(Ending::Cancelled(_) | Ending::Void(_))))
}
