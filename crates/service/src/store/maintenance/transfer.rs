//! Copies of a whole store between a folder and a database: every match, account, key, and line of the audit.
//!
//! Both sides read and write rows as lines in the text form of PostgreSQL's COPY, so that the digest of all lines shows whether a
//! copy is the same. A copy is one transaction on both sides: it has the source as of one moment, and is there as a whole or not
//! at all.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ahu_core::hex;
use rusqlite::types::Value;
use rusqlite::{OpenFlags, params_from_iter};
use sha2::{Digest as _, Sha256};

use super::copy::{FileLock, Partial, open_beside};
use super::{MaintenanceError, Progress, Report, Result, failure};
use crate::store::folder::stated_commits;
use crate::store::postgres::DatabaseCopy;
use crate::store::sqlite::{connect, file, meta};
use crate::store::{Place, SqliteOptions, SqliteStore};
use crate::{AUDIT, audit_lines};

/// The number of matches that are copied at once.
const MATCHES_AT_ONCE: i64 = 64;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Truth,
    Text,
    Bytes,
}

/// Columns with their types.
type Columns = &'static [(&'static str, Kind)];

/// A table that both sides have.
#[derive(Debug)]
pub(in crate::store) struct Table {
    pub(in crate::store) name: &'static str,
    columns: Columns,
    /// The column with the number of the match; None for tables that do not belong to matches.
    pub(in crate::store) number: Option<&'static str>,
    /// A condition of the rows that both sides have: SQLite has no end of an empty log.
    pub(in crate::store) only: &'static str,
    /// The order of the rows of one portion.
    pub(in crate::store) order: &'static str,
}

impl Table {
    /// Returns the names of the columns, for SQL.
    pub(in crate::store) fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the condition of the rows of a portion: of the matches after the first number, up to the second.
    pub(in crate::store) fn condition(&self, (after, last): (i64, i64)) -> String {
        let only = self.only;
        self.number.map_or(only.to_owned(), |number| format!("{only} AND {number} > {after} AND {number} <= {last}"))
    }
}

use Kind::{Bytes, Integer, Text, Truth};

const TABLES: [Table; 8] = [
    Table {
        number: Some("number"),
        ..of_match(
            "match",
            &[
                ("number", Integer),
                ("id", Text),
                ("game", Text),
                ("rules", Integer),
                ("release", Text),
                ("created_ms", Integer),
                ("private", Truth),
                ("pinned", Truth),
                ("sealed", Truth),
                ("head", Bytes),
                ("state", Integer),
                ("ended_ms", Integer),
                ("description", Bytes),
            ],
            "number",
        )
    },
    Table {
        only: "entries > 0",
        ..of_match("log", &[("match", Integer), ("entries", Integer), ("link", Bytes)], "match")
    },
    of_match(
        "entry",
        &[("match", Integer), ("n", Integer), ("count", Integer), ("at_ms", Integer), ("body", Bytes), ("link", Bytes)],
        "match, n",
    ),
    of_match("seat", &[("match", Integer), ("seat", Integer), ("taken", Bytes)], "match, seat"),
    of_match("comment", &[("match", Integer), ("n", Integer), ("comment", Bytes)], "match, n"),
    of_match("request", &[("id", Bytes), ("content", Bytes), ("match", Integer)], "id"),
    of_accounts("account", &[("id", Text), ("account", Bytes)]),
    of_accounts("key", &[("id", Text), ("account", Text), ("key", Bytes)]),
];

/// Returns a table with rows of matches.
const fn of_match(name: &'static str, columns: Columns, order: &'static str) -> Table {
    Table { name, columns, number: Some("match"), only: "true", order }
}

const fn of_accounts(name: &'static str, columns: Columns) -> Table {
    Table { name, columns, number: None, only: "true", order: "id" }
}

/// A complete copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The number of matches.
    pub matches: u64,
    /// The number of accounts.
    pub accounts: u64,
    /// The number of keys.
    pub keys: u64,
    /// The number of lines of the audit.
    pub audit_lines: u64,
    /// SHA-256 of all rows and lines, in hexadecimal digits: the same for both places.
    pub digest: String,
}

/// The key of all tokens with its seal, and the time for which servers have run.
pub(in crate::store) type Meta = (Vec<u8>, i64);

