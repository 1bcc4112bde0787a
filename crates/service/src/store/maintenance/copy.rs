//! Copies of a store: complete, checked, and on the disk before they get their names.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{Progress, Report, Result, beside, busy, damaged, failure, faults_of_file, file_in, folder_of};
use crate::store::folder::{OpenError, protect};
use crate::store::sqlite::{connect, connect_for_reading, meta, schema, unusable};

/// The number of pages (of 4 KiB) that are copied between two reports.
const PAGES: i32 = 2048;

/// The pause after which a copy tries again to read a page that is locked.
const PAUSE: Duration = Duration::from_millis(20);

/// The suffixes of the files that SQLite keeps beside a store.
pub(super) const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A lock on the file of a store. Backups share it, since they read the file beside a server. A command that replaces the
/// file needs it alone.
///
/// It must outlive all connections of this process to the file: a system may release the locks of the connections with this
/// lock.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Locks the file by `lock`: shared for a backup, exclusive for a command that replaces the file.
    pub(super) fn lock(path: &Path, lock: fn(&File) -> Tried) -> Result<Self> {
        loop {
            let file = File::open(path).map_err(failure("read", path))?;
            taken(lock(&file), path)?;
            // Another command may have replaced the file before it was locked.
            let (locked, present) = (file.metadata(), fs::metadata(path));
            let (locked, present) = (locked.map_err(failure("read", path))?, present.map_err(failure("read", path))?);
            if (locked.dev(), locked.ino()) == (present.dev(), present.ino()) {
                return Ok(Self { _file: file });
            }
        }
    }
}

/// The result of a lock that does not wait.
type Tried = std::result::Result<(), TryLockError>;

/// Returns the error of a lock that was not taken.
fn taken(tried: Tried, path: &Path) -> Result<()> {
    tried.map_err(|error| match error {
        TryLockError::WouldBlock => busy(path),
        TryLockError::Error(error) => failure("lock", path)(error),
    })
}

/// Opens the store in a folder to read it beside a server, and locks its file meanwhile.
pub(super) fn open_beside(folder: &Path) -> Result<(FileLock, Connection)> {
    let file = file_in(folder)?;
    let lock = FileLock::lock(&file, File::try_lock_shared)?;
    let connection = connect_for_reading(&file).map_err(|error| unusable(&file, &error))?;
    match schema::is_present(&connection, &file)? {
        true => Ok((lock, connection)),
        false => Err(OpenError::Missing(folder.to_owned()).into()),
    }
}

/// A file that gets its name when it is complete. Until then it has the suffix `.partial`, and is removed with this value.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
    target: PathBuf,
    /// Keeps the file locked, so that two commands do not write it at once.
    file: File,
}

impl Partial {
    /// Creates an empty file for this target, readable for its owner alone.
    pub(super) fn create(target: &Path) -> Result<Self> {
        let target = replaced(target);
        let path = beside(&target, ".partial");
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = opened.map_err(failure("write", &path))?;
        taken(file.try_lock(), &path)?;
        let partial = Self { path, target, file };
        // A command that was killed may have left a part of its file.
        partial.file.set_len(0).map_err(failure("write", &partial.path))?;
        protect(&partial.path).map_err(failure("protect", &partial.path))?;
        remove_side_files(&partial.path);
        Ok(partial)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Brings the content to the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(failure("write", &self.path))
    }

    /// Gives the file its name, in place of a file that has it. It is readable for the group if that file was, and for nobody
    /// else. No connection to either file may be open.
    pub(super) fn publish(self) -> Result<()> {
        self.sync()?;
        take_place(&self.path, &self.target, 0o660).map_err(failure("write", &self.target))?;
        sync_folder(folder_of(&self.target))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After `publish` there is no such file.
        let _ = fs::remove_file(&self.path);
        remove_side_files(&self.path);
    }
}

