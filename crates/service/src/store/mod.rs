//! Stores: the matches that a server keeps on disk, so that they outlive the process.
//!
//! A [`Store`] is a synchronous trait of plain types. One thread, the journal, writes it: it gathers the changes of many
//! matches into one transaction and commits them together. A [`StoreReader`] reads what is committed, so a list never waits for
//! a commit. A change is everything that one call did: the match, its seats, the id of the request, the entries, the end.
//!
//! PostgreSQL (`postgres/`) is the store of those who cannot live with the failure of one machine. SQLite is the store of one
//! server, since it is one file that everybody can open, and its recovery is strict. Other embedded stores that we compared
//! lose acknowledged commits without a word, or are young. The entries of a change are one row: the bytes of the record's
//! binary form, with the link of the chain after them. Every row has a seal, and the end of each log is stored beside it, so
//! a changed byte and a missing row are noticed and named. The folder notices lost commits (`folder.rs`).
//! Accounts and keys have a connection of their own (`sqlite/accounts.rs`).
//!
//! This module has the types of every store; `encoding.rs` has the bytes that every store keeps, and `rows.rs` the match that
//! they are.

pub(crate) mod encoding;
mod fold;
mod folder;
pub mod maintenance;
mod place;
mod postgres;
mod rows;
mod sqlite;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ahu_core::{Seat, Seed};
use ahu_host::{BotName, Entry, MatchTime, RecordError, Setup, Terms};

pub(super) use self::encoding::to_ms;
pub use self::folder::OpenError;
pub use self::place::Place;
pub(super) use self::postgres::DatabaseAudit;
pub use self::postgres::{Database, Lease, PostgresStore};
use self::rows::has_ended;
pub use self::sqlite::{SqliteOptions, SqliteStore};
pub use super::accounts::Player;
use super::accounts::{Account, AccountId, Key, Reply};
use super::organiser::OwnedCup;
use super::reservation::Reservation;
use super::secrets::Digest;
pub use super::secrets::Request;
use crate::proto::v1::{self, MatchState};

/// The writer of a store. All changes are permanent once [`Store::commit`] has returned.
///
/// After a [`StoreError::Failed`] the caller writes the changes since the last commit again, in the same order. The store has
/// none of them, or, if a commit failed, possibly all: a connection may break between a commit and its answer. So a change
/// that the store has already counts as written, and is written once. After any other error the store has all changes except
/// the refused one.
pub trait Store: fmt::Debug + Send {
    /// Returns the facts that a server needs before it hosts its first match.
    fn facts(&self) -> Facts;
    /// Writes a new match. Its first entries follow with [`Store::append`].
    fn create(&mut self, head: &MatchHead) -> Result<(), StoreError>;
    /// Writes the change of a match that one call made, at this time.
    fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError>;
    /// Makes permanent everything that was written since the last commit, and the time. Returns the matches whose changes the
    /// store has refused for good: only a store with other writers does.
    fn commit(&mut self, now: MatchTime) -> Result<Vec<Refused>, StoreError>;
    /// Tells the store that a match has left memory. An append to it is unlikely.
    fn release(&mut self, match_id: &str);
    /// Removes a match and its requests.
    fn delete(&mut self, match_id: &str) -> Result<(), StoreError>;
    /// Returns a way to open readers from any thread.
    fn readers(&self) -> OpenReader;
}

/// The accounts and keys of a store, read and written by a connection of their own.
pub(super) trait AccountTable: fmt::Debug + Send {
    /// Reads all accounts and keys. A damaged row is an error, since a key that is revoked must not be valid again.
    fn read(&mut self) -> Result<(Vec<Account>, Vec<Key>), StoreError>;
    /// Returns the answer to the command with this id; None for a command that has changed nothing, or long ago.
    fn reply(&self, id: &str) -> Result<Option<Reply>, StoreError>;
    /// Writes these accounts and keys in one transaction, with the id of the command and its answer: all of them, or none.
    fn write(&mut self, accounts: &[Account], keys: &[Key], command: Option<(&str, &Reply)>) -> Result<(), StoreError>;
}

/// A match whose changes a commit has refused, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The match.
    pub match_id: Arc<str>,
    /// The reason.
    pub error: StoreError,
}

/// A way to open readers of a store from any thread.
pub type OpenReader = Arc<dyn Fn() -> Result<Box<dyn StoreReader>, StoreError> + Send + Sync>;

