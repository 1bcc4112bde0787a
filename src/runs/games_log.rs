//! The file `games.jsonl` of a run: the log of the games that the run has started and kept.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ahu_contest::GamesLog;

use super::now;
use crate::{CliError, Done};

/// The name of the file in the folder of a run.
pub(crate) const NAME: &str = "games.jsonl";

/// The log of a run in progress. Its folder is locked.
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    pub(super) log: GamesLog,
    /// True if a line is on the disk before the next step.
    is_synced: bool,
    has_failed: bool,
}

impl LogFile {
    /// Opens the log of the run in a folder, and creates it if it is missing. Removes a last line without an end, which was
    /// cut off while it was written.
    pub(super) fn open(folder: &Path, is_synced: bool) -> Result<Self, CliError> {
        let path = folder.join(NAME);
        let cannot = CliError::cannot("write", &path);
        let file = File::options().append(true).create(true).open(&path).map_err(cannot)?;
        let (log, whole) = read(&path)?;
        file.set_len(whole as u64).map_err(cannot)?;
        Ok(Self { path, file, log, is_synced, has_failed: false })
    }

    /// Notes that a game starts. `record` is the path of its record in the folder.
    pub(super) fn start(&mut self, record: &Path) -> Done {
        let line = self.log.start(&record.display().to_string(), now());
        self.append(&line)
    }

    /// Notes that the record of a game is kept.
    pub(super) fn keep(&mut self, record: &Path, bytes: &[u8]) -> Done {
        let line = self.log.keep(&record.display().to_string(), bytes, now());
        self.append(&line)
    }

    /// Enters the lines of the log of a shard.
    pub(super) fn enter(&mut self, lines: &[u8]) -> Done {
        let lines = self.log.enter_shard(lines).map_err(CliError::Failed)?;
        self.append(&lines)
    }

    /// Appends lines. After an error, which may have left a part of a line, nothing is appended any more.
    fn append(&mut self, lines: &str) -> Done {
        let file = if self.has_failed {
            Err(io::Error::other("an earlier line could not be written"))
        } else {
            Ok(&self.file)
        };
        let written = file.and_then(|mut file| file.write_all(lines.as_bytes()));
        let synced = written.and_then(|()| if self.is_synced { self.file.sync_data() } else { Ok(()) });
        self.has_failed |= synced.is_err();
        synced.map_err(CliError::cannot("write", &self.path))
    }
}

/// Reads a log. Returns it with the length of its whole lines.
pub(crate) fn read(path: &Path) -> Result<(GamesLog, usize), CliError> {
    let bytes = fs::read(path).map_err(CliError::cannot("read", path))?;
    GamesLog::read(&bytes).map_err(|message| CliError::Failed(format!("{}: {message}", path.display())))
}
