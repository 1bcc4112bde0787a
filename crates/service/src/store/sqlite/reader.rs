//! The reader of a store in SQLite. It has a connection of its own, and its transactions are short.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use ahu_core::{BySeat, Fingerprint, Seats, hex};
use ahu_host::api::terms;
use ahu_host::{AnyRules, Cause, Ending, MatchResult, MatchTime, Transcript};
use prost::Message as _;
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, Row, Transaction};

use super::{failed, log_end, row, rows};
use crate::proto::v1::{self, MatchState};
use crate::secrets::Digest;
use crate::store::encoding::{self, Columns, EntryRow, LogEnd};
use crate::store::{
    Comment, Keep, Listed, MatchHead, NeededRules, Query, Request, StoreError, StoreReader, StoredMatch, StoredRequest,
    StoredStep, TakenSeat,
};

/// A reader of a store.
#[derive(Debug)]
pub(crate) struct SqliteReader {
    connection: Connection,
}

#[derive(Debug)]
pub(crate) struct MatchRow {
    columns: Columns,
    head: Vec<u8>,
    pub(crate) state: i32,
    pub(crate) game: String,
    pub(crate) rules: u32,
    is_sealed: bool,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) description: Option<Vec<u8>>,
}

/// A record without its rules, and the labels of its match.
pub(crate) type Labelled = (Transcript, BTreeMap<String, String>);

/// The query that [`MatchRow::read`] reads.
const SELECT_MATCH: &str = "SELECT number, id, release, created_ms, private, head, state, game, rules, sealed, \
                            ended_ms, description FROM match";

impl MatchRow {
    fn read(row: &Row<'_>) -> Result<Self, rusqlite::Error> {
        let (number, id, release, created_ms, is_unlisted, head, state, game, rules, is_sealed, ended_ms, description) =
            row.try_into()?;
        let columns = Columns { number, id, release, created_ms, is_unlisted };
        Ok(Self { columns, head, state, game, rules, is_sealed, ended_ms, description })
    }

    pub(crate) fn id(&self) -> &str {
        &self.columns.id
    }

    /// Returns the time of day of the creation.
    pub(crate) fn created(&self) -> SystemTime {
        encoding::from_ms(self.columns.created_ms)
    }

