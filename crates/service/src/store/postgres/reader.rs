//! The reader of a store in a database. It has a connection of its own.

use std::sync::Arc;

use ahu_host::MatchTime;
use tokio_postgres::Row;

use super::ServerIdentity;
use super::confirmations::Confirmations;
use super::connection::{Connection, Database};
use crate::proto::v1::MatchState;
use crate::secrets::Digest;
use crate::store::encoding::{self, Columns, EntryRow, LogEnd};
use crate::store::rows::{MatchRow, Parts, read_state};
use crate::store::{Keep, Listed, NeededRules, Query, StoreError, StoreReader, StoredMatch, StoredRequest};

/// A reader of a store.
#[derive(Debug)]
pub(super) struct PostgresReader {
    connection: Connection,
    /// The database of the connection.
    server: ServerIdentity,
    confirmations: Arc<Confirmations>,
}

impl PostgresReader {
    pub(super) fn open(database: &Database, confirmations: Arc<Confirmations>) -> Result<Self, StoreError> {
        let connection = Connection::open(database, None).map_err(|error| StoreError::Failed(error.to_string()))?;
        let server = ServerIdentity::of(&connection)?;
        Ok(Self { connection, server, confirmations })
    }

    /// Returns the rows of a query, once the commits that they may belong to are confirmed.
    fn rows(&self, sql: &str, values: &[&(dyn tokio_postgres::types::ToSql + Sync)]) -> Result<Vec<Row>, StoreError> {
        let rows = self.connection.rows(sql, values)?;
        self.confirmations.wait(&self.server)?;
        Ok(rows)
    }
}

/// Reads a match from a row of `ahu.whole_1`.
fn read_match(row: &Row) -> Result<StoredMatch, StoreError> {
    let [number, created_ms] = ["number", "created_ms"].map(|name| unsigned(row.get(name)));
    let columns =
        Columns { number, id: row.get("id"), release: row.get("release"), created_ms, is_unlisted: row.get("private") };
    let own = MatchRow {
        columns,
        head: row.get("head"),
        state: row.get("state"),
        game: row.get("game"),
        rules: row.get::<_, i32>("rules").cast_unsigned(),
        is_sealed: row.get("sealed"),
        ended_ms: row.get::<_, Option<i64>>("ended_ms").map(unsigned),
        description: row.get("description"),
    };
    let damaged = |part: &str, reason: String| encoding::damaged(own.id(), part, reason);
    let (entries, link): (Option<i32>, Option<&[u8]>) = (row.get("entries"), row.get("link"));
    let end = entries.zip(link).ok_or_else(|| "expected it beside the match, got none".to_owned());
    let end = end
        .and_then(|(entries, link)| log_end(entries, link))
        .map_err(|reason| damaged("the end of its log", reason))?;
    let places = |name: &str| row.get::<_, Option<Vec<i32>>>(name).unwrap_or_default();
    let times = |name: &str| row.get::<_, Option<Vec<i64>>>(name).unwrap_or_default();
    let bytes = |name: &str| row.get::<_, Option<Vec<Vec<u8>>>>(name).unwrap_or_default();
    let rows_at = |at: &str, of: &str| places(at).into_iter().map(place).zip(bytes(of)).collect();
    let requests = bytes("r_id").into_iter().zip(bytes("r_content")).map(|(id, content)| {
        let id: Digest = id.try_into().map_err(|_| damaged("its requests", "expected an id of 32 bytes".to_owned()))?;
        Ok((id, content))
    });
    let entries =
        places("e_n").into_iter().zip(places("e_count")).zip(times("e_at")).zip(bytes("e_body")).zip(bytes("e_link"));
    let parts = Parts {
        seats: rows_at("s_seat", "s_taken"),
        requests: requests.collect::<Result<_, StoreError>>()?,
        comments: rows_at("c_n", "c_comment"),
        entries: entries
            .map(|((((first, count), at), body), link)| EntryRow {
                first: place(first),
                count: place(count),
                at: MatchTime(unsigned(at)),
                body,
                link,
            })
            .collect(),
        end,
    };
    own.complete(&parts)
}

/// Reads a row with the columns `n, count, at_ms, body, link` of a log.
pub(super) fn entry_row(row: &Row) -> EntryRow {
    let (first, count, at): (i32, i32, i64) = (row.get(0), row.get(1), row.get(2));
    EntryRow {
        first: place(first),
        count: place(count),
        at: MatchTime(unsigned(at)),
        body: row.get(3),
        link: row.get(4),
    }
}

impl StoreReader for PostgresReader {
    fn read(&self, match_id: &str) -> Result<Option<StoredMatch>, StoreError> {
        let rows = self.rows("SELECT * FROM ahu.whole_1 WHERE id = $1", &[&match_id])?;
        rows.first().map(read_match).transpose()
    }

