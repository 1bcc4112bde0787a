//! The folder of a store. One server at a time uses it, and it must be on a disk of this machine.
//!
//! The file `lock` in the folder is locked while a server runs. It also states the number of commits, which the server writes
//! after each commit without waiting for the disk. So a store with fewer commits has lost some, for example through a damaged
//! write-ahead log, which SQLite takes for the end of the log. Such a store is refused. So is a folder with a part of a store
//! and no number of commits: its restore did not end, or some of its files are missing.

use std::fmt;
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::LOCK_TRIES;

use super::StoreError;
use super::sqlite::FILE;

/// The file in the folder that is locked while a server runs.
pub(super) const LOCK: &str = "lock";

/// A folder that this process has locked. It is unlocked when this value is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
    /// The number of commits that the lock file stated when the folder was locked; None if it stated none.
    pub(super) stated: Option<u64>,
    /// True if no store has begun here: the lock file was empty, and there was no file of a store.
    is_new: bool,
}

/// The files of a store in use, and their numbers on the disk.
#[derive(Debug, Default)]
pub(super) struct FilesInUse(Vec<(PathBuf, Option<u64>)>);

impl FilesInUse {
    pub(super) fn of(folder: &Path) -> Self {
        let paths = [LOCK.to_owned(), FILE.to_owned(), format!("{FILE}-wal")].map(|name| folder.join(name));
        Self(paths.map(|path| (path.clone(), inode(&path))).into())
    }

    /// Fails if a file was removed or replaced: a commit would be in a file that nobody finds.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self.0.iter().find(|(path, number)| inode(path) != *number) {
            Some((path, _)) => Err(StoreError::Failed(format!("{} was removed or replaced", path.display()))),
            None => Ok(()),
        }
    }
}

fn inode(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|file| file.ino())
}

/// The reason why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process uses the folder.
    #[error(
        "{} is in use by another process{}", path.display(), process.map_or(String::new(), |process| format!(" ({process})"))
    )]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The process, if the lock file states it.
        process: Option<u32>,
    },
    /// The folder has no store.
    #[error("expected a store in {}, got none", .0.display())]
    Missing(PathBuf),
    /// The file is not a store of this program.
    #[error("expected a store of ahu, got another file: {}", .0.display())]
    NotAStore(PathBuf),
    /// The file of the store is damaged.
    #[error(
        "the store in {} is damaged: {reason}. See its damage with `ahu data verify`, and restore a backup with \
         `ahu data restore`",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error of the reader.
        reason: String,
    },
    /// The store cannot be written now: its disk is full, or its files have reached their limit. The same call may succeed later.
    #[error("the store {} cannot be written: {reason}; make room of a megabyte on its disk", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The folder or a file in it cannot be used, for this reason.
    #[error("{0}")]
    Failed(String),
}

impl OpenError {
    /// Returns a function for the errors of the system. `work` is a verb, such as "write to".
    pub(super) fn cannot(work: &str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Failed(format!("cannot {work} {}: {error}", path.display()))
    }

    /// Returns the error of a store that cannot be used, with its folder or file.
    pub(crate) fn unusable(path: &Path, reason: impl fmt::Display) -> Self {
        Self::Failed(format!("the store in {} cannot be used: {reason}", path.display()))
    }

    /// Returns the error of a folder whose lock file does not say how many commits its store has.
    pub(super) fn not_stated(lock: &Path) -> Self {
        Self::Failed(format!(
            "expected the number of commits in {}, got none: a restore did not end, or files of the store are missing. Restore a \
             backup with `ahu data restore`, take the store as it is with `ahu data verify --accept-loss`, or name another folder",
            lock.display()
        ))
    }
}

