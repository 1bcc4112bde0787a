//! A store in memory, whose disk outlives the server. Its commits fail, and are answered as failed although they were made, as
//! a plan says.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahu_host::{Cause, Entry, MatchTime};
use ahu_service::proto::v1::{Match, MatchState};
use ahu_service::store::{
    Change, Comment, Facts, Keep, Listed, MatchHead, NeededRules, OpenReader, Query, Refused, Request, Store,
    StoreError, StoreReader, StoredMatch, StoredRequest, StoredStep, TakenSeat,
};
use prost::Message as _;

/// A digest of 32 bytes.
type Digest = [u8; 32];

/// The disk of a store. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    content: Content,
    fate: Fate,
    /// The number of commits that have this fate.
    left: u32,
    /// The time by which commits are stamped.
    uptime: u64,
    commits: u64,
}

impl State {
    /// Notes that a commit has had its fate.
    fn pass(&mut self) {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.fate = Fate::Made;
        }
    }
}

/// The fate of a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A commit is made.
    #[default]
    Made,
    /// A change is refused before the commit, as by a full disk.
    FailsBefore,
    /// A commit fails, and nothing is kept.
    Fails,
    /// A commit is made, but the answer is lost: it counts as failed.
    Unknown,
}

/// The content of a store.
#[derive(Clone, Debug, Default)]
struct Content {
    time: u64,
    /// The matches, by number.
    matches: BTreeMap<u64, Arc<Kept>>,
    numbers: HashMap<Arc<str>, u64>,
    /// The requests with an id, and the number of the match of each.
    requests: HashMap<Digest, (Digest, u64)>,
}

/// A match on the disk.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) head: MatchHead,
    seats: BTreeMap<usize, TakenSeat>,
    requests: Vec<Request>,
    pub(crate) steps: Vec<StoredStep>,
    pub(crate) comments: Vec<Comment>,
    /// The uptime at which each step was committed.
    pub(crate) stamps: Vec<u64>,
    /// The uptime at which the commit was made with which the match began.
    pub(crate) begun: u64,
    pub(crate) state: MatchState,
    end: Option<(MatchTime, Vec<u8>)>,
}

impl Kept {
    /// Returns the number of entries.
    fn len(&self) -> usize {
        self.steps.iter().map(|step| step.entries.len()).sum()
    }

    /// Returns the seats that agents took.
    pub(crate) fn seats(&self) -> impl Iterator<Item = &TakenSeat> {
        self.seats.values()
    }

    /// Returns true if the match has a change already.
    fn has(&self, change: &Change) -> bool {
        let mut before = 0;
        let step = self.steps.iter().find(|step| {
            let is_it = before == change.expected;
            before += step.entries.len();
            is_it
        });
        let has_entries = change.entries.is_empty() || step.is_some_and(|step| step.entries == change.entries);
        has_entries && change.seats.iter().all(|taken| self.seats.get(&taken.seat.index()) == Some(taken))
    }

    /// Returns the number of timeouts.
    pub(crate) fn timeouts(&self) -> u64 {
        let is_timeout = |entry: &&Entry| {
            matches!(entry, Entry::Strike { cause: Cause::Timeout, .. } | Entry::Forfeit { cause: Cause::Timeout, .. })
        };
        self.steps.iter().flat_map(|step| &step.entries).filter(is_timeout).count() as u64
    }

    fn has_ended(&self) -> bool {
        !matches!(self.state, MatchState::Seating | MatchState::Running)
    }

    fn stored(&self) -> StoredMatch {
        StoredMatch {
            head: self.head.clone(),
            seats: self.seats.values().cloned().collect(),
            requests: self.requests.clone(),
            steps: self.steps.clone(),
            comments: self.comments.clone(),
            state: self.state,
            ended: self
                .end
                .as_ref()
                .and_then(|(_, described)| Match::decode(&**described).ok()?.end_time?.try_into().ok()),
        }
    }
}