/// A reader of a store. It sees the commits before each call.
pub trait StoreReader: fmt::Debug + Send {
    /// Returns a match with all its entries; None if the store has no match with this id.
    fn read(&self, match_id: &str) -> Result<Option<StoredMatch>, StoreError>;
    /// Returns the request with this id; None if the store has none.
    fn request(&self, id: &Digest) -> Result<Option<StoredRequest>, StoreError>;
    /// Looks at up to `max` matches from the number `from` on, in the order of the query. Returns the number of each, with the
    /// match if it fits. If the query asks for open matches alone, the store does not look at the others.
    fn list(&self, from: u64, query: &Query, max: usize) -> Result<Vec<(u64, Option<Listed>)>, StoreError>;
    /// Returns the rules under which the matches that have not ended are played.
    fn needed_rules(&self) -> Result<Vec<NeededRules>, StoreError>;
    /// Returns the ids of at most `max` ended matches that exceed the bounds and are not pinned. The match that ended first
    /// comes first.
    fn excess(&self, keep: &Keep, now: MatchTime, max: usize) -> Result<Vec<String>, StoreError>;
    /// Returns the size of the store in bytes.
    fn size(&self) -> Result<u64, StoreError>;
}

/// The facts that a server needs before it hosts its first match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The key of all tokens.
    pub token_key: [u8; 32],
    /// The time for which servers have run on this store, as of the last commit.
    pub time: MatchTime,
    /// The largest number of a match; 0 without matches.
    pub last_number: u64,
}

/// The facts of a match that never change.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct MatchHead {
    /// The number in the order of creation, from 1.
    pub number: u64,
    /// The id.
    pub id: Arc<str>,
    /// The time of day of the creation, in whole milliseconds.
    pub created: SystemTime,
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The clocks, the conduct, and the stand-in.
    pub terms: Terms,
    /// The bot of each seat; None for the seats of agents.
    pub bots: Vec<Option<BotName>>,
    /// The reservation of each seat. Empty: none is reserved.
    pub reservations: Vec<Option<Reservation>>,
    /// True if the match is not listed, and not joined by a description.
    pub is_unlisted: bool,
    /// True if the bounds of the store never remove the match.
    pub is_pinned: bool,
    /// The cup of an organiser to which the match belongs, if there is one.
    pub cup: Option<OwnedCup>,
    /// True if seed, record, and public events stay secret after the end, until [`Change::unseals`].
    pub is_sealed: bool,
    /// The number of the last public events that the public is not told while the match is in progress.
    pub spectator_delay: u32,
    /// True if no account has two seats.
    pub has_distinct_owners: bool,
    /// The labels of the creator.
    pub labels: BTreeMap<String, String>,
    /// The seed of all chance.
    pub seed: Seed,
    /// True if the client that created the match chose the seed.
    pub seed_given: bool,
    /// The salt of the seed commitment.
    pub salt: [u8; 32],
    /// The text that the commitment covers besides the seed.
    pub specification: String,
}

opaque!(MatchHead);

/// The change of a match that one call made.
#[derive(Clone, Debug)]
pub struct Change {
    /// The match.
    pub match_id: Arc<str>,
    /// The seats that the call took.
    pub seats: Vec<TakenSeat>,
    /// The request that the call answered, if it may be sent again.
    pub request: Option<Request>,
    /// The number of entries before these.
    pub expected: usize,
    /// The entries that the call added.
    pub entries: Vec<Entry>,
    /// The comments on decisions that the call added. A change with comments has entries.
    pub comments: Vec<Comment>,
    /// The state of the match after the call.
    pub state: MatchState,
    /// True if the call broke the seal of the match.
    pub unseals: bool,
    /// The end, if the call ended the match or broke its seal after the end.
    pub end: Option<MatchEnd>,
}

/// A seat that an agent took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenSeat {
    /// The seat.
    pub seat: Seat,
    /// The name of the agent.
    pub name: String,
    /// The digest of the token.
    pub token: Digest,
    /// The digest of the id of the request that took the seat, if it had one.
    pub request: Option<Digest>,
    /// The account and the key with which the agent took the seat; None without a key.
    pub player: Option<Player>,
    /// The time of day, in whole milliseconds.
    pub at: SystemTime,
}

/// The comment of an agent on one of its decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The seat.
    pub seat: Seat,
    /// The number of the decision, from 1.
    pub decision: u32,
    /// The comment.
    pub text: String,
}

/// The end of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEnd {
    /// The time for which servers had run on the store.
    pub at: MatchTime,
    /// The public description as an encoded `ahu.v1.Match`, so that a list needs no entries. A match without it can be
    /// described again from its entries.
    pub description: Vec<u8>,
}

