//! The accounts, keys, and audit of a store in a database.
//!
//! The operator's commands change accounts by a connection of their own, whether a server runs or not. Each change raises a
//! number, which the server reads with its beats; it then reads all accounts again.

use super::connection::{Connection, Database, Fault};
use super::schema;
use crate::accounts::{Account, Key, Reply};
use crate::store::encoding::accounts::{read_account, read_key, write_account, write_key};
use crate::store::{AccountTable, OpenError, StoreError};

/// The number of lines of the audit that are read at once.
const LINES_AT_ONCE: i64 = 1024;

/// The accounts and keys of the store in a database.
#[derive(Debug)]
pub(in crate::store) struct DatabaseAccounts {
    connection: Connection,
    database: Database,
    /// True if a transaction of this connection has locked the accounts.
    is_to_change: bool,
}

impl DatabaseAccounts {
    /// Opens the tables; to change them, keeps others from it until the value is dropped.
    pub(in crate::store) fn open(database: &Database, is_to_change: bool) -> Result<Self, OpenError> {
        let unusable = |fault: Fault| OpenError::Failed(format!("the database {database} cannot be used: {fault}"));
        let connection = Connection::open(database, None)?;
        schema::ensure(&connection, database)?;
        if is_to_change {
            connection.batch("BEGIN; SELECT FROM ahu.accounts FOR UPDATE").map_err(unusable)?;
        }
        Ok(Self { connection, database: database.clone(), is_to_change })
    }
}

impl AccountTable for DatabaseAccounts {
    fn read(&mut self) -> Result<(Vec<Account>, Vec<Key>), StoreError> {
        if self.connection.is_closed() {
            let opened = Self::open(&self.database, self.is_to_change);
            *self = opened.map_err(|error| StoreError::Failed(error.to_string()))?;
        }
        let damaged = |part: String| move |reason| StoreError::Failed(format!("{part} is damaged: {reason}"));
        let of_account = |row: tokio_postgres::Row| {
            let id: &str = row.get(0);
            read_account(id, row.get(1)).map_err(damaged(format!("account {id}")))
        };
        let of_key = |row: tokio_postgres::Row| {
            let id: &str = row.get(0);
            read_key(id, row.get(1), row.get(2)).map_err(damaged(format!("key {id}")))
        };
        let accounts = self.connection.rows("SELECT id, account FROM ahu.account ORDER BY id", &[])?;
        // Accounts are never removed, so the keys that are read later have all theirs, but for new ones.
        let keys = "SELECT id, account, key FROM ahu.key WHERE account = ANY ($1) ORDER BY id";
        let ids: Vec<&str> = accounts.iter().map(|row| row.get(0)).collect();
        let keys = self.connection.rows(keys, &[&ids])?;
        Ok((
            accounts.into_iter().map(of_account).collect::<Result<_, _>>()?,
            keys.into_iter().map(of_key).collect::<Result<_, _>>()?,
        ))
    }

    /// Returns None: a command is not sent to anybody, so nobody sends it again.
    fn reply(&self, _: &str) -> Result<Option<Reply>, StoreError> {
        Ok(None)
    }

    fn write(&mut self, accounts: &[Account], keys: &[Key], _: Option<(&str, &Reply)>) -> Result<(), StoreError> {
        if !self.is_to_change {
            return Err(StoreError::Failed("the commands of the operator change the database themselves".to_owned()));
        }
        let (ids, bytes): (Vec<_>, Vec<_>) =
            accounts.iter().map(|account| (account.id.as_str(), write_account(account))).unzip();
        let insert = "INSERT INTO ahu.account SELECT * FROM unnest($1::text[], $2::bytea[]) \
                      ON CONFLICT (id) DO UPDATE SET account = excluded.account";
        self.connection.rows(insert, &[&ids, &bytes])?;
        let ids: Vec<_> = keys.iter().map(|key| key.id.as_str()).collect();
        let owners: Vec<_> = keys.iter().map(|key| key.account.as_str()).collect();
        let bytes: Vec<_> = keys.iter().map(write_key).collect();
        let insert = "INSERT INTO ahu.key SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) \
                      ON CONFLICT (id) DO UPDATE SET key = excluded.key";
        self.connection.rows(insert, &[&ids, &owners, &bytes])?;
        self.connection.one("SELECT ahu.wait_1()", &[])?;
        let commit = "UPDATE ahu.accounts SET changes = changes + 1; COMMIT; BEGIN; SELECT FROM ahu.accounts FOR UPDATE";
        Ok(self.connection.commit(self.connection.client().batch_execute(commit))?)
    }
}

/// The audit of a store in a database.
#[derive(Debug)]
pub(crate) struct DatabaseAudit(Connection);

impl DatabaseAudit {
    pub(crate) fn open(database: &Database) -> Result<Self, OpenError> {
        let connection = Connection::open(database, None)?;
        schema::ensure(&connection, database)?;
        Ok(Self(connection))
    }

    /// Appends lines.
    pub(crate) fn append(&self, lines: &[String]) -> Result<(), StoreError> {
        let insert = "INSERT INTO ahu.audit (line) SELECT unnest($1::text[])";
        Ok(self.0.rows(insert, &[&lines]).map(drop)?)
    }

    /// Returns some lines after the one with this number, with their numbers; none at the end.
    pub(crate) fn after(&self, number: i64) -> Result<Vec<(i64, String)>, StoreError> {
        let select = "SELECT number, line FROM ahu.audit WHERE number > $1 ORDER BY number LIMIT $2";
        let rows = self.0.rows(select, &[&number, &LINES_AT_ONCE])?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }
}
