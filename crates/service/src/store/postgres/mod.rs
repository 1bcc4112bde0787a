//! A store in a database of PostgreSQL, for those who cannot live with the failure of one machine.
//!
//! `schema.sql` has the tables, and the functions that do all that writes. A commit of the journal is one call of
//! `ahu.commit_1`, one round trip: it locks the row of this start of the server, so that no dead start writes, and the ends of
//! the logs; then it compares; then it writes.
//!
//! **A commit without an answer.** A cut connection, a time limit, and a warning beside the answer leave unknown whether a commit
//! was made, and whether the synchronous replicas have it. The store then counts everything since the commit before as not
//! written, as [`Store`] promises, and begins a new connection ([`PostgresStore::settle`]): it takes the row of its own start for
//! an update, which waits until the old backend has ended, and makes a commit of its own. From then on all that can be read is
//! final, and is where that commit is. The journal writes the same changes again, and those that the database has are kept
//! once.
//!
//! **Reads.** What a reader sees may belong to a commit that is still waiting for a replica and never gets there. So an answer
//! waits for the commits that were under way when it was read ([`Confirmations`]).
//!
//! | file | content |
//! |---|---|
//! | `accounts.rs` | accounts, keys, and the audit |
//! | `schema.sql`, `schema.rs` | tables and functions; their form, and databases of something else |
//! | `confirmations.rs` | the commits under way, for which readers wait |
//! | `connection.rs` | connections, with time limits, and the settings that the promise needs |
//! | `copy.rs` | copies of a whole store |
//! | `group.rs` | the changes of one commit |
//! | `reader.rs` | readers |
//! | `start.rs` | starts of servers: beats, leases, and taking over |

mod accounts;
mod confirmations;
mod connection;
mod copy;
mod group;
mod reader;
mod schema;
mod start;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::thread;

use ahu_host::MatchTime;
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

pub(in crate::store) use self::accounts::DatabaseAccounts;
pub(crate) use self::accounts::DatabaseAudit;
use self::confirmations::Confirmations;
pub use self::connection::Database;
use self::connection::{Connection, Fault, StartId};
pub(in crate::store) use self::copy::DatabaseCopy;
use self::group::{Group, TYPES, Tail};
use self::reader::{PostgresReader, log_end, place, unsigned};
pub use self::start::Lease;
use self::start::Start;
use super::encoding;
use super::folder::OpenError;
use super::{Change, Facts, MatchHead, OpenReader, Refused, Store, StoreError};
use crate::limits::{BEAT, COMMIT_TRIES};

/// The code of the functions for a start that is dead.
const DEAD: &str = "AH001";

/// A store in a database.
pub struct PostgresStore {
    database: Database,
    start: Start,
    /// None after a fault that left unknown what the database has.
    writer: Option<Writer>,
    facts: Facts,
    /// The ends of the logs in use, as of the last commit.
    tails: HashMap<Arc<str>, Tail>,
    /// The ends of logs before a fault, which a failover of the database must not have lost.
    before: HashMap<Arc<str>, Tail>,
    /// The changes since the last commit.
    group: Group,
    /// The commits under way, and the database that has them: another one has other matches.
    confirmations: Arc<Confirmations>,
}

/// The identity of a database: its system, and the number of its timeline, which rises with each failover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ServerIdentity {
    system: String,
    timeline: String,
}

/// A connection that writes.
struct Writer {
    connection: Connection,
    commit: Statement,
}

opaque!(PostgresStore);