/// A side of a copy, within one transaction.
enum Side {
    Folder { connection: rusqlite::Connection, folder: PathBuf, _locked: Locked },
    Database(Box<DatabaseCopy>),
}

/// The lock that keeps others from a folder.
enum Locked {
    Source { _lock: FileLock },
    Target { _store: Box<SqliteStore> },
}

/// Copies a store to a place that has none: a folder that is created, or an empty database. A server may use the source; the copy
/// has it as of the moment at which it began. Blocks the thread.
///
/// # Errors
/// If the target has matches, accounts, or an audit, one of them cannot be used, or the copy differs. A copy of matches and
/// accounts that differs is not committed; a new folder may keep an empty store.
pub fn transfer(from: &Place, to: &Place, report: Report<'_>) -> Result<Transfer> {
    let mut source = Side::source(from)?;
    let mut target = Side::target(to)?;
    let meta = source.meta()?;
    target.begin(&meta)?;
    let last = source.last_number()?;
    let audit = source.audit()?;
    let tell = |work, done: i64| report(Progress { work, done: done.cast_unsigned(), of: last.cast_unsigned() });
    let (counts, mut digest) = each_portion(&mut source, last, &mut |table, lines, done| {
        tell("copying matches", done);
        target.write(table, lines)
    })?;
    let found = each_portion(&mut target, last, &mut |_, _, done| {
        tell("comparing matches", done);
        Ok(())
    })?;
    let differs =
        || MaintenanceError::Failed(format!("expected the copy in {to} to be the same as {from}, got another one"));
    let is_same = (counts, digest.clone().finalize()) == (found.0, found.1.finalize()) && target.meta()? == meta;
    if !is_same || !target.end(&audit)? {
        return Err(differs());
    }
    for line in &audit {
        digest.update(line);
    }
    let [matches, accounts, keys] = [0, 6, 7].map(|table: usize| counts[table]);
    Ok(Transfer { matches, accounts, keys, audit_lines: audit.len() as u64, digest: hex(&digest.finalize()) })
}

/// The numbers of rows of each table, and the digest of all.
type Counted = ([u64; 8], Sha256);

/// The work on a portion of a table: its lines, and the number of the match before it.
type Each<'a> = &'a mut dyn FnMut(&Table, &[String], i64) -> Result<()>;

/// Reads all rows of a side in portions, and gives each portion to `each`.
fn each_portion(side: &mut Side, last: i64, each: Each<'_>) -> Result<Counted> {
    let (mut counts, mut digest): Counted = Default::default();
    let mut after = 0;
    while after <= last {
        let portion = (after, after + MATCHES_AT_ONCE);
        for (table, count) in TABLES.iter().zip(&mut counts).filter(|(table, _)| table.number.is_some() || after == 0) {
            let lines = side.read(table, portion)?;
            *count += lines.len() as u64;
            for line in &lines {
                digest.update(format!("{}\t{line}\n", table.name));
            }
            each(table, &lines, after)?;
        }
        after = portion.1;
    }
    Ok((counts, digest))
}

/// Returns the lines of the audit as cells of COPY; none if there is no audit yet. In place of bytes that are no text, as a crash
/// may leave them in the last line of a file, a line has U+FFFD.
fn audit_of(place: &Place) -> Result<Vec<String>> {
    if let Place::Folder(folder) = place
        && !folder.join(AUDIT).exists()
    {
        return Ok(Vec::new());
    }
    let lines = audit_lines(place).map_err(MaintenanceError::Failed)?;
    let text = |line: Vec<u8>| escaped(&String::from_utf8_lossy(&line).replace('\0', "\u{fffd}"));
    lines.map(|line| line.map(text).map_err(MaintenanceError::Failed)).collect()
}

impl Side {
    fn source(place: &Place) -> Result<Self> {
        match place {
            Place::Folder(folder) => {
                // Read before the store: a running server counts on.
                let stated = stated_commits(folder);
                let (lock, connection) = open_beside(folder)?;
                let found: u64 = meta(&connection, "commits").map_err(failure("read", folder))?;
                if stated.is_none_or(|stated| stated > found) {
                    return Err(MaintenanceError::Failed(format!(
                        "expected a store with all its commits in {}, got one that has lost some: see `ahu data verify`",
                        folder.display()
                    )));
                }
                connection.execute_batch("BEGIN").map_err(failure("read", folder))?;
                Ok(Self::Folder { connection, folder: folder.clone(), _locked: Locked::Source { _lock: lock } })
            }
            Place::Database(database) => Ok(Self::Database(Box::new(DatabaseCopy::source(database)?))),
        }
    }

