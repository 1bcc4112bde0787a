//! A database as the source or the target of a copy of a whole store (`maintenance/transfer.rs`).

use std::pin::pin;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio_postgres::Error;

use super::PostgresStore;
use super::connection::{Connection, Database, Fault};
use super::schema;
use crate::store::maintenance::{Meta, Table};
use crate::store::{OpenError, StoreError};

/// The longest time of a call of a copy, which a large store may need.
const CALL: Duration = Duration::from_secs(600);

/// A side of a copy, within one transaction.
#[derive(Debug)]
pub(in crate::store) struct DatabaseCopy {
    connection: Connection,
    /// Keeps servers from the target; None for a source.
    store: Option<PostgresStore>,
}

impl DatabaseCopy {
    /// Begins to read a store as of now. A server may use it.
    pub(in crate::store) fn source(database: &Database) -> Result<Self, OpenError> {
        let connection = Connection::open(database, None)?;
        schema::present(&connection, database)?;
        Self::begin(connection, None, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    /// Begins to write a store. No server may use it.
    pub(in crate::store) fn target(database: &Database) -> Result<Self, OpenError> {
        let store = PostgresStore::open(database, false)?;
        Self::begin(Connection::open(database, None)?, Some(store), "BEGIN")
    }

    fn begin(connection: Connection, store: Option<PostgresStore>, begin: &str) -> Result<Self, OpenError> {
        // The other side may take its time. The cells of bytes are those of the other side.
        let settings = "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL bytea_output = 'hex'";
        let done = connection.batch(&format!("{begin}; {settings}"));
        done.map_err(|fault| OpenError::Failed(format!("the database: {fault}")))?;
        Ok(Self { connection, store })
    }

    pub(in crate::store) fn is_empty(&self) -> Result<bool, StoreError> {
        let select = "SELECT NOT EXISTS (SELECT FROM ahu.match) AND NOT EXISTS (SELECT FROM ahu.account) \
                      AND NOT EXISTS (SELECT FROM ahu.audit)";
        Ok(self.connection.one(select, &[])?.get(0))
    }

    pub(in crate::store) fn meta(&self) -> Result<Meta, StoreError> {
        let row = self.connection.one("SELECT token_key, time_ms FROM ahu.meta", &[])?;
        Ok((row.get(0), row.get(1)))
    }

    pub(in crate::store) fn set_meta(&self, token_key: &[u8], time: i64) -> Result<(), StoreError> {
        let set = "UPDATE ahu.meta SET token_key = $1, time_ms = $2";
        Ok(self.connection.rows(set, &[&token_key, &time]).map(drop)?)
    }

    pub(in crate::store) fn last_number(&self) -> Result<i64, StoreError> {
        Ok(self.connection.one("SELECT coalesce(max(number), 0) FROM ahu.match", &[])?.get(0))
    }

    /// Reads a portion of a table, as lines of COPY.
    pub(in crate::store) fn read(&self, table: &Table, portion: (i64, i64)) -> Result<Vec<String>, StoreError> {
        let Table { name, number, order, .. } = table;
        // The other side orders texts by their bytes.
        let collation = if number.is_some() { "" } else { "COLLATE \"C\"" };
        let rows = format!("SELECT {} FROM ahu.{name} WHERE {}", table.names(), table.condition(portion));
        self.copy_out(&format!("{rows} ORDER BY {order} {collation}"))
    }

    /// Reads the lines of the audit, as lines of COPY.
    pub(in crate::store) fn audit(&self) -> Result<Vec<String>, StoreError> {
        self.copy_out("SELECT line FROM ahu.audit ORDER BY number")
    }

    fn copy_out(&self, select: &str) -> Result<Vec<String>, StoreError> {
        let copy = format!("COPY ({select}) TO STDOUT");
        let reading = async {
            let mut rows = pin!(self.connection.client().copy_out(&copy).await?);
            let mut bytes = Vec::new();
            while let Some(part) = rows.next().await {
                bytes.extend_from_slice(&part?);
            }
            Ok::<_, Error>(bytes)
        };
        let bytes = self.connection.wait_within(CALL, reading)?;
        let text = String::from_utf8(bytes).map_err(|error| StoreError::Failed(error.to_string()))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    pub(in crate::store) fn write(&self, table: &Table, lines: &[String]) -> Result<(), StoreError> {
        Ok(self.copy_in(&format!("ahu.{} ({})", table.name, table.names()), lines.iter().map(String::as_str))?)
    }

    pub(in crate::store) fn write_audit(&self, cells: &[String]) -> Result<(), StoreError> {
        Ok(self.copy_in("ahu.audit (line)", cells.iter().map(String::as_str))?)
    }

    fn copy_in<'a>(&self, into: &str, lines: impl Iterator<Item = &'a str>) -> Result<(), Fault> {
        let rows = lines.fold(String::new(), |rows, line| rows + line + "\n");
        if rows.is_empty() {
            return Ok(());
        }
        let copy = format!("COPY {into} FROM STDIN");
        let writing = async {
            let mut sink = pin!(self.connection.client().copy_in(&copy).await?);
            sink.send(axum::body::Bytes::from(rows)).await?;
            sink.finish().await
        };
        self.connection.wait_within(CALL, writing).map(drop)
    }

    /// Commits what was written, with what follows from it.
    pub(in crate::store) fn end(&self) -> Result<(), StoreError> {
        let rest = "\
            INSERT INTO ahu.log (match, entries, link) SELECT number, 0, '' FROM ahu.match ON CONFLICT DO NOTHING; \
            UPDATE ahu.log AS l SET comments = (SELECT count(*) FROM ahu.comment AS c WHERE c.match = l.match), bytes = \
                (SELECT length(head) + coalesce(length(description), 0) FROM ahu.match AS m WHERE m.number = l.match) \
                + (SELECT coalesce(sum(length(body) + length(link)), 0) FROM ahu.entry AS e WHERE e.match = l.match) \
                + (SELECT coalesce(sum(length(taken)), 0) FROM ahu.seat AS s WHERE s.match = l.match) \
                + (SELECT coalesce(sum(length(comment)), 0) FROM ahu.comment AS c WHERE c.match = l.match) \
                + (SELECT coalesce(sum(length(content)), 0) FROM ahu.request AS r WHERE r.match = l.match); \
            UPDATE ahu.meta SET bytes = (SELECT coalesce(sum(bytes), 0) FROM ahu.log); \
            UPDATE ahu.accounts SET changes = changes + 1; \
            SELECT ahu.wait_1();";
        self.connection.wait_within(CALL, self.connection.client().batch_execute(rest))?;
        if let Some(store) = &self.store {
            // Another server may have taken the database meanwhile.
            self.connection.one("SELECT ahu.hold_1($1)", &[&&store.start_id()[..]])?;
        }
        Ok(self.connection.commit(self.connection.client().batch_execute("COMMIT"))?)
    }
}
