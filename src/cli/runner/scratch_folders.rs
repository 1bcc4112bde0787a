//! Scratch folders: a program that shall forget has one for each game.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;
use std::{env, fs, io};

use tempfile::TempDir;

use crate::cli::programs::temporary_folder;
use crate::cli::{CliError, lock};

/// The maximum size of a file that is copied, in bytes. A larger one, such as the weights of a net, is linked.
const MAX_COPY: u64 = 1024 * 1024;
/// The beginning of the name of every scratch folder.
const PREFIX: &str = "ahu-duel-";

/// The folder of all scratch folders of a run, which is made for the first. It is removed with this value, also when this process is
/// killed.
#[derive(Default)]
pub(super) struct Scratch(Mutex<Option<TempDir>>);

impl Scratch {
    /// Creates a scratch folder with the files of the working folder, so that the command of a program works in it: copies
    /// of small files, and links to large files and to folders. Files that the program creates or changes there go with it.
    pub(super) fn create(&self) -> Result<TempDir, CliError> {
        self.try_create().map_err(|error| CliError::Failed(format!("cannot create a scratch folder: {error}")))
    }

    fn try_create(&self) -> io::Result<TempDir> {
        let mut parent = lock(&self.0);
        let parent = match &mut *parent {
            Some(parent) => parent,
            none => none.insert(temporary_folder(PREFIX)?),
        };
        let folder = tempfile::Builder::new().tempdir_in(parent)?;
        fill(&env::current_dir()?, folder.path())?;
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
