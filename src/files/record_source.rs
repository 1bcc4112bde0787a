//! The sources of many records: stores in data folders, and files.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ahu_host::{RecordError, Transcript};
use ahu_service::store::maintenance::{RecordReader, StoredRecord, StoredRecords};

use crate::{CliError, time_of_day};

const STORE: &str = "ahu.db";
/// The extensions of files that are read in a folder.
const EXTENSIONS: [&str; 2] = ["txt", "bin"];

pub(crate) struct Source {
    folder: PathBuf,
    records: StoredRecords,
}

/// The place of one record.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// The index of a store, and the number of a match in it.
    Stored(usize, u64),
    /// A file that an argument names.
    File(PathBuf),
    /// A file that was found in a folder, and may be no record.
    InFolder(PathBuf),
}

/// A record, and where it was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// The path of the file, or the data folder and the match.
    pub(crate) place: String,
    /// None for a file.
    pub(crate) match_id: Option<String>,
    /// The time at which the match was created; for a file, the time of its last change.
    pub(crate) created: SystemTime,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) record: Transcript,
}

impl Found {
    /// Returns `created` in whole seconds, such as `2026-11-22T10:00:00Z`.
    pub(crate) fn created_text(&self) -> String {
        time_of_day(self.created.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs())
    }
}

/// The content of a place.
pub(crate) enum Content<T> {
    /// A record, or a value that was made from it.
    Record(T),
    /// A record that is not wanted, or a file that is no record.
    LeftOut,
    Without,
}

impl<T> Content<T> {
    /// Maps a record. If `make` returns None, the record is left out.
    pub(crate) fn try_map<U>(self, make: impl FnOnce(T) -> Result<Option<U>, String>) -> Result<Content<U>, String> {
        Ok(match self {
            Self::Record(record) => make(record)?.map_or(Content::LeftOut, Content::Record),
            Self::LeftOut => Content::LeftOut,
            Self::Without => Content::Without,
        })
    }
}

/// Opens the stores among these paths. Returns them, and the places of all records in the stores, files, and folders.
pub(crate) fn items(paths: &[PathBuf]) -> Result<(Vec<Source>, Vec<Item>), CliError> {
    let (mut sources, mut items) = (Vec::new(), Vec::new());
    for path in paths {
        if path.join(STORE).exists() {
            let records = StoredRecords::open(path).map_err(CliError::failed)?;
            items.extend(records.numbers().iter().map(|&number| Item::Stored(sources.len(), number)));
            sources.push(Source { folder: path.clone(), records });
        } else if path.is_dir() {
            let before = items.len();
            walk(path, &mut items)?;
            if items.len() == before {
                return Err(CliError::Failed(format!(
                    "expected a data folder, or a folder with records (*.txt, *.bin), got {}, which has neither",
                    path.display()
                )));
            }
        } else {
            // A path that leads nowhere is an error of the command, and no fault of a record.
            fs::File::open(path).map_err(CliError::cannot("read", path))?;
            items.push(Item::File(path.clone()));
        }
    }
    Ok((sources, items))
}

/// Adds the files in a folder and in all folders below it, sorted by name.
fn walk(folder: &Path, items: &mut Vec<Item>) -> Result<(), CliError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(CliError::cannot("read", folder))?;
    let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        // Follow no link to a folder: it could lead back here.
        if path.is_dir() && !path.is_symlink() {
            walk(&path, items)?;
        } else if path.extension().is_some_and(|own| EXTENSIONS.iter().any(|extension| own == *extension)) {
            items.push(Item::InFolder(path));
        }
    }
    Ok(())
}

/// The open connections of one thread to the stores.
pub(crate) struct Readers<'a> {
    sources: &'a [Source],
    open: HashMap<usize, RecordReader>,
}

impl<'a> Readers<'a> {
    pub(crate) fn of(sources: &'a [Source]) -> Self {
        Self { sources, open: HashMap::new() }
    }

    /// Reads a record. The error begins with its place.
    pub(crate) fn read(&mut self, item: &Item) -> Result<Content<Found>, String> {
        match item {
            Item::Stored(index, number) => self.read_stored(*index, *number),
            Item::File(path) => read_file(path, true),
            Item::InFolder(path) => read_file(path, false),
        }
    }

    fn read_stored(&mut self, index: usize, number: u64) -> Result<Content<Found>, String> {
        let source = &self.sources[index];
        let in_folder = |error: &dyn std::fmt::Display| format!("{}: {error}", source.folder.display());
        let reader = match self.open.entry(index) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(place) => place.insert(source.records.reader().map_err(|error| in_folder(&error))?),
        };
        let Some(stored) = reader.read(number).map_err(|error| in_folder(&error))? else {
            return Ok(Content::Without);
        };
        let StoredRecord { match_id, created, labels, record } = stored;
        let place = format!("{}, match {match_id}", source.folder.display());
        Ok(Content::Record(Found { place, match_id: Some(match_id), created, labels, record }))
    }
}

/// Reads a file. If `is_named`, a file that is no record is an error.
fn read_file(path: &Path, is_named: bool) -> Result<Content<Found>, String> {
    let place = path.display().to_string();
    let in_file = |error: &dyn std::fmt::Display| format!("{place}: {error}");
    let bytes = fs::read(path).map_err(|error| in_file(&error))?;
    let record = match Transcript::read(&bytes) {
        Ok(record) => record,
        Err(RecordError::NotARecord) if !is_named => return Ok(Content::LeftOut),
        Err(error) => return Err(in_file(&error)),
    };
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
    let created = changed.map_err(|error| in_file(&error))?;
    Ok(Content::Record(Found { place, match_id: None, created, labels: BTreeMap::new(), record }))
}
