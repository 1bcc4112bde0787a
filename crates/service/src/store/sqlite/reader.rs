//! The reader of a store in SQLite. It has a connection of its own, and its transactions are short.

use std::path::Path;

use ahu_host::MatchTime;
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, Row, Transaction};

use super::{failed, log_end, row, rows};
use crate::secrets::Digest;
use crate::store::encoding::{self, Columns, EntryRow, Labelled};
use crate::store::rows::{MatchRow, Parts, read_state};
use crate::store::{Keep, Listed, NeededRules, Query, StoreError, StoreReader, StoredMatch, StoredRequest};

/// A reader of a store.
#[derive(Debug)]
pub(crate) struct SqliteReader {
    connection: Connection,
}

/// The query that [`read_match`] reads.
const SELECT_MATCH: &str = "SELECT number, id, release, created_ms, private, head, state, game, rules, sealed, \
                            ended_ms, description FROM match";

fn read_match(row: &Row<'_>) -> Result<MatchRow, rusqlite::Error> {
    let (number, id, release, created_ms, is_unlisted, head, state, game, rules, is_sealed, ended_ms, description) =
        row.try_into()?;
    let columns = Columns { number, id, release, created_ms, is_unlisted };
    Ok(MatchRow { columns, head, state, game, rules, is_sealed, ended_ms, description })
}

/// Returns a function that turns errors of a query about one match into errors of the store. Bytes that cannot be read are
/// damage to this part of the match; other errors are failures of the store.
fn unreadable<'a>(match_id: &'a str, part: &'a str) -> impl Fn(rusqlite::Error) -> StoreError + 'a {
    move |error| match is_damage(&error) {
        true => encoding::damaged(match_id, part, error.to_string()),
        false => failed(error),
    }
}

/// Returns true if an error means that bytes of the file have changed.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    let of_value = matches!(
        error,
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
    );
    of_value || matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

impl SqliteReader {
    pub(crate) fn open(file: &Path) -> Result<Self, StoreError> {
        let connection = super::connect_for_reading(file);
        let failed = |error| StoreError::Failed(super::unusable(file, &error).to_string());
        Ok(Self { connection: connection.map_err(failed)? })
    }

    fn pragma<T: FromSql>(&self, name: &str) -> Result<T, StoreError> {
        self.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).map_err(failed)
    }

    /// Begins a transaction, so that several queries see the same commits.
    fn snapshot(&self) -> Result<Transaction<'_>, StoreError> {
        self.connection.unchecked_transaction().map_err(failed)
    }

    /// Returns the row of the match with this number. Uses no index.
    pub(crate) fn match_row(&self, number: u64) -> Result<Option<MatchRow>, StoreError> {
        let found = row(&self.connection, &format!("{SELECT_MATCH} WHERE number = ?"), &[&number], read_match);
        found.map_err(unreadable(&format!("number {number}"), "its head"))
    }

    /// Reads the match of a row.
    pub(crate) fn complete(&self, row: &MatchRow) -> Result<StoredMatch, StoreError> {
        row.complete(&self.parts(row)?)
    }

    /// Reads the record of a finished match without its rules, with its labels. None if the store has no description of it.
    pub(in crate::store) fn transcript(&self, row: &MatchRow) -> Result<Option<Labelled>, StoreError> {
        row.transcript(&self.parts(row)?)
    }

    /// Returns the rows of a match in the other tables.
    fn parts(&self, row: &MatchRow) -> Result<Parts, StoreError> {
        let (match_id, number) = (row.id(), row.number());
        let select = "SELECT seat, taken FROM seat WHERE match = ? ORDER BY seat";
        let seats = rows(&self.connection, select, &[&number], |row| row.try_into());
        let select = "SELECT id, content FROM request WHERE match = ?";
        let requests = rows(&self.connection, select, &[&number], |row| row.try_into());
        let select = "SELECT n, comment FROM comment WHERE match = ? ORDER BY n";
        let comments = rows(&self.connection, select, &[&number], |row| row.try_into());
        let select = "SELECT n, count, at_ms, body, link FROM entry WHERE match = ? ORDER BY n";
        let mut entries: Vec<EntryRow> = Vec::new();
        let mut query = self.connection.prepare_cached(select).map_err(failed)?;
        for row in query.query_map([number], entry_row).map_err(failed)? {
            let part = || format!("its entries from {} on", entries.iter().map(|row| row.count).sum::<usize>() + 1);
            entries.push(row.map_err(|error| unreadable(match_id, &part())(error))?);
        }
        Ok(Parts {
            seats: seats.map_err(unreadable(match_id, "its seats"))?,
            requests: requests.map_err(unreadable(match_id, "its requests"))?,
            comments: comments.map_err(unreadable(match_id, "its comments"))?,
            entries,
            end: log_end(&self.connection, number).map_err(unreadable(match_id, "the end of its log"))?,
        })
    }
}

impl StoreReader for SqliteReader {
    fn read(&self, match_id: &str) -> Result<Option<StoredMatch>, StoreError> {
        let _snapshot = self.snapshot()?;
        let found = row(&self.connection, &format!("{SELECT_MATCH} WHERE id = ?"), &[&match_id], read_match);
        let found = found.map_err(unreadable(match_id, "its head"))?;
        found.map(|row| self.complete(&row)).transpose()
    }

