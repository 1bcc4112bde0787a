//! A store in the file `ahu.db` of a folder: SQLite with a write-ahead log, which waits for the disk at each commit.
//!
//! The schema is in `sqlite/schema.rs`, so that anybody can open the file with the tools of SQLite. Fields that must not
//! change unnoticed have a seal (see [`super::encoding`]).

pub(super) mod accounts;
mod connection;
pub(super) mod reader;
pub(super) mod schema;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ahu_host::MatchTime;
use rusqlite::types::{FromSql, Type};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Params, Row, ToSql, params};

pub(crate) use self::accounts::SqliteAccounts;
use self::connection::configure;
pub(super) use self::connection::{connect, connect_for_reading, unusable};
use self::reader::{SqliteReader, entry_row};
use super::encoding::{self, Columns, LogEnd};
use super::folder::{FilesInUse, Folder, OpenError, protect};
use super::{Change, Facts, MatchHead, OpenReader, Refused, Store, StoreError, StoreReader};
use crate::proto::v1::MatchState;
use crate::secrets::{Digest, random_bytes};

/// The file of a store in its folder.
pub(super) const FILE: &str = "ahu.db";

/// The settings of a store.
#[derive(Clone, Debug, Default)]
pub struct SqliteOptions {
    /// True if a missing folder is created.
    pub create: bool,
    /// The time to wait for another process that uses the folder.
    pub wait: Duration,
    /// The maximum size of the file in pages of 4 KiB, which the owner can change at any time; None: the disk.
    pub max_pages: Option<Arc<AtomicU32>>,
}

/// A store in a folder.
pub struct SqliteStore {
    connection: Connection,
    folder: Folder,
    files: FilesInUse,
    facts: Facts,
    commits: u64,
    max_pages: Option<Arc<AtomicU32>>,
    /// The ends of the logs in use, as of the last commit.
    tails: HashMap<Arc<str>, Tail>,
    /// The ends of the logs that have changed since.
    changed: HashMap<Arc<str>, Tail>,
}

/// The end of a match in the store.
#[derive(Clone, Copy, Debug)]
struct Tail {
    number: u64,
    state: i32,
    end: LogEnd,
}

opaque!(SqliteStore);

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes a value")]
fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string())
}

impl SqliteStore {
    /// Opens the store in a folder, and locks the folder for as long as the value exists.
    pub fn open(path: &Path, options: &SqliteOptions) -> Result<Self, OpenError> {
        let mut folder = Folder::lock_within(path, options.create, options.wait)?;
        if options.create {
            folder.begin()?;
        }
        if !options.create && !file(path).exists() {
            return Err(OpenError::Missing(path.to_owned()));
        }
        Self::open_in(folder, options)
    }

