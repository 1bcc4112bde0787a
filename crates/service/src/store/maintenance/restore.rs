//! Restore: a backup takes the place of a store.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::OpenFlags;

use super::copy::{FileLock, Partial, SIDE_FILES, copy, replaced, sync_folder};
use super::verify::verify_file;
use super::{
    Fault, MaintenanceError, Report, Result, beside, damaged, failure, not_a_file, onto_itself, refuse_without_room,
};
use crate::store::folder::{Folder, OpenError};
use crate::store::sqlite::{SqliteOptions, SqliteStore, connect, file, schema, unusable};

/// A store that was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The number of matches.
    pub matches: u64,
    /// The new path of the store that was in the folder before, if there was one.
    pub aside: Option<PathBuf>,
    /// The damaged parts of the backup. The server sets damaged matches aside.
    pub faults: Vec<Fault>,
}

/// Makes the backup `from` the store in a folder, and creates a missing folder. If `replace` is true, a store in the folder
/// gets another name: `ahu.db.before-restore-N`. A backup with damaged parts is refused unless `accept_loss` is true. No server
/// starts in the folder of a restore that did not end, unless the store before is still there.
pub fn restore(from: &Path, folder: &Path, replace: bool, accept_loss: bool, report: Report<'_>) -> Result<Restored> {
    if from.is_dir() {
        return Err(not_a_file(from));
    }
    let size = fs::metadata(from).map_err(failure("read", from))?.len();
    let source = connect(from, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(|error| unusable(from, &error))?;
    if !schema::is_present(&source, from)? {
        return Err(OpenError::NotAStore(from.to_owned()).into());
    }
    let mut locked = Folder::lock(folder, true)?;
    let target = replaced(&file(folder));
    let has_store = fs::symlink_metadata(&target).is_ok();
    let same = |path: &Path| matches!((fs::canonicalize(from), fs::canonicalize(path)), (Ok(a), Ok(b)) if a == b);
    if same(&target) || same(&beside(&target, ".partial")) {
        return Err(onto_itself(from));
    }
    if has_store && !replace {
        return Err(MaintenanceError::Failed(format!(
            "expected a folder without a store, got {}: move its store aside with --force",
            folder.display()
        )));
    }
    let mut unstated = || locked.state_nothing().map_err(failure("write the lock file in", folder));
    if !has_store {
        unstated()?;
    }
    refuse_without_room(folder, size)?;
    let store_before = has_store.then(|| FileLock::lock(&target, File::try_lock)).transpose()?;

    let partial = Partial::create(&target)?;
    copy(&source, &partial, report)?;
    drop(source);
    let restored =
        connect(partial.path(), OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failure("read", partial.path()))?;
    let found = verify_file(partial.path(), &restored, report)?;
    drop(restored);
    if !found.faults.is_empty() && !accept_loss {
        let faults: Vec<_> = found.faults.iter().map(ToString::to_string).collect();
        return Err(damaged(from, &faults));
    }
    partial.sync()?;

    unstated()?;
    let aside = move_aside(&target)?;
    partial.publish()?;
    drop(store_before);
    locked.state_first(found.commits)?;
    // The first commit shows that a server can use the store.
    SqliteStore::open_in(locked, &SqliteOptions::default())?;
    let matches = found.states.iter().map(|(_, count)| count).sum();
    Ok(Restored { matches, aside, faults: found.faults })
}

/// Renames the files of a store, and returns the new name of the store; None without a store. The files of a write-ahead log
/// without a store are renamed too, since they do not belong to the next store.
fn move_aside(target: &Path) -> Result<Option<PathBuf>> {
    let exists = |path: &Path| fs::symlink_metadata(path).is_ok();
    let is_free = |aside: &PathBuf| ["", "-wal", "-shm"].iter().all(|suffix| !exists(&beside(aside, suffix)));
    let names = (1_u32..).map(|n| beside(target, &format!(".before-restore-{n}")));
    let aside = names.into_iter().find(is_free).expect("there are more numbers than files");
    let has_store = exists(target);
    // The store itself moves last, so that a server finds it for as long as a part is missing.
    for suffix in SIDE_FILES.iter().chain(&[""]) {
        let from = beside(target, suffix);
        if exists(&from) {
            fs::rename(&from, beside(&aside, suffix)).map_err(failure("move", &from))?;
        }
    }
    sync_folder(super::folder_of(target))?;
    Ok(has_store.then_some(aside))
}