/// A stored match.
#[derive(Clone, Debug)]
pub struct StoredMatch {
    /// The match as it was created.
    pub head: MatchHead,
    /// The seats that agents took.
    pub seats: Vec<TakenSeat>,
    /// The requests that led to it.
    pub requests: Vec<Request>,
    /// The entries, by the calls that added them.
    pub steps: Vec<StoredStep>,
    /// The comments on decisions, in the order of the calls.
    pub comments: Vec<Comment>,
    /// The state.
    pub state: MatchState,
    /// The time of day of its end, as its description has it.
    pub ended: Option<SystemTime>,
}

/// The entries that one call added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStep {
    /// The time.
    pub at: MatchTime,
    /// The entries.
    pub entries: Vec<Entry>,
}

/// A stored request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// The digest of its content.
    pub content: Digest,
    /// The id of the match to which it led.
    pub match_id: String,
}

/// A description of matches to list.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The game; None for every game.
    pub game: Option<String>,
    /// The states; empty for every state.
    pub states: Vec<MatchState>,
    /// The labels that a match must have; a label without a value may have any. Stores leave this to their caller, since the
    /// labels are in the head of a match.
    pub labels: Vec<(String, Option<String>)>,
    /// The account that a match must have as a player; None for any. Stores leave this to their caller too.
    pub player: Option<AccountId>,
    /// True if unlisted matches are listed too.
    pub with_unlisted: bool,
    /// True if the newest match comes first, and the list goes down from its first number.
    pub newest_first: bool,
}

impl Query {
    /// Returns true if only matches that have not ended fit.
    pub fn is_of_open_matches(&self) -> bool {
        !self.states.is_empty() && !self.states.iter().any(|state| has_ended(*state))
    }

    /// Returns true if a match with these players fits.
    pub(super) fn has_player(&self, described: &v1::Match) -> bool {
        let is_it = |seat: &v1::SeatInfo| self.player.is_some_and(|player| player.as_str() == seat.player_id);
        self.player.is_none() || described.seats.iter().any(is_it)
    }

    /// Returns true if a match with these labels fits.
    pub(super) fn has_labels(&self, labels: &BTreeMap<String, String>) -> bool {
        let fits = |(key, value): &(String, Option<String>)| match (labels.get(key), value) {
            (Some(found), Some(value)) => found == value,
            (found, None) => found.is_some(),
            (None, Some(_)) => false,
        };
        self.labels.iter().all(fits)
    }
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The number in the order of creation.
    pub number: u64,
    /// The id.
    pub id: String,
    /// The state.
    pub state: MatchState,
    /// The public description of a match that has ended, if the store has it: see [`MatchEnd::description`].
    pub description: Option<Vec<u8>>,
}

/// Returns a time of day in whole milliseconds, as a store keeps it.
pub(super) fn whole_ms(time: SystemTime) -> SystemTime {
    encoding::from_ms(to_ms(time))
}

/// The rules that open matches need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededRules {
    /// The id of the game.
    pub game: String,
    /// The rules version.
    pub rules: u32,
    /// A release of this program that has these rules: the newest release that created one of the matches.
    pub release: String,
    /// The number of matches.
    pub matches: u64,
}

/// The bounds of a store. Only matches that have ended and are not pinned are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// The time for which a match is kept after its end, while servers run on the store; None: for ever. The time of day does not
    /// count: a clock that is set wrong would remove all matches.
    pub age: Option<Duration>,
    /// The size of the store in bytes; None: no bound.
    pub bytes: Option<u64>,
}

/// The reason why a store cannot write or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The match has another number of entries: another writer appends to it.
    #[error("expected {expected} entries of match {match_id} in the store, got {found}: another writer appends to it")]
    OtherLength {
        /// The match.
        match_id: String,
        /// The expected number of entries.
        expected: usize,
        /// The number of entries in the store.
        found: usize,
    },
    /// The store has no such match.
    #[error("expected match {0} in the store, got none")]
    UnknownMatch(String),
    /// A part of a match is damaged.
    #[error("match {match_id} is damaged in {part}: {reason}")]
    Damaged {
        /// The match.
        match_id: String,
        /// The part, such as "entries 12 to 15".
        part: String,
        /// The fault.
        reason: String,
    },
    /// A match was played under rules that this release does not have.
    #[error("match {match_id} needs release {release} of ahu: {error}")]
    OtherRules {
        /// The match.
        match_id: String,
        /// The release that created the match.
        release: String,
        /// The error of the reader.
        error: RecordError,
    },
    /// The store itself failed, for this reason. The same call may succeed later.
    #[error("{0}")]
    Failed(String),
}
