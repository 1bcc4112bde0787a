//! The upkeep of a store in a folder: verification, backup, restore, compaction, and the records in it; and copies between a
//! folder and a database.
//!
//! A backup and a list of records read the store beside a server. The other commands lock the folder, so that no server uses
//! it meanwhile. A command that fails leaves the store as it was: each new file is complete, checked, and on the disk before
//! it gets its name.

mod backup;
mod compact;
mod copy;
mod records;
mod restore;
mod transfer;
mod verify;

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

pub use self::backup::{Backup, backup};
pub use self::compact::{Compaction, compact};
pub use self::copy::{replaced, take_place};
pub use self::records::{RecordReader, StoredRecord, StoredRecords};
pub use self::restore::{Restored, restore};
pub(super) use self::transfer::{Meta, Table};
pub use self::transfer::{Transfer, transfer};
pub use self::verify::{Fault, StoredRules, Verification, verify};
use super::StoreError;
use super::folder::{Folder, LOCK, OpenError};
use super::sqlite::{self, FILE};
use crate::{ADMIN_SOCKET, AUDIT};

/// Returns the process of the server that uses the store in a folder; None if no server does.
pub fn server_process(path: &Path) -> Result<Option<u32>> {
    match Folder::lock(path, false) {
        Err(OpenError::InUse { process, .. }) => Ok(process),
        locked => Ok(locked.map(|_| None)?),
    }
}

/// The work that is under way, for a person who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The work, such as "copying pages".
    pub work: &'static str,
    /// The number of units that are done.
    pub done: u64,
    /// The number of all units; 0 if it is unknown.
    pub of: u64,
}

/// A function that is told of the progress, from several threads.
pub type Report<'a> = &'a (dyn Fn(Progress) + Sync);

/// The reason why the upkeep of a store failed.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// The store cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store cannot be changed.
    #[error("the store cannot be changed: {0}")]
    Store(#[from] StoreError),
    /// The work cannot be done, for this reason.
    #[error("{0}")]
    Failed(String),
}

type Result<T> = std::result::Result<T, MaintenanceError>;

/// Returns a function for the errors of the system and of SQLite.
fn failure<E: fmt::Display>(work: &'static str, path: &Path) -> impl Fn(E) -> MaintenanceError {
    move |error| MaintenanceError::Failed(format!("cannot {work} {}: {error}", path.display()))
}

/// Returns the error of a file on which another command works.
fn busy(path: &Path) -> MaintenanceError {
    MaintenanceError::Failed(format!("{} is in use by another `ahu data` command", path.display()))
}

/// Returns the error of a path that leads to a folder.
fn not_a_file(path: &Path) -> MaintenanceError {
    MaintenanceError::Failed(format!("expected a file, got the folder {}", path.display()))
}

/// Returns the error of a backup that is a file of the store.
fn onto_itself(path: &Path) -> MaintenanceError {
    let path = path.display();
    MaintenanceError::Failed(format!(
        "expected a file outside the store, got {path}, which is a file of the store itself"
    ))
}

/// Returns the error of a damaged file.
fn damaged(path: &Path, faults: &[String]) -> MaintenanceError {
    let (path, faults) = (path.display(), faults.join("; "));
    MaintenanceError::Failed(format!("expected an intact store, got {path}, which is damaged: {faults}"))
}

/// Returns the file of the store in a folder, which must be there.
fn file_in(folder: &Path) -> Result<PathBuf> {
    let file = replaced(&sqlite::file(folder));
    if file.exists() { Ok(file) } else { Err(OpenError::Missing(folder.to_owned()).into()) }
}

/// Returns the size of a store on its disk in bytes, with its write-ahead log.
fn bytes_on_disk(folder: &Path) -> u64 {
    let file = replaced(&sqlite::file(folder));
    let size = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
    size(&file) + size(&beside(&file, "-wal"))
}

/// Returns the path of the file whose name has this suffix.
fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns true if a file of this name in the folder of a store belongs to the store.
fn is_name_of_store(name: &str) -> bool {
    [LOCK, AUDIT, ADMIN_SOCKET].contains(&name) || name.starts_with(FILE)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a folder whose disk has less room than a copy needs.
fn refuse_without_room(folder: &Path, needed: u64) -> Result<()> {
    match free_bytes(folder) {
        Some(free) if free < needed => Err(MaintenanceError::Failed(format!(
            "expected {needed} free bytes on the disk of {} for a copy of the store, got {free}",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// Returns the free space of a disk in bytes; None if the system does not tell.
#[cfg(target_os = "linux")]
fn free_bytes(folder: &Path) -> Option<u64> {
    // A file system without blocks, such as /proc, is no disk.
    let disk = rustix::fs::statvfs(folder).ok().filter(|disk| disk.f_blocks > 0)?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// Returns None: this system has no portable way to ask.
#[cfg(not(target_os = "linux"))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// Returns the faults of a file that this check of SQLite finds: `integrity_check`, or `quick_check`, which does not
/// compare the indexes with their tables.
fn faults_of_file(connection: &Connection, check: &str) -> Vec<String> {
    let found = connection.prepare(&format!("PRAGMA {check}")).and_then(|mut check| {
        let rows = check.query_map([], |row| row.get::<_, String>(0))?;
        // A check that breaks off has found damage too.
        Ok(rows.map(|row| row.unwrap_or_else(|error| error.to_string())).collect::<Vec<_>>())
    });
    let mut faults = found.unwrap_or_else(|error| vec![error.to_string()]);
    faults.retain(|fault| fault != "ok");
    faults
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::store::Keep;
    use crate::store::sqlite::tests::new_store;

    #[test]
    fn a_copy_that_no_disk_has_room_for_is_refused_with_both_sizes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        refuse_without_room(folder.path(), 1).expect("a byte is free");
        let error = refuse_without_room(folder.path(), u64::MAX).expect_err("no disk is so large");
        let text = error.to_string();
        assert!(text.starts_with("expected 18446744073709551615 free bytes on the disk of "), "{text}");
    }

    #[test]
    fn the_process_that_uses_a_store_is_told_until_it_leaves() {
        let (folder, store) = new_store();
        let process = || server_process(folder.path()).expect("the folder can be read");
        assert_eq!(process(), Some(std::process::id()));
        drop(store);
        assert_eq!(process(), None);
    }

    #[test]
    fn a_command_reports_its_progress_up_to_the_size_of_its_work() {
        let (folder, store) = new_store();
        drop(store);
        let reported = Mutex::new(Vec::new());
        let report = |progress: Progress| {
            assert!(progress.of == 0 || progress.done <= progress.of, "{progress:?}");
            reported.lock().expect("no report panics").push(progress.work);
        };
        compact(folder.path(), &Keep::default(), &report).expect("the disk has room");
        backup(folder.path(), &folder.path().join("backup"), false, &report).expect("the disk has room");
        let reported = reported.into_inner().expect("no report panics");
        for work in ["writing the store anew", "checking the copy", "copying pages"] {
            assert!(reported.contains(&work), "{work}: {reported:?}");
        }
    }
}
