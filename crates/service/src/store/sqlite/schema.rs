//! The schema of a store, and how an earlier one becomes the present one.

use std::path::Path;

use rusqlite::{Connection, MAIN_DB};

use super::unusable;
use crate::store::folder::{OpenError, protect};

/// The mark of a store in the head of its file: "Ahu" and a number.
const APPLICATION: u32 = 0x4168_7501;

/// The scripts of the schemas: each makes its schema from the schema before it, and the first makes schema 1 from an empty
/// file.
pub(crate) const SCRIPTS: [&str; 4] = [FIRST, PINNED, COMMENTS, ACCOUNTS];

const FIRST: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,             -- 'token_key', 'time_ms', 'commits'
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
    head BLOB NOT NULL,               -- the record before the first entry, salt, labels, reservations
    state INTEGER NOT NULL,           -- as ahu.v1.MatchState
    ended_ms INTEGER,
    description BLOB                  -- an index: the ahu.v1.Match after the end
);
CREATE INDEX match_open ON match (number) WHERE state < 3;
CREATE INDEX match_ended ON match (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE TABLE seat (
    match INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    taken BLOB NOT NULL,              -- the name, the digest of the token, the digest of the request's id
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
CREATE TABLE request (
    id BLOB PRIMARY KEY,              -- the digest of the request's id
    content BLOB NOT NULL,            -- the digest of its content
    match INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX request_match ON request (match);
";

/// Schema 2: matches can be pinned, so that no bound removes them.
const PINNED: &str = "
ALTER TABLE match ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
DROP INDEX match_ended;
CREATE INDEX match_ended ON match (ended_ms) WHERE ended_ms IS NOT NULL AND pinned = 0;
";

/// The first schema with comments.
pub(crate) const FIRST_WITH_COMMENTS: usize = 3;

/// Schema 3: agents comment on their decisions.
const COMMENTS: &str = "
CREATE TABLE comment (
    match INTEGER NOT NULL,
    n INTEGER NOT NULL,               -- the place in the order of the comments
    comment BLOB NOT NULL,            -- the seat, the decision, the text
    PRIMARY KEY (match, n)
) WITHOUT ROWID;
";

/// The first schema with accounts.
pub(crate) const FIRST_WITH_ACCOUNTS: usize = 4;

/// Schema 4: accounts and their keys.
const ACCOUNTS: &str = "
CREATE TABLE account (
    id TEXT PRIMARY KEY,
    account BLOB NOT NULL             -- the name, the kind, the shares
) WITHOUT ROWID;
CREATE TABLE key (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,            -- the id of its account
    key BLOB NOT NULL                 -- the hash, the scopes, the label, the times
) WITHOUT ROWID;
";

/// Returns the schema of a store; 0 for an empty file. Refuses files of other programs, schemas later than the last of
/// `scripts`, and tables that differ from the tables of the scripts.
pub(crate) fn version(connection: &Connection, file: &Path, scripts: &[&str]) -> Result<usize, OpenError> {
    let fail = |error| unusable(file, &error);
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u32>(0));
    if tables_of(connection).map_err(fail)?.is_empty() {
        return Ok(0);
    }
    let found = pragma("user_version").map_err(fail)?;
    if pragma("application_id").map_err(fail)? != APPLICATION || found == 0 {
        return Err(OpenError::NotAStore(file.to_owned()));
    }
    let Some(scripts) = scripts.get(..found as usize) else {
        return Err(OpenError::Later { path: file.to_owned(), found, known: scripts.len() as u32 });
    };
    let expected = Connection::open_in_memory().map_err(fail)?;
    expected.execute_batch(&scripts.concat()).map_err(fail)?;
    let (expected, tables) = (tables_of(&expected).map_err(fail)?, tables_of(connection).map_err(fail)?);
    match tables.iter().find(|table| !expected.contains(table)) {
        None if tables.len() == expected.len() => Ok(found as usize),
        other => {
            let other = other.map_or("fewer tables".to_owned(), |(name, sql)| format!("{name}: {sql}"));
            let reason = format!("expected the tables of schema {found}, got {other}");
            Err(OpenError::Damaged { path: file.to_owned(), reason })
        }
    }
}

/// Returns the names of all tables and indexes, with the statements that made them.
fn tables_of(connection: &Connection) -> Result<Vec<(String, String)>, rusqlite::Error> {
    let mut query = connection.prepare("SELECT name, ifnull(sql, tbl_name) FROM sqlite_schema")?;
    let tables = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    tables.collect()
}

/// Migrates a store to the schema of the last script. Copies a store with an earlier schema before that.
pub(super) fn prepare(connection: &Connection, file: &Path, scripts: &[&str]) -> Result<(), OpenError> {
    let fail = |error| unusable(file, &error);
    let found = version(connection, file, scripts)?;
    if found == scripts.len() {
        return Ok(());
    }
    if found > 0 {
        let copy = file.with_file_name(format!("{}.schema-{found}", super::FILE));
        connection.backup(MAIN_DB, &copy, None::<fn(rusqlite::backup::Progress)>).map_err(fail)?;
        protect(&copy).map_err(|error| OpenError::Io { path: copy.clone(), work: "protect", error })?;
        tracing::info!(from = found, to = scripts.len(), copy = %copy.display(), "the store gets a later schema");
    }
    let script = scripts[found..].concat();
    let (latest, mark) = (scripts.len(), APPLICATION);
    let script = format!("BEGIN; {script} PRAGMA user_version = {latest}; PRAGMA application_id = {mark}; COMMIT;");
    connection.execute_batch(&script).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_an_earlier_schema_is_copied_and_then_migrated() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(super::super::FILE);
        let first = Connection::open(&file).expect("the file can be created");
        prepare(&first, &file, &["CREATE TABLE a (x);"]).expect("the script is valid");
        first.execute("INSERT INTO a VALUES (7)", []).expect("the table exists");

        prepare(&first, &file, &["CREATE TABLE a (x);", "ALTER TABLE a ADD y DEFAULT 8;"])
            .expect("the script is valid");

        let row = first.query_row("SELECT x, y FROM a", [], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(row, Ok((7, 8)));
        let copy = Connection::open(folder.path().join("ahu.db.schema-1")).expect("the copy is a database");
        assert_eq!(copy.query_row("SELECT count(*) FROM pragma_table_info('a')", [], |row| row.get(0)), Ok(1));
        assert_eq!(copy.query_row("SELECT x FROM a", [], |row| row.get(0)), Ok(7));

        let later = prepare(&first, &file, &["CREATE TABLE a (x);"]).expect_err("schema 2 is later");
        assert!(matches!(later, OpenError::Later { found: 2, known: 1, .. }), "{later}");
    }

    #[test]
    fn a_store_with_a_changed_table_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(super::super::FILE);
        let store = Connection::open(&file).expect("the file can be created");
        prepare(&store, &file, &["CREATE TABLE a (x); CREATE TABLE b (y);"]).expect("the script is valid");

        let changed = prepare(&store, &file, &["CREATE TABLE a (x); CREATE TABLE b (z);"]).expect_err("b has changed");
        assert!(changed.to_string().contains("got b: CREATE TABLE b (y)"), "{changed}");
        let fewer = ["CREATE TABLE a (x); CREATE TABLE b (y); CREATE TABLE c (z);"];
        let fewer = prepare(&store, &file, &fewer).expect_err("c is missing");
        assert!(fewer.to_string().contains("got fewer tables"), "{fewer}");
    }

    #[test]
    fn a_file_of_another_program_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(super::super::FILE);
        let theirs = Connection::open(&file).expect("the file can be created");
        theirs.execute_batch("CREATE TABLE theirs (x)").expect("the script is valid");
        // A file has the mark of ahu and a schema, or it is no store.
        for (mark, schema) in [(0, 0), (0, 1), (APPLICATION, 0)] {
            let script = format!("PRAGMA application_id = {mark}; PRAGMA user_version = {schema}");
            theirs.execute_batch(&script).expect("the script is valid");
            let error = prepare(&theirs, &file, &SCRIPTS).expect_err("another program wrote the file");
            assert!(matches!(error, OpenError::NotAStore(_)), "{mark} {schema}: {error}");
        }
    }
}