    /// Opens the store in a locked folder.
    pub(super) fn open_in(folder: Folder, options: &SqliteOptions) -> Result<Self, OpenError> {
        let path = &folder.path().to_owned();
        let file = file(path);
        let fail = |error| unusable(&file, &error);
        let (stated, lock) = (folder.stated, folder.lock_file());
        let lost = |found| match stated {
            Some(stated) if stated > found => Err(OpenError::Failed(format!(
                "the store in {} has lost {} commits: expected {stated}, got {found}. Its write-ahead log is damaged or missing. \
                 Restore a backup, or accept the loss with `ahu data verify --accept-loss`",
                path.display(),
                stated - found
            ))),
            Some(_) => Ok(()),
            None => Err(OpenError::not_stated(&lock)),
        };
        if !file.exists() {
            lost(0)?;
        }
        let create = if options.create { OpenFlags::SQLITE_OPEN_CREATE } else { OpenFlags::empty() };
        let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE | create).map_err(fail)?;
        // The file is not changed before it is known to be a store.
        let is_present = schema::is_present(&connection, &file)?;
        if !is_present && !options.create {
            return Err(OpenError::Missing(path.to_owned()));
        }
        lost(if is_present { u64::MAX } else { 0 })?;
        protect(&file).map_err(OpenError::cannot("protect", &file))?;
        configure(&connection).map_err(fail)?;
        if !is_present {
            schema::create(&connection).map_err(fail)?;
        }
        let mut store = Self::with_facts(connection, folder, options.max_pages.clone()).map_err(fail)?;
        lost(store.commits)?;
        // A first commit shows at once that the store can be written.
        let count = "BEGIN IMMEDIATE; UPDATE meta SET value = value + 1 WHERE key = 'commits'; COMMIT";
        store.connection.execute_batch(count).map_err(fail)?;
        store.commits += 1;
        store.folder.state(store.commits);
        store.files = FilesInUse::of(path);
        Ok(store)
    }

    fn with_facts(
        connection: Connection,
        folder: Folder,
        max_pages: Option<Arc<AtomicU32>>,
    ) -> Result<Self, rusqlite::Error> {
        let new_key: Digest = random_bytes();
        connection.execute(
            "INSERT INTO meta SELECT * FROM (VALUES ('token_key', ?), ('time_ms', 0), ('commits', 0)) \
             WHERE NOT EXISTS (SELECT 1 FROM meta)",
            params![encoding::write_token_key(&new_key)],
        )?;
        let facts = Facts {
            token_key: token_key(&connection)?,
            time: MatchTime(meta(&connection, "time_ms")?),
            last_number: connection.query_row("SELECT ifnull(max(number), 0) FROM match", [], |row| row.get(0))?,
        };
        let commits = meta(&connection, "commits")?;
        let (files, tails, changed) = Default::default();
        Ok(Self { connection, folder, files, facts, commits, max_pages, tails, changed })
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the connection, for the work on a store that no server uses.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Closes the store, and returns its folder, which stays locked.
    pub(super) fn close(self) -> Result<Folder, rusqlite::Error> {
        let Self { connection, folder, .. } = self;
        connection.close().map_err(|(_, error)| error)?;
        Ok(folder)
    }

    /// Begins a transaction unless one is open.
    fn begin(&self) -> Result<(), StoreError> {
        if !self.connection.is_autocommit() {
            return Ok(());
        }
        if let Some(pages) = &self.max_pages {
            let pages = pages.load(Ordering::SeqCst);
            let set = self.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()));
            set.map_err(failed)?;
        }
        self.execute("BEGIN IMMEDIATE", []).map(drop)
    }

    /// Executes a statement, and returns the number of rows that it has changed.
    fn execute(&self, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map_err(failed)
    }

    /// Opens a reader of the store in a folder, which another process may use.
    pub fn reader(folder: &Path) -> Result<Box<dyn StoreReader>, StoreError> {
        Ok(Box::new(SqliteReader::open(&file(folder))?))
    }

    /// Takes back everything since the last commit.
    pub fn roll_back(&mut self) {
        self.changed.clear();
        // A commit that failed may have changed them.
        self.tails.clear();
        // An error means that SQLite has done so by itself.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// Carries out a change. If the store fails, everything since the last commit is taken back.
    fn change<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let done = self.begin().and_then(|()| act(self));
        if let Err(StoreError::Failed(_)) = done {
            self.roll_back();
        }
        done
    }

    fn tail(&self, match_id: &str) -> Result<Tail, StoreError> {
        if let Some(tail) = self.changed.get(match_id).or_else(|| self.tails.get(match_id)) {
            return Ok(*tail);
        }
        let found =
            row(&self.connection, "SELECT number, state FROM match WHERE id = ?", &[&match_id], |row| row.try_into());
        let (number, state) = found.map_err(failed)?.ok_or_else(|| StoreError::UnknownMatch(match_id.to_owned()))?;
        Ok(Tail { number, state, end: log_end(&self.connection, number).map_err(failed)? })
    }

    fn write_match(&mut self, head: &MatchHead) -> Result<(), StoreError> {
        let Columns { number, id, release, created_ms, is_unlisted } = &encoding::columns(head);
        let (info, state) = (head.setup.rules().info(), MatchState::Seating as i32);
        let (game, rules, head_bytes) = (info.id, info.rules, encoding::write_head(head));
        let MatchHead { is_pinned, is_sealed, .. } = head;
        let insert = "INSERT INTO match (number, id, game, rules, release, created_ms, private, head, state, \
                      pinned, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
        let values =
            params![number, id, game, rules, release, created_ms, is_unlisted, head_bytes, state, is_pinned, is_sealed];
        if self.execute(insert, values)? == 0 {
            let select = "SELECT 1 FROM match WHERE number = ? AND head = ?";
            if row(&self.connection, select, &[number, &head_bytes], |_| Ok(())).map_err(failed)?.is_some() {
                return Ok(());
            }
            let reason = format!("another match has its id or its number {number}");
            return Err(encoding::damaged(id, "its head", reason));
        }
        let tail = Tail { number: head.number, state, end: LogEnd::START };
        self.changed.insert(Arc::clone(&head.id), tail);
        Ok(())
    }

    /// Returns true if the store has a change already: its entries and its seats.
    fn has(&self, number: u64, change: &Change) -> Result<bool, StoreError> {
        let Change { match_id, seats, expected, entries, .. } = change;
        for taken in seats {
            let select = "SELECT 1 FROM seat WHERE match = ? AND seat = ? AND taken = ?";
            let bytes = encoding::write_seat(match_id, taken);
            let found = row(&self.connection, select, &[&number, &taken.seat.index(), &bytes], |_| Ok(()));
            if found.map_err(failed)?.is_none() {
                return Ok(false);
            }
        }
        let select = "SELECT n, count, at_ms, body, link FROM entry WHERE match = ? AND n = ?";
        let found = row(&self.connection, select, &[&number, expected], entry_row).map_err(failed)?;
        Ok(entries.is_empty() || found.is_some_and(|found| found.has(match_id, entries)))
    }

    fn write_change(&mut self, change: &Change, at: MatchTime) -> Result<(), StoreError> {
        let Change { match_id, seats, request, expected, entries, comments, state, unseals, end } = change;
        let mut tail = self.tail(match_id)?;
        let number = tail.number;
        let other_length =
            || StoreError::OtherLength { match_id: match_id.to_string(), expected: *expected, found: tail.end.entries };
        if tail.end.entries != *expected {
            let is_written = *expected < tail.end.entries && self.has(number, change)?;
            return if is_written { Ok(()) } else { Err(other_length()) };
        }
        if !entries.is_empty() {
            let (row, after) = encoding::write_entries(match_id, tail.end, entries, at);
            let insert = "INSERT INTO entry (match, n, count, at_ms, body, link) VALUES (?, ?, ?, ?, ?, ?) \
                          ON CONFLICT DO NOTHING";
            if self.execute(insert, params![number, row.first, row.count, row.at.0, row.body, row.link])? == 0 {
                return Err(other_length());
            }
            let replace = "INSERT OR REPLACE INTO log (match, entries, link) VALUES (?, ?, ?)";
            self.execute(replace, params![number, after.entries, after.link])?;
            tail.end = after;
        }
        for comment in comments {
            let select = "SELECT count(*) FROM comment WHERE match = ?";
            let place: usize =
                row(&self.connection, select, &[&number], |row| row.get(0)).map_err(failed)?.unwrap_or_default();
            let bytes = encoding::write_comment(match_id, place, comment);
            self.execute("INSERT INTO comment (match, n, comment) VALUES (?, ?, ?)", params![number, place, bytes])?;
        }
        for taken in seats {
            let insert = "INSERT OR REPLACE INTO seat (match, seat, taken) VALUES (?, ?, ?)";
            self.execute(insert, params![number, taken.seat.index(), encoding::write_seat(match_id, taken)])?;
        }
        if let Some(request) = request {
            let content = encoding::write_request(match_id, &request.id, &request.content);
            let insert = "INSERT INTO request (id, content, match) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
            self.execute(insert, params![request.id, content, number])?;
        }
        if let Some(end) = end {
            let description = encoding::write_description(match_id, &end.description);
            let update = "UPDATE match SET state = ?, ended_ms = ifnull(ended_ms, ?), description = ? WHERE number = ?";
            self.execute(update, params![*state as i32, end.at.0, description, number])?;
        } else if tail.state != *state as i32 {
            self.execute("UPDATE match SET state = ? WHERE number = ?", params![*state as i32, number])?;
        }
        if *unseals {
            self.execute("UPDATE match SET sealed = 0 WHERE number = ?", params![number])?;
        }
        tail.state = *state as i32;
        self.changed.insert(Arc::clone(match_id), tail);
        Ok(())
    }
}

