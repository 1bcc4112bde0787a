//! Backup: a copy of a store in one file, made beside a server.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::copy::{Partial, copy, examine, open_beside};
use super::{
    MaintenanceError, Report, Result, bytes_on_disk, failure, file_in, folder_of, is_name_of_store, not_a_file,
    onto_itself, refuse_without_room,
};
use crate::store::folder::stated_commits;
use crate::store::sqlite::file;

/// A backup that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The number of matches.
    pub matches: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The number of commits that the store had lost before the backup.
    pub lost: u64,
}

/// Writes a copy of the store in a folder to the file `to`. A server may use the store meanwhile. If `replace` is true, the
/// copy replaces a file at `to` once the copy is complete.
pub fn backup(folder: &Path, to: &Path, replace: bool, report: Report<'_>) -> Result<Backup> {
    file_in(folder)?;
    refuse_target(folder, to, replace)?;
    // Read before the store: a running server counts on.
    let stated = stated_commits(folder).unwrap_or(0);
    refuse_without_room(folder_of(to), bytes_on_disk(folder))?;
    let (_lock, connection) = open_beside(folder)?;
    let partial = Partial::create(to)?;
    copy(&connection, &partial, report)?;
    let contents = examine(partial.path(), report)?;
    let bytes = fs::metadata(partial.path()).map_err(failure("read", partial.path()))?.len();
    partial.publish()?;
    Ok(Backup { matches: contents.matches, bytes, lost: stated.saturating_sub(contents.commits) })
}

/// Refuses a target that exists, unless `replace` permits it, and a target that is a file of the store itself.
fn refuse_target(folder: &Path, to: &Path, replace: bool) -> Result<()> {
    let parent = folder_of(to);
    let parent = fs::canonicalize(parent).map_err(failure("use the folder", parent))?;
    let name = to.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = name.filter(|_| !to.is_dir()) else { return Err(not_a_file(to)) };
    let in_store = fs::canonicalize(folder).map_err(failure("use the folder", folder))? == parent;
    let same = |path: &Path| {
        let files = fs::metadata(path).and_then(|store| Ok((store, fs::metadata(to)?)));
        files.is_ok_and(|(store, to)| (store.dev(), store.ino()) == (to.dev(), to.ino()))
    };
    if (in_store && is_name_of_store(&name)) || same(&file(folder)) {
        return Err(onto_itself(to));
    }
    match fs::symlink_metadata(to).is_ok() && !replace {
        true => Err(MaintenanceError::Failed(format!(
            "expected the name of a new file, got {}, which exists: replace it with --force",
            to.display()
        ))),
        false => Ok(()),
    }
}