    fn target(place: &Place) -> Result<Self> {
        let side = match place {
            Place::Folder(folder) => {
                let store = SqliteStore::open(folder, &SqliteOptions { create: true, ..SqliteOptions::default() })?;
                let connection = connect(&file(folder), OpenFlags::SQLITE_OPEN_READ_WRITE);
                let connection = connection.map_err(failure("write", folder))?;
                connection.execute_batch("BEGIN IMMEDIATE").map_err(failure("write", folder))?;
                Self::Folder { connection, folder: folder.clone(), _locked: Locked::Target { _store: Box::new(store) } }
            }
            Place::Database(database) => Self::Database(Box::new(DatabaseCopy::target(database)?)),
        };
        let is_empty = match &side {
            Self::Folder { connection, folder, .. } => {
                let select = "SELECT NOT EXISTS (SELECT 1 FROM match) AND NOT EXISTS (SELECT 1 FROM account)";
                let is_empty: bool =
                    connection.query_row(select, [], |row| row.get(0)).map_err(failure("read", folder))?;
                is_empty && !folder.join(AUDIT).exists()
            }
            Self::Database(copy) => copy.is_empty()?,
        };
        match is_empty {
            true => Ok(side),
            false => {
                Err(MaintenanceError::Failed(format!("expected a place without matches and accounts, got {place}")))
            }
        }
    }

    fn meta(&self) -> Result<Meta> {
        match self {
            Self::Folder { connection, folder, .. } => {
                let select =
                    "SELECT t.value, m.value FROM meta AS t, meta AS m WHERE t.key = 'token_key' AND m.key = 'time_ms'";
                connection.query_row(select, [], |row| row.try_into()).map_err(failure("read", folder))
            }
            Self::Database(copy) => Ok(copy.meta()?),
        }
    }

    fn last_number(&self) -> Result<i64> {
        match self {
            Self::Folder { connection, folder, .. } => {
                let select = "SELECT ifnull(max(number), 0) FROM match";
                connection.query_row(select, [], |row| row.get(0)).map_err(failure("read", folder))
            }
            Self::Database(copy) => Ok(copy.last_number()?),
        }
    }

    fn read(&mut self, table: &Table, portion: (i64, i64)) -> Result<Vec<String>> {
        let (connection, folder) = match self {
            Self::Folder { connection, folder, .. } => (connection, folder),
            Self::Database(copy) => return Ok(copy.read(table, portion)?),
        };
        let Table { name, columns, order, .. } = table;
        let select =
            format!("SELECT {} FROM {name} WHERE {} ORDER BY {order}", table.names(), table.condition(portion));
        let cannot = failure("read", folder);
        let mut query = connection.prepare(&select).map_err(&cannot)?;
        let rows = query.query_map([], |row| {
            let values = columns.iter().enumerate().map(|(n, (_, kind))| Ok(cell(*kind, &row.get(n)?)));
            values.collect::<std::result::Result<Vec<_>, rusqlite::Error>>()
        });
        rows.map_err(&cannot)?.map(|row| Ok(row.map_err(&cannot)?.join("\t"))).collect()
    }

    /// Makes the place ready for rows.
    fn begin(&mut self, (token_key, time): &Meta) -> Result<()> {
        match self {
            Self::Folder { connection, folder, .. } => {
                let set = "UPDATE meta SET value = ?1 WHERE key = ?2";
                let cannot = failure("write", folder);
                connection.execute(set, (token_key, "token_key")).map_err(&cannot)?;
                connection.execute(set, (time, "time_ms")).map(drop).map_err(&cannot)
            }
            Self::Database(copy) => Ok(copy.set_meta(token_key, *time)?),
        }
    }