impl PostgresStore {
    /// Opens the store of a database, and makes its tables if the database is empty. Blocks the thread: for a lease, if the
    /// server that used it last has not said that it ends; a spare, until it is the one that works.
    ///
    /// # Errors
    /// If the database cannot be reached or written, lacks a setting that the promise needs, has something else in it, or is used
    /// by another server.
    pub fn open(database: &Database, is_spare: bool) -> Result<Self, OpenError> {
        let unusable =
            |error: &dyn fmt::Display| OpenError::Failed(format!("the database {database} cannot be used: {error}"));
        let id = start::new_id();
        let connect = || {
            let connection = Connection::open(database, Some(&id))?;
            schema::ensure(&connection, database)?;
            Ok(connection)
        };
        let mut has_told = false;
        let connection = loop {
            match connect() {
                // A spare is there for the time in which the database is away, too.
                Err(error @ OpenError::Failed(_)) if is_spare => {
                    if !has_told {
                        tracing::warn!(%error, "the spare cannot look at the database, and tries again");
                    }
                    has_told = true;
                    thread::sleep(BEAT);
                }
                connected => break connected?,
            }
        };
        let (start, connection) = Start::begin(database, connection, id, is_spare)?;
        let opened = (|| {
            let server = ServerIdentity::of(&connection)?;
            let facts = facts(&connection)?;
            Ok::<_, Fault>((server, facts, Writer::new(connection)?))
        })();
        let (server, facts, writer) = opened.map_err(|fault| unusable(&fault))?;
        let facts = facts.map_err(|error| unusable(&error))?;
        let confirmations = Arc::<Confirmations>::default();
        confirmations.set(|state| state.server = server);
        Ok(Self {
            database: database.clone(),
            start,
            writer: Some(writer),
            facts,
            tails: HashMap::new(),
            before: HashMap::new(),
            group: Group::default(),
            confirmations,
        })
    }

    /// Returns the id of this start.
    fn start_id(&self) -> &StartId {
        self.start.id()
    }

    /// Returns the lease of this start.
    pub fn lease(&self) -> Lease {
        self.start.lease()
    }

    /// Returns the connection that writes, after settling what an earlier one has left unknown.
    fn writer(&mut self) -> Result<&Writer, StoreError> {
        if self.writer.as_ref().is_none_or(|writer| writer.connection.is_closed()) {
            self.writer = None;
            let has_changes = !self.group.is_empty();
            self.roll_back();
            if has_changes {
                // The caller has to write them again.
                return Err(StoreError::Failed("the connection to the database has ended".to_owned()));
            }
            let settled = self.settle()?;
            self.before.clear();
            self.confirmations.set(|state| state.is_unknown = false);
            self.writer = Some(settled);
        }
        Ok(self.writer.as_ref().expect("it was just made"))
    }

    /// Connects again, and makes sure that no commit of this start is still under way, and that everything that can be read now
    /// is confirmed.
    fn settle(&self) -> Result<Writer, StoreError> {
        let connection = Connection::open(&self.database, Some(self.start.id()));
        let connection = connection.map_err(|error| StoreError::Failed(error.to_string()))?;
        let (found, before) = (ServerIdentity::of(&connection)?, self.confirmations.server());
        if found.system != before.system {
            self.start.die();
            return Err(StoreError::Failed(format!(
                "expected the database of the system {}, got another one, {}",
                before.system, found.system
            )));
        }
        self.start.settle(&connection)?;
        if found.timeline != before.timeline {
            self.compare(&connection)?;
        }
        self.confirmations.set(|state| state.server = found);
        Ok(Writer::new(connection)?)
    }

    /// Compares the logs in use with the database after a failover, which an asynchronous replica may have survived with fewer
    /// commits. A match that has lost entries is refused with its next change.
    fn compare(&self, connection: &Connection) -> Result<(), StoreError> {
        let numbers: Vec<i64> = self.before.values().map(|tail| tail.number as i64).collect();
        let found = connection.rows("SELECT match, entries FROM ahu.log WHERE match = ANY ($1)", &[&numbers])?;
        let found: HashMap<i64, i32> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
        for (match_id, tail) in &self.before {
            let (expected, found) = (tail.end.entries, found.get(&(tail.number as i64)).copied().unwrap_or(0));
            if place(found) < expected {
                tracing::error!(
                    match_id = &**match_id,
                    expected,
                    found,
                    "a failover of the database has lost entries that were acknowledged"
                );
            }
        }
        Ok(())
    }

    /// Takes back everything since the last commit. The next look at a log asks the database.
    fn roll_back(&mut self) {
        self.group = Group::default();
        self.before.extend(self.tails.drain());
    }

