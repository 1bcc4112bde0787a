//! Scratch folders: a program that shall forget has one for each game.

use std::env;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use crate::cli::CliError;

/// Creates a folder with links to the files of the working folder, so that the command of a program works in it. Files that
/// the program creates there go with it.
pub(super) fn create() -> Result<TempDir, CliError> {
    let folder = tempfile::Builder::new().prefix("ahu-").tempdir().map_err(|error| cannot(&error))?;
    fill(&env::current_dir().map_err(|error| cannot(&error))?, folder.path()).map_err(|error| cannot(&error))?;
    Ok(folder)
}

fn fill(from: &Path, folder: &Path) -> io::Result<()> {
    for entry in from.read_dir()? {
        let entry = entry?;
        symlink(entry.path(), folder.join(entry.file_name()))?;
    }
    Ok(())
}

fn cannot(error: &io::Error) -> CliError {
    CliError::Failed(format!("cannot create a scratch folder: {error}"))
}