    fn request(&self, id: &Digest) -> Result<Option<StoredRequest>, StoreError> {
        let select = "SELECT request.content, match.id FROM request JOIN match ON match.number = request.match \
                      WHERE request.id = ?";
        let found = row(&self.connection, select, &[id], |row| <(Vec<u8>, String)>::try_from(row));
        let found = found.map_err(failed)?;
        let read = |(content, match_id): (Vec<u8>, String)| {
            Ok(StoredRequest { content: encoding::read_request(&match_id, id, &content)?, match_id })
        };
        found.map(read).transpose()
    }

    fn list(&self, from: u64, query: &Query, max: usize) -> Result<Vec<(u64, Option<Listed>)>, StoreError> {
        let (from_on, order) = if query.newest_first { ("<=", "DESC") } else { (">=", "ASC") };
        // The index of open matches needs its own condition.
        let and_open = if query.is_of_open_matches() { "AND state < 3" } else { "" };
        let mut fits = "(?2 IS NULL OR game = ?2) AND (?4 OR private = 0)".to_owned();
        if !query.states.is_empty() {
            let states: Vec<_> = query.states.iter().map(|state| (*state as i32).to_string()).collect();
            fits = format!("{fits} AND state IN ({})", states.join(", "));
        }
        let select = format!(
            "SELECT number, id, state, {fits}, iif({fits}, description, NULL) FROM match WHERE number {from_on} ?1 \
             {and_open} ORDER BY number {order} LIMIT ?3"
        );
        // A damaged match does not hide the others. A reader of this match alone learns of the damage.
        let read = |row: &Row<'_>| Ok((row.get(0)?, read_listed(row).ok().flatten()));
        // A client may send any number, and SQLite counts with a sign.
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        rows(&self.connection, &select, &[&from, &query.game, &max, &query.with_unlisted], read).map_err(failed)
    }

    fn needed_rules(&self) -> Result<Vec<NeededRules>, StoreError> {
        // The release comes from the row with the largest number, since releases have no order as texts.
        let select =
            "SELECT game, rules, release, count(*), max(number) FROM match WHERE state < 3 GROUP BY game, rules";
        let needed = rows(&self.connection, select, &[], |row| {
            let (game, rules, release, matches, _): (_, _, _, _, u64) = row.try_into()?;
            Ok(NeededRules { game, rules, release, matches })
        });
        needed.map_err(failed)
    }

    fn excess(&self, keep: &Keep, now: MatchTime, max: usize) -> Result<Vec<String>, StoreError> {
        let read = |row: &Row<'_>| row.get(0);
        if let Some(age) = keep.age {
            let oldest = now.0.saturating_sub(age.as_millis() as u64);
            let select = "SELECT id FROM match WHERE ended_ms < ? AND pinned = 0 ORDER BY ended_ms, number LIMIT ?";
            let old = rows(&self.connection, select, &[&oldest, &max], read).map_err(failed)?;
            if !old.is_empty() {
                return Ok(old);
            }
        }
        match keep.bytes {
            Some(bytes) if self.size()? > bytes => {
                let select = "SELECT id FROM match WHERE ended_ms IS NOT NULL AND pinned = 0 \
                              ORDER BY ended_ms, number LIMIT ?";
                rows(&self.connection, select, &[&max], read).map_err(failed)
            }
            Some(_) | None => Ok(Vec::new()),
        }
    }

    fn size(&self) -> Result<u64, StoreError> {
        let pages: u64 = self.pragma("page_count")?;
        let free: u64 = self.pragma("freelist_count")?;
        let page: u64 = self.pragma("page_size")?;
        Ok((pages - free) * page)
    }
}

/// Reads a row of a list; None if it does not fit, or its state is damaged.
fn read_listed(row: &Row<'_>) -> Result<Option<Listed>, rusqlite::Error> {
    let (number, id, state, fits, description): (u64, String, i32, bool, Option<Vec<u8>>) = row.try_into()?;
    let Ok(state) = read_state(&id, state) else { return Ok(None) };
    if !fits {
        return Ok(None);
    }
    let description = description.and_then(|sealed| encoding::read_description(&id, &sealed).ok());
    Ok(Some(Listed { number, id, state, description }))
}

/// Reads a row with the columns `n, count, at_ms, body, link` of a log.
pub(super) fn entry_row(row: &Row<'_>) -> Result<EntryRow, rusqlite::Error> {
    let (first, count, at, body, link) = row.try_into()?;
    Ok(EntryRow { first, count, at: MatchTime(at), body, link })
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn bytes_that_have_changed_are_told_from_a_store_that_fails() {
        let sqlite = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        for damage in [
            sqlite(ffi::SQLITE_CORRUPT),
            sqlite(ffi::SQLITE_NOTADB),
            rusqlite::Error::IntegralValueOutOfRange(0, -1),
            rusqlite::Error::InvalidColumnType(0, "n".to_owned(), rusqlite::types::Type::Text),
        ] {
            assert!(is_damage(&damage), "{damage}");
        }
        for failure in [sqlite(ffi::SQLITE_BUSY), sqlite(ffi::SQLITE_IOERR_READ), rusqlite::Error::QueryReturnedNoRows]
        {
            assert!(!is_damage(&failure), "{failure}");
        }
    }
}