impl Disk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the store of this disk.
    pub(crate) fn open(&self) -> SimStore {
        SimStore { disk: self.clone(), written: None }
    }

    /// Sets the fate of this number of commits. The commits after them are made.
    pub(crate) fn set_fate(&self, fate: Fate, commits: u32) {
        (self.lock().fate, self.lock().left) = (fate, commits);
    }

    /// Sets the time by which commits are stamped.
    pub(crate) fn set_uptime(&self, uptime: u64) {
        self.lock().uptime = uptime;
    }

    /// Returns the number of commits that were made.
    pub(crate) fn commits(&self) -> u64 {
        self.lock().commits
    }

    /// Returns the match with this id.
    pub(crate) fn find(&self, match_id: &str) -> Option<Arc<Kept>> {
        let state = self.lock();
        state.content.numbers.get(match_id).map(|number| Arc::clone(&state.content.matches[number]))
    }

    /// Returns all matches.
    pub(crate) fn all(&self) -> Vec<Arc<Kept>> {
        self.lock().content.matches.values().cloned().collect()
    }
}

/// The writer of a disk.
#[derive(Debug)]
pub(crate) struct SimStore {
    disk: Disk,
    /// The content with everything that is written and not committed.
    written: Option<Content>,
}

impl SimStore {
    /// Returns the content, with everything that is written.
    fn content(&mut self) -> Result<&mut Content, StoreError> {
        let mut state = self.disk.lock();
        if state.fate == Fate::FailsBefore {
            state.pass();
            self.written = None;
            return Err(StoreError::Failed("the disk is full".to_owned()));
        }
        Ok(self.written.get_or_insert_with(|| state.content.clone()))
    }
}

impl Content {
    fn find(&mut self, match_id: &str) -> Result<(u64, &mut Kept), StoreError> {
        let number = self.numbers.get(match_id).copied();
        let number = number.ok_or_else(|| StoreError::UnknownMatch(match_id.to_owned()))?;
        let kept = self.matches.get_mut(&number).expect("an id has its match");
        Ok((number, Arc::make_mut(kept)))
    }

    fn create(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        let damaged = || StoreError::Damaged {
            match_id: head.id.to_string(),
            part: "its head".to_owned(),
            reason: format!("another match has its id or its number {}", head.number),
        };
        match (self.numbers.get(&head.id), self.matches.get(&head.number)) {
            (None, None) => {}
            (Some(number), Some(kept)) if *number == head.number && kept.head.salt == head.salt => return Ok(()),
            _ => return Err(damaged()),
        }
        self.numbers.insert(Arc::clone(&head.id), head.number);
        let kept = Kept {
            head: head.clone(),
            seats: BTreeMap::new(),
            requests: Vec::new(),
            steps: Vec::new(),
            comments: Vec::new(),
            stamps: Vec::new(),
            begun: 0,
            state: MatchState::Seating,
            end: None,
        };
        self.matches.insert(head.number, Arc::new(kept));
        Ok(())
    }

    fn append(&mut self, change: &Change, at: MatchTime, uptime: u64) -> Result<(), StoreError> {
        let (number, kept) = self.find(&change.match_id)?;
        let found = kept.len();
        if found != change.expected {
            let is_written = change.expected < found && kept.has(change);
            let (match_id, expected) = (change.match_id.to_string(), change.expected);
            return if is_written { Ok(()) } else { Err(StoreError::OtherLength { match_id, expected, found }) };
        }
        if !change.entries.is_empty() {
            kept.steps.push(StoredStep { at, entries: change.entries.clone() });
            kept.stamps.push(uptime);
        }
        kept.comments.extend_from_slice(&change.comments);
        kept.seats.extend(change.seats.iter().map(|taken| (taken.seat.index(), taken.clone())));
        if kept.state == MatchState::Seating {
            kept.begun = uptime;
        }
        kept.state = change.state;
        kept.head.is_sealed &= !change.unseals;
        if let Some(end) = &change.end {
            let at = kept.end.as_ref().map_or(end.at, |(at, _)| *at);
            kept.end = Some((at, end.description.clone()));
        }
        if let Some(request) = change.request
            && !self.requests.contains_key(&request.id)
        {
            self.requests.insert(request.id, (request.content, number));
            self.find(&change.match_id)?.1.requests.push(request);
        }
        Ok(())
    }

    fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
        let (number, _) = self.find(match_id)?;
        self.numbers.remove(match_id);
        self.matches.remove(&number);
        self.requests.retain(|_, (_, of)| *of != number);
        Ok(())
    }
}

impl Store for SimStore {
    fn facts(&self) -> Facts {
        let content = &self.disk.lock().content;
        let last_number = content.matches.last_key_value().map_or(0, |(number, _)| *number);
        Facts { token_key: [7; 32], time: MatchTime(content.time), last_number }
    }

    fn create(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        self.content()?.create(head)
    }

    fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
        let uptime = self.disk.lock().uptime;
        self.content()?.append(change, at, uptime)
    }

    fn commit(&mut self, now: MatchTime) -> Result<Vec<Refused>, StoreError> {
        self.content()?.time = now.0;
        let written = self.written.take();
        let mut state = self.disk.lock();
        if matches!(state.fate, Fate::Made | Fate::Unknown) {
            state.commits += 1;
            state.content = written.expect("the time is written");
        }
        let fate = state.fate;
        state.pass();
        match fate {
            Fate::Made => Ok(Vec::new()),
            Fate::FailsBefore | Fate::Fails => Err(StoreError::Failed("the disk does not answer".to_owned())),
            Fate::Unknown => Err(StoreError::Failed("the answer of the disk is lost".to_owned())),
        }
    }

    fn release(&mut self, _: &str) {}

    fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
        self.content()?.delete(match_id)
    }

    fn readers(&self) -> OpenReader {
        let disk = self.disk.clone();
        Arc::new(move || Ok(Box::new(SimReader(disk.clone()))))
    }
}

/// A reader of a disk.
#[derive(Debug)]
struct SimReader(Disk);

impl StoreReader for SimReader {
    fn read(&self, match_id: &str) -> Result<Option<StoredMatch>, StoreError> {
        Ok(self.0.find(match_id).map(|kept| kept.stored()))
    }

    fn request(&self, id: &Digest) -> Result<Option<StoredRequest>, StoreError> {
        let content = &self.0.lock().content;
        let found = content.requests.get(id).map(|(found, number)| (*found, &content.matches[number]));
        Ok(found.map(|(content, kept)| StoredRequest { content, match_id: kept.head.id.to_string() }))
    }

    fn list(&self, from: u64, query: &Query, max: usize) -> Result<Vec<(u64, Option<Listed>)>, StoreError> {
        let state = self.0.lock();
        let fits = |kept: &Kept| {
            let is_game = query.game.as_ref().is_none_or(|game| *game == kept.head.setup.rules().info().id);
            let is_state = query.states.is_empty() || query.states.contains(&kept.state);
            is_game && is_state && (query.with_unlisted || !kept.head.is_unlisted)
        };
        let matches = &state.content.matches;
        let in_order: Box<dyn Iterator<Item = _>> = match query.newest_first {
            true => Box::new(matches.range(..=from).rev()),
            false => Box::new(matches.range(from..)),
        };
        let listed = |(number, kept): (&u64, &Kept)| Listed {
            number: *number,
            id: kept.head.id.to_string(),
            state: kept.state,
            description: kept.end.as_ref().map(|(_, description)| description.clone()),
        };
        let looked_at = in_order.filter(|(_, kept)| !(query.is_of_open_matches() && kept.has_ended())).take(max);
        Ok(looked_at.map(|(number, kept)| (*number, fits(kept).then(|| listed((number, kept))))).collect())
    }

    fn needed_rules(&self) -> Result<Vec<NeededRules>, StoreError> {
        let mut needed: BTreeMap<(String, u32), u64> = BTreeMap::new();
        for kept in self.0.lock().content.matches.values().filter(|kept| !kept.has_ended()) {
            let info = kept.head.setup.rules().info();
            *needed.entry((info.id.to_owned(), info.rules)).or_default() += 1;
        }
        let release = env!("CARGO_PKG_VERSION");
        let needed = needed.into_iter();
        Ok(needed
            .map(|((game, rules), matches)| NeededRules { game, rules, release: release.to_owned(), matches })
            .collect())
    }

    fn excess(&self, keep: &Keep, now: MatchTime, max: usize) -> Result<Vec<String>, StoreError> {
        let state = self.0.lock();
        let oldest = keep.age.map(|age| MatchTime(now.0.saturating_sub(age.as_millis() as u64)));
        let ended = state.content.matches.values().filter(|kept| !kept.head.is_pinned);
        let ended = ended.filter_map(|kept| kept.end.as_ref().map(|(at, _)| (*at, kept.head.number, &kept.head.id)));
        let mut ended: Vec<_> = ended.filter(|(at, ..)| oldest.is_some_and(|oldest| *at < oldest)).collect();
        ended.sort();
        Ok(ended.into_iter().take(max).map(|(.., id)| id.to_string()).collect())
    }

    fn size(&self) -> Result<u64, StoreError> {
        Ok(self.0.lock().content.matches.values().map(|kept| mem::size_of_val(&**kept) as u64).sum())
    }
}
