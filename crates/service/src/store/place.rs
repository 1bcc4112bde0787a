//! The place where a server keeps its matches: a folder, or a database.

use std::fmt;
use std::path::{Path, PathBuf};

use super::postgres::{Database, DatabaseAccounts, Lease};
use super::sqlite::SqliteAccounts;
use super::{AccountTable, OpenError};

/// A folder with a store in SQLite, or a database of PostgreSQL.
#[derive(Clone, Debug)]
pub enum Place {
    /// A folder.
    Folder(PathBuf),
    /// A database.
    Database(Database),
}

impl Place {
    /// Reads the value of `--data`: the URL of a database, as `postgres://USER@HOST/DATABASE`, or the path of a folder.
    ///
    /// # Errors
    /// If the text begins as a URL, and is none of a database. The message does not have the password.
    pub fn read(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            Some(("postgres" | "postgresql", _)) => Database::read(text).map(Self::Database),
            Some((scheme, _)) if scheme.chars().all(|character| character.is_ascii_alphanumeric()) => {
                Err(format!("expected a folder, or a database as postgres://USER@HOST/DATABASE, got {scheme}://"))
            }
            _ => Ok(Self::Folder(text.into())),
        }
    }

    /// Returns the folder.
    ///
    /// # Errors
    /// If it is a database: the message says what to do in place of `work`.
    pub fn folder(&self, work: &str) -> Result<&Path, String> {
        match self {
            Self::Folder(folder) => Ok(folder),
            Self::Database(database) => Err(format!("expected a folder, got the database {database}: {work}")),
        }
    }

    /// Opens the accounts to read them; the lease is that of a server on a database. The caller keeps a folder locked.
    pub(crate) fn accounts(&self, lease: Option<Lease>) -> Result<Box<dyn AccountTable>, OpenError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(SqliteAccounts::open(folder)?),
            Self::Database(database) => Box::new(DatabaseAccounts::open(database, lease)),
        })
    }

    /// Opens the accounts for a change. The caller keeps a folder locked.
    pub(crate) fn accounts_to_change(&self) -> Result<Box<dyn AccountTable>, OpenError> {
        match self {
            Self::Folder(_) => self.accounts(None),
            Self::Database(database) => Ok(Box::new(DatabaseAccounts::open_to_change(database)?)),
        }
    }
}

impl From<&Path> for Place {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.to_owned())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Database(database) => database.fmt(f),
        }
    }
}
