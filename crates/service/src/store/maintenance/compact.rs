//! Compaction: a store gives the room of removed matches back to the disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::OpenFlags;

use super::copy::{FileLock, Partial, examine};
use super::{Progress, Report, Result, beside, busy, bytes_on_disk, failure, file_in, refuse_without_room};
use crate::limits::PRUNED_AT_ONCE;
use crate::store::folder::Folder;
use crate::store::sqlite::{SqliteOptions, SqliteStore, connect, file};
use crate::store::{Keep, Store};

/// The time between two reports of a copy.
const REPORT_PERIOD: Duration = Duration::from_millis(100);

/// A compaction that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// The number of matches that were removed.
    pub removed: u64,
    /// The number of matches that were kept.
    pub matches: u64,
    /// The size of the store before, in bytes.
    pub before: u64,
    /// The size of the store after it, in bytes.
    pub after: u64,
}

/// Removes the matches that exceed the bounds, and writes the store anew without free pages. The disk needs room for a
/// copy. No server and no backup may use the store.
pub fn compact(folder: &Path, keep: &Keep, report: Report<'_>) -> Result<Compaction> {
    let before = bytes_on_disk(folder);
    let locked = Folder::lock(folder, false)?;
    let source = file_in(folder)?;
    // Declared before the store, so that it is released after all connections are closed.
    let lock = FileLock::lock(&source, File::try_lock)?;
    let mut store = SqliteStore::open_in(locked, &SqliteOptions::default())?;
    let removed = prune(&mut store, keep, report)?;
    let reader = (store.readers())()?;
    let size = reader.size()?;
    drop(reader);
    refuse_without_room(folder, size)?;

    let partial = Partial::create(&source)?;
    copy(&store, &partial, size, report)?;
    let kept = examine(partial.path(), report)?;
    let locked = store.close().map_err(failure("close", &source))?;
    let wal = beside(&source, "-wal");
    if wal.exists() {
        // Only the last connection removes the write-ahead log, so some other program has the file open.
        return Err(busy(&source));
    }
    partial.publish()?;
    drop(lock);
    // The first commit shows that a server can use the store, and the end of the connection writes it to the file.
    drop(SqliteStore::open_in(locked, &SqliteOptions::default())?);
    Ok(Compaction { removed, matches: kept.matches, before, after: bytes_on_disk(folder) })
}

/// Removes the matches that exceed the bounds, and returns their number.
fn prune(store: &mut SqliteStore, keep: &Keep, report: Report<'_>) -> Result<u64> {
    let (reader, time) = ((store.readers())()?, store.facts().time);
    let mut removed = 0;
    loop {
        let excess = reader.excess(keep, time, PRUNED_AT_ONCE)?;
        if excess.is_empty() {
            return Ok(removed);
        }
        for match_id in &excess {
            store.delete(match_id)?;
        }
        store.commit(time)?;
        removed += excess.len() as u64;
        report(Progress { work: "removing matches", done: removed, of: 0 });
    }
}

/// Writes the matches of a store to a new file, and reports how much of `size` it has.
fn copy(store: &SqliteStore, partial: &Partial, size: u64, report: Report<'_>) -> Result<()> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidFilename, "expected a path in UTF-8");
    // SQLite takes a name that begins with "file:" for an address.
    let path = Path::new(".").join(partial.path());
    let path = path.to_str().ok_or_else(not_text).map_err(failure("write", partial.path()))?;
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reporter = scope.spawn(|| {
            loop {
                let done = fs::metadata(partial.path()).map_or(0, |metadata| metadata.len());
                report(Progress { work: "writing the store anew", done: done.min(size), of: size });
                if is_done.load(Ordering::Relaxed) {
                    return;
                }
                thread::park_timeout(REPORT_PERIOD);
            }
        });
        let copied = store.connection().execute("VACUUM INTO ?", [path]).and_then(|_| {
            // The copy has the entries of the old indexes, which may be damaged.
            connect(partial.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?.execute_batch("REINDEX")
        });
        is_done.store(true, Ordering::Relaxed);
        reporter.thread().unpark();
        copied.map_err(failure("compact", &file(store.path())))
    })
}
