//! Scratch folders: a program that shall forget has one for each game.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::{env, fs, io};

use tempfile::TempDir;

use crate::cli::CliError;
use crate::cli::programs::remove_if_killed;

/// The maximum size of a file that is copied, in bytes. A larger one, such as the weights of a net, is linked.
const MAX_COPY: u64 = 1024 * 1024;
/// The beginning of the name of every scratch folder.
const PREFIX: &str = "ahu-duel-";

/// The folder of all scratch folders of a duel. It is removed with the duel, also when that is killed.
pub(in crate::cli) struct Scratch(TempDir);

impl Scratch {
    /// Creates the folder.
    pub(in crate::cli) fn new() -> Result<Self, CliError> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(|error| cannot(&error))?;
        remove_if_killed(folder.path()).map_err(|error| cannot(&error))?;
        Ok(Self(folder))
    }

    /// Creates a scratch folder with the files of the working folder, so that the command of a program works in it: copies
    /// of small files, and links to large files and to folders. Files that the program creates or changes there go with it.
    pub(in crate::cli) fn create(&self) -> Result<TempDir, CliError> {
        let folder = tempfile::Builder::new().tempdir_in(&self.0).map_err(|error| cannot(&error))?;
        let from = env::current_dir().map_err(|error| cannot(&error))?;
        fill(&from, folder.path()).map_err(|error| cannot(&error))?;
        Ok(folder)
    }
}

fn fill(from: &Path, folder: &Path) -> io::Result<()> {
    for entry in from.read_dir()? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(PREFIX) {
            // The working folder is the one for temporary files.
            continue;
        }
        // A link that leads nowhere has no metadata.
        let is_small = fs::metadata(entry.path()).is_ok_and(|found| found.is_file() && found.len() <= MAX_COPY);
        match is_small {
            true => fs::copy(entry.path(), folder.join(name)).map(drop)?,
            false => symlink(entry.path(), folder.join(name))?,
        }
    }
    Ok(())
}

fn cannot(error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot create a scratch folder: {error}"))
}