impl Store for SqliteStore {
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
        let commits = self.commits + 1;
        self.change(|store| {
            let set = "UPDATE meta SET value = CASE key WHEN 'commits' THEN ? ELSE ? END \
                       WHERE key IN ('commits', 'time_ms')";
            store.execute(set, params![commits, now.0])?;
            store.execute("COMMIT", [])?;
            store.files.check()
        })?;
        self.commits = commits;
        self.facts.time = now;
        self.folder.state(commits);
        self.tails.extend(self.changed.drain());
        Ok(Vec::new())
    }

    fn release(&mut self, match_id: &str) {
        self.tails.remove(match_id);
    }

    fn delete(&mut self, match_id: &str) -> Result<(), StoreError> {
        self.change(|store| {
            let number = store.tail(match_id)?.number;
            for delete in [
                "DELETE FROM entry WHERE match = ?",
                "DELETE FROM log WHERE match = ?",
                "DELETE FROM seat WHERE match = ?",
                "DELETE FROM comment WHERE match = ?",
                "DELETE FROM request WHERE match = ?",
                "DELETE FROM match WHERE number = ?",
            ] {
                store.execute(delete, [number])?;
            }
            store.changed.remove(match_id);
            store.tails.remove(match_id);
            Ok(())
        })
    }

    fn readers(&self) -> OpenReader {
        let folder = self.folder.path().to_owned();
        Arc::new(move || Self::reader(&folder))
    }
}

