//! The accounts, keys, and audit of a store in a database.
//!
//! The operator's commands change accounts by a connection of their own, whether a server runs or not. Each change raises a
//! number, which the server reads with its beats; it then reads all accounts again.

use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use super::connection::{Connection, Database, Fault};
use super::{Lease, schema};
use crate::accounts::{Account, Key, Reply};
use crate::store::encoding::accounts::{read_account, read_key, write_account, write_key};
use crate::store::{AccountTable, OpenError, StoreError};

/// The number of lines of the audit that are read at once.
const LINES_AT_ONCE: i64 = 1024;

/// The accounts and keys of the store in a database.
#[derive(Debug)]
pub(in crate::store) struct DatabaseAccounts {
    database: Database,
    access: Access,
}

/// The way to the accounts.
#[derive(Debug)]
enum Access {
    /// By a new connection for each read. If a server reads, it has a lease, and its database is that of the lease.
    Read(Option<Lease>),
    /// By a connection whose transaction has locked the accounts.
    Change(Box<Connection>),
    /// The change was made.
    Changed,
}

impl DatabaseAccounts {
    /// Opens the tables to read them.
    pub(in crate::store) fn open(database: &Database, lease: Option<Lease>) -> Self {
        Self { database: database.clone(), access: Access::Read(lease) }
    }

    /// Opens the tables for one change, and keeps others from it until the value is dropped.
    pub(in crate::store) fn open_to_change(database: &Database) -> Result<Self, OpenError> {
        let connection = Connection::open(database, None)?;
        schema::ensure(&connection, database)?;
        let lock =
            "BEGIN; SET LOCAL lock_timeout = '2s'; SELECT FROM ahu.accounts FOR UPDATE; SET LOCAL lock_timeout = 0";
        match connection.batch(lock) {
            Ok(()) => Ok(Self { database: database.clone(), access: Access::Change(Box::new(connection)) }),
            Err(Fault::Refused { code, .. }) if code == SqlState::LOCK_NOT_AVAILABLE => {
                Err(OpenError::Failed(format!("another command changes the accounts of {database} now: give it again")))
            }
            Err(fault) => Err(OpenError::Failed(format!("the database {database} cannot be used: {fault}"))),
        }
    }

    /// Connects, and refuses a database that is not the one of the server any more.
    fn connect(&self, lease: Option<&Lease>) -> Result<Connection, OpenError> {
        let connection = Connection::open(&self.database, None)?;
        schema::present(&connection, &self.database)?;
        let timeline = connection.one("SELECT ahu.timeline_1()", &[]);
        let timeline = timeline.map_err(|fault| OpenError::Failed(fault.to_string()))?;
        match lease.map(Lease::timeline).filter(|known| !known.is_empty()) {
            Some(known) if known != timeline.get::<_, &str>(0) => {
                Err(OpenError::Failed("the database that was read is not the one that is written".to_owned()))
            }
            _ => Ok(connection),
        }
    }
}

impl AccountTable for DatabaseAccounts {
    fn read(&mut self) -> Result<(Vec<Account>, Vec<Key>), StoreError> {
        let opened;
        let connection = match &self.access {
            Access::Change(connection) => connection,
            Access::Changed => return Err(changed()),
            Access::Read(lease) => {
                let connected = self.connect(lease.as_ref());
                opened = connected.map_err(|error| StoreError::Failed(error.to_string()))?;
                &opened
            }
        };
        let damaged = |part: String| move |reason| StoreError::Failed(format!("{part} is damaged: {reason}"));
        let of_account = |row: Row| {
            let id: &str = row.get(0);
            read_account(id, row.get(1)).map_err(damaged(format!("account {id}")))
        };
        let of_key = |row: Row| {
            let id: &str = row.get(0);
            read_key(id, row.get(1), row.get(2)).map_err(damaged(format!("key {id}")))
        };
        let accounts = connection.rows("SELECT id, account FROM ahu.account ORDER BY id", &[])?;
        // Accounts are never removed, so the keys that are read later have all theirs, but for new ones.
        let keys = "SELECT id, account, key FROM ahu.key WHERE account = ANY ($1) ORDER BY id";
        let ids: Vec<&str> = accounts.iter().map(|row| row.get(0)).collect();
        let keys = connection.rows(keys, &[&ids])?;
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
        let Access::Change(connection) = std::mem::replace(&mut self.access, Access::Changed) else {
            return Err(changed());
        };
        let (ids, bytes): (Vec<_>, Vec<_>) =
            accounts.iter().map(|account| (account.id.as_str(), write_account(account))).unzip();
        let insert = "INSERT INTO ahu.account SELECT * FROM unnest($1::text[], $2::bytea[]) \
                      ON CONFLICT (id) DO UPDATE SET account = excluded.account";
        connection.rows(insert, &[&ids, &bytes])?;
        let ids: Vec<_> = keys.iter().map(|key| key.id.as_str()).collect();
        let owners: Vec<_> = keys.iter().map(|key| key.account.as_str()).collect();
        let bytes: Vec<_> = keys.iter().map(write_key).collect();
        let insert = "INSERT INTO ahu.key SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) \
                      ON CONFLICT (id) DO UPDATE SET key = excluded.key";
        connection.rows(insert, &[&ids, &owners, &bytes])?;
        connection.batch("SELECT ahu.wait_1(); UPDATE ahu.accounts SET changes = changes + 1")?;
        Ok(connection.commit(connection.client().batch_execute("COMMIT"))?)
    }
}

/// Returns the error of a second change, and of a change by one who only reads.
fn changed() -> StoreError {
    StoreError::Failed("expected accounts that were opened for this change".to_owned())
}

/// The audit of a store in a database.
#[derive(Debug)]
pub(crate) struct DatabaseAudit(Connection);

impl DatabaseAudit {
    /// Opens the table to read it, or to append to it.
    pub(crate) fn open(database: &Database, is_to_write: bool) -> Result<Self, OpenError> {
        let connection = Connection::open(database, None)?;
        let of = if is_to_write { schema::ensure } else { schema::present };
        of(&connection, database)?;
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