    /// Carries out a call, and takes everything back if the store fails.
    fn change<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let done = act(self);
        if let Err(StoreError::Failed(_)) = done {
            self.roll_back();
        }
        done
    }

    /// Asks the database for the only row of a query. A fault that is unknown ends the connection.
    fn row(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Option<tokio_postgres::Row>, StoreError> {
        let found = self.writer()?.connection.row(sql, values);
        if matches!(found, Err(Fault::Unknown(_))) {
            self.writer = None;
        }
        Ok(found?)
    }

    /// Returns the end of a match.
    fn tail(&mut self, match_id: &str) -> Result<Tail, StoreError> {
        // A look at the database may show that a connection is gone, and with it the group.
        self.writer()?;
        if let Some(tail) = self.group.tail(match_id) {
            return Ok(tail);
        }
        let unknown = || StoreError::UnknownMatch(match_id.to_owned());
        if self.group.removes_id(match_id) {
            return Err(unknown());
        }
        if let Some(tail) = self.tails.get(match_id) {
            return Ok(*tail);
        }
        let select = "SELECT m.number, m.state, l.entries, l.link, l.comments FROM ahu.match AS m JOIN ahu.log AS l \
                      ON l.match = m.number WHERE m.id = $1";
        let row = self.row(select, &[&match_id])?.ok_or_else(unknown)?;
        let end = log_end(row.get(2), row.get(3))
            .map_err(|reason| encoding::damaged(match_id, "the end of its log", reason))?;
        let (number, comments): (i64, i32) = (row.get(0), row.get(4));
        Ok(Tail { number: unsigned(number), state: row.get(1), end, comments: place(comments) })
    }

    fn write_match(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        self.writer()?;
        let number = head.number;
        let mut is_same = self.group.has_head(head);
        if is_same.is_none() {
            let select = "SELECT head, id FROM ahu.match WHERE (number = $1 OR id = $2) AND number <> ALL ($3) LIMIT 1";
            let removed: Vec<i64> = self.group.removed().collect();
            let found = self.row(select, &[&(number as i64), &&*head.id, &removed])?;
            let is_it = |row: tokio_postgres::Row| {
                row.get::<_, &[u8]>(0) == encoding::write_head(head) && row.get::<_, &str>(1) == &*head.id
            };
            is_same = found.map(is_it);
        }
        match is_same {
            None => {
                self.group.create(head);
                Ok(())
            }
            Some(true) => Ok(()),
            Some(false) => Err(other_match(&head.id, number)),
        }
    }

    /// Returns true if the store has a change already: its entries and its seats.
    fn has(&mut self, number: u64, change: &Change) -> Result<bool, StoreError> {
        let (has_entries, seats) = self.group.has(number, change);
        let own = number as i64;
        for (seat, taken) in seats {
            let select = "SELECT true FROM ahu.seat WHERE match = $1 AND seat = $2 AND taken = $3";
            if self.row(select, &[&own, &(seat as i32), &taken])?.is_none() {
                return Ok(false);
            }
        }
        if let Some(has_entries) = has_entries {
            return Ok(has_entries);
        }
        let select = "SELECT n, count, at_ms, body, link FROM ahu.entry WHERE match = $1 AND n = $2";
        let row = self.row(select, &[&own, &(change.expected as i32)])?;
        Ok(row.is_some_and(|row| reader::entry_row(&row).has(&change.match_id, &change.entries)))
    }

    fn write_change(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
        let tail = self.tail(&change.match_id)?;
        let (expected, found) = (change.expected, tail.end.entries);
        if found != expected {
            let is_written = expected < found && self.has(tail.number, change)?;
            let other_length = || StoreError::OtherLength { match_id: change.match_id.to_string(), expected, found };
            return if is_written { Ok(()) } else { Err(other_length()) };
        }
        self.group.append(tail, change, at);
        Ok(())
    }

    /// Sends the group. Returns the numbers of the matches that the database refuses.
    fn send(&mut self, now: MatchTime) -> Result<Vec<i64>, StoreError> {
        for _ in 0..COMMIT_TRIES {
            self.writer()?;
            let writer = self.writer.as_ref().expect("it was just made");
            let values = self.group.values(self.start.id(), now);
            let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
            self.confirmations.set(|state| state.sent += 1);
            let sent = writer.connection.commit(writer.connection.client().query_one(&writer.commit, &values));
            let is_unknown = matches!(sent, Err(Fault::Unknown(_)));
            self.confirmations.set(|state| {
                state.answered = state.sent;
                state.is_unknown |= is_unknown;
            });
            match sent {
                Ok(row) => return Ok(row.get(0)),
                Err(Fault::Refused { code, .. })
                    if [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(&code) => {}
                Err(fault) => {
                    if matches!(&fault, Fault::Refused { code, .. } if code.code() == DEAD) {
                        self.start.die();
                    }
                    if is_unknown {
                        self.writer = None;
                    }
                    return Err(fault.into());
                }
            }
        }
        Err(StoreError::Failed(
            "the database has refused a commit several times, since others change the same rows".to_owned(),
        ))
    }
}

impl Store for PostgresStore {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn create(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        self.change(|store| store.write_match(head))
    }

    fn append(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
        self.change(|store| store.write_change(change, at))
    }

    fn commit(&mut self, now: MatchTime) -> Result<Vec<Refused>, StoreError> {
        let refused = self.change(|store| store.send(now))?;
        self.facts.time = now;
        let group = std::mem::take(&mut self.group);
        self.tails.extend(group.tails());
        let told = |number: &i64| {
            let match_id = Arc::clone(group.id_of(unsigned(*number))?);
            let error = StoreError::Damaged {
                match_id: match_id.to_string(),
                part: "its log".to_owned(),
                reason: "another writer has changed it".to_owned(),
            };
            Some(Refused { match_id, error })
        };
        let refused: Vec<_> = refused.iter().filter_map(told).collect();
        for Refused { match_id, .. } in &refused {
            self.tails.remove(match_id);
        }
        Ok(refused)
    }

    fn release(&mut self, match_id: &str) {
        self.tails.remove(match_id);
    }

    fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
        self.change(|store| {
            let number = store.tail(match_id)?.number;
            store.group.remove(match_id, number);
            store.tails.remove(match_id);
            Ok(())
        })
    }

    fn readers(&self) -> OpenReader {
        let (database, confirmations) = (self.database.clone(), Arc::clone(&self.confirmations));
        Arc::new(move || Ok(Box::new(PostgresReader::open(&database, Arc::clone(&confirmations))?)))
    }
}