/// Returns a fact of the server that the store keeps under this key.
pub(super) fn meta<T: FromSql>(connection: &Connection, key: &str) -> Result<T, rusqlite::Error> {
    connection.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
}

/// Returns the key of all tokens.
pub(super) fn token_key(connection: &Connection) -> Result<Digest, rusqlite::Error> {
    let sealed: Vec<u8> = meta(connection, "token_key")?;
    let damaged = |reason: String| rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, reason.into());
    encoding::read_token_key(&sealed).map_err(damaged)
}

/// Returns all rows of a query.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: &[&dyn ToSql],
    read: impl FnMut(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Vec<T>, rusqlite::Error> {
    connection.prepare_cached(sql)?.query_map(values, read)?.collect()
}

/// Returns the only row of a query; None without one.
fn row<T>(
    connection: &Connection,
    sql: &str,
    values: &[&dyn ToSql],
    read: impl FnOnce(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Option<T>, rusqlite::Error> {
    connection.prepare_cached(sql)?.query_row(values, read).optional()
}

/// Returns the end of a log, as it stands beside its entries.
fn log_end(connection: &Connection, number: u64) -> Result<LogEnd, rusqlite::Error> {
    let select = "SELECT entries, link FROM log WHERE match = ?";
    let read = |row: &Row<'_>| Ok(LogEnd { entries: row.get(0)?, link: row.get(1)? });
    Ok(row(connection, select, &[&number], read)?.unwrap_or(LogEnd::START))
}

pub(super) fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

#[cfg(test)]
pub(super) mod tests {
    use tempfile::TempDir;

    use super::*;

    /// Creates a store in a temporary folder.
    pub(in crate::store) fn new_store() -> (TempDir, SqliteStore) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = SqliteOptions { create: true, ..SqliteOptions::default() };
        let store = SqliteStore::open(folder.path(), &options).expect("a new store");
        (folder, store)
    }

    #[test]
    fn the_size_of_a_store_is_the_size_of_its_pages_in_use() {
        let (folder, store) = new_store();
        let script = "CREATE TABLE filler AS SELECT randomblob(100000) AS x; DROP TABLE filler";
        store.connection.execute_batch(script).expect("the script is valid");
        let used = "SELECT sum(pgsize) FROM dbstat";
        let used: u64 = store.connection.query_row(used, [], |row| row.get(0)).expect("SQLite counts its pages");
        let pages: u64 = store.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a number");
        assert!(pages * 4096 > used + 100_000, "the store has free pages: {pages}, {used}");
        assert_eq!(SqliteStore::reader(folder.path()).and_then(|reader| reader.size()), Ok(used));
    }

    #[test]
    fn a_change_that_failed_takes_back_its_transaction_and_a_refused_change_does_not() {
        let (_folder, mut store) = new_store();
        let failed = StoreError::Failed("the disk is full".to_owned());
        let refused = StoreError::UnknownMatch("m1".to_owned());
        for (error, left) in [(failed, 0), (refused, 1)] {
            let done = store.change(|store| {
                store.execute("INSERT INTO meta VALUES ('a change', 1)", [])?;
                Err::<(), _>(error.clone())
            });
            assert_eq!(done, Err(error));
            store.commit(MatchTime(5)).expect("the disk has room");
            let count = "SELECT count(*) FROM meta WHERE key = 'a change'";
            assert_eq!(store.connection.query_row(count, [], |row| row.get(0)), Ok(left));
        }
    }

    #[test]
    fn a_released_match_takes_no_memory() {
        let (_folder, mut store) = new_store();
        store.tails.insert("m1".into(), Tail { number: 1, state: 1, end: LogEnd::START });
        store.release("m2");
        assert_eq!(store.tails.len(), 1);
        store.release("m1");
        assert_eq!(store.tails.len(), 0);
    }
}