    fn request(&self, id: &Digest) -> Result<Option<StoredRequest>, StoreError> {
        let select =
            "SELECT r.content, m.id FROM ahu.request AS r JOIN ahu.match AS m ON m.number = r.match WHERE r.id = $1";
        let rows = self.rows(select, &[&&id[..]])?;
        let read = |row: &Row| {
            let (content, match_id): (&[u8], String) = (row.get(0), row.get(1));
            Ok(StoredRequest { content: encoding::read_request(&match_id, id, content)?, match_id })
        };
        rows.first().map(read).transpose()
    }

    fn list(&self, from: u64, query: &Query, max: usize) -> Result<Vec<(u64, Option<Listed>)>, StoreError> {
        let (from_on, order) = if query.newest_first { ("<=", "DESC") } else { (">=", "ASC") };
        // The index of open matches needs its own condition.
        let and_open = if query.is_of_open_matches() { "AND state < 3" } else { "" };
        let select = format!(
            "SELECT number, id, state, fits, CASE WHEN fits THEN description END FROM (SELECT *, \
             ($2::text IS NULL OR game = $2) AND ($4 OR NOT private) AND (cardinality($5::integer[]) = 0 OR state = ANY ($5)) AS fits \
             FROM ahu.match WHERE number {from_on} $1 {and_open} ORDER BY number {order} LIMIT $3) AS looked"
        );
        // A client may send any number, and the database counts with a sign.
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let states: Vec<i32> = query.states.iter().map(|state| *state as i32).collect();
        let rows = self.rows(&select, &[&from, &query.game, &(max as i64), &query.with_unlisted, &states])?;
        Ok(rows.iter().map(|row| (unsigned(row.get(0)), read_listed(row))).collect())
    }

    fn needed_rules(&self) -> Result<Vec<NeededRules>, StoreError> {
        // The release comes from the row with the largest number, since releases have no order as texts.
        let select = "SELECT game, rules, (array_agg(release ORDER BY number DESC))[1], count(*) FROM ahu.match \
                      WHERE state < 3 GROUP BY game, rules";
        let read = |row: &Row| NeededRules {
            game: row.get(0),
            rules: row.get::<_, i32>(1).cast_unsigned(),
            release: row.get(2),
            matches: unsigned(row.get(3)),
        };
        Ok(self.rows(select, &[])?.iter().map(read).collect())
    }

    fn excess(&self, keep: &Keep, now: MatchTime, max: usize) -> Result<Vec<String>, StoreError> {
        let ended_before = |before: Option<u64>| {
            let select = "SELECT id FROM ahu.match WHERE ended_ms IS NOT NULL AND ($1::bigint IS NULL OR ended_ms < $1) \
                          AND NOT pinned ORDER BY ended_ms, number LIMIT $2";
            let before = before.map(|before| i64::try_from(before).unwrap_or(i64::MAX));
            Ok::<_, StoreError>(self.rows(select, &[&before, &(max as i64)])?.iter().map(|row| row.get(0)).collect())
        };
        if let Some(age) = keep.age {
            let old: Vec<String> = ended_before(Some(now.0.saturating_sub(age.as_millis() as u64)))?;
            if !old.is_empty() {
                return Ok(old);
            }
        }
        match keep.bytes {
            Some(bytes) if self.size()? > bytes => ended_before(None),
            Some(_) | None => Ok(Vec::new()),
        }
    }

    fn size(&self) -> Result<u64, StoreError> {
        let rows = self.rows("SELECT bytes FROM ahu.meta", &[])?;
        Ok(rows.first().map_or(0, |row| unsigned(row.get(0))))
    }
}

/// Reads a row of a list; None if it does not fit, or its state is damaged.
fn read_listed(row: &Row) -> Option<Listed> {
    let (number, id, fits): (i64, String, bool) = (row.get(0), row.get(1), row.get(3));
    let state: MatchState = read_state(&id, row.get(2)).ok().filter(|_| fits)?;
    let description = row.get::<_, Option<&[u8]>>(4).and_then(|sealed| encoding::read_description(&id, sealed).ok());
    Some(Listed { number: unsigned(number), id, state, description })
}

/// Reads the end of a log.
pub(super) fn log_end(entries: i32, link: &[u8]) -> Result<LogEnd, String> {
    if entries == 0 {
        return Ok(LogEnd::START);
    }
    let link = link.try_into().map_err(|_| format!("expected a link of 32 bytes, got {}", link.len()))?;
    Ok(LogEnd { entries: place(entries), link })
}

/// Returns a number that the database keeps with a sign.
pub(super) const fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

/// Returns a place or a count that the database keeps with a sign.
pub(super) const fn place(number: i32) -> usize {
    number.cast_unsigned() as usize
}