    /// Returns the public description of a match that has ended, if the store has it.
    fn described(&self) -> Option<v1::Match> {
        let bytes = encoding::read_description(self.id(), self.description.as_ref()?).ok()?;
        v1::Match::decode(&*bytes).ok()
    }
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
        let found = row(&self.connection, &format!("{SELECT_MATCH} WHERE number = ?"), &[&number], MatchRow::read);
        found.map_err(unreadable(&format!("number {number}"), "its head"))
    }

    /// Reads the match of a row.
    pub(crate) fn complete(&self, row: &MatchRow) -> Result<StoredMatch, StoreError> {
        let head = MatchHead { is_sealed: row.is_sealed, ..encoding::read_head(&row.columns, &row.head)? };
        let (match_id, number) = (row.id(), row.columns.number);

        let seats = self.seats(match_id, number)?;

        let select = "SELECT id, content FROM request WHERE match = ?";
        let requests = rows(&self.connection, select, &[&number], |row| <(Digest, Vec<u8>)>::try_from(row));
        let requests = requests.map_err(unreadable(match_id, "its requests"))?;
        let requests = requests
            .iter()
            .map(|(id, content)| Ok(Request { id: *id, content: encoding::read_request(match_id, id, content)? }));
        let requests = requests.collect::<Result<_, StoreError>>()?;

        let steps = self.steps(match_id, number, (head.setup.seats(), Some(head.setup.rules())))?;

        let comments = self.comments(match_id, number)?;
        let ended = row.described().and_then(|described| described.end_time?.try_into().ok());
        Ok(StoredMatch { head, seats, requests, steps, comments, state: read_state(match_id, row.state)?, ended })
    }

    /// Reads the record of a finished match without its rules, with its labels. None if the store has no description of it.
    pub(crate) fn transcript(&self, row: &MatchRow) -> Result<Option<Labelled>, StoreError> {
        let Some(stated) = row.described().and_then(|described| described.result) else { return Ok(None) };
        let (mut record, labels) = encoding::read_transcript(&row.columns, &row.head)?;
        let (match_id, number, seats) = (row.id(), row.columns.number, record.seats);
        for taken in self.seats(match_id, number)? {
            if let Some(player) = record.players.get_mut(taken.seat.index()) {
                player.name = taken.name;
            }
        }
        let steps = self.steps(match_id, number, (seats, None))?;
        record.entries = steps.into_iter().flat_map(|step| step.entries).collect();
        let forfeit_of = |index: usize| stated.forfeits.iter().find(|forfeit| forfeit.seat == Some(index as u32));
        let cause_of = |index| {
            let stated = forfeit_of(index)?.cause();
            Cause::ALL.into_iter().find(|cause| terms::cause(*cause) == stated)
        };
        let scores = BySeat::from_fn(seats, |seat| stated.scores.get(seat.index()).copied().unwrap_or_default());
        let ranks = stated.ranks.iter().map(|rank| u8::try_from(*rank).unwrap_or_default()).collect::<Vec<_>>();
        let ranks = BySeat::from_fn(seats, |seat| ranks.get(seat.index()).copied().unwrap_or_default());
        let forfeits = BySeat::from_fn(seats, |seat| cause_of(seat.index()));
        record.result = Some(MatchResult { scores, ranks, forfeits });
        record.ending = Some(Ending::Finished);
        record.fingerprint = Fingerprint(stated.fingerprint[..].try_into().unwrap_or_default());
        let digest = record.digest();
        if digest[..] != stated.record_digest[..] {
            let (stated, found) = (hex(&stated.record_digest), hex(&digest));
            let reason = format!("expected a record with the digest {stated}, got {found}");
            return Err(encoding::damaged(match_id, "its description", reason));
        }
        Ok(Some((record, labels)))
    }

    /// Reads the seats of a match that agents took.
    fn seats(&self, match_id: &str, number: u64) -> Result<Vec<TakenSeat>, StoreError> {
        let select = "SELECT seat, taken FROM seat WHERE match = ? ORDER BY seat";
        let seats = rows(&self.connection, select, &[&number], |row| <(usize, Vec<u8>)>::try_from(row));
        let seats = seats.map_err(unreadable(match_id, "its seats"))?;
        seats.iter().map(|(seat, taken)| encoding::read_seat(match_id, *seat, taken)).collect()
    }

    /// Reads the comments on the decisions of a match.
    fn comments(&self, match_id: &str, number: u64) -> Result<Vec<Comment>, StoreError> {
        let select = "SELECT n, comment FROM comment WHERE match = ? ORDER BY n";
        let comments = rows(&self.connection, select, &[&number], |row| <(usize, Vec<u8>)>::try_from(row));
        let comments = comments.map_err(unreadable(match_id, "its comments"))?;
        comments.iter().map(|(place, comment)| encoding::read_comment(match_id, *place, comment)).collect()
    }

    /// Reads the entries of a match.
    fn steps(
        &self,
        match_id: &str,
        number: u64,
        table: (Seats, Option<&dyn AnyRules>),
    ) -> Result<Vec<StoredStep>, StoreError> {
        let select = "SELECT n, count, at_ms, body, link FROM entry WHERE match = ? ORDER BY n";
        let mut query = self.connection.prepare_cached(select).map_err(failed)?;
        let rows = query.query_map([number], entry_row);
        let mut end = LogEnd::START;
        let mut steps = Vec::new();
        for row in rows.map_err(failed)? {
            let row = row.map_err(|error| {
                let part = format!("its entries from {} on", end.entries + 1);
                unreadable(match_id, &part)(error)
            })?;
            let (step, after) = encoding::read_row(match_id, table, end, &row)?;
            steps.push(step);
            end = after;
        }
        let stated = log_end(&self.connection, number).map_err(unreadable(match_id, "the end of its log"))?;
        if stated != end {
            let reason = match stated.entries == end.entries {
                true => "expected another last link".to_owned(),
                false => format!("expected {} entries, got {}", stated.entries, end.entries),
            };
            return Err(encoding::damaged(match_id, "the end of its log", reason));
        }
        Ok(steps)
    }
}

impl StoreReader for SqliteReader {
    fn read(&self, match_id: &str) -> Result<Option<StoredMatch>, StoreError> {
        let _snapshot = self.snapshot()?;
        let found = row(&self.connection, &format!("{SELECT_MATCH} WHERE id = ?"), &[&match_id], MatchRow::read);
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

fn read_state(match_id: &str, state: i32) -> Result<MatchState, StoreError> {
    let known = MatchState::try_from(state).ok().filter(|state| *state != MatchState::Unspecified);
    known.ok_or_else(|| encoding::damaged(match_id, "its state", format!("expected a state from 1 to 5, got {state}")))
}

/// Returns true for the states of matches that have ended.
pub(crate) fn has_ended(state: MatchState) -> bool {
    matches!(state, MatchState::Finished | MatchState::Cancelled | MatchState::Void)
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
