//! The cups of a server, by their ids. `reader.rs` reads a cup from its journal, and `hosted.rs` is what the organiser of a cup
//! elsewhere has here: queues of agents, matches, and a copy of the journal. `calls.rs` keeps the calls of accounts for a
//! ladder, and `fits.rs` has its ratings.
//!
//! Everything of an organiser is reached through [`Cups::hosted`], which compares the owner, so that no call reaches the queues,
//! matches, or journal of somebody else. Copies of journals are files `ORGANISER/CUP.jsonl`, so a cup keeps its owner when the
//! server starts again.

mod calls;
mod fits;
mod hosted;
mod reader;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use ahu_host::api::ApiError;

pub(crate) use self::calls::{Asked, Kind};
pub(crate) use self::hosted::HostedCup;
pub(crate) use self::reader::CupReader;
use self::reader::Recent;
use crate::limits::MAX_CUPS;
use crate::matches::Matches;
use crate::organiser::{CupId, Organiser, OwnedCup};
use crate::{lock, refusals};

/// The end of the names of journals.
const EXTENSION: &str = "jsonl";

/// The cups of a server. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Cups {
    matches: Matches,
    all: Arc<Mutex<BTreeMap<CupId, Cup>>>,
    /// The folder with the copies of journals; empty on a server that hosts no cups of organisers.
    folder: Arc<OnceLock<PathBuf>>,
    recent: Recent,
}

/// A cup.
#[derive(Clone, Debug)]
enum Cup {
    /// A cup that is shown from its own journal.
    Shown(Arc<CupReader>),
    /// A cup of an organiser.
    Hosted(Arc<HostedCup>),
}

impl Cups {
    /// Creates a server without cups.
    pub(crate) fn new(matches: Matches) -> Self {
        Self { matches, all: Arc::default(), folder: Arc::default(), recent: Recent::default() }
    }

    /// Shows the cup with this journal.
    pub(crate) fn show(&self, id: CupId, journal: &Path) {
        lock(&self.all).insert(id, Cup::Shown(Arc::new(CupReader::new(id, journal, self.recent.clone()))));
    }

    /// Admits organisers, whose journals are copied into this folder, and shows the cups that it has.
    pub(crate) fn admit_organisers(&self, folder: &Path) -> io::Result<()> {
        if self.folder.set(folder.to_owned()).is_err() || !folder.exists() {
            return Ok(());
        }
        for place in std::fs::read_dir(folder)? {
            let place = place?;
            let Some(organiser) = place.file_name().to_str().and_then(Organiser::read) else { continue };
            for journal in std::fs::read_dir(place.path())? {
                let name = journal?.file_name();
                let id = name.to_str().and_then(|name| name.strip_suffix(EXTENSION)?.strip_suffix('.')?.parse().ok());
                if let Some(cup) = id {
                    let hosted = self.new_hosted(folder, OwnedCup { organiser, cup });
                    lock(&self.all).entry(cup).or_insert(Cup::Hosted(hosted));
                }
            }
        }
        Ok(())
    }

    fn new_hosted(&self, folder: &Path, owned: OwnedCup) -> Arc<HostedCup> {
        let journal = folder.join(owned.organiser.to_string()).join(format!("{}.{EXTENSION}", owned.cup));
        Arc::new(HostedCup::new(self.matches.clone(), owned, journal, self.recent.clone()))
    }

    /// Returns the cup of an organiser. Refuses the cup of another one. A cup that the server does not have is `new`: it then
    /// belongs to the caller. Otherwise the call is refused.
    pub(crate) fn hosted(&self, organiser: Organiser, id: &str, is_new: bool) -> Result<Arc<HostedCup>, ApiError> {
        let cup: CupId = id.parse().map_err(|message| ApiError::bad_field("cup_id", message))?;
        let folder = self.folder.get().ok_or_else(refusals::no_organiser)?;
        let mut all = lock(&self.all);
        match all.get(&cup) {
            Some(Cup::Hosted(hosted)) if hosted.owned.organiser == organiser => return Ok(Arc::clone(hosted)),
            Some(_) => return Err(refusals::CUP.wrong()),
            None if !is_new => return Err(refusals::no_queue()),
            None => {}
        }
        let own = |cup: &&Cup| matches!(cup, Cup::Hosted(hosted) if hosted.owned.organiser == organiser);
        if all.values().filter(own).count() >= MAX_CUPS {
            return Err(refusals::too_many_cups(MAX_CUPS));
        }
        let hosted = self.new_hosted(folder, OwnedCup { organiser, cup });
        hosted.claim()?;
        all.insert(cup, Cup::Hosted(Arc::clone(&hosted)));
        Ok(hosted)
    }

    /// Returns the cup of an organiser, for a call of an account.
    pub(crate) fn of_organiser(&self, id: &str) -> Result<Arc<HostedCup>, ApiError> {
        let cup = id.parse().map_err(|message| ApiError::bad_field("cup_id", message))?;
        match lock(&self.all).get(&cup) {
            Some(Cup::Hosted(hosted)) => Ok(Arc::clone(hosted)),
            Some(Cup::Shown(_)) => Err(ApiError::bad_field(
                "cup_id",
                "expected a cup that an organiser runs with --server, got one of this process",
            )),
            None => Err(refusals::no_cup(id)),
        }
    }

    /// Returns the reader of a cup.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<CupReader>, ApiError> {
        let cup = id.parse().map_err(|message| ApiError::bad_field("cup_id", message))?;
        lock(&self.all).get(&cup).map(Cup::reader).ok_or_else(|| refusals::no_cup(id))
    }

    /// Returns the readers of at most `count` cups from this number on, in the order of their ids.
    pub(crate) fn from(&self, number: u64, count: usize) -> Vec<Arc<CupReader>> {
        lock(&self.all).range(CupId::of_number(number)..).take(count).map(|(_, cup)| cup.reader()).collect()
    }

    /// Returns true if the server has no cup.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.all).is_empty()
    }

    /// Returns the owner of a cup; None for a cup that the server does not have, or that is shown from its own journal.
    pub(crate) fn owner(&self, id: CupId) -> Option<Organiser> {
        match lock(&self.all).get(&id)? {
            Cup::Hosted(hosted) => Some(hosted.owned.organiser),
            Cup::Shown(_) => None,
        }
    }

    /// Returns the matches of the server, for calls of agents with their own keys.
    pub(crate) fn matches(&self) -> &Matches {
        &self.matches
    }
}

impl Cup {
    fn reader(&self) -> Arc<CupReader> {
        match self {
            Self::Shown(reader) => Arc::clone(reader),
            Self::Hosted(hosted) => Arc::clone(&hosted.reader),
        }
    }
}
