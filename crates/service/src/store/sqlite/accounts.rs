//! The accounts and keys of a store, read and written through a connection of their own. So a change of an account waits for no
//! match, and no match waits for more than one short transaction.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::{configure, connect, failed, file, row, rows, schema, unusable};
use crate::accounts::{Account, Key, Reply};
use crate::limits::REMEMBERED_COMMANDS;
use crate::store::encoding::accounts::{read_account, read_key, read_reply, write_account, write_key, write_reply};
use crate::store::folder::{FilesInUse, OpenError};
use crate::store::{AccountTable, StoreError};

/// The accounts and keys of the store in a folder.
#[derive(Debug)]
pub(crate) struct SqliteAccounts {
    connection: Connection,
    files: FilesInUse,
}

/// A row that cannot be read: the part of the store, and the reason.
pub(in crate::store) type DamagedRow = (String, String);

/// The rows of both tables, with the damaged ones.
type AllRows = (Vec<Account>, Vec<Key>, Vec<DamagedRow>);

impl SqliteAccounts {
    /// Opens the tables of the store in a folder. The caller keeps the folder locked.
    pub(crate) fn open(folder: &Path) -> Result<Self, OpenError> {
        let file = file(folder);
        let fail = |error| unusable(&file, &error);
        let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fail)?;
        if !schema::is_present(&connection, &file)? {
            return Err(OpenError::Missing(folder.to_owned()));
        }
        configure(&connection).map_err(fail)?;
        Ok(Self { connection, files: FilesInUse::of(folder) })
    }
}

impl AccountTable for SqliteAccounts {
    fn read(&mut self) -> Result<(Vec<Account>, Vec<Key>), StoreError> {
        let (accounts, keys, damaged) = read_all(&self.connection).map_err(failed)?;
        match damaged.first() {
            None => Ok((accounts, keys)),
            Some((part, reason)) => Err(StoreError::Failed(format!("{part} is damaged: {reason}"))),
        }
    }

    fn reply(&self, id: &str) -> Result<Option<Reply>, StoreError> {
        let select = "SELECT reply FROM command WHERE id = ?";
        let reply = row(&self.connection, select, &[&id], |row| row.get::<_, Vec<u8>>(0)).map_err(failed)?;
        reply.map(|bytes| read_reply(id, &bytes)).transpose().map_err(StoreError::Failed)
    }

    fn write(&mut self, accounts: &[Account], keys: &[Key], command: Option<(&str, &Reply)>) -> Result<(), StoreError> {
        let written = self.connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            for account in accounts {
                let insert = "INSERT OR REPLACE INTO account (id, account) VALUES (?, ?)";
                self.connection.execute(insert, params![account.id.as_str(), write_account(account)])?;
            }
            for key in keys {
                let insert = "INSERT OR REPLACE INTO key (id, account, key) VALUES (?, ?, ?)";
                self.connection.execute(insert, params![key.id.as_str(), key.account.as_str(), write_key(key)])?;
            }
            if let Some((id, reply)) = command {
                let insert = "INSERT INTO command (id, reply) VALUES (?, ?)";
                self.connection.execute(insert, params![id, write_reply(id, reply)])?;
                let forget = "DELETE FROM command WHERE number <= (SELECT max(number) FROM command) - ?";
                self.connection.execute(forget, [REMEMBERED_COMMANDS])?;
            }
            self.connection.execute_batch("COMMIT")
        });
        written.map_err(|error| {
            // An error means that SQLite has done so by itself.
            let _ = self.connection.execute_batch("ROLLBACK");
            failed(error)
        })?;
        self.files.check()?;
        // Without the write-ahead log, a key that was revoked would be valid again. The change is durable without this.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        Ok(())
    }
}