impl Writer {
    fn new(connection: Connection) -> Result<Self, Fault> {
        // The order of the parameters is that of `TYPES`.
        let places: Vec<String> = (1..=TYPES.len()).map(|place| format!("${place}")).collect();
        let commit = connection.prepare(&format!("SELECT ahu.commit_1({})", places.join(", ")), &TYPES)?;
        Ok(Self { connection, commit })
    }
}

impl ServerIdentity {
    fn of(connection: &Connection) -> Result<Self, Fault> {
        let select = "SELECT system_identifier::text, ahu.timeline_1() FROM pg_control_system()";
        let row = connection.one(select, &[])?;
        Ok(Self { system: row.get(0), timeline: row.get(1) })
    }
}

/// Reads the facts of a store.
fn facts(connection: &Connection) -> Result<Result<Facts, String>, Fault> {
    let select = "SELECT token_key, time_ms, (SELECT coalesce(max(number), 0) FROM ahu.match) FROM ahu.meta";
    let row = connection.one(select, &[])?;
    let (time, last_number): (i64, i64) = (row.get(1), row.get(2));
    let token_key = encoding::read_token_key(row.get(0)).map_err(|reason| format!("the key of all tokens: {reason}"));
    Ok(token_key.map(|token_key| Facts {
        token_key,
        time: MatchTime(unsigned(time)),
        last_number: unsigned(last_number),
    }))
}

fn other_match(id: &str, number: u64) -> StoreError {
    encoding::damaged(id, "its head", format!("another match has its id or its number {number}"))
}