/// Returns the path of the file that a file at `path` replaces: where a link leads.
pub fn replaced(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Gives a new file the name of another file. If that exists, also its owner, and its mode within `mask`.
pub fn take_place(new: &Path, old: &Path, mask: u32) -> io::Result<()> {
    if let Ok(replaced) = fs::metadata(old) {
        // Only root may give files away. The mode follows, since a change of the owner takes bits away.
        let _ = chown(new, Some(replaced.uid()), Some(replaced.gid()));
        fs::set_permissions(new, Permissions::from_mode(replaced.mode() & mask))?;
    }
    fs::rename(new, old)
}

fn remove_side_files(path: &Path) {
    for suffix in SIDE_FILES {
        // Most often there is no such file.
        let _ = fs::remove_file(beside(path, suffix));
    }
}

/// Brings the names of the files in a folder to the disk.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(failure("write", folder))
}

/// The contents of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) matches: u64,
    pub(super) commits: u64,
}

/// Copies the pages of a store, as of one commit, and makes the copy a single file without a write-ahead log.
pub(super) fn copy(source: &Connection, partial: &Partial, report: Report<'_>) -> Result<()> {
    let write = failure("write", partial.path());
    // The snapshot lasts for all steps, so that a server that writes meanwhile does not make the copy begin again.
    let snapshot = source.unchecked_transaction().map_err(failure("read the store for", partial.path()))?;
    snapshot
        .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
        .map_err(failure("read the store for", partial.path()))?;
    let mut target = connect(partial.path(), OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(&write)?;
    target.execute_batch("PRAGMA synchronous = OFF").map_err(&write)?;
    let backup = Backup::new(source, &mut target).map_err(&write)?;
    loop {
        let step = backup.step(PAGES).map_err(&write)?;
        let progress = backup.progress();
        let of = u64::try_from(progress.pagecount).unwrap_or(0);
        let left = u64::try_from(progress.remaining).unwrap_or(0);
        report(Progress { work: "copying pages", done: of.saturating_sub(left), of });
        match step {
            StepResult::Done => break,
            StepResult::More => {}
            _ => thread::sleep(PAUSE),
        }
    }
    drop(backup);
    drop(snapshot);
    let mode: String = target.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0)).map_err(&write)?;
    match mode.as_str() {
        "delete" => target.close().map_err(|(_, error)| write(error)),
        other => Err(failure("write", partial.path())(format!("expected the journal mode delete, got {other}"))),
    }
}

/// Checks the pages of a file, and returns its contents.
pub(super) fn examine(path: &Path, report: Report<'_>) -> Result<Contents> {
    let read = failure("read", path);
    report(Progress { work: "checking the copy", done: 0, of: 0 });
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(&read)?;
    schema::is_present(&connection, path)?;
    let faults = faults_of_file(&connection, "quick_check");
    if !faults.is_empty() {
        return Err(damaged(path, &faults));
    }
    let matches = connection.query_row("SELECT count(*) FROM match", [], |row| row.get(0)).map_err(&read)?;
    Ok(Contents { matches, commits: meta(&connection, "commits").map_err(read)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_begins_without_the_files_of_a_killed_command_and_leaves_none_behind() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let target = folder.path().join("backup.db");
        let names = || {
            let entries =
                fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("a file").file_name());
            let mut names: Vec<_> = entries.map(|name| name.into_string().expect("text")).collect();
            names.sort();
            names
        };
        let write_side_files = || {
            for suffix in SIDE_FILES {
                fs::write(beside(&target, &format!(".partial{suffix}")), "left").expect("it can be written");
            }
        };
        fs::write(beside(&target, ".partial"), "left").expect("it can be written");
        write_side_files();

        let partial = Partial::create(&target).expect("nobody else writes it");

        assert_eq!(names(), ["backup.db.partial"]);
        assert_eq!(fs::read(partial.path()).expect("it is there"), b"");
        let error = Partial::create(&target).expect_err("one command writes it at once").to_string();
        assert!(error.ends_with("is in use by another `ahu data` command"), "{error}");
        write_side_files();
        drop(partial);
        assert_eq!(names(), [""; 0]);
        let partial = Partial::create(&target).expect("nobody else writes it");
        write_side_files();
        partial.publish().expect("it can be renamed");
        assert_eq!(names(), ["backup.db"]);
    }
}