/// Reads all accounts and keys, and the rows that are damaged.
pub(in crate::store) fn read_all(connection: &Connection) -> Result<AllRows, rusqlite::Error> {
    let (mut accounts, mut keys, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
    let select = "SELECT id, account FROM account ORDER BY id";
    for (id, bytes) in rows(connection, select, &[], |row| row.try_into() as Result<(String, Vec<u8>), _>)? {
        match read_account(&id, &bytes) {
            Ok(account) => accounts.push(account),
            Err(reason) => damaged.push((format!("account {id}"), reason)),
        }
    }
    let known: HashSet<_> = accounts.iter().map(|account: &Account| account.id).collect();
    let select = "SELECT id, account, key FROM key ORDER BY id";
    let of_key = |row: &rusqlite::Row<'_>| row.try_into() as Result<(String, String, Vec<u8>), _>;
    for (id, account, bytes) in rows(connection, select, &[], of_key)? {
        match read_key(&id, &account, &bytes) {
            Ok(key) if known.contains(&key.account) => keys.push(key),
            Ok(_) => damaged.push((format!("key {id}"), format!("expected account {account}, got none"))),
            Err(reason) => damaged.push((format!("key {id}"), reason)),
        }
    }
    Ok((accounts, keys, damaged))
}

/// Returns the answers to commands that are damaged.
pub(in crate::store) fn damaged_replies(connection: &Connection) -> Result<Vec<DamagedRow>, rusqlite::Error> {
    let of_reply = |row: &rusqlite::Row<'_>| {
        let (id, bytes): (String, Vec<u8>) = row.try_into()?;
        Ok(read_reply(&id, &bytes).err().map(|reason| (format!("command {id}"), reason)))
    };
    let damaged = rows(connection, "SELECT id, reply FROM command ORDER BY number", &[], of_reply)?;
    Ok(damaged.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::accounts::{AccountId, KeyText, Kind, Scope, Scopes, new_key};
    use crate::store::sqlite::tests::new_store;
    use crate::store::{SqliteOptions, SqliteStore, maintenance};

    fn account(id: &str, name: &str) -> Account {
        Account {
            id: AccountId::read(id).expect("an id"),
            name: name.to_owned(),
            kind: Kind::Bot,
            is_disabled: true,
            shares: BTreeMap::from([("matches".to_owned(), 7)]),
            created: SystemTime::UNIX_EPOCH + Duration::from_millis(1_234),
        }
    }

    fn key(owner: &Account, text: &KeyText) -> Key {
        Key {
            id: text.id,
            account: owner.id,
            hash: text.hash(),
            scopes: Scopes::of(&[Scope::Play]),
            label: "laptop".to_owned(),
            created: owner.created,
            expires: Some(owner.created + Duration::from_secs(1)),
            revoked: None,
        }
    }

    #[test]
    fn accounts_and_keys_are_read_as_they_were_written_and_damage_is_named() {
        let (folder, store) = new_store();
        let mut table = SqliteAccounts::open(folder.path()).expect("the store has the tables");
        let (owner, text) = (account("abcdefghijkl", "moai"), new_key());
        let key = key(&owner, &text);
        table.write(std::slice::from_ref(&owner), std::slice::from_ref(&key), None).expect("the disk has room");
        assert_eq!(table.read(), Ok((vec![owner.clone()], vec![key.clone()])));

        let without_log = tempfile::tempdir().expect("a temporary folder");
        std::fs::copy(file(folder.path()), file(without_log.path())).expect("a copy of the file alone");
        let mut copy = SqliteAccounts::open(without_log.path()).expect("the file is whole");
        assert_eq!(copy.read(), Ok((vec![owner.clone()], vec![key.clone()])), "the log can be lost");

        let mut again = SqliteAccounts::open(folder.path()).expect("a second connection");
        assert_eq!(again.read(), Ok((vec![owner], vec![key])));
        again.connection.execute("UPDATE account SET account = CAST(account || x'00' AS BLOB)", []).expect("a row");
        let error = table.read().expect_err("a byte has changed").to_string();
        assert_eq!(error, "account abcdefghijkl is damaged: its bytes have changed");

        again.connection.execute("DELETE FROM account", []).expect("a row");
        let error = table.read().expect_err("the key has no account").to_string();
        assert_eq!(error, format!("key {} is damaged: expected account abcdefghijkl, got none", text.id.as_str()));
        drop((store, table, again));
    }

    #[test]
    fn a_check_counts_accounts_and_keys() {
        let (folder, store) = new_store();
        let counts = |store: SqliteStore| {
            drop(store);
            let check = maintenance::verify(folder.path(), false, &|_| ()).expect("the store can be read");
            assert_eq!(check.faults, []);
            (check.accounts, check.keys)
        };
        assert_eq!(counts(store), (0, 0));
        let store = SqliteStore::open(folder.path(), &SqliteOptions::default()).expect("the same store");
        let mut table = SqliteAccounts::open(folder.path()).expect("the store has the tables");
        let owner = account("abcdefghijkl", "moai");
        let keys = [(); 3].map(|()| key(&owner, &new_key()));
        table.write(&[owner, account("mnopqrstuvwx", "ahu")], &keys, None).expect("the disk has room");
        drop(table);
        assert_eq!(counts(store), (2, 3));
    }
}