    fn write(&mut self, table: &Table, lines: &[String]) -> Result<()> {
        let (connection, folder) = match self {
            Self::Folder { connection, folder, .. } => (connection, folder),
            Self::Database(copy) => return Ok(copy.write(table, lines)?),
        };
        let places = vec!["?"; table.columns.len()].join(", ");
        let insert = format!("INSERT INTO {} ({}) VALUES ({places})", table.name, table.names());
        let cannot = failure("write", folder);
        let mut insert = connection.prepare(&insert).map_err(&cannot)?;
        for line in lines {
            let cells = table.columns.iter().zip(line.split('\t')).map(|((_, kind), cell)| value(*kind, cell));
            let values = cells.collect::<Option<Vec<_>>>();
            let values = values.ok_or_else(|| MaintenanceError::Failed(format!("expected a row of {}", table.name)))?;
            insert.execute(params_from_iter(values)).map_err(&cannot)?;
        }
        Ok(())
    }

    /// Returns the lines of the audit, as cells of COPY.
    fn audit(&self) -> Result<Vec<String>> {
        match self {
            Self::Folder { folder, .. } => audit_of(&folder.as_path().into()),
            Self::Database(copy) => Ok(copy.audit()?),
        }
    }

    /// Writes the audit, and commits everything. Returns false if the audit is then another one.
    fn end(self, audit: &[String]) -> Result<bool> {
        match self {
            Self::Folder { connection, folder, _locked } => {
                let file = (!audit.is_empty()).then(|| written(&folder.join(AUDIT), audit)).transpose()?;
                connection.execute_batch("COMMIT").map_err(failure("write", &folder))?;
                // The file beside the store appears with its name, whole, once the store has its matches.
                file.map_or(Ok(()), Partial::publish)?;
                Ok(audit_of(&folder.as_path().into())? == audit)
            }
            Self::Database(copy) => {
                copy.write_audit(audit)?;
                let is_same = copy.audit()? == audit;
                if is_same {
                    copy.end()?;
                }
                Ok(is_same)
            }
        }
    }
}

/// Writes an audit to a file that has no name yet.
fn written(path: &Path, lines: &[String]) -> Result<Partial> {
    let partial = Partial::create(path)?;
    let lines: String = lines.iter().map(|cell| unescaped(cell) + "\n").collect();
    fs::write(partial.path(), lines).map_err(failure("write", partial.path()))?;
    Ok(partial)
}

/// Writes a value as a cell of COPY.
fn cell(kind: Kind, value: &Value) -> String {
    match value {
        Value::Null => "\\N".to_owned(),
        Value::Integer(0) if kind == Truth => "f".to_owned(),
        Value::Integer(_) if kind == Truth => "t".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Blob(bytes) => format!("\\\\x{}", hex(bytes)),
        Value::Text(text) => escaped(text),
    }
}

/// Returns a text as a cell of COPY.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut cell, character| {
        // Writing to a string does not fail.
        let _ = match character {
            '\\' => write!(cell, "\\\\"),
            '\n' => write!(cell, "\\n"),
            '\r' => write!(cell, "\\r"),
            '\t' => write!(cell, "\\t"),
            '\u{8}' => write!(cell, "\\b"),
            '\u{b}' => write!(cell, "\\v"),
            '\u{c}' => write!(cell, "\\f"),
            other => write!(cell, "{other}"),
        };
        cell
    })
}

/// Returns the text of a cell of COPY.
fn unescaped(cell: &str) -> String {
    let (mut text, mut characters) = (String::with_capacity(cell.len()), cell.chars());
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('v') => '\u{b}',
                other => other.unwrap_or('\\'),
            },
            other => other,
        });
    }
    text
}

/// Reads bytes in hexadecimal digits.
fn unhex(digits: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    (digits.len().is_multiple_of(2)).then(|| digits.as_bytes().chunks(2).map(byte).collect())?
}

/// Reads a cell of COPY. Texts in our tables are ids and versions, which need no escape.
fn value(kind: Kind, cell: &str) -> Option<Value> {
    match (cell, kind) {
        ("\\N", _) => Some(Value::Null),
        ("t" | "f", Truth) => Some(Value::Integer(i64::from(cell == "t"))),
        (_, Integer) => cell.parse().ok().map(Value::Integer),
        (_, Text) if !cell.contains('\\') => Some(Value::Text(cell.to_owned())),
        (_, Bytes) => unhex(cell.strip_prefix("\\\\x")?).map(Value::Blob),
        _ => None,
    }
}