impl Folder {
    /// Locks a folder. If `create` is true, creates a missing folder.
    pub(super) fn lock(path: &Path, create: bool) -> Result<Self, OpenError> {
        if create {
            // The seeds of matches in progress are secret.
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(OpenError::cannot("create the folder", path))?;
        } else if !path.is_dir() {
            return Err(OpenError::Missing(path.to_owned()));
        }
        if let Some(kind) = network(path).map_err(OpenError::cannot("use the folder", path))? {
            return Err(OpenError::Failed(format!(
                "expected a folder on a disk of this machine, since the locks of a network file system do not protect a store; got \
                 {} on {kind}",
                path.display()
            )));
        }
        let file = path.join(LOCK);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&file);
        let mut lock = opened.map_err(OpenError::cannot("write to", &file))?;
        let mut text = String::new();
        // A file that is not text states nothing.
        let _ = lock.read_to_string(&mut text);
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::InUse { path: path.to_owned(), process: stated(&text, "process") });
            }
            Err(TryLockError::Error(error)) => return Err(OpenError::cannot("lock", &file)(error)),
        }
        let is_of_store =
            |entry: io::Result<DirEntry>| entry.is_ok_and(|it| it.file_name().to_string_lossy().starts_with(FILE));
        let has_files = fs::read_dir(path).map_err(OpenError::cannot("read", path))?.any(is_of_store);
        let is_new = text.is_empty() && !has_files;
        Ok(Self { path: path.to_owned(), lock, stated: stated(&text, "commits"), is_new })
    }

    /// Locks a folder, as [`Self::lock`] does. Waits up to this time for another process that uses it.
    pub(super) fn lock_within(path: &Path, create: bool, wait: Duration) -> Result<Self, OpenError> {
        let deadline = Instant::now() + wait;
        let mut told = false;
        loop {
            match Self::lock(path, create) {
                Err(error @ OpenError::InUse { .. }) if Instant::now() < deadline => {
                    if !told {
                        tracing::info!("waiting: {error}");
                    }
                    told = true;
                    thread::sleep(LOCK_TRIES);
                }
                done => return done,
            }
        }
    }

    /// States that a store begins here if none has begun before.
    pub(super) fn begin(&mut self) -> Result<(), OpenError> {
        if self.is_new { self.state_first(0) } else { Ok(()) }
    }

    /// States the number of commits of a store that takes its place here, and waits for the disk.
    pub(super) fn state_first(&mut self, commits: u64) -> Result<(), OpenError> {
        self.stated = Some(commits);
        self.state(commits);
        let synced = self.lock.sync_all().and_then(|()| File::open(&self.path)?.sync_all());
        synced.map_err(OpenError::cannot("write to", &self.lock_file()))
    }

    /// Removes the stated number of commits, so that another store can take the place of this one. No server starts here before
    /// it has.
    pub(super) fn state_nothing(&mut self) -> io::Result<()> {
        self.stated = None;
        self.lock.set_len(0)?;
        // A hole, which needs no room on a full disk: an empty file would mean that no store has begun.
        self.lock.set_len(1)?;
        self.lock.sync_all()
    }

    /// Returns the path of the lock file.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.path.join(LOCK)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the number of commits. An error is no reason to stop: the number is a check of the store, and a number that is
    /// too small proves nothing.
    pub(super) fn state(&self, commits: u64) {
        let text = format!("commits {commits:020}\nprocess {:010}\n", std::process::id());
        if let Err(error) = self.lock.write_all_at(text.as_bytes(), 0) {
            tracing::warn!(%error, path = %self.path.display(), "the number of commits cannot be written");
        }
    }
}

/// Returns the number of commits that the lock file of a folder states; None if it states none.
pub(super) fn stated_commits(folder: &Path) -> Option<u64> {
    stated(&fs::read_to_string(folder.join(LOCK)).ok()?, "commits")
}

/// Returns a number that the lock file states.
fn stated<T: std::str::FromStr>(text: &str, name: &str) -> Option<T> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line?.parse().ok()
}

/// Makes a file readable for its owner alone.
pub(super) fn protect(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

/// Returns the kind of the file system of a folder if it belongs to another machine.
#[cfg(target_os = "linux")]
fn network(path: &Path) -> io::Result<Option<&'static str>> {
    Ok(network_kind(rustix::fs::statfs(path)?.f_type))
}

/// Returns None: this system has no portable way to ask.
#[cfg(not(target_os = "linux"))]
fn network(_: &Path) -> io::Result<Option<&'static str>> {
    Ok(None)
}

/// Returns the name of a network file system; None for any other file system. The numbers are from the Linux manual,
/// statfs(2).
#[cfg(target_os = "linux")]
fn network_kind(magic: rustix::fs::FsWord) -> Option<&'static str> {
    #[allow(clippy::cast_sign_loss)] // The numbers have 32 bits, and some systems extend the sign.
    Some(match magic as u32 {
        0x6969 => "NFS",
        0x517B | 0xFE53_4D42 | 0xFF53_4D42 => "SMB",
        0x5346_414F | 0x6B41_4653 => "AFS",
        0x00C3_6400 => "Ceph",
        0x0BD0_0BD0 => "Lustre",
        0x7375_7245 => "Coda",
        0x564C => "NCP",
        0x0102_1997 => "9P",
        _ => return None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_network_file_system_is_recognised_and_a_local_one_is_not() {
        for (name, numbers) in [
            ("NFS", &[0x6969][..]),
            ("SMB", &[0x517B, 0xFE53_4D42, 0xFF53_4D42]),
            ("AFS", &[0x5346_414F, 0x6B41_4653]),
            ("Ceph", &[0x00C3_6400]),
            ("Lustre", &[0x0BD0_0BD0]),
            ("Coda", &[0x7375_7245]),
            ("NCP", &[0x564C]),
            ("9P", &[0x0102_1997]),
        ] {
            for &number in numbers {
                assert_eq!(network_kind(number), Some(name), "{number:#x}");
            }
        }
        for local in [0xEF53, 0x9123_683E, 0x0102_1994, 0x794C_7630] {
            assert_eq!(network_kind(local), None);
        }
    }
}
