//! The file `games.jsonl` of a run: the log of the games that the run has started and kept.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ahu_contest::suite::{GamePlace, GamesLog, Plan};

use super::machine::now;
use crate::CliError;

/// The name of the file in the folder of a run.
pub(super) const NAME: &str = "games.jsonl";

/// The log of a run in progress. Its folder is locked.
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    pub(super) log: GamesLog,
}

impl LogFile {
    /// Opens the log of the run in a folder, and creates it if it is missing. Removes a last line without an end, which was
    /// cut off while it was written.
    pub(super) fn open(folder: &Path) -> Result<Self, CliError> {
        let path = folder.join(NAME);
        let cannot = CliError::cannot("write", &path);
        let file = File::options().append(true).create(true).open(&path).map_err(cannot)?;
        let (log, whole) = read(&path)?;
        file.set_len(whole as u64).map_err(cannot)?;
        Ok(Self { path, file, log })
    }

    /// Notes that a game starts. The line is on the disk when this returns.
    pub(super) fn start(&mut self, plan: &Plan, place: GamePlace) -> Result<(), CliError> {
        let line = self.log.start(&name(plan, place), now());
        self.append(&line)
    }

    /// Notes that the record of a game is kept. The line is on the disk when this returns.
    pub(super) fn keep(&mut self, plan: &Plan, place: GamePlace, record: &[u8]) -> Result<(), CliError> {
        let line = self.log.keep(&name(plan, place), record, now());
        self.append(&line)
    }

    fn append(&mut self, line: &str) -> Result<(), CliError> {
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(CliError::cannot("write", &self.path))
    }
}

/// Reads a log. Returns it with the length of its whole lines.
pub(super) fn read(path: &Path) -> Result<(GamesLog, usize), CliError> {
    let text = fs::read_to_string(path).map_err(CliError::cannot("read", path))?;
    GamesLog::read(&text).map_err(|message| CliError::Failed(format!("{}: {message}", path.display())))
}

/// Returns the name of a game in the log: the path of its record in the folder.
pub(super) fn name(plan: &Plan, place: GamePlace) -> String {
    place.record(&plan.suite).display().to_string()
}
