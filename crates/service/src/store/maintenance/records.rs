//! The records of the matches in a store, read beside a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ahu_host::{Referee, Transcript};

use super::copy::{FileLock, open_beside};
use super::{Result, file_in, verify};
use crate::store::StoreError;
use crate::store::encoding::damaged;
use crate::store::rows::has_ended;
use crate::store::sqlite::reader::SqliteReader;
use crate::store::sqlite::unusable;

/// The matches that a store had when it was opened.
#[derive(Debug)]
pub struct StoredRecords {
    file: PathBuf,
    numbers: Vec<u64>,
    _lock: FileLock,
}

/// A reader of the records of a store, for one thread.
#[derive(Debug)]
pub struct RecordReader(SqliteReader);

/// The record of a match that has ended, with the facts that only the store has.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// The id of the match.
    pub match_id: String,
    /// The time of day of the creation, in whole milliseconds.
    pub created: SystemTime,
    /// The labels of the creator.
    pub labels: BTreeMap<String, String>,
    /// The record.
    pub record: Transcript,
}

impl StoredRecords {
    /// Opens the store in a folder. A server may use it meanwhile.
    pub fn open(folder: &Path) -> Result<Self> {
        let file = file_in(folder)?;
        let (lock, connection) = open_beside(folder)?;
        let numbers = verify::numbers(&connection).map_err(|(_, error)| unusable(&file, &error))?;
        Ok(Self { file, numbers, _lock: lock })
    }

    /// Returns the numbers of all matches, the oldest first.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Opens a reader.
    pub fn reader(&self) -> std::result::Result<RecordReader, StoreError> {
        SqliteReader::open(&self.file).map(RecordReader)
    }
}

impl RecordReader {
    /// Returns the record of the match with this number; None if the match has not ended, ended before it began, has left the
    /// store, or ended without a result under rules that this release does not have. An error names the match.
    pub fn read(&self, number: u64) -> std::result::Result<Option<StoredRecord>, StoreError> {
        let Some(row) = self.0.match_row(number)? else { return Ok(None) };
        let stored = match self.0.complete(&row) {
            Err(StoreError::OtherRules { .. }) => {
                let created = row.created();
                let found = self.0.transcript(&row)?;
                let match_id = row.id().to_owned();
                return Ok(found.map(|(record, labels)| StoredRecord { match_id, created, labels, record }));
            }
            stored => stored?,
        };
        // The seed of a match in progress is secret, even from a reader who does not ask for it.
        if !has_ended(stored.state) {
            return Ok(None);
        }
        let lifecycle = stored.fold().map_err(|reason| damaged(row.id(), "its entries", reason))?;
        if let Some(sealed) = &row.description {
            let checked = stored.check_description(&lifecycle, sealed);
            checked.map_err(|reason| damaged(row.id(), "its description", reason))?;
        }
        let record = lifecycle.referee().map(Referee::record).map(|record| Transcript::from(&record));
        Ok(record.map(|record| StoredRecord {
            match_id: stored.head.id.to_string(),
            created: stored.head.created,
            labels: stored.head.labels,
            record,
        }))
    }
}
