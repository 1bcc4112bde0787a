//! Connections to a file of SQLite, their settings, and the errors of a file that cannot be used.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use rustix::fs::Access;

use crate::store::folder::OpenError;

/// The time that a connection waits for the lock of another one.
const BUSY: Duration = Duration::from_secs(5);

/// The number of pages (of 4 KiB) after which SQLite copies the write-ahead log into the file.
const CHECKPOINT_PAGES: u32 = 4000;

/// The size to which the file of the write-ahead log shrinks after the copy, in bytes.
const WAL_BYTES: u32 = 64 * 1024 * 1024;

/// Opens a file of SQLite. Its name is never taken for an address.
pub(in crate::store) fn connect(file: &Path, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags(Path::new(".").join(file), flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// Opens a store to read it. The write-ahead log stays as it is, also after the last connection.
pub(in crate::store) fn connect_for_reading(file: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // SQLite opens its files when it first reads.
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA schema_version")?;
    Ok(connection)
}

/// Returns the error of a store that cannot be used, with this file.
pub(in crate::store) fn unusable(file: &Path, error: &rusqlite::Error) -> OpenError {
    let path = file.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotAStore(path),
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { path, reason: error.to_string() },
        _ if is_full(error) => OpenError::Full { path, reason: error.to_string() },
        Some(ErrorCode::CannotOpen) => {
            let cause = obstacle(file).map_or(String::new(), |(path, error)| format!(": {}: {error}", path.display()));
            OpenError::unusable(file, format!("unable to open database file{cause}"))
        }
        _ => OpenError::unusable(file, error),
    }
}

/// Returns the file or folder for which SQLite cannot open a store, with the error of the system. Opens no file: when a file
/// is closed, SQLite loses its locks.
fn obstacle(file: &Path) -> Option<(PathBuf, io::Error)> {
    let folder = file.parent()?;
    let able = |path: &Path, access| rustix::fs::access(path, access).map_err(io::Error::from);
    let check = |path: &Path| match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(_) if path.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => able(path, Access::READ_OK | Access::WRITE_OK),
    };
    let in_folder = File::open(folder).and_then(|_| able(folder, Access::WRITE_OK | Access::EXEC_OK));
    let in_files = ["", "-wal", "-shm"].map(|suffix| {
        let mut path = file.as_os_str().to_owned();
        path.push(suffix);
        PathBuf::from(path)
    });
    let of_folder = in_folder.err().map(|error| (folder.to_owned(), error));
    of_folder.or_else(|| in_files.into_iter().find_map(|path| Some((path.clone(), check(&path).err()?))))
}

/// Returns true if there was no room to write.
fn is_full(error: &rusqlite::Error) -> bool {
    use ffi::{SQLITE_FULL, SQLITE_IOERR_FSYNC, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE};
    const FULL: [i32; 5] =
        [SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_SHMSIZE];
    error.sqlite_error().is_some_and(|error| FULL.contains(&error.extended_code))
}

/// Sets the options that make commits durable, and checks that SQLite has accepted them.
pub(super) fn configure(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.set_prepared_statement_cache_capacity(64);
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}; PRAGMA journal_size_limit = {WAL_BYTES}"
    ))?;
    let synchronous: u32 = connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
    if (mode.as_str(), synchronous) == ("wal", 2) {
        return Ok(());
    }
    let refused = format!("expected the journal mode wal and synchronous 2, got {mode} and {synchronous}");
    Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), Some(refused)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_sqlite_has_no_known_fault_in_its_write_ahead_log() {
        // Versions before 3.51.3 can damage a store whose connections write and checkpoint at once.
        assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
    }

    #[test]
    fn a_store_without_room_is_told_from_a_store_that_cannot_be_used() {
        let of = |code| unusable(Path::new("x"), &rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        for code in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_FSYNC] {
            assert!(matches!(of(code), OpenError::Full { .. }), "{code}");
        }
        for code in [ffi::SQLITE_BUSY, ffi::SQLITE_IOERR_READ, ffi::SQLITE_READONLY] {
            assert!(matches!(of(code), OpenError::Failed(_)), "{code}");
        }
        assert!(matches!(of(ffi::SQLITE_CORRUPT), OpenError::Damaged { .. }));
        assert!(matches!(of(ffi::SQLITE_NOTADB), OpenError::NotAStore(_)));
    }

    #[test]
    fn a_store_that_cannot_be_opened_names_the_file_and_the_reason() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("x");
        let opened = || {
            let connection = connect_for_reading(&file).expect_err("it cannot be opened");
            unusable(&file, &connection).to_string()
        };
        let store = format!("the store in {} cannot be used: unable to open database file: ", file.display());
        std::os::unix::fs::symlink("nowhere/x", &file).expect("a new link");
        assert_eq!(opened(), format!("{store}{}: No such file or directory (os error 2)", file.display()));
        std::fs::remove_file(&file).expect("the link is there");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let written = connect(&file, flags).and_then(|connection| {
            configure(&connection)?;
            connection.execute_batch("CREATE TABLE x (x)")
        });
        written.expect("a new file");
        std::fs::create_dir(folder.path().join("x-wal")).expect("a new folder");
        assert_eq!(opened(), format!("{store}{}-wal: is a directory", file.display()));
        std::fs::remove_dir_all(folder.path()).expect("the folder is there");
        let missing = format!("{store}{}: No such file or directory (os error 2)", folder.path().display());
        assert_eq!(opened(), missing);
    }

    #[test]
    fn commits_wait_for_the_disk_and_the_log_is_bounded() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(&folder.path().join("x"), flags).expect("a new file");
        configure(&connection).expect("SQLite accepts the settings");
        let setting = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        assert_eq!(setting("synchronous"), Ok(2), "FULL");
        assert_eq!(setting("wal_autocheckpoint"), Ok(4000), "pages of 4 KiB");
        assert_eq!(setting("journal_size_limit"), Ok(67_108_864), "64 MiB");
    }
}
