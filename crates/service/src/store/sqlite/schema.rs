//! The schema of a store.

use std::path::Path;

use rusqlite::Connection;

use super::unusable;
use crate::store::folder::OpenError;

/// The mark of a store in the head of its file: "Ahu" and a number.
const APPLICATION: u32 = 0x4168_7501;

/// The number of the present form of a store, of its tables and of the bytes in them. It rises when either changes.
pub(crate) const SCHEMA: u32 = 9;

/// The script that makes the tables in an empty file.
pub(crate) const TABLES: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,             -- 'token_key' with a seal, 'time_ms', 'commits'
    value BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE match (
    number INTEGER PRIMARY KEY,       -- the place in the order of creation
    id TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    rules INTEGER NOT NULL,           -- the rules version
    release TEXT NOT NULL,            -- the release of ahu that created the match
    created_ms INTEGER NOT NULL,      -- times of day are in milliseconds since 1970
    private INTEGER NOT NULL,
    pinned INTEGER NOT NULL,          -- 1 if no bound removes the match
    sealed INTEGER NOT NULL,          -- 1 while seed and record stay secret after the end
    head BLOB NOT NULL,               -- the record before the first entry, salt, labels, reservations
    state INTEGER NOT NULL,           -- as ahu.v1.MatchState
    ended_ms INTEGER,                 -- the time for which servers had run on this store
    description BLOB                  -- an index: the ahu.v1.Match after the end
);
CREATE INDEX match_open ON match (number) WHERE state < 3;
CREATE INDEX match_ended ON match (ended_ms) WHERE ended_ms IS NOT NULL AND pinned = 0;
CREATE TABLE seat (
    match INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    taken BLOB NOT NULL,              -- the name, the digest of the token, the digest of the request's id, the time
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
CREATE TABLE entry (
    match INTEGER NOT NULL,
    n INTEGER NOT NULL,               -- the number of entries before these
    count INTEGER NOT NULL,           -- the number of entries in this row
    at_ms INTEGER NOT NULL,           -- the time for which servers had run on this store
    body BLOB NOT NULL,               -- the entries as in a binary record
    link BLOB NOT NULL,               -- the link of the chain after them
    PRIMARY KEY (match, n)
) WITHOUT ROWID;
CREATE TABLE log (
    match INTEGER PRIMARY KEY,
    entries INTEGER NOT NULL,         -- the number of entries, so that none of the last can be missing
    link BLOB NOT NULL                -- the link after them
);
CREATE TABLE comment (
    match INTEGER NOT NULL,
    n INTEGER NOT NULL,               -- the place in the order of the comments
    comment BLOB NOT NULL,            -- the seat, the decision, the text
    PRIMARY KEY (match, n)
) WITHOUT ROWID;
CREATE TABLE request (
    id BLOB PRIMARY KEY,              -- the digest of the request's id
    content BLOB NOT NULL,            -- the digest of its content
    match INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX request_match ON request (match);
CREATE TABLE account (
    id TEXT PRIMARY KEY,
    account BLOB NOT NULL             -- the name, the kind, the shares
) WITHOUT ROWID;
CREATE TABLE key (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,            -- the id of its account
    key BLOB NOT NULL                 -- the hash, the scopes, the label, the times
) WITHOUT ROWID;
CREATE TABLE command (
    number INTEGER PRIMARY KEY,       -- the place in the order of the operator's commands
    id TEXT NOT NULL UNIQUE,
    reply BLOB NOT NULL               -- the answer, in JSON
);
";

/// Returns true if a file has a store, and false if it is empty. Refuses files of other programs, other schemas, and other
/// tables.
pub(crate) fn is_present(connection: &Connection, file: &Path) -> Result<bool, OpenError> {
    let fail = |error| unusable(file, &error);
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u32>(0));
    let tables = tables_of(connection).map_err(fail)?;
    if tables.is_empty() {
        return Ok(false);
    }
    let (path, found) = (file.to_owned(), pragma("user_version").map_err(fail)?);
    if pragma("application_id").map_err(fail)? != APPLICATION || found == 0 {
        return Err(OpenError::NotAStore(path));
    }
    if found != SCHEMA {
        let release = if found < SCHEMA { "an earlier" } else { "a later" };
        return Err(OpenError::Failed(format!(
            "expected a store with schema {SCHEMA}, got schema {found}, written by {release} release of ahu: {}",
            path.display()
        )));
    }
    let expected = Connection::open_in_memory().map_err(fail)?;
    expected.execute_batch(TABLES).map_err(fail)?;
    let expected = tables_of(&expected).map_err(fail)?;
    match tables.iter().find(|table| !expected.contains(table)) {
        None if tables.len() == expected.len() => Ok(true),
        other => {
            let other = other.map_or("fewer tables".to_owned(), |(name, sql)| format!("{name}: {sql}"));
            Err(OpenError::Damaged { path, reason: format!("expected the tables of schema {found}, got {other}") })
        }
    }
}

/// Returns the names of all tables and indexes, with the statements that made them.
fn tables_of(connection: &Connection) -> Result<Vec<(String, String)>, rusqlite::Error> {
    let mut query = connection.prepare("SELECT name, ifnull(sql, tbl_name) FROM sqlite_schema")?;
    let tables = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    tables.collect()
}

/// Makes the tables in an empty file.
pub(super) fn create(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.execute_batch(&format!(
        "BEGIN; {TABLES} PRAGMA user_version = {SCHEMA}; PRAGMA application_id = {APPLICATION}; COMMIT;"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(script: &str) -> Connection {
        let connection = Connection::open_in_memory().expect("there is memory");
        create(&connection).and_then(|()| connection.execute_batch(script)).expect("the script is valid");
        connection
    }

    #[test]
    fn a_store_with_a_changed_table_or_of_another_release_is_refused() {
        for (script, expected) in [
            ("DROP TABLE comment; CREATE TABLE comment (x)", "got comment: CREATE TABLE comment (x)"),
            ("DROP TABLE comment", "got fewer tables"),
            ("PRAGMA user_version = 8", "expected a store with schema 9, got schema 8, written by an earlier release"),
            ("PRAGMA user_version = 10", "expected a store with schema 9, got schema 10, written by a later release"),
        ] {
            let error = is_present(&store(script), Path::new("x")).expect_err(script).to_string();
            assert!(error.contains(expected), "{script}: {error}");
        }
        assert!(is_present(&store(""), Path::new("x")).expect("its own tables"));
    }

    #[test]
    fn a_file_of_another_program_is_refused() {
        let theirs = Connection::open_in_memory().expect("there is memory");
        theirs.execute_batch("CREATE TABLE theirs (x)").expect("the script is valid");
        // A file has the mark of ahu and a schema, or it is no store.
        for (mark, schema) in [(0, 0), (0, 1), (APPLICATION, 0)] {
            let script = format!("PRAGMA application_id = {mark}; PRAGMA user_version = {schema}");
            theirs.execute_batch(&script).expect("the script is valid");
            let error = is_present(&theirs, Path::new("x")).expect_err("another program wrote the file");
            assert!(matches!(error, OpenError::NotAStore(_)), "{mark} {schema}: {error}");
        }
    }
}
